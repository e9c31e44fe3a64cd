#!/bin/sh
# Random chains with dry friction in their joints, in momenta and velocities
# (tests/run/frictions_test.c).
# usage: frictions.sh BONDYN FOLDER
exec "$2/frictions_test" 500
