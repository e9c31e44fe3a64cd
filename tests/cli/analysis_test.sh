#!/bin/sh
# steady, linearize, poles and bode against the published figures of McBride's fin and missile.
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
. "$(dirname "$0")/common.sh"
missile=$examples/mcbride_missile/mcbride_missile.bond
fin=$examples/mcbride_fin/mcbride_fin.bond

# says WORDS: they stand in what the last command printed
says() {
    grep -qF -- "$1" out || fail "not said: $1"
}

expect_exit 1 steady "$missile" # it is turning: its heave does not rest
grep -qF -- "--moving mass.p" err || fail "what nothing holds is not named"
expect_exit 0 steady "$missile" --moving mass.p
says "alpha                        = -0.0776475864961"
says "cyclic, moves on at -12888.335"
expect_exit 0 steady "$missile" --trim fin --given "G = -12.92" --moving mass.p
says "fin                          = 0.0872509376764"
expect_exit 0 poles "$missile" --steady --moving mass.p --outputs Az
says "-1.124143395 +- 24.74309093i"
says "36.17735421"
expect_exit 0 poles "$missile" Frozen --outputs Az
says "-1.258160624 +- 24.97759943i"
says "39.06393766"

# Bode tables, torque to degrees of fin, by the stiffness of the mesh
expect_exit 0 poles "$fin"
says "-66.75327205 +- 425.4315309i"
says "-0.280122797"
says "-666666.2133"
table() {
    expect_exit 0 bode "$fin" --set "KBL = $1" --frequencies 0.001,0.01,0.1,1,10,100
    shift
    for pair; do
        says "$(echo "$pair" | cut -d/ -f1)"
        says "$(echo "$pair" | cut -d/ -f2)"
    done
}
table 34 26.28211875/-8.37237354 21.37030505/-55.80791890 2.99895968/-86.15224251 -16.97864833/-90.00584463 \
    -36.71650666/-94.03690218 -64.39430196/107.00353716
table 340 26.37299083/-1.28519492 26.16199635/-12.64486071 18.57122857/-65.99725877 -0.64831630/-87.70703914 \
    -20.46390330/-92.39613886 -42.34063132/111.80837510
table 3400 26.37474448/-0.57068563 26.33230817/-5.68828832 23.38241794/-44.89012800 6.36717197/-84.32694610 \
    -13.54885243/-90.03298264 -28.09156172/-101.37002507
expect_exit 0 poles "$fin" --model RigidFin
says "-0.7327649269"
says "-126689.5626"
expect_exit 0 bode "$fin" --model RigidFin --frequencies 0.1,100
says "23.98157440"
says "-90.21733671"

# controllers
controller() { # NAME GAIN B C P then dB/degrees at 0.01, 1, 10, 100, 1000 Hz
    model=$1 settings=$2
    shift 2
    # shellcheck disable=SC2086
    eval "expect_exit 0 bode \"$fin\" --model $model $settings --frequencies 0.01,1,10,100,1000"
    for pair; do
        says "$(echo "$pair" | cut -d/ -f1)"
        says "$(echo "$pair" | cut -d/ -f2)"
    done
}
controller PI "" -15.54173681/-55.34701552 -20.44461901/-0.82885078 -20.44551880/-0.08289080 -20.44552780/-0.00828909 \
    -20.44552789/-0.00082891
controller PID "" -18.90212763/-30.64016320 -20.19884952/2.28443276 -19.18253024/23.89954402 -7.16571942/46.84674390 \
    -1.98443688/7.89076098
controller PID '--set "K = 67.8408" --set "b = 101.7574" --set "c = 1.485" --set "p = 100000.3774"' \
    -22.99188947/-13.04232947 -23.20358466/3.39715002 -21.81702475/31.64833278 -7.29437907/80.44068260 12.57741103/85.47690461

