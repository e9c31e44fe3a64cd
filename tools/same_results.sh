#!/bin/sh
# Do two builds of the program give the same results, byte by byte? Every experiment of every example is run by
# both, on the virtual machine and with a fixed number of workers, and all files that they write are compared.
# usage: same_results.sh OLD_BONDYN NEW_BONDYN [FILE.bond ...]
set -u
[ $# -ge 2 ] || { sed -n '2,4p' "$0"; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
old=$(realpath "$1") new=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- "$top"/examples/*/*.bond "$top"/docs/tutorial/*.bond
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export BONDYN_LIBRARY="$top/library" BONDYN_HEARTBEAT=1e9
files=0 differ=0 examples=0

run() { # run PROGRAM FILE FOLDER
    all=
    grep -q '^experiment' "$2" && all=--all
    (cd "$work" && timeout 900 "$1" run "$2" $all --engine vm --quiet --out "$3" >"$3.out" 2>"$3.err")
    echo "exit $?" >>"$3.out"
}

for file in "$@"; do
    file=$(realpath "$file")
    rm -rf "$work/old" "$work/new" && mkdir "$work/old" "$work/new"
    (run "$old" "$file" "$work/old") & run "$new" "$file" "$work/new"
    wait
    examples=$((examples + 1))
    if ! (cd "$work/old" && find . -type f | sort) >"$work/a" || ! (cd "$work/new" && find . -type f | sort) >"$work/b" ||
        ! cmp -s "$work/a" "$work/b"; then
        echo "$file: not the same files" && differ=$((differ + 1))
        continue
    fi
    while read -r name; do
        files=$((files + 1))
        cmp -s "$work/old/$name" "$work/new/$name" || { echo "$file: $name differs"; differ=$((differ + 1)); }
    done <"$work/a"
    tail -n 1 "$work/old.out" >"$work/a" && tail -n 1 "$work/new.out" | cmp -s "$work/a" - ||
        { echo "$file: not the same exit code"; differ=$((differ + 1)); }
done
echo "$examples examples, $files files, $differ differ"
[ "$differ" -eq 0 ]
