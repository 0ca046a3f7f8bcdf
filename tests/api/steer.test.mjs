// Proposals of agents, intervention policies, and what is done about recommendations.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, freshAgent, freshUser, moveClock, runEnded, settled, unique } from './client.mjs';
import { sql } from './db.mjs';
import { addRecommendation } from './world.mjs';

const P = '/api/v1/ai/proposals', I = '/api/v1/ai/intervention_policies', R = '/api/v1/ai/recommendations';
let account, token, owner, me, agent, reviewer;

const propose = async (more = {}, as = token) => (await expectStatus(201, 'POST', P, { token: as, body: { proposal_type: 'feature', title: unique('idea'), description: 'Do it.', ...more } })).data;
const step = (id, verb, as, status = 200, body = {}) => expectStatus(status, 'POST', `${P}/${id}/${verb}`, { token: as, body });
const get = async (id, as = owner) => (await expectStatus(200, 'GET', `${P}/${id}`, { token: as })).data;
const policy = async (body) => (await expectStatus(201, 'POST', I, { token: owner, body })).data;
const drop = (p) => expectStatus(204, 'DELETE', `${I}/${p.id}`, { token: owner });
const resolve = async (body) => (await expectStatus(200, 'POST', `${I}/resolve`, { token: owner, body })).data;
const run = async (job, as = owner) => {
  const { id } = (await expectStatus(202, 'POST', `/api/v1/jobs/${job}/run`, { token: as, body: {} })).data;
  const done = await runEnded(account, id, as);
  assert.equal(done.status, 'succeeded', JSON.stringify(done));
  return done;
};
// As if others had found its work good for long.
const trust = (id, d) => sql(`REPLACE INTO agent_trust (account_id, agent_id, reliability, cost, safety, quality, speed, overall, tier, evaluation_count, last_evaluated_at, tier_since, created_at, updated_at)
  SELECT account_id, id, ${d}, ${d}, ${d}, ${d}, ${d}, ${d}, '${d >= 0.9 ? 'autonomous' : 'supervised'}', 50, (SELECT MAX(created_at) FROM token), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM agent WHERE id = '${id}'`);
const told = async (as) => (await expectStatus(200, 'GET', '/api/v1/ai/notifications', { token: as })).data;

before(async () => {
  account = await freshAccount();
  ({ token, owner } = account);
  agent = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token: owner })).data;
  reviewer = await freshUser(account, 'reviewer');
});

test('a proposal is reviewed by somebody else; the person asked is told; of two reviewers the second learns what the first decided', async () => {
  const p = await propose({ target_user_id: reviewer.id, proposed_changes: { limit: { from: 1, to: 2 } }, priority: 'high' });
  assert.deepEqual([p.agent_id, p.status, p.priority, p.policy_id, p.reviewed_by], [agent.id, 'pending_review', 'high', null, null]);
  const note = (await told(reviewer.token)).find((n) => n.link === `/admin/proposals/${p.id}`);
  assert.equal(note.severity, 'high');
  const both = await Promise.all([reviewer.token, owner].map((as) => call('POST', `${P}/${p.id}/approve`, { token: as, body: { note: 'good' } })));
  assert.deepEqual(both.map((r) => r.status).sort(), [200, 409]);
  const lost = both.find((r) => r.status === 409).body, won = both.find((r) => r.status === 200).data;
  assert.deepEqual([lost.reason, lost.current_value.status, lost.current_value.reviewed_by, lost.current_value.review_note], ['proposal_state', 'approved', won.reviewed_by, 'good']);
  assert.equal((await step(p.id, 'implemented', token)).data.status, 'implemented');
  await step(p.id, 'withdraw', token, 409);
  await expectStatus(412, 'POST', `${P}/${(await propose()).id}/withdraw`, { token, body: { if_version: 7 } });
  assert.equal((await step((await propose()).id, 'withdraw', token, 200, { note: 'no use' })).data.status, 'withdrawn');
  await step((await propose()).id, 'reject', owner, 422);
});

