// Writes with an Idempotency-Key from 16 clients to two loci-web, while these and MariaDB are killed (-9) at random moments. Each write is sent again with
// its key until it is answered. At the end nothing was done twice, nothing is lost, and every repetition ended with what the first one made.
// ./check api runs a short one; tests/bench/idempotency_kill runs 50,000 writes.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { BASE, BASE2, call, expectStatus, freshAccount, stack, unique, until } from './client.mjs';
import { sql } from './db.mjs';

const WRITES = Number(process.env.LOCI_WRITES ?? 1000), KILLS = Number(process.env.LOCI_KILLS ?? 8), CLIENTS = 16;
const PATIENCE_MS = 120000;              // for one write: a killed MariaDB may need some time to come back
const L = '/api/v1/ai/learning/learnings', C = '/api/v1/ai/contexts', P = '/api/v1/ai/memory_pools';
const run = unique('run');
let account, token, accountId, contexts, pool;

before(async () => {
  account = await freshAccount();
  ({ token } = account);
  [[accountId]] = await sql(`SELECT id FROM account WHERE slug = '${account.slug}'`);
  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data.id;
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body: { slug: unique('team'), name: 'Team' } })).data.id;
  await expectStatus(200, 'PUT', `/api/v1/teams/${team}/members/${me}`, { token: account.owner, body: {} });
  contexts = [];
  for (let i = 0; i < Math.ceil(WRITES / 4000) + 3; i++) contexts.push((await expectStatus(201, 'POST', C, { token, body: { name: `${run} ${i}` } })).data.id);
  pool = (await expectStatus(201, 'POST', P, { token, body: { name: run } })).data.id;
});
after(async () => { await stack('start'); });

const KINDS = {
  node: (i) => ['/api/v1/nodes', { kind: 'note', title: `${run} n${i}`, body: `text of ${i} ${unique('w')}` }],
  entry: (i) => [`${C}/${contexts[i % contexts.length]}/entries`, { entry_key: `${run}.e${i}`, content: { text: `text of ${i}` } }],
  counter: (i) => [`${P}/${pool}/write_data`, { key: `counter${i % 50}`, op: 'increment', by: 1 }],
  learning: (i) => [L, { content: `${run} l${i}: ${unique('tide')} needs ${unique('rope')} when ${unique('wind')} comes from ${unique('bay')}` }],
  space: (i) => ['/api/v1/spaces', { kind: 'context', name: `${run} s${i}`, slug: `${run}-s${i}` }],
};
const kindOf = (i) => { const k = i % 100; return k < 45 ? 'node' : k < 65 ? 'entry' : k < 90 ? 'counter' : k < 98 ? 'learning' : 'space'; };
const idOf = (kind, data) => (kind === 'learning' ? data.learning?.id : kind === 'counter' ? data.value : data.id);

const stats = { tries: 0, noAnswer: 0, unavailable: 0, running: 0, replayed: 0, longestRunningMs: 0, kills: { web: 0, web2: 0, db: 0 } };

// Until it is answered with what was made; what stands in between is only waiting.
async function write(i) {
  const kind = kindOf(i), [path, body] = KINDS[kind](i), key = unique('key'), began = Date.now();
  let runningSince = 0;
  for (let n = i; Date.now() - began < PATIENCE_MS; n++) {
    stats.tries++;
    let r;
    try {
      r = await call('POST', path, { token, body, base: n % 2 ? BASE2 : BASE, check: false, headers: { 'Idempotency-Key': key } });
    } catch {
      stats.noAnswer++;
    }
    if (r && r.status < 300) {
      const replayed = r.headers.get('idempotency-replayed') === 'true';
      stats.replayed += replayed;
      if (runningSince) stats.longestRunningMs = Math.max(stats.longestRunningMs, Date.now() - runningSince);
      return { kind, i, status: r.status, id: idOf(kind, r.data), data: r.data, location: r.headers.get('location'), replayed, body };
    }
    if (r?.status === 409 && /still running/.test(r.text)) {
      stats.running++;
      runningSince ||= Date.now();
    } else if (r && ![429, 502, 503, 504].includes(r.status)) {
      return { kind, i, status: r.status, text: r.text };
    } else if (r) {
      stats.unavailable++;
    }
    await new Promise((go) => { setTimeout(go, 20 + Math.random() * 80); });
  }
  return { kind, i, status: 0, text: 'no answer in time' };
}

