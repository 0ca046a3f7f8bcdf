// Entries of contexts: keys, versions, scores, archive, what is evicted, and the facts among them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE2, call, embedded, expectEntry, expectStatus, freshAccount, freshAgent, settled, unique, withinDay } from './client.mjs';
import { pauseJobs, resumeJobs, sql } from './db.mjs';

const C = '/api/v1/ai/contexts';
let account, me, token;
before(async () => {
  account = await freshAccount();
  token = account.token;
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
});

const context = async (body = {}, as = token) => (await expectStatus(201, 'POST', C, { token: as, body: { name: unique('context'), ...body } })).data;
const put = async (x, entry_key, content, body = {}, as = token) => (await expectEntry(`${C}/${x.id}`, { token: as, body: { entry_key, content, ...body } })).data;
const at = (x, ref) => `${C}/${x.id}/entries/${encodeURIComponent(ref)}`;
const get = async (x, ref) => (await expectStatus(200, 'GET', at(x, ref), { token })).data;
const patch = async (x, ref, body) => (await expectStatus(200, 'PATCH', at(x, ref), { token, body })).data;
const history = async (x, ref) => (await expectStatus(200, 'GET', `${at(x, ref)}/history`, { token })).data;
const keys = async (x, q = '') => (await expectStatus(200, 'GET', `${C}/${x.id}/entries${q}`, { token })).data.map((e) => e.entry_key);
const counted = async (x) => (({ entry_count, data_size_bytes }) => [entry_count, data_size_bytes])((await expectStatus(200, 'GET', `${C}/${x.id}`, { token })).data);
const soon = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();

function invalid(r, pointer, said = '') {
  assert.equal(r.status, 422, r.text);
  assert.ok(r.body.errors.some((e) => e.pointer === pointer && e.detail.includes(said)), r.text);
}

for (const type of ['observation', 'fact']) {
  test(`an ${type} keeps its tags, scores and expiry over versions; history has the old ones, revert brings them back`, async () => {
    const x = await context(), expires_at = soon(3600);
    const e = await put(x, 'k', { text: 'first', n: 1 }, { entry_type: type, context_tags: [' Red ', 'red', 'Blue'], confidence_score: 0.8, metadata: { m: 1 }, expires_at });
    assert.deepEqual([e.created, e.changed, e.version, e.content_text, e.context_tags], [true, true, 1, 'first', ['red', 'blue']]);
    assert.equal(e.memory_type, type === 'fact' ? 'factual' : 'experiential');
    assert.deepEqual([e.author_id, e.source_type], [me.id, 'agent']);
    const f = await patch(x, 'k', { content: { text: 'second', n: 2 } });
    assert.deepEqual([f.changed, f.version, f.content, f.content_text], [true, 2, { text: 'second', n: 2 }, 'second']);
    assert.equal(f.id === e.id, type !== 'fact');
    for (const field of ['context_tags', 'confidence_score', 'metadata', 'memory_type', 'expires_at', 'entry_key', 'importance_score']) assert.deepEqual(f[field], e[field], field);
    assert.equal((await get(x, e.id)).id, f.id, 'an earlier id leads to the entry as it is now');
    const same = await patch(x, 'k', { content: { n: 2, text: 'second' } });
    assert.deepEqual([same.changed, same.version], [false, 2]);
    const g = await put(x, 'k', { text: 'second', n: 3 });
    assert.deepEqual([g.created, g.changed, g.version, g.content_text], [false, true, 3, 'second']);
    assert.deepEqual((await history(x, 'k')).map((h) => [h.version, h.content.n]), [[2, 2], [1, 1]]);
    const back = (await expectStatus(200, 'POST', `${at(x, 'k')}/revert`, { token, body: { version: 1 } })).data;
    assert.deepEqual([back.version, back.content, back.content_text, back.context_tags], [4, { text: 'first', n: 1 }, 'first', ['red', 'blue']]);
    assert.deepEqual((await history(x, 'k')).map((h) => [h.version, h.content.n]), [[3, 3], [2, 2], [1, 1]]);
    assert.deepEqual(await counted(x), [1, Buffer.byteLength(JSON.stringify(back.content))]);
    invalid(await call('POST', `${at(x, 'k')}/revert`, { token, body: { version: 9 } }), '/version');
  });
}