test('an agent cannot approve its own; in a batch one foreign id fails alone (16)', async () => {
  const lead = await freshAgent(account), other = await freshAgent(account, 'trusted');
  const role = (await expectStatus(201, 'POST', '/api/v1/roles', { token: owner, body: { name: unique('judge'), kind: 'agent', permissions: ['oversight.read', 'oversight.write', 'oversight.review'] } })).data;
  await expectStatus(200, 'PATCH', `/api/v1/agents/${lead.id}`, { token: owner, body: { role: role.name } });
  const own = await propose({}, lead.token), theirs = await propose();
  await step(own.id, 'approve', lead.token, 403);
  await step(theirs.id, 'approve', token, 403);
  assert.equal((await step(theirs.id, 'approve', lead.token)).data.reviewed_by, lead.id);
  const b = await freshAccount();
  const foreign = await propose({}, b.token), one = await propose(), two = await propose({}, other.token);
  const answer = (await expectStatus(200, 'POST', `${P}/batch_review`, { token: reviewer.token, body: { ids: [one.id, foreign.id, two.id, theirs.id], decision: 'reject', note: 'not now' } })).data;
  assert.deepEqual(answer.items.map((i) => [i.http, i.status]), [[200, 'rejected'], [404, null], [200, 'rejected'], [409, null]]);
  assert.deepEqual([answer.decided, answer.failed], [2, 2]);
  assert.equal((await get(foreign.id, b.owner)).status, 'pending_review');
  assert.equal((await get(two.id)).review_note, 'not now');
  await expectStatus(422, 'POST', `${P}/batch_review`, { token: reviewer.token, body: { ids: [one.id], decision: 'reject' } });
  await expectStatus(404, 'GET', `${P}/${theirs.id}`, { token: other.token });
  await expectStatus(404, 'POST', P, { token: other.token, body: { proposal_type: 'feature', title: 'x', description: 'x', agent_id: agent.id } });
});

