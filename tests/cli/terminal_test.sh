#!/bin/sh
# At a terminal: colours (unless NO_COLOR) and a progress bar on long runs.
. "$(dirname "$0")/common.sh"

command -v script >/dev/null || exit 0
escape=$(printf '\033')
write_model ''
at_terminal() { TERM=xterm script -qec "$*" /dev/null </dev/null >out 2>&1; }

unset NO_COLOR
at_terminal "$bondyn run none.bond"
grep -q "$escape\[1;31merror T001" out || { fail "no colours at a terminal"; cat out; }
export NO_COLOR=1
at_terminal "$bondyn run none.bond"
grep -q "$escape" out && fail "NO_COLOR is not respected"
at_terminal "timeout --foreground -s INT 2 $bondyn run model.bond --stop 1e7"
grep -q "left" out || { fail "no progress bar on a long run"; cat out; }
at_terminal "$bondyn run model.bond"
grep -q "left" out && fail "a progress bar on a short run"

# A study that takes hours: a question at a terminal, and only yes is an answer.
write_slow_model 200
study="$bondyn sweep slow.bond --vary 'k = 1 .. 3 in 200000 {1/s}' -j 1"
answered() { printf '%s\n' "$1" | TERM=xterm script -qec "$2 --out asked" /dev/null >out 2>&1; }
for answer in n "" maybe; do
    answered "$answer" "$study"
    grep -q "runs take about .* h and .* GB: go on? \[y/N\]" out || { fail "no question"; cat out; }
    grep -q "error V005" out || { fail "'$answer' is no yes"; cat out; }
    [ -e asked/runs.part ] && fail "'$answer' began the study"
done
answered y "timeout --foreground -s INT 12 $study" # in front, or it cannot read the terminal
grep -q "error V005" out && { fail "yes is no answer"; cat out; }
grep -q "interrupted: [0-9]* of 200000 runs" out || { fail "the study did not begin"; cat out; }
rm -rf asked
$bondyn sweep slow.bond --vary 'k = 1 .. 3 in 200000 {1/s}' </dev/null >out 2>&1
grep -q "error V005" out || fail "without a terminal nobody can be asked"
exit $failed
