// Bodies of a scene as solids: boxes, cylinders, tubes, meshes, and rods where no shape is given.
import { BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, Matrix4, SphereGeometry } from "three";
import type { SceneMesh, SceneShape } from "./types";

export const palette = ["#3d7ab8", "#e08b2c", "#3f9e68", "#b84f57", "#8069b3", "#5599ad", "#c7ad40", "#8c8c94"];

function bytes(letters: string): ArrayBuffer { return Uint8Array.from(atob(letters), (c) => c.charCodeAt(0)).buffer; }

export interface Unpacked { corners: Float32Array; triangles: Uint32Array; paint: Uint8Array | null; colours: number[][] }
export function unpack(m: SceneMesh): Unpacked {
  const packed = new Uint16Array(bytes(m.corners), 0, 3 * m.count[0]), corners = new Float32Array(packed.length);
  for (let i = 0; i < packed.length; i++) corners[i] = m.low[i % 3] + m.step * packed[i];
  return {
    corners, triangles: new Uint32Array(bytes(m.triangles), 0, 3 * m.count[1]),
    paint: m.paint ? new Uint8Array(bytes(m.paint), 0, m.count[1]) : null, colours: m.colours ?? [],
  };
}

// Three normals per triangle: faces that meet at a small angle share theirs.
function smoothNormals(m: Unpacked, at: Float32Array): Float32Array {
  const count = m.triangles.length / 3, flat = new Float32Array(3 * count), out = new Float32Array(9 * count);
  const around = new Uint32Array(at.length / 3 + 1), faces = new Uint32Array(3 * count);
  for (let t = 0; t < count; t++) { // twice the area
    const [o, p, q] = [0, 1, 2].map((i) => 3 * m.triangles[3 * t + i]), u = [0, 1, 2].map((i) => at[p + i] - at[o + i]), v = [0, 1, 2].map((i) => at[q + i] - at[o + i]);
    flat.set([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], 3 * t);
    for (let i = 0; i < 3; i++) around[m.triangles[3 * t + i] + 1]++;
  }
  for (let i = 1; i < around.length; i++) around[i] += around[i - 1];
  const next = around.slice(), size = (k: number) => Math.hypot(flat[k], flat[k + 1], flat[k + 2]);
  for (let k = 0; k < 3 * count; k++) faces[next[m.triangles[k]]++] = (k / 3) | 0;
  for (let k = 0; k < 3 * count; k++) {
    const own = 3 * ((k / 3) | 0), sum = [flat[own], flat[own + 1], flat[own + 2]], first = around[m.triangles[k]], last = around[m.triangles[k] + 1];
    for (let j = first; j < last && last - first <= 64; j++) {
      const o = 3 * faces[j], dot = flat[own] * flat[o] + flat[own + 1] * flat[o + 1] + flat[own + 2] * flat[o + 2];
      if (o !== own && dot > 0.8 * size(own) * size(o)) for (let i = 0; i < 3; i++) sum[i] += flat[o + i];
    }
    const n = Math.hypot(sum[0], sum[1], sum[2]) || 1;
    out.set(sum.map((x) => x / n), 3 * k);
  }
  return out;
}

// One list of triangles for each colour.
function meshParts(m: Unpacked, size: number[]): { geometry: BufferGeometry; colour: number[] | null }[] {
  const at = m.corners.map((c, i) => size[i % 3] * c), normals = smoothNormals(m, at), lists = new Map<number, { at: number[]; normal: number[] }>(), mirrored = size[0] * size[1] * size[2] < 0;
  for (let t = 0; t < m.triangles.length / 3; t++) {
    const paint = m.paint ? m.paint[t] : 0;
    if (!lists.has(paint)) lists.set(paint, { at: [], normal: [] });
    const list = lists.get(paint)!;
    for (const i of mirrored ? [0, 2, 1] : [0, 1, 2]) {
      const c = 3 * m.triangles[3 * t + i], n = 9 * t + 3 * i, s = mirrored ? -1 : 1;
      list.at.push(at[c], at[c + 1], at[c + 2]);
      list.normal.push(s * normals[n], s * normals[n + 1], s * normals[n + 2]);
    }
  }
  return [...lists].map(([paint, data]) => {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(data.at), 3));
    geometry.setAttribute("normal", new BufferAttribute(new Float32Array(data.normal), 3));
    return { geometry, colour: paint ? m.colours[paint - 1] ?? null : null };
  });
}

function tube(outer: number, inner: number, length: number): BufferGeometry[] {
  const lids: BufferGeometry[] = [new CylinderGeometry(outer, outer, length, 40, 1, true), new CylinderGeometry(inner, inner, length, 40, 1, true)];
  for (const side of [-1, 1]) {
    const at: number[] = [], n = 40;
    for (let i = 0; i < n; i++) {
      const p = (r: number, k: number) => [r * Math.cos(2 * Math.PI * k / n), side * length / 2, r * Math.sin(2 * Math.PI * k / n)];
      const a = p(inner, i), b = p(outer, i), c = p(outer, i + 1), d = p(inner, i + 1);
      at.push(...a, ...b, ...c, ...a, ...c, ...d);
    }
    const lid = new BufferGeometry();
    lid.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
    lid.computeVertexNormals();
    lids.push(lid);
  }
  return lids;
}

// Solids of our own have their axis along z, those of three.js along y.
const stand = (g: BufferGeometry): BufferGeometry => g.rotateX(Math.PI / 2);

export function shapeGeometries(s: SceneShape, meshes: Unpacked[], span: number): { geometry: BufferGeometry; colour: number[] | null }[] {
  const [p, q, r] = s.size, plain = (g: BufferGeometry) => [{ geometry: g, colour: null }];
  switch (s.kind) {
    case "box": return plain(new BoxGeometry(p, q, r));
    case "cylinder": return plain(stand(new CylinderGeometry(p, p, q, 40)));
    case "sphere": return plain(new SphereGeometry(p, 32, 20));
    case "tube": return tube(p, q, r).map((g) => ({ geometry: stand(g), colour: null }));
    case "mesh": return s.mesh !== undefined ? meshParts(meshes[s.mesh], s.size) : plain(new BoxGeometry(span / 30, span / 30, span / 30));
    default: return [];
  }
}

export function shapeMatrix(s: SceneShape): Matrix4 {
  const t = s.turn, m = s.middle;
  return new Matrix4().set(t[0], t[1], t[2], m[0], t[3], t[4], t[5], m[1], t[6], t[7], t[8], m[2], 0, 0, 0, 1);
}

// Corners of the box around a shape, in the body's frame.
export function shapeCorners(s: SceneShape, m: Unpacked | null): number[][] {
  const [p, q, r] = s.size, half = { box: [p / 2, q / 2, r / 2], cylinder: [p, p, q / 2], sphere: [p, p, p], tube: [p, p, r / 2], mesh: [0, 0, 0] }[s.kind as string] ?? [0, 0, 0];
  const high = half.map((x) => (Number.isFinite(x) ? x : 0)), low = high.map((x) => -x);
  m?.corners.forEach((c, i) => { const k = i % 3, x = s.size[k] * c; low[k] = i < 3 ? x : Math.min(low[k], x); high[k] = i < 3 ? x : Math.max(high[k], x); });
  const t = s.turn, at = (x: number, y: number, z: number) => [0, 1, 2].map((i) => s.middle[i] + t[3 * i] * x + t[3 * i + 1] * y + t[3 * i + 2] * z);
  return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => at(k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]));
}
