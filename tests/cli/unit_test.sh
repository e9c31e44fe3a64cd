#!/bin/sh
# Foreign units: ten models come back from their own FMUs, power ports are ports again, steps and
# instances; a set of hostile and wrong units, each named, none of which harms.
. "$(dirname "$0")/common.sh"
export BONDYN_FOREIGN_SECONDS=0.5 TMPDIR="$work/tmp" BONDYN_PLAIN=yes # cli.fmu_test optimises
mkdir tmp
examples=$source_folder/examples

# The columns that both have, a.b[1] being a_b_1 in the second: how far apart, in parts of the
# largest value.
cat >apart.py <<'EOF'
import csv, re, sys
def read(path):
    rows = [r for r in csv.reader(l for l in open(path) if not l.startswith("#"))]
    key = lambda h: re.sub(r"[^A-Za-z0-9]+", "_", re.sub(r"^u\.", "", re.sub(r" \[[^\]]*\]$", "", h.strip()))).strip("_")
    return {key(h): [float(r[i]) for r in rows[1:]] for i, h in enumerate(rows[0])}
a, b = read(sys.argv[1]), read(sys.argv[2])
shared = [k for k in a if k in b and k != "time"]
if len(a["time"]) != len(b["time"]) or not shared:
    sys.exit(f"{len(a['time'])} and {len(b['time'])} rows, {len(shared)} columns in common")
for k in shared:
    size = max(map(abs, a[k])) or 1
    far = max(abs(x - y) for x, y in zip(a[k], b[k]))/size
    if not far <= float(sys.argv[3]):
        sys.exit(f"{k} is {far:g} apart")
EOF

# trip NAME FILE EXPERIMENT POINTS OPTIONS...: with FMI 2 and 3
trip() {
    one=$1 file=$2 experiment=$3 points=$4
    shift 4
    "$bondyn" run "$file" "$experiment" "$@" --no-plot --engine vm --out "$one" >/dev/null 2>&1
    for version in $versions; do trip_once "$@"; done
}
trip_once() {
    name=$one$version
    expect_exit 0 export fmu "$file" "$experiment" --kind me --version "$version" "$@" --out "$name.fmu"
    about=$(unzip -p "$name.fmu" modelDescription.xml | grep DefaultExperiment)
    stop=$(echo "$about" | sed 's/.*stopTime="\([^"]*\)".*/\1/') step=$(echo "$about" | sed 's/.*stepSize="\([^"]*\)".*/\1/')
    cat >"$name.in.bond" <<EOF
model Unit from "$name.fmu"
model Top
  Unit u
end
experiment Again of Top
  stop $stop {s}
  points $points
  solver rk4 step $step {s}
  record *
end
EOF
    expect_exit 0 run "$name.in.bond" --no-plot --out "$name.again"
    python3 apart.py "$one/results.csv" "$name.again/results.csv" 1e-9 >log 2>&1 || fail "$name: $(cat log)"
}
versions="2 3"
trip rlc "$examples/rlc/rlc.bond" Step 250 --solver rk4
trip motor "$examples/dc_motor/dc_motor.bond" Start 1000 --solver rk4
trip ball "$examples/bouncing_ball/bouncing_ball.bond" Bounce 1000 --solver rk4 --stop 2.5
trip stick "$here/stick.bond" Periods 1000
trip pid "$examples/sampled_pid/sampled_pid.bond" Fixed 1000
trip bars "$examples/four_bar/four_bar.bond" Falls 1000 --solver rk4 --stop 0.05
trip ring "$examples/euler_ring/euler_ring.bond" Tumbling 1000 --solver rk4
trip table "$examples/tables/tables.bond" RealTime 1000 --stop 2
cp -r "$examples/titan4" titan4
cat >>titan4/titan4.bond <<'EOF'

experiment Steps of Simulator
  stop 0.05 {s}
  points 20
  solver rk4 step 0.5 {ms}
  record q[*]
  audit off
