#!/bin/sh
# Exit codes of run, one by one and together.
. "$(dirname "$0")/common.sh"

write_model ''
expect_exit 0 run model.bond
expect_exit 1 run model.bond --all --set "nothing = 1"
expect_exit 2 run model.bond --all Go
expect_text err "experiment 'Go' is named beside --all"
for verb in run check equations graph report sweep; do
    expect_exit 2 $verb model.bond Go --model Swing
done
expect_exit 2 run model.bond --all --model Swing
write_model 'expect spring.q(end) = 7 {m} within 1e-3'
expect_exit 4 run model.bond
expect_text out "expectations 0 of 1 hold"
expect_file results/model/Go/results.csv
write_model 'exepct spring.q(end) = 7 {m} within 1e-3'
expect_exit 1 run model.bond
expect_text err "1 error"

# energy from nowhere: an element that says it dissipates and does not
cat >leak.bond <<'END'
element Leak
  port p: translation
  p.e = -2 {N.s/m}*p.f
  dissipates
end
model Wrong
  I mass(1 {kg}, p0 = 1 {kg.m/s})
  Leak leak
  1 v
  v -> mass, leak.p
end
experiment Go of Wrong
  stop 1 {s}
end
END
expect_exit 3 run leak.bond
expect_text out "NOT BALANCED"
expect_text out "leak"

# a state that runs to infinity in finite time
cat >burst.bond <<'END'
model Burst
  var x initial 1
  der(x) = x^2*1 {1/s}
end
experiment Go of Burst
  stop 2 {s}
END
cp burst.bond both.bond
echo end >>burst.bond
printf '  expect x(end) = 1 within 1e-3\nend\n' >>both.bond
expect_exit 5 run burst.bond
expect_text out "ENDED EARLY"
expect_file results/burst/Go/results.csv
grep -q '^# complete: no' results/burst/Go/results.csv || fail "the partial result is not marked"
expect_exit 5 run both.bond
# A mistake in one experiment does not keep the next one from running, dependent storage included.
cat >two.bond <<'END'
model Shaft
  Se drive = 1 {N.m}
  I motor(1 {kg.m2}), load(4 {kg.m2})
  TF gear(0.5)
  1 fast, slow
  drive -> fast -> motor
  fast -> gear -> slow -> load
end
experiment Wrong of Shaft
  stop 1 {s}
  expect slow.g(end) = 0 {rad/s} within 1e-6
end
experiment Right of Shaft
  stop 1 {s}
  expect slow.f(end) = 0.25 {rad/s} within 1e-6
end
END
expect_exit 1 run two.bond --all
expect_text out "expectations 1 of 1 hold"

mkdir broken && echo 'model' >broken/broken.bond # a library that cannot be read is no passed test
expect_exit 1 lib test --library broken
expect_text out "1 failed"
exit $failed
