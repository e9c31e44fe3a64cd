// The text: CodeMirror over the language server. Colours by meaning, messages as one types, hover, completion, remedies,
// formatting, the way to a definition.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, snippet, type Completion, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory, redo, undo, undoDepth } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, RangeSetBuilder, StateEffect, StateField, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { h } from "./dom";
import type { Net } from "./net";

interface Place { line: number; character: number }
interface Range { start: Place; end: Place }
export interface LspMessage { range: Range; severity: number; code: string; message: string }

const offset = (doc: Text, p: Place): number => {
  if (p.line >= doc.lines) return doc.length;
  const line = doc.line(p.line + 1);
  return Math.min(line.from + p.character, line.to);
};
const place = (doc: Text, at: number): Place => { const line = doc.lineAt(at); return { line: line.number - 1, character: at - line.from }; };

const setTokens = StateEffect.define<DecorationSet>();
const tokens = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, tr) {
    now = now.map(tr.changes);
    for (const e of tr.effects) if (e.is(setTokens)) now = e.value;
    return now;
  },
  provide: (f) => EditorView.decorations.from(f),
});
const fromOutside = Annotation.define<boolean>();

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--paper)", color: "var(--ink)" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--side)", color: "var(--soft)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--hover)" }, ".cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px", boxShadow: "0 6px 24px #0003", maxWidth: "38rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "#fff" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "var(--select)" },
  ".cm-panels": { backgroundColor: "var(--side)", color: "var(--ink)" },
});

export class Editor {
  readonly view: EditorView;
  private uri = "";
  private version = 0;
  private legend: string[] = [];
  private readonly fixed = new Compartment();
  private sent = ""; // what the server knows
  messages: LspMessage[] = [];
  changed: (text: string) => void = () => {};
  moved: (word: string) => void = () => {};
  told: (messages: LspMessage[]) => void = () => {};
  goTo: (uri: string, range: Range) => void = () => {};
  latency = 0; // ms from the last key press to its messages
  private typed = 0;

  constructor(host: HTMLElement, private net: Net) {
    this.view = new EditorView({ parent: host, state: this.state("") });
    net.on("lsp:textDocument/publishDiagnostics", (p) => { if (p.uri === this.uri) this.show(p.diagnostics); });
  }