test('two PATCHes with the same if_version: one is done, the other gets 412', async () => {
  const x = await context();
  await put(x, 'k', 1);
  await patch(x, 'k', { content: 2 });
  await patch(x, 'k', { content: 3 });
  const both = await Promise.all(['', BASE2].map((base, i) => call('PATCH', at(x, 'k'), { token, body: { content: `new ${i}`, if_version: 3 }, ...(base && { base }) })));
  assert.deepEqual(both.map((r) => r.status).sort(), [200, 412]);
  await expectStatus(412, 'PATCH', at(x, 'k'), { token, body: { content: 'x' }, headers: { 'If-Match': '"3"' } });
  assert.equal((await history(x, 'k')).length, 3);
});

test('changes of tags, scores, expiry and metadata make no version, and revert finds the content between them', async () => {
  const x = await context();
  const e = await put(x, 'k', 'one', { metadata: { a: 1, b: 2 } });
  const f = await patch(x, 'k', { context_tags: ['New'], metadata: { a: null, c: 3 }, importance_score: 0.9, is_pinned: true, outcome: 'failure' });
  assert.deepEqual([f.changed, f.version, f.context_tags, f.metadata, f.importance_score, f.is_pinned, f.outcome],
    [false, 1, ['new'], { b: 2, c: 3 }, 0.9, true, 'failure']);
  assert.equal(f.id, e.id);
  assert.equal((await history(x, 'k')).length, 0);
  await patch(x, 'k', { content: 'two' });
  const back = (await expectStatus(200, 'POST', `${at(x, 'k')}/revert`, { token, body: { version: 1 } })).data;
  assert.deepEqual([back.content, back.version, back.context_tags], ['one', 3, ['new']]);
});

test('what is no content does not fail who edits content: boost, tags, an empty PATCH, archive and back', async () => {
  const x = await context();
  for (const [key, more] of [['k', {}], ['f', { entry_type: 'fact' }]]) {
    const e = await put(x, key, 'one', { context_tags: ['a'], ...more });
    await expectStatus(200, 'POST', `${at(x, key)}/boost`, { token, body: {} });
    await patch(x, key, { context_tags: ['a'] });
    await patch(x, key, {});
    await expectStatus(200, 'POST', `${C}/${x.id}/entries/${e.id}/archive`, { token, body: { if_version: 1 } });
    await expectStatus(200, 'POST', `${C}/${x.id}/entries/${e.id}/unarchive`, { token, body: { if_version: 1 } });
    const f = await patch(x, key, { content: 'two', if_version: 1 });
    assert.deepEqual([f.content, f.version], ['two', 2]);
    await expectStatus(412, 'PATCH', at(x, key), { token, body: { content: 'three', if_version: 1 } });
    await expectStatus(412, 'POST', `${at(x, key)}/archive`, { token, body: { if_version: 1 } });
    await expectStatus(204, 'DELETE', `${at(x, key)}`, { token, headers: { 'If-Match': '"2"' } });
  }
});

test('an entry says which version was before', async () => {
  const x = await context();
  for (const more of [{}, { entry_type: 'fact' }]) {
    const key = unique('k');
    assert.equal((await put(x, key, 'one', more)).previous_version, 0);
    assert.deepEqual([(await patch(x, key, { content: 'two' })).previous_version, (await patch(x, key, { context_tags: ['t'] })).previous_version], [1, 1]);
    assert.equal((await patch(x, key, { content: 'three' })).previous_version, 2);
    assert.deepEqual((await history(x, key)).map((h) => [h.version, h.previous_version]), [[2, 1], [1, 0]]);
  }
});

