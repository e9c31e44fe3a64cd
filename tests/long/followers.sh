#!/bin/sh
# Random robots with joints that follow others, against constrained twins
# (tests/run/followers_test.c).
# usage: followers.sh BONDYN FOLDER
exec "$2/followers_test" 1000