  private state(text: string): EditorState {
    const extensions: Extension[] = [
      lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), history(), drawSelection(), bracketMatching(), closeBrackets(), lintGutter(), tokens, theme,
      search({ top: true }), highlightSelectionMatches(), indentUnit.of("  "), EditorState.tabSize.of(2),
      EditorView.contentAttributes.of({ "aria-label": "text of the model" }),
      autocompletion({ override: [(c) => this.complete(c)], activateOnTyping: true }),
      hoverTooltip((_v, at) => this.hover(at), { hoverTime: 350 }),
      keymap.of([
        { key: "Shift-Alt-f", run: () => { void this.format(); return true; } },
        { key: "F12", run: () => { void this.definition(); return true; } },
        { key: "Mod-.", run: () => { void this.mend(); return true; } },
        ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
      ]),
      this.fixed.of(EditorState.readOnly.of(false)),
      EditorView.updateListener.of((u) => {
        if (u.docChanged) {
          this.typed = performance.now();
          this.send();
          if (!u.transactions.some((t) => t.annotation(fromOutside))) this.changed(this.text);
        }
        if (u.selectionSet || u.docChanged) this.moved(this.wordAt(u.state.selection.main.head));
      }),
    ];
    return EditorState.create({ doc: text, extensions });
  }

  get text(): string { return this.view.state.doc.toString(); }

  // --- the server's copy

  async begin(): Promise<void> {
    const answer = await this.net.ask("initialize", { processId: null, rootUri: null, capabilities: { textDocument: { completion: { completionItem: { snippetSupport: true } } } } });
    this.legend = answer?.capabilities?.semanticTokensProvider?.legend?.tokenTypes ?? [];
    this.net.notify("initialized", {});
  }

  open(path: string, text: string): void {
    this.uri = "file://" + path.split("/").map(encodeURIComponent).join("/");
    this.messages = [];
    this.view.setState(this.state(text));
    this.reopen();
  }

  // Also after the connection was lost: the server that answers now knows nothing.
  reopen(): void {
    if (!this.uri) return;
    this.sent = this.text;
    this.net.notify("textDocument/didOpen", { textDocument: { uri: this.uri, languageId: "bondyn", version: ++this.version, text: this.sent } });
    void this.colour();
  }

  private send(): void {
    const now = this.text, before = this.sent;
    if (now === before) return;
    let a = 0, b = 0; // what both have in common at the front and at the back
    const least = Math.min(now.length, before.length);
    while (a < least && now.charCodeAt(a) === before.charCodeAt(a)) a++;
    while (b < least - a && now.charCodeAt(now.length - 1 - b) === before.charCodeAt(before.length - 1 - b)) b++;
    const at = (i: number): Place => { const head = before.slice(0, i), line = head.split("\n").length - 1; return { line, character: i - (head.lastIndexOf("\n") + 1) }; };
    this.net.notify("textDocument/didChange", {
      textDocument: { uri: this.uri, version: ++this.version },
      contentChanges: [{ range: { start: at(a), end: at(before.length - b) }, text: now.slice(a, now.length - b) }],
    });
    this.sent = now;
    clearTimeout(this.colouring);
    this.colouring = window.setTimeout(() => void this.colour(), 120);
  }
  private colouring = 0;

  replace(text: string): void {
    if (text === this.text) return;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  // --- what it says

  private show(list: LspMessage[]): void {
    const doc = this.view.state.doc;
    if (this.typed) this.latency = performance.now() - this.typed;
    this.typed = 0;
    this.messages = list;
    const found: Diagnostic[] = list.map((m) => {
      const from = offset(doc, m.range.start), to = Math.max(from, offset(doc, m.range.end));
      return { from, to, severity: m.severity === 1 ? "error" : m.severity === 2 ? "warning" : "info", message: m.message, source: m.code, actions: [{ name: "Mend", apply: () => void this.mend(m) }] };
    });
    this.view.dispatch(setDiagnostics(this.view.state, found));
    this.told(list);
  }

  private async colour(): Promise<void> {
    const version = this.version, answer = await this.net.ask("textDocument/semanticTokens/full", { textDocument: { uri: this.uri } });
    if (!answer || version !== this.version) return;
    const doc = this.view.state.doc, builder = new RangeSetBuilder<Decoration>(), data: number[] = answer.data;
    let line = 0, character = 0;
    for (let i = 0; i + 4 < data.length; i += 5) {
      line += data[i];
      character = data[i] ? data[i + 1] : character + data[i + 1];
      const from = offset(doc, { line, character }), to = Math.min(doc.length, from + data[i + 2]);
      if (to > from) builder.add(from, to, Decoration.mark({ class: "t-" + (this.legend[data[i + 3]] ?? "none") }));
    }
    this.view.dispatch({ effects: setTokens.of(builder.finish()) });
  }

  private where(at: number): object { return { textDocument: { uri: this.uri }, position: place(this.view.state.doc, at) }; }

  private async hover(at: number): Promise<{ pos: number; end: number; create: () => { dom: HTMLElement } } | null> {
    const answer = await this.net.ask("textDocument/hover", this.where(at));
    if (!answer) return null;
    const doc = this.view.state.doc, dom = h("div.hover", null, ...markdown(answer.contents.value));
    return { pos: offset(doc, answer.range.start), end: offset(doc, answer.range.end), create: () => ({ dom }) };
  }

  private async complete(c: CompletionContext): Promise<{ from: number; options: Completion[]; validFor: RegExp } | null> {
    const word = c.matchBefore(/[\w]*/), before = c.state.sliceDoc(Math.max(0, c.pos - 1), c.pos);
    if (!c.explicit && !word?.text && !/[.{(]/.test(before)) return null;
    const answer = await this.net.ask("textDocument/completion", this.where(c.pos));
    if (!answer?.items?.length) return null;
    const doc = this.view.state.doc, kinds: Record<number, string> = { 3: "function", 5: "property", 6: "variable", 7: "class", 9: "namespace", 10: "property", 11: "constant", 14: "keyword" };
    const options = answer.items.map((i: any): Completion => ({
      label: i.label, detail: i.detail, info: i.documentation, type: kinds[i.kind],
      apply: (view, completion, from, to) => {
        const more = (i.additionalTextEdits ?? []).map((e: any) => ({ from: offset(view.state.doc, e.range.start), to: offset(view.state.doc, e.range.end), insert: e.newText }));
        if (i.insertTextFormat === 2) snippet(i.textEdit.newText.replace(/\$(\d)/g, "${$1}").replace(/\$\{(\d):/g, "#{$1:").replace(/\$\{0\}/g, "${}"))(view, completion, from, to);
        else view.dispatch({ changes: { from, to, insert: i.textEdit.newText } , selection: { anchor: from + i.textEdit.newText.length } });
        if (more.length) view.dispatch({ changes: more });
      },
    }));
    return { from: offset(doc, answer.items[0].textEdit.range.start), options, validFor: /^\w*$/ };
  }

  // --- for the graph: its edits are steps of the same history

  get address(): string { return this.uri; }
  get depth(): number { return undoDepth(this.view.state); }
  undo(): void { undo(this.view); }
  redo(): void { redo(this.view); }
  apply(edits: { range: Range; newText: string }[]): void { this.edit(edits, isolateHistory.of("full")); }

  private edit(edits: { range: Range; newText: string }[], note?: Annotation<unknown>): void {
    const doc = this.view.state.doc;
    this.view.dispatch({ annotations: note ? [note] : [], changes: edits.map((e) => ({ from: offset(doc, e.range.start), to: offset(doc, e.range.end), insert: e.newText })) });
  }

  async format(): Promise<void> {
    const edits = await this.net.ask("textDocument/formatting", { textDocument: { uri: this.uri }, options: { tabSize: 2, insertSpaces: true } });
    if (edits?.length) this.edit(edits);
  }

  async definition(): Promise<void> {
    const answer = await this.net.ask("textDocument/definition", this.where(this.view.state.selection.main.head));
    if (!answer) return;
    if (answer.uri === this.uri) this.reveal(answer.range);
    else this.goTo(answer.uri, answer.range);
  }

  // What a message proposes, done.
  async mend(m?: LspMessage): Promise<boolean> {
    const at = place(this.view.state.doc, this.view.state.selection.main.head), range = m?.range ?? { start: at, end: at };
    const actions = await this.net.ask("textDocument/codeAction", { textDocument: { uri: this.uri }, range, context: { diagnostics: [] } });
    const edits = actions?.[0]?.edit?.changes?.[this.uri];
    if (edits) this.edit(edits);
    return !!edits;
  }

  reveal(range: Range): void {
    const doc = this.view.state.doc, from = offset(doc, range.start), to = offset(doc, range.end);
    this.view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.view.focus();
  }

  // Where a component is declared: by its path's last name.
  async find(path: string): Promise<void> {
    const name = path.replace(/\[.*?\]/g, "").split(".")[0], text = this.text;
    const hit = new RegExp(`(^|[^\\w.])(${name})(?=[^\\w])`, "m").exec(text);
    if (!hit) return;
    const from = hit.index + hit[1].length, doc = this.view.state.doc;
    this.reveal({ start: place(doc, from), end: place(doc, from + name.length) });
  }

  private wordAt(at: number): string {
    const line = this.view.state.doc.lineAt(at), left = /[\w.[\]]*$/.exec(line.text.slice(0, at - line.from))![0], right = /^[\w]*/.exec(line.text.slice(at - line.from))![0];
    return left + right;
  }
}

// The little of Markdown that the server writes: paragraphs, code, rulers. Texts stay texts.
export function markdown(text: string): HTMLElement[] {
  const out: HTMLElement[] = [];
  text.split(/```\w*\n([\s\S]*?)```/g).forEach((part, i) => {
    if (i % 2) out.push(h("pre", null, part.replace(/\n$/, "")));
    else for (const paragraph of part.split(/\n\s*\n/)) {
      if (!paragraph.trim()) continue;
      if (/^\s*---\s*$/.test(paragraph)) { out.push(h("hr")); continue; }
      const p = h("p");
      paragraph.trim().split(/(`[^`]*`|\*\*[^*]*\*\*)/g).forEach((piece) => p.append(
        piece.startsWith("`") ? h("code", null, piece.slice(1, -1)) : piece.startsWith("**") ? h("b", null, piece.slice(2, -2)) : piece));
      out.push(p);
    }
  });
  return out;
}
