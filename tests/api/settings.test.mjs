// Settings that an installation chooses for itself, on the second loci-web: CORS, the deadline of a request, who reads the
// metrics, the size of a body.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, BASE2, call, expectStatus, freshAccount, unique, withSettings } from './client.mjs';
import { lock } from './db.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
});

const FRIEND = 'https://app.example.org';

test('browsers of an origin on the list may call the API, of no other', () => withSettings({ LOCI_HTTP_CORS_ORIGINS: `https://one.example ${FRIEND}` }, async () => {
  const get = (origin, path = '/api/v1/me') => call('GET', path, { token, base: BASE2, headers: { Origin: origin } });
  const preflight = (origin) => fetch(`${BASE2}/api/v1/nodes`, { method: 'OPTIONS', headers: { Origin: origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' } });
  for (const origin of ['https://one.example', FRIEND]) {
    const r = await get(origin);
    assert.equal(r.status, 200);
    assert.equal(r.headers.get('access-control-allow-origin'), origin);
    for (const name of ['ETag', 'Location', 'Retry-After', 'X-Request-Id', 'Idempotency-Replayed', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'])
      assert.ok(r.headers.get('access-control-expose-headers').split(', ').includes(name), name);
    const refused = await call('GET', '/api/v1/me', { base: BASE2, headers: { Origin: origin } });
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [401, origin], 'a script may read why it was refused');
    const p = await preflight(origin);
    assert.equal(p.status, 204);
    assert.equal(p.headers.get('access-control-allow-origin'), origin);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) assert.ok(p.headers.get('access-control-allow-methods').includes(method));
    for (const name of ['Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'Idempotency-Key']) assert.ok(p.headers.get('access-control-allow-headers').includes(name));
  }
  for (const origin of ['https://app.example.or', `${FRIEND}.evil.example`, 'http://app.example.org', 'null', `https://one.example ${FRIEND}`, 'https://', '']) {
    const r = await get(origin);
    assert.deepEqual([r.status, r.headers.get('access-control-allow-origin')], [200, null], origin);
    const p = await preflight(origin);
    assert.deepEqual([p.status, p.headers.get('access-control-allow-origin')], [405, null], origin);
  }
  for (const r of [await get(FRIEND), await call('GET', '/api/v1/openapi.json', { base: BASE2 })]) assert.equal(r.headers.get('vary'), 'Origin', 'a cache keeps them apart');
  for (const path of ['/login', '/livez', '/admin']) assert.equal((await get(FRIEND, path)).headers.get('access-control-allow-origin'), null, path);
  const mcp = (origin, method = 'POST') => fetch(`${BASE2}/mcp`, { method, headers: { Origin: origin, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : undefined });
  const [asked, answered] = [await mcp(FRIEND, 'OPTIONS'), await mcp(FRIEND)];
  assert.deepEqual([asked.status, answered.status, answered.headers.get('access-control-allow-origin')], [204, 200, FRIEND]);
  assert.ok(asked.headers.get('access-control-allow-headers').includes('Mcp-Method'));
  assert.equal((await mcp('https://evil.example')).status, 403);
  assert.equal((await get(FRIEND)).headers.get('access-control-allow-credentials'), null, 'cookies stay at home');
}));

test('without a list there is no CORS', async () => {
  const r = await call('GET', '/api/v1/me', { token, headers: { Origin: BASE } });
  for (const name of ['access-control-allow-origin', 'vary']) assert.equal(r.headers.get(name), null);
  assert.equal((await fetch(`${BASE}/api/v1/me`, { method: 'OPTIONS', headers: { Origin: FRIEND, 'Access-Control-Request-Method': 'GET' } })).status, 405);
});

test('past its deadline a request is answered 504, and nothing of it is done', () => withSettings({ LOCI_HTTP_DEADLINE_S: '1' }, async () => {
  const title = unique('late'), headers = { 'Idempotency-Key': unique('key') };
  const release = await lock('node WRITE');
  try {
    const start = Date.now();
    const r = await call('POST', '/api/v1/nodes', { token, base: BASE2, body: { title }, headers });
    assert.deepEqual([r.status, r.code], [504, 'DEADLINE_EXCEEDED'], r.text);
    assert.ok(Date.now() - start < (process.env.LOCI_SLOW ? 10000 : 4000), `${Date.now() - start} ms`);
    assert.equal((await call('GET', '/api/v1/me', { token, base: BASE2 })).status, 200, 'others are served');
  } finally {
    await release();
  }
  assert.deepEqual((await expectStatus(200, 'GET', `/api/v1/nodes?q=${title}`, { token })).data, []);
  const again = await expectStatus(201, 'POST', '/api/v1/nodes', { token, base: BASE2, body: { title }, headers });
  assert.equal(again.headers.get('idempotency-replayed'), null, 'what failed for want of time may be tried again under its key');
}));

test('metrics with a token are for who has it, wherever they come from', () => withSettings({ LOCI_HTTP_METRICS_TOKEN: 'a-token-for-prometheus' }, async () => {
  const get = (auth) => call('GET', '/metrics', { base: BASE2, headers: auth ? { Authorization: auth } : {} });
  for (const auth of [undefined, 'Bearer ', 'Bearer a-token-for-prometheuS', 'Bearer a-token-for-prometheus2', 'a-token-for-prometheus', `Bearer ${token}`]) {
    const r = await get(auth);
    assert.deepEqual([r.status, r.code], [403, 'FORBIDDEN'], auth);
  }
  const r = await get('Bearer a-token-for-prometheus');
  assert.equal(r.status, 200);
  assert.match(r.text, /^loci_requests_total/m);
}));

test('a body of the size that is allowed, and one byte more', () => withSettings({ LOCI_HTTP_MAX_BODY: '2048', LOCI_HTTP_MAX_UPLOAD: '4096' }, async () => {
  const json = (n) => `{"title":"t","body":"${'x'.repeat(n - 23)}"}`;
  const send = (raw) => call('POST', '/api/v1/nodes', { token, base: BASE2, raw });
  assert.equal(json(2048).length, 2048);
  assert.equal((await send(json(2048))).status, 201);
  const r = await send(json(2049));
  assert.deepEqual([r.status, r.code], [413, 'PAYLOAD_TOO_LARGE']);
  const line = '{"title":"a line"}\n';
  const bulk = (n) => call('POST', '/api/v1/nodes/bulk', { token, base: BASE2, raw: line.repeat(n / line.length) + ' '.repeat(n % line.length), headers: { 'Content-Type': 'application/x-ndjson' } });
  assert.equal((await bulk(4096)).status, 200);
  assert.equal((await bulk(4097)).status, 413);
}));
