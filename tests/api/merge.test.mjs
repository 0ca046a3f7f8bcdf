// Memories that say the same: merged and made two again, listed when they only nearly do, and never across spaces. The model of
// merging is tried with random steps; LOCI_SEED=n makes those of that seed again.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { before, test } from 'node:test';
import { call, embedded, expectEntry, expectStatus, freshAccount, freshAgent, freshUser, runEnded, unique } from './client.mjs';
import { snapshot, sql, usedToday } from './db.mjs';
import { dice } from './noise.mjs';

const C = '/api/v1/ai/contexts', M = '/api/v1/ai/memory', L = '/api/v1/ai/learning', K = '/api/v1/ai/memory/shared_knowledge';
const seed = Number(process.env.LOCI_SEED ?? randomInt(2 ** 31));
const round = (x) => Math.round(1e4 * x) / 1e4;

// An account whose owner made a context that its agent writes to.
async function house() {
  const account = await freshAccount();
  const { id: agent, account_id: accountId } = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.token })).data;
  const owner = account.owner;
  const get = async (path, token = owner) => (await expectStatus(200, 'GET', path, { token })).data;
  const post = async (status, path, body = {}, token = owner) => (await expectStatus(status, 'POST', path, { token, body })).data;
  const context = (retention_policy = {}) => post(201, C, { name: unique('context'), agent_id: agent, retention_policy });
  const put = async (x, entry_key, content, more = {}) => {
    const e = (await expectEntry(`${C}/${x.id}`, { token: account.token, body: { entry_key, content, ...more } })).data;
    await usedToday(e.id);
    return e;
  };
  const read = (x, ref) => get(`${C}/${x.id}/entries/${ref}`);
  const listed = async (x, key) => (await get(`${C}/${x.id}/entries?limit=100`)).find((e) => e.entry_key === key);
  const keys = async (x) => (await get(`${C}/${x.id}/entries?limit=100`)).map((e) => e.entry_key).sort();
  const ready = () => embedded(account.slug);
  const job = async (name, body = {}) => {
    const { id } = await post(202, `/api/v1/jobs/${name}/run`, body);
    return runEnded(account, id);
  };
  const dedup = (body) => job('memory_dedup', body);
  const merges = (more = '') => get(`${M}/merges?limit=100${more}`), duplicates = () => get(`${M}/duplicates?limit=100`);
  // A pair for review, as the job would have noted it.
  const pair = async (x, y) => {
    const [a, b] = [x, y].sort();
    await sql(`INSERT INTO duplicate_candidate (account_id, id, space_id, kind, a_id, b_id, similarity, reason, found_at)
      SELECT account_id, UUID(), space_id, kind, '${a}', '${b}', 0.95, 'details', UTC_TIMESTAMP(6) FROM node WHERE id = '${a}'`);
    return (await sql(`SELECT id FROM duplicate_candidate WHERE a_id = '${a}' AND b_id = '${b}'`))[0][0];
  };
  const merge = async (x, y) => post(200, `${M}/duplicates/${await pair(x, y)}/merge`);
  return { ...account, agent, accountId, get, post, context, put, read, listed, keys, ready, job, dedup, merges, duplicates, pair, merge };
}

const undo = (h, m, status = 200) => expectStatus(status, 'POST', `${M}/merges/${m.id}/undo`, { token: h.owner, body: {} });
const OVEN = 'The oven of the bakery must be preheated before the bread goes in.';
let h, other;
before(async () => { [h, other] = [await house(), await house()]; });

