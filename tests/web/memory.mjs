// Memory of a live run: node memory.mjs BONDYN SECONDS [--steps] [OUT]. The Titan 4 is driven by one page that reads, with sticks that
// never rest, in real time or (--steps) in frames as fast as they go; the resident memory of the server is looked at. What comes
// before the bounded past is full (140 s of the model) is left out; over the rest a straight line must rise by less than 0.5 kB a
// second of the model: 1.8 MB in an hour. A busy machine may be slower than real time: it is given three times as long.
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { march, openRun, resident, serve, slope, stop } from "./wire.mjs";

const given = process.argv.slice(2), steps = given.includes("--steps"), [bondyn, wanted, out] = given.filter((w) => w !== "--steps");
const seconds = Number(wanted ?? 450), full = 150;
const source = join(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = mkdtempSync(join(tmpdir(), "studio-memory-"));
for (const f of readdirSync(join(source, "examples/titan4")).filter((n) => n.endsWith(".bond"))) copyFileSync(join(source, "examples/titan4", f), join(folder, f));

const server = await serve(bondyn, join(folder, "drive.bond"), { runtime: folder });
const page = await openRun(server, { watch: "all" });
const inputs = page.built.inputs.filter((x) => x.settable).map((x) => x.name);
const began = Date.now(), clock = () => (Date.now() - began) / 1000, rows = [];
let newest = null;
page.take = (m) => { if (m.numbers?.[0] === 1) newest = m.numbers; if (m.do === "failed" || m.do === "tell") console.log(JSON.stringify(m).slice(0, 300)); };
function look(t) {
  rows.push([t, resident(server), page.bytes, page.frames, newest?.[2] ?? 0, newest?.[4] ?? 0, newest?.[6] ?? 0]);
  if (out) writeFileSync(out, "seconds,kB,bytes,frames,time,missed,dropped\n" + rows.map((r) => r.join(",")).join("\n") + "\n");
}
async function drive() {
  page.live("speed", { value: 1 });
  page.live("play");
  const sticks = setInterval(() => inputs.forEach((name, i) => page.live("input", { name, value: 0.6 * Math.sin(0.7 * clock() + 2 * i) })), 16);
  while ((newest?.[2] ?? 0) < seconds && clock() < 3 * seconds && !page.ended) {
    await new Promise((ok) => setTimeout(ok, 1000 * Math.max(1, seconds / 300)));
    look(clock());
  }
  clearInterval(sticks);
}
if (steps) await march(page, 60 * seconds, (t) => { if (Math.round(t) % 5 === 0) look(t); }); else await drive();
const failed = page.ended;
page.close();
await stop(server);
rmSync(folder, { recursive: true, force: true });

const late = rows.filter((r) => r[4] > full).map((r) => [r[4], r[1]]), grows = slope(late), t = clock(), [, kb, bytes, frames, time, missed, dropped] = rows[rows.length - 1];
console.log(`${t.toFixed(0)} s of the clock, ${time.toFixed(1)} s of the model (${(time / t).toFixed(4)} times real time), ${missed} deadlines missed, ${dropped} frames dropped`);
console.log(`${(frames / t).toFixed(1)} frames and ${(bytes / t / 1024).toFixed(0)} kB a second; memory ${(rows[0][1] / 1024).toFixed(1)} MB at first, ${(kb / 1024).toFixed(1)} MB at the end, slope ${grows.toFixed(3)} kB/s after ${full} s`);
if (!(time > 0.99 * seconds)) console.log("the machine was too busy: the run is too short");
process.exit(failed || !(time > 0.99 * seconds) || !(grows < 0.5) ? 1 : 0);
