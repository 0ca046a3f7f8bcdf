// ETags, If-Match, If-None-Match and Idempotency-Key (ground, section 10, point 6).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE2, call, expectStatus, freshAccount, openapi, stack, unique } from './client.mjs';
import { snapshot } from './db.mjs';
import { bodyOf, everyRow, freshWorld, pathOf } from './world.mjs';

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

test('whatever is read by its path and has a version says so by an ETag', async () => {
  const w = await freshWorld(), without = [];
  const token_of = (template) => (/\/(agents|learning|memory)\//.test(template) ? [w.owner, w.token] : [w.owner]);
  for (const { method, template, row } of await everyRow()) {
    // The version of a job is that of its settings, and the others answer with somebody else's: none is that of the answer.
    if (method !== 'GET' || /\/(jobs\/\{name\}|tiered_memory|statistics)$/.test(template)) continue;
    for (const t of token_of(template)) {
      const r = await call('GET', pathOf(template, (place) => w.places[place], row), { token: t });
      if (r.status !== 200 || !Number.isInteger(r.data?.version)) continue;
      // A pool counts its content and its settings apart; what is read is of both.
      if (r.headers.get('etag') !== `"${r.data.version + (r.data.revision ?? 0)}"`) without.push(`${template}: ${r.headers.get('etag')} for version ${r.data.version}`);
      break;
    }
  }
  assert.deepEqual(without, []);
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

// ---- all rows of the call table that take a version

test('a stale version is refused by everything that takes one, and nothing is done; the current one is taken', async (t) => {
  const w = await freshWorld(), rows = await everyRow();
  t.after(() => stack('start', 'scheduler'));
  await stack('stop', 'scheduler');        // a document that is processed has a new version
  const taking = rows.filter((r) => (r.row.parameters ?? []).some((p) => /\/IfMatch/.test(p.$ref ?? '')) && !/operators of the installation/.test(r.row.description));
  const pathTo = (r) => pathOf(r.template, (p) => w.places[p], r.row);
  // What is read to know the version: the path itself, or that of the thing which the last word is done to.
  const reads = (fits) => rows.find((g) => g.method === 'GET' && g.row.responses[304] && fits(g.template));
  const readable = (r) => reads((t) => t === r.template) ?? reads((t) => r.template.startsWith(`${t}/`));
  assert.ok(taking.length >= 18, `${taking.length} rows`);
  const state = await snapshot(w.accountId);
  for (const r of taking) {
    for (const [tag, status] of [['"999999"', 412], ['W/"1"', 412], ['1', 400], ['"x"', 400], ['"0"', 400], ['"1", "2"', 400], ['"99999999999999999999"', 400]]) {
      const { headers, ...request } = bodyOf(r.row, w.named);
      const answer = await call(r.method, pathTo(r), { token: w.owner, ...request, headers: { ...headers, 'If-Match': tag } });
      // A thing that stands otherwise than the call expects may say so first.
      assert.ok(answer.status === status || (answer.status === 409 && /unarchive/.test(r.template)), `${r.id} with ${tag}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
  }
  assert.deepEqual(await snapshot(w.accountId), state, 'nothing was done');
  // The version of a grant stands in the list of grants (doors.test.mjs). A new document of a pool leaves none of its keys: it is the last.
  const changing = taking.filter((x) => ['PATCH', 'PUT'].includes(x.method) && readable(x) && !/\/grants\//.test(x.template));
  for (const r of [...changing.filter((x) => x.id !== 'pool_replace_data'), ...changing.filter((x) => x.id === 'pool_replace_data')]) {
    const read = await expectStatus(200, 'GET', pathTo(readable(r)), { token: w.owner });
    const { headers, ...request } = bodyOf(r.row, w.named);
    const answer = await call(r.method, pathTo(r), { token: w.owner, ...request, headers: { ...headers, 'If-Match': read.headers.get('etag') } });
    assert.equal(answer.status, 200, `${r.id}: ${answer.text.slice(0, 200)}`);
    assert.match(answer.headers.get('etag') ?? '', /^"\d+"$/, `${r.id} tells its version`);
    assert.equal((await expectStatus(200, 'GET', pathTo(readable(r)), { token: w.owner })).headers.get('etag'), answer.headers.get('etag'), r.id);
    assert.equal((await call('GET', pathTo(readable(r)), { token: w.owner, headers: { 'If-None-Match': answer.headers.get('etag') } })).status, 304, r.id);
  }
});

test('every POST takes an Idempotency-Key: given again it is done once, with another body it is refused', async (t) => {
  const w = await freshWorld(), rows = await everyRow(), { schemas } = (await openapi()).components;
  const schemaText = (s) => JSON.stringify(s).replace(/"#\/components\/schemas\/(\w+)"/g, (_, name) => schemaText(schemas[name]));
  t.after(() => stack('start', 'scheduler'));
  await stack('stop', 'scheduler');        // what it does with a run would look as if the call had been done again
  const posts = rows.filter((r) => r.method === 'POST' && (r.row.parameters ?? []).some((p) => /\/IdempotencyKey/.test(p.$ref ?? '')));
  assert.ok(posts.length >= 25, `${posts.length} rows`);
  for (const r of posts) {
    const key = unique('key'), path = pathOf(r.template, (p) => w.places[p], r.row), request = bodyOf(r.row, w.named);
    const send = (more = {}) => call('POST', path, { token: w.owner, ...request, ...more, headers: { ...request.headers, 'Idempotency-Key': key } });
    const first = await send();
    const state = await snapshot(w.accountId, { audit: true });
    const again = await send();
    const isSecret = first.status < 300 && /"format":"password"/.test(schemaText(r.row.responses[first.status]));
    if (first.status < 500 && first.status !== 403 && !isSecret) {
      assert.deepEqual([again.status, again.text, again.headers.get('idempotency-replayed')], [first.status, first.text, first.status < 500 ? 'true' : null], `${r.id}: ${first.text.slice(0, 200)}`);
    } else if (isSecret) {
      assert.equal(again.status, 409, `${r.id}: what is shown once is not shown again`);
    }
    assert.deepEqual(await snapshot(w.accountId, { audit: true }), state, `${r.id} was done again`);
    if (first.status >= 300) continue;
    const other = request.raw ? await send({ raw: `${request.raw}\n` }) : await send({ body: { ...request.body, nonsense: 1 } });
    assert.equal(other.status, 422, `${r.id} with another body: ${other.status} ${other.text.slice(0, 200)}`);
    assert.deepEqual(await snapshot(w.accountId, { audit: true }), state, `${r.id} was done with another body`);
  }
});
