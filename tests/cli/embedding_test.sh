#!/bin/sh
# The library as other programs get it: installed, found by pkg-config and by CMake, linked shared
# and static, its names.
. "$(dirname "$0")/common.sh"
build=$(dirname "$bondyn")
unset BONDYN_LIBRARY # the installed one is found by itself
cmake --install "$build" --prefix "$work/root" >install.log 2>&1 || { fail "install"; cat install.log; }
pc=$(dirname "$(find "$work/root" -name bondyn.pc)")
export PKG_CONFIG_PATH="$pc"
libdir=$(dirname "$pc")
flags="-Wall -Wextra -Wpedantic -Werror"
seconds=5
if nm -D "$libdir/libbondyn.so" | grep -q __asan_init; then
    flags="$flags -fsanitize=address,undefined" seconds=0.1
fi

# shellcheck disable=SC2046,SC2086
build_with() { # COMPILER SOURCE PROGRAM [--static]
    compiler=$1 source=$2 program=$3
    shift 3
    $compiler $flags "$source_folder/docs/embedding/$source" -o "$program" $(pkg-config --cflags --libs "$@" bondyn) ||
        fail "$source does not compile"
}

build_with "cc -std=c17" titan4.c titan4
build_with "c++ -std=c++17" by_hand.cpp by_hand
LD_LIBRARY_PATH=$libdir ./titan4 "$source_folder/examples/titan4/titan4.bond" $seconds >out 2>err || { fail titan4; cat err; }
expect_text out "59 states"
expect_text out "energy balanced"
LD_LIBRARY_PATH=$libdir ./by_hand >out || fail by_hand
expect_text out "spring.q = 0.0284 m after 1 s" # 0.1 cos 5

# The names: those of the header, in both libraries, and nothing else.
grep -oE '\bbd_[a-z_]+\(' "$source_folder/include/bondyn.h" | tr -d '(' | sort -u >wanted
nm -D --defined-only "$libdir/libbondyn.so" | awk '{print $3}' | grep -v '^_' | sort -u >seen
diff wanted seen || fail "the shared library exports other names than the header"
case "$flags" in
*sanitize*) ;;
*)
    nm -g --defined-only "$libdir/libbondyn.a" 2>/dev/null | awk 'NF == 3 {print $3}' | sort -u >seen
    diff wanted seen || fail "the static library exports other names than the header"
    # A caller's own function of a name that Bondyn uses inside stays the caller's.
    cat >own.c <<'END'
#include <bondyn.h>
#include <stdio.h>
int digest(void);
int digest(void) { return 42; }
int main(void) {
    static const char text[] = "model M\n  var x initial 1\n  der(x) = -x/(1 {s})\nend\n";
    BdModel *m = bd_load_text("m.bond", text, sizeof text - 1, NULL, NULL);
    BdRun *run = bd_run(m, NULL, NULL);
    printf("%d %.6f\n", digest(), bd_final(run, "x"));
    bd_run_free(run);
    bd_model_free(m);
    return 0;
}
END
    # shellcheck disable=SC2046
    cc own.c -o own $(pkg-config --cflags bondyn) "$libdir/libbondyn.a" \
        $(pkg-config --static --libs bondyn | sed 's/-lbondyn//') || fail "no static program"
    ./own >out || fail own
    expect_text out "42 0.000045"
    ;;
esac

# CMake finds it, too.
mkdir find && cp "$source_folder/docs/embedding/titan4.c" find/
cat >find/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(find C)
find_package(bondyn REQUIRED)
add_executable(titan4 titan4.c)
target_link_libraries(titan4 PRIVATE bondyn::libbondyn)
END
cmake -S find -B find/build -DCMAKE_PREFIX_PATH="$work/root" -DCMAKE_C_FLAGS="$flags" >cmake.log 2>&1 &&
    cmake --build find/build >>cmake.log 2>&1 || { fail "find_package"; cat cmake.log; }
exit $failed
