#!/bin/sh
# Functions of C in models: values, units, sizes, derivatives; what goes wrong is named and harms nothing.
. "$(dirname "$0")/common.sh"
export BONDYN_FOREIGN_SECONDS=0.5

cat >f.c <<'EOF'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#define F(name) int name(double *in, int inputs, double *out, int outputs, int major)
#define UNUSED (void)inputs, (void)outputs, (void)major
F(drag) { UNUSED; out[0] = 3*in[0]*fabs(in[0]) + in[1]; return 0; }
F(drag_rate) { UNUSED; out[0] = 6*fabs(in[0])*in[2] + in[3]; return 0; }
F(turn) { UNUSED; for (int i = 0; i < 2; i++) out[i] = in[2*i]*in[4] + in[2*i + 1]*in[5]; return 0; }
F(crash) { UNUSED; if (in[0] > 0.5) *(volatile int *)0 = 1; out[0] = 1; return 0; }
F(ends) { UNUSED; if (in[0] > 0.5) exit(3); out[0] = 1; return 0; }
F(hang) { UNUSED; while (in[0] > 0.5) {} out[0] = 1; return 0; }
F(no_number) { UNUSED; out[0] = sqrt(0.5 - in[0]); return 0; }
F(writes_more) { UNUSED; out[0] = out[1] = in[0]; return 0; }
F(writes_less) { UNUSED; (void)out; (void)in; return 0; }
F(writes_inputs) { UNUSED; out[0] = in[0]; in[0] = 7; return 0; }
F(refuses) { UNUSED; (void)in; (void)out; return 5; }
F(forks) { UNUSED; out[0] = in[0]; return fork() < 0 ? 11 : 0; }
F(runs) { UNUSED; out[0] = in[0]; return execl("/bin/true", "true", (char *)0) < 0 ? 12 : 0; }
F(talks) { UNUSED; out[0] = in[0]; return socket(AF_INET, SOCK_STREAM, 0) < 0 ? 13 : 0; }
F(signals) { UNUSED; out[0] = in[0]; return kill(getppid(), 9) < 0 ? 14 : 0; }
F(removes) { UNUSED; out[0] = in[0]; return unlink(PLACE "/precious") < 0 ? 15 : 0; }
F(scribbles) { UNUSED; out[0] = in[0]; FILE *f = fopen(PLACE "/precious", "w"); return f ? 0 : 16; }
F(counts) { static int n; UNUSED; (void)in; out[0] = ++n; return 0; }
F(eats) { UNUSED; char *p = malloc((size_t)8 << 30); out[0] = in[0]; if (p) *(volatile char *)p = 1; return p ? 0 : 17; }
EOF
sed -i '/#include <unistd.h>/a #include <signal.h>' f.c
cc -shared -fPIC -O2 -D_GNU_SOURCE -DPLACE="\"$work\"" f.c -o f.so -lm || fail "the functions do not compile"
echo precious >precious

# --- what it computes -----------------------------------------------------------------------------

cat >good.bond <<'EOF'
function drag(v {km/h}, p {mbar}) {kN} external "f.so" derivative "drag_rate" "a drag in units of its own"
function other(v {km/h}, p {mbar}) {kN} external "f.so" as "drag"
function turn(K[2, 2], x[2] {m}) [2] {m} external "f.so"
function told(v {km/h}, p {mbar}) = (3*v/1 {km/h}*abs(v/1 {km/h}) + p/1 {mbar})*1 {kN}
model M
  param m = 50000 {kg}, p = 2 {mbar}
  const at_start = drag(10 {km/h}, p)
  var a {m/s} initial 20, b {m/s} initial 20, c {m/s} initial 20, x[2] {m}
  m*der(a) = -drag(a, p)
  m*der(b) = -other(b, p)
  m*der(c) = -told(c, p)
  x = turn([0, 1; -1, 0], (3, 4))
end
experiment Fall of M
  stop 2 {s}
  solver bdf rtol 1e-9
  expect a(end) = c(end) within 1e-12 relative
  expect b(end) = c(end) within 1e-7 relative
  expect x[1](end) = 4 {m} within 0
  expect x[2](end) = -3 {m} within 0
end
experiment Steps of M
  stop 1 {s}
  solver rk4 step 0.01 {s}
  expect a(end) = c(end) within 1e-14 relative
