#!/bin/sh
# Input that nobody would write by hand: no crash, no hang, exit 0 or 1, errors with a place.
. "$(dirname "$0")/common.sh"

# hostile NAME: checks NAME.bond in bounded time and memory
hostile() {
    timeout 60 "$bondyn" check "$1.bond" >out 2>err
    code=$?
    [ $code -le 1 ] || { fail "$1: exit $code"; head -c 2000 err; }
    [ $code -ne 1 ] || expect_text err "error"
    size=$(wc -c <err)
    [ "$size" -lt 100000 ] || fail "$1: $size bytes of complaints"
}

repeat() { # TEXT TIMES
    awk -v text="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'
}

: >empty.bond
hostile empty
head -c 100000 /dev/urandom >random.bond
hostile random
head -c 100000 /dev/zero >zeros.bond
hostile zeros
head -c 300000 "$bondyn" >program.bond
hostile program
repeat x 10000000 >long_line.bond
hostile long_line
{ printf 'model A\n  param x = '; repeat '1 + ' 1000000; printf '1\nend\n'; } >long_sum.bond
hostile long_sum
for open in '(' '[' '-' 'not ' 'if ' 'sin(' '{' '"' '2^' 'x[' 'a.' '1 ->' 'model '; do
    { printf 'model A\n  param x = '; repeat "$open" 100000; printf '\nend\n'; } >deep.bond
    hostile deep
done
{ printf 'model A\n  param x = '; repeat '(' 100000; printf 1; repeat ')' 100000; printf '\nend\n'; } >brackets.bond
hostile brackets
{ printf 'model A\n'; repeat '  if true
' 50000; } >ifs.bond
hostile ifs
{ printf 'model A\n'; repeat '  if false
elseif true
' 50000; } >elseifs.bond
hostile elseifs
{ printf 'model A\n'; repeat '  for i in 1:10
' 30; repeat 'end
' 31; } >loops.bond
hostile loops
{ printf 'model A\n  for i in 1:1000000000\n    R r[i](1)\n  end\nend\n'; } >many.bond
hostile many
printf 'model A\n  var x[100000,100000]\nend\n' >matrix.bond
hostile matrix
printf 'model A\n  A a\nend\n' >self.bond
hostile self
printf 'model A\n  param n = 1e308*10\n  R r[n](1)\nend\n' >infinite.bond
hostile infinite
repeat 'bad line here
' 100000 >bad_lines.bond
hostile bad_lines
printf 'import "%s"\n' loop.bond >loop.bond
hostile loop
awk 'BEGIN { print "model A"; for (i = 1; i <= 5000; i++) printf "  param p%d = p%d\n", i, i + 1
             print "  param p5001 = 1\n  var x\n  x = p1\nend" }' >chain.bond
hostile chain
awk 'BEGIN { for (i = 1; i <= 5000; i++) printf "function f%d(x) = f%d(x)\n", i, i + 1
             print "function f5001(x) = x\nmodel A\n  var x\n  x = f1(2)\nend" }' >functions.bond
hostile functions
expect_text err L048
awk 'BEGIN { for (i = 1; i <= 5000; i++) printf "model M%d\n  M%d m\nend\n", i, i + 1
             print "model M5001\n  var x\n  x = 1\nend\nmodel Top\n  M1 m\nend" }' >nested.bond
hostile nested
awk 'BEGIN { for (i = 1; i <= 5000; i++) printf "model M%d extends M%d\nend\n", i, i + 1
             print "model M5001\n  var x\n  x = 1\nend\nmodel Top extends M1\nend" }' >extended.bond
hostile extended
printf 'model A\r\n  param x = 1\r\n  var y\r\n  y = x\r\nend\r\n' >crlf.bond
hostile crlf
printf '\357\273\277model A\n  var y\n  y = 1\nend\n' >bom.bond
hostile bom
printf 'model A\n  var y\n  y = 1\nend' >no_newline.bond
hostile no_newline
for bytes in 10 50 100 200 300; do
    head -c $bytes "$source_folder"/tests/golden/good_msd.bond >cut.bond
    hostile cut
done
exit $failed
