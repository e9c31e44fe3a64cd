#!/bin/sh
# What there is: signals with units and start values, components with their variables, members of a
# component in the message about a wrong one.
. "$(dirname "$0")/common.sh"

write_model ''
expect_exit 0 signals model.bond
expect_text out "9 of 9 signals"
grep -q '^state  *spring.q  *0.1 m' out || { fail "no start of spring.q"; cat out; }
grep -q '^variable  *spring.e  *10 N' out || { fail "no start of spring.e"; cat out; }
grep -q '^parameter  *k  *100 N/m' out || { fail "no parameter k"; cat out; }
[ ! -e results ] || fail "signals writes results"
expect_exit 0 signals model.bond --find SPRING.Q
expect_text out "1 of 9 signals"
expect_exit 0 signals model.bond --find parameter --set "k = 50 {N/m}"
grep -q '^parameter  *k  *50 N/m' out || { fail "--set is not seen"; cat out; }
expect_exit 0 signals model.bond --json
"$json_check" out || fail "not JSON"
expect_text out '{"name": "spring.q", "kind": "state", "unit": "m", "text": "", "start": 0.1}'
expect_exit 1 signals none.bond

expect_exit 0 lib electric.Diode
expect_text out "variables"
expect_text out "voltage over the junction"
expect_exit 0 lib orifice_flow
expect_text out "orifice_flow(A {m2}, dp {Pa}, Cd {1}, rho {kg/m3}, p_tr {Pa})"
expect_exit 0 lib
grep -q 'Test ' out && fail "self-tests are listed: $(grep 'Test ' out)"

cat >wrong.bond <<'END'
import electric
model A
  Diode d
  Se s = .5 {V}
  1 i
  s -> i
  i -> d.p
  var x
  x = d.current_of_it
end
END
expect_exit 1 check wrong.bond
expect_text err "it has Is, Rs, Vt, limit, n, p, u, x"

# .5 is a number, where it cannot be a member
cat >half.bond <<'END'
model H
  param a = .5, b = -.25e1, c = a*.5+.5
  var x
  x = a + b + c
end
experiment E of H
  stop 1 {s}
  expect x(0 {s}) = -1.25 within 1e-12
end
END
expect_exit 0 run half.bond --out half
printf 'model H\n  param a = 1\n  var x\n  x = a.5\nend\n' >member.bond
expect_exit 1 check member.bond
exit $failed
