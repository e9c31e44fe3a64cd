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
at_terminal "timeout -s INT 2 $bondyn run model.bond --stop 1e7"
grep -q "left" out || { fail "no progress bar on a long run"; cat out; }
at_terminal "$bondyn run model.bond"
grep -q "left" out && fail "a progress bar on a short run"
exit $failed
