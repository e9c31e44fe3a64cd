#!/bin/sh
# The verdict on energy: what went in and what came back stand apart, a loss is one however long the
# run was, and losses of the integration are told from energy that a law makes.
. "$(dirname "$0")/common.sh"

cat >winch.bond <<END
model Winch "a pump lifts a weight"
  Se pump = 1200 {N}
  Se weight = -981 {N}
  I load(100 {kg})
  R oil(100 {N.s/m})
  1 v
  pump -> v
  weight -> v
  v -> load, oil
end
experiment Lift of Winch
  stop 10 {s}
end
END
expect_exit 0 run winch.bond --no-plot
expect_text out "supplied 23652.1 J, returned 19335.6 J, dissipated 4076.7"
expect_exit 0 run winch.bond --no-plot --json
expect_text out '"returned": 19335.'

# Where the potential energy is zero, and what else there is, excuses no loss.
cat >high.bond <<END
mechanism Pendulum
  param h = 1e6 {m}
  gravity (0, 0, -9.81 {m/s2})
  joint pin revolute y: world -> bob at (0, 0, h) initial 1 {rad}
  body bob mass 1 {kg} cg (0, 0, -1 {m})
end
experiment Coarse of Pendulum
  stop 300 {s}
  solver bdf rtol 1e-3
end
END
expect_exit 3 run high.bond --no-plot
expect_text err "the integration has "
expect_text err "0.01 is allowed"

# own LAW...: a mass on an element with a law of its own and an energy that fits, or does not.
own() {
    cat >own.bond <<END
element Spring
  port p: translation
  var q {m} initial 0.1 {m}
  der(q) = p.f
  p.e = 100 {N/m}*q
  $1
end
model Swing
  Spring s
  I m(1 {kg})
  1 v
  v -> s.p, m
end
experiment Go of Swing
  stop $2 {s}
  solver $3
end
END
}
own 'stores 50 {N/m}*q^2' 20 "rk78 rtol 1e-8"
expect_exit 0 run own.bond --no-plot
own 'stores 40 {N/m}*q^2' 20.1 "rk78 rtol 1e-8"
expect_exit 3 run own.bond --no-plot
expect_text err "a law makes or loses energy; 's' has the largest residual"
own 'stores 50 {N/m}*q^2' 400 "bdf rtol 1e-3"
expect_exit 3 run own.bond --no-plot
expect_text err "the integration has lost energy"
own 'stores 50 {N/m}*q^2' 30 "euler step 1e-3 {s}"
expect_exit 3 run own.bond --no-plot
expect_text err "the integration has made energy"

# A field that is not symmetric has no energy: warned of before the run, named after it.
cat >field.bond <<END
model Field
  C plate([1, 0.2; 0.3, 1]*0.01 {m/N}, q0 = (0.1, 0) {m})
  I mass([1, 0; 0, 1]*1 {kg}, p0 = (0, 1) {N.s})
  1[2] v
  v -> plate, mass
end
experiment Round of Field
  stop 5 {s}
  solver rk78 rtol 1e-9
end
END
expect_exit 3 run field.bond --no-plot
expect_text err "warning G015: the matrix of 'plate' is not symmetric"
expect_text err "a law makes or loses energy; 'plate' has the largest residual"

# What prescribes a velocity jumps: the impulse is in the audit, and both forms go on the same way.
cat >jump.bond <<END
mechanism Wagon
  param m1 = 3 {kg}, m2 = 2 {kg}, L = 0.8 {m}, J = 0.05 {kg.m2}, g = 9.81 {m/s2}, v = 1.5 {m/s}
  gravity (0, -g, 0)
  joint roll prismatic x: world -> car driven by (if time < 1 {s} then 0 {m} else v*(time - 1 {s}))
  joint pin revolute z: car -> bob initial -0.4 {rad}
  body car mass m1
  body bob mass m2 cg (0, -L, 0) inertia (J, J, J)
end
mechanism WagonW extends Wagon
  form lagrange
end
model Both
  Wagon a
  WagonW b
  // the pendulum by its equations: at 1 s its momentum about the pin stays
  var q {rad} initial -0.4 {rad}, w {rad/s} initial 0
  der(q) = w
  der(w) = -2*9.81*0.8/1.33*1 {rad/s2}*sin(q)
  when time > 1 {s} then
    reinit(w, w - 2*0.8*1.5/1.33*1 {rad/s}*cos(q))
  end
  Sf winch = (if time < 1 {s} then 0.5 {m/s} else 2 {m/s})
  I drum(3 {kg})
  R oil(1 {N.s/m})
  1 rope
  winch -> rope -> drum, oil
  Sf crane = (if time < 1 {s} then 2 {m/s} else 0.5 {m/s})
  I hook(3 {kg})
  1 line
  crane -> line -> hook
end
experiment Jumps of Both
  stop 2 {s}
  solver rk78 rtol 1e-10
  expect a.pin.q(end) = b.pin.q(end) within 1e-8
  expect a.pin.f(end) = b.pin.f(end) within 1e-8
  expect a.pin.q(end) = q(end) within 1e-8
  expect a.pin.f(end) = w(end) within 1e-8
end
END
for solver in rk78 adams bdf; do
    expect_exit 0 run jump.bond --no-plot --solver $solver --rtol 1e-10
done

# Sums beyond the range of numbers are said in words.
cat >huge.bond <<'END'
model H
  I mass(1e300 {kg}, p0 = 1e300 {N.s})
  C spring(1e-300 {m/N})
  1 v
  v -> mass, spring
end
END
expect_exit 5 run huge.bond --no-plot --out huge
expect_text out "NOT BALANCED: the sums are beyond the range of numbers"

# A machine at rest (before its expectations): what moves is rounding of the energy that it holds.
expect_exit 4 run "$source_folder/examples/titan4/titan4.bond" --stop 0.1 --no-plot --out rest
expect_text out ": balanced"
exit $failed
