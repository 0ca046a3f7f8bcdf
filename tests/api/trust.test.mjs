// How far agents are trusted: evaluations, tiers, the decay of the idle, emergencies, pins, teams, feedback.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, freshAgent, freshUser, moveClock, runEnded, signIn, unique } from './client.mjs';
import { sql } from './db.mjs';

const AI = '/api/v1/ai';
const GOOD = { outcome: 'completed', safety: 'none', quality_score: 1, budget_left: 1, cost_per_1k: 0, duration_ms: 0 };
let account, viewer;

before(async () => {
  account = await freshAccount();
  account.id = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data.account_id;
  viewer = await freshUser(account, 'viewer');
});

const near = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-6, `${what ?? ''} ${a} is not ${b}`);
const good = (n) => Array.from({ length: n }, () => ({ execution_id: randomUUID(), ...GOOD }));
const evaluate = async (agent, token, items, status = 200) => (await expectStatus(status, 'POST', `${AI}/agents/${agent.id}/trust/evaluations`, { token, body: { items } })).data;
const trustOf = async (agent, token = account.owner) => (await expectStatus(200, 'GET', `${AI}/agents/${agent.id}/trust`, { token })).data;
const bars = (t, which = 'now') => Object.fromEntries(t.dimensions.map((d) => [d.dimension, d[which]]));
const order = (agent, what, body, status = 200, token = account.owner) => expectStatus(status, 'POST', `${AI}/agents/${agent.id}/trust/${what}`, { token, body });
const childOf = async (parent) => {
  const a = await freshAgent(account);
  await expectStatus(200, 'PATCH', `/api/v1/agents/${a.id}`, { token: account.owner, body: { parent_id: parent.id } });
  return a;
};
const decay = async (body = {}) => runEnded(account, (await expectStatus(202, 'POST', '/api/v1/jobs/trust_decay/run', { token: account.owner, body })).data.id);
// As if the agent had been evaluated to these values so many days ago.
const asOf = (agent, days, d, tier = 'trusted') => sql(`INSERT INTO agent_trust (account_id, agent_id, reliability, cost, safety, quality, speed, overall, tier, evaluation_count, last_evaluated_at, tier_since,
  created_at, updated_at) SELECT account_id, id, ${d}, ${d}, ${d}, ${d}, ${d}, ${d}, '${tier}', 20, at - INTERVAL ${days} DAY, at - INTERVAL ${days} DAY, at, at FROM agent JOIN
  (SELECT COALESCE((SELECT MAX(at) FROM audit_event WHERE account_id = '${account.id}'), UTC_TIMESTAMP(6)) AS at) now WHERE account_id = '${account.id}' AND id = '${agent.id}'
  ON DUPLICATE KEY UPDATE last_evaluated_at = VALUE(last_evaluated_at), decayed_at = NULL`);

