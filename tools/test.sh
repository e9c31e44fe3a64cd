#!/bin/sh
# All tests: format, lint, the whole suite in a release build and under sanitizers, a seeded short
# run of every fuzzer. Ends with a line that counts. Everything runs even when something failed.
set -u
cd "$(dirname "$0")/.."
mkdir -p build
export XDG_CACHE_HOME="$PWD/build/cache" # both suites share the native code of the examples
find build/cache/compiled -type f -mtime +7 -delete 2>/dev/null || true # of FMUs: tests/cc_kept.sh
passed=0 failed=0

# worked: seconds that processors worked for what this script has started so far. By way of a file, as the children of a
# subshell are others.
clock() {
    times >build/times.log
    worked=$(awk -F'[ms ]+' 'NR == 2 { printf "%d", 60*$1 + $2 + 60*$3 + $4 }' build/times.log)
}

step() { # step NAME COMMAND...
    name=$1
    shift
    echo "== $name"
    clock
    began=$worked
    if "$@" >build/step.log 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        cat build/step.log
        echo "== $name FAILED"
    fi
    clock
    echo "   $((worked - began)) s of the processor"
}

suite() { # suite PRESET: configure, build, ctest; counts every test
    echo "== tests, $1 build"
    clock
    began=$worked
    if ! { cmake --preset "$1" -DBUILD_TESTING=ON && cmake --build "build/$1"; } >build/step.log 2>&1; then
        tail -n 60 build/step.log
        failed=$((failed + 1))
        return
    fi
    clock
    built=$worked
    # Three at a time on two cores: some wait for a browser, a terminal or a clock.
    (cd "build/$1" && ctest -j 3 --output-on-failure) >"build/$1.log" 2>&1
    grep -vE '^ *(Start|[0-9]+/[0-9]+ Test .* Passed)' "build/$1.log" || true
    ok=$(grep -cE 'Test +#[0-9]+: .* Passed' "build/$1.log")
    bad=$(grep -cE 'Test +#[0-9]+: .*\*\*\*' "build/$1.log")
    passed=$((passed + ok)) failed=$((failed + bad))
    clock
    echo "   $((built - began)) s of the processor to build, $((worked - built)) s to run"
    [ $((ok + bad)) -gt 0 ] || failed=$((failed + 1))
}

step "formatting" make --no-print-directory check-format
step "stage order" tools/stage_order.sh
suite release
suite asan
step "lint" make --no-print-directory tidy DEPTH=25000
step "threads" make --no-print-directory threads
step "fuzzers, seeded" tools/fuzz.sh
step "the same numbers by gcc and clang" tools/compilers.sh
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