# margins of the autopilot: as printed in the source, and of the loop broken at the fin and at the
# error
autopilot=$examples/mcbride_missile/autopilot.bond
near() { # WORDS NUMBER: within the last printed digit
    grep "$1" out | awk -v x="$2" '{ d = $3 - x; if (d <= 0.01 && d >= -0.01) found = 1 } END { exit !found }'
}
margins() { # SET gain and phase of the closed loop, phase at the fin, gain and phase at the error
    expect_exit 0 bode "$autopilot" "Placed$1" --inputs command --outputs y
    says "gain margin    $2"
    says "phase margin   $3"
    expect_exit 0 bode "$autopilot" "Placed$1" --set "broken_fin = 1" --inputs at_fin --outputs back_fin
    says "gain margin    none"
    near "phase margin" "$4" || fail "set $1: phase at the fin"
    expect_exit 0 bode "$autopilot" "Placed$1" --set "broken_error = 1" --inputs at_error --outputs back_error
    near "gain margin" "$5" || fail "set $1: gain at the error"
    near "phase margin" "$6" || fail "set $1: phase at the error"
}
margins 1 3.39462862 none 66.93 8.56 79.38
margins 2 2.94241910 59.86528 69.53 8.11 65.48
margins 3 12.76156626 none 79.09 15.65 86.51
margins 4 2.96260114 43.45666 71.02 8.08 61.45
margins 5 3.04681823 44.749439 71.14 8.14 61.54
margins 6 1.86144196 22.99472 67.63 7.41 59.93

# root locus: the poles at its ends are those of single models
expect_exit 0 poles "$fin" --vary "KBL = 34, 340, 3400" --out locus.svg
says "-66.66798627 +- 342.3895796i"
says "-66.75327205 +- 425.4315309i"
says "-68.61791202 +- 904.8420649i"
grep -q "<svg" locus.svg || fail "no root locus"
expect_exit 1 poles "$fin" --vary "KBL = normal(340, 3)"

# `vary` in experiments: as --vary, in equal ratios where wanted; the verb takes the experiment's values
analysed=$examples/analysis/analysis.bond
expect_exit 0 poles "$analysed" Locus
cp out locus.verb
says "-4.75 +- 1.561249"
expect_exit 0 poles "$analysed" Modes --vary "d = 1 .. 19 in 10 {N.s/m}"
cmp -s out locus.verb || fail "vary and --vary differ: $(diff out locus.verb)"
expect_exit 0 poles "$analysed" Locus --vary "d = 25 .. 2500 in 3 log {N.s/m}"
says "250  "
[ "$(wc -l <out)" = 4 ] || fail "--vary does not stand before the experiment: $(cat out)"
expect_exit 1 poles "$analysed" --vary "d = 0 .. 10 in 3 log"
expect_text err "equal ratios"
expect_exit 0 run "$analysed" Locus --out locus
grep -q "<svg" locus/locus.svg || fail "no root locus of an experiment"
[ "$(wc -l <locus/locus.csv)" = 21 ] || fail "not 10 values of 2 poles: $(cat locus/locus.csv)"
expect_exit 0 run "$analysed" Springs --out springs --verbose
says "at k = "
grep -q '"x","k = 100 N/m",0.1,' springs/response.csv || fail "which spring? $(cat springs/response.csv)"
expect_exit 0 bode "$analysed" Springs --out springs.svg
[ "$(grep -c "^from u" out)" = 3 ] || fail "not three springs: $(cat out)"
expect_exit 0 run "$analysed" Locus --json --no-plot
"$json_check" out || fail "run --json of a locus"
grep -q '"of": "d = ' out || fail "verdicts do not say where"
expect_exit 0 report "$analysed" Locus --out locus.html
grep -q "poles \[1/s\] over d" locus.html || fail "no root locus in the report"
grep -q "locus.svg" locus.html || fail "no picture of the root locus in the report"
expect_exit 0 report "$analysed" Springs --out springs.html
grep -q "k = 50 N/m" springs.html || fail "no springs in the report"

# the forms
for form in --latex --csv --octave; do
    expect_exit 0 linearize "$fin" $form
    [ -s out ] || fail "nothing with $form"
done
expect_exit 0 bode "$fin" --out bode.svg
grep -q "<svg" bode.svg || fail "no picture"
# a range of frequencies: both ends are rows, nothing is beyond them
expect_exit 0 bode "$examples/analysis/analysis.bond" Resp --from 0.5 --to 2
awk '$1 + 0 > 0 { if (!first) first = $1; last = $1 } END { exit first != 0.5 || last != 2 }' out || fail "not from 0.5 to 2 Hz: $(cat out)"
for range in "--from -2" "--from 1x" "--to 0" "--from 2 --to 0.5"; do
    # shellcheck disable=SC2086
    expect_exit 2 bode "$examples/analysis/analysis.bond" Resp $range
    expect_text err "takes positive frequencies in Hz"
