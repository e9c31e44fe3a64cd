#!/bin/sh
# Irregular seas are reproducible: the same seed gives the same waves and the same motion of a barge
# to the last bit, whatever the number of workers; another seed gives another sea.
. "$(dirname "$0")/common.sh"

cat >seas.bond <<'END'
import marine_water
import marine_hull
model Seas "a barge that heaves and pitches"
  param seed = 1
  param sea: SeaState(Hs = 0.8 {m}, Tp = 7 {s}, n = 12, seed = seed)
  Vessel raft(m = 80000 {kg}, J = (226667, 386667, 493333), A = diag((30390, 27371, 56409, 29434, 96644, 18868)), at0 = (0, 0, -2.229965) {m})
  Hydrostatics water(Zz = 351933.75 {N/m}, K_phi = 431640 {N.m/rad}, M_theta = 1137960 {N.m/rad}, z = raft.origin.position[3], R = raft.origin.rotation)
  HullDrag drag(linear = (2e5, 2e5, 2e5, 3e5, 6e5, 2e5))
  WaveOnBox wave(sea = sea, L = 7 {m}, B = 5 {m}, T = 2.229965 {m})
  water.p -> raft.origin
  drag.p -> raft.origin
  wave.p -> raft.origin
  var z {m}, eta {m}
  z = raft.origin.position[3]
  eta = wave.eta
end
experiment Run of Seas
  stop 20 {s}
  points 40
  record z, eta
end
END
for jobs in 1 2 3; do
    expect_exit 0 sweep seas.bond Run --vary "seed = 1 .. 6 in 6" --jobs $jobs --no-plot --out study$jobs
done
cmp -s study1/runs.csv study2/runs.csv && cmp -s study1/runs.csv study3/runs.csv || fail "the number of workers changes a sea"
[ "$(grep -v '^#' study1/runs.csv | cut -d, -f3- | sort -u | wc -l)" -eq 7 ] || { fail "six seeds are six seas"; cat study1/runs.csv; }
exit $failed