test('a new agent, ten good evaluations by its parent, twelve hours, a hundred of its own', async () => {
  const parent = await freshAgent(account), child = await childOf(parent), alone = await freshAgent(account), other = await freshAgent(account);
  let t = await trustOf(child);
  assert.deepEqual([t.overall, t.tier, t.evaluation_count], [0.65, 'supervised', 0]);
  assert.ok(t.why_not_higher.some((w) => w.startsWith('0 of 10')) && t.why_not_higher.some((w) => w.includes('12 hours')));
  assert.equal((await evaluate(child, parent.token, good(10))).counted, 10);
  assert.equal((await trustOf(child)).tier, 'supervised');
  await moveClock('12h');
  t = await trustOf(child);
  assert.deepEqual([t.tier, t.evaluation_count], ['monitored', 10]);
  assert.ok(t.overall > 0.9);
  assert.equal((await evaluate(child, parent.token, good(1))).tier, 'monitored');
  assert.equal((await expectStatus(200, 'GET', `/api/v1/agents/${child.id}`, { token: account.owner })).data.trust, (await trustOf(child)).overall_stored);
  for (let i = 0; i < 5; i++) assert.equal((await evaluate(alone, alone.token, good(20))).own, true);
  await moveClock('12h');
  t = await trustOf(alone);
  assert.deepEqual([t.overall, t.tier, t.evaluation_count], [0.65, 'supervised', 0]);
  await evaluate(alone, alone.token, [{ execution_id: randomUUID(), quality_score: 0 }]);
  near(bars(await trustOf(alone)).quality, 0.35, 'what lowers counts');
  // Who may: not a stranger, not a person without the permission, but the lead of its team.
  await evaluate(child, other.token, good(1), 404);
  await expectStatus(404, 'GET', `${AI}/agents/${child.id}/trust`, { token: other.token });
  await evaluate(child, (await freshUser(account, 'editor')).token, good(1), 403);
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body: { slug: unique('team'), name: 'Team' } })).data;
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${child.id}`, { token: account.owner, body: {} });
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${other.id}`, { token: account.owner, body: { is_lead: true } });
  assert.equal((await evaluate(child, other.token, good(1))).counted, 1);
  const of = (await expectStatus(200, 'GET', `${AI}/teams/${team.id}/trust`, { token: other.token })).data, n = (await trustOf(child)).evaluation_count;
  assert.equal(of.members, 2);
  near(bars(of).reliability, (bars(await trustOf(child)).reliability * (n + 1) + 0.5) / (n + 2), 'weighted');
  await expectStatus(404, 'GET', `${AI}/teams/${team.id}/trust`, { token: child.token });
  for (const n of [0, 21]) await evaluate(child, account.owner, good(n), 422);
  await evaluate(child, account.owner, [{ execution_id: randomUUID(), at: '2999-01-01T00:00:00Z' }], 422);
});

test('ten at once, one execution twice: nine effects', async () => {
  const a = await freshAgent(account), ids = Array.from({ length: 9 }, () => randomUUID());
  const done = await Promise.all([...ids, ids[0]].map((execution_id) => evaluate(a, account.owner, [{ execution_id, quality_score: 1 }])));
  assert.equal(done.reduce((n, r) => n + r.counted, 0), 9);
  const t = await trustOf(a);
  near(bars(t).quality, 1 - 0.5 * 0.7 ** 9);
  assert.deepEqual([t.evaluation_count, t.history.length], [9, 9]);
  const twice = randomUUID();
  assert.deepEqual(await evaluate(a, account.owner, [{ execution_id: twice }, { execution_id: twice }]).then((r) => [r.counted, r.repeated]), [1, 1]);
  for (let i = 0; i < 3; i++) await evaluate(a, account.owner, good(20));
  assert.equal((await trustOf(a)).history.length, 50);
});

test('what an evaluation says of each dimension', async () => {
  const a = await freshAgent(account);
  await evaluate(a, account.owner, [{ execution_id: randomUUID(), outcome: 'completed_with_warnings', cost_per_1k: 0.025, safety: 'pii', rating: 4, duration_ms: 15000 }]);
  const b = bars(await trustOf(a));
  for (const [name, was, x] of [['reliability', 0.5, 0.7], ['cost', 0.5, 0.5], ['safety', 1, 0.7], ['quality', 0.5, 0.8], ['speed', 0.5, 0.5]]) near(b[name], was + 0.3 * (x - was), name);
  await evaluate(a, account.owner, [{ execution_id: randomUUID(), budget_left: 1, cost_per_1k: 1, verdict: 'needs_work' }]);
  const then = bars(await trustOf(a));
  near(then.cost, 0.5 + 0.3 * (0.4 - 0.5));
  near(then.quality, b.quality + 0.3 * (0.6 - b.quality));
  near(then.speed, b.speed);
});

