#!/bin/sh
# Disks that are full, files that may not grow, runs that are killed: what was computed is kept and
# marked, and nothing else is left behind.
. "$(dirname "$0")/common.sh"

write_model 'every 1e-4 {s}
  solver rk4 step 1e-4 {s}
  plot v.f'

# A limit on the size of files: 200 blocks of 512 bytes.
limited() { # WORDS...: runs bondyn
    (ulimit -f 200; exec "$bondyn" "$@" >out 2>err </dev/null)
}
limited run model.bond --stop 5 --out small
[ $? -eq 1 ] || fail "a file that may not grow: not exit 1"
expect_text err "error T002: cannot write 'small/results.csv'"
expect_text err "rows are kept, marked incomplete"
grep -q '^# complete: no' small/results.csv || fail "the part is not marked"
rows=$(grep -vc '^[#t]' small/results.csv)
expect_text err "the first $rows rows"
[ "$rows" -gt 100 ] || fail "only $rows rows are kept"
"$bondyn" run model.bond --stop 5 --out whole >/dev/null 2>&1
head -n $((rows + 7)) whole/results.csv | sed 's/^# complete: yes/# complete: no /' >part
cmp -s part small/results.csv || fail "the rows that are kept differ"
limited run model.bond --stop 5 --h5 --out small
[ $? -eq 1 ] || fail "HDF5 that may not grow: not exit 1"
expect_text err "R005"
[ ! -e small/results.h5 ] || fail "half an HDF5 file is left"
limited montecarlo model.bond --vary "m = uniform(1, 2)" --runs 20 --out study
[ $? -eq 1 ] || fail "a study that may not grow: not exit 1"
expect_text err "error V007"
[ ! -e study/runs.part ] || fail "a useless file is left"
limited graph model.bond --out small/graph.svg || fail "a small file is refused"
find . -name '*.part' | grep . && fail "unfinished files were left"

# A disk that is full, where we may make one.
mkdir tiny
if mount -t tmpfs -o size=2m tmpfs tiny 2>/dev/null; then
    expect_exit 1 run model.bond --stop 5 --out tiny/x
    expect_text err "No space left on device"
    grep -q '^# complete: no' tiny/x/results.csv || fail "on a full disk: the part is not marked"
    rm -r tiny/x
    expect_exit 1 run model.bond --stop 1000 --out tiny/far
    expect_text err "error R017"
    expect_exit 1 run model.bond --stop 5 --h5 --out tiny/x
    [ ! -e tiny/x/results.h5 ] || fail "on a full disk: half an HDF5 file is left"
    expect_exit 1 montecarlo model.bond --vary "m = uniform(1, 2)" --runs 20 --out tiny/study
    expect_text err "error V007"
    XDG_CACHE_HOME=$PWD/tiny/cache
    export XDG_CACHE_HOME
    dd if=/dev/zero of=tiny/filler bs=1k count=3000 2>/dev/null
    expect_exit 0 run model.bond --engine native --out full_cache
    "$bondyn" run model.bond --engine vm --out vm >/dev/null 2>&1
    cmp -s full_cache/results.csv vm/results.csv || fail "a full cache changes the results"
    unset XDG_CACHE_HOME
    umount tiny
fi

# More rows than any disk holds are refused before the run.
sed 's/every 1e-4/every 1e-6/' model.bond >fine.bond
expect_exit 1 run fine.bond --stop 1e9 --solver rk4 --out far
grep -q 'error R012\|error R017' err || { fail "absurd numbers of rows are not refused"; cat err; }

# Killed: what was written by then stays beside its place, marked; the next run is not disturbed.
"$bondyn" run model.bond --stop 1e5 --out killed >out 2>err &
worker=$!
tries=0
while [ $tries -lt 300 ] && ! find killed -name 'results.csv.*.part' -size +300k 2>/dev/null | grep -q .; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -KILL $worker
wait $worker 2>/dev/null
left=$(find killed -name 'results.csv.*.part')
[ -n "$left" ] || fail "nothing is left of a killed run"
grep -q '^# complete: no' "$left" || fail "what a killed run left is not marked"
[ ! -e killed/results.csv ] || fail "a killed run has results"
expect_exit 0 run model.bond --out killed
expect_file killed/results.csv

# A worker of a study is killed: at most the run that it was in is lost, the others finish.
write_model 'solver rk4 step 1e-4 {s}
  points 10'
"$bondyn" sweep model.bond --stop "$(span 200)" --vary "m = 1 .. 2 in 12" -j 2 --yes --engine vm --lanes 1 --out study >out 2>err &
study=$!
tries=0
until victim=$(ps -o pid= --ppid $study | head -n 1) && [ -n "$victim" ] || [ $tries -gt 200 ]; do
    sleep 0.02
    tries=$((tries + 1))
done
kill -KILL $victim 2>/dev/null || fail "no worker to kill"
wait $study
code=$?
case $code in
    0) expect_text out "runs         12 of 12" ;;
    5) expect_text out "runs         11 of 12"; expect_text err "its process was killed" ;;
    *) fail "a killed worker: exit $code"; cat err ;;
esac
exit $failed
