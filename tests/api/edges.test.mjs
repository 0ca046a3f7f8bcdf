// Edges: who sees them, once each, with two clocks.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE2, call, expectStatus, freshAccount, freshAgent, unique } from './client.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
});

const node = async (body = {}, by = token) => (await expectStatus(201, 'POST', '/api/v1/nodes', { token: by, body: { title: unique('n'), ...body } })).data.id;
const pair = async () => ({ source_id: await node(), target_id: await node() });
const join = async (body) => (await expectStatus(201, 'POST', '/api/v1/edges', { token, body: { relation: 'uses', ...body } })).data;
const of = async (id, query = '') => (await expectStatus(200, 'GET', `/api/v1/nodes/${id}/edges${query}`, { token })).data;
const nobody = '01890000-0000-7000-8000-000000000001';

function invalid(r, pointer) {
  assert.equal(r.status, 422, r.text);
  assert.ok(r.body.errors.some((e) => e.pointer === pointer), r.text);
}

test('made, read, changed, archived, retired', async () => {
  const ends = await pair();
  const e = await join({ ...ends, weight: 0.25, metadata: { a: 1 } });
  const path = `/api/v1/edges/${e.id}`;
  assert.deepEqual([e.relation, e.weight, e.bidirectional, e.status, e.version, e.retired_at], ['uses', 0.25, false, 'active', 1, null]);
  const changed = (await expectStatus(200, 'PATCH', path, { token, body: { weight: 1, metadata: { a: null, b: 2 } } })).data;
  assert.deepEqual([changed.weight, changed.metadata, changed.version], [1, { b: 2 }, 2]);
  assert.deepEqual((await expectStatus(200, 'PATCH', path, { token, body: {} })).data.version, 2);
  await expectStatus(200, 'PATCH', path, { token, body: { status: 'archived' } });
  assert.deepEqual([(await of(ends.source_id)).length, (await of(ends.source_id, '?include_archived=true')).length], [0, 1]);
  await expectStatus(200, 'PATCH', path, { token, body: { status: 'active' } });
  await expectStatus(412, 'DELETE', path, { token, headers: { 'If-Match': '"1"' } });
  await expectStatus(204, 'DELETE', path, { token });
  assert.ok((await expectStatus(200, 'GET', path, { token })).data.retired_at, 'history can be read');
  await expectStatus(409, 'PATCH', path, { token, body: { weight: 0 } });
  await expectStatus(409, 'DELETE', path, { token });
  assert.deepEqual(await of(ends.source_id), []);
  const again = await join(ends);
  assert.notEqual(again.id, e.id);
});

test('the same two nodes are joined once by a relation, also when many ask at once', async () => {
  const ends = await pair();
  const all = await Promise.all(Array.from({ length: 8 }, (_, i) =>
    call('POST', '/api/v1/edges', { token, base: i % 2 ? BASE2 : undefined, body: { ...ends, relation: i % 3 ? 'uses' : 'USES' } })));
  assert.deepEqual(all.map((r) => r.status).sort(), [201, 409, 409, 409, 409, 409, 409, 409]);
  await join({ ...ends, relation: 'implements' });
  await join({ source_id: ends.target_id, target_id: ends.source_id });
  assert.equal((await of(ends.source_id)).length, 3);
});

test('relations: spelt as the registry does, free ones in lower case, those of rooms refused', async () => {
  assert.equal((await join({ ...await pair(), relation: 'derived_from' })).relation, 'DERIVED_FROM');
  assert.equal((await join({ ...await pair(), relation: 'likes_most' })).relation, 'likes_most');
  const both = await join({ ...await pair(), relation: 'similar_to' });
  assert.equal(both.bidirectional, true);
  for (const relation of ['Likes', 'likes most', '1st', 'ä', 'x'.repeat(65), '', "uses'--"]) invalid(await call('POST', '/api/v1/edges', { token, body: { ...await pair(), relation } }), '/relation');
  for (const relation of ['references', 'MENTIONS', 'about', 'IN_SESSION', 'audit'])
    await expectStatus(409, 'POST', '/api/v1/edges', { token, body: { ...await pair(), relation } });
  const r = await call('POST', '/api/v1/edges', { token, body: { ...await pair(), relation: 'requires' } });
  invalid(r, '/source_id');
});

