// Contexts: places for entries that last, who may see them, and what they keep.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectEntry, expectStatus, freshAccount, freshAgent, unique } from './client.mjs';
import { sql } from './db.mjs';

const C = '/api/v1/ai/contexts';
let account, me, token;
before(async () => {
  account = await freshAccount();
  token = account.token;
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
});

const make = async (body = {}, as = token) =>
  (await expectStatus(201, 'POST', C, { token: as, body: { name: unique('context'), ...body } })).data;
const see = async (id, as) => (await call('GET', `${C}/${id}`, { token: as })).status;

function invalid(r, pointer, said = '') {
  assert.equal(r.status, 422, r.text);
  assert.ok(r.body.errors.some((e) => e.pointer === pointer && e.detail.includes(said)), r.text);
}

test('a context is made, read by id and by handle, listed, changed, archived, brought back, deleted and restored', async () => {
  const x = await make({ description: 'd', context_type: 'knowledge_base', context_data: { a: 1, b: { c: 2 } }, metadata: { m: 1 } });
  assert.match(x.context_id, /^kb_[0-9a-f]{24}$/);
  assert.deepEqual([x.scope, x.agent_id, x.owner_agent_id, x.access, x.version, x.status], ['agent', me.id, me.id, 'manage', 1, 'active']);
  // But for what reading moves, a moment later.
  const still = ({ access_count, last_accessed_at, ...rest }) => rest;
  for (const ref of [x.id, x.context_id]) assert.deepEqual(still((await expectStatus(200, 'GET', `${C}/${ref}`, { token })).data), still(x));
  for (const q of ['', '?type=knowledge_base', '?scope=agent', `?agent_id=${me.id}`, `?q=${x.name.slice(2, 12)}`])
    assert.ok((await expectStatus(200, 'GET', C + q, { token })).data.some((r) => r.id === x.id), q);
  for (const q of ['?type=tool_cache', '?scope=team', '?q=%25'])
    assert.ok(!(await expectStatus(200, 'GET', C + q, { token })).data.some((r) => r.id === x.id), q);
  const y = (await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token, body: { context_data: { b: { c: null, d: 3 } }, name: 'Other' } })).data;
  assert.deepEqual([y.context_data, y.metadata, y.name, y.version], [{ a: 1, b: { d: 3 } }, { m: 1 }, 'Other', 2]);
  for (const body of [{}, { name: 'Other', description: x.description, expires_at: null, retention_policy: x.retention_policy }, { context_data: { b: { d: 3.0 }, gone: null }, metadata: {} }])
    assert.equal((await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token, body })).data.version, 2, 'nothing changed, so no version');
  await expectStatus(412, 'PATCH', `${C}/${x.id}`, { token, body: { metadata: {}, if_version: 1 } });
  await expectStatus(412, 'PATCH', `${C}/${x.id}`, { token, body: { metadata: {} }, headers: { 'If-Match': '"1"' } });
  assert.equal((await expectStatus(200, 'POST', `${C}/${x.id}/archive`, { token })).data.status, 'archived');
  assert.ok(!(await expectStatus(200, 'GET', C, { token })).data.some((r) => r.id === x.id));
  assert.ok((await expectStatus(200, 'GET', `${C}?include_archived=true`, { token })).data.some((r) => r.id === x.id));
  await expectStatus(409, 'PATCH', `${C}/${x.id}`, { token, body: { name: 'no' } });
  await expectStatus(200, 'POST', `${C}/${x.id}/unarchive`, { token });
  await expectStatus(204, 'DELETE', `${C}/${x.context_id}`, { token });
  assert.equal(await see(x.id, token), 404);
  await expectStatus(200, 'POST', `/api/v1/spaces/${x.id}/restore`, { token });
  assert.equal(await see(x.context_id, token), 200);
});

