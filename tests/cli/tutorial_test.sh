#!/bin/sh
# The tutorials say what is true: a block after a line that ends with `name.bond`: is that file, and
# every line after `$ bondyn ...` in a block is printed by that command. A block that shows an error
# or an expectation that FAILS is of a command that fails, all others succeed.
# usage: tutorial_test.sh BONDYN
. "$(dirname "$0")/common.sh"
docs=$source_folder/docs
cp "$docs"/tutorial/*.bond .

# Writes each block of a page to block.N, and the name of the file that it shows, if any, to
# shows.N.
split_page() {
    rm -f block.* shows.*
    awk '/^```/ { inside = !inside; if (inside) { n++; print last > ("shows." n) } ; next }
         inside { print > ("block." n) }
         NF { last = $0 }' "$1"
}

check_file() { # N: the block is the file that the line before names
    name=$(sed -n 's/.*`\([a-z0-9_]*\.bond\)`:$/\1/p' "shows.$1")
    [ -n "$name" ] || return 0
    cmp -s "block.$1" "$docs/tutorial/$name" || fail "$page: the block differs from tutorial/$name"
}

check_command() { # N: what the command prints has every line of the block
    n=$1
    command=$(sed -n '1s/^\$ bondyn //p' "block.$1")
    [ -n "$command" ] || return 0
    wanted=good
    grep -q ' error [A-Z][0-9]\|^  FAILS ' "block.$1" && wanted=bad
    eval "set -- $command" # words of a command line, with their quotes
    if "$bondyn" "$@" >printed 2>&1; then got=good; else got=bad; fi
    [ $got = $wanted ] || fail "$page: 'bondyn $command' ends $got, not $wanted"
    sed 1d "block.$n" | while IFS= read -r line; do
        grep -qF -- "$line" printed || echo "$page: 'bondyn $command' does not print: $line"
    done >missing
    [ -s missing ] && fail "$(cat missing)"
    return 0
}

for page in tutorial.md tutorial_arm.md tutorial_hydraulic_arm.md marine.md other_tools.md; do
    split_page "$docs/$page"
    for block in block.*; do
        check_file "${block#block.}"
        check_command "${block#block.}"
    done
done
exit $failed
