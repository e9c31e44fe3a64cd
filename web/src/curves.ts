// Curves of a report as numbers (src/page/report.c), made into a track that plots look at.
//
//   { title, x, decades, xs: [[...]], y: [{ label, unit, x: index into xs, data: [...] }] }
import type { PlotHost, PlotWish } from "./plots";
import { Track } from "./track";

export interface Curves { title: string; x: string; decades: boolean; xs: number[][]; y: { label: string; unit: string; x: number; data: (number | null)[] }[] }

const rises = (x: number[]): boolean => x.every((v, i) => !i || v >= x[i - 1]);

// All times of all lists, in order; a time that stands twice in one of them (before and after a jump) stands twice.
function merged(lists: number[][]): number[] {
  const at = lists.map(() => 0), out: number[] = [];
  for (;;) {
    const next = Math.min(...lists.map((x, i) => (at[i] < x.length ? x[at[i]] : Infinity)));
    if (next === Infinity) return out;
    const often = Math.max(...lists.map((x, i) => { let n = 0; while (x[at[i] + n] === next) n++; at[i] += n; return n; }));
    for (let k = 0; k < often; k++) out.push(next);
  }
}

function spread(times: number[], x: number[], y: (number | null)[]): number[] {
  let k = 0;
  return times.map((t) => (x[k] === t ? y[k++] ?? NaN : NaN));
}

// What a plot of these curves is to show, and where its numbers are.
export function plotOf(c: Curves, dark: () => boolean): { wish: PlotWish; host: PlotHost } {
  const track = new Track(), names: string[] = [], own = new Map<string, number[]>(), overTime = c.xs.every(rises);
  track.times = !overTime ? c.xs[0].map((_, i) => i) : c.xs.length === 1 ? c.xs[0] : merged(c.xs);
  c.y.forEach((y, i) => {
    const name = names.includes(y.label) || !y.label ? `${y.label} (${i + 1})` : y.label;
    names.push(name);
    own.set(name, c.xs[y.x]);
    track.unit.set(name, y.unit);
    track.columns.set(name, overTime && c.xs.length > 1 ? spread(track.times, c.xs[y.x], y.data) : y.data.map((v) => v ?? NaN));
  });
  let cursor: number | null = null;
  return {
    wish: { title: c.title, x: overTime ? undefined : c.x, y: names },
    host: {
      track, others: [], cursor: () => cursor, seek: (t) => { cursor = t; }, window: () => 0, changed: () => {}, dark, xs: (name) => own.get(name),
      sayX: c.decades ? (v) => String(+Math.pow(10, v).toPrecision(4)) : undefined, xLabel: c.x,
    },
  };
}
