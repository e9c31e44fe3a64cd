#!/bin/sh
# --engine: the same results whichever way they are computed, with and without a compiler.
. "$(dirname "$0")/common.sh"
export XDG_CACHE_HOME="$PWD/cache"
model=$source_folder/examples/double_pendulum/double_pendulum.bond

expect_exit 0 run "$model" --engine vm -v --out vm
grep -q '^engine       virtual machine$' out || fail "vm: wrong words"
expect_exit 0 run "$model" --engine auto --out auto
cmp vm/results.csv auto/results.csv || fail "auto differs"
expect_exit 2 run "$model" --engine fast
grep -q "no engine 'fast'" err || fail "unknown engine: wrong words"

CC=/nowhere/cc expect_exit 0 run "$model" --engine native -v --out without
grep -q '^engine       virtual machine: no C compiler' out || fail "no compiler: wrong words"
cmp vm/results.csv without/results.csv || fail "without a compiler: differs"

# laws that switch have a program, and native code, in each of their modes
modes="$source_folder/examples/clutch/clutch.bond Slipping"
expect_exit 0 run $modes --engine vm --out modes_vm

if cc --version >/dev/null 2>&1; then
    expect_exit 0 run "$model" --engine native --out first
    expect_exit 0 run "$model" --engine native -v --out second
    grep -q '^engine       native code from the cache$' out || fail "second run: not from the cache"
    cmp vm/results.csv first/results.csv || fail "first native run differs"
    cmp vm/results.csv second/results.csv || fail "second native run differs"
    for file in cache/bondyn/native/*.so; do # damaged: rebuilt in silence
        printf 'x' | dd of="$file" bs=1 seek=2000 conv=notrunc 2>/dev/null
    done
    expect_exit 0 run "$model" --engine native --out third
    cmp vm/results.csv third/results.csv || fail "after damage: differs"
    for round in 1 2 3; do # one compiler at a time, the last one finishes for the next run
        expect_exit 0 run $modes --engine native -v --out modes_native
        cmp modes_vm/results.csv modes_native/results.csv || fail "modes on native code differ"
    done
    expect_text out "native code in 2 of 2 modes"
    XDG_CACHE_HOME=/proc/nowhere expect_exit 0 run "$model" --engine native --out closed
    cmp vm/results.csv closed/results.csv || fail "closed cache: differs"
fi
exit $failed