end
EOF
# Laws that switch: their states are slots of the unit.
trip sticks "$examples/stick_slip/stick_slip.bond" FixedSteps 1000 --stop 3 --record mass.f --record spring.e
trip clutches "$examples/msl/coupled_clutches.bond" Run 1000 --solver rk4 --record J1.body.f --record J3.body.f
trip diodes "$examples/rectifier/rectifier.bond" TenHalfWaves 1000 --solver rk4 --record filter.e --record load.f
trip impacts "$examples/rigid_stops/rigid_stops.bond" Bounces 1000 --solver rk4 --record fall.q --record energy
# States that are chosen anew four times a turn, which the unit asks for by an event.
cp "$examples/cartesian_pendulum/cartesian_pendulum.bond" circle.bond
cat >>circle.bond <<'EOF'

experiment Steps of Round
  stop 1 {s}
  points 100
  solver rk4 step 0.1 {ms}
  record x, y, vx, vy
end
EOF
trip circle circle.bond Steps 100
# Signals of time that jump are events in time: steps of rk4 end there, so they are as good as those of rk78.
cat >saw.bond <<'EOF'
model Saw
  var x initial 1, y initial 0
  der(x) = (mod(time, 0.3 {s})/(1 {s}) - x)/(1 {s})
  der(y) = (x - y + floor(2*time/(1 {s})))/(1 {s})
end
experiment E of Saw
  stop 3 {s}
  points 300
  solver rk78 rtol 1e-11 atol 1e-12
  audit off
end
EOF
expect_exit 0 run saw.bond --no-plot --out saw
for version in 2 3; do
    expect_exit 0 export fmu saw.bond --kind me --version $version --out saw.fmu
    cat >saw.in.bond <<'EOF'
model Unit from "saw.fmu"
model Top
  Unit u
end
experiment Again of Top
  stop 3 {s}
  points 300
  solver rk4 step 1 {ms}
end
EOF
    expect_exit 0 run saw.in.bond --no-plot --out saw.again
    python3 apart.py saw/results.csv saw.again/results.csv 1e-9 >log 2>&1 || fail "saw, FMI $version: $(cat log)"
done
versions=2 # its C takes long to compile, and has nothing that the others have not
trip titan titan4/titan4.bond Steps 20

# --- power ports, instances, steps ----------------------------------------------------------------

cat >pushed.bond <<'EOF'
model Pushed "a mass on a spring with a power port"
  input F {N} = 1 {N} "force on the mass"
  output x {m} "place"
  param m = 2 {kg}, k = 50 {N/m}
  MSe hand = F
  I mass(m)
  C spring(1/k)
  R damper(3 {N.s/m})
  1 v
  hand -> v
  v -> mass, spring, damper
  x = spring.q
end
experiment Steps of Pushed
  stop 0.2 {s}
  points 20
  solver rk4 step 1 {ms}
end
model Twin
  Pushed a(F = 2 {N}), b(F = -3 {N}, k = 70 {N/m})
end
experiment Both of Twin
  stop 0.2 {s}
  points 20
  solver rk4 step 1 {ms}
end
EOF
expect_exit 0 export fmu pushed.bond Steps --out pushed.fmu
expect_exit 0 run pushed.bond Both --no-plot --out both
cat >ports.bond <<'EOF'
model Pushed from "pushed.fmu"
model Stepped from "pushed.fmu" as cs every 10 {ms}
model Two
  Pushed a, b(k = 70 {N/m})
  Se one = 2 {N}
  Se other = -3 {N}
  one -> a.hand
  other -> b.hand
end
experiment Both of Two
  stop 0.2 {s}
  points 20
  solver rk4 step 1 {ms}
  expect a.hand.e(end) = 2 {N} within 0
end
model One
  Stepped a
  Se one = 2 {N}
  one -> a.hand
end
experiment Steps of One
  stop 0.2 {s}
  points 20
  solver rk4 step 1 {ms}
