// Compound learnings: seen again, confirmed, disputed, superseded, shared with everyone; and only their team sees them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, freshAgent, freshUser, runEnded, settled, unique, untilByMeaning } from './client.mjs';
import { sql, usedToday } from './db.mjs';

const L = '/api/v1/ai/learning';
let account, red, blue, ann, bob, cid, judge;

const post = async (path, token, body = {}) => (await expectStatus(200, 'POST', `${L}${path}`, { token, body })).data;
const make = async (body = {}, token = ann.token) => {
  const { learning } = await post('/learnings', token, { content: `Learned ${unique('thing')}`, ...body });
  await usedToday(learning.id);
  return learning;
};
const list = async (query = '', token = ann.token) => (await expectStatus(200, 'GET', `${L}/learnings?limit=100&${query}`, { token })).data;
const one = async (id, token = ann.token, status) => (await list(status ? `status=${status}` : '', token)).find((l) => l.id === id);
const has = (rows, id) => rows.some((r) => r.id === id);
const round = (x) => Math.round(1e4 * x) / 1e4;

// ann and bob are of team red, cid of blue; judge reviews and is in both.
before(async () => {
  account = await freshAccount();
  const team = async (name) => (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body: { slug: unique(name), name } })).data;
  const join = (t, agent) => expectStatus(200, 'PUT', `/api/v1/teams/${t.id}/members/${agent.id}`, { token: account.owner, body: {} });
  [red, blue] = [await team('red'), await team('blue')];
  [ann, bob, cid, judge] = [await freshAgent(account), await freshAgent(account), await freshAgent(account), await freshAgent(account, 'trusted')];
  await Promise.all([join(red, ann), join(red, bob), join(blue, cid), join(red, judge), join(blue, judge)]);
});

test('a team learns; another team and another account see nothing and count nothing', async () => {
  const metrics = async (token) => (await expectStatus(200, 'GET', `${L}/compound_metrics`, { token })).data;
  const blind = await metrics(cid.token);
  const l = await make({ category: 'pattern', tags: ['CI', 'ci '] });
  assert.deepEqual([l.team_id, l.scope, l.status, l.category, l.extraction_method, l.importance_score, l.confidence_score, l.effectiveness_score, l.freshness, l.author_id],
    [red.id, 'team', 'active', 'pattern', 'manual', 0.5, 0.5, null, 'fresh', ann.id]);
  assert.deepEqual(l.tags, ['ci']);
  assert.ok(has(await list('', bob.token), l.id));
  const other = await freshAccount();
  for (const token of [cid.token, other.token, other.owner]) {
    assert.ok(!has(await list('', token), l.id));
    for (const [path, body] of [[`/reinforce/${l.id}`, {}], [`/learnings/${l.id}/outcome`, { successful: true }]])
      await expectStatus(404, 'POST', `${L}${path}`, { token, body });
  }
  for (const [path, body] of [[`/learnings/${l.id}/verify`, {}], [`/learnings/${l.id}/dispute`, { reason: 'x' }], ['/verify_batch', { learning_ids: [l.id] }], ['/promote', { learning_id: l.id }]])
    await expectStatus(404, 'POST', `${L}${path}`, { token: other.owner, body });
  assert.deepEqual(await metrics(cid.token), blind);
  assert.equal((await one(l.id)).version, 1);
});

test('the same learning is seen again, not stored twice, even by ten at once', async () => {
  const content = `Builds of ${unique()} want a clean cache.`;
  const all = await Promise.all(Array.from({ length: 10 }, (_, i) => post('/learnings', i % 2 ? ann.token : bob.token, { content })));
  const stored = all.filter((r) => r.stored);
  assert.equal(stored.length, 1);
  assert.ok(all.every((r) => r.learning.id === stored[0].learning.id && (r.stored || r.reason === 'duplicate')));
  const now = await one(stored[0].learning.id);
  assert.deepEqual([now.importance_score, now.confidence_score], [round(0.5 + 9 * 0.03), round(0.5 + 9 * 0.02)]);
  assert.ok((await post('/learnings', cid.token, { content })).stored, 'another team learns it for itself');
});

