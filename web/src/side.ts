// The lists beside the pictures: parameters as sliders, signals as a tree to drag from, inputs with what drives them.
import { h, say } from "./dom";
import type { About, Built, LiveInput, Variable } from "./types";

// --- parameters ----------------------------------------------------------------------------------

export class Parameters {
  readonly element = h("div.list", { "aria-label": "parameters" });
  private filter = h("input", { type: "search", placeholder: "Find a parameter", "aria-label": "find a parameter", oninput: () => this.draw() });
  private rows = h("div.rows");
  private list: Variable[] = [];
  private shown: About["shown"] = {};
  private now = new Map<string, number>(); // SI, where it differs from the text

  constructor(private set: (name: string, si: number) => void) { this.element.append(this.filter, this.rows); }

  show(built: Built): void {
    this.list = built.parameters;
    this.shown = built.about.shown;
    for (const name of [...this.now.keys()]) if (!this.list.some((p) => p.name === name && p.settable)) this.now.delete(name);
    this.draw();
  }
  forget(): void { this.now.clear(); this.draw(); }
  get changed(): [string, number][] { return [...this.now]; }

  private draw(): void {
    const word = this.filter.value.toLowerCase(), found = this.list.filter((p) => p.value !== null && (p.name + " " + p.text).toLowerCase().includes(word));
    const most = 120;
    this.rows.replaceChildren(...found.slice(0, most).map((p) => this.row(p)), found.length > most ? h("p.soft", null, `${found.length - most} more: search for them`) : "");
    if (!found.length) this.rows.append(h("p.soft", null, this.list.length ? "No parameter has this word." : "The model has no parameters."));
  }

  private row(p: Variable): HTMLElement {
    const [scale, zero] = this.shown[p.name] ?? [1, 0], base = (p.value! - zero) / scale, value = this.now.has(p.name) ? (this.now.get(p.name)! - zero) / scale : base;
    const span = Math.abs(base) || 1, low = base < 0 ? 3 * base : base === 0 ? -1 : 0, high = base < 0 ? 0 : base === 0 ? 1 : 3 * base;
    const number = h("input.number", { type: "text", inputMode: "decimal", value: say(value).replace("−", "-"), "aria-label": `${p.name} in ${p.unit || "1"}`, disabled: !p.settable });
    const slider = h("input", { type: "range", min: String(low), max: String(high), step: String(span / 500), value: String(value), "aria-label": `${p.name}, slider`, disabled: !p.settable });
    const apply = (v: number) => {
      if (!Number.isFinite(v)) return;
      this.now.set(p.name, v * scale + zero);
      this.set(p.name, v * scale + zero);
      row.classList.toggle("changed", v !== base);
    };
    slider.addEventListener("input", () => { number.value = say(Number(slider.value)).replace("−", "-"); apply(Number(slider.value)); });
    slider.addEventListener("dblclick", () => { slider.value = String(base); number.value = say(base).replace("−", "-"); apply(base); });
    number.addEventListener("change", () => { slider.value = number.value; apply(Number(number.value.replace(",", "."))); });
    const row = h("div.parameter" + (this.now.has(p.name) ? ".changed" : ""), { title: p.text || (p.settable ? "double click on the slider: as the text says" : "follows from others, or decides the structure") },
      h("span.name", null, p.name), number, h("span.unit", null, p.unit), slider);
    return row;
  }
}

// --- signals -------------------------------------------------------------------------------------

interface Branch { name: string; path: string; leaf: Variable | null; children: Map<string, Branch> }

export class Signals {
  readonly element = h("div.list", { "aria-label": "signals" });
  private filter = h("input", { type: "search", placeholder: "Find a signal: name, unit, word", "aria-label": "find a signal", oninput: () => this.draw() });
  private tree = h("div.rows.tree", { role: "tree", "aria-label": "signals" });
  private list: Variable[] = [];
  private open = new Set<string>();

  constructor(private plot: (name: string, fresh: boolean) => void, private value: (name: string) => number) {
    this.element.append(this.filter, this.tree, h("p.soft", null, "Drag a signal into a plot (with Shift: as its x), or press Enter."));
  }