test('what is refused names the field and what is allowed, and nothing is written', async () => {
  const before = (await expectStatus(200, 'GET', `${C}?limit=100`, { token: account.owner })).data.length;
  const tries = [[{ scope: 'team' }, '/team_id', 'account'], [{ scope: 'world' }, '/scope', 'team'], [{ context_type: 'bag' }, '/context_type', 'tool_cache'],
    [{ retention_policy: { max_entires: 3 } }, '/retention_policy/max_entires', 'max_entries'],
    [{ retention_policy: { max_entries: 0 } }, '/retention_policy/max_entries', '200000'],
    [{ retention_policy: { eviction: 'random' } }, '/retention_policy/eviction', 'lru'],
    [{ retention_policy: { rot: { at: 1 } } }, '/retention_policy/rot/at', 'review_at'],
    [{ context_data: { a: 'x'.repeat(65536) } }, '/context_data', '65536'], [{ metadata: [] }, '/metadata', ''], [{ name: ' ' }, '/name', ''],
    [{ access_control: { reed: [] } }, '/access_control/reed', 'public_read'],
    [{ access_control: { read: [me.id, '01890000-0000-7000-8000-000000000001'] } }, '/access_control/read/1', ''],
    [{ access_control: { read: 'x' } }, '/access_control/read', 'list']];
  for (const [body, pointer, said] of tries) invalid(await call('POST', C, { token, body: { name: 'n', ...body } }), pointer, said);
  invalid(await call('POST', C, { token: account.owner, body: { name: 'n' } }), '/agent_id');
  assert.equal((await expectStatus(200, 'GET', `${C}?limit=100`, { token: account.owner })).data.length, before);
  const x = await make();
  invalid(await call('PATCH', `${C}/${x.id}`, { token, body: { retention_policy: { a: 1 } } }), '/retention_policy/a', 'ttl_seconds');
  invalid(await call('PATCH', `${C}/${x.id}`, { token, body: { access_control: { write: ['nobody'] } } }), '/access_control/write/0');
  assert.equal((await expectStatus(200, 'GET', `${C}/${x.id}`, { token })).data.version, 1);
});