test('a lead sees what its team proposes; an agent has at most 20 open; a person says which agent', async () => {
  const lead = await freshAgent(account), member = await freshAgent(account), p = await propose({}, member.token);
  await expectStatus(404, 'GET', `${P}/${p.id}`, { token: lead.token });
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: owner, body: { slug: unique('team'), name: 'team' } })).data;
  for (const [id, is_lead] of [[lead.id, true], [member.id, false]])
    await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${id}`, { token: owner, body: { is_lead } });
  assert.deepEqual((await expectStatus(200, 'GET', P, { token: lead.token })).data.map((x) => x.id), [p.id]);
  await expectStatus(422, 'POST', P, { token: owner, body: { proposal_type: 'feature', title: 'x', description: 'x' } });
  await Promise.all(Array.from({ length: 19 }, () => propose({}, member.token)));
  const last = await call('POST', P, { token: member.token, body: { proposal_type: 'feature', title: 'x', description: 'x' } });
  assert.deepEqual([last.status, last.body.reason], [409, 'quota_exceeded']);
  const feature = (await expectStatus(201, 'POST', `${P}/features`, { token: lead.token, body: { title: 'x', description: 'x' } })).data;
  assert.deepEqual([feature.proposal_type, feature.agent_id], ['feature', lead.id]);
  const given = await propose({ agent_id: lead.id }, owner);
  await step(given.id, 'approve', owner, 403);
});

test('no policy: require_approval; who wins, and why the others do not (17)', async () => {
  const a = await freshAgent(account), user = await freshUser(account, 'admin');
  const ask = (more = {}) => resolve({ action_category: 'issue_alert', agent_id: a.id, user_id: user.id, ...more });
  const none = await ask();
  assert.deepEqual([none.policy, none.channels, none.policy_id, none.considered], ['require_approval', ['notification'], null, []]);
  const block = await policy({ action_category: '*', policy: 'block', priority: 100 }), silent = await policy({ action_category: 'issue_alert', policy: 'silent', agent_id: a.id });
  assert.deepEqual([block.scope, silent.scope], ['global', 'agent']);
  const quiet = await ask();
  assert.deepEqual([quiet.policy, quiet.policy_id], ['silent', silent.id]);
  assert.deepEqual(quiet.considered.map((x) => [x.policy_id, x.won, x.why]), [[block.id, false, 'one for this agent goes first'], [silent.id, true, 'it goes first']]);
  assert.deepEqual([(await ask({ severity: 'critical' })).policy, (await ask({ agent_id: undefined })).policy], ['require_approval', 'block']);
  const own = await policy({ action_category: '*', policy: 'auto_approve', user_id: user.id, priority: -100 });
  assert.equal((await ask({ agent_id: undefined })).policy_id, own.id);
  const trusting = await policy({ action_category: 'issue_alert', policy: 'notify_and_proceed', user_id: user.id, conditions: { trust_tier_minimum: 'trusted', severity_max: 'high', max_daily_notifications: 0 } });
  assert.equal((await ask()).considered.find((x) => x.policy_id === trusting.id).why, 'the agent is not trusted so far');
  await trust(a.id, 0.95);
  const often = await ask();
  assert.deepEqual([often.policy_id, often.policy, often.reason], [trusting.id, 'silent', 'the person has been told often enough today']);
  assert.equal((await ask({ severity: 'critical' })).considered.find((x) => x.policy_id === trusting.id).why, 'the action is more severe than it allows');
  for (const p of [block, silent, own, trusting]) await drop(p);
});

test('quiet hours pass midnight, and hold back until their end (18)', async () => {
  const at = async (hhmm) => {
    const now = await moveClock('1s'), wanted = new Date(now);
    wanted.setUTCHours(...hhmm.split(':').map(Number), 0, 0);
    if (wanted <= now) wanted.setUTCDate(wanted.getUTCDate() + 1);
    await moveClock(`${Math.ceil((wanted - now) / 1000) + 1}s`);
    return wanted;
  };
  const night = { conditions: { quiet_hours: { start: '22:00', end: '07:00', tz: 'UTC' } }, action_category: 'proposal', policy: 'require_approval' };
  const p = await policy(night);
  const noon = await at('12:00'), ask = { action_category: 'proposal' };
  assert.equal((await resolve(ask)).deliver_at, null);
  await expectStatus(422, 'POST', I, { token: owner, body: { ...night, conditions: { quiet_hours: { start: '22:00', end: '22:00', tz: 'UTC' } } } });
  const wrong = await call('POST', I, { token: owner, body: { ...night, conditions: { quiet_hours: { start: '25:00', end: '07:00', tz: 'Atlantis' } } } });
  assert.equal(wrong.body.errors[0].pointer, '/conditions/quiet_hours/start');
  assert.equal((await call('POST', I, { token: owner, body: { ...night, conditions: { colour: 1 } } })).body.errors[0].pointer, '/conditions/colour');
  await at('23:30');
  const morning = new Date(noon.getTime() + 19 * 3600e3), held = await propose({ target_user_id: reviewer.id });
  assert.equal(new Date((await resolve(ask)).deliver_at).getTime(), morning.getTime());
  const found = async () => (await told(reviewer.token)).filter((n) => n.link?.endsWith(held.id)).length;
  assert.equal(await found(), 0);
  await at('07:00');
  assert.equal((await resolve(ask)).deliver_at, null);
  assert.equal(await found(), 1);
  await drop(p);
});

test('a policy approves what a trusted agent proposes, but nothing critical, and blocks', async () => {
  const a = await freshAgent(account), p = await policy({ action_category: 'proposal', policy: 'auto_approve', agent_id: a.id });
  assert.equal((await propose({}, a.token)).status, 'pending_review');
  await trust(a.id, 0.95);
  const done = await propose({}, a.token);
  assert.deepEqual([done.status, done.auto_approved, done.policy_id, done.reviewed_by], ['approved', true, p.id, null]);
  assert.equal((await propose({ priority: 'critical' }, a.token)).status, 'pending_review');
  await expectStatus(200, 'PATCH', `${I}/${p.id}`, { token: owner, headers: { 'If-Match': '*' }, body: { policy: 'block' } });
  const no = await call('POST', P, { token: a.token, body: { proposal_type: 'feature', title: 'x', description: 'x' } });
  assert.deepEqual([no.status, no.body.reason], [403, 'blocked_by_policy']);
  const audit = (await expectStatus(200, 'GET', '/api/v1/audit?kind=proposal.block', { token: owner })).data;
  assert.equal(audit[0].actor_id, a.id);
  await drop(p);
});

test('at its deadline a proposal is expired, not withdrawn; it is reminded of once, and opened again (15)', async () => {
  const p = await propose({ target_user_id: reviewer.id, review_hours: 48 }), about = async () => (await told(reviewer.token)).filter((n) => n.link?.endsWith(p.id)).map((n) => n.title.split(':')[0]);
  await moveClock('25h');
  await run('proposal_expiry');
  await run('proposal_expiry');
  assert.deepEqual(await about(), ['A proposal expires within a day', 'A proposal waits for your review']);
  await moveClock('24h');
  assert.equal((await step(p.id, 'approve', owner, 409)).body.current_value.status, 'expired');      // also before the job has come by
  await run('proposal_expiry');
  assert.equal((await get(p.id)).status, 'expired');
  assert.equal((await about())[0], 'A proposal expired without a review');
  await step(p.id, 'approve', owner, 409);
  const again = (await step(p.id, 'reopen', owner)).data;
  assert.equal(again.status, 'pending_review');
  assert.equal(new Date(again.review_deadline) - new Date(again.updated_at), 72 * 3600e3);
  assert.equal((await step(p.id, 'approve', owner)).data.status, 'approved');
});

test('20 of 20 approved: one suggestion with its interval; not twice, and not for 30 days after it was dismissed (19)', async () => {
  const a = await freshAgent(account), list = async (status = 'pending') => (await expectStatus(200, 'GET', `${R}?agent_id=${a.id}&status=${status}`, { token: owner })).data;
  for (let i = 0; i < 20; i++) await step((await propose({}, a.token)).id, 'approve', owner);
  for (let i = 0; i < 3; i++) await step((await propose({ priority: 'critical' }, a.token)).id, 'reject', owner, 200, { note: 'no' });
  await run('intervention_policy_tuning');
  await run('intervention_policy_tuning');
  const [r, ...more] = await list();
  assert.equal(more.length, 0);
  assert.deepEqual([r.recommendation_type, r.recommended_config.policy, r.evidence.n, r.evidence.share, r.evidence.low, r.evidence.high], ['policy_adjustment', 'auto_approve', 20, 1, 0.8389, 1]);
  const of = async () => (await expectStatus(200, 'GET', `${I}?agent_id=${a.id}`, { token: owner })).data;
  assert.deepEqual(await of(), []);
  await expectStatus(200, 'POST', `${R}/${r.id}/dismiss`, { token: owner, body: { reason: 'not yet' } });
  await run('intervention_policy_tuning');
  assert.deepEqual(await list(), []);
  await moveClock('29d');
  await run('intervention_policy_tuning');
  assert.deepEqual(await list(), []);
  await sql(`UPDATE proposal SET reviewed_at = reviewed_at + INTERVAL 20 DAY WHERE agent_id = '${a.id}'`);
  await moveClock('2d');
  await run('intervention_policy_tuning');
  const [next] = await list();
  await expectStatus(200, 'POST', `${R}/${next.id}/apply`, { token: owner, body: {} });
  assert.deepEqual((await of()).map((p) => [p.policy, p.action_category, p.scope]), [['auto_approve', 'proposal', 'agent']]);
  await expectStatus(409, 'POST', `${R}/${next.id}/apply`, { token: owner, body: {} });
  assert.equal((await expectStatus(200, 'POST', `${R}/${next.id}/undo`, { token: owner, body: {} })).data.status, 'dismissed');
  assert.deepEqual(await of(), []);
});

test('most of an agent\'s proposals rejected: a concern, which is acknowledged', async () => {
  const a = await freshAgent(account);
  for (let i = 0; i < 10; i++) await step((await propose({}, a.token)).id, 'reject', owner, 200, { note: 'no' });
  await run('intervention_policy_tuning');
  const [r] = (await expectStatus(200, 'GET', `${R}?agent_id=${a.id}`, { token: owner })).data;
  assert.deepEqual([r.recommendation_type, r.priority], ['quality_concern', 'high']);
  assert.equal((await expectStatus(409, 'POST', `${R}/${r.id}/apply`, { token: owner, body: {} })).body.reason, 'nothing_to_apply');
  assert.equal((await expectStatus(200, 'POST', `${R}/${r.id}/approve`, { token: owner, body: {} })).data.status, 'approved');
  const [event] = await sql(`SELECT COUNT(*) FROM trust_event WHERE agent_id = '${a.id}' AND kind = 'proposal'`);
  assert.equal(event[0], '10');
  await moveClock('91d');
  const stale = await addRecommendation(me.account_id, { type: 'quality_concern', target: a.id, title: 'stale' });
  await sql(`UPDATE recommendation SET due_at = created_at WHERE id = '${stale}'`);
  await run('proposal_expiry');
  assert.deepEqual([(await expectStatus(200, 'GET', `${R}/${stale}`, { token: owner })).data.reason], ['stale']);
});

test('apply does it as the caller: a skill proposal; without skills.write 403, and it stays pending (20)', async () => {
  const id = await addRecommendation(me.account_id, { type: 'skill_creation', kind: 'account', target: me.account_id, title: 'A skill is missing', config: { name: unique('needed'), description: 'Does it.' } });
  await expectStatus(403, 'POST', `${R}/${id}/apply`, { token: reviewer.token, body: {} });
  assert.equal((await expectStatus(200, 'GET', `${R}/${id}`, { token: reviewer.token })).data.status, 'pending');
  const done = (await expectStatus(200, 'POST', `${R}/${id}/apply`, { token: owner, body: {} })).data;
  const made = async () => (await expectStatus(200, 'GET', `/api/v1/ai/skill_graph/proposals/${done.way_back.proposal_id}`, { token: owner })).data;
  assert.deepEqual([done.status, (await made()).proposed_by, (await made()).status], ['applied', me.id, 'draft']);
  await expectStatus(200, 'POST', `${R}/${id}/undo`, { token: owner, body: {} });
  assert.equal((await made()).status, 'withdrawn');
});

test('apply and undo: skills merged and joined, an experiment, memories archived', async () => {
  const skill = async () => (await expectStatus(201, 'POST', '/api/v1/ai/skills', { token: owner, body: { name: unique('skill'), description: 'Does it.', category: 'testing', body: `# ${unique('text')}` } })).data;
  const a = await skill(), b = await skill();
  const read = async (s) => (await expectStatus(200, 'GET', `/api/v1/ai/skills/${s.id}`, { token: owner })).data;
  const edges = async () => (await expectStatus(200, 'GET', `/api/v1/edges?node_id=${a.id}&relation=enhances`, { token: owner })).data.length;
  const both = async (r, looks) => {
    const id = await addRecommendation(me.account_id, { kind: 'skill', target: a.id, title: 'one', ...r }), was = await looks();
    await expectStatus(200, 'POST', `${R}/${id}/apply`, { token: owner, body: {} });
    const now = await looks();
    await expectStatus(200, 'POST', `${R}/${id}/undo`, { token: owner, body: {} });
    assert.deepEqual(await looks(), was);
    return [was, now];
  };
  assert.deepEqual(await both({ type: 'skill_consolidation', config: { keep: a.id, merge: b.id } }, async () => (await read(b)).status), ['active', 'deprecated']);
  assert.deepEqual(await both({ type: 'skill_connection', config: { source_id: a.id, target_id: b.id, relation: 'enhances' } }, edges), [0, 1]);
  const tested = await addRecommendation(me.account_id, { type: 'prompt_refinement', kind: 'skill', target: a.id, title: 'two', config: { body: '# Better' } });
  await expectStatus(200, 'POST', `${R}/${tested}/apply`, { token: owner, body: {} });
  const [version] = (await expectStatus(200, 'GET', `/api/v1/ai/skill_graph/skills/${a.id}/versions`, { token: owner })).data;
  assert.deepEqual([version.change_type, version.origin, version.is_active], ['experimental', 'evolution', false]);
  await expectStatus(200, 'POST', `/api/v1/ai/skill_graph/versions/${version.id}/activate`, { token: owner, body: {} });
  await expectStatus(200, 'POST', `${R}/${tested}/undo`, { token: owner, body: {} });
  assert.equal((await read(a)).active_version, '1.0.0');
});