test('two entries that say the same are one after the night; undone they are two again, with their own scores and tags', async () => {
  const x = await h.context(), y = await h.context(), theirs = await other.context();
  const a = await h.put(x, 'oven', OVEN, { importance_score: 0.6, confidence_score: 0.5, context_tags: ['bread'] });
  const b = await h.put(x, 'ovens', OVEN.replace('.', '!'), { importance_score: 0.4, confidence_score: 0.9, context_tags: ['bread', 'heat'] });
  const apart = await h.put(y, 'oven', OVEN);
  await other.put(theirs, 'oven', OVEN);
  await Promise.all([h.ready(x), h.ready(y), other.ready(theirs)]);
  await sql(`UPDATE node SET access_count = 3 WHERE id = '${a.id}'; UPDATE node SET access_count = 4 WHERE id = '${b.id}'`);
  const untouched = await snapshot(other.accountId, { audit: true });

  const dry = await h.dedup({ dry_run: true });
  assert.deepEqual([dry.changed, (await h.merges()).length, await h.keys(x)], [1, 0, ['oven', 'ovens']], 'a dry run counts and changes nothing');
  const run = await h.dedup();
  assert.deepEqual([run.status, run.changed, run.failed, run.counts.merged], ['succeeded', 1, 0, 1], JSON.stringify(run));
  const [m] = await h.merges();
  assert.deepEqual([m.keeper_id, m.loser_id, m.keeper_title, m.loser_title, m.rule, m.kind, m.undone_at], [a.id, b.id, 'oven', 'ovens', 'similar', 'entry', null]);
  assert.ok(m.similarity >= 0.92);
  const kept = await h.listed(x, 'oven');
  assert.deepEqual([kept.importance_score, kept.confidence_score, kept.access_count, kept.context_tags, kept.merged_from], [0.6, 0.9, 7, ['bread', 'heat'], null]);
  for (const ref of [b.id, 'ovens']) {
    const e = await h.read(x, ref);
    assert.deepEqual([e.id, e.entry_key, e.merged_from], [a.id, 'oven', b.id], 'id and key of the other lead to it');
  }
  const routed = await h.get(`/api/v1/ai/agents/${h.agent}/tiered_memory?key=ovens`);
  assert.deepEqual([routed.found, routed.tier, routed.id], [true, 'long_term', a.id]);
  assert.deepEqual([await h.keys(x), await h.keys(y)], [['oven'], ['oven']]);
  assert.equal((await h.read(y, 'oven')).id, apart.id, 'another context is another memory');
  assert.deepEqual(await snapshot(other.accountId, { audit: true }), untouched, 'and so is another account');

  const [before] = [await snapshot(h.accountId)];
  await h.ready(x);
  assert.equal((await h.dedup()).changed, 0, 'a second run changes nothing');
  assert.deepEqual([(await snapshot(h.accountId)).node, (await snapshot(h.accountId)).node_merge], [before.node, before.node_merge]);

  assert.ok((await undo(h, m)).data.undone_at);
  const [first, second] = [await h.listed(x, 'oven'), await h.read(x, 'ovens')];
  assert.deepEqual([first.id, first.importance_score, first.confidence_score, first.context_tags], [a.id, 0.6, 0.5, ['bread']]);
  assert.ok(first.access_count >= 3 && first.access_count < 7, `${first.access_count}: its own, and what was read above`);
  assert.deepEqual([second.id, second.importance_score, second.confidence_score, second.access_count, second.context_tags, second.status, second.merged_from],
    [b.id, 0.4, 0.9, 4, ['bread', 'heat'], 'active', null]);
  await undo(h, m, 409);
  await h.ready(x);
  await h.dedup();
  assert.deepEqual([await h.keys(x), (await h.duplicates()).length], [['oven', 'ovens'], 0], 'who undid it is not asked again');
  assert.deepEqual([(await h.merges()).length, (await h.merges('&include_undone=true')).length], [0, 1]);
  assert.equal((await h.get(`/api/v1/audit?kind=memory.unmerge`)).length, 1);
});

