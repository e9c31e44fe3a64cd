#!/bin/sh
# Pages that are written by the program are not old: docs/library.md, and the list of examples.
# usage: pages.sh BONDYN

bondyn=$1
cd "$(dirname "$0")/../.." || exit 2
: "${BONDYN_LIBRARY:=$PWD/library}"
export BONDYN_LIBRARY
failed=0
"$bondyn" lib page | diff -q - docs/library.md >/dev/null || { echo "docs/library.md is old: bondyn lib page >docs/library.md"; failed=1; }
for folder in examples/*/; do
    name=$(basename "$folder")
    grep -q "(../examples/$name)" docs/gallery.md || { echo "docs/gallery.md does not name examples/$name"; failed=1; }
done
exit $failed
