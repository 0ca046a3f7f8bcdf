// Memory pools: documents that agents share by path, with an access list, compare-and-set, limits and news.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE2, call, expectStatus, freshAccount, freshAgent, runEnded, unique, until } from './client.mjs';
import { sql } from './db.mjs';

const P = '/api/v1/ai/memory_pools';
let account, me, token, b, c;
before(async () => {
  account = await freshAccount();
  token = account.token;
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
  [b, c] = [await freshAgent(account), await freshAgent(account)];
});

const make = async (body = {}, as = token) => (await expectStatus(201, 'POST', P, { token: as, body: { name: unique('pool'), ...body } })).data;
const data = (pool, key) => `${P}/${pool.pool_id ?? pool}/data${key === undefined ? '' : `/${encodeURIComponent(key)}`}`;
const put = (pool, key, body, as = token, more = {}) => call('PUT', data(pool, key), { token: as, body, ...more });
const write = async (pool, key, value, as = token) => (await expectStatus(200, 'PUT', data(pool, key), { token: as, body: { value } })).data;
const read = async (pool, key, as = token) => (await expectStatus(200, 'GET', data(pool, key), { token: as })).data;
const drop = async (pool, key, as = token) => (await expectStatus(200, 'DELETE', data(pool, key), { token: as })).data;
const merge = async (pool, part, as = token) => (await expectStatus(200, 'PATCH', data(pool), { token: as, body: { data: part } })).data;
const pool = async (p, as = token) => (await expectStatus(200, 'GET', `${P}/${p.id}`, { token: as })).data;
const keys = async (p, query = '') => (await expectStatus(200, 'GET', `${P}/${p.id}/entries?limit=100${query}`, { token })).data;
const grants = async (p) => (await sql(`SELECT grantee_kind, grantee_id, level FROM space_grant WHERE space_id = '${p.id}' ORDER BY 1, 2, 3`));

function invalid(r, pointer, said = '') {
  assert.equal(r.status, 422, r.text);
  assert.ok(r.body.errors.some((e) => e.pointer === pointer && e.detail.includes(said)), r.text);
}
function conflict(r, reason) {
  assert.deepEqual([r.status, r.body.reason], [409, reason], r.text);
}

test('a pool is made, read by name and id, listed, changed and deleted', async () => {
  const p = await make({ description: 'd', metadata: { a: 1 }, retention_policy: { max_entries: 7 } });
  assert.match(p.pool_id, /^pool_shared_[0-9a-f]{16}$/);
  assert.deepEqual([p.pool_type, p.scope, p.version, p.owner_agent_id, p.access, p.key_count], ['shared', 'account', 1, me.id, 'manage', 0]);
  assert.deepEqual(p.retention_policy, { ttl_seconds: null, max_size_bytes: 5000000, max_entries: 7, eviction: 'lru' });
  for (const ref of [p.id, p.pool_id]) assert.deepEqual((await expectStatus(200, 'GET', `${P}/${ref}`, { token })).data, p);
  for (const q of ['', '?pool_type=shared', '?scope=account', `?agent_id=${me.id}`])
    assert.ok((await expectStatus(200, 'GET', P + q, { token })).data.some((x) => x.id === p.id), q);
  for (const q of ['?pool_type=global', '?scope=team', `?agent_id=${b.id}`])
    assert.ok(!(await expectStatus(200, 'GET', P + q, { token })).data.some((x) => x.id === p.id), q);
  const q = (await expectStatus(200, 'PATCH', `${P}/${p.pool_id}`, { token, body: { name: 'New', scope: 'session', metadata: { b: 2 },
    retention_policy: { cleanup_strategy: 'reject' } } })).data;
  assert.deepEqual([q.name, q.scope, q.version, q.revision, q.metadata], ['New', 'session', 1, 2, { a: 1, b: 2 }]);
  assert.deepEqual([q.retention_policy.max_entries, q.retention_policy.eviction], [7, 'reject']);
  await expectStatus(412, 'PATCH', `${P}/${p.id}`, { token, body: { name: 'x' }, headers: { 'If-Match': '"1"' } });
  await expectStatus(204, 'DELETE', `${P}/${p.id}`, { token });
  for (const path of [`${P}/${p.id}`, data(p), data(p, 'a')]) await expectStatus(404, 'GET', path, { token });
  assert.equal((await put(p, 'a', { value: 1 })).status, 404);
});

test('the version counts changes of content alone, the revision those of settings; both are in the ETag', async () => {
  const p = await make(), patch = (body, more = {}) => call('PATCH', `${P}/${p.id}`, { token, body, ...more });
  const state = async () => { const { version, revision } = await pool(p); return [version, revision]; };
  const events = async () => Number((await sql(`SELECT COUNT(*) FROM audit_event WHERE subject_id = '${p.id}' AND kind LIKE 'memory_pool%'`))[0][0]);
  const first = await write(p, 'k', { a: 1, b: [2] });
  await merge(p, { m: { x: 1 }, n: 2 });
  await put(p, 'ends', { value: 1, ttl_seconds: 600 });
  const [version] = await state(), told = await events();
  const again = await write(p, 'k', { b: [2], a: 1 });
  assert.deepEqual([again.written, again.version, again.node_id], [false, first.version, first.node_id]);
  for (const [key, value] of [['k.a', 1], ['m.x', 1]]) assert.equal((await write(p, key, value)).written, false);
  assert.equal((await merge(p, { m: { x: 1 }, n: 2 })).written, false);
  const longer = (await put(p, 'ends', { value: 1, ttl_seconds: 1200 })).body.data;
  assert.deepEqual([longer.written, longer.version], [true, version], 'its end is another one, its value is not');
  assert.equal((await patch({})).status, 200);
  assert.equal((await patch({ name: p.name, metadata: {}, retention_policy: {}, scope: p.scope })).status, 200);
  assert.deepEqual([await state(), await events()], [[version, 1], told]);
  const { headers } = await expectStatus(200, 'GET', `${P}/${p.id}`, { token });
  assert.equal((await patch({ name: 'Other' })).status, 200);
  assert.deepEqual(await state(), [version, 2]);
  assert.equal((await call('GET', `${P}/${p.id}`, { token, headers: { 'If-None-Match': headers.get('etag') } })).status, 200, 'a rename is another state');
  assert.equal((await patch({ name: 'x' }, { headers: { 'If-Match': headers.get('etag') } })).status, 412);
  assert.equal((await patch({ name: 'x', if_revision: 1 })).status, 412);
  assert.equal((await patch({ name: 'x', if_revision: 2 })).status, 200);
  assert.equal((await merge(p, { m: { x: 1, y: 2 }, n: 2 })).version, version + 1);
  assert.deepEqual((await keys(p, `&since_version=${version}`)).map((e) => e.key), ['m.y']);
});

