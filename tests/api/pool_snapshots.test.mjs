// Snapshots of memory pools: the document as it was, and all of it back in one version (memory, section 6, the table's last line).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, unique } from './client.mjs';
import { sql } from './db.mjs';

const P = '/api/v1/ai/memory_pools';
let account, token, me, other;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data.id;
  other = await freshAgent(account);
});

const make = async (body = {}) => (await expectStatus(201, 'POST', P, { token: account.owner, body: { name: unique('pool'), access_control: { public: true }, ...body } })).data;
const write = async (p, key, value, body = {}) => (await expectStatus(200, 'PUT', `${P}/${p.id}/data/${key}`, { token, body: { value, ...body } })).data;
const drop = (p, key) => expectStatus(200, 'DELETE', `${P}/${p.id}/data/${key}`, { token });
const whole = async (p) => (await expectStatus(200, 'GET', `${P}/${p.id}/data`, { token })).data;
const pool = async (p) => (await expectStatus(200, 'GET', `${P}/${p.id}`, { token })).data;
const take = async (p, name = 's') => (await expectStatus(201, 'POST', `${P}/${p.id}/snapshots`, { token: account.owner, body: { name } })).data;
const list = async (p) => (await expectStatus(200, 'GET', `${P}/${p.id}/snapshots?limit=100`, { token: account.owner })).data;
const restore = async (p, s) => (await expectStatus(200, 'POST', `${P}/${p.id}/snapshots/${s.id ?? s}/restore`, { token: account.owner, body: {} })).data;

test('change, add, delete, replace by keys below; restore: as before, counters too, and a before-restore snapshot', async () => {
  const p = await make();
  const doc = { plan: { steps: [1, 2] }, same: 'same', text: 'Words that people find again.', gone: null, deep: 'one value' };
  for (const [key, value] of Object.entries(doc)) await write(p, key, value);
  const before = await pool(p), s = await take(p, 'Monday');
  assert.deepEqual([s.name, s.is_automatic, s.key_count, s.data_size_bytes, s.pool_version], ['Monday', false, 5, before.data_size_bytes, before.version]);
  await write(p, 'plan', { steps: [3] });
  await write(p, 'text', 'Other words.');
  await write(p, 'added', 1);
  await drop(p, 'gone');
  await drop(p, 'deep');
  await write(p, 'deep.er', { than: 'that' });
  const changed = await whole(p);
  const r = await restore(p, s);
  assert.deepEqual([r.written, r.removed, r.unchanged, r.expired], [4, 2, 1, 0]);
  assert.equal(r.version, changed.version + 1, 'one version more');
  const after = await whole(p);
  assert.deepEqual([after.value, after.version], [doc, r.version]);
  const figures = await pool(p);
  assert.deepEqual([figures.key_count, figures.data_size_bytes], [before.key_count, before.data_size_bytes]);
  const [auto] = await list(p);
  assert.deepEqual([auto.id, auto.name, auto.is_automatic, auto.key_count], [r.safety_snapshot_id, 'before-restore', true, 5]);
  assert.notEqual(auto.data_hash, s.data_hash);
  assert.equal((await take(p)).data_hash, s.data_hash, 'the same document has the same hash');
  await restore(p, r.safety_snapshot_id);
  assert.deepEqual((await whole(p)).value, changed.value, 'and back');
});

test('its news tell of every key, followers by version see the changes', async () => {
  const p = await make();
  await write(p, 'a', 1);
  await write(p, 'b', 2);
  const s = await take(p), { version } = await pool(p);
  await write(p, 'a', 'other');
  await write(p, 'c', 3);
  const r = await restore(p, s);
  const seen = (await expectStatus(200, 'GET', `${P}/${p.id}/entries?since_version=${r.version - 1}`, { token })).data;
  assert.deepEqual(seen.map((e) => [e.key, e.value, e.deleted]), [['a', 1, false], ['c', null, true]]);
  const news = await sql(`SELECT JSON_VALUE(payload, '$.key'), JSON_VALUE(payload, '$.deleted') FROM audit_event WHERE subject_id = '${p.id}'
    AND kind = 'memory_pool_key_write' AND JSON_VALUE(payload, '$.version') = ${r.version} ORDER BY 1`);
  assert.deepEqual(news.map(([key, deleted]) => [key, ['1', 'true'].includes(deleted)]), [['a', false], ['c', true]]);
  assert.ok(r.version > version);
});

test('keys that expired meanwhile do not come back; more than a hundred do', async () => {
  const p = await make();
  await write(p, 'short', 1, { ttl_seconds: 600 });
  const data = { k: Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`n${i}`, `value ${i}`])) };
  await expectStatus(200, 'PATCH', `${P}/${p.id}/data`, { token, body: { data } });
  const s = await take(p);
  await sql(`UPDATE pool_snapshot_item SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE snapshot_id = '${s.id}' AND entry_key = 'short';
    UPDATE pool_entry SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE space_id = '${p.id}' AND entry_key = 'short'`);
  await drop(p, 'k');
  await expectStatus(200, 'PATCH', `${P}/${p.id}/data`, { token, body: { data: { other: Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`n${i}`, i])) } } });
  const r = await restore(p, s);
  assert.deepEqual([r.written, r.removed >= 150, r.unchanged, r.expired], [250, true, 0, 1]);
  assert.deepEqual((await whole(p)).value, data);
});

test('20 of a pool, then 409; automatic ones do not count; deleted they are gone', async () => {
  const p = await make();
  await write(p, 'a', 1);
  const all = [];
  for (let i = 0; i < 20; i++) all.push(await take(p, `s${i}`));
  const full = await call('POST', `${P}/${p.id}/snapshots`, { token: account.owner, body: { name: 'one more' } });
  assert.equal(full.status, 409);
  for (let i = 0; i < 7; i++) await restore(p, all[0]);
  const rows = await list(p);
  assert.deepEqual([rows.filter((x) => !x.is_automatic).length, rows.filter((x) => x.is_automatic).length], [20, 5]);
  await expectStatus(204, 'DELETE', `${P}/${p.id}/snapshots/${all[3].id}`, { token: account.owner });
  await expectStatus(404, 'DELETE', `${P}/${p.id}/snapshots/${all[3].id}`, { token: account.owner });
  await expectStatus(404, 'POST', `${P}/${p.id}/snapshots/${all[3].id}/restore`, { token: account.owner, body: {} });
  await take(p);
});

test('whoever may only write takes none; a snapshot is of its pool alone; another account sees nothing', async () => {
  const p = await make(), q = await make(), s = await take(p), stranger = await freshAccount();
  for (const [method, path, body] of [['GET', ''], ['POST', '', { name: 'x' }], ['POST', `/${s.id}/restore`, {}], ['DELETE', `/${s.id}`]]) {
    assert.equal((await call(method, `${P}/${p.id}/snapshots${path}`, { token: other.token, body })).status, 403, `${method} ${path}`);
    assert.equal((await call(method, `${P}/${p.id}/snapshots${path}`, { token: stranger.owner, body })).status, 404, `${method} ${path}`);
  }
  await expectStatus(404, 'POST', `${P}/${q.id}/snapshots/${s.id}/restore`, { token: account.owner, body: {} });
  assert.equal((await list(p)).length, 1);
});
