// The one clock of a report page: its motion and its bond graph show the same moment.
import { h, icon } from "./dom";

export class Player {
  now: number;
  playing = false;
  private last = 0;
  private shown: ((time: number, seconds: number) => void)[] = [];
  private told: (() => void)[] = [];
  private speed = 1;

  private speeds: number[];

  // Runs of some seconds are shown as they are; others take about ten, to begin with.
  constructor(readonly start: number, readonly end: number) {
    const length = end - start;
    this.now = start;
    this.speed = length > 0 && (length < 2 || length > 60) ? Math.pow(10, Math.round(Math.log10(length / 10))) : 1;
    this.speeds = [0.1, 0.25, 0.5, 1, 2, 5, 10].map((k) => +(k * this.speed).toPrecision(3));
  }

  // What is to be shown, with the time since the picture before.
  onShow(act: (time: number, seconds: number) => void): void { this.shown.push(act); }

  show(seconds = 0): void {
    for (const act of this.shown) act(this.now, seconds);
    for (const act of this.told) act();
  }

  seek(time: number, seconds = 0): void {
    this.now = Math.min(Math.max(time, this.start), this.end);
    this.show(seconds);
  }

  play(on: boolean): void {
    if (on && this.playing) return;
    this.playing = on;
    this.last = 0;
    const tick = (ms: number) => {
      if (!this.playing) return;
      const seconds = this.last ? (ms - this.last) / 1000 : 0, next = this.now + seconds * this.speed;
      this.last = ms;
      this.seek(next > this.end ? this.start : next, seconds);
      requestAnimationFrame(tick);
    };
    if (on) requestAnimationFrame(tick);
    for (const act of this.told) act();
  }

  // Button, slider, clock and speed; several of them agree. `id` is put behind the names of all but the first.
  controls(id = ""): HTMLElement[] {
    const button = h("button", { id: "play" + id, type: "button", onclick: () => this.play(!this.playing) });
    const moment = h("input", { id: "moment" + id, type: "range", min: String(this.start), max: String(this.end), step: "any", "aria-label": "time", oninput: () => { const to = Number(moment.value); this.play(false); this.seek(to); } });
    const clock = h("output.clock", { id: "clock" + id });
    const speed = h("select", { id: "speed" + id, "aria-label": "speed", onchange: () => { this.speed = Number(speed.value); this.show(); } }, ...this.speeds.map((v) => h("option", { value: String(v), selected: v === this.speed }, v + "×")));
    const digits = Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(Math.max(this.end - this.start, 1e-9) / 9.99))));
    const tell = () => {
      const word = this.playing ? "Pause" : "Play";
      if (button.getAttribute("aria-label") !== word) { button.replaceChildren(icon(this.playing ? "pause" : "play")); button.setAttribute("aria-label", word); }
      moment.value = String(this.now);
      clock.textContent = this.now.toFixed(digits) + " s";
      speed.value = String(this.speed);
    };
    this.told.push(tell);
    tell();
    return [button, moment, clock, speed];
  }
}
