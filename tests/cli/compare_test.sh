#!/bin/sh
# compare: result files that fit, that do not, and that are none.
. "$(dirname "$0")/common.sh"

write_model ''
expect_exit 0 run model.bond --out a --h5 --csv
printf 'time [s],x [m]\n0,1\n1,2\n2,3\n' >good.csv
printf 'time [s],x [m]\n0,1\n1,2.1\n2,3\n' >other.csv

expect_exit 0 compare good.csv good.csv
expect_text out "1 columns, all the same"
expect_exit 4 compare good.csv other.csv
expect_text out "DIFFERENT x: largest difference 0.1 at time 1"
expect_exit 0 compare good.csv other.csv --rtol 0.1
expect_exit 0 compare a/results.csv a/results.h5 -v
expect_text out "same"

# MAT files: our own, those of others of both levels, and damaged ones
expect_exit 0 run model.bond --out a --mat
expect_exit 0 compare a/results.csv a/results.mat --rtol 0
expect_exit 0 compare a/results.mat a/results.h5 --rtol 0
python3 - <<'END'
import struct, zlib
def level4(name, rows, columns, x):
    return struct.pack("<5i", 0, rows, columns, 0, len(name) + 1) + name.encode() + b"\0" + struct.pack("<%dd" % len(x), *x)
def element(kind, data):
    return struct.pack("<2I", kind, len(data)) + data + bytes(-len(data) % 8)
def level5(name, rows, columns, x, deflated, whole=False):
    n = element(1, name.encode()) if len(name) > 4 else struct.pack("<2H", 1, len(name)) + name.encode().ljust(4, b"\0")
    values = element(4, struct.pack("<%dH" % len(x), *map(int, x))) if whole else element(9, struct.pack("<%dd" % len(x), *x))
    e = element(14, element(6, struct.pack("<2I", 6, 0)) + element(5, struct.pack("<2i", rows, columns)) + n + values)
    return struct.pack("<2I", 15, len(zlib.compress(e))) + zlib.compress(e) if deflated else e
t, x = [0, 1, 2], [1, 2, 3]
head = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x100) + b"IM"
four = level4("t", 3, 1, t) + level4("x", 1, 3, x) + level4("scale", 1, 1, [7])
five = head + level5("x", 3, 1, x, False, True) + level5("time", 1, 3, t, True)
for name, data in (("four", four), ("five", five), ("cut4", four[:-5]), ("cut5", five[:-9]), ("none", b""), ("lone", level4("x", 1, 3, x)),
                   ("vast", struct.pack("<5i", 0, 2**31 - 1, 2**31 - 1, 0, 2) + b"t\0")):
    open(name + ".mat", "wb").write(data)
END
printf 'time,x\n0,1\n1,2\n2,3\n' >plain.csv
expect_exit 0 compare plain.csv four.mat --rtol 0
expect_exit 0 compare five.mat plain.csv --rtol 0
for name in cut4 cut5 none lone vast; do
    expect_exit 1 compare plain.csv $name.mat
    expect_text err "error T011"
done

# Linear models: each entry is a column, by the names of states, inputs and outputs; the matrices
# are what JSON says.
cat >servo.bond <<'END'
model Servo
  param k = 4 {N/m}
  input u {N} = 0 {N}
  var x[2] {m}, v {m/s}
  initial x = (0.1 {m}, 0 {m})
  der(x[1]) = v
  der(v)*2 {kg} = u - k*x[1] - 0.5 {N.s/m}*v
  der(x[2]) = (x[1] - x[2])/1 {s}
end
experiment Go of Servo
  stop 1 {s}
  record x[*], v
