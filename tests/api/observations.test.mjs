// Observations and sensors: one row per finding, what closes it, limits, failures that are named (oversight, section 4).
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, moveClock, runEnded, unique } from './client.mjs';
import { sql } from './db.mjs';

const O = '/api/v1/ai/observations';
let account, accountId, agent;

const send = async (method, path, body, status = 200, token = agent.token) => (await expectStatus(status, method, path, { token, body })).data;
const report = (body = {}, status = 201, token = agent.token) =>
  send('POST', O, { sensor_type: 'code_change', observation_type: 'alert', severity: 'info', title: unique('seen'), ...body }, status, token);
const list = (query = '', token = agent.token) => send('GET', `${O}?limit=100&${query}`, undefined, 200, token);
const run = async (job, status = 'succeeded') => {
  const { id } = await send('POST', `/api/v1/jobs/${job}/run`, {}, 202, account.owner);
  const r = await runEnded(account, id);
  assert.equal(r.status, status, JSON.stringify(r));
  return r;
};
const watch = (a, sensors) => send('PATCH', `/api/v1/agents/${a.id}`, { is_watched: true, sensors }, 200, account.owner);
// Tasks that were given up: platform_health sees them.
const dead = (n) => sql(`INSERT INTO task (id, account_id, kind, priority, idem_key, status, run_at, attempts, max_attempts, created_at) VALUES ${
  Array.from({ length: n }, () => `(UUID(), '${accountId}', 'export', 5, UUID(), 'dead', UTC_TIMESTAMP(6), 3, 3, UTC_TIMESTAMP(6))`)}`);
const bury = () => sql(`DELETE FROM task WHERE account_id = '${accountId}' AND status = 'dead'`);

before(async () => {
  account = await freshAccount();
  accountId = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data.account_id;
  agent = await freshAgent(account);
});

test('a client reports: once per subject, severity only rises, processed rests a quarter of an hour', async () => {
  const o = await report({ subject: 'branch main', title: 'three commits', data: { commits: 3 } });
  assert.deepEqual([o.agent_id, o.status, o.seen_count, o.created, o.source], [agent.id, 'open', 1, true, 'client']);
  const again = await report({ subject: 'branch main', title: 'five commits', data: { commits: 5 }, severity: 'warning' }, 200);
  assert.deepEqual([again.id, again.seen_count, again.data, again.severity, again.created, again.title], [o.id, 2, { commits: 5 }, 'warning', false, 'five commits']);
  assert.equal((await report({ subject: 'branch main' }, 200)).severity, 'warning');
  await report({ subject: 'branch main', observation_type: 'anomaly' });
  const done = await send('POST', `${O}/${o.id}/process`, { note: 'merged' });
  assert.deepEqual([done.status, done.processed_by, done.note, done.processed_kind], ['processed', agent.id, 'merged', 'agent']);
  await send('POST', `${O}/${o.id}/process`, {}, 409);
  const rest = await report({ subject: 'branch main' }, 200);
  assert.deepEqual([rest.id, rest.status, rest.seen_count], [o.id, 'processed', 3]);
  await moveClock('16m');
  assert.notEqual((await report({ subject: 'branch main' })).id, o.id);
  await report({ sensor_type: 'smoke' }, 422);
  await report({ data: { text: 'x'.repeat(17000) } }, 422);
  assert.equal((await send('GET', `/api/v1/audit?subject_id=${o.id}&kind=observation`, undefined, 200, account.owner)).length, 2);
});

test('it expires by itself, and about a goal it is activity', async () => {
  const o = await report({ expires_in: 60 });
  const g = await send('POST', '/api/v1/ai/goals', { title: unique('goal'), goal_type: 'monitoring' }, 201);
  await moveClock('2m');
  assert.equal((await send('GET', `${O}/${o.id}`)).status, 'expired');
  assert.ok(!(await list()).some((x) => x.id === o.id));
  assert.ok((await list('status=expired')).some((x) => x.id === o.id));
  await send('POST', `${O}/${o.id}/process`, {}, 409);
  await report({ goal_id: g.id });
  assert.ok((await send('GET', `/api/v1/ai/goals/${g.id}`)).last_activity_at > g.last_activity_at);
  await report({ goal_id: o.id }, 422);
});

