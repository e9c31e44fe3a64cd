"""Models made to be wrong in silence, by every variable-step solver, against rk4 at two steps.

usage: hostile_runs.py BONDYN [PATTERN [SECONDS-FOR-EACH]]

Events and pulses inside of steps, in conditions, rates, tables, modes and delays. What is at the end is right when it is that of
rk4 with half its step; models of which rk4 says something else with its whole step are dropped and told. WRONG are the cases
that are known; the test fails when another one is wrong, and when one of these is right, so that the list stays true.
"""
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

bondyn = sys.argv[1]
pattern = sys.argv[2] if len(sys.argv) > 2 else "*"
limit = float(sys.argv[3]) if len(sys.argv) > 3 else 300
SOLVERS = "adams bdf ida rk78 gauss auto".split()

# What models have in common, by its name; COUNT and a condition: how often it comes true, n.
SHARED = {
    "FAST": "var q initial 0; der(q) = 10/(1{s})",
    "SLOW": "var q initial 0; der(q) = 1/(1{s})",
    "TWO": "var q initial 0.1, r initial 0.2; der(q) = 10/(1{s}); der(r) = 0.3/(1{s})",
    "MANY": " + ".join("sin(%d*q)*cos(%d*r)/%d" % (i, i + 3, i) for i in range(1, 60)),
    "PEAK": "table peak(x) linear; 0, 0; 4.99, 0; 5, 1; 5.01, 0; 10, 0; end",
    "BELL": "table bell(x) smooth; 0, 0; 4.98, 0; 4.99, 0.3; 5, 1; 5.01, 0.3; 5.02, 0; 10, 0; end",
    "TOOTH": "table tooth(x) linear; " + "".join("%g, %d; " % (i/50, i == 137) for i in range(501)) + "end",
    "WAVE": "table wave(x) linear; " + "".join("%g, %g; " % (i/50, i*37 % 11/10) for i in range(501)) + "end",
}
COUNT = r"var n discrete initial 0; when \1 then; n = pre(n) + 1; end"