end
END
expect_exit 0 linearize servo.bond --inputs u --outputs "x[2]" --out servo.mat
expect_exit 0 linearize servo.bond --inputs u --outputs "x[2]" --set "k = 5" --mat --out stiff
mv stiff stiff.mat
expect_exit 0 compare servo.mat servo.mat --rtol 0
expect_text out "21 columns, all the same"
expect_exit 4 compare servo.mat stiff.mat
expect_text out "DIFFERENT A[v,x[1]]: largest difference 0.5"
expect_text out "1 of 21 columns differ"
expect_exit 2 linearize servo.bond --mat
expect_text err "say which: --out model.mat"
"$bondyn" linearize servo.bond --inputs u --outputs "x[2]" --json >out
python3 - <<'END' || fail "the MAT file of a linear model is not what JSON says"
import json, struct
want, have, data, i = json.load(open("out"))["linear"], {}, open("servo.mat", "rb").read(), 0
while i < len(data):
    kind, rows, columns, _, n = struct.unpack("<5i", data[i:i + 20])
    name, i = data[i + 20:i + 19 + n].decode(), i + 20 + n
    size = 1 if kind else 8
    x = data[i:i + size*rows*columns] if kind else struct.unpack("<%dd" % (rows*columns), data[i:i + 8*rows*columns])
    have[name] = [[x[c*rows + r] for c in range(columns)] for r in range(rows)]
    i += size*rows*columns
for letter in "ABCD":
    assert have[letter] == want[letter], letter
assert [bytes(row).decode().strip() for row in have["states"]] == [s["name"] for s in want["states"]]
assert [bytes(row).decode().strip() for row in have["input_units"]] == ["N"]
END

# Tables from MAT files: columns of results, with their units and indices, and vectors of others
expect_exit 0 run servo.bond --out s --mat --csv --no-plot
cat >tables.bond <<'END'
table one(t {s}) {mm} linear from "s/results.mat" column "x[1]"
table same(t {s}) {mm} linear from "s/results.csv" column "x[1]"
table five(t {s}) linear from "five.mat" column "x" over "time"
model Tables
  var a {mm}, b {mm}, c
  a = one(time)
  b = same(time)
  c = five(time)
end
experiment Go of Tables
  stop 1 {s}
  expect max(abs(a - b)) = 0 within 1e-15
  expect max(a) = 100 {mm} within 1e-9
  expect c(end) = 2 within 1e-12
end
END
expect_exit 0 run tables.bond --no-plot --out t
for name in cut5 none; do
    sed "s/five.mat/$name.mat/" tables.bond >damaged.bond
    expect_exit 1 run damaged.bond --no-plot --out t
    expect_text err "error L083"
done

wrong() { # CODE FILE-CONTENT: a second file that cannot be compared
    printf '%b' "$2" >wrong.csv
    "$bondyn" compare good.csv wrong.csv >out 2>err
    [ $? -eq 1 ] || fail "$1: exit is not 1"
    expect_text err "$1"
}
wrong R001 ''
wrong R008 'time [s],x [m]\n'
wrong R002 'time [s],x [m]\n0,one\n1,2\n'
wrong R003 'time [s],x [m]\n0,1\n1\n'
wrong R004 'time [s],x [m]\n1,1\n0,2\n'
wrong R006 'time [s],y [m]\n0,1\n1,2\n2,3\n'
wrong R007 'time [s],x [mm]\n0,1\n1,2\n2,3\n'
wrong R008 'time [s],x [m]\n0,1\n1,2\n'
cp good.csv text.h5
expect_exit 1 compare good.csv text.h5
expect_text err R005
head -c 200 a/results.h5 >cut.h5
expect_exit 1 compare good.csv cut.h5
: >empty.h5
expect_exit 1 compare empty.h5 good.csv
expect_exit 1 compare . good.csv

# A mapped name must be in the file that it is said to be of.
printf 'time,v\n0,1\n1,2\n' >first.csv
printf 'time,speed\n0,1\n1,2\n' >second.csv
expect_exit 0 compare first.csv second.csv --map "v = speed"
expect_exit 1 compare first.csv second.csv --map "w = speed"
expect_text err "the first results have no column 'w'"
expect_exit 1 compare first.csv second.csv --map "v = sped"
expect_text err "the second results have no column 'sped'"
exit $failed
