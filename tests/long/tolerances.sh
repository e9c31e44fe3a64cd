#!/bin/sh
# Random systems with solutions in closed form: no component is lost (tests/run/tolerances_test.c).
# usage: tolerances.sh BONDYN FOLDER
exec "$2/tolerances_test" 5000
