// Facts: what is believed follows from claims by their time, not by their arrival; both clocks; who may overwrite whom.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, unique } from './client.mjs';
import { sql } from './db.mjs';

const F = '/api/v1/facts';
let account, ann, bob, space;

before(async () => {
  account = await freshAccount();
  [ann, bob] = [await freshAgent(account), await freshAgent(account, 'trusted')];
  space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: account.owner, body: { kind: 'context', name: 'shared', slug: unique('shared') } })).data;
  for (const a of [ann, bob]) await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token: account.owner, body: { grantee_kind: 'agent', grantee_id: a.id, level: 'write' } });
});

const say = async (body, token = ann.token) => (await expectStatus(200, 'POST', F, { token, body: { namespace: space.id, ...body } })).data;
const based = (subject, object, valid_from, token, more = {}) => say({ subject, predicate: 'based_in', object, valid_from, ...more }, token);
const list = async (query, token = ann.token) => (await expectStatus(200, 'GET', `${F}?limit=100&${query}`, { token })).data;
const history = async (id) => (await expectStatus(200, 'GET', `${F}/${id}/history`, { token: ann.token })).data;
const values = (rows) => rows.map((f) => f.object).sort();

test('one timeline whatever the order of arrival: Paris, Berlin, Paris', async () => {
  const said = [['Paris', '2024-01-01T00:00:00Z'], ['Berlin', '2024-02-01T00:00:00Z'], ['Paris', '2024-03-01T00:00:00Z']];
  for (const order of [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]]) {
    const who = unique('Alice');
    for (const i of order) await based(who, ...said[i]);
    const all = await list(`subject=${who}&mode=history`);
    assert.equal(all.length, 3, JSON.stringify(order));
    assert.deepEqual(all.map((f) => [f.object, f.valid_from?.slice(0, 7), f.valid_to?.slice(0, 7) ?? null, f.status]).sort(),
      [['Berlin', '2024-02', '2024-03', 'superseded'], ['Paris', '2024-01', '2024-02', 'superseded'], ['Paris', '2024-03', null, 'active']]);
    const berlin = all.find((f) => f.object === 'Berlin'), now = all.find((f) => f.status === 'active');
    assert.equal(berlin.superseded_by, now.id);
    assert.deepEqual(values(await list(`subject=${who}`)), ['Paris']);
    assert.deepEqual(values(await list(`subject=${who}&as_of=2024-02-10T00:00:00Z`)), ['Berlin']);
    assert.deepEqual(values(await list(`subject=${who}&as_of=2024-03-01T00:00:00Z`)), ['Paris'], 'the end belongs to the successor');
    assert.deepEqual(await list(`subject=${who}&as_of=2023-12-01T00:00:00Z`), []);
  }
});

test('the same value again corroborates; another author makes it surer', async () => {
  const who = unique('Carol');
  const first = await based(who, 'Rome'), again = await based(who, ' rome. '), other = await based(who, 'Rome', undefined, bob.token);
  assert.deepEqual([first.outcome, again.outcome, other.outcome], ['created', 'corroborated', 'corroborated']);
  assert.ok(again.fact.id === first.fact.id && other.fact.id === first.fact.id);
  const [now] = await list(`subject=${who}`);
  assert.deepEqual([now.mention_count, now.author_count], [3, 2]);
  assert.ok(other.fact.trust > first.fact.trust && other.fact.trust <= 0.95);
});

test('what we knew then is not what we know now', async () => {
  const who = unique('Dora');
  const first = (await based(who, 'Oslo', '2024-01-01T00:00:00Z')).fact;
  const [[k]] = await sql("SELECT DATE_FORMAT(UTC_TIMESTAMP(6), '%Y-%m-%dT%H:%i:%s.%fZ')");
  const next = (await based(who, 'Bergen', '2024-06-01T00:00:00Z')).fact;
  assert.deepEqual(values(await list(`subject=${who}&as_of=2024-07-01T00:00:00Z`)), ['Bergen']);
  assert.deepEqual(values(await list(`subject=${who}&as_known_at=${k}&as_of=2024-07-01T00:00:00Z`)), ['Oslo']);
  assert.deepEqual(values(await list(`subject=${who}&mode=as_known_at&as_known_at=${k}`)), ['Oslo']);
  const { windows, claims } = await history(first.id);
  assert.deepEqual(windows.map((w) => [w.valid_to?.slice(0, 7) ?? null, w.retired_at === null]), [[null, false], ['2024-06', true]]);
  assert.equal(claims.length, 1);
  const diff = (await expectStatus(200, 'GET', `${F}/diff?from_known=${k}&namespace=${space.id}`, { token: ann.token })).data.changes;
  const of = (id) => diff.find((d) => d.id === id)?.kind;
  assert.deepEqual([of(first.id), of(next.id)], ['closed', 'appeared']);
  await expectStatus(422, 'GET', `${F}?mode=as_of`, { token: ann.token });
});

