#!/bin/sh
# sweep and montecarlo: the same as single runs, whatever the number of processes; interruption,
# failed runs and absurd sizes.
. "$(dirname "$0")/common.sh"

write_decay "  var y
  y = sqrt(x - 0.05)" "  expect x(1 {s}) = x0*exp(-k*1 {s}) within 1e-5"

# A sweep against runs one by one, and against the formula.
expect_exit 0 sweep decay.bond --vary "k = 1, 2, 3 {1/s}" --vary "x0 = 1 .. 2 in 2" --out sweep
expect_text out "runs         6 of 6"
expect_text out "expectations all hold in 6 of 6 runs"
[ -s sweep/x_max.svg ] || fail "no surface"
[ -e sweep/runs.part ] && fail "the file of a finished study is left"
awk -F, '!/^#/ && $1 ~ /^[0-9]/ { n++; d = $4 - $3 * exp(-$2); if (d * d > 1e-9) bad++ }
    END { exit !(n == 6 && !bad) }' sweep/runs.csv || fail "the table is wrong: $(cat sweep/runs.csv)"
"$bondyn" run decay.bond --set "k = 3 {1/s}" --set "x0 = 2" --out single >/dev/null 2>&1
single=$(tail -n 1 single/results.csv | cut -d, -f2)
grep -q "$single" sweep/runs.csv || fail "a run of a study differs from the run alone: $single"

# The same for any number of processes; other seeds give other runs.
expect_exit 0 montecarlo decay.bond --vary "k = normal(2, 0.2) {1/s}" --runs 40 -j 1 --out one
expect_exit 0 montecarlo decay.bond --vary "k = normal(2, 0.2) {1/s}" --runs 40 -j 3 --out three
cmp -s one/runs.csv three/runs.csv || fail "the number of processes changes the answer"
[ -s one/x_fan.svg ] || fail "no fan"
# a sweep shows a curve for every run with its value, and no percentiles
expect_exit 0 sweep decay.bond --vary "k = 1, 2, 4 {1/s}" --record x --out curves
[ ! -e curves/x_fan.svg ] || fail "percentiles of a sweep"
for value in 1 2 4; do grep -q ">k = $value 1/s<" curves/x_curves.svg || fail "no curve of k = $value"; done
colours=$(grep -o '<path stroke="#[0-9a-f]*" stroke-width' curves/x_curves.svg | sort -u | wc -l)
[ "$colours" -eq 3 ] || fail "$colours colours of three curves"
[ -s one/x_histogram_end.svg ] || fail "no histogram"
expect_exit 0 montecarlo decay.bond --vary "k = normal(2, 0.2) {1/s}" --runs 40 --seed 2 --out two
cmp -s one/runs.csv two/runs.csv && fail "the seed changes nothing"
expect_exit 0 montecarlo decay.bond --vary "k = uniform(1, 2)" --runs 8 --latin --json --out latin
"$json_check" out || fail "not JSON"

# A run that fails is marked; the others are made.
expect_exit 5 sweep decay.bond --vary "k = 1, 10 {1/s}" --record y --out failing
expect_text err "warning V006: 1 of 2 runs failed"
expect_text out "1 of 2"

# Laws that switch: compiled modes are shared, and each run is what it is alone.
modes="$source_folder/examples/clutch/clutch.bond Slipping"
for jobs in 1 3; do
    expect_exit 0 sweep $modes --vary "J1 = 2 .. 3 in 5" --vary "w10 = -9, 10 {rad/s}" -j $jobs --record w1.f -v --out modes$jobs
done
expect_text out "each process compiles a mode once"
cmp -s modes1/runs.csv modes3/runs.csv || fail "modes: the number of processes changes the answer"
"$bondyn" run $modes --set "J1 = 3" --set "w10 = 10 {rad/s}" --record w1.f --out alone >/dev/null 2>&1
alone=$(tail -n 1 alone/results.csv | cut -d, -f2)
grep -q -e ",$alone," modes1/runs.csv || fail "modes: a run of a study differs from the run alone: $alone"

# Over SIMD lanes: the same table as one by one, a run that fails beside others included.
cat >fixed.bond <<END
model Fixed
  param k = 2 {1/s}
  var x initial 1
  der(x) = -k*x + 0.1*sqrt(2.5 - k*1 {s})*1 {1/s}
end
experiment Steps of Fixed
  stop 1 {s}
  points 20
  solver rk4 step 1e-3 {s}
  record x
end
END
export XDG_CACHE_HOME="$PWD/cache"
for lanes in 1 auto; do
    expect_exit 5 sweep fixed.bond --vary "k = 1 .. 3 in 21 {1/s}" -j 2 --engine native -v \
        --lanes $lanes --out lanes_$lanes
    expect_text err "warning V006: 5 of 21 runs failed"
