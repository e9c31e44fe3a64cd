#!/bin/sh
# Fits to noisy data that were made with known parameters: how often is each inside of its stated 95
# % interval? The DC motor, a servo valve with its flow, and the double pendulum; the noise is
# seeded by the number of the repetition. Fails where a parameter is inside less often than three
# standard deviations of the binomial distribution allow.
# usage: fits.sh BONDYN [FOLDER [REPETITIONS]]
bondyn=$1
repetitions=${3:-100}
: "${BONDYN_LIBRARY:=$(cd "$(dirname "$0")/../../library" && pwd)}"
export BONDYN_LIBRARY NO_COLOR=1 BONDYN_HEARTBEAT=1e9
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

cat >motor.model <<'END'
model Plant
  param R = 1.2 {ohm}, L = 0.01 {H}, K = 0.08 {V.s/rad}, J = 4e-4 {kg.m2}, b = 3e-4 {N.m.s/rad}
  var a {A} initial 0 {A}, b1 {rad/s} initial 0 {rad/s}, u {V}
  u = 12 {V}*(if time < 0.25 {s} then 1 else 0.4)
  L*der(a) = u - R*a - K*b1
  J*der(b1) = K*a - b*b1
end
END
cat >valve.model <<'END'
model Plant
  param wn = 300 {rad/s}, z = 0.6, k = 1e-3 {m3/s}, C = 4e-12 {m3/Pa}
  var a {1} initial 0, v {1/s} initial 0 {1/s}, b1 {Pa} initial 0 {Pa}, u {1}
  u = 0.5*sin(120 {rad/s}*time) + (if time < 0.03 {s} then 0.2 else 0)
  der(a) = v
  der(v) = wn^2*(u - a) - 2*z*wn*v
  C*der(b1) = k*a - 2e-11 {m3/(s.Pa)}*b1
end
END
cat >pendulum.model <<'END'
model Plant
  param m = 1.5 {kg}, l = 0.6 {m}, d = 0.02 {N.m.s/rad}, g = 9.81 {m/s2}
  var a {rad} initial 1.2 {rad}, b1 {rad} initial -0.5 {rad}, w {rad/s} initial 0 {rad/s}, y {rad/s} initial 0 {rad/s}
  var c, s
  c = cos(a - b1)
  s = sin(a - b1)
  der(a) = w
  der(b1) = y
  (1 {kg} + m)*(0.8 {m})*der(w) + m*l*c*der(y) = -m*l*s*y^2 - (1 {kg} + m)*g*sin(a) - d*w/(0.8 {m})
  l*der(y) + 0.8 {m}*c*der(w) = 0.8 {m}*s*w^2 - g*sin(b1) - d*y/(m*l)
end
END

# NAME STOP DEVIATION-OF-a DEVIATION-OF-b1 UNIT-OF-a UNIT-OF-b1 FREE-PARAMETERS=START...
study() {
    name=$1 stop=$2 da=$3 db=$4 ua=$5 ub=$6
    shift 6
    { cat "$name.model"; printf 'experiment Truth of Plant\n  stop %s {s}\n  points 121\n  solver auto rtol 1e-9\n  record a, b1\nend\n' "$stop"; } >truth.bond
    "$bondyn" run truth.bond --no-plot --out truth >out 2>err || { cat out err; exit 1; }
    over='' set=''
    for word; do
        over="$over${over:+, }${word%%=*}" set="$set${set:+, }${word%%=*} = ${word#*=}"
    done
    {
        printf 'table ma(t {s}) {%s} linear from "data.csv" column "a"\ntable mb(t {s}) {%s} linear from "data.csv" column "b"\n' "$ua" "$ub"
        cat "$name.model"
        printf 'experiment Fit of Plant\n  set %s\n  stop %s {s}\n  solver auto rtol 1e-8\n' "$set" "$stop"
        printf '  fit a to ma(time) within %s {%s}\n  fit b1 to mb(time) within %s {%s}\n  over %s\nend\n' "$da" "$ua" "$db" "$ub" "$over"
    } >fit.bond
    : >all
    i=0
    while [ $i -lt "$repetitions" ]; do
        i=$((i + 1))
        awk -F, -v seed=$i -v da="$da" -v db="$db" '
            function noise() { return sqrt(-2*log(1 - rand()))*cos(6.283185307179586*rand()) }
            BEGIN { srand(seed); CONVFMT = OFMT = "%.17g"; print "t,a,b" }
            /^#/ { next }
            !head { head = 1; for (k = 1; k <= NF; k++) { name = $k; sub(/[ \[{(].*/, "", name); at[name] = k } next }
            /^[-0-9]/ { print $1 "," $at["a"] + da*noise() "," $at["b1"] + db*noise() }' truth/results.csv >data.csv
        "$bondyn" fit fit.bond --json --no-plot --out found >out 2>err || { cat err; exit 1; }
        tr '{' '\n' <out | sed -n 's/^"name": "\([^"]*\)", "unit": "[^"]*", "value": \([^,]*\), "first": [^,]*, "half_interval": \([^}]*\)}.*/\1 \2 \3/p' >>all
    done
    awk -v name="$name" -v n="$repetitions" -v model="$(cat "$name.model")" '
        BEGIN {
            count = split(model, word, /[ ,\n]+/)
            for (k = 1; k + 2 <= count; k++) if (word[k + 1] == "=" && !(word[k] in truth)) truth[word[k]] = word[k + 2]
        }
        { seen[$1]++; d = $2 - truth[$1]; if (d < 0) d = -d; if ($3 != "null" && d <= $3) inside[$1]++ }
        END {
            low = 0.95*n - 3*sqrt(0.0475*n)
            for (p in seen) {
                printf "%-9s %-4s inside of its interval %d of %d times\n", name, p, inside[p], seen[p]
                if (seen[p] != n || inside[p] < low) bad = 1
            }
            exit bad || length(seen) == 0
        }' all || failed=1
}

failed=0
study motor 0.5 0.05 0.5 A rad/s R=1.5 L=0.012 K=0.07 J=5e-4 b=2e-4
study valve 0.1 0.01 5e4 1 Pa wn=250 z=0.8 k=8e-4
study pendulum 3 0.01 0.01 rad rad m=1.2 l=0.65 d=0.03
exit $failed
