// A run as it is known to a page: times, columns of numbers, poses of bodies. Live runs add rows, reports bring them all;
// whoever draws looks here. Room is bounded: when it is full every second row goes.
export const MOST_ROWS = 12000;

export class Track {
  times: number[] = [];
  columns = new Map<string, number[]>();
  poses: Float64Array[] = [];
  unit = new Map<string, string>();

  clear(): void {
    this.times = [];
    this.columns.clear();
    this.poses = [];
  }

  add(time: number, names: string[], values: ArrayLike<number>, pose: Float64Array): void {
    const last = this.times.length - 1;
    if (last >= 0 && time <= this.times[last]) { // the same moment anew, or back
      let keep = last;
      while (keep >= 0 && this.times[keep] >= time) keep--;
      this.cut(keep + 1);
    }
    if (this.times.length >= MOST_ROWS) this.thin();
    this.times.push(time);
    names.forEach((name, i) => this.columns.get(name)?.push(values[i]));
    this.poses.push(pose);
  }

  cut(rows: number): void {
    this.times.length = Math.min(this.times.length, rows);
    for (const c of this.columns.values()) c.length = Math.min(c.length, rows);
    this.poses.length = Math.min(this.poses.length, rows);
  }

  private thin(): void {
    const half = <T>(list: T[]): T[] => list.filter((_, i) => i % 2 === 0);
    this.times = half(this.times);
    for (const [name, c] of this.columns) this.columns.set(name, half(c));
    this.poses = half(this.poses);
  }

  // The row at a time, or before it; -1: there is none.
  row(time: number): number {
    let a = 0, b = this.times.length;
    while (a < b) {
      const m = (a + b) >> 1;
      if (this.times[m] <= time) a = m + 1; else b = m;
    }
    return a - 1 < 0 ? (this.times.length ? 0 : -1) : a - 1;
  }

  value(name: string, row: number): number {
    const c = this.columns.get(name);
    return c && row >= 0 && row < c.length ? c[row] : NaN;
  }

  get end(): number { return this.times.length ? this.times[this.times.length - 1] : 0; }
  get start(): number { return this.times.length ? this.times[0] : 0; }
}
