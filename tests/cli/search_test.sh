#!/bin/sh
# optimize, fit and sensitivity on the worked example of docs/analysis.md and on McBride's autopilot.
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
. "$(dirname "$0")/common.sh"
search=$examples/search/search.bond

says() {
    grep -qF -- "$1" out || fail "not said: $1"
}

expect_exit 0 optimize "$search" Damping --out a
says "expectations 2 of 2 hold"
expect_exit 0 optimize "$search" Limited --runs 4 -j 2 --out b
says "holds, and is what limits it"
says "4 ended well, 4 of them here"
[ ! -e b/search.part ] || fail "a finished search leaves its file"
expect_exit 0 optimize "$search" Damping --method bobyqa --out c
says "expectations 2 of 2 hold"
expect_exit 0 fit "$search" Fitted --out d
says "fitted       to 101 data"
says "no two parameters by more than 0.9"
expect_exit 0 fit "$search" Fitted --json --out e
says '"half_interval"'
expect_exit 0 sensitivity "$search" Depends --out f
[ -e f/tornado_spring.q.svg ] || fail "no tornado chart"
# d x/dF at rest is 1/k
tail -n 1 f/sensitivity.csv | awk -F, '{exit !($5 > 0.018 && $5 < 0.022)}' || fail "d q/dF is not 1/k"
expect_exit 1 optimize "$search" Fitted
expect_text err O008
# an equal search goes on from the best point so far
expect_exit 0 optimize "$examples/mcbride_missile/optimise.bond" --out g
says "expectations 10 of 10 hold"
exit $failed
