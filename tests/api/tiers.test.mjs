// All tiers of memory at once: the router's shared tier, one search over all of them, figures (memory, section 11, and points 21 and 22 of section 16).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, expectEntry, expectStatus, freshAccount, freshAgent, freshUser, settled, stack, unique, until } from './client.mjs';

const POOLS = '/api/v1/ai/memory_pools';
let account, token, me;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data.id;
});
after(async () => { await stack('start'); });

const root = (agent) => `/api/v1/ai/agents/${agent}/tiered_memory`;
const write = async (key, value, body = {}, agent = me, as = token) => (await expectStatus(200, 'POST', root(agent), { token: as, body: { key, value, ...body } })).data;
const read = async (key, q = {}, agent = me, as = token) => (await expectStatus(200, 'GET', `${root(agent)}?${new URLSearchParams({ key, ...q })}`, { token: as })).data;
const search = async (body, agent = me, as = token) => (await expectStatus(200, 'POST', `${root(agent)}/search`, { token: as, body })).data;
const pool = async (body, as = account.owner) => (await expectStatus(201, 'POST', POOLS, { token: as, body: { name: unique('pool'), access_control: { public: true }, ...body } })).data.pool_id;
const put = (id, key, value, as = token) => expectStatus(200, 'PUT', `${POOLS}/${id}/data/${key}`, { token: as, body: { value } });

// ---- the shared tier

test('shared: write, read a path, delete; without a pool it is the default one', async () => {
  const key = unique('plan');
  const made = await write(key, { step: { n: 1 } }, { tier: 'shared', tags: ['Ops'] });
  assert.deepEqual([made.tier, made.key, typeof made.id, made.expires_at], ['shared', key, 'string', null]);
  assert.deepEqual(await read(`${key}.step`), { found: true, tier: 'shared', key: `${key}.step`, value: { n: 1 }, id: made.id, version: made.version, skipped: [] });
  const other = await freshAgent(account);
  assert.deepEqual((await read(key, { tier: 'shared' }, other.id, other.token)).value, { step: { n: 1 } }, 'everybody has it');
  assert.deepEqual((await expectStatus(200, 'GET', `${POOLS}/default/data/${key}`, { token })).data.value, { step: { n: 1 } });
  assert.deepEqual((await expectStatus(200, 'GET', `${POOLS}/default/entries?tag=ops`, { token })).data.map((e) => e.key), [key]);
  assert.deepEqual((await expectStatus(200, 'DELETE', `${root(me)}/${key}?tier=shared`, { token })).data, { deleted: true });
  assert.equal((await read(key)).found, false);
  assert.deepEqual((await expectStatus(200, 'DELETE', `${root(me)}/${key}?tier=shared`, { token })).data, { deleted: false });
});

test('shared: the private pool, pools of the task and the run, of teams, then the default one, then knowledge by its title', async () => {
  const key = unique('where'), worker = await freshAgent(account);
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body: { slug: unique('team'), name: 'Team' } })).data.id;
  await expectStatus(200, 'PUT', `/api/v1/teams/${team}/members/${worker.id}`, { token: account.owner, body: {} });
  const task_id = unique('task'), run_id = unique('run');
  const ids = {
    task: await pool({ pool_type: 'task_scoped', task_execution_id: task_id, access_control: { agents: [worker.id] } }),
    run: (await expectStatus(201, 'POST', `/api/v1/ai/workflow_runs/${run_id}/pools`, { token: worker.token, body: { name: 'run', pool_type: 'blackboard' } })).data.pool_id,
    team: await pool({ pool_type: 'team_shared', team_id: team, access_control: undefined }),
  };
  const made = (await expectStatus(201, 'POST', '/api/v1/ai/memory/shared_knowledge', { token: account.owner, body: { title: key, content: 'knowledge', access_level: 'account' } })).data;
  const where = async (q = { task_id, run_id }) => (await read(key, q, worker.id, worker.token)).value;
  const seen = [await where()];
  await write(key, 'default', { tier: 'shared' });
  seen.push(await where());
  for (const [name, as] of [['team', worker.token], ['run', worker.token], ['task', account.owner]]) {
    await put(ids[name], key, name, as);
    seen.push(await where());
  }
  await expectStatus(200, 'POST', `/api/v1/ai/agents/${worker.id}/private_memory`, { token: worker.token, body: { key, value: 'private' } });
  seen.push(await where());
  assert.deepEqual(seen, ['knowledge', 'default', 'team', 'run', 'task', 'private']);
  assert.equal(await where({ run_id, pool_id: ids.run }), 'run', 'the pool that was named');
  assert.equal((await read(key)).value, 'default', 'another agent has neither its task, its run, its team nor its own pool');
  assert.equal((await read(key, {}, worker.id, account.owner)).value, 'private', 'memory.manage may ask for it');
  assert.equal((await expectStatus(200, 'GET', `/api/v1/ai/memory/shared_knowledge/${made.id}`, { token })).data.id, made.id);
  assert.equal((await read(`${key} `)).found, false, 'titles are compared exactly');
});

