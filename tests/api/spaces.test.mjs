// Spaces and grants: who sees what, from when and until when, and what two at once can do.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE2, call, expectStatus, freshAccount, freshAgent, freshUser, moveClock, unique, until } from './client.mjs';
import { pauseJobs, resumeJobs, sql } from './db.mjs';

let account, me;
before(async () => {
  account = await freshAccount();
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.token })).data;
});

const make = async (body = {}, token = account.token) =>
  (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { kind: 'context', name: unique('space'), ...body } })).data;
const note = async (space_id, token = account.token) =>
  (await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { space_id, title: unique('note'), body: 'b' } })).data;
const grant = async (space_id, body, token = account.token) => (await expectStatus(201, 'POST', `/api/v1/spaces/${space_id}/grants`, { token, body })).data;
const see = async (token, id) => (await call('GET', `/api/v1/spaces/${id}`, { token })).status;
let ahead = 0;             // seconds that this file has moved the clock
const soon = (seconds) => new Date(Date.now() + (ahead + seconds) * 1000).toISOString();
const pass = async (seconds) => { await moveClock(`${seconds}s`); ahead += seconds; };

function invalid(r, pointer) {
  assert.equal(r.status, 422, r.text);
  assert.ok(r.body.errors.some((e) => e.pointer === pointer), r.text);
}

