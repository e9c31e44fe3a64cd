#!/bin/sh
# One example: every experiment in its .bond file (or the model alone), or those that are named, run
# and end with 0.
# usage: example.sh BONDYN FILE [EXPERIMENT...]
example=$2
. "$(dirname "$0")/common.sh"
if [ $# -gt 2 ]; then
    shift 2
    for experiment; do expect_exit 0 run "$example" "$experiment"; done
elif grep -q '^experiment' "$example"; then
    expect_exit 0 run "$example" --all
else
    expect_exit 0 run "$example"
fi
cat err
exit $failed