test('shared: a pool that may not be written, or is not there, and what is no path', async () => {
  const closed = await pool({ access_control: { public_read: true } });
  const at = (body) => call('POST', root(me), { token, body: { key: 'k', value: 1, tier: 'shared', ...body } });
  assert.equal((await at({ pool_id: closed })).status, 403);
  assert.equal((await at({ pool_id: unique('none') })).status, 404);
  assert.equal((await at({ key: 'a..b' })).status, 422);
  assert.equal((await read('a..b')).found, false);
  assert.equal((await call('GET', `${root(me)}?key=k&tier=shared&pool_id=${unique('none')}`, { token })).status, 404);
});

test('shared: a peek is no use, a read is', async () => {
  const key = unique('used'), { id } = await write(key, 'some text', { tier: 'shared' });
  const uses = async () => (await expectStatus(200, 'GET', `/api/v1/nodes/${id}?touch=false`, { token })).data.access_count;
  await read(key, { peek: true });
  await read(key);
  await settled(undefined, { parts: ['uses'] });
  assert.equal(await uses(), 1);
});

// ---- search

const entry = async (context, body, as = token) => (await expectEntry(`/api/v1/ai/contexts/${context}`, { token: as, body })).data;

test('one ranked list over entries, facts, learnings, knowledge, pools and live keys, each with its tier', async () => {
  const word = unique('Zebra').replace('-', ''), session_id = unique('s');
  const context = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token, body: { name: 'notes', agent_id: me } })).data.id;
  const text = (where) => `The ${word} lives in the ${where}.`;
  await entry(context, { entry_key: 'e', content: text('entry') });
  await expectStatus(200, 'POST', `/api/v1/ai/agents/${me}/memory`, { token, body: { key: 'f', value: text('fact') } });
  await expectStatus(200, 'POST', '/api/v1/ai/learning/learnings', { token: account.owner, body: { content: text('learning, as we found out last week'), scope: 'global' } });
  await expectStatus(201, 'POST', '/api/v1/ai/memory/shared_knowledge', { token: account.owner, body: { title: 'k', content: text('knowledge base'), access_level: 'account' } });
  await write('p', text('pool'), { tier: 'shared' });
  await write('s', text('short term'));
  await write('w', text('working memory'), { tier: 'working', session_id });
  const all = await until('all to be found', async () => {
    const hits = (await search({ query: `where does the ${word} live`, limit: 50 })).hits.filter((h) => h.text.includes(word));
    return hits.length >= 7 && { hits };
  });
  assert.deepEqual(all.hits.map((h) => [h.tier, h.kind]).sort(), [['long_term', 'entry'], ['long_term', 'fact'], ['shared', 'knowledge'], ['shared', 'learning'],
    ['shared', 'pool_entry'], ['short_term', 'short_term'], ['working', 'working']]);
  assert.ok(all.hits.every((h) => h.untrusted));
  assert.deepEqual(all.hits.map((h) => h.score), all.hits.map((h) => h.score).sort((a, b) => b - a));
  const live = Object.fromEntries(all.hits.filter((h) => !h.space_id).map((h) => [h.tier, h]));
  assert.deepEqual([live.working.key, live.working.text, live.working.scope, live.working.id], ['w', text('working memory'), `a:${me}:s:${session_id}`, null]);
  assert.deepEqual([live.short_term.key, live.short_term.text, live.short_term.scope], ['s', text('short term'), 'default']);

  const tiers = async (body) => [...new Set((await search({ query: word, limit: 50, ...body })).hits.map((h) => h.tier))].sort();
  assert.deepEqual(await tiers({ tiers: ['working'] }), ['working']);
  assert.deepEqual(await tiers({ tiers: ['short_term', 'shared'] }), ['shared', 'short_term']);
  assert.deepEqual((await search({ query: word, context_id: context, limit: 50 })).hits.map((h) => h.key), ['e']);
  assert.deepEqual(await tiers({ tiers: ['working', 'short_term'], session_id: unique('other') }), [], 'of another session');
  assert.equal((await search({ query: word, limit: 2 })).hits.length, 2);
});

