#!/usr/bin/env python3
"""How good is the suite? Seeded changes of one token in src, each built and tested: killed, or a survivor.

usage: mutants.py [COUNT [SEED [FOLDER_OF_SRC ...]]]        (default 200 1, all of src)

A mutant is made in a copy of the tree (build/mutants). It is killed when a test fails or does not end; it does not
count when it does not compile. Tests run in the order in which they killed before, so most mutants die within
seconds. Survivors are listed with their place and the line, to be judged: either nothing can see the change (it is
an equal program, or only speed), or a test is missing.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
COPY = TOP / "build" / "mutants"
TREE = COPY / "tree"
BUILD = COPY / "build"
CHANGES = [  # what a token becomes; the first that fits a token is taken
    (r"<=", ["<"]), (r">=", [">"]), (r"==", ["!="]), (r"!=", ["=="]), (r"&&", ["||"]), (r"\|\|", ["&&"]),
    (r"(?<=[\w\)\]] )\+(?= [\w\(])", ["-"]), (r"(?<=[\w\)\]] )-(?= [\w\(])", ["+"]),
    (r"(?<=[\w\)\]] )\*(?= [\w\(])", ["/"]), (r"(?<= )<(?= )", ["<="]), (r"(?<= )>(?= )", [">="]),
    (r"\btrue\b", ["false"]), (r"\bfalse\b", ["true"]), (r"(?<![\w.])0(?![\w.])", ["1"]),
    (r"(?<![\w.])1(?![\w.])", ["0", "2"]), (r"\bcontinue;", [";"]), (r"\bbreak;", [";"]),
    (r"(?<=\bif \()(?=[^;]*\) (return|continue|break))", ["!"]),
]


def code_lines(path):
    """Lines that hold code: no comments, no preprocessor, no strings only."""
    for number, line in enumerate(path.read_text().split("\n")):
        bare = line.split("//")[0]
        if bare.strip() and not bare.lstrip().startswith("#") and "assert" not in bare:
            yield number, bare


def places(folders):
    found = []
    for path in sorted((TOP / "src").rglob("*.c")):
        name = path.relative_to(TOP / "src").as_posix()
        if folders and name.split("/")[0] not in folders:
            continue
        for number, bare in code_lines(path):
            masked = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + "_" * (len(m.group()) - 2) + '"', bare)
            for pattern, into in CHANGES:
                for m in re.finditer(pattern, masked):
                    found.append((name, number, m.start(), m.end(), into))
    return found


def quiet(command, limit, **options):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=limit,
                              **options).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def names_of_tests():
    listing = subprocess.run(["ctest", "-N", "-LE", "slow|long"], cwd=BUILD, capture_output=True, text=True).stdout
    return re.findall(r"Test +#\d+: (\S+)", listing)


def failing(limit):
    """The first test that fails, or None."""
    run = subprocess.run(["ctest", "-j2", "-LE", "slow|long", "--stop-on-failure", "--timeout", str(limit)],
                         cwd=BUILD, capture_output=True, text=True)
    failed = re.search(r"Test +#\d+: (\S+) .*\*\*\*", run.stdout)
    return failed.group(1) if failed else None if run.returncode == 0 else "ctest"


def judge(mutant, killers):
    name, number, start, end, into = mutant
    target = TREE / "src" / name
    original = target.read_text()
    lines = original.split("\n")
    lines[number] = lines[number][:start] + into + lines[number][end:]
    target.write_text("\n".join(lines))
    try:
        if not quiet(["cmake", "--build", str(BUILD)], 900):
            return "does not compile", lines[number]
        for test in sorted(killers, key=killers.get, reverse=True)[:20]:
            if not quiet(["ctest", "-R", "^" + re.escape(test) + "$", "--timeout", "60"], 90, cwd=BUILD):
                killers[test] += 1
                return "killed by " + test, lines[number]
        test = failing(120)
        if test is None:
            return "survives", lines[number]
        killers[test] = killers.get(test, 0) + 1
        return "killed by " + test, lines[number]
    finally:
        target.write_text(original)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(seed)
    shutil.rmtree(TREE, ignore_errors=True)
    COPY.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        (TREE / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(TOP / name, TREE / name, follow_symlinks=False)
    os.environ["XDG_CACHE_HOME"] = str(COPY / "cache")
    configured = quiet(["cmake", "-G", "Ninja", "-S", str(TREE), "-B", str(BUILD), "-DCMAKE_BUILD_TYPE=Release",
                        "-DBUILD_TESTING=ON"], 300)
    if not configured or not quiet(["cmake", "--build", str(BUILD)], 3600):
        sys.exit("mutants: the unchanged tree does not build")
    broken = failing(600)
    if broken:
        sys.exit(f"mutants: {broken} fails in the unchanged tree")
    choice = chance.sample(places(sys.argv[3:]), count)
    killers, outcome = {}, {"killed": 0, "survives": 0, "does": 0}
    for i, (name, number, start, end, into) in enumerate(choice):
        verdict, line = judge((name, number, start, end, chance.choice(into)), killers)
        outcome[verdict.split()[0]] += 1
        print(f"{i + 1}/{count} src/{name}:{number + 1}: {verdict}: {line.strip()}", flush=True)
    counted = outcome["killed"] + outcome["survives"]
    print(f"{outcome['killed']} of {counted} mutants killed, {outcome['survives']} survive, "
          f"{outcome['does']} do not compile (seed {seed})")


if __name__ == "__main__":
    main()
