#!/bin/sh
# Three hours of an irregular sea: the spectrum that is recovered from the surface, and that of a
# barge's heave, |RAO|^2 times it, are the wanted ones inside of their confidence bands. A band has
# five components, and about 94 ordinates of the periodogram: 188 degrees of freedom; of 20 bands
# all lie within 0.7 to 1.38 of the wanted one in 998 of 1000 seas of Gaussian noise.
here=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cat >"$out/sea.bond" <<'END'
import marine_water
import marine_hull
mechanism Hull
  joint at free: world -> raft initial at (0, 0, -2.229965156794425) {m}
  body raft mass 80000 {kg} inertia (226667, 386667, 493333) {kg.m2} added_mass diag((30390, 27371, 56409, 29434, 96644, 18868))
  frame cg on raft
end
model Sea
  param sea: SeaState(Hs = 0.5 {m}, Tp = 10 {s}, n = 200, seed = 11)
  Hull hull
  Hydrostatics water(Zz = 351933.75 {N/m}, K_phi = 431640 {N.m/rad}, M_theta = 1137960 {N.m/rad}, z = hull.cg.position[3], R = hull.cg.rotation)
  HullDrag drag(linear = (2e5, 2e5, 2e5, 3e5, 6e5, 2e5))
  WaveOnBox wave(sea = sea, L = 7 {m}, B = 5 {m}, T = 2.229965156794425 {m})
  water.p -> hull.cg
  drag.p -> hull.cg
  wave.p -> hull.cg
  var eta {m}, z {m}
  eta = wave.eta
  z = hull.cg.position[3] + 2.229965156794425 {m}
end
experiment Long of Sea
  stop 10840 {s}
  every 1 {s}
  solver adams rtol 1e-6
  record eta, z
  audit off
end
END
"$1" run "$out/sea.bond" --no-plot --library "$here/library" --out "$out/run" >/dev/null || exit 1
grep -v '^#' "$out/run/results.csv" | awk -F, 'NR > 1 && $1 > 40 { eta[n] = $2; z[n++] = $3 }
    function power(x, w,   c, s0, s1, s2, i) { # |sum x e^(-i w t)|^2 by Goertzel
        c = 2*cos(w); s1 = s2 = 0
        for (i = 0; i < n; i++) { s0 = x[i] + c*s1 - s2; s2 = s1; s1 = s0 }
        return s1*s1 + s2*s2 - c*s1*s2
    }
    function wanted(w,   p, sigma) { p = 2*pi/10; sigma = w < p ? 0.07 : 0.09
        return 5/16*0.25*p^4/w^5*exp(-1.25*(p/w)^4)*exp(log(3.3)*exp(-0.5*((w/p - 1)/sigma)^2))*(1 - 0.287*log(3.3)) }
    function rao2(w,   k, F) { k = w*w/9.81; F = 1025*9.81*exp(-k*2.229965)*5*2/k*sin(k*3.5)
        return F*F/((351933.75 - w*w*136409)^2 + (w*2e5)^2) }
    END { pi = 3.14159265358979; p = 2*pi/10; wide = 5*3.5*p/200; dw = 2*pi/n; bad = 0
        for (b = 4; b < 30; b++) {
            low = 0.5*p + b*wide; S = Z = S0 = Z0 = 0; m = 0
            for (w = dw*int(low/dw + 0.5); w < low + wide; w += dw) {
                S += power(eta, w)/(pi*n); Z += power(z, w)/(pi*n); S0 += wanted(w); Z0 += rao2(w)*wanted(w); m++
            }
            if (!(S/S0 > 0.7 && S/S0 < 1.38) || !(Z/Z0 > 0.7 && Z/Z0 < 1.38)) bad = 1
            printf "%6.3f rad/s  surface %8.5f wanted %8.5f  ratio %.3f   heave %8.5f wanted %8.5f  ratio %.3f\n", low + wide/2, S/m, S0/m, S/S0, Z/m, Z0/m, Z/Z0
        }
        exit bad }'
