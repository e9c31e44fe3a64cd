#!/bin/sh
# import hydro: tables of WAMIT and ShipX/VERES of one vessel that is known (its memory has three
# modes) become the same model, whose motion in a wave is that of the frequency domain; gaps and
# wrong numbers are reported with their place.
. "$(dirname "$0")/common.sh"

# vessel FORMAT: the tables, of what is 20 x 8 m, 200 t. WAMIT's are made for the length 2 m.
vessel() {
    awk -v format="$1" '
    function size(i, j) { return 1025*2^(3 + (i > 3) + (j > 3)) }
    function shape(w, w0, z) { d = w0*w0 - w*w; e = 2*z*w0*w; re = e*w/(d*d + e*e); im = d/(d*d + e*e) }
    function coefficients(w,   m, i, j) { # A(w), B(w) in the axes of the library
        for (i = 1; i <= 6; i++) for (j = 1; j <= 6; j++) { A[i, j] = inf[i, j]; B[i, j] = 0 }
        for (m = 1; m <= 3; m++) {
            shape(w, w0[m], z[m])
            for (i = 1; i <= 6; i++) for (j = 1; j <= 6; j++) { A[i, j] += q[m, i]*q[m, j]*im; B[i, j] += q[m, i]*q[m, j]*re }
        }
    }
    function waves(w, beta,   k, s, c) { # forces: simple ones with the symmetry of a vessel
        c = cos(beta*pi/180); s = sin(beta*pi/180); k = w*w/9.81
        re_[1] = 0; im_[1] = 3e5*w*w*c*exp(-k); re_[2] = 0; im_[2] = 4e5*w*w*s*exp(-k)
        re_[3] = 7e5*exp(-1.5*k); im_[3] = -1e5*k; re_[4] = 0; im_[4] = -2e5*w*w*s*exp(-k)
        re_[5] = 0; im_[5] = 4e6*k*c*exp(-k); re_[6] = 1e5*w*s*c; im_[6] = 0
    }
    function veres_row(M, i,   j) { for (j = 1; j <= 6; j++) printf "  %.8E", M[i, j]*turn[i]*turn[j]; print "" }
    function veres_matrix(M,   i) { for (i = 1; i <= 6; i++) veres_row(M, i) }
    function veres_head(title) {
        print " " title " - VERES Version  4.02.3\n Run name:\n Ship name: Box\n Loading condition description:\n\n ShipX exported data"
        print "  0.10250000E+04  0.98100000E+01\n  0.20000000E+02  0.80000000E+01  0.12200000E+01\n  0.00000000E+00  0.10000000E+01"
    }
    BEGIN {
        pi = atan2(0, -1)
        split("-1 -1 1 -1 -1 1", turn, " ")
        for (i = 1; i <= 6; i++) for (j = 1; j <= 6; j++) inf[i, j] = C[i, j] = M[i, j] = 0
        split("2e4 6e4 1e5 2e5 9e5 8e5", a, " "); for (i = 1; i <= 6; i++) inf[i, i] = a[i]
        inf[2, 4] = inf[4, 2] = -3e4
        for (i = 1; i <= 3; i++) M[i, i] = 2e5; M[4, 4] = 1e6; M[5, 5] = M[6, 6] = 6e6
        C[3, 3] = 1.6e6; C[4, 4] = 7e6; C[5, 5] = 5e7
        w0[1] = 0.9; z[1] = 0.3; q[1, 3] = 400; w0[2] = 1.4; z[2] = 0.2; q[2, 5] = 900; q[2, 1] = 50; w0[3] = 1.8; z[3] = 0.4; q[3, 2] = 300; q[3, 4] = -400
        n = 28; for (k = 1; k <= n; k++) w[k] = 0.3 + 0.1*(k - 1)
        if (format == "1") {
            for (i = 1; i <= 6; i++) for (j = 1; j <= 6; j++) printf " 0.000000E+00 %5d %5d %.6E\n", i, j, inf[i, j]/size(i, j)
            for (k = n; k >= 1; k--) { coefficients(w[k]); for (i = 1; i <= 6; i++) for (j = 1; j <= 6; j++)
                printf " %.9E %5d %5d %.8E %.8E\n", 2*pi/w[k], i, j, A[i, j]/size(i, j), B[i, j]/size(i, j)/w[k] }
        } else if (format == "3") {
            for (k = n; k >= 1; k--) for (b = 0; b <= 180; b += 30) { waves(w[k], b); for (i = 1; i <= 6; i++) {
                s = 1025*9.81*2^(2 + (i > 3)); printf " %.9E %.6E %5d %.6E %.6E %.8E %.8E\n", 2*pi/w[k], b, i,
                    sqrt(re_[i]^2 + im_[i]^2)/s, atan2(im_[i], re_[i])*180/pi, re_[i]/s, im_[i]/s } }
        } else if (format == "hst") {
            for (i = 1; i <= 6; i++) for (j = 1; j <= 6; j++) printf " %5d %5d %.8E\n", i, j, C[i, j]/(1025*9.81*2^(2 + (i > 3) + (j > 3)))
        } else if (format == "re7") {
            veres_head("HYDRODYNAMIC COEFFICIENTS (Version 2)")
            print "    -1     2\n     1     1    " n "     6"
            veres_matrix(M)
            print "  0.0000000E+00  0.0000000E+00  0.0000000E+00   0.0   1.22\n       0.00"
            for (k = 1; k <= n; k++) {
                print w[k]; coefficients(w[k])
                for (i = 1; i <= 6; i++) for (j = 1; j <= 6; j++) zero[i, j] = 0
                veres_matrix(A); veres_matrix(zero); veres_matrix(B); veres_matrix(zero); veres_matrix(C); veres_matrix(zero)
                print "  0.0  0.0  0.0  0.0"
            }
        } else {
            veres_head("WAVE EXCITATION FORCE TRANSFER FUNCTIONS")
            print "     1     7    " n "     6\n  0.0000000E+00  0.0000000E+00  0.0000000E+00   0.0   1.22"
            for (b = 0; b <= 180; b += 30) { # running aft: to b + 180 from ahead
                print b
                for (k = 1; k <= n; k++) { print w[k]; waves(w[k], b + 180); for (i = 1; i <= 6; i++) printf "  %d  %.8E  %.8E\n", i, turn[i]*re_[i], turn[i]*im_[i] }
            }
        }
    }'
}
for e in 1 3 hst; do vessel $e >box.$e; done
for e in re7 re8; do vessel $e >ship.$e; done

