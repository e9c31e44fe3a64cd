#!/bin/sh
# Models made to be wrong in silence, by every solver of variable steps.
# Arguments: the program, the folder of the test programs.
here=$(cd "$(dirname "$0")/../.." && pwd)
: "${BONDYN_LIBRARY:=$here/library}"
export BONDYN_LIBRARY
exec python3 "$here/tests/long/hostile_runs.py" "$1"
