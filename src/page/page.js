// Pictures that are larger than the page: a bond graph is looked at in a window of its own that zooms and scrolls.
"use strict";
(function () {
  for (const figure of document.querySelectorAll("figure.graph")) {
    const picture = figure.querySelector("img"), bar = figure.previousElementSibling;
    if (!picture || !bar) continue;
    let zoom = 1; // 1: as wide as the window
    function show(next, x, y) {
      const old = zoom, box = figure.getBoundingClientRect();
      const px = x === undefined ? box.width / 2 : x - box.left, py = y === undefined ? box.height / 2 : y - box.top;
      const left = figure.scrollLeft + px, top = figure.scrollTop + py;
      zoom = Math.min(Math.max(next, 1), 40);
      picture.style.width = 100 * zoom + "%";
      picture.style.maxWidth = "none";
      figure.scrollLeft = left * zoom / old - px;
      figure.scrollTop = top * zoom / old - py;
    }
    bar.querySelector(".in").onclick = () => show(zoom * 1.5);
    bar.querySelector(".out").onclick = () => show(zoom / 1.5);
    bar.querySelector(".fit").onclick = () => show(1);
    bar.querySelector(".real").onclick = () => show(picture.naturalWidth / figure.clientWidth);
    figure.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      show(zoom * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    }, { passive: false });
    let from = null;
    figure.addEventListener("pointerdown", (event) => {
      from = [event.clientX + figure.scrollLeft, event.clientY + figure.scrollTop];
      figure.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    figure.addEventListener("pointermove", (event) => {
      if (!from) return;
      figure.scrollLeft = from[0] - event.clientX;
      figure.scrollTop = from[1] - event.clientY;
    });
    figure.addEventListener("pointerup", () => { from = null; });
  }
})();
