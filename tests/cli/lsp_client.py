"""A client of the language server for tests: starts it, talks to it, keeps what it says."""
import json
import os
import subprocess
from urllib.parse import quote, unquote


class Client:
    def __init__(self, bondyn, root, snippets=False):
        self.server = subprocess.Popen([bondyn, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.root = os.path.realpath(root)
        self.number = 0
        self.diagnostics = {}
        self.versions = {}
        item = {"completionItem": {"snippetSupport": snippets}}
        self.hello = self.ask("initialize", {"processId": None, "rootUri": None,
                                             "capabilities": {"textDocument": {"completion": item}}})
        self.tell("initialized", {})

    def uri(self, path):
        return "file://" + quote(os.path.join(self.root, path))

    def path(self, uri):
        return os.path.relpath(unquote(uri[len("file://"):]), self.root)

    def send(self, message):
        body = json.dumps(dict(jsonrpc="2.0", **message)).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def read(self):
        length = None
        while True:
            line = self.server.stdout.readline()
            if not line:
                raise EOFError("the server has ended")
            line = line.strip()
            if not line:
                break
            key, value = line.split(b":")
            if key.lower() == b"content-length":
                length = int(value)
        message = json.loads(self.server.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            p = message["params"]
            self.diagnostics[self.path(p["uri"])] = p["diagnostics"]
            if "version" in p:
                self.versions[self.path(p["uri"])] = p["version"]
        return message

    def ask_whole(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.number:
                return message

    def ask(self, method, params):
        message = self.ask_whole(method, params)
        if "error" in message:
            return message["error"]
        return message["result"]

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def open(self, path, text):
        self.diagnostics.pop(path, None)
        self.text = getattr(self, "text", {})
        self.text[path] = text
        self.tell("textDocument/didOpen", {"textDocument": {"uri": self.uri(path), "languageId": "bondyn",
                                                            "version": 1, "text": text}})

    def change(self, path, old, new, version):
        """Puts `new` in the place of the only `old`."""
        at = self.text[path].index(old)
        start, end = self.place(path, at), self.place(path, at + len(old))
        self.text[path] = self.text[path][:at] + new + self.text[path][at + len(old):]
        self.tell("textDocument/didChange", {
            "textDocument": {"uri": self.uri(path), "version": version},
            "contentChanges": [{"range": {"start": start, "end": end}, "text": new}]})

    def place(self, path, at):
        before = self.text[path][:at].split("\n")
        return {"line": len(before) - 1, "character": len(before[-1].encode("utf-16-le")) // 2}

    def at(self, path, mark):
        """Parameters of a request about the place of | in `mark`."""
        at = self.text[path].index(mark.replace("|", "")) + mark.index("|")
        return {"textDocument": {"uri": self.uri(path)}, "position": self.place(path, at)}

    def wait(self, path, fits):
        """Reads until the diagnostics of a file are as wanted."""
        while not fits(self.diagnostics.get(path)):
            self.read()
        return self.diagnostics[path]

    def close(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.server.wait()