test('one that says the same is a duplicate, one with another number is not', async () => {
  const word = unique('kiln');
  const l = await make({ content: `The oven of ${word} must be preheated to 100 degrees.` });
  const say = (content) => post('/learnings', bob.token, { content });
  await untilByMeaning(l.id, l.content, bob.token);
  const same = await say(`The oven of ${word} must be preheated to 100 degrees!`);
  assert.deepEqual([same.stored, same.reason, same.learning.id], [false, 'duplicate', l.id]);
  assert.ok((await say(`The oven of ${word} must be preheated to 200 degrees.`)).stored);
  assert.ok((await say(`The oven of ${word} must not be preheated to 100 degrees.`)).stored);
});

test('reinforcement and outcomes move scores as they are said to', async () => {
  const l = await make({ importance_score: 0.4, confidence_score: 0.3 });
  let now = await post(`/reinforce/${l.id}`, bob.token);
  assert.deepEqual([now.importance_score, now.injection_count, now.positive_outcome_count, now.effectiveness_score], [0.45, 1, 1, null]);
  now = await post(`/learnings/${l.id}/outcome`, bob.token, { successful: true });
  assert.deepEqual([now.importance_score, now.confidence_score, now.injection_count, now.positive_outcome_count], [0.45, 0.32, 2, 2]);
  now = await post(`/learnings/${l.id}/outcome`, bob.token, { successful: false });
  assert.deepEqual([now.confidence_score, now.negative_outcome_count, now.effectiveness_score, now.effective_importance], [0.32, 1, round(2 / 3), 0.45]);
  assert.ok(now.last_injected_at);
  await Promise.all(Array.from({ length: 12 }, (_, i) => post(`/learnings/${l.id}/outcome`, i % 2 ? ann.token : bob.token, { successful: i % 3 > 0 })));
  now = await one(l.id);
  assert.deepEqual([now.injection_count, now.positive_outcome_count, now.negative_outcome_count], [15, 10, 5]);
  assert.equal(now.effective_importance, round(0.3 * 0.45 + 0.7 * 12 / 19));
});

test('verifying is for others than the author, and counts once', async () => {
  const l = await make();
  await expectStatus(403, 'POST', `${L}/learnings/${l.id}/verify`, { token: bob.token, body: {} });
  const now = await post(`/learnings/${l.id}/verify`, judge.token);
  assert.deepEqual([now.status, now.importance_score, now.confidence_score, now.verified_by], ['verified', 0.65, 0.6, judge.id]);
  const again = await post(`/learnings/${l.id}/verify`, judge.token);
  assert.deepEqual([again.importance_score, again.version], [0.65, now.version]);
  const own = await make({ team_id: red.id }, judge.token);
  await expectStatus(422, 'POST', `${L}/learnings/${own.id}/verify`, { token: judge.token, body: {} });
  const fresh = await make();
  await expectStatus(422, 'POST', `${L}/verify_batch`, { token: judge.token, body: { learning_ids: [own.id] } });
  const some = await post('/verify_batch', judge.token, { learning_ids: [own.id, fresh.id, '01890000-0000-7000-8000-000000000001'] });
  assert.deepEqual([some.learnings.map((x) => [x.id, x.status]), some.errors.map((x) => [x.index, x.code])],
    [[[fresh.id, 'verified']], [[0, 'VALIDATION_ERROR'], [2, 'NOT_FOUND']]], 'each stands alone');
  const two = await make();
  const { learnings, errors } = await post('/verify_batch', judge.token, { learning_ids: [two.id, fresh.id, two.id] });
  assert.deepEqual(learnings.map((x) => [x.id, x.status, x.importance_score]), [two, fresh, two].map((x) => [x.id, 'verified', 0.65]));
  assert.deepEqual(errors, []);
  await expectStatus(422, 'POST', `${L}/verify_batch`, { token: judge.token, body: { learning_ids: Array(101).fill(two.id) } });
});

