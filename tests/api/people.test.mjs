// Users, roles, agents, teams, tokens and keys: what each may give, and every way to get more than one has.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { BASE2, call, ctl, expectStatus, freshAccount, freshAgent, freshUser, moveClock, signIn, unique } from './client.mjs';
import { sql } from './db.mjs';
import { publicKey } from './world.mjs';

let account, owner, ownerId;
before(async () => {
  account = await freshAccount();
  owner = account.owner;
  ownerId = (await expectStatus(200, 'GET', '/api/v1/me', { token: owner })).data.id;
});

const mail = () => `${unique('p')}@example.org`;
const soon = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();
const nobody = '01890000-0000-7000-8000-000000000001';
const me = async (token) => (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
const post = (path, body, token = owner, more = {}) => call('POST', `/api/v1/${path}`, { token, body, ...more });
const made = async (path, body, token) => {
  const r = await post(path, body, token);
  assert.equal(r.status, 201, `${path}: ${r.text}`);
  return r.data;
};
const patch = (path, body, token = owner, more = {}) => call('PATCH', `/api/v1/${path}`, { token, body, ...more });

function invalid(r, pointer) {
  assert.equal(r.status, 422, r.text);
  assert.ok(r.body.errors.some((e) => e.pointer.startsWith(pointer)), r.text);
}

// ---- users

test('a user is added, found, changed and removed; an address belongs to one', async () => {
  const email = mail();
  const u = await made('users', { email: email.toUpperCase(), name: ' Ünal 🙂 ', role: 'viewer' });
  assert.deepEqual([u.email, u.name, u.has_password, u.is_operator, u.status], [email, 'Ünal 🙂', false, false, 'active']);
  assert.equal((await post('users', { email, name: 'n', role: 'viewer' })).status, 409);
  const both = await Promise.all([1, 2].map((i) => post('users', { email: `x${email}`, name: 'n', role: 'viewer' }, owner, { base: i === 2 ? BASE2 : undefined })));
  assert.deepEqual(both.map((r) => r.status).sort(), [201, 409]);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/users?q=${encodeURIComponent('ünal')}`, { token: owner })).data[0].id, u.id);
  assert.equal((await patch(`users/${u.id}`, { name: 'N' }, owner, { headers: { 'If-Match': '"1"' } })).status, 200);
  assert.equal((await patch(`users/${u.id}`, { name: 'M' }, owner, { headers: { 'If-Match': '"1"' } })).status, 412);
  await expectStatus(204, 'DELETE', `/api/v1/users/${u.id}`, { token: owner });
  await expectStatus(404, 'GET', `/api/v1/users/${u.id}`, { token: owner });
  assert.equal((await post('users', { email, name: 'n', role: 'viewer' })).status, 201, 'the address is free again');
});

test('users that are refused', async () => {
  const good = { email: mail(), name: 'n', role: 'viewer' };
  for (const [body, pointer] of [[{ email: 'x' }, '/email'], [{ email: 'a@b@c' }, '/email'], [{ email: 'a b@c.example' }, '/email'], [{ email: `${'x'.repeat(250)}@e.org` }, '/email'],
    [{ name: '' }, '/name'], [{ name: 'x'.repeat(256) }, '/name'], [{ name: 'a\u0000'.slice(0, 1) + '\u0007' }, '/name'], [{ role: 'god' }, '/role'], [{ role: 'agent' }, '/role'],
    [{ password: 'short' }, '/password'], [{ password: 'x'.repeat(201) }, '/password'], [{ is_operator: true }, '/is_operator'], [{ id: nobody }, '/id']])
    invalid(await post('users', { ...good, ...body }), pointer);
});

test('the last owner stays: not demoted, disabled or removed; nor do two remove each other', async () => {
  for (const r of [await patch(`users/${ownerId}`, { role: 'viewer' }), await patch(`users/${ownerId}`, { status: 'disabled' }),
    await call('DELETE', `/api/v1/users/${ownerId}`, { token: owner })])
    assert.equal(r.status, 409, r.text);
  for (let round = 0; round < 5; round++) {
    const pair = await freshAccount();
    const [a, b] = [await me(pair.owner), await freshUser(pair, 'owner')];
    const both = await Promise.all([
      round % 2 ? patch(`users/${b.id}`, { status: 'disabled' }, pair.owner) : call('DELETE', `/api/v1/users/${b.id}`, { token: pair.owner }),
      patch(`users/${a.id}`, { role: 'viewer' }, b.token, { base: BASE2 })]);
    const [[n]] = await sql(`SELECT COUNT(*) FROM user u JOIN account a ON a.id = u.account_id WHERE a.slug = '${pair.slug}' AND u.role = 'owner' AND u.status = 'active'`);
    assert.equal(Number(n), 1, both.map((r) => `${r.status} ${r.text}`).join('\n'));
  }
});

test('nobody gives or takes what they do not have', async () => {
  const admin = await freshUser(account, 'admin'), viewer = await freshUser(account, 'viewer');
  assert.equal((await post('users', { email: mail(), name: 'n', role: 'owner' }, admin.token)).status, 403);
  assert.equal((await patch(`users/${admin.id}`, { role: 'owner' }, admin.token)).status, 403);
  assert.equal((await patch(`users/${viewer.id}`, { role: 'owner' }, admin.token)).status, 403);
  for (const body of [{ role: 'viewer' }, { status: 'disabled' }, { email: mail() }, { name: 'x' }]) assert.equal((await patch(`users/${ownerId}`, body, admin.token)).status, 403);
  assert.equal((await call('DELETE', `/api/v1/users/${ownerId}`, { token: admin.token })).status, 403);
  assert.equal((await post(`users/${ownerId}/password`, { new_password: 'another password' }, admin.token)).status, 403);
  assert.equal((await post('tokens', { name: 't', user_id: ownerId }, admin.token)).status, 403);
  assert.equal((await patch(`users/${viewer.id}`, { role: 'editor' }, viewer.token)).status, 403);
  assert.equal((await patch(`users/${viewer.id}`, { name: 'me' }, viewer.token)).status, 403);
  assert.equal((await post(`users/${ownerId}/password`, { new_password: 'another password' }, viewer.token)).status, 403);
  assert.deepEqual((await me(viewer.token)).role, 'viewer');
  assert.equal((await patch(`users/${viewer.id}`, { role: 'editor' }, admin.token)).status, 200);
});

test('a token of fewer scopes cannot make its owner more', async () => {
  const scopes = ['account.manage', 'account.read', 'memory.read'];
  const small = (await made('tokens', { name: 'small', scopes })).secret;
  assert.deepEqual((await me(small)).permissions.sort(), [...scopes].sort());
  assert.equal((await post('tokens', { name: 'more' }, small)).status, 403);
  assert.equal((await post('tokens', { name: 'more', scopes: ['memory.write'] }, small)).status, 403);
  assert.equal((await post('tokens', { name: 'more', scopes: ['*'] }, small)).status, 403);
  assert.equal((await post('users', { email: mail(), name: 'n', role: 'editor' }, small)).status, 403);
  assert.equal((await post('roles', { name: unique('r'), permissions: ['memory.write'] }, small)).status, 403);
  assert.equal((await call('PUT', '/api/v1/roles/viewer/permissions', { token: small, body: { permissions: ['memory.manage'] } })).status, 403);
  assert.equal((await post('agents', { slug: unique('a'), name: 'n' }, small)).status, 403);
  assert.equal((await post('tokens', { name: 'same', scopes: ['memory.read'] }, small)).status, 201);
});

test('passwords: one\'s own with the old one, others\' by who governs them, never shown', async () => {
  const u = await made('users', { email: mail(), name: 'n', role: 'viewer', password: 'first password' });
  const token = (await made('tokens', { name: 't', user_id: u.id })).secret;
  invalid(await post(`users/${u.id}/password`, { new_password: 'second password' }, token), '/old_password');
  invalid(await post(`users/${u.id}/password`, { old_password: 'wrong', new_password: 'second password' }, token), '/old_password');
  invalid(await post(`users/${u.id}/password`, { old_password: 'first password', new_password: 'short' }, token), '/new_password');
  assert.equal((await post(`users/${u.id}/password`, { old_password: 'first password', new_password: 'second password' }, token)).status, 204);
  invalid(await post(`users/${u.id}/password`, { old_password: 'first password', new_password: 'third password' }, token), '/old_password');
  assert.equal((await post(`users/${u.id}/password`, { new_password: 'third password' })).status, 204);
  const [[hash]] = await sql(`SELECT password_hash FROM user WHERE id = '${u.id}'`);
  assert.match(hash, /^\$argon2id\$/);
  const seen = (await expectStatus(200, 'GET', `/api/v1/users/${u.id}`, { token: owner })).text + (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${u.id}`, { token: owner })).text;
  for (const secret of ['argon2', 'first password', 'second password', 'third password']) assert.ok(!seen.includes(secret), secret);
});

