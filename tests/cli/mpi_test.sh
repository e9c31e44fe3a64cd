#!/bin/sh
# Studies over the ranks of mpirun: the same table, a killed rank loses no finished run.
. "$(dirname "$0")/common.sh"

write_slow_model "$(span 100)"
factor="k = normal(2, 0.1) {1/s}"

# Started by mpirun, but without what it needs: said once, by rank 0 alone.
export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 BONDYN_MPI=/nowhere
expect_exit 1 montecarlo slow.bond --vary "$factor" --runs 4 --out none
expect_text err "error V008"
OMPI_COMM_WORLD_RANK=1 expect_exit 0 montecarlo slow.bond --vary "$factor" --runs 4 --out none
expect_empty err
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK BONDYN_MPI

command -v mpirun >/dev/null && [ -e "$(dirname "$bondyn")/bondyn_mpi.so" ] || {
    echo "without MPI: the rest is left out"
    exit $failed
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
mpirun="env ASAN_OPTIONS=detect_leaks=0 mpirun" # OpenMPI keeps memory of its own
ranks() { # NUMBER WORDS...
    count=$1
    shift
    timeout 120 $mpirun -n "$count" "$bondyn" "$@" >out 2>err </dev/null
}

expect_exit 0 montecarlo slow.bond --vary "$factor" --runs 40 --out alone
ranks 3 montecarlo slow.bond --vary "$factor" --runs 40 --out three || { fail "3 ranks"; cat err; }
expect_text out "on each of 3 ranks"
cmp alone/runs.csv three/runs.csv || fail "ranks change the answer"
[ ! -e three/runs.part ] || fail "the file of a finished study is left"
ranks 2 sweep slow.bond --vary "k = 1, 2 {1/s}" --out few || { fail "2 ranks"; cat err; }
expect_text out "runs         2 of 2"
ranks 2 sweep slow.bond --vary "q = 1, 2" --out bad && fail "a wrong factor goes unnoticed"
[ "$(grep -c 'error V002' err)" -eq 1 ] || { fail "not said once:"; cat err; }
ranks 2 montecarlo slow.bond --vary "$factor" --runs 100000000 --out absurd && fail "absurd size"
expect_text err "error V005"

# A rank is killed: mpirun ends the others; the same command goes on with what was finished.
write_slow_model "$(span 300)" # a run takes about 50 ms on the virtual machine
mv slow.bond slower.bond
$mpirun -n 3 "$bondyn" montecarlo slower.bond --vary "$factor" --runs 300 --yes --engine vm --out kill >out 2>err &
job=$!
filled() { # the file is there and has a head
    od -An -tx1 -N1 kill/runs.part 2>/dev/null | grep -q .
}
tries=0
until filled || [ $tries -gt 300 ]; do sleep 0.1; tries=$((tries + 1)); done
sleep 1.5
victim=$(ps -o pid= --ppid $job | sort -n | tail -n 1)
[ -n "$victim" ] && kill -KILL $victim
wait $job
[ $? -ne 0 ] || fail "nobody was killed"
expect_file kill/runs.part
timeout 120 "$bondyn" montecarlo slower.bond --vary "$factor" --runs 300 --yes --out kill >out 2>err ||
    { fail "not gone on with"; cat err; }
expect_text out "runs         300 of 300"
expect_text out "of them from before"
"$bondyn" montecarlo slower.bond --vary "$factor" --runs 300 --yes --out again >out 2>err
cmp kill/runs.csv again/runs.csv || fail "after a killed rank the answer differs"
exit $failed