# Name: what is looked at; where it differs: stop (10), step of rk4 (2e-5), how near (1e-4). Then the model.
MODELS = r"""
peak_when: n
    PEAK; FAST; COUNT peak(mod(q,10)) > 0.5
bell_when: n
    BELL; FAST; COUNT bell(mod(q,10)) > 0.5
peak_rate: x
    PEAK; SLOW; var x initial 0; der(x) = peak(q)/(1{s})
bell_rate: x
    BELL; SLOW; var x initial 0; der(x) = bell(q)/(1{s})
tooth_rate: x
    TOOTH; SLOW; var x initial 0; der(x) = tooth(q)/(1{s})
tooth_when: n
    TOOTH; SLOW; COUNT tooth(q) > 0.5
wave_rate: x
    WAVE; SLOW; var x initial 0; der(x) = wave(q)^4/(1{s})
wave_when: n
    WAVE; SLOW; COUNT wave(q) > 0.95
tooth_if: x
    TOOTH; SLOW; var x initial 0; der(x) = (if tooth(q) > 0.5 then 1 else 0)/(1{s})
delay_when: n
    FAST; var z; z = delay(q, 0.3{s}); COUNT sin(z) > 0.99
delay_fast: x
    var q initial 0, x initial 0; der(q) = 300/(1{s}); der(x) = (delay(sin(q)^2, 0.3 {s}) - x)/(1{s})
delay_fast2: x
    var q initial 0, x initial 0; der(q) = 100/(1{s}); der(x) = (delay(cos(q), 0.5 {s}))^2/(1{s})
delay_fast_when: n
    var q initial 0; der(q) = 100/(1{s}); var z; z = delay(cos(q), 0.5{s}); COUNT z > 0.9
delay_pulse: x
    var x initial 0; der(x) = delay(exp(-((time-5{s})/(0.003{s}))^2), 2.5 {s})/(1{s})
delay_pulse_if: x
    var x initial 0; der(x) = delay((if time > 5{s} and time < 5.001{s} then 1 else 0), 2.5 {s})/(1{s})
delay_pulse_q: x
    SLOW; var x initial 0; der(x) = delay((if q > 5 and q < 5.001 then 1 else 0), 2.5 {s})/(1{s})
delay_peak: x
    PEAK; SLOW; var x initial 0; der(x) = delay(peak(q), 2.5 {s})/(1{s})
delay_var: n, x
    SLOW; var x initial 0, y; y = delay(q, (1+0.5*sin(20*q))*1{s}, 2{s}); der(x) = y/(1{s}); COUNT sin(20*y) > 0.95
delay_of_x: n, x
    var x initial 0, q initial 0; der(q)=1/(1{s}); der(x) = (if sin(10*q) > 0.99 then 10 else 0)/(1{s}); var z;
    z = delay(x, 0.7{s}); COUNT z > 0.3 and z < 0.31
held_slow: n, h
    var q initial 0, h discrete initial 1; der(q) = 10/(1{s}); when sample(0.5 {s}) then h = 1 + 0.1*sin(q); end;
    COUNT sin(q*h) > 0.99
if_rate: x
    FAST; var x initial 0; der(x) = (if sin(q) > 0.999 then 1 else 0)/(1{s})
integral_condition: n, x; step=5e-06
    FAST; var x initial 0; der(x) = (1 + 5*cos(20*q))/(1{s}); COUNT x > 3 and sin(100*x) > 0
slow_fast: n; stop=100, step=0.0001
    TWO; COUNT sin(q)*sin(r) > 0.98
slow_fast2: n; stop=100, step=0.0001
    TWO; COUNT sin(q)*sin(r)*cos(q/7)*cos(3*r) > 0.6
der_condition: n, x
    var x initial 0, q initial 0; der(q)=10/(1{s}); der(x) = cos(q)/(1{s}); COUNT der(x)*1{s} > 0.99
sqrtabs: n
    FAST; COUNT sqrt(abs(sin(q))) < 0.1
minmax: n
    TWO; COUNT min(sin(q), cos(7*r)) > 0.9
maxmin: n
    TWO; COUNT max(min(sin(q), cos(7*r)), min(-sin(3*q), cos(r))) > 0.95
atan2: n
    TWO; COUNT atan2(sin(q), cos(q)) > 3.1
atan2b: n
    TWO; COUNT atan2(sin(q), cos(3*r)) > 3.0
floormod: n
    FAST; COUNT mod(floor(q), 7) > 2.5 and mod(floor(q), 7) < 3.5
mod_small: n; stop=9.95
    FAST; COUNT mod(q, 1) < 0.001
ceil_q: n
    FAST; COUNT ceil(q*7)-q*7 < 0.01
same_time: a, b, c
    FAST; var a discrete initial 0, b discrete initial 0, c discrete initial 0; when q > 50 then a = pre(a)+1; end;
    when q >= 50 then b = 10*pre(a)+pre(c); end; when 2*q > 100 then c = pre(b)+7; end
narrow: n
    FAST; COUNT (q-50)^2 < 1e-6
narrow_abs: n
    FAST; COUNT abs(q-50) < 1e-3
two_narrow: n
    FAST; COUNT (q-50)^2*(q-70)^2 < 1e-3
loop_cubic: n
    SLOW; var y; y + 0.3*y^3 + 0.1*sin(y) = q*10; COUNT sin(20*y) > 0.98
loop_two: n
    SLOW; var y, z; y + 0.3*z^3 = 10*q; z - 0.2*sin(y) = 0.1*q; COUNT sin(9*y)*cos(z) > 0.9
loop_rate: x
    SLOW; var y, x initial 0; y + 0.3*y^3 + 0.1*sin(y) = q*100; der(x) = sin(20*y)^2/(1{s})
many_ops: n; step=0.0001
    TWO; COUNT MANY > 1.5
chain_held: n
    FAST; COUNT q > 0.05*n + 0.01
time_held: n, tn, x
    var n discrete initial 0, tn discrete initial 0.01, x initial 0; der(x) = n/(1{s});
    when time > tn*1{s} then n = pre(n)+1; tn = pre(tn) + 0.01 + 0.001*pre(n); end
bump_rate: x; near=1e-05
    SLOW; var x initial 0; der(x) = exp(-((q-5)/0.003)^2)/(1{s})
bump_max: x; near=1e-05
    SLOW; var x initial 0; der(x) = max(0, sin(100*q)-0.99)/(1{s})
bump_max1: x; near=1e-05
    SLOW; var x initial 0; der(x) = max(0, 1-abs(q-5)/0.003)/(1{s})
fast_rate: x
    var q initial 0, x initial 0; der(q) = 1000/(1{s}); der(x) = sin(q)^2/(1{s})
fast_rate4: x; step=1e-05
    var q initial 0, x initial 0; der(q) = 1000/(1{s}); der(x) = sin(q)^4*cos(q/100)^2/(1{s})
bump_sin20: x; stop=100, step=0.0001
    var q initial 0, x initial 0; der(q) = 2/(1{s}); der(x) = sin(q)^400/(1{s})
bump_then: n, x
    SLOW; var x initial 0; der(x) = 300*exp(-((q-5)/0.003)^2)/(1{s}) - x/(1{s}); COUNT x > 0.5
bump_lorentz: x; near=1e-05
    SLOW; var x initial 0; der(x) = 1/(1+((q-5)/0.001)^2)^2/(1{s})
bump_tanh: x; near=1e-05
    SLOW; var x initial 0; der(x) = (tanh((q-5)/0.001)-tanh((q-5)/0.001-6))/(1{s})
bump_exp_state: x; near=1e-05
    var q initial 1, x initial 0; der(q) = 0.01*q/(1{s}); der(x) = exp(-((q-1.05)/0.00003)^2)/(1{s})
tanh_switch: x
    SLOW; var x initial 0; der(x) = (1+tanh(1e4*(sin(30*q)-0.99)))/(1{s})
limiter: n, i.y
    import control; SLOW; var u; u = 100*exp(-((q-5)/0.003)^2) - 20*exp(-((q-6)/0.003)^2);
    LimitedIntegrator i(lower = -0.1, upper = 0.3, y0 = 0, u = u); COUNT i.at > 0.5
delay_bump: x; near=1e-05
    SLOW; var x initial 0; der(x) = delay(exp(-((q-5)/0.003)^2), 2 {s})/(1{s})
reinit_rest: n, x; near=0.001
    FAST; var x initial 0, n discrete initial 0; der(x) = -x/(0.01{s}); when sin(q) > 0.9999 then reinit(x, x + 1);
    n = pre(n)+1; end
sampled_condition: n, x
    var q initial 0, h discrete initial 0, x initial 0; der(q) = 10/(1{s}); der(x) = (if h > 0.9 then 1 else 0)/(1{s});
    when sample(0.01{s}) then h = sin(q); end; COUNT h*sin(7*q) > 0.8
rotation: n, x
    var x initial 1, y initial 0; x^2 + y^2 = 1; der(x) = -y*10/(1{s}); COUNT x > 0.99
lowpass: n, x; step=1e-05
    SLOW; var x initial 0; der(x) = ((if sin(30*q) > 0.9999 then 1000 else 0) - x)/(0.5{s}); COUNT x > 4
sin1000: n; step=5e-06
    SLOW; COUNT sin(1000*q) > 0.999
expgrow: n, q; step=1e-05
    var q initial 1; der(q) = 0.3*q/(1{s}); COUNT sin(exp(q/4)*3) > 0.9
mod_of_time: n
    SLOW; COUNT mod(time/(1{s})*q*3, 1) < 0.01
step_sin: x
    FAST; var x initial 0; der(x) = step(sin(q) - 0.99)/(1{s})
sign_sin: x
    FAST; var x initial 0; der(x) = sign(sin(q) - 0.99)/(1{s})
nested: n
    FAST; COUNT sin(q + 0.5*sin(3*q)) > 0.995
at_zero: n
    FAST; COUNT sin(q) > 0
above_zero: n
    FAST; COUNT q > 0
restart_pulse: n, x; step=1e-06, near=0.01
    SLOW; var d discrete initial 0, x initial 0; when q > 5 then d = 1; end;
    der(x) = (if q > 5 and q < 5.00002 then 10000 else 0)/(1{s}); COUNT q > 5.00001 and d > 0.5
floor_sin: n
    TWO; COUNT mod(floor(q),3)*sin(5*r+q) > 1.9
mode_drive: n
    import electric; var q initial 0; der(q) = 1/(1{s}); VoltageSource V(u = (sin(30*q)^41 - 0.5)*1{V}); IdealDiode d;
    Capacitor c(C = 0.1, u0 = 0 {V}); Resistor r(R = 1); 1 i; V -> i -> d, r, c; COUNT d.state > 1.5
mode_friction: n
    import translation; var q initial 0; der(q) = 1/(1{s}); Force f(u = 2*exp(-((mod(q,2)-1)/0.003)^2)*1 {N});
    Mass m(m = 0.01); DryFriction b(Fs = 1 {N}, Fk = 0.8 {N}, d = 0); 1 v; f -> v -> m, b;
    COUNT b.state > 2.5 or b.state < 1.5
mode_guard: n, x
    var q initial 0, x initial 0; der(q) = 10/(1{s}); var u; var state discrete; modes state; a: u = 0 while sin(q) < 0.99;
    b: u = 1 while sin(q) > 0.95; end; der(x) = u/(1{s}); COUNT u > 0.5
mode_in_when: n, x, h
    var q initial 0, x initial 0, h discrete initial 1; der(q) = 10/(1{s}); var u; var state discrete; modes state;
    a: u = 0 while sin(q*h) < 0.99; b: u = 1 while sin(q*h) > 0.95; end; when cos(q) > 0.999 then h = pre(h) + 0.01; end;
    der(x) = u/(1{s}); COUNT u > 0.5
hyst: n, x
    FAST; var d discrete initial 0, x initial 0, n discrete initial 0; when sin(q) > 0.99 then d = 1; n = pre(n)+1;
    elsewhen sin(q) < -0.99 then d = 0; n = pre(n)+1; end; der(x) = d/(1{s})
terminated: x
    FAST; var x initial 0; der(x) = 1/(1{s}); when sin(q)*sin(q/30) > 0.9999 then terminate "done"; end
growing_product: n
    TWO; var s initial 1; der(s) = 0.01*s/(1{s}); COUNT sin(q)*s > 1.02
graze_ball: n, y; stop=5
    var y initial 1, v initial 0, n discrete initial 0; der(y) = v/(1{s}); der(v) = -9.81/(1{s});
    when y < 0 then reinit(v, -0.9*v); n = pre(n)+1; end
graze_para: n, y
    var y initial 0, v initial 5; der(y) = v/(1{s}); der(v) = -1/(1{s}); COUNT y > 12.4999
graze_sin: n, y; stop=60, step=0.0001
    var y initial 0, v initial 1; der(y) = v/(1{s}); der(v) = -y/(1{s}); COUNT y > 0.99999
even_osc: n, y; stop=60, step=0.0001
    var y initial 0, v initial 1, q initial 0; der(q)=40/(1{s}); der(y) = v/(1{s}); der(v) = -y/(1{s});
    COUNT y*sin(q) > 0.99
slowing_turn: x; stop=50, near=5e-4
    var q initial 0, w initial 100, x initial 0; der(q) = w/(1{s}); der(w) = -0.01*w/(1{s});
    der(x) = (if sin(q) > 0.9 then 1 else 0)/(1{s})
wave_if: x
    WAVE; SLOW; var x initial 0; der(x) = (if wave(q) > 0.55 then 1 else 0)/(1{s})
out_delay: n, y
    SLOW; var y; y = delay(sin(50*q), 0.4 {s}); COUNT y > 0.9
delay_when2: n
    FAST; var z; z = delay(sin(q)*sin(q/9), 0.3{s}); COUNT z > 0.98
delay_two: x
    SLOW; var x initial 0; der(x) = (delay(sin(40*q), 1{s})*delay(sin(41*q), 2{s}) + 0.5)/(1{s})
rest_pulse_state: q, x; near=0.001
    var q initial 0, v initial 0, x initial 0; der(v) = (if time > 5{s} and time < 5.001{s} then 1000 else 0)/(1{s});
    der(q) = v/(1{s}); der(x) = -x/(1{s}) + (if q > 1 and q < 1.002 then 1000 else 0)/(1{s})
held_factor: n, x, h
    var q initial 0, x initial 0, h discrete initial 1; der(q) = 10/(1{s});
    der(x) = (if sin(q*h) > 0.97 then 1 else 0)/(1{s}); when cos(q) > 0.999 then h = pre(h) + 0.01; end; COUNT x > 0.5
"""

