#!/bin/sh
# Fuzzes every target of tests/fuzz. Without argument: a short seeded run that is the same each time;
# with a number: that many seconds each.
set -eu
cd "$(dirname "$0")/.."
cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target fuzzers
rm -rf build/fuzz/corpus
mkdir build/fuzz/corpus
find examples library tests/golden tests/import/hydro \( -name '*.bond' -o -name '*.csv' -o -name '*.urdf' -o \
    -name '*.stl' -o -name '*.obj' -o -name '*.dae' -o -name 'box.*' -o -name 'ship.re*' \) -size -16k -exec cp --parents -t build/fuzz/corpus {} +
for target in build/fuzz/tests/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    work=$(mktemp -d) seeds=build/fuzz/corpus leaks=1 plain=''
    # A model passes tens of thousands of branches: keeping the book of how rare each is takes longer than the model.
    [ "${target##*/}" != fuzz_model ] || plain='-entropic=0 -reduce_inputs=0'
    if [ $# -gt 0 ]; then
        how="-max_total_time=$1"
    else
        how="-runs=4000 -seed=1"
    fi
    # The studio has connections and threads each time, and texts of models are no seeds for its wire. Its runs are coroutines: the
    # leak checker cannot stop threads on such stacks; studio.wire_test looks for leaks.
    if [ "${target##*/}" = fuzz_studio ]; then
        seeds='' leaks=0
        [ $# -gt 0 ] || how="-runs=1000 -seed=1"
    fi
    # shellcheck disable=SC2086
    ASAN_OPTIONS=detect_leaks=$leaks "$target" $how $plain -max_len=8192 -timeout=60 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix=build/fuzz/ "$work" $seeds
    rm -r "$work"
done
