// No side door: what a room refuses at its own calls, the generic calls refuse too, and the other way round.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { BASE, call, ctl, expectStatus, freshAccount, freshAgent, openapi, unique } from './client.mjs';
import { sql } from './db.mjs';

const S = '/api/v1/spaces', C = '/api/v1/ai/contexts', P = '/api/v1/ai/memory_pools';
let account;
before(async () => { account = await freshAccount(); });

const context = async (token, body = {}) => (await expectStatus(201, 'POST', C, { token, body: { name: unique('context'), ...body } })).data;
const pool = async (token, body = {}) => (await expectStatus(201, 'POST', P, { token, body: { name: unique('pool'), pool_id: unique('pool'), ...body } })).data;
const handle = (agent, name) => `mem_${createHash('sha256').update(`${agent} ${name}`).digest('hex').slice(0, 24)}`;
const scoped = (agent, scopes) => ctl('token', 'create', '--account', account.slug, '--agent', agent.slug, '--name', unique('scoped'), '--scopes', scopes.join(','));

function protects(r) {
  assert.equal(r.status, 409, r.text);
  assert.equal(r.body.reason ?? r.body.errors?.[0]?.reason ?? 'protected', 'protected', r.text);
}

test('the names of an agent\'s default contexts and private pool cannot be taken by another agent (D1)', async () => {
  const victim = await freshAgent(account), squatter = await freshAgent(account), token = squatter.token;
  const mine = (await expectStatus(201, 'POST', S, { token, body: { kind: 'context', name: 'x' } })).data;
  for (const name of ['Working Memory', 'Long-Term Memory', 'Experiential Memory', 'Factual Memory']) {
    protects(await call('POST', S, { token, body: { kind: 'context', name: 'x', slug: handle(victim.id, name) } }));
    protects(await call('PATCH', `${S}/${mine.id}`, { token, body: { slug: handle(victim.id, name) } }));
  }
  const pool_id = `private.${victim.id}`;
  protects(await call('POST', S, { token, body: { kind: 'pool', name: 'x', slug: pool_id } }));
  protects(await call('POST', P, { token, body: { name: 'x', pool_id } }));
  protects(await call('PATCH', `${S}/${(await pool(token)).id}`, { token, body: { slug: pool_id } }));
  await expectStatus(200, 'POST', `/api/v1/ai/agents/${victim.id}/tiered_memory`, { token: victim.token, body: { key: 'k', value: 1, tier: 'long_term' } });
  // … and its own are not renamed away
  const own = (await expectStatus(200, 'GET', `${C}/${handle(victim.id, 'Long-Term Memory')}`, { token: victim.token })).data;
  protects(await call('PATCH', `${S}/${own.id}`, { token: victim.token, body: { slug: unique('other') } }));
});

test('a default context whose handle was taken before says so, and one that was deleted says how to restore it', async () => {
  const squatted = await freshAgent(account), deleted = await freshAgent(account), other = await context((await freshAgent(account)).token);
  const put = (agent) => call('POST', `/api/v1/ai/agents/${agent.id}/tiered_memory`, { token: agent.token, body: { key: 'k', value: 1, tier: 'long_term' } });
  await sql(`UPDATE space SET slug = '${handle(squatted.id, 'Long-Term Memory')}' WHERE id = '${other.id}'`);
  const taken = await put(squatted);
  assert.equal(taken.status, 409, taken.text);
  assert.match(taken.text, /another space has the slug/);
  assert.equal((await put(deleted)).status, 200);
  const own = (await expectStatus(200, 'GET', `${C}/${handle(deleted.id, 'Long-Term Memory')}`, { token: deleted.token })).data;
  await expectStatus(204, 'DELETE', `${C}/${own.id}`, { token: deleted.token });
  const gone = await put(deleted);
  assert.equal(gone.status, 409, gone.text);
  const path = /POST (\S+\/restore)/.exec(gone.text)[1];
  await expectStatus(200, 'POST', path, { token: deleted.token });
  assert.equal((await put(deleted)).status, 200);
});

