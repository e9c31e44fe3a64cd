// The studio in a real browser: node browser.mjs BONDYN MODULES WORK [PICTURES]. Every check works on the real server with
// the distribution's Chromium; any error on the console of any page fails. With a folder for pictures, those of the
// documentation are made there.
import { createRequire } from "node:module";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { serve as serveOn, servers, stop } from "./wire.mjs";

const [bondyn, modules, work, pictures] = process.argv.slice(2);
const require = createRequire(join(modules, "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const source = join(dirname(fileURLToPath(import.meta.url)), "../..");
const limit = Number(process.env.LIMIT || 90000); // ms for anything: a machine under load is slow
const states = new WeakMap(); // of a context: its faults, and whether its server was killed on purpose
const stateOf = (context) => { if (!states.has(context)) states.set(context, { faults: [], lost: false }); return states.get(context); };

function check(holds, what) {
  if (process.env.TRACE) console.log("  ", new Date().toISOString().slice(14, 19), what);
  if (!holds) throw new Error(what);
}

// --- servers and pages -----------------------------------------------------------------------------

const serve = (file, port) => serveOn(bondyn, file, { port, runtime: join(work, "run") });

const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader"];

async function newPage(context, address, ready = () => !!(window.studio?.built && window.studio?.started)) {
  const page = await context.newPage(), state = stateOf(context), { faults } = state;
  page.setDefaultTimeout(limit);
  page.on("console", (m) => {
    if (m.type() === "error" && !(state.lost && /WebSocket/.test(m.text()))) faults.push("console: " + m.text());
  });
  page.on("pageerror", (e) => faults.push("error: " + e.message));
  page.on("request", (r) => { if (!r.url().startsWith(address.split("?")[0]) && !/^(data|blob):/.test(r.url())) faults.push("asks for " + r.url()); });
  await page.goto(address);
  await until(page, ready);
  return page;
}

// By asking again and again: the page's policy lets nothing be evaluated inside of it.
async function until(page, f, arg) {
  if (process.env.TRACE) console.log("  ", new Date().toISOString().slice(14, 19), String(f));
  const end = Date.now() + limit;
  while (!(await page.evaluate(f, arg))) {
    if (Date.now() > end) throw new Error("in vain: " + f);
    await new Promise((ok) => setTimeout(ok, 50));
  }
  return true;
}
const picture = async (page, name) => { if (pictures) await page.screenshot({ path: join(pictures, name + ".png") }); };

function copyOf(example, ...files) {
  const folder = join(work, example);
  mkdirSync(folder, { recursive: true });
  for (const f of files.length ? files : readdirSync(join(source, "examples", example)).filter((n) => n.endsWith(".bond")))
    copyFileSync(join(source, "examples", example, f), join(folder, f));
  return folder;
}

// Runs of ten seconds must not end while a busy machine is looking elsewhere.
const slowly = (page) => page.selectOption("#speed", "0.25");
async function pause(page) {
  await page.click("#play");
  await until(page, () => window.studio.state === 0);
}

// --- drawing by mouse --------------------------------------------------------------------------------

const text = (page) => page.evaluate(() => window.studio.editor.text);
const boxOf = (page, path) => page.evaluate((p) => {
  const g = document.querySelector(".graph-view").shadowRoot.querySelector(`g[data-path="${p}"]`);
  if (!g) return null;
  const r = g.querySelector("text.name").getBoundingClientRect(), c = g.querySelector("circle.handle")?.getBoundingClientRect();
  return { x: r.x + r.width / 2, y: r.y + r.height / 2, handle: c && { x: c.x + c.width / 2, y: c.y + c.height / 2 } };
}, path);

async function drag(page, from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 3 });
  await page.mouse.move(to.x, to.y, { steps: 3 });
  await page.mouse.up();
}

// A component from the palette to a place in parts of the field; gives its name.
async function put(page, type, x, y) {
  const before = await text(page), tile = page.locator(`.tile[data-type="${type}"]`).first(), t = await tile.boundingBox();
  const field = await page.locator(".graph-view").boundingBox();
  await drag(page, { x: t.x + t.width / 2, y: t.y + t.height / 2 }, { x: field.x + x * field.width, y: field.y + y * field.height });
  await until(page, (b) => window.studio.editor.text !== b, before);
  const line = (await text(page)).split("\n").find((l) => !before.split("\n").includes(l) && new RegExp(`^\\s*${type} `).test(l));
  const name = /^\s*\S+ (\w+)/.exec(line)[1];
  await until(page, (n) => !!document.querySelector(".graph-view").shadowRoot.querySelector(`g[data-path="${n}"] circle.handle`), name);
  return name;
}

