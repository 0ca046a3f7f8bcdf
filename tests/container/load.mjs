// Load on the nginx of this host until standard input ends; then reads back every acknowledged write. usage: node load.mjs TOKEN
// Prints {asked, lost, written, missing, examples}. Each of ten clients has an address of its own: nginx limits requests by address.
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const [token] = process.argv.slice(2);
const CLIENTS = 10, PACE_MS = 65;                     // together below http.rate_per_s
const result = { asked: 0, lost: 0, written: 0, missing: 0, examples: [] };
const acknowledged = [];
let stop = false;
process.stdin.on('end', () => { stop = true; }).resume();

const ask = (client, method, path, body) => new Promise((resolve) => {
  const text = body && JSON.stringify(body);
  const headers = { Host: 'loci.example', Authorization: `Bearer ${token}` };
  if (text) Object.assign(headers, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  const r = request({ host: '127.0.0.1', localAddress: client.address, agent: client.agent, method, path, headers,
    rejectUnauthorized: false, timeout: 40000 }, (answer) => {
    let all = '';
    answer.setEncoding('utf8').on('data', (d) => { all += d; }).on('end', () => resolve({ status: answer.statusCode, text: all }));
  });
  r.on('timeout', () => r.destroy(new Error('no answer'))).on('error', (e) => resolve({ status: 0, text: String(e) }));
  r.end(text);
});

async function expected(client, status, ...args) {
  const slot = sleep(PACE_MS);
  const r = await ask(client, ...args);
  result.asked++;
  if (r.status !== status) {
    result.lost++;
    if (result.examples.length < 5) result.examples.push(`${args[0]} ${args[1]}: ${r.status} ${r.text.slice(0, 200)}`);
  }
  await slot;
  return r.status === status ? JSON.parse(r.text).data : undefined;
}

async function one(i) {
  const client = { address: `127.0.1.${i + 1}`, agent: new Agent({ keepAlive: i % 3 > 0, maxSockets: 1 }) };
  for (let n = 0; !stop; n++) {
    const node = await expected(client, 201, 'POST', '/api/v1/nodes', { kind: 'note', title: `load ${i} ${n}`, body: `text ${n} `.repeat(n % 100 === 9 ? 2500 : 9) });
    if (!node) continue;
    acknowledged.push(node.id);
    if (i < 2) await expected(client, 200, 'GET', '/api/v1/events?wait=1&kinds=nothing.here');
    else await expected(client, 200, 'PATCH', `/api/v1/nodes/${node.id}`, { title: 'changed' });
  }
  return client;
}

const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => one(i)));
result.written = acknowledged.length;
await Promise.all(clients.map(async (client) => {
  for (let id; (id = acknowledged.pop());) {
    const slot = sleep(PACE_MS);
    if ((await ask(client, 'GET', `/api/v1/nodes/${id}?touch=false`)).status !== 200) result.missing++;
    await slot;
  }
  client.agent.destroy();
}));
console.log(JSON.stringify(result));
