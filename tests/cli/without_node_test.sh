#!/bin/sh
# A build without node: the pages are left out with words, and what stands in their place is C that
# compiles and says so.
. "$(dirname "$0")/common.sh"

command -v cmake >/dev/null || { echo "skipped: no cmake"; exit 0; }
cmake -DHAS_NODE=0 -DNODE=OFF -DNPM=OFF -DPACKAGES="$PWD/packages" -DFROM="$source_folder/web" -DTO="$PWD/made" \
    -P "$source_folder/cmake/web_build.cmake" >said 2>&1 || fail "leaving the pages out"
grep -q "the studio and the report's moving view are left out" said || fail "no word about it: $(cat said)"
cat >main.c <<'C'
#include <stddef.h>
#include <stdio.h>
extern const unsigned char asset_studio[], asset_report[], asset_motion[];
extern const size_t asset_studio_size;
extern const char asset_studio_hash[];
int main(void) {
    printf("%zu %d %d %d%s\n", asset_studio_size, asset_studio[0], asset_report[0], asset_motion[0], asset_studio_hash);
    return 0;
}
C
"${CC:-cc}" -std=c17 -Wall -Wextra -Werror -o main main.c made/studio.c made/report.c made/motion.c 2>err || fail "$(cat err)"
[ "$(./main)" = "0 0 0 0" ] || fail "something is there: $(./main)"