end
EOF
for engine in vm native; do
    expect_exit 0 run good.bond Fall --engine $engine --no-plot --out $engine
    expect_text err "F005"
    cp $engine/results.csv $engine.csv
done
cmp vm.csv native.csv || fail "the engines differ"
expect_exit 0 run good.bond Steps --no-plot
expect_exit 0 equations good.bond Fall
expect_text out "drag"
expect_exit 0 linearize good.bond Fall

# the C of a mechanism that `derive` writes comes back in
cat >arm.bond <<'EOF'
mechanism Arm
  param m = 3 {kg}, L = 0.7 {m}
  joint turn revolute z: world -> beam initial 0.3 {rad}
  body beam mass m inertia (0.01, 0.2, 0.2) {kg.m2} at (L, 0, 0)
end
EOF
if "$bondyn" derive arm.bond Arm --c --signature 20sim --fixed --only B --out arm >/dev/null 2>err; then
    cc -shared -fPIC -O2 arm/*.c -o arm.so -lm || fail "derived C does not compile"
    cat >inertia.bond <<'EOF'
function Arm_B(q) {kg.m2} external "arm.so"
model M
  var J {kg.m2}
  J = Arm_B(0.1*time/1 {s})
end
experiment X of M
  stop 1 {s}
  expect J(end) = 1.67 {kg.m2} within 1e-12 relative
end
EOF
    expect_exit 0 run inertia.bond --no-plot
else
    fail "derive: $(cat err)"
fi

# what is impure is called at every event of its `when`, also with numbers alone
cat >counts.bond <<'EOF'
function counts(x) external "f.so" impure
model M
  var n discrete
  when sample(1 {s}, 1 {s}) then
    n = counts(1)
  end
end
experiment E of M
  stop 5.5 {s}
  expect n(end) = 5 within 0
end
EOF
for engine in vm native; do expect_exit 0 run counts.bond --engine $engine --no-plot; done

# --- what goes wrong ------------------------------------------------------------------------------

# bad NAME WORDS: the run ends early, says the words and keeps its rows
bad() {
    cat >bad.bond <<EOF
function $1(t {s}) external "f.so"
model M
  var x {m}
  der(x) = $1(time)*1 {m/s}
  initial x = 0 {m}
end
experiment X of M
  stop 1 {s}
  solver rk4 step 0.1 {s}
end
EOF
    expect_exit 5 run bad.bond --no-plot --out bad
    expect_text err "$2"
    expect_text err "$1"
    [ "$3" ] && [ "$(grep -vc '^#' bad/results.csv)" -lt "$3" ] && fail "$1: rows are lost"
}
bad crash "crashed (signal 11" 4
bad ends "ended its process (exit code 3)" 4
bad hang "did not answer within 0.5 s" 4
bad no_number "output 1 of 'no_number' in f.so is" 4
bad writes_more "wrote behind its 1 output"
bad writes_less "did not write output 1 of 1"
bad writes_inputs "wrote to its inputs"
bad refuses "it gave 5"
bad forks "it gave 11"
bad runs "it gave 12"
bad talks "it gave 13"
bad signals "it gave 14"
bad removes "it gave 15"
bad scribbles "it gave 16"
bad eats "it gave 17"
[ "$(cat precious)" = precious ] || fail "a file was changed"

# a value of parameters that fails is told before the run
cat >early.bond <<'EOF'
function refuses(x) external "f.so"
model M
  param p = refuses(1)
  var x initial p
  der(x) = -x/1 {s}
end
experiment X of M
  stop 1 {s}
end
EOF
expect_exit 1 check early.bond
expect_text err "F004"

echo 'not a library' >text.so
sed 's/f.so/text.so/' bad.bond >text.bond
expect_exit 1 check text.bond
expect_text err "F001"
sed 's/external "f.so"/external "f.so" as "absent"/' bad.bond >absent.bond
expect_exit 1 check absent.bond
expect_text err "it has no function 'absent'"

# worker processes of a study have guests of their own
cat >study.bond <<'EOF'
function drag(v, p) external "f.so"
model M
  param p = 1
  var v initial 1
  der(v) = -drag(v, p)/1 {s}
end
experiment X of M
  stop 0.1 {s}
end
EOF
expect_exit 0 sweep study.bond X --vary "p = 1 .. 4 in 4" --jobs 2 --no-plot --out study
[ "$(grep -vc '^#' study/runs.csv)" -ge 5 ] || fail "the study has no rows"