ALL = " ".join(SOLVERS)
BUMP = "a narrow bump of a state that moves evenly, in a rate: the error control does not see it"
LOOP = "a relation behind a loop that is solved by iteration"
DELAY = "a fast signal or a short pulse behind a delay"
VARIES = "a delay that varies with a state"
CHAIN = "a polynomial that a chain of integrators makes has no error"
WRONG = {
    "bell_rate": (BUMP, ALL),
    "bump_exp_state": (BUMP, "adams bdf ida rk78 auto"),
    "bump_lorentz": (BUMP, "gauss"),
    "bump_max": (BUMP, ALL),
    "bump_max1": (BUMP, ALL),
    "bump_rate": (BUMP, ALL),
    "bump_sin20": (BUMP, ALL),
    "bump_tanh": (BUMP, ALL),
    "bump_then": (BUMP, ALL),
    "limiter": (BUMP, ALL),
    "tanh_switch": (BUMP, ALL),
    "wave_rate": (BUMP, "rk78 gauss"),
    "loop_cubic": (LOOP, "adams bdf rk78 gauss auto"),
    "loop_two": (LOOP, ALL),
    "delay_bump": (DELAY, "ida gauss"),
    "delay_fast2": (DELAY, "gauss"),
    "delay_fast_when": (DELAY, "gauss"),
    "delay_pulse": (DELAY, "ida gauss"),
    "delay_two": (DELAY, "gauss"),
    "delay_var": (VARIES, "adams bdf ida rk78 auto"),
    "chebyshev6": (CHAIN, "rk78"),
}


