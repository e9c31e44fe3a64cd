// Motion in three dimensions, for the studio and for reports: bodies as solids, a floor, trails of frames, labels, axes,
// arrows, water. Where there is no WebGL the same scene is drawn by hand on a plain canvas.
//
//   setPoses([x y z  qw qx qy qz] per body, then [x y z] per arrow)     where everything is, and what pushes it
//   setTrail(poses of the past)                 the way that frames have gone
import {
  AmbientLight, AxesHelper, Box3, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DirectionalLight, DoubleSide, Group, HemisphereLight, Line,
  LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshStandardMaterial, Object3D, PerspectiveCamera, Plane, PlaneGeometry, Quaternion, Raycaster,
  Scene, SphereGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Arrows } from "./arrows";
import { h, say } from "./dom";
import { drawFlat } from "./flat";
import { palette, shapeCorners, shapeGeometries, shapeMatrix, unpack, type Unpacked } from "./solids";
import type { SceneBody, SceneData } from "./types";

export interface ViewOptions { labels: boolean; frames: boolean; trails: boolean; water: boolean; arrows: boolean; follow: number }

export class Viewer {
  readonly canvas: HTMLCanvasElement;
  readonly root = new Scene();
  readonly options: ViewOptions = { labels: false, frames: false, trails: true, water: false, arrows: true, follow: -1 };
  readonly flat: boolean; // without WebGL
  private renderer: WebGLRenderer | null = null;
  private camera = new PerspectiveCamera(40, 1, 0.01, 1000);
  private controls: OrbitControls;
  private bodies: Group[] = [];
  private labels: HTMLElement[] = [];
  private axes: Object3D[] = [];
  private trails: { line: Line; body: number; point: Vector3; at: Float32Array; count: number }[] = [];
  private water: Mesh;
  arrows: Arrows;
  private arrowLabels: HTMLElement[] = [];
  private meshes: Unpacked[];
  private pull: Line;
  private grid: LineSegments;
  private layer: HTMLElement;
  private up = new Vector3(0, 0, 1);
  private middle = new Vector3();
  private followed: Vector3 | null = null;
  private sizes: number[] = []; // of the arrows, in N and N.m
  private dirty = true;
  private stopped = false;
  private watcher: ResizeObserver;
  span = 1;
  drawn = 0; // pictures so far