end
EOF
expect_exit 0 run ports.bond Both --no-plot --out ports
python3 apart.py both/results.csv ports/results.csv 1e-9 >log 2>&1 || fail "two instances: $(cat log)"
expect_text err "G004"
expect_exit 0 check ports.bond Both
expect_text out "'one' sets the effort"
expect_exit 0 run ports.bond Steps --no-plot --out steps
python3 - <<'EOF' || fail "steps differ from the run"
import csv
def column(path, name):
    rows = [r for r in csv.reader(l for l in open(path) if not l.startswith("#"))]
    i = next(i for i, h in enumerate(rows[0]) if h.startswith(name + " "))
    return [float(r[i]) for r in rows[1:]]
a, b = column("both/results.csv", "a.x"), column("steps/results.csv", "a.x")
assert len(a) == 21 and all(abs(x - y) <= 1e-12*abs(x) for x, y in zip(a, b)), (a, b)
EOF
expect_exit 0 linearize ports.bond Both
expect_text out "70"
expect_exit 0 sweep ports.bond Both --vary "b.k = 60 .. 70 in 2 {N/m}" --jobs 2 --no-plot --out sweep
grep -q nan sweep/runs.csv && fail "runs of a sweep failed"

# --- loops through a unit: its inputs depend on its outputs, at the start and at its events, too
# -------

cat >loops.bond <<'EOF'
model Caught "a mass on a spring that is stopped now and then"
  input F {N} = 1 {N}, r {m} = 0 {m}
  output x {m}
  param m = 2 {kg}, k = 50 {N/m}
  MSe hand = F
  MSe control = 30 {N/m}*(r - spring.q)
  I mass(m)
  C spring(1/k, q0 = 5 {mm})
  R damper(3 {N.s/m})
  1 v
  hand -> v
  control -> v
  v -> mass, spring, damper
  x = spring.q
  when spring.q > 20 {mm} then
    reinit(mass.p, 0 {N.s})
  end
end
experiment Steps of Caught
  stop 0.5 {s}
  solver rk4 step 1 {ms}
end
model Twin
  Caught u(F = 4 {N} - 5 {N.s/m}*u.v.f, r = 0.1 {m} - 2*u.x)
end
experiment Loop of Twin
  stop 0.5 {s}
  points 50
  solver rk4 step 1 {ms}
  record u.x
end
EOF
expect_exit 0 run loops.bond Loop --no-plot --engine vm --out twin
for version in 2 3; do
    expect_exit 0 export fmu loops.bond Steps --version $version --out caught.fmu
    for kind in "" " as cs every 1 {ms}"; do
        cat >loop.bond <<EOF
model Caught from "caught.fmu"$kind
model Loop
  Caught u(r = 0.1 {m} - 2*u.x)
  Se push = 4 {N}
  R brake(5 {N.s/m})
  1 hand
  push -> hand
  hand -> brake, u.hand
end
experiment Again of Loop
  stop 0.5 {s}
  points 50
  solver rk4 step 1 {ms}
  record u.x
end
EOF
        expect_exit 0 run loop.bond --no-plot --out loop
        # inputs of steps are those at their beginnings: 1 ms late, times the rates of the loop,
        # some 5/s
        [ "$kind" ] && within=2e-2 || within=1e-12
        python3 apart.py twin/results.csv loop/results.csv $within >log 2>&1 || fail "a loop through a unit of FMI $version$kind: $(cat log)"
    done
done

# --- a unit that asks to end the run --------------------------------------------------------------

# That is no error: the run ends at the event, or at the end of the communication step in which it is.
expect_exit 0 run "$source_folder/tests/language/terminate.bond" Rk4 --no-plot --out landed
tail -n 1 landed/results.csv | cut -d, -f1,2 >last
for version in 2 3; do
    expect_exit 0 export fmu "$source_folder/tests/language/terminate.bond" Rk4 --version $version --out fall.fmu
    for kind in "" " as cs every 7 {ms}"; do
        cat >fall.bond <<EOF
