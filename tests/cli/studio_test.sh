#!/bin/sh
# The studio's server from outside: who may come in, files, a driven run that is replayed bit by bit
# (T018 when it cannot be), faults of models, hostile bytes, floods, a second server (T017).
. "$(dirname "$0")/common.sh"

if "$bondyn" studio /no/such/folder/x.bond --no-open 2>&1 | grep -q "built without the studio"; then
    echo "the studio was not built: nothing to test"
    exit 0
fi
timeout 500 python3 "$here/studio_client.py" "$bondyn" "$PWD/folder" || fail "the server"
"$bondyn" studio /no/such/folder/x.bond --no-open 2>err && fail "a folder that is not there"
grep -q T001 err || fail "no word about it"
"$bondyn" studio x.bond --no-open --port 70000 2>err
[ $? -eq 2 ] || fail "a wrong port"