test('idleness lowers, however often the job runs, and heals nothing', async () => {
  const daily = await freshAgent(account), once = await freshAgent(account), bad = await freshAgent(account), week = await freshAgent(account);
  await asOf(week, 6.99, 0.9);
  await asOf(bad, 365, 0.3, 'supervised');
  assert.ok((await decay({ dry_run: true })).scanned >= 1);
  await decay();
  near((await trustOf(week)).overall_stored, 0.9);
  near((await trustOf(bad)).overall_stored, 0.3);
  await asOf(daily, 30, 0.9);
  await asOf(once, 30, 0.9);
  for (let day = 0; day < 3; day++) {
    await sql(`UPDATE agent_trust SET decayed_at = '2999-01-01' WHERE agent_id = '${once.id}'`);
    await decay();
    await moveClock('24h');
  }
  const between = (await trustOf(daily)).overall_stored;
  assert.ok(between < 0.9 && between > 0.78);
  for (const a of [daily, once]) await sql(`UPDATE agent_trust SET last_evaluated_at = last_evaluated_at - INTERVAL 366 DAY, decayed_at = IF(agent_id = '${once.id}', NULL, decayed_at - INTERVAL 366 DAY) WHERE agent_id = '${a.id}'`);
  const run = await decay();
  assert.ok(run.counts.decayed >= 1);
  for (const a of [daily, once]) {
    const t = await trustOf(a);
    near(t.overall_stored, 0.5 + 0.4 * 0.7, 'after long');
    near(bars(t, 'stored').quality, 0.9, 'what is stored stays');
    assert.equal(t.tier, 'trusted');
  }
  assert.equal((await decay()).changed, 0);
  await asOf(await freshAgent(account), 200, 0.95, 'autonomous');
  assert.equal((await decay()).counts.demoted, 1);
  // An evaluation begins from what is left, not from what was stored.
  await evaluate(once, account.owner, [{ execution_id: randomUUID(), quality_score: 0.78 }]);
  near((await trustOf(once)).overall, 0.78);
});

test('a violation of safety: supervised and reading only until somebody lifts it', async () => {
  const parent = await freshAgent(account), a = await childOf(parent);
  const write = (status) => expectStatus(status, 'POST', '/api/v1/memory/capture', { token: a.token, body: { content: unique('note') } });
  await asOf(a, 1, 0.95, 'autonomous');
  await order(a, 'pin', { tier: 'autonomous', reason: 'proved' });
  await write(200);
  const r = await evaluate(a, parent.token, [{ execution_id: randomUUID(), safety: 'violation' }]);
  assert.equal(r.tier, 'supervised');
  await write(403);
  await expectStatus(200, 'GET', '/api/v1/nodes', { token: a.token });
  const t = await trustOf(a);
  near(bars(t).safety, 0.95 * 0.7 - 0.3);
  assert.deepEqual([t.pinned_tier, t.limited_at !== null, t.open_items.find((o) => o.what === 'escalations').n], [null, true, 1]);
  const [e] = (await expectStatus(200, 'GET', `${AI}/escalations?agent_id=${a.id}`, { token: account.owner })).data;
  assert.deepEqual([e.escalation_type, e.severity, e.status], ['security_issue', 'critical', 'open']);
  await order(a, 'pin', { tier: 'trusted', reason: 'no' }, 409);
  await order(a, 'lift', { reason: 'I am good' }, 403, a.token);
  await order(a, 'lift', { reason: 'looked at it' });
  await write(200);
  assert.equal((await trustOf(a)).tier, 'supervised');
  await order(a, 'lift', { reason: 'again' }, 409);
  assert.equal((await expectStatus(200, 'GET', `${AI}/escalations/${e.id}`, { token: account.owner })).data.status, 'auto_resolved');
  await order(a, 'emergency', { reason: 'once more' });
  await write(403);
  assert.equal((await trustOf(a)).history[0].kind, 'emergency');
  // A role that may less than readonly does not get more by it.
  const role = (await expectStatus(201, 'POST', '/api/v1/roles', { token: account.owner, body: { name: unique('poor'), description: 'd', kind: 'agent', permissions: ['memory.write'] } })).data;
  const poor = await freshAgent(account, role.name);
  await order(poor, 'emergency', { reason: 'bad' });
  await expectStatus(403, 'GET', '/api/v1/nodes', { token: poor.token });
});

