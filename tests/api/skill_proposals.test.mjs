// Proposals of skills: research, review by somebody else, child proposals, and the skill that comes of it.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, freshUser, moveClock, unique } from './client.mjs';

const S = '/api/v1/ai/skills', G = '/api/v1/ai/skill_graph', P = `${G}/proposals`;
let account, token, owner, reviewer;

const make = async (more = {}, as = token) => (await expectStatus(201, 'POST', P, { token: as, body: { name: unique('proposal'), description: 'Does it.', category: 'testing', body: 'Do it.', ...more } })).data;
const step = (id, verb, as, status = 200, body = {}) => expectStatus(status, 'POST', `${P}/${id}/${verb}`, { token: as, body });
const get = async (id, as = owner) => (await expectStatus(200, 'GET', `${P}/${id}`, { token: as })).data;

before(async () => {
  account = await freshAccount();
  ({ token, owner } = account);
  reviewer = (await freshUser(account, 'reviewer')).token;
});

test('research, submit, approve, create: one skill with its first version; create again is the same (15.2)', async () => {
  const topic = 'Inspect the mooring lines of a tanker', near = { name: 'Inspect mooring lines', description: 'How the mooring lines of ships are inspected.', category: 'monitoring', body: 'x' };
  const other = (await expectStatus(201, 'POST', S, { token, body: near })).data;
  await embedded(account.slug);
  const r = (await expectStatus(200, 'POST', `${G}/research`, { token, body: { topic } })).data;
  assert.equal(r.category, 'monitoring');
  assert.deepEqual([r.sources.length, r.overlaps[0].skill_id], [4, other.id]);
  const id = r.proposal_id, draft = await get(id, token);
  assert.deepEqual([draft.status, draft.needs_editing, draft.overlap_analysis[0].skill_id], ['draft', true, other.id]);
  await expectStatus(404, 'GET', `${P}/${id}`, { token: reviewer });
  assert.equal((await step(id, 'submit', token)).data.status, 'submitted');
  assert.equal((await step(id, 'approve', reviewer, 409)).body.reason, 'needs_editing');
  await expectStatus(200, 'PATCH', `${P}/${id}`, { token, body: { body: '# Steps\n\nLook at each line.', suggested_dependencies: [{ skill_id: other.id, relation: 'requires' }] } });
  await step(id, 'create_skill', owner, 409);
  assert.equal((await step(id, 'claim_review', reviewer)).data.status, 'under_review');
  assert.equal((await step(id, 'approve', reviewer)).data.status, 'approved');
  const skill = (await step(id, 'create_skill', owner)).data;
  assert.deepEqual([skill.active_version, skill.status, skill.body], ['1.0.0', 'active', '# Steps\n\nLook at each line.']);
  assert.equal((await step(id, 'create_skill', owner)).data.id, skill.id);
  const versions = (await expectStatus(200, 'GET', `${G}/skills/${skill.id}/versions`, { token })).data;
  assert.deepEqual(versions.map((v) => v.origin), ['proposal']);
  const edges = (await expectStatus(200, 'GET', `/api/v1/edges?node_id=${skill.id}&relation=requires`, { token })).data;
  assert.deepEqual(edges.map((e) => e.target_id), [other.id]);
  assert.deepEqual([(await get(id)).status, (await get(id)).created_skill_id], ['created', skill.id]);
});

test('five missing dependencies: three child proposals, two skipped; a child\'s skill brings the edge (15.3)', async () => {
  const names = Array.from({ length: 5 }, () => unique('needed'));
  const p = await make({ suggested_dependencies: names.map((name) => ({ name, relation: 'requires' })) });
  await step(p.id, 'submit', token);
  const approved = (await step(p.id, 'approve', reviewer)).data;
  assert.deepEqual(approved.skipped_dependencies, names.slice(3));
  const children = approved.suggested_dependencies.map((d) => d.child_proposal_id).filter(Boolean);
  assert.equal(children.length, 3);
  const child = await get(children[0]);
  assert.deepEqual([child.status, child.depth, child.parent_proposal_id, child.proposed_by, child.confidence], ['submitted', 1, p.id, p.proposed_by, 0.4]);
  const parent = (await step(p.id, 'create_skill', owner)).data;
  const edges = async () => (await expectStatus(200, 'GET', `/api/v1/edges?node_id=${parent.id}&relation=requires`, { token })).data.map((e) => e.target_id);
  assert.deepEqual(await edges(), []);
  await expectStatus(200, 'PATCH', `${P}/${child.id}`, { token, body: { body: 'The needed thing.' } });
  await step(child.id, 'approve', reviewer);
  const made = (await step(child.id, 'create_skill', owner)).data;
  assert.deepEqual(await edges(), [made.id]);
});

