#!/bin/sh
# steady, linearize, poles and bode against the published figures of McBride's fin and missile.
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
. "$(dirname "$0")/common.sh"
missile=$examples/mcbride_missile/mcbride_missile.bond
fin=$examples/mcbride_fin/mcbride_fin.bond

# says WORDS: they stand in what the last command printed
says() {
    grep -qF -- "$1" out || fail "not said: $1"
}

expect_exit 0 steady "$missile"
says "alpha                        = -0.0776475864961"
says "cyclic, moves on at -12888.335"
expect_exit 0 steady "$missile" --trim fin --given "G = -12.92"
says "fin                          = 0.0872509376764"
expect_exit 0 poles "$missile" --steady --outputs Az
says "-1.124143395 +- 24.74309093i"
says "36.17735421"
expect_exit 0 poles "$missile" Frozen --outputs Az
says "-1.258160624 +- 24.97759943i"
says "39.06393766"

# Bode tables, torque to degrees of fin, by the stiffness of the mesh
expect_exit 0 poles "$fin"
says "-66.75327205 +- 425.4315309i"
says "-0.280122797"
says "-666666.2133"
table() {
    expect_exit 0 bode "$fin" --set "KBL = $1" --frequencies 0.001,0.01,0.1,1,10,100
    shift
    for pair; do
        says "$(echo "$pair" | cut -d/ -f1)"
        says "$(echo "$pair" | cut -d/ -f2)"
    done
}
table 34 26.28211875/-8.37237354 21.37030505/-55.80791890 2.99895968/-86.15224251 -16.97864833/-90.00584463 \
    -36.71650666/-94.03690218 -64.39430196/107.00353716
table 340 26.37299083/-1.28519492 26.16199635/-12.64486071 18.57122857/-65.99725877 -0.64831630/-87.70703914 \
    -20.46390330/-92.39613886 -42.34063132/111.80837510
table 3400 26.37474448/-0.57068563 26.33230817/-5.68828832 23.38241794/-44.89012800 6.36717197/-84.32694610 \
    -13.54885243/-90.03298264 -28.09156172/-101.37002507
expect_exit 0 poles "$fin" --model RigidFin
says "-0.7327649269"
says "-126689.5626"
expect_exit 0 bode "$fin" --model RigidFin --frequencies 0.1,100
says "23.98157440"
says "-90.21733671"

# the forms
for form in --latex --csv --octave; do
    expect_exit 0 linearize "$fin" $form
    [ -s out ] || fail "nothing with $form"
done
expect_exit 0 bode "$fin" --out bode.svg
grep -q "<svg" bode.svg || fail "no picture"
expect_exit 0 nyquist "$fin" --out nyquist.svg
for verb in linearize steady poles bode; do
    expect_exit 0 $verb "$fin" --json
    "$json_check" out || fail "$verb --json"
done
exit $failed
