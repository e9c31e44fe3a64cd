// Mode shapes in a report: the table of modes chooses, the mechanism swings.
//
// The scene has the point itself as row 0 and, from the row that a mode names, equal phases of its swing. Between them
// every number is the trigonometric polynomial through them: x = a0 + sum over m of a[m] cos(m phase) + b[m] sin(m phase).
import { button, h } from "./dom";
import { Player } from "./player";
import type { Track } from "./track";
import type { Viewer } from "./viewer";

const SWING = 2; // s: what is shown of a mode, however fast it is

interface Wave { a: Float64Array[]; b: Float64Array[] }

// Quaternions q and -q are one attitude: those nearest to the point are taken.
function nearest(row: Float64Array, point: Float64Array, bodies: number): Float64Array {
  const out = row.slice();
  for (let i = 0; i < bodies; i++) {
    let dot = 0;
    for (let c = 3; c < 7; c++) dot += row[7 * i + c] * point[7 * i + c];
    for (let c = 3; c < 7 && dot < 0; c++) out[7 * i + c] = -row[7 * i + c];
  }
  return out;
}

function waveOf(rows: Float64Array[]): Wave {
  const n = rows.length, half = n >> 1, wave: Wave = { a: [], b: [] };
  for (let m = 0; m <= half; m++) {
    const share = (m === 0 || m === half ? 1 : 2) / n, sum = (f: (x: number) => number) => rows[0].map((_, i) => share * rows.reduce((s, row, k) => s + row[i] * f((2 * Math.PI * m * k) / n), 0));
    wave.a.push(sum(Math.cos));
    wave.b.push(sum(Math.sin));
  }
  return wave;
}

function at(wave: Wave, phase: number, bodies: number): Float64Array {
  const out = new Float64Array(wave.a[0].length);
  wave.a.forEach((a, m) => { const c = Math.cos(m * phase), s = Math.sin(m * phase); for (let i = 0; i < out.length; i++) out[i] += a[i] * c + wave.b[m][i] * s; });
  for (let i = 0; i < bodies; i++) {
    const q = out.subarray(7 * i + 3, 7 * i + 7), length = Math.hypot(q[0], q[1], q[2], q[3]) || 1;
    for (let c = 0; c < 4; c++) q[c] /= length;
  }
  return out;
}

export class Modes {
  readonly player = new Player(0, SWING);
  chosen = -1; // the first row of the mode
  private wave: Wave | null = null;
  private trail: Float64Array[] = [];
  private said = h("span.about", { id: "mode", "aria-live": "polite" });
  private bodies: number;

  constructor(readonly viewer: Viewer, readonly track: Track, private phases: number, host: HTMLElement, legend: HTMLElement) {
    this.bodies = viewer.scene.bodies.length;
    const [play, , , speed] = this.player.controls();
    host.after(h("div.controls", null, play, speed, this.said, button("Whole view", "fit", () => this.viewer.home(), { id: "home" })), legend);
    this.player.onShow(() => this.show());
    const rows = [...document.querySelectorAll<HTMLTableRowElement>("table.modes tr[data-row]")];
    rows.forEach((row) => {
      const act = () => { this.choose(row); this.player.play(true); };
      row.cells[0].replaceChildren(h("button", { type: "button", "aria-label": "Play mode " + row.cells[0].textContent, onclick: act }, row.cells[0].textContent ?? ""));
      row.addEventListener("dblclick", act);
    });
    const hertz = (row: HTMLTableRowElement) => Number(row.cells[2].textContent) || 0, fastest = Math.max(...rows.map(hertz));
    const first = rows.find((row) => (row.cells[1].textContent ?? "").includes("±") && hertz(row) > 1e-6 * fastest) ?? rows[0]; // slower ones are rounding
    if (first) this.choose(first);
    if (first && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.player.play(true);
  }

  choose(row: HTMLTableRowElement): void {
    document.querySelectorAll("table.modes tr.chosen").forEach((r) => r.classList.remove("chosen"));
    row.classList.add("chosen");
    this.chosen = Number(row.dataset.row);
    const list = this.track.poses.slice(this.chosen, this.chosen + this.phases).map((p) => nearest(p, this.track.poses[0], this.bodies));
    this.wave = waveOf(list);
    this.trail = Array.from({ length: 33 }, (_, k) => this.poses((2 * Math.PI * k) / 32));
    const cell = (i: number) => row.cells[i].textContent ?? "", swings = cell(1).includes("±");
    this.said.textContent = `mode ${cell(0)}: ` + (swings ? `${cell(2)} Hz, damping ${cell(3)}; one swing is shown in ${SWING} s, without its decay` : "it does not swing; shown to and fro");
    this.player.seek(0);
  }

  // Poses of all bodies at a phase of the mode that is chosen.
  poses(phase: number): Float64Array { return this.wave ? at(this.wave, phase, this.bodies) : this.track.poses[0]; }

  private show(): void {
    this.viewer.setPoses(this.poses((2 * Math.PI * this.player.now) / SWING));
    this.viewer.setTrail(this.trail, this.trail.length);
  }
}
