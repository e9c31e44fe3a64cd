#!/bin/sh
# Files: what run, new, graph and equations write, and what happens where they cannot.
. "$(dirname "$0")/common.sh"

write_model 'plot "speed" v.f'

expect_exit 0 run model.bond
expect_file results/model/Go/results.csv
expect_file results/model/Go/speed.svg
expect_empty err
expect_text out "energy"
expect_exit 0 run model.bond --out here --h5 --no-plot
expect_file here/results.h5
[ ! -e here/results.csv ] || fail "--h5 alone wrote a csv"
[ ! -e here/speed.svg ] || fail "--no-plot drew"
expect_exit 0 run model.bond --out both --h5 --csv -q
expect_empty out
expect_file both/results.csv
expect_exit 0 compare both/results.csv here/results.h5
expect_exit 0 run model.bond --out heavy --set "m = 2 {kg}"
expect_exit 4 compare both/results.csv heavy/results.csv
expect_text out "columns differ"
expect_exit 0 run model.bond --out few --record "spring.*"
grep -v '^#' few/results.csv | grep -q 'mass' && fail "--record kept too much"
expect_exit 1 compare model.bond both/results.csv
expect_text err "error T011"
expect_exit 1 compare no.csv both/results.csv
expect_text err "error T001"

expect_exit 0 graph model.bond
expect_text out "<svg"
expect_exit 0 graph model.bond -o g.dot
grep -q graph g.dot || fail "g.dot is no dot file"
expect_exit 0 graph model.bond --out g.svg
expect_text g.svg "<svg"
expect_exit 0 equations model.bond --latex --out e.tex
expect_file e.tex
for stage in syntax model graph system program; do
    expect_exit 0 check model.bond --dump $stage
    expect_file out
done
expect_exit 2 check model.bond --dump graf

# a link stays a link, a device a device
touch target && ln -s target link
expect_exit 0 equations model.bond --out link
[ -L link ] || fail "the link was replaced"
expect_file target
if [ -c /dev/full ]; then
    ln -s /dev/full full
    expect_exit 1 equations model.bond --out full
    expect_text err "error T002"
    [ -L full ] || fail "the link to a device was removed"
fi

# the command line's solver means what it means in an experiment
write_model 'solver bdf'
expect_exit 0 run model.bond
expect_text out "solver       bdf"
expect_exit 0 run model.bond --solver cvode
expect_text out "solver       adams"
write_model 'plot "speed" v.f'

# places that cannot be written
expect_exit 1 run model.bond --out model.bond/x
expect_text err "error T002"
mkdir locked && chmod a-w locked
if ! touch locked/probe 2>/dev/null; then
    expect_exit 1 run model.bond --out locked/x
    expect_exit 1 graph model.bond --out locked/g.svg
    expect_text err "error T002"
fi
expect_exit 1 graph model.bond --out no/such/g.svg
expect_exit 1 run none.bond
expect_text err "error T001"
expect_exit 1 run .
if [ -w /dev/full ]; then
    "$bondyn" help >/dev/full 2>err
    [ $? -eq 1 ] || fail "a full disk behind stdout goes unnoticed"
fi
find . -name '*.part' | grep . && fail "unfinished files were left"

# several experiments
cat >>model.bond <<'END'
experiment Again of Swing
  stop 0.5 {s}
end
END
expect_exit 0 run model.bond --all --out many
expect_file many/Go/results.csv
expect_file many/Again/results.csv
expect_exit 0 run model.bond Again
expect_file results/model/Again/results.csv
expect_exit 0 run model.bond
expect_text err "first of 2 experiments"
for chosen in "Go Again" "Again Again Go" "--all" "Again --json" "Go Again --h5" "Go --quiet" "--model Swing"; do
    # shellcheck disable=SC2086
    expect_exit 0 run model.bond $chosen --out "chosen $chosen"
done
expect_file "chosen Again Again Go/Go/results.csv"
expect_exit 1 run model.bond Go Agian Again --out other
expect_file other/Again/results.csv
expect_exit 1 run model.bond Agian
expect_text err "Again"

# new
expect_exit 0 new fresh
expect_file fresh.bond
cp fresh.bond copy
expect_exit 1 new fresh
expect_text err "error T007"
cmp -s fresh.bond copy || fail "new overwrote a file"
for template in msd rlc motor hydraulic element empty; do
    expect_exit 0 new "my $template.bond" --template $template
    expect_exit 0 run "my $template.bond"
    expect_text out "hold"
    expect_empty err
done
expect_exit 0 new 1.2.3 --template empty
expect_exit 0 run 1.2.3.bond

# the library folder
expect_exit 1 lib --library no/such
expect_text err "error T009"
mkdir library
cat >library/parts.bond <<'END'
element Spring "a spring" 
  port p: translation "its end"
  param k = 100 {N/m} "stiffness"
  var x {m} initial 0.1 {m}
  der(x) = p.f
  p.e = k*x
  stores k*x^2/2
end
model SpringTest
  Spring s
  I m(1 {kg})
  1 v
  v -> s.p, m
end
experiment SpringSwings of SpringTest
  stop 1 {s}
  expect s.x(0 {s}) = 0.1 {m} within 1e-9
end
END
expect_exit 0 lib --library library
expect_text out "Spring"
expect_exit 0 lib Spring --library library
expect_text out "{N/m}"
expect_text out "stiffness"
expect_exit 1 lib Sprin --library library
expect_text err "error T010"
expect_text err "did you mean 'Spring'?"
expect_exit 0 lib test --library library
expect_text out "1 experiments, 0 failed"
sed -i 's/= 0.1 {m} within/= 0.2 {m} within/' library/parts.bond
expect_exit 4 lib test --library library
expect_text out "1 failed"

# A file that is not there: one beside it may be meant.
mkdir near && cp "$here/help/tank.bond" near/tank.bond
expect_exit 1 check near/tank
expect_text err "did you mean 'tank.bond'?"
expect_exit 1 check near/Tanks.bond
expect_text err "did you mean 'tank.bond'?"
expect_exit 1 check near/ship.bond
expect_text err "check the name, and the folder"
exit $failed