// ---- roles

test('a role of the account: made, given, changed at once, removed when nobody has it', async () => {
  const name = unique('role');
  const r = await made('roles', { name, description: 'd', permissions: ['memory.*', 'account.read'] });
  assert.deepEqual([r.kind, r.built_in, r.permissions.includes('memory.manage')], ['user', false, true]);
  const u = await freshUser(account, name);
  assert.ok((await me(u.token)).permissions.includes('memory.write'));
  assert.equal((await call('PUT', `/api/v1/roles/${name}/permissions`, { token: owner, body: { permissions: ['account.read'] } })).status, 200);
  for (const base of [undefined, BASE2]) assert.deepEqual((await expectStatus(200, 'GET', '/api/v1/me', { token: u.token, base })).data.permissions, ['account.read']);
  assert.equal((await call('DELETE', `/api/v1/roles/${name}`, { token: owner })).status, 409);
  await patch(`users/${u.id}`, { role: 'viewer' });
  assert.equal((await call('DELETE', `/api/v1/roles/${name}`, { token: owner })).status, 204);
  assert.equal((await call('DELETE', `/api/v1/roles/${name}`, { token: owner })).status, 404);
  invalid(await patch(`users/${u.id}`, { role: name }), '/role');
});

test('built-in roles stay, and can be added to for one\'s own account only', async () => {
  const other = await freshAccount();
  assert.equal((await call('DELETE', '/api/v1/roles/viewer', { token: owner })).status, 409);
  assert.equal((await post('roles', { name: 'viewer', permissions: ['memory.read'] })).status, 409);
  const viewer = await freshUser(account), theirs = await freshUser(other);
  await expectStatus(200, 'PUT', '/api/v1/roles/viewer/permissions', { token: owner, body: { permissions: ['memory.write'] } });
  const now = (await me(viewer.token)).permissions;
  assert.ok(now.includes('memory.write') && now.includes('memory.read'));
  assert.ok(!(await me(theirs.token)).permissions.includes('memory.write'));
  await expectStatus(200, 'PUT', '/api/v1/roles/viewer/permissions', { token: owner, body: { permissions: [] } });
  assert.ok(!(await me(viewer.token)).permissions.includes('memory.write'));
});

