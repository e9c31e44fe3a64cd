#!/bin/sh
# FMUs: ten models, judged by the standard's schema and rules, driven in both kinds against `bondyn
# run`.
. "$(dirname "$0")/common.sh"
fmu_check=$(dirname "$json_check")/fmu_check
schema=$source_folder/src/fmi/standard
examples=$source_folder/examples

unpack() { # NAME FOLDER
    rm -rf "$2"
    mkdir -p "$2"
    unzip -q "$1" -d "$2" || fail "$1: not an archive"
}

is_valid() { # SCHEMA FILE
    xmllint --noout --schema "$schema/$1.xsd" "$2" >log 2>&1 || { fail "$2: schema"; cat log; }
}

# judge VERSION FOLDER RESULTS INSTANCES
judge() {
    is_valid "fmi$1ModelDescription" "$2/modelDescription.xml"
    [ "$1" = 3 ] && is_valid fmi3BuildDescription "$2/sources/buildDescription.xml"
    [ -e "$2/terminalsAndIcons" ] && is_valid fmi3TerminalsAndIcons "$2/terminalsAndIcons/terminalsAndIcons.xml"
    "$fmu_check" "$2" "$3" "$4" >log 2>&1 || { fail "$2"; cat log; }
    ldd "$2"/binaries/*/*.so | awk '{ print $1 }' | grep -vE '^(linux-vdso|lib[cm]\.so|/lib)' >log
    [ -s log ] && fail "$2 needs $(cat log)"
    nm -D --defined-only "$2"/binaries/*/*.so | awk '{ print $3 }' | grep -v "^fmi$1[A-Z]" >log
    [ -s log ] && fail "$2 shows $(cat log)"
}

# The model is the same C for both versions of the standard: it is optimised once.
plain() { # VERSION
    export BONDYN_PLAIN=
    [ "$1" = 2 ] || BONDYN_PLAIN=yes
}