model Fall from "fall.fmu"$kind
model Top
  Fall u
end
experiment Again of Top
  stop 5 {s}
  solver rk4 step 7 {ms}
  record u.*
end
EOF
        expect_exit 0 run fall.bond --no-plot --out fallen
        expect_text out "the unit fall.fmu asks to end the run"
        tail -n 1 fallen/results.csv | cut -d, -f1,2 >end
        [ "$kind" ] || cmp last end || fail "FMI $version: the event that ends the run"
        [ -z "$kind" ] || expect_text end "1.428,"
    done
done

# --- FMI 3: the same through terminals, and built from its sources with the importer's headers
# -------

expect_exit 0 export fmu pushed.bond Steps --version 3 --out pushed3.fmu
sed 's/pushed.fmu/pushed3.fmu/' ports.bond >ports3.bond
expect_exit 0 run ports3.bond Both --no-plot --out ports3
python3 apart.py ports/results.csv ports3/results.csv 0 >log 2>&1 || fail "FMI 3: $(cat log)"
expect_exit 0 check ports3.bond Both
expect_text out "'one' sets the effort"
expect_exit 0 run ports3.bond Steps --no-plot --out steps3
python3 apart.py steps/results.csv steps3/results.csv 0 >log 2>&1 || fail "steps of FMI 3: $(cat log)"
expect_exit 0 linearize ports3.bond Both
expect_text out "70"

# --- built from its sources -----------------------------------------------------------------------

python3 - <<'EOF'
import zipfile
for a, b in ("pushed.fmu", "plain.fmu"), ("pushed3.fmu", "plain3.fmu"):
    with zipfile.ZipFile(a) as f, zipfile.ZipFile(b, "w") as to:
        for n in f.namelist():
            if not n.startswith("binaries/"): to.writestr(n, f.read(n))
with zipfile.ZipFile("pushed.fmu") as f, zipfile.ZipFile("empty.fmu", "w") as to:
    for n in f.namelist():
        if n == "modelDescription.xml": to.writestr(n, f.read(n).replace(b"<SourceFiles>", b"<SourceFiles><!--").replace(b"</SourceFiles>", b"--></SourceFiles>"))
EOF
for unit in plain plain3; do
    sed "s/pushed.fmu/$unit.fmu/" ports.bond >$unit.bond
    expect_exit 0 run $unit.bond Both --no-plot --out $unit
    python3 apart.py $unit/results.csv ports/results.csv 0 >log 2>&1 || fail "its sources give $(cat log)"
done
sed 's/pushed.fmu/empty.fmu/' ports.bond >empty.bond
expect_exit 1 check empty.bond Both
expect_text err "F009"

# --- what is wrong with a unit --------------------------------------------------------------------