test('an agent does not overwrite a person; the value is held, and recall leaves it out', async () => {
  const who = unique('Emma');
  const first = await based(who, 'Lyon', undefined, account.owner);
  const held = await based(who, 'Nantes');
  assert.deepEqual([held.outcome, held.other_id, held.fact.status, held.fact.quarantine_reason], ['held', first.fact.id, 'quarantined', 'held']);
  assert.deepEqual(values(await list(`subject=${who}`)), ['Lyon']);
  assert.equal((await based(who, 'Nantes')).outcome, 'held', 'repeating it does not lift it');
  const hits = async () => (await expectStatus(200, 'POST', '/api/v1/recall', { token: ann.token, body: { query: who, mode: 'keyword', kinds: ['fact'], spaces: [space.id] } })).data.hits.map((h) => h.id);
  assert.deepEqual(await hits(), [first.fact.id]);
  const [edge] = (await expectStatus(200, 'GET', `/api/v1/edges?node_id=${held.fact.id}&relation=CONTRADICTS`, { token: ann.token })).data;
  assert.deepEqual([edge.source_id, edge.target_id], [held.fact.id, first.fact.id]);
  assert.equal((await based(who, 'Nantes', undefined, account.owner)).outcome, 'corroborated', 'the person takes it up');
  assert.deepEqual(values(await list(`subject=${who}`)), ['Nantes']);
});

test('an end closes that value alone; several values of what may have several stand side by side', async () => {
  const who = unique('Finn');
  const uses = (object, more) => say({ subject: who, predicate: 'uses', object, ...more });
  for (const tool of ['Vim', 'Emacs', 'Nano']) await uses(tool, { valid_from: '2024-01-01T00:00:00Z' });
  assert.deepEqual(values(await list(`subject=${who}`)), ['Emacs', 'Nano', 'Vim']);
  const end = await uses('Vim', { negative: true, valid_from: '2024-05-01T00:00:00Z' });
  assert.equal(end.outcome, 'superseding');
  const now = await list(`subject=${who}`);
  assert.deepEqual(now.filter((f) => !f.negative).map((f) => f.object).sort(), ['Emacs', 'Nano']);
  assert.deepEqual(now.filter((f) => f.negative).map((f) => f.object), ['Vim']);
});

test('two voices of the same weight at one instant are contested, and both are shown', async () => {
  const who = unique('Gina'), at = '2024-04-01T00:00:00Z', second = await freshAgent(account);
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token: account.owner, body: { grantee_kind: 'agent', grantee_id: second.id, level: 'write' } });
  await based(who, 'Graz', at);
  const other = await based(who, 'Linz', at, second.token);
  assert.equal(other.outcome, 'contested');
  const both = await list(`subject=${who}&contested=true`);
  assert.deepEqual([values(both), both.every((f) => f.status === 'active')], [['Graz', 'Linz'], true]);
});

test('a fact is superseded by hand across slots, and that is taken back', async () => {
  const who = unique('Hugo');
  const old = (await say({ subject: who, predicate: 'prefers', object: 'tea' })).fact, next = (await say({ subject: who, predicate: 'likes', object: 'coffee' })).fact;
  const supersede = (id, body, token = ann.token) => call('POST', `${F}/${id}/supersede`, { token, body: { reason: 'he said so', ...body } });
  assert.equal((await supersede(old.id, { by: old.id })).status, 409);
  const done = await supersede(old.id, { by: next.id });
  assert.deepEqual([done.status, done.data.status, done.data.superseded_by], [200, 'superseded', next.id], done.text);
  assert.equal((await supersede(next.id, { by: old.id })).status, 409, 'a circle');
  const back = (await expectStatus(200, 'DELETE', `${F}/${old.id}/supersede`, { token: ann.token })).data;
  assert.deepEqual([back.status, back.superseded_by, back.valid_to], ['active', null, null]);
  await expectStatus(409, 'DELETE', `${F}/${old.id}/supersede`, { token: ann.token });
  const outsider = await freshAgent(account);
  assert.equal((await supersede(old.id, { by: next.id }, outsider.token)).status, 404);
});

