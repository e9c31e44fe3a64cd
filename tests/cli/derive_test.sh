#!/bin/sh
# derive: formulas of mechanisms, and C functions that a compiler accepts and that give the same.
. "$(dirname "$0")/common.sh"

wagon=$source_folder/examples/wagon_pendulum/wagon_pendulum.bond

expect_exit 0 derive "$wagon"
expect_text out "q = (slide.q, pin.q)"
expect_text out "B[1,1] = m1 + m2"
expect_text out "B[1,2] = L*m2*cos(pin.q)"
expect_text out "B[2,2] = L^2*m2"
expect_text out "dB/dpin.q[1,2] = -L*m2*sin(pin.q)"
expect_text out "g[2] = -pull*L*m2*sin(pin.q)"
expect_text out "C[1,2] = -pin.f*L*m2*sin(pin.q)"
expect_text out "Cw[1] = -sin(pin.q)*pin.f^2*L*m2"
expect_text out "J_tip[5,2] = 1"
expect_exit 0 derive "$wagon" WagonMechanism --only B,tip
grep -q 'beta' out && fail "--only B,tip prints beta"
expect_exit 0 derive "$wagon" WagonMechanism --only B --fixed
expect_text out "B[2,2] = 0.09"
expect_exit 0 derive "$wagon" WagonMechanism --only B --fixed --set "m2 = 2 {kg}"
expect_text out "B[2,2] = 0.18"
expect_exit 0 derive "$wagon" wagon --model Wagon --only B # the one in the model, names without path
expect_text out "B[2,2] = L^2*m2"
expect_exit 0 derive "$wagon" --latex --only B,dB
expect_text out '\begin{bmatrix}'
expect_exit 0 derive "$wagon" --json
"$json_check" out || fail "not JSON"
expect_text out '"coordinates": ["slide.q", "pin.q"]'

expect_exit 1 derive "$wagon" Wagn
expect_text err "error D002: there is no mechanism 'Wagn'"
expect_exit 1 derive "$wagon" --only B,M
expect_text err "error D001: 'M' is neither a matrix nor a frame"
expect_exit 2 derive "$wagon" --c --signature 20sm
expect_text err "did you mean '20sim'?"
cat >table.bond <<END
table weight(x {m}) {kg} linear
  0, 1
  1, 2
end
mechanism Arm
  param L = 0.5 {m}
  joint q1 revolute z: world -> link
  body link mass weight(L) cg (L, 0, 0)
end
END
expect_exit 1 derive table.bond --c
expect_text err "error D003"
expect_exit 0 derive table.bond --c --fixed
expect_file Arm.c

command -v cc >/dev/null || exit $failed
strict="cc -std=c99 -Wall -Wextra -Wpedantic -Wmissing-prototypes -Werror"

# Numbers of the C functions, plain and by the five arguments, against the formulas by hand.
expect_exit 0 derive "$wagon" --c --out plain
expect_exit 0 derive "$wagon" --c --signature 20sim --out packed
expect_exit 0 derive "$wagon" --c --fixed --out fixed
cat >main.c <<'END'
#include <math.h>
#include <stdio.h>
#include "WagonMechanism.h"
static int bad;
static void same(const char *what, double got, double wanted) {
    if (fabs(got - wanted) > 1e-14) bad = 1, printf("%s: %.17g, expected %.17g\n", what, got, wanted);
}
int main(void) {
    double q[] = {0.3, 0.7}, w[] = {-0.4, 1.1}, B[4], g[2], c[2], C[4], T[1], V[1];
    WagonMechanism_params p;
    WagonMechanism_defaults(&p);
    p.m2 = 1.5;
    double coupling = p.L * p.m2 * cos(0.7), turn = p.L * p.m2 * sin(0.7), moment = p.L * p.L * p.m2;
    WagonMechanism_B(&p, q, B);
    WagonMechanism_g(&p, q, g);
    WagonMechanism_C(&p, q, w, C);
    WagonMechanism_Cw(&p, q, w, c);
    WagonMechanism_T(&p, q, w, T);
    WagonMechanism_V(&p, q, V);
    same("B11", B[0], 3.5), same("B12", B[1], coupling), same("B21", B[2], coupling);
    same("B22", B[3], moment), same("g1", g[0], 0), same("g2", g[1], -9.81 * turn);
    same("C12", C[1], -turn * 1.1), same("C11", C[0], 0), same("C21", C[2], 0);
    same("Cw1", c[0], -turn * 1.21), same("Cw2", c[1], 0);
    same("T", T[0], 0.5 * (3.5 * 0.16 + moment * 1.21) - coupling * 0.44);
    same("V", V[0], 9.81 * (2 * 0.1 + 1.5 * 0.2 + coupling));
    return bad;
}
END
cat >packed.c <<'END'
#include <math.h>
#include "WagonMechanism.h"
int main(void) { /* B takes q, then L, h, m1, m2, pull */
    double in[] = {0.3, 0.7, 0.3, 0.2, 2, 1.5, 9.81}, out[4];
    if (WagonMechanism_B(in, 7, out, 4, 1) != 0 || WagonMechanism_B(in, 2, out, 4, 1) == 0) return 1;
    return fabs(out[3] - 0.3 * 0.3 * 1.5) > 1e-15;
}
END
{ $strict -Iplain main.c plain/WagonMechanism.c -lm -o main && ./main; } || fail "C functions"
{ $strict -Ipacked packed.c packed/WagonMechanism.c -lm -o main && ./main; } || fail "five arguments"
$strict -c fixed/WagonMechanism.c -o fixed.o || fail "fixed parameters"
# One function for all parts, by five arguments: B as a triangle, Cw, g; what it saves is printed.
expect_exit 0 derive "$wagon" --c --signature 20sim --shared --packed --only B,Cw,g --out all
expect_text out "12 operations; 15 in a function for each matrix"
expect_text all/WagonMechanism.h "// B, 2 x 2: inertia: p = B w, kinetic energy w' B w/2; packed, 3 numbers; from out[0]"
cat >all.c <<'END'
#include <math.h>
#include "WagonMechanism.h"
int main(void) { /* q, w, L, m1, m2, pull */
    double in[] = {0.3, 0.7, -0.4, 1.1, 0.3, 2, 1.5, 9.81}, out[7], turn = 0.45 * sin(0.7);
    double wanted[] = {3.5, 0.45 * cos(0.7), 0.135, 0, -9.81 * turn, -turn * 1.21, 0};
    if (WagonMechanism_all(in, 8, out, 7, 1) != 0 || WagonMechanism_all(in, 8, out, 6, 1) == 0) return 1;
    for (int i = 0; i < 7; i++)
        if (!(fabs(out[i] - wanted[i]) <= 1e-14)) return 1;
    return 0;
}
END
{ $strict -Iall all.c all/WagonMechanism.c -lm -o main && ./main; } || fail "one function of five arguments"
for other in double_pendulum rigid_body gyroscope; do
    names=$(sed -n 's/^mechanism  *\([A-Za-z0-9_]*\).*/\1/p' "$source_folder/examples/$other/$other.bond")
    for name in $names; do
        for signature in plain 20sim; do
            expect_exit 0 derive "$source_folder/examples/$other/$other.bond" "$name" --c --signature $signature --out c
            $strict -c "c/$name.c" -o other.o || fail "$other $name"
        done
    done