echo precious >precious
cat >hostile.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "fmi2Functions.h"
static double x = 1, t, speed = -2; // of deed 9
static int me;
static fmi2Status act(void) {
#if DEED == 2
    for (;;) {}
#elif DEED == 3
    FILE *f = fopen(PLACE "/precious", "w");
    if (!f || fputs("gone", f) < 0) return fmi2Error;
#elif DEED == 4
    for (int i = 0; i < 100; i++) if (fork() < 0) return fmi2Error;
#elif DEED == 5
    return fmi2Fatal;
#elif DEED == 7
    if (t > 0.5) *(volatile int *)0 = 1;
#elif DEED == 8
    for (;;) sleep(1);
#endif
    return fmi2OK;
}
const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
fmi2Component fmi2Instantiate(fmi2String n, fmi2Type k, fmi2String g, fmi2String r, const fmi2CallbackFunctions *f, fmi2Boolean v, fmi2Boolean l) {
    (void)n, (void)k, (void)r, (void)v, (void)l;
#if DEED == 1
    abort();
#endif
    static int made;
    if (DEED == 9 && ++made > 2) return 0;
    if (g[0] != '1') { f->logger(0, "u", fmi2Error, "e", "the GUID is %s, not mine", g); return 0; }
    return &me;
}
void fmi2FreeInstance(fmi2Component c) { (void)c; }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real s, fmi2Boolean d, fmi2Real e) { (void)c, (void)a, (void)b, (void)d, (void)e; t = s; return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { (void)c; return fmi2OK; }
#define GET(T) fmi2Status fmi2Get##T(fmi2Component c, const fmi2ValueReference *r, size_t n, fmi2##T *v) { (void)c, (void)r; for (size_t i = 0; i < n; i++) v[i] = (fmi2##T)x; return fmi2OK; }
#define SET(T) fmi2Status fmi2Set##T(fmi2Component c, const fmi2ValueReference *r, size_t n, const fmi2##T *v) { (void)c, (void)r, (void)n, (void)v; return fmi2OK; }
GET(Real) GET(Integer) GET(Boolean) SET(Real) SET(Integer) SET(Boolean)
fmi2Status fmi2EnterEventMode(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *e) { (void)c; e->newDiscreteStatesNeeded = 0; e->terminateSimulation = 0; e->nextEventTimeDefined = 0; if (DEED == 9 && x <= 0) { x = 0; speed = (speed < 0 ? -speed : speed)/2; } return fmi2OK; }
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean a, fmi2Boolean *b, fmi2Boolean *d) { (void)c, (void)a; *b = *d = 0; return fmi2OK; }
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real now) { (void)c; t = now; return fmi2OK; }
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real *v, size_t n) { (void)c, (void)n; x = v[0]; return fmi2OK; }
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real *v, size_t n) { (void)c, (void)n; v[0] = x; return fmi2OK; }
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real *v, size_t n) { (void)c; if (n) v[0] = x; return fmi2OK; }
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real *v, size_t n) { (void)c, (void)n; v[0] = DEED == 9 ? speed : DEED == 6 && t > 0.5 ? 0.0/(x - x) : -x; return act(); }
EOF
cat >modelDescription.xml <<'EOF'
<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="H" guid="1">
  <ModelExchange modelIdentifier="h"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0" initial="exact"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="1"><Real derivative="1"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Derivatives><Unknown index="2"/></Derivatives></ModelStructure>
</fmiModelDescription>
EOF
cat >pack.py <<'EOF'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as f:
    for inside, path in zip(sys.argv[2::2], sys.argv[3::2]): f.write(path, inside)
EOF
cat >h.bond <<'EOF'
model H from "h.fmu"
experiment X of H
  stop 1 {s}
  points 10
  solver rk4 step 0.1 {s}
end
EOF
# hostile DEED EXIT WORDS
hostile() {
    cc -shared -fPIC -O1 -w -I"$source_folder/src/fmi/standard" -DDEED="$1" -DPLACE="\"$work\"" hostile.c -o h.so || fail "hostile.c"
    python3 pack.py h.fmu modelDescription.xml modelDescription.xml binaries/linux64/h.so h.so
    expect_exit "$2" run h.bond --no-plot --out h
    [ "$3" ] && expect_text err "$3"
}
hostile 0 0
hostile 1 1 "crashed (signal 6"
hostile 2 5 "did not answer within 0.5 s"
hostile 3 5 "fmi2GetDerivatives gave an error"
hostile 4 5 "fmi2GetDerivatives gave an error"
hostile 5 5 "fmi2GetDerivatives gave a fatal error"
hostile 6 5 "the rate 'der(x)' is"
hostile 7 5 "crashed (signal 11"
[ "$(grep -vc '^#' h/results.csv)" -ge 6 ] || fail "rows are lost with a crash"
[ "$(cat precious)" = precious ] || fail "a file was changed"
hostile 0 0

