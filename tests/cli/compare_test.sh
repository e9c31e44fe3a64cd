#!/bin/sh
# compare: result files that fit, that do not, and that are none.
. "$(dirname "$0")/common.sh"

write_model ''
expect_exit 0 run model.bond --out a --h5 --csv
printf 'time [s],x [m]\n0,1\n1,2\n2,3\n' >good.csv
printf 'time [s],x [m]\n0,1\n1,2.1\n2,3\n' >other.csv

expect_exit 0 compare good.csv good.csv
expect_text out "1 columns, all the same"
expect_exit 4 compare good.csv other.csv
expect_text out "DIFFERENT x: largest difference 0.1 at time 1"
expect_exit 0 compare good.csv other.csv --rtol 0.1
expect_exit 0 compare a/results.csv a/results.h5 -v
expect_text out "same"

wrong() { # CODE FILE-CONTENT: a second file that cannot be compared
    printf '%b' "$2" >wrong.csv
    "$bondyn" compare good.csv wrong.csv >out 2>err
    [ $? -eq 1 ] || fail "$1: exit is not 1"
    expect_text err "$1"
}
wrong R001 ''
wrong R008 'time [s],x [m]\n'
wrong R002 'time [s],x [m]\n0,one\n1,2\n'
wrong R003 'time [s],x [m]\n0,1\n1\n'
wrong R004 'time [s],x [m]\n1,1\n0,2\n'
wrong R006 'time [s],y [m]\n0,1\n1,2\n2,3\n'
wrong R007 'time [s],x [mm]\n0,1\n1,2\n2,3\n'
wrong R008 'time [s],x [m]\n0,1\n1,2\n'
cp good.csv text.h5
expect_exit 1 compare good.csv text.h5
expect_text err R005
head -c 200 a/results.h5 >cut.h5
expect_exit 1 compare good.csv cut.h5
: >empty.h5
expect_exit 1 compare empty.h5 good.csv
expect_exit 1 compare . good.csv
exit $failed
