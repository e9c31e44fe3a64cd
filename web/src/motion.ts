// The script of report pages with a motion: the studio's viewer over the recorded run.
import { dark, onTheme } from "./report";
import { button, h, icon } from "./dom";
import { palette } from "./solids";
import { Track } from "./track";
import type { SceneData } from "./types";
import { viewTools } from "./view_tools";
import { Viewer } from "./viewer";

// Rows as the viewer wants them: poses of all bodies, then all arrows.
function trackOf(scene: SceneData): Track {
  const t = new Track(), bodies = scene.bodies, arrows = scene.arrows ?? [];
  t.times = scene.time;
  t.poses = scene.time.map((_, k) => {
    const row = new Float64Array(7 * bodies.length + 3 * arrows.length);
    bodies.forEach((b, i) => { for (let c = 0; c < 7; c++) row[7 * i + c] = b.pose[7 * k + c]; });
    arrows.forEach((a, i) => { for (let c = 0; c < 3; c++) row[7 * bodies.length + 3 * i + c] = a.vector[3 * k + c]; });
    return row;
  });
  return t;
}

class Motion {
  readonly viewer: Viewer;
  readonly track: Track;
  now: number;
  playing = false;
  private last = 0;
  private playButton = h("button", { id: "play", type: "button", "aria-label": "Play", onclick: () => this.play(!this.playing) }, icon("play"));
  private moment = h("input", { id: "moment", type: "range", min: "0", step: "any", "aria-label": "time", oninput: () => { this.play(false); this.seek(Number(this.moment.value)); } });
  private clock = h("output", { id: "clock" });
  private speed = h("select", { id: "speed", "aria-label": "speed" }, ...["0.1", "0.25", "0.5", "1", "2", "5", "10"].map((v) => h("option", { value: v, selected: v === "1" }, v + "×")));

  constructor(host: HTMLElement, scene: SceneData, title: string) {
    this.track = trackOf(scene);
    this.now = this.track.start;
    const view = h("div.view-host"), tools = h("div.float");
    host.append(view, tools);
    host.classList.add("live");
    this.viewer = new Viewer(view, scene, dark());
    tools.append(...viewTools(this.viewer, () => title, () => this.show()));
    this.moment.min = String(this.track.start);
    this.moment.max = String(this.track.end);
    host.after(h("div.controls", null, this.playButton, this.moment, this.clock, this.speed, button("Whole view", "fit", () => this.viewer.home(), { id: "home" })), this.legend(scene));
    onTheme(() => this.viewer.setTheme(dark()));
    this.show();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
  }

  private legend(scene: SceneData): HTMLElement {
    const colour = (i: number) => { const c = scene.bodies[i].shapes.find((s) => s.colour)?.colour; return c ? `rgb(${c.map((x) => Math.round(255 * x)).join(",")})` : palette[i % palette.length]; };
    return h("div", { id: "bodies" }, ...scene.bodies.map((b, i) => h("span", null, h("i", { style: { background: colour(i) } }), b.name)));
  }

  seek(time: number): void {
    this.now = Math.min(Math.max(time, this.track.start), this.track.end);
    this.show();
  }

  private show(): void {
    const row = this.track.row(this.now);
    this.viewer.setPoses(this.track.poses[row]);
    this.viewer.setTrail(this.track.poses, row + 1);
    this.moment.value = String(this.now);
    this.clock.textContent = this.track.times[row].toFixed(2) + " s";
  }

  play(on: boolean): void {
    this.playing = on;
    this.playButton.replaceChildren(icon(on ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", on ? "Pause" : "Play");
    this.last = 0;
    const tick = (ms: number) => {
      if (!this.playing) return;
      const next = this.now + (this.last ? (ms - this.last) / 1000 * Number(this.speed.value) : 0);
      this.last = ms;
      this.seek(next > this.track.end ? this.track.start : next);
      requestAnimationFrame(tick);
    };
    if (on) requestAnimationFrame(tick);
  }
}

const host = document.getElementById("view"), data = document.getElementById("scene");
if (host && data) {
  (window as any).motion = new Motion(host, JSON.parse(data.textContent ?? ""), document.title);
  const note = document.getElementById("view-note");
  if (note) note.textContent = "Drag to turn, with the right button to move, wheel to zoom.";
}
