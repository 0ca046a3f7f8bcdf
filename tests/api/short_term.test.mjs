// Short-term memory and the router over the tiers (memory, sections 4 and 11, and points 4, 5 and 22 of section 16).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, freshAgent, runEnded, settled, stack, unique, until } from './client.mjs';
import { sql } from './db.mjs';

let account, token, me;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data.id;
});
after(async () => { await stack('start'); });

// One agent's tiers; `more` goes into every query string and body, such as {session_id}.
const memory = (agent = me, as = token, more = {}) => {
  const root = `/api/v1/ai/agents/${agent}/tiered_memory`, list = `/api/v1/ai/agents/${agent}/short_term`;
  const query = (q) => new URLSearchParams({ ...more, ...q }).toString();
  return {
    write: (key, value, body = {}) => call('POST', root, { token: as, body: { key, value, ...more, ...body } }),
    read: (key, q = {}) => call('GET', `${root}?${query({ key, ...q })}`, { token: as }),
    remove: (key, tier) => call('DELETE', `${root}/${encodeURIComponent(key)}?${query(tier ? { tier } : {})}`, { token: as }),
    list: (q = {}) => call('GET', `${list}?${query(q)}`, { token: as }),
    row: async (key) => (await call('GET', `${list}?${query({ q: key })}`, { token: as })).data.find((r) => r.memory_key === key),
    refresh: (id) => call('POST', `${list}/${id}/refresh`, { token: as }),
  };
};
const session = (agent, as) => memory(agent, as, { session_id: unique('s') });
const expire = (id, by = 1) => sql(`UPDATE short_term_memory SET expires_at = UTC_TIMESTAMP(6) - INTERVAL ${by} SECOND WHERE id = '${id}'`);

const promoted = () => settled(undefined, { parts: ['queue'], kinds: ['promote'] });

test('write, read, write again, delete', async () => {
  const m = session();
  const made = (await m.write('plan', { steps: [1, null] }, { ttl: 120, type: 'reflection', tags: ['a', 'b'] })).data;
  assert.deepEqual([made.tier, made.key, made.version], ['short_term', 'plan', 1]);
  assert.ok(Math.abs(Date.parse(made.expires_at) - Date.now() - 120000) < 5000);
  assert.deepEqual((await m.read('plan')).data, { found: true, tier: 'short_term', key: 'plan', value: { steps: [1, null] }, id: made.id, version: 1, skipped: [] });
  const again = (await m.write('plan', null)).data;
  assert.deepEqual([again.id, again.version], [made.id, 2]);
  const hit = (await m.read('plan', { tier: 'short_term' })).data;
  assert.deepEqual([hit.found, hit.value, hit.version], [true, null, 2], 'a stored null is found');
  const row = await m.row('plan');
  assert.deepEqual([row.memory_type, row.tags, row.ttl_seconds, row.access_count, row.version], ['task_context', [], 3600, 2, 2]);
  assert.equal((await m.read('absent')).data.found, false);
  assert.equal((await m.read('plan', { tier: 'working' })).data.found, false);
  assert.equal((await memory().read('plan')).data.found, false, 'of another session');
  assert.equal((await m.remove('plan')).status, 422, 'the tier must be said');
  assert.deepEqual((await m.remove('plan', 'short_term')).data, { deleted: true });
  assert.deepEqual((await m.remove('plan', 'short_term')).data, { deleted: false });
  assert.equal((await m.read('plan')).data.found, false);
});

test('working memory comes first, and is the same that its own paths serve', async () => {
  const m = session(), id = unique('s');
  await m.write('k', 'short');
  assert.deepEqual((await m.write('k', 'working', { tier: 'working', ttl: 60 })).data.tier, 'working');
  assert.deepEqual((await m.read('k')).data, { found: true, tier: 'working', key: 'k', value: 'working', id: null, version: 0, skipped: [] });
  assert.equal((await m.read('k', { tier: 'short_term' })).data.value, 'short');
  assert.deepEqual((await m.remove('k', 'working')).data, { deleted: true });
  assert.equal((await m.read('k')).data.value, 'short');
  const own = `/api/v1/ai/agents/${me}/working_memory/keys/x?session_id=${id}`;
  await expectStatus(200, 'PUT', own, { token, body: { value: 7 } });
  assert.equal((await memory(me, token, { session_id: id }).read('x')).data.value, 7);
});

