// Speed of a hybrid recall over HTTP: 100,000 nodes of one account, queries that were asked before (their vectors are held)
// and queries that were not, of each of which the embedder's own time is known, beside the cheapest answer there is.
// usage: tests/bench/recall_speed [NODES], which starts a stack for it; LOCI_BENCH_TOKEN: of an account that is filled
import http from 'node:http';
import { BASE, ctl, expectStatus, unique, until } from '../api/client.mjs';
import { sql } from '../api/db.mjs';
import { namedQuestion, note, question } from './notes.mjs';

const NODES = Number(process.argv[2] ?? 100000), ROUNDS = 300;

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
function request(method, path, token, body) {
  const text = body && JSON.stringify(body);
  return new Promise((done, failed) => {
    const began = process.hrtime.bigint();
    const r = http.request(BASE + path, { agent, method, headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...(text && { 'Content-Length': Buffer.byteLength(text) }) } }, (res) => {
      let out = '';
      res.on('data', (piece) => { out += piece; });
      res.on('end', () => done({ ms: Number(process.hrtime.bigint() - began) / 1e6, status: res.statusCode, text: out }));
    });
    r.on('error', failed);
    r.end(text);
  });
}

const at = (share) => (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length * share)];
const median = at(0.5), quarter = at(0.25), p95 = at(0.95);

// Seconds that the embedder has worked since it began.
async function embedded() {
  const { text } = await request('GET', '/metrics', '');
  return Number(/^loci_embed_seconds_sum\{provider="builtin"\} (\S+)/m.exec(text)?.[1] ?? 0);
}

async function fill() {
  const slug = unique('speed');
  await ctl('account', 'create', '--slug', slug);
  await ctl('agent', 'create', '--account', slug, '--slug', 'one', '--name', 'one');
  const token = await ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'bench');
  for (let i = 0; i < NODES; i += 10000) {
    const lines = Array.from({ length: Math.min(10000, NODES - i) }, note);
    await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token, raw: lines.join('\n'), headers: { 'Content-Type': 'application/x-ndjson' } });
  }
  if (process.env.LOCI_BENCH_WORDS !== '1')
    await until('vectors', async () => (await sql(`SELECT COUNT(*) FROM vector v JOIN account a ON a.id = v.account_id WHERE a.slug = '${slug}'`))[0][0] === String(NODES), { tries: 2000, pause: 500 });
  return token;
}

const say = (name, times) =>
  console.log(`${name.padEnd(40)} median ${median(times).toFixed(2)} ms, a quarter below ${quarter(times).toFixed(2)}, 95 % below ${p95(times).toFixed(2)}`);

async function measure(name, ask) {
  const times = [];
  for (let i = 0; i < ROUNDS; i++) {
    const r = await ask(i);
    if (r.status !== 200) throw new Error(`${name}: ${r.status} ${r.text.slice(0, 300)}`);
    times.push(r.ms);
  }
  say(name, times);
  return times;
}

// Each request by itself: how long it took, and how much of that was the embedder.
async function measureRest(name, ask) {
  const own = [], rest = [];
  let before = await embedded();
  await measure(name, async (i) => {
    const r = await ask(i), after = await embedded();
    own.push((after - before) * 1000);
    rest.push(r.ms - (after - before) * 1000);
    before = after;
    return r;
  });
  say("  of that the embedder's own time", own);
  say('  the rest', rest);
  return rest;
}

// What the stages say of themselves.
async function stages(ask) {
  const all = {};
  await measure('… with explain', async (i) => {
    const r = await ask(i), { explain } = JSON.parse(r.text).data;
    for (const s of explain.stages) (all[s.name] ??= []).push(s.ms);
    (all.inside ??= []).push(explain.ms);
    return r;
  });
  console.log(Object.entries(all).map(([name, times]) => `${name} ${median(times).toFixed(2)}`).join(' · '));
}

const token = process.env.LOCI_BENCH_TOKEN ?? (await fill());
console.log(`token ${token}`);
const recall = (query, more = {}) => request('POST', '/api/v1/recall', token, { query, ...more });
const first = await recall('to load the index');
console.log(`first recall (loads the index): ${first.ms.toFixed(0)} ms`);
const salt = Date.now().toString(36);
const known = Array.from({ length: 20 }, question), named = Array.from({ length: 20 }, namedQuestion);
for (const q of [...known, ...named]) await recall(q);
const bare = await measure('GET /api/v1/me', () => request('GET', '/api/v1/me', token));
await measure('hybrid, query asked before', (i) => recall(known[i % known.length]));
await stages((i) => recall(known[i % known.length], { explain: true }));
await measure('… that names somebody', (i) => recall(named[i % named.length]));
await stages((i) => recall(named[i % named.length], { explain: true }));
const rest = await measureRest('hybrid, new query', (i) => recall(`${question()} ${salt}${i}`));
await stages((i) => recall(`${question()} ${salt}-${i}`, { explain: true }));
await measure('words only', () => recall(question(), { mode: 'keyword' }));
console.log(`beside the embedder ${median(rest).toFixed(2)} ms (goal: 1.5), of which the way there and back ${median(bare).toFixed(2)} ms`);
process.exit(0);
