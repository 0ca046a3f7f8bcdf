// Clients that send or read as slowly as they can: they hold connections of nginx, never a thread of loci-web.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { BASE, expectStatus, freshAccount } from './client.mjs';

const MORE_THAN_THREADS = 30;            // [web] threads is 24
const { hostname, port } = new URL(BASE);
let token;
before(async () => { ({ token } = await freshAccount()); });

const sockets = [];
after(() => { for (const s of sockets) s.destroy(); });

// Begins a request and never goes on; resolves when nginx has what was sent.
const begin = (bytes, { read = true } = {}) => new Promise((resolve, reject) => {
  const s = connect(port, hostname);
  sockets.push(s);
  s.on('error', reject);
  if (!read) s.pause();
  s.write(bytes, () => { s.removeAllListeners('error').on('error', () => {}); resolve(s); });
});

// Everybody else is served, and not because nginx gave those up: it waits 20 s for half a head, 30 s for the rest of a body or a reader.
// As many requests, one after the other, as there are threads.
async function othersAreServed(what) {
  for (let i = 0; i < MORE_THAN_THREADS; i++) {
    const start = Date.now();
    await expectStatus(200, 'GET', '/api/v1/me', { token, check: false });
    const ms = Date.now() - start;
    assert.ok(ms < 15000, `${what}: ${ms} ms`);
  }
}

for (const path of ['/api/v1/nodes', '/api/v1/nodes/bulk', '/uploads', '/api/v1/upload', '/login', '/nothing', '/']) {
  test(`half a body for ${path}`, async () => {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 60000000\r\n\r\n`;
    await Promise.all(Array.from({ length: MORE_THAN_THREADS }, () => begin(`${head}{"title":`)));
    await othersAreServed(path);
  });
}

test('half a head, and none', async () => {
  await Promise.all(Array.from({ length: MORE_THAN_THREADS }, (_, i) => begin(i % 2 ? 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX-A' : '')));
  await othersAreServed('heads');
});

test('answers that nobody reads', async () => {
  const ask = `GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(20);
  await Promise.all(Array.from({ length: MORE_THAN_THREADS }, () => begin(ask, { read: false })));
  await othersAreServed('readers');
});
