#!/bin/sh
# The Python package: its tests, the snippets of its page, as it is installed and as a wheel.
. "$(dirname "$0")/common.sh"
build=$(dirname "$bondyn")
python=
for p in python3 /usr/bin/python3; do
    [ -z "$python" ] && "$p" -c "import numpy" 2>/dev/null && python=$p
done
[ -n "$python" ] || { fail "no python3 with NumPy (python3-numpy)"; exit 1; }
if nm -D "$build/libbondyn.so" | grep -q __asan_init; then
    LD_PRELOAD=$(cc -print-file-name=libasan.so)
    ASAN_OPTIONS=detect_leaks=0 # the interpreter keeps some of its own
    export LD_PRELOAD ASAN_OPTIONS
fi
export PYTHONDONTWRITEBYTECODE=1
so=$build/libbondyn.so.1
unset BONDYN_LIBRARY

(
    export BONDYN_SO="$so" BONDYN_LIBRARY="$source_folder/library" PYTHONPATH="$source_folder/python"
    "$python" "$source_folder/tests/cli/python_checks.py" >out 2>&1 || { cat out; exit 1; }
    cd "$source_folder" && "$python" tests/cli/python_snippets.py docs/python.md >"$work/snippets" 2>&1 || { cat "$work/snippets"; exit 1; }
) || fail "package"

# results are read as the page for users of other tools says
"$bondyn" run "$source_folder/docs/tutorial/other_tools.bond" --quiet --library "$source_folder/library" --out . || fail "other_tools.bond"
"$python" "$source_folder/tests/cli/python_snippets.py" "$source_folder/docs/other_tools.md" >out 2>&1 || { fail "other_tools.md"; tail -n 3 out; }

# a wheel, twice the same bytes, with everything inside
mkdir one two
"$python" "$source_folder/python/build_wheel.py" "$so" "$source_folder/library" one >/dev/null || fail "wheel"
"$python" "$source_folder/python/build_wheel.py" "$so" "$source_folder/library" two >/dev/null || fail "wheel"
cmp one/*.whl two/*.whl || fail "a wheel depends on when it is made"
"$python" -c "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall('site')" one/*.whl
cat >use.py <<'END'
import bondyn
m = bondyn.load(text="import translation\nmodel M\n  Force f(u = 5 {N})\n  Mass m(m = 1)\n  1 v\n  f -> v -> m\nend\n")
print("v = %.6f" % m.run(stop=1).final("v.f"))
END
PYTHONPATH=site "$python" use.py >out 2>&1 || { fail "the wheel does not run"; cat out; }
expect_text out "v = 5.000000"

# installed
cmake --install "$build" --prefix "$work/root" >install.log 2>&1 || { fail "install"; cat install.log; }
package=$(dirname "$(dirname "$(find "$work/root" -path '*bondyn/_library.py')")")
PYTHONPATH=$package "$python" use.py >out 2>&1 || { fail "what is installed does not run"; cat out; }
expect_text out "v = 5.000000"
exit $failed