done
# A description that ends in a backslash must not take the next line into its comment.
cat > slash.bond <<'END'
mechanism Slash
  param m = 1 {kg} "a mass \"
  param L = 1 {m} "a length \  "
  joint a revolute y: world -> link
  body link mass m cg (L, 0, 0) inertia (0, 0.1, 0.1) {kg.m2}
end
END
expect_exit 0 derive slash.bond --c --out c
$strict -c c/Slash.c -o other.o || fail "a description that ends in a backslash"
# A mechanism of an imported file, by its name and by its path in a model; a robot description.
printf 'import slash\nmodel M\n  Slash x\nend\n' > user.bond
printf 'import slash\n' > alone.bond
expect_exit 0 derive slash.bond --only B --out own.txt
for file in user.bond alone.bond; do
    expect_exit 0 derive $file Slash --only B --out imported.txt
    cmp own.txt imported.txt || fail "an imported mechanism of $file"
done
expect_exit 0 derive user.bond x --only B
printf 'mechanism Robot from "%s"\n' "$source_folder/examples/urdf_arm/arm.urdf" > robot.bond
expect_exit 0 derive robot.bond --only B,g
# Lagrangians: the matrices of their energies; others have no B(q).
energies=$source_folder/examples/energy_graphs/energies.bond
expect_exit 0 derive "$energies" Wagon --out wagon.txt
for line in 'B\[1,2\] = L\*m2\*cos(pin.q)' 'C\[2,1\] = -pin.f\*L\*m2\*sin(pin.q)' 'R\[1\] = d2\*pin.f' \
    'g\[2\] = k1\*slide.q'; do
    grep -q "$line" wagon.txt || fail "lagrangian: $line"
done
expect_exit 0 derive "$energies" Wagon --only B,g --c --out c
$strict -c c/Wagon.c -o other.o || fail "C functions of a lagrangian"
expect_exit 1 derive "$energies" Wagon --only J
for other in "fast_mass/fast_mass.bond Mass" "rigid_body/rigid_body.bond Angles"; do
    expect_exit 1 derive "$source_folder/examples/${other% *}" "${other#* }"
done
# Explicit graphs: those of the example are what `derive` writes today.
graphs=$source_folder/examples/energy_graphs
for name in Wagon Pendulums Gyro Arm Body Ball Puck; do
    for form in constant unit; do
        file=$(echo $name | tr A-Z a-z)_$form.bond
        expect_exit 0 derive "$graphs/energies.bond" $name --graph $form --out "$file"
        diff "$graphs/$file" "$file" || fail "graph $name $form"
        expect_exit 0 check "$file"
    done
done
expect_exit 0 derive "$graphs/energies.bond" Wagon --graph constant --json
expect_exit 2 derive "$graphs/energies.bond" Wagon --graph constnt
exit $failed