test('persistent pools are listed as such, however they were made so', async () => {
  const flagged = await make({ persist_across_executions: true }), scoped = await make({ scope: 'persistent' }), plain = await make();
  const listed = async () => (await expectStatus(200, 'GET', `${P}?scope=persistent&limit=100`, { token })).data.map((x) => x.id);
  const among = async (p) => (await listed()).includes(p.id);
  assert.deepEqual([await among(flagged), await among(scoped), await among(plain)], [true, true, false]);
  const patch = (p, body) => call('PATCH', `${P}/${p.id}`, { token, body });
  assert.equal((await patch(plain, { persist_across_executions: true })).body.data.persist_across_executions, true);
  assert.equal((await patch(flagged, { persist_across_executions: false })).status, 200);
  assert.deepEqual([await among(flagged), await among(plain)], [false, true]);
  invalid(await patch(scoped, { persist_across_executions: false }), '/persist_across_executions');
  assert.equal((await patch(scoped, { persist_across_executions: false, scope: 'task' })).status, 200);
  assert.equal((await patch(flagged, { scope: 'persistent' })).body.data.persist_across_executions, true);
});

test('each type has its scope; what is refused names the field', async () => {
  for (const [pool_type, scope] of [['agent_private', 'agent'], ['task_scoped', 'task'], ['global', 'global']])
    assert.equal((await make({ pool_type })).scope, scope);
  assert.equal((await make({ scope: 'execution', persist_across_executions: true })).scope, 'execution');
  const tries = [[{ pool_id: 'A b' }, '/pool_id'], [{ pool_type: 'bag' }, '/pool_type'], [{ pool_type: 'blackboard' }, '/pool_type'],
    [{ scope: 'workflow' }, '/scope'], [{ pool_type: 'team_shared' }, '/team_id'], [{ retention_policy: { max_entires: 3 } }, '/retention_policy/max_entires'],
    [{ retention_policy: { max_entries: 50001 } }, '/retention_policy/max_entries'], [{ retention_policy: { max_size_bytes: 5e7 + 1 } }, '/retention_policy/max_size_bytes'],
    [{ retention_policy: { eviction: 'random' } }, '/retention_policy/eviction'], [{ access_control: { reed: [] } }, '/access_control/reed'],
    [{ access_control: { read: ['01890000-0000-7000-8000-000000000001'] } }, '/access_control/read/0'], [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at']];
  for (const [body, pointer] of tries) invalid(await call('POST', P, { token, body: { name: 'n', ...body } }), pointer);
  invalid(await call('POST', P, { token: account.owner, body: { name: 'n', pool_type: 'agent_private' } }), '/owner_agent_id');
});

// ---- acceptance 10 to 15

test('read, write and public_read; agents and public: who may do what', async () => {
  const p = await make({ access_control: { read: [me.id, b.id], write: [me.id], public_read: false } });
  await write(p, 'k', 1);
  assert.equal((await read(p, 'k', b.token)).value, 1);
  assert.equal((await put(p, 'k', { value: 2 }, b.token)).status, 403);
  assert.equal((await put(p, 'k', { value: 2 }, c.token)).status, 404);
  assert.equal((await call('GET', data(p, 'k'), { token: c.token })).status, 404);
  const shared = await make({ access_control: { agents: [me.id], public: true } });
  await write(shared, 'k', 'by c', c.token);
  assert.deepEqual([(await read(shared, 'k')).value, (await read(shared, 'k')).writer_id], ['by c', c.id]);
  const scoped = await make({ pool_type: 'task_scoped', access_control: { agents: [me.id], public: true } });
  await write(scoped, 'k', 1);
  assert.equal((await read(scoped, 'k', c.token)).value, 1);
  assert.equal((await put(scoped, 'k', { value: 2 }, c.token)).status, 403);
});

test('what GET says of access_control changes nothing when it is sent back; authors come from the credential', async () => {
  const p = await make({ access_control: { read: [b.id], write: [c.id], public_read: true } });
  const before = await grants(p), { access_control, access_words } = await pool(p);
  assert.match(access_words, /\w/);
  await expectStatus(200, 'PATCH', `${P}/${p.id}`, { token, body: { access_control } });
  assert.deepEqual(await grants(p), before);
  assert.deepEqual((await pool(p)).access_control, access_control);
  const stranger = (await expectStatus(200, 'GET', '/api/v1/me', { token: (await freshAccount()).token })).data;
  invalid(await call('PATCH', `${P}/${p.id}`, { token, body: { access_control: { read: [b.id, stranger.id] } } }), '/access_control/read/1');
  assert.deepEqual(await grants(p), before);
  invalid(await put(p, 'k', { value: 1, agent_id: b.id }), '/agent_id');
  assert.equal((await pool(p, b.token)).access_control, null, 'only who manages it sees who has access');
  await expectStatus(200, 'PATCH', `${P}/${p.id}`, { token, body: { access_control: null } });
  assert.equal((await call('GET', `${P}/${p.id}`, { token: b.token })).status, 404);
});

test('a bulletin is read by path, and is news for whoever may read the pool', async () => {
  const p = await make({ access_control: { read: [b.id] } });
  const regime = { regime: 'risk-off', confidence: 0.82 };
  const w = await write(p, 'agent_bulletin.market_regime', regime);
  assert.deepEqual((await read(p, 'agent_bulletin', b.token)).value, { market_regime: regime });
  const confidence = await read(p, 'agent_bulletin.market_regime.confidence', b.token);
  assert.deepEqual([confidence.value, confidence.found, confidence.version], [0.82, true, w.version]);
  assert.deepEqual((await read(p, 'agent_bulletin.market_regime.nobody', b.token)).found, false);
  const [news] = await sql(`SELECT payload, is_news, space_id FROM audit_event WHERE subject_id = '${p.id}' AND kind = 'memory_pool_key_write'`);
  const { timestamp, ...said } = JSON.parse(news[0]);
  assert.match(timestamp, /^\d{4}-.*Z$/);
  assert.deepEqual(said, { pool_id: p.pool_id, key: 'agent_bulletin.market_regime', version: w.version, writer_agent_id: me.id, is_bulletin: true, deleted: false });
  assert.deepEqual(news.slice(1), ['1', p.id]);
});

test('every way of writing below agent_bulletin makes a bulletin', async () => {
  const p = await make();
  await write(p, 'agent_bulletin', { regime: 'risk-off' });
  await merge(p, { agent_bulletin: { regime: 'risk-on' } });
  await write(p, 'agent_bulletin.storm', 1);
  await drop(p, 'agent_bulletin');
  await merge(p, { agent_bulletin: { calm: 1 } });
  await write(p, 'agent_bulletins', 1);
  const news = await sql(`SELECT JSON_VALUE(payload, '$.key'), JSON_VALUE(payload, '$.is_bulletin') FROM audit_event WHERE subject_id = '${p.id}' AND kind = 'memory_pool_key_write' ORDER BY id`);
  assert.deepEqual(news, [['agent_bulletin', '1'], ['agent_bulletin', '1'], ['agent_bulletin.storm', '1'], ['agent_bulletin', '1'],
    ['agent_bulletin.calm', '1'], ['agent_bulletins', '0']]);
});

const lanes = (n, each) => Promise.all(Array.from({ length: n }, (_, lane) => each(lane, lane % 2 ? BASE2 : undefined)));

test('16 writers at once: increments add up, no key is lost, one of them makes a key', async () => {
  const p = await make({ retention_policy: { max_entries: 5000 } });
  await lanes(16, async (_, base) => {
    for (let i = 0; i < 200; i++) assert.equal((await put(p, 'n', { op: 'increment' }, token, { base })).status, 200);
  });
  assert.equal((await read(p, 'n')).value, 3200);
  const { version } = await pool(p);
  await lanes(16, async (lane, base) => {
    for (let i = 0; i < 200; i++) assert.equal((await put(p, `k${lane}.${i}`, { value: lane * 200 + i }, token, { base })).status, 200);
  });
  const after = await pool(p), whole = (await read(p)).value;
  assert.deepEqual([after.version - version, after.key_count], [3200, 3201]);
  for (let lane = 0; lane < 16; lane++) assert.equal(Object.keys(whole[`k${lane}`]).length, 200);
  const first = await lanes(16, (lane, base) => put(p, 'once', { value: lane, if_version: 0 }, token, { base }));
  assert.deepEqual(first.map((r) => r.status).sort(), [200, ...Array(15).fill(412)]);
  const won = first.find((r) => r.status === 200).body.data;
  for (const r of first.filter((x) => x.status === 412)) assert.deepEqual([r.body.current_version, r.body.current_value], [won.version, won.value]);
});

test('limits: the least used key makes room and is named, reject refuses; bad keys and values name the field', async () => {
  const p = await make({ retention_policy: { max_entries: 3 } });
  for (const k of ['a', 'b', 'c']) await write(p, k, k);
  for (const k of ['a', 'c']) await read(p, k);
  assert.deepEqual((await write(p, 'd', 'd')).evicted, ['b'], 'also while the uses wait to be written');
  assert.deepEqual(Object.keys((await read(p)).value), ['a', 'c', 'd']);
  const { data: s } = await expectStatus(200, 'GET', `${P}/${p.id}/statistics`, { token });
  assert.deepEqual([s.entry_count, s.total_keys, s.evicted_count, s.fill], [3, 3, 1, 1]);
  assert.deepEqual(s.writers, [{ kind: 'agent', id: me.id, keys: 3 }]);
  const r = await make({ retention_policy: { max_entries: 1, eviction: 'reject' } });
  await write(r, 'a', 1);
  const was = await pool(r);
  conflict(await put(r, 'b', { value: 1 }), 'quota_exceeded');
  assert.deepEqual(await pool(r), was);
  await write(r, 'a', 2);
  const small = await make({ retention_policy: { max_size_bytes: 1000 } });
  await write(small, 'a', 'x'.repeat(600));
  assert.deepEqual((await write(small, 'b', 'x'.repeat(600))).evicted, ['a']);
  conflict(await put(small, 'c', { value: 'x'.repeat(2000) }), 'quota_exceeded');
  assert.deepEqual(Object.keys((await read(small)).value), ['b']);

  for (const key of ['a..b', '.a', 'a.', 'a.b.c.d.e.f.g.h.i', 'x'.repeat(101), 'a\u0001b', Array(6).fill('y'.repeat(99)).join('.')])
    invalid(await put(p, key, { value: 1 }), '/key');
  invalid(await put(p, 'big', { value: 'x'.repeat(65 * 1024) }), '/value');
  const q = await make();
  for (const k of ['a_b', 'aXb', 'a.b', 'a%', 'a ', 'a', 'A', 'é', 'a/b']) if (k !== 'a') await write(q, k, k);
  for (const k of ['a_b', 'aXb', 'a.b', 'a%', 'a ', 'A', 'é', 'a/b']) assert.equal((await read(q, k)).value, k);
  assert.deepEqual((await read(q, 'a')).value, { b: 'a.b' });
  for (const [prefix, want] of [['a_', ['a_b']], ['a%', ['a%']], ['a.', ['a.b']], ['A', ['A']], ['%', []]])
    assert.deepEqual((await keys(q, `&prefix=${encodeURIComponent(prefix)}`)).map((e) => e.key), want, prefix);
  await drop(q, 'a_b');
  assert.equal((await keys(q)).length, 7);
});

test('the pool `default` is made by the first write, once, for each account; it stays; others are not there', async () => {
  const own = await freshAccount(), two = await freshAgent(own);
  assert.deepEqual((await read('default', 'x', own.token)).found, false);
  await expectStatus(404, 'GET', `${P}/default`, { token: own.token });
  const made = await Promise.all([own.token, two.token, own.token, two.token].map((as, i) =>
    put('default', `k${i}`, { value: i }, as, { base: i % 2 ? BASE2 : undefined })));
  assert.deepEqual(made.map((r) => r.status), [200, 200, 200, 200]);
  assert.deepEqual((await read('default', undefined, two.token)).value, { k0: 0, k1: 1, k2: 2, k3: 3 });
  const p = await pool({ id: 'default' }, own.owner);
  assert.deepEqual([p.pool_type, p.access_control.public, p.version], ['shared', true, 5]);
  conflict(await call('DELETE', `${P}/default`, { token: own.token }), 'protected');
  await write('default', 'mine', 1);
  assert.notEqual((await pool({ id: 'default' })).id, p.id);
  const foreign = await call('GET', `${P}/${p.id}`, { token }), unknown = await call('GET', `${P}/01890000-0000-7000-8000-000000000001`, { token });
  const same = ({ request_id, ...rest }) => rest;
  assert.equal(foreign.status, 404);
  assert.deepEqual(same(foreign.body), same(unknown.body));
});

// ---- paths

test('paths: one owner for each, members inside values, subtrees that are replaced, deletions', async () => {
  const p = await make();
  await write(p, 'a', { b: { c: 1 } });
  const w = await write(p, 'a.b.d', 2);
  assert.deepEqual((await read(p, 'a')).value, { b: { c: 1, d: 2 } });
  assert.deepEqual((await keys(p)).map((e) => [e.key, e.version]), [['a', w.version]]);
  conflict(await put(p, 'a.b.c.e', { value: 1 }), 'not_an_object');
  assert.equal((await drop(p, 'a.b.c')).written, true);
  assert.equal((await drop(p, 'a.b.c')).written, false);
  assert.deepEqual((await read(p, 'a.b')).value, { d: 2 });
  for (const k of ['t.x.1', 't.x.2', 't.y']) await write(p, k, k);
  assert.deepEqual((await read(p, 't')).value, { x: { 1: 't.x.1', 2: 't.x.2' }, y: 't.y' });
  await write(p, 't.x', null);
  assert.deepEqual((await read(p, 't')).value, { x: null, y: 't.y' });
  assert.deepEqual([(await read(p, 't.x')).found, (await read(p, 't.x.1')).found], [true, false]);
  await drop(p, 't');
  assert.deepEqual((await read(p)).value, { a: { b: { d: 2 } } });
  const { key_count, data_size_bytes } = await pool(p);
  assert.deepEqual([key_count, data_size_bytes], [1, 'a'.length + JSON.stringify({ b: { d: 2 } }).length]);
});

test('merge: objects deep, all else replaces, new data become keys of two segments; all of it or nothing', async () => {
  const p = await make();
  await write(p, 'row', { deep: { a: 1 }, list: [1, 2] });
  await merge(p, { row: { deep: { b: 2 }, list: [3] }, agent_bulletin: { market_regime: { x: 1 }, other: null }, flat: 5 });
  assert.deepEqual((await read(p)).value,
    { agent_bulletin: { market_regime: { x: 1 }, other: null }, flat: 5, row: { deep: { a: 1, b: 2 }, list: [3] } });
  assert.deepEqual((await keys(p)).map((e) => e.key), ['agent_bulletin.market_regime', 'agent_bulletin.other', 'flat', 'row']);
  await write(p, 'z.y.x', 1);
  await merge(p, { z: { y: { w: { v: 2 } } }, flat: { now: 'object' }, row: 'scalar' });
  assert.deepEqual((await read(p)).value, { agent_bulletin: { market_regime: { x: 1 }, other: null }, flat: { now: 'object' }, row: 'scalar',
    z: { y: { w: { v: 2 }, x: 1 } } });
  const was = await pool(p);
  const merging = (part) => call('PATCH', data(p), { token, body: { data: part } });
  invalid(await merging({ ok: { fine: 1 }, bad: { 'a.b': 1 } }), '/data', 'a.b');
  invalid(await merging({ big: Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`k${i}`, i])) }), '/data', '500');
  invalid(await merging({ a: 1, big: { v: 'x'.repeat(65 * 1024) } }), '/data', 'big.v');
  assert.deepEqual(await pool(p), was);
  assert.equal((await merge(p, { many: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i])) })).written, true);
  assert.equal((await pool(p)).version, was.version + 1);
});

