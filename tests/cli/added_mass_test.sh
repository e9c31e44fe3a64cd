#!/bin/sh
# Added mass never destabilises: random trees that float freely, with random positive added mass of
# up to ten times their own. In still water without drag energy and momentum (of bodies and water)
# stay; with drag energy falls, and momentum by the drag's impulse. No step is smaller than those of
# the same tree without added mass by more than ten times. rk78 takes the steps that its error
# allows; a multistep method begins anew with short ones wherever it rejects one, and so says less.
# A third argument is the number of trees (4).
seeds=${3:-4}
. "$(dirname "$0")/common.sh"

# A tree of 2 to 5 bodies. Added mass is G G' of a random G, scaled so that in no direction it is
# more than a random multiple, up to ten, of the body's own mass and inertia.
tree() {
    awk -v seed="$1" -v wet="$2" 'function r() { s = (s*16807) % 2147483647; return s/2147483647 }
    function sym(a, b) { return a + (b - a)*r() }
    function vec(a,   x, y, z) { x = sym(-a, a); y = sym(-a, a); z = sym(-a, a); return sprintf("(%.6g, %.6g, %.6g)", x, y, z) }
    function added(m, J,   i, j, k, G, A, row, text, scale, times, t, u, most, l) {
        times = 10*r()
        for (i = 1; i <= 6; i++) for (j = 1; j <= 6; j++) G[i, j] = sym(-1, 1)
        for (i = 1; i <= 6; i++) u[i] = 1
        for (l = 0; l < 200; l++) { # the largest eigenvalue of G G-transposed
            most = 0
            for (k = 1; k <= 6; k++) { t[k] = 0; for (i = 1; i <= 6; i++) t[k] += G[i, k]*u[i] }
            for (i = 1; i <= 6; i++) { u[i] = 0; for (k = 1; k <= 6; k++) u[i] += G[i, k]*t[k]; most += u[i]^2 }
            most = sqrt(most)
            for (i = 1; i <= 6; i++) u[i] /= most
        }
        for (i = 1; i <= 6; i++) {
            row = ""
            for (j = 1; j <= 6; j++) {
                A = 0
                for (k = 1; k <= 6; k++) A += G[i, k]*G[j, k]/most
                scale = (i <= 3 ? sqrt(m) : sqrt(J))*(j <= 3 ? sqrt(m) : sqrt(J))
                row = row sprintf("%s%.17g", j > 1 ? ", " : "", times*A*scale)
            }
            text = text (i > 1 ? "; " : "") row
        }
        return wet ? sprintf(" added_mass [%s]", text) : ""
    }
    BEGIN {
        s = seed*7919 + 17; for (i = 0; i < 10; i++) r()
        n = 2 + int(4*r())
        drag = r() < 0.5 ? 0 : 20 + 100*r()
        print "mechanism Tree\n  gravity off"
        printf "  joint j1 free: world -> b1 rate (%.4g, %.4g, %.4g, %.4g, %.4g, %.4g)\n", sym(-1, 1), sym(-1, 1), sym(-1, 1), sym(-1, 1), sym(-1, 1), sym(-1, 1)
        for (i = 2; i <= n; i++) {
            kind = r() < 0.6 ? "revolute" : r() < 0.5 ? "spherical" : "prismatic"
            printf "  joint j%d %s%s: b%d -> b%d at %s {m}\n", i, kind, kind == "spherical" ? "" : " " vec(1), 1 + int((i - 1)*r()), i, vec(1)
        }
        for (i = 1; i <= n; i++) {
            m = 5 + 50*r(); J = m*(0.05 + 0.2*r())
            printf "  body b%d mass %.6g {kg} cg %s {m} inertia (%.6g, %.6g, %.6g) {kg.m2}%s\n", i, m, vec(0.3), J, J*sym(0.8, 1.1), J*sym(0.8, 1.1), added(m, J)
        }
        print "  frame wet on b1 in world\nend"
        print "model Free\n  Tree tree\n  R[3] drag(" drag " {N.s/m})\n  var J[3] {N.s} initial (0, 0, 0) {N.s}, dP[3] {N.s}, dE {J}, heat {J} initial 0 {J}"
        print "  tree.wet[1:3] -> drag\n  der(J) = -drag.e\n  der(heat) = dot(drag.e, drag.f)\n  dP = tree.momentum[1:3] - J\n  dE = tree.energy + heat\nend"
        print "experiment Drift of Free\n  stop 5 {s}\n  solver rk78 rtol 1e-9\n  record dP, dE, tree.energy, tree.momentum\n  audit 1e-7\n"
        print "  expect max(dE) - min(dE) < 1e-6*max(dE)"
        for (i = 1; i <= 3; i++) printf "  expect max(dP[%d]) - min(dP[%d]) < (1e-6*%g) {N.s}\n", i, i, 100
        if (!drag) for (i = 4; i <= 6; i++) printf "  expect max(tree.momentum[%d]) - min(tree.momentum[%d]) < 1e-4\n", i, i
        print "end"
    }'
}

# Energy never rises from one row to the next by more than rounding and tolerance.
falls() {
    awk -F, '/^#/ { next } !column { for (i = 1; i <= NF; i++) if ($i ~ /tree.energy/) column = i; next }
        last != "" && $column > last*(1 + 1e-7) { print "energy rises at", $1, last, $column; bad = 1 } { last = $column } END { exit bad }' "$1"
}

steps() { sed -n 's/^solver  *[a-z0-9]*, \([0-9]*\) steps.*/\1/p' out; }

# passes FILE STEP: the run needs no step below this one
passes() { "$bondyn" run "$1" --out short --no-plot --engine vm --min-step "$2" >short.out 2>&1; }

product() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.6g", a*b }'; }

seed=1
while [ "$seed" -le "$seeds" ]; do
    tree "$seed" 1 >wet.bond
    tree "$seed" 0 >dry.bond
    expect_exit 0 run dry.bond --out dry --no-plot
    step=$(awk -v n="$(steps)" 'BEGIN { printf "%.6g", 5/n }')
    expect_exit 0 run wet.bond --out wet --no-plot
    falls wet/results.csv || fail "tree $seed"
    # the largest of 5 s/steps, 0.8 of it, 0.64 ... that is below all steps of the dry tree, and so
    # within 0.8 of its smallest one
    until passes dry.bond "$step"; do step=$(product "$step" 0.8); done
    passes wet.bond "$(product "$step" 0.125)" || fail "tree $seed: the smallest step of the dry tree is less than $(product "$step" 1.25), a tenth of it is too long with added mass"
    [ $failed -eq 0 ] || { cat wet.bond; break; }
    seed=$((seed + 1))
done
exit $failed
