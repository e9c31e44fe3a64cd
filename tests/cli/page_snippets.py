"""Runs what stands in frames on a page, in this order and in this folder: ```sh by the shell, all else is written into the
file that its first line names (// motor.bond). A frame that is neither is a fault."""
import pathlib
import re
import subprocess
import sys

page = open(sys.argv[1]).read()
frames = list(re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.S | re.M))
indented = re.search(r"^\n    [^ \n-].*\n", re.sub(r"^```.*?^```$", "", page, flags=re.S | re.M), re.M)
assert frames and not indented, f"not in a frame: {indented and indented.group(0)}"
for frame in frames:
    kind, text = frame.groups()
    line = page[: frame.start()].count("\n") + 1
    if kind == "sh":
        done = subprocess.run(["sh", "-e", "-c", text], capture_output=True, text=True)
        if done.returncode or re.search(r"error [A-Z]\d|FAILS", done.stdout + done.stderr):
            sys.exit(f"{sys.argv[1]}:{line}: exit {done.returncode}\n{text}{done.stdout}{done.stderr}")
        continue
    name = re.match(r"// (\S+)\n", text)
    if not name:
        sys.exit(f"{sys.argv[1]}:{line}: the first line names no file")
    pathlib.Path(name.group(1)).write_text(text)