test('compare-and-set, increment and append, inside values as well', async () => {
  const p = await make();
  const { version } = await write(p, 'a', { n: 1, list: [1] });
  assert.equal((await put(p, 'a', { value: 2, if_version: version + 5 })).status, 412);
  const lost = await put(p, 'a.n', { value: 2, if_version: 0 });
  assert.deepEqual([lost.status, lost.body.current_version, lost.body.current_value], [412, version, 1]);
  const gone = await put(p, 'b', { value: 2, if_version: 3 });
  assert.deepEqual([gone.status, gone.body.current_version, gone.body.current_value], [412, 0, null]);
  const won = await put(p, 'a.n', { op: 'increment', by: 2.5, if_version: version });
  assert.deepEqual([won.status, won.body.data.value], [200, 3.5]);
  assert.equal((await put(p, 'a', { value: 0 }, token, { headers: { 'If-Match': `"${version}"` } })).status, 412);
  assert.deepEqual((await put(p, 'a.list', { op: 'append', value: 2, max_len: 2 })).body.data.value, [1, 2]);
  assert.deepEqual((await put(p, 'a.list', { op: 'append', value: 3, max_len: 2 })).body.data.value, [2, 3]);
  assert.deepEqual((await put(p, 'new.list', { op: 'append', value: {} })).body.data.value, [{}]);
  assert.equal((await put(p, 'new.count', { op: 'increment', by: -2 })).body.data.value, -2);
  conflict(await put(p, 'a.list', { op: 'increment' }), 'not_a_number');
  conflict(await put(p, 'new', { op: 'increment' }), 'not_a_number');
  conflict(await put(p, 'a.n', { op: 'append', value: 1 }), 'not_an_array');
  invalid(await put(p, 'a', {}), '/value');
  const kept = await put(p, 'a.n', { value: 9, if_absent: true });
  assert.deepEqual([kept.body.data.written, kept.body.data.value], [false, 3.5]);
  assert.equal((await put(p, 'a.m', { value: 9, if_absent: true })).body.data.written, true);
  const viaBody = (await expectStatus(200, 'POST', `${P}/${p.id}/write_data`, { token, body: { key: 'a.m', value: 10 } })).data;
  assert.deepEqual([viaBody.key, viaBody.value, (await read(p, 'a.m')).value], ['a.m', 10, 10]);
  assert.equal((await call('DELETE', `${data(p, 'a')}?if_version=1`, { token })).status, 412);
});

