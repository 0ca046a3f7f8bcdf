// Conflicts between skills: what a scan finds, of which severity, and what becomes of what was decided.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, freshAgent, moveClock, runEnded, unique } from './client.mjs';

const S = '/api/v1/ai/skills', G = '/api/v1/ai/skill_graph', X = `${G}/conflicts`;
let account, token, owner;

const make = async (more = {}) => (await expectStatus(201, 'POST', S, { token, body: { name: unique('skill'), description: `Does ${unique('thing')}.`, category: 'testing', body: 'Do it.', ...more } })).data;
const scan = async () => {
  const { id } = (await expectStatus(202, 'POST', `${G}/scan`, { token: owner, body: {} })).data;
  const run = await runEnded(account, id);
  assert.equal(run.status, 'succeeded', JSON.stringify(run));
  return run;
};
const list = async (query = '') => (await expectStatus(200, 'GET', `${X}?limit=100&${query}`, { token })).data;
const of = async (id, query = '') => list(`skill_id=${id}&${query}`);
const join = (source_id, target_id, relation, weight = 1) => expectStatus(201, 'POST', '/api/v1/edges', { token, body: { source_id, target_id, relation, weight } });

before(async () => {
  account = await freshAccount();
  ({ token, owner } = account);
});

test('equal skills overlap critically, priority 8·1·2; dismissed they are quiet for 30 days, edited they are raised again (15.11)', async () => {
  const same = { description: 'How the anchor of a ship is weighed in heavy weather.', body: 'Equal text.', tags: ['anchor'] };
  const a = await make({ ...same, name: 'Weigh anchor' }), b = await make({ ...same, name: 'Weigh anchor', slug: unique('other') });
  await embedded(account.slug);
  await scan();
  const [x] = await of(a.id, 'type=overlap');
  assert.deepEqual([x.severity, x.status, x.method, x.auto_resolvable, new Set([x.skill_a, x.skill_b])], ['critical', 'detected', 'vector', true, new Set([a.id, b.id])]);
  assert.ok(x.similarity >= 0.999 && Math.abs(x.priority_score - 16) < 0.01, `${x.similarity} ${x.priority_score}`);
  assert.deepEqual((await of(a.id, 'type=naming')).map((n) => n.severity), ['medium']);
  await scan();
  assert.equal((await of(a.id, 'type=overlap')).length, 1, 'a second scan raises nothing again');
  await expectStatus(403, 'POST', `${X}/${x.id}/dismiss`, { token, body: { reason: 'they differ' } });
  await expectStatus(422, 'POST', `${X}/${x.id}/dismiss`, { token: owner, body: {} });
  assert.equal((await expectStatus(200, 'POST', `${X}/${x.id}/dismiss`, { token: owner, body: { reason: 'they differ' } })).data.status, 'dismissed');
  await scan();
  assert.deepEqual(await of(a.id, 'type=overlap'), []);
  await expectStatus(409, 'POST', `${X}/${x.id}/resolve`, { token: owner, body: {} });
  await expectStatus(200, 'PATCH', `${S}/${b.id}`, { token, body: { body: 'Nearly equal text.' } });
  await embedded(account.slug);
  await scan();
  const [again] = await of(a.id, 'type=overlap');
  assert.deepEqual([again.status, again.auto_resolvable, again.id === x.id], ['detected', false, false]);
});

test('a cycle of what is needed is one conflict of high severity, with the weakest edge (15.12)', async () => {
  const [a, b, c] = [await make(), await make(), await make()];
  await join(a.id, b.id, 'requires');
  await join(b.id, c.id, 'DEPENDS_ON', 0.2);
  await join(c.id, a.id, 'composes', 0.7);
  await scan();
  const found = await of([a.id, b.id, c.id].sort()[0], 'type=dependency');
  assert.deepEqual(found.map((x) => [x.severity, x.auto_resolvable]), [['high', true]]);
  const edge = (await expectStatus(200, 'GET', `/api/v1/edges/${found[0].edge_id}`, { token })).data;
  assert.equal(edge.relation, 'DEPENDS_ON');
});