test('a space is made, read, listed, renamed, archived, brought back, deleted and restored', async () => {
  const s = await make({ description: 'd', settings: { a: 1 } });
  const path = `/api/v1/spaces/${s.id}`, token = account.token;
  assert.deepEqual([s.access, s.owner_agent_id, s.version, s.status], ['manage', me.id, 1, 'active']);
  assert.match(s.slug, /^ctx_[0-9a-f]{24}$/);
  const named = await expectStatus(200, 'PATCH', path, { token, body: { name: 'New', settings: { b: 2, a: null } } });
  assert.deepEqual([named.data.name, named.data.settings, named.data.version], ['New', { b: 2 }, 2]);
  const node = await note(s.id);
  assert.equal((await expectStatus(200, 'POST', `${path}/archive`, { token })).data.status, 'archived');
  assert.equal((await expectStatus(200, 'POST', `${path}/archive`, { token })).data.version, 3, 'archiving twice is archiving once');
  await expectStatus(200, 'GET', `/api/v1/nodes/${node.id}`, { token });
  await expectStatus(403, 'POST', '/api/v1/nodes', { token, body: { space_id: s.id, title: 'x' } });
  await expectStatus(403, 'PATCH', `/api/v1/nodes/${node.id}`, { token, body: { title: 'x' } });
  await expectStatus(409, 'PATCH', path, { token, body: { name: 'x' } });
  await expectStatus(200, 'POST', `${path}/unarchive`, { token });
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${node.id}`, { token, body: { title: 'x' } });
  await expectStatus(204, 'DELETE', path, { token });
  for (const p of [path, `/api/v1/nodes/${node.id}`]) await expectStatus(404, 'GET', p, { token });
  await expectStatus(404, 'DELETE', path, { token });
  await expectStatus(404, 'POST', '/api/v1/nodes', { token, body: { space_id: s.id, title: 'x' } });
  await expectStatus(200, 'POST', `${path}/restore`, { token });
  await expectStatus(200, 'GET', `/api/v1/nodes/${node.id}`, { token });
});

test('names, slugs and settings that are refused', async () => {
  const tries = [[{ name: '' }, '/name'], [{ name: ' ' }, '/name'], [{ name: 'x'.repeat(256) }, '/name'], [{ name: 'a\u0001b' }, '/name'],
    [{ slug: 'Ünïcode' }, '/slug'], [{ slug: 'a b' }, '/slug'], [{ slug: '' }, '/slug'], [{ slug: 'x'.repeat(101) }, '/slug'], [{ slug: 'agent:x' }, '/slug'],
    [{ kind: 'namespace' }, '/kind'], [{ kind: 'bag' }, '/kind'], [{ description: 'x'.repeat(4001) }, '/description'],
    [{ settings: [] }, '/settings'], [{ settings: { a: 'x'.repeat(65536) } }, '/settings'], [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    [{ parent_id: '01890000-0000-7000-8000-000000000001' }, '/parent_id'], [{ team_id: '01890000-0000-7000-8000-000000000001' }, '/team_id'],
    [{ owner_agent_id: '01890000-0000-7000-8000-000000000001' }, '/owner_agent_id']];
  for (const [body, pointer] of tries)
    invalid(await call('POST', '/api/v1/spaces', { token: account.token, body: { name: 'n', ...body } }), pointer);
});

test('names at their limits come back as they were, in normal form', async () => {
  const long = '🙂'.repeat(255);
  assert.equal((await make({ name: long })).name, long);
  assert.equal((await make({ name: 'e\u0301' })).name, 'é');
  assert.equal((await make({ slug: 'x'.repeat(100) })).slug, 'x'.repeat(100));
});

test('a slug is taken once in a kind, also by a deleted space, also when two ask at once', async () => {
  const slug = unique('slug'), token = account.token;
  const body = { kind: 'context', name: 'n', slug };
  const both = await Promise.all([call('POST', '/api/v1/spaces', { token, body }), call('POST', '/api/v1/spaces', { token, body, base: BASE2 })]);
  assert.deepEqual(both.map((r) => r.status).sort(), [201, 409]);
  await make({ slug, kind: 'pool' });
  const made = both.find((r) => r.status === 201).data;
  await expectStatus(204, 'DELETE', `/api/v1/spaces/${made.id}`, { token });
  await expectStatus(409, 'POST', '/api/v1/spaces', { token, body });
  const other = await make();
  await expectStatus(409, 'PATCH', `/api/v1/spaces/${other.id}`, { token, body: { slug } });
});

test('no space is above itself, whichever way it is tried, also by two at once', async () => {
  const token = account.token;
  const a = await make(), b = await make({ parent_id: a.id }), c = await make({ parent_id: b.id });
  for (const [id, parent_id] of [[a.id, a.id], [a.id, b.id], [a.id, c.id]])
    invalid(await call('PATCH', `/api/v1/spaces/${id}`, { token, body: { parent_id } }), '/parent_id');
  await expectStatus(200, 'PATCH', `/api/v1/spaces/${c.id}`, { token, body: { parent_id: a.id } });
  await expectStatus(200, 'PATCH', `/api/v1/spaces/${c.id}`, { token, body: { parent_id: null } });
  for (let round = 0; round < 10; round++) {
    const [x, y] = [await make(), await make()];
    const put = (id, parent_id, base) => call('PATCH', `/api/v1/spaces/${id}`, { token, base, body: { parent_id } });
    const both = await Promise.all([put(x.id, y.id), put(y.id, x.id, BASE2)]);
    assert.ok(both.every((r) => [200, 409, 422].includes(r.status)), both.map((r) => r.text).join());
    const now = await Promise.all([x, y].map((s) => expectStatus(200, 'GET', `/api/v1/spaces/${s.id}`, { token })));
    assert.ok(!now.every((r) => r.data.parent_id), 'two spaces are above each other');
  }
});

test('levels: read sees, write writes, manage manages; the highest of several counts', async () => {
  const s = await make(), node = await note(s.id), reader = await freshAgent(account, 'trusted'), token = reader.token;
  const path = `/api/v1/spaces/${s.id}`;
  const may = async () => ({
    read: (await call('GET', `/api/v1/nodes/${node.id}`, { token })).status,
    write: (await call('POST', '/api/v1/nodes', { token, body: { space_id: s.id, title: unique('t') } })).status,
    manage: (await call('GET', `${path}/grants`, { token })).status,
    rename: (await call('PATCH', path, { token, body: { name: unique() } })).status,
  });
  assert.deepEqual(await may(), { read: 404, write: 404, manage: 404, rename: 404 });
  const g = await grant(s.id, { grantee_kind: 'agent', grantee_id: reader.id });
  assert.equal(g.level, 'read');
  assert.deepEqual(await may(), { read: 200, write: 403, manage: 403, rename: 403 });
  await grant(s.id, { grantee_kind: 'everyone', level: 'write' });
  assert.deepEqual(await may(), { read: 200, write: 201, manage: 403, rename: 403 });
  await grant(s.id, { grantee_kind: 'role', grantee_id: 'trusted', level: 'manage' });
  assert.deepEqual(await may(), { read: 200, write: 201, manage: 200, rename: 200 });
  const grants = (await expectStatus(200, 'GET', `${path}/grants`, { token: account.token })).data;
  assert.equal(grants.length, 3);
  for (const h of grants) await expectStatus(204, 'DELETE', `${path}/grants/${h.id}`, { token: account.token });
  assert.deepEqual(await may(), { read: 404, write: 404, manage: 404, rename: 404 });
});

test('grants that are refused', async () => {
  const s = await make(), path = `/api/v1/spaces/${s.id}/grants`, token = account.token;
  const nobody = '01890000-0000-7000-8000-000000000001';
  for (const [body, pointer] of [[{ grantee_kind: 'agent' }, '/grantee_id'], [{ grantee_kind: 'agent', grantee_id: nobody }, '/grantee_id'],
    [{ grantee_kind: 'agent', grantee_id: 'x' }, '/grantee_id'], [{ grantee_kind: 'everyone', grantee_id: me.id }, '/grantee_id'],
    [{ grantee_kind: 'user', grantee_id: me.id }, '/grantee_id'], [{ grantee_kind: 'role', grantee_id: 'nobody' }, '/grantee_id'],
    [{ grantee_kind: 'everyone', level: 'none' }, '/level'], [{ grantee_kind: 'everyone', level: 'all' }, '/level'],
    [{ grantee_kind: 'everyone', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'], [{ grantee_kind: 'x' }, '/grantee_kind']])
    invalid(await call('POST', path, { token, body }), pointer);
  await grant(s.id, { grantee_kind: 'everyone' });
  await expectStatus(409, 'POST', path, { token, body: { grantee_kind: 'everyone', level: 'write' } });
});

test('a grant and a space end at their time, without anybody doing anything', async () => {
  const s = await make(), agent = await freshAgent(account);
  await grant(s.id, { grantee_kind: 'agent', grantee_id: agent.id, expires_at: soon(600) });
  assert.equal(await see(agent.token, s.id), 200);
  await pass(600);
  assert.equal(await see(agent.token, s.id), 404);
  assert.equal(await see(account.token, s.id), 200);
  const brief = await make({ expires_at: soon(600) });
  const node = await note(brief.id);
  await pass(600);
  assert.equal(await see(account.token, brief.id), 404);
  await expectStatus(404, 'GET', `/api/v1/nodes/${node.id}`, { token: account.token });
  const list = await expectStatus(200, 'GET', '/api/v1/spaces?limit=100', { token: account.token });
  assert.ok(!list.data.some((x) => x.id === brief.id));
});

test('a longer grant does not end with a shorter one, and a changed one counts at once', async (t) => {
  await pauseJobs('expired_cleanup');          // which lets go of a grant whose time is over: then it cannot be changed any more
  t.after(() => resumeJobs('expired_cleanup'));
  const s = await make(), agent = await freshAgent(account);
  const g = await grant(s.id, { grantee_kind: 'agent', grantee_id: agent.id, level: 'write', expires_at: soon(600) });
  await grant(s.id, { grantee_kind: 'everyone' });
  const write = async () => (await call('POST', '/api/v1/nodes', { token: agent.token, body: { space_id: s.id, title: unique('t') } })).status;
  assert.equal(await write(), 201);
  await pass(600);
  assert.equal(await write(), 403);
  assert.equal(await see(agent.token, s.id), 200);
  await expectStatus(200, 'PATCH', `/api/v1/spaces/${s.id}/grants/${g.id}`, { token: account.token, body: { expires_at: null } });
  assert.equal(await write(), 201);
});

test('an agent does not let itself in, nor does a user who may only read', async () => {
  const s = await make(), agent = await freshAgent(account, 'trusted'), viewer = await freshUser(account, 'viewer'), editor = await freshUser(account, 'editor');
  const path = `/api/v1/spaces/${s.id}/grants`;
  assert.equal((await call('POST', path, { token: agent.token, body: { grantee_kind: 'agent', grantee_id: agent.id, level: 'manage' } })).status, 404);
  assert.equal((await call('POST', path, { token: viewer.token, body: { grantee_kind: 'user', grantee_id: viewer.id, level: 'read' } })).status, 403);
  assert.equal((await call('POST', path, { token: editor.token, body: { grantee_kind: 'user', grantee_id: editor.id, level: 'read' } })).status, 404);
  const g = await grant(s.id, { grantee_kind: 'agent', grantee_id: agent.id, level: 'write' });
  assert.equal((await call('PATCH', `${path}/${g.id}`, { token: agent.token, body: { level: 'manage' } })).status, 403);
  assert.equal((await call('PATCH', `/api/v1/spaces/${s.id}`, { token: agent.token, body: { name: 'mine' } })).status, 403);
});

test('whoever holds memory.manage may take a space, which the audit trail keeps', async () => {
  const mine = await freshAgent(account);
  const own = (await expectStatus(201, 'POST', '/api/v1/nodes', { token: mine.token, body: { title: 'private' } })).data;
  const owner = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data;
  await expectStatus(404, 'GET', `/api/v1/nodes/${own.id}`, { token: account.owner });
  const other = await freshUser(account, 'owner');
  await expectStatus(404, 'POST', `/api/v1/spaces/${own.space_id}/grants`, { token: account.owner, body: { grantee_kind: 'user', grantee_id: other.id } });
  await grant(own.space_id, { grantee_kind: 'user', grantee_id: owner.id, level: 'read' }, account.owner);
  await expectStatus(200, 'GET', `/api/v1/nodes/${own.id}`, { token: account.owner });
  await expectStatus(404, 'GET', `/api/v1/nodes/${own.id}`, { token: other.token });
  const trail = await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${own.space_id}&kind=grant.take`, { token: account.owner });
  assert.equal(trail.data.length, 1);
  assert.equal(trail.data[0].actor_id, owner.id);
});

