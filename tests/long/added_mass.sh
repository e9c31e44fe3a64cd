#!/bin/sh
# 200 random floating trees with random positive added mass: energy, momentum and steps.
exec "$(dirname "$0")/../cli/added_mass_test.sh" "$1" none 200
