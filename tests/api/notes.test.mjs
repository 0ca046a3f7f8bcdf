// Notes: what is believed of an entity as one text, written by a job; it follows its facts, and goes with any that is forgotten or erased.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, freshAgent, runEnded, unique } from './client.mjs';
import { sql } from './db.mjs';

const F = '/api/v1/facts', N = '/api/v1/notes';
let account, ann, space, token;

before(async () => {
  account = await freshAccount();
  token = account.owner;
  ann = await freshAgent(account);
  space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { kind: 'context', name: 'shared', slug: unique('shared') } })).data;
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: ann.id, level: 'write' } });
});

const say = async (subject, predicate, object, valid_from) => (await expectStatus(200, 'POST', F, { token: ann.token, body: { namespace: space.id, subject, predicate, object, valid_from } })).data.fact;
const write = async () => (await runEnded(account, (await expectStatus(202, 'POST', '/api/v1/jobs/subject_notes/run', { token, body: {} })).data.id));
const note = async (subject) => (await expectStatus(200, 'GET', `${N}?subject_id=${subject}`, { token: ann.token })).data[0];

test('three facts make a note; it follows them in place, and nothing of the old text stays', async () => {
  const who = unique('Nora');
  const first = await say(who, 'based_in', 'Rome', '2024-01-01T00:00:00Z');
  await say(who, 'works_at', 'Acme', '2024-02-01T00:00:00Z');
  await write();
  assert.equal(await note(first.subject_id), undefined, 'two are too few');
  await say(who, 'uses', 'Vim', '2024-03-01T00:00:00Z');
  const run = await write();
  assert.equal(run.status, 'succeeded', JSON.stringify(run));
  const made = await note(first.subject_id);
  assert.deepEqual([made.title, made.fact_count, made.body.split('\n').length], [who, 3, 4]);
  assert.match(made.body, /based in Rome since 2024-01-01/);
  assert.ok(['Acme', 'Rome', who, 'based_in'].every((k) => made.keywords.includes(k)), JSON.stringify(made.keywords));
  await write();
  assert.equal((await note(first.subject_id)).updated_at, made.updated_at, 'the same facts: the same note');
  const oslo = await say(who, 'based_in', 'Oslo', '2024-05-01T00:00:00Z');
  await write();
  const next = await note(first.subject_id);
  assert.equal(next.id, made.id);
  assert.match(next.body, /based in Oslo since 2024-05-01 \(before: Rome\)/);
  const { data } = await expectStatus(200, 'POST', '/api/v1/memory/search', { token: ann.token, body: { query: `${who} Oslo`, kinds: ['note'] } });
  assert.ok([...data.hits, ...data.nearest].some((h) => h.id === made.id));
  const stranger = await freshAgent(account);
  assert.equal((await expectStatus(200, 'GET', `${N}?subject_id=${first.subject_id}`, { token: stranger.token })).data.length, 0);

  const { data: op } = await expectStatus(200, 'POST', `/api/v1/memory/nodes/${oslo.id}/forget`, { token: ann.token, body: { reason: 'he asked' } });
  assert.equal(await note(first.subject_id), undefined, 'the note goes with any of its facts');
  await expectStatus(200, 'POST', `/api/v1/memory/nodes/${oslo.id}/unforget`, { token: ann.token, body: { op_id: op.op_id } });
  await write();
  assert.match((await note(first.subject_id)).body, /Oslo/);
});

test('erasing a fact erases the note with it; the rest gets a new one', async () => {
  const who = unique('Olaf'), rare = unique('quokka');
  const gone = await say(who, 'uses', rare);
  for (const [p, o] of [['based_in', 'Rome'], ['works_at', 'Acme'], ['speaks', 'Dutch']]) await say(who, p, o);
  await write();
  const old = await note(gone.subject_id);
  assert.match(old.body, new RegExp(rare));
  const body = { node_ids: [gone.id], reason: 'privacy' };
  const plan = (await expectStatus(200, 'POST', '/api/v1/erasures', { token, body })).data;
  await expectStatus(200, 'POST', '/api/v1/erasures', { token, body: { ...body, dry_run: false, confirm: plan.confirm } });
  assert.equal(Number((await sql(`SELECT COUNT(*) FROM node WHERE body LIKE '%${rare}%'`))[0][0]), 0);
  await write();
  const next = await note(gone.subject_id);
  assert.notEqual(next.id, old.id);
  assert.equal(next.fact_count, 3);
});
