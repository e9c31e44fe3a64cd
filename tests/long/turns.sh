#!/bin/sh
# Angles that turn evenly, with all that comes and goes by them (tests/run/turns_test.c).
# usage: turns.sh BONDYN FOLDER
exec "$2/turns_test" 2000
