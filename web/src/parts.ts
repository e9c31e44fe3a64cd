// Small things of the page: what the browser keeps, downloads, tabs, borders that can be dragged.
import { h } from "./dom";

export function read(key: string): string | null { try { return localStorage.getItem(key); } catch { return null; } }
export function write(key: string, text: string): void { try { localStorage.setItem(key, text); } catch { /* full, or not allowed */ } }
export function forget(key: string): void { try { localStorage.removeItem(key); } catch { /* not allowed */ } }
export function parse(text: string | null): any { try { return text ? JSON.parse(text) : null; } catch { return null; } }

export function download(file: Blob, name: string): void {
  const a = h("a", { href: URL.createObjectURL(file), download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

export function brandMark(): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg"), p = document.createElementNS(ns, "path");
  svg.setAttribute("viewBox", "0 0 32 32");
  svg.setAttribute("class", "mark");
  svg.setAttribute("aria-hidden", "true");
  p.setAttribute("d", "M5 16H25M25 16l-7 5M25 8V24");
  svg.append(p);
  return svg;
}

export function tabs(id: string, list: [string, HTMLElement][]): HTMLElement {
  const panel = h("div.tab-panel", { id: id + "-panel", role: "tabpanel" }), buttons = list.map(([name], i) => h("button", {
    type: "button", role: "tab", id: `${id}-tab-${i}`, "aria-controls": id + "-panel", onclick: () => open(i),
    onkeydown: (e: KeyboardEvent) => { const d = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0; if (d) { const k = (i + d + list.length) % list.length; open(k); buttons[k].focus(); e.stopPropagation(); } },
  }, name));
  list.forEach(([, e]) => panel.append(e));
  const open = (k: number) => list.forEach(([, e], i) => {
    e.classList.toggle("hidden", i !== k);
    buttons[i].setAttribute("aria-selected", String(i === k));
    buttons[i].tabIndex = i === k ? 0 : -1;
    if (i === k) panel.setAttribute("aria-labelledby", buttons[i].id);
    dispatchEvent(new Event("resize"));
  });
  open(0);
  return h("div.tabs", { id }, h("div.tab-bar", { role: "tablist" }, ...buttons), panel);
}

// The border between two panes, to be dragged or moved by arrow keys.
export function gutter(variable: string, way: "x" | "y"): HTMLElement {
  const size = (): number => parseFloat(getComputedStyle(document.documentElement).getPropertyValue(variable)) || 30;
  const put = (v: number) => { document.documentElement.style.setProperty(variable, Math.min(75, Math.max(12, v)).toFixed(1) + (way === "x" ? "vw" : "%")); e.setAttribute("aria-valuenow", String(Math.round(size()))); };
  const back = variable === "--right" ? -1 : 1;
  const e = h("div.gutter." + way, { role: "separator", tabindex: 0, "aria-orientation": way === "x" ? "vertical" : "horizontal", "aria-label": "border between panes", "aria-valuenow": "30", "aria-valuemin": "12", "aria-valuemax": "75" });
  e.addEventListener("pointerdown", (p) => e.setPointerCapture(p.pointerId));
  e.addEventListener("pointermove", (p) => {
    if (!e.hasPointerCapture(p.pointerId)) return;
    const box = e.parentElement!.getBoundingClientRect();
    put(way === "x" ? 100 * (back > 0 ? p.clientX : innerWidth - p.clientX) / innerWidth : 100 * (p.clientY - box.top) / box.height);
  });
  e.addEventListener("keydown", (k) => {
    const d = ({ ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2 } as Record<string, number>)[k.key];
    if (d) { put(size() + back * d); k.preventDefault(); k.stopPropagation(); }
  });
  return e;
}
