# A client of the studio's server in plain Python: the handshake, frames, and what a page would say. Used by
# studio_test.sh and by the long tests; `python3 studio_client.py BONDYN FOLDER` runs all checks.
import base64
import hashlib
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

LIMIT = 60  # seconds for any answer; a machine under load is slow, a dead server never answers


class Server:
    def __init__(self, bondyn, file, port=0, env=None):
        command = [bondyn, "studio", file, "--no-open"] + (["--port", str(port)] if port else [])
        self.said = tempfile.TemporaryFile("w+")  # beside the address
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.said, text=True, env=env)
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.address)
        assert found, "no address: " + self.address
        self.port, self.token = int(found[1]), found[2]

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(LIMIT)
        self.said.seek(0)
        assert code == 0, "the server ended with %d:\n%s" % (code, self.said.read()[-6000:])

    def alive(self):
        return self.process.poll() is None

    def http(self, text):
        with socket.create_connection(("127.0.0.1", self.port), LIMIT) as s:
            s.sendall(text.encode() if isinstance(text, str) else text)
            s.settimeout(LIMIT)
            try:
                return s.recv(65536).decode("latin1")
            except ConnectionError:
                return ""

    def status(self, path, host=None, method="GET", more=""):
        answer = self.http("%s %s HTTP/1.1\r\nHost: %s\r\n%sConnection: close\r\n\r\n" %
                           (method, path, host or "127.0.0.1:%d" % self.port, more))
        found = re.match(r"HTTP/1\.[01] (\d+)", answer)
        return int(found[1]) if found else 0


