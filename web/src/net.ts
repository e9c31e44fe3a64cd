// The connection to the server: JSON both ways, frames as numbers, and the language server in the same stream. When it
// breaks it is tried again; nothing that was typed depends on it.
type Handler = (message: any) => void;

export class Net {
  private socket: WebSocket | null = null;
  private handlers = new Map<string, Handler[]>();
  private waiting = new Map<number, (result: any, error?: string) => void>();
  private nextId = 1;
  private delay = 250;
  connected = false;
  bytes = 0; // that came in
  frames: (x: Float64Array) => void = () => {};

  constructor(private token: string) {}

  open(): void {
    const socket = new WebSocket(`ws://${location.host}/live?token=${encodeURIComponent(this.token)}`, "bondyn");
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.connected = true;
      this.delay = 250;
      this.emit("connected", {});
    };
    socket.onmessage = (event) => this.take(event.data);
    socket.onclose = () => {
      if (this.connected) this.emit("lost", {});
      this.connected = false;
      for (const answer of this.waiting.values()) answer(null);
      this.waiting.clear();
      setTimeout(() => this.open(), this.delay);
      this.delay = Math.min(4000, this.delay * 1.6);
    };
  }

  private take(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      this.bytes += data.byteLength;
      this.frames(new Float64Array(data));
      return;
    }
    this.bytes += data.length;
    const message = JSON.parse(data);
    if (message.do !== "lsp") {
      this.emit(message.do, message);
      return;
    }
    const m = message.message;
    if (m.method) this.emit("lsp:" + m.method, m.params);
    else if (this.waiting.has(m.id)) {
      this.waiting.get(m.id)!(m.error ? null : m.result, m.error?.message);
      this.waiting.delete(m.id);
    }
  }

  on(kind: string, handler: Handler): void {
    this.handlers.set(kind, [...(this.handlers.get(kind) ?? []), handler]);
  }
  emit(kind: string, message: any): void {
    for (const handler of this.handlers.get(kind) ?? []) handler(message);
  }

  private send(message: unknown): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
  text(what: string, more: object = {}): void { this.send({ to: "text", do: what, ...more }); }
  build(what: string, more: object = {}): void { this.send({ to: "build", do: what, ...more }); }
  live(what: string, more: object = {}): void { this.send({ to: "live", do: what, ...more }); }
  notify(method: string, params: object): void { this.send({ to: "lsp", message: { jsonrpc: "2.0", method, params } }); }
  ask(method: string, params: object): Promise<any> {
    if (!this.connected) return Promise.resolve(null);
    const id = this.nextId++;
    return new Promise((answer) => {
      this.waiting.set(id, answer);
      this.send({ to: "lsp", message: { jsonrpc: "2.0", id, method, params } });
    });
  }
  // As ask, with what the server says when it refuses.
  request(method: string, params: object): Promise<{ result: any; error?: string }> {
    if (!this.connected) return Promise.resolve({ result: null, error: "The server is gone." });
    const id = this.nextId++;
    return new Promise((answer) => {
      this.waiting.set(id, (result, error) => answer({ result, error }));
      this.send({ to: "lsp", message: { jsonrpc: "2.0", id, method, params } });
    });
  }
  // For tests: the connection breaks as if the network had.
  drop(): void { this.socket?.close(); }
}
