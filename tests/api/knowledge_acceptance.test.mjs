// What the house promises of knowledge bases as a whole (spec/knowledge section 15): a changed word, questions during builds, a base that goes, no embedder.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, BASE2, ctl, embedded, expectStatus, freshAccount, runEnded, settled, unique } from './client.mjs';
import { sql } from './db.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`;
let account, token;
before(async () => { account = await freshAccount(); token = account.token; });
const post = async (path, body, status = 200, as = token) => (await expectStatus(status, 'POST', path, { token: as, body })).data;
const done = (slug = account.slug) => settled(slug, { parts: ['queue'], kinds: ['process_document'] });
const ask = async (b, query, more = {}, base = BASE, as = token) => (await expectStatus(200, 'POST', `${R}/query`, { token: as, base, body: { query, knowledge_base_id: b.id, mode: 'keyword', ...more } })).data;
const WORDS = ['anchor', 'berth', 'cargo', 'davit', 'ensign', 'fender', 'galley', 'hawser', 'inlet', 'jetty', 'keel', 'lantern', 'mooring', 'nautical', 'oar', 'pilot'];
const sentence = (i) => `${Array.from({ length: 8 + (i % 7) }, (_, k) => WORDS[(i * 7 + k * 5 + (i * k) % 11) % WORDS.length]).join(' ')} ${i}.`;

test('3: one word changed early in a text of 200 chunks: at most 8 new chunks, the others keep id and vector; what left is found by no next query', async () => {
  const b = await post(K, { name: unique('words') }, 201);
  let n = 0, text = '';
  while (n < 2400) text += `${sentence(n++)}${n % 9 ? ' ' : '\n\n'}`;
  const d = await post(D, { knowledge_base_id: b.id, name: 'Long', external_id: 'long', content: text.replace('anchor', 'xebec') }, 201);
  await done();
  await embedded(account.slug);
  const ids = async () => (await sql(`SELECT h.id, v.updated_at FROM chunk h LEFT JOIN vector v ON v.account_id = h.account_id AND v.node_id = h.id WHERE h.document_id = '${d.id}'`)).map((r) => r.join());
  const first = await ids();
  assert.ok(first.length >= 180 && first.every((x) => !x.endsWith('NULL')), `${first.length}`);
  assert.equal((await ask(b, 'xebec')).results.length > 0, true);
  await post(D, { knowledge_base_id: b.id, external_id: 'long', content: text });
  await done();
  for (const at of [BASE, BASE2]) assert.deepEqual((await ask(b, 'xebec', {}, at)).results, []);
  await embedded(account.slug);
  const fresh = (await ids()).filter((x) => !first.includes(x));
  assert.ok(fresh.length > 0 && fresh.length <= 8, `${fresh.length} of ${first.length} chunks are new`);
});

test('4: questions while a document is processed again and again: no answer mixes generations, none is empty', async () => {
  const b = await post(K, { name: unique('builds'), chunk_size: 200, chunk_overlap: 20 }, 201);
  const text = (g) => Array.from({ length: 12 }, (_, i) => `## Part ${i}\n\nThe harbour rule of generation gen${g} says what berth ${i} pays in winter and in summer.`).join('\n\n');
  const d = await post(D, { knowledge_base_id: b.id, name: 'Rules', external_id: 'rules', content: text(0), content_type: 'text/markdown' }, 201);
  await done();
  let ends = false, answers = 0;
  const questions = Promise.all([BASE, BASE2].map(async (at) => {
    while (!ends) {
      const r = (await ask(b, 'harbour rule of generation', { top_k: 20 }, at)).results;
      const seen = new Set(r.map((x) => /gen\d+/.exec(x.content)?.[0]));
      assert.ok(r.length > 0, 'an answer is empty');
      assert.equal(seen.size, 1, `an answer mixes ${[...seen].join()}`);
      answers++;
    }
  }));
  try {
    for (let g = 1; g <= 20; g++) {
      await expectStatus(200, 'PUT', `${D}/${d.id}/content`, { token, body: { content: text(g), content_type: 'text/markdown' } });
      await done();
    }
  } finally {
    ends = true;
  }
  await questions;
  assert.ok(answers > 20, `${answers} answers`);
  assert.match((await ask(b, 'harbour rule of generation')).results[0].content, /gen20/);
});