test('other types for a key that is there, and the key bulk, are refused by name', async () => {
  const x = await context();
  await put(x, 'k', 'one');
  const post = (body) => call('POST', `${C}/${x.id}/entries`, { token, body });
  invalid(await post({ entry_key: 'k', content: 'two', entry_type: 'fact' }), '/entry_type', 'observation');
  invalid(await post({ entry_key: 'k', content: 'two', memory_type: 'factual' }), '/memory_type', 'experiential');
  assert.deepEqual([(await put(x, 'k', 'two', { entry_type: 'observation', memory_type: 'experiential' })).version, (await put(x, 'k', 'three')).version], [2, 3]);
  invalid(await post({ entry_key: 'bulk', content: 1 }), '/entry_key', 'reserved');
});

test('what is older than max_age_days goes at the next write, archived or forgotten, and is named', async () => {
  for (const archive of [true, false]) {
    const x = await context({ retention_policy: { max_age_days: 1, archive_before_delete: archive } }), ids = {};
    for (const key of ['old', 'kept', 'renewed', 'young']) ids[key] = (await put(x, key, key, { is_pinned: key === 'kept' })).id;
    await sql(`UPDATE node SET created_at = created_at - INTERVAL 3 DAY WHERE id IN ('${ids.old}', '${ids.kept}', '${ids.renewed}')`);
    assert.deepEqual((await patch(x, 'renewed', { content: 'again' })).evicted, ['old']);
    assert.deepEqual((await put(x, 'next', 1)).evicted, []);
    assert.equal((await call('GET', at(x, ids.old), { token })).status, archive ? 200 : 404);
    assert.deepEqual((await counted(x))[0], 4);
  }
});

