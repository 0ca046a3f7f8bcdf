// Questions answered from documents without a model: rounds, quotes, gaps.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, freshAgent, settled, unique } from './client.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`;
let account, token, stranger, base;
const post = async (path, body, status = 200, as = token) => (await expectStatus(status, 'POST', path, { token: as, body })).data;
const ask = (query, more = {}, as = token) => post(`${R}/ask`, { query, knowledge_base_id: base.id, ...more }, 200, as);
before(async () => {
  account = await freshAccount();
  token = account.token;
  stranger = (await freshAgent(account)).token;
  base = await post(K, { name: unique('base') }, 201);
  for (const [name, content] of [
    ['Quillmark Press', 'Quillmark Press is a small publisher in Lund. It was founded by Edda Norling after the fire.'],
    ['Edda Norling', 'Edda Norling was born in 1887 in Visby. She printed songs and maps.'],
    ['Harbour fees', 'Harbour fees are due on the first Monday of each month. Late fees are nine crowns.'],
    ['Bees', 'A hive needs forty litres of syrup in autumn. Bees sleep in winter.'],
  ]) await post(D, { knowledge_base_id: base.id, name, content }, 201);
  await settled(account.slug, { parts: ['queue'], kinds: ['process_document'] });
});

test('an answer of two documents: two rounds, and quotes that stand in the texts', async () => {
  const a = await ask('When was the founder of Quillmark Press born?');
  assert.match(a.answer, /1887/);
  assert.match(a.answer, /\[1\].*\[2\]/s);
  assert.equal(a.answered_by, 'extractive');
  assert.deepEqual([a.rounds >= 2, a.sources.length >= 2, a.search_history.length], [true, true, a.rounds], JSON.stringify(a));
  for (const s of a.sources) {
    const { text } = (await expectStatus(200, 'GET', `${D}/${s.document_id}/text`, { token })).data;
    assert.equal(Buffer.from(text).subarray(s.start_offset, s.end_offset).toString(), s.quote);
    assert.ok(a.answer.includes(`${s.quote} [${s.n}]`) && s.untrusted);
  }
  assert.deepEqual(new Set(a.sources.map((s) => s.document_name)), new Set(['Quillmark Press', 'Edda Norling']));
  assert.ok(a.search_history[1].queries[0].startsWith('When was the founder of Quillmark Press born? '), 'a name leads on');
});

test('a query in the mode agentic: the passages of all rounds, and the answer with its sources', async () => {
  const QUESTION = 'When was the founder of Quillmark Press born?', body = { query: QUESTION, knowledge_base_id: base.id, mode: 'agentic', top_k: 3 };
  const asked = (await expectStatus(200, 'POST', `${R}/ask`, { token, body: { query: QUESTION, knowledge_base_id: base.id } })).data;
  for (const r of [(await expectStatus(200, 'POST', `${R}/query`, { token, body })).data, (await expectStatus(200, 'GET', `${R}/query?${new URLSearchParams(body)}`, { token })).data]) {
    assert.deepEqual([r.mode, r.answer, r.sources, r.verdict], ['agentic', asked.answer, asked.sources, asked.verdict]);
    assert.ok(r.results.length > 0 && r.results.length <= 3 && r.results.every((x, k) => x.rank === k + 1 && x.knowledge_base_id === base.id));
    assert.ok(r.sources.some((s) => r.results.some((x) => x.chunk_id === s.chunk_id)));
  }
  const plain = (await expectStatus(200, 'POST', `${R}/query`, { token, body: { ...body, mode: 'keyword' } })).data;
  assert.deepEqual([plain.answer, plain.sources], [null, []]);
  await expectStatus(422, 'POST', `${R}/search`, { token, body });
  const e = await expectStatus(422, 'POST', `${R}/query`, { token, body: { ...body, document_ids: [base.id] } });
  assert.equal(e.body.errors[0].pointer, '/document_ids');
});

test('what the documents do not say: no answer, and the gaps in words', async () => {
  const a = await ask('Which telescope photographed the comet Wirtanen?');
  assert.deepEqual([a.answer, a.sources, a.answered_by], [null, [], null]);
  assert.ok(a.gaps.length > 0 && a.gaps.join().includes('telescope'), a.gaps.join());
  assert.equal((await ask('Which telescope photographed the comet?', { answer: 'none' })).answer, null);
});

test('numbers are asked for as numbers; the record keeps how it went', async () => {
  const a = await ask('How many litres of syrup does a hive need?');
  assert.match(a.answer, /forty litres/);
  const q = (await expectStatus(200, 'GET', `${R}/queries/${a.query_id}`, { token })).data;
  assert.deepEqual([q.query_text, q.results_count], ['How many litres of syrup does a hive need?', a.total_results]);
  const [row] = (await expectStatus(200, 'GET', `${R}/queries`, { token })).data;
  assert.deepEqual([row.retrieval_strategy, row.rounds], ['agentic', a.rounds]);
  const stats = (await expectStatus(200, 'GET', `${R}/analytics?knowledge_base_id=${base.id}&mode=agentic`, { token })).data;
  assert.ok(stats.avg_latency_ms > 0 && stats.modes.some((m) => m.mode === 'agentic'));
  const one = (await expectStatus(200, 'GET', `${R}/ask?query=late%20fees&knowledge_base_id=${base.id}&max_rounds=1`, { token })).data;
  assert.deepEqual([one.rounds, /nine crowns/.test(one.answer)], [1, true]);
});

test('bad input is refused by name; who may not read the base sees nothing of it', async () => {
  for (const [body, name] of [[{ max_rounds: 0 }, 'max_rounds'], [{ max_rounds: 6 }, 'max_rounds'], [{ query: '' }, 'query'], [{ answer: 'best' }, 'answer']]) {
    const r = await expectStatus(422, 'POST', `${R}/ask`, { token, body: { query: 'x', ...body } });
    assert.ok(r.body.errors.some((e) => e.pointer === `/${name}`), name);
  }
  await expectStatus(404, 'POST', `${R}/ask`, { token: stranger, body: { query: 'late fees', knowledge_base_id: base.id } });
  const a = await post(`${R}/ask`, { query: 'How high are late fees?' }, 200, stranger);
  assert.deepEqual([a.answer, a.total_results, a.query_id], [null, 0, null]);
});