test('roles that are refused', async () => {
  for (const [body, pointer] of [[{ name: 'Ünicode' }, '/name'], [{ name: 'x'.repeat(65) }, '/name'], [{ permissions: ['nothing.here'] }, '/permissions/0'],
    [{ permissions: ['memory.read', 'memory'] }, '/permissions/1'], [{ permissions: [7] }, '/permissions'], [{ permissions: Array(65).fill('memory.read') }, '/permissions'],
    [{ kind: 'robot' }, '/kind'], [{ permissions: ['.*'] }, '/permissions/0'], [{ permissions: [''] }, '/permissions']])
    invalid(await post('roles', { name: unique('r'), permissions: ['memory.read'], ...body }), pointer);
  assert.equal((await call('PUT', '/api/v1/roles/nobody/permissions', { token: owner, body: { permissions: [] } })).status, 404);
});

// ---- agents

test('an agent: made with its namespace, renamed, paused, archived and brought back', async () => {
  const slug = unique('bot');
  const a = await made('agents', { slug, name: 'Bot', description: 'd' });
  assert.deepEqual([a.kind, a.role, a.status, a.trust], ['assistant', 'agent', 'active', 0.65]);
  assert.equal((await post('agents', { slug, name: 'Other' })).status, 409);
  const token = (await made('tokens', { name: 't', agent_id: a.id })).secret;
  assert.equal((await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: 't' } })).data.author_id, a.id);
  for (const [body, status] of [[{ status: 'paused' }, 401], [{ status: 'active' }, 200], [{ status: 'archived' }, 401], [{ status: 'active' }, 200]]) {
    assert.equal((await patch(`agents/${a.id}`, body)).status, 200);
    assert.equal((await call('GET', '/api/v1/me', { token })).status, status);
  }
  await expectStatus(204, 'DELETE', `/api/v1/agents/${a.id}`, { token: owner });
  await expectStatus(204, 'DELETE', `/api/v1/agents/${a.id}`, { token: owner });
  assert.equal((await call('GET', '/api/v1/me', { token })).status, 401);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/agents/${a.id}`, { token: owner })).data.status, 'archived');
  invalid(await post('tokens', { name: 't', agent_id: a.id }), '/agent_id');
});

test('agents descend from each other in no circle, also when two move at once', async () => {
  const agent = (parent_id) => made('agents', { slug: unique('a'), name: 'A', ...(parent_id && { parent_id }) });
  const a = await agent(), b = await agent(a.id), c = await agent(b.id);
  for (const [id, parent_id] of [[a.id, a.id], [a.id, b.id], [a.id, c.id], [a.id, nobody]]) invalid(await patch(`agents/${id}`, { parent_id }), '/parent_id');
  assert.equal((await patch(`agents/${c.id}`, { parent_id: null })).data.parent_id, null);
  for (let round = 0; round < 5; round++) {
    const [x, y] = [await agent(), await agent()];
    await Promise.all([patch(`agents/${x.id}`, { parent_id: y.id }), patch(`agents/${y.id}`, { parent_id: x.id }, owner, { base: BASE2 })]);
    const now = await Promise.all([x, y].map((z) => expectStatus(200, 'GET', `/api/v1/agents/${z.id}`, { token: owner })));
    assert.ok(!now.every((r) => r.data.parent_id), 'two agents descend from each other');
  }
});

test('an agent cannot make itself more, nor act for another', async () => {
  const agent = await freshAgent(account, 'trusted'), other = await freshAgent(account);
  assert.equal((await patch(`agents/${agent.id}`, { role: 'trusted' }, agent.token)).status, 403);
  assert.equal((await post('agents', { slug: unique('a'), name: 'child' }, agent.token)).status, 403);
  assert.equal((await post('tokens', { name: 't', agent_id: other.id }, agent.token)).status, 403);
  assert.equal((await post('tokens', { name: 't', user_id: ownerId }, agent.token)).status, 403);
  assert.equal((await call('PUT', `/api/v1/agents/${agent.id}/roles`, { token: agent.token, body: { roles: ['admin'] } })).status, 403);
  assert.equal((await post(`agents/${agent.id}/keys`, { name: 'k', public_key: publicKey() }, agent.token)).status, 403);
  const own = await made('tokens', { name: 'second' }, agent.token);
  assert.equal(own.agent_id, agent.id);
});

test('agents that are refused', async () => {
  for (const [body, pointer] of [[{ slug: 'A' }, '/slug'], [{ slug: 'é' }, '/slug'], [{ slug: '' }, '/slug'], [{ name: '\n' }, '/name'], [{ trust: 0.9 }, '/trust'], [{ role: 'owner' }, '/role'],
    [{ kind: 'a b' }, '/kind'], [{ parent_id: nobody }, '/parent_id'], [{ description: 'x'.repeat(4001) }, '/description'], [{ account_id: nobody }, '/account_id']])
    invalid(await post('agents', { slug: unique('a'), name: 'n', ...body }), pointer);
});

test('parts an agent plays are a set; keys are keys, and are revoked once', async () => {
  const a = await made('agents', { slug: unique('a'), name: 'A' });
  const put = (roles) => call('PUT', `/api/v1/agents/${a.id}/roles`, { token: owner, body: { roles } });
  assert.deepEqual((await put(['reviewer', 'coder', 'coder'])).data.roles, ['coder', 'reviewer']);
  assert.deepEqual((await put([])).data.roles, []);
  invalid(await put(Array.from({ length: 17 }, (_, i) => `r${i}`)), '/roles');
  invalid(await put(['A B']), '/roles/0');
  const key = publicKey();
  const k = await made(`agents/${a.id}/keys`, { name: 'k', public_key: key });
  assert.equal(k.public_key, key);
  assert.equal((await post(`agents/${a.id}/keys`, { name: 'again', public_key: key })).status, 409);
  assert.equal((await post(`agents/${a.id}/keys`, { name: 'hex', public_key: Buffer.from(publicKey(), 'base64url').toString('hex') })).status, 201);
  for (const public_key of ['x', 'A'.repeat(43), '0'.repeat(64), `${key}=`, `${key.slice(0, -1)}*`]) invalid(await post(`agents/${a.id}/keys`, { name: 'k', public_key }), '/public_key');
  invalid(await post(`agents/${a.id}/keys`, { name: 'k', public_key: publicKey(), valid_from: soon(600), valid_to: soon(300) }), '/valid_to');
  await expectStatus(204, 'DELETE', `/api/v1/agents/${a.id}/keys/${k.id}`, { token: owner });
  await expectStatus(204, 'DELETE', `/api/v1/agents/${a.id}/keys/${k.id}`, { token: owner });
  const other = await made('agents', { slug: unique('a'), name: 'B' });
  await expectStatus(404, 'DELETE', `/api/v1/agents/${other.id}/keys/${k.id}`, { token: owner });
  const list = (await expectStatus(200, 'GET', `/api/v1/agents/${a.id}/keys`, { token: owner })).data;
  assert.deepEqual([list.length, list.filter((x) => x.revoked_at).length], [2, 1]);
});

// ---- teams

test('a team: members once, counted, removed; dissolved it leaves its namespace archived', async () => {
  const slug = unique('team');
  const t = await made('teams', { slug, name: 'T' });
  assert.equal((await post('teams', { slug, name: 'T' })).status, 409);
  const agents = [await freshAgent(account), await freshAgent(account)];
  const put = (id, body = {}) => call('PUT', `/api/v1/teams/${t.id}/members/${id}`, { token: owner, body });
  for (const a of agents) assert.equal((await put(a.id)).status, 200);
  const lead = await put(agents[0].id, { role: 'lead', is_lead: true });
  assert.deepEqual([lead.data.role, lead.data.is_lead], ['lead', true]);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/teams/${t.id}`, { token: owner })).data.members, 2);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/teams/${t.id}/members?limit=1`, { token: owner })).meta.has_more, true);
  assert.ok([404, 422].includes((await put(nobody)).status));
  await expectStatus(204, 'DELETE', `/api/v1/teams/${t.id}/members/${agents[1].id}`, { token: owner });
  await expectStatus(404, 'DELETE', `/api/v1/teams/${t.id}/members/${agents[1].id}`, { token: owner });
  await expectStatus(201, 'POST', '/api/v1/nodes', { token: agents[0].token, body: { title: 't', space_id: (await namespace(agents[0].token, slug)).id } });
  await expectStatus(204, 'DELETE', `/api/v1/teams/${t.id}`, { token: owner });
  await expectStatus(404, 'GET', `/api/v1/teams/${t.id}`, { token: owner });
  const [[status]] = await sql(`SELECT status FROM space WHERE slug LIKE 'team:${slug}%'`);
  assert.equal(status, 'archived');
  assert.equal((await post('teams', { slug, name: 'again' })).status, 201, 'the slug of a dissolved team can be used again');
});

const namespace = async (token, slug) => (await expectStatus(200, 'GET', '/api/v1/spaces?kind=namespace&limit=100', { token })).data.find((s) => s.slug === `team:${slug}`);

// ---- tokens

test('a token is shown once, found by its prefix, and kept as a hash', async () => {
  const t = await made('tokens', { name: 'once' });
  assert.match(t.secret, /^loci_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}$/);
  assert.equal(t.secret.split('_')[1], t.prefix);
  const again = await expectStatus(200, 'GET', `/api/v1/tokens/${t.id}`, { token: owner });
  assert.ok(!again.text.includes(t.secret.split('_')[2]));
  const tables = (await sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'loci'")).flat();
  const secret = t.secret.split('_')[2];
  for (const table of tables) {
    const rows = await sql(`SELECT * FROM \`${table}\``);
    const hex = Buffer.from(secret).toString('hex');
    assert.ok(!rows.some((row) => row.some((cell) => cell.includes(secret) || cell.toLowerCase().includes(hex))), `${table} holds the secret of a token`);
  }
});

