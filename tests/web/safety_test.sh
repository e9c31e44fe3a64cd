#!/bin/sh
# safety_test.sh BONDYN: what the studio's server refuses and survives. Without node or the studio
# there is nothing to test.
bondyn=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
command -v node >/dev/null || { echo "skipped: no node"; exit 0; }
"$bondyn" studio /no/such/folder/x.bond --no-open 2>&1 | grep -q "built without the studio" && { echo "skipped: no studio"; exit 0; }
BONDYN_LIBRARY=${BONDYN_LIBRARY:-$here/../../library}
export BONDYN_LIBRARY
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
timeout 280 node "$here/safety.mjs" "$bondyn" "$work"