class Page:
    def __init__(self, server, token=None, origin=None, host=None, protocol="bondyn"):
        host = host or "127.0.0.1:%d" % server.port
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket = socket.create_connection(("127.0.0.1", server.port), LIMIT)
        self.socket.settimeout(LIMIT)
        self.buffer = b""
        self.frames = []
        head = ["GET /live?token=%s HTTP/1.1" % (server.token if token is None else token), "Host: " + host,
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: " + key, "Sec-WebSocket-Version: 13"]
        if protocol:
            head.append("Sec-WebSocket-Protocol: " + protocol)
        if origin != "":
            head.append("Origin: " + (origin or "http://" + host))
        self.socket.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
        answer = b""
        try:
            while b"\r\n\r\n" not in answer:
                part = self.socket.recv(4096)
                if not part:
                    break
                answer += part
        except (ConnectionError, socket.timeout):
            pass
        self.open = answer.startswith(b"HTTP/1.1 101")
        if self.open:
            wanted = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
            assert wanted in answer
            self.buffer = answer.split(b"\r\n\r\n", 1)[1]

    def raw(self, data):
        self.socket.sendall(data)

    def frame(self, opcode, data, final=True, masked=True):
        head = bytes([(0x80 if final else 0) | opcode])
        mask = 0x80 if masked else 0
        n = len(data)
        head += bytes([mask | n]) if n < 126 else bytes([mask | 126]) + struct.pack(">H", n) if n < 65536 else \
            bytes([mask | 127]) + struct.pack(">Q", n)
        if masked:
            key = b"\x11\x22\x33\x44"
            big = (key * (n // 4 + 1))[:n]
            data = key + (int.from_bytes(data, "big") ^ int.from_bytes(big, "big")).to_bytes(n, "big")
        self.socket.sendall(head + data)

    def say(self, to, what, **more):
        self.frame(1, json.dumps({"to": to, "do": what, **more}, separators=(",", ":")).encode())

    def read(self, n):
        while len(self.buffer) < n:
            part = self.socket.recv(1 << 16)
            if not part:
                raise ConnectionError("closed")
            self.buffer += part
        data, self.buffer = self.buffer[:n], self.buffer[n:]
        return data

    def message(self):
        whole, kind = b"", None
        while True:
            a, b = self.read(2)
            n = b & 127
            n = struct.unpack(">H", self.read(2))[0] if n == 126 else struct.unpack(">Q", self.read(8))[0] if n == 127 else n
            data = self.read(n)
            if a & 15 == 8:
                raise ConnectionError("closed")
            if a & 15 == 9:
                self.frame(10, data)
                continue
            kind = a & 15 or kind
            whole += data
            if a & 0x80:
                return kind, whole

    def wait(self, what, test=lambda m: True):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            kind, data = self.message()
            if kind == 2:
                self.frames.append(struct.unpack("<%dd" % (len(data) // 8), data))
                if what == "frame" and test(self.frames[-1]):
                    return self.frames[-1]
                continue
            m = json.loads(data)
            if m["do"] == what and test(m):
                return m
            assert m["do"] != "failed" or what == "failed", m
        raise TimeoutError(what)

    def closed(self):
        try:
            end = time.monotonic() + LIMIT
            while time.monotonic() < end:
                self.message()
        except (ConnectionError, OSError):
            return True
        return False


MODEL = """model Swing "a pendulum that is pushed"
  param m = 2 {kg}, l = 0.5 {m}, d = 0.3 {N.m.s/rad}
  input push {N.m}
  var q {rad} initial 0.4 {rad}, w {rad/s} initial 0 {rad/s}
  der(q) = w
  m*l^2*der(w) = push - d*w - m*9.81 {m/s2}*l*sin(q)
end
experiment Drive of Swing
  stop 20 {s}
  solver rk78 rtol 1e-9
end
"""


def build(page, name, text=None, experiment=""):
    files = {} if text is None else {name: text}
    page.say("build", "build", main=name, files=files, experiment=experiment, revision=1)
    return page.wait("built")


def check_guards(server):
    good = "/?token=" + server.token
    assert server.status(good) == 200
    assert server.status("/") == 403 and server.status("/?token=" + "0" * 32) == 403
    assert server.status("/?token=" + server.token[:-1]) == 403
    for host in ("evil.example:%d" % server.port, "127.0.0.1", "127.0.0.1:1", "127.0.0.1:%d.evil.example" % server.port):
        assert server.status(good, host=host) == 403, host
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/live", "//etc/passwd", "/x?token=" + server.token):
        assert server.status(path) in (400, 403, 404), path
    assert server.status(good, method="POST", more="Content-Length: 0\r\n") in (0, 403, 404, 405)
    assert not Page(server, token="").open and not Page(server, token="0" * 32).open
    assert not Page(server, origin="http://evil.example").open and not Page(server, origin="").open
    assert not Page(server, origin="null").open and not Page(server, protocol="chat").open
    assert not Page(server, host="evil.example:%d" % server.port).open and not Page(server, protocol="").open


def check_files(server, folder):
    p = Page(server)
    assert p.open
    p.say("text", "hello")
    m = p.wait("welcome")
    assert m["file"] == "swing.bond" and m["folder"] == os.path.realpath(folder)
    for name in ("../swing.bond", "/etc/passwd", "a/../../x", ".hidden", "", "x\n", "out/passwd"):
        p.say("text", "open", name=name)
        assert "outside" in p.wait("tell")["text"], name
        p.say("text", "save", name=name, text="x", stamp="none")
        p.wait("tell")
    p.say("text", "open", name="swing.bond")
    m = p.wait("opened")
    assert m["text"] == MODEL
    p.say("text", "save", name="swing.bond", text=MODEL + "// more\n", stamp="other")
    p.wait("conflict")
    p.say("text", "save", name="swing.bond", text=MODEL + "// more\n", stamp=m["stamp"])
    stamp = p.wait("saved")["stamp"]
    with open(os.path.join(folder, "swing.bond"), "w") as f:
        f.write(MODEL)  # somebody else
    p.say("text", "look", files=[{"name": "swing.bond", "stamp": stamp}])
    assert p.wait("changed")["files"][0]["name"] == "swing.bond"
    assert sorted(os.listdir(folder)) == ["out", "swing.bond"], os.listdir(folder)


def check_drive(server, folder, bondyn):
    p = Page(server)
    m = build(p, "swing.bond", MODEL)
    assert m["good"] and [v["name"] for v in m["inputs"] if v["settable"]] == ["push"]
    m = p.wait("started")
    p.say("live", "watch", names=["q", "w", "no_such"], number=7)
    p.say("live", "speed", value=5)
    p.say("live", "play")
    rng = random.Random(3)
    for i in range(12):
        p.say("live", "input", name="push", value=rng.uniform(-2, 2))
        p.wait("frame", lambda f: f[0] == 1 and f[2] > 0.5 * i)
        if i == 4:
            p.say("live", "set", name="d", value=0.05)
        if i == 6:
            p.say("live", "snapshot")
            p.wait("snapshot")
        if i == 8:
            p.say("live", "back")
            p.say("live", "play")
    p.say("live", "pause")
    p.say("live", "keep", name="swing.drive")
    assert p.wait("kept")["calls"] > 20
    out = subprocess.run([bondyn, "run", os.path.join(folder, "swing.bond"), "--replay", os.path.join(folder, "swing.drive"),
                          "--json"], capture_output=True, text=True, timeout=LIMIT)
    x = json.loads(out.stdout)
    assert out.returncode == 0 and x["states"] == 2 and x["differ"] == 0, out.stdout
    with open(os.path.join(folder, "swing.drive")) as f:
        drive = f.read()
    damaged = os.path.join(folder, "damaged.drive")
    for text, word in ((drive.replace("input push", "input pull", 1), "T018"), (drive.split("end ")[0], "T018"), ("x", "T018")):
        with open(damaged, "w") as f:
            f.write(text)
        out = subprocess.run([bondyn, "run", os.path.join(folder, "swing.bond"), "--replay", damaged], capture_output=True, text=True)
        assert out.returncode == 1 and word in out.stderr, out.stderr
    # One bit of a state is another: exit 4, and a word about it.
    at = drive.rindex("0x1.")
    with open(damaged, "w") as f:
        f.write(drive[:at + 4] + ("1" if drive[at + 4] == "0" else "0") + drive[at + 5:])
    out = subprocess.run([bondyn, "run", os.path.join(folder, "swing.bond"), "--replay", damaged], capture_output=True, text=True)
    assert out.returncode == 4 and "1 of 2 states differ" in out.stdout, out.stdout
    os.remove(damaged)
    os.remove(os.path.join(folder, "swing.drive"))


def check_faults(server):
    # A text that does not build while the run goes on; a run that diverges; then a good one again.
    p = Page(server)
    build(p, "swing.bond", MODEL)
    p.wait("started")
    p.say("live", "play")
    m = build(p, "swing.bond", MODEL.replace("der(q) = w", "der(q) = v"))
    assert not m["good"] and m["messages"][0]["code"] == "L001"
    p.wait("frame", lambda f: f[0] == 1 and f[3] == 1 and f[2] > 0.1)
    build(p, "swing.bond", MODEL.replace("push - d*w", "push + 100*d*w*w*w*1 {s2/rad2}"))
    p.wait("stale")
    p.say("live", "start")
    p.wait("started")
    p.say("live", "speed", value=0)
    p.say("live", "play")
    m = p.wait("failed")
    assert m["messages"], m
    build(p, "swing.bond", MODEL.replace("= 0.3 {N.m.s/rad}", "= 0.4 {N.m.s/rad}"))
    p.wait("stale")
    p.say("live", "start")
    p.wait("started")
    # Goes on from the present state with another number in the text. Single steps: a run that plays may be at its end
    # before a slow machine has read the word `pause`.
    for _ in range(5):
        p.say("live", "step")
    p.wait("frame", lambda f: f[2] > 0)
    build(p, "swing.bond", MODEL)
    p.wait("stale")
    p.say("live", "go_on")
    p.wait("went_on")
    return p


def check_hostile(server):
    # What no page would send: each ends its own connection at most.
    for data in (b"\xff" * 100, b"\x81\x05hello", b"\x89\xff" + b"x" * 200, bytes(2000), b"\x01\x00" * 50):
        p = Page(server)
        try:
            p.raw(data)
        except OSError:
            pass
        p.socket.close()
    for opcode in (2, 3, 7, 11):
        p = Page(server)
        p.frame(opcode, b"abc")
        assert p.closed(), opcode
    for text in (b"", b"{", b"[]", b"null", b"{}", b'{"to":"live"}', b'{"to":"live","do":"play"', b'{"to":"build","do":"build","main":3}',
                 b'{"to":"live","do":"watch","names":{"a":1},"number":"x"}', b'{"to":"lsp","message":{"id":{},"method":3}}',
                 b'{"to":"live","do":"set","name":"d","value":1e999}', b"[" * 5000, "{\"to\":\"text\",\"do\":\"open\",\"name\":\"\ud7ff\"}".encode()):
        p = Page(server)
        p.frame(1, text)
        p.say("text", "hello")
        p.wait("welcome")
    p = Page(server)  # too long: it ends
    try:
        for _ in range(20):
            p.frame(1 if _ == 0 else 0, b"x" * (1 << 20), final=False)
    except OSError:
        pass
    assert p.closed()
    half = [socket.create_connection(("127.0.0.1", server.port), LIMIT) for _ in range(20)]
    for s in half:
        s.sendall(b"GET /?tok")
    assert server.status("/?token=" + server.token) == 200
    for s in half:
        s.close()


def check_flood(server):
    # A page that asks and does not read: the server stays small and serves others.
    p = Page(server)
    build(p, "swing.bond", MODEL)
    p.wait("started")
    p.say("live", "speed", value=0.001)
    p.say("live", "play")
    p.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    p.socket.settimeout(2)
    try:
        for i in range(3000):
            p.say("text", "open", name="swing.bond")
    except OSError:
        pass
    q = Page(server)
    q.say("text", "hello")
    q.wait("welcome")
    with open("/proc/%d/status" % server.process.pid) as f:
        size = int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])
    p.socket.close()
    return size


def main():
    bondyn, folder = sys.argv[1:3]
    os.makedirs(folder)
    with open(os.path.join(folder, "swing.bond"), "w") as f:
        f.write(MODEL)
    os.symlink("/etc", os.path.join(folder, "out"))
    env = dict(os.environ, XDG_RUNTIME_DIR=os.path.join(folder, "..", "run"))
    server = Server(bondyn, os.path.join(folder, "swing.bond"), env=env)
    check_guards(server)
    check_files(server, folder)
    check_drive(server, folder, bondyn)
    check_faults(server)
    check_hostile(server)
    size = check_flood(server)
    assert server.alive()
    server.stop()
    again = Server(bondyn, os.path.join(folder, "swing.bond"), port=server.port, env=env)  # pages find it again
    assert again.token == server.token
    other = subprocess.run([bondyn, "studio", os.path.join(folder, "swing.bond"), "--no-open", "--port", str(again.port)],
                           capture_output=True, text=True)
    assert other.returncode == 1 and "T017" in other.stderr, other.stderr
    again.stop()
    print("studio: all checks hold; %d kB after the flood" % size)


if __name__ == "__main__":
    main()