test('a token made with an Idempotency-Key is not kept in clear either', async () => {
  const key = unique('key');
  const r = await post('tokens', { name: 'keyed' }, owner, { headers: { 'Idempotency-Key': key } });
  assert.equal(r.status, 201);
  const secret = r.data.secret.split('_')[2], hex = Buffer.from(secret).toString('hex');
  const rows = await sql('SELECT * FROM idempotency_key');
  assert.ok(!rows.some((row) => row.some((cell) => cell.includes(secret) || cell.toLowerCase().includes(hex))), 'the secret is in idempotency_key');
  const again = await post('tokens', { name: 'keyed' }, owner, { headers: { 'Idempotency-Key': key } });
  assert.ok([201, 409].includes(again.status));
  const list = (await expectStatus(200, 'GET', '/api/v1/tokens?limit=100', { token: owner })).data;
  assert.equal(list.filter((x) => x.name === 'keyed').length, 1);
});

test('a token ends at its time on both workers, and cannot make one that lives longer', async () => {
  const t = await made('tokens', { name: 'short', expires_at: soon(45) });
  for (const base of [undefined, BASE2]) assert.equal((await call('GET', '/api/v1/me', { token: t.secret, base })).status, 200);
  invalid(await post('tokens', { name: 'longer' }, t.secret), '/expires_at');
  invalid(await post('tokens', { name: 'longer', expires_at: soon(60) }, t.secret), '/expires_at');
  assert.equal((await post('tokens', { name: 'shorter', expires_at: new Date(Date.parse(t.expires_at) - 1) }, t.secret)).status, 201);
  await moveClock('45s');
  for (const base of [undefined, BASE2]) assert.equal((await call('GET', '/api/v1/me', { token: t.secret, base })).status, 401);
  invalid(await post('tokens', { name: 'past', expires_at: '2020-01-01T00:00:00Z' }), '/expires_at');
});

