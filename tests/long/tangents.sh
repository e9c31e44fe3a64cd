#!/bin/sh
# A and B of every experiment of every example, at the start and in mid-run, against central differences of the run's own rates.
# What takes too long is left out, and said.
# usage: tangents.sh BONDYN FOLDER-OF-TESTS [SECONDS-FOR-EACH]
limit=${3:-300}
cd "$(dirname "$0")/../../examples" || exit 2
wrong=0 late=0
for file in */*.bond; do
    for experiment in $(sed -n 's/^experiment  *\([A-Za-z_0-9]*\).*/\1/p' "$file"); do
        text=$(timeout "$limit" "$2/linear_test" "$PWD/$file" "$experiment" 2>&1)
        case $? in
            0) ;;
            124) late=$((late + 1)); echo "$file $experiment: not within $limit s" ;;
            *) wrong=$((wrong + 1)); echo "$text" ;;
        esac
    done
done
echo "$wrong wrong, $late took too long"
[ $wrong -eq 0 ]
