// Drawing a model by mouse: a palette, boxes that are moved, bonds that are pulled from one to another. Nothing is decided
// here: every change is asked of the language service, which answers with edits of the text; only the places of boxes
// are this page's own.
//
//   palette  --drag-->  graph         a component           box: drag         its place
//   handle   --drag-->  another box   a bond                end of a chosen bond: drag    another box
import { button, h, icon } from "./dom";
import type { GraphView } from "./graph";
import type { Net } from "./net";

export type Places = Record<string, [number, number]>;
interface Entry { group: string; type: string; text: string }
interface PartParameter { name: string; position: number; value?: string; usual?: string; unit?: string; text?: string }
interface PartAbout { type: string; text: string; parameters: PartParameter[] }
export type Chosen = { path?: string; bond?: number };

export interface DrawHost {
  uri(): string;
  model(): string;
  ends(bond: number): [string, string] | null; // as the text calls them
  apply(changes: Record<string, { range: any; newText: string }[]>): boolean; // false: not in this file
  undoDepth(): number;
  undo(): void;
  redo(): void;
  redraw(): void; // places have changed
  note(text: string, kind?: string): void;
  choose(what: Chosen | null): void;
  kept(): void; // places are worth keeping
}

const root = (end: string): string => end.trim().split(/[.[\s]/)[0];

export class Draw {
  places: Places = {};
  readonly palette = h("aside.palette.hidden", { "aria-label": "what can be put into the model" });
  private on = false;
  private entries: Entry[] = [];
  private moved: { depth: number; path: string; from: [number, number] | undefined }[] = [];
  private ghost: HTMLElement | null = null;
  private line: SVGLineElement | null = null;

  constructor(private graph: GraphView, private net: Net, private host: DrawHost) {
    graph.prepared = () => this.prepare();
    graph.element.addEventListener("pointerdown", (e) => this.pressed(e), { capture: true });
    graph.element.addEventListener("keydown", (e) => this.key(e));
  }

  get active(): boolean { return this.on; }

  async toggle(on = !this.on): Promise<void> {
    this.on = on;
    this.graph.editing = on;
    this.palette.classList.toggle("hidden", !on);
    this.graph.element.classList.toggle("editing", on);
    this.host.redraw();
    if (on && !this.entries.length) await this.fill();
  }

  // --- the palette

  private async fill(): Promise<void> {
    const { result } = await this.net.request("bondyn/palette", { textDocument: { uri: this.host.uri() } });
    this.entries = result ?? [];
    const find = h("input.find", { type: "search", placeholder: "Find a component", "aria-label": "find a component", oninput: () => this.list(find.value) });
    this.palette.replaceChildren(find, h("div.palette-list"));
    this.list("");
  }

  private list(word: string): void {
    const groups = new Map<string, Entry[]>(), wanted = word.toLowerCase();
    for (const e of this.entries) {
      if (wanted && !(e.type + " " + e.text + " " + e.group).toLowerCase().includes(wanted)) continue;
      groups.set(e.group, [...(groups.get(e.group) ?? []), e]);
    }
    this.palette.querySelector(".palette-list")!.replaceChildren(...[...groups].map(([name, list]) => h("details", { open: name === "bond graph" || name === "this file" || wanted !== "" },
      h("summary", null, name), h("div.tiles", null, ...list.slice(0, 80).map((e) => this.tile(e))))));
  }

  private tile(e: Entry): HTMLElement {
    const t = h("button.tile", { type: "button", title: e.text || e.type, "data-type": e.type }, e.type);
    let dragged = false;
    t.addEventListener("pointerdown", (p) => {
      if (p.button !== 0) return;
      dragged = false;
      t.setPointerCapture(p.pointerId);
      const from = { x: p.clientX, y: p.clientY };
      const move = (m: PointerEvent) => {
        if (!this.ghost && Math.hypot(m.clientX - from.x, m.clientY - from.y) < 5) return;
        dragged = true;
        if (!this.ghost) document.body.append(this.ghost = h("div.ghost", { "aria-hidden": "true" }, e.type));
        Object.assign(this.ghost.style, { left: m.clientX + "px", top: m.clientY + "px" });
      };
      const up = (u: PointerEvent) => {
        t.removeEventListener("pointermove", move);
        t.removeEventListener("pointerup", up);
        this.ghost?.remove();
        this.ghost = null;
        const box = this.graph.element.getBoundingClientRect();
        const inside = u.clientX > box.left && u.clientX < box.right && u.clientY > box.top && u.clientY < box.bottom;
        if (dragged && inside) void this.add(e.type, this.graph.toLayout(u.clientX, u.clientY));
      };
      t.addEventListener("pointermove", move);
      t.addEventListener("pointerup", up);
    });
    t.addEventListener("click", () => { if (!dragged) void this.add(e.type, this.freePlace()); });
    return t;
  }

  // Somewhere in sight where nothing stands.
  private freePlace(): [number, number] {
    const box = this.graph.element.getBoundingClientRect(), taken = this.graph.centres();
    for (let k = 0; k < 60; k++) {
      const p = this.graph.toLayout(box.left + box.width * (0.5 + 0.07 * (k % 6) * (k % 2 ? -1 : 1)), box.top + box.height * (0.35 + 0.09 * Math.floor(k / 6)));
      if ([...taken.values()].every(([x, y]) => Math.abs(x - p[0]) > 70 || Math.abs(y - p[1]) > 45)) return p;
    }
    return this.graph.toLayout(box.left + box.width / 2, box.top + box.height / 2);
  }

  // --- changes

  // Everything stays where it is from now on.
  private freeze(): void {
    for (const [path, at] of this.graph.centres()) if (!this.places[path]) this.places[path] = [Math.round(at[0]), Math.round(at[1])];
    this.graph.touched = true;
    this.host.kept();
  }

  async change(what: string, more: object, before?: (name: string) => void): Promise<boolean> {
    const { result, error } = await this.net.request("bondyn/draw", { textDocument: { uri: this.host.uri() }, model: this.host.model(), do: what, ...more });
    if (!result) { this.host.note(error ?? "The server does not answer.", "error"); return false; }
    before?.(result.name ?? "");
    if (!this.host.apply(result.changes)) { this.host.note("This change belongs to another file: open that one.", "error"); return false; }
    return true;
  }

  async add(type: string, at: [number, number]): Promise<void> {
    this.freeze();
    await this.change("add", { type }, (name) => { this.places[name] = [Math.round(at[0]), Math.round(at[1])]; this.graph.next = { path: name }; });
  }
  async bond(from: string, to: string): Promise<void> { this.freeze(); await this.change("bond", { from: root(from), to: root(to) }); }

  private number(bond: number): { from: string; to: string; index: number } | null {
    const ends = this.host.ends(bond);
    if (!ends) return null;
    const from = root(ends[0]), to = root(ends[1]);
    let index = 0;
    for (let k = 0; k < bond; k++) { const e = this.host.ends(k); if (e && root(e[0]) === from && root(e[1]) === to) index++; }
    return { from, to, index };
  }
  async reroute(bond: number, end: "from" | "to", path: string): Promise<void> {
    const b = this.number(bond);
    if (!b || root(path) === b[end]) return;
    this.freeze();
    await this.change("reroute", { ...b, newFrom: end === "from" ? root(path) : b.from, newTo: end === "to" ? root(path) : b.to });
  }
  async turn(bond: number): Promise<void> {
    const b = this.number(bond);
    if (!b) return;
    this.freeze();
    if (await this.change("reroute", { ...b, newFrom: b.to, newTo: b.from })) this.host.choose(null);
  }
  async remove(what: Chosen): Promise<void> {
    this.freeze();
    const b = what.bond !== undefined ? this.number(what.bond) : null;
    const done = b ? await this.change("unbond", b) : what.path !== undefined ? await this.change("remove", { name: root(what.path) }) : false;
    if (done) this.host.choose(null);
  }
  async rename(path: string, name: string): Promise<void> {
    if (!name || name === path) return;
    this.freeze();
    await this.change("rename", { name: path, newName: name }, () => {
      if (this.places[path]) { this.places[name] = this.places[path]; delete this.places[path]; }
      this.graph.next = { path: name };
    });
  }

  // --- what is chosen, with fields

  async controls(what: Chosen): Promise<HTMLElement | null> {
    if (!this.on) return null;
    const remove = button("Delete (Del)", "bin", () => void this.remove(what), { className: "quiet" });
    if (what.bond !== undefined) {
      if (!this.number(what.bond)) return null;
      return h("div.edit", null, h("button.chip", { type: "button", onclick: () => void this.turn(what.bond!) }, "turn the half-arrow"), remove, h("small.soft", null, "Drag an end to another component."));
    }
    const path = what.path ?? "", { result } = await this.net.request("bondyn/part", { textDocument: { uri: this.host.uri() }, model: this.host.model(), name: path });
    const part = result as PartAbout | null;
    if (!part) return h("div.edit", null, h("small.soft", null, "It belongs to a part, a loop or another file: edit the text."));
    const name = h("input", { type: "text", value: path, "aria-label": "name", id: "part-name", onchange: () => void this.rename(path, name.value.trim()) });
    const field = (p: PartParameter): HTMLElement => {
      const value = h("input", { type: "text", value: p.value ?? "", placeholder: p.usual ?? "", "aria-label": p.name || "value", "data-parameter": p.name,
        onchange: () => { if (value.value.trim()) void this.change("set", { name: path, parameter: p.name, position: p.position, value: value.value.trim() }); } });
      return h("label", { title: p.text ?? "" }, h("span", null, p.name || "value"), value, h("span.soft", null, p.unit ?? ""));
    };
    return h("div.edit", null, h("label", null, h("span", null, "name"), name, remove), ...part.parameters.slice(0, 14).map(field));
  }

  // --- the mouse

  private prepare(): void {
    if (!this.on) return;
    const ns = "http://www.w3.org/2000/svg";
    this.graph.eachBox((g, box) => {
      if ((g.dataset.path ?? "").includes(".")) return;
      const c = document.createElementNS(ns, "circle");
      c.setAttribute("class", "handle");
      c.setAttribute("r", "5.5");
      c.setAttribute("cx", String(box.x + box.width + 5));
      c.setAttribute("cy", String(box.y - 1));
      const t = document.createElementNS(ns, "title");
      t.textContent = "Drag to another component: a bond, power positive that way";
      c.append(t);
      g.append(c);
    });
    const chosen = this.graph.chosenBond();
    if (chosen) for (const [end, p] of [["from", chosen.tail], ["to", chosen.head]] as const) {
      const c = document.createElementNS(ns, "circle");
      c.setAttribute("class", "end-handle");
      c.setAttribute("r", "7");
      c.setAttribute("cx", String(p.x));
      c.setAttribute("cy", String(p.y));
      c.dataset.end = end;
      c.dataset.of = String(chosen.bond);
      this.graph.layer?.append(c);
    }
  }

  private pressed(e: PointerEvent): void {
    const at = e.composedPath()[0];
    if (!this.on || e.button !== 0 || !(at instanceof Element)) return;
    const end = at.closest<SVGElement>(".end-handle"), box = at.closest<SVGGElement>("g[data-path]"), path = box?.dataset.path;
    if (end) this.pull(e, (to) => { if (to) void this.reroute(Number(end.dataset.of), end.dataset.end as "from" | "to", to); });
    else if (path && (at.closest(".handle") || e.shiftKey)) this.pull(e, (to) => { if (to && to !== path) void this.bond(path, to); });
    else if (path) this.move(e, path);
    else return;
    e.stopPropagation();
    e.preventDefault();
    this.graph.element.focus({ preventScroll: true });
  }

  private follow(e: PointerEvent, move: (m: PointerEvent) => void, done: (u: PointerEvent | null) => void): void {
    const element = this.graph.element, id = e.pointerId;
    element.setPointerCapture(id);
    const stop = (u: PointerEvent | null) => {
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", cancel);
      done(u);
    };
    const up = (u: PointerEvent) => stop(u), cancel = () => stop(null);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", cancel);
  }

  // A line from where the pointer went down to where it is.
  private pull(e: PointerEvent, done: (path: string | undefined) => void): void {
    const from = this.graph.toLayout(e.clientX, e.clientY), line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    line.setAttribute("class", "pull");
    this.line = line;
    const put = (to: [number, number]) => { for (const [k, v] of Object.entries({ x1: from[0], y1: from[1], x2: to[0], y2: to[1] })) line.setAttribute(k, String(v)); };
    put(from);
    this.graph.layer?.append(line);
    this.follow(e, (m) => { if (!line.isConnected) this.graph.layer?.append(line); put(this.graph.toLayout(m.clientX, m.clientY)); this.graph.aim(this.graph.boxAt(m.clientX, m.clientY)); }, (u) => {
      this.line?.remove();
      this.graph.aim(undefined);
      done(u ? this.graph.boxAt(u.clientX, u.clientY) : undefined);
    });
  }

  private move(e: PointerEvent, path: string): void {
    const start = this.graph.centres().get(path), from = this.graph.toLayout(e.clientX, e.clientY), before = this.places[path];
    if (!start) return;
    let far = false;
    this.follow(e, (m) => {
      const at = this.graph.toLayout(m.clientX, m.clientY);
      if (!far && Math.hypot(at[0] - from[0], at[1] - from[1]) < 4) return;
      if (!far) { far = true; this.freeze(); this.moved.push({ depth: this.host.undoDepth(), path, from: before ?? [Math.round(start[0]), Math.round(start[1])] }); }
      this.places[path] = [Math.round(start[0] + at[0] - from[0]), Math.round(start[1] + at[1] - from[1])];
      this.host.redraw();
    }, () => { if (!far) this.graph.choose({ path }); });
  }

  // --- the keyboard

  // The last thing that was done, whichever it was.
  undo(): void {
    const last = this.moved[this.moved.length - 1];
    if (last && last.depth === this.host.undoDepth()) {
      this.moved.pop();
      if (last.from) this.places[last.path] = last.from;
      this.host.redraw();
    } else this.host.undo();
  }

  private key(e: KeyboardEvent): void {
    if (!this.on) return;
    const chosen = this.graph.chosenNow;
    if ((e.key === "Delete" || e.key === "Backspace") && chosen) void this.remove(chosen);
    else if (e.key === "F2" && chosen?.path) document.getElementById("part-name")?.focus();
    else if (e.key === "Escape") this.graph.choose(null);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}

export const drawButton = (act: () => void): HTMLButtonElement =>
  h("button", { type: "button", id: "draw", title: "Draw: add, bond, move and delete by mouse", "aria-label": "draw the model", "aria-pressed": "false", onclick: act }, icon("pen")) as HTMLButtonElement;