test('scopes that mean nothing, that the owner lacks, and none at all', async () => {
  const viewer = await freshUser(account, 'viewer');
  invalid(await post('tokens', { name: 't', scopes: ['nothing.here'] }), '/scopes/0');
  invalid(await post('tokens', { name: 't', scopes: ['memory.read', ''] }), '/scopes/1');
  invalid(await post('tokens', { name: 't', user_id: viewer.id, scopes: ['memory.write'] }), '/scopes/0');
  invalid(await post('tokens', { name: 't', scopes: Array(65).fill('memory.read') }), '/scopes');
  invalid(await post('tokens', { name: 't', scopes: [] }), '/scopes');
  const all = await made('tokens', { name: 't', scopes: null });
  assert.equal(all.scopes, null, 'null says: all of the owner');
  assert.ok((await me(all.secret)).permissions.includes('account.manage'));
  const area = await made('tokens', { name: 't', scopes: ['memory.*'] });
  assert.deepEqual((await me(area.secret)).permissions, ['memory.read', 'memory.write', 'memory.manage', 'memory.review']);
});

test('a token narrows with the role of its owner, and does not widen beyond its scopes', async () => {
  const u = await freshUser(account, 'editor');
  const t = (await made('tokens', { name: 't', user_id: u.id, scopes: ['memory.write', 'memory.read'] })).secret;
  await patch(`users/${u.id}`, { role: 'viewer' });
  assert.deepEqual((await me(t)).permissions, ['memory.read']);
  await patch(`users/${u.id}`, { role: 'admin' });
  assert.deepEqual((await me(t)).permissions, ['memory.read', 'memory.write']);
});