test('namespaces stay: no deleting, no expiry, no slug of one\'s own', async () => {
  const space = (await expectStatus(201, 'POST', '/api/v1/nodes', { token: account.token, body: { title: 'x' } })).data.space_id;
  const path = `/api/v1/spaces/${space}`, token = account.token;
  await expectStatus(409, 'DELETE', path, { token });
  await expectStatus(409, 'POST', `${path}/archive`, { token });
  invalid(await call('PATCH', path, { token, body: { slug: 'mine' } }), '/slug');
  invalid(await call('PATCH', path, { token, body: { expires_at: soon(60) } }), '/expires_at');
  assert.equal((await expectStatus(200, 'PATCH', path, { token, body: { name: 'My own' } })).data.name, 'My own');
});

test('teams: members write in the team\'s spaces until they leave or the team does', async () => {
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body: { slug: unique('team'), name: 'T' } })).data;
  const agent = await freshAgent(account);
  const s = await make({ team_id: team.id });
  const write = async () => (await call('POST', '/api/v1/nodes', { token: agent.token, body: { space_id: s.id, title: unique('t') } })).status;
  assert.equal(await write(), 404);
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${agent.id}`, { token: account.owner, body: {} });
  assert.equal(await write(), 201);
  const mine = await expectStatus(200, 'GET', '/api/v1/spaces?kind=namespace&limit=100', { token: agent.token });
  assert.ok(mine.data.some((x) => x.slug === `team:${team.slug}` && x.access === 'write'));
  await expectStatus(204, 'DELETE', `/api/v1/teams/${team.id}/members/${agent.id}`, { token: account.owner });
  assert.equal(await write(), 404);
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${agent.id}`, { token: account.owner, body: {} });
  assert.equal(await write(), 201);
  await expectStatus(204, 'DELETE', `/api/v1/teams/${team.id}`, { token: account.owner });
  assert.equal(await write(), 404);
});

