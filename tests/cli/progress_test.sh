#!/bin/sh
# While a run goes on: warnings at once and a line now and then, without a terminal too; the first
# SIGTERM ends a compilation.
. "$(dirname "$0")/common.sh"

cat >long.bond <<END
model Long
  var x initial 1
  der(x) = -1 {1/s}*x
  assert x > 0.5, warning "x is small"
end
experiment Endless of Long
  stop 9e6 {s}
  points 10
  solver rk4 step 1e-3 {s}
  record x
end
END

# Waits until a running program has written TEXT, for a minute.
wait_for() { # TEXT
    tries=0
    until grep -qF -- "$1" err || ! kill -0 $run 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || { fail "'$1' does not come"; return; }
        sleep 0.1
    done
}

end_run() { # SIGNAL CODE
    kill -s "$1" $run
    wait $run
    code=$?
    [ $code -eq "$2" ] || { fail "SIG$1: exit $code, expected $2"; cat out err; }
}

"$bondyn" run long.bond --out long --no-plot >out 2>err </dev/null &
run=$!
wait_for "x is small"
end_run TERM 130
[ "$(grep -c "warning S040" err)" -eq 1 ] || fail "the warning is not said once"
expect_text err "2 warnings"
expect_text err "T012"

BONDYN_HEARTBEAT=0.01 "$bondyn" run long.bond --out long --no-plot >out 2>err </dev/null &
run=$!
wait_for "% after"
end_run TERM 130 # (a shell starts background jobs with SIGINT ignored)
expect_text err "Endless: "

BONDYN_HEARTBEAT=0.01 expect_exit 0 run long.bond --stop 1 --quiet --out long --no-plot
grep -q "% after" err && fail "a line about progress in spite of --quiet"

# Models in models, twice as many on each level, take seconds until there are too many.
awk 'BEGIN { print "model M0\n  var x\n  x = 1\nend"
             for (i = 1; i <= 40; i++) printf "model M%d\n  M%d a, b\nend\n", i, i - 1 }' >slow.bond
"$bondyn" run slow.bond >out 2>err </dev/null &
run=$!
sleep 0.2
end_run TERM 143
exit $failed