test('one sees one\'s own tokens; with account.manage all', async () => {
  const agent = await freshAgent(account), other = await freshAgent(account);
  const [theirs] = (await expectStatus(200, 'GET', `/api/v1/tokens?agent_id=${other.id}`, { token: owner })).data;
  assert.equal((await call('GET', `/api/v1/tokens/${theirs.id}`, { token: agent.token })).status, 404);
  assert.equal((await call('DELETE', `/api/v1/tokens/${theirs.id}`, { token: agent.token })).status, 404);
  const mine = (await expectStatus(200, 'GET', '/api/v1/tokens?limit=100', { token: agent.token })).data;
  assert.ok(mine.length >= 1 && mine.every((t) => t.agent_id === agent.id));
  assert.deepEqual((await expectStatus(200, 'GET', `/api/v1/tokens?agent_id=${other.id}`, { token: agent.token })).data, []);
  await expectStatus(204, 'DELETE', `/api/v1/tokens/${mine[0].id}`, { token: agent.token });
  assert.equal((await call('GET', '/api/v1/me', { token: agent.token })).status, 401);
});

test('one owner a token, one that exists', async () => {
  const agent = await freshAgent(account);
  invalid(await post('tokens', { name: 't', user_id: ownerId, agent_id: agent.id }), '/agent_id');
  for (const field of ['user_id', 'agent_id']) invalid(await post('tokens', { name: 't', [field]: nobody }), `/${field}`);
});

