#!/bin/sh
# Ctrl-C: the first one ends a run cleanly, keeps what was computed and marks it.
. "$(dirname "$0")/common.sh"

write_model ''
timeout --preserve-status -s INT 2 "$bondyn" run model.bond --stop 1e7 --out kept >out 2>err
code=$?
[ $code -eq 130 ] || { fail "interrupted: exit $code, expected 130"; cat out err; }
expect_text err "T012"
expect_text out "INTERRUPTED"
expect_file kept/results.csv
grep -q '^# complete: no' kept/results.csv || fail "the partial result is not marked"
find . -name '*.part' | grep . && fail "unfinished files were left"
exit $failed
