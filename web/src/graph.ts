// The bond graph: the server's own drawing, which can be moved, searched and asked. Power flows along the bonds, as fast
// and as wide as it is large.
import { h, say } from "./dom";
import type { About, BondAbout } from "./types";

const sheet = `
:host { display: block; overflow: hidden; position: relative; touch-action: none; cursor: grab; }
svg.graph { position: absolute; left: 0; top: 0; transform-origin: 0 0; overflow: visible; }
.paper, .title { display: none }
g[data-bond], g[data-path] { cursor: pointer }
g[data-bond] > path.grip { stroke: transparent !important; stroke-width: 14 !important; fill: none }
g[data-bond]:hover > path:not(.grip), g[data-bond].chosen > path:not(.grip):not(.flow) { stroke: #1c7ed6 !important; }
g[data-path].chosen text.name, g[data-path]:hover text.name { fill: #1c7ed6 !important; }
g.chosen > text.name { font-weight: bold }
g.found > text.name { text-decoration: underline; fill: #d9480f }
g.dim { opacity: .22 }
path.flow { stroke: #f08c00 !important; fill: none; stroke-linecap: round; opacity: .75; stroke-dasharray: 3 11; pointer-events: none }
path.flow.back { stroke: #4c6ef5 !important }
path.head { fill: #d9480f !important; stroke: none !important; pointer-events: none } path.head.back { fill: #364fc7 !important }
.later > .bar { opacity: .08 } .now > .line, .now > .multi { stroke-width: 3.2 } .now > .bar { stroke-width: 4 }
g:focus-visible { outline: 2px solid #1c7ed6; outline-offset: 2px }
rect.hit { fill: transparent !important; stroke: none !important; rx: 6 }
:host(.editing) g[data-path] { cursor: move }
circle.handle { fill: #fff; stroke: #1c7ed6; stroke-width: 1.6; cursor: crosshair; opacity: .55 } g[data-path]:hover circle.handle, circle.handle:hover { opacity: 1; fill: #1c7ed6 }
circle.end-handle { fill: #1c7ed633; stroke: #1c7ed6; stroke-width: 1.6; cursor: crosshair }
line.pull { stroke: #1c7ed6; stroke-width: 1.8; stroke-dasharray: 5 4; pointer-events: none }
g.aimed > rect.hit { fill: #1c7ed622 !important; stroke: #1c7ed6 !important }
:host(.dark) circle.handle { fill: #171c22 }
:host(.dark) text { fill: #dbe2ea } :host(.dark) path { stroke: #cfd7e0 } :host(.dark) .sub, :host(.dark) .legend { fill: #93a0ae }
:host(.dark) rect { fill: #26303b; stroke: #4a5866 } :host(.dark) .number { stroke: #171c22; fill: #93a0ae }
:host(.dark) path.inner { stroke: #171c22 !important } :host(.dark) .derivative path { stroke: #ff6b6b } :host(.dark) .derivative text { fill: #ff6b6b }
:host(.dark) .loop path { stroke: #f5a742 } :host(.dark) path.flow { stroke: #ffa94d !important } :host(.dark) path.flow.back { stroke: #748ffc !important }
:host(.dark) path.head { fill: #ffc078 !important } :host(.dark) path.head.back { fill: #91a7ff !important }
`;

// A drawing of the server as elements. Its texts are escaped there; here scripts and handlers are refused once more.
export function safeSvg(text: string): SVGSVGElement | null {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (root.nodeName !== "svg") return null;
  root.querySelectorAll("script, foreignObject").forEach((e) => e.remove());
  for (const e of [root, ...root.querySelectorAll("*")])
    for (const a of [...e.attributes]) if (/^on/i.test(a.name) || /javascript:/i.test(a.value)) e.removeAttribute(a.name);
  return document.importNode(root, true) as unknown as SVGSVGElement;
}

interface Flowing { scalars: BondAbout[]; flow: SVGPathElement; head: SVGPathElement; offset: number }

// An arrow head in the middle of a line; a class turns it round.
function headOn(line: SVGPathElement): SVGPathElement {
  const head = document.createElementNS("http://www.w3.org/2000/svg", "path"), half = line.getTotalLength() / 2;
  const a = line.getPointAtLength(half - 1), b = line.getPointAtLength(half + 1);
  head.setAttribute("class", "head");
  head.setAttribute("d", "M-4 -4.5L6 0L-4 4.5Z");
  head.dataset.at = `translate(${((a.x + b.x) / 2).toFixed(1)} ${((a.y + b.y) / 2).toFixed(1)}) rotate(${(Math.atan2(b.y - a.y, b.x - a.x) * 180 / Math.PI).toFixed(1)})`;
  head.style.display = "none";
  return head;
}