test('what it may believe of itself follows its tier, once it has risen or fallen', async () => {
  const a = await freshAgent(account);
  const said = async () => (await expectStatus(200, 'POST', '/api/v1/memory/capture', { token: a.token, body: { content: unique('note') } })).data.trust;
  assert.equal(await said(), 0.55);
  await order(a, 'pin', { tier: 'autonomous', reason: 'proved' });
  assert.equal(await said(), 0.8);
  await order(a, 'emergency', { reason: 'bad' });
  await order(a, 'lift', { reason: 'looked at it' });
  assert.equal(await said(), 0.4);
});

test('a pin holds and says why', async () => {
  const a = await freshAgent(account);
  assert.equal((await order(a, 'pin', { tier: 'trusted', reason: 'known from before' })).data.tier, 'trusted');
  const t = await trustOf(a);
  assert.deepEqual([t.tier, t.earned_tier, t.pinned_tier], ['trusted', 'supervised', 'trusted']);
  assert.ok(t.why_not_higher.some((w) => w.includes('known from before')));
  await order(a, 'pin', { tier: 'autonomous', reason: 'me' }, 403, a.token);
  assert.equal((await order(a, 'pin', { reason: 'over' })).data.tier, 'supervised');
});

test('what a learning turned out to be worth counts once', async () => {
  const a = await freshAgent(account);
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body: { slug: unique('team'), name: 'Team' } })).data;
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${a.id}`, { token: account.owner, body: {} });
  const judge = await freshAgent(account, 'trusted');
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${judge.id}`, { token: account.owner, body: {} });
  const make = async () => (await expectStatus(200, 'POST', `${AI}/learning/learnings`, { token: a.token, body: { content: `${unique('one')} ${unique('two')} ${unique('three')}`, team_id: team.id } })).data.learning;
  const one = await make();
  const verify = () => call('POST', `${AI}/learning/learnings/${one.id}/verify`, { token: judge.token, body: {} });
  assert.equal((await verify()).status, 200);
  await verify();
  const t = await trustOf(a);
  near(bars(t).quality, 0.5 + 0.3 * 0.5);
  assert.deepEqual([t.history.length, t.history[0].kind, t.history[0].by_id !== null], [1, 'learning_verified', true]);
  const two = await make();
  await expectStatus(200, 'POST', `${AI}/learning/learnings/${two.id}/dispute`, { token: judge.token, body: { reason: 'it is not so' } });
  near(bars(await trustOf(a)).quality, 0.65 * 0.7);
});

test('feedback moves trust to what the last rating alone gives', async () => {
  const a = await freshAgent(account), path = `${AI}/feedback`;
  const give = async (rating, token = account.owner, status = 200, more = {}) => (await expectStatus(status, 'POST', path, { token, body: { agent_id: a.id, rating, ...more } })).data;
  const first = await give(5);
  near(bars(await trustOf(a)).quality, 0.65);
  const again = await give(1);
  assert.deepEqual([again.id, again.version, again.applied_to_trust], [first.id, 2, true]);
  near(bars(await trustOf(a)).quality, 0.35);
  await give(1);
  near(bars(await trustOf(a)).quality, 0.35);
  assert.equal((await trustOf(a)).evaluation_count, 1);
  await give(5, a.token, 403);
  await give(6, account.owner, 422);
  // Asked for: the person is told, three wait at most, and giving it fills the request.
  const ask = (status, more = {}) => expectStatus(status, 'POST', `${path}/requests`, { token: a.token, body: { user_id: viewer.id, message: 'How was it?', context_kind: 'work_item', context_id: randomUUID(), ...more } });
  const asked = (await ask(200)).data;
  assert.deepEqual([asked.rating, asked.user_id], [null, viewer.id]);
  const told = (await expectStatus(200, 'GET', `${AI}/notifications`, { token: viewer.token })).data;
  assert.equal(told.filter((n) => n.category === 'feedback').length, 1);
  await ask(409, { context_id: asked.context_id });
  await ask(200);
  await ask(200);
  await ask(409);
  await ask(422, { user_id: randomUUID() });
  const filled = await give(3, viewer.token, 200, { context_kind: 'work_item', context_id: asked.context_id });
  assert.deepEqual([filled.id, filled.rating], [asked.id, 3]);
  await ask(200);
  assert.deepEqual((await expectStatus(200, 'GET', path, { token: viewer.token })).data.map((f) => f.user_id === viewer.id), [true, true, true, true]);
  assert.equal((await expectStatus(200, 'GET', `${path}?open=true`, { token: a.token })).data.length, 3);
  assert.equal((await expectStatus(200, 'GET', `${path}?agent_id=${a.id}`, { token: account.owner })).data.length, 5);
});

