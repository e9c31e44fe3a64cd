#!/bin/sh
# The first experiment of every example as exported C, against `bondyn run`, bit by bit, with each
# fixed-step method. Where inputs have defaults, which a run takes for numbers and sums up in another order, within 1e-9
# of the largest value. What cannot be exported says so (T014). Arguments: the program, the folder of the test programs.
bondyn=$1
here=$(cd "$(dirname "$0")/../.." && pwd)
: "${BONDYN_LIBRARY:=$here/library}"
export BONDYN_LIBRARY
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
case $(uname -m) in x86_64) wide=-mavx2 ;; *) wide= ;; esac

# Where `run` ends early, rows up to there are compared.
cat >"$work/same.awk" <<'END'
function size(x) { return x < 0 ? -x : x + 0 }
NR == FNR {
    if ($0 !~ /^#/) want[++rows] = $0
    if ($0 !~ /^#/ && rows > 1) for (i = 1; i <= NF; i++) if (size($i) > most[i]) most[i] = size($i)
    next
}
{
    line++
    if (line > rows) exit
    if (line == 1 && $0 != want[1]) print "other columns"
    n = split(want[line], x, ",")
    if (line > 1) for (i = 1; i <= n; i++) if (!(size(x[i] - $i) <= near*most[i]) && !bad++) print "row " line ", column " i ": " x[i] " became " $i
}
END { if (line < rows) print line " rows of " rows }
END

for file in "$here"/examples/*/*.bond; do
    experiment=$(sed -n 's/^experiment \([A-Za-z0-9_]*\).*/\1/p' "$file" | head -n 1)
    [ -n "$experiment" ] || continue
    # searches run with what they have found
    sed -n "/^experiment $experiment\b/,/^end/p" "$file" | grep -qE '^ *(minimise|maximise|fit)\b' && continue
    for method in euler heun rk4; do
        rm -rf "$work/c" "$work/run"
        if ! "$bondyn" export c "$file" "$experiment" --solver $method --out "$work/c" >"$work/log" 2>&1; then
            grep -q "error [ATRLSE]0" "$work/log" || { echo "$file $method: $(cat "$work/log")"; failed=1; }
            continue
        fi
        grep -q '^inputs' "$work/log" && near=1e-9 || near=0
        # all warnings as they are without optimisation; and then as fast as it gets, which must not
        # change a bit
        if ! gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 -ffp-contract=off -c "$work/c/model.c" -o "$work/model.o" >"$work/log" 2>&1 ||
            ! gcc -std=c99 -O3 -fno-math-errno $wide -ffp-contract=off "$work/c/main.c" "$work/c/model.c" -lm -o "$work/main" >"$work/log" 2>&1; then
            echo "$file $method: $(head -n 3 "$work/log")"
            failed=1
            continue
        fi
        "$bondyn" run "$file" "$experiment" --solver $method --engine vm --no-plot --out "$work/run" >/dev/null 2>&1
        "$work/main" >"$work/c.csv" 2>/dev/null
        awk -F, -v near=$near -f "$work/same.awk" "$work/run/results.csv" "$work/c.csv" >"$work/log"
        [ ! -s "$work/log" ] || { echo "$file $method: $(cat "$work/log")"; failed=1; }
    done
done
exit $failed
