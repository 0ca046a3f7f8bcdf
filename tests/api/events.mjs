// A listener to server-sent events, as a browser is one: what it heard, and where it would go on.
import { BASE } from './client.mjs';

export class Listener {
  heard = [];                    // {id, event, data}
  comments = 0;
  last = undefined;              // Last-Event-ID
  closed = false;

  constructor({ token, query = '', last, base = BASE, headers = {} }) {
    this.stop = new AbortController();
    this.last = last;
    const h = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...headers };
    if (last !== undefined) h['Last-Event-ID'] = String(last);
    this.opened = fetch(`${base}/api/v1/events${query}`, { headers: h, signal: this.stop.signal });
    this.done = this.#read().catch(() => {}).finally(() => { this.closed = true; });
  }

  // Resolves when the stream has begun: from then on nothing is missed.
  async open() {
    const r = await this.opened;
    if (r.status !== 200) throw new Error(`listening: ${r.status} ${await r.text()}`);
    while (this.last === undefined && !this.closed) await new Promise((go) => setTimeout(go, 5));
    return this;
  }

  async #read() {
    const r = await this.opened;
    if (r.status !== 200) return;
    const decoder = new TextDecoder();
    let text = '';
    this.reader = r.body.getReader();
    for (let piece; !(piece = await this.reader.read()).done;) {
      text += decoder.decode(piece.value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop();
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block) {
    const e = {};
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      if (colon === 0) this.comments++;
      else e[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
    }
    if (e.id !== undefined) this.last = Number(e.id);
    if (e.data !== undefined) this.heard.push({ id: Number(e.id), event: e.event, data: JSON.parse(e.data), at: Date.now() });
  }

  kinds() { return this.heard.map((e) => e.event); }

  // Node.js 18 forgets whom a signal stops once its memory has been tidied up: the connection would stay.
  async close() {
    await this.reader?.cancel().catch(() => {});
    this.stop.abort();
    await this.done;
  }
}
