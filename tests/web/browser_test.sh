#!/bin/sh
# browser_test.sh BONDYN BUILD [PICTURES]: the studio in Chromium. Without node, the npm packages or Chromium there is nothing to
# test with, which is said.
bondyn=$(realpath "$1")
build=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
web=$here/../../web
skip() {
    echo "skipped: $*"
    exit 0
}
command -v node >/dev/null && command -v npm >/dev/null || skip "no node, no npm"
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "no Chromium"
"$bondyn" studio /no/such/folder/x.bond --no-open 2>&1 | grep -q "built without the studio" && skip "no studio"
packages=$build/web/test-$(sha256sum "$web/package-lock.json" | cut -c1-16)
if [ ! -e "$packages/complete" ]; then
    rm -rf "$packages"
    mkdir -p "$packages"
    cp "$web/package.json" "$web/package-lock.json" "$web/.npmrc" "$packages"
    (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 >/dev/null 2>&1) || skip "npm cannot get the packages"
    touch "$packages/complete"
fi
BONDYN_LIBRARY=${BONDYN_LIBRARY:-$here/../../library}
export BONDYN_LIBRARY
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
timeout 850 node "$here/browser.mjs" "$bondyn" "$packages/node_modules" "$work" ${3:+"$3"}
