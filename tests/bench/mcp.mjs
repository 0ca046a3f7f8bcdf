// What MCP costs over REST: tools/call recall against POST /api/v1/recall, the same queries by turns over kept connections, each
// asked before so that neither pays for a vector. By MCP the answer comes twice, as text for a model and as structuredContent; so
// REST is measured without text and with it (render=bundle), which is the same work.
// usage: tests/bench/mcp [NODES], which starts a stack for it
import http from 'node:http';
import { BASE, expectStatus, freshAccount, until } from '../api/client.mjs';
import { sql } from '../api/db.mjs';

const NODES = Number(process.argv[2] ?? 5000), QUERIES = 40, ROUNDS = 25;
let state = 4711;
const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 4294967296;
const words = (text) => text.split(' ');
const one = (list) => list[Math.floor(random() * list.length)];
const WHO = words('teacher sailor doctor neighbour engineer painter farmer lawyer nurse driver pilot baker'), WHAT = words('engine garden letter contract piano bicycle invoice window novel bridge kitchen camera');
const WHERE = words('harbour library hospital airport mountain office market museum station forest island factory'), DID = words('repaired sold forgot painted bought described lost found measured borrowed');
const sentence = () => `The ${one(WHO)} ${one(DID)} the ${one(WHAT)} at the ${one(WHERE)}, and the ${one(WHO)} ${one(DID)} a ${one(WHAT)}.`;

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
function post(path, token, body, headers = {}) {
  const text = JSON.stringify(body);
  return new Promise((done, failed) => {
    const began = process.hrtime.bigint();
    const r = http.request(BASE + path, { agent, method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...headers } }, (res) => {
      const pieces = [];
      res.on('data', (piece) => pieces.push(piece));
      res.on('end', () => done({ ms: Number(process.hrtime.bigint() - began) / 1e6, status: res.statusCode, text: Buffer.concat(pieces).toString() }));
    });
    r.on('error', failed);
    r.end(text);
  });
}

const { token, slug } = await freshAccount();
for (let i = 0; i < NODES; i += 5000) {
  const lines = Array.from({ length: Math.min(5000, NODES - i) }, () => JSON.stringify({ title: `${one(WHO)} and ${one(WHAT)}`, body: sentence() }));
  await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token, raw: lines.join('\n'), headers: { 'Content-Type': 'application/x-ndjson' } });
}
await until('vectors', async () => (await sql(`SELECT COUNT(*) FROM vector v JOIN account a ON a.id = v.account_id WHERE a.slug = '${slug}'`))[0][0] === String(NODES), { tries: 2000, pause: 300 });
// For half a minute a recall reads again what was written last, lest a late commit be missed: that is no part of either way.
await until('the writes to be old', async () => (await sql(`SELECT MAX(v.updated_at) < UTC_TIMESTAMP(6) - INTERVAL 40 SECOND FROM vector v JOIN account a ON a.id = v.account_id WHERE a.slug = '${slug}'`))[0][0] === '1', { tries: 400, pause: 300 });

const META = 'io.modelcontextprotocol/', VERSION = '2026-07-28';
const call = (query) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'recall', arguments: { query, touch: false }, _meta: { [`${META}protocolVersion`]: VERSION, [`${META}clientCapabilities`]: {} } } });
const ways = {
  'POST /api/v1/recall': (q) => post('/api/v1/recall', token, { query: q, touch: false }),
  'the same, render=bundle': (q) => post('/api/v1/recall', token, { query: q, touch: false, render: 'bundle' }),
  'tools/call recall': (q) => post('/mcp', token, call(q), { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'recall' }),
};
const queries = Array.from({ length: QUERIES }, () => `which ${one(WHAT)} did the ${one(WHO)} see at the ${one(WHERE)}?`);
const times = Object.fromEntries(Object.keys(ways).map((w) => [w, []]));
for (let round = -1; round < ROUNDS; round++) {
  for (const q of queries) {
    const order = Object.entries(ways).sort(() => random() - 0.5);
    for (const [name, ask] of order) {
      const r = await ask(q);
      if (r.status !== 200 || r.text.includes('"isError":true') || !r.text.includes('score')) throw new Error(`${name}: ${r.status} ${r.text.slice(0, 300)}`);
      if (round >= 0) times[name].push(r.ms);
    }
  }
}

const at = (list, share) => [...list].sort((a, b) => a - b)[Math.floor(list.length * share)];
const base = times['POST /api/v1/recall'];
console.log(`${NODES} nodes, ${QUERIES} queries × ${ROUNDS} rounds, one connection; ms`);
console.log('                              quarter   median      p95   median / REST');
for (const [name, list] of Object.entries(times))
  console.log(`${name.padEnd(28)}${[0.25, 0.5, 0.95].map((s) => at(list, s).toFixed(2).padStart(9)).join('')}   ${(at(list, 0.5) / at(base, 0.5)).toFixed(3)}`);
console.log(`overhead of MCP: ${((at(times['tools/call recall'], 0.5) / at(base, 0.5) - 1) * 100).toFixed(1)} % of a recall over REST (aim: at most 15)`);
agent.destroy();
