#!/bin/sh
# --json: one valid object on stdout and nothing on stderr, whatever happens.
. "$(dirname "$0")/common.sh"

json() { # CODE WORDS...
    expect_exit "$@" --json
    shift
    "$json_check" out || { fail "bondyn $* --json"; cat out; }
    expect_empty err
    expect_text out '"exit": '
    expect_text out '"remarks": ['
}

write_model 'expect max(spring.q) < 1 {m}'
json 0 run model.bond
expect_text out '"status": "done"'
json 0 check model.bond
json 0 check model.bond --dump model
json 0 equations model.bond
json 0 equations model.bond --latex
json 0 graph model.bond
json 0 graph model.bond --out g.svg
json 0 run model.bond --out again
json 0 compare results/model/Go/results.csv again/results.csv
json 0 new fresh
json 1 new fresh
json 0 lib
json 0 help
json 0 help run
json 0 run --help
json 0 version
json 0 explain
json 0 explain T001
json 2 explain X999
expect_text out '"code": "T008"'
json 2 rnu
json 2 run model.bond --sotp
json 2 run
json 1 run none.bond
json 1 check none.bond
printf 'model \377\001 "\n' >binary.bond
json 1 check binary.bond
printf 'model A\n  R r(x = \n  1 v "q\\uote"\nend\n' >broken.bond
json 1 run broken.bond
json 1 equations broken.bond
json 1 graph broken.bond
exit $failed
