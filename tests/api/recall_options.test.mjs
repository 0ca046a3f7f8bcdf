// Recall over HTTP, option by option: what each of them lets in, keeps out and leaves as it was.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, settled, unique } from './client.mjs';
import { sql } from './db.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
});

const note = async (body, more = {}) => (await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: '', body, ...more } })).data;
const recall = async (query, more = {}) => (await expectStatus(200, 'POST', '/api/v1/recall', { token, body: { query, touch: false, ...more } })).data;
const words = (query, more = {}) => recall(query, { mode: 'keyword', ...more });
const ids = (answer) => answer.hits.map((h) => h.id);
const MODES = ['hybrid', 'vector', 'keyword', 'graph', 'surgical'];
const allEmbedded = () => embedded(account.slug);

test('what is archived or forgotten is in no mode a hit, unless it is asked for', async () => {
  const word = unique('ballast');
  const [here, away, gone] = [await note(`${word} one`), await note(`${word} two`), await note(`${word} three`)];
  await allEmbedded([here, away, gone]);
  await expectStatus(200, 'POST', `/api/v1/nodes/${away.id}/archive`, { token, body: {} });
  await expectStatus(204, 'DELETE', `/api/v1/nodes/${gone.id}`, { token });
  for (const mode of MODES) {
    const found = async (include) => new Set(ids(await recall(word, { mode, include, limit: 100 })).filter((id) => [here.id, away.id, gone.id].includes(id)));
    assert.deepEqual(await found([]), new Set([here.id]), mode);
    assert.deepEqual(await found(['archived']), new Set([here.id, away.id]), mode);
    assert.deepEqual(await found(['forgotten']), new Set([here.id, gone.id]), mode);
    assert.deepEqual(await found(['superseded', 'forgotten', 'archived']), new Set([here.id, away.id, gone.id]), mode);
  }
  const { hits } = await words(word, { include: ['archived', 'forgotten'] });
  assert.deepEqual(new Map(hits.map((h) => [h.id, h.status])), new Map([[here.id, 'active'], [away.id, 'archived'], [gone.id, 'forgotten']]));
});

test('an interval has its beginning and not its end', async () => {
  const word = unique('lease');
  const n = await note(word, { valid_from: '2020-01-01T00:00:00Z', valid_to: '2021-01-01T00:00:00Z' });
  const count = async (more) => (await words(word, more)).hits.length;
  for (const [as_of, hits] of [['2019-12-31T23:59:59Z', 0], ['2020-01-01T00:00:00Z', 1], ['2020-12-31T23:59:59Z', 1], ['2021-01-01T00:00:00Z', 0]])
    assert.equal(await count({ as_of }), hits, as_of);
  assert.deepEqual([await count({ filters: { from: n.created_at } }), await count({ filters: { to: n.created_at } })], [1, 0]);
  assert.equal(await count({ as_known_at: '2020-06-01T00:00:00Z' }), 0, 'nobody knew of it');
});

test('the factors are those of a node, and only explaining counts as no use', async () => {
  const word = unique('rudder');
  const best = await note(word, { importance: 1, confidence: 1 }), least = await note(word, { importance: 0, confidence: 0, allow_duplicate: true });
  const { data } = await expectStatus(200, 'POST', '/api/v1/recall/explain', { token, body: { query: word, mode: 'keyword' } });
  const of = (n) => data.hits.find((h) => h.id === n.id).explain.factors;
  assert.ok(Math.abs(of(best).decay - 1) < 1e-3 && of(best).confidence === 1, JSON.stringify(of(best)));
  assert.ok(Math.abs(of(least).decay - 0.02) < 1e-3 && Math.abs(of(least).confidence - 0.8) < 1e-6, JSON.stringify(of(least)));
  // What is noted as used is written together a moment later: the one that was used tells when.
  const used = await note(`${word} used`);
  const count = async (n) => Number((await sql(`SELECT access_count FROM node WHERE id = UNHEX('${n.id.replaceAll('-', '')}')`))[0][0]);
  await words(`+${word} +used`, { touch: true });
  await settled(account.slug, { parts: ['uses'] });
  assert.ok(await count(used) > 0);
  assert.deepEqual([await count(best), await count(least)], [0, 0]);
});

test('a batch answers each query as if it were alone, whatever its options', async () => {
  const word = unique('tackle');
  const made = [await note(`${word} and block`), await note(`the captain keeps the ${word} dry`), await note('sails are mended in winter')];
  await allEmbedded(made);
  const queries = [{}, { mode: 'vector', limit: 2 }, { mode: 'graph' }, { mode: 'surgical', token_budget: 60 }, { mode: 'keyword', render: 'both' }, { expand: 'hyde' },
    { grade: 'on', hitl: false }, { fusion: 'rrf', exact: true }, { diversify: 'mmr', rerank: 'features' }, { min_score: 0.4 }, { temporal: 'filter', tz: 'Asia/Tokyo' }]
    .map((more) => ({ query: `who keeps the ${word}?`, touch: false, ...more }));
  const { answers } = (await expectStatus(200, 'POST', '/api/v1/recall/batch', { token, body: { queries } })).data;
  for (const [i, { query, ...more }] of queries.entries()) assert.deepEqual(answers[i], await recall(query, more), JSON.stringify(more));
});

test('neighbours in every mode, never the node itself', async () => {
  const word = unique('jetty'), tags = [word], more = { attrs: { tags } };
  const [one, two, other] = [await note(`${word} blue boats in the bay`, more), await note(`${word} blue boats in the harbour`, more), await note('the tax law of that year', more)];
  await allEmbedded([one, two, other]);
  for (const mode of MODES) {
    const { data } = await expectStatus(200, 'POST', `/api/v1/nodes/${one.id}/similar`, { token, body: { mode, filters: { tags }, limit: 2, touch: false } });
    assert.equal(data.hits[0].id, two.id, mode);
    assert.ok(data.hits.length <= 2 && !ids(data).includes(one.id), mode);
  }
});

test('the least similarity lets in what has it, and exact vectors find the same', async () => {
  const n = await note('The physician prescribed some medicine against the fever');
  await allEmbedded([n]);
  const query = 'a doctor gave her drugs', ask = async (more) => recall(query, { mode: 'vector', ...more });
  const hit = (await ask()).hits.find((h) => h.id === n.id);
  assert.ok(ids(await ask({ min_score: hit.similarity - 1e-3 })).includes(n.id));
  assert.ok(!ids(await ask({ min_score: hit.similarity + 1e-3 })).includes(n.id));
  assert.deepEqual(ids(await ask({ exact: true, limit: 5 })), ids(await ask({ limit: 5 })));
});

test('with mmr what says something else comes before what says the same once more', async () => {
  const tag = unique('berth'), more = { attrs: { tags: [tag] } };
  const made = [];
  for (const n of [1, 2, 3]) made.push(await note(`The gate of the harbour closes at ten on day ${n}`, more));
  const odd = await note('The harbour cat sleeps on a heap of nets', more);
  await allEmbedded([...made, odd]);
  const second = async (options) => ids(await recall('when does the gate of the harbour close?', { filters: { tags: [tag] }, ...options }))[1];
  assert.notEqual(await second({}), odd.id);
  assert.equal(await second({ diversify: 'mmr', diversify_options: { lambda: 0.1 } }), odd.id);
});
