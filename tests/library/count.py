#!/usr/bin/env python3
"""How many parts the library has that count: count.py BONDYN LIBRARY [LEAST]

A part counts if it has a description, a law of its own (statements beside parameters and `extends`), parameters whose
units are checked, and a self-test with expectations that has it as a component. Parts whose statements are those of
another one but for names and units (a mass is a coil, a force a voltage) count once. Fails below LEAST.
"""
import collections
import json
import os
import re
import subprocess
import sys

HEAD = re.compile(r"^(model|element|mechanism|lagrangian|experiment)\s+(\w+)(.*)$")
# Words that say what a law is; all others are names that a variant could have changed.
LAW = set("""param port var input output const if then else elseif end for in initial der out optional lossless stores dissipates
supplies when elsewhen and or not time sin cos tan atan exp log sqrt abs tanh sign min max mod floor step delay R C I TF GY MTF MGY
Se Sf MSe MSf De Df reinit discrete bonded modes while e f q p sum any""".split())


def classes_of(folder):
    """Every definition of the library with its statements, and the experiments."""
    classes, experiments, imports = {}, [], {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".bond"):
            continue
        stem, now = name[:-5], None
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        imports[stem] = re.findall(r"^import (\w+)", text, re.M)
        for line in text.split("\n"):
            begin = HEAD.match(line)
            if begin and not now:
                now = {"kind": begin[1], "name": begin[2], "head": begin[3], "file": stem, "body": []}
            elif now and now["head"].count("(") > now["head"].count(")"):
                now["head"] += line
            elif now and line == "end":
                if now["kind"] == "experiment":
                    experiments.append(now)
                else:
                    classes[stem, now["name"]] = now
                now = None
            elif now:
                now["body"].append(re.sub(r"//.*", "", line))
    return classes, experiments, imports


def resolve(classes, imports, file, word):
    """The definition that a name means in a file."""
    if "." in word:
        return tuple(word.split(".")) if tuple(word.split(".")) in classes else None
    near = [file] + imports[file] + [far for i in imports[file] for far in imports.get(i, [])]
    return next(((f, word) for f in near if (f, word) in classes), None)


def tested(classes, experiments, imports, parts):
    """Parts that a self-test has as components of its own model, or is itself."""
    found = set()
    for experiment in experiments:
        of = re.search(r"\bof\s+([\w.]+)", experiment["head"])
        if not of or not any("expect" in line for line in experiment["body"]):
            continue
        wait, seen = [resolve(classes, imports, experiment["file"], of[1])], set()
        while wait:
            key = wait.pop()
            if not key or key in seen:
                continue
            seen.add(key)
            found.add(key)
            if key in parts:
                continue  # what a part is made of has no test by that
            text = classes[key]["head"] + "\n" + "\n".join(classes[key]["body"])
            wait += [resolve(classes, imports, key[0], m[0]) for m in re.finditer(r"\b([a-z_]+\.)?[A-Z]\w*\b", text)]
    return found


def law(body):
    """The statements without names, units, descriptions and assertions."""
    text = re.sub(r"\{[^}]*\}", "", re.sub(r'"[^"]*"', "", "\n".join(body)))
    lines = [line.strip() for line in text.split("\n") if line.strip() and not re.match(r"\s*assert", line)]
    names = {}
    return re.sub(r"[A-Za-z_]\w*", lambda m: m[0] if m[0] in LAW else names.setdefault(m[0], f"v{len(names)}"), "\n".join(lines))


def main():
    bondyn, folder, least = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0
    told = subprocess.run([bondyn, "lib", "--json", "--library", folder], capture_output=True, text=True, check=True)
    parts = {(c["file"], c["name"]): c for c in json.loads(told.stdout)["components"]
             if c["kind"] in ("model", "element", "mechanism", "lagrangian")}
    classes, experiments, imports = classes_of(folder)
    seen = tested(classes, experiments, imports, parts)
    count, left_out, laws = collections.Counter(), collections.defaultdict(list), {}
    for key, part in parts.items():
        body = classes[key]["body"]
        own = [line for line in body if line.strip() and not re.match(r"\s*(param|const|assert|extends)\b", line)]
        same = laws.setdefault(law(body), key)
        why = ("no description" if not part["text"] else "no law of its own" if not own else
               "no self-test of its own" if key not in seen else
               "the law of another part" if same != key else "")
        if why:
            left_out[why].append(".".join(key))
        else:
            count[key[0]] += 1
    for file, n in sorted(count.items()):
        print(f"{file:20} {n}")
    for why, names in left_out.items():
        print(f"not counted, {why}: {' '.join(names)}")
    print(f"{sum(count.values())} of {len(parts)} parts count, {len(experiments)} self-tests")
    return sum(count.values()) < least


sys.exit(main())
