// No side door: what a room refuses at its own calls, the generic calls refuse too, and the other way round.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { call, ctl, expectStatus, freshAccount, freshAgent, freshUser, unique } from './client.mjs';
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
  assert.match(taken.text, /another space has its slug/);
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

test('a space of kind context or pool is a whole context or pool, whichever call made it (1.4)', async () => {
  const agent = await freshAgent(account), { token } = agent;
  const x = (await expectStatus(201, 'POST', S, { token, body: { kind: 'context', name: 'Kitchen', slug: unique('kitchen') } })).data;
  const made = (await expectStatus(200, 'GET', `${C}/${x.slug}`, { token })).data;
  assert.deepEqual([made.id, made.scope, made.access], [x.id, 'agent', 'manage']);
  await expectStatus(201, 'POST', `${C}/${x.id}/entries`, { token, body: { entry_key: 'a', entry_type: 'observation', memory_type: 'experiential', content: 'b' } });
  assert.equal((await sql(`SELECT COUNT(*) FROM access_log WHERE space_id = '${x.id}' AND action = 'create'`))[0][0], '1');
  const p = (await expectStatus(201, 'POST', S, { token, body: { kind: 'pool', name: 'Board', slug: unique('board') } })).data;
  await expectStatus(200, 'PUT', `${P}/${p.slug}/data/a`, { token, body: { value: 1 } });
  assert.equal((await expectStatus(200, 'GET', `${P}/${p.id}`, { token })).data.pool_type, 'shared');
  const by_user = (await expectStatus(201, 'POST', S, { token: account.owner, body: { kind: 'context', name: 'Mine' } })).data;
  await expectStatus(404, 'GET', `${C}/${by_user.id}`, { token });
  for (const kind of ['knowledge_base', 'domain', 'pages', 'skills', 'taxonomy', 'namespace']) {
    const r = await call('POST', S, { token, body: { kind, name: 'x' } });
    assert.equal(r.status, 422, r.text);
    assert.equal(r.body.errors[0].pointer, '/kind');
  }
});

test('making one needs the permission of its room', async () => {
  const agent = await freshAgent(account), token = await scoped(agent, ['memory.read', 'memory.write']);
  for (const kind of ['context', 'pool']) await expectStatus(403, 'POST', S, { token, body: { kind, name: 'x' } });
});