test('what is refused names the field, and nothing is written', async () => {
  const x = await context();
  const tries = [[{ entry_type: 'xyz' }, '/entry_type', 'observation'], [{ importance_score: 1.2 }, '/importance_score', '1'], [{ content: null }, '/content'],
    [{ confidence_score: -0.1 }, '/confidence_score'], [{ entry_key: 'k'.repeat(256) }, '/entry_key'], [{ content_text: 'x'.repeat(10001) }, '/content_text'],
    [{ context_tags: Array(33).fill('t') }, '/context_tags'], [{ context_tags: ['x'.repeat(65)] }, '/context_tags/0'], [{ metadata: { a: 'x'.repeat(16384) } }, '/metadata'],
    [{ content: 'x'.repeat(262144) }, '/content'], [{ source_type: 'agent' }, '/source_type', 'tool'], [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'], [{ memory_type: 'solid' }, '/memory_type', 'factual']];
  for (const [body, pointer, said] of tries)
    invalid(await call('POST', `${C}/${x.id}/entries`, { token, body: { entry_key: 'k', content: 'c', ...body } }), pointer, said);
  assert.deepEqual(await counted(x), [0, 0]);
  await put(x, 'a', 'x'.repeat(262142));
  await put(x, 'k'.repeat(255), 0);
  assert.equal((await get(x, 'a')).content_text.length, 10000);
});

test('texts are made from what the content says', async () => {
  const x = await context();
  const text = async (content) => (await put(x, unique('k'), content)).content_text;
  assert.equal(await text('plain'), 'plain');
  assert.equal(await text({ description: 'd', text: 't', other: 'o', output_summary: 's' }), 't\nd\ns');
  assert.equal(await text({ value: 0.5 }), '0.5');
  assert.equal(await text([1, 2]), '[1,2]');
  assert.equal(await text(false), 'false');
});

test('keys are bytes: patterns, case, dots, ids and slashes stand for themselves', async () => {
  const x = await context(), names = ['a_b', 'aXb', 'a.b', 'a%', 'A_B', 'a/b', 'ä', me.id];
  for (const k of names) await put(x, k, k);
  for (const k of names) assert.equal((await get(x, k)).content, k);
  assert.equal((await expectStatus(404, 'GET', at(x, 'a'), { token })).code, 'NOT_FOUND');
  assert.deepEqual(await keys(x, '?prefix=a_'), ['a_b']);
  assert.deepEqual(await keys(x, '?prefix=a%25'), ['a%']);
});

test('archived: out of lists, readable by id, its key free; brought back when the key is free', async () => {
  const x = await context();
  for (const entry_type of ['observation', 'preference']) {
    const e = await put(x, 'k', { v: entry_type }, { entry_type });
    assert.equal((await expectStatus(200, 'POST', `${at(x, 'k')}/archive`, { token })).data.status, 'archived');
    await expectStatus(200, 'POST', `${at(x, e.id)}/archive`, { token });
    assert.deepEqual([await keys(x), await keys(x, '?include_archived=true'), await counted(x)], [[], ['k'], [0, 0]]);
    assert.equal((await get(x, e.id)).id, e.id);
    await expectStatus(404, 'GET', at(x, 'k'), { token });
    await expectStatus(409, 'PATCH', at(x, e.id), { token, body: { content: 'no' } });
    const other = await put(x, 'k', 'another', { entry_type });
    assert.equal(other.created, true);
    await expectStatus(409, 'POST', `${at(x, e.id)}/unarchive`, { token });
    await expectStatus(204, 'DELETE', at(x, 'k'), { token });
    for (const ref of ['k', other.id]) await expectStatus(404, 'GET', at(x, ref), { token });
    assert.equal((await expectStatus(200, 'POST', `${at(x, e.id)}/unarchive`, { token })).data.status, 'active');
    assert.deepEqual((await get(x, 'k')).content, { v: entry_type });
    assert.equal((await counted(x))[0], 1);
    await expectStatus(409, 'POST', `${at(x, other.id)}/unarchive`, { token });
    await expectStatus(204, 'DELETE', at(x, 'k'), { token });
    assert.equal((await expectStatus(200, 'POST', `${at(x, other.id)}/unarchive`, { token })).data.content, 'another');
    await expectStatus(204, 'DELETE', at(x, 'k'), { token });
    await sql(`DELETE FROM entry WHERE space_id = '${x.id}'`);
  }
});

test('an expired entry leaves its key to the next', async (t) => {
  await pauseJobs('expired_cleanup');          // which archives it: then it is read by its id again
  t.after(() => resumeJobs('expired_cleanup'));
  const x = await context();
  for (const entry_type of ['observation', 'fact']) {
    const e = await put(x, entry_type, 'old', { entry_type, expires_at: soon(3600) });
    await sql(`UPDATE node SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE id = '${e.id}'`);
    for (const ref of [entry_type, e.id]) await expectStatus(404, 'GET', at(x, ref), { token });
    assert.deepEqual(await keys(x), entry_type === 'fact' ? ['observation'] : []);
    assert.equal((await put(x, entry_type, 'new', { entry_type })).created, true);
  }
  assert.equal((await counted(x))[0], 2);
});

test('nobody else changes an entry: another agent, a reader, the calls of nodes, an archived context', async () => {
  const x = await context(), reader = await freshAgent(account), stranger = await freshAgent(account);
  await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token, body: { access_control: { read: [reader.id] } } });
  const e = await put(x, 'k', 'mine');
  for (const [who, status] of [[reader, 403], [stranger, 404]]) {
    await expectStatus(status, 'PATCH', at(x, 'k'), { token: who.token, body: { content: 'theirs' } });
    await expectStatus(status, 'POST', `${C}/${x.id}/entries`, { token: who.token, body: { entry_key: 'j', content: 'theirs' } });
    await expectStatus(status, 'DELETE', at(x, 'k'), { token: who.token });
  }
  assert.equal((await call('GET', at(x, 'k'), { token: reader.token })).data.content, 'mine');
  await expectStatus(404, 'GET', at(x, 'k'), { token: stranger.token });
  const other = await context();
  await expectStatus(404, 'GET', at(other, e.id), { token });
  await expectStatus(409, 'PATCH', `/api/v1/nodes/${e.id}`, { token, body: { body: 'x' } });
  for (const verb of ['archive', 'unarchive', 'restore']) await expectStatus(409, 'POST', `/api/v1/nodes/${e.id}/${verb}`, { token });
  await expectStatus(409, 'DELETE', `/api/v1/nodes/${e.id}`, { token });
  await expectStatus(200, 'POST', `${C}/${x.id}/archive`, { token });
  await expectStatus(409, 'PATCH', at(x, 'k'), { token, body: { content: 'later' } });
  assert.equal((await get(x, 'k')).content, 'mine');
});

