#!/bin/sh
# Exported C: ten models, compiled without a warning, give the bits of `bondyn run` with the same
# fixed steps.
. "$(dirname "$0")/common.sh"

# Rows of `run` against those of the exported program; numbers are compared, not digits.
cat >same.awk <<'END'
NR == FNR { if ($0 !~ /^#/) want[++rows] = $0; next }
{
    line++
    if (line == 1 && $0 != want[1]) print "other columns: " $0
    n = split(want[line], x, ",")
    if (line > 1) for (i = 1; i <= n; i++) if (x[i] + 0 != $i + 0 && !bad++) print "row " line ", column " i ": " x[i] " became " $i
}
END { if (line != rows || rows < 3) print line " rows of " rows }
END

flags="-std=c99 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off"
allowed='memcpy|memset|fabs|sqrt|exp|log|sin|cos|tan|asin|acos|atan|sinh|cosh|tanh|floor|ceil|atan2|pow|fmax|fmin|frexp|ldexp|_GLOBAL_OFFSET_TABLE_'

# check NAME COMPILERS FILE EXPERIMENT OPTIONS...
check() {
    name=$1 compilers=$2 file=$3 experiment=$4
    shift 4
    expect_exit 0 export c "$file" "$experiment" "$@" --out "$name"
    expect_text out "bytes a run"
    "$bondyn" run "$file" "$experiment" "$@" --no-plot --engine vm --out "$name/run" >"$name/run.log" 2>&1
    for compiler in $compilers; do
        command -v "$compiler" >/dev/null || continue
        # model.c has to do without a C library around it
        # shellcheck disable=SC2086
        { $compiler $flags -ffreestanding -c "$name/model.c" -o "$name/model.o" &&
            $compiler $flags "$name/main.c" "$name/model.o" -lm -o "$name/main"; } >log 2>&1 || { fail "$name: $compiler"; cat log; continue; }
        nm -u "$name/model.o" | awk '{ print $2 }' | grep -vxE "$allowed" >log
        [ -s log ] && fail "$name needs $(tr '\n' ' ' <log)"
        "$name/main" >"$name/c.csv" 2>err || { fail "$name: main ended with $?"; cat err; }
        awk -F, -f same.awk "$name/run/results.csv" "$name/c.csv" >log
        [ -s log ] && { fail "$name with $compiler: $(cat log)"; }
    done
}

examples=$source_folder/examples
both="gcc clang"

check rlc "$both" "$examples/rlc/rlc.bond" Step --solver rk4
check motor "$both" "$examples/dc_motor/dc_motor.bond" Start --solver heun
check ball "$both" "$examples/bouncing_ball/bouncing_ball.bond" Bounce --solver rk4
check stick "$both" "$examples/stick_slip/stick_slip.bond" FixedSteps --stop 3
check smooth "$both" "$here/stick.bond" Periods
# ... laws that switch: impacts that come to rest, several choices at once
check cradle gcc "$examples/newtons_cradle/newtons_cradle.bond" OneBall --solver rk4
check clutches "$both" "$examples/msl/coupled_clutches.bond" Run --solver heun
check stops gcc "$examples/rigid_stops/rest.bond" ByRk78 --solver rk4
check pid "$both" "$examples/sampled_pid/sampled_pid.bond" Fixed
check euler "$both" "$examples/sampled_pid/sampled_pid.bond" Hold --solver euler
check bars "$both" "$examples/four_bar/four_bar.bond" Falls --solver rk4 --stop 0.1
check ring "$both" "$examples/euler_ring/euler_ring.bond" Tumbling --solver rk4
check table "$both" "$examples/tables/tables.bond" RealTime --stop 2
# ... the same root twice in a row
check mariner gcc "$examples/vessels/mariner.bond" "$(sed -n 's/^experiment \([A-Za-z0-9_]*\).*/\1/p' "$examples/vessels/mariner.bond" | head -n 1)" --solver rk4 --stop 10
# ... states that are chosen anew, also where laws switch
check circle "$both" "$examples/cartesian_pendulum/cartesian_pendulum.bond" Turns --solver rk4 --stop 10
check sleigh gcc "$examples/vehicle_manipulators/tied_velocities.bond" R6 --solver heun
check wall "$both" "$examples/pendulum_at_wall/pendulum_at_wall.bond" Swings --solver rk4
# ... loops that are solved by iteration: nothing happens to them, or they fold again and again
check loop "$both" "$examples/msl/inverting_amplifier.bond" Run --solver rk4
check folds "$both" "$examples/msl/inverting_amplifier.bond" Run --solver euler
check fold gcc "$examples/fast_mass/fast_mass.bond" Push --solver euler
grep -q "warning S049" fold/run.log || fail "nothing folds"
# ... delayed signals: the past is forgotten and goes on, a delay that changes and one of a delay,
# events that come back
check late "$both" "$examples/delay_steps/delay_steps.bond" RealTime
check belt gcc "$examples/delay_steps/delay_steps.bond" Changing --solver heun
check later "$both" "$examples/delay_steps/delay_steps.bond" Later --solver rk4
sed -i 's/\(Jumps_past_room\) = [0-9]*/\1 = 20/' later/model.h
gcc $flags later/main.c later/model.c -lm -o later/main 2>log || { fail "less room for the past"; cat log; }
later/main >log 2>err && fail "a past without room"
expect_text err "no room for the past"
# ... inside of a step behind an event: a window narrower than an eighth of it, a relation beside a pole, arguments of floor
# that jump onto whole numbers, several relations that change in one step; and angles that turn often within a step
check inside "$both" "$here/inside.bond" Go
check insides gcc "$here/inside.bond" Go --solver euler
check shaft gcc "$source_folder/tests/found/turning_shaft.bond" Adams --solver rk4
# ... a run that its model ends
check ended "$both" "$source_folder/tests/language/terminate.bond" Counted --solver rk4
check landed gcc "$source_folder/tests/language/terminate.bond" Auto --solver euler
# ... more unknowns than small matrices have
awk 'BEGIN {
    n = 42
    print "model Dense\n  var x, u[" n "]\n  initial x = 1\n  der(x)*1 {s} = u[1] - u[" n "] - x"
    for (i = 1; i <= n; i++) {
        s = "  u[" i "] + 0.1*u[" i "]^3"
        for (j = 1; j <= n; j++) s = s sprintf(" + %g*u[%d]", 1/(i + 2*j), j)
        print s " = x*cos(" i "*time*1 {1/s})"
    }
    print "end\nexperiment Go of Dense\n  stop 0.1 {s}\n  points 10\n  solver rk4 step 10 {ms}\n  record x, u[1], u[20]\nend"
}' >dense.bond
check dense gcc dense.bond Go
check titan "$both" "$examples/titan4/titan4.bond" ClosedLoop --solver rk4 --stop 0.01
# Float: the angles of the Titan 4 in motion, and its pressures, to a thousandth of the largest one.
cp -r "$examples/titan4" titan4
cat >>titan4/titan4.bond <<'END'

experiment Steps of Simulator
  stop 2 {s}
  points 20
  solver rk4 step 0.5 {ms}
  record q[*], c.P_L[*]
  audit off
end
END
cat >near.awk <<'END'
NR == FNR { if ($0 !~ /^#/) want[++rows] = $0; next }
{
    line++
    n = split(want[line], x, ",")
    for (i = 2; i <= n; i++) {
        if (line == 1) { unit[i] = x[i]; sub(/.*\[/, "", unit[i]); continue }
        d = x[i] - $i; d = d < 0 ? -d : d
        s = x[i] < 0 ? -x[i] : x[i] + 0
        if (d > far[unit[i]]) far[unit[i]] = d
        if (s > most[unit[i]]) most[unit[i]] = s
    }
}
END {
    if (line != rows || rows != 22) print line " rows of " rows
    for (u in far) if (!(far[u] < 1e-3*most[u])) print far[u] " of " most[u] " " u
}
END
"$bondyn" run titan4/titan4.bond Steps --no-plot --out float/run >/dev/null 2>&1
expect_exit 0 export c titan4/titan4.bond Steps --real float --out float
# shellcheck disable=SC2086
gcc $flags -O1 float/main.c float/model.c -lm -o float/main || fail "float: gcc"
float/main >float/c.csv || fail "float: main ended with $?"
awk -F, -f near.awk float/run/results.csv float/c.csv >log
[ -s log ] && fail "float: $(cat log)"
# ... and a loop of equations, which Newton's method has to solve with fewer digits
expect_exit 0 export c "$examples/four_bar/four_bar.bond" Falls --solver rk4 --stop 0.1 --real float --out bars
# shellcheck disable=SC2086
gcc $flags bars/main.c bars/model.c -lm -o bars/main && bars/main >log || fail "float: the loop has no solution"


# Parameters by name, in their units; start values follow them.
expect_exit 0 export c "$examples/bouncing_ball/bouncing_ball.bond" Bounce --solver rk4 --set "e = 0.7" --out set
"$bondyn" run "$examples/bouncing_ball/bouncing_ball.bond" Bounce --solver rk4 --set "e = 0.7" --no-plot --out set/run >/dev/null 2>&1
ball/main e=0.7 >set/c.csv 2>/dev/null
awk -F, -f same.awk set/run/results.csv set/c.csv >log
[ -s log ] && fail "a parameter by name: $(cat log)"
ball/main nobody=2 >/dev/null 2>err && fail "a name that is not there was set"
expect_text err "'nobody' cannot be set"

# Every equation stands above its code; numbers of the export as JSON.
expect_text rlc/model.c "// der(coil.p) = E - capacitor.q/C - R*coil.p/L"
expect_exit 0 export c "$examples/rlc/rlc.bond" Step --solver rk4 --out rlc --json
"$json_check" out || fail "JSON of export"
expect_text out '"products":'

# Inputs are set by name, between steps too: the same in the language, bit by bit. Relations, a
# `when`, a reset and a loop of equations see what has changed.
cat >pushed.bond <<'EOF'
model Pushed
  input F {kN} = 0.002 {kN} "force on the mass"
  input r {m} "where it should be"
  param m = 2 {kg}, k = 50 {N/m}, d = 3 {N.s/m}, K = 4 {N/m}
  var x {m} initial 0 {m}, p {N.s} initial 0 {N.s}, far discrete, u
  der(x) = p/m
  der(p) = F + K*(r - x) - k*x - d*p/m + (if r > 1.2 {m} then 1 {N} else 0 {N}) + 0.1*u*1 {N}
  u + 0.3*u^3 = x/1 {m} + r/1 {m}
  when r > 2.2 {m} then
    reinit(p, 0 {N.s})
    far = pre(far) + 1
  end
end
experiment Steps of Pushed
  stop 1 {s}
  points 1000
  solver rk4 step 1 {ms}
  record x, p, far, u
end
EOF
sed 's/input r {m}/var r {m} discrete/; s/^  when r > 2.2/  var n discrete\n  when sample(20 {ms}) then\n    r = 0.5 {m}*mod(pre(n), 7)\n    n = pre(n) + 1\n  end\n&/' pushed.bond >twin.bond
expect_exit 1 run pushed.bond --no-plot
expect_text err "input 'r' has no value"
expect_exit 0 export c pushed.bond --out pushed
expect_text out "inputs       2"
expect_text pushed/README.md "| inputs | 2 |"
expect_exit 0 run twin.bond --engine vm --no-plot --out twin
cat >pushed/rig.c <<'EOF'
#include "model.h"
#include <stdio.h>
static Pushed_machine m;
int main(void) {
    int r = Pushed_find("r"), p = Pushed_find("p"), x = Pushed_find("x"), far = Pushed_find("far"), u = Pushed_find("u");
    Pushed_init(&m);
    if (Pushed_set(&m, Pushed_find("F"), 0.002) != Pushed_good || Pushed_set(&m, r, 0.0) != Pushed_good) return 2;
    Pushed_reset(&m);
    for (int i = 0; i < 1000; i++) {
        if (i % 20 == 0) Pushed_set(&m, r, 0.5*(i/20 % 7));
        if (Pushed_get(&m, r) != 0.5*(i/20 % 7) || Pushed_step(&m) != Pushed_good) return 3;
        if (i % 20 != 19) printf("%.17g,%.17g,%.17g,%.17g\n", Pushed_get(&m, far), Pushed_get(&m, p), Pushed_get(&m, u), Pushed_get(&m, x));
    }
    return Pushed_set(&m, r, 0.0/0.0) == Pushed_good;
}
EOF
for real in double float; do
    expect_exit 0 export c pushed.bond --real $real --out pushed
    # shellcheck disable=SC2086
    gcc $flags pushed/rig.c pushed/model.c -lm -o pushed/rig && pushed/rig >rig.$real || fail "inputs by name, $real: $?"
done
grep -v '^[#t]' twin/results.csv | awk -F, 'NR > 1 && NR % 20 != 1 { print $2 "," $3 "," $4 "," $5 }' >rows
awk -F, 'NR == FNR { want[NR] = $0; next } { split(want[FNR], x, ","); for (i = 1; i <= 4; i++) if (x[i] + 0 != $i + 0 && !bad++) print "row " FNR ", column " i ": " x[i] " became " $i }
    END { if (FNR != 950) print FNR " rows" }' rows rig.double >log
[ -s log ] && fail "inputs: $(cat log)"

# The right side as a function of five arguments, called by Bondyn itself: the model once more, bit
# by bit.
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    # shellcheck disable=SC2086
    $compiler $flags -O2 -shared -fPIC rlc/right_side.c -lm -o rlc.so >log 2>&1 || { fail "right_side.c: $compiler"; cat log; }
done
cat >again.bond <<'EOF'
function RLC_right_side(t {s}, q, p) [2] external "rlc.so"
function first(v) = v[1]
function second(v) = v[2]
model Again
  var q initial 0, p initial 0
  der(q) = first(RLC_right_side(time, q, p))
  der(p) = second(RLC_right_side(time, q, p))
end
experiment Step of Again
  stop 10 {s}
  points 250
  solver rk4 step 0.01 {s}
  record q, p
end
EOF
expect_exit 0 run again.bond --no-plot --out again
"$bondyn" run "$examples/rlc/rlc.bond" Step --solver rk4 --record capacitor.q --record coil.p --no-plot --out plain >/dev/null 2>&1
grep -v '^#' plain/results.csv | sed 1d | cut -d, -f2,3 >one
grep -v '^#' again/results.csv | sed 1d | awk -F, '{ print $3 "," $2 }' >other
cmp one other || fail "the right side is another one"

expect_exit 2 export fortran "$examples/rlc/rlc.bond"
expect_text err "write bondyn export c FILE"
expect_exit 2 export c "$examples/rlc/rlc.bond" --real half
expect_text err "take double or float"