test('22: seen by the agent, by the lead of its team and by people of the account; by nobody else', async () => {
  const [mine, mate, lead] = [await freshAgent(account), await freshAgent(account), await freshAgent(account)];
  const team = await send('POST', '/api/v1/teams', { slug: unique('team'), name: 'T' }, 201, account.owner);
  for (const [who, is_lead] of [[mine, false], [mate, false], [lead, true]]) await send('PUT', `/api/v1/teams/${team.id}/members/${who.id}`, { is_lead }, 200, account.owner);
  const o = await report({}, 201, mine.token), other = await freshAccount();
  assert.deepEqual([(await list('', mate.token)).length, (await list('', lead.token)).map((x) => x.id)], [0, [o.id]]);
  await report({ agent_id: mine.id }, 404, mate.token);
  await report({ agent_id: mine.id }, 201, lead.token);
  for (const token of [mate.token, other.token, other.owner]) {
    await send('GET', `${O}/${o.id}`, undefined, 404, token);
    await send('POST', `${O}/${o.id}/process`, {}, 404, token);
  }
  assert.deepEqual(await list('status=any', other.owner), []);
  await report({ agent_id: mine.id }, 404, other.owner);
  await send('POST', `${O}/${o.id}/process`, {}, 200, lead.token);
});

test('9: the 101st new one of an hour is not stored, one row counts it', async () => {
  const a = await freshAgent(account);
  await moveClock('1h');
  for (let i = 0; i < 100; i++) await report({}, 201, a.token);
  const more = await report({ title: 'one too many' }, 200, a.token);
  assert.deepEqual([more.title, more.source, more.created], ['1 more', 'counter', false]);
  assert.equal((await report({ title: 'two too many' }, 200, a.token)).title, '2 more');
  const rows = await sql(`SELECT COUNT(*), SUM(title = 'one too many') FROM observation WHERE agent_id = '${a.id}'`);
  assert.deepEqual(rows[0], ['101', '0']);
  await moveClock('1h');
  await report({}, 201, a.token);
});

test('7: the same finding in three runs is one row; other counts do not matter; the cause is gone: processed by system', async () => {
  const a = await freshAgent(account);
  await watch(a, ['platform_health']);
  await dead(2);
  await run('observation_pipeline');
  await run('observation_pipeline');
  await dead(3);
  const r = await run('observation_pipeline'), seen = await list('sensor_type=platform_health', a.token);
  assert.deepEqual([r.counts.seen_again, seen.length, seen[0].seen_count, seen[0].data.tasks, seen[0].source], [1, 1, 3, 5, 'sensor']);
  await bury();
  const closed = await run('observation_pipeline');
  const o = await send('GET', `${O}/${seen[0].id}`, undefined, 200, a.token);
  assert.deepEqual([closed.counts.closed, o.status, o.processed_kind, o.processed_by], [1, 'processed', 'system', null]);
  assert.equal((await run('observation_pipeline')).changed, 0, 'nothing is left to say');
  await send('PATCH', `/api/v1/agents/${a.id}`, { sensors: ['smoke'] }, 422, account.owner);
  await send('PATCH', `/api/v1/agents/${a.id}`, { is_watched: false }, 200, account.owner);
});

test('8: a sensor that cannot look makes the run partial and is named; what others find is stored, what it found stays', async () => {
  const a = await freshAgent(account), g = await send('POST', '/api/v1/ai/goals', { title: unique('goal'), goal_type: 'creation' }, 201, a.token);
  await watch(a, ['goal_progress', 'platform_health', 'knowledge_health']);
  await send('PATCH', `/api/v1/ai/goals/${g.id}`, { deadline: new Date(Date.parse(g.created_at) + 3600e3).toISOString() }, 200, a.token);
  await sql(`INSERT INTO memory_census (account_id, day, space_id, class, found) SELECT account_id, '2026-01-01', id, c.class, c.found FROM space,
    (SELECT 'nodes' AS class, 10 AS found UNION SELECT 'junk', 5) c WHERE owner_agent_id = '${a.id}' AND kind = 'namespace'`);
  assert.equal((await run('observation_pipeline')).counts.created, 2);
  await dead(1);
  await sql('RENAME TABLE memory_census TO memory_census_away');
  try {
    const r = await run('observation_pipeline', 'partial');
    assert.deepEqual([r.counts.created, r.counts.closed, r.counts.sensor_errors], [1, undefined, 1]);
    assert.ok(JSON.stringify(r).includes('knowledge_health'), 'it is named');
  } finally {
    await sql('RENAME TABLE memory_census_away TO memory_census');
  }
  await bury();
  const names = async () => (await list('', a.token)).map((o) => o.sensor_type).sort();
  assert.deepEqual(await names(), ['goal_progress', 'knowledge_health', 'platform_health']);
  assert.equal((await run('observation_pipeline')).counts.closed, 1);
  assert.deepEqual(await names(), ['goal_progress', 'knowledge_health']);
});

