"""Renames what a seeded draw of models declares, in every file that has it, and asks `check` whether the
model still builds: a use that was missed is an unknown name, one that was taken wrongly too."""
import os
import random
import shutil
import subprocess
import sys

from lsp_client import Client

bondyn, source, work, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
random.seed(1)
files = ["titan4/titan4.bond", "titan4/arm.bond", "titan4/hydraulics.bond", "rlc/rlc.bond", "clutch/clutch.bond",
         "dc_motor/dc_motor.bond", "wagon_pendulum/wagon_pendulum.bond", "tables/tables.bond", "robot6/robot6.bond",
         "barge_crane/barge_crane.bond", "sampled_pid/sampled_pid.bond"]
files = [f for f in files if os.path.exists(os.path.join(source, "examples", f))]
shutil.copytree(os.path.join(source, "examples"), os.path.join(work, "examples"))
root = os.path.join(work, "examples")
c = Client(bondyn, root)
failed = renamed = 0


def offset(text, place):
    lines = text.split("\n")
    return sum(len(x) + 1 for x in lines[:place["line"]]) + place["character"]


def check(path):
    return subprocess.run([bondyn, "check", "-q", os.path.join(root, path)], capture_output=True, text=True)


for path in files:
    whole = os.path.join(root, path)
    with open(whole) as f:
        text = f.read()
    c.open(path, text)
    symbols = c.ask("textDocument/documentSymbol", {"textDocument": {"uri": c.uri(path)}})
    names = [s for top in symbols for s in [top] + top["children"]]
    for s in random.sample(names, min(count, len(names))):
        answer = c.ask("textDocument/rename", {"textDocument": {"uri": c.uri(path)}, "newName": "quite_new_name",
                                               "position": s["selectionRange"]["start"]})
        kept = {}
        for uri, edits in answer["changes"].items():
            other = os.path.join(root, c.path(uri))
            with open(other) as f:
                kept[other] = new = f.read()
            places = [(offset(new, e["range"]["start"]), offset(new, e["range"]["end"])) for e in edits]
            for start, end in sorted(places, reverse=True):
                new = new[:start] + "quite_new_name" + new[end:]
            with open(other, "w") as f:
                f.write(new)
        renamed += 1
        for other in kept:
            result = check(os.path.relpath(other, root))
            if result.returncode:
                failed += 1
                print("FAIL: %s of %s gets another name: %s" % (s["name"], path, result.stderr))
        for other, old in kept.items():
            with open(other, "w") as f:
                f.write(old)
c.close()
print("%d renamed, %d failed" % (renamed, failed))
sys.exit(failed > 0 or renamed < 10)
