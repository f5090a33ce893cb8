// The connection to the server: commands out; JSON messages, frames and files in.

class Wire {
  /** Handlers by kind of message; `frame`, `track` and `file` take binary ones. */
  constructor(hear) {
    this.hear = hear;
    this.largest = Infinity;
    this.outgoing = new Map(); // announced files by name
    this.delivered = Promise.resolve();
    this.socket = new WebSocket(`ws://${location.host}/wire${location.search}`); // with the token
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = ({ data }) => (typeof data === "string" ? this.said(JSON.parse(data)) : this.bytes(data));
    this.socket.onclose = () => this.ends("The studio has closed. Start it again with `poise studio`.");
  }

  /** End the connection with a notice. */
  ends(text) {
    this.socket.onclose = null;
    busy("");
    toast(text, "error lasting", { "Reload this page": () => location.reload() });
  }

  said(message) {
    if (message.say === "send") return this.deliver(this.outgoing.get(message.name));
    if (message.say === "welcome") this.largest = message.largest;
    this.hear[message.say]?.(message);
  }

  bytes(data) {
    const [kind, length] = new Uint32Array(data, 0, 2);
    if (kind === 1) return this.hear.frame(data);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length)));
    if (kind === 3) return this.hear.track(new Track(head, new Float32Array(data, 8 + length)));
    this.hear.file(head.name, new Uint8Array(data, 8 + length));
  }

  send(name, more = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ do: name, ...more }));
  }

  /** Send a file that the server asks for, after the earlier ones; one that cannot be read is sent empty, and refused. */
  deliver(file) {
    this.delivered = this.delivered.then(async () => this.socket.send(await file.arrayBuffer().catch(() => new ArrayBuffer(0))));
  }

  /** Announce a file; it is sent when the server asks for it. */
  upload(file) {
    if (file.size > this.largest) {
      toast(`${file.name} is larger than ${Math.round(this.largest / 2 ** 20)} MB`, "error");
      return;
    }
    this.outgoing.set(file.name, file);
    this.send("upload", { name: file.name, size: file.size });
  }
}