async function killer(state) {
  for (let k = 0; k < KILLS && !state.over; k++) {
    const from = state.next, step = Math.max(1, Math.floor(WRITES / (KILLS + 1) * (0.5 + Math.random())));
    await until('some writes', () => state.over || state.next >= from + step, { tries: 24000, pause: 5 });
    if (state.over) return;
    const victim = k % 8 === 5 ? 'db' : Math.random() < 0.5 ? 'web' : 'web2';
    stats.kills[victim]++;
    await stack('kill', victim);
    await stack('start', victim);
  }
}

test('no write is done twice or lost, and every repetition is answered', async (t) => {
  const state = { next: 0, over: false }, done = [];
  const killing = killer(state);
  await Promise.all(Array.from({ length: CLIENTS }, async () => { while (state.next < WRITES) done.push(await write(state.next++)); }));
  state.over = true;
  await killing;
  const bad = done.filter((d) => d.status === 0 || d.status >= 300);
  const rows = new Map((await sql(`SELECT title, COUNT(*), MIN(id) FROM node WHERE account_id = '${accountId}' AND status <> 'version' AND title LIKE '${run} n%' GROUP BY title`)).map(([title, n, id]) => [title, [Number(n), id]]));
  const entries = new Map((await sql(`SELECT e.entry_key, COUNT(*), MAX(e.version) FROM entry e WHERE e.account_id = '${accountId}' AND e.entry_key LIKE '${run}.e%' GROUP BY e.space_id, e.entry_key`)).map(([k, n, v]) => [k, [Number(n), Number(v)]]));
  const spaces = new Map((await sql(`SELECT slug, COUNT(*) FROM space WHERE account_id = '${accountId}' AND slug LIKE '${run}-s%' GROUP BY slug`)).map(([k, n]) => [k, Number(n)]));
  const learnt = new Map((await sql(`SELECT n.id, n.body FROM node n WHERE n.account_id = '${accountId}' AND n.kind = 'learning' AND n.status <> 'version'`)).map(([id]) => [id, 1]));
  const lost = [], doubled = [], wrong = [], counters = new Map();
  for (const d of done.filter((x) => !bad.includes(x))) {
    if (d.kind === 'node') {
      const [n, id] = rows.get(d.body.title) ?? [0];
      if (!n) lost.push(d); else if (n > 1) doubled.push(d); else if (id !== d.id || d.location !== `/api/v1/nodes/${id}`) wrong.push(d);
    } else if (d.kind === 'entry') {
      const [n, version] = entries.get(d.body.entry_key) ?? [0];
      if (!n) lost.push(d); else if (n > 1 || version > 1) doubled.push(d);
      if (!d.id) wrong.push(d);
    } else if (d.kind === 'space') {
      const n = spaces.get(d.body.slug) ?? 0;
      if (!n) lost.push(d); else if (n > 1) doubled.push(d);
    } else if (d.kind === 'learning') {
      if (!learnt.has(d.id)) lost.push(d);
    } else {
      counters.set(d.body.key, (counters.get(d.body.key) ?? 0) + 1);
    }
  }
  for (const [path, n] of counters) {
    const value = (await expectStatus(200, 'GET', `${P}/${pool}/data/${path}`, { token, check: false })).data.value;
    if (value > n) doubled.push({ path, n, value });
    if (value < n) lost.push({ path, n, value });
  }
  const asked = done.filter((d) => d.kind === 'learning' && !bad.includes(d)).length;
  if (learnt.size > asked) doubled.push({ learnings: learnt.size, asked });
  const report = `${WRITES} writes, ${stats.kills.web + stats.kills.web2} kills of loci-web, ${stats.kills.db} of MariaDB: doubled ${doubled.length}, lost ${lost.length}, wrong answers ${wrong.length}, ` +
    `without an answer ${bad.length}; ${stats.replayed} answered again with what the first one made; ${stats.tries} requests, ${stats.noAnswer} without any answer, ${stats.unavailable} unavailable, ` +
    `${stats.running} while the first was running, the longest of these for ${stats.longestRunningMs} ms`;
  t.diagnostic(report);
  if (process.env.LOCI_REPORT) await writeFile(process.env.LOCI_REPORT, `${report}\n`);
  assert.deepEqual({ bad: bad.slice(0, 3), doubled: doubled.slice(0, 3), lost: lost.slice(0, 3), wrong: wrong.slice(0, 3) }, { bad: [], doubled: [], lost: [], wrong: [] });
});
