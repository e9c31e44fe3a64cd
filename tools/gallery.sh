#!/bin/sh
# A page of all examples with their pictures: runs the first experiment of each and puts its plots side by side.
#
# usage: tools/gallery.sh BONDYN FOLDER      writes FOLDER/index.html (make gallery: build/gallery)

bondyn=$1
out=$2
[ -n "$bondyn" ] && [ -n "$out" ] || { sed -n '2,4s/^# *//p' "$0"; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
: "${BONDYN_LIBRARY:=$source/library}"
export BONDYN_LIBRARY
mkdir -p "$out" || exit 1

escape() { sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'; }

{
    echo '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Bondyn: examples</title>'
    echo '<style>body{font:16px/1.5 sans-serif;max-width:72em;margin:2em auto;padding:0 1em}img{max-width:22em;width:100%;background:#fff;border-radius:6px}'
    echo 'h2{margin-bottom:0}@media(prefers-color-scheme:dark){body{background:#16181c;color:#ddd}a{color:#8bf}}</style><h1>Examples</h1>'
    for folder in "$source"/examples/*/; do
        name=$(basename "$folder")
        title=$(sed -n '1s/^# *//p' "$folder/README.md" | escape)
        words=$(awk 'NR > 1 && NF { print; seen = 1; next } seen { exit }' "$folder/README.md" | escape)
        echo "<h2 id=\"$name\">$title</h2><p><code>examples/$name</code><br>$words</p><p>"
        for file in "$folder"*.bond; do
            part=$name/$(basename "$file" .bond)
            "$bondyn" run "$file" --quiet --out "$out/$part" >/dev/null 2>&1
            rm -f "$out/$part"/results.csv
            for picture in "$out/$part"/*.svg; do
                [ -e "$picture" ] && echo "<img loading=\"lazy\" alt=\"$(basename "$picture" .svg)\" src=\"$part/$(basename "$picture")\">"
            done
        done
        echo '</p>'
    done
} >"$out/index.html"
echo "written $out/index.html"