test('texts that differ in a number are listed, not merged; kept they are not proposed again, merged they are one', async () => {
  const g = await house(), x = await g.context();
  const [a, b] = [await g.put(x, 'budget', 'The budget of the harbour is 100 for this year.'), await g.put(x, 'budgets', 'The budget of the harbour is 200 for this year.')];
  await g.ready(x);
  const run = await g.dedup();
  assert.deepEqual([run.counts.merged ?? 0, run.counts.review], [0, 1], JSON.stringify(run));
  const [d, ...rest] = await g.duplicates();
  assert.deepEqual([d.a_id, d.b_id, d.reason, d.state, d.a_text, d.b_title, rest.length],
    [a.id, b.id, 'details', 'open', 'The budget of the harbour is 100 for this year.', 'budgets', 0]);
  assert.deepEqual(await g.keys(x), ['budget', 'budgets']);
  const kept = (await expectStatus(200, 'POST', `${M}/duplicates/${d.id}/keep`, { token: g.owner, body: {} })).data;
  assert.deepEqual([kept.state, (await g.duplicates()).length], ['kept', 0]);
  for (const verb of ['keep', 'merge']) await expectStatus(409, 'POST', `${M}/duplicates/${d.id}/${verb}`, { token: g.owner, body: {} });
  await sql(`UPDATE vector SET updated_at = UTC_TIMESTAMP(6) WHERE node_id IN ('${a.id}', '${b.id}')`);
  const again = await g.dedup();
  assert.ok(again.scanned >= 2, 'they are looked at again');
  assert.deepEqual([again.changed, await g.duplicates(), await g.keys(x)], [0, [], ['budget', 'budgets']]);
});

test('content is compared, not keys: equal or alike under any key is one, also a fact; another number and a bare value are not', async () => {
  const g = await house(), facts = { entry_type: 'fact' };
  const texts = { launch_checklist: 'Deploy on Monday.', customer_feedback: 'Deploy on Monday.', x: 'Short text.', y: 'Short text.',
    obs_1: 'The gulls nest on the roof of the customs house.', obs_2: 'The gulls nest on the roof of the customs house.',
    weather: 'The harbour master closes the northern gate at sunset and opens it again before dawn.',
    team_lunch: 'The harbour master closes the north gate at sunset and opens it again before dawn.',
    b1: 'The budget of the harbour is 100 for this year.', b2: 'The budget of the harbour is 200 for this year.', retries: '3', workers: '3', lights: 'blue', door: 'blue' };
  for (const more of [{}, facts]) {
    const x = await g.context();
    for (const [key, content] of Object.entries(texts)) await g.put(x, key, content, more);
    await g.ready(x);
    const run = await g.dedup();
    assert.deepEqual([run.counts.merged, run.counts.review, run.failed], [4, 1, 0], JSON.stringify(run));
    assert.deepEqual(await g.keys(x), ['b1', 'b2', 'door', 'launch_checklist', 'lights', 'obs_1', 'retries', 'weather', 'workers', 'x']);
    const merged = (await g.merges()).filter((m) => m.space_id === x.id);
    assert.deepEqual(merged.map((m) => [m.kind, m.loser_title]).sort(), ['customer_feedback', 'obs_2', 'team_lunch', 'y'].map((key) => [more === facts ? 'fact' : 'entry', key]));
    const pairs = (await g.duplicates()).filter((d) => d.space_id === x.id);
    assert.deepEqual(pairs.map((d) => [d.a_title, d.b_title, d.reason]), [['b1', 'b2', 'details']]);
    for (const m of merged) await undo(g, m);
    assert.deepEqual(await g.keys(x), Object.keys(texts).sort());
  }
});

test('a fact that was merged and then got a new value: the other leads to it, and comes back as it was', async () => {
  const g = await house(), x = await g.context();
  const [a, b] = [await g.put(x, 'gate', OVEN, { entry_type: 'fact', importance_score: 0.8, context_tags: ['p'] }), await g.put(x, 'door', OVEN, { entry_type: 'fact', context_tags: ['q'] })];
  await g.ready(x);
  assert.equal((await g.dedup()).counts.merged, 1);
  const now = (await expectStatus(200, 'PATCH', `${C}/${x.id}/entries/gate`, { token: g.token, body: { content: 'The gate is open all night.' } })).data;
  assert.notEqual(now.id, a.id);
  for (const ref of ['door', b.id]) assert.deepEqual([(await g.read(x, ref)).id, (await g.read(x, ref)).merged_from], [now.id, b.id]);
  const [m] = await g.merges();
  assert.equal(m.keeper_id, now.id);
  await undo(g, m);
  assert.deepEqual([(await g.read(x, 'door')).content, (await g.read(x, 'door')).context_tags, (await g.read(x, 'gate')).context_tags], [OVEN, ['q'], ['p']]);
});

