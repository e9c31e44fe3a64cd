#!/bin/sh
# Wrong input of marine models is named, with its place and the remedy.
. "$(dirname "$0")/common.sh"

cat >bad.bond <<'END'
import marine_line
import marine_deck
import marine_water
import marine_hull
import marine_thrust
import marine_force
import marine_boom
mechanism Load
  joint at free: world -> load initial at (0, 0, -10) {m}
  body load mass 500 {kg} inertia (50, 50, 50) {kg.m2}
  frame eye on load in world
end
model Short "a wire of 8 m over 10 m"
  Load load
  Wire wire(k = 1e6 {N/m}, s0 = 8 {m}, at_a = (0, 0, 0) {m}, at_b = load.eye.position)
  Sf[3] tip = (0, 0, 0) {m/s}
  Sf drum = 0 {m/s}
  wire.a -> tip
  wire.b -> load.eye[1:3]
  drum -> wire.reel
end
model Empty "2 m of wire, 0.3 m of it a second"
  Drum drum(r0 = 0.3 {m}, L0 = 2 {m})
  Sf spin = 1 {rad/s}
  R load(10 {N.s/m})
  spin -> drum.shaft
  drum.rope -> load
end
model Breaking
  param height = 6 {m}, period = 4 {s}
  param sea: SeaState(Hs = height, Tp = period)
  Waves here(sea = sea)
end
model Signs "derivatives in place of the matrix of damping"
  AxisDrag drag(linear = (-800, 0, 0, 0, 0, 0))
  Sf[3] v = (1, 0, 0) {m/s}, w = (0, 0, 0) {rad/s}
  v -> drag.v
  w -> drag.w
end
model Light
  TrimCheck trim(mass = 4072 {kg}, V = 6.971 {m3})
  var x
  x = time
end
model Dependent "two thrusters that push the same way"
  ThrustAllocation to(m = 2, n = 2, H = [1, 1; 2, 2], tau = (3, 5))
end
model Narrow "a table of force RAOs up to 1 rad/s, waves up to 3.1"
  param sea: SeaState(Hs = 1 {m}, Tp = 8 {s}, n = 10)
  RaoForce heave(sea = sea, m = 2, w = (0.3, 1), amplitude = (1e5, 1e4))
  I hull(1e5)
  heave.p -> hull
end
model Gap "a table whose frequencies do not rise"
  param sea: SeaState(Hs = 1 {m}, Tp = 8 {s}, n = 10)
  RaoForce heave(sea = sea, m = 3, w = (0.3, 0.2, 4), amplitude = (1e5, 1e4, 0))
  I hull(1e5)
  heave.p -> hull
end
model Hole "nothing between 0.5 and 2 rad/s, where the waves are"
  param sea: SeaState(Hs = 1 {m}, Tp = 8 {s}, n = 10)
  RaoForce heave(sea = sea, m = 6, w = (0.3, 0.5, 2, 2.4, 2.8, 3.2), amplitude = (1e5, 9e4, 1e4, 1e3, 1e2, 0))
  I hull(1e5)
  heave.p -> hull
end
model NoRod "eyes that are nearer to each other than the cylinder is long"
  ServoCylinder ram(closed = 1.9 {m}, length0 = 1.5 {m}, wanted = 2 {m}, length = 1.5 {m})
  Sf still = 0 {m/s}
  ram.rod -> still
end
model NoSpectrum
  param sea: SeaState(spectrum = 7)
  Waves here(sea = sea)
end
model NoRoom "limits the wrong way round"
  LimitedAllocation to(m = 2, n = 2, H = [1, 0; 0, 1], most = (1, -2), least = (-1, 2), tau = (3, 5))
end
mechanism Derivative "SNAME's X_udot, which is negative, in place of the positive matrix; the total is still positive"
  joint at free: world -> b
  body b mass 10 {kg} inertia (1, 1, 1) {kg.m2} added_mass diag((-2, 5, 5, 0.1, 0.1, 0.1))
end
model Derivatives
  Derivative hull
end
mechanism Indefinite
  joint at free: world -> b
  body b mass 10 {kg} inertia (1, 1, 1) {kg.m2} added_mass diag((-20, 5, 5, 0.1, 0.1, 0.1))
end
END

expect_exit 5 run bad.bond --model Short --stop 1
expect_text err "the wire is shorter than the distance of its ends at the start"
expect_text err "gap0 = 2 m, s0 = 8 m"
expect_exit 5 run bad.bond --model Empty --stop 20
expect_text err "at t = 6.66667 s 'drum': the drum is empty"
expect_exit 5 run bad.bond --model Breaking --stop 1
expect_text err "such waves break"
expect_exit 0 run bad.bond --model Breaking --stop 1 --set "period = 7 {s}"
expect_text err "steeper than those that are measured"
expect_exit 5 run bad.bond --model Signs --stop 1
expect_text err "damping takes energy"
expect_exit 0 run bad.bond --model Light --stop 1
expect_text err "mass = 4072 kg"
expect_text err "displaced = 7145.27"
expect_exit 5 run bad.bond --model Dependent --stop 1
expect_text err "H has not full rank"
expect_exit 5 run bad.bond --model Narrow --stop 1
expect_text err "the RAO table does not cover the spectrum"
expect_exit 5 run bad.bond --model Gap --stop 1
expect_text err "the frequencies of a RAO table rise"
expect_exit 0 run bad.bond --model Hole --stop 1
expect_text err "the RAO table has a gap within the waves of the sea"
expect_exit 5 run bad.bond --model NoRod --stop 1
expect_text err "the eyes of the cylinder are nearer than it is long"
expect_exit 5 run bad.bond --model NoSpectrum --stop 1
expect_text err "the spectra are 1 (JONSWAP), 2 (Pierson and Moskowitz), 3 (ITTC)"
expect_exit 5 run bad.bond --model NoRoom --stop 1
expect_text err "a thruster has room between its limits"
expect_exit 0 run bad.bond --model Derivatives --stop 1
expect_text err "warning M061"
expect_exit 1 run bad.bond --model Indefinite --stop 1
expect_text err "eigenvalues -10,"
exit $failed
