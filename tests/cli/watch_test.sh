#!/bin/sh
# watch: a page now, another one when the model or an import of it is saved, whatever went wrong
# between.
. "$(dirname "$0")/common.sh"

cat >parts.bond <<END
function twice(x) = 2*x
END
write_model ''
sed -i '1i import "parts.bond"' model.bond
"$bondyn" watch model.bond --out page.html >out 2>err &
watcher=$!
await() { # await TEXT FILE: until it is there, however slow the machine is
    for _ in $(seq 3000); do
        grep -qF -- "$1" "$2" 2>/dev/null && return
        kill -0 $watcher 2>/dev/null || break
        sleep 0.1
    done
    fail "'$1' does not come into $2"
    cat out err
}
await 'bondynPage(1)' page.html.js
expect_text page.html 'page.html.js'
await 'exit 0' err
sed -i 's/m = 1 {kg}/m = 3 {kg}/' model.bond
await 'bondynPage(2)' page.html.js
expect_text page.html 'm = 3 {kg}'
sed -i 's/I mass/I mas/' model.bond
await 'bondynPage(3)' page.html.js
await 'exit 1' err
expect_text page.html 'm = 3 {kg}'
sed -i 's/I mas(/I mass(/' model.bond
await 'bondynPage(4)' page.html.js
echo '// changed' >>parts.bond
await 'bondynPage(5)' page.html.js
kill -TERM $watcher
wait $watcher
code=$?
[ $code -eq 0 ] || { fail "ended: exit $code, expected 0"; cat err; }
exit $failed
