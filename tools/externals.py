#!/usr/bin/env python3
"""Functions and data of src that are external without need: no other object file of the build uses them.

usage: externals.py BUILD_FOLDER        (everything built, tests too)

What only tests, fuzzers and benches use counts as used, and so does what is looked up by its name when the program runs.
Each that is named should be static, or go.
"""
import collections
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
BY_NAME = {"main", "bondyn_ranks"}  # the module for MPI is loaded by study/ranks.c
CHECKS = {"model_check", "graph_check", "system_check"}  # called in debug builds (base/invariant.h)


def source_is_there(path):
    """False: left over from a file of src that has another name now."""
    of = re.search(r"\.dir/(src/.*)\.o$", str(path))
    return not of or (TOP / of[1]).exists()


def symbols(objects):
    """For each symbol the objects that define it, and those that use it."""
    defined, used = collections.defaultdict(set), collections.defaultdict(set)
    listing = subprocess.run(["nm", "-A", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        name, rest = line.rsplit(":", 1)
        *_, kind, symbol = rest.split()
        if kind in "TDBRC":
            defined[symbol].add(name)
        elif kind == "U":
            used[symbol].add(name)
    return defined, used


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    objects = [path for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.o")) if source_is_there(path)]
    door = set(re.findall(r"\bbd_\w+", (TOP / "include" / "bondyn.h").read_text()))
    others = [*(TOP / "bench").glob("*.c"), *(TOP / "tests" / "fuzz").glob("*.c")]  # not built everywhere
    known = door | BY_NAME | CHECKS | set(re.findall(r"\w+", " ".join(p.read_text() for p in others)))
    defined, used = symbols(objects)
    lonely = []
    for symbol, where in sorted(defined.items()):
        place = re.search(r"/src/(\S+)\.o$", min(where))
        if place and not used[symbol] - where and symbol not in known:
            lonely.append(f"src/{place[1]}: {symbol}")
    print("\n".join(lonely + [f"{len(defined)} external symbols, {len(lonely)} of src without need"]))
    sys.exit(bool(lonely))


if __name__ == "__main__":
    main()
