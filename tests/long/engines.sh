#!/bin/sh
# Examples whose tapes take compilers long, on all engines (tests/run/engines_test.c).
# usage: engines.sh BONDYN FOLDER
exec "$2/engines_test" 0 1 45000