test('a dispute takes it out of recall, taking it back restores it', async () => {
  const word = unique('quarry');
  const l = await make({ content: `Stones of ${word} are blue`, importance_score: 0.8, confidence_score: 0.7 });
  const found = async () => has(await list(`query=${word}`), l.id);
  const recalled = async () => (await expectStatus(200, 'POST', '/api/v1/recall', { token: ann.token, body: { query: word, touch: false } })).data.hits.some((h) => h.id === l.id);
  await embedded(account.slug);
  assert.ok(await found());
  await post(`/learnings/${l.id}/verify`, judge.token);
  await expectStatus(422, 'POST', `${L}/learnings/${l.id}/dispute`, { token: judge.token, body: {} });
  const gone = await post(`/learnings/${l.id}/dispute`, judge.token, { reason: 'they are grey' });
  assert.deepEqual([gone.status, gone.importance_score, gone.confidence_score, gone.contradiction_note, gone.disproven_by], ['disproven', 0.05, 0.1, 'they are grey', judge.id]);
  assert.deepEqual([await found(), await recalled(), await one(l.id)], [false, false, undefined]);
  assert.equal((await one(l.id, ann.token, 'disproven')).id, l.id);
  assert.ok(has(await list(`query=${word}&status=disproven`), l.id));
  for (const path of [`/reinforce/${l.id}`, `/learnings/${l.id}/verify`, `/learnings/${l.id}/dispute`])
    await expectStatus(409, 'POST', `${L}${path}`, { token: judge.token, body: path.endsWith('dispute') ? { reason: 'x' } : {} });
  const back = await post(`/learnings/${l.id}/undispute`, judge.token, { reason: 'blue after all' });
  assert.deepEqual([back.status, back.importance_score, back.confidence_score, back.disproven_at], ['verified', 0.95, 0.8, null]);
  await embedded(account.slug);
  assert.ok(await found());
  await expectStatus(409, 'POST', `${L}/learnings/${l.id}/undispute`, { token: judge.token, body: { reason: 'x' } });
});

test('archived it is out of the way; it comes back with the status it had', async () => {
  const l = await make();
  await post(`/learnings/${l.id}/verify`, judge.token);
  const turn = (verb) => expectStatus(200, 'POST', `/api/v1/memory/nodes/${l.id}/${verb}`, { token: ann.token, body: {} });
  await turn('archive');
  assert.equal(await one(l.id), undefined);
  await expectStatus(409, 'POST', `${L}/reinforce/${l.id}`, { token: ann.token, body: {} });
  await turn('unarchive');
  assert.equal((await one(l.id)).status, 'verified');
});

test('of two that contradict each other one wins, and no circle comes of it', async () => {
  const [w, l] = [await make(), await make()];
  const settle = (status, winner_id, loser_id) => expectStatus(status, 'POST', `${L}/resolve_contradiction`, { token: judge.token, body: { winner_id, loser_id, reason: 'measured' } });
  assert.equal((await settle(422, w.id, w.id)).body.errors[0].pointer, '/loser_id');
  const won = (await settle(200, w.id, l.id)).data;
  assert.deepEqual([won.id, won.importance_score], [w.id, 0.6]);
  const lost = await one(l.id, ann.token, 'superseded');
  assert.deepEqual([lost.superseded_by, lost.contradiction_note], [w.id, 'measured']);
  await settle(409, l.id, w.id);
  await settle(409, w.id, l.id);
  await expectStatus(409, 'POST', `${L}/learnings/${w.id}/unsupersede`, { token: judge.token, body: { reason: 'x' } });
  const back = await post(`/learnings/${l.id}/unsupersede`, judge.token, { reason: 'wrongly' });
  assert.deepEqual([back.status, back.superseded_by, back.contradiction_note], ['active', null, 'wrongly']);
  const both = await Promise.all([[w, l], [l, w]].map(([x, y]) => call('POST', `${L}/resolve_contradiction`, { token: judge.token, body: { winner_id: x.id, loser_id: y.id, reason: 'race' } })));
  assert.deepEqual(both.map((r) => r.status).sort(), [200, 409]);
});