test('what is required and deprecated, a version that is not there, and a copy left behind', async () => {
  const a = await make(), gone = await make(), agent = await freshAgent(account);
  await join(a.id, gone.id, 'requires');
  await join(gone.id, a.id, 'enhances');
  await expectStatus(200, 'POST', `${S}/${gone.id}/deprecate`, { token, body: {} });
  await expectStatus(200, 'PUT', `/api/v1/ai/agents/${agent.id}/skills/${a.id}`, { token: owner, body: { version_req: '>=2.0.0' } });
  const copy = (await expectStatus(201, 'POST', `${S}/${a.id}/clone`, { token, body: {} })).data;
  await expectStatus(200, 'POST', `${S}/${copy.id}/activate`, { token, body: {} });
  await scan();
  assert.deepEqual((await of(a.id, 'type=dependency')).map((x) => x.severity), ['high']);
  assert.deepEqual((await of(a.id, 'type=version_mismatch')).map((x) => x.severity), ['medium']);
  await expectStatus(200, 'PATCH', `${S}/${a.id}`, { token, body: { body: 'New.', change_type: 'major' } });
  await scan();
  assert.deepEqual((await of(copy.id, 'type=version_mismatch')).map((x) => x.severity), ['low']);
});

test('contradictions: an edge, another outcome, always against never', async () => {
  const [a, b] = [await make(), await make()];
  await join(a.id, b.id, 'CONTRADICTS');
  const one = await make({ params: { postconditions: { valve: 'open' } } }), two = await make({ params: { postconditions: { valve: 'closed' } } });
  const about = { description: 'How the ballast pump of a ship is started in port.', tags: ['ballast'] };
  const always = await make({ ...about, name: 'Start the ballast pump', body: 'Always open the sea chest before the pump starts.' });
  const never = await make({ ...about, name: 'Start the ballast pumps', body: 'Never open the sea chest before the pump starts.' });
  await embedded(account.slug);
  await scan();
  for (const [x, y, severity] of [[a, b, 'high'], [one, two, 'high'], [always, never, 'medium']]) {
    const found = (await of(x.id, 'type=contradiction'));
    assert.deepEqual(found.map((f) => [f.severity, [f.skill_a, f.skill_b].includes(y.id)]), [[severity, true]]);
  }
  assert.deepEqual((await of(always.id, 'type=naming')).map((x) => x.severity), ['low'], 'the names differ in one letter');
});

test('one skill is checked at once; decisions are recorded with before and after', async () => {
  const name = unique('twin'), a = await make({ name }), b = await make({ name, slug: unique('s') });
  await expectStatus(403, 'POST', `${G}/conflict_check`, { token, body: { skill_id: a.id } });
  const r = (await expectStatus(200, 'POST', `${G}/conflict_check`, { token: owner, body: { skill_id: b.id } })).data;
  assert.ok(r.raised >= 1 && r.skills >= 2);
  const [x] = await of(a.id, 'type=naming');
  await expectStatus(412, 'POST', `${X}/${x.id}/acknowledge`, { token: owner, body: { if_version: 9 } });
  const noted = (await expectStatus(200, 'POST', `${X}/${x.id}/acknowledge`, { token: owner, body: {} })).data;
  assert.deepEqual([noted.status, noted.acknowledged_at !== null], ['acknowledged', true]);
  await moveClock('60d');
  const me = (await freshAccount()).owner;
  await expectStatus(404, 'GET', `${X}/${x.id}`, { token: me });
  const now = (await expectStatus(200, 'POST', `${X}/${x.id}/calculate_priority`, { token: owner, body: {} })).data;
  assert.ok(Math.abs(now.priority_score - 4) < 0.01, `weight 2, twice a month old: ${now.priority_score}`);
  const done = (await expectStatus(200, 'POST', `${X}/${x.id}/resolve`, { token: owner, body: { strategy: 'rename', note: 'renamed one' } })).data;
  assert.deepEqual([done.status, done.resolution_strategy, done.resolution_details], ['resolved', 'rename', { note: 'renamed one' }]);
  const events = (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${x.id}`, { token: owner })).data;
  const resolve = events.find((e) => e.kind === 'skill_conflict.resolve');
  assert.deepEqual([resolve.before.status, resolve.after.status], ['acknowledged', 'resolved']);
  assert.deepEqual((await list('status=resolved')).map((c) => c.id), [x.id]);
});
