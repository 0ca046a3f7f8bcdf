// Archival memory: few lines about a subject that know their sources, edited by people, injected when a workspace begins.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, freshAgent, moveClock, runEnded } from './client.mjs';
import { sql } from './db.mjs';

const S = '/api/v1/ai/skills', G = '/api/v1/ai/skill_graph';
let account, agent, other, tea;
const as = (token) => ({ get: async (p) => (await expectStatus(200, 'GET', p, { token })).data, post: async (p, body = {}, status = 200) => (await expectStatus(status, 'POST', p, { token, body })).data });
const of = (id) => `/api/v1/archival/${id}`;
const fact = async (body) => (await as(agent.token).post('/api/v1/facts', body)).fact;
const texts = async (path = of(agent.id), token = agent.token) => Object.fromEntries((await as(token).get(path)).sections.filter((s) => s.state === 'published').map((s) => [s.section, s]));
const section = (list, name, state) => list.filter((s) => s.section === name && s.state === state);
const put = (name, text, more = {}, status = 200) => expectStatus(status, 'PUT', of(agent.id), { token: agent.token, body: { section: name, text }, ...more });

before(async () => {
  account = await freshAccount();
  [agent, other] = [await freshAgent(account, 'trusted'), await freshAgent(account, 'trusted')];
  tea = await fact({ subject: 'the pilot', predicate: 'prefers', object: 'black tea', fact_type: 'preference' });
  await fact({ subject: 'the pilot', predicate: 'moved_to', object: 'Bremerhaven', fact_type: 'event' });
  await fact({ subject: 'the pilot', predicate: 'based_in', object: 'berth nine' });
  const skill = await as(account.owner).post(S, { name: 'Moor a ferry', description: 'How to moor a ferry at the quay.', category: 'operations', body: '# Moor a ferry\n\nBow line first.' }, 201);
  await embedded(account.slug);
  await as(agent.token).post(`${G}/activate`, { task: 'moor a ferry at the quay', session_id: 's1' });
  await as(agent.token).post(`${G}/record_outcome`, { skill_id: skill.id, outcome: 'success', execution_id: 'x1' });
});

test('refresh makes dated history, preferences, numbers and notes, each line with its source; again changes nothing', async () => {
  assert.deepEqual(await as(agent.token).get(of(agent.id)), { subject_id: agent.id, sections: [] });
  const r = await as(agent.token).post(`${of(agent.id)}/refresh`);
  assert.deepEqual([r.published, r.drafts, r.unchanged], [4, 0, 0]);
  const t = await texts();
  assert.match(t.history.text, /^\d{4}-\d\d-\d\d .*Bremerhaven/);
  assert.match(t.preferences.text, /black tea/);
  assert.equal(t.performance.text, 'Moor a ferry: 1 of 1 times with success');
  assert.match(t.notes.text, /berth nine/);
  assert.deepEqual(t.preferences.lines.map((l) => l.source_id), [tea.id]);
  assert.deepEqual((await as(agent.token).post(`${of(agent.id)}/refresh`)).unchanged, 4);
});

test('a person\'s edit survives refresh: the new text waits as a draft and is published by call (15.23)', async () => {
  const before = await texts();
  const edited = (await put('preferences', `${before.preferences.text}\nNo sugar, ever.`, { headers: { 'If-Match': `"${before.preferences.version}"` } })).data;
  assert.deepEqual([edited.edited, edited.version, edited.lines.map((l) => l.source_id)], [true, before.preferences.version + 1, [tea.id, null]]);
  await put('preferences', 'x', { headers: { 'If-Match': `"${before.preferences.version}"` } }, 412);
  await put('nonsense', 'x', {}, 422);
  assert.equal((await as(agent.token).post(`${of(agent.id)}/refresh`)).unchanged, 4, 'the same sources');
  await fact({ subject: 'the pilot', predicate: 'likes', object: 'rye bread', fact_type: 'preference' });
  assert.deepEqual([(await as(agent.token).post(`${of(agent.id)}/refresh`)).drafts, (await as(agent.token).post(`${of(agent.id)}/refresh`)).drafts], [1, 0]);
  const { sections } = await as(agent.token).get(of(agent.id));
  assert.match(section(sections, 'preferences', 'published')[0].text, /No sugar, ever\.$/);
  assert.match(section(sections, 'preferences', 'draft')[0].text, /rye bread/);
  const published = await as(agent.token).post(`${of(agent.id)}/publish`, { section: 'preferences' });
  assert.deepEqual([published.state, published.edited, published.version], ['published', false, edited.version + 1]);
  await as(agent.token).post(`${of(agent.id)}/publish`, { section: 'preferences' }, 404);
  const all = (await as(agent.token).get(`${of(agent.id)}/history`)).sections;
  assert.deepEqual(section(all, 'preferences', 'superseded').map((s) => s.edited), [true, false], 'what was there stays as history');
});

