"""A conversation with the language server, told in short; lsp_test.sh compares it with lsp_talk.txt."""
import json
import os
import sys

from lsp_client import Client

bondyn, root = sys.argv[1], sys.argv[2]
c = Client(bondyn, root, snippets=True)

PARTS = '''// parts of a drive
model Winch "a drum"
  param r = 0.1 {m} "radius of the drum", J {kg.m2}
  port shaft: rotation, rope: translation
  TF drum(r)
  I inertia(J)
  1 w
  shaft -> w
  w -> drum -> rope
  w -> inertia
end
'''

MAIN = '''// a load on a rope, \U0001f3d7 and \u00fc in a comment
import "parts.bond"
model Lift "lifts a load"
  param m = 2 {kg} "load"
  Winch winch(J = 1 {kg.m2})
  I load(m)
  Se motor = 5 {N.m}
  1 v
  0 turn
  motor -> winch.shaft
  winch.rope -> v
  v -> load
  De sensor
  Se none = 1 {V}
  turn -> sensor
  none -> turn
  var x[2] {m} initial 0
  for i in 1:2
    der(x[i]) = v.f*i
  end
end
experiment Go of Lift
  set m = 3 {kg}, winch.r = 0.2 {m}
  stop 1 {s}
  plot x[1], winch.w.f
  expect load.p(end) > 0
end
'''