test('what it knows and holds; of another account there is nothing', async () => {
  const a = await freshAgent(account), stranger = await freshAccount();
  await expectStatus(200, 'POST', '/api/v1/memory/capture', { token: a.token, body: { content: unique('note') } });
  const own = (await expectStatus(200, 'GET', `${AI}/agents/me/overview`, { token: a.token })).data;
  assert.ok(own.memories.some((m) => m.what === 'episode' && m.n === 1), JSON.stringify(own.memories));
  assert.equal(own.tokens, 1);
  assert.ok(own.spaces.some((s) => s.level === 'manage'));
  const goal = (await expectStatus(201, 'POST', `${AI}/goals`, { token: a.token, body: { title: unique('goal'), goal_type: 'improvement' } })).data;
  assert.deepEqual((await trustOf(a, a.token)).goals.map((g) => [g.id, g.title]), [[goal.id, goal.title]]);
  assert.deepEqual((await trustOf(a, viewer.token)).goals, [], 'not for those who may not read its namespace');
  const seen = (await expectStatus(200, 'GET', `${AI}/agents/${a.id}/overview`, { token: viewer.token })).data;
  assert.deepEqual([seen.memories, seen.spaces.some((s) => s.level === 'manage')], [[], false]);
  for (const what of ['trust', 'overview']) await expectStatus(404, 'GET', `${AI}/agents/${a.id}/${what}`, { token: stranger.owner });
  await evaluate(a, stranger.owner, good(1), 404);
  for (const what of ['pin', 'lift', 'emergency']) await order(a, what, { reason: 'x' }, 404, stranger.owner);
  await expectStatus(404, 'POST', `${AI}/feedback`, { token: stranger.owner, body: { agent_id: a.id, rating: 1 } });
});

test('the playground recalls as an agent, for those who may manage memory, and the audit trail says so', async () => {
  const a = await freshAgent(account), word = unique('word'), password = unique('password');
  await expectStatus(200, 'POST', '/api/v1/memory/capture', { token: a.token, body: { content: `The ${word} is in the drawer.` } });
  const look = async (role, as) => {
    const email = `${unique('user')}@example.org`;
    await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: { email, name: role, role, password } });
    const r = await fetch(`${BASE}/admin/recall?query=${word}${as ? `&as_agent=${as}` : ''}`, { headers: { Cookie: await signIn({ account: account.slug, email, password }) } });
    return [r.status, (await r.text()).includes(`The ${word} is in the drawer`)];
  };
  const [[n]] = await sql(`SELECT COUNT(*) FROM audit_event WHERE kind = 'recall_on_behalf' AND subject_id = '${a.id}'`);
  assert.deepEqual(await look('admin'), [200, false]);
  assert.deepEqual(await look('admin', a.id), [200, true]);
  assert.equal((await look('admin', randomUUID()))[0], 404);
  assert.equal((await look('viewer', a.id))[0], 404);
  assert.deepEqual([n, ...(await sql(`SELECT COUNT(*) FROM audit_event WHERE kind = 'recall_on_behalf' AND subject_id = '${a.id}'`))[0]], ['0', '1']);
});
