// A body that is grabbed and pulled: Alt and drag (or the hand above the view). A spring leads from the pointer to the nearest frame
// of the body; the server puts it there (src/studio/pull.c) and counts its work, and the run records where the pointer was.
import type { Vector3 } from "three";
import { button } from "./dom";
import type { Net } from "./net";
import type { Viewer } from "./viewer";

export class Puller {
  hand = false; // a drag pulls in place of turning the view
  private held: { viewer: Viewer; body: number; at: number[]; frame: string; point: Vector3 } | null = null;
  constructor(private net: Net, private note: (text: string, kind?: string) => void) {}

  // Gives the button that makes every drag a pull.
  watch(v: Viewer): HTMLElement {
    const hand = button("Pull bodies with the mouse (or hold Alt)", "hand", () => { this.hand = !this.hand; hand.setAttribute("aria-pressed", String(this.hand)); }, { id: "hand", "aria-pressed": String(this.hand) });
    v.canvas.addEventListener("pointerdown", (e) => { if (e.button === 0 && (e.altKey || this.hand)) this.grab(v, e); }, { capture: true });
    v.canvas.addEventListener("pointermove", (e) => this.move(e.clientX, e.clientY));
    for (const end of ["pointerup", "pointercancel"]) v.canvas.addEventListener(end, () => this.leave());
    return hand;
  }

  private grab(v: Viewer, e: PointerEvent): void {
    const hit = v.frameAt(e.clientX, e.clientY);
    if (!hit) return;
    e.stopImmediatePropagation();
    e.preventDefault();
    if (!hit.frame) { this.note(`${hit.name} has no frame that could be pulled: write \`frame NAME on ${hit.name} at (x, y, z)\`.`, "error"); return; }
    v.canvas.setPointerCapture(e.pointerId);
    this.held = { viewer: v, body: hit.body, at: hit.at, frame: hit.frame, point: v.place(hit.body, hit.at) };
    this.net.build("grab", { frame: hit.frame, axes: hit.axes });
    this.move(e.clientX, e.clientY);
  }

  private move(x: number, y: number): void {
    const h = this.held, now = h && h.viewer.place(h.body, h.at), to = h && h.viewer.pointerAt(x, y, now!);
    if (!h || !to) return;
    h.point = to;
    this.say();
    this.draw();
  }

  // Where the hand is; also when the model with the hand has come.
  say(): void { if (this.held) this.net.live("pull", { frame: this.held.frame, x: this.held.point.x, y: this.held.point.y, z: this.held.point.z }); }

  // For every picture: the body has moved.
  draw(): void {
    const h = this.held;
    if (h) h.viewer.setPull(h.viewer.place(h.body, h.at), h.point);
  }

  private leave(): void {
    if (!this.held) return;
    this.held.viewer.setPull(null);
    this.held = null;
    this.net.live("let_go");
  }
}