test('the pool default stays at every door, and nobody takes its name (1.3, D1)', async () => {
  const own = await freshAccount(), { token, owner } = own, trusted = (await freshAgent(own, 'trusted')).token;
  const squat = await pool(token, { access_control: { public: true } });
  protects(await call('PATCH', `${S}/${squat.id}`, { token, body: { slug: 'default' } }));
  protects(await call('POST', S, { token, body: { kind: 'pool', name: 'x', slug: 'default' } }));
  await expectStatus(200, 'PUT', `${P}/default/data/a.b`, { token, body: { value: 1 } });
  const { id } = (await expectStatus(200, 'GET', `${P}/default`, { token })).data;
  for (const t of [token, trusted]) {
    protects(await call('DELETE', `${S}/${id}`, { token: t }));
    await expectStatus(403, 'PATCH', `${P}/default`, { token: t, body: { access_control: {} } });
  }
  protects(await call('DELETE', `${S}/${id}`, { token: owner }));
  protects(await call('DELETE', `${P}/default`, { token: owner }));
  protects(await call('POST', `${S}/${id}/archive`, { token: owner }));
  protects(await call('PATCH', `${S}/${id}`, { token: owner, body: { slug: unique('moved') } }));
  const soon = new Date(Date.now() + 3600e3).toISOString();
  protects(await call('PATCH', `${S}/${id}`, { token: owner, body: { expires_at: soon } }));
  protects(await call('PATCH', `${P}/default`, { token: owner, body: { expires_at: soon } }));
  await expectStatus(200, 'PUT', `${P}/default/data/a.c`, { token, body: { value: 2 } });
});

test('a space of kind context, pool or knowledge base is a whole one, whichever call made it (1.4)', async () => {
  const agent = await freshAgent(account), { token } = agent;
  const x = (await expectStatus(201, 'POST', S, { token, body: { kind: 'context', name: 'Kitchen', slug: unique('kitchen') } })).data;
  const made = (await expectStatus(200, 'GET', `${C}/${x.slug}`, { token })).data;
  assert.deepEqual([made.id, made.scope, made.access], [x.id, 'agent', 'manage']);
  await expectStatus(201, 'POST', `${C}/${x.id}/entries`, { token, body: { entry_key: 'a', entry_type: 'observation', memory_type: 'experiential', content: 'b' } });
  assert.equal((await sql(`SELECT COUNT(*) FROM access_log WHERE space_id = '${x.id}' AND action = 'create'`))[0][0], '1');
  const p = (await expectStatus(201, 'POST', S, { token, body: { kind: 'pool', name: 'Board', slug: unique('board') } })).data;
  await expectStatus(200, 'PUT', `${P}/${p.slug}/data/a`, { token, body: { value: 1 } });
  assert.equal((await expectStatus(200, 'GET', `${P}/${p.id}`, { token })).data.pool_type, 'shared');
  const base = (await expectStatus(201, 'POST', S, { token: account.owner, body: { kind: 'knowledge_base', name: unique('Manuals') } })).data;
  const whole = (await expectStatus(200, 'GET', `/api/v1/ai/rag/knowledge_bases/${base.id}`, { token: account.owner })).data;
  assert.deepEqual([whole.name, whole.status, whole.chunk_size], [base.name, 'active', 1000]);
  const by_user = (await expectStatus(201, 'POST', S, { token: account.owner, body: { kind: 'context', name: 'Mine' } })).data;
  assert.match(by_user.slug, /^ctx_[0-9a-f]{24}$/, 'the handle that the room gives');
  await expectStatus(404, 'GET', `${C}/${by_user.id}`, { token });
  for (const kind of ['pages', 'taxonomy', 'namespace']) {
    const r = await call('POST', S, { token, body: { kind, name: 'x' } });
    assert.equal(r.status, 422, r.text);
    assert.equal(r.body.errors[0].pointer, '/kind');
  }
});

