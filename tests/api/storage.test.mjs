// The storage service (memory, section 8): experiences, factual memory, what agents remember for themselves.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, freshAgent, settled, unique, until } from './client.mjs';
import { sql, usedToday } from './db.mjs';

let account, token, me, other;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data.id;
  other = await freshAgent(account);
});

const A = (agent, rest) => `/api/v1/ai/agents/${agent}/${rest}`;
const send = async (method, path, body, as = token, status = 200) => (await expectStatus(status, method, path, { token: as, ...(body ? { body } : {}) })).data;
const experience = async (content, more = {}, agent = { id: me, token }) => (await send('POST', A(agent.id, 'experiences'), { content, ...more }, agent.token)).experience;
const fact = (key, value, more = {}, agent = { id: me, token }) => send('POST', A(agent.id, 'memory'), { key, value, ...more }, agent.token);
const remember = (key, value, more = {}, agent = { id: me, token }) => send('POST', A(agent.id, 'private_memory'), { key, value, ...more }, agent.token);
const error = async (status, method, path, body, as = token) => (await expectStatus(status, method, path, { token: as, ...(body ? { body } : {}) })).body;
const q = (x) => encodeURIComponent(x);

// ---- who

test('the memory of an agent is its own: others need a grant on its namespace', async () => {
  const word = unique('secret'), a = await freshAgent(account), foreign = await freshAccount();
  const kept = await experience(word, {}, a);
  await fact('k', word, {}, a);
  await remember('k', word, {}, a);
  const calls = [['GET', 'experiences'], ['POST', 'experiences', { content: 'x' }], ['POST', 'experiences/search', { query: word }], ['POST', `experiences/${kept.id}/reinforce`, {}],
    ['GET', 'memory'], ['GET', 'memory?key=k'], ['POST', 'memory', { key: 'k', value: 1 }], ['GET', 'memory/k'], ['PATCH', 'memory/k', { value: 1 }], ['PATCH', 'memory', { key: 'k', value: 1 }],
    ['DELETE', 'memory/k'], ['DELETE', 'memory?key=k'], ['POST', 'memory/search', { query: word }], ['GET', 'memory/stats'], ['POST', 'memory/clear', {}], ['POST', 'memory/sync', { facts: [{ key: 'k', value: 1 }] }],
    ['POST', 'private_memory', { key: 'k', value: 1 }], ['POST', 'private_memory/search', { query: word }], ['DELETE', 'private_memory/k'], ['POST', 'private_memory/reflect', {}]];
  for (const who of [other.token, foreign.token, foreign.owner])
    for (const [method, rest, body] of calls) {
      const r = await call(method, A(a.id, rest), { token: who, ...(body ? { body } : {}) });
      assert.equal(r.status, 404, `${method} ${rest}`);
    }
  // Nothing of it is found by another way, and nothing was changed.
  for (const path of ['contexts/search', 'memory_pools/private.' + a.id + '/query'])
    assert.ok(!JSON.stringify((await call('POST', `/api/v1/ai/${path}`, { token: other.token, body: { query: word } })).body).includes(word));
  assert.equal((await call('GET', `/api/v1/ai/memory_pools/private.${a.id}`, { token: other.token })).status, 404);
  assert.equal((await send('GET', A(a.id, 'memory/k'), null, a.token)).version, 1);
  const space = (await sql(`SELECT id FROM space WHERE slug = 'agent:${a.id}'`))[0][0];
  await expectStatus(201, 'POST', `/api/v1/spaces/${space}/grants`, { token: a.token, body: { grantee_kind: 'agent', grantee_id: other.id, level: 'read' } });
  assert.equal((await send('GET', A(a.id, 'memory/k'), null, other.token)).value, word);
  await error(403, 'POST', A(a.id, 'memory'), { key: 'k', value: 1 }, other.token);
  await error(403, 'POST', A(a.id, 'private_memory'), { key: 'k', value: 1 }, other.token);
});

// ---- experiences

