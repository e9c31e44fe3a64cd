#!/bin/sh
# Starts of closed chains, given at random places: 500 of them (tests/run/starts_test.c).
# usage: starts.sh BONDYN FOLDER
exec "$2/starts_test" 500
