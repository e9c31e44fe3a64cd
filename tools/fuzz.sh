#!/bin/sh
# Fuzzes every target of tests/fuzz, two at a time. Without argument: a short seeded run that is the
# same each time; with a number: that many seconds each.
# usage: fuzz.sh [SECONDS]          fuzz.sh --one TARGET [SECONDS]: one of them, built before, with its words
set -eu
cd "$(dirname "$0")/.."

one() { # one TARGET [SECONDS]
    target=$1
    shift
    work=$(mktemp -d) seeds=build/fuzz/corpus leaks=1 plain=''
    # A model passes tens of thousands of branches: keeping the book of how rare each is takes
    # longer than the model.
    [ "${target##*/}" != fuzz_model ] || plain='-entropic=0 -reduce_inputs=0'
    if [ $# -gt 0 ]; then
        how="-max_total_time=$1"
    else
        how="-runs=4000 -seed=1"
    fi
    # The studio has connections and threads each time, and texts of models are no seeds for its
    # wire. Its runs are coroutines: the leak checker cannot stop threads on such stacks;
    # studio.wire_test looks for leaks.
    if [ "${target##*/}" = fuzz_studio ]; then
        seeds='' leaks=0
        [ $# -gt 0 ] || how="-runs=1000 -seed=1"
    fi
    # A conversation builds its models with every change: 18 inputs a second.
    if [ "${target##*/}" = fuzz_lsp ] && [ $# -eq 0 ]; then how="-runs=500 -seed=1"; fi
    good=yes
    # shellcheck disable=SC2086
    ASAN_OPTIONS=detect_leaks=$leaks "$target" $how $plain -max_len=8192 -timeout=60 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix=build/fuzz/ "$work" $seeds >"$target.log" 2>&1 || good=no
    rm -r "$work"
    echo "== ${target##*/}" && cat "$target.log" # in one piece, though two run at a time
    [ $good = yes ]
}

if [ "${1:-}" = --one ]; then
    shift
    one "$@"
    exit
fi
cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target fuzzers
rm -rf build/fuzz/corpus build/fuzz/tests/fuzz_*.log
mkdir build/fuzz/corpus
find examples library tests/golden tests/import/hydro \( -name '*.bond' -o -name '*.csv' -o -name '*.urdf' -o \
    -name '*.stl' -o -name '*.obj' -o -name '*.dae' -o -name 'box.*' -o -name 'ship.re*' \) -size -16k -exec cp --parents -t build/fuzz/corpus {} +
find build/fuzz/tests -maxdepth 1 -name 'fuzz_*' -type f -perm -u+x | sort | xargs -P 2 -I '{}' "$0" --one '{}' "$@"
