// Play, the clock, the time cursor: what the page shows of the run itself, and the keys for it.
import { button, h, icon, say } from "./dom";
import { isTyping } from "./side";
import type { Track } from "./track";

export interface RunHost {
  track: Track;
  state: number;
  stats: { missed: number; pace: number; dropped: number };
  cursor: number | null; // null: at the end
  toggle(): void;
  seek(time: number | null): void;
  step(): void;
  save(): void;
  undo(): void;
  redo(): void;
  unsaved(): boolean;
}

const status = ["paused", "playing", "ended", "failed"];

export class RunBar {
  readonly play = button("Run (Space)", "play", () => this.host.toggle(), { className: "primary", id: "play" });
  readonly clock = h("output.clock", { id: "clock", "aria-label": "time" });
  readonly pace = h("span.pace", { id: "pace", title: "speed of the run in parts of the asked one, and deadlines that were missed" });
  private scrub = h("input.scrub", { type: "range", id: "scrub", min: "0", max: "1", step: "any", value: "0", "aria-label": "time cursor", oninput: () => this.host.seek(Number(this.scrub.value)) });
  private live = button("Back to the present", "live", () => this.host.seek(null), { className: "quiet" });
  constructor(private host: RunHost) {}

  timeline(): HTMLElement { return h("footer.timeline", null, this.scrub, this.live); }

  show(): void {
    const { track: t, state, stats, cursor } = this.host, playing = state === 1;
    this.scrub.min = String(t.start);
    this.scrub.max = String(t.end || 1);
    if (cursor === null || document.activeElement !== this.scrub) this.scrub.value = String(cursor ?? t.end);
    this.live.classList.toggle("on", cursor === null);
    if (this.play.dataset.playing !== String(playing)) {
      this.play.dataset.playing = String(playing);
      this.play.replaceChildren(icon(playing ? "pause" : "play"));
      this.play.title = playing ? "Pause (Space)" : "Run (Space)";
      this.play.setAttribute("aria-label", this.play.title);
    }
    document.body.dataset.state = status[state] ?? "";
    this.pace.textContent = playing ? `${stats.missed} late` : status[state] ?? "";
    this.pace.title = `the machine could run ${say(stats.pace, 3)} times as fast as real time; ${stats.missed} deadlines missed, ${stats.dropped} pictures dropped`;
  }

  keys(): void {
    const host = this.host;
    addEventListener("keydown", (e) => {
      if ((e.ctrlKey || e.metaKey) && e.key === "s") { e.preventDefault(); host.save(); return; }
      if ((e.ctrlKey || e.metaKey) && !isTyping(e) && /^[zy]$/i.test(e.key)) {
        e.preventDefault();
        if (e.key.toLowerCase() === "y" || e.shiftKey) host.redo();
        else host.undo();
        return;
      }
      if (isTyping(e) || e.ctrlKey || e.altKey || e.metaKey) return;
      const inView = (e.target as HTMLElement).classList?.contains("view"), t = host.track, row = t.row(host.cursor ?? t.end);
      if (e.key === " " && (e.target as HTMLElement).tagName !== "BUTTON") host.toggle();
      else if (e.key === "ArrowLeft" && !inView) host.seek(t.times[Math.max(0, row - 1)] ?? 0);
      else if (e.key === "ArrowRight" && !inView) host.seek(t.times[row + 1] ?? null);
      else if (e.key === "End") host.seek(null);
      else if (e.key === ".") host.step();
      else return;
      e.preventDefault();
    });
    addEventListener("beforeunload", (e) => { if (host.unsaved()) e.preventDefault(); });
  }
}
