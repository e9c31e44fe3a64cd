// The studio: text, graph, equations, plots, motion and power of one model, over one time cursor.
import "./style.css";
import "./shared.css";
import { button, h, say } from "./dom";
import { Editor } from "./editor";
import { Energy } from "./energy";
import { GraphView } from "./graph";
import { Draw, drawButton, type Chosen } from "./draw";
import { Layout } from "./layout";
import { AboutPane, Equations, Problems } from "./panes";
import { Puller } from "./pull";
import { RunBar } from "./runbar";
import { Net } from "./net";
import { brandMark, download, forget, gutter, parse, read, tabs, write } from "./parts";
import { Schedule } from "./schedule";
import { Plot, type PlotHost, type PlotWish } from "./plots";
import { Inputs, Parameters, Signals, showLists } from "./side";
import { Track } from "./track";
import type { About, Built, Started } from "./types";
import { viewTools } from "./view_tools";
import { Viewer } from "./viewer";

const emptyAbout: About = { start: 0, stop: 0, text: "", sweep: false, plots: [], shown: {}, components: [], bonds: [] };
interface File { name: string; path: string; text: string; saved: string; stamp: string }

const token = new URLSearchParams(location.search).get("token") ?? "";
const draftKey = (path: string) => "bondyn:draft:" + path;

class Studio {
  net = new Net(token);
  track = new Track();
  others: { name: string; track: Track }[] = [];
  built: Built | null = null;
  started: Started | null = null;
  files = new Map<string, File>();
  file = "";            // that is shown
  main = "";            // that is built
  experiment = "";
  revision = 0;
  cursor: number | null = null;
  state = 0;            // of the run
  watchNames: string[] = [];
  watchNumber = 0;
  plots: Plot[] = [];
  viewer: Viewer | null = null;
  stats = { frames: 0, missed: 0, dropped: 0, pace: 1, rate: 0 };
  editor: Editor;
  private graph: GraphView;
  draw: Draw;
  private sketched: { model: string; bonds: [string, string][] } | null = null; // what is drawn of a model that does not build
  private scope = "";
  private depth: number | undefined; // undefined: as the server thinks best
  private hint = h("p.hint.soft.hidden", null, "Drag components from the list into this field. Drag the small circle at one of them to another: a bond. Text is written on the left.");
  private crumbs = h("nav.crumbs", { "aria-label": "part that is shown" });
  private energy = new Energy();
  private parameters = new Parameters((name, si) => this.net.live("set", { name, value: si }));
  private signals = new Signals((name, fresh) => this.plotSignal(name, fresh), (name) => this.value(name));
  private inputs = new Inputs((name, si) => this.net.live("input", { name, value: si }));
  private view = h("div.view-host");
  private equations = new Equations();
  private aboutPane = new AboutPane({ plot: (n) => this.plotSignal(n, false), find: (path) => void this.editor.find(path), select: (path) => this.equations.filter(path), ends: (b) => this.ends(b) });
  private plotArea = h("div.plots");
  private problems = new Problems();
  private banners = h("div.banners");
  private light = h("span.light", { title: "connection" });
  private fileSelect = h("select", { id: "file", "aria-label": "file", onchange: () => this.openFile(this.fileSelect.value) });
  private experimentSelect = h("select", { id: "experiment", "aria-label": "experiment", onchange: () => { this.experiment = this.experimentSelect.value; this.build(); this.net.live("pause"); this.wantStart = true; } });
  private windowSelect = h("select", { "aria-label": "window of the plots" }, ...[["0", "all"], ["2", "2 s"], ["5", "5 s"], ["10", "10 s"], ["30", "30 s"], ["60", "1 min"]].map(([v, t]) => h("option", { value: v }, t)));
  private runBar = new RunBar(this);
  private puller = new Puller(this.net, (t, k) => this.note(t, k));
  private saveButton = button("Save (Ctrl+S)", "save", () => this.save(), { id: "save" });
  private wantStart = false;
  private started0 = performance.now();
  private lastPicture = performance.now();
  host: PlotHost;