export interface GraphHost {
  value(name: string): number;
  unit(name: string): string;
  chosen(what: { path?: string; bond?: number } | null): void;
  dark(): boolean;
}

export class GraphView {
  readonly element = h("div.graph-view", { role: "application", "aria-label": "bond graph: drag to move, wheel to zoom", tabindex: 0 });
  private shadow: ShadowRoot;
  private svg: SVGSVGElement | null = null;
  private tip = h("div.tip", { role: "tooltip", hidden: true });
  private at = { x: 0, y: 0, scale: 1 };
  private flows: Flowing[] = [];
  private about: About | null = null;
  private top = 1e-12; // the largest power so far
  largest = 0; // of a run that is known to its end: the measure for all of it
  touched = false; // somebody has moved it: it stays so
  power = true;
  calm = false; // the wheel alone scrolls the page
  editing = false;
  bonds: BondAbout[] = [];
  next: { path?: string; bond?: number } | null = null; // is chosen when it is there
  chosenNow: { path?: string; bond?: number } | null = null;
  prepared: () => void = () => {}; // a new drawing is in the page
  entered: (path: string) => void = () => {}; // a part that is folded shall be opened

  constructor(private host: GraphHost) {
    this.shadow = this.element.attachShadow({ mode: "open" });
    document.body.append(this.tip);
    this.moves();
    new ResizeObserver(() => { if (!this.touched) this.fit(); }).observe(this.element);
  }

  get layer(): SVGGElement | null { return this.svg?.querySelector<SVGGElement>("g[transform]") ?? null; }
  private shift(): [number, number] {
    const m = /translate\(([-\d.]+)[ ,]([-\d.]+)\)/.exec(this.layer?.getAttribute("transform") ?? "");
    return m ? [Number(m[1]), Number(m[2])] : [0, 0];
  }
  // From the screen to where boxes have their places.
  toLayout(x: number, y: number): [number, number] {
    const box = this.element.getBoundingClientRect(), [a, b] = this.shift();
    return [(x - box.left - this.at.x) / this.at.scale - a, (y - box.top - this.at.y) / this.at.scale - b];
  }
  centres(): Map<string, [number, number]> {
    const all = new Map<string, [number, number]>();
    this.svg?.querySelectorAll<SVGGElement>("g[data-path]").forEach((g) => {
      const t = g.querySelector("text.name");
      if (t) all.set(g.dataset.path ?? "", [Number(t.getAttribute("x")), Number(t.getAttribute("y")) - 4.9]);
    });
    return all;
  }
  eachBox(act: (g: SVGGElement, box: DOMRect) => void): void {
    this.svg?.querySelectorAll<SVGGElement>("g[data-path]").forEach((g) => { const hit = g.querySelector<SVGRectElement>("rect.hit"); if (hit) act(g, hit.getBBox() as DOMRect); });
  }
  boxAt(x: number, y: number): string | undefined {
    for (const e of this.shadow.elementsFromPoint(x, y)) { const g = e.closest<SVGGElement>("g[data-path]"); if (g) return g.dataset.path; }
    return undefined;
  }
  aim(path: string | undefined): void {
    this.svg?.querySelectorAll(".aimed").forEach((e) => e.classList.remove("aimed"));
    if (path) this.svg?.querySelector(`g[data-path="${CSS.escape(path)}"]`)?.classList.add("aimed");
  }
  chosenBond(): { bond: number; tail: DOMPoint; head: DOMPoint } | null {
    const bond = this.chosenNow?.bond, line = bond === undefined ? null : this.svg?.querySelector<SVGPathElement>(`g[data-bond="${bond}"] > path.line, g[data-bond="${bond}"] > path.multi`);
    return line ? { bond: bond!, tail: line.getPointAtLength(0), head: line.getPointAtLength(line.getTotalLength()) } : null;
  }

  show(text: string, about: About): void {
    const svg = safeSvg(text), style = document.createElement("style"), before: [number, number] = this.svg ? this.shift() : [0, 0];
    this.about = about;
    this.bonds = about.bonds;
    this.flows = [];
    this.tip.hidden = true;
    style.textContent = sheet;
    this.shadow.replaceChildren(style);
    this.svg = svg;
    if (!svg) return;
    svg.classList.add("graph");
    this.shadow.append(svg);
    this.theme();
    this.top = 1e-12;
    svg.querySelectorAll<SVGGElement>("g[data-bond]").forEach((g) => this.prepareBond(g));
    svg.querySelectorAll<SVGGElement>("g[data-path]").forEach((g) => this.prepareBox(g));
    if (!this.touched) this.fit();
    else { // what is there stays where it is on the screen
      const now = this.shift();
      this.at.x += (before[0] - now[0]) * this.at.scale;
      this.at.y += (before[1] - now[1]) * this.at.scale;
      this.place();
    }
    if (this.next?.path && svg.querySelector(`g[data-path="${CSS.escape(this.next.path)}"]`)) { const n = this.next; this.next = null; this.choose(n); } else { this.mark(); this.prepared(); }
  }

