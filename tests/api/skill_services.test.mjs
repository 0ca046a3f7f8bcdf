// The services around skills: health, evolution, repair and its undoing, pictures and chains, teams, upkeep.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { embedded, expectStatus, freshAccount, freshAgent, freshUser, moveClock, runEnded, unique } from './client.mjs';
import { sql } from './db.mjs';

const S = '/api/v1/ai/skills', G = '/api/v1/ai/skill_graph', X = `${G}/conflicts`;
let account, token, owner;

const makeAs = async (as, more = {}) => (await expectStatus(201, 'POST', S, { token: as, body: { name: unique('skill'), description: `Does ${unique('thing')}.`, category: 'testing', body: 'Do it.', ...more } })).data;
const make = (more) => makeAs(token, more);
const join = (source_id, target_id, relation, weight = 1, as = token) => expectStatus(201, 'POST', '/api/v1/edges', { token: as, body: { source_id, target_id, relation, weight } });
const post = async (path, body = {}, as = owner, status = 200) => (await expectStatus(status, 'POST', `${G}/${path}`, { token: as, body })).data;
const get = async (path, as = token, status = 200) => (await expectStatus(status, 'GET', `${G}/${path}`, { token: as })).data;

before(async () => {
  account = await freshAccount();
  ({ token, owner } = account);
});

test('an account without skills has no score; one without a fault can reach 100 (15.13)', async () => {
  const a = await freshAccount();
  const none = await get('health', a.token);
  assert.deepEqual([none.score, none.grade, none.skills], [null, 'n/a', 0]);
  const all = [];
  for (const name of ['Weigh the anchor', 'Paint the hull', 'Read tide tables', 'Cook for the crew']) all.push(await makeAs(a.token, { name, description: `${name}, step by step.` }));
  for (const x of all) for (const y of all.filter((z) => z !== x)) await join(x.id, y.id, 'enhances', 1, a.token);
  await embedded(a.slug);
  await sql(`UPDATE skill SET effectiveness = 0.95 WHERE account_id = (SELECT id FROM account WHERE slug = '${a.slug}')`);
  const h = await get('health?report=true', a.token);
  assert.deepEqual([h.coverage, h.connectivity, h.freshness, h.effectiveness, h.conflict, h.score, h.grade], [1, 1, 1, 1, 0, 100, 'A']);
  assert.deepEqual([h.best.length, h.stale.length, h.orphans.length], [4, 0, 0]);
});

test('metrics of one skill: outcomes and their trend', async () => {
  const s = await make();
  const record = (outcome) => expectStatus(200, 'POST', `${G}/record_outcome`, { token, body: { skill_id: s.id, outcome } });
  for (const o of ['success', 'success', 'failure', 'partial']) await record(o);
  const m = await get(`skills/${s.id}/metrics`);
  assert.deepEqual([m.trend, m.success_rate, m.success_count, m.failure_count, m.partial_count, m.versions, m.open_conflicts, m.edges], ['stable', 0.5, 2, 1, 1, 1, 0, 0]);
  await get(`skills/${s.id}/metrics`, (await freshAccount()).token, 404);
});

