#!/bin/sh
# optimize, fit and sensitivity on the worked example of docs/analysis.md and on McBride's
# autopilot.
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
. "$(dirname "$0")/common.sh"
search=$examples/search/search.bond

says() {
    grep -qF -- "$1" out || fail "not said: $1"
}

expect_exit 0 optimize "$search" Damping --out a
says "expectations 2 of 2 hold"
expect_exit 0 optimize "$search" Limited --runs 4 -j 2 --out b
says "holds, and is what limits it"
says "4 ended well, 4 of them here"
[ ! -e b/search.part ] || fail "a finished search leaves its file"
expect_exit 0 optimize "$search" Damping --method bobyqa --out c
says "expectations 2 of 2 hold"
expect_exit 0 fit "$search" Fitted --out d
says "fitted       to 101 data"
says "no two parameters by more than 0.9"
[ -e d/fit_spring.q.svg ] || fail "no picture of the data beside the model"
expect_exit 0 fit "$search" Fitted --json --out e
says '"half_interval"'
expect_exit 0 sensitivity "$search" Depends --out f
[ -e f/tornado_spring.q.svg ] || fail "no tornado chart"
# d x/dF at rest is 1/k
tail -n 1 f/sensitivity.csv | awk -F, '{exit !($5 > 0.018 && $5 < 0.022)}' || fail "d q/dF is not 1/k"
expect_exit 1 optimize "$search" Fitted
expect_text err O008
# an equal search goes on from the best point so far
expect_exit 0 optimize "$examples/mcbride_missile/optimise.bond" --out g
says "expectations 10 of 10 hold"

# A search that is killed goes on where it was: the same command ends as if nothing had happened. A
# machine may be so fast that it is over before; tests/optimise/resume_test.c kills it for certain.
found() { # the number that was found and how many runs it took
    sed -n 's/^least *[^=]*= \([^ ]*\).*/\1/p; s/^search *\([0-9]* runs\).*/\1/p' out
}
expect_exit 0 optimize "$search" Damping --method crs --out whole
found >whole.txt
[ -s whole.txt ] || fail "nothing found"
"$bondyn" optimize "$search" Damping --method crs --out killed >out 2>err &
victim=$!
while kill -0 $victim 2>/dev/null; do
    size=$(wc -c killed/search.part 2>/dev/null | cut -d' ' -f1)
    [ "${size:-0}" -gt 4000 ] && kill -9 $victim 2>/dev/null && break
    sleep 0.01
done
wait $victim 2>/dev/null
# Where it is killed between its last run and its words, there is no file any more, and the search
# begins anew.
begun=no
[ -e killed/search.part ] && begun=yes
expect_exit 0 optimize "$search" Damping --method crs --out killed
[ $begun = no ] || says "known from before"
found | cmp -s - whole.txt || fail "a killed search ends elsewhere: $(found) for $(cat whole.txt)"
[ ! -e killed/search.part ] || fail "a finished search leaves its file"
# Searches over numbers of an analysis. The loop k/(s (T s + 1)) has a phase margin of 45 degrees with k T = sqrt(2); closed it has the
# damping 1/(2 sqrt(k T)), and overshoots by exp(-pi z/sqrt(1 - z^2)).
cat >loop.bond <<'END'
model Loop
  param k = 2 {1/s}, T = 0.1 {s}, colour = 3
  input u = 0
  output y
  var x initial 0, v initial 0
  T*der(v) = u - v
  der(x) = k*v
  y = x
end
model Closed
  param k = 5 {1/s}, T = 0.1 {s}
  input r = 0
  output y
  Loop open(k = k, T = T, u = r - y)
  y = open.x
end
experiment Fast of Loop bode
  maximise k
  over k from 1 to 100 {1/s}
  subject to phase_margin(y, u) >= 45 {deg}
  expect k = sqrt(2)/T within 1e-5 relative
  expect phase_margin(y, u) = 45 {deg} within 1e-4
end
experiment Calm of Closed step
  maximise k
  over k from 3 to 100 {1/s}, T from 0.05 to 0.1 {s}
  subject to overshoot(y, r) <= 0.1
  subject to k*T <= 2
  subject to pole_frequency(1) > 1 {Hz}
  expect k*T = (log(10)^2 + pi^2)/(4*log(10)^2) within 1e-3
  expect T = 0.05 {s} within 1e-6
  expect overshoot(y, r) < 0.1001
end
experiment Damped of Closed poles
  set k = 40 {1/s}
  minimise (pole_damping(1) - 0.5)^2
  over k from 1 to 100 {1/s}
  expect k = 10 {1/s} within 1e-3 relative
  expect phase_margin(y, r) > 0
end
END
expect_exit 0 optimize loop.bond --all --no-plot
expect_text out "largest"
expect_text out "subject to phase_margin(y, u) >= 45 {deg}: holds, and is what limits it"
expect_text out "without slopes"
expect_exit 0 optimize loop.bond Damped --method direct --json --no-plot
"$json_check" out || fail "a search over an analysis is not JSON"
expect_text out '"found": {"objective": "(pole_damping(1) - 0.5)^2"'
expect_exit 0 report loop.bond Fast --out fast.html
grep -q 'id="found"' fast.html || fail "the page of an analysis does not show what was found"
exit $failed
