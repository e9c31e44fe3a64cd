#!/bin/sh
# Twenty models that grow rightly, with every solver: none is stopped and none is warned of. And
# what kept the steps of a run short is told with -v.
. "$(dirname "$0")/common.sh"

cat >growing.bond <<END
model G1 "free fall"
  var h initial 0, v
  der(h) = v*1 {1/s}
  der(v) = -9.81 {1/s}
end
model G2 "free fall on a planet's mass, from rest"
  Se weight = -981 {N}
  I body(100 {kg})
  1 v
  weight -> v -> body
end
model G3 "travel"
  var x
  der(x) = 3e7 {1/s}
end
model G4 "x' = x"
  var x initial 1
  der(x) = 1 {1/s}*x
end
model G5 "x' = x from next to nothing"
  var x initial 1e-12
  der(x) = 3 {1/s}*x
end
model G6 "bacteria"
  var n initial 100
  der(n) = 2 {1/s}*n*(1 - n/1e15)
end
model G7 "an integrator of a ramp"
  var a, b, c
  der(a) = 1 {1/s}
  der(b) = a*1 {1/s}
  der(c) = b*1 {1/s}
end
model G8 "a rocket"
  var m initial 1000, v, h
  der(m) = -90 {1/s}
  der(v) = 3000*90 {1/s}/m
  der(h) = v*1 {1/s}
end
model G9 "a rod that falls over"
  var q initial 1e-6, w
  der(q) = w*1 {1/s}
  der(w) = 9.81 {1/s}*sin(q)
end
model G10 "resonance"
  var x, v
  der(x) = v*1 {1/s}
  der(v) = -25 {1/s}*x + 1 {1/s}*sin(5 {rad/s}*time)
end
model G11 "a flywheel under torque"
  Se torque = 500 {N.m}
  I wheel(0.01 {kg.m2})
  1 w
  torque -> w -> wheel
end
model G12 "a tank that is filled"
  Sf pump = 2 {m3/s}
  C tank(1e-4 {m3/Pa})
  0 p
  pump -> p -> tank
end
model G13 "an unstable focus"
  var x initial 1, y
  der(x) = 0.5 {1/s}*x - 10 {1/s}*y
  der(y) = 10 {1/s}*x + 0.5 {1/s}*y
end
model G14 "Van der Pol from next to nothing"
  var x initial 1e-8, y
  der(x) = y*1 {1/s}
  der(y) = 3 {1/s}*(1 - x^2)*y - x*1 {1/s}
end
model G15 "heating"
  var T initial 0
  der(T) = 1e6 {1/s}
end
model G16 "a pulse after a rest"
  var x
  der(x) = (if time < 5 {s} then 0 {1/s} else 1e9 {1/s})
end
model G17 "compound interest, two accounts"
  var a initial 1, b initial 1e-6
  der(a) = 0.05 {1/s}*a
  der(b) = 0.8 {1/s}*b + 0.01 {1/s}*a
end
model G18 "an electron in a field"
  var x, v
  der(x) = v*1 {1/s}
  der(v) = 1.76e14 {1/s}
end
model G19 "Fibonacci's rabbits"
  var young initial 1, old
  der(young) = 1 {1/s}*old
  der(old) = 1 {1/s}*(young + old)
end
model G20 "an arc that is pulled"
  var q initial 1, w
  der(q) = w*1 {1/s}
  der(w) = (if time < 2 {s} then 1e3 {1/s} else -1e3 {1/s})
end
END
i=1
while [ $i -le 20 ]; do
    printf 'experiment E%s of G%s\n  stop 10 {s}\n  points 50\n  audit off\nend\n' $i $i >>growing.bond
    i=$((i + 1))
done
for solver in auto adams bdf rk78 rosenbrock; do
    expect_exit 0 run growing.bond --all --no-plot --solver $solver
    expect_empty err
done
sed 's/  points 50/  points 50\n  solver SOLVER step 1 {ms}/' growing.bond >fixed.bond
for solver in euler heun rk4; do
    sed "s/SOLVER/$solver/" fixed.bond >growing.bond
    expect_exit 0 run growing.bond --all --no-plot
    expect_empty err
done

cat >held.bond <<END
model Held
  var slow initial 1, fast initial 1
  der(slow) = -0.1 {1/s}*slow
  der(fast) = -50 {1/s}*(fast - sin(50 {rad/s}*time))
end
experiment E of Held
  stop 5 {s}
end
END
expect_exit 0 run held.bond --no-plot -v
expect_text out "held short by 'fast'"

# The words, and what is known of the cause (the models are those of tests/faults).
says() { # CODE EXIT FILE TEXT
    expect_exit "$2" run "$source_folder/tests/faults/$3.bond" --no-plot
    expect_text err "$1"
    expect_text err "$4"
}
says S046 5 fast_swing "time no longer advances: 100000 steps"
says S047 0 wrong_sign_slow "values have grown beyond every scale: 'v'"
says S048 5 decay_heun "'x' grows because the step of 0.01 s is too long for the method"
exit $failed
