// How a client of a cluster asks: with a time-out of its own, and again after what may pass, with the same Idempotency-Key.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const AGENT = new Agent({ keepAlive: true, maxSockets: 64 });
const READ_MS = 1500, WRITE_MS = 4000;              // how long it waits for one answer
export const stats = { asked: 0, noAnswer: 0, away: 0, running: 0, replayed: 0 };

// One request. Resolves to {status, data, headers}; status 0: no answer.
export function ask(base, token, method, path, { body, headers = {}, timeout = method === 'GET' ? READ_MS : WRITE_MS } = {}) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const all = { Authorization: `Bearer ${token}`, ...headers };
  if (text !== undefined) Object.assign(all, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  stats.asked++;
  return new Promise((resolve) => {
    let over = false;
    const end = (r) => { if (!over) resolve(r); over = true; };
    const nothing = (why) => { if (!over) stats.noAnswer++; end({ status: 0, text: why, headers: {} }); };
    const r = request(new URL(path, base), { method, headers: all, agent: AGENT }, (answer) => {
      let got = '';
      answer.setEncoding('utf8').on('data', (d) => { got += d; }).on('error', (e) => nothing(String(e))).on('end', () => {
        let parsed;
        try { parsed = JSON.parse(got); } catch { parsed = undefined; }
        end({ status: answer.statusCode, data: parsed?.data, text: got, headers: answer.headers });
      });
    });
    const clock = setTimeout(() => r.destroy(new Error('no answer in time')), timeout);
    r.on('error', (e) => nothing(String(e))).on('close', () => {
      clearTimeout(clock);
      setImmediate(nothing, 'closed');
    });
    r.end(text);
  });
}

// What says nothing about the request itself: nobody there, busy, or the first one with this key still runs.
export function passes(r) {
  if (r.status === 409 && /still running/.test(r.text)) {
    stats.running++;
    return true;
  }
  if ([429, 500, 502, 503, 504].includes(r.status)) stats.away++;
  return r.status === 0 || [429, 500, 502, 503, 504].includes(r.status);
}

// Asks until there is an answer that is one, or the time is over.
export async function persist(state, base, token, method, path, options) {
  for (let r; ;) {
    r = await ask(base, token, method, path, options);
    if (!passes(r)) {
      if (r.headers['idempotency-replayed'] === 'true') stats.replayed++;
      return r;
    }
    if (state.last !== r.text) state.errors?.set(`${r.status} ${reason(r)}`, (state.errors.get(`${r.status} ${reason(r)}`) ?? 0) + 1);
    if (state.giveUp) return r;
    await sleep(30 + Math.random() * 70);
  }
}

const reason = (r) => (/"error":"([^"]*)"/.exec(r.text)?.[1] ?? r.text.slice(0, 60)).replace(/\d{3,}/g, 'N');
