// The studio's server without a browser: it is started, and spoken to over a WebSocket made by hand (node 18 has none),
// so that tests can also say what no browser would.
import { randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect as connectSocket } from "node:net";

// --- the server --------------------------------------------------------------------------------------

export const servers = new Set();
process.on("exit", () => { for (const s of servers) s.kill("SIGKILL"); }); // also when a test breaks off: who waits for their output waits no longer

// `runtime`: a folder for tokens, in place of the user's.
export async function serve(bondyn, file, { port = 0, runtime, quiet = false } = {}) {
  const server = spawn(bondyn, ["studio", file, "--no-open", "--quiet", ...(port ? ["--port", String(port)] : [])],
    { stdio: ["ignore", "pipe", quiet ? "ignore" : "inherit"], env: { ...process.env, ...(runtime ? { XDG_RUNTIME_DIR: runtime } : {}) } });
  const address = await new Promise((ok, no) => {
    server.stdout.once("data", (d) => ok(String(d).trim()));
    server.once("exit", (code) => no(new Error("the server ended with " + code)));
  });
  servers.add(server);
  server.once("exit", () => servers.delete(server));
  const url = new URL(address);
  return { process: server, address, port: Number(url.port), token: url.searchParams.get("token"), gone: new Promise((ok) => server.once("exit", ok)) };
}

export async function stop(server, signal = "SIGINT") {
  server.process.kill(signal);
  return server.gone;
}

// --- bytes -------------------------------------------------------------------------------------------

// Whatever is said to the port; gives what comes back until the other side closes, or for so long.
export function talk(port, bytes, ms = 3000) {
  return new Promise((ok) => {
    const socket = connectSocket(port, "127.0.0.1");
    let said = "";
    const done = () => { clearTimeout(timer); socket.destroy(); ok(said); };
    const timer = setTimeout(done, ms);
    socket.on("data", (d) => { said += d.toString("latin1"); });
    socket.on("error", done);
    socket.on("close", done);
    socket.write(bytes);
  });
}

// A frame as pages send them, masked. opcode 1: text, 2: binary, 8: the end, 9: a ping.
export function frame(data, opcode = 1, { final = true, length } = {}) {
  const payload = Buffer.from(data), n = length ?? payload.length, mask = randomBytes(4);
  const head = n < 126 ? Buffer.from([0, 0x80 | n]) : n < 65536 ? Buffer.from([0, 0xfe, n >> 8, n & 255]) : Buffer.alloc(10);
  if (n >= 65536) { head[1] = 0xff; head.writeBigUInt64BE(BigInt(n), 2); }
  head[0] = (final ? 0x80 : 0) | opcode;
  for (let i = 0; i < payload.length; i++) payload[i] ^= mask[i & 3];
  return Buffer.concat([head, mask, payload]);
}

// A page's connection. `socket` is the wire itself; what comes goes to `take` (texts parsed, frames as numbers).
export class Wire {
  bytes = 0;
  frames = 0;
  open = false;
  ended = false;
  answer = "";
  waiting = [];
  take = () => {};
  constructor(server, { origin, host, token, path = "/live", protocol = "bondyn" } = {}) {
    const name = `127.0.0.1:${server.port}`, said = token === undefined ? server.token : token;
    this.socket = connectSocket(server.port, "127.0.0.1");
    this.socket.setNoDelay(true);
    this.socket.write(`GET ${path}${said === null ? "" : "?token=" + said} HTTP/1.1\r\nHost: ${host ?? name}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      (origin === null ? "" : `Origin: ${origin ?? "http://" + name}\r\n`) +
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`);
    this.rest = Buffer.alloc(0);
    this.ready = new Promise((ok) => { this.settle = ok; }); // true: it is open
    this.closed = new Promise((ok) => this.socket.on("close", () => { this.ended = true; this.settle(false); ok(); this.look(); }));
    this.socket.on("error", () => {});
    this.socket.on("data", (d) => this.read(d));
  }

  read(data) {
    this.bytes += this.open ? data.length : 0;
    this.rest = this.rest.length ? Buffer.concat([this.rest, data]) : data;
    if (!this.open) {
      const end = this.rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.answer = this.rest.subarray(0, end).toString("latin1");
      this.rest = this.rest.subarray(end + 4);
      this.open = /^HTTP\/1.1 101/.test(this.answer);
      this.settle(this.open);
    }
    while (this.open && this.one());
  }

