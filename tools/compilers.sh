#!/bin/sh
# Do gcc and clang make the same numbers of the same sources? Nodes of expressions are numbered in
# the order in which they are built; were that order left to the compiler (two calls that build in
# one list of arguments), sums would be rounded differently. Mechanisms of many kinds are run by the
# release build and by the fuzzers' build.
set -eu
cd "$(dirname "$0")/.."
cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target bondyn
set --
for name in four_bar/four_bar slider_crank/slider_crank rolling_disc/rolling_disc vehicle_chain/vehicle_chain robot6/robot6 \
    rigid_stops/rigid_stops gyroscope/gyroscope clutch/clutch mcbride_sdre/mcbride_sdre; do
    set -- "$@" "examples/$name.bond"
done
exec tools/same_results.sh build/release/bondyn build/fuzz/bondyn "$@"