test('markers of a text become learnings, and so does what failed', async () => {
  const word = unique('run');
  const text = `Begin.\n- DISCOVERY: ${word} is fast\nPattern: ${word} first, then the rest\nanti-pattern: ${word} by hand\n> Best practice: lock ${word}\nFact:\nFact: ${word} has 3 parts\nIn fact: nothing`;
  const out = await post('/extract', ann.token, { text, execution_id: 'run-7' });
  assert.deepEqual([out.stored.length, out.duplicates.length], [5, 0]);
  const rows = (await list()).filter((l) => out.stored.includes(l.id)).reverse();
  assert.deepEqual(rows.map((l) => l.category), ['discovery', 'pattern', 'anti_pattern', 'best_practice', 'fact']);
  assert.deepEqual(rows.map((l) => l.importance_score), rows.map((l, i) => round(Math.min([0.6, 0.7, 0.9, 0.8, 0.5][i] + Math.min([...l.content].length / 500, 0.1), 1))));
  assert.ok(rows.every((l) => l.extraction_method === 'marker' && l.source_execution_id === 'run-7' && l.source_agent_id === ann.id));
  const again = await post('/extract', bob.token, { text });
  assert.deepEqual([again.stored, again.duplicates], [[], out.stored]);
  const failed = await post('/extract', ann.token, { text: `${word}: the request timed out after a while`, successful: false });
  const f = await one(failed.stored[0]);
  assert.deepEqual([f.category, f.importance_score, f.extraction_method], ['failure_mode', 0.75, 'auto_failure']);
});

test('what a team knows well is copied for everyone, once, by who may', async () => {
  const l = await make({ importance_score: 0.9 });
  await expectStatus(403, 'POST', `${L}/promote`, { token: judge.token, body: { learning_id: l.id } });
  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data;
  const [[space]] = await sql(`SELECT id FROM space WHERE team_id = '${red.id}' AND kind = 'namespace'`);
  await sql(`INSERT IGNORE INTO space_grant (account_id, id, space_id, grantee_kind, grantee_id, level, created_at) VALUES ('${me.account_id}', UUID(), '${space}', 'user', '${me.id}', 'manage', UTC_TIMESTAMP(6))`);
  await expectStatus(201, 'POST', '/api/v1/agents', { token: account.owner, body: { slug: unique('touch'), name: 'Access sets are read anew' } });
  const promote = (status, id = l.id) => expectStatus(status, 'POST', `${L}/promote`, { token: account.owner, body: { learning_id: id } });
  await promote(409);          // not used yet
  await sql(`UPDATE node SET access_count = 2 WHERE id = '${l.id}'`);
  await promote(409, (await make({ importance_score: 0.6 })).id);
  const copy = (await promote(200)).data;
  assert.deepEqual([copy.scope, copy.team_id, copy.content, copy.importance_score], ['global', null, l.content, 0.9]);
  assert.ok(has(await list('scope=global', cid.token), copy.id));
  assert.ok((await one(l.id)).promoted_at);
  const [[edges]] = await sql(`SELECT COUNT(*) FROM edge WHERE source_id = '${l.id}' AND target_id = '${copy.id}' AND relation = 'PROMOTED_TO'`);
  assert.equal(edges, '1');
  await promote(409);
  await expectStatus(403, 'POST', `${L}/learnings`, { token: ann.token, body: { content: 'for all', scope: 'global' } });
});

test('a success and a failure that mean the same are listed as a possible conflict', async () => {
  const word = unique('river');
  const good = await make({ category: 'best_practice', content: `Always retry the upload of ${word} at once when it fails.` });
  const bad = await make({ category: 'anti_pattern', content: `Never retry the upload of ${word} at once when it fails.` });
  const pairs = async (token) => (await expectStatus(200, 'GET', `${L}/conflicts`, { token })).data.conflicts;
  await embedded(account.slug);
  const pair = (await pairs(ann.token)).find((p) => p.failure_id === bad.id && p.success_id === good.id);
  assert.ok(pair.similarity >= 0.7);
  assert.ok(!(await pairs(cid.token)).some((p) => p.failure_id === bad.id));
});

