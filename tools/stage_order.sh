#!/bin/sh
# A folder of src includes only folders that stand before it in the pipeline (src/stages.txt), and
# the table of docs/architecture.md lists the folders in that order.
set -u
cd "$(dirname "$0")/.."
order="$(cat src/stages.txt) cli"
before="" bad=0
# The command line is a caller of the library: the public header, and what is for the terminal.
wrong=$(grep -nE '^#include "' -r src/cli | grep -vE '#include "(cli/|bondyn\.h"|studio/studio\.h")')
if [ -n "$wrong" ]; then
    echo "src/cli includes more than bondyn.h and studio.h (what a verb does belongs into src/verb): $wrong"
    bad=1
fi
for stage in $(cat src/stages.txt); do
    before="$before $stage"
    [ -d "src/$stage" ] || { echo "src/stages.txt names $stage, which is no folder"; bad=1; }
    pattern=$(echo $before | tr ' ' '|')
    wrong=$(grep -nE '^#include "[a-z]+/' -r "src/$stage" | grep -vE "#include \"($pattern)/")
    if [ -n "$wrong" ]; then
        echo "includes a later stage: $wrong"
        bad=1
    fi
done
told=$(sed -n 's/^| `\([a-z]*\)` |.*/\1/p' docs/architecture.md | tr '\n' ' ')
if [ "$(echo $told)" != "$(echo $order)" ]; then
    echo "docs/architecture.md lists the folders as: $told"
    echo "src/stages.txt says:                       $(echo $order)"
    bad=1
fi
exit $bad