test('what is outside the limits is refused by name, and nothing is written', async () => {
  const m = session();
  for (const [body, pointer] of [[{ ttl: 59 }, '/ttl'], [{ ttl: 604801 }, '/ttl'], [{ tier: 'working', ttl: 86401 }, '/ttl'], [{ type: 'xyz' }, '/type'],
    [{ tier: 'elsewhere' }, '/tier'], [{ key: '' }, '/key'], [{ key: 'k'.repeat(256) }, '/key'], [{ session_id: 'a b' }, '/session_id'],
    [{ value: 'x'.repeat(262143) }, '/value'], [{ tags: ['x'.repeat(65)] }, '/tags/0'], [{ tags: Array(33).fill('t') }, '/tags']]) {
    const r = await m.write('k', 1, body);
    assert.equal(r.status, 422, JSON.stringify(body).slice(0, 80));
    assert.equal(r.body.errors[0].pointer, pointer);
  }
  assert.deepEqual((await m.list()).data, []);
  for (const body of [{ key: 'ü'.repeat(255) }, { value: 'x'.repeat(262142) }]) assert.equal((await m.write('k', 1, body)).status, 200, 'at the limit');
});

test('keys are compared byte by byte', async () => {
  const m = session();
  const keys = ['a', 'a ', 'A', 'ä', 'a\u0308', 'a%', 'a_'];
  for (const [i, key] of keys.entries()) assert.equal((await m.write(key, i)).data.version, 1);
  for (const [i, key] of keys.entries()) assert.equal((await m.read(key)).data.value, i);
  assert.deepEqual((await m.list({ q: 'a%' })).data.map((r) => r.memory_key), ['a%']);
});

test('what has expired is gone from that instant, before any job, and written again it is new', async () => {
  const m = session();
  const { id } = (await m.write('k', 'old', { ttl: 60 })).data;
  await m.read('k');
  await stack('stop', 'scheduler');
  try {
    await expire(id, 0);
    assert.equal((await m.read('k')).data.found, false);
    assert.deepEqual((await m.list()).data, []);
    assert.equal((await m.refresh(id)).status, 404);
    assert.deepEqual((await m.remove('k', 'short_term')).data, { deleted: false });
    await m.write('k', 'old');
    assert.equal((await m.row('k')).access_count, 0, 'what was read before it expired was another memory');
  } finally {
    await stack('start', 'scheduler');
  }
});

test('a refresh begins the time to live anew, until 30 days after the creation', async () => {
  const m = session();
  const { id } = (await m.write('k', 1, { ttl: 604800 })).data;
  await sql(`UPDATE short_term_memory SET expires_at = UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE WHERE id = '${id}'`);
  const days = (r) => Math.round((Date.parse(r.data.expires_at) - Date.now()) / 8640000) / 10;
  assert.equal(days(await m.refresh(id)), 7);
  await sql(`UPDATE short_term_memory SET created_at = UTC_TIMESTAMP(6) - INTERVAL 28 DAY WHERE id = '${id}'`);
  assert.equal(days(await m.refresh(id)), 2);
  assert.equal((await m.refresh('00000000-0000-7000-8000-000000000000')).status, 404);
});

test('reads by key are use; lists, refreshes and peeks are not', async () => {
  const m = session();
  const { id } = (await m.write('k', 1)).data;
  await m.list();
  await m.refresh(id);
  assert.equal((await m.read('k', { peek: true })).data.value, 1);
  assert.equal((await m.row('k')).access_count, 0);
  assert.equal((await m.row('k')).last_accessed_at, null);
  await Promise.all([m.read('k'), m.read('k')]);
  const row = await m.row('k');
  assert.deepEqual([row.access_count, row.promote_state], [2, 'none']);
  assert.ok(Date.parse(row.last_accessed_at) > Date.now() - 60000);
});

test('the list goes newest first, by session, type and part of the key', async () => {
  const m = session();
  for (const [key, type] of [['one', 'observation'], ['two', 'reflection'], ['three', 'observation']]) await m.write(key, key, { type });
  assert.deepEqual((await m.list()).data.map((r) => r.memory_key), ['three', 'two', 'one']);
  assert.deepEqual((await m.list({ type: 'observation' })).data.map((r) => r.memory_key), ['three', 'one']);
  assert.deepEqual((await m.list({ q: 'w' })).data.map((r) => r.memory_value), ['two']);
  const first = await m.list({ limit: 2 });
  assert.deepEqual((await m.list({ limit: 2, cursor: first.meta.next_cursor })).data.map((r) => r.memory_key), ['one']);
});

