#!/bin/sh
# Builds and runs every benchmark; keeps the figures with machine, compiler and commit.
set -eu
cd "$(dirname "$0")/.."
cmake --build build/release --target benchmarks >/dev/null
mkdir -p bench/results
out=bench/results/latest.txt
{
    echo "commit   $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
    echo "date     $(date -u +%Y-%m-%d)"
    echo "machine  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
    echo "compiler $(cc --version | head -n 1)"
    for name in ladder loops modes derive startup lsp longrun ivp auto dynamics rolled ensemble titan4 rov lift; do
        echo
        "build/release/bench/bench_$name"
    done
    echo
    bench/export.sh "$PWD/build/release/bondyn" "$PWD/build/release/bench/bench_export"
    echo
    bench/beams.sh build/release/bondyn
    echo
    bench/studio.sh build/release/bondyn build/release
} >"$out.part"
mv "$out.part" "$out"
cat "$out"
