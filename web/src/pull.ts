// A body that is grabbed and pulled: Alt and drag (or the hand above the view). A spring leads from the pointer to the nearest frame
// of the body; the server puts it there (src/studio/pull.c) and counts its work, and the run records where the pointer was.
import type { Vector3 } from "three";
import type { Net } from "./net";
import type { Viewer } from "./viewer";

export class Puller {
  hand = false; // a drag pulls in place of turning the view
  private held: { viewer: Viewer; body: number; at: number[]; frame: string; point: Vector3 } | null = null;
  constructor(private net: Net, private note: (text: string, kind?: string) => void) {}

  watch(v: Viewer): void {
    v.canvas.addEventListener("pointerdown", (e) => { if (e.button === 0 && (e.altKey || this.hand)) this.grab(v, e); }, { capture: true });
    v.canvas.addEventListener("pointermove", (e) => this.move(e.clientX, e.clientY));
    for (const end of ["pointerup", "pointercancel"]) v.canvas.addEventListener(end, () => this.leave());
  }

  private grab(v: Viewer, e: PointerEvent): void {
    const hit = v.frameAt(e.clientX, e.clientY);
    if (!hit) return;
    e.stopImmediatePropagation();
    e.preventDefault();
    if (!hit.frame) { this.note(`${hit.name} has no frame that could be pulled: write \`frame NAME on ${hit.name} at (x, y, z)\`.`, "error"); return; }
    v.canvas.setPointerCapture(e.pointerId);
    this.held = { viewer: v, body: hit.body, at: hit.at, frame: hit.frame, point: v.place(hit.body, hit.at) };
    this.net.text("grab", { frame: hit.frame });
    this.move(e.clientX, e.clientY);
  }

  private move(x: number, y: number): void {
    const h = this.held, now = h && h.viewer.place(h.body, h.at), to = h && h.viewer.pointerAt(x, y, now!);
    if (!h || !to) return;
    h.point = to;
    this.net.live("pull", { x: to.x, y: to.y, z: to.z });
    this.draw();
  }

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