test('12: a base with many documents is deleted: gone from the next query, whole when restored, and after 30 days nothing of it is left', async () => {
  const b = await post(K, { name: unique('gone') }, 201), count = 240;
  for (let i = 0; i < count; i += 60) await post(`${D}/batch`, { documents: Array.from({ length: 60 }, (_, k) => ({ knowledge_base_id: b.id, name: `Log ${i + k}`, content: (i + k) % 2 ? `Alma Berg met Otto Falk and Nora Lind at Kelp Point on day ${i + k}.` : `Vera Holm paid Rolf Dahl and Ida Moe at Apple Hill in week ${i + k}.` })) });
  await expectStatus(201, 'POST', `${D}/upload?knowledge_base_id=${b.id}`, { token, raw: '<html><body><p>Alma Berg had a page about Kelp Point.</p></body></html>', headers: { 'Content-Type': 'text/html' } });
  await post(D, { knowledge_base_id: b.id, content: 'Otto Falk at Kelp Point, for managers only.', access: {} }, 201);
  await done();
  await embedded(account.slug);
  await post('/api/v1/ai/knowledge_graph/communities/rebuild', { space_id: b.id });
  const spaces = (await sql(`SELECT id FROM space WHERE id = '${b.id}' OR parent_id = '${b.id}'`)).map((r) => `'${r[0]}'`).join();
  const nodes = (await sql(`SELECT id FROM node WHERE space_id IN (${spaces})`)).map((r) => r[0]);
  const counts = async () => (await sql(`SELECT (SELECT COUNT(*) FROM node WHERE space_id IN (${spaces})), (SELECT COUNT(*) FROM document WHERE knowledge_base_id = '${b.id}'), (SELECT COUNT(*) FROM name WHERE space_id IN (${spaces})), `
    + `(SELECT COUNT(*) FROM community WHERE space_id IN (${spaces})), (SELECT COUNT(*) FROM space WHERE id IN (${spaces}))`))[0].map(Number);
  const before_ = await counts(), found = async (at) => (await ask(b, 'Alma Berg', { top_k: 50 }, at)).results.length;
  assert.ok(before_.every((n, i) => n > 0 || i === 3) && before_[1] === count + 2, before_.join());
  const hits = await found(BASE);
  await expectStatus(204, 'DELETE', `${K}/${b.id}`, { token });
  for (const at of [BASE, BASE2]) {
    await expectStatus(404, 'POST', `${R}/query`, { token, base: at, body: { query: 'Alma Berg', knowledge_base_id: b.id } });
    const all = (await expectStatus(200, 'POST', '/api/v1/recall', { token, base: at, body: { query: 'Alma Berg Kelp Point', limit: 50 } })).text;
    assert.ok(!nodes.some((id) => all.includes(id)));
  }
  await post(`${K}/${b.id}/restore`, {});
  assert.deepEqual([await counts(), await found(BASE), await found(BASE2)], [before_, hits, hits]);
  await expectStatus(204, 'DELETE', `${K}/${b.id}`, { token });
  await sql(`UPDATE space SET deleted_at = deleted_at - INTERVAL 31 DAY WHERE id = '${b.id}'`);
  await runEnded(account, await ctl('job', 'run', 'knowledge_cleanup', '--account', account.slug));
  assert.deepEqual(await counts(), [0, 0, 0, 0, 0]);
  const list = nodes.filter((_, i) => i % Math.ceil(nodes.length / 300) === 0).map((id) => `'${id}'`).join();
  const [left] = await sql(`SELECT (SELECT COUNT(*) FROM vector WHERE node_id IN (${list})), (SELECT COUNT(*) FROM edge WHERE source_id IN (${list}) OR target_id IN (${list})), (SELECT COUNT(*) FROM chunk WHERE id IN (${list})), `
    + `(SELECT COUNT(*) FROM document_text WHERE document_id IN (${list})), (SELECT COUNT(*) FROM document_original WHERE document_id IN (${list}))`);
  assert.deepEqual(left.map(Number), [0, 0, 0, 0, 0]);
});

test('13: without an embedder documents are indexed and found by words; with one by meaning, without another call', async () => {
  const other = await freshAccount(), as = other.token;
  const settings = async (provider) => {
    const version = (await expectStatus(200, 'GET', '/api/v1/account', { token: other.owner })).headers.get('etag');
    await expectStatus(200, 'PATCH', '/api/v1/account', { token: other.owner, headers: { 'If-Match': version }, body: { settings: { embed: { provider } } } });
  };
  await settings('none');
  const b = await post(K, { name: unique('mute') }, 201, as);
  const d = await post(D, { knowledge_base_id: b.id, content: 'The ferry to the island leaves at nine.' }, 201, as);
  await done(other.slug);
  assert.equal((await expectStatus(200, 'GET', `${D}/${d.id}`, { token: as })).data.status, 'indexed');
  assert.equal((await ask(b, 'ferry', {}, BASE, as)).results.length, 1);
  const off = await ask(b, 'boat departure', { mode: 'hybrid' }, BASE, as);
  assert.ok(off.degraded.length > 0, 'it says that meaning is off');
  await settings('builtin');
  await runEnded(other, await ctl('job', 'run', 'embedding_backfill', '--account', other.slug, '--params', '{"all":true}'), other.owner);
  await embedded(other.slug);
  const on = await ask(b, 'boat departure', { mode: 'vector' }, BASE, as);
  assert.deepEqual([on.results.map((x) => x.document_id), (await expectStatus(200, 'GET', `${D}/${d.id}`, { token: as })).data.generation], [[d.id], 1]);
});
