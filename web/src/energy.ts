// Energy as ribbons: on the left who gave it, on the right who got it, as thick as it was much; integrals of the power on
// the bonds of elements over the recorded rows, up to the time cursor.
import { h, say } from "./dom";
import type { About, BondAbout } from "./types";
import type { Track } from "./track";

const ns = "http://www.w3.org/2000/svg";

export class Energy {
  readonly element = h("div.energy", { role: "img", "aria-label": "energy: who gave it, who got it" });
  private about: About | null = null;
  private ends: { path: string; sign: number; bonds: BondAbout[] }[] = [];

  show(about: About): void {
    this.about = about;
    const junctions = new Set(about.components.filter((c) => c.type === "0" || c.type === "1").map((c) => c.path));
    const by = new Map<string, { path: string; sign: number; bonds: BondAbout[] }>();
    for (const b of about.bonds) {
      if (!b.e || !b.f || b.pseudo) continue;
      const [from, to] = b.label.split(" -> ").map((p) => p.replace(/\[[^\]]*\]$/, ""));
      for (const [path, sign] of [[from, -1], [to, 1]] as [string, number][]) {
        if (junctions.has(path) || junctions.has(path.replace(/\.[^.]*$/, "")) && !about.components.some((c) => c.path === path)) continue;
        const key = path + sign;
        if (!by.has(key)) by.set(key, { path, sign, bonds: [] });
        by.get(key)!.bonds.push(b);
      }
    }
    this.ends = [...by.values()];
  }

  private si(name: string, x: number): number { const [scale, zero] = this.about!.shown[name] ?? [1, 0]; return x * scale + zero; }

  // Joules into each element up to a row.
  private gathered(track: Track, row: number): Map<string, number> {
    const sum = new Map<string, number>();
    for (const end of this.ends) {
      let joules = 0;
      for (const b of end.bonds) {
        const e = track.columns.get(b.e!), f = track.columns.get(b.f!);
        if (!e || !f) continue;
        for (let i = 1; i <= row && i < e.length; i++) {
          const p0 = this.si(b.e!, e[i - 1]) * this.si(b.f!, f[i - 1]), p1 = this.si(b.e!, e[i]) * this.si(b.f!, f[i]);
          const add = (track.times[i] - track.times[i - 1]) * (p0 + p1) / 2;
          if (Number.isFinite(add)) joules += add;
        }
      }
      sum.set(end.path, (sum.get(end.path) ?? 0) + end.sign * joules);
    }
    return sum;
  }

  draw(track: Track, time: number): void {
    if (!this.about || !this.element.clientWidth) return;
    const all = [...this.gathered(track, track.row(time))].filter(([, j]) => Math.abs(j) > 0);
    const given = all.filter(([, j]) => j < 0).map(([n, j]) => [n, -j] as [string, number]), got = all.filter(([, j]) => j > 0);
    const total = Math.max(given.reduce((s, [, j]) => s + j, 0), got.reduce((s, [, j]) => s + j, 0));
    if (!(total > 0)) {
      this.element.replaceChildren(h("p.soft", null, "No energy has moved yet: let it run."));
      return;
    }
    const w = Math.max(320, this.element.clientWidth), height = Math.max(160, this.element.clientHeight), svg = document.createElementNS(ns, "svg");
    svg.setAttribute("viewBox", `0 0 ${w} ${height}`);
    const bar = height - 40, margin = Math.min(260, w * 0.34);
    this.side(svg, given, true, w, height, bar, total, margin);
    this.side(svg, got, false, w, height, bar, total, margin);
    const middle = document.createElementNS(ns, "rect");
    for (const [k, v] of Object.entries({ x: w / 2 - 5, y: 20, width: 10, height: bar, rx: 3, class: "axis" })) middle.setAttribute(k, String(v));
    svg.append(middle);
    this.element.replaceChildren(svg);
  }

  private side(svg: SVGSVGElement, list: [string, number][], left: boolean, w: number, height: number, bar: number, total: number, margin: number): void {
    list.sort((a, b) => b[1] - a[1]);
    const most = 9, few = list.slice(0, most), rest = list.slice(most).reduce((s, [, j]) => s + j, 0);
    if (rest > 0) few.push(["all others", rest]);
    const least = 18, need = few.reduce((s, [, j]) => s + Math.max(least, bar * j / total), 0);
    let y = Math.max(4, (height - need) / 2), at = 20 + (bar - bar * list.reduce((s, [, j]) => s + j, 0) / total) / 2;
    for (const [name, j] of few) {
      const t = Math.max(0.6, bar * j / total), room = Math.max(least, bar * j / total), top = y + (room - t) / 2;
      const outer = left ? margin : w - margin, inner = left ? w / 2 - 5 : w / 2 + 5, mid = (outer + inner) / 2, path = document.createElementNS(ns, "path"), text = document.createElementNS(ns, "text");
      path.setAttribute("d", `M${outer} ${top}C${mid} ${top} ${mid} ${at} ${inner} ${at}V${at + t}C${mid} ${at + t} ${mid} ${top + t} ${outer} ${top + t}Z`);
      path.setAttribute("class", left ? "given" : "got");
      text.setAttribute("x", String(left ? outer - 8 : outer + 8));
      text.setAttribute("y", String(y + room / 2 + 4));
      text.setAttribute("text-anchor", left ? "end" : "start");
      text.textContent = `${name.length > 22 ? "…" + name.slice(-21) : name}  ${say(j, 4)} J`;
      svg.append(path, text);
      y += room + 2;
      at += t;
    }
  }
}
