#!/bin/sh
# A folder of src includes only folders that stand before it in the pipeline.
set -u
cd "$(dirname "$0")/.."
order="base expr import lang graph mech equations engine solve results analysis fmi studio cli"
before="" bad=0
for stage in $order; do
    before="$before $stage"
    [ -d "src/$stage" ] || continue
    pattern=$(echo $before | tr ' ' '|')
    wrong=$(grep -nE '^#include "[a-z]+/' -r "src/$stage" | grep -vE "#include \"($pattern)/")
    if [ -n "$wrong" ]; then
        echo "includes a later stage: $wrong"
        bad=1
    fi
done
exit $bad