test('an experience is as sure as what is known of its task, and matters more when it failed', async () => {
  const a = await freshAgent(account);
  const all = { task_id: 't', workflow_run_id: 'r', mission_id: 'm', duration_ms: 12, from_agent_id: other.id, note: 'x' };
  const of = async (context, more) => { const e = await experience({ text: unique('did') }, { context, ...more }, a); return [e.confidence_score, e.importance_score, e.outcome]; };
  assert.deepEqual(await of(all, { outcome_success: true }), [0.9, 0.5, 'success']);
  assert.deepEqual(await of({ mission_id: 'm', task_id: null }, { outcome_success: false }), [0.6, 0.7, 'failure']);
  assert.deepEqual(await of({}, {}), [0.5, 0.5, 'unknown']);
  assert.deepEqual(await of(undefined, { outcome_success: false, importance: 0.2 }), [0.5, 0.2, 'failure']);
  const rows = await send('GET', A(a.id, 'experiences'), null, a.token);
  assert.equal(rows.length, 4);
  assert.ok(rows.every((r) => r.memory_type === 'experiential' && r.entry_type === 'observation' && r.decay_rate === 0.01 && r.author_id === a.id));
  assert.deepEqual(rows.at(-1).task_context, all);
  const context = (await expectStatus(200, 'GET', `/api/v1/ai/contexts/${rows[0].context_id}`, { token: a.token })).data;
  assert.match(context.name, / Experiential Memory$/);
  assert.equal(context.retention_policy.max_entries, 5000);
});

test('the same may be lived through twice; lists tell outcomes, tags and importance apart', async () => {
  const a = await freshAgent(account), list = (query) => send('GET', A(a.id, `experiences?${query}`), null, a.token);
  const one = await experience('deployed', { outcome_success: true, tags: ['Deploy', 'deploy '], importance: 0.9 }, a);
  const two = await experience('deployed', { outcome_success: false, tags: ['deploy', 'night'] }, a);
  const three = await experience('slept', {}, a);
  assert.deepEqual(one.context_tags, ['deploy']);
  const ids = async (query) => (await list(query)).map((r) => r.id);
  assert.deepEqual(await ids(''), [three.id, two.id, one.id]);
  assert.deepEqual(await ids('outcome_filter=success'), [one.id]);
  assert.deepEqual(await ids('outcome_filter=failure'), [two.id]);
  assert.deepEqual(await ids('tag=DEPLOY&order=importance'), [one.id, two.id]);
  assert.deepEqual(await ids('min_importance=0.6'), [two.id, one.id]);
  const page = await expectStatus(200, 'GET', A(a.id, 'experiences?limit=2'), { token: a.token });
  assert.deepEqual((await ids(`limit=2&cursor=${page.body.meta?.next_cursor ?? page.body.next_cursor}`)), [one.id]);
});

test('experiences are searched by recall, with outcome and tags; a change of outcome is heeded', async () => {
  const a = await freshAgent(account), word = unique('bridge');
  const good = await experience(`The ${word} held under load.`, { outcome_success: true, tags: ['steel'] }, a);
  const bad = await experience(`The ${word} fell in the storm.`, { outcome_success: false }, a);
  const find = async (more = {}) => (await send('POST', A(a.id, 'experiences/search'), { query: word, ...more }, a.token)).hits.map((h) => h.entry.id).sort();
  await embedded(account.slug);
  assert.equal((await find()).length, 2);
  assert.deepEqual(await find({ outcome_filter: 'success' }), [good.id]);
  assert.deepEqual(await find({ outcome_filter: 'failure' }), [bad.id]);
  assert.deepEqual(await find({ tags: ['steel'] }), [good.id]);
  assert.equal((await find({ limit: 1 })).length, 1);
  const E = `/api/v1/ai/contexts/${good.context_id}/entries/${good.id}`;
  await send('PATCH', E, { outcome: 'failure' }, a.token);
  await embedded(account.slug);
  assert.equal((await find({ outcome_filter: 'failure' })).length, 2);
  await send('PATCH', E, { outcome: 'unknown' }, a.token);
  assert.equal((await find({ outcome_filter: 'failure' })).length, 1);
  assert.equal((await find()).length, 2);
});