test('scores: what has faded by now, boosts, one access a day, orders and filters', async () => {
  await withinDay();
  const x = await context();
  const e = await put(x, 'faded', 'f', { importance_score: 0.8, confidence_score: 0.9, decay_rate: 0.01 });
  await sql(`UPDATE node SET decayed_at = UTC_TIMESTAMP(6) - INTERVAL 30 DAY WHERE id = '${e.id}'`);
  const seen = (await expectStatus(200, 'GET', `${C}/${x.id}/entries`, { token })).data[0];
  assert.ok(Math.abs(seen.importance_score - 0.592655) < 1e-4 && Math.abs(seen.effective_relevance_score - 0.53339) < 1e-4, JSON.stringify(seen));    // it goes on fading
  await put(x, 'high', 'h', { importance_score: 0.7 });
  await put(x, 'low', 'l', { importance_score: 0.29 });
  assert.deepEqual(await keys(x, '?order=importance'), ['high', 'faded', 'low']);
  assert.deepEqual(await keys(x, '?order=relevance'), ['high', 'faded', 'low']);
  assert.deepEqual(await keys(x, '?min_importance=0.7'), ['high']);
  const first = await expectStatus(200, 'GET', `${C}/${x.id}/entries?order=importance&limit=1`, { token });
  assert.deepEqual(await keys(x, `?order=importance&limit=5&cursor=${first.meta.next_cursor}`), ['faded', 'low']);
  const s = (await expectStatus(200, 'GET', `${C}/${x.id}/stats`, { token })).data;
  assert.deepEqual([s.entry_count, s.high_importance, s.low_importance, s.high_confidence, s.archived_count], [3, 1, 1, 3, 0]);
  assert.equal(s.fill_entries, 3 / 200000);
  assert.equal((await expectStatus(200, 'POST', `${at(x, 'low')}/boost`, { token, body: {} })).data.importance_score, 0.39);
  assert.equal((await expectStatus(200, 'POST', `${at(x, 'low')}/reduce`, { token, body: { amount: 0.5 } })).data.importance_score, 0);
  invalid(await call('POST', `${at(x, 'low')}/boost`, { token, body: { amount: 0.51 } }), '/amount');
  for (let i = 0; i < 5; i++) await get(x, 'high');
  await settled(undefined, { parts: ['uses'] });
  assert.equal((await keys(x, '?order=access&limit=1'))[0], 'high');
  const used = (await expectStatus(200, 'GET', `${C}/${x.id}/entries?order=access&limit=1`, { token })).data[0];
  assert.equal(used.importance_score, 0.715);
});

