// Compare-and-set in pools over HTTP: 16 writers on one key and on 1,000 keys. Each reads a counter with its version and writes
// it back one higher with if_version; who is too late (412) takes the current value from the answer and tries again. No update
// may be lost. usage: node tests/bench/memory_pools.mjs [WRITES-PER-WRITER]      called by tests/bench/memory
import assert from 'node:assert/strict';
import http from 'node:http';
import { BASE, expectStatus, freshAccount } from '../api/client.mjs';

const WRITERS = 16, WRITES = Number(process.argv[2] ?? 100);
const agent = new http.Agent({ keepAlive: true, maxSockets: WRITERS });

function request(method, path, token, body) {
  const text = body && JSON.stringify(body);
  const headers = { Authorization: `Bearer ${token}`, ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }) };
  return new Promise((done, failed) => {
    const r = http.request(BASE + path, { agent, method, headers }, (res) => {
      let out = '';
      res.on('data', (piece) => { out += piece; });
      res.on('end', () => done({ status: res.statusCode, body: JSON.parse(out) }));
    });
    r.on('error', failed);
    r.end(text);
  });
}

// One more on that key, however many tries it takes; resolves to how many it took.
async function raise(path, token, times) {
  let { value, version } = (await request('GET', path, token)).body.data;
  for (let tries = 1; ; tries++) {
    const began = process.hrtime.bigint();
    const r = await request('PUT', path, token, { value: (value ?? 0) + 1, if_version: version });
    times.push(Number(process.hrtime.bigint() - began) / 1e6);
    if (r.status === 200) return tries;
    assert.equal(r.status, 412, JSON.stringify(r.body));
    ({ current_value: value, current_version: version } = r.body);
  }
}

async function run(keys) {
  const { token } = await freshAccount(), times = [];
  const pool = (await expectStatus(201, 'POST', '/api/v1/ai/memory_pools', { token, body: { name: 'bench', retention_policy: { max_entries: 2000 } } })).data;
  const path = (i) => `/api/v1/ai/memory_pools/${pool.id}/data/counters.k${i % keys}`;
  const began = process.hrtime.bigint();
  let tries = 0;
  await Promise.all(Array.from({ length: WRITERS }, async (_, w) => {
    for (let i = 0; i < WRITES; i++) {
      const n = await raise(path(w * WRITES + i), token, times);
      tries += n;
    }
  }));
  const seconds = Number(process.hrtime.bigint() - began) / 1e9, done = WRITERS * WRITES;
  const { value } = (await request('GET', `/api/v1/ai/memory_pools/${pool.id}/data/counters`, token)).body.data;
  const sum = Object.values(value).reduce((a, b) => a + b, 0);
  times.sort((a, b) => a - b);
  console.log(`${WRITERS} writers, ${String(keys).padStart(4)} key${keys > 1 ? 's' : ' '}: ${(done / seconds).toFixed(0).padStart(5)} updates a second, ` +
    `${(tries / done).toFixed(2)} tries each, PUT p50 ${times[times.length >> 1].toFixed(1)} ms, p95 ${times[Math.floor(times.length * 0.95)].toFixed(1)} ms, ` +
    `${sum === done ? 'none' : done - sum} lost of ${done}`);
  assert.equal(sum, done);
}

for (const keys of [1, 1000]) await run(keys);
agent.destroy();