done
expect_exit 0 nyquist "$fin" --out nyquist.svg
for verb in linearize steady poles bode; do
    expect_exit 0 $verb "$fin" --json
    "$json_check" out || fail "$verb --json"
done
# Newton's method is there after one step where all is linear, and does not go to and fro in
# rounding.
cat >linear.bond <<'END'
model Linear
  input u = 0, w = 0
  var x initial 1, y initial 0
  der(x) = (-2*x + y + 3*u)/(1 {s})
  der(y) = (x - 4*y + 1e3*w)/(1 {s})
end
END
expect_exit 0 steady linear.bond --trim u,w --given "x = 2, y = 3"
grep -q "after 1 steps" out || fail "a linear trim takes: $(head -n 1 out)"

# how poles move: m x" + d x' + k x = u has d(pole)/dk = -1/(2 m pole + d)
expect_exit 0 poles "$examples/analysis/analysis.bond" Modes --slopes
says "+2.5031309i"
expect_exit 0 step "$examples/analysis/analysis.bond" Jump --stop 20
says "comes to rest at 0.02, overshoot 85.4"
expect_exit 0 bode "$examples/analysis/analysis.bond" Resp --vary "k = 20, 50 {N/m}" --frequencies 1 --out k.svg
says "k = 20 N/m"
says "-35.45973122"
expect_file k.svg

expect_exit 0 poles "$examples/four_bar/four_bar.bond" --slopes
says "bars.a"

# What is sampled is at a steady point as it is in the run: u = 3, so x^2 = 4/(2 u) and the pole is
# -4 u x.
cat >held.bond <<'END'
model Held
  var x initial 0.5
  var u discrete initial 1
  der(x)*1 {s} = 4 - 2*u*x^2
  when sample(0.25 {s}, 0.25 {s}) then
    u = pre(u) + 1
  end
end
experiment E of Held
  stop 2 {s}
end
END
expect_exit 0 poles held.bond --at 0.6 --steady
says "-9.797958971"

# several steady points: a pendulum hangs or stands
cat >pendulum.bond <<END
model Pendulum
  var a initial 0.1, w initial 0
  der(a)*1 {s} = w
  der(w)*1 {s} = -9*sin(a) - 0.1*w
end
END
expect_exit 0 steady pendulum.bond --starts 30 --seed 2
says "solution 2 of"
says "3.14159265359"
expect_exit 0 steady pendulum.bond --starts 5 --json
"$json_check" out || fail "no JSON"

# formulas, and models of lower order
expect_exit 0 linearize "$examples/analysis/analysis.bond" --model Osc --symbolic
says "A[mass.p, mass.p] = -d/m"
says "A[spring.q, mass.p] = 1/m"
says "B[mass.p, u] = 1"
expect_exit 0 reduce "$fin" --model RigidFin --order 1
says "reduced from 2 to 1 states"
expect_exit 0 reduce "$fin" --model RigidFin --json
"$json_check" out || fail "reduce --json"
printf 'model Gain\n  input u = 0\n  output y\n  y = 2*u\nend\n' >gain.bond
expect_exit 1 reduce gain.bond --order 1
grep -q "there is no state to leave out" err || fail "reduce of a gain"

# customary states of the circuit (3.10): V' = -V/(C1 R1) - i/C1 + ..., i' = V/L1 - R2 i/L1
expect_exit 0 linearize "$examples/mcbride_circuit/mcbride_circuit.bond" --customary
says "T[c1.e, c1.q] = 2"
says "T[l1.f, l1.p] = 10"
grep -q "der(c1.e) *-1 *-2$" out || fail "row of V in customary states"
grep -q "der(l1.f) *10 *-10$" out || fail "row of i in customary states"

# the script says the same to Octave, where it is
if command -v octave >/dev/null 2>&1; then
    expect_exit 0 linearize "$examples/analysis/analysis.bond" --model Osc --octave --out osc.m
    octave --quiet --eval "osc; p = eig(A); assert(abs(p(1)), 5, 1e-9)" || fail "Octave reads it otherwise"
