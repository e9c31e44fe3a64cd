#!/bin/sh
# Kills at random times of run, sweep and montecarlo: there is no wrong and no half row, and the
# same command asked for again gives the table of an uninterrupted study bit by bit. BONDYN_KILLS:
# how many; BONDYN_KILLS_SEED: of their times.
. "$(dirname "$0")/common.sh"
kills=${BONDYN_KILLS:-6}
seed=${BONDYN_KILLS_SEED:-1}

write_slow_model 60
sed -e 's/Slow/Rows/; s/of Slow/of Rows/' -e 's/stop 60/stop 120/; s/points 10/points 20000/' slow.bond >rows.bond
common="--no-plot --engine vm"
draws="montecarlo slow.bond --runs 40 --seed 7 -j 2"
# shellcheck disable=SC2086
{
    "$bondyn" sweep slow.bond --vary "k = 1 .. 3 in 40 {1/s}" -j 2 $common --out whole_sweep >/dev/null 2>&1 || fail "sweep"
    "$bondyn" $draws --vary "k = normal(2, 0.1) {1/s}" $common --out whole_montecarlo >/dev/null 2>&1 || fail "montecarlo"
    "$bondyn" run rows.bond $common --out whole_run >/dev/null 2>&1 || fail "run"
} 2>/dev/null

# start VERB: in the background, as `victim`, in a folder of that name
start() {
    # shellcheck disable=SC2086
    case $1 in
        sweep) "$bondyn" sweep slow.bond --vary "k = 1 .. 3 in 40 {1/s}" -j 2 $common --out $1 >out 2>err & ;;
        montecarlo) "$bondyn" $draws --vary "k = normal(2, 0.1) {1/s}" $common --out $1 >out 2>err & ;;
        run) "$bondyn" run rows.bond $common --out $1 >out 2>err & ;;
    esac
    victim=$!
}

# What stands in the place of the result is whole, or marked, or nothing; its rows are right.
check_table() { # VERB
    table=$1/runs.csv
    [ "$1" = run ] && table=run/results.csv
    [ -e $table ] || return
    if grep -q '^# complete: yes' $table; then
        cmp -s $table whole_$table || fail "$1: a complete table is wrong after a kill"
        return
    fi
    [ "$1" = run ] || return # an interrupted study tells of missing rows
    lines=$(($(wc -l <$table)))
    head -n $lines whole_$table | sed 's/^# complete: yes/# complete: no /' | cmp -s - $table || fail "$1: half or wrong rows after a kill"
}

# Rows of an interrupted study: made ones are right, the others are marked 2.
check_rows() { # VERB
    [ -e $1/runs.csv ] || return
    grep '^[0-9]' whole_$1/runs.csv >right
    grep '^[0-9]' $1/runs.csv | grep -v ',2$' | while IFS= read -r line; do grep -qxF -e "$line" right || echo "$line"; done >wrong_rows
    [ ! -s wrong_rows ] || fail "$1: wrong rows: $(head -n 2 wrong_rows)"
}

# Seconds, the signal and the verb of kill number $1: a linear congruence.
plan() {
    awk -v n="$1" -v seed="$seed" 'BEGIN {
        x = (seed * 7919 + n * 104729) % 2147483647
        for (i = 0; i < 5; i++) x = (x * 48271) % 2147483647
        printf "%.3f ", 0.02 + 0.5 * x / 2147483647
        x = (x * 48271) % 2147483647
        split("KILL KILL TERM HUP INT", s, " "); printf "%s ", s[1 + x % 5]
        split("sweep montecarlo run", v, " "); print v[1 + n % 3] }'
}

n=0
while [ $n -lt "$kills" ]; do
    # shellcheck disable=SC2046
    set -- $(plan $n)
    case $3$2 in runINT | sweepINT | montecarloINT) signal=TERM ;; *) signal=$2 ;; esac # the shell ignores INT in the background
    [ -d "$3" ] || mkdir "$3"
    start "$3"
    sleep "$1"
    kill -$signal $victim 2>/dev/null
    wait $victim 2>/dev/null
    check_table "$3"
    [ "$3" = run ] || check_rows "$3"
    n=$((n + 1))
done

# Asked for again, each comes to its end, and is what it would have been.
for verb in sweep montecarlo run; do
    [ -d $verb ] || continue
    start $verb
    wait $victim || { fail "$verb, asked for again, fails"; cat err; }
    table=$verb/runs.csv
    [ $verb = run ] && table=run/results.csv
    cmp -s $table whole_$table || fail "$verb: what went on after kills differs from the uninterrupted table"
    find $verb -name '*.part' | grep . && fail "$verb: part files are left"
done
exit $failed