test('reinforcing raises importance', async () => {
  const e = await experience('once more', { importance: 0.3 });
  const up = (body) => send('POST', A(me, `experiences/${e.id}/reinforce`), body);
  assert.equal((await up({})).importance_score, 0.4);
  assert.equal((await up({ amount: 0.5 })).importance_score, 0.9);
  assert.equal((await up({ amount: 0.5 })).importance_score, 1);
  await error(422, 'POST', A(me, `experiences/${e.id}/reinforce`), { amount: 0.51 });
  await error(404, 'POST', A(me, 'experiences/018f0000-0000-7000-8000-000000000000/reinforce'), {});
});

test('what an agent was just shown is no experience', async () => {
  const a = await freshAgent(account), word = unique('crane');
  const text = `The crane of ${word} lifts eighty tons. Its driver sleeps at noon.`;
  const e = await experience(text, {}, a);
  const recall = () => send('POST', A(a.id, 'experiences/search'), { query: word }, a.token);
  await embedded(account.slug);
  assert.ok((await recall()).hits.length);
  await settled(undefined, { parts: ['uses'] });        // behind it, Redis has what was shown
  const say = (content, more = {}) => send('POST', A(a.id, 'experiences'), { content, ...more }, a.token);
  const r = await say(text);
  assert.deepEqual(r, { stored: false, reason: 'echo', of: e.id, echo_ratio: 1, experience: null });
  const half = await say({ text: `The crane of ${word} lifts eighty tons. Nobody else knows of it yet.` }, { importance: 0.8 });
  assert.ok(half.stored && half.echo_ratio >= 0.5 && half.echo_ratio < 0.8, `${half.echo_ratio}`);
  assert.deepEqual([half.experience.importance_score, half.experience.metadata], [0.4, { echo_ratio: half.echo_ratio }]);
  await error(403, 'POST', A(a.id, 'experiences'), { content: text, force: true }, a.token);
});

test('bad experiences are refused, and nothing is written', async () => {
  const a = await freshAgent(account), bad = (body) => error(422, 'POST', A(a.id, 'experiences'), body, a.token);
  for (const body of [{}, { content: null }, { content: 'x', importance: 1.1 }, { content: 'x', context: [] }, { content: 'x', source_type: 'user' }, { content: 'x', tags: Array(33).fill('t') },
    { content: 'x', outcome_success: 'yes' }, { content: 'x', who: 1 }, { content: 'x'.repeat(262145) }])
    await bad(body);
  assert.equal((await send('GET', A(a.id, 'experiences'), null, a.token)).length, 0);
  await error(422, 'GET', A(a.id, 'experiences?outcome_filter=maybe'), null, a.token);
});

// ---- facts

test('a fact has versions: another value is a new one, the same value none', async () => {
  const key = unique('budget');
  const one = await fact(key, { amount: 100 }, { metadata: { by: 'cfo' }, category: 'money', tags: ['Q3'], source_type: 'tool', source_id: 'sheet' });
  assert.deepEqual([one.created, one.changed, one.version, one.importance_score, one.confidence_score, one.category, one.metadata, one.tags, one.source_type, one.source_id],
    [true, true, 1, 1, 1, 'money', { by: 'cfo', category: 'money' }, ['q3'], 'tool', 'sheet']);
  const same = await fact(key, { amount: 100 });
  assert.deepEqual([same.id, same.created, same.changed, same.version], [one.id, false, false, 1]);
  const two = await fact(key, { amount: 200 }, { metadata: { note: 1 } });
  assert.deepEqual([two.created, two.changed, two.version, two.metadata, two.tags], [false, true, 2, { by: 'cfo', category: 'money', note: 1 }, ['q3']]);
  assert.deepEqual([two.source_type, two.source_id], ['agent', null], 'who says it now, not who said the other value');
  const byUser = (await expectStatus(200, 'POST', A(me, 'memory'), { token: account.owner, body: { key: unique('said'), value: 1 } })).data;
  assert.equal(byUser.source_type, 'user');
  const now = await send('GET', A(me, `memory/${key}`));
  assert.deepEqual([now.id, now.value, now.version, now.status], [two.id, { amount: 200 }, 2, 'active']);
  assert.deepEqual((await send('GET', A(me, `memory/${one.id}`))).id, two.id, 'an id of before leads to what is so now');
  const context = (await sql(`SELECT space_id FROM entry WHERE node_id = '${two.id}'`))[0][0];
  const states = (await expectStatus(200, 'GET', `/api/v1/ai/contexts/${context}/entries/${q(key)}/history`, { token })).data;
  assert.deepEqual(states.map((s) => s.content), [{ amount: 100 }]);
});

