#!/bin/sh
# One model of a defect that was found: it runs as its first lines say (see README.md beside it).
# usage: run_found.sh BONDYN FILE
model=$2
. "$(dirname "$0")/../cli/common.sh"
said() { sed -n "s|^// $1: *||p" "$model" | head -1; }
wanted=$(said EXIT)
expect_exit "${wanted:-0}" run "$model" $(said ARGUMENTS | grep . || echo --all) --no-plot
words=$(said STDERR)
[ -z "$words" ] || cat out err | grep -qF -- "$words" || fail "nothing says: $words"
most=$(said STEPS | sed 's/ .*//')
if [ -n "$most" ]; then
    taken=$(cat out err | grep -oE '[0-9]+ steps' | awk '{sum += $1} END {print sum + 0}')
    [ "$taken" -gt 0 ] && [ "$taken" -le "$most" ] || fail "$taken steps, at most $most are right"
fi
[ "$failed" -eq 0 ] || cat out err
exit $failed
