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

  // --- what is in the scene ------------------------------------------------------------------------
  const times_ = scene.time, count = times_.length;
  const low = [1e30, 1e30, 1e30], high = [-1e30, -1e30, -1e30];
  const reach = (p) => p.forEach((x, i) => { low[i] = Math.min(low[i], x); high[i] = Math.max(high[i], x); });
  for (const b of scene.bodies)
    for (let k = 0; k < count; k += Math.max(1, Math.floor(count / 60))) {
      const m = poseMatrix(b.pose, k);
      for (const p of [[0, 0, 0], b.centre, ...b.shapes.map((s) => s.middle), ...b.joints, ...b.frames])
        reach(carry(m, p));
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
    const shapes = b.shapes.filter((s) => s.kind !== "mesh"); // files are not read
    for (const s of shapes) {
      const t = s.turn, [p, q, r] = s.size;
      const at = frame([t[0], t[3], t[6]], [t[1], t[4], t[7]], [t[2], t[5], t[8]], s.middle);
      if (s.kind === "box") add(box(p, q, r), at, colour, i);
      else if (s.kind === "cylinder") add(cylinder(p, q), at, colour, i);
      else if (s.kind === "sphere") add(sphere(p), at, colour, i);
      else if (s.kind === "tube") add(tube(p, q, r), at, colour, i);
    }
    if (still) return;
    if (!shapes.length) { // no shape given: rods from the body's origin to whatever is on it
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
    "void main() { vec3 n = normalize(v); float d = max(dot(n, light), 0.0), h = 0.5 + 0.5 * dot(n, sky);" +
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
    dotted.style.background = "rgb(" + palette[i % palette.length].map((x) => Math.round(255 * x)).join(",") + ")";
    s.append(dotted, b.name);
    legend.append(s);
  });
  show();
  if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) play(true);
})();
