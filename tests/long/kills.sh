#!/bin/sh
# 200 kills at random times of run, sweep and montecarlo (tests/cli/kills_test.sh).
# usage: kills.sh BONDYN FOLDER
BONDYN_KILLS=200 exec "$(dirname "$0")/../cli/kills_test.sh" "$1" "$2/json_check"
