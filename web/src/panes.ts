// Panes that tell: equations of what is selected, the list of messages, the reasons of a bond, the state of the run.
import { button, h } from "./dom";
import type { LspMessage } from "./editor";
import type { Chosen } from "./draw";
import type { Built } from "./types";

export class Equations {
  readonly element = h("div.equations", { tabindex: 0, role: "region", "aria-label": "equations" });
  private selected = "";
  private asked = -1; // the revision that is shown, or on its way

  // Asks for those of a model when somebody looks at them.
  want(revision: number | undefined, ask: () => void): void {
    if (revision === undefined || revision === this.asked || !this.element.clientHeight) return;
    this.asked = revision;
    ask();
  }

  show(html: string): void {
    const parsed = new DOMParser().parseFromString(html, "text/html").body;
    parsed.querySelectorAll("script, iframe, object, link, style").forEach((e) => e.remove());
    for (const e of parsed.querySelectorAll("*")) for (const a of [...e.attributes]) if (/^on/i.test(a.name)) e.removeAttribute(a.name);
    this.element.replaceChildren(...parsed.childNodes);
    this.filter(this.selected);
  }
  none(): void { this.element.replaceChildren(h("p.soft", null, "The model does not build yet: the messages below the text say why.")); }

  // Only the lines that speak of what is selected; all when none does.
  filter(path: string): void {
    this.selected = path;
    const word = path.split(".").pop()!.replace(/\[.*/, ""), rows = [...this.element.querySelectorAll<HTMLElement>("mtr, mlabeledtr")];
    const fits = (r: Element) => !word || (r.textContent ?? "").replace(/\s/g, "").includes(word.replace(/_/g, ""));
    const some = word !== "" && rows.some(fits);
    rows.forEach((r) => r.classList.toggle("other", some && !fits(r)));
  }
}

export class Problems {
  readonly element = h("div.problems", { "aria-live": "polite", role: "log", "aria-label": "messages" });

  show(list: LspMessage[], reveal: (range: any) => void): void {
    const words = ["", "error", "warning", "note", "hint"];
    this.element.replaceChildren(...list.slice(0, 60).map((m) => h("button.problem." + words[m.severity], { type: "button", onclick: () => reveal(m.range) },
      h("b", null, `${m.range.start.line + 1}:${m.range.start.character + 1}`), h("i", null, m.code), h("span", null, m.message))));
    if (!list.length) this.element.append(h("p.soft", null, "No errors."));
  }
}

export interface AboutHost { plot(name: string): void; find(path: string): void; select(path: string): void; ends(bond: number): [string, string] | null }

// Why a stroke is where it is, what a component is, and their signals.
export class AboutPane {
  readonly element = h("div.about", { "aria-live": "polite" });
  constructor(private host: AboutHost) {}

  say(text: string): void { this.element.replaceChildren(h("b", null, text)); }
  append(more: HTMLElement): void { this.element.append(more); }

  // `built` null: the model is a sketch.
  show(what: Chosen | null, built: Built | null): void {
    if (!what) { this.element.replaceChildren(); return; }
    if (!built) { this.say(what.path ?? this.host.ends(what.bond!)?.join(" → ") ?? ""); return; }
    const close = button("Close", "close", () => { this.element.replaceChildren(); this.host.select(""); }, { className: "quiet" });
    const chip = (name: string, label: string) => h("button.chip", { type: "button", onclick: () => this.host.plot(name) }, label);
    if (what.bond !== undefined) {
      const list = built.about.bonds.filter((b) => b.bond === what.bond);
      this.element.replaceChildren(close, h("b", null, list[0]?.label ?? ""), ...list.slice(0, 6).map((b) => h("p", null, `${b.order}. ${b.reason}.`)),
        h("p", null, ...list.slice(0, 3).flatMap((b) => [b.e, b.f]).filter((n): n is string => !!n).map((n) => chip(n, "plot " + n))));
      return;
    }
    const path = what.path!, c = built.about.components.find((k) => k.path === path), own = built.variables.filter((v) => v.name.startsWith(path + ".")).slice(0, 8);
    this.element.replaceChildren(close, h("b", null, `${c?.type} ${path}`), c?.text ? h("p", null, c.text) : "", h("p", null, ...own.map((v) => chip(v.name, v.name.slice(path.length + 1)))),
      h("button.chip", { type: "button", onclick: () => this.host.find(path) }, "show in the text"));
    this.host.select(path);
  }
}
