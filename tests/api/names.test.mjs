// Names in the texts of knowledge bases: when they become entities, and when they go.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, settled, unique } from './client.mjs';
import { sql } from './db.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`, G = '/api/v1/ai/knowledge_graph';
let account, token;
const makeBase = async (body = {}) => (await expectStatus(201, 'POST', K, { token, body: { name: unique('base'), ...body } })).data;
const add = async (b, name, content, more = {}) => (await expectStatus(201, 'POST', D, { token, body: { knowledge_base_id: b.id, name, content, ...more } })).data;
const done = () => settled(account.slug, { parts: ['queue'], kinds: ['process_document'] });
const entities = async (b) => Object.fromEntries((await sql(`SELECT n.title, JSON_VALUE(n.attrs, '$.entity_type'), (SELECT COUNT(*) FROM edge e WHERE e.target_id = n.id AND e.relation = 'MENTIONS' AND e.retired_at IS NULL)
  FROM node n WHERE n.space_id = '${b.id}' AND n.kind = 'entity' AND n.status = 'named'`)).map(([title, type, mentions]) => [title, [type, Number(mentions)]]));
const waiting = async (b) => (await sql(`SELECT norm FROM name WHERE space_id = '${b.id}' AND entity_id IS NULL ORDER BY norm`)).map(([n]) => n);
before(async () => {
  account = await freshAccount();
  token = account.token;
});

test('a name becomes an entity at the second text that holds it, a title at once', async () => {
  const b = await makeBase();
  await add(b, 'Harbour of Lund', 'The pilot Greta Holm works for Baltic Towing Company.');
  await done();
  assert.deepEqual(await entities(b), { 'Harbour of Lund': ['concept', 1] });
  assert.deepEqual((await waiting(b)).filter((n) => / /.test(n)), ['baltic towing company', 'greta holm']);
  await add(b, 'Second note', 'Yesterday the crew met Greta Holm. They left with Baltic Towing Company and Dr Ida Berg.');
  await done();
  const now = await entities(b);
  assert.deepEqual([now['Greta Holm'], now['Baltic Towing Company'], now['Dr Ida Berg']], [['concept', 2], ['organization', 2], undefined]);
  const { data } = await expectStatus(200, 'POST', `${G}/search`, { token, body: { query: 'Greta Holm', knowledge_base_id: b.id, kinds: ['entity'] } });
  assert.equal(data.nodes[0].title, 'Greta Holm');
  const { data: plain } = await expectStatus(200, 'POST', '/api/v1/recall', { token, body: { query: 'Greta Holm', limit: 20 } });
  assert.deepEqual(plain.hits.filter((h) => h.kind === 'entity'), [], 'a recall of everything finds texts, not the names in them');
});

test('names go with their last text; down to one they wait again', async () => {
  const b = await makeBase();
  await add(b, 'one', 'Report by Mona Lind about Gull Rock.', { external_id: 'x' });
  const two = await add(b, 'two', 'Letter from Mona Lind about Gull Rock.');
  const three = await add(b, 'three', 'Answer to Mona Lind.');
  await done();
  assert.deepEqual([(await entities(b))['Mona Lind'][1], (await entities(b))['Gull Rock'][1]], [3, 2]);
  await expectStatus(204, 'DELETE', `${D}/${two.id}`, { token });
  assert.deepEqual([(await entities(b))['Mona Lind'][1], (await entities(b))['Gull Rock']], [2, undefined]);
  assert.ok((await waiting(b)).includes('gull rock'));
  await expectStatus(200, 'POST', `${D}/${two.id}/restore`, { token });
  assert.deepEqual([(await entities(b))['Mona Lind'][1], (await entities(b))['Gull Rock'][1]], [3, 2]);
  await expectStatus(204, 'DELETE', `${D}/${two.id}`, { token });
  await expectStatus(200, 'POST', D, { token, body: { knowledge_base_id: b.id, external_id: 'x', name: 'one', content: 'Nothing is left of it.' } });
  await done();
  assert.deepEqual([(await entities(b))['Mona Lind'], (await waiting(b)).includes('gull rock'), (await waiting(b)).includes('mona lind')], [undefined, false, true]);
  await expectStatus(204, 'DELETE', `${D}/${three.id}`, { token });
  assert.equal((await waiting(b)).includes('mona lind'), false);
});

test('an entity that somebody pinned or joined to another stays', async () => {
  const b = await makeBase();
  const docs = [await add(b, 'a', 'Kept by hand: Nora Falk and Otto Falk.'), await add(b, 'b', 'Also of Nora Falk and Otto Falk.')];
  await done();
  const [[nora], [otto]] = await Promise.all(['Nora Falk', 'Otto Falk'].map(async (t) => (await sql(`SELECT id FROM node WHERE space_id = '${b.id}' AND title = '${t}'`))[0]));
  await expectStatus(200, 'POST', `/api/v1/nodes/${nora}/pin`, { token, body: {} });
  await expectStatus(201, 'POST', '/api/v1/edges', { token, body: { source_id: nora, target_id: otto, relation: 'related_to' } });
  for (const d of docs) await expectStatus(204, 'DELETE', `${D}/${d.id}`, { token });
  const left = await entities(b);
  assert.deepEqual([left['Nora Falk'][1], left['Otto Falk'][1]], [0, 0]);
});

test('extraction off: no names; many at once never make one twice', async () => {
  const off = await makeBase({ extraction: 'off' }), b = await makeBase();
  await add(off, 'Quay One', 'Erik Dahl and Erik Dahl again.');
  await Promise.all(Array.from({ length: 12 }, (_, i) => add(b, `text ${i}`, `Number ${i}: the barge Sea Otter sails for Vera Lund from North Quay to East Quay.`)));
  await done();
  assert.deepEqual([await entities(off), await waiting(off)], [{}, []]);
  const now = await entities(b);
  for (const name of ['Sea Otter', 'Vera Lund', 'North Quay', 'East Quay']) assert.equal(now[name]?.[1], 12, name);
  assert.equal((await sql(`SELECT COUNT(*) FROM (SELECT title FROM node WHERE space_id = '${b.id}' AND kind = 'entity' AND status = 'named' GROUP BY title HAVING COUNT(*) > 1) x`))[0][0], '0');
});