test('ends that are none, the same, old versions, or not to be seen', async () => {
  const a = await node(), other = await freshAgent(account), theirs = await node({}, other.token);
  const post = (body) => call('POST', '/api/v1/edges', { token, body: { relation: 'uses', ...body } });
  invalid(await post({ source_id: a, target_id: a }), '/target_id');
  invalid(await post({ source_id: 'x', target_id: a }), '/source_id');
  for (const body of [{ source_id: a, target_id: nobody }, { source_id: nobody, target_id: a }, { source_id: a, target_id: theirs }, { source_id: theirs, target_id: a }])
    assert.equal((await post(body)).status, 404);
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${a}`, { token, body: { body: 'new' } });
  const [old] = (await expectStatus(200, 'GET', `/api/v1/nodes/${a}/versions`, { token })).data;
  assert.equal((await post({ source_id: old.id, target_id: await node() })).status, 404);
});

test('an edge shows to who reads both ends, and is changed by who writes the source', async () => {
  const reader = await freshAgent(account);
  const space = async () => (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { name: 'S' } })).data.id;
  const [s, t] = [await space(), await space()];
  const allow = (id, level) => expectStatus(201, 'POST', `/api/v1/spaces/${id}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: reader.id, level } });
  const source = await node({ space_id: s }), target = await node({ space_id: t });
  const e = await join({ source_id: source, target_id: target, metadata: { secret: 1 } });
  const seen = async () => [(await call('GET', `/api/v1/edges/${e.id}`, { token: reader.token })).status,
    (await expectStatus(200, 'GET', '/api/v1/edges?limit=100', { token: reader.token })).data.length,
    (await call('GET', `/api/v1/nodes/${target}/edges`, { token: reader.token })).data?.length ?? 'none'];
  assert.deepEqual(await seen(), [404, 0, 'none']);
  await allow(t, 'write');
  assert.deepEqual(await seen(), [404, 0, 0]);
  await allow(s, 'read');
  assert.deepEqual(await seen(), [200, 1, 1]);
  await expectStatus(403, 'PATCH', `/api/v1/edges/${e.id}`, { token: reader.token, body: { weight: 0 } });
  await expectStatus(403, 'DELETE', `/api/v1/edges/${e.id}`, { token: reader.token });
  assert.equal((await call('POST', '/api/v1/edges', { token: reader.token, body: { source_id: source, target_id: target, relation: 'calls' } })).status, 403);
  await expectStatus(201, 'POST', '/api/v1/edges', { token: reader.token, body: { source_id: target, target_id: source, relation: 'calls' } });
});

test('numbers, times and metadata one past their limits', async () => {
  const ends = await pair();
  for (const [body, pointer] of [[{ weight: 1.1 }, '/weight'], [{ weight: -0.1 }, '/weight'], [{ confidence: 7 }, '/confidence'], [{ metadata: [] }, '/metadata'],
    [{ metadata: { a: 'x'.repeat(65536) } }, '/metadata'], [{ valid_from: '2026-01-02T00:00:00Z', valid_to: '2026-01-01T00:00:00Z' }, '/valid_to'], [{ bidirectional: 1 }, '/bidirectional']])
    invalid(await call('POST', '/api/v1/edges', { token, body: { ...ends, relation: 'uses', ...body } }), pointer);
  const e = await join({ ...ends, valid_from: '2026-01-02T00:00:00Z' });
  invalid(await call('PATCH', `/api/v1/edges/${e.id}`, { token, body: { valid_to: '2026-01-01T00:00:00Z' } }), '/valid_to');
});

test('time travel: what was true then, and what was known then', async () => {
  const source_id = await node();
  const was = await join({ source_id, target_id: await node(), valid_from: '2025-01-01T00:00:00Z', valid_to: '2025-06-01T00:00:00Z' });
  const is = await join({ source_id, target_id: await node(), valid_from: '2025-06-01T00:00:00Z' });
  const ever = await join({ source_id, target_id: await node() });
  const ids = async (query) => (await of(source_id, query)).map((e) => e.id).sort();
  const these = (...edges) => edges.map((e) => e.id).sort();
  assert.deepEqual(await ids(''), these(was, is, ever));
  assert.deepEqual(await ids('?as_of=2025-03-01T00:00:00Z'), these(was, ever));
  assert.deepEqual(await ids('?as_of=2025-06-01T00:00:00Z'), these(is, ever), 'an interval ends where the next begins');
  assert.deepEqual(await ids('?as_of=2024-01-01T00:00:00Z'), these(ever));
  await expectStatus(204, 'DELETE', `/api/v1/edges/${ever.id}`, { token });
  const retired = (await expectStatus(200, 'GET', `/api/v1/edges/${ever.id}`, { token })).data.retired_at;
  assert.deepEqual(await ids(''), these(was, is));
  assert.deepEqual(await ids(`?as_known_at=${ever.recorded_at}`), these(was, is, ever));
  assert.deepEqual(await ids(`?as_known_at=${retired}`), these(was, is));
  assert.deepEqual(await ids(`?as_known_at=${ever.recorded_at}&as_of=2025-03-01T00:00:00Z`), these(was, ever));
  assert.deepEqual(await ids('?as_known_at=2020-01-01T00:00:00Z'), []);
  for (const q of ['?as_of=yesterday', '?as_of=', '?as_known_at=2026-13-01T00:00:00Z']) assert.equal((await call('GET', `/api/v1/nodes/${source_id}/edges${q}`, { token })).status, 422, q);
});

test('lists by direction and relation, in pages', async () => {
  const hub = await node();
  for (let i = 0; i < 5; i++) await join({ source_id: hub, target_id: await node(), relation: i % 2 ? 'uses' : 'calls' });
  for (let i = 0; i < 2; i++) await join({ source_id: await node(), target_id: hub });
  assert.deepEqual([(await of(hub)).length, (await of(hub, '?direction=out')).length, (await of(hub, '?direction=in')).length], [7, 5, 2]);
  assert.deepEqual([(await of(hub, '?relation=USES')).length, (await of(hub, '?relation=calls&direction=in')).length], [4, 0]);
  const seen = new Set();
  let cursor = '';
  do {
    const r = await expectStatus(200, 'GET', `/api/v1/edges?node_id=${hub}&limit=3${cursor && `&cursor=${cursor}`}`, { token });
    for (const e of r.data) seen.add(e.id);
    cursor = r.meta.next_cursor;
  } while (cursor);
  assert.equal(seen.size, 7);
});

test('being pointed at is counted', async () => {
  const ends = await pair();
  await join(ends);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/nodes/${ends.target_id}?touch=false`, { token })).data.referenced_count, 1);
});