test('the scan recommends: equal skills to merge, near ones that stand alone to join; what is in a space that one cannot read is not shown', async () => {
  const space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: owner, body: { kind: 'skills', name: unique('skills'), slug: unique('skills') } })).data;
  const make = async (more) => (await expectStatus(201, 'POST', '/api/v1/ai/skills', { token: owner, body: { category: 'testing', space_id: space.id, ...more } })).data;
  const same = { description: 'How the anchor of a ship is weighed in heavy weather.', body: 'Equal text.' };
  const a = await make({ ...same, name: 'Weigh anchor' }), b = await make({ ...same, name: 'Weigh anchor again' });
  await embedded(account.slug);
  await run('skill_conflict_scan');
  await run('skill_conflict_scan');
  const list = async (type, as = owner) => (await expectStatus(200, 'GET', `${R}?type=${type}`, { token: as })).data.filter((r) => [a.id, b.id].includes(r.target_id));
  const [merge, ...more] = await list('skill_consolidation'), [join] = await list('skill_connection');
  assert.deepEqual([more.length, merge.recommended_config, merge.title], [0, { keep: a.id, merge: b.id }, 'Merge Weigh anchor again into Weigh anchor']);
  assert.deepEqual([join.recommended_config.relation, new Set([join.recommended_config.source_id, join.recommended_config.target_id])], ['enhances', new Set([a.id, b.id])]);
  const guest = await freshUser(account, 'viewer');
  await expectStatus(404, 'GET', `${R}/${merge.id}`, { token: guest.token });
  assert.deepEqual(await list('skill_consolidation', guest.token), []);
});

