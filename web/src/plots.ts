// Curves over time or over each other, for the studio and for reports: uPlot, an axis per unit, the common time cursor.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { button, h, say } from "./dom";
import type { Track } from "./track";

export const curveColours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7f7f7f", "#8b5cf6"];

export interface PlotWish { title: string; x?: string; y: string[] }
export interface PlotHost {
  track: Track;
  others: { name: string; track: Track }[]; // runs that were kept, laid below
  cursor(): number | null;                  // null: at the end
  seek(time: number): void;
  window(): number;                         // seconds that are shown; 0: all
  changed(): void;                          // the wishes have
  dark(): boolean;
  xs?(name: string): number[] | undefined;  // of curves over each other: x of this one, where each has its own
  sayX?(x: number): string;                 // numbers at the axis below
  xLabel?: string;
}

// All columns of all runs over one list of times: uPlot wants it so.
function joined(wish: PlotWish, host: PlotHost): uPlot.AlignedData {
  const own: uPlot.AlignedData = [host.track.times, ...wish.y.map((n) => host.track.columns.get(n) ?? [])] as uPlot.AlignedData;
  if (!host.others.length) return own;
  const tables = [own, ...host.others.map((o) => [o.track.times, ...wish.y.map((n) => o.track.columns.get(n) ?? [])] as uPlot.AlignedData)];
  return uPlot.join(tables, tables.map((t) => t.map(() => 2)));
}

// Of what is constant but for some digits the axis shows the value, not the digits. (uPlot rounds the ends of narrow ranges to
// one number, and finds no end to the marks between them.)
export function rangeOf(_u: uPlot | null, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(high - low)) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high)), wide = high - low;
  if (size < 1e-200) return [-1, 1];
  if (wide < 1e-6 * size) return [low - 0.5 * size, high + 0.5 * size];
  return wide < 1e-3 * size ? [low - 0.1 * wide, high + 0.1 * wide] : uPlot.rangeNum(low, high, 0.1, true) as [number, number];
}

export class Plot {
  readonly element: HTMLElement;
  private body: HTMLElement;
  private legend: HTMLElement;
  private chart: uPlot | null = null;
  private canvas: HTMLCanvasElement | null = null; // of curves over each other
  private made = "";
  private measure: number | null = null; // a fixed cursor
  private fixed: [number, number] | null = null; // a window that was dragged; it does not follow the run
  private watcher: ResizeObserver;

  constructor(public wish: PlotWish, private host: PlotHost, remove: (p: Plot) => void, editable = true) {
    this.legend = h("div.plot-legend");
    this.body = h("div.plot-body");
    const close = button("Remove this plot", "close", () => remove(this), { className: "quiet" });
    this.element = h("section.plot", { "aria-label": "plot " + (wish.title || wish.y.join(", ")) }, h("header", null, h("span.plot-title", null, wish.title || ""), this.legend, editable && close), this.body);
    this.element.addEventListener("dragover", (e) => { if (e.dataTransfer?.types.includes("text/plain")) { e.preventDefault(); this.element.classList.add("drop"); } });
    this.element.addEventListener("dragleave", () => this.element.classList.remove("drop"));
    this.element.addEventListener("drop", (e) => {
      e.preventDefault();
      this.element.classList.remove("drop");
      this.add(e.dataTransfer!.getData("text/plain"), e.shiftKey);
    });
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(this.body);
  }

  add(name: string, asX = false): void {
    if (!name) return;
    if (asX) this.wish.x = name;
    else if (!this.wish.y.includes(name)) this.wish.y.push(name);
    this.host.changed();
  }

  private unit(name: string): string { return this.host.track.unit.get(name) ?? ""; }