test('use is noted to the minute, with the address', async () => {
  const t = await made('tokens', { name: 'used' });
  await me(t.secret);
  const seen = (await expectStatus(200, 'GET', `/api/v1/tokens/${t.id}`, { token: owner })).data;
  assert.ok(seen.last_used_at);
  assert.match(seen.last_ip, /^127\.|^::1$/);
});

test('a removed user leaves what they wrote, and takes tokens and grants along', async () => {
  const u = await freshUser(account, 'editor');
  const s = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: u.token, body: { name: 'S' } })).data;
  const n = (await expectStatus(201, 'POST', '/api/v1/nodes', { token: u.token, body: { title: 't', space_id: s.id } })).data;
  await expectStatus(204, 'DELETE', `/api/v1/users/${u.id}`, { token: owner });
  assert.equal((await call('GET', '/api/v1/me', { token: u.token })).status, 401);
  const [[grants, nodes, tokens]] = await sql(`SELECT (SELECT COUNT(*) FROM space_grant WHERE grantee_id = '${u.id}'),
    (SELECT COUNT(*) FROM node WHERE id = '${n.id}'), (SELECT COUNT(*) FROM token WHERE user_id = '${u.id}')`);
  assert.deepEqual([grants, nodes, tokens], ['0', '1', '0']);
});

test('the account: settings are merged, a stale change is refused, and a change needs a version', async () => {
  const read = () => expectStatus(200, 'GET', '/api/v1/account', { token: owner });
  const first = await read(), tag = first.headers.get('etag');
  assert.equal((await patch('account', { name: 'x' })).status, 428);
  const r = await patch('account', { settings: { a: { b: 1 }, c: 2 } }, owner, { headers: { 'If-Match': tag } });
  assert.deepEqual(r.data.settings, { a: { b: 1 }, c: 2 });
  assert.equal((await patch('account', { settings: { c: null } }, owner, { headers: { 'If-Match': tag } })).status, 412);
  assert.deepEqual((await patch('account', { settings: { c: null } }, owner, { headers: { 'If-Match': r.headers.get('etag') } })).data.settings, { a: { b: 1 } });
  assert.equal((await patch('account', { slug: 'other' }, owner, { headers: { 'If-Match': '*' } })).status, 422);
});

test('locictl says no by name, and its tokens are as good as ours', async () => {
  await assert.rejects(ctl('account', 'create', '--slug', account.slug), (e) => e.code === 3 && /already/.test(e.stderr));
  await assert.rejects(ctl('user', 'create', '--account', account.slug, '--email', 'x', '--role', 'owner'), (e) => e.code === 1);
  await assert.rejects(ctl('account', 'create', '--slug', 'Ü'), (e) => e.code === 1);
  await assert.rejects(ctl('nothing'), (e) => e.code === 2);
  await assert.rejects(ctl('token', 'create', '--account', 'nobody', '--agent', 'x', '--name', 'n'), (e) => e.code === 1 && /nobody/.test(e.stderr));
  const t = await ctl('token', 'create', '--account', account.slug, '--agent', 'one', '--name', unique(), '--scopes', 'memory.read', '--days', '1');
  assert.deepEqual((await me(t)).permissions, ['memory.read']);
});

test('an address without a password in another account is in nobody\'s way', async () => {
  const a = await freshAccount(), b = await freshAccount(), file = `${process.env.LOCI_STACK}/conf/${unique('pw')}`, password = unique('password');
  writeFileSync(file, password);
  try {
    await ctl('user', 'password', '--account', a.slug, '--email', a.email, '--password-file', file);
    await ctl('user', 'create', '--account', b.slug, '--email', a.email, '--role', 'viewer');
    assert.ok(await signIn({ email: a.email, password }), 'no account named');
    await ctl('user', 'password', '--account', b.slug, '--email', a.email, '--password-file', file);
    await assert.rejects(signIn({ email: a.email, password }), /422/);
    assert.ok(await signIn({ account: b.slug, email: a.email, password }), 'the account named');
  } finally {
    rmSync(file);
  }
});