test('the whole document is replaced at once, or not at all', async () => {
  const p = await make(), replace = (body) => call('PUT', data(p), { token, body });
  await merge(p, { keep: { a: 1, b: 2 }, gone: { x: 1 }, flat: 5 });
  await put(p, 'ends', { value: 1, ttl_seconds: 600 });
  const { version } = await pool(p);
  const next = { keep: { a: 1, b: 3 }, fresh: { deep: { er: [1] } }, ends: 1 };
  const done = await replace({ data: next, if_version: version });
  assert.deepEqual([done.status, done.body.data.written, done.body.data.version], [200, true, version + 1]);
  assert.deepEqual((await read(p)).value, next);
  assert.deepEqual((await keys(p)).map((e) => [e.key, e.version - version, e.expires_at]), [['ends', 0, null], ['fresh.deep', 1, null], ['keep.a', -1, null], ['keep.b', 1, null]]);
  assert.deepEqual((await keys(p, `&since_version=${version}`)).filter((e) => e.deleted).map((e) => e.key), ['flat', 'gone.x']);
  assert.equal((await replace({ data: next })).body.data.written, false, 'the same again');
  const lost = await replace({ data: {}, if_version: version });
  assert.deepEqual([lost.status, lost.body.current_version], [412, version + 1]);
  invalid(await replace({ data: { ok: 1, 'a.b': 1 } }), '/data', 'a.b');
  invalid(await replace({ data: Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`k${i}`, i])) }), '/data', '500');
  assert.deepEqual((await read(p)).value, next);
  const whole = (body) => call('POST', `${P}/${p.id}/write_data`, { token, body });
  assert.equal((await whole({ data: { only: 1 } })).status, 200);
  assert.deepEqual((await read(p)).value, { only: 1 });
  invalid(await whole({ data: {}, key: 'k', value: 1 }), '/data');
  invalid(await whole({}), '/key');
  assert.equal((await replace({ data: {} })).body.data.written, true);
  assert.deepEqual([(await read(p)).value, (await pool(p)).key_count], [{}, 0]);
});