test('a workspace begins with what is kept of its subject and the skills of the task', async () => {
  const w = await as(agent.token).post('/api/v1/workspaces/start', { subject_id: agent.id, task: 'moor a ferry at the quay', token_budget: 3000 });
  assert.ok(w.session_id && w.tokens <= 3000, JSON.stringify([w.tokens, w.session_id]));
  assert.match(w.text, /<archival id="[^"]+" section="preferences">[^<]*black tea/);
  assert.ok(w.text.includes('Bow line first.'));
  assert.deepEqual([w.skills.length, w.skills[0].name, w.context.sections.find((s) => s.name === 'skills').weight], [1, 'Moor a ferry', 0]);
  assert.ok(w.context.sections.find((s) => s.name === 'archival').items >= 3);
  assert.equal((w.text.match(/black tea/g) ?? []).length, 1, 'nothing twice');
  const plain = await as(agent.token).post('/api/v1/workspaces/start', { subject_id: agent.id, session_id: 'my own' });
  assert.deepEqual([plain.session_id, plain.skills, plain.text.includes('Bow line')], ['my own', [], false]);
});

test('others see nothing of it (15.18)', async () => {
  const stranger = await freshAccount();
  for (const token of [other.token, stranger.token]) {
    for (const path of [of(agent.id), `${of(agent.id)}/history`]) await expectStatus(404, 'GET', path, { token });
    await expectStatus(404, 'PUT', of(agent.id), { token, body: { section: 'notes', text: 'x' } });
    await expectStatus(404, 'POST', `${of(agent.id)}/refresh`, { token, body: {} });
    await expectStatus(404, 'POST', '/api/v1/workspaces/start', { token, body: { subject_id: agent.id } });
  }
});

test('erasing a source takes its line out of every text, old ones too (15.23)', async () => {
  const me = as(account.owner), space = (await me.post('/api/v1/spaces', { kind: 'context', slug: 'galley', name: 'Galley' }, 201)).id;
  const said = async (object) => (await me.post('/api/v1/facts', { namespace: space, subject: 'the cook', predicate: 'likes', object, fact_type: 'preference' })).fact;
  const thyme = await said('wild thyme'), cook = thyme.subject_id;
  await me.post(`${of(cook)}/refresh`);
  await expectStatus(200, 'PUT', of(cook), { token: account.owner, body: { section: 'preferences', text: `${(await texts(of(cook), account.owner)).preferences.text}\nAsks first.` } });
  await said('smoked eel');
  assert.equal((await me.post(`${of(cook)}/refresh`)).drafts, 1);
  const count = async () => Number((await sql(`SELECT COUNT(*) FROM archival_line WHERE body LIKE '%wild thyme%' AND account_id = (SELECT id FROM account WHERE slug = '${account.slug}')`))[0][0]);
  assert.equal(await count(), 3, 'superseded, edited and in the draft');
  const erase = (more) => me.post('/api/v1/erasures', { node_ids: [thyme.id], reason: 'asked for', ...more });
  await erase({ dry_run: false, confirm: (await erase({})).confirm });
  assert.equal(await count(), 0);
  const left = JSON.stringify(await me.get(`${of(cook)}/history`));
  assert.ok(!left.includes('wild thyme') && left.includes('Asks first.'));
});

test('the nightly job makes them again', async () => {
  await fact({ subject: 'the pilot', predicate: 'works_for', object: 'the harbour office' });
  await moveClock('24h');
  const { id } = (await expectStatus(202, 'POST', '/api/v1/jobs/archival_refresh/run', { token: account.owner, body: {} })).data;
  assert.equal((await runEnded(account, id)).status, 'succeeded');
  assert.match((await texts()).notes.text, /harbour office/);
});