test('first writes at once are one row', async () => {
  const m = session();
  const made = await Promise.all(Array.from({ length: 10 }, (_, i) => m.write('k', i)));
  assert.deepEqual(made.map((r) => r.data.version).sort((a, b) => a - b), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal(new Set(made.map((r) => r.data.id)).size, 1);
});

test('20,000 live rows of an agent, then 409; one that expires makes room', async () => {
  const agent = await freshAgent(account), m = memory(agent.id, agent.token);
  await m.write('k', 1);
  await sql(`INSERT INTO short_term_memory (account_id, id, agent_id, memory_key, memory_value, expires_at, content_hash, created_at, updated_at)
    SELECT account_id, UUID(), agent_id, CONCAT('k', seq), '1', expires_at, content_hash, created_at, updated_at
    FROM short_term_memory JOIN seq_1_to_19999 WHERE agent_id = '${agent.id}'`);
  const r = await m.write('one more', 1);
  assert.equal(r.status, 409);
  assert.equal(r.body.reason, 'quota_exceeded');
  assert.equal((await m.write('k', 2)).status, 200);
  await sql(`DELETE FROM short_term_memory WHERE agent_id = '${agent.id}' AND memory_key = 'k7'`);
  assert.equal((await m.write('one more', 1)).status, 200);
  await sql(`DELETE FROM short_term_memory WHERE agent_id = '${agent.id}'`);
});

test('another agent and another account see nothing, and change nothing', async () => {
  const other = await freshAgent(account), stranger = await freshAccount();
  const { id } = (await memory().write('secret', 'mine')).data;
  for (const as of [other.token, stranger.token, stranger.owner]) {
    const m = memory(me, as);
    for (const r of [await m.read('secret'), await m.list(), await m.write('secret', 1), await m.remove('secret', 'short_term'), await m.refresh(id)])
      assert.equal(r.status, 404, r.text);
  }
  assert.equal((await memory(other.id, other.token).refresh(id)).status, 404, 'by its own name');
  assert.equal((await memory().read('secret')).data.value, 'mine');
});

// ---- promotion

const longTerm = async (agent, as = token) => (await expectStatus(200, 'GET', `/api/v1/ai/contexts?agent_id=${agent}&limit=100`, { token: as })).data
  .find((x) => x.name.endsWith(' Long-Term Memory'));
const entries = async (agent, as = token) => {
  const context = await longTerm(agent, as);
  return context ? (await expectStatus(200, 'GET', `/api/v1/ai/contexts/${context.id}/entries?limit=100`, { token: as })).data : [];
};
const worker = async () => {
  const agent = await freshAgent(account);
  return { agent, m: memory(agent.id, agent.token), entries: () => entries(agent.id, agent.token),
    inSession: (session_id) => memory(agent.id, agent.token, { session_id }) };
};
const thrice = async (m, key) => { for (let i = 0; i < 3; i++) assert.equal((await m.read(key)).data.found, true); };

test('read three times it is an entry with a vector, seconds later; the row lives on', async () => {
  const w = await worker();
  await w.m.write('harbour', 'The harbour master closes the gate at ten.', { tags: ['harbour'] });
  await w.m.write('seen', { text: 'Two ships came in.' }, { type: 'tool_result' });
  await w.m.write('other', 'read twice');
  await thrice(w.m, 'harbour');
  await thrice(w.m, 'seen');
  await w.m.read('other');
  await w.m.read('other');
  const made = await until('two entries with vectors', async () => {
    const all = await w.entries();
    return all.length === 2 && all.every((e) => e.embedding === 'ready') && all;
  });
  const [fact, seen] = ['harbour', 'seen'].map((key) => made.find((e) => e.entry_key === key));
  assert.deepEqual([fact.entry_type, fact.memory_type, fact.content, fact.context_tags, fact.confidence_score, fact.importance_score],
    ['fact', 'factual', 'The harbour master closes the gate at ten.', ['harbour'], 0.7, 0.4]);
  assert.deepEqual([seen.entry_type, seen.memory_type, seen.content], ['tool_output', 'experiential', { text: 'Two ships came in.' }]);
  const { consolidated_at: at, ...origin } = seen.metadata;
  assert.ok(Date.parse(at));
  assert.deepEqual(origin, { memory_key: 'seen', source_session: 'default', original_access_count: 3 });
  const row = await w.m.row('harbour');
  assert.deepEqual([row.promote_state, row.promoted_node_id, row.access_count], ['promoted', fact.id, 3]);
  await thrice(w.m, 'harbour');
  assert.deepEqual(await w.entries().then((all) => all.map((e) => e.version)), made.map((e) => e.version), 'what is promoted is not promoted again');
  // Private stays private.
  assert.equal(await longTerm(w.agent.id), undefined);
});

test('the same key and content from two sessions is one entry, other content another one', async () => {
  const w = await worker();
  for (const [s, value] of [['a', 'one'], ['b', 'one'], ['c', 'two']]) {
    const m = w.inSession(s);
    await m.write('k', value, { type: 'reflection' });
    await thrice(m, 'k');
    await promoted();
    const row = await m.row('k');
    const all = await w.entries(), e = all.find((x) => x.id === row.promoted_node_id);
    assert.equal(all.length, s === 'c' ? 2 : 1);
    assert.deepEqual([row.promote_state, e.entry_key, e.version, e.content, e.importance_score],
      { a: ['promoted', 'k', 1, 'one', 0.4], b: ['duplicate', 'k', e.version, 'one', 0.43], c: ['promoted', 'k@c', 1, 'two', 0.4] }[s]);
  }
  // New content in a row that was promoted is worth promoting again: a version of its entry.
  const m = w.inSession('a');
  await m.write('k', 'three', { type: 'reflection' });
  assert.equal((await m.row('k')).promote_state, 'none');
  await m.read('k');
  await promoted();
  assert.equal((await w.entries()).find((e) => e.entry_key === 'k').content, 'three');
  assert.equal((await w.entries()).length, 2);
});

test('what an entry says already in nearly the same words is a duplicate, also before either has a vector; another number or a negation is not', async () => {
  const w = await worker(), said = 'The harbour master closes the northern gate at sunset and opens it again before dawn.';
  await stack('stop', 'scheduler');
  try {
    for (const [key, value] of [['gate', said], ['gates', said.replace('northern gate', 'north gate')], ['gate hours', said.replace('at sunset', 'after 9')],
      ['gate not', said.replace('closes', 'never closes')], ['ropes', 'Every rope on the quay is counted by the cook in spring.']]) {
      await w.m.write(key, value, { type: 'observation' });
      await thrice(w.m, key);
    }
    await w.m.write('a fact', said, { type: 'task_context' });
    await thrice(w.m, 'a fact');
    const now = () => expectStatus(200, 'POST', `/api/v1/ai/agents/${w.agent.id}/tiered_memory/consolidate`, { token: w.agent.token, body: {} }).then((r) => r.data);
    assert.deepEqual(await now(), { promoted: 5, duplicates: 1, failed: 0, queued: 0, expired: 0 });
    const made = await w.entries(), gate = made.find((e) => e.entry_key === 'gate');
    assert.deepEqual(made.map((e) => e.entry_key).sort(), ['a fact', 'gate', 'gate hours', 'gate not', 'ropes'], 'a fact is another kind of memory');
    assert.deepEqual([gate.importance_score, gate.content], [0.43, said]);
    assert.deepEqual(made.map((e) => e.embedding), Array(5).fill('ready'), 'the next rows are compared with them');
    assert.deepEqual(await w.m.row('gates').then((r) => [r.promote_state, r.promoted_node_id]), ['duplicate', gate.id]);
    // With vectors, by a task of the scheduler, which has no index. In the row's own session its key is another version, however alike it is.
    await stack('start', 'scheduler');
    await embedded(account.slug);
    const later = w.inSession('later');
    for (const [m, key, value] of [[later, 'the gate', said.replace('again before', 'again just before')], [w.m, 'ropes', 'Each rope on the quay is counted by the cook in spring.']]) {
      await m.write(key, value, { type: 'observation' });
      await thrice(m, key);
      await promoted();
    }
    assert.deepEqual(await later.row('the gate').then((r) => [r.promote_state, r.promoted_node_id]), ['duplicate', gate.id]);
    assert.equal((await w.m.row('ropes')).promote_state, 'promoted');
    assert.match((await w.entries()).find((e) => e.entry_key === 'ropes').content, /^Each/);
    assert.equal((await w.entries()).length, 5);
  } finally {
    await stack('start', 'scheduler');
  }
});

test('a context that wants no merging keeps what is alike apart', async () => {
  const w = await worker(), said = 'Two lanterns hang above the door of the customs house all winter.';
  await w.m.write('lanterns', said, { type: 'observation' });
  await thrice(w.m, 'lanterns');
  await promoted();
  assert.equal((await w.entries()).length, 1);
  const context = await longTerm(w.agent.id, w.agent.token);
  await expectStatus(200, 'PATCH', `/api/v1/ai/contexts/${context.id}`, { token: w.agent.token, body: { retention_policy: { dedup: 'off' } }, headers: { 'If-Match': '*' } });
  await w.m.write('lamps', said.replace('hang above', 'hang over'), { type: 'observation' });
  await thrice(w.m, 'lamps');
  await promoted();
  assert.equal((await w.entries()).length, 2);
});

test('what the agent was just shown is no new memory when it comes through short-term memory; half of it counts half', async () => {
  const w = await worker(), word = unique('buoy'), A = `/api/v1/ai/agents/${w.agent.id}`;
  const said = { shown: `The bell of ${word} rings twice before the tide turns.`, new: `Nobody has painted ${word} since the last winter storm.` };
  await w.m.write('first', said.shown, { tier: 'long_term', type: 'reflection' });
  const [first] = await w.entries();
  await until('it is found', async () => (await call('POST', '/api/v1/ai/contexts/search', { token: w.agent.token, body: { query: word } })).data.hits?.length);
  await settled(undefined, { parts: ['uses'] });        // behind it, Redis has what was shown
  assert.equal((await call('POST', `${A}/experiences`, { token: w.agent.token, body: { content: said.shown } })).data.reason, 'echo');
  const done = async (key, value) => {
    await w.m.write(key, value, { type: 'observation' });
    await thrice(w.m, key);
    await promoted();
    return w.m.row(key);
  };
  const echo = await done('copied', said.shown);
  assert.deepEqual([echo.promote_state, echo.promoted_node_id], ['duplicate', first.id]);
  assert.deepEqual((await w.entries()).map((e) => e.entry_key), ['first']);
  await done('half', `${said.shown} ${said.new.slice(0, 40)}`);
  const half = (await w.entries()).find((e) => e.entry_key === 'half');
  assert.ok(half.metadata.echo_ratio >= 0.5 && half.metadata.echo_ratio < 0.8, `${half.metadata.echo_ratio}`);
  assert.equal(half.importance_score, 0.2);
  // By its key what is there may be written again, and what nobody was shown is stored whole.
  assert.equal((await done('first', said.shown)).promote_state, 'duplicate');
  assert.deepEqual([(await done('new', said.new)).promote_state, (await w.entries()).find((e) => e.entry_key === 'new').importance_score], ['promoted', 0.4]);
});

test('expired with 5 reads: promoted, then gone; with 1: gone', async () => {
  const w = await worker();
  await stack('stop', 'scheduler');
  const ids = {};
  for (const [key, reads] of [['used', 5], ['idle', 1]]) {
    ids[key] = (await w.m.write(key, key, { type: 'observation' })).data.id;
    for (let i = 0; i < reads; i++) await w.m.read(key);
    await expire(ids[key]);
  }
  await sql(`DELETE FROM task WHERE kind = 'promote' AND payload LIKE '%${ids.used}%'; UPDATE short_term_memory SET promote_state = 'none' WHERE id = '${ids.used}'`);
  assert.deepEqual((await w.m.list()).data, []);
  await stack('start', 'scheduler');
  // Not waiting for its ten seconds: one pass promises what was used, the one after it removes what is promoted.
  await until('both rows to be gone', async () => {
    await call('POST', '/api/v1/jobs/short_term_cleanup/run', { token: account.owner, body: {} });
    return (await sql(`SELECT 1 FROM short_term_memory WHERE agent_id = '${w.agent.id}'`)).length === 0;
  }, { tries: 400, pause: 250 });
  assert.deepEqual((await w.entries()).map((e) => [e.entry_key, e.content, e.importance_score]), [['used', 'used', 0.6]]);
});

test('consolidate now: promoted, duplicates, failed with a reason; again: nothing', async () => {
  const w = await worker();
  await stack('stop', 'scheduler');
  try {
    for (const key of ['one', 'two', 'nothing']) {
      await w.m.write(key, key === 'nothing' ? null : key, { type: 'observation' });
      await thrice(w.m, key);
    }
    await w.inSession('s').write('one', 'one', { type: 'observation' });
    await thrice(w.inSession('s'), 'one');
    const now = () => call('POST', `/api/v1/ai/agents/${w.agent.id}/tiered_memory/consolidate`, { token: w.agent.token, body: {} }).then((r) => r.data);
    assert.deepEqual(await now(), { promoted: 2, duplicates: 1, failed: 1, queued: 1, expired: 0 });
    assert.equal((await w.entries()).length, 2);
    const row = await w.m.row('nothing');
    assert.deepEqual([row.promote_state, row.promote_attempts], ['none', 1]);
    assert.match(row.promote_error, /content/);
    for (let i = 2; i <= 5; i++) assert.equal((await now()).failed, 1);
    assert.deepEqual(await now(), { promoted: 0, duplicates: 0, failed: 0, queued: 0, expired: 0 });
    assert.deepEqual(await w.m.row('nothing').then((r) => [r.promote_state, r.promote_attempts]), ['failed', 5]);
    const other = await freshAgent(account);
    assert.equal((await call('POST', `/api/v1/ai/agents/${w.agent.id}/tiered_memory/consolidate`, { token: other.token, body: {} })).status, 404);
  } finally {
    await stack('start', 'scheduler');
  }
});

const ended = (name, id, as) => runEnded(null, id, as);
const runJob = async (name, as, body = {}) => ended(name, (await expectStatus(202, 'POST', `/api/v1/jobs/${name}/run`, { token: as, body })).data.id, as);

test('the whole account is consolidated by one call, for whoever holds memory.manage', async () => {
  const home = await freshAccount();
  const { id } = (await expectStatus(200, 'GET', '/api/v1/me', { token: home.token })).data;
  const m = memory(id, home.token);
  const row = (await m.write('k', 'x', { type: 'observation' })).data.id;
  await sql(`UPDATE short_term_memory SET access_count = 3 WHERE id = '${row}'`);
  const all = (as) => call('POST', '/api/v1/ai/memory/consolidate', { token: as, body: {} });
  assert.equal((await all(home.token)).status, 403);
  const asked = await all(home.owner);
  assert.equal(asked.status, 202, asked.text);
  assert.ok(asked.headers.get('location').endsWith(`/api/v1/job_runs/${asked.data.id}`));
  const run = await ended('memory_consolidation', asked.data.id, home.owner);
  assert.deepEqual([run.status, run.changed, run.counts.promoted], ['succeeded', 1, 1]);
  assert.equal((await entries(id, home.token)).length, 1);
  assert.equal((await runJob('memory_consolidation', home.owner)).changed, 0, 'again: nothing');
});

test('killed in the middle of consolidating, then run again: each row is one entry; a third run changes nothing', async () => {
  const home = await freshAccount();
  const { id } = (await expectStatus(200, 'GET', '/api/v1/me', { token: home.token })).data;
  const rows = 400;
  await memory(id, home.token).write('row', 'x', { type: 'observation', ttl: 604800 });
  await sql(`INSERT INTO short_term_memory (account_id, id, agent_id, memory_key, memory_value, memory_type, access_count, ttl_seconds, expires_at, content_hash, created_at, updated_at)
    SELECT account_id, UUID(), agent_id, CONCAT('row ', seq), CONCAT('"text ', seq, '"'), memory_type, 3, ttl_seconds, expires_at, content_hash, created_at, updated_at
    FROM short_term_memory JOIN seq_1_to_${rows} WHERE agent_id = '${id}'`);
  assert.equal((await runJob('memory_consolidation', home.owner, { dry_run: true })).scanned, 100, 'a batch');
  assert.equal((await entries(id, home.token)).length, 0, 'a dry run changes nothing');
  const count = async () => Number((await sql(`SELECT COUNT(*) FROM short_term_memory WHERE agent_id = '${id}' AND promote_state = 'promoted'`))[0][0]);
  const run = (await expectStatus(202, 'POST', '/api/v1/jobs/memory_consolidation/run', { token: home.owner, body: {} })).data.id;
  await until('the first hundred', async () => await count() > 100, { tries: 1200, pause: 5 });
  await stack('kill', 'scheduler');
  const half = await count();
  // Each is counted with it, whatever became of its batch.
  const [[counted, changed]] = await sql(`SELECT SUM(JSON_VALUE(counts, '$.promoted')), SUM(changed) FROM job_run WHERE '${run}' IN (id, parent_id)`);
  assert.deepEqual([Number(counted), Number(changed)], [half, half]);
  assert.ok(half < rows, 'it was in the middle');
  await stack('start', 'scheduler');
  await call('POST', `/api/v1/ai/agents/${id}/tiered_memory/consolidate`, { token: home.token, body: {} });
  await call('POST', `/api/v1/ai/agents/${id}/tiered_memory/consolidate`, { token: home.token, body: {} });
  assert.equal(await count(), rows);
  const [[made, keys]] = await sql(`SELECT COUNT(*), COUNT(DISTINCT title) FROM node WHERE author_id IS NOT NULL AND title LIKE 'row %' AND status = 'active'
    AND account_id = (SELECT account_id FROM agent WHERE id = '${id}')`);
  assert.deepEqual([Number(made), Number(keys)], [rows, rows]);
});

test('long-term memory comes last: own contexts before others, and archived when deleted', async () => {
  const w = await worker(), key = unique('key');
  const made = (await w.m.write(key, { n: 1 }, { tier: 'long_term', type: 'reflection', tags: ['t'] })).data;
  assert.deepEqual([made.tier, made.key, made.expires_at], ['long_term', key, null]);
  const hit = (await w.m.read(key)).data;
  assert.deepEqual([hit.found, hit.tier, hit.value, hit.id], [true, 'long_term', { n: 1 }, made.id]);
  const [e] = await w.entries();
  assert.deepEqual([e.entry_key, e.entry_type, e.context_tags], [key, 'reflection', ['t']]);
  assert.ok((await w.m.write(key, { n: 2 }, { tier: 'long_term' })).data.version > made.version);
  assert.equal((await w.m.write(key, null, { tier: 'long_term' })).status, 422);
  await w.m.write(key, 'short');
  assert.deepEqual(await w.m.read(key).then((r) => [r.data.tier, r.data.value]), ['short_term', 'short']);
  assert.deepEqual((await w.m.read(key, { tier: 'long_term' })).data.value, { n: 2 });
  // Another context that it may read, and one that it may not.
  const context = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token, body: { name: 'theirs' } })).data;
  for (const k of [key, `${key}-theirs`]) await expectStatus(201, 'POST', `/api/v1/ai/contexts/${context.id}/entries`, { token, body: { entry_key: k, content: 'theirs' } });
  assert.equal((await w.m.read(`${key}-theirs`)).data.found, false);
  await expectStatus(201, 'POST', `/api/v1/spaces/${context.id}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: w.agent.id } });
  assert.equal((await w.m.read(`${key}-theirs`)).data.value, 'theirs');
  assert.deepEqual((await w.m.read(key, { tier: 'long_term' })).data.value, { n: 2 }, 'its own comes first');
  assert.equal((await w.m.remove(`${key}-theirs`, 'long_term')).status, 403);
  assert.deepEqual((await w.m.remove(key, 'long_term')).data, { deleted: true });
  assert.equal((await w.m.read(key, { tier: 'long_term' })).data.value, 'theirs');
  // Whoever holds memory.manage asks for the agent.
  await w.m.write('own', 1, { tier: 'long_term' });
  assert.equal((await memory(w.agent.id, account.owner).read('own')).data.value, 1);
  assert.equal((await memory(w.agent.id).read('own')).status, 404);
});

test('Redis away: the router names what it skipped and finds the rest', async () => {
  const m = session();
  await m.write('k', 'kept');
  await stack('stop', 'redis');
  try {
    const r = (await m.read('k')).data;
    assert.deepEqual([r.found, r.tier, r.value, r.skipped], [true, 'short_term', 'kept', ['working']]);
    assert.deepEqual((await m.read('absent')).data.skipped, ['working']);
    assert.equal((await m.write('k', 1, { tier: 'working' })).status, 503);
    assert.equal((await m.write('k', 'again')).status, 200);
  } finally {
    await stack('start', 'redis');
  }
});