test('over max_entries the least goes and is named; pinned ones stay; reject refuses', async () => {
  const x = await context({ retention_policy: { max_entries: 3 } });
  await put(x, 'a', 1, { importance_score: 0.1, is_pinned: true });
  await put(x, 'b', 2, { importance_score: 0.3 });
  await put(x, 'c', 3, { importance_score: 0.6, entry_type: 'fact' });
  assert.deepEqual((await put(x, 'b', 2)).evicted, []);
  const d = await put(x, 'd', 4, { importance_score: 0.2 });
  assert.deepEqual([d.evicted, await keys(x), (await counted(x))[0]], [['b'], ['d', 'c', 'a'], 3]);
  assert.deepEqual((await put(x, 'e', 5, { importance_score: 0.9 })).evicted, ['d']);
  assert.deepEqual((await put(x, 'f', 5, { importance_score: 0.9 })).evicted, ['c']);
  assert.equal((await put(x, 'c', 3, { entry_type: 'fact', importance_score: 1 })).created, true);
  const y = await context({ retention_policy: { max_entries: 1, eviction: 'reject' } });
  await put(y, 'a', 1);
  const r = await expectStatus(409, 'POST', `${C}/${y.id}/entries`, { token, body: { entry_key: 'b', content: 2 } });
  assert.equal(r.body.reason, 'quota_exceeded');
  assert.deepEqual([await keys(y), (await put(y, 'a', 2)).version], [['a'], 2]);
  const w = await context({ retention_policy: { max_entries: 3, eviction: 'lru' } });
  for (const k of ['a', 'b', 'c']) await put(w, k, 1);
  for (const k of ['a', 'c']) await get(w, k);
  assert.deepEqual((await put(w, 'd', 1)).evicted, ['b'], 'the least recently used, also while uses wait to be written');
  const z = await context({ retention_policy: { max_size_bytes: 20, eviction: 'oldest' } });
  await put(z, 'a', 'x'.repeat(8));
  await put(z, 'b', 'x'.repeat(8));
  assert.deepEqual((await put(z, 'c', 'x'.repeat(8))).evicted, ['a']);
  await expectStatus(409, 'POST', `${C}/${z.id}/entries`, { token, body: { entry_key: 'd', content: 'x'.repeat(30) } });
  assert.deepEqual([await keys(z), await counted(z)], [['c', 'b'], [2, 20]]);
});

test('writers at once: every key is there once, and counters are exact', async () => {
  const x = await context({ retention_policy: { ttl_seconds: 3600 } });
  const writes = Array.from({ length: 60 }, (_, i) => call('POST', `${C}/${x.id}/entries`, { token, base: i % 2 ? BASE2 : undefined,
    body: { entry_key: `k${i % 20}`, content: 'x'.repeat(i % 7), entry_type: i % 20 < 10 ? 'fact' : 'observation' } }));
  for (const r of await Promise.all(writes)) assert.ok([200, 201, 409].includes(r.status), r.text);
  for (let i = 0; i < 20; i++) await put(x, `k${i}`, 'xyz', { entry_type: i < 10 ? 'fact' : 'observation' });
  assert.deepEqual([await counted(x), new Set(await keys(x, '?limit=100')).size], [[20, 100], 20]);
  assert.ok((await get(x, 'k3')).expires_at);
});

test('a fact that was superseded is true until then, and leads to the next', async () => {
  const x = await context();
  const a = await put(x, 'budget', 100, { entry_type: 'fact' }), b = await put(x, 'budget', 200);
  const [old, now] = [a, b].map((e) => e.id);
  const node = (await expectStatus(200, 'GET', `/api/v1/nodes/${old}`, { token })).data;
  assert.deepEqual([node.kind, node.status, node.superseded_by, node.body], ['fact', 'superseded', now, '100']);
  const next = (await expectStatus(200, 'GET', `/api/v1/nodes/${now}`, { token })).data;
  assert.equal(node.valid_to, next.valid_from);
  const edges = (await expectStatus(200, 'GET', `/api/v1/edges?node_id=${old}`, { token })).data;
  assert.deepEqual(edges.map((e) => [e.relation, e.source_id, e.target_id]), [['SUPERSEDED_BY', old, now]]);
  await put(x, 'budget', 100);
  assert.deepEqual((await history(x, 'budget')).map((h) => h.content), [200, 100]);
});

