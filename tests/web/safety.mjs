// What the studio's server refuses and survives: node safety.mjs BONDYN WORK. Bytes are said by hand, also such as no browser
// would say; after each of them a page that behaves still gets its answers.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import { Wire, frame, march, openRun, resident, serve, servers, slope, stop, talk } from "./wire.mjs";

const [bondyn, work] = process.argv.slice(2);
const folder = join(work, "open"), outside = join(work, "outside");
mkdirSync(folder, { recursive: true });
mkdirSync(outside, { recursive: true });
const model = `model M "<img src=x onerror=alert(1)>"
  input u {V} = 0
  C c(1 {F}, q0 = 1 {C})
  R r(1 {ohm})
  MSe s = u
  1 j
  s -> j
  j -> c, r
end
experiment E of M
  stop 1000 {s}
end
`;
writeFileSync(join(folder, "m.bond"), model);
writeFileSync(join(outside, "secret.bond"), "// secret");
symlinkSync(outside, join(folder, "way_out"));

function check(holds, what) { if (!holds) throw new Error(what); }
const server = await serve(bondyn, join(folder, "m.bond"), { runtime: work });
const name = `127.0.0.1:${server.port}`;
const get = (path, host = name, more = "", method = "GET") => talk(server.port, `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`);
const status = async (answer) => Number(/^HTTP\/1\.\d (\d+)/.exec(await answer)?.[1] ?? 0);

async function welcomed() {
  const w = new Wire(server);
  check(await w.ready, "a good page comes in: " + w.answer);
  const hello = w.next((m) => m.do === "welcome", 20000);
  w.text("hello");
  await hello;
  return w;
}
async function refused(options, what) {
  const w = new Wire(server, options);
  check(!(await w.ready), what + " is refused");
  w.close();
}
// What a page gets back for a message, or false when nothing of that kind has come before the answer to a hello, or to a build.
async function answer(w, message, fits) {
  let found = false;
  w.take = (m) => { found ||= fits(m) && m; };
  const last = message.to === "build" ? "built" : "welcome", done = w.next((m) => m.do === last); // every build is answered
  w.send(message);
  if (message.to !== "build") w.text("hello");
  await done;
  w.take = () => {};
  return found;
}