test('evolution adds what was learned to an experiment that is not served', async () => {
  const s = await make({ name: 'Order a harbour pilot', description: 'How a harbour pilot is ordered for a tanker.', body: '# Steps\n\nCall.\n' });
  assert.equal((await expectStatus(409, 'POST', `${G}/skills/${s.id}/evolve`, { token, body: {} })).body.reason, 'nothing_new');
  const content = 'A harbour pilot for a tanker is ordered two hours ahead.';
  await expectStatus(200, 'POST', '/api/v1/ai/learning/learnings', { token: owner, body: { content, scope: 'global' } });
  await embedded(account.slug);
  const refine = async () => (await runEnded(account, (await expectStatus(202, 'POST', '/api/v1/jobs/skill_refinement/run', { token: owner, body: {} })).data.id)).changed;
  const advice = async () => (await expectStatus(200, 'GET', '/api/v1/ai/recommendations?type=prompt_refinement', { token: owner })).data.filter((r) => r.target_id === s.id);
  assert.ok(await refine() >= 1);
  assert.equal(await refine(), 0, 'one is pending for the skill');
  const [r] = await advice();
  assert.deepEqual([(await advice()).length, r.recommended_config.body, r.evidence.learning_ids.length], [1, `# Steps\n\nCall.\n\n## Lessons\n\n- ${content}\n`, 1]);
  await expectStatus(200, 'POST', `/api/v1/ai/recommendations/${r.id}/dismiss`, { token: owner, body: {} });
  assert.equal(await refine(), 0, 'dismissed: it rests');
  const v = await post(`skills/${s.id}/evolve`, {}, token);
  assert.deepEqual([v.change_type, v.origin, v.is_active, v.semver], ['experimental', 'evolution', false, '1.0.0-exp.1']);
  assert.equal(v.body, `# Steps\n\nCall.\n\n## Lessons\n\n- ${content}\n`);
  assert.equal((await expectStatus(409, 'POST', `${G}/skills/${s.id}/evolve`, { token, body: {} })).body.reason, 'untested');
  const erase = async (more) => (await expectStatus(200, 'POST', '/api/v1/erasures', { token: owner, body: { node_ids: r.evidence.learning_ids, reason: 'asked for', ...more } })).data;
  await erase({ dry_run: false, confirm: (await erase({})).confirm });
  assert.deepEqual(await sql(`SELECT COUNT(*) FROM recommendation WHERE id = '${r.id}'`), [['0']], 'what names an erased learning goes with it');
});

test('a machine repairs a cycle and equal texts, and takes both back (15.12)', async () => {
  const account = await freshAccount(), { token, owner } = account;
  const make = (more) => makeAs(token, more), join = (a, b, relation, weight = 1) => expectStatus(201, 'POST', '/api/v1/edges', { token, body: { source_id: a, target_id: b, relation, weight } });
  const post = async (path, body = {}, as = owner, status = 200) => (await expectStatus(status, 'POST', `${G}/${path}`, { token: as, body })).data;
  const [a, b, c] = [await make({ name: 'Bake bread', description: 'Flour and water.', body: 'Bake.' }), await make({ name: 'Draw a map', description: 'Ink and paper.', body: 'Draw.' }),
    await make({ name: 'Count votes', description: 'Ballots and lists.', body: 'Count.' })];
  await join(a.id, b.id, 'requires');
  await join(b.id, c.id, 'requires', 0.3);
  await join(c.id, a.id, 'requires');
  const same = { name: 'Splice a rope', description: 'How a rope is spliced.', body: 'Equal.' };
  const one = await make(same), two = await make({ ...same, slug: unique('two') });
  await expectStatus(200, 'POST', `${G}/record_outcome`, { token, body: { skill_id: two.id, outcome: 'success' } });
  await embedded(account.slug);
  const { id } = (await expectStatus(202, 'POST', `${G}/scan`, { token: owner, body: {} })).data;
  await runEnded(account, id);
  const open = async () => (await expectStatus(200, 'GET', `${X}?limit=100`, { token })).data;
  const cycle = (await open()).find((x) => x.conflict_type === 'dependency'), overlap = (await open()).find((x) => x.conflict_type === 'overlap' && x.auto_resolvable);
  const naming = (await open()).find((x) => x.conflict_type === 'naming');
  assert.equal((await expectStatus(409, 'POST', `${X}/${naming.id}/repair`, { token: owner, body: {} })).body.reason, 'not_repairable');
  const done = await post('conflicts/repair_all');
  assert.equal(done.repaired, 2);
  const edges = async () => (await expectStatus(200, 'GET', `/api/v1/edges?node_id=${b.id}&relation=requires`, { token })).data.filter((e) => e.source_id === b.id).map((e) => e.target_id);
  assert.deepEqual(await edges(), []);
  const status = async (x) => (await expectStatus(200, 'GET', `${S}/${x.id}`, { token })).data;
  const gone = [await status(one), await status(two)].find((x) => x.status === 'deprecated');
  assert.deepEqual([gone.id, gone.replaced_by], [one.id, two.id], 'the one with an outcome stays');
  assert.equal((await post(`conflicts/${cycle.id}/undo`)).resolution_strategy, 'undone');
  assert.deepEqual(await edges(), [c.id]);
  await post(`conflicts/${overlap.id}/undo`);
  assert.equal((await status(one)).status, 'active');
  await post(`conflicts/${overlap.id}/undo`, {}, owner, 409);
});