test('search: one context or all, by types, tags and importance; nothing of what the caller may not read', async () => {
  const account = await freshAccount(), { token } = account;
  const x = await context({}, token), y = await context({}, token), word = unique('otter').replace('-', ''), other = await freshAgent(account);
  const a = await put(x, 'a', { text: `the ${word} swims` }, { entry_type: 'fact', context_tags: ['River'], importance_score: 0.9 }, token);
  const b = await put(x, 'b', { text: `an ${word} sleeps` }, { entry_type: 'plan', importance_score: 0.2 }, token);
  const d = await put(y, 'd', { text: `one ${word} eats` }, { memory_type: 'working' }, token);
  const find = async (body, path = 'search', as = token) =>
    (await expectStatus(200, 'POST', `${C}/${path}`, { token: as, body: { query: word, ...body } })).data.hits.map((h) => h.entry.id).sort();
  await embedded(account.slug);
  assert.deepEqual(await find({}), [a.id, b.id].sort());
  assert.deepEqual(await find({ memory_types: ['working'] }), [d.id]);
  assert.deepEqual(await find({ memory_types: ['working', 'factual', 'experiential'] }), [a.id, b.id, d.id].sort());
  assert.deepEqual(await find({ entry_types: ['plan', 'decision'] }), [b.id]);
  assert.deepEqual(await find({ entry_types: ['plan', 'fact'], search_type: 'keyword' }), [a.id, b.id].sort());
  assert.deepEqual(await find({ tags: ['river'] }), [a.id]);
  assert.deepEqual(await find({ min_importance: 0.7 }), [a.id]);
  assert.deepEqual(await find({}, `${x.context_id}/search`), [a.id, b.id].sort());
  assert.deepEqual(await find({}, `${y.id}/search`), []);
  assert.deepEqual(await find({ query: '%', search_type: 'keyword' }), []);
  assert.deepEqual(await find({}, 'search', other.token), []);
  await expectStatus(404, 'POST', `${C}/${x.id}/search`, { token: other.token, body: { query: word } });
  invalid(await call('POST', `${C}/search`, { token, body: { query: word, entry_types: ['plan', 'plot'] } }), '/entry_types/1');
  const hit = (await expectStatus(200, 'POST', `${C}/search`, { token, body: { query: word, tags: ['river'] } })).data.hits[0];
  assert.deepEqual([hit.entry.entry_key, hit.entry.content, hit.score > 0], ['a', { text: `the ${word} swims` }, true]);
  const recalled = (await expectStatus(200, 'POST', '/api/v1/recall', { token, body: { query: word } })).data.hits.map((h) => h.id);
  assert.ok(recalled.includes(a.id) && !recalled.includes(d.id), 'copies of working memory are found on request only');
});

test('up to 500 at once: bad ones are named, the others written', async () => {
  const x = await context(), B = `${C}/${x.id}/entries/bulk`, reader = await freshAgent(account);
  const entries = [{ entry_key: 'a', content: 1 }, { entry_key: 'b', content: 1, importance_score: 2 }, 'c', { entry_key: 'd' }, { entry_key: 'a', content: 2 }];
  const r = (await expectStatus(200, 'POST', B, { token, body: { entries } })).data;
  assert.deepEqual([r.total, r.created.map((m) => [m.entry_key, m.version]), r.errors.map((e) => [e.index, e.code])],
    [5, [['a', 1], ['a', 2]], [[1, 'VALIDATION_ERROR'], [2, 'VALIDATION_ERROR'], [3, 'VALIDATION_ERROR']]]);
  assert.deepEqual([(await get(x, 'a')).content, await keys(x)], [2, ['a']]);
  invalid(await call('POST', B, { token, body: { entries: Array(501).fill({ content: 1 }) } }), '/entries');
  assert.equal((await expectStatus(200, 'POST', B, { token, body: { entries: Array.from({ length: 500 }, (_, i) => ({ entry_key: `n${i}`, content: i })) } })).data.created.length, 500);
  await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token, body: { access_control: { read: [reader.id] } } });
  await expectStatus(403, 'POST', B, { token: reader.token, body: { entries: [] } });
});

