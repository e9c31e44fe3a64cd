#!/bin/sh
# Studies that cannot lie: two at once, one that is stale, damaged records, pipes and links in the
# way, compilers that hang, control characters, values out of range.
. "$(dirname "$0")/common.sh"

# --- two studies in one folder: one works, the other is refused, no row is mixed
write_slow_model 100
vary="k = 1 .. 3 in 24 {1/s}"
"$bondyn" sweep slow.bond --vary "$vary" -j 1 --no-plot --engine vm --yes --out alone >/dev/null 2>&1
"$bondyn" sweep slow.bond --vary "$vary" -j 1 --no-plot --engine vm --yes --out both >out1 2>err1 &
first=$!
tries=0
while [ ! -s both/runs.part ] && [ $tries -lt 600 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -STOP $first # it cannot end before the second one begins
if [ -s both/runs.part ]; then
    expect_exit 1 sweep slow.bond --vary "k = 5 .. 9 in 24 {1/s}" -j 1 --no-plot --engine vm --yes --out both
    expect_text err "error V009: another study is at work in this folder"
fi
kill -CONT $first
wait $first || fail "the first of two studies fails: $(cat err1)"
cmp -s alone/runs.csv both/runs.csv || fail "a second study has changed rows of the first"
[ ! -e both/runs.part ] || fail "the file of a finished study is left"

# --- a study that goes on knows everything that its rows depend on
cat >part.bond <<'END'
function rate(x) = x*1.5
END
cat >stale.bond <<'END'
import "part.bond"
model Stale
  param k = 2 {1/s}
  var x initial 1, v
  der(x) = v*1 {1/s}
  der(v) = -k*x*rate(0.5)
end
experiment Long of Stale
  stop 30 {s}
  points 10
  solver rk4 step 1e-3 {s}
  record x
  audit off
end
END
# interrupted FOLDER WORDS...: a study of stale.bond that is ended when some runs are made
interrupted() {
    folder=$1
    shift
    rm -rf "$folder"
    "$bondyn" sweep stale.bond --vary "k = 1 .. 3 in 40 {1/s}" -j 1 --lanes 1 --engine vm --no-plot --yes --out "$folder" "$@" >out 2>err &
    study=$!
    tries=0
    while [ ! -s "$folder/runs.part" ] && [ -d /proc/$study ] && [ $tries -lt 600 ]; do sleep 0.05; tries=$((tries + 1)); done
    sleep 0.15
    kill -HUP $study 2>/dev/null
    wait $study
    code=$?
}
go_on() { # FOLDER WORDS...
    folder=$1
    shift
    "$bondyn" sweep stale.bond --vary "k = 1 .. 3 in 40 {1/s}" -j 2 --lanes 1 --engine vm --no-plot --yes --out "$folder" "$@" >out 2>err
}
interrupted same
if [ $code -eq 130 ] && [ -s same/runs.part ]; then
    expect_text err "the same command goes on from here"
    made=$(sed -n 's/^runs  *\([0-9]*\) of 40.*/\1/p' out)
    cp -r same damaged
    cp -r same changed
    cp -r same tolerance
    cp -r same rebuilt
    go_on same || fail "a study that goes on fails: $(cat err)"
    [ "$made" -eq 0 ] || expect_text out "$made of them from before"
    rm -rf whole
    go_on whole
    cmp -s same/runs.csv whole/runs.csv || fail "a study that went on differs from one that was not interrupted"
    # damaged records are made again
    size=$(wc -c <damaged/runs.part)
    dd if=/dev/urandom of=damaged/runs.part bs=1 seek=$((size / 80 + 8400)) count=64 conv=notrunc 2>/dev/null
    go_on damaged || fail "a damaged study fails: $(cat err)"
    cmp -s damaged/runs.csv whole/runs.csv || fail "a damaged record got into the table"
    # other tolerances, another solver, another library, another import: no row is taken over
    cp -r changed other_solver
    go_on other_solver --solver heun
    grep -q "from before" out && fail "rows of another solver are reused"
    go_on tolerance --rtol 1e-3
    grep -q "from before" out && fail "rows of other tolerances are reused"
    [ "$made" -eq 0 ] || expect_text err "V010"
    sed -i 's/1.5/2.5/' part.bond
    go_on changed || fail "a study of a changed model fails: $(cat err)"
    grep -q "from before" out && fail "rows of before a change in an import are reused"
    rm -rf whole
    go_on whole
    cmp -s changed/runs.csv whole/runs.csv || fail "stale rows got into the table"
    # another build of the same version: the linker gives it another build id
    python3 - "$bondyn" another_build <<'END'
import sys
code = bytearray(open(sys.argv[1], "rb").read())
at = code.find(b"\3\0\0\0GNU\0") + 8  # the kind of note that holds the build id, and its owner
code[at] ^= 1
open(sys.argv[2], "wb").write(code)
END
    chmod +x another_build
    this_build=$bondyn bondyn=$work/another_build
    sed -i 's/2.5/1.5/' part.bond
    go_on rebuilt || fail "a study by another build fails: $(cat err)"
    [ "$made" -eq 0 ] || expect_text err "V010"
    bondyn=$this_build
    grep -q "from before" out && fail "rows of another build are reused"
fi

# --- pipes, devices and links
mkfifo pipe.bond pipe.csv pipe.h5
for words in "run pipe.bond" "check pipe.bond" "import urdf pipe.bond" "compare pipe.csv pipe.csv" "compare pipe.h5 pipe.h5"; do
    # shellcheck disable=SC2086
    timeout 20 "$bondyn" $words >out 2>err </dev/null
    [ $? -eq 1 ] || fail "$words: a pipe is no error"
    expect_text err "it is a pipe or a device, not a file"
done
if [ -c /dev/zero ]; then
    expect_exit 1 run /dev/zero
    expect_text err "it is a pipe or a device, not a file"
fi
write_decay
echo precious >victim
mkdir linked piped
ln -s ../victim linked/runs.part
expect_exit 1 sweep decay.bond --vary "k = 1, 2" --out linked
expect_text err "it is a symbolic link"
mkfifo piped/runs.part
timeout 20 "$bondyn" sweep decay.bond --vary "k = 1, 2" --out piped >out 2>err
[ $? -eq 1 ] || fail "a pipe in place of runs.part is no error"
# the name of a part file holds the number of the process: a thousand links to hit one
mkdir traps
sh -c 'for i in $(seq $$ $(($$ + 300))); do ln -s ../victim traps/results.csv.$i.part; done; exec "$0" run decay.bond --out traps' "$bondyn" >out 2>err || fail "links in place of part files: $(cat err)"
expect_file traps/results.csv
[ "$(cat victim)" = precious ] || fail "a link in place of a part file was followed"

# --- part files of dead processes go, those of others stay
mkdir parts
sh -c 'exit 0' & dead=$!
wait $dead
echo half >parts/results.csv.$dead.part
echo half >parts/results.csv.$$.part
echo mine >parts/other.csv.$dead.part
expect_exit 0 run decay.bond --out parts
[ ! -e parts/results.csv.$dead.part ] || fail "the part file of a dead process is left"
[ -e parts/results.csv.$$.part ] || fail "the part file of a living process is gone"
[ -e parts/other.csv.$dead.part ] || fail "somebody else's file is gone"

# --- compilers that hang, do not listen, or give pipes
cat >hang.sh <<'END'
#!/bin/sh
trap '' TERM
while :; do sleep 0.1; done
END
cat >pipe.sh <<'END'
#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = -o ] && mkfifo "$2"; shift; done
exit 0
END
cat >words.sh <<'END'
#!/bin/sh
seq 1 300000 >&2
exit 1
END
chmod +x hang.sh pipe.sh words.sh
"$bondyn" run decay.bond --engine vm --out vm >/dev/null 2>&1
export XDG_CACHE_HOME="$PWD/cache"
for compiler in hang pipe words; do
    CC=$PWD/$compiler.sh BONDYN_COMPILER_SECONDS=0.5 timeout 60 "$bondyn" run decay.bond --engine native --out with_$compiler >out 2>err </dev/null
    [ $? -eq 0 ] || fail "compiler $compiler: the run fails: $(cat err)"
    grep -v '^#' with_$compiler/results.csv >rows
    grep -v '^#' vm/results.csv | cmp -s - rows || fail "compiler $compiler changes the results"
    CC=$PWD/$compiler.sh BONDYN_COMPILER_SECONDS=0.5 timeout 60 "$bondyn" sweep decay.bond --vary "k = 1, 2" --engine native --no-plot --out study_$compiler >out 2>err
    [ $? -eq 0 ] || fail "compiler $compiler: the study fails: $(cat err)"
done
unset XDG_CACHE_HOME

# --- control characters of a model never reach the terminal
esc=$(printf '\033')
printf 'model A "red %s[31m, bell \a, \302\2331m, \342\200\256 turned"\n  param k = 1 "%s]0;title\a"\n  var x initial 1\n  der(x) = -k*x*1 {1/s}\n  y%s[2J = 1\nend\n' "$esc" "$esc" "$esc" >control.bond
"$bondyn" check control.bond >out 2>err
LC_ALL=C grep -q "[$(printf '\001-\010\013-\037\177')]" out err && fail "control characters reach the terminal"
sed '/2J/d' control.bond | tr -d '\033\007' >calm.bond # those are refused; the rest is UTF-8
cat >>calm.bond <<END
experiment E of A "seen"
  stop 1 {s}
  record x
end
END
for words in "run calm.bond --out calm" "run calm.bond --json --out calm" "check calm.bond" "equations calm.bond"; do
    # shellcheck disable=SC2086
    "$bondyn" $words >out 2>err </dev/null || { fail "$words"; cat err; }
    LC_ALL=C grep -q "[$(printf '\001-\010\013-\037\177')]" out err && fail "$words: control characters reach the terminal"
    grep -q "$(printf '\302\233')" out err && fail "$words: a C1 control character reaches the terminal"
done
grep -q "$(printf '\302\233')" calm/results.csv && fail "control characters stand in the head of a table"

# --- values out of range
expect_exit 2 run decay.bond --out ""
expect_text err "the value of '--out' is empty"
expect_exit 2 run decay.bond --out=
for rtol in 0 1 1e-16 7; do
    expect_exit 2 run decay.bond --rtol $rtol
    expect_text err "from 1e-15 to below 1"
done
expect_exit 1 run decay.bond --stop 1e300
expect_exit 1 run decay.bond --stop 1e-300
for seed in 1.5 1e17 9007199254740993e3; do
    expect_exit 1 montecarlo decay.bond --vary "k = uniform(1, 2)" --runs 2 --seed $seed --out seed
    expect_text err "--seed takes a whole number from 0 to 2^53"
done

# --- compare: nothing, half and NaN are not the same as anything
same() { # CODE CONTENT: a file that is compared with itself and refused
    printf '%b' "$2" >self.csv
    expect_exit 1 compare self.csv self.csv
    expect_text err "error $1"
}
same R001 'time [s],x [m]\n'
same R001 'time [s]\n0\n1\n'
same R031 '# complete: no\ntime [s],x [m]\n0,1\n1,2\n'
same R032 'time [s],x [m]\n0,nan\n1,nan\n'
same R033 'time [s],x [m],x [m]\n0,1,1\n1,2,2\n'
printf 'time [s],x,y\n0,1,5\n1,2,6\n' >first.csv
printf 'time [s],z,y\n0,1,5\n1,2,6\n' >second.csv
expect_exit 1 compare first.csv second.csv
expect_exit 0 compare first.csv second.csv --common
expect_text out "1 columns, all the same"
expect_exit 0 compare first.csv second.csv --map "x = z"
expect_text out "2 columns, all the same"
expect_exit 1 compare first.csv second.csv --map "x = w"
expect_text err "R034"
expect_exit 2 compare first.csv second.csv --map ""
printf 'time [s],a\n0,1\n1,2\n' >third.csv
expect_exit 1 compare first.csv third.csv --common
expect_text err "no column in common"

# --- models in models: refused before they fill the memory
awk 'BEGIN { print "model M0\n  var x\n  x = 1\nend"
             for (i = 1; i <= 40; i++) printf "model M%d\n  M%d a, b\nend\n", i, i - 1 }' >double.bond
if (ulimit -v 2000000 && "$bondyn" version) >/dev/null 2>&1; then # a sanitizer wants more by itself
    (ulimit -v 2000000; ulimit -t 60; "$bondyn" check double.bond >out 2>err) # seconds of CPU: the machine may be busy
    code=$?
    [ $code -eq 1 ] || fail "models in models: exit $code"
    expect_text err "grows beyond"
fi
exit $failed
