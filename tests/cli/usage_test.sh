#!/bin/sh
# The command line itself: help, version, wrong words, suggestions.
. "$(dirname "$0")/common.sh"

verbs="run linearize steady poles bode nyquist step impulse reduce power optimize fit sensitivity check equations graph watch derive import explain compare signals new lib help version"

expect_exit 2
expect_empty out
expect_text err "usage: bondyn VERB"
verbs="$verbs export format lsp"
expect_exit 0 help
expect_empty err
for verb in $verbs; do
    expect_exit 0 help
    expect_text out "  $verb "
    expect_exit 0 "$verb" --help
    expect_empty err
    for word in "usage: bondyn $verb" options examples "exit codes" --json --help; do
        expect_text out "$word"
    done
    # man page and completions know every verb and every option
    grep -o -- '--[a-z0-9-]*' out | sort -u >options
    for file in docs/bondyn.1 share/completions/bondyn.bash share/completions/_bondyn; do
        grep -q "\b$verb\b" "$source_folder/$file" || fail "$file does not tell of $verb"
        while read -r option; do
            grep -qF -- "$option" "$source_folder/$file" || fail "$file does not tell of $option"
        done <options
    done
    while read -r option; do
        grep -qF -- "-l ${option#--}" "$source_folder/share/completions/bondyn.fish" ||
            fail "bondyn.fish does not tell of $option"
    done <options
done
# ... and every solver
for name in $(sed -n 's/^SOLVER([A-Z0-9_]*, "\([a-z0-9]*\)".*/\1/p' "$source_folder/src/solve/solvers.def"); do
    for file in docs/bondyn.1 docs/language.md share/completions/bondyn.bash share/completions/_bondyn \
        share/completions/bondyn.fish; do
        grep -q "\b$name\b" "$source_folder/$file" || fail "$file does not tell of solver $name"
    done
done
expect_exit 0 --help
expect_exit 0 --version
expect_text out "bondyn "
expect_exit 0 version

expect_exit 2 rnu model.bond
expect_text err "error T003: there is no verb 'rnu'"
expect_text err "did you mean 'bondyn run'?"
expect_exit 2 model.bond
expect_text err "bondyn run model.bond"
expect_exit 2 --json run
expect_exit 2 run model.bond --sotp 5
expect_text err "error T004"
expect_text err "did you mean '--stop'?"
expect_exit 2 run model.bond --latex
expect_text err "does not take the option '--latex'"
expect_exit 2 run model.bond --stop
expect_text err "wants a value"
for value in soon -1 0 1e999 nan '5 {kg}' '5 {s' '5 s'; do
    expect_exit 2 run model.bond --stop "$value"
    expect_text err "error T005"
done
expect_exit 2 run model.bond --rtol=-1
expect_exit 2 run model.bond --json=yes
expect_exit 2 run model.bond --solver rk5
expect_text err "did you mean 'rk"
expect_exit 2 run
expect_text err "error T006"
expect_exit 2 compare a.csv b.csv c.csv
expect_text err "does not know what to do with 'c.csv'"
expect_exit 2 new x --template mds
expect_text err "did you mean 'msd'?"
expect_exit 2 explain L0
expect_text err "error T008"
expect_exit 0 explain T004
expect_text out "there is no such option"
expect_exit 0 explain t004
expect_exit 0 explain
expect_text out "T001  "
exit $failed