test('critical with something to do opens an escalation, once; it goes with its cause', async () => {
  const open = async () => (await send('GET', '/api/v1/ai/escalations', undefined, 200, account.owner)).filter((e) => e.severity === 'critical');
  const o = { subject: 'money', sensor_type: 'budget', title: 'Nothing is left', severity: 'critical' };
  await report({ ...o, severity: 'warning', requires_action: true });
  assert.equal((await open()).length, 0);
  await report({ ...o, requires_action: true }, 200);
  await report({ ...o, requires_action: true }, 200);
  assert.deepEqual((await open()).map((e) => [e.title, e.agent_id, e.seen_count]), [['Nothing is left', agent.id, 1]]);
  const [one, two] = [await freshAgent(account), await freshAgent(account)];
  for (const a of [one, two]) await watch(a, ['platform_health']);
  await sql(`INSERT INTO job_run (id, job_name, account_id, parent_id, \`trigger\`, fire_at, status, created_at) SELECT CONCAT(LEFT(UUIDS.id, 24), LEFT(SHA2(CONCAT(UUIDS.id, n), 256), 12)), 'fp_growth', '${accountId}', UUID(), 'cron',
    UTC_TIMESTAMP(6), 'failed', UTC_TIMESTAMP(6) FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) x, (SELECT MAX(id) AS id FROM job_run) UUIDS`);
  await run('observation_pipeline');
  assert.deepEqual((await list('severity=critical', two.token)).map((x) => [x.title, x.data.times]), [['The job fp_growth failed', 3]]);
  assert.equal((await open()).length, 2, 'one for both agents');
  await sql(`DELETE FROM job_run WHERE account_id = '${accountId}' AND job_name = 'fp_growth'`);
  await run('observation_pipeline');
  assert.equal((await open()).length, 1);
  assert.ok((await send('GET', '/api/v1/ai/escalations?status=resolved', undefined, 200, account.owner)).some((e) => e.status === 'auto_resolved'));
  for (const a of [one, two]) await send('PATCH', `/api/v1/agents/${a.id}`, { is_watched: false }, 200, account.owner);
});

