#!/bin/sh
# Exported C: the cost of a step of rk4 in microseconds. Argument: the program.
set -eu
bondyn=$1
here=$(cd "$(dirname "$0")/.." && pwd)
: "${BONDYN_LIBRARY:=$here/library}"
export BONDYN_LIBRARY
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The least time of several runs: what else the machine does makes them longer.
timing() { # FOLDER PREFIX
    cat >"$1/timing.c" <<END
#include "model.h"
#include <stdio.h>
#include <time.h>
int main(void) {
    static $2_machine m;
    double best = 1;
    for (int round = 0; round < 50; round++) {
        int steps = 0;
        $2_init(&m);
        $2_reset(&m);
        clock_t begin = clock();
        while (steps < 500 && m.time < m.stop && $2_step(&m) == $2_good) steps++;
        double each = (double)(clock() - begin) / CLOCKS_PER_SEC / steps;
        if (each < best) best = each;
    }
    printf("%.3f", 1e6 * best);
    return 0;
}
END
    "${CC:-cc}" -std=c99 -O2 -march=native -ffp-contract=off -fno-math-errno "$1/timing.c" "$1/model.c" -lm -o "$1/timing"
    "$1/timing"
}

row() { # FILE EXPERIMENT STOP
    for real in double float; do
        "$bondyn" export c "$here/examples/$1" "$2" --solver rk4 --stop "$3" --real $real --out "$work/$real" >/dev/null 2>&1
    done
    prefix=$(sed -n 's/^void \(.*\)_init(.*/\1/p' "$work/double/model.h")
    states=$(sed -n 's/^| states | \([0-9]*\) |/\1/p' "$work/double/README.md")
    printf '%-28s %6s  %9s %9s\n' "$prefix" "$states" "$(timing "$work/double" "$prefix")" "$(timing "$work/float" "$prefix")"
}

printf '%-28s %6s  %9s %9s\n' "exported C, us a step of rk4" states double float
row rlc/rlc.bond Step 10
row four_bar/four_bar.bond Falls 1
row titan4/hydraulics.bond "$(sed -n 's/^experiment \([A-Za-z]*\).*/\1/p' "$here/examples/titan4/hydraulics.bond" | head -n 1)" 0.1
row titan4/titan4.bond ClosedLoop 0.1