test('what becomes of proposals, policies, goals and feedback is in the event stream, for nobody else', async () => {
  const events = async (after, as) => (await expectStatus(200, 'GET', `/api/v1/events?limit=100${after === undefined ? '' : `&after=${after}`}`, { token: as })).data;
  const from = (await events(undefined, owner)).last_id, other = await freshAccount();
  const p = await propose();
  await step(p.id, 'approve', owner);
  await drop(await policy({ action_category: 'feedback', policy: 'silent' }));
  await expectStatus(201, 'POST', '/api/v1/ai/goals', { token, body: { title: unique('goal'), goal_type: 'creation' } });
  await expectStatus(200, 'POST', '/api/v1/ai/feedback', { token: owner, body: { agent_id: agent.id, rating: 4, feedback_type: 'execution_quality' } });
  await settled();
  const kinds = (list) => [...new Set(list.events.map((e) => e.kind))], heard = kinds(await events(from, owner));
  for (const kind of ['proposal.create', 'proposal.approve', 'intervention_policy.create', 'intervention_policy.delete', 'goal.create', 'feedback.create']) assert.ok(heard.includes(kind), `${kind}: ${heard}`);
  assert.deepEqual(kinds(await events(0, other.owner)).filter((k) => /^(proposal|intervention_policy|feedback)/.test(k)), []);
});