def show(title, value):
    print("== " + title)
    print(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def short(r):
    return "%d:%d-%d:%d" % (r["start"]["line"], r["start"]["character"], r["end"]["line"], r["end"]["character"])


def messages(path):
    for d in c.diagnostics[path]:
        print("  %s %s %s %s" % (short(d["range"]), d["severity"], d["code"], d["message"].replace("\n", " | ")))
        for n in d.get("relatedInformation", []):
            print("    %s %s %s" % (c.path(n["location"]["uri"]), short(n["location"]["range"]), n["message"]))


def document(path, **more):
    return dict(textDocument={"uri": c.uri(path)}, **more)


def edits(answer):
    return {c.path(uri): [[short(e["range"]), e["newText"]] for e in list_of] for uri, list_of in answer["changes"].items()}


show("capabilities", sorted(c.hello["capabilities"]))
c.open("parts.bond", PARTS)
c.open("main.bond", MAIN)
c.wait("main.bond", lambda d: d is not None)
print("== opened")
messages("main.bond")

for mark in ["param |m", "Winch win|ch", "|Winch winch", "v -> lo|ad", "plot x[1], winch.|w", "param|", "v.|f*i", "|Se motor"]:
    answer = c.ask("textDocument/hover", c.at("main.bond", mark))
    show("hover " + mark, answer["contents"]["value"] if answer else answer)
for mark in ["|Winch winch", "winch.r|ope", "f*|i", "winch.|r =", "v -> lo|ad", "der|(x"]:
    answer = c.ask("textDocument/definition", c.at("main.bond", mark))
    show("definition " + mark, answer and [c.path(answer["uri"]), short(answer["range"])])
answer = c.ask("textDocument/references", dict(c.at("parts.bond", "param |r"), context={"includeDeclaration": True}))
show("references r", [[c.path(r["uri"]), short(r["range"])] for r in answer])
show("rename r", edits(c.ask("textDocument/rename", dict(c.at("parts.bond", "param |r"), newName="radius"))))
show("rename i", edits(c.ask("textDocument/rename", dict(c.at("main.bond", "f*|i"), newName="k"))))
for new in ["m", "end", "2x", "x y"]:
    show("rename to " + new, c.ask("textDocument/rename", dict(c.at("main.bond", "v -> lo|ad"), newName=new)))
show("rename a word", c.ask("textDocument/prepareRename", c.at("main.bond", "pa|ram")))
show("prepare", c.ask("textDocument/prepareRename", c.at("main.bond", "v -> lo|ad")))

for mark in ["winch.|rope", "Winch winch(|J", "5 {|N.m}", "  |Se motor", "of |Lift", "  |stop", "plot |x"]:
    items = c.ask("textDocument/completion", c.at("main.bond", mark))["items"]
    show("completion " + mark, [i["label"] for i in items[:12]])
    for i in items:
        if i["label"] in ("Winch", "Orifice", "J"):
            print("  ", json.dumps({k: v for k, v in i.items() if k not in ("documentation", "kind")}))

show("symbols", [[s["name"], s["kind"], short(s["range"]), [k["name"] for k in s["children"]]]
                 for s in c.ask("textDocument/documentSymbol", document("main.bond"))])
for h in c.ask("textDocument/inlayHint", document("main.bond")):
    print("  hint %d:%d %s %s" % (h["position"]["line"], h["position"]["character"], h["label"], h["tooltip"]))
data = c.ask("textDocument/semanticTokens/full", document("main.bond"))["data"]
types = c.hello["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
line = column = 0
lines = MAIN.split("\n")
print("== tokens")
for i in range(0, len(data), 5):
    line, column = line + data[i], data[i + 1] if data[i] else column + data[i + 1]
    units = lines[line].encode("utf-16-le")
    word = units[2 * column:2 * (column + data[i + 2])].decode("utf-16-le")
    print("  %d:%d %s %s %d" % (line, column, word, types[data[i + 3]], data[i + 4]))

print("== a wrong name, a unit, and their remedies")
c.change("main.bond", "v -> load", "v -> laod", 2)
c.wait("main.bond", lambda d: c.versions.get("main.bond") == 2)
messages("main.bond")
here = c.at("main.bond", "v -> |laod")["position"]
for a in c.ask("textDocument/codeAction", document("main.bond", range={"start": here, "end": here},
                                                   context={"diagnostics": c.diagnostics["main.bond"]})):
    print("  ", a["title"], json.dumps(edits(a["edit"])), [d["code"] for d in a["diagnostics"]])
c.change("main.bond", "v -> laod", "v -> load", 3)
c.wait("main.bond", lambda d: c.versions.get("main.bond") == 3)
c.change("main.bond", "  De sensor", "  Orifice o\n  De sensor", 4)
c.wait("main.bond", lambda d: c.versions.get("main.bond") == 4)
messages("main.bond")
here = c.at("main.bond", "|Orifice o")["position"]
for a in c.ask("textDocument/codeAction", document("main.bond", range={"start": here, "end": here}, context={"diagnostics": []})):
    print("  ", a["title"], json.dumps(edits(a["edit"])))
c.change("main.bond", "  Orifice o\n", "", 5)
c.wait("main.bond", lambda d: c.versions.get("main.bond") == 5)

print("== an error in an imported file, with both open")
c.change("parts.bond", "  w -> inertia\n", "  w -> inertia\n  I second(J)\n", 2)
c.wait("parts.bond", lambda d: d)
c.wait("main.bond", lambda d: d == [])  # what the file itself said before may have arrived first
messages("parts.bond")
messages("main.bond")
c.change("parts.bond", "  I second(J)\n", "", 3)
c.wait("parts.bond", lambda d: d == [])

print("== formatting")
c.change("main.bond", "  v -> load", "  v->load // rope", 6)
answer = c.ask("textDocument/formatting", document("main.bond", options={"tabSize": 2, "insertSpaces": True}))
show("edits", [[short(e["range"]), e["newText"]] for e in answer])
show("nothing to format", c.ask("textDocument/formatting", document("parts.bond")))

print("== what is no request")
show("unknown method", c.ask("textDocument/nothing", {}))
show("no document", c.ask("textDocument/hover", {"textDocument": {"uri": "file:///none.bond"}, "position": {"line": 0, "character": 0}}))
show("no place", c.ask("textDocument/hover", document("main.bond")))
show("far away", c.ask("textDocument/completion", document("main.bond", position={"line": 10**9, "character": 10**12}))["isIncomplete"])
show("initialize twice", c.ask("initialize", {}))
body = b"{not json"
c.server.stdin.write(b"rubbish\r\n\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
c.server.stdin.flush()
errors = []
while len(errors) < 2:  # what the server says of documents meanwhile is passed over
    message = c.read()
    if "error" in message:
        errors.append(message["error"])
show("rubbish", errors)
c.tell("textDocument/didClose", document("main.bond"))
c.wait("main.bond", lambda d: d == [])
c.ask("shutdown", None)
show("after shutdown", c.ask("textDocument/hover", document("parts.bond")))
c.tell("exit", None)
show("exit", c.server.wait())