test('a Factual Memory asks people: two keys with equal answers may part again', async () => {
  const g = await house(), A = `/api/v1/ai/agents/${g.agent}/memory`;
  for (const key of ['home port', 'winter port']) await g.post(200, A, { key, value: 'The port of Lower Harbour' }, g.token);
  const space = (await sql(`SELECT id FROM space WHERE account_id = '${g.accountId}' AND name LIKE '%Factual Memory'`))[0][0];
  await embedded(g.slug);
  assert.deepEqual([(await g.dedup()).counts.review, (await sql(`SELECT reason FROM duplicate_candidate WHERE space_id = '${space}'`)).flat()], [1, ['policy']]);
});

test("merges and pairs in an agent's own context: the agent and the people who manage memory see, decide and undo them, nobody else", async () => {
  const g = await house(), A = `/api/v1/ai/agents/${g.agent}/tiered_memory`, texts = { a: OVEN, b: OVEN, b1: 'The budget of the bakery is 100.', b2: 'The budget of the bakery is 200.' };
  for (const [key, value] of Object.entries(texts)) await g.post(200, A, { key, value, tier: 'long_term' }, g.token);
  const space = (await sql(`SELECT id FROM space WHERE account_id = '${g.accountId}' AND name LIKE '%Long-Term Memory'`))[0][0], x = { id: space };
  await embedded(g.slug);
  await expectStatus(404, 'GET', `${C}/${space}`, { token: g.owner });
  assert.deepEqual((await g.dedup()).counts.merged, 1);
  const stranger = await freshAgent(g), viewer = await freshUser(g);
  for (const token of [g.token, g.owner]) {
    const [m] = await g.get(`${M}/merges`, token), [d] = await g.get(`${M}/duplicates`, token);
    assert.deepEqual([m.space_id, m.keeper_title, m.loser_title, d.a_title, d.b_title], [space, 'a', 'b', 'b1', 'b2']);
    await expectStatus(200, 'POST', `${M}/merges/${m.id}/undo`, { token, body: {} });
    assert.equal((await expectStatus(200, 'GET', `${C}/${space}/entries/b`, { token: g.token })).data.merged_from, null);
    await sql(`DELETE FROM duplicate_candidate WHERE space_id = '${space}' AND reason = 'undone'; UPDATE vector v JOIN node n ON n.account_id = v.account_id AND n.id = v.node_id SET v.updated_at = UTC_TIMESTAMP(6) WHERE n.space_id = '${space}'`);
    assert.equal((await g.dedup()).counts.merged, 1);
  }
  const [m] = await g.get(`${M}/merges`, g.token), [d] = await g.get(`${M}/duplicates`, g.token);
  for (const [token, listed, status] of [[stranger.token, 200, 404], [other.owner, 200, 404], [other.token, 200, 404], [viewer.token, 403, 403]]) {
    for (const list of ['merges', 'duplicates']) {
      const r = await call('GET', `${M}/${list}?limit=100`, { token });
      assert.equal(r.status, listed, r.text);
      if (listed === 200) assert.ok(r.data.every((row) => row.space_id !== space));
    }
    for (const path of [`merges/${m.id}/undo`, `duplicates/${d.id}/merge`, `duplicates/${d.id}/keep`]) await expectStatus(status, 'POST', `${M}/${path}`, { token, body: {} });
  }
  // Who reads another's memory by permission alone stands in the audit trail; the agent itself does not.
  const seen = async () => (await g.get('/api/v1/audit?kind=memory.access&limit=100')).filter((e) => e.subject_id === g.agent).length;
  const before = await seen();
  await g.get(`${M}/merges`);
  assert.equal(await seen(), before + 1);
  await g.get(`${M}/merges`, g.token);
  assert.equal(await seen(), before + 1);

  // Which one stays can be chosen; what was merged away says so to whoever changes it.
  await expectStatus(422, 'POST', `${M}/duplicates/${d.id}/merge`, { token: g.owner, body: { keeper_id: m.keeper_id } });
  const chosen = (await expectStatus(200, 'POST', `${M}/duplicates/${d.id}/merge`, { token: g.owner, body: { keeper_id: d.b_id } })).data;
  assert.deepEqual([chosen.keeper_title, chosen.rule], ['b2', 'review']);
  const E = `${C}/${x.id}/entries`;
  for (const ref of ['b1', d.a_id]) {
    assert.deepEqual((await expectStatus(200, 'GET', `${E}/${ref}`, { token: g.token })).data.merged_from, d.a_id);
    for (const [method, path, body] of [['PATCH', '', { content: 'x' }], ['POST', '/boost', {}], ['POST', '/archive', {}], ['POST', '/unarchive', {}]]) {
      const r = await expectStatus(409, method, `${E}/${ref}${path}`, { token: g.token, body });
      assert.deepEqual([r.body.reason, /'b2'/.test(r.text)], ['merged', true], `${method} ${ref}${path}`);
    }
  }
  await expectStatus(409, 'DELETE', `${E}/b1`, { token: g.token });
  await expectStatus(204, 'DELETE', `${E}/${d.a_id}`, { token: g.token });
});

