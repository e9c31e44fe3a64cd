#!/bin/sh
# Ctrl-C: the first one ends a run cleanly, keeps what was computed and marks it.
. "$(dirname "$0")/common.sh"

write_model ''
# A heartbeat says that the run is on its way, however slow the machine is.
BONDYN_HEARTBEAT=0.1 timeout --foreground --preserve-status -s KILL 300 "$bondyn" run model.bond --stop 1e7 --out kept >out 2>err &
watcher=$!
until grep -q 'after' err || ! kill -0 $watcher 2>/dev/null; do sleep 0.1; done
kill -INT $watcher # timeout hands it on, in the foreground once
wait $watcher
code=$?
[ $code -eq 130 ] || { fail "interrupted: exit $code, expected 130"; cat out err; }
expect_text err "T012"
expect_text out "INTERRUPTED"
expect_file kept/results.csv
grep -q '^# complete: no' kept/results.csv || fail "the partial result is not marked"
find . -name '*.part' | grep . && fail "unfinished files were left"
exit $failed