done
cmp -s lanes_1/runs.csv lanes_auto/runs.csv || fail "lanes change the answer"
if cc --version >/dev/null 2>&1; then
    expect_text out "runs at a time, native code"
fi
expect_exit 5 sweep fixed.bond --vary "k = 1 .. 3 in 21 {1/s}" --engine vm -v --out lanes_vm
expect_text out "one run at a time: the virtual machine has no lanes"
cmp -s lanes_1/runs.csv lanes_vm/runs.csv || fail "the engine changes the answer"
expect_exit 1 sweep fixed.bond --vary "k = 1, 2" --lanes 3
expect_text err "lanes takes 1, 2, 4, 8 or auto"

# Steps of each run's own, over vectors of any width: more runs than lanes, some with bounces.
cat >free.bond <<END
model Free
  param k = 2 {1/s}
  var x initial 1, v
  der(x) = v*1 {1/s}
  der(v) = -9.81 {1/s} - 0.1 {1/s}*v + 0.1*sqrt(2.5 - k*1 {s})*1 {1/s}
  when x <= 0 then
    reinit(v, -0.8*pre(v))
  end
end
experiment Steps of Free
  stop 1 {s}
  points 20
  solver rk78
  record x
end
END
for lanes in 1 2 4 8; do
    expect_exit 5 sweep free.bond --vary "k = 1 .. 3 in 21 {1/s}" -j 2 --engine native -v \
        --lanes $lanes --out free_$lanes
    expect_text err "warning V006: 5 of 21 runs failed"
    cmp -s free_1/runs.csv free_$lanes/runs.csv || fail "$lanes lanes change the answer"
done
if cc --version >/dev/null 2>&1; then
    expect_text out "8 runs at a time, native code"
fi

# A peak between the points: x = sin(k t), points 0.54 s apart. The largest point is 1e-2 off at
# worst, the polynomial through five points h^5/100 = 5e-4.
cat >peak.bond <<END
model Peak
  param k = 1 {1/s}
  var x initial 0, v initial 1
  der(x) = k*v
  der(v) = -k*x
end
experiment Swing of Peak
  stop 6.5 {s}
  points 12
  solver rk78 rtol 1e-10 atol 1e-12
  record x
end
END
expect_exit 0 sweep peak.bond --vary "k = 1, 0.9 {1/s}" --no-plot --out peak
awk -F, '/^[01],/ { n++; if (($5 - 1)^2 > 2.5e-7 || ($4 + 1)^2 > 2.5e-7) bad++ }
    END { exit !(n == 2 && !bad) }' peak/runs.csv || fail "a peak is missed: $(cat peak/runs.csv)"

# A ball on a stiff ground for 10 ms, between points 0.1 s apart: its steps are that short, whatever the method, so the
# largest force is found. From the energy g (h0 + x) = k x^2/2 it is k x = g + sqrt(g^2 + 2 g h0 k).
for solver in "rk4 step 0.1 {ms}" "rosenbrock step 0.1 {ms}" rk78 bdf adams ida; do
    cat >ball.bond <<END
model Ball
  param k = 1e5 {1/s2}, h0 = 0.5 {m}
  var h {m} initial h0, v {m/s}, F {m/s2}
  der(h) = v
  der(v) = F - 9.81 {m/s2}
  F = k*max(0 {m}, -h)
end
experiment Bounce of Ball
  stop 0.5 {s}
  points 5
  solver $solver
  record F, h
end
END
    expect_exit 0 sweep ball.bond --vary "k = 1e5, 2e5 {1/s2}" --vary "h0 = 0.4, 0.5 {m}" --no-plot --out ball
    awk -F, '/^[0-3],/ { n++; k = $2; h = $3; d = $6/(9.81 + sqrt(9.81^2 + 2*9.81*h*k)) - 1; if (d*d > 4e-6) bad++ }
        END { exit !(n == 4 && !bad) }' ball/runs.csv || fail "$solver: a study misses the peak: $(cat ball/runs.csv)"
done

# Every run begins at its own steady point, also one that is stuck; where there is none the run fails with the reason. The
# velocity is (F - Fs)/d, or 0 below Fs.
cat >sled.bond <<END
import translation
model Sled
  param F = 20 {N}
  I mass(2 {kg})
  Se pull = F
  translation.DryFriction rub(Fs = 10 {N})
  R drag(5 {N.s/m})
  1 v
  pull -> v
  v -> mass, rub, drag
