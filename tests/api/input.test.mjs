// Bad input: refused with a name, nothing written (ground, section 10, point 4, and section 3).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, unique } from './client.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  token = account.token;
});

const count = async () => (await expectStatus(200, 'GET', '/api/v1/nodes?limit=100', { token })).data.length;
const note = { kind: 'note', title: 't', body: 'b' };

// The request is refused so, and no node came of it.
async function refused(status, code, options, pointer) {
  const n = await count();
  const r = await call('POST', '/api/v1/nodes', { token, ...options });
  assert.equal(r.status, status, r.text);
  assert.equal(r.code, code);
  assert.equal(r.headers.get('content-type'), 'application/problem+json');
  assert.equal(r.body.success, false);
  assert.equal(r.body.status, status);
  assert.ok(r.body.request_id);
  if (pointer) assert.ok(r.body.errors.some((e) => e.pointer === pointer), r.text);
  assert.equal(await count(), n);
  return r;
}

test('an unknown field is named', () => refused(422, 'VALIDATION_ERROR', { body: { ...note, colour: 1 } }, '/colour'));
test('an unknown field is answered with the one that may be meant', async () => {
  for (const [field, hint] of [['text', /unknown field 'text'; did you mean body\?/], ['importence', /did you mean importance\?/], ['tilte', /did you mean title\?/],
    ['memory', /did you mean body\?/], ['zzzzzz', /unknown field 'zzzzzz'$/]]) {
    const r = await refused(422, 'VALIDATION_ERROR', { body: { ...note, [field]: 'x' } }, `/${field}`);
    assert.match(r.body.errors[0].detail, hint);
  }
  const r = await call('GET', '/api/v1/nodes?space=x&limits=3', { token });
  assert.match(r.body.error, /unknown query parameter 'space'; did you mean space_id\?/);
});
test('an agent is named by me or its slug, a space by its slug', async () => {
  const { data: me } = await expectStatus(200, 'GET', '/api/v1/me', { token });
  for (const name of ['me', 'one', me.id]) {
    assert.equal((await expectStatus(200, 'GET', `/api/v1/agents/${name}`, { token: account.owner })
      .catch((e) => (name === 'me' ? { data: { id: me.id } } : Promise.reject(e)))).data.id, me.id);
    await expectStatus(200, 'POST', `/api/v1/ai/agents/${name}/tiered_memory`, { token, body: { key: 'named', value: name, tier: 'working' } });
    assert.equal((await expectStatus(200, 'GET', `/api/v1/ai/agents/${name}/tiered_memory?key=named`, { token })).data.value, name);
  }
  const own = (await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { ...note, title: unique('named'), space_id: 'agent:me' } })).data.space_id;
  assert.equal((await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { ...note, title: unique('named'), space_id: 'agent:one' } })).data.space_id, own);
  const space = (await expectStatus(200, 'GET', `/api/v1/spaces/${own}`, { token })).data;
  assert.equal((await expectStatus(200, 'GET', `/api/v1/spaces/${encodeURIComponent(space.slug)}`, { token })).data.id, own);
  assert.equal((await expectStatus(200, 'GET', '/api/v1/nodes?space_id=agent:me', { token })).data[0].space_id, own);
  await expectStatus(200, 'POST', '/api/v1/recall', { token, body: { query: 'b', spaces: ['agent:me'] } });
});
test('a grant names an agent by its slug, an event stream a space by its own', async () => {
  const agent = await freshAgent(account), space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { name: 'S', slug: unique('shared') } })).data;
  const g = (await expectStatus(201, 'POST', `/api/v1/spaces/${space.slug}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: agent.slug, level: 'write' } })).data;
  assert.equal(g.grantee_id, agent.id);
  await expectStatus(201, 'POST', '/api/v1/nodes', { token: agent.token, body: { ...note, space_id: space.slug } });
  const nobody = await expectStatus(422, 'POST', `/api/v1/spaces/${space.slug}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: 'nobody' } });
  assert.equal(nobody.body.errors[0].pointer, '/grantee_id');
  assert.equal((await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { name: 'below', parent_id: space.slug } })).data.parent_id, space.id);
  await expectStatus(200, 'GET', `/api/v1/events?spaces=${space.slug}`, { token });
});
test('errors say what to do: a cursor, a credential', async () => {
  const r = await call('GET', '/api/v1/nodes?cursor=xyz', { token });
  assert.match(r.body.error, /^invalid cursor: send the next_cursor/);
  const gone = await call('GET', '/api/v1/me', { token: `${token.slice(0, -1)}${token.at(-1) === 'a' ? 'b' : 'a'}` });
  assert.deepEqual([gone.status, gone.body.error], [401, 'the token or session is invalid, expired or revoked']);
  assert.match((await call('GET', '/api/v1/me', {})).body.error, /send Authorization: Bearer/);
});
test('a name that is not there, or not to be seen, is answered as an id that is not there', async () => {
  const other = await freshAccount(), agent = await freshAgent(account);
  const nowhere = await call('POST', '/api/v1/nodes', { token, body: { ...note, space_id: '00000000-0000-7000-8000-000000000001' } });
  for (const space_id of ['nowhere', 'pool/nowhere', `agent:${agent.slug}`, 'agent:nobody', 'a.b']) {
    const r = await call('POST', '/api/v1/nodes', { token, body: { ...note, space_id } });
    assert.deepEqual([r.status, r.body.error], [nowhere.status, nowhere.body.error], space_id);
  }
  for (const space_id of ['%', "' OR 1=1 -- ", 'No name', 'x'.repeat(200)]) await refused(422, 'VALIDATION_ERROR', { body: { ...note, space_id } }, '/space_id');
  for (const name of [other.slug, 'nobody', '00000000-0000-7000-8000-000000000001'])
    assert.equal((await call('GET', `/api/v1/ai/agents/${name}/tiered_memory?key=x`, { token })).status, 404, name);
  assert.match((await expectStatus(422, 'GET', '/api/v1/agents/me', { token: account.owner })).body.error, /"me" is only for agents/);
});
test('/api/v1 says where the documents are', async () => {
  for (const path of ['/api/v1', '/api/v1/']) {
    const { data } = (await expectStatus(200, 'GET', path, {})).body;
    assert.equal(data.name, 'Loci');
    for (const at of [data.reference, data.openapi]) assert.equal((await call('GET', at, {})).status, 200, at);
  }
});
test('a missing field is named', async () => {
  await refused(422, 'VALIDATION_ERROR', { body: { kind: 'note' } }, '/body');
  const r = await call('POST', '/api/v1/edges', { token, body: { relation: 'uses' } });
  assert.deepEqual([r.status, ...r.body.errors.map((e) => e.pointer)], [422, '/source_id', '/target_id']);
});
test('a wrong type is named', () => refused(422, 'VALIDATION_ERROR', { body: { ...note, title: 7 } }, '/title'));
test('a value out of range is named', () => refused(422, 'VALIDATION_ERROR', { body: { ...note, importance: 1.2 } }, '/importance'));
test('a title one past its limit', () => refused(422, 'VALIDATION_ERROR', { body: { ...note, title: 'x'.repeat(501) } }, '/title'));
test('every fault is told at once', async () => {
  const r = await refused(422, 'VALIDATION_ERROR', { body: { kind: 5, importance: -1, colour: 1 } });
  assert.equal(r.body.errors.length, 3);
});
test('a limit of a thousand million', async () => {
  for (const limit of ['1000000000', '0', '101', '-1', 'ten', '1.5', '']) {
    const r = await call('GET', `/api/v1/nodes?limit=${limit}`, { token });
    assert.equal(r.status, 422, limit);
    assert.equal(r.body.errors[0].pointer, '/limit');
  }
});
test('a cursor of nobody', async () => {
  for (const cursor of ['x', 'AAAA', 'A'.repeat(600), '%00'])
    assert.ok([400, 422].includes((await call('GET', `/api/v1/nodes?cursor=${cursor}`, { token })).status), cursor);
});
test('an unknown query parameter', async () => {
  const r = await call('GET', '/api/v1/nodes?colour=red', { token });
  assert.equal(r.status, 422);
  assert.equal(r.body.errors[0].pointer, '/colour');
});
test('a parameter given twice', async () => assert.equal((await call('GET', '/api/v1/nodes?limit=1&limit=2', { token })).status, 422));
test('a body of two megabytes', () => refused(413, 'PAYLOAD_TOO_LARGE', { raw: JSON.stringify({ ...note, body: 'x'.repeat(2 << 20) }) }));
test('invalid UTF-8', () => refused(400, 'BAD_REQUEST', { raw: Buffer.from('{"kind":"note","title":"\xff"}', 'latin1') }));
test('overlong UTF-8', () => refused(400, 'BAD_REQUEST', { raw: Buffer.from('{"kind":"note","title":"\xc0\xaf"}', 'latin1') }));
test('a hundred levels', () => refused(400, 'BAD_REQUEST', { raw: '['.repeat(100) + ']'.repeat(100) }));
test('300,000 open brackets', () => refused(400, 'BAD_REQUEST', { raw: '['.repeat(300000) }));
test('a NUL, raw and escaped', async () => {
  await refused(400, 'BAD_REQUEST', { raw: '{"kind":"note","title":"a\u0000b"}' });
  await refused(400, 'BAD_REQUEST', { raw: '{"kind":"note","title":"a\\u0000b"}' });
});
test('a lone surrogate', () => refused(400, 'BAD_REQUEST', { raw: '{"kind":"note","title":"\\ud800"}' }));
test('a member twice', () => refused(400, 'BAD_REQUEST', { raw: '{"kind":"note","title":"a","title":"b"}' }));
test('a comment', () => refused(400, 'BAD_REQUEST', { raw: '{"kind":"note",/* x */"title":"a"}' }));
test('something behind the value', () => refused(400, 'BAD_REQUEST', { raw: '{"kind":"note","title":"a"} x' }));
test('a number too large for a double', () => refused(400, 'BAD_REQUEST', { raw: '{"kind":"note","title":"a","importance":1e400}' }));
test('half a value', () => refused(400, 'BAD_REQUEST', { raw: '{"kind":"note"' }));
test('an array, a text, null', async () => {
  for (const raw of ['[]', '"x"', 'null', '5']) await refused(422, 'VALIDATION_ERROR', { raw });
});
test('no body', () => refused(422, 'VALIDATION_ERROR', {}));
test('another media type', async () => {
  for (const type of ['text/plain', 'application/xml', 'application/jsonx'])
    await refused(415, 'UNSUPPORTED_MEDIA_TYPE', { raw: '{}', headers: { 'Content-Type': type } });
});
test('a media type with parameters is fine', async () => {
  const r = await call('POST', '/api/v1/nodes', { token, raw: JSON.stringify({ ...note, title: unique('media') }), headers: { 'Content-Type': 'Application/JSON; charset=utf-8' } });
  assert.equal(r.status, 201, r.text);
});
test('another method', async () => {
  const r = await call('PATCH', '/api/v1/nodes', { token });
  assert.equal(r.status, 405);
  assert.match(r.headers.get('allow'), /GET/);
  assert.match(r.headers.get('allow'), /POST/);
});
test('a path that does not exist', async () => {
  for (const path of ['/api/v1/nothing', '/api/v1/nodes/', '/api/v1//nodes', '/api/v1/nodes/%zz', '/api/v1/nodes/%00'])
    assert.ok([400, 404, 422].includes((await call('GET', path, { token })).status), path);
});
test('an id that is none', async () => {
  const r = await call('GET', '/api/v1/nodes/12', { token });
  assert.equal(r.status, 422);
  assert.equal(r.body.errors[0].pointer, '/id');
});
test('credentials that are none', async () => {
  const tries = ['', 'Bearer', 'Bearer ', 'Bearer x', `Bearer ${'x'.repeat(4000)}`, 'Basic Zm9vOmJhcg==', `bearer  ${token}x`,
    `Bearer ${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`, `Bearer loci_${'a'.repeat(8)}_${'b'.repeat(43)}`];
  for (const auth of tries) {
    const r = await call('GET', '/api/v1/nodes', { headers: auth ? { Authorization: auth } : {} });
    assert.equal(r.status, 401, auth);
    assert.match(r.headers.get('www-authenticate'), /^Bearer/);
    assert.equal(r.code, 'UNAUTHORIZED');
  }
});
test('headers that are none', async () => {
  assert.equal((await call('PATCH', '/api/v1/nodes/01890000-0000-7000-8000-000000000001', { token, body: { title: 'x' }, headers: { 'If-Match': 'x' } })).status, 400);
  const r = await call('POST', '/api/v1/nodes', { token, body: note, headers: { 'Idempotency-Key': 'k'.repeat(256) } });
  assert.equal(r.status, 422);
});
test('a request id of our own, or the caller\'s when it is harmless', async () => {
  const mine = await call('GET', '/api/v1/me', { token, headers: { 'X-Request-Id': 'abc.DEF-1_2' } });
  assert.equal(mine.headers.get('x-request-id'), 'abc.DEF-1_2');
  const made = await call('GET', '/api/v1/me', { token, headers: { 'X-Request-Id': '<script>' } });
  assert.match(made.headers.get('x-request-id'), /^[A-Za-z0-9._-]{16,64}$/);
  const ids = await Promise.all(Array.from({ length: 50 }, () => call('GET', '/api/v1/me', { token }).then((r) => r.headers.get('x-request-id'))));
  for (const id of ids) assert.match(id, /^[A-Za-z0-9._-]{16,64}$/);
  assert.equal(new Set(ids).size, ids.length, 'no two requests have one id');
});
test('headers of every authenticated answer', async () => {
  const r = await call('GET', '/api/v1/me', { token });
  assert.equal(r.headers.get('cache-control'), 'no-store');
  assert.equal(r.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(r.headers.get('access-control-allow-origin'), null);
  assert.ok(Number(r.headers.get('ratelimit-limit')) > 0);
});
test('a body of nothing that calls itself JSON was broken off', async () => {
  const r = await call('POST', '/api/v1/nodes', { token, raw: '' });
  assert.equal(r.status, 400);
  assert.match(r.text, /the body is empty/);
});
test('a boolean in a query is true or false', async () => {
  for (const [value, status] of [['true', 200], ['false', 200], ['1', 422], ['0', 422], ['on', 422], ['', 422]])
    assert.equal((await call('GET', `/api/v1/ai/goals?stale=${value}`, { token })).status, status, value);
});
test('text of every kind comes back as it was', async () => {
  const texts = ['\' OR \'1\'=\'1', '"; DROP TABLE node;--', '<script>alert(1)</script>', '{{7*7}}', '../../etc/passwd', 'é漢字🙂', '\u202e',
    '%s%n%d', '\ufeff', 'a\tb\nc', '\u2028', '\\', '%', '_'];
  for (const body of texts) {
    const made = await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { ...note, body } });
    assert.equal((await expectStatus(200, 'GET', `/api/v1/nodes/${made.data.id}`, { token })).data.body, body);
  }
});
