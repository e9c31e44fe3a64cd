# Shared by the tests of the command line. Called as: NAME_test.sh BONDYN JSON_CHECK
# shellcheck shell=sh disable=SC2034

bondyn=$1
json_check=$2
here=$(cd "$(dirname "$0")" && pwd)
source_folder=$(cd "$here/../.." && pwd)
: "${BONDYN_LIBRARY:=$source_folder/library}"
# A busy machine must not add lines about how far a run is.
export BONDYN_LIBRARY NO_COLOR=1 BONDYN_HEARTBEAT=1e9
work=$(mktemp -d) || exit 2
failed=0
# Whoever sources this fails when anything failed, with or without an `exit` of its own.
trap 'status=$?; chmod -R u+w "$work"; rm -rf "$work"; [ $failed -eq 0 ] || status=1; exit $status' EXIT
cd "$work" || exit 2
# Under sanitizers the program takes eight times as long for a step, whatever the engine: runs that
# only have to last are a tenth there.
sanitized=no
grep -q __asan_init "$bondyn" && sanitized=yes
span() { # SECONDS of the model
    if [ $sanitized = yes ]; then echo $(($1 / 10)); else echo "$1"; fi
}

fail() {
    echo "FAIL: $*"
    failed=1
}

# expect_exit CODE WORDS...: runs bondyn; stdout and stderr stay in the files out and err.
expect_exit() {
    wanted=$1
    shift
    "$bondyn" "$@" >out 2>err </dev/null
    got=$?
    [ $got -eq "$wanted" ] && return
    fail "bondyn $*: exit $got, expected $wanted"
    cat out err
}

expect_text() { # FILE TEXT
    grep -qF -- "$2" "$1" || { fail "'$2' is not in $1:"; cat "$1"; }
}

expect_empty() {
    [ ! -s "$1" ] || { fail "$1 should be empty:"; cat "$1"; }
}

expect_file() {
    [ -s "$1" ] || fail "the file $1 is missing or empty"
}

# A mass on a spring that swings forever; $1 is put into the experiment.
write_model() {
    cat >model.bond <<END
model Swing "a mass on a spring"
  param m = 1 {kg}, k = 100 {N/m}
  I mass(m)
  C spring(1/k, q0 = 0.1 {m})
  1 v
  v -> mass, spring
end
experiment Go of Swing
  stop 1 {s}
  $1
end
END
}

# A study of this takes long: slow.bond, whose runs of $1 seconds have steps of a millisecond.
write_slow_model() {
    cat >slow.bond <<END
model Slow
  param k = 2 {1/s}
  var x initial 1, v
  der(x) = v*1 {1/s}
  der(v) = -k*x
end
experiment Long of Slow
  stop $1 {s}
  points 10
  solver rk4 step 1e-3 {s}
  record x
  audit off
end
END
}

# A fall with a closed form, x = x0 exp(-k t): decay.bond, with more lines of the model and of the
# experiment where they are given.
write_decay() {
    cat >decay.bond <<END
model Decay
  param k = 2 {1/s}, x0 = 1
  var x initial x0
  der(x) = -k*x
${1:-}
end
experiment Fall of Decay
  stop 1 {s}
  points 20
  record x
${2:-}
end
END
}