test('a key that was made up blurs nothing: entries without one that say the same are one', async () => {
  const g = await house(), x = await g.context(), short = 'Ada likes tea.';
  for (let i = 0; i < 2; i++) await g.put(x, undefined, short);
  await g.put(x, undefined, OVEN);
  await g.ready(x);
  const run = await g.dedup();
  assert.deepEqual([run.counts.merged, run.counts.review ?? 0, (await g.keys(x)).length], [1, 0, 2], JSON.stringify(run));
  const [m] = await g.merges();
  assert.equal(m.similarity, 1);
});

test('a context says: merge, review or off; what both people pinned stays two', async () => {
  const g = await house();
  const [review, off, pinned] = [await g.context({ dedup: 'review' }), await g.context({ dedup: 'off' }), await g.context()];
  for (const x of [review, off, pinned]) {
    await g.put(x, 'oven', OVEN, { is_pinned: x === pinned });
    await g.put(x, 'ovens', OVEN, { is_pinned: x === pinned });
    await g.ready(x);
  }
  await g.dedup();
  const all = await g.duplicates();
  assert.deepEqual(all.map((d) => [d.space_id, d.reason]).sort(), [[review.id, 'policy'], [pinned.id, 'pinned']].sort());
  for (const x of [review, off, pinned]) assert.equal((await g.keys(x)).length, 2);
  const m = (await expectStatus(200, 'POST', `${M}/duplicates/${all.find((d) => d.reason === 'policy').id}/merge`, { token: g.owner, body: {} })).data;
  assert.deepEqual([m.rule, m.keeper_title, m.actor_kind, await g.keys(review)], ['review', 'oven', 'user', ['oven']]);
});

test('one that is pinned stays, though the other is more important; it gives the importance back', async () => {
  const g = await house(), x = await g.context();
  const a = await g.put(x, 'a', 'one', { is_pinned: true, importance_score: 0.2 }), b = await g.put(x, 'b', 'two', { importance_score: 0.9 });
  const m = await g.merge(a.id, b.id);
  assert.deepEqual([m.keeper_id, (await g.read(x, 'a')).importance_score], [a.id, 0.9]);
  await undo(g, m);
  assert.deepEqual([(await g.read(x, 'a')).importance_score, (await g.read(x, 'b')).importance_score], [0.2, 0.9]);
});

test('undone after the keeper was changed: what was changed stays, the share goes back; a key taken meanwhile is in the way', async () => {
  const g = await house(), x = await g.context();
  const a = await g.put(x, 'a', 'one', { confidence_score: 0.3, context_tags: ['p'] }), b = await g.put(x, 'b', 'two', { confidence_score: 0.8, context_tags: ['q'], importance_score: 0.4 });
  const m = await g.merge(a.id, b.id);
  await expectStatus(200, 'PATCH', `${C}/${x.id}/entries/a`, { token: g.token, body: { confidence_score: 0.7, content: 'three', context_tags: ['p', 'q', 'r'] } });
  await g.put(x, 'b', 'four');
  assert.equal((await g.read(x, 'b')).content, 'four', 'a key that nobody holds is free');
  assert.equal((await g.read(x, b.id)).id, a.id);
  await undo(g, m, 409);
  assert.equal((await g.merges()).length, 1, 'nothing was undone');
  await expectStatus(204, 'DELETE', `${C}/${x.id}/entries/b`, { token: g.token });
  await undo(g, m);
  const [first, second] = [await g.read(x, 'a'), await g.read(x, 'b')];
  assert.deepEqual([first.confidence_score, first.content, first.context_tags], [0.7, 'three', ['p', 'r']]);
  assert.deepEqual([second.id, second.content, second.confidence_score, second.context_tags], [b.id, 'two', 0.8, ['q']]);
});