  private rebuild(): void {
    this.chart?.destroy();
    this.chart = null;
    this.canvas = null;
    this.body.replaceChildren();
    this.names();
    if (this.wish.x) {
      this.canvas = h("canvas.plot-xy", { role: "img", "aria-label": this.wish.y.join(", ") + " over " + this.wish.x });
      this.body.append(this.canvas);
      return;
    }
    const units = [...new Set(this.wish.y.map((n) => this.unit(n)))], dark = this.host.dark();
    const ink = dark ? "#a9b4c0" : "#4d5966", lines = dark ? "#2a323b" : "#e6eaee";
    const axes: uPlot.Axis[] = [{ stroke: ink, grid: { stroke: lines, width: 1 }, ticks: { stroke: lines }, size: this.host.xLabel ? 30 : 28, font: "11px system-ui", label: this.host.xLabel, labelSize: 16, labelFont: "11px system-ui", values: (_u, v) => v.map((x) => this.host.sayX?.(x) ?? say(x)) }];
    units.forEach((u, i) => axes.push({
      scale: "y" + i, stroke: ink, side: i % 2 === 0 ? 3 : 1, grid: { show: i === 0, stroke: lines, width: 1 }, ticks: { stroke: lines }, size: 54,
      font: "11px system-ui", label: u || undefined, labelSize: u ? 16 : 0, labelFont: "11px system-ui", values: (_u, v) => v.map((x) => (x === null ? "" : say(x, 4))),
    }));
    const curve = (name: string, i: number, faded: boolean): uPlot.Series => ({
      label: name, scale: "y" + units.indexOf(this.unit(name)), stroke: curveColours[i % curveColours.length] + (faded ? "66" : ""), width: faded ? 1 : 1.6, points: { show: false }, spanGaps: true,
    });
    const series: uPlot.Series[] = [{}, ...this.wish.y.map((n, i) => curve(n, i, false))];
    for (const _ of this.host.others) series.push(...this.wish.y.map((n, i) => curve(n, i, true)));
    const room = this.body.getBoundingClientRect();
    this.chart = new uPlot({
      width: Math.max(120, room.width), height: Math.max(80, room.height), series, axes, legend: { show: false }, pxAlign: 0,
      scales: { x: { time: false }, ...Object.fromEntries(units.map((_u, i) => ["y" + i, { range: rangeOf }])) },
      cursor: { drag: { x: true, y: false, uni: 10 }, points: { show: false }, y: false },
      hooks: {
        draw: [(u) => this.drawCursor(u)],
        setCursor: [(u) => this.values(u.cursor.idx ?? null)],
        setSelect: [(u) => { if (u.select.width > 0) this.fixed = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")]; }],
        ready: [(u) => {
          u.over.addEventListener("dblclick", () => this.all());
          u.over.addEventListener("click", (e) => {
            const t = u.posToVal(e.offsetX, "x");
            if (e.shiftKey) this.measure = this.measure === null ? t : null;
            else this.host.seek(t);
            this.update(true);
          });
        }],
      },
    }, joined(this.wish, this.host), this.body);
  }

  private names(): void {
    this.legend.replaceChildren(...this.wish.y.map((name, i) => h("button.key", {
      title: "Remove " + name, type: "button", onclick: () => { this.wish.y = this.wish.y.filter((n) => n !== name); this.host.changed(); },
    }, h("i", { style: { background: curveColours[i % curveColours.length] } }), name, h("b"))));
  }

  // Values at the cursor stand in the legend; with a fixed cursor the distance to it.
  private values(row: number | null): void {
    const t = this.host.track, c = this.host.cursor(), at = row !== null && !this.host.others.length ? row : t.row(c ?? t.end);
    this.legend.querySelectorAll("b").forEach((b, i) => {
      const name = this.wish.y[i], v = t.value(name, at), u = this.unit(name);
      const fixed = this.measure === null ? "" : `  Δ ${say(v - t.value(name, t.row(this.measure)))} in ${say(t.times[at] - this.measure)} s`;
      b.textContent = ` ${say(v)}${u ? " " + u : ""}${fixed}`;
    });
  }

  private drawCursor(u: uPlot): void {
    const c = u.ctx, at = (t: number, colour: string, dash: number[]) => {
      const x = u.valToPos(t, "x", true);
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
      c.save();
      c.strokeStyle = colour;
      c.setLineDash(dash);
      c.lineWidth = 1.5;
      c.beginPath();
      c.moveTo(x, u.bbox.top);
      c.lineTo(x, u.bbox.top + u.bbox.height);
      c.stroke();
      c.restore();
    };
    const cursor = this.host.cursor();
    if (cursor !== null) at(cursor, "#d9480f", []);
    if (this.measure !== null) at(this.measure, "#7048e8", [5, 4]);
  }

  private drawXY(): void {
    const canvas = this.canvas!, c = canvas.getContext("2d")!, t = this.host.track, dark = this.host.dark();
    const ratio = Math.min(2, devicePixelRatio), w = this.body.clientWidth, height = this.body.clientHeight;
    if (canvas.width !== w * ratio || canvas.height !== height * ratio) { canvas.width = w * ratio; canvas.height = height * ratio; }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, height);
    const common = t.columns.get(this.wish.x!) ?? [], own = this.wish.y.map((n) => this.host.xs?.(n) ?? common), left = 58, right = 20, top = 8, low = 34;
    const range = (lists: number[][]) => {
      let a = Infinity, b = -Infinity;
      for (const list of lists) for (const v of list) if (Number.isFinite(v)) { a = Math.min(a, v); b = Math.max(b, v); }
      if (!(b > a)) { const m = Number.isFinite(a) ? a : 0; return [m - 0.5, m + 0.5]; }
      return [a - 0.04 * (b - a), b + 0.04 * (b - a)];
    };
    const ys = this.wish.y.map((n) => t.columns.get(n) ?? []), [x0, x1] = range(own), [y0, y1] = range(ys);
    const px = (v: number) => left + (v - x0) / (x1 - x0) * (w - left - right), py = (v: number) => height - low - (v - y0) / (y1 - y0) * (height - low - top);
    c.strokeStyle = dark ? "#2a323b" : "#e6eaee";
    c.fillStyle = dark ? "#a9b4c0" : "#4d5966";
    c.font = "11px system-ui";
    for (let i = 0; i <= 4; i++) {
      const xv = x0 + (x1 - x0) * i / 4, yv = y0 + (y1 - y0) * i / 4;
      c.beginPath(); c.moveTo(px(xv), top); c.lineTo(px(xv), height - low); c.moveTo(left, py(yv)); c.lineTo(w - right, py(yv)); c.stroke();
      c.textAlign = "center"; c.fillText(say(xv, 3), px(xv), height - low + 13);
      c.textAlign = "right"; c.fillText(say(yv, 3), left - 5, py(yv) + 4);
    }
    c.textAlign = "center";
    c.fillText(`${this.host.xLabel ?? this.wish.x} ${this.unit(this.wish.x!)}`, (left + w - right) / 2, height - 5);
    const now = t.row(this.host.cursor() ?? t.end);
    ys.forEach((y, i) => {
      const xs = own[i];
      c.strokeStyle = c.fillStyle = curveColours[i % curveColours.length];
      c.lineWidth = 1.6;
      c.beginPath();
      for (let k = 0; k < y.length; k++) if (k) c.lineTo(px(xs[k]), py(y[k])); else c.moveTo(px(xs[k]), py(y[k]));
      c.stroke();
      if (now >= 0 && now < y.length) { c.beginPath(); c.arc(px(xs[now]), py(y[now]), 4, 0, 7); c.fill(); }
    });
    this.values(null);
  }

  // After new rows, or when the cursor has moved.
  update(redraw = false): void {
    const key = JSON.stringify([this.wish, this.host.dark(), this.host.others.map((o) => o.name), this.wish.y.map((n) => this.unit(n))]);
    if (key !== this.made) {
      this.made = key;
      this.rebuild();
    }
    if (!this.element.isConnected || !this.body.clientHeight) return;
    if (this.canvas) this.drawXY();
    if (!this.chart) return;
    if (!redraw) {
      const w = this.host.window(), end = this.host.track.end;
      this.chart.setData(joined(this.wish, this.host), w === 0 && !this.fixed);
      if (this.fixed) this.chart.setScale("x", { min: this.fixed[0], max: this.fixed[1] });
      else if (w > 0) this.chart.setScale("x", { min: Math.max(this.host.track.start, end - w), max: Math.max(end, this.host.track.start + w) });
    } else this.chart.redraw(false);
    this.values(null);
  }

  // The whole run again, after somebody has looked at a part of it.
  all(): void {
    this.fixed = null;
    this.update();
  }

  private fit(): void {
    const room = this.body.getBoundingClientRect();
    if (room.width > 40 && room.height > 40) this.chart?.setSize({ width: room.width, height: room.height });
    if (this.canvas) this.drawXY();
  }

  dispose(): void {
    this.watcher.disconnect();
    this.chart?.destroy();
    this.element.remove();
  }
}