test('a space deleted under running writers: each write is there or was refused, none is visible', async () => {
  const s = await make(), token = account.token;
  let deleted = false;
  const written = [], answers = new Set();
  const writer = async (base) => {
    for (let i = 0; i < 200; i++) {
      const gone = deleted;
      const r = await call('POST', '/api/v1/nodes', { token, base, body: { space_id: s.id, title: unique('n') } });
      answers.add(r.status);
      if (r.status === 201) { written.push(r.data.id); assert.ok(!gone, 'written after the deletion was acknowledged'); }
      if (r.status !== 201) return;
    }
  };
  const writers = Promise.all([writer(), writer(BASE2), writer(), writer(BASE2)]);
  await until('writes to begin', () => written.length > 40);
  await expectStatus(204, 'DELETE', `/api/v1/spaces/${s.id}`, { token });
  deleted = true;
  await writers;
  assert.deepEqual([...answers].sort(), [201, 404]);
  for (const id of written.slice(-20)) await expectStatus(404, 'GET', `/api/v1/nodes/${id}`, { token });
  await expectStatus(200, 'POST', `/api/v1/spaces/${s.id}/restore`, { token });
  const [[n]] = await sql(`SELECT COUNT(*) FROM node WHERE space_id = '${s.id}'`);
  assert.equal(Number(n), written.length);
});

