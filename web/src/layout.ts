// Which plots there are, how large panes are and where boxes stand: text beside the model, `NAME.studio`.
import { parse } from "./parts";
import type { Places } from "./draw";
import type { PlotWish } from "./plots";

const sizes = ["--left", "--right", "--top", "--lists"];

function placesIn(x: unknown): Places {
  const out: Places = {};
  for (const [k, v] of Object.entries((x ?? {}) as Record<string, unknown>)) if (Array.isArray(v) && v.length === 2 && v.every((n) => Number.isFinite(n))) out[k] = [v[0], v[1]];
  return out;
}

export interface LayoutHost {
  setPlots(wishes: PlotWish[]): void;
  setPlaces(places: Places): void;
  plots(): PlotWish[];
  places(): Places;
  write(text: string): void;
}

export class Layout {
  stamp = "none";
  known = false;      // there is something to keep
  plotsKnown = false; // somebody has chosen them
  private text = "";
  constructor(private host: LayoutHost) {}

  take(m: { text: string; stamp: string }): void {
    this.stamp = m.stamp;
    this.text = m.text;
    const layout = parse(m.text);
    if (layout?.places) { this.known = true; this.host.setPlaces(placesIn(layout.places)); }
    if (!layout?.plots) return;
    this.known = this.plotsKnown = true;
    this.host.setPlots(layout.plots);
    for (const k of sizes) if (layout.sizes?.[k]) document.documentElement.style.setProperty(k, String(layout.sizes[k]));
  }

  // Plots were chosen by hand.
  chosen(): void { this.known = this.plotsKnown = true; }

  save(): void {
    if (!this.known) return;
    const now: Record<string, string> = {}, places = this.host.places();
    for (const k of sizes) { const v = document.documentElement.style.getPropertyValue(k); if (v) now[k] = v; }
    const text = JSON.stringify({ plots: this.host.plots(), sizes: now, ...(Object.keys(places).length ? { places } : {}) }, null, 1) + "\n";
    if (text === this.text) return;
    this.text = text;
    this.host.write(text);
  }
}