test('making one needs the permission of its room', async () => {
  const agent = await freshAgent(account), token = await scoped(agent, ['memory.read', 'memory.write']);
  for (const kind of ['context', 'pool']) await expectStatus(403, 'POST', S, { token, body: { kind, name: 'x' } });
});

test('a token without the room\'s permission is refused at /spaces, too (1.2, D2)', async () => {
  const agent = await freshAgent(account), narrow = await scoped(agent, ['memory.read', 'memory.write', 'context.read']);
  const x = await context(agent.token), p = await pool(agent.token), body = { grantee_kind: 'everyone', level: 'write' };
  for (const { id } of [x, p]) {
    await expectStatus(403, 'POST', `${S}/${id}/grants`, { token: narrow, body });
    await expectStatus(403, 'GET', `${S}/${id}/grants`, { token: narrow });
    await expectStatus(403, 'PATCH', `${S}/${id}`, { token: narrow, body: { name: 'x' } });
    await expectStatus(403, 'POST', `${S}/${id}/archive`, { token: narrow });
    await expectStatus(403, 'DELETE', `${S}/${id}`, { token: narrow });
  }
  const update = await scoped(agent, ['context.read', 'context.update']);
  await expectStatus(403, 'PATCH', `${C}/${x.id}`, { token: update, body: { access_control: { public_read: true } } });
  await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token: update, body: { description: 'd' } });
  // A manager by grant whose role does not govern what others own.
  const manager = await freshAgent(account);
  for (const { id } of [x, p]) await expectStatus(201, 'POST', `${S}/${id}/grants`, { token: agent.token, body: { grantee_kind: 'agent', grantee_id: manager.id, level: 'manage' } });
  await expectStatus(403, 'POST', `${S}/${x.id}/grants`, { token: manager.token, body });
  await expectStatus(403, 'POST', `${C}/${x.id}/grants`, { token: manager.token, body: { everyone: true } });
  await expectStatus(201, 'POST', `${S}/${p.id}/grants`, { token: manager.token, body });
});

test('an agent governs what it owns, at every door; the access log has it all', async () => {
  const agent = await freshAgent(account), other = await freshAgent(account), { token } = agent;
  const x = await context(token);
  const a = (await expectStatus(201, 'POST', `${C}/${x.id}/grants`, { token, body: { agent_id: other.id, level: 'read' } })).data;
  const b = (await expectStatus(201, 'POST', `${S}/${x.id}/grants`, { token, body: { grantee_kind: 'everyone' } })).data;
  for (const at of [`${C}/${x.id}`, `${S}/${x.id}`]) assert.equal((await expectStatus(200, 'GET', `${at}/grants`, { token })).data.length, 2);
  await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token, body: { access_control: { read: [other.id], public_read: true } } });
  await expectStatus(204, 'DELETE', `${S}/${x.id}/grants/${a.id}`, { token });
  await expectStatus(204, 'DELETE', `${C}/${x.id}/grants/${b.id}`, { token });
  await expectStatus(200, 'PATCH', `${S}/${x.id}`, { token, body: { name: 'New' } });
  await expectStatus(200, 'POST', `${S}/${x.id}/archive`, { token });
  await expectStatus(200, 'POST', `${S}/${x.id}/unarchive`, { token });
  await expectStatus(204, 'DELETE', `${S}/${x.id}`, { token });
  await expectStatus(200, 'POST', `${S}/${x.id}/restore`, { token });
  const log = (await expectStatus(200, 'GET', `${C}/${x.id}/access_log?success=true&limit=100`, { token })).data.map((e) => e.action).filter((w) => w !== 'read');
  assert.deepEqual(log, ['restore', 'delete', 'unarchive', 'archive', 'update', 'revoke', 'revoke', 'update', 'grant', 'grant', 'create']);
});