test('the graph around a skill, what it needs in order, and edges that likeness suggests', async () => {
  const a = await freshAccount(), mk = (more) => makeAs(a.token, more);
  const top = await mk({ name: 'top' }), mid = await mk({ name: 'mid' }), low = await mk({ name: 'low' }), far = await mk({ name: 'far' });
  await join(top.id, mid.id, 'requires', 1, a.token);
  await join(mid.id, low.id, 'DEPENDS_ON', 1, a.token);
  await join(low.id, top.id, 'composes', 1, a.token);
  await join(low.id, far.id, 'enhances', 1, a.token);
  await expectStatus(200, 'POST', `${S}/${low.id}/deprecate`, { token: a.token, body: {} });
  const chain = await get(`dependency_chain/${top.id}`, a.token);
  assert.deepEqual([chain.order.map((x) => x.slug), chain.missing.map((x) => x.slug), chain.cycles], [['low', 'mid', 'top'], ['low'], ['top, mid, low, top']]);
  const near = await get(`subgraph?skill_id=${top.id}&depth=1`, a.token);
  assert.deepEqual([near.nodes.map((x) => x.slug), near.edges.map((e) => e.relation)], [['top', 'mid'], ['requires']]);
  assert.equal((await get('subgraph', a.token)).nodes.length, 3);
  const like = { description: 'How the engine of a fishing boat is started in winter.' };
  const x = await mk({ ...like, name: 'Start the engine of the boat' }), y = await mk({ ...like, name: 'Start a boat engine', category: 'operations' });
  await embedded(a.slug);
  const found = await post('auto_detect', { apply: false }, a.token);
  const edge = found.edges.find((e) => [e.source_id, e.target_id].includes(x.id));
  assert.deepEqual([edge.relation, [edge.source_id, edge.target_id].includes(y.id), found.made], ['composes', true, 0]);
  assert.ok((await post('auto_detect', { apply: true }, a.token)).made >= 1);
  assert.ok(!(await post('auto_detect', { apply: false }, a.token)).edges.some((e) => [e.source_id, e.target_id].includes(x.id)), 'what is there is not suggested');
});

