// A plot to look at closely: panels by unit over one x axis, values under the cursor, drag to zoom, double click to
// see all of it again. The picture on the page is drawn without this; here its curves come as numbers.
//
//   curves = { title, x, decades, xs: [[...]], y: [{ label, unit, x: index into xs, data: [...] }] }
"use strict";
(function () {
  const palette = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222"];
  const left = 78, right = 18, top = 30, low = 44, gap = 26;

  function niceStep(span, most) {
    const raw = span / most, power = Math.pow(10, Math.floor(Math.log10(raw)));
    for (const k of [1, 2, 5, 10]) if (k * power >= raw) return k * power;
    return 10 * power;
  }
  function say(v) {
    if (v === null || !isFinite(v)) return "-";
    const a = Math.abs(v);
    return v === 0 ? "0" : a >= 1e5 || a < 1e-3 ? v.toExponential(4) : String(+v.toPrecision(6));
  }
  function rises(x) {
    for (let i = 1; i < x.length; i++) if (x[i] < x[i - 1]) return false;
    return true;
  }
  // The point of a curve nearest to x (or, where x goes to and fro, to the cursor).
  function nearest(x, at) {
    let a = 0, b = x.length - 1;
    while (b - a > 1) { const m = (a + b) >> 1; if (x[m] <= at) a = m; else b = m; }
    return at - x[a] <= x[b] - at ? a : b;
  }

  function explore(plot) {
    const box = document.createElement("dialog");
    box.className = "explore";
    box.innerHTML = "<div class=\"controls\"><b></b><button class=\"all\">Show all</button>" +
      "<button class=\"close\">Close</button></div><canvas></canvas>" +
      "<p class=\"about\">Move for values, drag to zoom, double click for all of it.</p>";
    box.querySelector("b").textContent = plot.title || "";
    document.body.append(box);
    box.showModal();
    const canvas = box.querySelector("canvas"), c = canvas.getContext("2d");
    const time = plot.xs.every(rises);
    const units = [...new Set(plot.y.map((y) => y.unit))];
    let full = [Infinity, -Infinity];
    for (const x of plot.xs) for (const v of x) full = [Math.min(full[0], v), Math.max(full[1], v)];
    if (!(full[1] > full[0])) full = [full[0] - 0.5, full[0] + 0.5];
    let view = full.slice(), cursor = null, from = null;
    const W = () => canvas.clientWidth, H = () => canvas.clientHeight;
    const panelHeight = () => (H() - top - low - gap * (units.length - 1)) / units.length;
    const px = (x) => left + (x - view[0]) / (view[1] - view[0]) * (W() - left - right);
    const ux = (p) => view[0] + (p - left) / (W() - left - right) * (view[1] - view[0]);

    function range(unit) {
      let a = Infinity, b = -Infinity;
      for (const y of plot.y) {
        if (y.unit !== unit) continue;
        const x = plot.xs[y.x];
        for (let i = 0; i < x.length; i++) {
          if (y.data[i] === null || x[i] < view[0] || x[i] > view[1]) continue;
          a = Math.min(a, y.data[i]);
          b = Math.max(b, y.data[i]);
        }
      }
      if (!(b >= a)) return [0, 1];
      const room = (b - a || Math.abs(a) || 1) * 0.05;
      return [a - room, b + room];
    }

    function drawPanel(unit, number) {
      const h = panelHeight(), y0 = top + number * (h + gap), [a, b] = range(unit);
      const py = (v) => y0 + h - (v - a) / (b - a) * h;
      c.strokeStyle = "#e3e8ed";
      c.fillStyle = "#333";
      c.textAlign = "right";
      c.textBaseline = "middle";
      const step = niceStep(b - a, Math.max(2, h / 50));
      for (let v = Math.ceil(a / step) * step; v <= b; v += step) {
        c.beginPath(); c.moveTo(left, py(v)); c.lineTo(W() - right, py(v)); c.stroke();
        c.fillText(say(Math.abs(v) < step * 1e-9 ? 0 : v), left - 6, py(v));
      }
      const steps = niceStep(view[1] - view[0], Math.max(3, (W() - left - right) / 90));
      c.textAlign = "center";
      for (let v = Math.ceil(view[0] / steps) * steps; v <= view[1]; v += steps) {
        c.beginPath(); c.moveTo(px(v), y0); c.lineTo(px(v), y0 + h); c.stroke();
        if (number === units.length - 1)
          c.fillText(plot.decades ? say(Math.pow(10, v)) : say(Math.abs(v) < steps * 1e-9 ? 0 : v), px(v), y0 + h + 14);
      }
      c.strokeStyle = "#999";
      c.strokeRect(left, y0, W() - left - right, h);
      c.save();
      c.beginPath(); c.rect(left, y0, W() - left - right, h); c.clip();
      let legend = left + 4;
      const labels = [];
      plot.y.forEach((y, k) => {
        if (y.unit !== unit) return;
        const x = plot.xs[y.x];
        c.strokeStyle = palette[k % palette.length];
        c.setLineDash(k < palette.length ? [] : [7, 3]);
        c.lineWidth = 1.6;
        c.beginPath();
        let pen = false;
        for (let i = 0; i < x.length; i++) {
          if (y.data[i] === null) { pen = false; continue; }
          if (pen) c.lineTo(px(x[i]), py(y.data[i])); else c.moveTo(px(x[i]), py(y.data[i]));
          pen = true;
        }
        c.stroke();
        c.setLineDash([]);
        let text = y.label;
        if (cursor !== null && time) {
          const i = nearest(x, ux(cursor));
          text += " = " + say(y.data[i]);
          if (y.data[i] !== null) {
            c.fillStyle = c.strokeStyle;
            c.beginPath(); c.arc(px(x[i]), py(y.data[i]), 3.5, 0, 7); c.fill();
          }
        }
        labels.push([text, c.strokeStyle]);
      });
      c.restore();
      c.lineWidth = 1;
      c.textAlign = "left";
      for (const [text, color] of labels) {
        c.fillStyle = color;
        c.fillText(text, legend, y0 - 11);
        legend += c.measureText(text).width + 22;
      }
      c.fillStyle = "#666";
      c.textAlign = "right";
      c.fillText(unit ? "[" + unit + "]" : "", left - 6, y0 - 11);
    }

    function draw() {
      const ratio = window.devicePixelRatio || 1;
      canvas.width = W() * ratio;
      canvas.height = H() * ratio;
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      c.font = "12px system-ui, sans-serif";
      c.clearRect(0, 0, W(), H());
      units.forEach(drawPanel);
      c.fillStyle = "#333";
      c.textAlign = "center";
      c.fillText(plot.x, (left + W() - right) / 2, H() - 10);
      if (cursor !== null && time) {
        c.strokeStyle = "#888";
        c.beginPath(); c.moveTo(cursor, top); c.lineTo(cursor, H() - low); c.stroke();
        c.textAlign = "left";
        const at = ux(cursor);
        c.fillText(say(plot.decades ? Math.pow(10, at) : at), cursor + 5, H() - low - 9);
      }
      if (from !== null && cursor !== null) {
        c.fillStyle = "rgba(31,95,168,.15)";
        c.fillRect(Math.min(from, cursor), top, Math.abs(cursor - from), H() - top - low);
      }
    }

    const inside = (event) => Math.min(Math.max(event.offsetX, left), W() - right);
    canvas.onpointermove = (event) => { cursor = inside(event); draw(); };
    canvas.onpointerleave = () => { cursor = null; draw(); };
    canvas.onpointerdown = (event) => { from = inside(event); canvas.setPointerCapture(event.pointerId); };
    canvas.onpointerup = (event) => {
      const to = inside(event);
      if (from !== null && Math.abs(to - from) > 6) view = [ux(Math.min(from, to)), ux(Math.max(from, to))];
      from = null;
      draw();
    };
    const all = () => { view = full.slice(); draw(); };
    canvas.ondblclick = all;
    box.querySelector(".all").onclick = all;
    box.querySelector(".close").onclick = () => box.close();
    const resize = () => draw();
    window.addEventListener("resize", resize);
    box.addEventListener("close", () => { window.removeEventListener("resize", resize); box.remove(); });
    draw();
  }

  for (const figure of document.querySelectorAll(".plots figure")) {
    const script = figure.querySelector("script.curves");
    if (!script) continue;
    figure.tabIndex = 0;
    figure.title = "Click to look closer";
    figure.onclick = () => explore(JSON.parse(script.textContent));
    figure.onkeydown = (event) => { if (event.key === "Enter") figure.onclick(); };
  }
})();
