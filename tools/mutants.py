#!/usr/bin/env python3
"""How good is the suite? Seeded changes of one token in src, each built and tested: killed, or a survivor.

usage: mutants.py [COUNT [SEED [FOLDER_OF_SRC ...]]]        (default 200 1, all of src)

A mutant is made in a copy of the tree (build/mutants). It is killed when a test fails or does not end; it does not
count when it does not compile, or when the compiler makes the same machine code of it. The unit tests of its folder
come first, and only they are linked for that; then what killed mutants of that folder before; then tests of the program,
in random order, then all that is quick, up to the first failure. So most mutants die within seconds. How busy the machine is
does not matter: a test does not end when it takes too much time of the processor. Survivors are listed with their place
and the line, to be judged: either nothing can see the change (it is an equal program, or only speed), or a test is missing.
"""
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
COPY = TOP / "build" / "mutants"
TREE = COPY / "tree"
BUILD = TREE / "build" / "release"  # where other trees have it: a compiler cache knows the objects
LIMIT = 60  # seconds of the processor for each process of a test: those that run here take a few
PATIENCE = 20 * LIMIT  # by the clock, for what waits and does nothing
ALL, NONE = ".", "^$"  # every quick test, no test
PROGRAM = r"^(golden|cli|example)\."  # those that need nothing but the program
TOO_LATE = ", which does not end"
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


def words_of(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def object_of(name):
    """The object file that the build makes of a file of src, relative to the build's folder."""
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if entry["file"] == str(TREE / "src" / name):
            return re.search(r" -o (\S+)", entry["command"]).group(1)
    return None


def make(*targets):
    return quiet(["ninja", "-C", str(BUILD), *targets], 900)


def names_of_tests():
    """Names of the quick tests."""
    listing = json.loads(words_of(["ctest", "--show-only=json-v1", "-LE", "slow|long"], cwd=BUILD).stdout)
    return [test["name"] for test in listing["tests"]]


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))


def these(names):
    """The pattern of these tests alone."""
    return "^(" + "|".join(map(re.escape, names)) + ")$"


def failing(pattern, without=NONE, **options):
    """The first of the quick tests of this pattern, and not of the other one, that fails, or None."""
    run = words_of(["ctest", "-j2", "-LE", "slow|long", "-R", pattern, "-E", without, "--schedule-random",
                    "--stop-on-failure", "--timeout", str(PATIENCE)], cwd=BUILD, **options)
    failed = re.search(r"Test +#\d+: (\S+) .*\*\*\*(\S+)", run.stdout)
    if not failed:
        return None if run.returncode == 0 else "ctest"
    return failed.group(1) + (TOO_LATE if failed.group(2) == "Timeout" else "")


class Judge:
    """Judges mutants one after the other; remembers which tests killed those of the same folder."""

    def __init__(self):
        self.tests = names_of_tests()
        self.killers = {}

    def likely(self, folder):
        """Tests that killed mutants of this folder, the deadliest first; no more than a few."""
        count = self.killers.get(folder, {})
        return sorted(count, key=count.get, reverse=True)[:8]

    def first_failure(self, folder):
        own = [test for test in self.tests if test.startswith(folder + ".") and
               (TREE / "tests" / folder / (test.split(".")[1] + ".c")).exists()]
        likely = self.likely(folder)
        units = [test.split(".")[1] for test in likely if not re.match(PROGRAM, test)]
        units = [unit for unit in units if list((TREE / "tests").glob(f"*/{unit}.c"))]
        rounds = [([test.split(".")[1] for test in own], these(own), NONE), (["bondyn", *units], these(likely), NONE),
                  (["bondyn"], PROGRAM, NONE), ([], ALL, PROGRAM)]
        for targets, pattern, without in rounds[0 if own else 1:1] + rounds[1 if likely else 2:]:
            if not make(*targets):
                return None, "does not compile"
            if test := failing(pattern, without, preexec_fn=bounded):
                return test, None
        return None, None

    def verdict(self, name, before, target_object):
        if not make(target_object):
            return "does not compile"
        if (BUILD / target_object).read_bytes() == before:
            return "equal: the same machine code"
        folder = name.split("/")[0]
        test, broken = self.first_failure(folder)
        if broken:
            return broken
        if test is None:
            return "survives"
        of = self.killers.setdefault(folder, {})
        named = test.removesuffix(TOO_LATE)
        of[named] = of.get(named, 0) + 1
        return "killed by " + test

    def judge(self, mutant):
        name, number, start, end, into = mutant
        target, target_object = TREE / "src" / name, object_of(name)
        original = target.read_text()
        make(target_object)
        before = (BUILD / target_object).read_bytes()
        lines = original.split("\n")
        lines[number] = lines[number][:start] + into + lines[number][end:]
        target.write_text("\n".join(lines))
        try:
            return self.verdict(name, before, target_object), lines[number]
        finally:
            target.write_text(original)


def copy_tree():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        source, target = TOP / name, TREE / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.is_symlink() or target.read_bytes() != source.read_bytes():
            shutil.copy2(source, target, follow_symlinks=False)


def prepare():
    COPY.mkdir(parents=True, exist_ok=True)
    copy_tree()
    web = TREE / "build" / "web"  # packages of the pages
    web.parent.mkdir(exist_ok=True)
    if (TOP / "build" / "web").exists() and not web.exists():
        web.symlink_to(TOP / "build" / "web")
    os.environ["XDG_CACHE_HOME"] = str(COPY / "cache")
    if not quiet(["cmake", "-G", "Ninja", "-S", str(TREE), "-B", str(BUILD), "-DCMAKE_BUILD_TYPE=Release",
                  "-DBUILD_TESTING=ON"], 300) or not make():
        sys.exit("mutants: the unchanged tree does not build")
    broken = failing(ALL)
    if broken:
        sys.exit(f"mutants: {broken} fails in the unchanged tree")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(seed)
    prepare()
    choice = [(*place, chance.choice(into)) for *place, into in chance.sample(places(sys.argv[3:]), count)]
    outcome, judge = {"killed": 0, "survives": 0, "does": 0, "equal:": 0}, Judge()
    for i, mutant in enumerate(choice):
        verdict, line = judge.judge(mutant)
        outcome[verdict.split()[0]] += 1
        print(f"{i + 1}/{count} src/{mutant[0]}:{mutant[1] + 1}: {verdict}: {line.strip()}", flush=True)
    counted = outcome["killed"] + outcome["survives"]
    print(f"{outcome['killed']} of {counted} mutants killed, {outcome['survives']} survive; {outcome['equal:']} have the "
          f"same machine code, {outcome['does']} do not compile (seed {seed})")


if __name__ == "__main__":
    main()
