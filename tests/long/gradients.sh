#!/bin/sh
# Derivatives of 400 models that are drawn, and of the first experiments of all examples, three
# ways: fails where one is wrong, that is, where the two ways along the run differ, or differences
# of whole runs agree about another number. What takes too long is left out, and said.
# usage: gradients.sh BONDYN FOLDER-OF-TESTS [EXPERIMENTS-OF-EACH [SECONDS-FOR-EACH]]
sweep=$2/gradient_sweep
most=${3:-2} limit=${4:-120}
cd "$(dirname "$0")/../../examples" || exit 2
wrong=0 ran=0 late=0
"$sweep" --random 100 400 || wrong=1 # models that are drawn
for file in */*.bond; do
    for experiment in $(sed -n 's/^experiment  *\([A-Za-z_0-9]*\).*/\1/p' "$file" | head -n "$most"); do
        text=$(timeout "$limit" "$sweep" "$PWD/$file" "$experiment" 2>&1)
        code=$?
        case $code in
            0) ran=$((ran + 1)) ;;
            124) late=$((late + 1)); echo "$file $experiment: not within $limit s" ;;
            *) wrong=$((wrong + 1)); echo "$text" ;;
        esac
    done
done
echo "$ran without a wrong derivative, $wrong with one, $late took too long"
[ $wrong -eq 0 ]