test('changing a fact: by version, one of two at once; metadata is merged, the category can go', async () => {
  const key = unique('rate');
  await fact(key, 1, { category: 'a', metadata: { x: 1 } });
  const patch = (body, headers) => call('PATCH', A(me, `memory/${key}`), { token, body, headers });
  const both = await Promise.all([patch({ value: 2, if_version: 1 }), patch({ value: 3, if_version: 1 })]);
  assert.deepEqual(both.map((r) => r.status).sort(), [200, 412]);
  assert.equal((await patch({ value: 4 }, { 'If-Match': '"1"' })).status, 412);
  const r = (await patch({ metadata: { y: 2 }, category: null, importance_score: 0.4, tags: ['t'] })).data;
  assert.deepEqual([r.metadata, r.category, r.importance_score, r.tags, r.changed], [{ x: 1, y: 2 }, null, 0.4, ['t'], false]);
  assert.equal((await patch({})).status, 200);
  assert.equal((await call('PATCH', A(me, 'memory/nothing-there'), { token, body: { value: 1 } })).status, 404);
});

test('any name can be a key, by the query or the body', async () => {
  for (const key of ['stats', 'search', 'a/b c?d', ' 100% _x ', 'ключ']) {
    await fact(key, `of ${key}`);
    assert.deepEqual((await send('GET', A(me, `memory?key=${q(key)}`))).map((f) => [f.key, f.value]), [[key, `of ${key}`]]);
    assert.equal((await send('PATCH', A(me, 'memory'), { key, value: 'changed' })).value, 'changed');
    assert.equal((await send('DELETE', A(me, `memory?key=${q(key)}`))).status, 'archived');
    await error(404, 'GET', A(me, `memory?key=${q(key)}`));
  }
});

test('lists and searches: category, tag, part of the key; % and _ are plain characters', async () => {
  const a = await freshAgent(account), word = unique('zinc').replace('-', '');
  const list = async (query) => (await send('GET', A(a.id, `memory?${query}`), null, a.token)).map((f) => f.key).sort();
  await fact('a_b', `ore of ${word}`, { category: 'metal', tags: ['x'] }, a);
  await fact('aXb', `price is 5`, { category: 'metal' }, a);
  await fact('a%b', { text: `mine of ${word}` }, { category: 'place' }, a);
  assert.deepEqual(await list('q=a_b'), ['a_b']);
  assert.deepEqual(await list('q=%25'), ['a%b']);
  assert.deepEqual(await list('category=metal'), ['aXb', 'a_b']);
  assert.deepEqual(await list('tag=X'), ['a_b']);
  assert.deepEqual(await list(''), ['a%b', 'aXb', 'a_b']);
  const find = async (query, more = {}) => (await send('POST', A(a.id, 'memory/search'), { query, ...more }, a.token)).hits.map((h) => h.fact.key).sort();
  await embedded(account.slug);
  assert.deepEqual(await find(word), ['a%b', 'a_b']);
  assert.equal((await find(word, { limit: 1 })).length, 1);
  assert.deepEqual(await find('%'), []);
  const stats = await send('GET', A(a.id, 'memory/stats'), null, a.token);
  assert.deepEqual([stats.entry_count, stats.high_importance, stats.fill_entries], [3, 3, 0.0003]);
});

