// The load: 16 clients of one account. Six append unique integers to shared nodes, three create nodes, three change pool keys by
// compare-and-set and add to a counter, three read, one recalls. What was acknowledged is written down, and when.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, persist } from './client.mjs';

export const APPENDERS = 6, CREATORS = 3, COUNTERS = 3, READERS = 3;
const LIST = 40;                                    // integers of one client in one node
const PAUSE_MS = 25;

export class Load {
  constructor({ base, token, name, pool }) {
    Object.assign(this, { base, token, name, pool, stop: true, giveUp: false, errors: new Map(), wrong: [] });
    this.appended = Array.from({ length: APPENDERS }, () => 0);     // the last integer of each that was acknowledged
    this.lists = new Map();                                         // 'group.n' → id
    this.created = new Map();                                       // title → id
    this.cas = Array.from({ length: COUNTERS }, () => 0);
    this.added = 0;
    this.times = { write: [], read: [], recall: [] };               // [began, ended] of each that went well
  }

  data(key) { return `/api/v1/ai/memory_pools/${this.pool}/data/${key}`; }
  done(kind, began) { this.times[kind].push([began, performance.now()]); }
  say(what, r) {
    if (this.wrong.length < 20) this.wrong.push(`${what}: ${r.status} ${r.text.slice(0, 160)}`);
    return false;
  }
  ask(...args) { return persist(this, this.base, this.token, ...args); }

  // Both clients of a group make its next node with one key, so there is one.
  async list(group, n) {
    const at = `${group}.${n}`;
    if (!this.lists.has(at)) {
      const r = await this.ask('POST', '/api/v1/nodes', { body: { kind: 'note', title: `${this.name} list ${at}`, body: 'begin', allow_duplicate: true },
        headers: { 'Idempotency-Key': `${this.name}-list-${at}` } });
      if (r.status >= 300) {
        this.say('list', r);
        return undefined;
      }
      if (r.data) this.lists.set(at, r.data.id);
    }
    return this.lists.get(at);
  }

  // Reads, adds its integer, writes if nobody else has meanwhile. What got no answer is looked up by reading.
  async append(who) {
    const next = this.appended[who] + 1, word = `${who}:${next}`, id = await this.list(Math.floor(who / 2), Math.floor(next / LIST));
    while (id && !this.giveUp) {
      const seen = await this.ask('GET', `/api/v1/nodes/${id}?touch=false`);
      if (seen.status !== 200) return this.say('append, read', seen);
      if (seen.data.body.split(' ').includes(word)) break;
      const r = await ask(this.base, this.token, 'PATCH', `/api/v1/nodes/${id}`, { body: { body: `${seen.data.body} ${word}` }, headers: { 'If-Match': seen.headers.etag } });
      if (r.status === 200) break;
      if (r.status >= 400 && r.status < 500 && ![409, 412, 429].includes(r.status)) return this.say('append', r);
      await sleep(5 + Math.random() * 20);
    }
    if (id && !this.giveUp) this.appended[who] = next;
    return id !== undefined;
  }

  async create(who, n) {
    const title = `${this.name} made ${who} ${n}`;
    const r = await this.ask('POST', '/api/v1/nodes', { body: { kind: 'note', title, body: `what ${who} noted as number ${n}` }, headers: { 'Idempotency-Key': title.replaceAll(' ', '-') } });
    if (r.status === 201 || r.status === 200) this.created.set(title, r.data.id);
    else return this.giveUp || this.say('create', r);
    return true;
  }

  // {sum, last: {client: its count}}: by its own count a client knows whether its change was made.
  async change(who) {
    const key = `cas${who % 2}`, next = this.cas[who] + 1;
    while (!this.giveUp) {
      const seen = await this.ask('GET', this.data(key));
      if (seen.status !== 200) return this.say('compare-and-set, read', seen);
      const value = seen.data.value ?? { sum: 0, last: {} };
      if ((value.last[`c${who}`] ?? 0) >= next) break;
      const r = await ask(this.base, this.token, 'PUT', this.data(key), { body: { value: { sum: value.sum + 1, last: { ...value.last, [`c${who}`]: next } }, if_version: seen.data.version } });
      if (r.status === 200) break;
      if (r.status >= 400 && r.status < 500 && ![409, 412, 429].includes(r.status)) return this.say('compare-and-set', r);
      await sleep(5 + Math.random() * 20);
    }
    if (!this.giveUp) this.cas[who] = next;
  }

  async add(who, n) {
    const r = await this.ask('POST', `/api/v1/ai/memory_pools/${this.pool}/write_data`, { body: { key: 'count', op: 'increment', by: 1 }, headers: { 'Idempotency-Key': `${this.name}-add-${who}-${n}` } });
    if (r.status === 200) this.added++;
    else return this.giveUp || this.say('add', r);
    return true;
  }

  async read(n) {
    const ids = [...this.created.values()];
    if (n % 2 || !ids.length) return this.ask('GET', '/api/v1/nodes?limit=2');
    return this.ask('GET', `/api/v1/nodes/${ids[Math.floor(Math.random() * ids.length)]}?touch=false`);
  }

  recall(n) {
    return this.ask('POST', '/api/v1/recall', { body: { query: `what 1 noted as number ${n}`, touch: false, limit: 3 }, timeout: 10000 });
  }

  async client(run, kind) {
    while (!this.stop) {
      const began = performance.now();
      const r = await run();
      if (!this.giveUp && r !== false && (kind === 'write' || r.status === 200)) this.done(kind, began);
      else if (kind !== 'write' && r !== false && !this.giveUp) this.say(kind, r);
      await sleep(PAUSE_MS);
    }
  }

  begin() {
    this.stop = this.giveUp = false;
    this.round = (this.round ?? 0) + 1;
    const many = (n, f) => Array.from({ length: n }, (_, i) => f(i)), mark = this.round * 1e6;
    this.running = Promise.all([
      ...many(APPENDERS, (i) => this.client(() => this.append(i), 'write')),
      ...many(CREATORS, (i) => { let n = mark; return this.client(() => this.create(i, n++), 'write'); }),
      ...many(COUNTERS, (i) => { let n = mark; return this.client(() => (n++ % 2 ? this.change(i) : this.add(i, n)), 'write'); }),
      ...many(READERS, (i) => { let n = i; return this.client(() => this.read(n++), 'read'); }),
      ...many(1, () => { let n = 0; return this.client(() => this.recall(n++), 'recall'); }),
    ]);
  }

  // Lets everyone finish what was begun; who cannot within a minute is told to give up, and that is a fault.
  async end() {
    this.stop = true;
    const clock = setTimeout(() => { this.giveUp = true; this.wrong.push('a client could not finish within a minute'); }, 60000);
    await this.running;
    clearTimeout(clock);
  }
}

// Of the times since `from`: how many, the longest time in which nobody succeeded, and the longest that one client waited. In seconds.
export function gaps(times, from, until) {
  const mine = times.filter(([, ended]) => ended >= from && ended <= until).sort((a, b) => a[1] - b[1]);
  let nobody = 0, one = 0, before = from;
  for (const [began, ended] of mine) {
    nobody = Math.max(nobody, ended - before);
    one = Math.max(one, ended - Math.max(began, from));
    before = ended;
  }
  nobody = Math.max(nobody, until - before);
  return { n: mine.length, nobody: nobody / 1000, one: one / 1000 };
}