const checks = {
  async "only with the token, by its own name, from its own page"() {
    check(await status(get("/")) === 403, "no token");
    check(await status(get("/?token=" + "0".repeat(32))) === 403, "a wrong token");
    check(await status(get(`/?token=${server.token.slice(0, -1)}`)) === 403, "most of the token");
    check(await status(get(`/?token=${server.token}`, `evil.example:${server.port}`)) === 403, "another name that leads here");
    check(await status(get(`/?token=${server.token}`, "127.0.0.1:1")) === 403, "another port");
    check(await status(get(`/?token=${server.token}`)) === 200, "the page");
    await refused({ token: null }, "a socket without a token");
    await refused({ token: "f".repeat(32) }, "a socket with a wrong token");
    await refused({ origin: "http://evil.example" }, "another origin");
    await refused({ origin: null }, "no origin");
    await refused({ origin: "null" }, "a page without an origin");
    await refused({ host: `rebound.example:${server.port}` }, "DNS rebinding");
    await refused({ protocol: "other" }, "another protocol");
  },

  async "one page, and nothing beside it"() {
    for (const path of ["/m.bond", "/../m.bond", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/..%2fm.bond", "/live"])
      check([403, 404].includes(await status(get(`${path}?token=${server.token}`))), path);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
      check(await status(get(`/?token=${server.token}`, name, "Content-Length: 0\r\n", method)) !== 200, method);
    const page = await get(`/?token=${server.token}`);
    check(/content-security-policy: default-src 'none'; script-src 'sha256-/i.test(page) && /nosniff/.test(page) && /frame-ancestors 'none'/.test(page), "the page's policy");
    check(!/access-control-allow/i.test(page), "nobody else may read it");
  },

  async "files outside of the folder are neither read nor written"() {
    const w = await welcomed();
    for (const path of ["../outside/secret.bond", "way_out/secret.bond", "/etc/passwd", "..\\outside", "./../outside/secret.bond", ".hidden", "a/../../outside/secret.bond", "x\u0000y"]) {
      check(!(await answer(w, { to: "text", do: "open", name: path }, (m) => m.do === "opened")), "open " + path);
      check(!(await answer(w, { to: "text", do: "save", name: path, text: "gone", stamp: "none", force: true }, (m) => m.do === "saved")), "save " + path);
      check(!(await answer(w, { to: "live", do: "keep", name: path }, (m) => m.do === "kept")), "keep " + path);
      if (!path.includes("\0")) check(!(await answer(w, { to: "build", do: "build", main: path, files: {}, experiment: "", revision: 1, wish: {} }, (m) => m.do === "built" && m.good)), "build " + path);
    }
    check(readFileSync(join(outside, "secret.bond"), "utf8") === "// secret", "it is as it was");
    check(readdirSync(outside).length === 1, "nothing new lies there");
    // Another text is built, run and changed: the folder stays as it is until somebody saves.
    const before = readdirSync(folder).join();
    check(await answer(w, { to: "build", do: "build", main: "m.bond", files: { "m.bond": model.replace("r(1", "r(2") }, experiment: "", revision: 2, wish: {} }, (m) => m.do === "built" && m.good), "built");
    check(readdirSync(folder).join() === before && readFileSync(join(folder, "m.bond"), "utf8") === model, "only saving writes");
    check(await answer(w, { to: "text", do: "save", name: "n.bond", text: "// new\n", stamp: "none" }, (m) => m.do === "saved"), "saved");
    check(readFileSync(join(folder, "n.bond"), "utf8") === "// new\n", "there it is");
    writeFileSync(join(folder, "n.bond"), "// by somebody else\n");
    check(await answer(w, { to: "text", do: "save", name: "n.bond", text: "// mine\n", stamp: "1" }, (m) => m.do === "conflict"), "a file that somebody else has changed");
    check(readFileSync(join(folder, "n.bond"), "utf8") === "// by somebody else\n", "is not overwritten");
    rmSync(join(folder, "n.bond"));
    check((await answer(w, { to: "text", do: "look", files: [{ name: "n.bond", stamp: "1" }] }, (m) => m.do === "changed"))?.files?.[0]?.stamp === "none", "a file that is gone is told");
    w.close();
  },

  async "frames that are broken, too large or meant for nobody"() {
    for (const bytes of [Buffer.from([0xff, 0xff, 0xff, 0xff]), frame("x", 1, { length: 2 ** 40 }), frame("{}", 3), frame("\xff\xfe", 1), frame(Buffer.alloc(64), 2), frame("[[[[", 1), frame("{\"to\":7}"),
      frame("[".repeat(100000)), frame("null"), frame(JSON.stringify({ to: "live", do: "watch", names: Array(5000).fill("c.q"), number: 1e300 })), frame("{\"to\":\"lsp\",\"message\":[]}"), frame("a", 1, { final: false })]) {
      const w = new Wire(server);
      check(await w.ready, "open");
      w.socket.write(bytes);
      w.text("hello");
      await Promise.race([w.closed, w.next((m) => m.do === "welcome", 20000).catch(() => {}), new Promise((ok) => setTimeout(ok, 250))]);
      w.close();
    }
    const big = new Wire(server); // more than 16 MB: the connection ends
    check(await big.ready, "open");
    for (let i = 0; i < 20 && !big.ended; i++) { big.socket.write(frame(Buffer.alloc(1 << 20, 32), i ? 0 : 1, { final: false })); await new Promise((ok) => setTimeout(ok, 5)); }
    await Promise.race([big.closed, new Promise((_, no) => setTimeout(() => no(new Error("20 MB were taken")), 20000))]);
    (await welcomed()).close();
  },

  async "floods, connections that say nothing, and more pages than there is room for"() {
    const w = await welcomed();
    for (let i = 0; i < 20000; i++) w.live("input", { name: "u", value: i });
    for (let i = 0; i < 2000; i++) w.text("look", { files: [{ name: "m.bond", stamp: "1" }] });
    const silent = Array.from({ length: 40 }, () => { const s = connect(server.port, "127.0.0.1"); s.on("error", () => {}); s.write("GET / HT"); return s; });
    const pages = Array.from({ length: 24 }, () => new Wire(server));
    const open = (await Promise.all(pages.map((p) => p.ready))).filter((x) => x).length;
    await new Promise((ok) => setTimeout(ok, 300));
    const left = pages.filter((p) => p.open && !p.ended).length;
    check(left >= 8 && left <= 15, `${open} of 24 further pages came in, ${left} stayed; sixteen are the most`);
    for (const p of pages) p.close();
    const done = w.next((m) => m.do === "welcome", 60000);
    w.text("hello");
    await done;
    w.close();
    for (const s of silent) s.destroy();
  },

  async "a page that stops reading costs a bounded amount of memory"() {
    const w = await openRun(server, { watch: ["c.q", "r.e", "r.f"] }), before = resident(server);
    w.socket.pause();
    w.live("speed", { value: 0 });
    w.live("play");
    for (let i = 0; i < 300; i++) w.build("graph", { wish: {} });
    await new Promise((ok) => setTimeout(ok, 700));
    const more = (resident(server) - before) / 1024;
    check(more < 200, `${more.toFixed(0)} MB for a page that does not read`);
    (await welcomed()).close();
    w.close();
  },

  // 400 s until the bounded past is full, then five minutes, in steps as fast as they go; the drive can still be replayed.
  async "memory of a live run is flat, its drive is whole"() {
    const own = await serve(bondyn, join(folder, "m.bond"), { runtime: work }), w = await openRun(own, { watch: ["c.q"] }), rows = [];
    await march(w, 60 * 710, (t) => { if (t > 410) rows.push([t, resident(own)]); });
    const grows = slope(rows), kept = w.next((m) => m.do === "kept" || m.do === "tell");
    check(Math.abs(grows) < 0.1, `${grows.toFixed(3)} kB a second`);
    w.live("keep", { name: "long.drive" });
    check((await kept).calls === 2 * 60 * 710, "all calls are kept");
    const again = spawnSync(bondyn, ["run", join(folder, "m.bond"), "--replay", join(folder, "long.drive"), "--json"], { encoding: "utf8" });
    check(again.status === 0 && JSON.parse(again.stdout).differ === 0, "the same bits: " + again.stdout + again.stderr);
    rmSync(join(folder, "long.drive"));
    w.close();
    await stop(own);
  },

  async "a text that no longer builds while it runs, and a run that diverges"() {
    const w = await openRun(server, { watch: ["c.q"] });
    w.live("speed", { value: 1 });
    w.live("play");
    await w.next((m) => m.numbers?.[0] === 1 && m.numbers[2] > 0.05);
    const bad = w.next((m) => m.do === "built");
    w.build("build", { main: "m.bond", files: { "m.bond": model.replace("j -> c, r", "j -> c, q") }, experiment: "", revision: 2, wish: {} });
    const said = await bad;
    check(!said.good && said.messages.some((m) => m.code && m.line > 0), "messages with places");
    const there = (await w.next((m) => m.numbers?.[0] === 1)).numbers[2];
    await w.next((m) => m.numbers?.[0] === 1 && m.numbers[2] > there + 0.05); // the old model still runs
    w.close();
    const x = await openRun(server, { main: "m.bond", text: "model D\n  var x initial 1\n  der(x) = x^2\nend\nexperiment E of D\n  stop 100\nend\n", watch: ["x"] });
    const failed = x.next((m) => m.do === "failed");
    x.live("speed", { value: 0 });
    x.live("play");
    const why = await failed;
    check(why.time > 0.9 && why.time < 1.1 && why.messages.some((m) => m.code && m.text), "a run that diverges ends with its reason: " + JSON.stringify(why));
    const again = x.next((m) => m.do === "started");
    x.live("reset");
    await again;
    x.close();
  },
};

let failures = 0;
for (const [what, run] of Object.entries(checks)) {
  const began = Date.now();
  try {
    await run();
    check(server.process.exitCode === null && await status(get(`/?token=${server.token}`)) === 200, "the server still answers");
    console.log(`holds: ${what} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (e) {
    failures++;
    console.log(`FAILS: ${what}: ${e.message}`);
  }
}
await stop(server);
check(!existsSync(join(work, "m.bond")), "nothing lies beside the folder");
for (const s of servers) s.kill("SIGKILL");
process.exit(failures ? 1 : 0);
