#!/bin/sh
# browser_test.sh BONDYN BUILD [PICTURES]: the studio in Chromium. Without node, the npm packages or
# Chromium there is nothing to test with, which is said.
bondyn=$(realpath "$1")
build=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
web=$here/../../web
. "$here/packages.sh"
need_browser "$bondyn" "$build"
BONDYN_LIBRARY=${BONDYN_LIBRARY:-$here/../../library}
export BONDYN_LIBRARY
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
timeout 850 node "$here/browser.mjs" "$bondyn" "$packages/node_modules" "$work" ${3:+"$3"}