end
experiment Slide of Sled
  at steady
  stop 1 {s}
  points 4
  record v.f
end
model Tank "an outflow by a root bears no inflow from below"
  param q = 1
  var h initial 1
  der(h)*1 {s} = q - sqrt(h)
end
experiment Level of Tank
  at steady
  stop 1 {s}
  points 4
  solver rk4 step 0.1 {s}
  record h
end
END
for jobs in 1 3; do
    expect_exit 0 sweep sled.bond Slide --vary "F = 5, 15, 20, 30 {N}" --no-plot -j $jobs --out rest$jobs
done
cmp -s rest1/runs.csv rest3/runs.csv || fail "steady points depend on the number of processes"
awk -F, '/^[0-3],/ { n++; v = $2 > 10 ? ($2 - 10)/5 : 0; for (k = 3; k <= 6; k++) if (($k - v)^2 > 1e-18) bad++ }
    END { exit !(n == 4 && !bad) }' rest1/runs.csv || fail "runs do not begin at rest: $(cat rest1/runs.csv)"
expect_exit 5 sweep sled.bond Level --vary "q = -1, 1, 2, 3, 4" --no-plot --out level
expect_text err "1 of 5 runs failed; run 0: no steady point is found"
awk -F, '/^[1-4],/ { n++; if (($3 - $2^2)^2 > 1e-16 || ($4 - $5)^2 > 1e-16) bad++ } END { exit !(n == 4 && !bad) }' level/runs.csv ||
    fail "levels are not steady: $(cat level/runs.csv)"

# Interrupted and gone on with.
write_slow_model "$(span 2000)"
"$bondyn" sweep slow.bond --vary "k = 1 .. 3 in 2000 {1/s}" -j 2 --out slow --yes >out 2>err &
worker=$!
tries=0
while [ ! -s slow/runs.part ] && [ $tries -lt 200 ]; do sleep 0.1; tries=$((tries + 1)); done
while ! od -An -tx1 slow/runs.part 2>/dev/null | head -c 1 | grep -q . ; do sleep 0.1; done
sleep 1
kill -TERM $worker
wait $worker
code=$?
[ $code -eq 130 ] || fail "interrupted, the exit code is $code"
expect_text err "the same command goes on from here"
[ -s slow/runs.part ] || fail "finished runs are lost"
made=$(sed -n 's/^runs  *\([0-9]*\) of 2000.*/\1/p' out)
for seconds in 1 4 16; do # on a busy machine a second may not be enough to begin
    "$bondyn" sweep slow.bond --vary "k = 1 .. 3 in 2000 {1/s}" -j 2 --out slow --yes >out 2>err &
    worker=$!
    sleep $seconds
    kill -TERM $worker
    wait $worker
    [ ! -s out ] || break
done
[ "$made" -eq 0 ] || expect_text out "$made of them from before"

# A worker that is killed: its runs are made again one by one, none is lost.
"$bondyn" sweep slow.bond --vary "k = 1 .. 3 in 60 {1/s}" -j 1 -v --out killed --yes >out 2>err &
study=$!
tries=0
victim=
while [ -z "$victim" ] && [ $tries -lt 2400 ] && [ -d /proc/$study ]; do
    for pid in $(cat /proc/$study/task/$study/children 2>/dev/null); do
        [ "$(cat /proc/$pid/comm 2>/dev/null)" = bondyn ] && victim=$pid
    done
    sleep 0.05
    tries=$((tries + 1))
done
[ -n "$victim" ] || fail "no worker was found"
kill -KILL "$victim"
wait $study
code=$?
if grep -q "runs at a time" out; then
    [ $code -eq 0 ] || fail "after a worker was killed, the exit code is $code: $(cat err)"
    expect_text out "60 of 60"
else
    expect_text err "its process was killed"
fi

expect_exit 1 sweep decay.bond
expect_text err "error V004: nothing is varied"
expect_exit 1 sweep decay.bond --vary "k = normal(1, 1)"
expect_text err "take montecarlo"
expect_exit 1 montecarlo decay.bond --vary "k = 1, 2"
expect_text err "take sweep"
expect_exit 1 montecarlo decay.bond --vary "k = uniform(1, 2)" --runs 100000000
expect_text err "error V005"
expect_exit 1 sweep decay.bond --vary "k = 1 .. 2 in 1000000" --vary "x0 = 1 .. 2 in 1000000"
expect_text err "too many combinations"
expect_exit 1 sweep decay.bond --vary "k = 1, 2" --out /proc/nowhere
expect_exit 1 sweep decay.bond --vary "k = 1, 2" -j 0
expect_exit 1 sweep decay.bond --vary "k = 1 - 2"
expect_text err "error V001"
expect_exit 1 sweep decay.bond --vary "q = 1, 2"
expect_text err "error V002: the model has no parameter 'q'"
sed 's/var x initial x0/param n = 2\n  var w[n]\n  for i in 1:n\n    w[i] = i\n  end\n  var x initial x0/' decay.bond >sizes.bond
expect_exit 1 sweep sizes.bond --vary "n = 1, 2"
expect_text err "error V003: the parameter 'n' decides the structure of the model"
# a parameter with a formula as its default is varied as any other; what follows from it follows,
# and units are its own
cat >computed.bond <<'END'
model Computed
  param a = 2, b {cm} = 3*a*1 {cm}, c {m} = 2*b
  var x {m}
  x = b + c*time/(1 {s})
