// Memory of a live run: node memory.mjs BONDYN SECONDS [OUT]. The Titan 4 is driven in real time by one page that reads, with
// sticks that never rest; the resident memory of the server is looked at every few seconds. The first third (caches, the bounded
// past fills up) is left out; over the rest the slope of a straight line must stay below 8 kB a second: the drive that is kept for a
// replay takes 16 bytes for every frame and every stick that has moved, 4.8 kB a second here.
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openRun, serve, stop } from "./wire.mjs";

const [bondyn, seconds, out] = [process.argv[2], Number(process.argv[3] ?? 300), process.argv[4]];
const source = join(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = mkdtempSync(join(tmpdir(), "studio-memory-"));
for (const f of readdirSync(join(source, "examples/titan4")).filter((n) => n.endsWith(".bond"))) copyFileSync(join(source, "examples/titan4", f), join(folder, f));

const server = await serve(bondyn, join(folder, "drive.bond"), { runtime: folder });
const page = await openRun(server, { watch: "all" });
const inputs = page.built.inputs.filter((x) => x.settable).map((x) => x.name);
const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, "utf8"))[1]);
let newest = null;
page.take = (m) => { if (m.numbers?.[0] === 1) newest = m.numbers; if (m.do === "failed" || m.do === "tell") console.log(JSON.stringify(m).slice(0, 300)); };
page.live("speed", { value: 1 });
page.live("play");
const began = Date.now(), rows = [], every = Math.max(1, seconds / 300);
const sticks = setInterval(() => {
  const t = (Date.now() - began) / 1000;
  inputs.forEach((name, i) => page.live("input", { name, value: 0.6 * Math.sin(0.7 * t + 2 * i) }));
}, 16);
await new Promise((done) => {
  const look = setInterval(() => {
    const t = (Date.now() - began) / 1000;
    rows.push([t, resident(), page.bytes, page.frames, newest?.[2] ?? 0, newest?.[4] ?? 0, newest?.[6] ?? 0]);
    if (out) writeFileSync(out, "seconds,kB,bytes,frames,time,missed,dropped\n" + rows.map((r) => r.join(",")).join("\n") + "\n");
    if (t >= seconds || page.ended) { clearInterval(look); done(); }
  }, 1000 * every);
});
clearInterval(sticks);
const failed = page.ended;
page.close();
await stop(server);
rmSync(folder, { recursive: true, force: true });

const late = rows.filter((r) => r[0] > seconds / 3), mean = (k) => late.reduce((s, r) => s + r[k], 0) / late.length;
const [mt, mm] = [mean(0), mean(1)];
const slope = late.reduce((s, r) => s + (r[0] - mt) * (r[1] - mm), 0) / late.reduce((s, r) => s + (r[0] - mt) ** 2, 0);
const [t, kb, bytes, frames, time, missed, dropped] = rows[rows.length - 1];
console.log(`${t.toFixed(0)} s of the clock, ${time.toFixed(1)} s of the model (${(time / t).toFixed(4)} times real time), ${missed} deadlines missed, ${dropped} frames dropped`);
console.log(`${(frames / t).toFixed(1)} frames and ${(bytes / t / 1024).toFixed(0)} kB a second; memory ${(rows[0][1] / 1024).toFixed(1)} MB at first, ${(kb / 1024).toFixed(1)} MB at the end, slope ${slope.toFixed(2)} kB/s`);
process.exit(failed || !(slope < 8) ? 1 : 0);