  private prepareBox(g: SVGGElement): void {
    const box = g.getBBox(), hit = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    g.querySelector("title")?.remove();
    for (const [k, v] of Object.entries({ class: "hit", x: box.x - 5, y: box.y - 4, width: box.width + 10, height: box.height + 8 })) hit.setAttribute(k, String(v));
    g.prepend(hit);
    g.setAttribute("tabindex", "0");
    g.setAttribute("role", "button");
    g.setAttribute("aria-label", g.dataset.path ?? "");
    if (g.classList.contains("fold")) g.addEventListener("dblclick", (e) => { e.stopPropagation(); this.entered(g.dataset.path ?? ""); });
    this.react(g, { path: g.dataset.path });
  }

  private prepareBond(g: SVGGElement): void {
    const number = Number(g.dataset.bond), scalars = this.bonds.filter((b) => b.bond === number);
    const line = g.querySelector<SVGPathElement>("path.line, path.multi");
    g.querySelector("title")?.remove();
    if (!line) return;
    const grip = line.cloneNode() as SVGPathElement, flow = line.cloneNode() as SVGPathElement;
    grip.setAttribute("class", "grip");
    flow.setAttribute("class", "flow");
    flow.style.display = "none";
    const head = headOn(line);
    g.append(flow, head, grip);
    g.setAttribute("tabindex", "0");
    g.setAttribute("role", "button");
    g.setAttribute("aria-label", "bond " + (scalars[0]?.label ?? ""));
    if (scalars.length && !scalars[0].pseudo) this.flows.push({ scalars, flow, head, offset: 0 });
    this.react(g, { bond: number });
  }

