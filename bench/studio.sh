#!/bin/sh
# studio.sh BONDYN BUILD: how fast the studio is (bench/studio.mjs); says so where there is no node, no browser or no studio.
bondyn=$(realpath "$1")
build=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
web=$here/../web
. "$here/../tests/web/packages.sh"
need_browser "$bondyn" "$build"
BONDYN_LIBRARY=${BONDYN_LIBRARY:-$here/../library}
export BONDYN_LIBRARY
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
timeout 300 node "$here/studio.mjs" "$bondyn" "$packages/node_modules" "$work"
