"""The first experiments of examples as FMUs of FMI 2 and 3, in both kinds, and back again.

usage: units.py BONDYN FMU_CHECK EXAMPLES-FOLDER [PATTERN [SECONDS-FOR-EACH]]

Each becomes 200 steps of rk4 over a fifth of its run, or shorter ones where it needs them. fmu_check judges its
FMUs and runs them against `bondyn run`: the same bits in co-simulation, 1e-10 in model exchange. Then they are models
again, run with the same steps: 1e-9 of the largest value. What an export refuses is told with its words.
"""
import csv
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

bondyn, check, examples = sys.argv[1:4]
pattern = sys.argv[4] if len(sys.argv) > 4 else "*/*"
limit = float(sys.argv[5]) if len(sys.argv) > 5 else 300
STEPS, POINTS, MOST = 200, 20, 40
# Steps are powers of two, so that times of steps and of rows are exact and equal; a thousandth of the run or less.
BINARY = "2^floor(log((%s)/(1000 {s}))/log(2))*1 {s}"


def call(*words):
    """Exit code and what was said; 124: too late."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
    except subprocess.TimeoutExpired:
        return 124, "not within %g s" % limit
    return done.returncode, done.stdout.decode(errors="replace")


def short(text, name, step, parts):
    """An experiment of a file in fixed steps, a part of its run or what is given; None: it is no run."""
    found = re.search(r"^experiment %s\b.*?^end\b" % name, text, re.M | re.S)
    if re.search(r"^ *(minimise|maximise|fit|frequency|over|from|linearize|poles)\b", found.group(), re.M):
        return None
    stop = re.search(r"^ *stop +(.*?)(?: *//.*)?$", found.group(), re.M)
    step = BINARY % ("(%s)/%d" % (step or (stop.group(1) if stop else "1 {s}"), parts))
    kept = [line for line in found.group().split("\n")[1:-1]
            if not re.match(r" *(stop|points|solver|audit|expect|plot|sensitivity)\b", line)]
    head = found.group().split("\n")[0]
    return text[:found.start()] + "\n".join([
        head, "  stop %d*%s" % (STEPS, step), "  points %d" % POINTS,
        "  solver rk4 step %s" % step, "  audit off", *kept, "end"]) + text[found.end():]


def is_plain(head):
    """Has a column a unit without a factor? Runs have those of the declaration, FMUs that have come back have not."""
    unit = re.search(r" \[([^\]]*)\]$", head)
    one = r"(m|kg|s|A|K|mol|rad|N|J|W|V|Pa|Wb|C|F|ohm|S|H|T|Hz|1)[0-9]*"
    return not unit or all(re.fullmatch(one, x) for x in re.split("[./]", unit.group(1)))


def columns(path):
    rows = list(csv.reader(line for line in open(path) if not line.startswith("#")))
    return [re.sub(r" \[[^\]]*\]$", "", h.strip()) for h in rows[0]], rows[1:], [is_plain(h.strip()) for h in rows[0]]


def read(path):
    """Columns by their names, u.a_b_1_ for a.b[1]."""
    names, rows, same = columns(path)
    key = [re.sub(r"[^A-Za-z0-9]+", "_", re.sub(r"^u\.", "", n)).strip("_") for n in names]
    return {k: [float(r[i]) for r in rows] for i, k in enumerate(key) if same[i]}


def apart(first, second, finer=None):
    """What differs between two results files; None: nothing. finer: the first one with half its step, where the error of
    the method counts."""
    a, b = read(first), read(second)
    near = read(finer) if finer else a
    shared = [k for k in a if k in b and k != "time"]
    if len(a["time"]) != len(b["time"]):
        return "%d rows became %d" % (len(a["time"]), len(b["time"]))
    if not shared:
        return "no columns in common"
    for k in shared:
        size = max(map(abs, a[k])) or 1
        far = max(abs(x - y) for x, y in zip(a[k], b[k]))/size
        error = max(abs(x - y) for x, y in zip(a[k], near[k]))/size
        if not far <= 1e-9 + 10*error:
            return "%s is %g apart" % (k, far)
    return None


def run_in_steps(path, text, experiment, out):
    """Writes the example with steps that are short enough; is there a run?"""
    step, parts = None, 1
    for _ in range(5):
        changed = short(text, experiment, step, parts)
        if changed is None:
            return False
        open(path, "w").write(changed)
        code, said = call(bondyn, "run", path, experiment, "--engine", "vm", "--no-plot", "--out", out)
        if code in (0, 3, 4):
            return True
        if code != 5:
            return False
        stable = re.search(r"`step ([0-9.e+-]+) \{s\}`", said)
        if stable:
            step, parts = "%.3g {s}" % (500*float(stable.group(1))), 1
        else:
            parts *= 16
    return False


def some_names(path):
    """What is recorded, at most MOST of it, and no rounding around zero."""
    names, rows, _ = columns(path)
    large = [n for i, n in enumerate(names) if i and max(abs(float(r[i])) for r in rows) > 1e-12]
    return large[::max(1, -(-len(large)//MOST))]


def again(unit, folder, version):
    """The FMU as a model, run with the steps it names."""
    about = open(folder + "/modelDescription.xml").read()
    default = re.search(r"<DefaultExperiment[^>]*>", about).group()
    stop, step = (re.search(name + r'="([^"]*)"', default).group(1) for name in ("stopTime", "stepSize"))
    path = "%s.%s.bond" % (unit, version)
    open(path, "w").write("""model Unit from "%s"
