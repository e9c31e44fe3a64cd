#!/bin/sh
# Line coverage of src by the whole test suite; fails below 85 %.
set -eu
cd "$(dirname "$0")/.."
cmake --preset coverage >/dev/null
cmake --build build/coverage >/dev/null
find build/coverage -name '*.gcda' -delete
(cd build/coverage && ctest -j 2 >ctest.log 2>&1) || tail -n 30 build/coverage/ctest.log
gcovr --root . --filter 'src/' --object-directory build/coverage --fail-under-line 85 \
    --print-summary --txt build/coverage/coverage.txt
sed -n '1,200p' build/coverage/coverage.txt | cut -c1-90