test('a key lives as long as it was given; its name is free again, and no old version comes back', async () => {
  const p = await make({ retention_policy: { ttl_seconds: 3600 } });
  assert.ok(Date.parse((await write(p, 'long', 1)).expires_at) > Date.now() + 3500e3);
  const one = (await put(p, 'short', { value: 1, ttl_seconds: 1 })).body.data;
  await until('the key is gone', async () => !(await read(p, 'short')).found);
  assert.deepEqual((await keys(p)).map((e) => e.key), ['long']);
  const again = (await put(p, 'short', { value: 2, if_version: 0 })).body.data;
  assert.ok(again.version > one.version);
  const { data: s } = await expectStatus(200, 'GET', `${P}/${p.id}/statistics`, { token });
  assert.deepEqual([s.expired_count, s.total_keys], [1, 2]);
});

test('a part ends alone: its neighbours keep their own ends, and stay', async () => {
  const p = await make();
  await put(p, 'cfg', { value: { keep: 'me', deep: { a: 1, b: [2], 'no.key': 3 }, list: [] }, ttl_seconds: 600 });
  const was = (await keys(p))[0];
  await call('POST', `/api/v1/nodes/${was.node_id}/pin`, { token, body: {} });
  conflict(await put(p, 'cfg.deep.tmp', { value: 1, ttl_seconds: 1 }), 'not_a_key');
  conflict(await put(p, 'cfg.list.tmp', { value: 1, ttl_seconds: 1 }), 'not_an_object');
  await drop(p, 'cfg.deep');
  await write(p, 'cfg.deep', { a: 1, b: [2] });
  const part = (await put(p, 'cfg.deep.tmp', { value: 1, ttl_seconds: 1 })).body.data;
  assert.ok(Date.parse(part.expires_at) < Date.now() + 5000, 'it ends when it was asked to');
  await until('the part is gone', async () => !(await read(p, 'cfg.deep.tmp')).found);
  assert.deepEqual((await read(p, 'cfg')).value, { deep: { a: 1, b: [2] }, keep: 'me', list: [] });
  const after = await keys(p);
  assert.deepEqual(after.map((e) => [e.key, e.expires_at, e.created_at]),
    ['cfg.deep.a', 'cfg.deep.b', 'cfg.keep', 'cfg.list'].map((k) => [k, was.expires_at, was.created_at]));
  assert.deepEqual(await sql(`SELECT DISTINCT n.is_pinned FROM pool_entry e JOIN node n ON n.id = e.node_id WHERE e.space_id = '${p.id}' AND e.entry_key <> 'cfg' AND e.entry_key <> 'cfg.deep.tmp'`), [['1']]);
  const few = await make({ retention_policy: { max_entries: 3 } });
  await write(few, 'cfg', { a: 1, b: 2 });
  await write(few, 'cfg.c', 3);
  conflict(await put(few, 'cfg.tmp', { value: 1, ttl_seconds: 600 }), 'quota_exceeded');
  await drop(few, 'cfg.c');
  assert.deepEqual((await put(few, 'cfg.tmp', { value: 1, ttl_seconds: 600 })).body.data.evicted, []);
  assert.deepEqual((await read(few, 'cfg')).value, { a: 1, b: 2, tmp: 1 });
});