test('any memory is archived and brought back by its id; of an entry the key comes and goes with it', async () => {
  const x = await context(), M = '/api/v1/memory/nodes', stranger = await freshAgent(account);
  const note = (await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: 'n' } })).data;
  for (const id of [note.id, (await put(x, 'k', 1)).id, (await put(x, 'f', 1, { entry_type: 'fact' })).id]) {
    await expectStatus(404, 'POST', `${M}/${id}/archive`, { token: stranger.token, body: {} });
    assert.equal((await expectStatus(200, 'POST', `${M}/${id}/archive`, { token, body: { reason: 'old' } })).data.status, 'archived');
    assert.equal((await expectStatus(200, 'POST', `${M}/${id}/unarchive`, { token, body: {} })).data.status, 'active');
    await expectStatus(200, 'POST', `${M}/${id}/archive`, { token, body: {} });
  }
  assert.deepEqual([await keys(x), (await counted(x))[0]], [[], 0]);
  const events = (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${note.id}&kind=memory.archive`, { token: account.owner })).data;
  assert.deepEqual(events.map((e) => e.payload.reason), ['old']);
});

test('grants of a context: given by kind, raised, taken away, and none of another account', async () => {
  const other = await freshAgent(account), boss = await freshAgent(account, 'trusted'), x = await context({}, boss.token);
  const G = `${C}/${x.context_id}/grants`, as = boss.token;
  const level = async () => (await call('GET', `${C}/${x.id}`, { token: other.token })).data?.access ?? 'none';
  const g = (await expectStatus(201, 'POST', G, { token: as, body: { agent_id: other.id } })).data;
  assert.deepEqual([g.level, await level()], ['read', 'read']);
  await expectStatus(201, 'POST', G, { token: as, body: { agent_id: other.id, level: 'write' } });
  assert.deepEqual([await level(), (await expectStatus(200, 'GET', G, { token: as })).data.length], ['write', 1]);
  assert.equal((await expectStatus(201, 'POST', G, { token: as, body: { agent_id: other.id, level: 'none' } })).data.level, 'none');
  assert.equal(await level(), 'none');
  await expectStatus(404, 'POST', G, { token: as, body: { agent_id: other.id, level: 'none' } });
  const all = (await expectStatus(201, 'POST', G, { token: as, body: { everyone: true } })).data;
  assert.equal(await level(), 'read');
  await expectStatus(403, 'GET', G, { token: other.token });
  await expectStatus(204, 'DELETE', `${G}/${all.id}`, { token: as });
  assert.equal(await level(), 'none');
  invalid(await call('POST', G, { token: as, body: {} }), '/agent_id');
  invalid(await call('POST', G, { token: as, body: { agent_id: other.id, everyone: true } }), '/agent_id');
  invalid(await call('POST', G, { token: as, body: { role: 'king' } }), '/role');
  invalid(await call('POST', G, { token: as, body: { agent_id: (await freshAgent(await freshAccount())).id } }), '/agent_id');
});

test('entries are found by recall: by words, by meaning, by tag', async () => {
  const x = await context(), word = unique('zebra').replace('-', '');
  const e = await put(x, 'note', { text: `the ${word} drinks at the river` }, { context_tags: ['Animals'] });
  const ask = async (body) => (await expectStatus(200, 'POST', '/api/v1/recall', { token, body })).data.hits.map((h) => h.id);
  assert.ok((await ask({ query: word, mode: 'keyword' })).includes(e.id));
  assert.ok((await ask({ query: word, filters: { tags: ['animals'] } })).includes(e.id));
  assert.ok(!(await ask({ query: word, filters: { tags: ['plants'] } })).includes(e.id));
  await patch(x, 'note', { content: { text: 'nothing of the kind' } });
  assert.ok(!(await ask({ query: word, mode: 'keyword' })).includes(e.id));
});
