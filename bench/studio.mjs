// How fast the studio is: node studio.mjs BONDYN MODULES WORK. The page runs in Chromium with software rendering; what a page
// would get is measured on the wire, too.
//
//   key -> messages, key -> graph      from a change of the text to the list of messages, and to a graph that is drawn anew
//   command -> page                    from `bondyn studio` to a page whose model is there
//   frames, pace, jitter, bytes        with the Titan 4 running in real time
import { createRequire } from "node:module";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openRun, serve, stop } from "../tests/web/wire.mjs";

const [bondyn, modules, work] = process.argv.slice(2), seconds = Number(process.env.SECONDS_LIVE || 10), keys = 8;
const part = (name) => !process.env.PART || process.env.PART === name; // page, keys, live
const { chromium } = createRequire(join(modules, "x.js"))("playwright-core");
const source = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(work, "titan4");
mkdirSync(folder, { recursive: true });
for (const f of readdirSync(join(source, "examples/titan4")).filter((n) => n.endsWith(".bond"))) copyFileSync(join(source, "examples/titan4", f), join(folder, f));
const files = readdirSync(folder).sort();
const sorted = (list) => [...list].sort((a, b) => a - b), at = (list, part) => sorted(list)[Math.min(list.length - 1, Math.floor(part * list.length))];
const ms = (x) => x.toFixed(1).padStart(7) + " ms";
const row = (name, text) => console.log("  " + name.padEnd(34) + text);
const spread = (list) => `${ms(at(list, 0.5))}   slowest of ${list.length}: ${ms(Math.max(...list))}`;

async function until(page, f, limit = 60000) {
  for (const end = Date.now() + limit; !(await page.evaluate(f)); ) {
    if (Date.now() > end) throw new Error("in vain: " + f);
    await new Promise((ok) => setTimeout(ok, 20));
  }
}

// A key press, in the page: what comes back is when the messages and the graph stood there, and the picture after them.
const press = (page) => page.evaluate(() => new Promise((done) => {
  const s = window.studio, began = performance.now(), out = {}, told = s.editor.told, show = s.graph.show;
  const both = () => { if (out.messages && (out.graph || !s.built)) { s.editor.told = told; delete s.graph.show; done(out); } };
  s.editor.told = (list) => { told(list); out.messages ||= performance.now() - began; both(); };
  s.graph.show = (...a) => { show.apply(s.graph, a); requestAnimationFrame(() => { out.graph ||= performance.now() - began; both(); }); };
  const v = s.editor.view;
  v.dispatch({ changes: { from: v.state.doc.length, insert: " " } });
}));

console.log("studio: the page in Chromium, software rendering");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader"] });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });

const opened = [];
for (let k = 0; k < (part("page") ? 5 : 0); k++) { // the browser is there already; a page of the same kind has been compiled once
  const began = performance.now(), server = await serve(bondyn, join(folder, "drive.bond"), { runtime: work }), page = await context.newPage();
  await page.goto(server.address, { waitUntil: "commit" });
  await until(page, () => !!window.studio?.interactive);
  opened.push(performance.now() - began);
  await page.close();
  await stop(server);
}
if (opened.length) row("command to interactive page", spread(opened));

if (part("keys")) {
  const all = [];
  for (const file of files) {
    const server = await serve(bondyn, join(folder, file), { runtime: work }), page = await context.newPage();
    await page.goto(server.address);
    await until(page, () => !!window.studio?.built || !!document.querySelector(".problems")?.textContent); // parts alone do not run
    await press(page);
    await press(page);
    for (let k = 0; k < keys; k++) { all.push({ file, ...(await press(page)) }); await new Promise((ok) => setTimeout(ok, 150)); }
    await page.close({ runBeforeUnload: false });
    await stop(server);
  }
  for (const [kind, name] of [["messages", "key to messages"], ["graph", "key to a redrawn graph"]]) {
    const seen = all.filter((t) => t[kind]), of = [...new Set(seen.map((t) => t.file))], times = seen.map((t) => t[kind]);
    const worst = of.map((file) => [at(seen.filter((t) => t.file === file).map((t) => t[kind]), 0.5), file]).sort((a, b) => b[0] - a[0])[0];
    row(name, `${ms(at(times, 0.5))}   over ${of.length} files of the Titan 4; slowest file ${ms(worst[0]).trim()} (${worst[1]}), slowest of ${times.length} keys ${ms(Math.max(...times)).trim()}`);
  }
}
if (!part("live")) { await browser.close(); process.exit(0); }

const server = await serve(bondyn, join(folder, "drive.bond"), { runtime: work }), page = await context.newPage();
await page.goto(server.address);
await until(page, () => !!(window.studio?.started && window.studio?.built));
await page.click("#play");
await until(page, () => window.studio.track.end > 0.5);
const live = await page.evaluate((wait) => new Promise((done) => {
  const s = window.studio, from = { t: performance.now(), drawn: s.viewer.drawn, bytes: s.net.bytes, time: s.track.end, missed: s.stats.missed, dropped: s.stats.dropped };
  let pictures = 0, more = true;
  const count = () => { pictures++; if (more) requestAnimationFrame(count); };
  requestAnimationFrame(count);
  setTimeout(() => {
    more = false;
    const dt = (performance.now() - from.t) / 1000;
    done({ dt, pictures: pictures / dt, motion: (s.viewer.drawn - from.drawn) / dt, bytes: (s.net.bytes - from.bytes) / dt, pace: (s.track.end - from.time) / dt, missed: s.stats.missed - from.missed, dropped: s.stats.dropped - from.dropped });
  }, 1000 * wait);
}), seconds);
row("Titan 4 live, pictures of the page", `${live.pictures.toFixed(1)} a second, ${live.motion.toFixed(1)} of the motion`);
row("real-time factor in the page", `${live.pace.toFixed(4)}, ${live.missed} deadlines missed, ${live.dropped} frames dropped in ${live.dt.toFixed(0)} s`);
row("bytes to the page", `${(live.bytes / 1024).toFixed(0)} kB a second`);
await page.close();
await browser.close();

const wire = await openRun(server, { watch: "all" }), times = [];
let first = 0, last = 0, missed = 0;
wire.take = (m) => { if (m.numbers?.[0] === 1 && m.numbers[3] === 1) { times.push(performance.now()); first ||= m.numbers[2]; last = m.numbers[2]; missed = m.numbers[4]; } };
wire.live("speed", { value: 1 });
wire.live("play");
await new Promise((ok) => setTimeout(ok, 1000 * seconds));
const gaps = times.slice(1).map((t, i) => t - times[i]), off = gaps.map((g) => Math.abs(g - 1000 / 60));
row("frames on the wire", `${(1000 * (times.length - 1) / (times[times.length - 1] - times[0])).toFixed(2)} a second, real-time factor ${((last - first) / (times[times.length - 1] - times[0]) * 1000).toFixed(5)}, ${missed} deadlines missed`);
row("jitter of the live loop", `half of the frames within ${ms(at(off, 0.5)).trim()} of their time, 99 of 100 within ${ms(at(off, 0.99)).trim()}, worst ${ms(Math.max(...off)).trim()}`);
wire.close();
await stop(server);