# A unit that halves its speed at each event at which its state is not above zero, where it is set to zero, and whose
# indicator is that state: it comes back once, from 1 by -2 to 0 and by 1 to 0.5. Nor is another instance made at events.
cp modelDescription.xml whole.xml
sed -i 's/guid="1"/guid="1" numberOfEventIndicators="1"/' modelDescription.xml
hostile 9 0
tail -n 1 h/results.csv | awk -F, '!($1 == 1 && $NF > 0.5 - 1e-9 && $NF < 0.5 + 1e-9) { exit 1 }' || fail "an event was handled twice: $(tail -n 1 h/results.csv)"
mv whole.xml modelDescription.xml

# wrong WORDS SED-COMMAND: another description
wrong() {
    sed "$2" modelDescription.xml >other.xml
    python3 pack.py h.fmu modelDescription.xml other.xml binaries/linux64/h.so h.so
    expect_exit 1 run h.bond --no-plot --out h
    expect_text err "$1"
}
wrong "the GUID is 2, not mine" 's/guid="1"/guid="2"/'
wrong "modelDescription.xml:8:" 's/index="2"/index="7"/'
wrong "is listed as a derivative" 's/index="2"/index="1"/'
wrong "is not defined" 's/start="1"/start="1" unit="furlong"/'
wrong "the unit is of FMI 1.0" 's/fmiVersion="2.0"/fmiVersion="1.0"/'
wrong "modelDescription.xml:7:" 's/<.ModelVariables>/<\/ModelVariable>/'
wrong "two variables are called 'x'" 's/"der(x)"/"x"/'
wrong "has no start value" 's/initial="exact"><Real start="1"/causality="input"><Real/'
wrong "the unit is for co-simulation alone" 's/ModelExchange/CoSimulation/'
wrong "needs the tool" 's/modelIdentifier="h"/modelIdentifier="h" needsExecutionTool="true"/'
wrong "no name of C" 's/modelIdentifier="h"/modelIdentifier="..\/h"/'

# The same of FMI 3, made from the sources of a good one: what it does in its derivatives.
cat >h3.bond <<'EOF'
model H from "h3.fmu"
model Top
  H u
  Se force = 1 {N}
  force -> u.hand
end
experiment X of Top
  stop 0.2 {s}
  points 10
  solver rk4 step 10 {ms}
end
EOF
cat >deed.py <<'EOF'
import sys, zipfile
deed, place = sys.argv[1:]
with zipfile.ZipFile("plain3.fmu") as f, zipfile.ZipFile("h3.fmu", "w") as to:
    for n in f.namelist():
        text = f.read(n)
        if n == "sources/fmi3.c":
            i = text.index(place.encode()); i = text.index(b"{", i) + 1
            text = b"#define _GNU_SOURCE\n#include <unistd.h>\n" + text[:i] + deed.encode() + text[i:]
        to.writestr(n, text)
EOF
# hostile3 EXIT WORDS C PLACE
hostile3() {
    python3 deed.py "$3" "$4" || fail "making a hostile unit"
    expect_exit "$1" run h3.bond --no-plot --out h
    [ "$2" ] && expect_text err "$2"
}
rates='fmi3Status fmi3GetContinuousStateDerivatives('
hostile3 0 "" ";" "$rates"
hostile3 1 "crashed (signal 6" "abort();" "fmi3Instance fmi3InstantiateModelExchange("
hostile3 5 "did not answer within 0.5 s" "for (;;) {}" "$rates"
hostile3 5 "fmi3GetContinuousStateDerivatives gave an error" 'for (int i = 0; i < 100; i++) if (fork() < 0) return fmi3Error;' "$rates"
hostile3 5 "fmi3GetContinuousStateDerivatives gave an error" "if (!fopen(\"$work/precious\", \"w\")) return fmi3Error;" "$rates"
hostile3 5 "the rate 'der(mass.p)' is nan at t = 0.1" "if (((Pushed_fmu *)c)->s.m.time > 0.1) { x[0] = NAN; return 0; }" "$rates"
[ "$(cat precious)" = precious ] || fail "a file was changed"