test('clearing archives, what is asked for or all, and frees the keys', async () => {
  const a = await freshAgent(account), clear = (body) => send('POST', A(a.id, 'memory/clear'), body, a.token);
  for (const [key, category] of [['one', 'x'], ['two', 'x'], ['three', 'y']]) await fact(key, 1, { category }, a);
  assert.deepEqual(await clear({ category: 'x' }), { archived: 2, remaining: false });
  assert.deepEqual((await send('GET', A(a.id, 'memory'), null, a.token)).map((f) => f.key), ['three']);
  assert.equal((await send('GET', A(a.id, 'memory?include_archived=true'), null, a.token)).length, 3);
  assert.deepEqual(await clear({}), { archived: 1, remaining: false });
  assert.deepEqual(await clear({}), { archived: 0, remaining: false });
  assert.ok((await fact('one', 2, {}, a)).created);
});

test('many at once: each stands alone, and what is there stays unless it may be overwritten', async () => {
  const a = await freshAgent(account), sync = (body) => send('POST', A(a.id, 'memory/sync'), body, a.token);
  await fact('there', 1, {}, a);
  const facts = [{ key: 'there', value: 2 }, { key: 'new', value: { a: 1 }, category: 'c' }, { key: '', value: 1 }, { value: 1 }, 7, { key: 'bad', value: 1, importance_score: 2 }];
  const r = await sync({ facts });
  assert.deepEqual([r.created, r.updated, r.unchanged, r.kept, r.errors.map((e) => e.index)], [1, 0, 0, 1, [2, 3, 4, 5]]);
  assert.ok(r.errors.every((e) => e.code === 'VALIDATION_ERROR' && e.message));
  const again = await sync({ facts: facts.slice(0, 2), overwrite: true });
  assert.deepEqual([again.created, again.updated, again.unchanged, again.kept], [0, 1, 1, 0]);
  assert.equal((await send('GET', A(a.id, 'memory/there'), null, a.token)).value, 2);
  for (const body of [{}, { facts: {} }, { facts: Array(501).fill({ key: 'k', value: 1 }) }, { facts: [], source_context_id: 'x' }])
    await error(422, 'POST', A(a.id, 'memory/sync'), body, a.token);
});

test('facts come from a context that the caller can read', async () => {
  const a = await freshAgent(account);
  const context = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token: account.owner, body: { name: unique('c'), scope: 'account' } })).data;
  for (const [entry_key, importance_score] of [['lesser', 0.2], ['greater', 0.8]])
    await expectStatus(201, 'POST', `/api/v1/ai/contexts/${context.id}/entries`, { token: account.owner, body: { entry_key, content: { of: entry_key }, importance_score } });
  const r = await send('POST', A(a.id, 'memory/sync'), { source_context_id: context.context_id, min_importance: 0.5 }, a.token);
  assert.deepEqual([r.created, r.kept], [1, 0]);
  const [f] = await send('GET', A(a.id, 'memory'), null, a.token);
  assert.deepEqual([f.key, f.value, f.importance_score, f.author_id], ['greater', { of: 'greater' }, 0.8, a.id]);
  const mine = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token, body: { name: unique('c') } })).data;
  await error(404, 'POST', A(a.id, 'memory/sync'), { source_context_id: mine.id }, a.token);
});

test('bad facts are refused, and nothing is written', async () => {
  const a = await freshAgent(account);
  for (const body of [{ key: 'k' }, { value: 1 }, { key: '', value: 1 }, { key: 'k', value: null }, { key: 'k'.repeat(256), value: 1 }, { key: 'k', value: 'x'.repeat(262145) },
    { key: 'k', value: 1, metadata: [] }, { key: 'k', value: 1, metadata: { x: 'y'.repeat(16385) } }, { key: 'k', value: 1, confidence_score: -0.1 }, { key: 'k', value: 1, category: 'c'.repeat(65) }])
    await error(422, 'POST', A(a.id, 'memory'), body, a.token);
  assert.equal((await send('GET', A(a.id, 'memory'), null, a.token)).length, 0);
});

// ---- what an agent remembers for itself

const nodeOf = async (agent, key) => (await sql(`SELECT e.node_id FROM pool_entry e JOIN space s ON s.id = e.space_id WHERE s.slug = 'private.${agent.id}' AND e.entry_key = '${key}'`))[0][0];

const recall = async (agent, query, more = {}) => (await send('POST', A(agent.id, 'private_memory/search'), { query, ...more }, agent.token)).hits;