test('nobody reviews a proposal of their own; of two reviewers at once one decides (15.4)', async () => {
  const own = await make({}, owner);
  await step(own.id, 'submit', owner);
  await step(own.id, 'approve', owner, 403);
  const second = (await freshUser(account, 'owner')).token;
  const both = await Promise.all([reviewer, second].map((as) => call('POST', `${P}/${own.id}/approve`, { token: as, body: {} })));
  assert.deepEqual(both.map((r) => r.status).sort(), [200, 409]);
  assert.match(both.find((r) => r.status === 409).text, /the proposal is approved/);
});

test('states, limits and names', async () => {
  const p = await make({ category: undefined });
  assert.equal((await step(p.id, 'submit', token, 422)).body.errors[0].pointer, '/category');
  await expectStatus(409, 'POST', P, { token, body: { name: p.name, description: 'again' } });
  await step(p.id, 'approve', reviewer, 404);
  await step(p.id, 'withdraw', token);
  await make({ name: p.name });
  for (const [more, pointer] of [[{ suggested_dependencies: [{}] }, '/suggested_dependencies/0'], [{ suggested_dependencies: [{ name: 'x', relation: 'eats' }] }, '/suggested_dependencies/0'],
    [{ suggested_dependencies: {} }, '/suggested_dependencies'], [{ category: 'cooking' }, '/category'], [{ name: '日本' }, '/name']])
    assert.equal((await expectStatus(422, 'POST', P, { token, body: { name: 'x', description: 'y', ...more } })).body.errors[0].pointer, pointer);
  const q = await make();
  await step(q.id, 'submit', token);
  await step(q.id, 'reject', reviewer, 422);
  assert.equal((await step(q.id, 'reject', reviewer, 200, { reason: 'too vague' })).data.rejection_reason, 'too vague');
  await step(q.id, 'submit', token, 409);
  const viewer = (await freshUser(account, 'viewer')).token, stranger = await freshAccount();
  for (const as of [viewer, stranger.owner]) await expectStatus(404, 'GET', `${P}/${q.id}`, { token: as });
  const mine = (await expectStatus(200, 'GET', `${P}?status=rejected`, { token })).data;
  assert.deepEqual(mine.map((x) => x.id), [q.id]);
  const lonely = await freshAccount();
  for (let i = 0; i < 20; i++) await make({}, lonely.token);
  assert.equal((await expectStatus(409, 'POST', P, { token: lonely.token, body: { name: 'one more', description: 'x' } })).body.reason, 'quota_exceeded');
});

test('what is there already is not proposed again', async () => {
  const s = (await expectStatus(201, 'POST', S, { token, body: { name: 'Calibrate the radar', description: 'Calibrate the radar', category: 'operations', body: 'x', triggers: [], tags: [] } })).data;
  await embedded(account.slug);
  const r = await call('POST', `${G}/research`, { token, body: { topic: 'Calibrate the radar' } });
  if (r.status === 409) assert.deepEqual([r.body.reason, r.body.current_value.skill_id], ['duplicate', s.id]);
  else assert.ok(r.data.overlaps.some((x) => x.skill_id === s.id && x.similarity < 0.92));
  await expectStatus(200, 'POST', `${G}/research`, { token, body: { topic: 'Calibrate the radar again', force: true, propose: false } });
  await expectStatus(422, 'POST', `${G}/research`, { token, body: { topic: 'x y z', sources: ['web'] } });
});