# A unit of laws that switch, in both kinds: what it does with its events, its mode and its steps.
cp h3.bond held3.bond
expect_exit 0 export fmu "$examples/stick_slip/stick_slip.bond" FixedSteps --stop 3 --record mass.f --version 3 --out modes.fmu
cat >h3.bond <<'EOF'
model H from "h3.fmu"
model Top
  H u
end
experiment X of Top
  stop 0.5 {s}
  points 10
  solver rk4 step 10 {ms}
end
EOF
sed 's/plain3.fmu/modes.fmu/; s/^        text = f.read(n)/        if n.startswith("binaries"): continue\n&/' deed.py >modes.py
mv modes.py deed.py
update='fmi3Status fmi3UpdateDiscreteStates(' none='*again = *terminate = *nominals = *values = *next_defined = fmi3False;'
hostile3 0 "" ";" "$update"
hostile3 1 "its events come to no end" "$none *again = fmi3True; return fmi3OK;" "$update"
hostile3 1 "the time of its next event is nan" "$none *next_defined = fmi3True; *next_time = NAN; return fmi3OK;" "$update"
hostile3 1 "the state 'states[1]' is nan" "x[0] = x[1] = NAN; return fmi3OK;" "fmi3Status fmi3GetContinuousStates("
hostile3 5 "event indicator 1 is nan at t = " "z[0] = NAN; return fmi3OK;" "fmi3Status fmi3GetEventIndicators("
hostile3 5 "crashed (signal 11" "((StickSlip_fmu *)c)->s.m.present = 100000000;" "$rates"
sed -i '1s/$/ as cs every 0.1 {s}/' h3.bond
step='fmi3Status fmi3DoStep('
hostile3 0 "" ";" "$step"
hostile3 5 "while it makes a step: it crashed (signal 6" "abort();" "$step"
hostile3 5 "while it makes a step: it did not answer within 0.5 s" "for (;;) {}" "$step"
hostile3 5 "fmi3DoStep gave a point that it discards" "return fmi3Discard;" "$step"
[ "$(grep -vc '^#' h/results.csv)" -ge 2 ] || fail "rows are lost with a step that fails"

# Discrete inputs, of 32 bits too, are set at events only: this unit gives an error in continuous
# time.
cat >held.py <<'EOF'
import zipfile
with zipfile.ZipFile("plain3.fmu") as f, zipfile.ZipFile("h3.fmu", "w") as to:
    for n in f.namelist():
        text = f.read(n).decode(errors="surrogateescape")
        if n == "modelDescription.xml":
            text = text.replace("<ModelVariables>", '<ModelVariables><Float32 name="small" valueReference="990" causality="input" '
                                'variability="discrete" start="1"/>')
        if n == "sources/fmi3.c":
            text = text.replace("MODEL_NO_SUCH(Float32, fmi3Float32)", "") + """
fmi3Status fmi3SetFloat32(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Float32 v[], size_t m) {
    return n == 1 && m == 1 && r[0] == 990 && v[0] == 1 && ((Pushed_fmu *)c)->s.phase != phase_continuous ? fmi3OK : fmi3Error;
}
fmi3Status fmi3GetFloat32(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float32 v[], size_t m) { return fmi3Error; }
"""
        if not n.startswith("binaries"): to.writestr(n, text.encode(errors="surrogateescape"))
EOF
python3 held.py
cp held3.bond h3.bond
expect_exit 0 run h3.bond --no-plot --out h

