#!/bin/sh
# The form of a mechanism that says none: velocities where it falls as a whole, momenta elsewhere.
. "$(dirname "$0")/common.sh"

# write_robot STATEMENT BASE MORE: a robot on its base, with a statement of its own, in a model with
# more
expect_none() { # of this TEXT on the output
    ! grep -qF -- "$1" out || fail "'$1' is said"
}

write_robot() {
    cat >robot.bond <<END
mechanism Robot
  $1
  gravity (0.3, -0.2, -9.81) {m/s2}
  $2
  joint a revolute z: deck -> upper at (0.25, -0.11, 0.005) {m} rotated y 1.3 {rad}
  joint b revolute z: upper -> fore at (0.15, 0, 0) {m} rotated x 90 {deg}
  body deck mass 25 {kg} inertia (0.228, 0.381, 0.4185) {kg.m2}
  body upper mass 0.63 {kg} cg (0.073, 0, 0) {m} inertia (8.7e-4, 0.0049, 0.0049) {kg.m2}
  body fore mass 0.147 {kg} cg (0.017, -0.026, 0) {m} inertia (1.3e-4, 0.7e-4, 1.7e-4) {kg.m2}
end
model M
  Robot r
  R d(0.1 {N.m.s/rad})
  r.a -> d
  $3
end
experiment E of M
  stop 2 {s}
  solver rk78 rtol 1e-9
  expect r.a.q(end) = -0.2 {rad} within 100
end
END
}
evaluations() { sed -n 's/.* \([0-9]*\) evaluations.*/\1/p' out; }
free='joint hull free: world -> deck initial rotated x 20 {deg} rate (0, 0, 0, 1, 0, 0.5)'
chosen='has velocities for states (form lagrange): it falls as a whole'

write_robot '' "$free" ''
expect_exit 0 check robot.bond
expect_text out "mechanism r $chosen"
expect_exit 0 run robot.bond -v --no-plot
expect_text out "form         velocities (lagrange) for r"
velocities=$(evaluations)
expect_exit 0 run robot.bond --no-plot --csv --out velocities
write_robot 'form momentum' "$free" ''
expect_exit 0 check robot.bond
expect_none "$chosen"
expect_exit 0 run robot.bond --no-plot
momenta=$(evaluations)
expect_exit 0 run robot.bond --no-plot --csv --out momenta
expect_exit 0 compare momenta/results.csv velocities/results.csv --rtol 1e-6 --atol 1e-6
[ "$velocities" -lt "$momenta" ] || fail "velocities take $velocities evaluations, momenta $momenta"

# what speaks of momenta keeps them, and so does all that does not fall by itself
for more in 'initial r.b.p = 0.1 {N.m.s}' 'when r.b.q > 0.6 then
    reinit(r.b.p, 0)
  end'; do
    write_robot '' "$free" "$more"
    expect_exit 0 check robot.bond
    expect_none "$chosen"
done
write_robot 'constraint c point: world -> deck' "$free" ''
expect_exit 0 check robot.bond
expect_none "$chosen"
write_robot '' 'joint hull revolute z: world -> deck' ''
expect_exit 0 check robot.bond
expect_none "$chosen"