test('who may restore: the owner and who held manage, not a writer; a month later nobody', async () => {
  const s = await make(), token = account.token, writer = await freshAgent(account), manager = await freshAgent(account);
  await grant(s.id, { grantee_kind: 'agent', grantee_id: writer.id, level: 'write' });
  await grant(s.id, { grantee_kind: 'agent', grantee_id: manager.id, level: 'manage' });
  await expectStatus(204, 'DELETE', `/api/v1/spaces/${s.id}`, { token });
  await expectStatus(404, 'POST', `/api/v1/spaces/${s.id}/restore`, { token: writer.token });
  await expectStatus(200, 'POST', `/api/v1/spaces/${s.id}/restore`, { token: manager.token });
  await expectStatus(204, 'DELETE', `/api/v1/spaces/${s.id}`, { token });
  await sql(`UPDATE space SET deleted_at = deleted_at - INTERVAL 31 DAY WHERE id = '${s.id}'`);
  await expectStatus(404, 'POST', `/api/v1/spaces/${s.id}/restore`, { token });
});

test('lists: filters, words with wildcards, pages without gaps while others write', async () => {
  const token = account.token, word = unique('word');
  for (const tail of ['plain', '100%', 'a_b', 'A\\b', "it's"]) await make({ name: `${word} ${tail}` });
  const found = async (q) => (await expectStatus(200, 'GET', `/api/v1/spaces?q=${encodeURIComponent(q)}`, { token })).data.map((s) => s.name.slice(word.length + 1));
  assert.equal((await found(word)).length, 5);
  assert.deepEqual(await found(`${word} 100%`), ['100%']);
  assert.deepEqual(await found(`${word} a_b`), ['a_b']);
  assert.deepEqual(await found(`${word} a\\b`), ['A\\b']);
  assert.deepEqual(await found(`${word} it's`), ["it's"]);
  assert.deepEqual(await found(`${word} %`), []);
  const seen = [];
  let cursor = '';
  do {
    const r = await expectStatus(200, 'GET', `/api/v1/spaces?limit=2&q=${word}${cursor && `&cursor=${cursor}`}`, { token });
    seen.push(...r.data.map((s) => s.id));
    assert.equal(r.meta.has_more, r.meta.next_cursor !== null);
    cursor = r.meta.next_cursor;
    await make({ name: `${word} later` });
  } while (cursor);
  assert.equal(seen.length, 5);
  assert.equal(new Set(seen).size, 5);
  for (const filter of ['kind=context&status=archived', 'kind=pool']) {
    const r = await expectStatus(200, 'GET', `/api/v1/spaces?${filter}&q=${word}`, { token });
    assert.deepEqual(r.data, []);
  }
});
