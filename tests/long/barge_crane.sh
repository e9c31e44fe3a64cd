#!/bin/sh
# Crane beams on the stiffest springs, and the barge with its crane until it rests: every value of
# the reference.
here=$(dirname "$0")/../..
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for file in stiff rest; do
    "$1" run "$here/examples/barge_crane/long/$file.bond" --all --no-plot --library "$here/library" --out "$out/$file" || exit 1
done
