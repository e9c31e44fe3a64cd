#!/bin/sh
# The frequencies of a hanging chain: zeros of J0, j/2 sqrt(g/L), with an error that falls with the
# square of the number of pieces.
. "$(dirname "$0")/common.sh"

cat >chain.bond <<'END'
import marine_cable
model Chain
  ChainTest hang(n = pieces)
  param pieces = 10
end
END
for n in 10 20; do
    expect_exit 0 poles chain.bond --model Chain --steady --set "pieces = $n"
    awk '$2 == "+-" { w = $3; sub("i", "", w); if (w != last) print w; last = w }' out | sort -g | uniq | head -2 | tr '\n' ' ' >"modes$n"
done
cat modes10 modes20 | awk '{
    k = sqrt(9.81/10)/2; j[1] = 2.404825557695773; j[2] = 5.520078110286311
    for (i = 1; i <= 2; i++) { coarse = $i/(k*j[i]) - 1; fine = $(i + 2)/(k*j[i]) - 1; r = coarse/fine
        if (!(r > 3.7 && r < 4.3) || fine < -0.011 || fine > 0) { print "mode", i, coarse, fine; bad = 1 } } }
    END { exit bad }' || fail "frequencies are not those of the chain: $(cat modes10 modes20)"
exit $failed
