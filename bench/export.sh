#!/bin/sh
# What a model costs elsewhere: an evaluation of its rates by the program itself, as stand-alone C, as an FMU and through
# libbondyn, a step of rk4 of the exported C, and many runs from Python. Arguments: the program, bench_export.
set -eu
bondyn=$1 bench=$2
here=$(cd "$(dirname "$0")/.." && pwd)
: "${BONDYN_LIBRARY:=$here/library}"
export BONDYN_LIBRARY
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The least time of several rounds: what else the machine does makes them longer.
timing() { # PREFIX
    cat <<END
#include "model.c"
#include <time.h>
static $1_machine m;
static int ready;
int timing_rates(double time, const double *state, double *rate) {
    if (!ready) {
        $1_init(&m);
        $1_reset(&m);
        ready = 1;
    }
    return bondyn_rates(&m, time, state, rate);
}
double timing_step(void) {
    double best = 1;
    for (int round = 0; round < 20; round++) {
        int steps = 0;
        $1_init(&m);
        $1_reset(&m);
        clock_t begin = clock();
        while (steps < 500 && m.time < m.stop && $1_step(&m) == $1_good) steps++;
        double each = (double)(clock() - begin) / CLOCKS_PER_SEC / steps;
        if (each < best) best = each;
    }
    return best;
}
END
}

# Vectors of the processor, but no multiplications that are added in one rounding: the bits of `bondyn run`.
case $(uname -m) in x86_64) wide=-mavx2 ;; *) wide= ;; esac

row() { # FILE EXPERIMENT STOP
    rm -rf "$work"/*
    "$bondyn" export c "$here/examples/$1" "$2" --solver rk4 --stop "$3" --out "$work/c" >/dev/null 2>&1
    "$bondyn" export fmu "$here/examples/$1" "$2" --solver rk4 --stop "$3" --kind me --out "$work/m.fmu" >/dev/null 2>&1
    (cd "$work" && unzip -qo m.fmu && cp binaries/linux64/*.so fmu.so)
    timing "$(sed -n 's/^void \(.*\)_init(.*/\1/p' "$work/c/model.h")" >"$work/c/timing.c"
    "${CC:-cc}" -std=c99 -O3 $wide -ffp-contract=off -fno-math-errno -fno-trapping-math -shared -fPIC "$work/c/timing.c" -lm -o "$work/c.so"
    "$bench" "$here/examples/$1" "$2" "$work"
}

row rlc/rlc.bond Step 10
row four_bar/four_bar.bond Falls 1
row titan4/hydraulics.bond Holding 0.1 # a hydraulic arm of about the states of a crane
row titan4/titan4.bond ClosedLoop 0.1

# Many runs from Python, a step of each, against a loop over single calls.
so=$(dirname "$bondyn")/libbondyn.so.1
[ -e "$so" ] || exit 0
BONDYN_SO=$so PYTHONPATH=$here/python PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/bench/export_batch.py"
