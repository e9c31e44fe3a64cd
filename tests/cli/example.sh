#!/bin/sh
# One example: every experiment in its .bond file runs and ends with 0.
# usage: examples_test.sh BONDYN FILE
example=$2
. "$(dirname "$0")/common.sh"
expect_exit 0 run "$example" --all
cat err
exit $failed