test('a key keeps its end until it is written anew or another end is asked for', async () => {
  const p = await make(), end = async (key) => (await keys(p, `&prefix=${key}`))[0].expires_at;
  await put(p, 'n', { value: 1, ttl_seconds: 600 });
  await put(p, 'o', { value: { list: [] }, ttl_seconds: 600 });
  const [n, o] = [await end('n'), await end('o')];
  for (const said of [await put(p, 'n', { op: 'increment' }), await put(p, 'o.list', { op: 'append', value: 1 }), await put(p, 'o.more', { value: 2 })])
    assert.equal(said.body.data.expires_at, said.body.data.key === 'n' ? n : o);
  await merge(p, { n: 7, o: { even: { more: 1 } } });
  await drop(p, 'o.more');
  assert.deepEqual([await end('n'), await end('o')], [n, o]);
  assert.deepEqual([(await read(p, 'n')).value, (await read(p, 'o')).value], [7, { list: [1], even: { more: 1 } }]);
  const longer = (await put(p, 'n', { op: 'increment', ttl_seconds: 1200 })).body.data;
  assert.ok(Date.parse(longer.expires_at) > Date.parse(n) + 500e3);
  assert.equal((await write(p, 'n', 0)).expires_at, null, 'written anew');
  const q = await make({ retention_policy: { ttl_seconds: 3600 } });
  await write(q, 'n', 1);
  await sql(`UPDATE pool_entry SET updated_at = updated_at - INTERVAL 30 MINUTE, expires_at = expires_at - INTERVAL 30 MINUTE WHERE space_id = '${q.id}'`);
  assert.ok(Date.parse((await put(q, 'n', { op: 'increment' })).body.data.expires_at) > Date.now() + 3000e3, 'an end by the pool counts from the last write');
  await put(q, 'own', { value: 1, ttl_seconds: 60 });
  assert.ok(Date.parse((await put(q, 'own', { op: 'increment' })).body.data.expires_at) < Date.now() + 90e3);
});

test('changes since a version, deletions too, in their order and page by page', async () => {
  const p = await make();
  await merge(p, { a: 1, b: 2, d: { x: 1, y: 2 } });
  const { version } = await pool(p);
  await write(p, 'b', 3);
  await drop(p, 'd');
  const seen = await keys(p, `&since_version=${version}`);
  assert.deepEqual(seen.map((e) => [e.key, e.value, e.deleted]), [['b', 3, false], ['d.x', null, true], ['d.y', null, true]]);
  assert.deepEqual(seen.map((e) => e.version - version), [1, 2, 2]);
  const pages = [];
  for (let cursor = ''; cursor !== null;) {
    const r = await expectStatus(200, 'GET', `${P}/${p.id}/entries?since_version=0&limit=1${cursor && `&cursor=${cursor}`}`, { token });
    pages.push(...r.data.map((e) => e.key));
    cursor = r.meta.next_cursor;
  }
  assert.deepEqual(pages, ['a', 'b', 'd.x', 'd.y']);
  const listed = [];
  for (let cursor = ''; cursor !== null;) {
    const r = await expectStatus(200, 'GET', `${P}/${p.id}/entries?limit=1${cursor && `&cursor=${cursor}`}`, { token });
    listed.push(...r.data.map((e) => e.key));
    cursor = r.meta.next_cursor;
  }
  assert.deepEqual(listed, ['a', 'b']);
  invalid(await call('GET', `${P}/${p.id}/entries?cursor=abc`, { token }), '/cursor');
});

test('recall finds what is in a pool, and only for those who may read it', async () => {
  const p = await make({ access_control: { read: [b.id] } }), word = unique('zebra');
  await write(p, 'animals.striped', `the ${word} grazes on the savannah`);
  const ask = (as) => call('POST', `${P}/${p.id}/query`, { token: as, body: { query: word } });
  const { hits } = (await ask(b.token)).body.data;
  assert.deepEqual([hits[0].key, hits[0].untrusted], ['animals.striped', true]);
  assert.equal((await ask(c.token)).status, 404);
  await write(p, 'animals.striped', 'nothing of the kind');
  assert.equal((await ask(b.token)).body.data.hits.length, 0);
});

test('values of words get a vector half a minute later, numbers and labels none', async () => {
  const p = await make();
  await merge(p, { v: { sentence: 'the lighthouse keeper sleeps', object: { regime: 'risk-off', confidence: 0.82 }, number: 5, yes: true, label: 'two words' } });
  for (let i = 0; i < 3; i++) await write(p, 'v.sentence', `the lighthouse keeper wakes ${i}`);
  const nodes = await sql(`SELECT e.entry_key, JSON_VALUE(n.attrs, '$.no_vector') FROM pool_entry e JOIN node n ON n.id = e.node_id WHERE e.space_id = '${p.id}' ORDER BY 1`);
  assert.deepEqual(nodes, [['v.label', '1'], ['v.number', '1'], ['v.object', 'NULL'], ['v.sentence', 'NULL'], ['v.yes', '1']]);
  const [[id]] = await sql(`SELECT node_id FROM pool_entry WHERE space_id = '${p.id}' AND entry_key = 'v.sentence'`);
  const tasks = await sql(`SELECT TIMESTAMPDIFF(SECOND, created_at, run_at) FROM task WHERE kind = 'embed' AND payload LIKE '%${id}%'`);
  assert.ok(tasks.length >= 2 && tasks.length <= 3, 'the merge and the writes of half a minute');
  for (const [delay] of tasks) assert.ok(delay >= 29 && delay <= 30, delay);
});

