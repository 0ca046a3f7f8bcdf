// Goals of agents: how many at once, who sees them, what counts as activity, what the job does with idle ones (oversight, section 3).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, freshUser, moveClock, runEnded, unique } from './client.mjs';
import { sql } from './db.mjs';

const G = '/api/v1/ai/goals';
let account, agent;

const send = async (method, path, body, status = 200, token = agent.token) => (await expectStatus(status, method, path, { token, body })).data;
const goal = (body = {}, token = agent.token, status = 201) => send('POST', G, { title: unique('goal'), goal_type: 'creation', ...body }, status, token);
const get = (id, token = agent.token, status = 200) => send('GET', `${G}/${id}`, undefined, status, token);
const patch = (id, body, status = 200, token = agent.token) => send('PATCH', `${G}/${id}`, body, status, token);
const list = async (query = '', token = agent.token) => (await expectStatus(200, 'GET', `${G}?${query}`, { token })).data.map((g) => g.id);
const keep = async () => {
  const { id } = await send('POST', '/api/v1/jobs/goal_maintenance/run', {}, 202, account.owner);
  const run = await runEnded(account, id);
  assert.equal(run.status, 'succeeded', JSON.stringify(run));
  return run;
};

before(async () => {
  account = await freshAccount();
  agent = await freshAgent(account);
});

test('a goal is a node that the agent recalls; the node calls do not change it; a link serves it', async () => {
  const a = await freshAgent(account), word = unique('harbour');
  const g = await goal({ title: `Dredge the ${word}`, description: 'To nine metres', deadline: '2090-01-01T00:00:00Z', priority: 2 }, a.token);
  assert.deepEqual([g.agent_id, g.status, g.progress, g.priority, g.depth, g.version], [a.id, 'pending', 0, 2, 1, 1]);
  const found = await send('POST', '/api/v1/recall', { query: word, kinds: ['goal'] }, 200, a.token);
  assert.equal(found.hits[0].id, g.id);
  await send('PATCH', `/api/v1/nodes/${g.id}`, { title: 'around' }, 409, a.token);
  await send('POST', '/api/v1/nodes', { kind: 'goal', title: 'around' }, 422, a.token);
  const changed = await patch(g.id, { title: `Dredge all of the ${word}`, status: 'active' }, 200, a.token);
  assert.deepEqual([changed.title, changed.status, changed.version], [`Dredge all of the ${word}`, 'active', 2]);
  assert.equal((await send('GET', `/api/v1/nodes/${g.id}`, undefined, 200, a.token)).title, changed.title);
  await expectStatus(412, 'PATCH', `${G}/${g.id}`, { token: a.token, body: { priority: 1 }, headers: { 'If-Match': '"1"' } });
  await patch(g.id, { progress: 1 }, 200, a.token);
  const done = await get(g.id, a.token);
  assert.equal(done.status, 'achieved');
  await patch(g.id, { progress: 0.5 }, 409, a.token);
  assert.deepEqual([await list('', a.token), await list('status=terminal', a.token)], [[], [g.id]]);
  await send('DELETE', `/api/v1/nodes/${g.id}`, undefined, 409, a.token);
});

test('status moves, reason, and what becomes of goals below', async () => {
  const a = await freshAgent(account), top = await goal({}, a.token);
  await patch(top.id, { status: 'paused' }, 409, a.token);
  await patch(top.id, { status: 'active' }, 200, a.token);
  await patch(top.id, { status: 'paused' }, 200, a.token);
  await patch(top.id, { status: 'pending' }, 409, a.token);
  const [one, two] = [await goal({ parent_goal_id: top.id }, a.token), await goal({ parent_goal_id: top.id }, a.token)];
  const under = await goal({ parent_goal_id: one.id }, a.token);
  await patch(two.id, { status: 'failed', reason: 'no tug' }, 200, a.token);
  assert.equal((await get(two.id, a.token)).end_reason, 'no tug');
  const kept = await goal({}, a.token), below = await goal({ parent_goal_id: kept.id }, a.token);
  await patch(kept.id, { status: 'abandoned' }, 200, a.token);
  assert.equal((await get(below.id, a.token)).status, 'pending', 'kept');
  await patch(top.id, { status: 'achieved', children: 'close' }, 200, a.token);
  assert.deepEqual([(await get(one.id, a.token)).status, (await get(under.id, a.token)).status], ['abandoned', 'abandoned']);
});

