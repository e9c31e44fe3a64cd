// What moves on the page of `bondyn report`, but for the motion itself: its bond graph and its plots are those of the studio. The
// page is complete without it: pictures of plots and of the graph are in it.
import "./shared.css";
import { button, h } from "./dom";
import { plotOf, type Curves } from "./curves";
import { GraphView } from "./graph";
import { Player } from "./player";
import { Plot } from "./plots";
import { Track } from "./track";
import type { About, BondAbout } from "./types";

const darkness = matchMedia("(prefers-color-scheme: dark)");
export const dark = (): boolean => darkness.matches;
export const onTheme = (act: () => void): void => darkness.addEventListener("change", act);

// --- the clock and the powers ----------------------------------------------------------------------

let clock: Player | null = null;
export function player(start: number, end: number): Player { return clock ??= new Player(start, end); }

// Powers of the bonds over time, by their numbers.
function powersOf(): Track | null {
  const script = document.getElementById("powers");
  if (!script) return null;
  const said: { time: number[]; bonds: Record<string, number[]> } = JSON.parse(script.textContent ?? ""), track = new Track();
  track.times = said.time;
  for (const [bond, list] of Object.entries(said.bonds)) track.columns.set(bond, list);
  return track.times.length > 1 && track.columns.size ? track : null;
}
const powers = powersOf();

// --- the bond graph --------------------------------------------------------------------------------

interface View { kind: string; scope: string; svg: string; about: About }

// What the titles of a drawing say: "3  i -> coil: 'coil' sets the flow, because ..."
function aboutOf(svg: SVGSVGElement): About {
  const bonds: BondAbout[] = [...svg.querySelectorAll<SVGGElement>("g[data-bond]")].map((g) => {
    const text = g.querySelector("title")?.textContent ?? "", m = /^(\d+)\s+(.*?): (.*)$/s.exec(text);
    return { bond: Number(g.dataset.bond), label: m?.[2] ?? "", reason: m?.[3] ?? text, order: Number(g.dataset.order ?? 0), pseudo: !powers?.columns.has(g.dataset.bond ?? ""), p: g.dataset.bond };
  });
  const components = [...svg.querySelectorAll<SVGGElement>("g[data-path]")].map((g) => ({ path: g.dataset.path ?? "", type: "", text: g.querySelector("title")?.textContent ?? "" }));
  return { start: 0, stop: 0, text: "", sweep: false, plots: [], shown: {}, components, bonds };
}

function liveGraph(figure: HTMLElement): void {
  const views: View[] = [...figure.querySelectorAll<HTMLElement>(".view")].map((v) => {
    const svg = v.querySelector("svg")!;
    return { kind: v.dataset.view ?? "", scope: v.dataset.scope ?? "", svg: svg.outerHTML, about: aboutOf(svg) };
  });
  const first = views.findIndex((_, i) => !figure.querySelectorAll<HTMLElement>(".view")[i].hidden), way: View[] = [];
  if (!views.length) return;
  let shown = views[Math.max(0, first)], step = 0;
  const said = h("span.about.said", { "aria-live": "polite" });
  const graph = new GraphView({ value: (name) => powers && clock ? powers.value(name, powers.row(clock.now)) : NaN, unit: () => "", dark, chosen: (what) => { if (what) tell(what); } });
  graph.calm = true;
  if (powers) for (const list of powers.columns.values()) for (const x of list) graph.largest = Math.max(graph.largest, Math.abs(x ?? 0));
  const words = "Drag to move, Ctrl and wheel to zoom" + (views.length > 1 ? ", double click a box to look inside" : "") + "; strokes say why.";
  const tell = (what: { bond?: number; path?: string }) => { const b = shown.about.bonds.find((x) => x.bond === what.bond); said.textContent = b ? `${b.order}  ${b.label}: ${b.reason}` : what.path ?? ""; };
  const put = (v: View) => { shown = v; step = 0; graph.touched = false; graph.show(v.svg, v.about); graph.animate(0); said.textContent = words; up.hidden = !way.length; figure.dataset.scope = v.scope; figure.dataset.view = v.kind; };
  const play = (to: number) => {
    const list = graph.strokes(to);
    step = to >= 1 && to <= list.length ? to : 0;
    said.textContent = step ? `${step} of ${list.length}: ${list[step - 1].label}: ${list[step - 1].reason}` : words;
  };
  const tool = (word: string, label: string, act: () => void) => h("button." + word, { type: "button", onclick: act }, label);
  const up = tool("up", "Up", () => { const v = way.pop(); if (v) put(v); });
  graph.entered = (path) => { const v = views.find((x) => x.kind === "part" && x.scope === path); if (v) { way.push(shown); put(v); } };
  const bar = h("div.controls", null, tool("fit", "Fit", () => { graph.touched = false; graph.fit(); }), tool("real", "Readable", () => graph.readable()), tool("in", "+", () => graph.larger(1.5)), tool("out", "−", () => graph.larger(1 / 1.5)),
    views.length > 1 && tool("fold-all", "Fold, unfold", () => { const folded = shown.kind === "whole"; way.length = 0; put(views.find((v) => v.kind === (folded ? "folded" : "whole")) ?? views[0]); }), up,
    tool("step-back", "‹", () => play(step - 1)), tool("step", "Strokes one by one", () => play(step + 1)), said);
  figure.before(bar);
  figure.classList.add("live");
  figure.style.height = `${Math.min(Math.max(...views.slice(0, 1).map((v) => Number(/height="([\d.]+)"/.exec(v.svg)?.[1] ?? 300))) + 30, 0.8 * innerHeight)}px`;
  figure.replaceChildren(graph.element);
  onTheme(() => graph.theme());
  put(shown);
  if (!powers) return;
  const time = player(powers.start, powers.end);
  time.onShow((_, seconds) => graph.animate(seconds));
  bar.before(h("div.controls.power-clock", null, ...time.controls("-power"), h("span.about", null, "power along the bonds: the wider, the more; blue: against the half-arrow")));
  time.show();
}

// --- plots -----------------------------------------------------------------------------------------

function closer(curves: Curves): void {
  const { wish, host } = plotOf(curves, dark), plot = new Plot({ ...wish, title: "" }, host, () => {}, false), leave = () => { plot.dispose(); box.remove(); };
  host.changed = () => plot.update();
  const box = h("dialog.explore", { "aria-label": curves.title || "plot", onclose: leave }, h("div.controls", null, h("b", null, curves.title || ""), h("button.all", { type: "button", onclick: () => plot.all() }, "Show all"), button("Close", "close", () => box.close(), { className: "close" })),
    plot.element, h("p.about", null, "Move for values, click for a cursor, Shift and click to measure from there, drag to zoom, double click for all of it.")) as HTMLDialogElement;
  document.body.append(box);
  box.showModal();
  plot.update();
  requestAnimationFrame(() => plot.update());
}

function livePlot(figure: HTMLElement): void {
  const script = figure.querySelector("script.curves");
  if (!script) return;
  const act = () => closer(JSON.parse(script.textContent ?? ""));
  figure.tabIndex = 0;
  figure.title = "Click to look closer";
  figure.setAttribute("role", "button");
  figure.classList.add("live");
  figure.addEventListener("click", act);
  figure.addEventListener("keydown", (e) => { if (e.key === "Enter") act(); });
}

document.querySelectorAll<HTMLElement>("figure.graph").forEach(liveGraph);
document.querySelectorAll<HTMLElement>(".plots figure").forEach(livePlot);
const note = document.getElementById("plots-note");
if (note) note.textContent = "Click a plot to look closer.";