test('a grant that has expired is replaced at all three doors (D20), and two changes of one do not lose one', async () => {
  const agent = await freshAgent(account), other = await freshAgent(account), { token } = agent;
  const x = await context(token), p = await pool(token), to = { grantee_kind: 'agent', grantee_id: other.id, level: 'read' };
  const doors = [[`${S}/${x.id}`, to], [`${S}/${p.id}`, to], [`${C}/${x.id}`, { agent_id: other.id }], [`${P}/${p.id}`, { agent_id: other.id }]];
  for (const [at, body] of doors) {
    const first = (await expectStatus(201, 'POST', `${at}/grants`, { token, body })).data;
    await sql(`UPDATE space_grant SET expires_at = NOW(6) - INTERVAL 1 SECOND WHERE id = '${first.id}'`);
    const again = (await expectStatus(201, 'POST', `${at}/grants`, { token, body })).data;
    assert.deepEqual([again.expires_at, again.version], [null, first.version + 1]);
    await expectStatus(204, 'DELETE', `${at}/grants/${again.id}`, { token });
  }
  const g = (await expectStatus(201, 'POST', `${S}/${x.id}/grants`, { token, body: to })).data, at = `${S}/${x.id}/grants/${g.id}`;
  await expectStatus(409, 'POST', `${S}/${x.id}/grants`, { token, body: to });
  const soon = new Date(Date.now() + 3600e3).toISOString();
  for (let i = 0; i < 5; i++) {
    await expectStatus(200, 'PATCH', at, { token, body: { level: 'read', expires_at: null } });
    await Promise.all([expectStatus(200, 'PATCH', at, { token, body: { level: 'write' } }), expectStatus(200, 'PATCH', at, { token, body: { expires_at: soon } })]);
    const now = (await expectStatus(200, 'GET', `${S}/${x.id}/grants`, { token })).data[0];
    assert.deepEqual([now.level, now.expires_at !== null], ['write', true]);
  }
  await expectStatus(412, 'PATCH', at, { token, body: { level: 'read', if_version: g.version } });
  await expectStatus(412, 'DELETE', `${at}?if_version=${g.version}`, { token });
  await expectStatus(412, 'DELETE', `${C}/${x.id}/grants/${g.id}?if_version=${g.version}`, { token });
});

test('episodes are never edited, and nodes come into a pool only by the pool\'s calls (D17)', async () => {
  const agent = await freshAgent(account), { token } = agent, N = '/api/v1/nodes';
  const e = (await expectStatus(201, 'POST', N, { token, body: { kind: 'episode', body: 'it rained' } })).data;
  for (const body of [{ body: 'the sun shone' }, { title: 'x' }, { attrs: { a: 1 } }]) await expectStatus(409, 'PATCH', `${N}/${e.id}`, { token, body });
  assert.equal((await expectStatus(200, 'PATCH', `${N}/${e.id}`, { token, body: { importance: 0.9, body: 'it rained' } })).data.body, 'it rained');
  const p = await pool(token);
  for (const kind of ['note', 'episode', 'entity']) await expectStatus(409, 'POST', N, { token, body: { space_id: p.id, kind, title: 'x' } });
  await expectStatus(200, 'PUT', `${P}/${p.id}/data/a`, { token, body: { value: 'x' } });
});

// Each operation that changes a thing, through each door that leads to it.

const ROOMS = { context: { at: C, id: 'id', make: context }, pool: { at: P, id: 'pool_id', make: pool } };

// The operations of a room that the generic calls have, too: the same method on the same path below the thing.
async function twins(room) {
  const { paths } = await openapi(), names = (p) => p.replaceAll('{gid}', '{grant_id}'), found = [];
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith(`${room.at}/{${room.id}}`)) continue;
    const tail = names(path.slice(`${room.at}/{${room.id}}`.length)), generic = paths[`${S}/{id}${tail}`];
    for (const method of Object.keys(methods)) if (generic?.[method]) found.push([method.toUpperCase(), tail]);
  }
  return found;
}