test('5: a sixth open goal is refused, of two at once as the fifth one; a fourth level is refused', async () => {
  const a = await freshAgent(account);
  for (let i = 0; i < 4; i++) await goal({}, a.token);
  const both = await Promise.all([0, 1].map(() => call('POST', G, { token: a.token, body: { title: unique('fifth'), goal_type: 'creation' } })));
  assert.deepEqual(both.map((r) => r.status).sort(), [201, 409]);
  await goal({}, a.token, 409);
  const b = await freshAgent(account);
  let parent_goal_id = null;
  for (let i = 0; i < 3; i++) parent_goal_id = (await goal({ ...(parent_goal_id && { parent_goal_id }) }, b.token)).id;
  await goal({ parent_goal_id }, b.token, 409);
  await goal({ parent_goal_id }, (await freshAgent(account)).token, 422);
});

test('who sees what: an agent its own, a lead those of its team, people by permission; another account nothing', async () => {
  const [mine, mate, lead] = [await freshAgent(account), await freshAgent(account), await freshAgent(account)];
  const team = await send('POST', '/api/v1/teams', { slug: unique('team'), name: 'T' }, 201, account.owner);
  for (const [who, is_lead] of [[mine, false], [mate, false], [lead, true]]) await send('PUT', `/api/v1/teams/${team.id}/members/${who.id}`, { is_lead }, 200, account.owner);
  const g = await goal({}, mine.token);
  await get(g.id, mate.token, 404);
  assert.deepEqual([await list('', mate.token), await list('', lead.token), await list(`agent_id=${mine.id}`, account.owner)], [[], [g.id], [g.id]]);
  await patch(g.id, { priority: 1 }, 404, mate.token);
  assert.equal((await patch(g.id, { priority: 1, status: 'active', title: 'Led' }, 200, lead.token)).priority, 1);
  await goal({ agent_id: mine.id }, mate.token, 404);
  assert.equal((await goal({ agent_id: mine.id }, lead.token)).created_by, lead.id);
  assert.equal((await goal({ agent_id: mine.id }, account.owner)).agent_id, mine.id);
  await goal({}, account.owner, 422);
  const viewer = await freshUser(account, 'viewer'), other = await freshAccount();
  await get(g.id, viewer.token);
  await patch(g.id, { priority: 2 }, 403, viewer.token);
  await get(g.id, other.owner, 404);
  await get(g.id, other.token, 404);
  await patch(g.id, { priority: 2 }, 404, other.owner);
  await send('POST', `${G}/${g.id}/reopen`, {}, 404, other.owner);
  await goal({ agent_id: mine.id }, other.owner, 404);
});

test('a check is counted in the space of the goal; a criterion that cannot be counted is refused', async () => {
  const a = await freshAgent(account), check = (min, tag) => ({ success_criteria: { check: { count_of: 'note', min, ...(tag && { tag }) } } });
  await goal({ success_criteria: { check: { count_of: 'ship', min: 1 } } }, a.token, 422);
  await goal({ success_criteria: { check: { count_of: 'note', min: 0 } } }, a.token, 422);
  const two = await goal(check(2, 'buoy'), a.token), three = await goal(check(3, 'buoy'), a.token);
  for (let i = 0; i < 2; i++) await send('POST', '/api/v1/nodes', { kind: 'note', title: unique('n'), attrs: { tags: ['buoy'] } }, 201, a.token);
  await send('POST', '/api/v1/nodes', { kind: 'note', title: unique('n') }, 201, a.token);
  assert.equal((await keep()).counts.achieved, 1);
  assert.deepEqual([(await get(two.id, a.token)).status, (await get(three.id, a.token)).status], ['achieved', 'pending']);
  assert.equal((await keep()).changed, 0, 'the same again changes nothing');
});