test('what a team covers, lacks, and who would help', async () => {
  const a = await freshAccount();
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: a.owner, body: { slug: unique('crew'), name: 'Crew' } })).data;
  const [in_team, outside] = [await freshAgent(a), await freshAgent(a)];
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${in_team.id}`, { token: a.owner, body: {} });
  const weld = await makeAs(a.token, { name: 'Weld a steel hull', description: 'How the steel hull of a ship is welded.' });
  const inspect = await makeAs(a.token, { name: 'Inspect welds of a hull', description: 'How welds of a steel hull are inspected.', category: 'monitoring' });
  const give = (agent, s) => expectStatus(200, 'PUT', `/api/v1/ai/agents/${agent.id}/skills/${s.id}`, { token: a.owner, body: {} });
  await give(in_team, weld);
  await give(outside, inspect);
  await give(outside, weld);
  await embedded(a.slug);
  const cover = await get(`team_coverage/${team.id}`, a.token);
  assert.deepEqual([cover.agents, cover.skills, cover.share, cover.categories, cover.missing], [1, 1, 0.5, [{ category: 'testing', skills: 1, agents: 1 }], ['monitoring']]);
  const task_context = 'weld the steel hull of a ship and inspect the welds';
  const gaps = await post(`team_gaps/${team.id}`, { task_context }, a.token);
  assert.deepEqual([new Set(gaps.needed.map((n) => n.skill_id)), gaps.gaps.map((n) => n.skill_id), gaps.covered], [new Set([weld.id, inspect.id]), [inspect.id], 0.5]);
  const help = await post(`suggest_agents/${team.id}`, { task_context }, a.token);
  assert.deepEqual(help.agents.map((x) => [x.agent_id, x.skill_ids]), [[outside.id, [inspect.id]]]);
  const crew = await post(`compose_team/${team.id}`, { task_context }, a.token);
  assert.deepEqual([crew.agents.map((x) => x.agent_id), crew.covered], [[in_team.id], 0.5]);
  await get(`team_coverage/${team.id}`, token, 404);
});

test('upkeep: scores and search texts once a week, recommendations for what is missing once a month', async () => {
  const a = await freshAccount(), s = await makeAs(a.token, { name: 'Moor a barge' });
  await expectStatus(200, 'POST', `${G}/record_outcome`, { token: a.token, body: { skill_id: s.id, outcome: 'success' } });
  const was = (await expectStatus(200, 'GET', `${S}/${s.id}`, { token: a.token })).data.effectiveness;
  await sql(`UPDATE skill SET effectiveness = 0.01, category = 'operations' WHERE id = '${s.id}'`);
  for (let i = 0; i < 3; i++) await expectStatus(200, 'POST', `${G}/activate`, { token: a.token, body: { task: 'tune the harpsichord' } });
  const run = async (operation) => {
    const { run_ids } = await post('optimize', { operation }, a.owner);
    const runs = [];
    for (const id of run_ids) runs.push(await runEnded(a, id));
    assert.ok(runs.every((r) => r.status === 'succeeded'), JSON.stringify(runs));
    return runs;
  };
  await run('decay');
  assert.equal((await expectStatus(200, 'GET', `${S}/${s.id}`, { token: a.token })).data.effectiveness, was);
  assert.match((await expectStatus(200, 'GET', `/api/v1/nodes/${s.id}`, { token: a.token })).data.body, /operations/);
  await run('gaps');
  await run('gaps');
  const reviewer = (await freshUser(a, 'reviewer')).token;
  const advice = (await expectStatus(200, 'GET', '/api/v1/ai/recommendations?type=skill_creation', { token: reviewer })).data;
  assert.deepEqual(advice.map((r) => [r.recommended_config.name, r.evidence.misses]), [['tune the harpsichord', 3]]);
  const { way_back } = (await expectStatus(200, 'POST', `/api/v1/ai/recommendations/${advice[0].id}/apply`, { token: a.owner, body: {} })).data;
  await expectStatus(200, 'PATCH', `${G}/proposals/${way_back.proposal_id}`, { token: a.owner, body: { category: 'operations' } });
  await expectStatus(200, 'POST', `${G}/proposals/${way_back.proposal_id}/submit`, { token: a.owner, body: {} });
  const proposals = (await expectStatus(200, 'GET', `${G}/proposals`, { token: reviewer })).data;
  assert.deepEqual(proposals.map((p) => [p.name, p.status, p.needs_editing, p.research_report.misses]), [['tune the harpsichord', 'submitted', true, 3]]);
  assert.equal((await run('full')).length, 3);
  await expectStatus(422, 'POST', `${G}/optimize`, { token: a.owner, body: { operation: 'everything' } });
  await expectStatus(403, 'POST', `${G}/optimize`, { token: a.token, body: { operation: 'gaps' } });
  await moveClock('4d');
  const later = (await freshUser(a, 'owner')).token;
  const expiry = (await expectStatus(202, 'POST', '/api/v1/jobs/skill_proposal_expiry/run', { token: later, body: {} })).data;
  await runEnded({ ...a, owner: later }, expiry.id);
  assert.equal((await expectStatus(200, 'GET', `${G}/proposals/${proposals[0].id}`, { token: later })).data.status, 'expired');
});
