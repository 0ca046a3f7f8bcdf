// kill -9 of MariaDB, Redis and loci-web under a load of memory's calls: what was acknowledged is there afterwards, what is not
// available says 503, and all comes back by itself. Prints the numbers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, expectStatus, freshAccount, stack, unique, until } from './client.mjs';

const C = '/api/v1/ai/contexts', P = '/api/v1/ai/memory_pools';
let account, token, me, context, pool;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data.id;
  context = (await expectStatus(201, 'POST', C, { token, body: { name: 'load' } })).data.id;
  pool = (await expectStatus(201, 'POST', P, { token, body: { name: 'load', retention_policy: { max_entries: 20000 } } })).data.id;
});
after(async () => { await stack('start'); });

const A = () => `/api/v1/ai/agents/${me}`;
const ready = () => call('GET', '/readyz', { check: false }).then((r) => r.status === 200, () => false);
const ask = (method, path, body) => call(method, path, { token, body, check: false });
// A thread that found a store away may say so once more after it is back: what it holds is another question.
const look = (path) => until(`an answer to ${path}`, async () => { const r = await ask('GET', path); return r.status < 500 && r; }, { tries: 1200 });

// What each writer does, and how what it was promised is found again.
const WORK = {
  entries: {
    write: (key) => ask('POST', `${C}/${context}/entries`, { entry_key: key, content: { text: `text of ${key}` } }),
    holds: async (key) => (await look(`${C}/${context}/entries/${key}`)).data?.content.text === `text of ${key}`,
  },
  facts: {
    write: (key) => ask('POST', `${A()}/memory`, { key, value: `value of ${key}` }),
    holds: async (key) => (await look(`${A()}/memory/${key}`)).data?.value === `value of ${key}`,
  },
  keys: {
    write: (key) => ask('PUT', `${P}/${pool}/data/${key}`, { value: `value of ${key}` }),
    holds: async (key) => (await look(`${P}/${pool}/data/${key}`)).data?.value === `value of ${key}`,
  },
  short: {
    write: (key) => ask('POST', `${A()}/tiered_memory`, { key, value: `value of ${key}` }),
    holds: async (key) => (await look(`${A()}/tiered_memory?key=${key}&tier=short_term`)).data?.value === `value of ${key}`,
  },
  working: {
    // Twenty keys in turn, each with the number of its latest write: what is read may not be older than what was promised.
    write: (key, w, i) => ask('PUT', `${A()}/working_memory/keys/w${w}?session_id=load`, { value: i }),
  },
  counter: { write: () => ask('PUT', `${P}/${pool}/data/counter`, { op: 'increment', by: 1 }) },
};

function load() {
  const state = { stop: false, n: 0, refused: 0, unknown: 0, bad: [], by: {} };
  const one = async (name, w) => {
    const mine = state.by[`${name} ${w}`] = { name, w, promised: [], tried: 0, refused: 0 };
    for (let i = 0; !state.stop; i++) {
      const key = unique('k');
      try {
        const r = await WORK[name].write(key, w, i);
        if ([200, 201].includes(r.status)) {
          mine.promised.push(name === 'working' ? i : key);
          state.n++;
        } else {
          state.refused++;
          mine.refused++;
          if (![503, 502, 504].includes(r.status)) state.bad.push(`${name}: ${r.status} ${r.text.slice(0, 200)}`);
          if (r.status === 503 && !(Number(r.headers.get('retry-after')) >= 1) && r.headers.get('content-type')?.includes('json')) state.bad.push(`${name}: 503 without Retry-After`);
          mine.tried += 1;
        }
      } catch {
        state.unknown++;
        mine.tried += 1;
      }
    }
  };
  state.done = Promise.all(Object.keys(WORK).flatMap((name) => [0, 1].map((w) => one(name, w))));
  return state;
}

const counter = async () => (await look(`${P}/${pool}/data/counter`)).data?.value ?? 0;

for (const service of ['db', 'redis', 'web'])
  test(`kill -9 of ${service} under a load of memory's calls`, async (t) => {
    const before = await counter(), state = load(), of = (name) => Object.values(state.by).filter((m) => m.name === name);
    try {
      await until('writes to begin', () => Object.values(state.by).every((m) => m.promised.length > 5), { tries: 1200 });
      await stack('kill', service);
      const at = state.n, refused = state.refused + state.unknown;
      await until('it to be noticed', () => state.refused + state.unknown > refused + 20 && (service !== 'redis' || state.n > at + 50), { tries: 1200 });
      await stack('start', service);
      await until('readiness', ready, { tries: 1200 });
      const back = Object.fromEntries(Object.entries(state.by).map(([k, m]) => [k, m.promised.length]));
      await until('all of them to go on by themselves', () => Object.entries(state.by).every(([k, m]) => m.promised.length > back[k] + 3), { tries: 1200 });
    } finally {
      state.stop = true;
      await state.done;
    }
    assert.deepEqual(state.bad.slice(0, 3), []);
    if (service === 'redis')
      for (const name of ['entries', 'facts', 'keys', 'short', 'counter']) assert.equal(of(name).reduce((n, m) => n + m.refused, 0), 0, `${name} goes on without Redis`);
    let promised = 0;
    for (const name of ['entries', 'facts', 'keys', 'short']) {
      const keys = of(name).flatMap((m) => m.promised);
      promised += keys.length;
      for (let i = 0; i < keys.length; i += 16)
        for (const [k, held] of (await Promise.all(keys.slice(i, i + 16).map(async (key) => [key, await WORK[name].holds(key)])))) assert.ok(held, `${name} ${k} was acknowledged`);
    }
    for (const m of of('working')) {
      const r = await look(`${A()}/working_memory/keys/w${m.w}?session_id=load`);
      assert.ok(r.data.value >= m.promised.at(-1), `${r.data.value} is older than ${m.promised.at(-1)}`);
    }
    const raised = await counter() - before, sure = of('counter').reduce((n, m) => n + m.promised.length, 0), maybe = of('counter').reduce((n, m) => n + m.tried, 0);
    assert.ok(raised >= sure && raised <= sure + maybe, `${sure} increments were acknowledged, ${maybe} had no answer or a refusal, and ${raised} are there`);
    t.diagnostic(`${service}: ${promised + sure} writes acknowledged and found, ${state.refused} refused, ${state.unknown} without an answer`);
  });