end
experiment Go of Computed
  stop 1 {s}
  points 2
  record x
end
END
expect_exit 0 sweep computed.bond --vary "b = 1, 5 {cm}" --out computed
sed -n '2,3p' computed/runs.csv | cut -d, -f2-4 >rows
expect_exit 0 run computed.bond --set "b = 5 {cm}" --out one
last=$(tail -1 one/results.csv | cut -d, -f2)
grep -q "$last" computed/runs.csv || { fail "b = 5 cm gives $last"; cat computed/runs.csv; }
expect_exit 0 sweep computed.bond --vary "b = 1, 5 {cm}" --vary "a = 1, 2" --out both
expect_exit 0 montecarlo computed.bond --vary "c = uniform(1, 2) {m}" --runs 4 --out drawn
mkdir -p taken/runs.part
expect_exit 1 sweep decay.bond --vary "k = 1, 2" --out taken
expect_text err "error V007"

# What jumps and dies away between two rows has its largest value at the event, in a run and in a
# study, alone and over lanes: a line comes taut at x = h with F = d v, and is quiet again 10 ms
# later.
cat >taut.bond <<END
model Taut
  param v = 2 {m/s}, h = 0.503 {m}, d = 500 {N.s/m}
  var x {m} initial 0, J {N.s} initial 0
  der(x) = v
  der(J) = F
  output F {N}
  F = if x > h then d*v*exp(-(x - h)/(1 {mm})) else 0
end
experiment Pull of Taut
  stop 1 {s}
  points 10
  solver rk78
  expect max(F) = 1 {kN} within 1e-9 relative
  expect min(-F) = -1 {kN} within 1e-9 relative
end
END
expect_exit 0 run taut.bond --no-plot --out taut
for solver in adams bdf rk78 ida; do
    expect_exit 0 run taut.bond --solver $solver --no-plot --out taut
    expect_exit 0 sweep taut.bond --solver $solver --vary "v = 1 .. 3 in 3 {m/s}" --record F --out taut_sweep
    awk -F, '!/^#/ && $1 ~ /^[0-9]/ { n++; for (i = 3; i <= NF; i++) if ($i / (500 * $2) > 0.999999999 && $i / (500 * $2) < 1.000000001) good++ }
        END { exit !(n == 3 && good == 3) }' taut_sweep/runs.csv || fail "$solver: largest values of a study: $(cat taut_sweep/runs.csv)"
done

# A ball is on its spring for a millisecond, and there are ten between two points: energy gives the
# largest force. Steps of rtol 1e-6 find it to 1e-4 with every method, in a study, too. Slopes need
# points that all runs share.
cat >ball.bond <<END
model Ball
  param m = 1 {kg}, k = 1e7 {N/m}, h = 1 {m}, g = 9.81 {m/s2}
  var x {m} initial h, v {m/s} initial 0
  der(x) = v
  m*der(v) = F - m*g
  output F {N}
  F = if x < 0 then -k*x else 0
end
experiment Drop of Ball
  stop 40 {s}
  points 100
  expect max(F) = m*g + sqrt((m*g)^2 + 2*k*m*g*h) within 1e-4 relative
  expect min(-F) = -(m*g + sqrt((m*g)^2 + 2*k*m*g*h)) within 1e-4 relative
end
experiment Softest of Ball
  stop 40 {s}
  points 100
  minimise max(F)
  over k from 1e6 to 1e7
end
END
for solver in adams bdf rk78 ida auto; do
    expect_exit 0 run ball.bond --solver $solver --no-plot --out ball
done
expect_exit 0 sweep ball.bond --solver rk78 --vary "h = 0.5 .. 2 in 5 {m}" --record F --out ball_sweep
expect_text out "all hold in 5 of 5 runs"
expect_exit 1 run ball.bond Softest --no-plot --out ball
expect_text err "error O001"
expect_text err "needs more of them"
exit $failed
