"""Runs the Python snippets of a page one after the other."""
import re
import sys
import warnings

warnings.simplefilter("ignore")
page = open(sys.argv[1]).read()
names = {}
snippets = re.findall(r"```python\n(.*?)```", page, re.S)
assert snippets
for text in snippets:
    line = page[:page.index(text)].count("\n")
    exec(compile("\n" * line + text, sys.argv[1], "exec"), names)