// ---- workflow runs

const W = '/api/v1/ai/workflow_runs';
const runPool = async (run, body = {}, as = token) => {
  const made = await expectStatus(201, 'POST', `${W}/${run}/pools`, { token: as, body: { name: unique('pool'), ...body } });
  const found = await expectStatus(200, 'GET', made.headers.get('location'), { token: as });
  assert.deepEqual([found.data.id, found.headers.get('etag')], [made.data.id, made.headers.get('etag')], 'its Location leads to it');
  return made.data;
};

test('a run shares pools among its participants, and ends them a day after it', async () => {
  const run = unique('run'), p = await runPool(run), lasting = await runPool(run, { pool_type: 'blackboard', persist_across_executions: true });
  assert.deepEqual([p.pool_type, p.scope, p.workflow_run_id, p.access], ['shared_memory', 'workflow', run, 'manage']);
  assert.equal((await put(p, 'k', { value: 1 }, b.token)).status, 404);
  await expectStatus(404, 'POST', `${W}/${run}/pools`, { token: b.token, body: { name: 'mine' } });
  await expectStatus(404, 'POST', `${W}/${run}/participants`, { token: b.token, body: { agent_id: b.id } });
  for (let i = 0; i < 2; i++)
    assert.deepEqual((await expectStatus(200, 'POST', `${W}/${run}/participants`, { token, body: { agent_id: b.id } })).data.participants, [b.id]);
  await expectStatus(403, 'POST', `${W}/${run}/participants`, { token: b.token, body: { agent_id: c.id } });
  invalid(await call('POST', `${W}/${run}/participants`, { token, body: { agent_id: '01890000-0000-7000-8000-000000000001' } }), '/agent_id');
  await write(lasting, 'plan', 'by b', b.token);
  assert.deepEqual([(await read(lasting, 'plan')).writer_id, (await keys(lasting))[0].writer_id], [b.id, b.id], 'a blackboard shows who wrote');
  const theirs = await runPool(run, {}, b.token);
  await write(theirs, 'k', 1);
  assert.equal((await pool(theirs)).access, 'manage', 'who started the run manages all its pools');
  assert.equal((await expectStatus(200, 'GET', `${W}/${run}/pools`, { token: b.token })).data.length, 3);
  assert.deepEqual((await expectStatus(200, 'GET', `${W}/${run}/pools`, { token: c.token })).data, []);
  const [[payload]] = await sql(`SELECT payload FROM audit_event WHERE subject_id = '${lasting.id}' AND kind = 'context_pool_update' ORDER BY id DESC LIMIT 1`);
  assert.deepEqual(JSON.parse(payload), { pool_id: lasting.pool_id, version: 2, workflow_run_id: run });
  await expectStatus(403, 'POST', `${W}/${run}/finish`, { token: b.token, body: {} });
  const done = (await expectStatus(200, 'POST', `${W}/${run}/finish`, { token, body: {} })).data;
  for (const x of [p, theirs]) assert.ok(Math.abs(Date.parse((await pool(x)).expires_at) - Date.parse(done.finished_at) - 86400e3) < 1000);
  assert.equal((await pool(lasting)).expires_at, null);
  conflict(await call('POST', `${W}/${run}/pools`, { token, body: { name: 'late' } }), 'finished');
  const kept = unique('run'), q = await runPool(kept);
  await expectStatus(200, 'POST', `${W}/${kept}/finish`, { token, body: { keep: true } });
  assert.equal((await pool(q)).expires_at, null);
  invalid(await call('POST', `${W}/${kept}x/pools`, { token, body: { name: 'n', pool_type: 'shared' } }), '/pool_type');
  invalid(await call('POST', `${W}/${kept}x/pools`, { token, body: { name: 'n', scope: 'account' } }), '/scope');
  invalid(await call('POST', `${W}/r%C3%A9/pools`, { token, body: { name: 'n' } }), '/run_id');
});

test('the pools of a task end a day after it, unless they persist or end earlier', async () => {
  const task_execution_id = unique('task'), finish = (as = token) => call('POST', `/api/v1/ai/task_executions/${task_execution_id}/finish`, { token: as, body: {} });
  assert.equal((await finish()).status, 404);
  const scoped = (body) => make({ pool_type: 'task_scoped', task_execution_id, access_control: { agents: [b.id] }, ...body });
  const p = await scoped(), lasting = await scoped({ persist_across_executions: true }), soon = await scoped({ expires_at: new Date(Date.now() + 3600e3).toISOString() });
  const listed = (await expectStatus(200, 'GET', `${P}?task_execution_id=${task_execution_id}`, { token })).data.map((x) => x.id);
  assert.deepEqual(listed.sort(), [p.id, lasting.id, soon.id].sort());
  assert.equal((await finish(b.token)).body.data.pools, 0, 'who reads them cannot end them');
  assert.equal((await finish(c.token)).status, 404);
  const done = (await finish()).body.data;
  assert.deepEqual([done.task_execution_id, done.pools], [task_execution_id, 1]);
  assert.ok(Math.abs(Date.parse((await pool(p)).expires_at) - Date.parse(done.finished_at) - 86400e3) < 1000);
  assert.deepEqual([(await pool(lasting)).expires_at, (await pool(soon)).expires_at], [null, soon.expires_at]);
  assert.equal((await finish()).body.data.pools, 0);
});

test('in the caches of a run the first result wins, and lasts an hour', async () => {
  const p = await runPool(unique('run'), { pool_type: 'tool_cache' });
  const first = await write(p, 'weather.oslo', { t: 3 });
  assert.ok(Math.abs(Date.parse(first.expires_at) - Date.now() - 3600e3) < 60e3);
  const second = await write(p, 'weather.oslo', { t: 4 });
  assert.deepEqual([second.written, second.value, second.version], [false, { t: 3 }, first.version]);
  assert.deepEqual((await put(p, 'weather.oslo', { value: { t: 5 }, if_absent: false })).body.data.written, true);
  assert.deepEqual((await read(p, 'weather')).value, { oslo: { t: 5 } });
});

