// Filling an account in bulk over REST: from the first byte to the last vector, beside what the embedder alone would need on all
// cores; then recalls of new and known queries, quiet and while 10,000 more notes get their vectors.
// usage: tests/bench/ingest [NOTES…], which starts a stack for it; default 20000 100000
import http from 'node:http';
import os from 'node:os';
import { BASE, ctl, expectStatus, unique } from '../api/client.mjs';
import { sql } from '../api/db.mjs';
import { note, question } from './notes.mjs';
import { othersTime } from './others.mjs';

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [20000, 100000];
const MORE = 10000, BATCH = 10000, ROUNDS = 200, PAUSE_MS = 50, LOOK_MS = 250, STALLED_MS = 5000;
const QUIET_MS = 40000;                // by then no look at the index reads again what the filling has changed

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
function recall(token, query) {
  const text = JSON.stringify({ query, touch: false });
  return new Promise((done, failed) => {
    const began = process.hrtime.bigint();
    const r = http.request(`${BASE}/api/v1/recall`, { agent, method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) } }, (res) => {
      let out = '';
      res.on('data', (piece) => { out += piece; });
      res.on('end', () => (res.statusCode === 200 ? done({ ms: Number(process.hrtime.bigint() - began) / 1e6, data: JSON.parse(out).data }) : failed(new Error(`${res.statusCode} ${out.slice(0, 300)}`))));
    });
    r.on('error', failed);
    r.end(text);
  });
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const at = (times, share) => [...times].sort((a, b) => a - b)[Math.floor(times.length * share)];
const shown = (times) => `median ${at(times, 0.5).toFixed(2)} ms, 95 % below ${at(times, 0.95).toFixed(2)} (${times.length})`;

async function metric(pattern) {
  const text = await (await fetch(`${BASE}/metrics`)).text();
  return Number(pattern.exec(text)?.[1] ?? 0);
}
// Seconds of a processor that the embedder has used in loci-web.
const embedderTime = () => metric(/^loci_embed_cpu_seconds_total\{provider="builtin"\} (\S+)/m);
const stored = () => metric(/^loci_vectors_stored_total (\S+)/m);

async function account() {
  const slug = unique('ingest');
  await ctl('account', 'create', '--slug', slug);
  await ctl('agent', 'create', '--account', slug, '--slug', 'one', '--name', 'one');
  return { slug, token: await ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'bench') };
}

async function upload(token, n) {
  for (let i = 0; i < n; i += BATCH) {
    const lines = Array.from({ length: Math.min(BATCH, n - i) }, note);
    const r = await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token, raw: lines.join('\n'), headers: { 'Content-Type': 'application/x-ndjson' } });
    if (r.data.known) throw new Error(`${r.data.known} notes were there already`);
    if (r.data.failed) throw new Error(`${r.data.failed} notes were refused`);
  }
}

const vectorsOf = async (slug) => Number((await sql(`SELECT COUNT(*) FROM vector v JOIN account a ON a.id = v.account_id WHERE a.slug = '${slug}'`))[0][0]);

// Until the account has n vectors. The counter of loci-web says when to ask; what another process made shows when it stands still.
async function untilVectors(slug, n, before, due) {
  let last = before, since = Date.now();
  for (;; await pause(LOOK_MS)) {
    const now = await stored();
    if (now !== last) [last, since] = [now, Date.now()];
    if (now - before < due && Date.now() - since < STALLED_MS) continue;
    if (await vectorsOf(slug) >= n) return;
    since = Date.now();
  }
}

async function fill(who, n) {
  const before = await stored(), cpu = await embedderTime(), others = othersTime(), began = Date.now();
  await upload(who.token, n);
  const written = Date.now();
  await untilVectors(who.slug, n, before, n);
  const wall = (Date.now() - began) / 1000, alone = (await embedderTime() - cpu) / os.cpus().length;
  console.log(`${n} notes: written in ${((written - began) / 1000).toFixed(1)} s, all vectors after ${wall.toFixed(1)} s; the embedder's processor time by ${os.cpus().length} cores ${alone.toFixed(1)} s`);
  const missing = (othersTime() - others) / os.cpus().length;
  console.log(`  ratio ${(wall / alone).toFixed(2)} (goal: 1.3); other programs took ${(100 * missing / wall).toFixed(0)} % of the processors, of what they left it is ${((wall - missing) / alone).toFixed(2)}`);
}

const known = Array.from({ length: 20 }, question);
let asked = 0;
// One of each in turn, so that both see the same load. Where `while_` says no, it ends.
async function recalls(token, while_) {
  const times = { known: [], fresh: [] };
  for (let i = 0; await while_(i); i++) {
    times.known.push((await recall(token, known[i % known.length])).ms);
    times.fresh.push((await recall(token, `${question()} ${++asked}`)).ms);
    await pause(PAUSE_MS);
  }
  return times;
}

async function filling(who, n) {
  for (const query of known) await recall(who.token, query);
  const quiet = await recalls(who.token, (i) => i < ROUNDS);
  const before = await stored();
  let over = false;
  const made = upload(who.token, MORE).then(() => untilVectors(who.slug, n + MORE, before, MORE)).finally(() => { over = true; });
  for (const query of known) await recall(who.token, query);
  const busy = await recalls(who.token, () => !over);
  await made;
  for (const [kind, label] of [['known', 'known query'], ['fresh', 'new query']]) {
    console.log(`  ${label}, ${n} notes, quiet:            ${shown(quiet[kind])}`);
    console.log(`  ${label}, while ${MORE} more are filled: ${shown(busy[kind])}`);
    console.log(`    ratio of the medians ${(at(busy[kind], 0.5) / at(quiet[kind], 0.5)).toFixed(2)} (goal: 3)`);
  }
}

for (const n of SIZES) {
  const who = await account();
  await fill(who, n);
  await recall(who.token, 'to load the index');
  await pause(QUIET_MS);
  await filling(who, n);
}
process.exit(0);