test('facts about one name meet in one entity; each space has its own', async () => {
  const who = `Zoë ${unique('Kay')}`;
  const a = (await say({ subject: who, predicate: 'role_is', object: 'pilot' })).fact, b = (await say({ subject: `the ${who.toUpperCase().replace('Ë', 'E')}'s`, predicate: 'speaks', object: 'Dutch' })).fact;
  assert.equal(a.subject_id, b.subject_id);
  const e = (await expectStatus(200, 'GET', `/api/v1/entities/${a.subject_id}`, { token: ann.token })).data;
  assert.deepEqual([e.canonical_name, e.fact_count, e.aliases.length], [who, 2, 1]);
  const own = (await say({ subject: who, predicate: 'role_is', object: 'cook', namespace: null })).fact;
  assert.notEqual(own.subject_id, a.subject_id);
  const found = (await expectStatus(200, 'GET', `/api/v1/entities?q=${encodeURIComponent(who.slice(0, 8))}`, { token: bob.token })).data;
  assert.deepEqual(found.map((x) => x.id), [a.subject_id]);
});

test('a note on a topic is a fact as well; secrets in it are redacted', async () => {
  const topic = unique('topic');
  const { fact } = await say({ content: 'Deploys need password=hunter22 and two people.', topic });
  assert.deepEqual([fact.subject, fact.predicate, fact.statement], [topic, 'states', 'Deploys need password=[redacted:secret] and two people.']);
  for (const body of [{}, { subject: 'x', predicate: 'No Name', object: 'y' }, { content: 'x', valid_from: '2024-02-01T00:00:00Z', valid_to: '2024-01-01T00:00:00Z' }])
    await expectStatus(422, 'POST', F, { token: ann.token, body: { namespace: space.id, ...body } });
});

test('ten at once about one slot end in one current fact', async () => {
  const who = unique('Ida');
  await Promise.all(Array.from({ length: 10 }, (_, i) => based(who, `Town ${i % 3}`, `2024-01-${10 + i}T00:00:00Z`)));
  assert.deepEqual(values(await list(`subject=${who}`)), ['Town 0']);
  const all = await list(`subject=${who}&mode=history`);
  assert.equal(all.filter((f) => f.status === 'active').length, 1);
  assert.equal(new Set(all.map((f) => f.subject_id)).size, 1);
});

test('a fact is updated by another claim: the old value stays in the history, and a stale version is refused', async () => {
  const who = unique('Jana'), patch = (id, body, headers) => call('PATCH', `${F}/${id}`, { token: ann.token, body, headers });
  const { fact } = await based(who, 'Bari', '2024-01-01T00:00:00Z');
  const next = await patch(fact.id, { object: 'Como' }, { 'If-Match': `"${fact.version}"` });
  assert.deepEqual([next.status, next.data.outcome, next.data.fact.object, next.data.other_id], [200, 'superseding', 'Como', fact.id], next.text);
  assert.deepEqual(values(await list(`subject=${who}`)), ['Como']);
  assert.equal((await patch(fact.id, { object: 'Pisa' })).status, 409, 'it is superseded');
  assert.equal((await patch(next.data.fact.id, { object: 'Pisa' }, { 'If-Match': '"99"' })).status, 412);
  const { fact: tool } = await say({ subject: who, predicate: 'uses', object: 'Vim' });
  assert.equal((await patch(tool.id, { object: 'Emacs' })).data.fact.object, 'Emacs');
  assert.deepEqual((await list(`subject=${who}&predicate=uses`)).filter((f) => !f.negative).map((f) => f.object), ['Emacs']);
  const { fact: note } = await say({ content: 'Two people deploy.', topic: who });
  assert.equal((await patch(note.id, { content: 'Three people deploy.' })).data.fact.statement, 'Three people deploy.');
  const surer = (await patch(next.data.fact.id, { confidence: 0.95 })).data;
  assert.deepEqual([surer.outcome, surer.fact.id, surer.fact.confidence], ['corroborated', next.data.fact.id, 0.95]);
  assert.equal((await patch(next.data.fact.id, {})).status, 422);
});
