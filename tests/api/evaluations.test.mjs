// Evaluation sets: questions with what should be found, run mode by mode, and compared with the run before.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, settled, unique } from './client.mjs';

const R = '/api/v1/ai/rag';
let account, token, base, docs;
const make = async (path, body) => (await expectStatus(201, 'POST', `${R}/${path}`, { token, body })).data;
const done = (kinds) => settled(account.slug, { parts: ['queue'], kinds });
const TEXTS = { lock: 'The lock keeper opens the gate at noon.', crane: 'The crane lifts forty tons.', ferry: 'The ferry leaves from the north quay.' };
before(async () => {
  account = await freshAccount();
  token = account.owner;
  base = await make('knowledge_bases', { name: unique('evaluated') });
  docs = {};
  for (const [name, content] of Object.entries(TEXTS)) docs[name] = await make('documents', { knowledge_base_id: base.id, name, content, external_id: name });
  await done(['process_document']);
});
const sets = () => `knowledge_bases/${base.id}/evaluations`;
const run = async (body = {}) => {
  await expectStatus(201, 'POST', `${R}/${sets()}/run`, { token, body });
  await done(['run_evaluation']);
  return (await expectStatus(200, 'GET', `${R}/${sets()}/runs`, { token })).data;
};

test('cases by document, chunk and words; what is not in the base is refused', async () => {
  await make(sets(), { question: 'Who opens the gate?', expected_document_id: docs.lock.id });
  const [chunk] = (await expectStatus(200, 'GET', `${R}/documents/${docs.crane.id}/chunks`, { token })).data;
  await make(sets(), { question: 'How many tons does the crane lift?', expected_chunk_id: chunk.id });
  await make(sets(), { question: 'Where does the ferry leave?', expected_text: 'NORTH quay' });
  await expectStatus(422, 'POST', `${R}/${sets()}`, { token, body: { question: 'What?' } });
  await expectStatus(422, 'POST', `${R}/${sets()}`, { token, body: { question: 'What?', expected_text: 'x', expected_document_id: docs.lock.id } });
  await expectStatus(404, 'POST', `${R}/${sets()}`, { token, body: { question: 'What?', expected_document_id: base.id } });
  await expectStatus(404, 'GET', `${R}/${sets()}`, { token: account.token });
});

test('a run measures each mode, and is compared with the one before', async () => {
  const [first] = await run();
  assert.equal(first.status, 'done', JSON.stringify(first));
  const of = (r, mode) => r.results.find((m) => m.mode === mode);
  assert.deepEqual([first.status, first.cases, of(first, 'hybrid').recall_at_5, of(first, 'keyword').recall_at_5, of(first, 'keyword').mrr], ['done', 3, 1, 1, 1]);
  assert.equal(of(first, 'hybrid').change, null);
  const wrong = await make(sets(), { question: 'Who opens the gate at noon?', expected_text: 'words that stand nowhere' });
  const [second] = await run();
  assert.deepEqual([of(second, 'hybrid').recall_at_5, of(second, 'hybrid').change, second.failed_cases], [0.75, -0.25, [wrong.id]]);
  await expectStatus(204, 'DELETE', `${R}/evaluations/${wrong.id}`, { token });
  assert.equal((await expectStatus(200, 'GET', `${R}/queries`, { token })).data.length, 0, 'a run leaves no record of queries');
});

test('cases come from CSV, all or none, and from the record of queries', async () => {
  const csv = (text) => expectStatus.bind(null, 200, 'POST', `${R}/${sets()}/import`, { token, body: { name: 'csv', csv: text } });
  const { data } = await csv('question,document,text\r\n"What is ""lifted"", and by whom?",crane,\nWhen is the gate opened?,,"at noon"\n')();
  assert.equal(data.added, 2);
  const list = async () => (await expectStatus(200, 'GET', `${R}/${sets()}?name=csv`, { token })).data;
  assert.deepEqual((await list()).map((e) => [e.question, e.expected_document_id, e.expected_text]), [['When is the gate opened?', null, 'at noon'], ['What is "lifted", and by whom?', docs.crane.id, null]]);
  await expectStatus(422, 'POST', `${R}/${sets()}/import`, { token, body: { name: 'csv', csv: 'Good?,lock,\nBad?,no-such-document,\n' } });
  assert.equal((await list()).length, 2);
  const asked = (await expectStatus(200, 'POST', `${R}/query`, { token, body: { query: 'crane tons', knowledge_base_id: base.id } })).data;
  await done();
  const made = (await expectStatus(201, 'POST', `${R}/queries/${asked.query_id}/evaluation`, { token })).data;
  assert.deepEqual([made.question, made.expected_document_id], ['crane tons', docs.crane.id]);
});
