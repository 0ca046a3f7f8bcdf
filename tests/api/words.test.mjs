// Recall by words over HTTP: the query language, languages of spaces, and what of a node is found.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, until } from './client.mjs';

let token;
before(async () => {
  ({ token } = await freshAccount());
});

const node = async (body, more = {}) =>
  (await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: '', body, ...more } })).data;
const recall = async (query, more = {}) =>
  (await expectStatus(200, 'POST', '/api/v1/recall', { token, body: { query, mode: 'keyword', lifecycle: 'off', ...more } })).data;

test('phrases, +, -, prefixes and titles', async () => {
  const names = new Map();
  const put = async (name, body, title = '') => names.set((await node(body, { kind: 'note', title })).id, name);
  const found = async (query, more) => (await recall(query, more)).hits.map((h) => names.get(h.id)).sort().join(' ');
  await put('a', 'the red house by the river');
  await put('b', 'a house, painted red and blue');
  await put('c', 'running along the river with ERR_LIMIT_7');
  await put('d', 'to be or not to be');
  await put('e', 'nothing of it', 'A river in its title');

  assert.equal(await found('red house'), 'a b');
  assert.equal((await recall('"red house"')).hits.map((h) => names.get(h.id))[0], 'a');
  assert.equal(await found('+"red house"'), 'a');
  assert.equal(await found('house -blue'), 'a');
  assert.equal(await found('house −blue'), 'a');
  assert.equal(await found('+house +blue'), 'b');
  assert.equal(await found('title:river'), 'e');
  assert.equal(await found('riv*'), 'a c e');
  assert.equal(await found('runn*'), 'c');
  assert.equal(await found('err_limit_7'), 'c');
  assert.equal(await found('limit'), 'c');
  assert.equal(await found('to be or not to be'), 'd');
  assert.equal(await found('house -red -blue'), '');
  // What the words of a query demand holds for hits that are near in meaning, too.
  for (const mode of ['hybrid', 'vector', 'surgical']) {
    assert.ok(!(await found('a building -house', { mode })).match(/a|b/), mode);
    assert.ok(['c', ''].includes(await found('+ERR_LIMIT_7 jogging', { mode })), mode);
  }
});

test('why: each word and what it adds', async () => {
  await node('a quokka eats leaves');
  const { hits: [hit] } = await recall('does the quokka eat?', { explain: true });
  assert.match(JSON.stringify(hit.explain), /quokka/);
  assert.doesNotMatch(JSON.stringify(hit.explain.signals ?? hit.explain), /"does"/);
});

test('who said it, and when in words', async () => {
  const n = await node('I went hiking', { kind: 'episode', valid_from: '2023-05-08T13:56:00Z', attrs: { speaker: 'Caroline', session: 's1', seq: 1 } });
  await node('me too', { kind: 'episode', valid_from: '2023-05-09T13:56:00Z', attrs: { speaker: 'Melanie', session: 's1', seq: 2 } });
  for (const query of ['+Caroline', '+"8 May 2023"', 'what happened on +8 May?'])
    assert.deepEqual((await recall(query)).hits.map((h) => h.id), [n.id], query);
});

test('a space has a language, a node may have its own', async () => {
  const { data: space } = await expectStatus(201, 'POST', '/api/v1/spaces',
    { token, body: { kind: 'context', name: 'auf Deutsch', settings: { language: 'de' } } });
  const found = async (query) => (await recall(query, { spaces: [space.id] })).hits.map((h) => h.id);
  const own = await node('elles mangeaient', { kind: 'note', space_id: space.id, attrs: { language: 'fr' } });
  assert.deepEqual(await found('mangeait'), [own.id]);
  const n = await node('viele Häuser am Fluss', { kind: 'note', space_id: space.id });
  // The index learns of a space's language when it is read, or within half a minute.
  await until('the language', async () => (await found('haus')).includes(n.id), { tries: 100, pause: 500 });
  assert.deepEqual(await found('HÄUSERN'), [n.id]);
});
