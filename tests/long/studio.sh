#!/bin/sh
# Memory of a live run in the studio is flat: the Titan 4, driven for five minutes after its past is
# full, and an hour in steps. usage: studio.sh BONDYN
bondyn=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 2
command -v node >/dev/null || { echo "skipped: no node"; exit 0; }
"$bondyn" studio /no/such/folder/x.bond --no-open 2>&1 | grep -q "built without the studio" && { echo "skipped: no studio"; exit 0; }
: "${BONDYN_LIBRARY:=$PWD/library}"
export BONDYN_LIBRARY
timeout 1500 node tests/web/memory.mjs "$bondyn" "${SECONDS_LIVE:-450}" &&
    timeout 1500 node tests/web/memory.mjs "$bondyn" 3600 --steps
