#!/bin/sh
# How long a model without an experiment is run: by its own time scales, which the summary says.
. "$(dirname "$0")/common.sh"
spring() { # DAMPING
    printf 'model M\n  I mass(1 {kg})\n  C spring(0.01 {m/N}, q0 = 0.01 {m})\n  R damper(%s {N.s/m})\n  1 v\n  v -> mass, spring, damper\nend\n' "$1" >m.bond
    expect_exit 0 run m.bond --no-plot --out o
}
# s^2 + d s + 100: 5 time constants, 2/d each; at most 20 periods of 0.63 s
spring 2
expect_text out "stop         5 s, by the slowest poles"
[ "$(tail -n 1 o/results.csv | cut -d, -f1)" = 5 ] || fail "the run does not end at 5 s"
spring 0.01
expect_text out "stop         20 s, by the slowest poles"
spring 1000 # the slow pole is 0.1 1/s
expect_text out "stop         50 s, by the slowest poles"
# a pole that grows, 0.5 1/s
printf 'model M\n  var x initial 1\n  der(x) = 0.5*x/(1 {s})\nend\n' >m.bond
expect_exit 0 run m.bond --no-plot --out o
expect_text out "stop         10 s, by the slowest poles"
# nothing to tell by: 10 s as ever
printf 'model M\n  var x initial 1\n  der(x) = 1/(1 {s})\nend\n' >m.bond
expect_exit 0 run m.bond --no-plot --out o
grep -q "^stop" out && fail "an integrator alone has no time scale"
[ "$(tail -n 1 o/results.csv | cut -d, -f1)" = 10 ] || fail "the run does not end at 10 s"
# who says when is heard
spring 2 >/dev/null
expect_exit 0 run m.bond --no-plot --out o --stop 3
grep -q "^stop" out && fail "--stop is the user's"
printf 'experiment E of M\n  stop 7 {s}\nend\n' >>m.bond
expect_exit 0 run m.bond --no-plot --out o
grep -q "^stop" out && fail "the experiment says when"
exit $failed