test('min_score cuts what is near in meaning only, never a strong hit by words', async () => {
  const word = unique('quokka').replace('-', '');
  const context = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token, body: { name: 'notes', agent_id: me } })).data.id;
  await entry(context, { entry_key: 'named', content: `Invoice ${word} was paid in March by the bakery, after three reminders and a visit.` });
  await entry(context, { entry_key: 'other', content: 'A garden has roses, tulips and a fence.' });
  await until('both to be there with vectors', async () => (await search({ query: 'garden with roses', context_id: context })).hits.length === 2);
  assert.deepEqual((await search({ query: word, context_id: context, min_score: 0.99 })).hits.map((h) => h.key), ['named']);
});

test('include_archived, and what a query has to be', async () => {
  const word = unique('lemur').replace('-', '');
  const context = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token, body: { name: 'notes', agent_id: me } })).data.id;
  const { id } = await entry(context, { content: `About the ${word}.` });
  await expectStatus(200, 'POST', `/api/v1/memory/nodes/${id}/archive`, { token, body: {} });
  const finds = async (body) => (await search({ query: word, ...body })).hits.some((h) => h.id === id);
  await until('it to be out of the way', async () => !await finds());
  assert.ok(await finds({ include_archived: true }));
  for (const [body, pointer] of [[{}, '/query'], [{ query: 'x', tiers: ['nowhere'] }, '/tiers/0'], [{ query: 'x', min_score: 2 }, '/min_score'], [{ query: 'x', limit: 101 }, '/limit'],
    [{ query_embedding: [1, 2] }, '/model'], [{ query_embedding: [1, 2], model: 'nobody' }, '/model'], [{ query: 'x', session_id: 'a b' }, '/session_id']]) {
    const r = await expectStatus(422, 'POST', `${root(me)}/search`, { token, body });
    assert.equal(r.body.errors[0].pointer, pointer, JSON.stringify(body));
  }
});

test('by a vector of the model that serves; another length is refused', async () => {
  const context = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token, body: { name: 'notes', agent_id: me } })).data.id;
  const { id } = await entry(context, { content: 'The lighthouse keeper counts the ships of the evening.' });
  const model = (await expectStatus(200, 'GET', '/api/v1/models', { token })).data.find((m) => m.status === 'serving' || m.is_serving) ?? (await expectStatus(200, 'GET', '/api/v1/models', { token })).data[0];
  const vector = await until('its vector', async () => {
    const r = await call('GET', `/api/v1/nodes/${id}/vector?model=${encodeURIComponent(model.name)}`, { token });
    return r.status === 200 && r.data.values;
  });
  const first = async () => (await search({ query_embedding: vector, model: model.name, tiers: ['long_term'], limit: 1 })).hits[0];
  await until('it to be found by its meaning', async () => { const hit = await first(); return hit.id === id && hit.similarity > 0.9; });
  await expectStatus(422, 'POST', `${root(me)}/search`, { token, body: { query_embedding: vector.slice(1), model: model.name } });
});