model Top
  Unit u
end
experiment Again of Top
  stop %s {s}
  points %d
  solver rk4 step %s {s}
  audit off
  record *
end
""" % (unit, stop, POINTS, step))
    return path


def is_noise(line):
    """Differences cannot tell small slopes beside large ones, nor slopes at kinks, of any model: fmu_check looks at
    models that were chosen for it. A derivative that is wrong is not off by 1e-5."""
    off = re.search(r"^d .* = ([^ ]+) is off by ([^ ]+)$", line)
    return "are at kinks" in line or (off and (float(off.group(2)) < 1e-5 or abs(float(off.group(1))) < 1e-12))


def judge(path, experiment, work):
    """Faults of one example in all its forms; words for what was refused."""
    faults, record = [], []
    for name in some_names(work + "/run/results.csv"):
        record += ["--record", name]
    call(bondyn, "run", path, experiment, "--engine", "vm", "--no-plot", "--out", work + "/run", *record)
    for version in ("2", "3"):
        unit, folder = work + "/unit.fmu", work + "/unit"
        shutil.rmtree(folder, ignore_errors=True)
        code, said = call(bondyn, "export", "fmu", path, experiment, "--version", version, "--out", unit, *record)
        if code:
            line = next((x for x in said.split("\n") if "error" in x), said)
            if not re.search(r"error T014", line):
                faults.append("export, FMI %s: %s" % (version, line))
            return faults, re.sub(r".*error ", "", line)
        subprocess.run(["unzip", "-q", unit, "-d", folder], check=True)
        about = open(folder + "/modelDescription.xml").read()
        # a run takes the default of an input for a number, and its rows move where Newton's method begins
        loops = re.search(r"\w+_block_of\[\] = \{\n(?:    .*\n)*?    \{\d+, 0,", open(folder + "/sources/model.c").read())
        bound = ["within", "1e-10"] if 'causality="input"' in about or loops else []
        code, said = call(check, folder, work + "/run/results.csv", "3", *bound)
        wrong = [line for line in said.split("\n") if line and not is_noise(line)]
        if code and wrong:
            faults.append("FMI %s: %s" % (version, "; ".join(wrong[:3])))
        back = again(unit, folder, version)
        if version == "2" and "completedIntegratorStepNotNeeded" not in about:
            # states are chosen by an indicator there, later than in the run: both have the error of the method
            text = re.sub(r"(solver rk4 step )(.*)", r"\1(\2)/2", open(path).read(), count=1)
            fine = path.replace("in_steps", "in_fine_steps")
            open(fine, "w").write(text)
            call(bondyn, "run", fine, experiment, "--engine", "vm", "--no-plot", "--out", work + "/finer", *record)
            os.remove(fine)
        code, said = call(bondyn, "run", back, "--no-plot", "--out", work + "/again")
        while port := re.search(r"port 'u\.(\w+)' has no bond", said):  # nothing pushes there
            text, name = open(back).read(), port.group(1)
            open(back, "w").write(text.replace("  Unit u\n", "  Unit u\n  Se at_%s = 0\n  at_%s -> u.%s\n" % (name, name, name)))
            code, said = call(bondyn, "run", back, "--no-plot", "--out", work + "/again")
        if code:
            line = next((x for x in said.split("\n") if "error" in x), said[-200:])
            faults.append("back from FMI %s (%d): %s" % (version, code, line))
        else:
            finer = work + "/finer/results.csv" if os.path.exists(work + "/finer") else None
            far = apart(work + "/run/results.csv", work + "/again/results.csv", finer)
            if far:
                faults.append("back from FMI %s: %s" % (version, far))
    return faults, None


def main():
    root = tempfile.mkdtemp()
    copy = root + "/examples"
    shutil.copytree(examples, copy)
    counts = dict.fromkeys(("good", "wrong", "refused", "no run"), 0)
    for file in sorted(glob.glob("%s/%s.bond" % (copy, pattern))):
        text, name = open(file).read(), os.path.relpath(file, copy)
        names = re.findall(r"^experiment ([A-Za-z0-9_]+)", text, re.M)
        work = root + "/work"
        shutil.rmtree(work, ignore_errors=True)
        os.mkdir(work)
        path = os.path.dirname(file) + "/in_steps.bond"
        first = next((n for n in names[:6] if run_in_steps(path, text, n, work + "/run")), None)
        if not first:
            counts["no run"] += 1
            continue
        faults, refused = judge(path, first, work)
        for fault in faults:
            print("%s: %s" % (name, fault), flush=True)
        if refused:
            print("%s is refused: %s" % (name, refused), flush=True)
        counts["wrong" if faults else "refused" if refused else "good"] += 1
        os.remove(path)
    shutil.rmtree(root)
    print(", ".join("%d %s" % (n, what) for what, n in counts.items()))
    return 1 if counts["wrong"] else 0


sys.exit(main())
