#!/bin/sh
# Loops with several solutions: 300 of them, moved by random slow inputs (tests/run/folds_test.c).
# usage: folds.sh BONDYN FOLDER
exec "$2/folds_test" 300