  constructor(root: HTMLElement) {
    const wish = read("bondyn:theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    document.documentElement.dataset.theme = wish;
    const editorHost = h("div.editor");
    this.graph = new GraphView({
      value: (n) => this.value(n), unit: (n) => this.track.unit.get(n) ?? "", dark: () => this.dark, chosen: (w) => this.choose(w),
    });
    this.draw = new Draw(this.graph, this.net, {
      uri: () => this.editor.address, model: () => this.sketched?.model ?? this.built?.model ?? "", ends: (b) => this.ends(b),
      apply: (changes) => { const own = changes[this.editor.address]; if (own) this.editor.apply(own); return !!own && Object.keys(changes).length === 1; },
      undoDepth: () => this.editor.depth, undo: () => this.editor.undo(), redo: () => this.editor.redo(), redraw: () => this.drawAgain(),
      note: (t, k) => this.note(t, k), choose: (w) => this.graph.choose(w), kept: () => { this.layout.known = true; },
    });
    this.graph.entered = (path) => this.enter(path);
    this.host = {
      track: this.track, others: this.others, cursor: () => this.cursor, seek: (t) => this.seek(t), window: () => Number(this.windowSelect.value),
      changed: () => { this.watch(); this.redraw(); this.layout.chosen(); }, dark: () => this.dark,
    };
    root.append(this.bar(), this.banners, this.body(editorHost), this.runBar.timeline());
    this.editor = new Editor(editorHost, this.net);
    this.editor.changed = (text) => this.edited(text);
    this.editor.told = (list) => { this.problems.show(list, (range) => this.editor.reveal(range)); this.schedule.messages(); };
    this.editor.goTo = (uri, range) => {
      const name = decodeURIComponent(uri).split("/").pop()!;
      if (this.files.has(name) || [...this.fileSelect.options].some((o) => o.value === name)) { this.pendingReveal = { name, range }; this.openFile(name); }
    };
    this.editor.moved = (word) => this.cursorMoved(word);
    this.runBar.keys();
    this.talk();
    this.net.open();
    requestAnimationFrame((t) => this.picture(t));
    setInterval(() => this.everySecond(), 1000);
    addEventListener("resize", () => { this.redraw(); this.askEquations(); });
  }
  private pendingReveal: { name: string; range: any } | null = null;
  get dark(): boolean { return document.documentElement.dataset.theme === "dark"; }

  // --- the page

  private bar(): HTMLElement {
    const speed = h("select", { id: "speed", "aria-label": "speed", onchange: () => this.net.live("speed", { value: Number(speed.value) }) },
      ...[["0.1", "0.1×"], ["0.25", "0.25×"], ["0.5", "0.5×"], ["1", "real time"], ["2", "2×"], ["5", "5×"], ["10", "10×"], ["0", "as fast as it goes"]].map(([v, t]) => h("option", { value: v, selected: v === "1" }, t)));
    return h("header.bar", null,
      h("span.brand", null, brandMark(), h("b", null, "Bondyn"), " Studio"), this.light,
      h("span.group", null, this.fileSelect, this.saveButton, this.experimentSelect),
      h("span.group.transport", { role: "toolbar", "aria-label": "run" },
        button("Back to the start", "reset", () => { this.track.clear(); this.seek(null); this.net.live("reset"); }, { id: "reset" }), this.runBar.play,
        button("One step", "step", () => this.step(), { id: "step" }),
        button("Keep the present state", "camera", () => this.net.live("snapshot"), { id: "snapshot" }),
        button("Back to the kept state", "back", () => this.net.live("back"), { id: "back", disabled: true }), speed),
      h("span.group", null, this.runBar.clock, this.runBar.pace),
      h("span.group.right", null,
        button("Keep this run below the next ones", "plus", () => this.keepRun(), { id: "overlay" }),
        button("Save the drive, to be replayed by bondyn run", "record", () => this.net.live("keep", { name: this.main.replace(/\.bond$/, "") + ".drive" }), { id: "keep" }),
        button("Report of a whole run as a page", "page", () => { this.note("The report is being made."); this.net.build("report"); }, { id: "report" }),
        button("Dark or light", "moon", () => this.theme(), { id: "theme" })));
  }

  private body(editorHost: HTMLElement): HTMLElement {
    const search = h("input.find", { type: "search", placeholder: "Find", "aria-label": "find in the graph", oninput: () => this.graph.search(search.value) });
    const flow = h("label.check", null, h("input", { type: "checkbox", checked: true, onchange: (e: Event) => { this.graph.power = (e.target as HTMLInputElement).checked; } }), "power");
    const pen = drawButton(() => { void this.draw.toggle(); pen.setAttribute("aria-pressed", String(this.draw.active)); });
    const parts = button("Fold parts into boxes, or open all of them", "fold", () => { this.depth = (this.depth ?? this.built?.depth ?? 0) > 0 ? 0 : 1; this.graph.touched = false; this.drawAgain(); }, { id: "parts" });
    const graphPane = h("div.graph-pane", null, this.draw.palette, h("div.graph-field", null, this.graph.element, this.hint, this.crumbs, h("div.float", null, search, flow, pen, parts, button("Fit", "fit", () => { this.graph.touched = false; this.graph.fit(); })), this.aboutPane.element));
    const viewTools = h("div.float", { id: "view-tools" });
    const add = button("New plot", "plus", () => this.addPlot({ title: "", y: [] }), { id: "new-plot" });
    return h("main.body", null,
      h("section.pane.text", { "aria-label": "text" }, editorHost, this.problems.element),
      gutter("--left", "x"),
      h("section.pane.middle", { "aria-label": "pictures" },
        tabs("top", [["Bond graph", graphPane], ["Equations", this.equations.element], ["Energy", this.energy.element]]),
        gutter("--top", "y"),
        h("div.pane.motion", null, this.view, viewTools)),
      gutter("--right", "x"),
      h("section.pane.side", { "aria-label": "lists and plots" },
        tabs("side", [["Parameters", this.parameters.element], ["Signals", this.signals.element], ["Inputs", this.inputs.element]]),
        gutter("--lists", "y"),
        h("div.plot-pane", null, h("div.plot-bar", null, h("span.soft", null, "Plots"), add, h("label.soft", null, "window ", this.windowSelect)), this.plotArea)),
      h("nav.narrow", { "aria-label": "panes" }, ...["text", "middle", "side"].map((p, i) => h("button", { type: "button", onclick: () => { document.body.dataset.pane = p; } }, ["Text", "Graph and motion", "Lists and plots"][i]))));
  }

  theme(): void {
    document.documentElement.dataset.theme = this.dark ? "light" : "dark";
    write("bondyn:theme", document.documentElement.dataset.theme);
    this.graph.theme();
    this.viewer?.setTheme(this.dark);
    this.redraw();
  }

  note(text: string, kind = "note", ...acts: [string, () => void][]): HTMLElement {
    const b = h("div.banner." + kind, { role: kind === "error" ? "alert" : "status" }, h("span", null, text), ...acts.map(([t, act]) => h("button", { type: "button", onclick: () => { b.remove(); act(); } }, t)),
      button("Close", "close", () => b.remove(), { className: "quiet" }));
    this.banners.append(b);
    while (this.banners.children.length > 4) this.banners.firstChild!.remove();
    if (!acts.length && kind !== "error") setTimeout(() => b.remove(), 6000);
    return b;
  }

  // --- the server

  private talk(): void {
    const net = this.net;
    let lost: HTMLElement | null = null;
    net.on("connected", async () => {
      lost?.remove();
      lost = null;
      this.light.className = "light on";
      await this.editor.begin();
      net.text("hello");
    });
    net.on("lost", () => {
      this.light.className = "light off";
      this.state = 0;
      this.schedule.answered();
      lost = this.note("The server is gone. Your text is safe in this page; it connects again as soon as `bondyn studio` runs.", "error");
    });
    net.on("welcome", (m) => {
      const again = this.main !== "";
      this.fileSelect.replaceChildren(...[...new Set([m.file, ...m.files])].map((f: string) => h("option", { value: f }, f)));
      document.title = m.file + " – Bondyn Studio";
      if (!again) {
        this.main = m.file;
        this.openFile(m.file);
        net.text("open", { name: m.file.replace(/\.bond$/, "") + ".studio" });
      } else { // the same page, another server: it learns everything anew
        this.fileSelect.value = this.file;
        this.editor.reopen();
        this.build();
        this.wantStart = true;
      }
    });
    net.on("graph", (m) => {
      this.asking = false;
      if (this.built && m.revision === this.built.revision && !this.sketched) { this.built.depth = m.depth; this.graph.show(m.graph, this.built.about); }
      if (this.askAgain) { this.askAgain = false; this.drawAgain(); }
    });
    net.on("opened", (m) => this.opened(m));
    net.on("saved", (m) => this.saved(m));
    net.on("conflict", (m) => this.note(`${m.name} was changed by somebody else since it was opened.`, "error", ["Overwrite it", () => this.save(true)], ["Take theirs", () => this.reload(m.name)]));
    net.on("changed", (m) => {
      for (const f of m.files) {
        const file = this.files.get(f.name);
        if (!file) continue;
        file.stamp = f.stamp;
        if (f.stamp === "none") this.note(`${f.name} was deleted; its text is still here, and saving writes it again.`, "error");
        else if (file.text === file.saved) this.reload(f.name);
        else this.note(`${f.name} was changed by somebody else, and has changes of yours.`, "error", ["Take theirs", () => this.reload(f.name)]);
      }
    });
    net.on("tell", (m) => this.note(m.text, m.kind));
    net.on("built", (m) => this.showBuilt(m));
    net.on("equations", (m) => this.equations.show(m.html));
    net.on("started", (m) => this.begun(m));
    let stale: HTMLElement | null = null; // one offer is enough
    net.on("stale", () => {
      stale?.remove();
      if (this.state !== 1 && this.track.end <= this.track.start) this.net.live("start"); // nothing would be lost
      else stale = this.note("The text has changed.", "note", ["Start again", () => this.net.live("start")], ["Go on from here", () => this.net.live("go_on")]);
    });
    net.on("went_on", () => this.note("The run goes on with the new text."));
    net.on("snapshot", (m) => { (document.getElementById("back") as HTMLButtonElement).disabled = false; this.note(`State kept at ${say(m.time)} s.`); });
    net.on("not_set", (m) => this.note(`${m.name} cannot change while the model runs; change the text.`, "error"));
    net.on("failed", (m) => { this.note(`${m.what} at t = ${say(m.time)} s: ${m.messages.map((x: any) => `${x.code} ${x.text}${x.remedy ? ". " + x.remedy : ""}`).join("; ")}`, "error"); });
    net.on("ended", (m) => this.note(`Done at ${say(m.time)} s: ${m.steps} steps with ${m.solver}${m.residual === null ? "" : `, energy ${m.balanced ? "balanced" : "NOT balanced"} (${say(m.residual)} J)`}${m.expectations ? `, ${m.expectations - m.failed} of ${m.expectations} expectations hold` : ""}.`, m.failed || !m.balanced ? "error" : "note"));
    net.on("kept", (m) => this.note(`The drive is in ${m.name}: bondyn run ${this.main} --replay ${m.name}`));
    net.on("report", (m) => download(new Blob([m.html], { type: "text/html" }), `${m.name || "report"}.html`));
    net.frames = (x) => this.frame(x);
  }

  // --- files

  private openFile(name: string): void {
    const known = this.files.get(name);
    if (!known) { this.net.text("open", { name }); return; }
    this.file = name;
    this.fileSelect.value = name;
    this.editor.open(known.path, known.text);
    this.sketched = null;
    if (!known.text.trim()) { void this.draw.toggle(true); document.getElementById("draw")!.setAttribute("aria-pressed", "true"); }
    if (/^\s*(model|experiment)\b/m.test(known.text) || !known.text.trim()) {
      this.main = name;
      this.experiment = "";
      this.build();
    }
    if (this.pendingReveal?.name === name) { this.editor.reveal(this.pendingReveal.range); this.pendingReveal = null; }
    this.mark();
  }

  private opened(m: { name: string; path: string; text: string; stamp: string }): void {
    if (m.name.endsWith(".studio")) { this.layout.take(m); return; }
    const before = this.files.get(m.name);
    this.files.set(m.name, { name: m.name, path: m.path, text: m.text, saved: m.text, stamp: m.stamp });
    const draft = parse(read(draftKey(m.path)));
    if (before && this.file === m.name) { this.editor.replace(m.text); this.mark(); return; }
    this.openFile(m.name);
    if (draft && draft.text !== m.text) {
      this.note(`There is text of ${m.name} that was never saved.`, "note", ["Take it", () => this.editor.replace(draft.text)], ["Forget it", () => forget(draftKey(m.path))]);
    }
  }

  private reload(name: string): void { this.net.text("open", { name }); }

  private edited(text: string): void {
    const f = this.files.get(this.file);
    if (!f) return;
    f.text = text;
    if (text === f.saved) forget(draftKey(f.path));
    else write(draftKey(f.path), JSON.stringify({ text, stamp: f.stamp }));
    this.mark();
    this.schedule.soon();
  }

  private mark(): void {
    const f = this.files.get(this.file), dirty = !!f && f.text !== f.saved;
    this.saveButton.classList.toggle("dirty", dirty);
    document.title = (dirty ? "● " : "") + this.file + " – Bondyn Studio";
  }

  save(force = false): void {
    const f = this.files.get(this.file);
    if (f) this.net.text("save", { name: f.name, text: f.text, stamp: f.stamp, force });
  }

  private saved(m: { name: string; stamp: string }): void {
    const f = this.files.get(m.name);
    if (m.name.endsWith(".studio")) { this.layout.stamp = m.stamp; return; }
    if (!f) return;
    f.saved = f.text;
    f.stamp = m.stamp;
    forget(draftKey(f.path));
    this.mark();
    this.note(`${m.name} is saved.`);
    this.layout.save();
  }

  private layout = new Layout({
    setPlots: (wishes) => this.setPlots(wishes), setPlaces: (places) => { this.draw.places = places; this.drawAgain(); }, plots: () => this.plots.map((p) => p.wish),
    places: () => { const there = this.graph.centres(); return Object.fromEntries(Object.entries(this.draw.places).filter(([k]) => there.has(k))); },
    write: (text) => this.net.text("save", { name: this.main.replace(/\.bond$/, "") + ".studio", text, stamp: this.layout.stamp, force: true }),
  });

  // --- builds

  private sent = "";
  // The run that is ready is that of the text on the page.
  get current(): boolean { return this.started?.revision === this.revision && this.sent === this.editor.text; }

  private schedule = new Schedule(() => this.build());

  build(): void {
    this.schedule.begun();
    const files: Record<string, string> = {};
    for (const f of this.files.values()) if (f.text !== f.saved || f.name === this.file) files[f.name] = f.text;
    this.buildAt = performance.now();
    this.sent = this.editor.text;
    this.net.build("build", { main: this.main, files, experiment: this.experiment, revision: ++this.revision, wish: this.wish() });
  }

  // --- the drawing

  private wish(): object {
    const depth = this.draw.active ? 1 : this.depth;
    return { scope: this.scope, ...(this.scope || depth !== undefined ? { depth: depth ?? 1 } : {}), places: this.scope ? {} : this.draw.places };
  }
  private asking = false;
  private askAgain = false;
  private drawAgain(): void {
    if (this.sketched || !this.built) { void this.sketch(); return; }
    if (this.asking) { this.askAgain = true; return; }
    this.asking = true;
    this.net.build("graph", { wish: this.wish() });
  }

  // Of a model that does not build: boxes and bonds as the text has them.
  private async sketch(): Promise<void> {
    const ask = (model: string) => this.net.ask("bondyn/sketch", { textDocument: { uri: this.editor.address }, model, places: this.draw.places });
    const revision = this.revision, m = (await ask(this.built?.model ?? "")) ?? (await ask(""));
    if (revision !== this.revision || !document.body.classList.contains("broken")) return;
    this.sketched = m ? { model: m.model, bonds: m.bonds } : null;
    this.hint.classList.toggle("hidden", !this.draw.active || !!m?.svg?.includes("data-path"));
    if (!m) return;
    const about = { ...emptyAbout, bonds: m.bonds.map(([a, b]: [string, string], i: number) => ({ bond: i, label: `${a} -> ${b}`, reason: "the model is not complete yet, so no stroke is set", order: 0, pseudo: false })) };
    this.graph.show(m.svg, about);
  }

  private ends(bond: number): [string, string] | null {
    if (this.sketched) return this.sketched.bonds[bond] ?? null;
    const label = this.built?.about.bonds.find((b) => b.bond === bond)?.label.split(" -> ");
    return label?.length === 2 ? [label[0], label[1]] : null;
  }

  private enter(path: string): void {
    this.scope = path;
    this.graph.touched = false;
    this.crumbs.replaceChildren(...(path ? [h("button.chip", { type: "button", onclick: () => this.enter(path.includes(".") ? path.slice(0, path.lastIndexOf(".")) : "") }, "↑ out of " + path)] : []));
    this.drawAgain();
  }
  private buildAt = 0;
  buildTime = 0; // ms from a key press to a graph, without the pause after it

  private showBuilt(m: Built): void {
    if (m.revision !== this.revision) return;
    this.schedule.answered();
    this.buildTime = performance.now() - this.buildAt;
    document.body.classList.toggle("broken", !m.good);
    if (!m.good) {
      if (this.draw.active || !this.built) void this.sketch();
      if (!this.built) this.equations.none();
      return;
    }
    const before = this.built;
    this.built = m;
    this.sketched = null;
    this.hint.classList.add("hidden");
    this.experimentSelect.replaceChildren(...(m.experiments.length ? m.experiments : [m.experiment || "ten seconds"]).map((e) => h("option", { value: m.experiments.length ? e : "", selected: e === m.experiment }, e)));
    this.graph.show(m.graph, m.about);
    this.energy.show(m.about);
    showLists(before, m, this.parameters, this.signals, this.inputs);
    this.askEquations();
    if (this.wantStart) { this.wantStart = false; this.net.live("start"); }
    if (!this.interactive) this.interactive = performance.now() - this.started0;
  }
  interactive = 0; // ms until the first model was there
  private askEquations(): void { this.equations.want(this.built?.revision, () => this.net.build("equations")); }

  private cursorMoved(word: string): void {
    const root = word.split(".")[0];
    if (root && this.built?.about.components.some((c) => c.path === word || c.path === root)) this.equations.filter(word || root);
  }

  private choose(what: Chosen | null): void {
    this.aboutPane.show(what, this.sketched ? null : this.built);
    if (what && this.draw.active) void this.draw.controls(what).then((c) => { if (c && this.graph.chosenNow === what) this.aboutPane.append(c); });
  }

  // --- the run

  private begun(m: Started): void {
    const again = m.pulled && !!this.viewer && !!m.scene; // the same run, with a hand in it
    this.started = m;
    if (!again) this.state = 0;
    this.track.clear();
    this.track.unit = new Map(m.names.map((n, i) => [n, m.units[i]]));
    this.cursor = null;
    (document.getElementById("back") as HTMLButtonElement).disabled = true;
    if (!this.plots.length && !this.layout.plotsKnown) this.setPlots(this.defaultPlots());
    this.watchNames = [];
    this.watch();
    if (again) { this.viewer!.renew(m.scene!); this.puller.say(); return; }
    for (const [name, value] of this.parameters.changed) this.net.live("set", { name, value });
    this.showScene(m);
    this.net.live("speed", { value: Number((document.getElementById("speed") as HTMLSelectElement).value) });
    if (this.asked) this.net.live("play");
  }
  private asked = false; // to play, and nothing has moved yet: a run that takes the place of this one plays, too

  private defaultPlots(): PlotWish[] {
    const wishes = this.built!.about.plots.filter((p) => p.y.length).slice(0, 3).map((p) => ({ title: p.title, x: p.x, y: p.y.slice(0, 8) }));
    if (wishes.length) return wishes;
    const states = this.built!.states, units = [...new Set(states.map((s) => s.unit))].slice(0, 2); // more axes than two cannot be read
    const shown = states.filter((s) => units.includes(s.unit)).slice(0, 4).map((s) => s.name);
    return shown.length ? [{ title: "", y: shown }] : [];
  }

  private scene = ""; // that is shown
  private showScene(m: Started): void {
    const scene = JSON.stringify(m.scene);
    if (this.viewer && scene === this.scene) return; // what was looked at stays as it is
    this.scene = scene;
    this.viewer?.dispose();
    this.viewer = null;
    document.body.classList.toggle("no-motion", !m.scene || !m.scene.bodies.length);
    const tools = document.getElementById("view-tools")!;
    tools.replaceChildren();
    if (!m.scene?.bodies.length) { this.view.replaceChildren(h("p.soft.empty", null, "The model has no bodies to look at: a mechanism brings them.")); return; }
    const v = this.viewer = new Viewer(this.view, m.scene, this.dark);
    tools.append(...viewTools(v, () => this.built?.experiment ?? "", () => this.redraw()));
    tools.append(this.puller.watch(v));
    v.canvas.addEventListener("click", (e) => {
      const hit = v.pick(e.clientX, e.clientY);
      v.highlight(hit ? hit.body : -1);
      if (hit) this.aboutPane.say("body " + hit.name);
    });
  }

  private names(): string[] {
    const wanted = new Set<string>();
    for (const p of this.plots) { p.wish.y.forEach((n) => wanted.add(n)); if (p.wish.x) wanted.add(p.wish.x); }
    for (const b of this.built?.about.bonds.slice(0, 600) ?? []) { if (b.e) wanted.add(b.e); if (b.f) wanted.add(b.f); }
    const known = new Set(this.started?.names ?? []);
    return [...wanted].filter((n) => known.has(n));
  }

  private watch(): void {
    const names = this.names();
    if (names.length === this.watchNames.length && names.every((n, i) => n === this.watchNames[i])) return;
    this.watchNames = names;
    this.net.live("watch", { names, number: ++this.watchNumber });
  }

  private frame(x: Float64Array): void {
    if (x[0] === 2) { this.history(x); return; }
    if (x[1] !== this.watchNumber) return;
    const [, , time, state, missed, pace, dropped, count] = x;
    this.stats.frames++;
    Object.assign(this.stats, { missed, pace, dropped });
    if (state !== this.state) { this.state = state; this.redraw(); }
    if (state !== 0) this.asked = false;
    this.track.add(time, this.watchNames, x.subarray(8, 8 + count), x.slice(8 + count));
    this.fresh = true;
  }
  private fresh = false;

  private history(x: Float64Array): void {
    const [, number, count, rows, tail] = x;
    if (number !== this.watchNumber) return;
    let at = 5;
    const take = () => { const part = Array.from(x.subarray(at, at + rows)); at += rows; return part; };
    this.track.times = take();
    this.track.columns = new Map();
    for (let i = 0; i < count; i++) this.track.columns.set(this.watchNames[i], take());
    this.track.poses = [];
    for (let i = 0; i < rows; i++, at += tail) this.track.poses.push(x.slice(at, at + tail));
    this.fresh = true;
    this.redraw();
  }

  value(name: string): number {
    const t = this.track;
    return t.value(name, this.cursor === null ? t.times.length - 1 : t.row(this.cursor));
  }

  step(): void { this.net.live("step"); }
  undo(): void { this.draw.undo(); }
  redo(): void { this.editor.redo(); }
  unsaved(): boolean { return [...this.files.values()].some((f) => f.text !== f.saved); }

  toggle(): void {
    if (!(this.asked = this.state !== 1)) this.net.live("pause");
    else if (this.state >= 2) { this.track.clear(); this.net.live("reset"); this.net.live("play"); } else { this.cursor = null; this.net.live("play"); }
  }

  seek(time: number | null): void {
    this.cursor = time === null || time >= this.track.end ? null : Math.max(this.track.start, time);
    this.redraw();
  }

  private keepRun(): void {
    const copy = new Track();
    copy.times = [...this.track.times];
    for (const [n, c] of this.track.columns) copy.columns.set(n, [...c]);
    this.others.push({ name: "run " + (this.others.length + 1), track: copy });
    if (this.others.length > 4) this.others.shift();
    this.note("This run stays in the plots, pale, below the next ones.");
    this.redraw();
  }

  // --- plots

  private setPlots(wishes: PlotWish[]): void {
    for (const p of this.plots) p.dispose();
    this.plots = [];
    for (const w of wishes) this.addPlot(w, false);
    this.watch();
  }
  addPlot(wish: PlotWish, chosen = true): Plot {
    const p = new Plot(wish, this.host, (x) => { this.plots = this.plots.filter((o) => o !== x); x.dispose(); this.layout.chosen(); this.watch(); });
    this.plots.push(p);
    this.plotArea.append(p.element);
    if (chosen) this.layout.chosen();
    this.watch();
    this.redraw();
    return p;
  }
  private plotSignal(name: string, fresh: boolean): void {
    const last = this.plots[this.plots.length - 1];
    if (fresh || !last) this.addPlot({ title: "", y: [name] });
    else last.add(name);
  }

  // --- pictures

  private dirty = true;
  redraw(): void { this.dirty = true; }

  private slow = 0; // plots and lists are drawn less often than motion
  private picture(now: number): void {
    requestAnimationFrame((t) => this.picture(t));
    const seconds = Math.min(0.1, (now - this.lastPicture) / 1000);
    this.lastPicture = now;
    this.inputs.poll();
    this.graph.animate(this.state === 1 || this.cursor !== null ? seconds : 0);
    if (!this.fresh && !this.dirty) return;
    const t = this.track, row = this.cursor === null ? t.times.length - 1 : t.row(this.cursor);
    if (row >= 0 && t.poses[row]?.length) { this.viewer?.setPoses(t.poses[row]); this.puller.draw(); }
    this.runBar.clock.textContent = `${(t.times[row] ?? 0).toFixed(2)} s`;
    const steps = this.dirty || this.state !== 1;
    if (steps || now - this.slow > 45) {
      this.slow = now;
      for (const p of this.plots) p.update();
      if (t.poses.length) this.viewer?.setTrail(t.poses, row + 1);
      this.signals.update();
      this.energy.draw(t, t.times[row] ?? 0);
      this.runBar.show();
    }
    this.fresh = false;
    this.dirty = false;
  }

  private everySecond(): void {
    const files = [...this.files.values()].map((f) => ({ name: f.name, stamp: f.stamp }));
    if (files.length && this.net.connected) this.net.text("look", { files });
    this.stats.rate = this.stats.frames;
    this.stats.frames = 0;
  }
}

document.body.dataset.pane = "text";
document.body.classList.add("no-motion"); // until a run brings bodies
(window as any).studio = new Studio(document.getElementById("app")!);