test('an agent remembers in a pool of its own, which nobody else can make or read', async () => {
  const a = await freshAgent(account), P = `/api/v1/ai/memory_pools/private.${a.id}`;
  const r = await remember('plan.first', { text: 'go north' }, { ttl_seconds: 600, importance: 0.7, tags: ['Way'] }, a);
  assert.deepEqual([r.stored, r.reason, r.echo_ratio, r.importance_score, r.key, r.evicted], [true, null, 0, 0.7, 'plan.first', []]);
  assert.ok(Date.parse(r.expires_at) > Date.now() + 500000);
  await usedToday(await nodeOf(a, 'plan.first'));
  const pool = await send('GET', P, null, a.token);
  assert.deepEqual([pool.pool_type, pool.scope, pool.owner_agent_id, pool.retention_policy.max_entries, pool.retention_policy.eviction], ['agent_private', 'agent', a.id, 500, 'lru']);
  assert.deepEqual((await send('GET', `${P}/data/plan`, null, a.token)).value, { first: { text: 'go north' } });
  const again = await remember('plan.first', 'go south', {}, a);
  assert.deepEqual([again.importance_score, again.expires_at, again.version > r.version], [0.7, null, true]);
  await error(409, 'POST', '/api/v1/ai/memory_pools', { name: 'mine now', pool_id: `private.${other.id}` }, account.owner);
  const many = await Promise.all(Array.from({ length: 8 }, (_, i) => remember(`k${i}`, i, {}, other)));
  assert.ok(many.every((m) => m.stored));
  assert.equal((await send('GET', `/api/v1/ai/memory_pools/private.${other.id}`, null, other.token)).key_count, 8);
});