const bondCount = () => document.querySelector(".graph-view").shadowRoot.querySelectorAll("g[data-bond]").length;
async function bond(page, from, to) {
  const count = await page.evaluate(bondCount), a = await boxOf(page, from), b = await boxOf(page, to);
  await drag(page, a.handle, b);
  await until(page, (n) => document.querySelector(".graph-view").shadowRoot.querySelectorAll("g[data-bond]").length === n, count + 1);
}

async function setParameter(page, path, parameter, value) {
  const b = await boxOf(page, path), before = await text(page);
  await page.mouse.click(b.x, b.y);
  const field = page.locator(`.about input[data-parameter="${parameter}"]`);
  await field.fill(value);
  await field.press("Enter");
  await until(page, (t) => window.studio.editor.text !== t, before);
}

async function accessible(page, what) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa"] }));
  for (const v of found.violations) // the text inside of it takes the keyboard
    if (v.id === "scrollable-region-focusable") v.nodes = v.nodes.filter((n) => !n.html.includes("cm-scroller"));
  const serious = found.violations.filter((v) => v.nodes.length && (v.impact === "serious" || v.impact === "critical"));
  check(!serious.length, `${what}: ${serious.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(" | ")}`).join("; ")}`);
}

// Everything that can be done to a view, in the studio as in a report: axes, labels, trails, forces, water, hide, follow, a film.
async function looks(page, film = false) {
  const viewer = () => window.motion?.viewer ?? window.studio.viewer;
  const ask = (f, arg) => page.evaluate(`(${String(f)})((${String(viewer)})(), ${JSON.stringify(arg ?? null)})`);
  const drawnAgain = async (what, act) => {
    const before = await ask((v) => v.drawn);
    await act();
    for (const end = Date.now() + limit; (await ask((v) => v.drawn)) <= before; ) { check(Date.now() < end, what + ": nothing is drawn"); await new Promise((ok) => setTimeout(ok, 30)); }
  };
  const colours = () => ask((v) => { // of the picture, from a grid of points
    const c = document.createElement("canvas");
    c.width = 160; c.height = 90;
    const x = c.getContext("2d");
    x.drawImage(v.canvas, 0, 0, 160, 90);
    return new Set(new Uint32Array(x.getImageData(0, 0, 160, 90).data.buffer)).size;
  });
  check(await colours() > 20, "something is to be seen");
  for (const key of ["labels", "frames", "water", "trails", "arrows"]) {
    const box = page.locator(`.float input[data-option="${key}"]`), was = await box.isChecked();
    await drawnAgain(key, () => box.setChecked(!was));
    check(await ask((v, k) => v.options[k], key) === !was, key);
    if (key === "labels") check(await page.evaluate(() => [...document.querySelectorAll(".view-label")].some((e) => !e.hidden && e.textContent)), "labels");
    if (key === "labels") check(await page.evaluate(() => { // none lies over another one
      const r = [...document.querySelectorAll(".view-label")].filter((e) => !e.hidden).map((e) => e.getBoundingClientRect());
      return r.every((a, i) => r.slice(i + 1).every((b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top));
    }), "labels can be read");
    await drawnAgain(key, () => box.setChecked(was));
  }
  check(await ask((v) => v.arrows.list.length > 0 && v.arrows.shown > 0), "forces and torques are arrows");
  await drawnAgain("hide", () => page.selectOption("select.hide", "1"));
  check(await ask((v) => !v.bodies[1].visible), "hidden");
  await drawnAgain("show", () => page.selectOption("select.hide", "1"));
  await page.selectOption("select.follow", "1");
  check(await ask((v) => v.options.follow) === 1, "follows");
  await page.selectOption("select.follow", "-1");
  check(await ask((v) => { // what drives out of the picture of a live run is followed; a report knows all of the motion before
    const were = v.bodies.map((b) => b.matrix.clone()), far = were.flatMap(() => [1e4, 0, 0, 1, 0, 0, 0]), live = v.scene.time.length < 2;
    v.setPoses(far);
    const went = v.controls.target.x > 5e3;
    v.bodies.forEach((b, i) => b.matrix.copy(were[i]));
    v.home();
    return went === live;
  }), "the camera goes after what has left the picture");
  const at = await page.locator("canvas.view").boundingBox();
  await drawnAgain("turn", () => drag(page, { x: at.x + at.width / 2, y: at.y + at.height / 2 }, { x: at.x + at.width / 2 + 60, y: at.y + at.height / 2 + 20 }));
  if (!film) return;
  await page.click("#play"); // what does not move gives no film
  const before = await ask((v) => v.drawn);
  await page.click(".film");
  for (const end = Date.now() + limit; (await ask((v) => v.drawn)) < before + 12 && Date.now() < end; ) await new Promise((ok) => setTimeout(ok, 50));
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(".film")]);
  check(file.suggestedFilename().endsWith(".webm") && readFileSync(await file.path()).length > 1000, "a film");
  await page.click("#play");
}

// --- checks ------------------------------------------------------------------------------------------

const checks = {
  async "open, run, scrub, slide"(context) {
    const server = await serve(join(copyOf("rlc"), "rlc.bond")), page = await newPage(context, server.address);
    check(await page.evaluate(() => document.querySelector(".graph-view").shadowRoot.querySelectorAll("g[data-bond]").length) === 4, "four bonds");
    check((await page.textContent(".problems")).includes("No errors"), "no errors");
    await slowly(page);
    await page.click("#play");
    await until(page, () => window.studio.track.end > 1.2);
    await pause(page);
    await picture(page, "studio-rlc");
    const end = await page.evaluate(() => window.studio.track.end), charge = await page.evaluate(() => window.studio.value("capacitor.q"));
    check(Math.abs(charge - exact(end)) < 1e-9, `charge ${charge} at ${end}, closed form ${exact(end)}`);
    await page.evaluate(() => { const s = document.getElementById("scrub"); s.value = "0.5"; s.dispatchEvent(new Event("input")); });
    await until(page, () => { const t = window.studio.track; return document.getElementById("clock").textContent === t.times[t.row(0.5)].toFixed(2) + " s"; });
    const past = await page.evaluate(() => [window.studio.value("capacitor.q"), window.studio.track.times[window.studio.track.row(0.5)]]);
    check(Math.abs(past[0] - exact(past[1])) < 1e-9, "scrubbing shows the past");
    await page.keyboard.press("End");
    // The slider of R acts on the running model: ten times the resistance, and the current dies.
    await page.locator(".parameter", { hasText: "R" }).last().locator("input[type=text]").fill("5");
    await page.keyboard.press("Tab");
    await page.click("#play");
    await until(page, (t) => window.studio.track.end > t + 0.5, end);
    const [e, f] = await page.evaluate(() => [window.studio.value("resistor.e"), window.studio.value("resistor.f")]);
    check(Math.abs(e / f - 5) < 1e-9, `resistance ${e / f}`);
    await page.click("#play");
    // A bond tells why; a signal goes into a new plot by the keyboard.
    await page.evaluate(() => document.querySelector(".graph-view").shadowRoot.querySelector("g[data-bond]").dispatchEvent(new MouseEvent("click")));
    check(/because|so/.test(await page.textContent(".about")), "the reason of a stroke");
    await page.click("#side-tab-1");
    const plots = await page.evaluate(() => window.studio.plots.length);
    await page.locator(".signal").first().focus();
    await page.keyboard.press("Shift+Enter");
    check(await page.evaluate(() => window.studio.plots.length) === plots + 1, "a new plot");
    await page.click("#top-tab-1");
    await until(page, () => document.querySelectorAll(".equations math").length > 0);
    await page.click("#top-tab-2");
    await until(page, () => document.querySelectorAll(".energy path").length > 2);
    await accessible(page, "light");
    await page.click("#theme");
    await accessible(page, "dark");
    await picture(page, "studio-dark");
    await page.setViewportSize({ width: 400, height: 800 });
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 400), "400 px are enough");
    for (const k of [0, 1, 2]) await page.locator(".narrow button").nth(k).click();
    await picture(page, "studio-narrow");
    await accessible(page, "narrow");
    await page.close();
    await stop(server);
  },

  async "edit with an error and mend it, save, draft"(context) {
    const folder = copyOf("mass_spring_damper"), file = readdirSync(folder).find((n) => n.endsWith(".bond")), path = join(folder, file);
    const server = await serve(path), page = await newPage(context, server.address), before = readFileSync(path, "utf8");
    await page.evaluate(() => { const s = window.studio; s.test = s["editor"].view; });
    await page.evaluate(() => { const v = window.studio.test, at = v.state.doc.toString().search(/^\s*end/m); v.dispatch({ changes: { from: at, insert: "  modle x\n" } }); });
    await page.waitForSelector(".problem.error");
    check(await page.evaluate(() => document.body.classList.contains("broken")) || await until(page, () => document.body.classList.contains("broken")), "broken");
    await page.evaluate(() => { const v = window.studio.test, t = v.state.doc.toString(), at = t.indexOf("  modle x\n"); v.dispatch({ changes: { from: at, to: at + 10, insert: "  // mended\n" } }); });
    await until(page, () => !document.querySelector(".problem.error") && !document.body.classList.contains("broken"));
    check(readFileSync(path, "utf8") === before, "nothing is written before it is saved");
    // The page dies with unsaved text: the next one offers it.
    await page.close({ runBeforeUnload: false });
    const again = await newPage(context, server.address);
    await again.locator(".banner button", { hasText: "Take it" }).click();
    check((await again.evaluate(() => window.studio["editor"].text)).includes("// mended"), "the draft is back");
    await again.keyboard.press("Control+s");
    await again.locator(".banner", { hasText: "is saved" }).waitFor();
    check(readFileSync(path, "utf8").includes("// mended"), "saved");
    // Somebody else writes the file: the page takes it.
    writeFileSync(path, before);
    await until(again, () => !window.studio["editor"].text.includes("// mended"));
    await again.close();
    await stop(server);
  },

  async "a gamepad drives the Titan 4 for ten seconds, replayed bit by bit"(context) {
    const folder = copyOf("titan4"), server = await serve(join(folder, "drive.bond"));
    const pads = await context.browser().newContext({ viewport: { width: 1440, height: 900 } });
    states.set(pads, stateOf(context));
    await pads.addInitScript(() => {
      window.pad = { axes: [0, 0, 0, 0], buttons: [{ value: 0 }] };
      navigator.getGamepads = () => [{ id: "injected", connected: true, ...window.pad }];
    });
    const page = await newPage(pads, server.address);
    await page.click("#play");
    // The first stick is held until the arm has followed, the others for a second of the run each, ten seconds in all.
    const push = (axes, value = 0) => page.evaluate(([a, v]) => { window.pad.axes = a; window.pad.buttons[0].value = v; return window.studio.track.end; }, [axes, value]);
    await until(page, () => window.studio.track.end > 0.2);
    await push([1, 0, 0, -1]);
    await until(page, () => Math.abs(window.studio.value("q[1]")) > 0.3);
    await picture(page, "studio-titan4");
    for (const [axes, button] of [[[0, 0, 0, 0], 0], [[-0.5, -0.6, 0, 0.5], 0], [[0.3, 0, 0, 0.8], 1], [[0, 0.4, 0, 0], 0], [[0, 0, 0, 0], 0]]) {
      const since = await push(axes, button);
      await until(page, (t) => window.studio.track.end > t + 1, since);
    }
    await until(page, () => window.studio.track.end > 10.5);
    await page.click("#play");
    await until(page, () => window.studio.state === 0);
    const far = await page.evaluate(() => Math.max(...window.studio.track.columns.get("q[1]").map(Math.abs)));
    check(far > 0.3, "the arm has moved: q1 = " + far);
    await looks(page);
    await page.evaluate(() => document.querySelector(".graph-view").shadowRoot.querySelector("g.fold").dispatchEvent(new MouseEvent("dblclick"))); // parts open
    await page.locator(".crumbs button").click();
    await until(page, () => !document.querySelector(".crumbs button"));
    await page.click("#keep");
    await page.locator(".banner", { hasText: "drive is in" }).waitFor();
    const out = spawnSync(bondyn, ["run", join(folder, "drive.bond"), "--replay", join(folder, "drive.drive"), "--json"], { encoding: "utf8" });
    const x = JSON.parse(out.stdout);
    check(out.status === 0 && x.differ === 0 && x.states > 20 && x.reached > 10, "replay: " + out.stdout + out.stderr);
    console.log(`  ${x.pieces} pieces, ${x.states} states equal; ` + await page.evaluate(() => `${window.studio.viewer.drawn} pictures, ${window.studio.stats.missed} deadlines missed`));
    await pads.close();
    await stop(server);
  },

  async "R, L and C are drawn by mouse from an empty file, and run"(context) {
    const folder = join(work, "drawn"), path = join(folder, "rlc.bond");
    mkdirSync(folder, { recursive: true });
    const server = await serve(path), page = await newPage(context, server.address, () => !!document.querySelector(".tile"));
    await picture(page, "studio-empty");
    const one = await put(page, "1", 0.5, 0.5), source = await put(page, "Se", 0.2, 0.5);
    const r = await put(page, "R", 0.5, 0.8), l = await put(page, "I", 0.8, 0.5), c = await put(page, "C", 0.5, 0.22);
    check(await page.evaluate(() => document.body.classList.contains("broken")), "not complete yet");
    await bond(page, source, one);
    for (const k of [r, l, c]) await bond(page, one, k);
    await until(page, () => !document.body.classList.contains("broken") && !!window.studio.built);
    const strokes = () => document.querySelector(".graph-view").shadowRoot.querySelectorAll("g[data-bond] path.bar").length;
    await until(page, () => document.querySelector(".graph-view").shadowRoot.querySelectorAll("g[data-bond] path.bar").length === 4);
    check(await page.evaluate(strokes) === 4, "four strokes");
    check(await text(page) === "model Drawing\n  1 j1\n  Se se1 = 1\n  R r1(1)\n  I i1(1)\n  C c1(1)\n  se1 -> j1\n  j1 -> r1, i1, c1\nend\n", "the text: " + await text(page));
    await setParameter(page, r, "R", "0.5");
    await setParameter(page, c, "C", "0.25");
    check((await text(page)).includes("R r1(0.5)") && (await text(page)).includes("C c1(0.25)"), "parameters by mouse");
    // Undo in the graph takes back what was typed there, redo does it again.
    const full = await text(page);
    await page.locator(".graph-view").focus();
    await page.keyboard.press("Control+z");
    await until(page, () => window.studio.editor.text.includes("C c1(1)"));
    await page.keyboard.press("Control+y");
    await until(page, (t) => window.studio.editor.text === t, full);
    await until(page, () => window.studio.current);
    await picture(page, "studio-drawn");
    await slowly(page);
    await page.click("#play");
    await until(page, () => window.studio.track.end > 1);
    await pause(page);
    const end = await page.evaluate(() => window.studio.track.end), q = await page.evaluate(() => window.studio.value("c1.q"));
    check(Math.abs(q - exact(end)) < 1e-6, `charge ${q} at ${end}, closed form ${exact(end)}`);
    // Another end, another name, the other way, away with it; comments stay.
    await page.evaluate(() => { const v = window.studio.editor.view, at = v.state.doc.toString().indexOf("  se1 ->"); v.dispatch({ changes: { from: at, insert: "  // bonds of the circuit\n" } }); });
    await until(page, () => !!document.querySelector(".graph-view").shadowRoot.querySelector('g[data-path="r1"] circle.handle'));
    const zero = await put(page, "0", 0.25, 0.8);
    const bondTo = (a, b) => page.evaluate(([x, y]) => { const s = window.studio, n = s.sketched ? s.sketched.bonds.findIndex((e) => e[0] === x && e[1] === y) : s.built.about.bonds.find((e) => e.label === `${x} -> ${y}`).bond; s.graph.choose({ bond: n }); return n; }, [a, b]);
    await until(page, () => !!window.studio.sketched);
    await bondTo(one, r);
    const head = await page.evaluate(() => { const c = document.querySelector(".graph-view").shadowRoot.querySelector('circle.end-handle[data-end="to"]').getBoundingClientRect(); return { x: c.x + c.width / 2, y: c.y + c.height / 2 }; });
    await drag(page, head, await boxOf(page, zero));
    await until(page, () => /j1 -> j2, i1, c1/.test(window.studio.editor.text));
    await bond(page, zero, r);
    await until(page, () => !document.body.classList.contains("broken"));
    await bondTo(zero, r);
    await page.locator(".about button", { hasText: "turn" }).click();
    await until(page, () => /r1 -> j2/.test(window.studio.editor.text));
    const at = await boxOf(page, l);
    await page.mouse.click(at.x, at.y);
    await page.locator("#part-name").fill("coil");
    await page.locator("#part-name").press("Enter");
    await until(page, () => /I coil\(1\)/.test(window.studio.editor.text) && /j1 -> j2, coil, c1/.test(window.studio.editor.text));
    await until(page, () => !!document.querySelector(".graph-view").shadowRoot.querySelector('g[data-path="coil"] circle.handle'));
    const was = await boxOf(page, "coil");
    await drag(page, was, { x: was.x, y: was.y - 60 });
    await until(page, (y) => { const g = document.querySelector(".graph-view").shadowRoot.querySelector('g[data-path="coil"] text.name'); return g && g.getBoundingClientRect().y < y - 40; }, was.y);
    await page.locator(".graph-view").focus();
    await page.keyboard.press("Escape"); // what is told about the last one does not lie over others
    await until(page, () => !document.querySelector(".about").childNodes.length);
    await page.mouse.click((await boxOf(page, zero)).x, (await boxOf(page, zero)).y);
    await page.locator(".graph-view").focus();
    await page.keyboard.press("Delete");
    await until(page, () => !window.studio.editor.text.includes("j2"));
    check((await text(page)).includes("// bonds of the circuit"), "comments stay");
    await accessible(page, "drawing");
    await page.keyboard.press("Control+s");
    await page.locator(".banner", { hasText: "is saved" }).waitFor();
    await until(page, () => window.studio.layout.stamp !== "none");
    check(JSON.parse(readFileSync(join(folder, "rlc.studio"), "utf8")).places.coil.length === 2, "places are in the file beside it");
    check(readFileSync(path, "utf8") === await text(page), "saved");
    await page.close();
    await stop(server);
  },

  async "a new user's path: draw a mass, a spring and a damper, run, slide the damper, look at the power, export"(context) {
    const folder = join(work, "path");
    mkdirSync(folder, { recursive: true });
    const server = await serve(join(folder, "oscillator.bond")), page = await newPage(context, server.address, () => !!document.querySelector(".tile"));
    const v = await put(page, "1", 0.5, 0.45), force = await put(page, "Se", 0.17, 0.45), mass = await put(page, "I", 0.83, 0.45);
    const spring = await put(page, "C", 0.5, 0.2), damper = await put(page, "R", 0.62, 0.72);
    await bond(page, force, v);
    for (const k of [mass, spring, damper]) await bond(page, v, k);
    await until(page, () => !document.body.classList.contains("broken") && !!window.studio.started);
    for (const [path, parameter, value] of [[force, "", "1 {N}"], [mass, "I", "1 {kg}"], [spring, "C", "0.25 {m/N}"], [damper, "R", "0.5 {N.s/m}"]]) {
      await setParameter(page, path, parameter, value);
      await page.locator(".graph-view").focus();
      await page.keyboard.press("Escape");
    }
    await until(page, () => !document.body.classList.contains("broken") && window.studio.built.parameters.some((p) => p.name === "r1.R" && p.value === 0.5));
    await picture(page, "studio-path-draw");
    await until(page, () => window.studio.started.revision === window.studio.revision);
    await slowly(page);
    await page.click("#play");
    await until(page, () => window.studio.track.end > 1.5);
    const slider = await page.locator(".parameter", { hasText: "r1.R" }).locator("input[type=range]").boundingBox(), y = slider.y + slider.height / 2;
    await drag(page, { x: slider.x + slider.width / 3, y }, { x: slider.x + 0.9 * slider.width, y });
    const since = await page.evaluate(() => window.studio.track.end);
    await until(page, (t) => window.studio.track.end > t + 1, since);
    await pause(page);
    const [e, f] = await page.evaluate(() => [window.studio.value("r1.e"), window.studio.value("r1.f")]);
    check(e / f > 1.2 && e / f <= 1.5, `the damper has ${e / f}`);
    const line = await page.evaluate((n) => { const b = window.studio.built.about.bonds.find((x) => x.label === n).bond, r = document.querySelector(".graph-view").shadowRoot.querySelector(`g[data-bond="${b}"] path.grip`).getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; }, `${v} -> ${damper}`);
    await page.mouse.move(line.x, line.y);
    await page.waitForSelector(".tip:not([hidden])");
    check(/power .* W/.test(await page.textContent(".tip")), "power: " + await page.textContent(".tip"));
    await picture(page, "studio-path-run");
    await page.click("#top-tab-2");
    await until(page, () => document.querySelectorAll(".energy path").length > 2);
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#report")]);
    const html = readFileSync(await file.path(), "utf8");
    check(html.startsWith("<!doctype html>") && html.includes("data-bond") && html.length < 2e6, "the report: " + html.slice(0, 80));
    await page.close({ runBeforeUnload: false });
    await stop(server);
  },

  async "two pages, a server that is killed, and the same page again"(context) {
    const folder = copyOf("pendulum"), file = readdirSync(folder).find((n) => n.endsWith(".bond")), path = join(folder, file);
    let server = await serve(path);
    const a = await newPage(context, server.address), b = await newPage(context, server.address);
    await a.click("#play");
    await until(a, () => window.studio.track.end > 0.2);
    check(await b.evaluate(() => window.studio.track.end) === 0, "pages have runs of their own");
    await b.evaluate(() => { const v = window.studio["editor"].view; v.dispatch({ changes: { from: 0, insert: "// kept\n" } }); });
    stateOf(context).lost = true;
    await stop(server, "SIGKILL");
    await b.locator(".banner.error", { hasText: "server is gone" }).waitFor();
    server = await serve(path, server.port);
    await until(b, () => window.studio.net.connected && document.querySelector(".light.on"));
    check((await b.evaluate(() => window.studio["editor"].text)).startsWith("// kept"), "the text is still there");
    await until(b, () => window.studio.track.times.length > 0);
    await b.click("#play");
    await until(b, () => window.studio.track.end > 0.3);
    await a.close();
    await b.close({ runBeforeUnload: false });
    await stop(server);
  },

  async "the report's page: the same viewer, plots and graph"(context) {
    const html = join(work, "report.html"), out = spawnSync(bondyn, ["report", join(source, "examples/wagon_pendulum/wagon_pendulum.bond"), "--out", html], { encoding: "utf8" });
    check(out.status === 0, out.stderr);
    const page = await newPage(context, "file://" + html, () => window.motion?.viewer.drawn > 2);
    await picture(page, "report-motion");
    await page.setViewportSize({ width: 720, height: 560 });
    await page.click("#play"); // it plays by itself
    await looks(page, true);
    await page.evaluate(() => { const s = document.getElementById("moment"); s.value = "1"; s.dispatchEvent(new Event("input")); });
    check(Math.abs(Number((await page.textContent("#clock")).replace(" s", "")) - 1) < 0.1, "the time that is asked for");
    await page.locator(".plots figure").first().click();
    await page.waitForSelector("dialog.explore canvas");
    const over = await page.locator("dialog.explore .u-over").boundingBox();
    await page.mouse.click(over.x + over.width / 2, over.y + over.height / 2);
    await page.locator("dialog.explore .close").click();
    await page.click(".step");
    check(/^1 of \d+:/.test(await page.textContent(".said")), "strokes one by one");
    await accessible(page, "report");
    await page.emulateMedia({ colorScheme: "dark" });
    await accessible(page, "report in the dark");
    await page.setViewportSize({ width: 400, height: 800 });
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 400), "400 px are enough for the report");
    await page.close();
  },

  async "plots by hand: drag, over each other, two runs, measure, a fixed window"(context) {
    const server = await serve(join(copyOf("dc_motor"), "dc_motor.bond")), page = await newPage(context, server.address);
    await page.selectOption("#speed", "0.25");
    await page.click("#play");
    await until(page, () => window.studio.track.end > 0.15);
    await pause(page);
    await page.click("#side-tab-1");
    await page.fill(".list input[type=search] >> visible=true", "coil.p");
    const count = await page.evaluate(() => window.studio.plots[0].wish.y.length);
    await page.locator(".signal:visible").first().dragTo(page.locator(".plot").first());
    check(await page.evaluate(() => window.studio.plots[0].wish.y.length) === count + 1, "a signal is dragged into a plot");
    await page.evaluate(() => { window.studio.plots[0].add("coil.p", true); });
    await until(page, () => !!document.querySelector(".plot canvas.plot-xy"));
    await page.evaluate(() => { delete window.studio.plots[0].wish.x; window.studio.redraw(); });
    await until(page, () => !!document.querySelector(".plot .u-over"));
    await page.click("#overlay");
    await page.click("#reset");
    await page.click("#play");
    await until(page, () => window.studio.track.end > 0.1);
    await pause(page);
    check(await page.evaluate(() => window.studio.others.length === 1 && window.studio.plots[0].chart.series.length === 2 * window.studio.plots[0].wish.y.length + 1), "two runs");
    const over = await page.locator(".plot .u-over").first().boundingBox(), y = over.y + over.height / 2;
    await page.keyboard.down("Shift");
    await page.mouse.click(over.x + over.width * 0.3, y);
    await page.keyboard.up("Shift");
    await page.mouse.click(over.x + over.width * 0.6, y);
    check(/Δ/.test(await page.textContent(".plot-legend")), "a distance between two cursors");
    await drag(page, { x: over.x + over.width * 0.2, y }, { x: over.x + over.width * 0.5, y });
    const fixed = await page.evaluate(() => { const s = window.studio.plots[0].chart.scales.x; return [s.min, s.max]; });
    await page.click("#play");
    await until(page, () => window.studio.track.end > 0.2);
    await pause(page);
    check(JSON.stringify(await page.evaluate(() => { const s = window.studio.plots[0].chart.scales.x; return [s.min, s.max]; })) === JSON.stringify(fixed), "a window that was dragged stays");
    await page.fill('input[aria-label="find in the graph"]', "coil");
    check(await page.evaluate(() => document.querySelector(".graph-view").shadowRoot.querySelectorAll("g.found").length) === 1, "found");
    await page.close();
    await stop(server);
  },

  async "a body is grabbed and pulled, counted in the audit, replayed bit by bit"(context) {
    const folder = join(work, "pulled"), path = join(folder, "swing.bond");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, "mechanism Bar\n  joint q revolute y: world -> bar initial 1.2 {rad}\n  body bar box (1, 0.1, 0.1) {m} mass 2 {kg} at (0.5, 0, 0) {m}\n  frame end_ on bar at (1, 0, 0) {m}\nend\n" +
      "model Swing\n  Bar bar\n  R bearing(0.5 {N.m.s/rad})\n  bar.q -> bearing\n  var far {m}\n  far = 20 {m} - 1e-5 {m/s}*time // the axis of a plot has to bear it\nend\nexperiment Pull of Swing\n  stop 4 {s}\n  plot bar.q.q\n  plot far\n  audit 1e-5\nend\n");
    const server = await serve(path), page = await newPage(context, server.address);
    await page.selectOption("#speed", "0.25");
    await page.click("#play");
    await until(page, () => window.studio.track.end > 0.1);
    await page.click("#hand");
    const end = await page.evaluate(() => {
      const v = window.studio.viewer, p = v.place(0, v.scene.bodies[0].frames[0]).project(v.camera), r = v.canvas.getBoundingClientRect();
      return { x: r.x + (p.x * 0.97 + 1) / 2 * r.width, y: r.y + (1 - p.y * 0.97) / 2 * r.height };
    });
    await page.mouse.move(end.x, end.y);
    await page.mouse.down();
    await page.mouse.move(end.x + 90, end.y - 60, { steps: 4 });
    await until(page, () => window.studio.started.pulled && window.studio.viewer.arrows.list.some((a) => a.name === "bar.end_"));
    await until(page, () => window.studio.viewer.arrows.shown > 1);
    await picture(page, "studio-pull");
    await page.mouse.up();
    await page.evaluate(() => window.studio.net.build("grab", { frame: "bar.nothing", axes: "own" })); // it is refused, and the hand stays
    await page.locator(".banner", { hasText: "has no 'nothing'" }).waitFor();
    await page.selectOption("#speed", "0");
    await page.locator(".banner", { hasText: "energy balanced" }).waitFor();
    await page.click("#keep");
    await page.locator(".banner", { hasText: "drive is in" }).waitFor();
    const drive = readFileSync(join(folder, "swing.drive"), "utf8");
    check(/^pull own bar\.end_$/m.test(drive) && /^input studio_grip1 0x1p\+0$/m.test(drive) && /^input studio_grip1 0x0p\+0$/m.test(drive), "what the hand did is recorded");
    const out = spawnSync(bondyn, ["run", path, "--replay", join(folder, "swing.drive"), "--json"], { encoding: "utf8" }), x = JSON.parse(out.stdout);
    check(out.status === 0 && x.differ === 0 && x.states > 1 && x.reached === 4, "replay: " + out.stdout + out.stderr);
    await page.close();
    await stop(server);
  },

  async "without WebGL the same scene is drawn on a plain canvas"(context) {
    const server = await serve(join(copyOf("titan4"), "drive.bond"));
    const plain = await context.browser().newContext();
    states.set(plain, stateOf(context));
    await plain.addInitScript(() => localStorage.setItem("bondyn-no-webgl", "1"));
    const page = await newPage(plain, server.address);
    check(await page.evaluate(() => window.studio.viewer.flat), "flat");
    await until(page, () => window.studio.viewer.drawn > 0);
    await looks(page);
    await picture(page, "studio-flat");
    await plain.close();
    await stop(server);
  },
};

// Bright's series circuit: q(t) after a step of 1 V.
function exact(t) {
  const a = 0.25, w = Math.sqrt(4 - a * a);
  return 0.25 * (1 - Math.exp(-a * t) * (Math.cos(w * t) + a / w * Math.sin(w * t)));
}

// --- all of them -------------------------------------------------------------------------------------

mkdirSync(join(work, "run"), { recursive: true });
if (pictures && !existsSync(pictures)) mkdirSync(pictures, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: flags });
let failed = 0;
async function one(name, run) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } }), began = Date.now(), { faults } = stateOf(context);
  try {
    await run(context);
    if (faults.length) throw new Error(faults.splice(0).join("\n"));
    console.log(`holds: ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (e) {
    failed++;
    for (const [i, p] of context.pages().entries()) await picture(p, "failed-" + i).catch(() => {});
    console.log(`FAILS: ${name}: ${e.message}\n${faults.splice(0).join("\n")}`);
  }
  await context.close();
}
const list = Object.entries(checks).filter(([name]) => !process.env.ONLY || name.includes(process.env.ONLY));
const worker = async () => { for (let next; (next = list.shift()); ) await one(...next); };
await Promise.all(pictures ? [worker()] : [worker(), worker()]); // two at a time: they mostly wait
for (const s of servers) s.kill("SIGKILL");
await browser.close();
process.exit(failed ? 1 : 0);
