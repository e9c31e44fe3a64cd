#!/bin/sh
# Forms of studies: latin hypercubes of a sweep, tables in both formats, draws with a seed.
. "$(dirname "$0")/common.sh"

write_decay

# Every slice of every factor once: of 20 levels and 20 runs each level.
expect_exit 0 sweep decay.bond --vary "k = 1 .. 20 in 20" --vary "x0 = 1 .. 2 in 1000" \
    --latin --runs 20 --out latin --csv --h5
[ "$(grep -v '^[#r]' latin/runs.csv | cut -d, -f2 | sort -n | uniq | wc -l)" -eq 20 ] ||
    fail "a slice is empty: $(cat latin/runs.csv)"
expect_file latin/runs.h5
expect_exit 0 compare latin/runs.csv latin/runs.h5 --rtol 1e-15
expect_exit 0 sweep decay.bond --vary "k = 1 .. 20 in 20" --vary "x0 = 1 .. 2 in 1000" \
    --latin --runs 20 --seed 2 --out other
cmp -s latin/runs.csv other/runs.csv && fail "the seed changes nothing"
expect_exit 1 sweep decay.bond --vary "k = 1, 2" --runs 10
expect_text err "choose from them with --latin"

# The mean lies within its interval, which is wide for few runs: t = 12.7 for two.
expect_exit 0 sweep decay.bond --vary "k = 1, 2" --out two
grep '^end(x)' out | awk '{ half = ($5 - $4) / 2; d = half / ($3 / sqrt(2)) - 12.706; exit !(d < 0.02 && d > -0.02) }' ||
    { fail "the interval of two runs"; cat out; }

# A constant follows the parameters that it is made of, also by way of another constant; one that
# fixes a size makes them fixed.
cat >const.bond <<'END'
model P
  param a = 1, n = 2
  const b = 3*a, c = b + 1, m = n
  var y, z[m]
  y = c*time
  z = ones(m)*time
end
experiment E of P
  stop 1 {s}
  record y
end
END
expect_exit 0 sweep const.bond --vary "a = 1, 2" --out const
[ "$(grep -v '^[#r]' const/runs.csv | cut -d, -f3 | tr '\n' ' ')" = "4 7 " ] || fail "constants stay behind: $(cat const/runs.csv)"
expect_exit 1 sweep const.bond --vary "n = 1, 2" --out const
expect_text err "decides the structure"
exit $failed