# check NAME INSTANCES FILE EXPERIMENT OPTIONS...
check() {
    name=$1 instances=$2 file=$3 experiment=$4
    shift 4
    "$bondyn" run "$file" "$experiment" "$@" --no-plot --engine vm --out "$name/run" >/dev/null 2>&1
    for version in 2 3; do
        [ $version = 3 ] && suffix=3 || suffix=
        plain $version
        expect_exit 0 export fmu "$file" "$experiment" "$@" --version $version --out "$name/$name$suffix.fmu"
        expect_text out "event indicators"
        unpack "$name/$name$suffix.fmu" "$name/fmu$suffix"
        judge $version "$name/fmu$suffix" "$name/run/results.csv" "$instances"
    done
    plain 2
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
# Laws that switch: friction that sticks, clutches, ideal diodes, impacts that come to rest.
check sticks 10 "$examples/stick_slip/stick_slip.bond" FixedSteps --stop 3
check clutches 10 "$examples/msl/coupled_clutches.bond" Run --solver rk4
check diodes 10 "$examples/rectifier/rectifier.bond" TenHalfWaves --solver rk4
check impacts 10 "$examples/rigid_stops/rigid_stops.bond" Bounces --solver rk4
# States that are chosen during the run, also where laws switch; the master is asked for events.
check circle 10 "$examples/cartesian_pendulum/cartesian_pendulum.bond" Turns --solver rk4 --stop 10
check elbow 10 "$examples/rigid_stops/elbow_stop.bond" Elbow --solver rk4
check closed 10 "$examples/rigid_stops/closed_chain.bond" "$(sed -n 's/^experiment \([A-Za-z0-9_]*\).*/\1/p' "$examples/rigid_stops/closed_chain.bond" | head -n 1)" --solver rk4
expect_text circle/fmu/modelDescription.xml 'numberOfEventIndicators="1"'
grep -q completedIntegratorStepNotNeeded circle/fmu/modelDescription.xml && fail "masters need not tell of steps"
expect_text circle/fmu3/modelDescription.xml 'needsCompletedIntegratorStep="true"'
expect_exit 1 export fmu "$examples/delay_steps/delay_steps.bond" RealTime --out late.fmu
expect_text err "error T014"
expect_text err "it has delayed signals"

# A run that the model ends: the master is told, and the last values can be read.
check ended 10 "$source_folder/tests/language/terminate.bond" Rk4
check counted 10 "$source_folder/tests/language/terminate.bond" Counted --solver rk4

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

# A master that makes the steps of its own is told one that is stable: here of a time constant of 1
# us.
cat >stiff.bond <<'EOF'
model Stiff
  var x initial 1, y initial 1
  der(x) = -x/(1 {us})
  der(y) = -y/(1 {s})
end
experiment E of Stiff
  stop 1 {s}
  solver bdf
end
EOF
expect_exit 0 export fmu stiff.bond E --kind me --out stiff.fmu
unpack stiff.fmu stiff
expect_text stiff/modelDescription.xml 'stepSize="1e-06"'
expect_exit 0 export fmu stiff.bond E --kind cs --out stiff.fmu
unpack stiff.fmu stiff
expect_text stiff/modelDescription.xml 'stepSize="0.001"'

# FMI 3: arrays, terminals, dependences on parameters and time, its own name for the platform.
expect_text ring/fmu3/modelDescription.xml 'name="J" valueReference="1" causality="parameter" variability="tunable" initial="exact" unit="kg.m2" start="1 2 3"'
expect_text ring/fmu3/modelDescription.xml '<Dimension start="3"/>'
expect_text pushed/fmu3/terminalsAndIcons/terminalsAndIcons.xml '<Terminal name="hand" matchingRule="plug" terminalKind="org.bondyn.power" description="power port: effort in, flow out">'
expect_text pushed/fmu3/terminalsAndIcons/terminalsAndIcons.xml '<TerminalMemberVariable variableName="hand.f" memberName="flow" variableKind="inflow"/>'
expect_text ball/fmu3/modelDescription.xml '<EventIndicator valueReference="14" dependencies="5" dependenciesKind="constant"/>'
expect_text pushed/fmu3/sources/buildDescription.xml 'compiler="gcc" compilerOptions=' # options are those of a compiler
[ -e pushed/fmu3/binaries/x86_64-linux/Pushed.so ] || fail "no binary for x86_64-linux"

# A thousand instances leave nothing behind, for valgrind and the address sanitizer.
if ! nm "$fmu_check" | grep -q __asan_init; then
    for version in "" 3; do
        valgrind -q --leak-check=full --error-exitcode=9 "$fmu_check" "rlc/fmu$version" rlc/run/results.csv 1000 >log 2>&1 ||
            { fail "valgrind, rlc/fmu$version"; head -n 20 log; }
    done
fi
for version in 2 3; do
    [ $version = 3 ] && folder=rlc/fmu3 || folder=rlc/fmu
    cp -r $folder rlc/clean
    gcc -std=c99 -g -ffp-contract=off -fno-builtin-pow -fsanitize=address -shared -fPIC -I"$schema" \
        -DFMI${version}_OVERRIDE_FUNCTION_PREFIX $folder/sources/fmi$version.c -lm -o "$(echo rlc/clean/binaries/*/*.so)" 2>log ||
        { fail "sanitized binary"; head -n 5 log; }
    LD_PRELOAD=$(gcc -print-file-name=libasan.so) "$fmu_check" rlc/clean rlc/run/results.csv 1000 >log 2>&1 ||
        { fail "sanitizer, FMI $version"; head -n 20 log; }
    rm -r rlc/clean
done

# Its sources alone make the same binary's functions, without a warning.
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for name in rlc bars table pushed sticks diodes circle closed; do
        (cd $name/fmu/sources && $compiler -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only fmi2.c) >log 2>&1 ||
            { fail "$name with $compiler"; head -n 20 log; }
        (cd $name/fmu3/sources && $compiler -std=c99 -Wall -Wextra -Wpedantic -Werror -isystem "$schema" -fsyntax-only fmi3.c) >log 2>&1 ||
            { fail "$name, FMI 3, with $compiler"; head -n 20 log; }
    done
done

# An input that the master sets, against the same in the language: the same bits.
sed 's/input r {m} = 0 {m}/var r {m} discrete/; s/^  x = spring.q/  var n discrete\n  when sample(20 {ms}) then\n    r = 0.5 {m}*mod(pre(n), 7)\n    n = pre(n) + 1\n  end\n&/' pushed.bond >twin.bond
expect_exit 0 run twin.bond Steps --no-plot --engine vm --record mass.p --record spring.q --record far --out twin
for version in "" 3; do
    "$fmu_check" pushed/fmu$version twin/results.csv 1 r 20 >log 2>&1 || { fail "an input by hand, fmu$version"; cat log; }
done
expect_exit 0 run twin.bond Steps --solver rk78 --rtol 1e-9 --no-plot --engine vm --record mass.p --record spring.q --record far --out twin78
for version in 2 3; do
    expect_exit 0 export fmu pushed.bond Steps --solver rk78 --rtol 1e-9 --version $version --out pushed78.fmu
    unpack pushed78.fmu "pushed78.$version"
    "$fmu_check" "pushed78.$version" twin78/results.csv 1 r 20 1e-8 >log 2>&1 || { fail "an input by hand, rk78, FMI $version"; cat log; }
done

# Co-simulation with CVODE inside: near the run with the same solver, saved and restored bit by bit,
# no library beside it. inner NAME FILE EXPERIMENT "BOUND [OTHER]" OPTIONS...
inner() {
    name=$1 file=$2 experiment=$3 bound=$4
    shift 4
    "$bondyn" run "$file" "$experiment" "$@" --record '*' --no-plot --engine vm --out "$name.run" >/dev/null 2>&1
    for version in 2 3; do
        plain $version
        expect_exit 0 export fmu "$file" "$experiment" "$@" --record '*' --kind cs --version $version --out "$name$version.fmu"
        unpack "$name$version.fmu" "$name$version"
        is_valid fmi${version}ModelDescription "$name$version/modelDescription.xml"
        "$fmu_check" "$name$version" "$name.run/results.csv" 50 within $bound >log 2>&1 || { fail "$name$version"; cat log; }
        ldd "$name$version"/binaries/*/*.so | awk '{ print $1 }' | grep -vE '^(linux-vdso|lib[cm]\.so|/lib)' >log
        [ -s log ] && fail "$name$version needs $(cat log)"
        nm -D --defined-only "$name$version"/binaries/*/*.so | awk '{ print $3 }' | grep -v "^fmi$version[A-Z]" >log
        [ -s log ] && fail "$name$version shows $(cat log)"
    done
    plain 2
}
inner inner_rlc "$examples/rlc/rlc.bond" Step 1e-10 --solver bdf
inner inner_ball "$examples/bouncing_ball/bouncing_ball.bond" Bounce 1e-8 --solver bdf
inner inner_diodes "$examples/rectifier/rectifier.bond" TenHalfWaves 1e-6 # with modes; rtol 1e-9 over 20 events
inner inner_pid "$examples/sampled_pid/sampled_pid.bond" Fixed 1e-5 --solver adams
# With rk78, without the audit's integrals and with atol, and communication points at the rows: the
# steps of the run, bit by bit. Elsewhere steps end elsewhere: the tolerance, 1e-6 or what the
# experiment says, ten times for the errors of both.
bare() { # FILE TO
    sed '/^ *audit /d; s/^experiment .*/&\n  audit off/' "$1" >"$2"
}
for name in rlc bouncing_ball sampled_pid euler_ring; do bare "$examples/$name/$name.bond" "bare_$name.bond"; done
inner pair_rlc bare_rlc.bond Step "0 1e-5" --solver rk78 --atol 1e-9
inner pair_ball bare_bouncing_ball.bond Bounce "0 1e-11" --atol 1e-15
inner pair_pid bare_sampled_pid.bond Fixed "0 1e-5" --solver rk78 --atol 1e-9
inner pair_ring bare_euler_ring.bond Tumbling "0 1e-5" --solver rk78 --atol 1e-9
inner pair_sticks "$examples/stick_slip/stick_slip.bond" FixedSteps 1e-5 --solver rk78 # laws that switch
inner pair_diodes "$examples/rectifier/rectifier.bond" TenHalfWaves 1e-6 --solver rk78
inner pair_clutches "$examples/msl/coupled_clutches.bond" Run 1e-5 --solver rk78
inner fallen "$source_folder/tests/language/terminate.bond" Bdf 1e-5 # as the experiment expects
inner landed "$source_folder/tests/language/terminate.bond" Rk78 1e-9 # rtol 1e-6; a parabola has no error
# Chosen states with steps of the solver's own choice: errors of 1e-11 a step, over some hundred
# steps of two runs.
chosen="--rtol 1e-11 --atol 1e-11 --stop 2 --record x --record y --record vx"
for solver in bdf rk78; do
    "$bondyn" run "$examples/cartesian_pendulum/cartesian_pendulum.bond" Turns --solver $solver $chosen --no-plot --engine vm --out chosen >/dev/null 2>&1
    for version in 2 3; do
        expect_exit 0 export fmu "$examples/cartesian_pendulum/cartesian_pendulum.bond" Turns --solver $solver $chosen --kind cs --version $version --out chosen.fmu
        unpack chosen.fmu chosen_fmu
        "$fmu_check" chosen_fmu chosen/results.csv 10 within 1e-7 >log 2>&1 || { fail "chosen states, $solver, FMI $version"; cat log; }
    done
done
# Loops that are solved by iteration, and that fold. Rows of a run move where Newton's method
# begins, looks of a master do not: they agree as far as it converges, and folds as near as times
# are told.
inner loop "$examples/msl/inverting_amplifier.bond" Run 1e-10 --solver rk4
inner folds "$examples/msl/inverting_amplifier.bond" Run 1e-10 --solver euler
inner fold "$examples/fast_mass/fast_mass.bond" Push 1e-10 --solver euler
cat >iterated.bond <<'EOF'
model Iterated "a loop with one solution, in a circuit that swings"
  var x initial 1, y initial 0, u
  der(x) = y/(1 {s})
  der(y) = -u/(1 {s})
  u + 0.3*u^3 = x + 0.2*sin(u + y)
end
experiment Go of Iterated
  stop 3 {s}
  points 300
  solver rk4 step 10 {ms}
end
EOF
expect_exit 0 run iterated.bond Go --no-plot --engine vm --out iterated
for version in 2 3; do
    expect_exit 0 export fmu iterated.bond Go --kind me --version $version --out iterated.fmu
    unpack iterated.fmu iterated_fmu
    "$fmu_check" iterated_fmu iterated/results.csv 10 >log 2>&1 || { fail "a loop in model exchange, FMI $version"; cat log; }
done
expect_exit 1 export fmu iterated.bond Go --solver bdf --out no.fmu
expect_text err "error T014"
expect_text err "with fixed steps alone"
cat >saw.bond <<'EOF'
model Saw "signals of time that jump, one that a long step passes over, and a law that bends"
  var x initial 1, y initial 0, z initial 0
  der(x) = (mod(time, 0.3 {s})/(1 {s}) - x)/(1 {s})
  der(y) = (x - y + floor(2*time/(1 {s})))/(1 {s})
  der(z) = (exp(-((time - 2 {s})/(10 {ms}))^2) - (if x < 0.2 then z else 0))/(1 {s})
end
experiment E of Saw
  stop 3 {s}
  points 1000
  solver rk78 rtol 1e-8 atol 1e-10
  audit off
end
EOF
inner pair_saw saw.bond E 1e-7
inner inner_saw saw.bond E 1e-6 --solver bdf
if ! nm "$fmu_check" | grep -q __asan_init; then
    valgrind -q --leak-check=full --error-exitcode=9 "$fmu_check" inner_rlc3 inner_rlc.run/results.csv 1000 within 1e-10 >log 2>&1 ||
        { fail "valgrind, CVODE"; head -n 20 log; }
fi

# One kind alone; any solver will do for model exchange.
expect_exit 0 export fmu "$examples/rlc/rlc.bond" Step --kind me --out me.fmu
expect_exit 0 export fmu "$examples/rlc/rlc.bond" Step --kind cs --solver euler --out cs.fmu --json
"$json_check" out || fail "JSON of export fmu"
expect_text out '"event_indicators": 0'
unzip -p me.fmu modelDescription.xml | grep -q "<CoSimulation" && fail "me has steps"
unzip -p cs.fmu modelDescription.xml | grep -q "<ModelExchange" && fail "cs has model exchange"
expect_exit 1 export fmu "$examples/rlc/rlc.bond" Step --solver gauss --out no.fmu
expect_text err "co-simulation cannot carry the solver"
expect_text err "--kind me"
expect_exit 2 export fmu "$examples/rlc/rlc.bond" --kind mine
expect_text err "take me (model exchange)"
expect_exit 2 export fmu "$examples/rlc/rlc.bond" --version 1
expect_text err "take --version 2 or --version 3"
CC=false expect_exit 1 export fmu pushed.bond Steps --out no.fmu
expect_text err "error T015"
[ -e no.fmu ] && fail "a file was written all the same"
exit $failed
