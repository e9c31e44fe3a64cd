// The viewer of a recorded motion: bodies as solids, a floor, a clock. Plain WebGL, no library.
//
//   scene.bodies[i].pose = x y z  qw qx qy qz   per recorded time      (scene.c writes it)
//
//   clip = projection * eye * body(t) * part
"use strict";
(function () {
  const canvas = document.getElementById("view");
  if (!canvas) return;
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const gl = canvas.getContext("webgl", { antialias: true });
  const note = document.getElementById("view-note");
  if (!gl) {
    note.textContent = "This browser shows no WebGL; the plots below need none.";
    return;
  }

  // --- small algebra: column-major 4 x 4, vectors of 3 -------------------------------------------
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const length = (a) => Math.hypot(a[0], a[1], a[2]);
  const unit = (a) => { const n = length(a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
  function times(a, b) {
    const c = new Float32Array(16);
    for (let j = 0; j < 4; j++)
      for (let i = 0; i < 4; i++) {
        let s = 0;
        for (let k = 0; k < 4; k++) s += a[4 * k + i] * b[4 * j + k];
        c[4 * j + i] = s;
      }
    return c;
  }
  // Columns x, y, z and the origin.
  const frame = (x, y, z, o) => new Float32Array([...x, 0, ...y, 0, ...z, 0, ...o, 1]);
  function poseMatrix(p, k) {
    const [x, y, z, w, a, b, c] = p.slice(7 * k, 7 * k + 7);
    return frame([1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b)],
      [2 * (a * b - w * c), 1 - 2 * (a * a + c * c), 2 * (b * c + w * a)],
      [2 * (a * c + w * b), 2 * (b * c - w * a), 1 - 2 * (a * a + b * b)], [x, y, z]);
  }
  const carry = (m, p) => [0, 1, 2].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]);

  // --- solids: triangles with normals -------------------------------------------------------------
  function box(a, b, c) {
    const out = [];
    for (let axis = 0; axis < 3; axis++)
      for (const side of [-1, 1]) {
        const n = [0, 0, 0], u = [0, 0, 0], v = [0, 0, 0], half = [a / 2, b / 2, c / 2];
        n[axis] = side; u[(axis + 1) % 3] = 1; v[(axis + 2) % 3] = side;
        const at = (s, t) => [0, 1, 2].map((i) => half[i] * (n[i] + s * u[i] + t * v[i]));
        for (const [s, t] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) out.push(...at(s, t), ...n);
      }
    return out;
  }
  function turned(outline, normals) { // about z; outline of (radius, z), a normal per segment
    const out = [], steps = 40;
    for (let i = 0; i < steps; i++) {
      const a = 2 * Math.PI * i / steps, b = 2 * Math.PI * (i + 1) / steps;
      for (let k = 0; k + 1 < outline.length; k++) {
        const at = (t, j) => [outline[j][0] * Math.cos(t), outline[j][0] * Math.sin(t), outline[j][1]];
        const n = (t, j) => {
          const m = normals[k].length === 2 && Array.isArray(normals[k][0]) ? normals[k][j - k] : normals[k];
          return [m[0] * Math.cos(t), m[0] * Math.sin(t), m[1]];
        };
        for (const [t, j] of [[a, k], [b, k], [b, k + 1], [a, k], [b, k + 1], [a, k + 1]]) out.push(...at(t, j), ...n(t, j));
      }
    }
    return out;
  }
  const cylinder = (r, l) => turned([[0, -l / 2], [r, -l / 2], [r, l / 2], [0, l / 2]], [[0, -1], [1, 0], [0, 1]]);
  const tube = (R, r, l) => turned([[r, -l / 2], [R, -l / 2], [R, l / 2], [r, l / 2], [r, -l / 2]],
    [[0, -1], [1, 0], [0, 1], [-1, 0]]);
  function sphere(r) {
    const outline = [], normals = [], n = 20;
    const at = (i) => [Math.sin(Math.PI * i / n), -Math.cos(Math.PI * i / n)];
    for (let i = 0; i <= n; i++) outline.push(at(i).map((x) => r * x));
    for (let i = 0; i < n; i++) normals.push([at(i), at(i + 1)]);
    return turned(outline, normals);
  }
  function along(from, to) { // a frame whose z leads from one point to the other, in the middle
    const z = unit(sub(to, from));
    const x = unit(cross(Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], z));
    return frame(x, cross(z, x), z, [0, 1, 2].map((i) => (from[i] + to[i]) / 2));
  }

  // Meshes come as numbers in letters: corners on a grid, three of them to a triangle. Faces that meet at a small
  // angle share their normals.
  function bytes(letters) { return Uint8Array.from(atob(letters), (c) => c.charCodeAt(0)).buffer; }
  const meshes = (scene.meshes || []).map((m) => ({
    low: m.low, step: m.step, colours: m.colours, before: m.before,
    corners: new Uint16Array(bytes(m.corners), 0, 3 * m.count[0]),
    triangles: new Uint32Array(bytes(m.triangles), 0, 3 * m.count[1]),
    paint: m.paint ? new Uint8Array(bytes(m.paint), 0, m.count[1]) : null,
  }));
  function meshBox(m, scale) {
    const high = [0, 0, 0];
    m.corners.forEach((c, i) => { if (c > high[i % 3]) high[i % 3] = c; });
    const ends = [0, 1, 2].map((i) => [scale[i] * m.low[i], scale[i] * (m.low[i] + m.step * high[i])]);
    return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((i) => ends[i][k >> i & 1]));
  }
  function meshNormals(m, at) { // three per triangle
    const count = m.triangles.length / 3, flat = new Float32Array(3 * count), out = new Float32Array(9 * count);
    const corner = (k) => at.subarray(3 * m.triangles[k], 3 * m.triangles[k] + 3);
    const around = new Uint32Array(at.length / 3 + 1), faces = new Uint32Array(3 * count);
    for (let t = 0; t < count; t++) { // twice the area
      const o = corner(3 * t), n = cross(sub(corner(3 * t + 1), o), sub(corner(3 * t + 2), o));
      flat.set(n, 3 * t);
      for (let i = 0; i < 3; i++) around[m.triangles[3 * t + i] + 1]++;
    }
    for (let i = 1; i < around.length; i++) around[i] += around[i - 1];
    const next = around.slice();
    for (let k = 0; k < 3 * count; k++) faces[next[m.triangles[k]]++] = k / 3 | 0;
    for (let k = 0; k < 3 * count; k++) {
      const own = flat.subarray(3 * (k / 3 | 0), 3 * (k / 3 | 0) + 3), size = length(own), sum = [own[0], own[1], own[2]];
      const first = around[m.triangles[k]], last = around[m.triangles[k] + 1];
      for (let j = first; j < last && last - first <= 64; j++) {
        const other = flat.subarray(3 * faces[j], 3 * faces[j] + 3);
        if (faces[j] !== (k / 3 | 0) && dot(own, other) > 0.8 * size * length(other)) for (let i = 0; i < 3; i++) sum[i] += other[i];
      }
      out.set(unit(sum), 3 * k);
    }
    return out;
  }
  // Triangles with normals, as other solids have them: one list for each colour.
  function meshSolids(m, scale) {
    const at = new Float32Array(m.corners.length), mirrored = scale[0] * scale[1] * scale[2] < 0;
    for (let i = 0; i < at.length; i++) at[i] = scale[i % 3] * (m.low[i % 3] + m.step * m.corners[i]);
    const normals = meshNormals(m, at), lists = new Map();
    for (let t = 0; t < m.triangles.length / 3; t++) {
      const paint = m.paint ? m.paint[t] : 0;
      if (!lists.has(paint)) lists.set(paint, []);
      for (const i of mirrored ? [0, 2, 1] : [0, 1, 2]) {
        const c = 3 * m.triangles[3 * t + i], n = 9 * t + 3 * i, s = mirrored ? -1 : 1;
        lists.get(paint).push(at[c], at[c + 1], at[c + 2], s * normals[n], s * normals[n + 1], s * normals[n + 2]);
      }
    }
    return [...lists].map(([paint, data]) => ({ data, colour: paint ? m.colours[paint - 1] : null }));
  }
  function cage(a) { // the edges of a cube: stands for a mesh that is not there
    const out = [], thick = a / 20;
    for (let axis = 0; axis < 3; axis++)
      for (const [s, t] of [[-1, -1], [-1, 1], [1, -1], [1, 1]]) {
        const size = [thick, thick, thick], at = [0, 0, 0];
        size[axis] = a; at[(axis + 1) % 3] = s * a / 2; at[(axis + 2) % 3] = t * a / 2;
        const solid = box(...size);
        for (let k = 0; k < solid.length; k += 6) for (let i = 0; i < 3; i++) solid[k + i] += at[i];
        out.push(...solid);
      }
    return out;
  }

  // --- what is in the scene ------------------------------------------------------------------------
  const times_ = scene.time, count = times_.length;
  const low = [1e30, 1e30, 1e30], high = [-1e30, -1e30, -1e30];
  const reach = (p) => p.forEach((x, i) => { low[i] = Math.min(low[i], x); high[i] = Math.max(high[i], x); });
  const shapeFrame = (s) => frame([s.turn[0], s.turn[3], s.turn[6]], [s.turn[1], s.turn[4], s.turn[7]],
    [s.turn[2], s.turn[5], s.turn[8]], s.middle);
  const isMissing = (s) => s.kind === "mesh" && s.mesh === undefined;
  const shown = (s) => s.kind === "mesh" && !isMissing(s) ? meshBox(meshes[s.mesh], s.size).map((p) => carry(shapeFrame(s), p)) : [s.middle];
  for (const b of scene.bodies) {
    const ends = b.shapes.flatMap(shown);
    // what stands still and has shapes is as large as they are: the origin of the world may be far from all that there is to see
    const still = b.shapes.length > 0 && b.pose.every((x, i) => x === b.pose[i % 7]);
    if (still) { ends.forEach((p) => reach(carry(poseMatrix(b.pose, 0), p))); continue; }
    for (let k = 0; k < count; k += Math.max(1, Math.floor(count / 60))) {
      const m = poseMatrix(b.pose, k);
      for (const p of [[0, 0, 0], b.centre, ...ends, ...b.joints, ...b.frames]) reach(carry(m, p));
    }
  }
  const span = Math.max(length(sub(high, low)), ...scene.bodies.map((b) => Math.max(0, ...b.shapes.filter((s) => s.kind !== "mesh").map((s) => Math.max(...s.size)))), 1e-3);
  const palette = [[0.20, 0.45, 0.75], [0.90, 0.55, 0.15], [0.25, 0.62, 0.40], [0.72, 0.30, 0.35],
    [0.52, 0.42, 0.72], [0.35, 0.60, 0.68], [0.78, 0.68, 0.25], [0.55, 0.55, 0.58]];
  const buffer = (data) => {
    const b = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, b);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.STATIC_DRAW);
    return b;
  };
  const identity = frame([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]);
  const parts = []; // solid: buffer, count, at, colour, body
  const add = (data, at, colour, body) => parts.push({ data: buffer(data), n: data.length / 6, at, colour, body });
  scene.bodies.forEach((b, i) => {
    const still = b.name === "world", colour = still ? [0.62, 0.62, 0.60] : palette[i % palette.length];
    for (const s of b.shapes) {
      const [p, q, r] = s.size, at = shapeFrame(s), own = s.colour || colour;
      if (s.kind === "box") add(box(p, q, r), at, own, i);
      else if (s.kind === "cylinder") add(cylinder(p, q), at, own, i);
      else if (s.kind === "sphere") add(sphere(p), at, own, i);
      else if (s.kind === "tube") add(tube(p, q, r), at, own, i);
      else if (isMissing(s)) add(cage(span / 30), at, own, i);
      else for (const part of meshSolids(meshes[s.mesh], s.size)) add(part.data, at, s.colour || part.colour || colour, i);
    }
    if (still) return;
    if (b.shapes.every(isMissing)) { // no shape given: rods from the body's origin to whatever is on it
      const thick = span / 90, ends = [...b.joints, ...b.frames, ...(b.heavy ? [b.centre] : [])];
      for (const e of ends) {
        const l = length(e);
        if (l > span * 1e-3) add(cylinder(thick, l), along([0, 0, 0], e), colour, i);
      }
      if (b.heavy) add(sphere(thick * 2), frame([1, 0, 0], [0, 1, 0], [0, 0, 1], b.centre), colour, i);
    }
    add(sphere(span / 70), identity, [0.25, 0.25, 0.28], i); // the joint it hangs on
  });

  // --- lines: floor, axes, the way of each frame --------------------------------------------------
  const up = length(scene.gravity) > 0 ? unit(scene.gravity.map((x) => -x)) : [0, 0, 1];
  const east = unit(Math.abs(up[0]) < 0.9 ? sub([1, 0, 0], up.map((x) => x * up[0])) : cross([0, 1, 0], up));
  const north = cross(up, east);
  const middle = [0, 1, 2].map((i) => (low[i] + high[i]) / 2);
  const cell = Math.pow(10, Math.floor(Math.log10(span))) / (span / Math.pow(10, Math.floor(Math.log10(span))) < 3 ? 5 : 1);
  const lines = [];
  (function floor() {
    const n = 12, height = Math.min(0, dot(up, low), dot(up, high)), out = [];
    const round = (x) => Math.round(x / cell) * cell;
    const e0 = round(dot(middle, east)), n0 = round(dot(middle, north));
    const at = (i, j) => [0, 1, 2].map((k) => (e0 + i * cell) * east[k] + (n0 + j * cell) * north[k] + height * up[k]);
    for (let i = -n; i <= n; i++) out.push(...at(i, -n), ...at(i, n), ...at(-n, i), ...at(n, i));
    lines.push({ data: buffer(out), n: out.length / 3, colour: [0.82, 0.85, 0.88], mode: gl.LINES });
  })();
  [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((a) =>
    lines.push({ data: buffer([0, 0, 0, ...a.map((x) => x * span / 6)]), n: 2, colour: a.map((x) => 0.75 * x), mode: gl.LINES }));
  scene.bodies.forEach((b, i) => b.frames.forEach((f) => {
    const out = [];
    for (let k = 0; k < count; k++) out.push(...carry(poseMatrix(b.pose, k), f));
    lines.push({ data: buffer(out), n: count, colour: palette[i % palette.length], mode: gl.LINE_STRIP, way: true });
  }));

  // --- drawing -------------------------------------------------------------------------------------
  function program(vertex, fragment) {
    const p = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const s = gl.createShader(kind);
      gl.shaderSource(s, text);
      gl.compileShader(s);
      gl.attachShader(p, s);
    }
    gl.linkProgram(p);
    return p;
  }
  const solid = program(
    "attribute vec3 p, n; uniform mat4 clip, place; varying vec3 v;" +
    "void main() { v = (place * vec4(n, 0.0)).xyz; gl_Position = clip * place * vec4(p, 1.0); }",
    "precision mediump float; varying vec3 v; uniform vec3 colour, light, sky;" +
    "void main() { vec3 n = normalize(gl_FrontFacing ? v : -v); float d = max(dot(n, light), 0.0), h = 0.5 + 0.5 * dot(n, sky);" +
    " gl_FragColor = vec4(colour * (0.35 + 0.30 * h + 0.55 * d), 1.0); }");
  const plain = program("attribute vec3 p; uniform mat4 clip; void main() { gl_Position = clip * vec4(p, 1.0); }",
    "precision mediump float; uniform vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }");
  const eye = { turn: 0.7, lift: 0.45, far: 1.5 * span, at: middle.slice() };
  const start = JSON.parse(JSON.stringify(eye));
  function camera() {
    const ce = Math.cos(eye.lift), se = Math.sin(eye.lift), ct = Math.cos(eye.turn), st = Math.sin(eye.turn);
    const back = [0, 1, 2].map((i) => ce * (ct * east[i] + st * north[i]) + se * up[i]);
    const right = unit(cross(up, back)), above = cross(back, right);
    const from = [0, 1, 2].map((i) => eye.at[i] + eye.far * back[i]);
    const look = new Float32Array([right[0], above[0], back[0], 0, right[1], above[1], back[1], 0,
      right[2], above[2], back[2], 0, -dot(right, from), -dot(above, from), -dot(back, from), 1]);
    const f = 1 / Math.tan(0.36), near = eye.far / 100, far = eye.far * 20 + 30 * span;
    const lens = new Float32Array([f * canvas.height / canvas.width, 0, 0, 0, 0, f, 0, 0,
      0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
    return { clip: times(lens, look), right, above, back };
  }
  function attribute(p, name, size, stride, offset) {
    const a = gl.getAttribLocation(p, name);
    gl.enableVertexAttribArray(a);
    gl.vertexAttribPointer(a, size, gl.FLOAT, false, stride, offset);
  }
  function draw(k) {
    const dense = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * dense;
    canvas.height = canvas.clientHeight * dense;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0.965, 0.973, 0.98, 1);
    gl.enable(gl.DEPTH_TEST);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const c = camera();
    gl.useProgram(plain);
    gl.uniformMatrix4fv(gl.getUniformLocation(plain, "clip"), false, c.clip);
    for (const l of lines) {
      gl.bindBuffer(gl.ARRAY_BUFFER, l.data);
      attribute(plain, "p", 3, 12, 0);
      gl.uniform3fv(gl.getUniformLocation(plain, "colour"), l.colour);
      gl.drawArrays(l.mode, 0, l.way ? k + 1 : l.n);
    }
    gl.useProgram(solid);
    gl.uniformMatrix4fv(gl.getUniformLocation(solid, "clip"), false, c.clip);
    gl.uniform3fv(gl.getUniformLocation(solid, "light"),
      unit([0, 1, 2].map((i) => c.back[i] + 0.6 * c.right[i] + 0.9 * c.above[i])));
    gl.uniform3fv(gl.getUniformLocation(solid, "sky"), up);
    const poses = scene.bodies.map((b) => poseMatrix(b.pose, k));
    for (const s of parts) {
      gl.bindBuffer(gl.ARRAY_BUFFER, s.data);
      attribute(solid, "p", 3, 24, 0);
      attribute(solid, "n", 3, 24, 12);
      gl.uniformMatrix4fv(gl.getUniformLocation(solid, "place"), false, times(poses[s.body], s.at));
      gl.uniform3fv(gl.getUniformLocation(solid, "colour"), s.colour);
      gl.drawArrays(gl.TRIANGLES, 0, s.n);
    }
  }

  // --- clock and controls --------------------------------------------------------------------------
  const button = document.getElementById("play"), slider = document.getElementById("moment");
  const speed = document.getElementById("speed"), label = document.getElementById("clock");
  let running = false, now = times_[0], last = 0;
  const end = times_[count - 1];
  function nearest(t) {
    let a = 0, b = count - 1;
    while (b - a > 1) { const m = (a + b) >> 1; if (times_[m] <= t) a = m; else b = m; }
    return t - times_[a] <= times_[b] - t ? a : b;
  }
  function show() {
    const k = nearest(now);
    slider.value = k;
    label.textContent = times_[k].toFixed(2) + " s";
    draw(k);
  }
  function tick(ms) {
    if (!running) return;
    now += last ? (ms - last) / 1000 * Number(speed.value) : 0;
    last = ms;
    if (now > end) now = times_[0];
    show();
    requestAnimationFrame(tick);
  }
  function play(on) {
    running = on;
    button.textContent = on ? "Pause" : "Play";
    last = 0;
    if (on) requestAnimationFrame(tick);
  }
  slider.max = count - 1;
  button.onclick = () => play(!running);
  slider.oninput = () => { play(false); now = times_[Number(slider.value)]; show(); };
  document.getElementById("home").onclick = () => { Object.assign(eye, JSON.parse(JSON.stringify(start))); show(); };
  let held = null;
  canvas.onpointerdown = (e) => { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); };
  canvas.onpointerup = () => { held = null; };
  canvas.onpointermove = (e) => {
    if (!held) return;
    const dx = e.clientX - held[0], dy = e.clientY - held[1];
    held = [e.clientX, e.clientY];
    if (e.shiftKey || e.buttons === 2) {
      const c = camera(), s = 0.72 * eye.far / canvas.clientHeight;
      for (let i = 0; i < 3; i++) eye.at[i] += s * (dy * c.above[i] - dx * c.right[i]);
    } else {
      eye.turn -= dx * 0.008;
      eye.lift = Math.max(-1.5, Math.min(1.5, eye.lift + dy * 0.008));
    }
    show();
  };
  canvas.oncontextmenu = (e) => e.preventDefault();
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    eye.far *= Math.exp(e.deltaY * 0.001);
    show();
  }, { passive: false });
  window.addEventListener("resize", show);
  const legend = document.getElementById("bodies");
  scene.bodies.forEach((b, i) => {
    const s = document.createElement("span"), dotted = document.createElement("i");
    const shape = b.shapes.find((x) => x.colour), colour = shape ? shape.colour : palette[i % palette.length];
    dotted.style.background = "rgb(" + colour.map((x) => Math.round(255 * x)).join(",") + ")";
    s.append(dotted, b.name);
    legend.append(s);
  });
  show();
  if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) play(true);
})();