  show(built: Built): void { this.list = built.variables; this.draw(); }

  private draw(): void {
    const word = this.filter.value.trim().toLowerCase();
    if (word) {
      const found = this.list.filter((v) => `${v.name} ${v.text} ${v.unit}`.toLowerCase().includes(word));
      this.tree.replaceChildren(...found.slice(0, 200).map((v) => this.leaf(v, v.name)));
      if (!found.length) this.tree.append(h("p.soft", null, "No signal has this word."));
      return;
    }
    const root: Branch = { name: "", path: "", leaf: null, children: new Map() };
    for (const v of this.list) {
      let at = root;
      for (const part of v.name.split(".")) {
        if (!at.children.has(part)) at.children.set(part, { name: part, path: at.path ? at.path + "." + part : part, leaf: null, children: new Map() });
        at = at.children.get(part)!;
      }
      at.leaf = v;
    }
    this.tree.replaceChildren(...[...root.children.values()].map((b) => this.branch(b)));
  }

  private branch(b: Branch): HTMLElement {
    if (!b.children.size) return this.leaf(b.leaf!, b.name);
    const inside = h("div.inside", { role: "group" }), fill = () => inside.replaceChildren(...(b.leaf ? [this.leaf(b.leaf, b.name)] : []), ...[...b.children.values()].map((c) => this.branch(c)));
    const details = h("details", { role: "treeitem", open: this.open.has(b.path) || this.list.length < 40 }, h("summary", null, b.name), inside);
    if (details.open) fill();
    details.addEventListener("toggle", () => {
      if (details.open) { this.open.add(b.path); fill(); } else this.open.delete(b.path);
    });
    return details;
  }

  private leaf(v: Variable, name: string): HTMLElement {
    const value = h("span.value"), row = h("div.signal", {
      role: "treeitem", tabindex: 0, draggable: true, title: v.text || v.name,
      ondragstart: (e: DragEvent) => { e.dataTransfer!.setData("text/plain", v.name); e.dataTransfer!.effectAllowed = "copy"; },
      ondblclick: () => this.plot(v.name, true),
      onkeydown: (e: KeyboardEvent) => { if (e.key === "Enter") this.plot(v.name, e.shiftKey); },
    }, h("span.name", null, name), value, h("span.unit", null, v.unit));
    row.dataset.signal = v.name;
    return row;
  }

  // Present values of what can be seen.
  update(): void {
    this.tree.querySelectorAll<HTMLElement>(".signal").forEach((row) => {
      const v = this.value(row.dataset.signal!), at = row.querySelector(".value")!;
      const text = Number.isNaN(v) ? "" : say(v, 4);
      if (at.textContent !== text) at.textContent = text;
    });
  }
}

// --- inputs --------------------------------------------------------------------------------------

const dead = 0.08; // of a stick at rest

export class Inputs {
  readonly element = h("div.list", { "aria-label": "inputs" });
  private live: LiveInput[] = [];
  private sliders = new Map<string, HTMLInputElement>();
  private meters = new Map<string, HTMLElement>();
  private held = new Set<string>(); // keys
  private last = new Map<string, number>();
  private pad = h("p.soft.pad", null, "No gamepad yet: press one of its buttons.");
  private shown: About["shown"] = {};

  constructor(private set: (name: string, si: number) => void) {
    addEventListener("keydown", (e) => { if (!isTyping(e)) this.key(e.key, true, e); });
    addEventListener("keyup", (e) => this.key(e.key, false, e));
    addEventListener("blur", () => this.held.clear());
    addEventListener("gamepadconnected", (e) => { this.pad.textContent = "Gamepad: " + (e as GamepadEvent).gamepad.id; });
    addEventListener("gamepaddisconnected", () => { this.pad.textContent = "The gamepad is gone; its axes rest."; });
  }

  private key(key: string, down: boolean, e: KeyboardEvent): void {
    if (!this.live.some((l) => l.sources.some((s) => s.key === key || s.other === key))) return;
    if (down) { this.held.add(key); e.preventDefault(); } else this.held.delete(key);
  }

