// Documents that are there: names, texts by If-Match, the text before, archive and restore, and mass additions.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, settled, unique } from './client.mjs';
import { sql } from './db.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`;
let account, token, base;
before(async () => {
  account = await freshAccount();
  token = account.token;
  base = (await expectStatus(201, 'POST', K, { token, body: { name: unique('changes'), chunk_size: 200, chunk_overlap: 40 } })).data;
});

const post = (path, body, status, headers) => expectStatus(status, 'POST', path, { token, body, headers });
const add = async (content, more = {}) => processed((await post(D, { knowledge_base_id: base.id, content, name: 'Log', ...more }, 201)).data);
const processed = async (d) => {
  await settled(account.slug, { parts: ['queue'], kinds: ['process_document'] });
  return (await expectStatus(200, 'GET', `${D}/${d.id}`, { token })).data;
};
const chunks = async (d) => (await expectStatus(200, 'GET', `${D}/${d.id}/chunks?limit=100`, { token })).data;
const textOf = async (d) => (await expectStatus(200, 'GET', `${D}/${d.id}/text`, { token })).data.text;
const query = async (q, mode = 'keyword') => (await expectStatus(200, 'GET', `${R}/query?query=${encodeURIComponent(q)}&knowledge_base_id=${base.id}&mode=${mode}`, { token })).data.results;
const words = (n, word) => Array.from({ length: n }, (_, i) => `Line ${i} is about the ${word} of pier ${(i * 7) % 11}, berth ${i}.`).join('\n');

test('of two texts with one If-Match the first wins; a text during a build is the one that is served', async () => {
  const d = await add(words(20, 'cranes')), put = (content, version) => call('PUT', `${D}/${d.id}/content`, { token, body: { content }, headers: version ? { 'If-Match': `"${version}"` } : {} });
  const both = await Promise.all([put(words(20, 'ropes'), d.version), put(words(20, 'chains'), d.version)]);
  assert.deepEqual(both.map((r) => r.status).sort(), [200, 412]);
  for (const word of ['anchors', 'winches', 'capstans']) assert.equal((await put(words(20, word))).status, 200);
  const now = await processed(d);
  assert.deepEqual([now.status, now.source_version, now.served_version], ['indexed', 5, 5]);
  assert.match(await textOf(d), /capstans/);
  assert.equal((await query('capstans')).length > 0, true);
  for (const gone of ['cranes', 'ropes', 'anchors', 'winches']) assert.deepEqual(await query(gone), [], gone);
});

test('the text before: what differs, and back to it; equal chunks keep their ids', async () => {
  const d = await add(words(30, 'lamps')), first = (await chunks(d)).map((c) => c.id);
  await expectStatus(409, 'POST', `${D}/${d.id}/revert`, { token, body: {} });
  await expectStatus(200, 'PUT', `${D}/${d.id}/content`, { token, body: { content: words(30, 'lamps').replace('Line 12 is', 'Line twelve is').replace('\nLine 20 ', '\nNew line.\nLine 20 ') } });
  await processed(d);
  const diff = (await expectStatus(200, 'GET', `${D}/${d.id}/diff`, { token })).data;
  assert.deepEqual([diff.old_version, diff.new_version, diff.removed_lines, diff.added_lines], [1, 2, 1, 2]);
  assert.deepEqual(diff.hunks.map((h) => [h.old_line, h.new_line]), [[13, 13], [21, 21]]);
  assert.deepEqual([diff.hunks[0].removed.slice(0, 10), diff.hunks[1].added], ['Line 12 is', 'New line.\n']);
  await post(`${D}/${d.id}/revert`, {}, 200);
  const now = await processed(d);
  assert.deepEqual([now.source_version, await textOf(d)], [3, words(30, 'lamps')]);
  const again = (await chunks(d)).map((c) => c.id);
  assert.ok(again.filter((id) => first.includes(id)).length > first.length / 2);
  assert.equal(Number((await sql(`SELECT COUNT(DISTINCT source_version) FROM document_text WHERE document_id = '${d.id}'`))[0][0]), 2, 'the two newest texts are kept');
});

test('a new name is embedded with each chunk; metadata alone costs nothing', async () => {
  const d = await add(words(10, 'gulls'), { name: 'Birds' });
  await expectStatus(412, 'PATCH', `${D}/${d.id}`, { token, body: { name: 'x' }, headers: { 'If-Match': '"999"' } });
  const meta = (await expectStatus(200, 'PATCH', `${D}/${d.id}`, { token, body: { metadata: { reviewed: true } } })).data;
  assert.deepEqual([meta.status, meta.metadata], ['indexed', { reviewed: true }]);
  const named = (await expectStatus(200, 'PATCH', `${D}/${d.id}`, { token, body: { name: 'Sea birds' } })).data;
  assert.deepEqual([named.status, named.name], ['pending', 'Sea birds']);
  assert.equal((await processed(d)).status, 'indexed');
  assert.equal((await query('gulls'))[0].document_name, 'Sea birds');
});