  private react(g: SVGGElement, what: { path?: string; bond?: number }): void {
    const act = () => this.choose(what);
    g.addEventListener("click", act);
    g.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); act(); } });
    g.addEventListener("pointerenter", (e) => this.showTip(what, e.clientX, e.clientY));
    g.addEventListener("pointermove", (e) => this.showTip(what, e.clientX, e.clientY));
    g.addEventListener("pointerleave", () => { this.tip.hidden = true; });
  }

  choose(what: { path?: string; bond?: number } | null): void {
    this.chosenNow = what;
    this.svg?.querySelectorAll(".handle, .end-handle").forEach((e) => e.remove());
    this.mark();
    this.prepared();
    this.host.chosen(what);
  }

  private mark(): void {
    const what = this.chosenNow;
    this.svg?.querySelectorAll(".chosen").forEach((e) => e.classList.remove("chosen"));
    if (what?.bond !== undefined) this.svg?.querySelector(`g[data-bond="${what.bond}"]`)?.classList.add("chosen");
    if (what?.path !== undefined) this.svg?.querySelector(`g[data-path="${CSS.escape(what.path)}"]`)?.classList.add("chosen");
  }

  private showTip(what: { path?: string; bond?: number }, x: number, y: number): void {
    const rows: HTMLElement[] = [], value = (name?: string) => (name ? `${say(this.host.value(name))} ${this.host.unit(name)}` : "–");
    if (what.bond !== undefined) {
      const list = this.bonds.filter((b) => b.bond === what.bond);
      rows.push(h("b", null, list[0]?.label ?? ""));
      for (const b of list.slice(0, 8))
        rows.push(b.p ? h("div.values", null, h("span", null, "power ", b.pseudo ? "–" : say(this.powerOf(b)) + " W")) : h("div.values", null, h("span", null, "effort ", value(b.e)), h("span", null, "flow ", value(b.f)), h("span", null, "power ", b.e && b.f ? say(this.powerOf(b)) + " W" : "–")));
      rows.push(h("small", null, list[0]?.reason ?? ""));
    } else {
      const c = this.about?.components.find((k) => k.path === what.path);
      rows.push(h("b", null, `${c?.type ?? ""} ${what.path}`));
      if (c?.text) rows.push(h("small", null, c.text));
    }
    this.tip.replaceChildren(...rows);
    this.tip.hidden = false;
    const room = this.tip.getBoundingClientRect();
    this.tip.style.left = Math.min(x + 14, innerWidth - room.width - 8) + "px";
    this.tip.style.top = Math.min(y + 16, innerHeight - room.height - 8) + "px";
  }

  private si(name: string): number { const [scale, offset] = this.about?.shown[name] ?? [1, 0]; return this.host.value(name) * scale + offset; }
  private powerOf(b: BondAbout): number { return b.p ? this.host.value(b.p) : b.e && b.f ? this.si(b.e) * this.si(b.f) : NaN; }

  // Called for every picture while something moves.
  animate(seconds: number): void {
    if (!this.svg || !this.element.clientWidth) return;
    for (const f of this.flows) {
      let p = 0;
      for (const b of f.scalars[0].p ? f.scalars.slice(0, 1) : f.scalars) { const x = this.powerOf(b); if (Number.isFinite(x)) p += x; }
      this.top = Math.max(this.top, Math.abs(p));
      const share = Math.abs(p) / Math.max(this.top, this.largest), on = this.power && share > 1e-4;
      f.flow.style.display = f.head.style.display = on ? "" : "none";
      if (!on) continue;
      const strength = Math.pow(share, 0.4);
      f.offset -= Math.sign(p) * seconds * (12 + 90 * strength);
      f.flow.style.strokeDashoffset = f.offset.toFixed(1);
      f.flow.style.strokeWidth = (2 + 6 * strength).toFixed(2);
      f.flow.classList.toggle("back", p < 0);
      f.head.classList.toggle("back", p < 0);
      f.head.setAttribute("transform", `${f.head.dataset.at} scale(${((p < 0 ? -1 : 1) * (0.5 + 0.7 * strength)).toFixed(2)})`);
    }
    this.top *= Math.pow(0.5, seconds / 20); // what was large long ago counts less
  }

  search(word: string): number {
    let n = 0;
    this.svg?.querySelectorAll<SVGGElement>("g[data-path]").forEach((g) => {
      const found = word !== "" && (g.dataset.path ?? "").toLowerCase().includes(word.toLowerCase());
      g.classList.toggle("found", found);
      g.classList.toggle("dim", word !== "" && !found);
      n += found ? 1 : 0;
    });
    return n;
  }

  // The first strokes, in the order in which they were set; 0: all of them. Gives them all, in this order.
  strokes(count: number): BondAbout[] {
    const first = new Map<number, BondAbout>();
    for (const b of this.bonds) if (b.order > 0 && (first.get(b.bond)?.order ?? Infinity) > b.order) first.set(b.bond, b);
    const list = [...first.values()].sort((a, b) => a.order - b.order), on = count >= 1 && count <= list.length;
    list.forEach((b, i) => {
      const g = this.svg?.querySelector(`g[data-bond="${b.bond}"]`);
      g?.classList.toggle("later", on && i >= count);
      g?.classList.toggle("now", on && i === count - 1);
    });
    return list;
  }

  theme(): void { this.element.classList.toggle("dark", this.host.dark()); }

  // --- moving it

  fit(): void {
    if (!this.svg) return;
    const w = Number(this.svg.getAttribute("width")), height = Number(this.svg.getAttribute("height"));
    const scale = Math.min(this.element.clientWidth / w, this.element.clientHeight / height, 1.5);
    if (!(scale > 0)) return;
    this.at = { scale, x: (this.element.clientWidth - w * scale) / 2, y: (this.element.clientHeight - height * scale) / 2 };
    this.place();
  }

  larger(factor: number): void { this.zoom(factor, this.element.clientWidth / 2, this.element.clientHeight / 2); }
  readable(): void { this.larger(1 / this.at.scale); }

  private place(): void {
    if (this.svg) this.svg.style.transform = `translate(${this.at.x}px, ${this.at.y}px) scale(${this.at.scale})`;
  }

  private zoom(factor: number, x: number, y: number): void {
    const s = Math.min(8, Math.max(0.03, this.at.scale * factor)), k = s / this.at.scale;
    this.at = { scale: s, x: x - k * (x - this.at.x), y: y - k * (y - this.at.y) };
    this.touched = true;
    this.place();
  }

  private moves(): void {
    let from: { x: number; y: number; id: number; far: boolean } | null = null;
    const e = this.element;
    e.addEventListener("wheel", (w) => {
      if (this.calm && !w.ctrlKey && !w.metaKey) return;
      w.preventDefault();
      const box = e.getBoundingClientRect();
      this.zoom(Math.exp(-w.deltaY / 500), w.clientX - box.left, w.clientY - box.top);
    }, { passive: false });
    e.addEventListener("pointerdown", (p) => { from = { x: p.clientX, y: p.clientY, id: p.pointerId, far: false }; });
    e.addEventListener("pointermove", (p) => {
      if (!from || !(p.buttons & 1)) { from = null; return; }
      if (!from.far && Math.hypot(p.clientX - from.x, p.clientY - from.y) < 4) return;
      if (!from.far) { from.far = true; e.setPointerCapture(from.id); }
      this.at.x += p.clientX - from.x;
      this.at.y += p.clientY - from.y;
      from.x = p.clientX;
      from.y = p.clientY;
      this.touched = true;
      this.place();
    });
    e.addEventListener("pointerup", () => { from = null; });
    e.addEventListener("dblclick", () => { this.touched = false; this.fit(); });
  }
}
