// The scene without WebGL: triangles from far to near, shaded by their direction, on a plain canvas.
import { Color, Line, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial, PerspectiveCamera, Scene, Vector3 } from "three";

export function drawFlat(canvas: HTMLCanvasElement, root: Scene, camera: PerspectiveCamera): void {
  const c = canvas.getContext("2d");
  if (!c) return;
  const w = canvas.width, height = canvas.height, light = new Vector3(0.4, 0.5, 0.77);
  c.fillStyle = "#" + (root.background as Color).getHexString();
  c.fillRect(0, 0, w, height);
  const faces: { depth: number; at: Vector3[]; fill: string }[] = [], colour = new Color();
  const screen = (v: Vector3) => { v.project(camera); v.set((v.x + 1) / 2 * w, (1 - v.y) / 2 * height, v.z); return v; };
  root.updateMatrixWorld();
  root.traverseVisible((o) => {
    const geometry = (o as Mesh).geometry, at = geometry?.getAttribute?.("position");
    if (!at) return;
    const point = (k: number) => new Vector3().fromBufferAttribute(at, k).applyMatrix4(o.matrixWorld);
    if ((o as LineSegments).isLineSegments || (o as Line).isLine) {
      const pairs = (o as LineSegments).isLineSegments ? 2 : 1, n = Math.min(at.count, geometry.drawRange.count);
      c.strokeStyle = "#" + ((o as Line).material as LineBasicMaterial).color.getHexString();
      c.beginPath();
      for (let k = 0; k + 1 < n; k += pairs) {
        const a = screen(point(k)), b = screen(point(k + 1));
        if (a.z < 1 && b.z < 1) { c.moveTo(a.x, a.y); c.lineTo(b.x, b.y); }
      }
      c.stroke();
      return;
    }
    const index = geometry.getIndex(), n = index ? index.count : at.count, m = (o as Mesh).material as MeshStandardMaterial | MeshBasicMaterial;
    if (m.transparent) return;
    for (let k = 0; k + 2 < n; k += 3) {
      const p = [0, 1, 2].map((i) => point(index ? index.getX(k + i) : k + i));
      const normal = p[1].clone().sub(p[0]).cross(p[2].clone().sub(p[0])).normalize();
      colour.copy(m.color).multiplyScalar(0.45 + 0.55 * Math.abs(normal.dot(light)));
      p.forEach(screen);
      if (p.some((v) => v.z > 1)) continue;
      faces.push({ depth: p[0].z + p[1].z + p[2].z, at: p, fill: "#" + colour.getHexString() });
    }
  });
  faces.sort((a, b) => b.depth - a.depth);
  for (const f of faces) {
    c.fillStyle = c.strokeStyle = f.fill;
    c.beginPath();
    c.moveTo(f.at[0].x, f.at[0].y);
    c.lineTo(f.at[1].x, f.at[1].y);
    c.lineTo(f.at[2].x, f.at[2].y);
    c.closePath();
    c.fill();
    c.stroke();
  }
}