test('archived: out of searches with its chunks, and back as it was', async () => {
  const word = unique('zarch').replace('-', ''), d = await add(words(10, word)), ids = (await chunks(d)).map((c) => c.id);
  await embedded(account.slug);
  assert.equal((await post(`${D}/${d.id}/archive`, {}, 200)).data.status, 'archived');
  assert.deepEqual(await query(word), []);
  assert.equal((await expectStatus(200, 'GET', `${D}/${d.id}`, { token })).data.status, 'archived');
  assert.equal((await post(`${D}/${d.id}/unarchive`, {}, 200)).data.status, 'indexed');
  assert.ok((await query(word)).length > 0);
  assert.deepEqual((await chunks(d)).map((c) => c.id), ids);
});

test('deleted and restored: exactly that set is back, for 30 days', async () => {
  const word = unique('zrest').replace('-', ''), d = await add(words(10, word)), ids = (await chunks(d)).map((c) => c.id), counts = async () => {
    const b = (await expectStatus(200, 'GET', `${K}/${base.id}`, { token })).data;
    return [b.document_count, b.chunk_count, b.total_tokens, b.storage_bytes];
  }, before = await counts();
  await expectStatus(204, 'DELETE', `${D}/${d.id}`, { token });
  await expectStatus(404, 'GET', `${D}/${d.id}`, { token });
  assert.equal((await post(`${D}/${d.id}/restore`, {}, 200)).data.status, 'indexed');
  assert.deepEqual((await chunks(d)).map((c) => c.id), ids);
  assert.ok((await query(word)).length > 0);
  assert.deepEqual(await counts(), before);
  await expectStatus(404, 'POST', `${D}/${d.id}/restore`, { token, body: {} });
});

test('a document that came from no address is not refreshed', async () => {
  const d = await add(words(3, 'fog'));
  assert.equal((await post(`${D}/${d.id}/refresh`, {}, 409)).body.reason, 'no_address');
});

test('16 clients add 200 documents at once: counters are the rows, and nobody sees an error', async () => {
  const b = (await expectStatus(201, 'POST', K, { token, body: { name: unique('many') } })).data;
  let next = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let i = next++; i < 200; i = next++) await post(D, { knowledge_base_id: b.id, content: `Note ${i}: Captain Anna Wolff met Pilot Bo Lund at the Old Customs House.` }, 201);
  }));
  await settled(account.slug, { parts: ['queue'], kinds: ['process_document'] });
  const now = (await expectStatus(200, 'GET', `${K}/${b.id}`, { token })).data;
  assert.deepEqual([now.status, now.document_count], ['active', 200]);
  const [n, chunk_count, tokens, bytes] = (await sql(`SELECT COUNT(*), SUM(chunk_count), SUM(token_count), SUM(content_size_bytes) FROM document WHERE knowledge_base_id = '${b.id}' AND status = 'indexed'`))[0].map(Number);
  assert.deepEqual([n, chunk_count, tokens, bytes], [200, now.chunk_count, now.total_tokens, now.storage_bytes]);
});

test('a batch: each is independent, and says what became of it', async () => {
  const copy = unique('copy '), r = (await post(`${D}/batch`, { documents: [{ knowledge_base_id: base.id, content: copy }, { knowledge_base_id: base.id, content: copy }, { knowledge_base_id: base.id }, 7,
    { knowledge_base_id: base.id, content: unique('more '), external_id: 'b1' }, { knowledge_base_id: '00000000-0000-7000-8000-000000000001', content: 'x' }] }, 200)).data;
  assert.deepEqual(r.results.map((x) => [x.index, x.outcome, x.code]), [[0, 'created', null], [1, null, 'CONFLICT'], [2, null, 'VALIDATION_ERROR'], [3, null, 'VALIDATION_ERROR'], [4, 'created', null], [5, null, 'NOT_FOUND']]);
  assert.equal(r.failed, 4);
  await expectStatus(422, 'POST', `${D}/batch`, { token, body: { documents: [] } });
  await expectStatus(422, 'POST', `${D}/batch`, { token, body: { documents: Array(101).fill({}) } });
});

test('paused while many wait: in the end nothing is processing; resumed, all are indexed; archived, changes are refused', async () => {
  const b = (await expectStatus(201, 'POST', K, { token, body: { name: unique('pause') } })).data;
  for (let i = 0; i < 10; i++) await post(`${D}/batch`, { documents: Array.from({ length: 100 }, (_, k) => ({ knowledge_base_id: b.id, content: `Entry ${i * 100 + k} of the log.` })) }, 200);
  await post(`${K}/${b.id}/pause`, {}, 200);
  await settled(account.slug, { parts: ['queue'], kinds: ['process_document'] });
  const state = async () => Object.fromEntries(await sql(`SELECT status, COUNT(*) FROM document WHERE knowledge_base_id = '${b.id}' GROUP BY 1`));
  assert.equal((await state()).processing, undefined);
  await post(`${K}/${b.id}/resume`, {}, 200);
  await settled(account.slug, { parts: ['queue'], kinds: ['process_document'] });
  assert.deepEqual(await state(), { indexed: '1000' });
  await post(`${K}/${b.id}/archive`, {}, 200);
  assert.equal((await expectStatus(409, 'POST', D, { token, body: { knowledge_base_id: b.id, content: 'late' } })).body.reason, 'base_state');
  assert.deepEqual((await expectStatus(200, 'GET', `${R}/query?query=log&mode=keyword`, { token })).data.results.filter((x) => x.knowledge_base_id === b.id), []);
});