  one() {
    const b = this.rest;
    if (b.length < 2) return false;
    let n = b[1] & 127, at = 2;
    if (n === 126) { if (b.length < 4) return false; n = b.readUInt16BE(2); at = 4; } else if (n === 127) { if (b.length < 10) return false; n = Number(b.readBigUInt64BE(2)); at = 10; }
    if (b.length < at + n) return false;
    const payload = b.subarray(at, at + n), opcode = b[0] & 15;
    this.rest = b.subarray(at + n);
    this.whole = this.whole && opcode === 0 ? Buffer.concat([this.whole, payload]) : Buffer.from(payload);
    if (opcode === 1 || opcode === 2) this.kind = opcode;
    if (!(b[0] & 128)) return true;
    const message = this.whole;
    this.whole = null;
    if (opcode === 9) this.socket.write(frame(message, 10)); // who does not answer is taken for gone
    if (opcode > 2) return true;
    if (this.kind === 2) { this.frames++; this.got({ numbers: new Float64Array(message.buffer.slice(message.byteOffset, message.byteOffset + message.length)) }); } else this.got(JSON.parse(message.toString()));
    return true;
  }

  got(message) {
    this.take(message);
    this.last = message;
    this.look(message);
  }
  look(message) {
    this.waiting = this.waiting.filter((w) => { if (this.ended) { w.no(new Error("the server has closed, in wait of " + w.fits)); return false; } if (message && w.fits(message)) { w.ok(message); return false; } return true; });
  }

  send(message) { this.socket.write(frame(JSON.stringify(message))); }
  text(what, more = {}) { this.send({ to: "text", do: what, ...more }); }
  build(what, more = {}) { this.send({ to: "build", do: what, ...more }); }
  live(what, more = {}) { this.send({ to: "live", do: what, ...more }); }
  lsp(message) { this.send({ to: "lsp", message: { jsonrpc: "2.0", ...message } }); }

  // The next message that fits.
  next(fits, ms = 90000) {
    const message = new Promise((ok, no) => {
      const timer = setTimeout(() => no(new Error("in vain: " + fits)), ms);
      this.waiting.push({ fits, ok: (m) => { clearTimeout(timer); ok(m); }, no: (e) => { clearTimeout(timer); no(e); } });
    });
    message.catch(() => {}); // whoever waits for it is told; one that nobody has come to yet does not end the program
    return message;
  }
  close() { this.socket.destroy(); }
}

// A page that is ready to run: the model is built and its run stands at the start.
export async function openRun(server, { main, text, watch = [] } = {}) {
  const wire = new Wire(server);
  if (!(await wire.ready)) throw new Error("refused: " + wire.answer);
  const welcome = wire.next((m) => m.do === "welcome");
  wire.text("hello");
  const file = main ?? (await welcome).file, built = wire.next((m) => m.do === "built"), started = wire.next((m) => m.do === "started");
  wire.build("build", { main: file, files: text === undefined ? {} : { [file]: text }, experiment: "", revision: 1, wish: {} });
  wire.built = await built;
  if (!wire.built.good) throw new Error("it does not build: " + JSON.stringify(wire.built.messages));
  wire.started = await started;
  wire.watched = watch === "all" ? wire.started.names.slice(0, 1200) : watch;
  wire.live("watch", { names: wire.watched, number: 1 });
  return wire;
}

// A drive as fast as it goes: so many frames of 1/60 s, with sticks that never rest. `look(time)` is called once for every second of the model.
export async function march(wire, frames, look = () => {}) {
  const inputs = wire.built.inputs.filter((x) => x.settable).map((x) => x.name), take = wire.take;
  let time = 0;
  wire.take = (m) => { if (m.numbers?.[0] === 1) time = m.numbers[2]; take(m); };
  wire.live("speed", { value: 1 });
  for (let k = 0; k < frames; k += 60) {
    for (let i = k; i < k + 60; i++) {
      inputs.forEach((name, j) => wire.live("input", { name, value: 0.6 * Math.sin(0.7 * i / 60 + 2 * j) }));
      wire.live("step");
    }
    while (time < (k + 60) / 60 - 1e-6) await wire.next((m) => m.numbers?.[0] === 1);
    look(time);
  }
  wire.take = take;
}

// Rows [time, value]: by how much the value grows in a unit of time, by the method of least squares.
export function slope(rows) {
  const mean = (k) => rows.reduce((s, r) => s + r[k], 0) / rows.length, t = mean(0), v = mean(1);
  return rows.reduce((s, r) => s + (r[0] - t) * (r[1] - v), 0) / rows.reduce((s, r) => s + (r[0] - t) ** 2, 0);
}

export const resident = (server) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, "utf8"))[1]); // kB
