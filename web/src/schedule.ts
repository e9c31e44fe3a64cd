// When to build: one build at a time. What is typed meanwhile is built when the answer is there, or when it does not come.
// Messages come first: with them, or when they are late, the build begins.
export class Schedule {
  private timer = 0;
  private underWay = false;
  private again = false;
  private waits = false;
  constructor(private readonly build: () => void) {}

  soon(): void {
    this.after(this.underWay ? 3000 : 60);
    this.waits = !this.underWay;
    this.again = this.underWay;
  }
  messages(): void {
    if (!this.waits) return;
    this.waits = false;
    this.after(0);
  }
  begun(): void {
    clearTimeout(this.timer);
    [this.underWay, this.again, this.waits] = [true, false, false];
  }
  answered(): void {
    this.underWay = false;
    if (this.again) this.soon();
  }
  private after(ms: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(this.build, ms);
  }
}
