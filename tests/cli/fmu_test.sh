#!/bin/sh
# FMUs: ten models, judged by the standard's schema and rules, driven in both kinds against `bondyn run`.
. "$(dirname "$0")/common.sh"
fmu_check=$(dirname "$json_check")/fmu_check
schema=$source_folder/src/fmi/standard/fmi2ModelDescription.xsd
examples=$source_folder/examples

unpack() { # NAME
    rm -rf "$1/fmu"
    mkdir -p "$1/fmu"
    unzip -q "$1/$1.fmu" -d "$1/fmu" || fail "$1: not an archive"
}

# check NAME INSTANCES FILE EXPERIMENT OPTIONS...
check() {
    name=$1 instances=$2 file=$3 experiment=$4
    shift 4
    expect_exit 0 export fmu "$file" "$experiment" "$@" --out "$name/$name.fmu"
    expect_text out "event indicators"
    unpack "$name"
    xmllint --noout --schema "$schema" "$name/fmu/modelDescription.xml" >log 2>&1 || { fail "$name: schema"; cat log; }
    "$bondyn" run "$file" "$experiment" "$@" --no-plot --engine vm --out "$name/run" >/dev/null 2>&1
    "$fmu_check" "$name/fmu" "$name/run/results.csv" "$instances" >log 2>&1 || { fail "$name"; cat log; }
    ldd "$name"/fmu/binaries/linux64/*.so | awk '{ print $1 }' | grep -vE '^(linux-vdso|lib[cm]\.so|/lib)' >log
    [ -s log ] && fail "$name needs $(cat log)"
    nm -D --defined-only "$name"/fmu/binaries/linux64/*.so | awk '{ print $3 }' | grep -v '^fmi2[A-Z]' >log
    [ -s log ] && fail "$name shows $(cat log)"
}

# A power port, inputs with defaults, display units, a tunable and a fixed parameter.
cat >pushed.bond <<'EOF'
model Pushed "a mass on a spring with a power port"
  input F {kN} = 0.002 {kN} "force on the mass"
  input r {m} = 0 {m} "where it should be"
  output x {mm} "place"
  param m = 2 {kg}, k = 50 {N/m}, d = 3 {N.s/m}, K = 4 {N/m}, x0 = 1 {mm}
  var far discrete
  MSe hand = F
  MSe control = K*(r - spring.q)
  I mass(m)
  R damper(d)
  C spring(1/k, q0 = x0)
  1 v
  hand -> v
  control -> v
  v -> mass, damper, spring
  x = spring.q
  when spring.q > 1 {cm} then
    far = pre(far) + 1
  end
  when r > 2.2 {m} then
    reinit(mass.p, 0 {N.s})
  end
end
experiment Steps of Pushed
  stop 1 {s}
  points 100
  solver rk4 step 1 {ms}
end
EOF
cp -r "$examples/titan4" titan4
cat >>titan4/titan4.bond <<'EOF'

experiment Steps of Simulator
  stop 0.2 {s}
  points 20
  solver rk4 step 0.5 {ms}
  record q[*], c.P_L[*]
  audit off
end
EOF

check rlc 1000 "$examples/rlc/rlc.bond" Step --solver rk4 --record '*'
check motor 10 "$examples/dc_motor/dc_motor.bond" Start --solver rk4
check ball 10 "$examples/bouncing_ball/bouncing_ball.bond" Bounce --solver rk4 --stop 2.5
check stick 10 "$here/stick.bond" Periods
check pid 10 "$examples/sampled_pid/sampled_pid.bond" Fixed
check bars 10 "$examples/four_bar/four_bar.bond" Falls --solver rk4 --stop 0.05 --record '*'
check ring 10 "$examples/euler_ring/euler_ring.bond" Tumbling --solver rk4
check table 10 "$examples/tables/tables.bond" RealTime --stop 2
check pushed 10 pushed.bond Steps
check titan 10 titan4/titan4.bond Steps
expect_exit 1 export fmu "$examples/delay_steps/delay_steps.bond" RealTime --out late.fmu
expect_text err "error T014"
expect_text err "it has delayed signals"

# The same bytes again, and no trace of this place in them.
cp pushed/pushed.fmu first.fmu
mkdir elsewhere
(cd elsewhere && TMPDIR=$PWD "$bondyn" export fmu ../pushed.bond Steps --out again.fmu >/dev/null 2>&1)
cmp -s first.fmu elsewhere/again.fmu || fail "not the same bytes"
[ "$(ls elsewhere)" = "Pushed_OspModelDescription.xml
again.fmu" ] || fail "something was left: $(ls elsewhere)"

# What the description says.
expect_text pushed/fmu/modelDescription.xml '<Real unit="N" displayUnit="kN" start="2"/>'
expect_text pushed/fmu/modelDescription.xml '<DisplayUnit name="mm" factor="1000"/>'
expect_text pushed/fmu/modelDescription.xml 'name="x0" valueReference="4" causality="parameter" variability="fixed"'
expect_text pushed/fmu/modelDescription.xml 'dependencies="7 8 9 10" dependenciesKind="constant tunable tunable tunable"'
expect_text pid/fmu/modelDescription.xml 'name="Ts" valueReference="4" causality="parameter" variability="fixed"'
expect_text pushed/Pushed_OspModelDescription.xml '<Force name="effort"><Variable ref="F" unit="N"/></Force>'
expect_text pushed/Pushed_OspModelDescription.xml '<LinearVelocity name="flow"><Variable ref="hand.f" unit="m/s"/>'
expect_text pushed/fmu/documentation/index.html "<svg"
expect_text pushed/fmu/documentation/index.html "<math"

# Its sources alone make the same binary's functions, without a warning.
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for name in rlc bars table pushed; do
        (cd $name/fmu/sources && $compiler -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only fmi2.c) >log 2>&1 ||
            { fail "$name with $compiler"; head -n 20 log; }
    done
done

# An input that the master sets, against the same in the language: the same bits.
sed 's/input r {m} = 0 {m}/var r {m} discrete/; s/^  x = spring.q/  var n discrete\n  when sample(20 {ms}) then\n    r = 0.5 {m}*mod(pre(n), 7)\n    n = pre(n) + 1\n  end\n&/' pushed.bond >twin.bond
expect_exit 0 run twin.bond Steps --no-plot --engine vm --record mass.p --record spring.q --record far --out twin
"$fmu_check" pushed/fmu twin/results.csv 1 r 20 >log 2>&1 || { fail "an input by hand"; cat log; }

# One kind alone; any solver will do for model exchange.
expect_exit 0 export fmu "$examples/rlc/rlc.bond" Step --kind me --out me.fmu
expect_exit 0 export fmu "$examples/rlc/rlc.bond" Step --kind cs --solver euler --out cs.fmu --json
"$json_check" out || fail "JSON of export fmu"
expect_text out '"event_indicators": 0'
unzip -p me.fmu modelDescription.xml | grep -q "<CoSimulation" && fail "me has steps"
unzip -p cs.fmu modelDescription.xml | grep -q "<ModelExchange" && fail "cs has model exchange"
expect_exit 1 export fmu "$examples/rlc/rlc.bond" Step --out no.fmu
expect_text err "--kind me"
expect_exit 2 export fmu "$examples/rlc/rlc.bond" --kind mine
expect_text err "take me (model exchange)"
CC=false expect_exit 1 export fmu pushed.bond Steps --out no.fmu
expect_text err "error T015"
[ -e no.fmu ] && fail "a file was written all the same"
exit $failed
