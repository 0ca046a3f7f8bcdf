// Graphs out of texts: facts by rules and by a model, each with the chunk that says it as its source.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, settled, unique } from './client.mjs';

const G = '/api/v1/ai/knowledge_graph', R = '/api/v1/ai/rag';
let account, token, base;
const make = async (path, body) => (await expectStatus(201, 'POST', `${R}/${path}`, { token, body })).data;
const extract = async (body, status = 200) => (await expectStatus(status, 'POST', `${G}/extract`, { token, body })).data;
const near = async (id) => (await expectStatus(200, 'GET', `${G}/nodes/${id}/neighbors`, { token })).data;
const TEXT = 'Marie Lund works at Harbour Labs. Marie Lund lives in Bergen.';
before(async () => {
  account = await freshAccount();
  token = account.owner;
  base = await make('knowledge_bases', { name: unique('extract') });
});

test('a dry run says what is found, and stores nothing', async () => {
  const found = await extract({ text: TEXT, knowledge_base_id: base.id, method: 'rules', dry_run: true });
  assert.equal(found.method, 'rules');
  assert.ok(found.relations.some((r) => r.source === 'Marie Lund' && r.target === 'Harbour Labs' && TEXT.includes(r.quote) && r.fact_id === null), JSON.stringify(found.relations));
  assert.ok(found.entities.some((e) => e.name === 'Marie Lund' && e.id === null));
  assert.deepEqual([found.document_id, found.episode_id, found.facts], [null, null, 0]);
  assert.equal((await expectStatus(200, 'GET', `${R}/documents?knowledge_base_id=${base.id}`, { token })).data.length, 0);
});

test('a text becomes a document, its facts join entities, and go with it', async () => {
  const found = await extract({ text: TEXT, knowledge_base_id: base.id, source_label: 'Who is who', method: 'rules' });
  assert.ok(found.facts >= 2 && found.created >= 2, JSON.stringify(found));
  const marie = found.entities.find((e) => e.name === 'Marie Lund');
  const { edges, nodes } = await near(marie.id);
  const lab = nodes.find((n) => n.title === 'Harbour Labs');
  assert.ok(edges.some((e) => e.via === 'fact' && e.source_id === marie.id && e.target_id === lab.id), JSON.stringify(edges));
  const again = await extract({ document_id: found.document_id, method: 'rules' });
  assert.deepEqual([again.facts, again.chunks], [0, 0], 'a chunk is read once');
  const second = await make('documents', { knowledge_base_id: base.id, name: 'Second', content: 'Marie Lund works at Harbour Labs.' });
  await settled(account.slug, { parts: ['queue'], kinds: ['process_document'] });
  await extract({ document_id: second.id, method: 'rules' });
  await expectStatus(204, 'DELETE', `${R}/documents/${found.document_id}`, { token });
  const left = await near(marie.id);
  assert.ok(left.nodes.some((n) => n.id === lab.id), 'a fact with a second source stays');
  assert.ok(!left.nodes.some((n) => n.title === 'Bergen'), 'one that only it supported is gone');
});

test('a base that reads by rules reads new documents, and old ones again when they change', async () => {
  const ruled = await make('knowledge_bases', { name: unique('ruled'), extraction: 'rules' });
  const d = await make('documents', { knowledge_base_id: ruled.id, name: 'One', content: 'Otto Berg works at Sea Bank.' });
  const done = () => settled(account.slug, { parts: ['queue'], kinds: ['process_document', 'graph_extract'] });
  await done();
  const found = async (query) => (await expectStatus(200, 'GET', `${G}/nodes?knowledge_base_id=${ruled.id}&query=${query}`, { token })).data;
  const [otto] = await found('Otto');
  assert.deepEqual((await near(otto.id)).nodes.filter((n) => n.kind === 'entity').map((n) => n.title), ['Sea Bank']);
  await expectStatus(200, 'PUT', `${R}/documents/${d.id}/content`, { token, body: { content: 'Otto Berg works at Land Bank.' } });
  await done();
  assert.deepEqual((await near(otto.id)).nodes.filter((n) => n.kind === 'entity').map((n) => n.title), ['Land Bank']);
});

test('without a model the rules are used, and it is said', async () => {
  const found = await extract({ text: TEXT, method: 'llm', dry_run: true });
  assert.deepEqual(found.degraded, ['llm: not_configured; rules were used']);
  await extract({ text: TEXT }, 422);
  const kept = (await expectStatus(200, 'POST', `${G}/extract`, { token: account.token, body: { text: `${TEXT} ${unique('x')}` } })).data;
  assert.ok(kept.episode_id && !kept.document_id);
  await extract({}, 422);
});