expect_exit 0 import hydro box.1 --set "length = 2" --out box.bond
expect_text out "written box.bond"
expect_empty err
expect_exit 0 import hydro ship.re8 --out ship.bond
expect_empty err
expect_exit 0 import hydro box.hst --json
"$json_check" out || fail "not JSON"
expect_text box.bond "table box_A33(w {rad/s}) {kg} linear"
expect_text box.bond "table box_Y5(w {rad/s}, beta {deg}) linear"
expect_text ship.bond "const ship_M = [200000,"

# Tables are the same but for rounding: of WAMIT's periods, and of numbers of eight digits.
sed -e 's/ship_/box_/g' ship.bond | awk '/^table/, /^end/' >b
awk '/^table/, /^end/' box.bond >a
paste -d, a b | awk -F, '/table/ || /end/ || NF < 4 { next } { for (i = 1; i <= NF/2; i++) { d = $i - $(i + NF/2); s = ($i < 0 ? -$i : $i) + 1
    if (d > 1e-5*s || d < -1e-5*s) { print "differs:", $0; exit 1 } } }' || fail "WAMIT and VERES give different tables"

# Heave and pitch in a regular head sea of 1.2 rad/s, against the frequency domain.
cat >sea.bond <<'END'
import "FILE.bond"
import marine_water
mechanism Hull
  joint at free: world -> hull
  body hull mass 2e5 {kg} cg (0, 0, 0) {m} inertia (1e6, 6e6, 6e6) {kg.m2} added_mass FILE_A_inf
  frame origin on hull
end
model Sea
  param sea: SeaState(regular = true, Hs = 0.1 {m}, Tp = 2*pi/(1.2 {rad/s}), heading = 180 {deg}, low = 0.6, high = 2)
  Hull hull
  FILE_water water(sea = sea, z = hull.origin.position[3], R = hull.origin.rotation, mg = 2e5*9.81 {N})
  R[6] slow(SLOW)
  water.p -> hull.origin
  hull.at -> slow
