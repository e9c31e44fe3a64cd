#!/bin/sh
# The page of exports, from its first frame to its last: models, programs in C and commands, as they
# stand there.
. "$(dirname "$0")/common.sh"
mkdir bin
ln -s "$bondyn" bin/bondyn
PATH=$PWD/bin:$PATH python3 "$here/page_snippets.py" "$source_folder/docs/export.md" >log 2>&1 || { fail "docs/export.md"; cat log; }
# What they leave: the columns of the run, in the C and in units that have come back.
# The input, which a run takes for the number that it is, is held as in the C.
sed 's/  input T {N.m} = 0 {N.m}.*/  var T {N.m} discrete\n  when sample(1 {s}, 1 {s}) then\n    T = 1 {N.m}\n  end/' motor.bond >held.bond
expect_exit 0 run held.bond Start --no-plot --record w --engine vm --out run
sed -n '/^[0-9]/p' run/results.csv | cut -d, -f1,2 >a
grep -m1 '^time' motor_c/results.csv | tr ',' '\n' | grep -n '^w ' | cut -d: -f1 >column
sed -n '/^[0-9]/p' motor_c/results.csv | cut -d, -f1,"$(cat column)" >b
cmp -s a b || fail "the C is not the run"
[ "$(wc -l <motor_c/speeds.txt)" -eq 5000 ] || fail "own.c"
exit $failed
