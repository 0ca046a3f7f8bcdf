// ETags, If-Match, If-None-Match and Idempotency-Key (ground, section 10, point 6).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE2, call, expectStatus, freshAccount, unique } from './client.mjs';

let token;
before(async () => { ({ token } = await freshAccount()); });

const create = async (body = {}) => expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { kind: 'note', title: unique(), body: 'b', ...body } });

test('a resource has a version, an ETag and a Location', async () => {
  const made = await create();
  assert.equal(made.headers.get('etag'), `"${made.data.version}"`);
  assert.equal(made.headers.get('location'), `/api/v1/nodes/${made.data.id}`);
  const read = await expectStatus(200, 'GET', made.headers.get('location'), { token });
  assert.equal(read.headers.get('etag'), made.headers.get('etag'));
});

test('If-None-Match gives 304 without a body', async () => {
  const made = await create();
  const path = `/api/v1/nodes/${made.data.id}`;
  const same = await call('GET', path, { token, headers: { 'If-None-Match': made.headers.get('etag') } });
  assert.equal(same.status, 304);
  assert.equal(same.text, '');
  assert.equal((await call('GET', path, { token, headers: { 'If-None-Match': '"99"' } })).status, 200);
  assert.equal((await call('GET', path, { token, headers: { 'If-None-Match': `"99", W/${made.headers.get('etag')}` } })).status, 304);
});

test('of two writes with the same If-Match one wins, also on two workers', async () => {
  for (let round = 0; round < 10; round++) {
    const made = await create();
    const path = `/api/v1/nodes/${made.data.id}`;
    const write = (title, base) => call('PATCH', path, { token, base, body: { title }, headers: { 'If-Match': made.headers.get('etag') } });
    const both = await Promise.all([write('a'), write('b', BASE2)]);
    assert.deepEqual(both.map((r) => r.status).sort(), [200, 412]);
    const won = both.find((r) => r.status === 200);
    const now = await expectStatus(200, 'GET', path, { token });
    assert.equal(now.data.title, won.data.title);
    assert.equal(now.data.version, made.data.version + 1);
  }
});

test('a stale write names the current version', async () => {
  const made = await create();
  const path = `/api/v1/nodes/${made.data.id}`;
  await expectStatus(200, 'PATCH', path, { token, body: { title: 'new' } });
  const stale = await call('PATCH', path, { token, body: { title: 'old' }, headers: { 'If-Match': made.headers.get('etag') } });
  assert.equal(stale.status, 412);
  assert.equal(stale.body.current_version, made.data.version + 1);
});

test('a weak ETag never matches, * always does', async () => {
  const made = await create();
  const path = `/api/v1/nodes/${made.data.id}`;
  assert.equal((await call('PATCH', path, { token, body: { title: 'x' }, headers: { 'If-Match': `W/${made.headers.get('etag')}` } })).status, 412);
  assert.equal((await call('PATCH', path, { token, body: { title: 'x' }, headers: { 'If-Match': '*' } })).status, 200);
});

const rows = async (title) => (await expectStatus(200, 'GET', `/api/v1/nodes?q=${title}`, { token })).data.length;

test('the same Idempotency-Key twice: one row, the same answer', async () => {
  const title = unique(), key = unique('key');
  const send = () => call('POST', '/api/v1/nodes', { token, body: { kind: 'note', title, body: 'b' }, headers: { 'Idempotency-Key': key } });
  const first = await send();
  const again = await send();
  assert.equal(first.status, 201);
  assert.equal(again.status, 201);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.equal(again.headers.get('etag'), first.headers.get('etag'));
  assert.equal(again.headers.get('location'), first.headers.get('location'));
  assert.equal(first.headers.get('idempotency-replayed'), null);
  assert.equal(await rows(title), 1);
});

test('the same key with another body is refused', async () => {
  const key = unique('key');
  const send = (title) => call('POST', '/api/v1/nodes', { token, body: { kind: 'note', title, body: 'b' }, headers: { 'Idempotency-Key': key } });
  assert.equal((await send(unique())).status, 201);
  assert.equal((await send(unique())).status, 422);
});

test('twenty at once with one key: one row', async () => {
  const title = unique(), key = unique('key');
  const all = await Promise.all(Array.from({ length: 20 }, (_, i) => call('POST', '/api/v1/nodes',
    { token, base: i % 2 ? BASE2 : undefined, body: { kind: 'note', title, body: 'b' }, headers: { 'Idempotency-Key': key } })));
  for (const r of all) assert.ok([201, 409].includes(r.status), r.text);
  assert.ok(all.some((r) => r.status === 201));
  assert.equal(await rows(title), 1);
});

test('a refusal is given again, too, and a key is of one caller only', async () => {
  const key = unique('key'), other = await freshAccount();
  const send = (t) => call('POST', '/api/v1/nodes', { token: t, body: { kind: 'note', importance: 7 }, headers: { 'Idempotency-Key': key } });
  assert.equal((await send(token)).status, 422);
  assert.equal((await send(token)).status, 422);
  const theirs = await call('POST', '/api/v1/nodes', { token: other.token, body: { kind: 'note', title: 'x', body: 'b' }, headers: { 'Idempotency-Key': key } });
  assert.equal(theirs.status, 201);
});
