#!/bin/sh
# Golden files: what bondyn says about a model, word by word.
#
#     name.bond    first line: // run: VERB OPTIONS
#     name.err     its standard error, then [exit N]
#     name.out     its standard output; compared only when the file exists
#
# usage: run_golden.sh BONDYN [--update] [NAME.bond ...]      (without names: all)
# Prints the differences and ends with 1; --update rewrites the files instead.

bondyn=$1
shift
update=no
[ "$1" = --update ] && update=yes && shift
cd "$(dirname "$0")" || exit 2
[ $# -gt 0 ] || set -- *.bond
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
: "${BONDYN_LIBRARY:=$(cd ../../library && pwd)}"
# A busy machine must not add lines about how far a run is.
export BONDYN_LIBRARY NO_COLOR=1 BONDYN_HEARTBEAT=1e9

# What differs from machine to machine gets a name: paths, and the last digits of numerical
# troubles; so do lines of the library, which grows.
plain() {
    sed -e "s|$work|<out>|g" -e "s|$BONDYN_LIBRARY|<library>|g" \
        -e 's/(last [^)]* s)/(last <step> s)/' -e 's/switched [0-9]* times in [^ ]* s/switched <many> times in <little> s/' \
        -e '/error S0/s/ = -*[0-9.]*e-[0-9]*$/ = <tiny>/' \
        -e 's/at t = \([0-9.]\{1,4\}\)[0-9]* s/at t = \1 s/' \
        -e '/<library>[^:]*:[0-9]*:[0-9]*: /{s/:[0-9]*:[0-9]*: /:<line>: /;n;s/^ *[0-9]* |/<line> |/;}' "$1"
}

failed=0
for file; do
    file=$(basename "$file")
    name=${file%.bond}
    command=$(sed -n '1s|^// run: *||p' "$file")
    case $command in
        '') echo "$file: the first line does not say '// run: VERB OPTIONS'"; failed=1; continue ;;
        run* | optimize* | fit* | sensitivity*) extra="--out $work --no-plot" ;;
        export*) extra="--out $work" ;;
        *) extra= ;;
    esac
    verb=${command%% *}
    options=${command#"$verb"}
    case $command in # the form stands before the file
        "export fmu"*) verb="export fmu" options=${command#export fmu} ;;
        export*) verb="export c" ;;
    esac
    eval "\"\$bondyn\" $verb \"\$file\" $options $extra" >"$work/stdout" 2>"$work/stderr" </dev/null
    echo "[exit $?]" >>"$work/stderr"
    plain "$work/stderr" >"$work/err"
    plain "$work/stdout" >"$work/out"
    if [ $update = yes ]; then
        cp "$work/err" "$name.err"
        [ -e "$name.out" ] && cp "$work/out" "$name.out"
        continue
    fi
    diff -u "$name.err" "$work/err" || failed=1
    if [ -e "$name.out" ]; then
        diff -u "$name.out" "$work/out" || failed=1
    fi
done
exit $failed