test('recall finds it, with a team\'s pools when asked; what is softly forgotten fades, what is forgotten goes', async () => {
  const a = await freshAgent(account), word = unique('lantern'), body = { slug: unique('team'), name: 'team' };
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body })).data;
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${a.id}`, { token: account.owner, body: {} });
  const shared = (await expectStatus(201, 'POST', '/api/v1/ai/memory_pools', { token: account.owner, body: { name: 'shared', pool_type: 'team_shared', team_id: team.id } })).data;
  await send('PUT', `/api/v1/ai/memory_pools/${shared.id}/data/ours`, { value: `Our ${word} hangs in the hall.` }, account.owner);
  await remember('mine', `My ${word} stands by the door.`, {}, a);
  await remember('faint', `An old ${word} lies in the cellar.`, { importance: 0.3 }, a);
  const keys = async (more) => (await recall(a, word, more)).map((h) => h.key).sort();
  await embedded(account.slug);
  assert.deepEqual(await keys(), ['faint', 'mine']);
  assert.deepEqual(await keys({ include_team: true }), ['faint', 'mine', 'ours']);
  assert.ok((await recall(other, word, { include_team: true })).length === 0, 'nobody else finds any of it');
  const drop = (key, soft) => send('DELETE', A(a.id, `private_memory/${key}${soft ? '?soft=true' : ''}`), null, a.token);
  const soft = await drop('faint', true);
  assert.ok(soft.forgotten && soft.importance_score >= 0.03 && soft.importance_score < 0.05, `${soft.importance_score}`);
  assert.ok(!(await keys()).includes('faint'));
  await settled(undefined, { parts: ['uses'] });
  assert.ok(Number((await sql(`SELECT access_count FROM node WHERE id = '${await nodeOf(a, 'faint')}'`))[0][0]) > 0);
  assert.ok(!(await keys()).includes('faint'), 'what it was shown before brings nothing back');
  assert.equal((await send('GET', `/api/v1/ai/memory_pools/private.${a.id}/data/faint`, null, a.token)).found, true, 'it is there still');
  for (let i = 0; i < 3; i++) await drop('faint', true);
  assert.equal((await drop('faint', true)).importance_score, 0.01);
  assert.deepEqual(await drop('mine'), { forgotten: true, importance_score: 0 });
  assert.deepEqual(await drop('mine'), { forgotten: false, importance_score: 0 });
  assert.deepEqual(await drop('never', true), { forgotten: false, importance_score: 0 });
  assert.deepEqual(await keys(), []);
});

test('what an agent was just shown is not remembered under a new key; an old key takes it', async () => {
  const a = await freshAgent(account), word = unique('lighthouse'), text = `The keeper of ${word} lights the lamp at six every evening.`;
  await remember('keeper', text, {}, a);
  await embedded(account.slug);
  assert.ok((await recall(a, word)).length);
  await settled(undefined, { parts: ['uses'] });        // behind it, Redis has what was shown
  const r = await remember(unique('copy'), text, {}, a);
  assert.deepEqual([r.stored, r.version, r.echo_ratio > 0.8, /^[0-9a-f-]{36}$/.test(r.of)], [false, 0, true, true]);
  assert.ok((await remember('keeper', text, {}, a)).stored);
  await error(403, 'POST', A(a.id, 'private_memory'), { key: 'k', value: text, force: true }, a.token);
});

test('the 501st key takes the place of the least used', async () => {
  const a = await freshAgent(account), P = `/api/v1/ai/memory_pools/private.${a.id}`;
  await remember('first', 0, {}, a);
  await send('PATCH', `${P}/data`, { data: Object.fromEntries(Array.from({ length: 499 }, (_, i) => [`k${i}`, i])) }, a.token);
  assert.deepEqual((await remember('one-more', 1, {}, a)).evicted, ['first']);
});

test('reflecting writes one entry over what was used, once in 15 minutes', async () => {
  const a = await freshAgent(account), word = unique('orchard');
  for (const k of ['apples', 'pears', 'unused']) await remember(k, `${k} of ${word}`, {}, a);
  for (const k of ['apples', 'apples', 'pears', 'pears', 'apples']) await send('GET', `/api/v1/ai/memory_pools/private.${a.id}/data/${k}`, null, a.token);
  await settled(undefined, { parts: ['uses'] });
  assert.equal(Number((await sql(`SELECT SUM(n.access_count) FROM node n JOIN space s ON s.id = n.space_id WHERE s.slug = 'private.${a.id}'`))[0][0]), 5);
  const row = { key: 'due', value: `due of ${word}` };
  await expectStatus(200, 'POST', A(a.id, 'tiered_memory'), { token: a.token, body: row });
  for (let i = 0; i < 3; i++) await expectStatus(200, 'GET', A(a.id, 'tiered_memory?key=due'), { token: a.token });
  const r = await send('POST', A(a.id, 'private_memory/reflect'), {}, a.token);
  assert.deepEqual([r.written, r.keys], [true, ['apples', 'pears']]);
  assert.match(r.text, new RegExp(`apples: apples of ${word}\\n- pears: pears of ${word}$`));
  await until('the due row is promoted', async () => (await send('GET', A(a.id, 'short_term'), null, a.token))[0].promote_state === 'promoted');
  const kept = await send('GET', A(a.id, `tiered_memory?key=${q(r.entry_key)}&tier=long_term`), null, a.token);
  assert.deepEqual([kept.id, kept.value], [r.id, { text: r.text, keys: r.keys }]);
  const early = await expectStatus(429, 'POST', A(a.id, 'private_memory/reflect'), { token: a.token, body: {} });
  const left = Number(early.headers.get('retry-after'));
  assert.match(early.body.error, new RegExp(`15 minutes; try again in ${left} seconds`));
  assert.ok(left > 600 && left <= 900, `Retry-After: ${left}`);
  const idle = await send('POST', A(other.id, 'private_memory/reflect'), {}, other.token);
  assert.deepEqual([idle.written, idle.id, idle.keys], [false, null, []]);
});

test('bad input of what is remembered is refused', async () => {
  for (const body of [{ key: 'k' }, { value: 1 }, { key: 'a..b', value: 1 }, { key: '1.2.3.4.5.6.7.8.9', value: 1 }, { key: 'k', value: 'x'.repeat(65537) }, { key: 'k', value: 1, ttl_seconds: 0 },
    { key: 'k', value: 1, importance: 2 }, { key: 'k', value: 1, tags: ['x'.repeat(65)] }])
    await error(422, 'POST', A(me, 'private_memory'), body);
  await error(422, 'POST', A(me, 'private_memory/search'), { query: '' });
});
