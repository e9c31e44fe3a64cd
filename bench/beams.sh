#!/bin/sh
# Tables 1 to 3 of Fagereng (2011) again, for every solver: beams that hang on springs of the stiffness k, 10 s, tolerance 1e-5. Seconds of the run, model
# evaluations, steps, evaluations a second. Argument: the program. More than LIMIT seconds of a processor (60): not finished.
set -eu
bondyn=$1
here=$(cd "$(dirname "$0")/.." && pwd)
: "${BONDYN_LIBRARY:=$here/library}" "${LIMIT:=60}"
export BONDYN_LIBRARY BONDYN_HEARTBEAT=1e9
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

row() { # BEAMS STIFFNESS DAMPING
    for solver in adams bdf ida rk78 gauss; do
        (ulimit -t "$LIMIT" && exec "$bondyn" run "$here/examples/barge_crane/beams.bond" --model Chain --stop 10 --solver $solver --rtol 1e-5 \
            --set "n = $1" --set "k = $2" --set "r = $3" --no-plot --record tip --out "$work") >"$work/out" 2>/dev/null && status=0 || status=$?
        [ $status -eq 0 ] || echo "end $status" >>"$work/out"
        awk -v n="$1" -v k="$2" -v r="$3" -v solver=$solver '
            /^solver/ { for (i = 2; i <= NF; i++) { if ($(i + 1) ~ /^steps/) steps = $i; if ($(i + 1) ~ /^evaluations/) calls = $i } }
            /^time/ { seconds = $2 }
            /^end / { why = $2 > 128 ? "not finished" : "ends early" }
            END { if (why) printf "%5s %8s %6s %7s   %s\n", n, k, r, solver, why
                else printf "%5s %8s %6s %7s %10.3f %12d %10d %12.0f\n", n, k, r, solver, seconds, calls, steps, calls/(seconds > 0 ? seconds : 1e-9) }' "$work/out"
    done
}

printf '%5s %8s %6s %7s %10s %12s %10s %12s\n' beams k r solver seconds evaluations steps "per second"
for n in 1 2 3 4 5; do row $n 1e5 0; done
for k in 1e4 1e6 1e7 1e8 1e9; do row 2 $k 0; done
for k in 1e4 1e5 1e6 1e7 1e8 1e9; do row 2 $k 1000; done
