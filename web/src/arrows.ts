// Forces and torques as arrows: a shaft and a head, for torques two of them. The longest that was seen is a quarter of the scene;
// forces and torques have scales of their own.
import { ConeGeometry, CylinderGeometry, Group, Matrix4, Mesh, MeshBasicMaterial, Vector3 } from "three";
import type { SceneArrow } from "./types";

const colours = { force: "#d6336c", torque: "#7048e8" };

export class Arrows {
  readonly group = new Group();
  private each: { mark: Group; shaft: Mesh; heads: Mesh[] }[] = [];
  private largest = { force: 0, torque: 0 };

  constructor(readonly list: SceneArrow[], private span: number) {
    const thick = span / 190;
    for (const a of list) {
      const paint = new MeshBasicMaterial({ color: colours[a.kind] }), mark = new Group();
      const shaft = new Mesh(new CylinderGeometry(thick, thick, 1, 12), paint);
      const heads = (a.kind === "torque" ? [0, 1] : [0]).map(() => new Mesh(new ConeGeometry(3 * thick, 8 * thick, 16), paint));
      mark.add(shaft, ...heads);
      mark.visible = false;
      this.each.push({ mark, shaft, heads });
      this.group.add(mark);
    }
  }

  // `vectors` from `first` on, 3 numbers each, in the world; `bodies` say where the points are.
  put(vectors: ArrayLike<number>, first: number, bodies: Group[]): void {
    const head = this.span / 24, v = new Vector3(), up = new Vector3(0, 1, 0), still = new Matrix4();
    this.list.forEach((a, i) => {
      const k = first + 3 * i, size = Math.hypot(vectors[k], vectors[k + 1], vectors[k + 2]);
      if (Number.isFinite(size)) this.largest[a.kind] = Math.max(this.largest[a.kind], size);
    });
    this.list.forEach((a, i) => {
      const k = first + 3 * i, { mark, shaft, heads } = this.each[i], most = this.largest[a.kind];
      v.set(vectors[k], vectors[k + 1], vectors[k + 2]);
      const size = v.length(), shown = a.body < 0 || bodies[a.body]?.visible !== false;
      mark.visible = shown && Number.isFinite(size) && most > 0 && size > 1e-3 * most;
      if (!mark.visible) return;
      const length = this.span * 0.28 * Math.pow(size / most, 0.6) + head; // small ones stay to be seen
      mark.position.set(a.at[0], a.at[1], a.at[2]).applyMatrix4(a.body < 0 ? still : bodies[a.body].matrix);
      mark.quaternion.setFromUnitVectors(up, v.normalize());
      shaft.scale.y = length - head;
      shaft.position.y = (length - head) / 2;
      heads.forEach((h, n) => { h.position.y = length - head / 2 - n * head * 0.8; });
    });
  }

  get shown(): number { return this.each.filter((e) => e.mark.visible).length; }
}