  show(built: Built): void {
    const open = built.inputs.filter((i) => i.settable);
    this.live = built.about.live ?? [];
    this.shown = built.about.shown;
    this.sliders.clear();
    this.meters.clear();
    this.last.clear();
    const row = (v: Variable): HTMLElement => {
      const l = this.live.find((x) => x.input === v.name), s = l?.sources.find((x) => x.kind === "slider"), size = Math.abs(l?.scale ?? 1);
      const slider = h("input", { type: "range", min: String(s?.low ?? -size), max: String(s?.high ?? size), step: "any", value: "0", "aria-label": v.name });
      slider.addEventListener("input", () => this.put(v.name, Number(slider.value)));
      const meter = h("span.value", null, "0");
      this.sliders.set(v.name, slider);
      this.meters.set(v.name, meter);
      return h("div.parameter", { title: v.text }, h("span.name", null, v.name), meter, h("span.unit", null, v.unit), slider, h("span.source", null, l ? l.sources.map(describe).join(", ") : ""));
    };
    this.element.replaceChildren(...(open.length ? [this.pad, ...open.map(row)] : [h("p.soft", null, "The model has no open inputs. An input without an equation becomes one; `live stick = axis 0` in the experiment says what drives it.")]));
  }

  private put(name: string, shown: number): void {
    if (this.last.get(name) === shown) return;
    this.last.set(name, shown);
    const [scale, zero] = this.shown[name] ?? [1, 0];
    this.set(name, shown * scale + zero);
    const slider = this.sliders.get(name), meter = this.meters.get(name);
    if (slider && slider !== document.activeElement) slider.value = String(shown);
    if (meter) meter.textContent = say(shown, 3);
  }

  // For every picture: sticks and keys.
  poll(): void {
    if (!this.live.length) return;
    const pads = navigator.getGamepads ? [...navigator.getGamepads()].filter((p): p is Gamepad => !!p) : [];
    for (const l of this.live) {
      let value = 0, touched = false;
      for (const s of l.sources) {
        let x = 0;
        if (s.kind === "axis" && pads.length) { x = pads[0].axes[s.number!] ?? 0; if (Math.abs(x) < dead) x = 0; touched = true; }
        else if (s.kind === "button" && pads.length) { x = pads[0].buttons[s.number!]?.value ?? 0; touched = true; }
        else if (s.kind === "key") { x = this.held.has(s.key!) ? 1 : 0; touched = touched || this.held.size > 0; }
        else if (s.kind === "keys") { x = (this.held.has(s.other!) ? 1 : 0) - (this.held.has(s.key!) ? 1 : 0); touched = touched || this.held.size > 0; }
        if (Math.abs(x) > Math.abs(value)) value = x;
      }
      const slides = l.sources.some((s) => s.kind === "slider");
      if (touched || (!slides && this.last.has(l.input) && this.sliders.get(l.input) !== document.activeElement)) this.put(l.input, value * l.scale);
    }
  }
}

function describe(s: { kind: string; number?: number; key?: string; other?: string }): string {
  if (s.kind === "keys") return `keys ${s.key} ${s.other}`;
  if (s.kind === "key") return `key ${s.key}`;
  return s.kind === "slider" ? "slider" : `${s.kind} ${s.number}`;
}

export function isTyping(e: Event): boolean {
  const t = e.target as HTMLElement | null;
  return !!t && (t.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(t.tagName));
}

// A new text often has the same lists: what did not change is not made anew.
export function showLists(before: Built | null, m: Built, parameters: Parameters, signals: Signals, inputs: Inputs): void {
  const same = (pick: (b: Built) => unknown) => !!before && JSON.stringify(pick(before)) === JSON.stringify(pick(m));
  if (!same((b) => [b.parameters, b.about.shown])) parameters.show(m);
  if (!same((b) => b.variables)) signals.show(m);
  if (!same((b) => [b.inputs, b.about.live])) inputs.show(m);
}