test('nobody finds another agent\'s memory; `%` finds no everything', async () => {
  const b = await freshAgent(account), c = await freshAgent(account), word = unique('secret').replace('-', '');
  for (const tier of ['working', 'short_term', 'long_term']) await write('k', `About ${word}.`, { tier }, b.id, b.token);
  await expectStatus(200, 'POST', `/api/v1/ai/agents/${b.id}/private_memory`, { token: b.token, body: { key: 'k', value: `It is ${word} here.` } });
  const finds = async (agent, as) => (await search({ query: word, limit: 100 }, agent, as)).hits.filter((h) => h.text.includes(word)).length;
  await until('the owner finds all four', async () => await finds(b.id, b.token) === 4);
  await expectStatus(404, 'POST', `${root(b.id)}/search`, { token: c.token, body: { query: word } });
  await expectStatus(404, 'GET', `${root(b.id)}/stats`, { token: c.token });
  assert.equal(await finds(c.id, c.token), 0);
  assert.deepEqual((await search({ query: '%', tiers: ['working', 'short_term'] }, b.id, b.token)).hits, []);
  assert.deepEqual((await search({ query: '_', tiers: ['working', 'short_term'] }, b.id, b.token)).hits, []);
  const spaces = (await expectStatus(200, 'GET', '/api/v1/spaces?kind=namespace&limit=100', { token: b.token })).data;
  const home = spaces.find((s) => s.slug === `agent:${b.id}`).id;
  await expectStatus(201, 'POST', `/api/v1/spaces/${home}/grants`, { token: b.token, body: { grantee_kind: 'agent', grantee_id: c.id, level: 'read' } });
  assert.equal(await finds(b.id, c.token), 4, 'with a grant on its namespace');
  assert.equal(await finds(b.id, account.owner), 4, 'and with memory.manage');
});

// ---- figures

test('figures of an agent and of the account', async () => {
  const home = await freshAccount(), { id } = (await expectStatus(200, 'GET', '/api/v1/me', { token: home.token })).data;
  const two = await freshAgent(home), as = home.token;
  const keep = (key, value, body) => write(key, value, body, id, as);
  await keep('task_state', { a: 1 }, { tier: 'working' });
  await keep('tool:x', 1, { tier: 'working' });
  await keep('other', 22, { tier: 'working', session_id: 's' });
  await keep('one', 'x');
  await keep('two', 'xx', { type: 'reflection' });
  await keep('three', 'xxx', { type: 'reflection' });
  await keep('long', 'some text', { tier: 'long_term' });
  await keep('pool', 'text', { tier: 'shared' });
  await write('k', 1, { tier: 'working' }, two.id, two.token);
  await expectStatus(201, 'POST', '/api/v1/ai/memory/shared_knowledge', { token: home.owner, body: { title: 't', content: 'twelve bytes', access_level: 'account' } });
  const of = async (path, who = as) => (await expectStatus(200, 'GET', path, { token: who })).data;
  const types = (t) => Object.fromEntries(t.by_type.map((r) => [r.name, r.count]));
  const mine = await of(`${root(id)}/stats`);
  assert.deepEqual([mine.agent_id, mine.working_memory.count, mine.working_memory.bytes], [id, 3, 10]);
  assert.deepEqual(types(mine.working_memory), { task_state: 1, tool: 1, other: 1 });
  assert.deepEqual([mine.short_term.count, mine.short_term.bytes, types(mine.short_term)], [3, 12, { reflection: 2, task_context: 1 }]);
  assert.deepEqual([mine.long_term.count, types(mine.long_term)], [1, { experiential: 1 }]);
  assert.deepEqual([mine.shared.count, types(mine.shared)], [2, { shared: 1, knowledge: 1 }]);
  assert.equal((await of(`${root(two.id)}/stats`, two.token)).short_term.count, 0);
  const all = await of('/api/v1/ai/memory/stats', home.owner);
  assert.deepEqual([all.agent_id, all.working_memory.count, all.short_term.count, all.long_term.count], [null, 4, 3, 1]);
  await expectStatus(403, 'GET', '/api/v1/ai/memory/stats', { token: as });
  const viewer = await freshUser(home);
  await expectStatus(403, 'GET', '/api/v1/ai/memory/stats', { token: viewer.token });
});

test('Redis away: the search says what it could not ask, the figures leave it out', async () => {
  const word = unique('otter').replace('-', '');
  await write('k', `The ${word} swims.`);
  await stack('stop', 'redis');
  try {
    const r = await search({ query: word, tiers: ['working', 'short_term'] });
    assert.deepEqual([r.hits.map((h) => h.tier), r.degraded], [['short_term'], ['working_memory']]);
    const s = (await expectStatus(200, 'GET', `${root(me)}/stats`, { token })).data;
    assert.deepEqual([s.working_memory, s.short_term.count > 0], [null, true]);
  } finally {
    await stack('start', 'redis');
  }
});