test('lists obey filters and pages; metrics are what they are defined as', async () => {
  const tag = unique('tag');
  const rows = [];
  for (let i = 0; i < 4; i++) rows.push(await make({ tags: [tag], category: i % 2 ? 'fact' : 'pattern', importance_score: 0.2 + 0.2 * i }));
  assert.equal((await list(`tag=${tag}`)).length, 4);
  assert.equal((await list(`tag=${tag}&category=fact`)).length, 2);
  assert.equal((await list(`tag=${tag}&min_importance=0.5`)).length, 2);
  assert.equal((await list(`tag=${tag}&team_id=${blue.id}`)).length, 0);
  const page = await expectStatus(200, 'GET', `${L}/learnings?tag=${tag}&limit=3`, { token: bob.token });
  const rest = await expectStatus(200, 'GET', `${L}/learnings?tag=${tag}&limit=3&cursor=${encodeURIComponent(page.meta.next_cursor)}`, { token: bob.token });
  assert.deepEqual([...page.data, ...rest.data].map((r) => r.id), rows.map((r) => r.id).reverse());
  const dave = await freshAgent(account);
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body: { slug: unique('solo'), name: 'solo' } })).data;
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${dave.id}`, { token: account.owner, body: {} });
  const metrics = async () => (await expectStatus(200, 'GET', `${L}/compound_metrics`, { token: dave.token })).data;
  const before = await metrics();
  const global = before.by_category.map((x) => x.name);
  const l = await make({ category: 'review_finding' }, dave.token);
  for (let i = 0; i < 4; i++) await post(`/learnings/${l.id}/outcome`, dave.token, { successful: i > 0 });
  const after = await metrics();
  assert.equal(after.total, before.total + 1);
  const effectiveness = after.average_effectiveness;
  assert.equal(effectiveness, 0.75);
  assert.equal(after.compound_score, round(100 * (0.3 * (new Set([...global, 'review_finding']).size / 9) + 0.4 * effectiveness + 0.3 * (after.total / 50))));
});

test('what an agent was just shown is no new learning when it writes it down', async () => {
  const word = unique('harbour');
  const l = await make({ content: `The crane of ${word} lifts eighty tons. Its driver sleeps at noon.` }, bob.token);
  const served = async (token) => has(await list(`query=${word}`, token), l.id);
  await embedded(account.slug);
  assert.ok(await served(ann.token));
  await settled(undefined, { parts: ['uses'] });        // behind it, Redis has what was shown
  const said = { content: `the CRANE of ${word} lifts eighty tons!  Its driver sleeps at noon.` };
  const echo = async (token) => (await expectStatus(200, 'POST', `${L}/learnings`, { token, body: said })).data;
  assert.deepEqual(await echo(ann.token), { stored: false, reason: 'echo', of: l.id, learning: null });
  assert.notEqual((await echo(bob.token)).reason, 'echo', 'bob was not shown it');
  const half = `The crane of ${word} lifts eighty tons. Nobody else knows of it yet here.`;
  const doubted = (await post('/learnings', ann.token, { content: half, importance_score: 0.8 })).learning;
  assert.ok(doubted.echo_ratio >= 0.5 && doubted.echo_ratio < 0.8, `${doubted.echo_ratio}`);
  assert.equal(doubted.importance_score, 0.4);
  const out = await post('/extract', ann.token, { text: `Fact: the crane of ${word} lifts eighty tons.` });
  assert.deepEqual(out, { stored: [], duplicates: [], echoes: [l.id] });
  await expectStatus(403, 'POST', `${L}/learnings`, { token: ann.token, body: { ...said, force: true } });
  assert.ok(await served(judge.token));
  assert.ok((await post('/learnings', judge.token, { ...said, team_id: blue.id })).stored, 'to tell another team is no echo');
});

test('bad input is named, readers do not write, generic calls leave it alone', async () => {
  for (const [body, pointer] of [[{}, '/content'], [{ content: 'x', category: 'rumour' }, '/category'], [{ content: 'x', importance_score: 1.2 }, '/importance_score'],
    [{ content: 'x', scope: 'global', team_id: red.id }, '/team_id'], [{ content: 'x'.repeat(10001) }, '/content']]) {
    const r = await expectStatus(422, 'POST', `${L}/learnings`, { token: ann.token, body });
    assert.equal(r.body.errors[0].pointer, pointer);
  }
  const viewer = await freshUser(account, 'viewer');
  await expectStatus(403, 'POST', `${L}/learnings`, { token: viewer.token, body: { content: 'x' } });
  const l = await make();
  await expectStatus(409, 'PATCH', `/api/v1/nodes/${l.id}`, { token: ann.token, body: { body: 'behind its back' } });
});

test('what comes back does not make two of what was learned anew meanwhile', async () => {
  const content = `The kiln of ${unique()} needs a day to cool.`;
  const old = await make({ content });
  const back = {
    dispute: ['undispute', (id) => post(`/learnings/${id}/dispute`, judge.token, { reason: 'not so' })],
    supersede: ['unsupersede', async (id) => post('/resolve_contradiction', judge.token, { winner_id: (await make()).id, loser_id: id, reason: 'newer' })],
    archive: [null, (id) => expectStatus(200, 'POST', `/api/v1/memory/nodes/${id}/archive`, { token: ann.token, body: {} })],
  };
  for (const [undo, away] of Object.values(back)) {
    await away(old.id);
    const again = await post('/learnings', bob.token, { content });
    assert.ok(again.stored, `${undo}`);
    const path = undo ? `${L}/learnings/${old.id}/${undo}` : `/api/v1/memory/nodes/${old.id}/unarchive`, token = undo ? judge.token : ann.token;
    const refused = await expectStatus(409, 'POST', path, { token, body: { reason: 'it was right' } });
    assert.equal(refused.body.reason, 'duplicate');
    assert.ok(refused.body.error.includes(again.learning.id), refused.body.error);
    await expectStatus(200, 'POST', `/api/v1/memory/nodes/${again.learning.id}/archive`, { token: bob.token, body: {} });
    await expectStatus(200, 'POST', path, { token, body: { reason: 'it was right' } });
    const same = await post('/learnings', bob.token, { content });
    assert.deepEqual([same.stored, same.reason, same.of], [false, 'duplicate', old.id]);
  }
});

test('by night learnings that matter are shared with everyone, where the account wants it', async () => {
  const other = await freshAccount(), team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: other.owner, body: { slug: unique('t'), name: 't' } })).data;
  const member = await freshAgent(other);
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${member.id}`, { token: other.owner, body: {} });
  const say = async (body, token = member.token) => (await post('/learnings', token, { team_id: team.id, ...body })).learning;
  const word = unique('mill');
  const good = await say({ content: `The mill of ${word} grinds at 40 turns.`, importance_score: 0.9, tags: ['mill'] });
  const known = await say({ content: `The wheel of ${word} is made of oak.`, importance_score: 0.9 });
  const near = await say({ content: `The oven of ${word} must be preheated to 100 degrees.`, importance_score: 0.9 });
  const differs = await say({ content: `The yard of ${word} holds 12 carts.`, importance_score: 0.9 });
  const weak = await say({ content: `The door of ${word} creaks.`, importance_score: 0.6 });
  const unused = await say({ content: `The cellar of ${word} is dry.`, importance_score: 0.9 });
  for (const content of [`The wheel of ${word} is made of oak.`, `The oven of ${word} must be preheated to 100 degrees!`, `The yard of ${word} holds 13 carts.`])
    await say({ content, team_id: null, scope: 'global' }, other.owner);
  await sql(`UPDATE node SET access_count = 2 WHERE id IN (${[good, known, near, differs, weak].map((l) => `'${l.id}'`)})`);
  await embedded(other.slug);
  const night = async (body = {}) => {
    const { id } = (await expectStatus(202, 'POST', '/api/v1/jobs/learning_promotion/run', { token: other.owner, body })).data;
    return runEnded(other, id);
  };
  assert.equal((await night()).changed, 0, 'a team\'s memory stays its own');
  await expectStatus(200, 'PATCH', '/api/v1/account', { token: other.owner, body: { settings: { learning: { auto_global: true } } }, headers: { 'If-Match': '*' } });
  const globals = async () => (await list('scope=global', other.owner)).map((l) => l.content).filter((t) => t.includes(word)).sort();
  const before = await globals();
  const dry = await night({ dry_run: true });
  assert.deepEqual([dry.status, dry.counts], ['succeeded', { promoted: 2, duplicates: 2 }]);
  assert.deepEqual(await globals(), before);
  const run = await night();
  assert.deepEqual([run.status, run.changed, run.counts], ['succeeded', 2, { promoted: 2, duplicates: 2 }]);
  const copy = (await list('scope=global&tag=mill', other.owner))[0];
  assert.deepEqual(await globals(), [...before, good.content, differs.content].sort());
  assert.deepEqual([copy.content, copy.importance_score, copy.team_id, copy.author_kind], [good.content, 0.9, null, 'system']);
  const theirs = await list('', member.token), promoted = (l) => theirs.find((r) => r.id === l.id).promoted_at;
  assert.deepEqual([promoted(good) !== null, promoted(unused)], [true, null]);
  assert.deepEqual((await sql(`SELECT relation, target_id FROM edge WHERE source_id = '${good.id}'`))[0], ['PROMOTED_TO', copy.id]);
  assert.equal((await night()).changed, 0, 'a second run shares nothing again');
});
