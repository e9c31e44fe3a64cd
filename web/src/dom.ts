// Elements from a word: h("button.primary", { title: "Run" }, "Play"). Strings are always text, never markup.
export type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(word: K | `${K}.${string}`, props?: Props | null, ...children: Child[]): HTMLElementTagNameMap[K];
export function h(word: string, props?: Props | null, ...children: Child[]): HTMLElement;
export function h(word: string, props?: Props | null, ...children: Child[]): HTMLElement {
  const [tag, ...classes] = word.split(".");
  const e = document.createElement(tag || "div");
  if (classes.length) e.className = classes.join(" ");
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on") && typeof value === "function") e.addEventListener(key.slice(2), value as EventListener);
    else if (key === "style" && typeof value === "object") Object.assign(e.style, value);
    else if (key in e && !key.includes("-") && key !== "list") (e as unknown as Props)[key] = value;
    else e.setAttribute(key, value === true ? "" : String(value));
  }
  e.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return e;
}

// Numbers for people: six digits, exponents where they help.
export function say(x: number | null | undefined, digits = 5): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const a = Math.abs(x);
  if (a !== 0 && (a >= 1e6 || a < 1e-3)) return x.toExponential(Math.max(0, digits - 2)).replace("e+", "e").replace("-", "−");
  return String(+x.toPrecision(digits)).replace("-", "−");
}

// Drawn in the current colour; names of the studio's own.
const shapes: Record<string, string> = {
  play: "M6 4l14 8-14 8z", pause: "M6 4h4v16H6zM14 4h4v16h-4z", step: "M5 4l10 8-10 8zM17 4h3v16h-3z",
  reset: "M12 5a7 7 0 1 1-6.6 4.7M4 4v6h6", camera: "M4 8h4l2-3h4l2 3h4v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7",
  back: "M20 12H5M11 5l-7 7 7 7", save: "M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6", moon: "M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z",
  plus: "M12 5v14M5 12h14", close: "M6 6l12 12M18 6L6 18", record: "M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12", page: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h6M9 17h6",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5", live: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M6 6a8.5 8.5 0 0 0 0 12M18 6a8.5 8.5 0 0 1 0 12",
  fold: "M4 4h7v7H4zM13 13h7v7h-7zM11 7.500h5.500V13", pen: "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4", bin: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v5M14 11v5", up: "M12 19V6M6 12l6-7 6 7",
  hand: "M8 13V6.500a1.500 1.500 0 0 1 3 0V11M11 11V4.500a1.500 1.500 0 0 1 3 0V11M14 11V6a1.500 1.500 0 0 1 3 0v8c0 4-2 6-5 6s-4.500-1.500-6-4.500l-1.500-3A1.500 1.500 0 0 1 7 11l1.500 2",
  gamepad: "M7 8h10a5 5 0 0 1 5 5c0 3-1.5 5-3.5 5S16 15 14 15h-4c-2 0-2.500 3-4.500 3S2 16 2 13a5 5 0 0 1 5-5zM8 10v4M6 12h4M16 11h.01M18 13h.01",
};
export function icon(name: string): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg"), p = document.createElementNS(ns, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon" + (["play", "pause", "record"].includes(name) ? " solid" : ""));
  svg.setAttribute("aria-hidden", "true");
  p.setAttribute("d", shapes[name] ?? "");
  svg.append(p);
  return svg;
}

export function button(label: string, picture: string, act: () => void, more: Props = {}): HTMLButtonElement {
  return h("button", { title: label, "aria-label": label, onclick: act, type: "button", ...more }, icon(picture)) as HTMLButtonElement;
}
