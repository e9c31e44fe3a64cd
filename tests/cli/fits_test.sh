#!/bin/sh
# Fits to noisy data of known parameters, twice; tests/long/fits.sh does it a hundred times and
# counts.
exec "$(dirname "$0")/../long/fits.sh" "$1" . 2