// ---- upkeep

const cleanup = async () => {
  const { id } = (await expectStatus(202, 'POST', '/api/v1/jobs/pool_cleanup/run', { token: account.owner, body: {} })).data;
  return runEnded(account, id);
};
const rows = async (table, p) => Number((await sql(`SELECT COUNT(*) FROM ${table} WHERE space_id = '${p.id}'`))[0][0]);
const ago = (days) => `UTC_TIMESTAMP(6) - INTERVAL ${days} DAY`;

test('keys whose time is over become tombstones, tombstones go after a day, pools after a week; twice is once', async () => {
  const p = await make(), session = await make({ scope: 'session' }), gone = await make(), over = await make();
  for (const x of [p, gone, over]) await merge(x, { k: { one: 'the first', two: 'the second' }, stays: 1 });
  await drop(p, 'k.two');
  await sql(`UPDATE pool_entry SET expires_at = ${ago(1)} WHERE space_id = '${p.id}' AND entry_key = 'k.one';
    UPDATE pool SET last_write_at = ${ago(2)} WHERE space_id = '${session.id}'; UPDATE space SET updated_at = ${ago(2)} WHERE id = '${session.id}'`);
  await expectStatus(204, 'DELETE', `${P}/${gone.id}`, { token });
  assert.equal((await cleanup()).status, 'succeeded');
  assert.deepEqual((await keys(p, '&since_version=0')).map((e) => [e.key, e.deleted]), [['stays', false], ['k.two', true], ['k.one', true]]);
  await until('the session is over', async () => (await call('GET', `${P}/${session.id}`, { token })).status === 404);
  assert.deepEqual([(await pool(p)).key_count, await rows('pool', gone)], [1, 1]);
  await sql(`UPDATE pool_entry SET deleted_at = ${ago(2)} WHERE space_id = '${p.id}' AND deleted_at IS NOT NULL;
    UPDATE node SET forgotten_at = ${ago(2)} WHERE space_id = '${p.id}' AND forgotten_at IS NOT NULL;
    UPDATE space SET deleted_at = ${ago(8)} WHERE id = '${gone.id}'; UPDATE space SET expires_at = ${ago(8)} WHERE id = '${over.id}'`);
  for (let i = 0; i < 2; i++) {
    assert.equal((await cleanup()).status, 'succeeded');
    assert.deepEqual([await rows('pool_entry', p), await rows('node', p)], [1, 1]);
    for (const x of [gone, over])
      for (const table of ['pool', 'pool_entry', 'node', 'space_grant']) assert.equal(await rows(table, x), 0, table);
  }
  assert.equal((await read(p, 'stays')).value, 1);
  await make({ pool_id: gone.pool_id });
});

test('a deleted or expired pool is restored, deleted, or its pool_id used again', async () => {
  const other = await freshAgent(account), expire = (p) => sql(`UPDATE space SET expires_at = ${ago(1)} WHERE id = '${p.id}'`);
  const restore = (ref, as = token) => call('POST', `${P}/${ref}/restore`, { token: as, body: {} });
  const remove = (ref, as = token) => call('DELETE', `${P}/${ref}`, { token: as });
  const [deleted, expired, dropped] = [await make(), await make(), await make()];
  for (const p of [deleted, expired, dropped]) await write(p, 'k', p.pool_id);
  await expectStatus(204, 'DELETE', `${P}/${deleted.id}`, { token });
  for (const p of [expired, dropped]) await expire(p);
  for (const p of [deleted, expired]) {
    for (const ref of [p.id, p.pool_id]) assert.equal((await restore(ref, other.token)).status, 404);
    assert.equal((await restore(p.pool_id)).body.data.expires_at, null);
    assert.equal((await restore(p.id)).status, 200, 'twice is once');
    assert.equal((await read(p, 'k')).value, p.pool_id);
  }
  assert.equal((await remove(dropped.pool_id, other.token)).status, 404);
  assert.equal((await remove(dropped.pool_id)).status, 204);
  assert.equal((await remove(dropped.pool_id)).status, 404);
  const next = await make({ pool_id: dropped.pool_id });
  assert.deepEqual([(await read(next, 'k')).found, (await restore(dropped.id)).status], [false, 200]);
  const back = await pool(dropped);
  assert.notEqual(back.pool_id, dropped.pool_id);
  assert.equal((await read(back, 'k')).value, dropped.pool_id);
  conflict(await call('POST', P, { token, body: { name: 'n', pool_id: next.pool_id } }), undefined);
  await expire(next);
  await make({ pool_id: next.pool_id });
  await expectStatus(204, 'DELETE', `${P}/${expired.id}`, { token });
  await sql(`UPDATE space SET deleted_at = ${ago(8)} WHERE id = '${expired.id}'`);
  assert.equal((await restore(expired.id)).status, 404, 'after a week it is too late');
  assert.equal((await call('POST', `/api/v1/spaces/${expired.id}/restore`, { token, body: {} })).status, 404);
});

test('a pool whose time is over is listed on request, for who manages it', async () => {
  const { pool_id } = (await expectStatus(201, 'POST', P, { token, body: { name: 'Short', access_control: { public: true } } })).data;
  const ids = async (query, as = token) => (await expectStatus(200, 'GET', `${P}?limit=100&${query}`, { token: as })).data.map((x) => x.pool_id);
  const other = await freshAgent(account);
  assert.ok((await ids('', other.token)).includes(pool_id));
  await expectStatus(200, 'PATCH', `${P}/${pool_id}`, { token, body: { expires_at: new Date(Date.now() + 4000).toISOString() } });
  await until('it to be over', async () => !(await ids('')).includes(pool_id), { tries: 1200 });
  assert.ok((await ids('include_expired=true')).includes(pool_id));
  assert.ok(!(await ids('include_expired=true', other.token)).includes(pool_id));
  await expectStatus(404, 'GET', `${P}/${pool_id}`, { token });
});