test('every sensor answers, and a run asks as often for ten agents as for one', async () => {
  const all = ['knowledge_health', 'platform_health', 'recommendation', 'peer_agent', 'goal_progress', 'governance', 'workspace'];
  const agents = [];
  for (let i = 0; i < 10; i++) agents.push(await freshAgent(account));
  for (const a of agents) await watch(a, all);
  const r = await run('observation_pipeline');
  assert.ok(r.scanned - r.counts.agents <= 7, JSON.stringify(r));
  const [mate, refused] = agents;
  const team = await send('POST', '/api/v1/teams', { slug: unique('team'), name: 'T' }, 201, account.owner);
  for (const who of [mate, refused]) await send('PUT', `/api/v1/teams/${team.id}/members/${who.id}`, {}, 200, account.owner);
  for (let i = 0; i < 5; i++) await send('POST', '/api/v1/users', { email: `${unique('x')}@example.org`, name: 'x', role: 'viewer' }, 403, refused.token);
  await send('POST', '/api/v1/ai/escalations/questions', { query: unique('where is it?') }, 200, refused.token);
  await sql(`UPDATE escalation SET severity = 'high' WHERE agent_id = '${refused.id}'`);
  await send('POST', `/api/v1/ai/agents/${refused.id}/trust/evaluations`, { items: [1, 2, 3].map(() => ({ execution_id: randomUUID(), outcome: 'failed' })) }, 200, account.owner);
  await sql(`INSERT INTO trust_event (account_id, id, agent_id, kind, execution_id, inputs, \`before\`, \`after\`, at) SELECT account_id, CONCAT(LEFT(id, 24), LEFT(SHA2(id, 256), 12)), agent_id, 'decay', UUID(), '{}',
    '{"tier": "trusted"}', '{"tier": "monitored"}', at FROM trust_event WHERE agent_id = '${refused.id}' LIMIT 1`);
  await sql(`INSERT INTO recommendation (account_id, id, recommendation_type, target_kind, target_id, title, confidence, agent_id, topic, created_at, updated_at) VALUES
    ('${accountId}', UUID(), 'policy_adjustment', 'agent', '${mate.id}', 'Ask less', 0.9, '${mate.id}', UNHEX(SHA2('x', 256)), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))`);
  await run('observation_pipeline');
  const seen = async (a) => (await list('', a.token)).map((o) => `${o.sensor_type}: ${o.title}`).sort();
  assert.deepEqual(await seen(refused), ['governance: 5 accesses were refused within an hour', 'governance: Its tier of trust fell', 'workspace: 1 questions wait for an answer']);
  const names = (await expectStatus(200, 'GET', `/api/v1/agents/${refused.id}`, { token: account.owner })).data.name;
  assert.deepEqual(await seen(mate), [`peer_agent: ${names} fails`, `peer_agent: ${names} has an open escalation`, 'recommendation: 1 recommendations wait for a decision']);
});

test('a language model that fails is said: more than 3 of 10 of at least 5 questions of the hour; critical beyond half', async () => {
  const a = await freshAgent(account), found = async () => (await list('sensor_type=platform_health', a.token)).map((o) => [o.title, o.severity, o.data]);
  const hour = Math.floor(Date.parse((await report({}, 201, a.token)).created_at) / 3600e3);
  const asked = async (calls, failed, back = 0) => {
    await sql(`REPLACE INTO llm_usage (account_id, day, calls, hour, hour_calls, hour_failed) VALUES ('${accountId}', ${Math.floor((hour - back) / 24)}, ${calls}, ${hour - back}, ${calls}, ${failed})`);
    await run('observation_pipeline');
    return found();
  };
  await watch(a, ['platform_health']);
  assert.deepEqual(await asked(4, 4), [], 'too few to tell');
  assert.deepEqual(await asked(10, 3), []);
  assert.deepEqual(await asked(10, 4), [['The language model fails', 'warning', { calls: 10, failed: 4 }]]);
  assert.deepEqual(await asked(10, 6), [['The language model fails', 'critical', { calls: 10, failed: 6 }]]);
  await sql(`DELETE FROM llm_usage WHERE account_id = '${accountId}'`);
  assert.deepEqual(await asked(10, 6, 3), [], 'hours ago');
  await send('PATCH', `/api/v1/agents/${a.id}`, { is_watched: false }, 200, account.owner);
});

test('24: a hundred thousand are cleaned in batches, two runs at the bound of 50,000; no statement takes a second', async () => {
  await run('observation_cleanup');
  const a = await freshAgent(account);
  await sql(`INSERT INTO observation (account_id, id, agent_id, sensor_type, observation_type, severity, title, fingerprint, status, last_seen_at, expires_at, due_at, created_at, updated_at)
    SELECT '${accountId}', UUID(), '${a.id}', 'budget', 'alert', 'info', 'old', UNHEX(SHA2(seq, 256)), 'processed', '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-01' FROM seq_1_to_100000`);
  const left = async () => Number((await sql(`SELECT COUNT(*) FROM observation WHERE agent_id = '${a.id}'`))[0][0]);
  const first = await run('observation_cleanup', 'partial');
  assert.deepEqual([first.reason, await left()], ['bound', 50000]);
  const second = await run('observation_cleanup', 'partial');
  assert.deepEqual([second.counts.deleted, await left()], [50000, 0]);
  assert.equal((await run('observation_cleanup')).changed, 0);
  const took = (Date.parse(first.finished_at) - Date.parse(first.started_at)) / 50;
  assert.ok(took < 1000, `${took} ms for a batch of 1,000`);
});
