// The tools above a view: what is shown of it, whom it follows, a film of it.
import { button, h } from "./dom";
import { download } from "./parts";
import type { Viewer, ViewOptions } from "./viewer";

type Switch = "labels" | "frames" | "trails" | "arrows" | "water";
const words: [Switch, string][] = [["labels", "labels"], ["frames", "axes"], ["trails", "trails"], ["arrows", "forces"], ["water", "water"]];

export function viewTools(v: Viewer, name: () => string, changed: () => void): HTMLElement[] {
  const bodies = v.scene.bodies, hidden = new Set<number>();
  const check = ([key, label]: [Switch, string]) => h("label.check", null, h("input", {
    type: "checkbox", checked: v.options[key], "data-option": key,
    onchange: (e: Event) => { v.apply({ [key]: (e.target as HTMLInputElement).checked } as Partial<ViewOptions>); changed(); },
  }), label);
  const follow = h("select.follow", { "aria-label": "follow a body", onchange: () => v.apply({ follow: Number(follow.value) }) },
    h("option", { value: "-1" }, "follow …"), ...bodies.map((b, i) => h("option", { value: String(i) }, "follow " + b.name)));
  const hide = h("select.hide", {
    "aria-label": "hide or show a body", onchange: () => {
      const i = Number(hide.value);
      hide.value = "-1";
      if (i < 0) return;
      if (!hidden.delete(i)) hidden.add(i);
      v.show(i, !hidden.has(i));
      hide.options[i + 1].text = (hidden.has(i) ? "show " : "hide ") + bodies[i].name;
      changed();
    },
  }, h("option", { value: "-1" }, "hide …"), ...bodies.map((b, i) => h("option", { value: String(i) }, "hide " + b.name)));
  let stop: (() => void) | null = null;
  const film = button("Film what moves, as a video file", "record", () => {
    if (stop) stop();
    stop = stop ? null : v.film((file) => download(file, (name() || "motion") + ".webm"));
    film.classList.toggle("on", !!stop);
  }, { className: "film" });
  return [...words.filter(([key]) => key !== "arrows" || v.arrows.list.length).map(check), follow, hide, film, button("Whole view", "fit", () => v.home())];
}
