#!/bin/sh
# The canonical form: every model of the tree keeps its tokens, and a second time changes nothing.
. "$(dirname "$0")/common.sh"

cat >rough.bond <<'END'


import   electric
model  A   "x"   extends  B ( k=2*( a+b ) {N/m} )
param m=1{kg} // one
   param long_name = -2   // two
for i in 2 : n
R r[ i - 1 ]( x[ 1 , 2 ]^ -1 )
      v->r[i-1],
          w
end


when a>0 then
x = -y
elsewhen  initial  then
x=if a then -1 else b - 1
end
modes
on : e=0 while  f >= 0
end
end
mechanism M
body b mass 1 {kg}
added_mass added(1,
   2) // y
end
table t( x {m} ) linear
0   ,  1
  10,   -2
end
function f(x)=x
experiment E of A
record a.* ,  b.f
set m = 2 {kg}
expect  x( end )=1 within 1e-6
end
END
cat >wanted.bond <<'END'
import electric
model A "x" extends B (k = 2*(a + b) {N/m})
  param m = 1 {kg}      // one
  param long_name = -2  // two
  for i in 2:n
    R r[i-1](x[1,2]^-1)
    v -> r[i-1],
        w
  end

  when a > 0 then
    x = -y
  elsewhen initial then
    x = if a then -1 else b - 1
  end
  modes
    on: e = 0 while f >= 0
  end
end
mechanism M
  body b mass 1 {kg}
    added_mass added(1,
     2)  // y
end
table t(x {m}) linear
  0   ,  1
  10,   -2
end
function f(x) = x
experiment E of A
  record a.*, b.f
  set m = 2 {kg}
  expect x(end) = 1 within 1e-6
end
END
expect_exit 1 format --check rough.bond
expect_text err "error T016: 'rough.bond' is not in canonical form"
cp rough.bond same.bond
expect_exit 1 format --check rough.bond
cmp -s rough.bond same.bond || fail "--check has written"
expect_exit 0 format rough.bond
expect_text out "written rough.bond"
diff -u wanted.bond rough.bond || fail "not as wanted"
expect_exit 0 format --check rough.bond
expect_exit 0 format rough.bond
expect_empty out

printf 'model A\n  x = "open\nend\n' >wrong.bond
cp wrong.bond same.bond
expect_exit 1 format wrong.bond
expect_text err "wrong.bond:2:7: error P"
cmp -s wrong.bond same.bond || fail "a text with errors was changed"
expect_exit 1 format none.bond
expect_exit 0 format --json rough.bond
"$json_check" out || fail "not JSON"

# tokens and comments of a text: without any blank and empty line, and rows of strings
squeezed() { tr -d ' \t\r\n' <"$1"; }
mkdir tree
count=0
(cd "$source_folder" && find library examples docs tests/found tests/faults -name '*.bond') >list
while read -r file; do
    count=$((count + 1))
    cp "$source_folder/$file" "tree/$count.bond"
done <list
"$bondyn" format -q tree/*.bond >out 2>err || { fail "format fails on a model of the tree"; cat err; }
"$bondyn" format --check -q tree/*.bond >out 2>err || { fail "a second time changes something"; cat err; }
count=0
while read -r file; do
    count=$((count + 1))
    [ "$(squeezed "$source_folder/$file")" = "$(squeezed tree/$count.bond)" ] || fail "$file has other tokens"
done <list
[ $count -gt 200 ] || fail "only $count models were found"
# ... and the syntax tree is the same
for file in library/hydraulic.bond examples/titan4/arm.bond examples/rov/states.bond examples/tables/tables.bond; do
    cp -r "$source_folder/examples" "$source_folder/library" .
    "$bondyn" check $file --dump syntax >a 2>/dev/null
    "$bondyn" format -q $file
    "$bondyn" check $file --dump syntax >b 2>/dev/null
    [ -s a ] && cmp -s a b || fail "$file has another syntax"
done
exit $failed