  constructor(private host: HTMLElement, public scene: SceneData, dark: boolean) {
    this.canvas = h("canvas.view", { tabindex: 0, role: "img", "aria-label": "the model in three dimensions; arrow keys turn it, plus and minus zoom" });
    this.layer = h("div.view-labels", { "aria-hidden": "true", hidden: true });
    host.replaceChildren(this.canvas, this.layer);
    const how = { antialias: true, preserveDrawingBuffer: true, alpha: true, depth: true, stencil: false, powerPreference: "default" as const };
    const context = localStorageFlag("bondyn-no-webgl") ? null : this.canvas.getContext("webgl2", how); // once: it is slow to make
    this.renderer = context ? new WebGLRenderer({ canvas: this.canvas, context, ...how }) : null;
    this.flat = !this.renderer;
    const g = new Vector3(...(scene.gravity as [number, number, number]));
    if (g.length() > 0) this.up.copy(g).normalize().negate();
    this.meshes = scene.meshes.map(unpack);
    this.span = this.measure();
    this.arrows = new Arrows(scene.arrows ?? [], this.span);
    this.pull = new Line(new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(6), 3)), new LineBasicMaterial({ color: "#d6336c" }));
    this.pull.frustumCulled = false;
    this.pull.visible = false;
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => { this.dirty = true; });
    this.root.add(new HemisphereLight(0xffffff, 0x8899aa, 1.6), new AmbientLight(0xffffff, 0.25));
    const sun = new DirectionalLight(0xffffff, 1.9);
    sun.position.copy(this.up).multiplyScalar(3).add(new Vector3(1.2, -1.7, 0.6));
    this.root.add(sun);
    this.build();
    this.nameArrows();
    this.grid = this.floor();
    this.water = new Mesh(new PlaneGeometry(60 * this.span, 60 * this.span),
      new MeshStandardMaterial({ color: 0x2b7bb0, transparent: true, opacity: 0.35, roughness: 0.25, side: DoubleSide, depthWrite: false }));
    this.water.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    this.water.visible = false;
    this.root.add(this.grid, this.water, this.arrows.group, this.pull);
    this.home();
    this.setTheme(dark);
    this.keys();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(host);
    this.resize();
    const loop = () => {
      if (this.stopped) return;
      this.draw();
      requestAnimationFrame(loop);
    };
    // Where that can be, shaders are made beside the page, which is not held up by them.
    const aside = this.renderer && context!.getExtension("KHR_parallel_shader_compile");
    if (aside) void this.renderer!.compileAsync(this.root, this.camera).catch(() => {}).then(() => requestAnimationFrame(loop));
    else requestAnimationFrame(loop);
  }

  // --- what is there

  private poseOf(b: SceneBody, k = 0): Matrix4 {
    const p = b.pose.slice(7 * k, 7 * k + 7);
    return new Matrix4().compose(new Vector3(p[0], p[1], p[2]), new Quaternion(p[4], p[5], p[6], p[3]), new Vector3(1, 1, 1));
  }

  // The points that say how large a body is. What stands still and has shapes is as large as they are: the origin of the world
  // may be far from all that there is to see.
  private outline(b: SceneBody, still: boolean): number[][] {
    const shapes = b.shapes.flatMap((s) => shapeCorners(s, s.mesh !== undefined ? this.meshes[s.mesh] : null));
    return still ? shapes : [[0, 0, 0], b.centre, ...b.joints, ...b.frames, ...shapes];
  }

  private measure(): number {
    const all = new Box3(), world = new Box3(), point = new Vector3();
    for (const b of this.scene.bodies) {
      const rows = Math.max(1, b.pose.length / 7), step = Math.max(1, Math.floor(rows / 50));
      const still = b.shapes.length > 0 && (b.name === "world" || (rows > 1 && b.pose.every((x, i) => x === b.pose[i % 7])));
      for (let k = 0; k < (still ? 1 : rows); k += step) {
        const m = this.poseOf(b, k);
        for (const p of this.outline(b, still)) (b.name === "world" && !still ? world : all).expandByPoint(point.set(p[0], p[1], p[2]).applyMatrix4(m));
      }
    }
    const size = all.isEmpty() ? 0 : all.getSize(point).length(); // an origin that is far away is left out
    if (!world.isEmpty() && (!size || world.distanceToPoint(all.getCenter(point)) < 3 * size)) all.union(world);
    if (all.isEmpty()) return 1;
    all.getCenter(this.middle);
    return Math.max(all.getSize(point).length(), 1e-3);
  }

  private solid(colour: string | number[]): MeshStandardMaterial {
    const c = typeof colour === "string" ? new Color(colour) : new Color().setRGB(colour[0], colour[1], colour[2], "srgb");
    return new MeshStandardMaterial({ color: c, roughness: 0.55, metalness: 0.12, side: DoubleSide });
  }

  private rod(from: Vector3, to: Vector3, thick: number, colour: string): Mesh {
    const along = to.clone().sub(from), rod = new Mesh(new CylinderGeometry(thick, thick, along.length(), 20), this.solid(colour));
    rod.position.addVectors(from, to).multiplyScalar(0.5);
    rod.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along.normalize());
    return rod;
  }

  private build(): void {
    const meshes = this.meshes, zero = new Vector3();
    this.scene.bodies.forEach((b, i) => {
      const group = new Group(), still = b.name === "world", colour = still ? "#9d9d98" : palette[i % palette.length];
      group.matrixAutoUpdate = false;
      group.userData.body = i;
      for (const s of b.shapes)
        for (const part of shapeGeometries(s, meshes, this.span)) {
          const mesh = new Mesh(part.geometry, this.solid(s.colour ?? part.colour ?? colour));
          mesh.applyMatrix4(shapeMatrix(s));
          group.add(mesh);
        }
      if (!still && b.shapes.every((s) => s.kind === "mesh" && s.mesh === undefined)) { // rods to whatever is on it
        const thick = this.span / 90, ends = [...b.joints, ...b.frames, ...(b.heavy ? [b.centre] : [])];
        for (const e of ends) {
          const to = new Vector3(e[0], e[1], e[2]);
          if (to.length() > this.span * 1e-3) group.add(this.rod(zero, to, thick, colour));
        }
        if (b.heavy) {
          const ball = new Mesh(new SphereGeometry(2 * thick, 24, 16), this.solid(colour));
          ball.position.set(b.centre[0], b.centre[1], b.centre[2]);
          group.add(ball);
        }
      }
      if (!still) group.add(new Mesh(new SphereGeometry(this.span / 75, 20, 14), this.solid("#454a52")));
      this.addFrames(b, i, group, colour);
      const label = h("span.view-label", null, b.name);
      this.labels.push(label);
      this.layer.append(label);
      this.bodies.push(group);
      this.root.add(group);
      group.matrix.copy(this.poseOf(b));
    });
  }

  private nameArrows(): void {
    for (const a of this.scene.arrows ?? []) {
      const label = h("span.view-label." + a.kind, null, a.name);
      this.arrowLabels.push(label);
      this.layer.append(label);
    }
  }

  // The same bodies; other efforts come in.
  renew(scene: SceneData): void {
    this.root.remove(this.arrows.group);
    for (const label of this.arrowLabels) label.remove();
    this.arrowLabels = [];
    this.scene = scene;
    this.arrows = new Arrows(scene.arrows ?? [], this.span);
    this.arrows.group.visible = this.options.arrows;
    this.root.add(this.arrows.group);
    this.nameArrows();
  }

  private addFrames(b: SceneBody, i: number, group: Group, colour: string): void {
    const own = new AxesHelper(this.span / 12);
    own.visible = false;
    this.axes.push(own);
    group.add(own);
    b.frames.forEach((f) => {
      const axes = new AxesHelper(this.span / 18);
      axes.position.set(f[0], f[1], f[2]);
      axes.visible = false;
      this.axes.push(axes);
      group.add(axes);
      if (b.name === "world") return;
      const at = new Float32Array(3 * 4096), geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(at, 3));
      geometry.setDrawRange(0, 0);
      const line = new Line(geometry, new LineBasicMaterial({ color: colour, transparent: true, opacity: 0.7 }));
      line.frustumCulled = false;
      this.trails.push({ line, body: i, point: new Vector3(f[0], f[1], f[2]), at, count: 0 });
      this.root.add(line);
    });
  }

  private floor(): LineSegments {
    const power = Math.pow(10, Math.floor(Math.log10(this.span))), cell = power / (this.span / power < 3 ? 5 : 1), n = 14;
    const east = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    east.addScaledVector(this.up, -east.dot(this.up)).normalize();
    const north = new Vector3().crossVectors(this.up, east), at: number[] = [];
    let height = 0;
    for (const b of this.scene.bodies) height = Math.min(height, new Vector3().applyMatrix4(this.poseOf(b)).dot(this.up));
    const point = (i: number, j: number) => new Vector3().addScaledVector(east, cell * (Math.round(this.middle.dot(east) / cell) + i))
      .addScaledVector(north, cell * (Math.round(this.middle.dot(north) / cell) + j)).addScaledVector(this.up, height).toArray();
    for (let i = -n; i <= n; i++) at.push(...point(i, -n), ...point(i, n), ...point(-n, i), ...point(n, i));
    const g = new BufferGeometry();
    g.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
    return new LineSegments(g, new LineBasicMaterial({ color: 0xd0d6dc }));
  }

  // --- what moves

  setPoses(pose: ArrayLike<number>): void {
    this.bodies.forEach((group, i) => {
      const k = 7 * i;
      if (k + 7 > pose.length || !Number.isFinite(pose[k])) return;
      group.matrix.compose(new Vector3(pose[k], pose[k + 1], pose[k + 2]), new Quaternion(pose[k + 4], pose[k + 5], pose[k + 6], pose[k + 3]), new Vector3(1, 1, 1));
      group.matrixWorldNeedsUpdate = true;
    });
    const first = 7 * this.bodies.length;
    if (this.options.arrows && pose.length >= first + 3 * this.arrows.list.length) {
      this.arrows.put(pose, first, this.bodies);
      this.sizes = this.arrows.list.map((_, i) => Math.hypot(pose[first + 3 * i], pose[first + 3 * i + 1], pose[first + 3 * i + 2]));
    }
    const f = this.options.follow;
    if (f >= 0 && this.bodies[f]) {
      const now = new Vector3().setFromMatrixPosition(this.bodies[f].matrix);
      if (this.followed) {
        const move = now.clone().sub(this.followed);
        this.controls.target.add(move);
        this.camera.position.add(move);
      }
      this.followed = now;
    } else this.followed = null;
    this.keepInSight();
    this.dirty = true;
  }

  // A live run may drive away, which nobody knows before: when no body is left in the picture the camera goes after them.
  private keepInSight(): void {
    if (this.options.follow >= 0 || this.scene.time.length > 1 || !this.bodies.length) return;
    const at = new Vector3(), middle = new Vector3();
    this.camera.updateMatrixWorld();
    for (const body of this.bodies) {
      middle.add(at.setFromMatrixPosition(body.matrix));
      at.project(this.camera);
      if (Math.abs(at.x) < 1 && Math.abs(at.y) < 1 && Math.abs(at.z) < 1) return;
    }
    const move = middle.divideScalar(this.bodies.length).sub(this.controls.target);
    this.controls.target.add(move);
    this.camera.position.add(move);
  }

  // The ways of frames up to now; of long runs every so many points.
  setTrail(poses: ArrayLike<number>[], end: number): void {
    const on = this.options.trails, step = Math.max(1, Math.ceil(end / 2000)), v = new Vector3(), q = new Quaternion(), p = new Vector3();
    for (const t of this.trails) {
      t.line.visible = on && this.bodies[t.body].visible;
      if (!on) continue;
      let n = 0;
      for (let row = 0; row < end && n < 4096; row += step) {
        const k = 7 * t.body, x = poses[row];
        if (!x || k + 7 > x.length) continue;
        v.copy(t.point).applyQuaternion(q.set(x[k + 4], x[k + 5], x[k + 6], x[k + 3])).add(p.set(x[k], x[k + 1], x[k + 2]));
        v.toArray(t.at, 3 * n++);
      }
      t.line.geometry.setDrawRange(0, n);
      t.line.geometry.attributes.position.needsUpdate = true;
      t.count = n;
    }
    this.dirty = true;
  }

  // --- a body that is pulled

  // The frame of a body that is nearest to what is below a point of the picture; null: there is none.
  frameAt(x: number, y: number): { body: number; name: string; frame: string; axes: string; at: number[] } | null {
    const hit = this.pick(x, y);
    if (!hit) return null;
    const b = this.scene.bodies[hit.body], where = this.lastHit;
    let best = -1, far = Infinity;
    b.frames.forEach((f, i) => {
      if (b.axes[i] === "other") return; // its port cannot be pulled along the axes of the world
      const d = new Vector3(f[0], f[1], f[2]).applyMatrix4(this.bodies[hit.body].matrix).distanceTo(where);
      if (d < far) { far = d; best = i; }
    });
    return best < 0 ? { ...hit, frame: "", axes: "", at: [] } : { ...hit, frame: b.names[best], axes: b.axes[best], at: b.frames[best] };
  }
  private lastHit = new Vector3();
  place(body: number, at: number[]): Vector3 { return new Vector3(at[0], at[1], at[2]).applyMatrix4(this.bodies[body].matrix); }
  // Where the pointer is, in the plane through a point of the world that faces the eye.
  pointerAt(x: number, y: number, through: Vector3): Vector3 | null {
    const facing = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), through);
    return this.ray(x, y).ray.intersectPlane(facing, new Vector3());
  }
  // The line of the spring; null: none.
  setPull(from: Vector3 | null, to?: Vector3): void {
    this.pull.visible = !!from;
    this.controls.enabled = !from;
    if (from && to) {
      const at = this.pull.geometry.attributes.position as BufferAttribute;
      at.setXYZ(0, from.x, from.y, from.z);
      at.setXYZ(1, to.x, to.y, to.z);
      at.needsUpdate = true;
    }
    this.dirty = true;
  }

  show(body: number, visible: boolean): void {
    this.bodies[body].visible = visible;
    this.dirty = true;
  }

  apply(change: Partial<ViewOptions>): void {
    Object.assign(this.options, change);
    this.axes.forEach((a) => { a.visible = this.options.frames; });
    this.layer.hidden = !this.options.labels;
    this.water.visible = this.options.water;
    this.arrows.group.visible = this.options.arrows;
    if (!this.options.trails) for (const t of this.trails) t.line.visible = false;
    this.followed = null;
    this.dirty = true;
  }

  setTheme(dark: boolean): void {
    this.root.background = new Color(dark ? "#171c22" : "#f4f7fa");
    (this.grid.material as LineBasicMaterial).color.set(dark ? "#313a44" : "#d3dae1");
    this.dirty = true;
  }

  home(): void {
    const east = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    east.addScaledVector(this.up, -east.dot(this.up)).normalize();
    const north = new Vector3().crossVectors(this.up, east);
    const from = east.multiplyScalar(0.75).addScaledVector(north, -1.05).addScaledVector(this.up, 0.62).normalize();
    this.controls.target.copy(this.middle);
    this.camera.position.copy(this.middle).addScaledVector(from, (this.scene.time.length > 1 ? 1.4 : 1.5) * this.span * Math.max(1, this.host.clientHeight / Math.max(1, this.host.clientWidth)));
    this.camera.near = this.span / 200;
    this.camera.far = this.span * 80;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.dirty = true;
  }

  // Which body is below a point of the picture; null: none.
  private ray(x: number, y: number): Raycaster {
    const box = this.canvas.getBoundingClientRect(), ray = new Raycaster();
    ray.setFromCamera(new Vector2(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height), this.camera);
    return ray;
  }
  pick(x: number, y: number): { body: number; name: string } | null {
    for (const hit of this.ray(x, y).intersectObjects(this.bodies, true)) {
      let o: Object3D | null = hit.object;
      while (o && o.userData.body === undefined) o = o.parent;
      this.lastHit.copy(hit.point);
      if (o?.visible && (hit.object as Mesh).isMesh) return { body: o.userData.body, name: this.scene.bodies[o.userData.body].name };
    }
    return null;
  }

  highlight(body: number): void {
    this.bodies.forEach((g, i) => g.traverse((o) => {
      const m = (o as Mesh).material as MeshStandardMaterial | undefined;
      if (m && (o as Mesh).isMesh && m.emissive) m.emissive.set(i === body ? "#33506e" : "#000000");
    }));
    this.dirty = true;
  }

  private keys(): void {
    this.canvas.addEventListener("keydown", (e) => {
      const turn: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      const offset = this.camera.position.clone().sub(this.controls.target);
      if (turn[e.key]) {
        const [a, b] = turn[e.key], side = new Vector3().crossVectors(this.up, offset).normalize();
        offset.applyAxisAngle(this.up, 0.08 * a).applyAxisAngle(side, -0.08 * b);
      } else if (e.key === "+" || e.key === "-") offset.multiplyScalar(e.key === "+" ? 0.9 : 1.1);
      else if (e.key === "Home") { this.home(); return; } else return;
      e.preventDefault();
      this.camera.position.copy(this.controls.target).add(offset);
      this.controls.update();
      this.dirty = true;
    });
    this.canvas.addEventListener("dblclick", () => this.home());
  }

  private resize(): void {
    const w = Math.max(2, this.host.clientWidth), height = Math.max(2, this.host.clientHeight);
    if (this.renderer) {
      this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
      this.renderer.setSize(w, height, false);
    } else {
      this.canvas.width = w;
      this.canvas.height = height;
    }
    this.camera.aspect = w / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  private draw(): void {
    if (!this.dirty || !this.host.clientWidth) return;
    this.dirty = false;
    this.drawn++;
    this.camera.updateMatrixWorld();
    if (this.renderer) this.renderer.render(this.root, this.camera);
    else drawFlat(this.canvas, this.root, this.camera);
    if (this.options.labels) this.drawLabels();
  }

  // Those of arrows first; a label that would lie over another one is left out.
  private drawLabels(): void {
    const v = new Vector3(), taken: [number, number, number][] = [];
    this.arrowLabels.forEach((label, i) => {
      const mark = this.arrows.group.children[i], a = this.arrows.list[i];
      v.setFromMatrixPosition(mark.matrixWorld).project(this.camera);
      this.put(label, v, mark.visible && this.options.arrows, () => `${a.name} ${say(this.sizes[i], 3)} ${a.kind === "force" ? "N" : "N·m"}`, taken);
    });
    this.labels.forEach((label, i) => {
      v.setFromMatrixPosition(this.bodies[i].matrix).project(this.camera);
      this.put(label, v, this.bodies[i].visible, () => this.scene.bodies[i].name, taken);
    });
  }

  private put(label: HTMLElement, v: Vector3, shown: boolean, text: () => string, taken: [number, number, number][]): void {
    const x = (v.x + 1) / 2 * this.host.clientWidth, y = (1 - v.y) / 2 * this.host.clientHeight, words = shown && v.z <= 1 ? text() : "", wide = 7 * words.length + 12;
    label.hidden = !words || taken.some(([a, b, w]) => x < a + w && a < x + wide && Math.abs(y - b) < 18);
    if (label.hidden) return;
    taken.push([x, y, wide]);
    label.textContent = words;
    label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  }

  // A video of what is drawn from now on; the function that it gives ends it.
  film(done: (file: Blob) => void): () => void {
    const recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: "video/webm" }), parts: Blob[] = [];
    recorder.ondataavailable = (e) => parts.push(e.data);
    recorder.onstop = () => done(new Blob(parts, { type: "video/webm" }));
    recorder.start();
    return () => recorder.stop();
  }

  dispose(): void {
    this.stopped = true;
    this.watcher.disconnect();
    this.controls.dispose();
    this.root.traverse((o) => (o as Mesh).geometry?.dispose?.());
    this.renderer?.dispose();
    this.renderer?.forceContextLoss();
    this.host.replaceChildren();
  }
}

function localStorageFlag(name: string): boolean {
  try { return localStorage.getItem(name) === "1"; } catch { return false; }
}