test('who sees a context follows its scope, and later its grants', async () => {
  const other = await freshAgent(account), outsider = await freshAccount();
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body: { slug: unique('team'), name: 'T' } })).data;
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${other.id}`, { token: account.owner, body: {} });
  const mine = await make(), ours = await make({ scope: 'team', team_id: team.id }), all = await make({ scope: 'account' });
  const global = await make({ scope: 'global' }), trusted = await freshAgent(account, 'trusted'), third = await freshAgent(account);
  const levels = async (x) => {
    const seen = [];
    for (const who of [other, third, trusted]) seen.push((await call('GET', `${C}/${x.id}`, { token: who.token })).data?.access ?? 'none');
    return seen;
  };
  assert.deepEqual(await levels(mine), ['none', 'none', 'none']);
  assert.deepEqual(await levels(ours), ['write', 'none', 'none']);
  assert.deepEqual(await levels(all), ['read', 'read', 'read']);
  assert.deepEqual(await levels(global), ['read', 'read', 'write']);
  for (const x of [mine, ours, all, global]) {
    assert.equal(await see(x.id, outsider.token), 404);
    assert.equal(await see(x.context_id, outsider.owner), 404);
  }
  await expectStatus(403, 'PATCH', `${C}/${all.id}`, { token: other.token, body: { name: 'mine' } });
  await expectStatus(404, 'PATCH', `${C}/${mine.id}`, { token: other.token, body: { name: 'mine' } });
  assert.equal((await call('GET', `${C}/${all.id}`, { token: other.token })).data.access_control, null);
});

test('access_control in both shapes: what it says counts, and sending it back changes nothing', async () => {
  const [a, b, d] = [await freshAgent(account), await freshAgent(account), await freshAgent(account)];
  const x = await make({ access_control: { read: [a.id, b.id], write: [a.id], public_read: false } });
  const level = async (who) => (await call('GET', `${C}/${x.id}`, { token: who.token })).data?.access ?? 'none';
  assert.deepEqual([await level(a), await level(b), await level(d)], ['write', 'read', 'none']);
  const rows = async () => (await expectStatus(200, 'GET', `/api/v1/spaces/${x.id}/grants`, { token })).data;
  const acl = (await expectStatus(200, 'GET', `${C}/${x.id}`, { token })).data.access_control;
  assert.deepEqual(Object.keys(acl).sort(), ['agents', 'public', 'public_read', 'read', 'users', 'write']);
  assert.deepEqual([acl.read.sort(), acl.write, acl.public_read], [[a.id, b.id].sort(), [a.id], false]);
  const before = await rows();
  const back = (await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token, body: { access_control: acl } })).data;
  assert.deepEqual(await rows(), before);
  assert.match(back.shared_with, /1 agent may write; 1 agent may read/);
  await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token, body: { access_control: { agents: [b.id], public: true } } });
  assert.deepEqual([await level(a), await level(b), await level(d)], ['read', 'read', 'read']);
  assert.ok((await rows()).some((r) => r.grantee_kind === 'everyone' && r.level === 'read'));
  await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token, body: { access_control: {} } });
  assert.deepEqual([await level(a), await level(b), await level(d)], ['none', 'none', 'none']);
  const stranger = await freshAccount(), foreign = await freshAgent(stranger);
  invalid(await call('PATCH', `${C}/${x.id}`, { token, body: { access_control: { write: [foreign.id] } } }), '/access_control/write/0');
});

test('a snapshot brings back what was changed, added and deleted, of both kinds; erased content stays away', async () => {
  const x = await make({ context_data: { step: 1 } });
  const E = `${C}/${x.id}/entries`, S = `${C}/${x.id}/snapshots`;
  const put = async (entry_key, content, entry_type = 'observation') => (await expectEntry(`${C}/${x.id}`, { token, body: { entry_key, content, entry_type } })).data;
  const state = async () => (await expectStatus(200, 'GET', `${E}?limit=100`, { token })).data.map((e) => [e.entry_key, e.content]).sort();
  for (const k of ['a', 'b', 'c', 'gone', 'kept', 'erased']) await put(k, `${k} 1`);
  for (const k of ['f', 'g', 'h']) await put(k, 1, 'fact');
  const before = await state();
  const s = (await expectStatus(201, 'POST', S, { token, body: { name: 'first' } })).data;
  assert.deepEqual([s.entry_count, s.is_automatic, s.author_id], [9, false, me.id]);
  for (const k of ['a', 'b']) await put(k, `${k} 2`);
  await put('c', 'c 2');
  await put('c', 'c 3');
  await put('f', 2);
  await put('g', 2);
  await put('g', 3);
  for (const k of ['new', 'newer']) await put(k, 'later');
  for (const k of ['gone', 'h']) await expectStatus(204, 'DELETE', `${E}/${k}`, { token });
  await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token, body: { context_data: { step: 2 } } });
  const erased = (await expectStatus(200, 'GET', `${E}/erased`, { token })).data.id;
  await sql(`DELETE FROM node WHERE id = '${erased}'; UPDATE context SET entry_count = entry_count - 1 WHERE space_id = '${x.id}'`);
  const changed = await state();
  const r = (await expectStatus(200, 'POST', `${S}/${s.id}/restore`, { token })).data;
  assert.deepEqual([r.restored, r.revived, r.archived, r.unchanged, r.missing_erased], [5, 2, 2, 1, 1]);
  assert.deepEqual(await state(), before.filter(([k]) => k !== 'erased'));
  const now = (await expectStatus(200, 'GET', `${C}/${x.id}`, { token })).data;
  assert.deepEqual([now.context_data, now.entry_count], [{ step: 1 }, 8]);
  const all = (await expectStatus(200, 'GET', S, { token })).data;
  assert.deepEqual(all.map((t) => [t.name, t.is_automatic]), [['before-restore', true], ['first', false]]);
  assert.equal(all[0].id, r.safety_snapshot_id);
  await expectStatus(200, 'POST', `${S}/${r.safety_snapshot_id}/restore`, { token });
  assert.deepEqual(await state(), changed, 'and forth again');
  for (let i = 0; i < 6; i++) await expectStatus(200, 'POST', `${S}/${s.id}/restore`, { token });
  assert.equal((await expectStatus(200, 'GET', S, { token })).data.filter((t) => t.is_automatic).length, 5);
  await expectStatus(204, 'DELETE', `${S}/${s.id}`, { token });
  await expectStatus(404, 'POST', `${S}/${s.id}/restore`, { token });
});

test('snapshots: at most 20, only for who may write, and equal ones have equal hashes', async () => {
  const other = await freshAgent(account), x = await make({ access_control: { read: [other.id] } }), S = `${C}/${x.context_id}/snapshots`;
  const take = async () => (await expectStatus(201, 'POST', S, { token, body: { name: 's' } })).data;
  const [a, b] = [await take(), await take()];
  assert.equal(a.data_hash, b.data_hash);
  await expectStatus(201, 'POST', `${C}/${x.id}/entries`, { token, body: { entry_key: 'k', content: 1 } });
  assert.notEqual((await take()).data_hash, a.data_hash);
  await expectStatus(403, 'POST', S, { token: other.token, body: { name: 's' } });
  await expectStatus(403, 'POST', `${S}/${a.id}/restore`, { token: other.token });
  for (let i = 3; i < 20; i++) await take();
  await expectStatus(409, 'POST', S, { token, body: { name: 's' } });
  const y = await make();
  await expectStatus(404, 'POST', `${C}/${y.id}/snapshots/${a.id}/restore`, { token });
  await expectStatus(404, 'DELETE', `${C}/${y.id}/snapshots/${a.id}`, { token });
});
