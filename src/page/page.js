// Bond graphs: a window that zooms and scrolls, parts that open on a click, strokes one by one with their reasons.
"use strict";
(function () {
  for (const figure of document.querySelectorAll("figure.graph")) {
    const bar = figure.previousElementSibling, said = bar && bar.querySelector(".said");
    const views = [...figure.querySelectorAll(".view")];
    if (!bar || !views.length) continue;
    const words = said.textContent;
    let zoom = 1; // 1: as wide as the window
    const view = () => views.find((v) => !v.hidden);
    const picture = () => view().querySelector("svg");
    const natural = () => picture().viewBox.baseVal.width;
    function show(next, x, y) {
      const old = zoom, box = figure.getBoundingClientRect();
      const px = x === undefined ? box.width / 2 : x - box.left, py = y === undefined ? box.height / 2 : y - box.top;
      const left = figure.scrollLeft + px, top = figure.scrollTop + py;
      zoom = Math.min(Math.max(next, 0.2), 40);
      picture().style.width = 100 * zoom + "%";
      picture().style.height = "auto";
      figure.scrollLeft = left * zoom / old - px;
      figure.scrollTop = top * zoom / old - py;
    }
    const fit = () => show(Math.min(1, natural() / figure.clientWidth));

    // --- parts that open
    const up = bar.querySelector(".up"), way = [];
    function open(next, remember) {
      if (!next || next === view()) return;
      if (remember) way.push(view());
      for (const v of views) v.hidden = v !== next;
      if (up) up.hidden = !way.length;
      stop();
      fit();
    }
    const part = (path) => views.find((v) => v.dataset.view === "part" && v.dataset.scope === path);
    if (up) up.onclick = () => open(way.pop(), false);
    const all = bar.querySelector(".fold-all");
    if (all) all.onclick = () => {
      const folded = view().dataset.view === "whole";
      way.length = 0;
      open(views.find((v) => v.dataset.view === (folded ? "folded" : "whole")) || views[0], false);
    };

    // --- strokes one by one
    let step = 0;
    const bonds = () => [...picture().querySelectorAll(".bond[data-order]")]
      .sort((a, b) => a.dataset.order - b.dataset.order);
    function stop() {
      step = 0;
      said.textContent = words;
      for (const b of figure.querySelectorAll(".bond")) b.classList.remove("later", "now");
    }
    function play(to) {
      const list = bonds();
      if (to < 1 || to > list.length) return stop();
      step = to;
      list.forEach((b, i) => {
        b.classList.toggle("later", i >= step);
        b.classList.toggle("now", i === step - 1);
      });
      said.textContent = step + " of " + list.length + ": " + list[step - 1].querySelector("title").textContent;
    }
    bar.querySelector(".step").onclick = () => play(step + 1);
    bar.querySelector(".step-back").onclick = () => play(step - 1);

    // --- zoom and drag
    bar.querySelector(".in").onclick = () => show(zoom * 1.5);
    bar.querySelector(".out").onclick = () => show(zoom / 1.5);
    bar.querySelector(".fit").onclick = fit;
    bar.querySelector(".real").onclick = () => show(natural() / figure.clientWidth);
    figure.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      show(zoom * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    }, { passive: false });
    let from = null, moved = false;
    figure.addEventListener("pointerdown", (event) => {
      from = [event.clientX + figure.scrollLeft, event.clientY + figure.scrollTop, event.clientX, event.clientY];
      moved = false;
    });
    figure.addEventListener("pointermove", (event) => {
      if (!from) return;
      moved = moved || Math.hypot(event.clientX - from[2], event.clientY - from[3]) > 4;
      figure.scrollLeft = from[0] - event.clientX;
      figure.scrollTop = from[1] - event.clientY;
    });
    addEventListener("pointerup", () => { from = null; });
    figure.addEventListener("click", (event) => {
      const box = event.target.closest && event.target.closest(".fold");
      if (box && !moved) open(part(box.dataset.path), true);
    });
    fit();
  }
})();
