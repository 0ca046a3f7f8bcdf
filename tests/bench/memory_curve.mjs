// The memory of loci-web by time and by owner, on the stack that LOCI_STACK names: see tests/bench/memory_curve, which starts one.
// The load: every operation of the call table that reads or searches, pages, recalls, writes that change what is there, and now and
// then something large. What is stored grows for the first tenth of the time only; then memory should stand still.
import { readFileSync } from 'node:fs';
import { BASE, call, expectStatus, signIn, stack } from '../api/client.mjs';
import { bodyOf, everyRow, freshWorld, pathOf } from '../api/world.mjs';

const MINUTES = Number(process.argv[2] ?? 10), WORKERS = Number(process.argv[3] ?? 16), ROWS = 31;
const WORDS = 'harbour ferry gate tide bridge lock crane pilot berth anchor rope engine chart buoy dock cargo storm wind coast island mast deck'.split(' ');
let state = 7;
const random = (n) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return Math.floor(state / 4294967296 * n); };
const text = (n) => Array.from({ length: n }, () => WORDS[random(WORDS.length)]).join(' ');

const pid = Number((await stack('pid', 'web')).stdout);
const status = (what) => Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
async function owners() {
  const lines = (await (await fetch(`${BASE}/metrics`)).text()).split('\n').map((l) => /^(loci_memory_bytes|loci_malloc_bytes)\{\w+="(\w+)"\} (\d+)/.exec(l)).filter(Boolean);
  return lines.map(([, family, name, bytes]) => [family === 'loci_malloc_bytes' ? `malloc ${name.replaceAll('_', ' ')}` : name.replaceAll('_', ' '), Number(bytes) / 1048576]);
}

const w = await freshWorld(), { owner, token } = w;
const cookie = await signIn();
const rows = await everyRow();
const quiet = (r) => (r.method === 'GET' && !/events|exports/.test(r.template)) || (r.method === 'POST' && /search|recall|retrieve/.test(r.template));
const reads = rows.filter(quiet);
const pages = ['', '/nodes', '/memory', '/pools', '/recall?query=ferry', '/agents', '/jobs', '/timeline', '/audit', '/settings', '/spaces', '/tokens', '/system'];
const nodes = [], pool = w.places['memory_pools/pool_id'], agent = w.agentId, context = w.places['contexts/id'];
const send = (method, path, body, as = owner) => call(method, path, { token: as, body, check: false });
let began = Date.now();
const part = () => (Date.now() - began) / (MINUTES * 60000);

async function addNode() {
  const r = await send('POST', '/api/v1/nodes', { kind: 'note', title: text(4), body: text(20 + random(200)) }, token);
  if (r.data?.id) nodes.push(r.data.id);
}
const one = (of) => of[random(of.length)];
const WORK = [
  [30, async () => { const r = one(reads); await call(r.method, pathOf(r.template, (p) => w.places[p], r.row), { token: owner, check: false, ...bodyOf(r.row, w.named) }); }],
  [20, () => send('POST', '/api/v1/recall', { query: text(3), limit: 10 }, token)],
  [10, () => send('GET', `/api/v1/nodes/${one(nodes)}`, undefined, token)],
  [6, () => send('GET', '/api/v1/nodes?limit=100', undefined, token)],
  [8, () => (part() < .1 ? addNode() : send('PATCH', `/api/v1/nodes/${one(nodes)}`, { body: text(20 + random(200)) }, token))],
  [6, async () => { await (await fetch(`${BASE}/admin${one(pages)}`, { headers: { cookie } })).arrayBuffer(); }],
  [4, () => send('PUT', `/api/v1/ai/memory_pools/${pool}/data/k${random(50)}`, { value: text(100) })],
  [4, () => send('PUT', `/api/v1/ai/agents/${agent}/working_memory/keys/k${random(50)}`, { value: text(100) })],
  [4, () => send('POST', `/api/v1/ai/agents/${agent}/tiered_memory`, { key: `k${random(50)}`, value: text(50) })],
  [3, () => send('POST', `/api/v1/ai/contexts/${context}/entries`, { entry_key: `e${random(100)}`, content: { text: text(50) } })],
  [1, () => send('PUT', `/api/v1/ai/memory_pools/${pool}/data/large${random(4)}`, { value: Array.from({ length: 8000 }, (_, i) => i) })],
  [1, () => send('POST', `/api/v1/ai/contexts/${context}/entries`, { entry_key: `large${random(60)}`, content: { text: text(3000 + random(9000)) } })],
  [2, () => send('GET', `/api/v1/ai/contexts/${context}/entries?limit=100`)],
  [1, () => send('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, token)],
];
const total = WORK.reduce((sum, [share]) => sum + share, 0);
function choose() {
  let at = random(total);
  for (const [share, run] of WORK) if ((at -= share) < 0) return run;
}

for (let i = 0; i < 200; i++) await addNode();
let requests = 0, failed = 0, over = false;
async function worker() {
  while (!over) {
    try { await choose()(); } catch { failed++; }
    requests++;
  }
}
const show = (cells) => console.log(cells.map((c) => String(c).padStart(9)).join(''));
began = Date.now();
const working = Array.from({ length: WORKERS }, worker), curve = [];
for (let i = 0; i < ROWS; i++) {
  const o = await owners();
  if (!i) show(['s', 'requests', 'RSS', 'peak', ...o.map(([name]) => name.slice(0, 8))]);
  curve.push(status('VmRSS'));
  show([((Date.now() - began) / 1000).toFixed(0), requests, curve.at(-1).toFixed(1), status('VmHWM').toFixed(1), ...o.map(([, mb]) => mb.toFixed(1))]);
  if (i < ROWS - 1) await new Promise((done) => setTimeout(done, Math.max(0, began + (i + 1) * MINUTES * 60000 / (ROWS - 1) - Date.now())));
}
over = true;
await Promise.all(working);
await expectStatus(200, 'GET', '/api/v1/me', { token: owner });
console.log(`${requests} requests, ${failed} without an answer; RSS at a third of the time ${curve[Math.floor(ROWS / 3)].toFixed(1)} MB, at the end ${curve.at(-1).toFixed(1)} MB`);
