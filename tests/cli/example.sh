#!/bin/sh
# One example: every experiment in its .bond file (or the model alone) runs and ends with 0.
# usage: example.sh BONDYN FILE
example=$2
. "$(dirname "$0")/common.sh"
if grep -q '^experiment' "$example"; then
    expect_exit 0 run "$example" --all
else
    expect_exit 0 run "$example"
fi
cat err
exit $failed
