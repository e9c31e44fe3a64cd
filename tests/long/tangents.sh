#!/bin/sh
# A and B of every experiment of every example, at the start and in mid-run, against central differences of the run's own rates.
# What takes too long is left out, and said.
# usage: tangents.sh BONDYN FOLDER-OF-TESTS [SECONDS-FOR-EACH]
limit=${3:-300}
cd "$(dirname "$0")/../../examples" || exit 2
wrong=0 late=0 points=0 kinks=0 none=0 linear=0
for file in */*.bond; do
    for experiment in $(sed -n 's/^experiment  *\([A-Za-z_0-9]*\).*/\1/p' "$file"); do
        text=$(timeout "$limit" "$2/linear_test" "$PWD/$file" "$experiment" 2>&1)
        case $? in
            0)
                # shellcheck disable=SC2086
                set -- "$1" "$2" $text # "N points, N off, N kinks, N linear"
                points=$((points + $3)) kinks=$((kinks + $7)) linear=$((linear + $9))
                [ "$3" -gt 0 ] || none=$((none + 1))
                ;;
            124) late=$((late + 1)); echo "$file $experiment: not within $limit s" ;;
            *) wrong=$((wrong + 1)); echo "$text" ;;
        esac
    done
done
echo "$points points good, $linear of them linear, $kinks on kinks, $none experiments without a point (no states, or no motion)"
echo "$wrong wrong, $late took too long"
[ $wrong -eq 0 ]