test('a merge under a later one is undone after it; ids lead on through both', async () => {
  const g = await house(), x = await g.context();
  const [a, b, c] = [await g.put(x, 'a', 'one', { importance_score: 0.3 }), await g.put(x, 'b', 'two', { importance_score: 0.2 }), await g.put(x, 'c', 'three', { importance_score: 0.8 })];
  const first = await g.merge(a.id, b.id), second = await g.merge(a.id, c.id);
  assert.deepEqual([first.keeper_id, second.keeper_id], [a.id, c.id]);
  for (const ref of ['a', 'b', b.id]) assert.equal((await g.read(x, ref)).id, c.id);
  assert.equal((await undo(g, first, 409)).body.reason, 'later_merge');
  await undo(g, second);
  assert.equal((await g.read(x, 'b')).id, a.id);
  await undo(g, first);
  assert.deepEqual(await g.keys(x), ['a', 'b', 'c']);
});

test('learnings and knowledge of a team merge, too; another account and who lacks memory.manage is refused', async () => {
  const g = await house();
  const team = await g.post(201, '/api/v1/teams', { slug: unique('team'), name: 'team' });
  for (const id of [g.agent]) await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${id}`, { token: g.owner, body: {} });
  const learn = async (content, more) => (await g.post(200, `${L}/learnings`, { content, team_id: team.id, ...more }, g.token)).learning;
  const [a, b] = [await learn('Builds want a clean cache.', { importance_score: 0.6, tags: ['ci'] }), await learn('Ships want a calm sea.', { tags: ['sea'] })];
  await expectStatus(404, 'POST', `${M}/duplicates/${await g.pair(a.id, b.id)}/merge`, { token: g.owner, body: {} });
  const [[space]] = await sql(`DELETE FROM duplicate_candidate WHERE a_id = '${a.id}'; SELECT space_id FROM node WHERE id = '${a.id}'`);
  const me = await g.get('/api/v1/me');
  await g.post(201, `/api/v1/spaces/${space}/grants`, { grantee_kind: 'user', grantee_id: me.id, level: 'manage' });     // kept by the audit trail
  const m = await g.merge(a.id, b.id);
  const list = async (status = '') => (await g.get(`${L}/learnings?limit=100${status}`, g.token)).map((l) => [l.id, l.tags]);
  assert.deepEqual([m.kind, await list()], ['learning', [[a.id, ['ci', 'sea']]]]);
  const used = await g.post(200, `${L}/reinforce/${b.id}`, {}, g.token);
  assert.deepEqual([used.id, used.merged_from, used.positive_outcome_count], [a.id, b.id, 1]);
  const know = (title) => g.post(201, K, { title, content: `${title} is known`, team_id: team.id, tags: [title] }, g.token);
  const [k, l] = [await know('tea'), await know('rain')];
  await sql(`INSERT INTO node_use (account_id, node_id, uses, last_used_at) VALUES ('${g.accountId}', '${l.id}', 5, UTC_TIMESTAMP(6))`);
  const n = await g.merge(k.id, l.id), asked = await g.get(`${K}/${l.id}`, g.token);
  assert.deepEqual([asked.id, asked.merged_from, asked.tags, asked.usage_count], [k.id, l.id, ['tea', 'rain'], 5]);

  const viewer = await freshUser(g), pair = await g.pair(a.id, k.id);
  for (const [token, status] of [[other.owner, 404], [viewer.token, 403], [(await freshAgent(g)).token, 404]])
    for (const path of [`merges/${m.id}/undo`, `duplicates/${pair}/merge`, `duplicates/${pair}/keep`]) await expectStatus(status, 'POST', `${M}/${path}`, { token, body: {} });
  assert.equal((await expectStatus(200, 'GET', `${M}/merges`, { token: other.owner })).data.some((r) => r.id === m.id), false);
  assert.match((await expectStatus(409, 'POST', `${M}/duplicates/${pair}/merge`, { token: g.owner, body: {} })).body.detail, /the same space/);

  for (const one of [m, n]) await undo(g, one);
  assert.deepEqual((await list()).sort(), [[a.id, ['ci']], [b.id, ['sea']]].sort());
  const back = await g.get(`${K}/${l.id}`, g.token);
  assert.deepEqual([back.id, back.status, back.merged_from, back.tags, (await g.get(`${K}/${k.id}`, g.token)).tags], [l.id, 'active', null, ['rain'], ['tea']]);
});

test('copies of one text, many at once, are one after one run', async () => {
  const g = await house(), x = await g.context(), n = 14;
  for (let i = 0; i < n; i++) await g.put(x, `oven${'abcdefghijklmn'[i]}`, OVEN, { importance_score: i === 9 ? 0.9 : 0.5 });
  await g.ready(x);
  const run = await g.dedup();
  assert.deepEqual([run.status, run.failed, await g.keys(x)], ['succeeded', 0, ['ovenj']], JSON.stringify(run));
  assert.equal((await g.merges()).length, n - 1);
  assert.equal((await g.read(x, 'ovena')).entry_key, 'ovenj');
});

test('the best learnings of a team become its knowledge, once; another team neither sees nor counts them', async () => {
  const g = await house(), [ann, cid] = [await freshAgent(g), await freshAgent(g)];
  for (const agent of [ann, cid]) {
    const { id } = await g.post(201, '/api/v1/teams', { slug: unique('team'), name: 'team' });
    await expectStatus(200, 'PUT', `/api/v1/teams/${id}/members/${agent.id}`, { token: g.owner, body: {} });
  }
  const learn = async (content, more) => (await g.post(200, `${L}/learnings`, { content, ...more }, ann.token)).learning;
  const known = (agent) => g.get(`${K}?limit=50`, agent.token), health = () => g.get(`${M}/knowledge_health`, cid.token);
  const there = await g.post(201, K, { title: 'Yeast', content: 'Yeast wants warm water to rise.' }, ann.token);
  const best = await learn('Builds want a clean cache.', { category: 'best_practice', importance_score: 0.8, tags: ['ci'] });
  await learn('Ships want a calm sea.', { importance_score: 0.6 });
  await learn(there.content, { importance_score: 0.9 });
  await learn('Yeast wants warm water to rise!', { title: 'Yeast', importance_score: 0.9 });
  await embedded(g.slug);
  const before = await health();
  assert.equal((await g.job('shared_knowledge_maintenance', { dry_run: true })).counts.imported, 1);
  assert.equal((await known(ann)).length, 1, 'a dry run changes nothing');
  const run = await g.job('shared_knowledge_maintenance');
  assert.deepEqual([run.status, run.counts.imported], ['succeeded', 1], JSON.stringify(run));
  const made = (await known(ann)).find((k) => k.id !== there.id);
  assert.deepEqual([made.content, made.access_level, made.content_type, made.source_type, made.tags, made.provenance, made.creator_id],
    [best.content, 'team', 'procedure', 'extraction', ['ci'], { learning_id: best.id }, ann.id]);
  assert.deepEqual([(await known(ann)).length, await known(cid), await health()], [2, [], before]);
  await expectStatus(404, 'GET', `${K}/${made.id}`, { token: cid.token });
  assert.deepEqual((await sql(`SELECT relation FROM edge WHERE source_id = '${made.id}' AND target_id = '${best.id}'`)).flat(), ['DERIVED_FROM']);
  const again = await g.job('shared_knowledge_maintenance');
  assert.deepEqual([again.counts.imported ?? 0, (await known(ann)).length], [0, 2], 'a second run imports nothing');
  await g.post(200, `/api/v1/memory/nodes/${made.id}/archive`, {}, ann.token);
  assert.equal((await g.job('shared_knowledge_maintenance')).counts.imported ?? 0, 0, 'nor one whose knowledge is out of the way');
});

test('merges and undos in any order are what a simple model says', async (t) => {
  t.diagnostic(`LOCI_SEED=${seed}`);
  const g = await house(), x = await g.context(), { int: roll, pick } = dice(seed);
  const model = new Map(), merged = [];
  for (let i = 0; i < 6; i++) {
    const key = String.fromCharCode(97 + i), importance = round(0.1 + 0.1 * roll(8)), confidence = round(0.1 + 0.1 * roll(8)), uses = roll(5), tags = [0, 1, 2, 3].filter(() => roll(2)).map((n) => `t${n}`);
    const e = await g.put(x, key, `text ${key}`, { importance_score: importance, confidence_score: confidence, context_tags: tags });
    model.set(e.id, { id: e.id, key, importance, confidence, uses, tags: new Set(tags), into: null });
    if (uses) await sql(`UPDATE node SET access_count = ${uses} WHERE id = '${e.id}'`);
  }
  const live = () => [...model.values()].filter((e) => !e.into);
  const end = (e) => (e.into ? end(model.get(e.into)) : e);
  const covered = (m) => merged.some((n) => n.standing && n.at > m.at && (n.keeper === m.keeper || n.loser === m.keeper));
  const steps = {
    async merge() {
      const p = pick(live()), q = pick(live().filter((e) => e !== p));
      if (!q) return;
      const [keeper, loser] = [p, q].sort((e, f) => f.importance - e.importance || (e.id < f.id ? -1 : 1));
      await sql(`DELETE FROM duplicate_candidate WHERE a_id IN ('${p.id}', '${q.id}') AND b_id IN ('${p.id}', '${q.id}')`);
      const m = await g.merge(p.id, q.id);
      assert.deepEqual([m.keeper_id, m.loser_id], [keeper.id, loser.id]);
      const given = [...loser.tags].filter((tag) => !keeper.tags.has(tag)), set = loser.confidence > keeper.confidence ? loser.confidence : null;
      merged.push({ id: m.id, at: merged.length, keeper: keeper.id, loser: loser.id, standing: true, given, uses: loser.uses, set, was: keeper.confidence });
      given.forEach((tag) => keeper.tags.add(tag));
      keeper.uses += loser.uses;
      keeper.confidence = set ?? keeper.confidence;
      loser.into = keeper.id;
    },
    async undo() {
      const m = pick(merged);
      if (!m) return;
      const right = m.standing && !covered(m);
      await undo(g, m, right ? 200 : 409);
      if (!right) return;
      const keeper = model.get(m.keeper);
      m.standing = false;
      model.get(m.loser).into = null;
      m.given.forEach((tag) => keeper.tags.delete(tag));
      keeper.uses = Math.max(0, keeper.uses - m.uses);
      if (m.set !== null && keeper.confidence === m.set) keeper.confidence = m.was;
    },
    async change() {
      const e = pick(live()), confidence = round(0.1 + 0.1 * roll(8));
      await expectStatus(200, 'PATCH', `${C}/${x.id}/entries/${e.key}`, { token: g.token, body: { confidence_score: confidence } });
      e.confidence = confidence;
    },
  };
  for (let i = 0; i < 60; i++) {
    await steps[pick(['merge', 'merge', 'undo', 'undo', 'change'])]();
    assert.deepEqual(await g.keys(x), live().map((e) => e.key).sort());
    for (const e of model.values()) {
      const now = await g.read(x, pick([e.id, e.key])), last = end(e);
      assert.deepEqual([now.id, now.importance_score, now.confidence_score, [...now.context_tags].sort(), now.merged_from],
        [last.id, last.importance, last.confidence, [...last.tags].sort(), e.into ? e.id : null], `step ${i}`);
      const [[count]] = await sql(`SELECT access_count FROM node WHERE id = '${last.id}'`);
      assert.ok(Number(count) >= last.uses);
    }
  }
});
