#!/bin/sh
# What the pages point to exists, and every example has its page and its place among what was
# checked.
. "$(dirname "$0")/common.sh"
cd "$source_folder" || exit 2

for folder in examples/*/; do
    name=$(basename "$folder")
    [ -f "$folder/README.md" ] || fail "examples/$name has no README.md"
    grep -q "(../examples/$name)" docs/validation.md || fail "docs/validation.md does not name examples/$name"
done

# [text](target) of every page, without those on the web, and `folder/file` names of the page of
# checks
for page in README.md CONTRIBUTING.md docs/*.md examples/*/README.md; do
    for target in $(grep -o '](\([^)#]*\)' "$page" | sed 's/^](//' | grep -E '^[^:]*(/|\.(md|svg|png))[^:]*$'); do
        [ -e "$(dirname "$page")/$target" ] || fail "$page points to $target, which does not exist"
    done
done
for file in $(grep -o '`\(tests\|bench\)/[^`]*`' docs/validation.md | tr -d '`'); do
    [ -e "$file" ] || fail "docs/validation.md names $file, which does not exist"
done

# the recipes name files that exist, and every solver is named by the reference, the man page and
# the help
for file in $(grep -o '`[a-z]*/[a-z_0-9]*\.\(c\|h\|def\)`' docs/code.md | tr -d '`' | sort -u); do
    [ -e "src/$file" ] || [ -e "$file" ] || fail "docs/code.md names $file, which does not exist"
done
for name in $(sed -n 's/^SOLVER([A-Z0-9_]*, "\([a-z0-9]*\)".*/\1/p' src/solve/solvers.def); do
    for page in docs/language.md docs/bondyn.1 src/verb/options.def; do
        grep -qw "$name" "$page" || fail "$page does not name the solver $name"
    done
done

# the reference names every function of the language
for name in $(sed -n 's/^    {"\([a-z0-9]*\)", [0-9]*, [0-9A-Z_]*, [a-z_]*_function},/\1/p' src/lang/call.c); do
    sed -n '/^## 4/,/^## 5/p' docs/language.md | grep -qw "$name" || fail "docs/language.md does not name the function $name"
done

# and every keyword, statement of experiments and unit
for word in $(sed -n 's/^ *WORD([A-Z0-9_]*, "\([a-z]*\)").*/\1/p' src/lang/lexer.h); do
    grep -qw "$word" docs/language.md || fail "docs/language.md does not name the keyword $word"
done
for word in $(sed -n '/statements\[\] = /,/};/p' src/lang/parse_experiment.c | grep -o '"[a-z]*"' | tr -d '"'); do
    sed -n '/^## 5/,/^## 6/p' docs/language.md | grep -qw "$word" || fail "docs/language.md does not name the statement $word"
done
for unit in $(sed -n '/^static const .*\[\] = {/,/^};/s/^ *{"\([A-Za-z%]*\)", .*/\1/p' src/lang/units.c); do
    sed -n '/^## 6/,/^## 7/p' docs/language.md | grep -qF -- "$unit" || fail "docs/language.md does not name the unit $unit"
done

# the page of the library has every part of the library (tests/long/pages.sh: the committed one is
# what the program writes)
"$bondyn" lib page >"$work/library.md" 2>/dev/null || fail "lib page"
for name in $("$bondyn" lib 2>/dev/null | sed -n 's/^  \([A-Za-z_0-9]*\) .*/\1/p'); do
    grep -q "^### $name\$" "$work/library.md" || fail "lib page lacks $name"
done

# the arm at the top moves, and is no burden
grep -q "<animate" docs/images/titan4_moving.svg && grep -q titan4_moving.svg README.md || fail "README.md shows nothing that moves"
[ "$(wc -c <docs/images/titan4_moving.svg)" -lt 1000000 ] || fail "docs/images/titan4_moving.svg is larger than 1 MB"

# cases of the Modelica Standard Library are as short as their page says, and shorter than their
# sources
sed -n 's/^| \[\([a-z0-9_]*\)\](.*) | [A-Za-z0-9_.]* | \([0-9]*\) | \([0-9]*\) |$/\1 \2 \3/p' examples/msl/README.md >"$work/lengths"
[ "$(wc -l <"$work/lengths")" -ge 25 ] || fail "examples/msl/README.md has fewer than 25 cases"
while read -r name there here; do
    lines=$(sed 's|//.*||' "examples/msl/$name.bond" | grep -c '[^ ]')
    [ "$lines" -eq "$here" ] || fail "examples/msl/$name.bond has $lines lines, its page says $here"
    [ "$lines" -lt "$there" ] || fail "examples/msl/$name.bond has $lines lines, its source $there"
done <"$work/lengths"
