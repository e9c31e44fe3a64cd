#!/bin/sh
# Every code that bondyn can report has to occur in a golden file, in a test of the command line,
# or in the list of codes that no model text can bring about (unreachable.txt, with the reason).
#
# usage: codes_seen.sh BONDYN

cd "$(dirname "$0")" || exit 2
missing=0
for code in $("$1" explain | cut -d' ' -f1); do
    grep -qs -- "\b$code\b" ./*.err ../cli/*_test.sh unreachable.txt && continue
    echo "no golden file shows $code: $("$1" explain "$code" | head -n 1)"
    missing=1
done
exit $missing
