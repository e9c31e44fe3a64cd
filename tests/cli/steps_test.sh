#!/bin/sh
# The longest and the shortest step, in the language and on the command line.
. "$(dirname "$0")/common.sh"

cat >model.bond <<'END'
model M
  var x initial 1, y initial 0
  der(x) = -x/(1 {s})
  der(y) = 1000*(x - y)/(1 {s})
end
experiment Plain of M
  stop 2 {s}
end
experiment Longest of M
  stop 2 {s}
  solver cvode max_step 1 {ms}
end
experiment Shortest of M
  stop 2 {s}
  solver cvode min_step 0.1 {s}
end
END

steps() { sed -n 's/^solver .* \([0-9]*\) steps.*/\1/p' out; }

for solver in adams bdf ida rk78; do
    expect_exit 0 run model.bond Plain --solver $solver --no-plot
    plain=$(steps)
    expect_exit 0 run model.bond Longest --solver $solver --no-plot
    [ "$(steps)" -ge 2000 ] || fail "$solver: $(steps) steps of 1 ms over 2 s"
    expect_exit 0 run model.bond Plain --solver $solver --no-plot --max-step "2 {ms}"
    [ "$(steps)" -ge 1000 ] && [ "$(steps)" -gt "$plain" ] || fail "$solver: $(steps) steps of 2 ms over 2 s"
    expect_exit 5 run model.bond Shortest --solver $solver --no-plot
    expect_text err "min_step is 0.1 s"
    expect_exit 5 run model.bond Plain --solver $solver --no-plot --min-step 0.1
    expect_exit 0 run model.bond Plain --solver $solver --no-plot --min-step 1e-13 # shorter than all its steps
done
expect_exit 1 run model.bond Longest --no-plot --min-step 0.1
expect_text err "min_step is longer than max_step"