test('6: idle 30 days: abandoned, edits do not help; paused 40 days: not; warned a week before; linked: alive; reopened by a person', async () => {
  account = await freshAccount();
  const a = await freshAgent(account), b = await freshAgent(account);
  const [idle, edited, linked] = [await goal({}, a.token), await goal({}, a.token), await goal({}, a.token)];
  const paused = await goal({}, b.token), moved = await goal({}, b.token);
  for (const status of ['active', 'paused']) await patch(paused.id, { status }, 200, b.token);
  await moveClock('22d');
  assert.equal((await keep()).counts.warned, undefined);
  await patch(edited.id, { priority: 1, description: 'again' }, 200, a.token);
  await patch(moved.id, { progress: 0.2 }, 200, b.token);
  await moveClock('2d');
  const skill = (await expectStatus(201, 'POST', '/api/v1/nodes', { token: a.token, body: { kind: 'note', title: unique('n') } })).data;
  await sql(`INSERT INTO edge (account_id, id, source_id, target_id, relation, recorded_at, updated_at) SELECT account_id, UUID(), '${skill.id}', id, 'serves',
    created_at + INTERVAL 23 DAY, created_at FROM goal WHERE id = '${linked.id}'`);
  assert.equal((await keep()).counts.warned, 2);
  assert.deepEqual((await list('stale=true', a.token)).sort(), [idle.id, edited.id].sort());
  const seen = await send('GET', '/api/v1/ai/observations', undefined, 200, a.token);
  assert.deepEqual(seen.map((o) => o.goal_id).sort(), [idle.id, edited.id].sort(), 'said by an observation');
  assert.equal((await keep()).changed, 0, 'once');
  await moveClock('7d');
  assert.equal((await keep()).counts.abandoned, 2);
  const now = await get(edited.id, a.token);
  assert.deepEqual([(await get(idle.id, a.token)).status, now.status, now.end_reason], ['abandoned', 'abandoned', 'stale']);
  await moveClock('9d');
  assert.deepEqual([(await get(linked.id, a.token)).status, (await get(paused.id, b.token)).status, (await get(moved.id, b.token)).status], ['pending', 'paused', 'pending']);
  await send('POST', `${G}/${idle.id}/reopen`, {}, 403, a.token);
  const again = await send('POST', `${G}/${idle.id}/reopen`, {}, 200, account.owner);
  assert.deepEqual([again.status, again.end_reason], ['active', null]);
  await send('POST', `${G}/${idle.id}/reopen`, {}, 409, account.owner);
  assert.equal((await keep()).counts.abandoned, undefined, 'it has a month again');
  assert.deepEqual((await send('GET', `/api/v1/audit?subject_id=${idle.id}&kind=goal`, undefined, 200, account.owner)).map((e) => e.kind), ['goal.reopen', 'goal.close', 'goal.warn', 'goal.create']);
});

test('gone with its node, forgotten or erased; kept out of the brief when it is closed', async () => {
  const a = await freshAgent(account), word = unique('lighthouse'), g = await goal({ title: `Paint the ${word}` }, a.token);
  const brief = async () => JSON.stringify(await send('POST', '/api/v1/memory/context', { query: 'what is to be done?' }, 200, a.token));
  assert.ok((await brief()).includes(word));
  await patch(g.id, { status: 'abandoned' }, 200, a.token);
  assert.ok(!(await brief()).includes(word));
  const other = await goal({}, a.token);
  await send('POST', `/api/v1/memory/nodes/${other.id}/forget`, { reason: 'enough' }, 200, a.token);
  await get(other.id, a.token, 404);
  await sql(`DELETE FROM node WHERE id = '${g.id}'`);
  assert.equal((await sql(`SELECT COUNT(*) FROM goal WHERE id = '${g.id}'`))[0][0], '0');
});
