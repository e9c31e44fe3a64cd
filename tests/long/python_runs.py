"""The first experiment of each example through the Python package, against the program: the same digits.

usage: BONDYN_SO=... PYTHONPATH=python python_runs.py BONDYN EXAMPLES-FOLDER [PATTERN [SECONDS-FOR-EACH]]
"""
import csv
import glob
import os
import re
import subprocess
import sys
import tempfile

import bondyn
import numpy

program, examples = sys.argv[1:3]
pattern = sys.argv[3] if len(sys.argv) > 3 else "*/*"
limit = float(sys.argv[4]) if len(sys.argv) > 4 else 60


def columns(path):
    rows = list(csv.reader(line for line in open(path) if not line.startswith("#")))
    names = [re.sub(r" \[[^\]]*\]$", "", h.strip()) for h in rows[0]]
    return dict(zip(names, numpy.array([[float(x) for x in r] for r in rows[1:]]).T))


def differs(file, name, out):
    want = columns(out + "/results.csv")
    model = bondyn.load(file)
    r = model.run(name)
    if list(r.names) != list(want):
        return "other columns"
    if len(r) != len(want["time"]):
        return "%d rows, not %d" % (len(r), len(want["time"]))
    for n in r.names:
        a = numpy.array(r[n])
        if not numpy.array_equal(a, want[n], equal_nan=True):
            far = numpy.nanmax(abs(a - want[n]))/(numpy.nanmax(abs(want[n])) or 1)
            # a run of the program takes the default of an input for a number, Python holds it: sums may be in another order
            if far > (1e-9 if model.inputs else 1e-14):
                return "%s is %g apart" % (n, far)
    return None


def main():
    good = wrong = 0
    for file in sorted(glob.glob("%s/%s.bond" % (examples, pattern))):
        text = open(file).read()
        found = re.search(r"^experiment ([A-Za-z0-9_]+).*?^end\b", text, re.M | re.S)
        if not found or re.search(r"^ *(minimise|maximise|fit|frequency|linearize|poles)\b", found.group(), re.M):
            continue
        with tempfile.TemporaryDirectory() as out:
            try:
                code = subprocess.run([program, "run", file, found.group(1), "--no-plot", "--out", out], timeout=limit,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
            except subprocess.TimeoutExpired:
                continue
            if not os.path.exists(out + "/results.csv"):  # it analyses
                continue
            try:
                said = differs(file, found.group(1), out) if code in (0, 3, 4) else None
            except Exception as e:
                said = "%s: %s" % (type(e).__name__, str(e)[:200])
        if said:
            print("%s: %s" % (os.path.relpath(file, examples), said), flush=True)
        good, wrong = good + (not said), wrong + bool(said)
    print("%d good, %d wrong" % (good, wrong))
    return 1 if wrong else 0


sys.exit(main())