fi
if command -v octave >/dev/null 2>&1 && octave --quiet --eval "pkg load control" >/dev/null 2>&1; then
    expect_exit 0 linearize "$examples/analysis/analysis.bond" Period --octave --out period.m
    octave --quiet --eval "pkg load control; period; assert(get(sys, 'tsam'), 0.2, 1e-15); \
        assert(dcgain(sys), 1, 1e-9)" || fail "Octave reads the discrete model otherwise"
fi

# the discrete model in all forms, its locus, and what it is not there for
sampled=$examples/analysis/analysis.bond
for form in --latex --csv --octave; do
    expect_exit 0 linearize "$sampled" Period $form
    grep -q "0\.58128" out || fail "nothing of the period with $form"
done
says "T = 0.2;"
says "ss(A, B, C, D, T,"
for verb in linearize poles bode nyquist; do
    expect_exit 0 $verb "$sampled" Period --json
    "$json_check" out || fail "$verb --discrete --json"
done
expect_exit 0 poles "$sampled" Period --vary "Kp = 1 .. 3 in 3 {N.s/m}" --out locus.svg
says "poles z over Kp"
says "0.7147107352"
expect_exit 1 bode "$sampled" Samples --frequencies 3
expect_exit 1 step "$sampled" Period
expect_exit 1 poles "$sampled" Period --slopes
expect_exit 0 steady "$sampled" Period

# A thousand drags f abs(f) at rest have one slope, and one friction abs(f) has two; all are looked
# at in one pass (it took three minutes of a processor).
cat >folds.bond <<'END'
model Folds
  const n = 1000
  for i in 1:n
    1 v[i]
    I m[i](1 {kg})
    R d[i]: e = 2 {N.s2/m2}*f*abs(f)
    v[i] -> m[i], d[i]
  end
  for i in 2:n
    0 x[i]
    C k[i](0.1 {m/N})
    v[i-1] -> x[i] -> v[i]
    x[i] -> k[i]
  end
  R rub: e = 3 {N.s/m}*abs(f)
  v[7] -> rub
end
END
(ulimit -t 60 && exec "$bondyn" linearize folds.bond >out 2>err) || fail "a thousand folds"
[ "$(grep -c 'warning A003' err)" = 1 ] || fail "which of a thousand folds is a kink"
# Both laws of v[7] have the one abs of its velocity; the first of them is shown.
grep -qF "'abs(m[7].p/m[7].I)'" err || fail "the kink has another name"
# A run begins at a steady point whose laws are not those that stand first: a sled that sticks, and one that slides with 2 m/s.
cat >sled.bond <<'END'
import translation
model Sled
  param F = 8 {N}
  I mass(2 {kg})
  Se pull = F
  translation.DryFriction rub(Fs = 10 {N})
  R drag(3 {N.s/m})
  1 v
  pull -> v
  v -> mass, rub, drag
end
experiment Stuck of Sled
  at steady
  stop 1 {s}
  expect v.f(end) = 0 {m/s} within 1e-12
  expect rub.p.e(end) = 8 {N} within 1e-12
end
experiment Slides of Sled
  set F = 30 {N}
  free F
  given v.f = 2 {m/s}
  stop 1 {s}
  expect v.f(0 {s}) = 2 {m/s} within 1e-9
  expect v.f(end) = 2 {m/s} within 1e-9
  expect pull.e(end) = 16 {N} within 1e-9
end
END
expect_exit 0 run sled.bond --all --no-plot
# An experiment over frequencies has no end; its model is analysed all the same, and its tones can begin at rest: of the two points of
# rest at +-1 the one beside the start.
cat >tones.bond <<'END'
model Valley
  input u = 0
  output y
  var x initial 0.8
  der(x)*1 {s} = u + x - x^3
  y = x
end
experiment Tones of Valley
  at steady
  frequency u amplitude 1e-4 at (0.1, 1) {Hz} of y
end
END
expect_exit 0 linearize tones.bond Tones --steady
expect_text out "der(x)                                 -2"
expect_exit 0 run tones.bond --no-plot
exit $failed
