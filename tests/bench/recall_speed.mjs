// Speed of a hybrid recall over HTTP: 100,000 nodes of one account, queries that were asked before (their vectors are held)
// and queries that were not, of each of which the embedder's own time is known, beside the cheapest answer there is.
// usage: tests/bench/recall_speed [NODES], which starts a stack for it; LOCI_BENCH_TOKEN: of an account that is filled
import http from 'node:http';
import { BASE, ctl, expectStatus, unique, until } from '../api/client.mjs';
import { sql } from '../api/db.mjs';

const NODES = Number(process.argv[2] ?? 100000), ROUNDS = 300;

// The same texts each time: sentences of everyday words, and names of no meaning so that there are rare ones, too.
let state = 12345;
const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 4294967296;
const one = (list) => list[Math.floor(random() * list.length)];
const list = (text) => text.split(' ');
const WHO = list('teacher sailor doctor neighbour engineer painter farmer lawyer nurse driver child pilot baker soldier singer judge waiter writer customer manager student tourist plumber gardener');
const DID = list('repaired sold forgot painted bought described lost found cancelled planned measured borrowed cleaned delivered ordered photographed hid moved drew returned rejected praised tested lifted');
const WHAT = list('engine garden letter contract piano bicycle invoice medicine window novel bridge kitchen camera ticket computer sandwich guitar passport roof sculpture telescope recipe tractor database');
const HOW = list('old broken expensive wooden green secret heavy famous tiny dangerous cheap elegant frozen digital empty golden noisy dusty foreign rusty');
const WHERE = list('harbour library hospital airport mountain office market museum station forest island factory school castle laboratory hotel beach bakery court theatre');
const WHEN = ['last winter', 'on Monday', 'before the storm', 'after lunch', 'in 2019', 'every summer', 'at midnight', 'during the war', 'two weeks ago', 'for the first time'];
const syllables = list('ka lo mi ne pu ra si to ve zu');
const question = () => `which ${one(WHAT)} did the ${one(WHO)} from the ${one(WHERE)} ${one(HOW)} ${one(WHEN)}`;
const name = () => { const n = one(syllables) + one(syllables) + one(syllables); return n[0].toUpperCase() + n.slice(1); };
const sentence = () => `the ${one(HOW)} ${one(WHAT)} that ${name()} the ${one(WHO)} ${one(DID)} at the ${one(WHERE)} ${one(WHEN)}`;

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
    const lines = Array.from({ length: Math.min(10000, NODES - i) }, () => JSON.stringify({ kind: 'note', title: `${name()} and the ${one(WHAT)}`, body: `${sentence()}, and ${sentence()}` }));
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
const known = Array.from({ length: 20 }, question), named = Array.from({ length: 20 }, () => `what did ${name()} lose at the ${one(WHERE)}`);
for (const q of [...known, ...named]) await recall(q);
const bare = await measure('GET /api/v1/me', () => request('GET', '/api/v1/me', token));
await measure('hybrid, query asked before', (i) => recall(known[i % known.length]));
await stages((i) => recall(known[i % known.length], { explain: true }));
await measure('… that names somebody', (i) => recall(named[i % named.length]));
const rest = await measureRest('hybrid, new query', (i) => recall(`${question()} ${salt}${i}`));
await stages((i) => recall(`${question()} ${salt}-${i}`, { explain: true }));
await measure('words only', () => recall(question(), { mode: 'keyword' }));
console.log(`beside the embedder ${median(rest).toFixed(2)} ms (goal: 1.5), of which the way there and back ${median(bare).toFixed(2)} ms`);
process.exit(0);
