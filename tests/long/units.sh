#!/bin/sh
# Every example as FMUs of FMI 2 and 3, in both kinds, and back again; through the Python package, against the program.
# Arguments: the program, the folder of the test programs.
bondyn=$1 tests=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
: "${BONDYN_LIBRARY:=$here/library}"
export BONDYN_LIBRARY
failed=0
python3 "$here/tests/long/units.py" "$bondyn" "$tests/fmu_check" "$here/examples" || failed=1
BONDYN_SO=$(dirname "$bondyn")/libbondyn.so.1 PYTHONPATH=$here/python PYTHONDONTWRITEBYTECODE=1 \
    /usr/bin/python3 "$here/tests/long/python_runs.py" "$bondyn" "$here/examples" || failed=1
exit $failed