# wrong3 WORDS SED-COMMAND: another description of a unit of FMI 3
wrong3() {
    unzip -p plain3.fmu modelDescription.xml | sed "$2" >other.xml
    python3 pack.py h3.fmu modelDescription.xml other.xml
    expect_exit 1 run h3.bond --no-plot --out h
    expect_text err "$1"
}
wrong3 "the instantiationToken is missing" 's/instantiationToken=/forgotten=/'
wrong3 "there is no variable with the reference '77'" 's/<ContinuousStateDerivative valueReference="[0-9]*"/<ContinuousStateDerivative valueReference="77"/'
wrong3 "is listed as a derivative, but is none" 's/<ContinuousStateDerivative valueReference="[0-9]*"/<ContinuousStateDerivative valueReference="1"/'
wrong3 "is not listed in ModelStructure" 's/<Output [^>]*>//'
wrong3 "a size that cannot be served" 's/\(<Float64 name="m".*\)\/>/\1><Dimension start="1000000000"\/><\/Float64>/'
wrong3 "has not as many start values as elements" 's/\(<Float64 name="m".*\)start="2"\/>/\1start="2 3"><Dimension start="3"\/><\/Float64>/'
wrong3 "has clocks that others must drive" 's/<ModelVariables>/<ModelVariables><Clock name="c" valueReference="99" causality="input" intervalVariability="triggered"\/>/'
wrong3 "no binary for this machine, and no sources" 's/nothing//'

# archive WORDS, with a program that makes it
archive() {
    python3 - || fail "making an archive"
    expect_exit 1 run h.bond --no-plot --out h
    expect_text err "F006"
    expect_text err "$1"
}
archive "leads outside" <<'EOF'
import zipfile
with zipfile.ZipFile("h.fmu", "w") as f:
    f.write("modelDescription.xml"); f.writestr("resources/../../escaped", "x")
EOF
archive "is a link" <<'EOF'
import zipfile
with zipfile.ZipFile("h.fmu", "w") as f:
    f.write("modelDescription.xml")
    link = zipfile.ZipInfo("resources/link"); link.create_system = 3; link.external_attr = 0o120777 << 16
    f.writestr(link, "/etc/passwd")
EOF
archive "is larger than 512 MB" <<'EOF'
import struct, zipfile
with zipfile.ZipFile("h.fmu", "w", zipfile.ZIP_DEFLATED) as f:
    f.write("modelDescription.xml"); f.writestr("resources/bomb", b"\0"*100000)
data = bytearray(open("h.fmu", "rb").read())
at = data.rfind(b"resources/bomb") - 46
data[at + 24:at + 28] = struct.pack("<I", 4000000000)
open("h.fmu", "wb").write(data)
EOF
archive "is larger than 512 MB" <<'EOF'
import struct, zipfile # ten gigabytes, sparse: sizes of more than 4 GB stand in an extra field
with zipfile.ZipFile("h.fmu", "w", zipfile.ZIP_DEFLATED) as f:
    f.write("modelDescription.xml")
    bomb = zipfile.ZipInfo("resources/bomb"); bomb.extra = struct.pack("<HHQ", 1, 8, 10*2**30)
    f.writestr(bomb, b"\0"*100000)
data = bytearray(open("h.fmu", "rb").read())
at = data.rfind(b"resources/bomb") - 46
data[at + 24:at + 28] = struct.pack("<I", 0xffffffff)
open("h.fmu", "wb").write(data)
EOF
archive "wrong checksum" <<'EOF'
import zipfile
with zipfile.ZipFile("h.fmu", "w", zipfile.ZIP_STORED) as f: f.write("modelDescription.xml")
data = open("h.fmu", "rb").read().replace(b'modelName="H"', b'modelName="J"', 1)
open("h.fmu", "wb").write(data)
EOF
archive "no zip file" <<'EOF'
open("h.fmu", "w").write("not a zip file")
EOF
archive "no modelDescription.xml" <<'EOF'
import zipfile
with zipfile.ZipFile("h.fmu", "w") as f: f.writestr("a", "b")
EOF
[ -e escaped ] && fail "a file got out"
[ "$(ls tmp)" ] && fail "something was left: $(ls tmp)"
exit $failed
