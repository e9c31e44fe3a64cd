#!/bin/sh
# A thousand instances of each of the ten FMUs, of FMI 2 and 3, made, run and freed under valgrind, and, made of their
# sources, under the address sanitizer: no leak, nothing read that was not written. Arguments: the program, the folder
# of the test programs.
bondyn=$1 tests=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
: "${BONDYN_LIBRARY:=$here/library}"
export BONDYN_LIBRARY
CC=$here/tests/cc_kept.sh BONDYN_PLAIN=yes # what is looked for does not depend on how it is optimised
export CC BONDYN_PLAIN
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

judge() { # NAME FILE EXPERIMENT OPTIONS...
    name=$1
    shift
    "$bondyn" run "$@" --no-plot --engine vm --out "$work/run" >/dev/null 2>&1
    for version in 2 3; do
        rm -rf "$work/fmu"
        "$bondyn" export fmu "$@" --version $version --out "$work/m.fmu" >"$work/log" 2>&1 && unzip -q "$work/m.fmu" -d "$work/fmu" &&
            valgrind -q --leak-check=full --error-exitcode=9 "$tests/fmu_check" "$work/fmu" "$work/run/results.csv" 1000 >"$work/log" 2>&1 ||
            { echo "$name, FMI $version:"; head -n 20 "$work/log"; failed=1; }
        # not optimised: the equations of a large model would take minutes and gigabytes
        (cd "$work/fmu" && gcc -std=c99 -g1 -O0 -ffp-contract=off -fno-builtin-pow -fsanitize=address -shared -fPIC -I"$here/src/fmi/standard" \
            -DFMI${version}_OVERRIDE_FUNCTION_PREFIX sources/fmi$version.c -lm -o "$(echo binaries/*/*.so)") >"$work/log" 2>&1 &&
            LD_PRELOAD=$(gcc -print-file-name=libasan.so) "$tests/fmu_check" "$work/fmu" "$work/run/results.csv" 1000 >"$work/log" 2>&1 ||
            { echo "$name, FMI $version, address sanitizer:"; head -n 20 "$work/log"; failed=1; }
    done
}

examples=$here/examples
judge rlc "$examples/rlc/rlc.bond" Step --solver rk4
judge motor "$examples/dc_motor/dc_motor.bond" Start --solver rk4
judge ball "$examples/bouncing_ball/bouncing_ball.bond" Bounce --solver rk4 --stop 2.5
judge stick "$here/tests/cli/stick.bond" Periods
judge pid "$examples/sampled_pid/sampled_pid.bond" Fixed
judge bars "$examples/four_bar/four_bar.bond" Falls --solver rk4 --stop 0.05
judge ring "$examples/euler_ring/euler_ring.bond" Tumbling --solver rk4
judge table "$examples/tables/tables.bond" RealTime --stop 2
judge sticks "$examples/stick_slip/stick_slip.bond" FixedSteps --stop 3
judge titan "$examples/titan4/titan4.bond" ClosedLoop --solver rk4 --stop 0.01
exit $failed