end
experiment Wave of Sea
  stop 180 {s}
  solver adams rtol 1e-7
EXPECT
  audit 1e-5
end
END
awk 'BEGIN { w = 1.2; pi = atan2(0, -1)
    d = 0.81 - w*w; e = 2*0.3*0.9*w; A = 1e5 + 160000*d/(d*d + e*e); B = 160000*e*w/(d*d + e*e); k = w*w/9.81
    re = 1.6e6 - w*w*(2e5 + A); im = w*(B + 1e3); n = re*re + im*im
    x = 7e5*exp(-1.5*k); y = -1e5*k
    a = 0.05*(x*re + y*im)/n; b = 0.05*(y*re - x*im)/n       # z = a cos(w t) - b sin(w t)
    for (t = 170; t <= 179; t += 3) printf "  expect hull.at.position[3](%d {s}) = %.8f {m} within 4e-4\n", t, a*cos(w*t) - b*sin(w*t) }' >expect
for file in box ship; do
    # surge, sway and yaw are held by a little damping: nothing else keeps the vessel in its place
    sed -e "s/FILE/$file/g" -e 's/SLOW/diag((1e6, 1e6, 1e3, 1e3, 1e3, 1e6))/' -e '/^EXPECT/{r expect
d;}' sea.bond >$file.sea.bond
    expect_exit 0 run $file.sea.bond --no-plot
    expect_text out "expectations 4 of 4 hold"
done
# waves beyond the tables, and a heading that they do not have
expect_exit 5 run box.sea.bond --no-plot --set "sea.Tp = 1 {s}"
expect_text err "the tables of wave forces do not cover the spectrum: they are from 0.3 to 3 rad/s"
grep -E " (0.000000|1.800000)E\+(00|02) +[1-6] " box.3 >half.3
expect_exit 0 import hydro half.3 --set "length = 2"
expect_text out "are for headings from 0 to 180 degrees"

# refused CODE PLACE FILE: with this remark at line:column
refused() {
    expect_exit 1 import hydro "$3"
    expect_text err "$3:$2: error $1"
}
mkdir bad
sed '50s/.*/ 3.0 2 2 ********** 1.0/' box.1 >bad/stars.1
cd bad || exit 2
refused X015 50:10 stars.1
sed '50s/^ *[^ ]*/ 1e-5/' ../box.1 >period.1
refused X015 50:2 period.1
expect_text err "1 error" # nothing else is said of that line
sed '60d' ../box.1 >entry.1
refused X016 37:2 entry.1
expect_text err "A(4,6) is missing at 3 rad/s (a period of 2.0944 s)"
sed '60p' ../box.1 >twice.1
refused X016 61:2 twice.1
sed '60s/ 4 / 7 /' ../box.1 >axis.1
refused X015 60:22 axis.1
sed '2,$d' ../box.1 >few.1
refused X016 1:2 few.1
: >empty.1
refused X016 1:1 empty.1
sed '49,54d' ../box.3 >heading.3
refused X016 49:2 heading.3
expect_text err "wave forces at 2.9 rad/s and a heading of 30 degrees are missing"
sed '100d' ../box.3 >force.3
refused X016 97:2 force.3
head -100 ../ship.re7 >cut.re7
refused X016 101:1 cut.re7
sed '18s/0.0000000E+00/0.5000000E+01/' ../ship.re7 >moving.re7
refused X016 1:1 moving.re7
sed '20s/.*/ -0.3/' ../ship.re7 >back.re7
refused X015 20:2 back.re7
awk '$2 == 3 && $3 == 3 && NF == 5 { $5 = -$5 } { print }' ../box.1 >sign.1
expect_exit 0 import hydro sign.1
expect_text err "warning X017: the damping B(3,3) is negative"
expect_text err "warning X018: the memory of radiated waves misses"
awk '!(NF == 5 && $1 > 2.5 && $1 < 6)' ../box.1 >wide.1
expect_exit 0 import hydro wide.1
expect_text err "warning X016: there is nothing between"
cd .. || exit 2
expect_exit 1 import hydro box.4
expect_text err "tables are .1, .3, .hst (WAMIT) and .re7, .re8"
expect_exit 1 import hydro box.1 --set "lenght = 2"
expect_text err "is no setting of import hydro"
exit $failed