const answer = (r) => (r.status < 300 ? 'allowed' : r.status);

// Tries it on a thing of its own, which the owner made and granted to the others.
async function attempt(world, kind, at, [method, tail], caller) {
  const thing = await ROOMS[kind].make(world.owner.token);
  let grant_id;
  for (const [agent, level] of world.granted) {
    const g = (await expectStatus(201, 'POST', `${S}/${thing.id}/grants`, { token: world.owner.token, body: { grantee_kind: 'agent', grantee_id: agent.id, level } })).data;
    grant_id ??= g.id;
  }
  if (tail === '/unarchive') await expectStatus(200, 'POST', `${S}/${thing.id}/archive`, { token: world.owner.token });
  const one = { grantee_kind: 'everyone', level: 'read' }, other = { everyone: true, level: 'read' };
  const body = method === 'PATCH' ? { description: 'd' } : method === 'POST' && tail === '/grants' ? (at === S ? one : other) : method === 'POST' ? {} : undefined;
  return answer(await call(method, `${at}/${thing.id}${tail.replace('{grant_id}', grant_id)}`, { token: caller.token, body }));
}

for (const kind of Object.keys(ROOMS)) {
  test(`every operation on a ${kind} that has two doors is allowed or refused the same through both`, async () => {
    const agent = () => freshAgent(account), of = (a, scopes) => scoped(a, ['memory.read', 'memory.write', 'context.read', ...scopes]);
    const owner = await agent(), manager = await agent(), trusted = await freshAgent(account, 'trusted'), writer = await agent(), reader = await freshAgent(account, 'readonly');
    const world = { owner, granted: [[manager, 'manage'], [trusted, 'manage'], [writer, 'write'], [reader, 'read']] };
    const callers = { owner, manager, trusted, writer, reader, stranger: await agent(), person: { token: account.owner } };
    for (const scopes of [[], ['context.update'], ['context.delete'], ['context.*'], ['pools.manage'], ['context.update', 'pools.manage']]) {
      callers[`owner, only ${scopes.join(' ') || 'memory'}`] = { token: await of(owner, scopes) };
    }
    callers['trusted, only context.manage'] = { token: await of(trusted, ['context.manage']) };
    const ops = await twins(ROOMS[kind]), seen = new Set();
    assert.ok(ops.length >= (kind === 'context' ? 8 : 6), JSON.stringify(ops));
    for (const op of ops) {
      await Promise.all(Object.entries(callers).map(async ([name, caller]) => {
        const [room, generic] = await Promise.all([attempt(world, kind, ROOMS[kind].at, op, caller), attempt(world, kind, S, op, caller)]);
        seen.add(generic);
        const hidden = ['stranger', 'person'].includes(name);     // whose permission is looked at before it turns out that there is nothing
        if (op[0] === 'GET' && op[1] === '') return;              // reading a space and reading a context are two permissions
        if (!(hidden && [403, 404].includes(room) && [403, 404].includes(generic))) assert.equal(generic, room, `${op.join(' ')} by ${name}`);
      }));
    }
    assert.deepEqual([...seen].sort(), [403, 404, 'allowed']);
  });
}

test('step 5 of the README makes a real context that others read', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const line = (start) => readme.split('\n').filter((l) => l.startsWith(start)).join('\n');
  const step = /\*\*5\. [^]*?```sh\n([^]*?)```/.exec(readme)[1];
  const { stdout } = await promisify(execFile)('bash', ['-ec', `${line('api() {')}\n${step}\necho "$KITCHEN"`], { env: { ...process.env, LOCI_URL: BASE, LOCI_TOKEN: account.token } });
  const id = stdout.trim().split('\n').pop();
  assert.equal((await expectStatus(200, 'GET', `${C}/${id}`, { token: (await freshAgent(account)).token })).data.name, 'Kitchen');
});