def chebyshev(k):
    """T_k of time/5 - 1 by a chain of k integrators: c0, which begins as its derivatives say."""
    rows = [[1], [0, 1]]
    while len(rows) <= k:
        rows.append([a - b for a, b in zip([0] + [2*c for c in rows[-1]], rows[-2] + [0, 0])])
    lines, p = [], rows[k]
    for i in range(k + 1):
        lines.append("var c%d initial %d" % (i, sum(c*(-1)**n for n, c in enumerate(p))))
        p = [n*c for n, c in enumerate(p)][1:]
    return lines + ["der(c%d) = c%d/(5{s})" % (i, i + 1) for i in range(k)] + ["der(c%d) = 0*c0/(1{s})" % k]


def models():
    """Name, what is recorded, stop, step, how near, text."""
    for name, head, body in re.findall(r"^(\w+): (.*)\n((?: +.*\n)+)", MODELS, re.M):
        options = dict(x.split("=") for x in head.split("; ")[1].split(", ")) if ";" in head else {}
        yield (name, head.split(";")[0], options, re.split(r";\s*", body.strip()))
    for k in 6, 8, 11:
        for suffix, condition in ("", "c0 > 0.5"), ("_sine", "sin(6*c0) > 0.5"):
            yield "chebyshev%d%s" % (k, suffix), "n, c0", {"step": "1e-4", "near": "1e-2"}, chebyshev(k) + ["COUNT " + condition]
    states = ["var s%d initial %g; der(s%d) = %d/(1{s})" % (i, i/10, i, 3 + i) for i in range(10)]
    total = " + ".join("sin(s%d)" % i for i in range(10))
    yield "many_states", "n", {"stop": "50", "step": "1e-4"}, states + ["COUNT %s > 4" % total]


