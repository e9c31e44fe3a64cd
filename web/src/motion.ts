// The script of report pages with a motion: the studio's viewer over the recorded run.
import { button, h } from "./dom";
import { Modes } from "./modes";
import { Player } from "./player";
import { dark, onTheme, player as clockOf } from "./report";
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

function viewerIn(host: HTMLElement, scene: SceneData, renew: () => void): Viewer {
  const view = h("div.view-host"), tools = h("div.float");
  host.append(view, tools);
  host.classList.add("live");
  const viewer = new Viewer(view, scene, dark());
  tools.append(...viewTools(viewer, () => document.title, renew));
  onTheme(() => viewer.setTheme(dark()));
  return viewer;
}

function legendOf(scene: SceneData): HTMLElement {
  const colour = (i: number) => { const c = scene.bodies[i].shapes.find((s) => s.colour)?.colour; return c ? `rgb(${c.map((x) => Math.round(255 * x)).join(",")})` : palette[i % palette.length]; };
  return h("div", { id: "bodies" }, ...scene.bodies.map((b, i) => h("span", null, h("i", { style: { background: colour(i) } }), b.name)));
}

class Motion {
  readonly viewer: Viewer;
  readonly track: Track;
  readonly player: Player;

  constructor(host: HTMLElement, scene: SceneData) {
    this.track = trackOf(scene);
    this.player = clockOf(this.track.start, this.track.end);
    this.viewer = viewerIn(host, scene, () => this.player.show());
    host.after(h("div.controls", null, ...this.player.controls(), button("Whole view", "fit", () => this.viewer.home(), { id: "home" })), legendOf(scene));
    this.player.onShow((time) => this.show(time));
    this.player.show();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.player.play(true);
  }

  seek(time: number): void { this.player.seek(time); }
  play(on: boolean): void { this.player.play(on); }

  private show(time: number): void {
    const row = this.track.row(time);
    this.viewer.setPoses(this.track.poses[row]);
    this.viewer.setTrail(this.track.poses, row + 1);
  }
}

const host = document.getElementById("view"), data = document.getElementById("scene");
if (host && data) {
  const scene: SceneData = JSON.parse(data.textContent ?? ""), phases = Number(document.getElementById("modes-phases")?.textContent ?? 0);
  if (phases) {
    const modes: Modes = new Modes(viewerIn(host, scene, () => modes.player.show()), trackOf(scene), phases, host, legendOf(scene));
    (window as any).modes = modes;
  } else (window as any).motion = new Motion(host, scene);
  const note = document.getElementById("view-note");
  if (note) note.textContent = "Drag to turn, with the right button to move, wheel to zoom.";
}