def text(lines, records, stop, solver):
    """The file: tables and imports stand before the model."""
    whole = "; ".join(lines)
    for name, what in SHARED.items():
        whole = re.sub(r"\b%s\b" % name, lambda found: what, whole)
    whole = re.sub(r"\bCOUNT ([^;]*)", COUNT, whole)
    whole = re.sub(r"\b((?:else)?when [^;]*? then) ", r"\1; ", whole)
    before = "".join(found + "\n" for found in re.findall(r"import \w+|table .*?end\b", whole))
    inside = re.sub(r"(import \w+|table .*?end\b); ", "", whole)
    return (before + "model M\n" + inside + "\nend\nexperiment E of M\nstop %s {s}; points 3; solver %s; record %s\nend\n"
            % (stop, solver, records)).replace("; ", "\n")


def last_row(folder, content):
    """The values at the end; None and why: there are none."""
    file = os.path.join(folder, "m.bond")
    with open(file, "w") as f:
        f.write(content)
    try:
        done = subprocess.run([bondyn, "run", file, "--no-plot", "-o", folder], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "not within %g s" % limit
    said = re.findall(r".*\berror\b.*", done.stdout.decode(errors="replace"))
    if done.returncode or said:
        return None, said[0].replace(folder + "/", "") if said else "code %d" % done.returncode
    rows = [line for line in open(os.path.join(folder, "results.csv")) if not line.startswith("#")]
    return [float(x) for x in rows[-1].split(",")], ""


def is_near(a, b, near):
    return all(abs(x - y) <= near*(1 + abs(y)) for x, y in zip(a, b))


def brute(folder, lines, records, stop, step, near):
    """The values at the end by rk4; None and why: they are not known."""
    rough, said = last_row(folder, text(lines, records, stop, "rk4 step %g {s}" % step))
    if rough:
        fine, said = last_row(folder, text(lines, records, stop, "rk4 step %g {s}" % (step/2)))
    if said:
        return None, said
    return (fine, "") if is_near(rough, fine, near/3) else (None, "rk4: %s with half the step of %s" % (fine, rough))


def judge(folder, name, records, options, lines):
    """How many runs were right, wrong as is known, and neither; a model that rk4 cannot run is neither."""
    stop, near = options.get("stop", "10"), float(options.get("near", "1e-4"))
    truth, said = brute(folder, lines, records, stop, float(options.get("step", "2e-5")), near)
    if not truth:
        print("%s: dropped, %s" % (name, said))
        return 0, 0, not said.startswith("rk4")
    reason, known = WRONG.get(name, ("", ""))
    counts = [0, 0, 0]
    for solver in SOLVERS:
        got, said = last_row(folder, text(lines, records, stop, solver + " rtol 1e-7"))
        wrong, is_known = not got or not is_near(got, truth, near), solver in known.split()
        counts[2 if wrong != is_known else 1 if wrong else 0] += 1
        if wrong and not is_known:
            print("%s: wrong with %s: %s, not %s" % (name, solver, said or got[1:], truth[1:]))
        elif is_known and not wrong:
            print("%s: right with %s, take it from the list (%s)" % (name, solver, reason))
    sys.stdout.flush()
    return counts


def main():
    totals, count = [0, 0, 0], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, records, options, lines in models():
            if not fnmatch.fnmatch(name, pattern):
                continue
            counts = judge(folder, name, records, options, lines)
            totals, count = [a + b for a, b in zip(totals, counts)], count + any(counts)
    print("%d models: %d runs right, %d wrong as is known, %d otherwise" % (count, *totals))
    return totals[2] > 0 or count == 0


sys.exit(main())
