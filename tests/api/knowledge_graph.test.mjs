// The knowledge graph through its tools: nodes by name, and what lies around one.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, freshAgent, unique } from './client.mjs';

const G = '/api/v1/ai/knowledge_graph';
let account, token, stranger, pilot, ship, harbour, word;
before(async () => {
  account = await freshAccount();
  token = account.token;
  stranger = await freshAgent(account);
  word = unique('zephyr');
  const make = async (path, body) => (await expectStatus(201, 'POST', `/api/v1/${path}`, { token, body })).data;
  [pilot, ship, harbour] = await Promise.all(['Pilot', 'Ship', 'Harbour'].map((x) => make('nodes', { kind: 'entity', title: `${x} ${word}` })));
  await make('nodes', { kind: 'note', title: `Note ${word}`, body: 'no name' });
  await make('edges', { source_id: pilot.id, target_id: ship.id, relation: 'uses', weight: 0.5 });
  await make('edges', { source_id: ship.id, target_id: harbour.id, relation: 'located_in' });
});
const search = async (body, as = token) => (await expectStatus(200, 'POST', `${G}/search`, { token: as, body })).data.nodes;
const around = async (query = '', as = token, status = 200) => (await expectStatus(status, 'GET', `${G}/nodes/${pilot.id}/neighbors${query}`, { token: as })).data;

test('nodes with a name are found, others by their kind, and none of other agents', async () => {
  const found = await search({ query: `pilot ${word}` });
  assert.equal(found[0].id, pilot.id);
  assert.ok(found.every((n) => n.kind === 'entity' && n.untrusted));
  assert.deepEqual((await search({ query: word, kinds: ['note'], mode: 'keyword' })).map((n) => n.title), [`Note ${word}`]);
  assert.equal((await search({ query: word, top_k: 1 })).length, 1);
  assert.deepEqual(await search({ query: word, mode: 'keyword' }, stranger.token), []);
  assert.equal((await expectStatus(200, 'GET', `${G}/search?query=${word}&mode=keyword`, { token })).data.nodes.length, 3);
});

test('neighbours by depth, relation and kind', async () => {
  const one = await around();
  assert.deepEqual(one.nodes.map((n) => [n.id, n.via, n.distance]), [[ship.id, pilot.id, 1]]);
  assert.deepEqual(one.edges.map((e) => [e.source_id, e.target_id, e.relation, e.via, e.weight, e.bidirectional, e.evidence]), [[pilot.id, ship.id, 'uses', 'stored', 0.5, false, []]]);
  assert.deepEqual((await around('?depth=2')).nodes.map((n) => n.id), [ship.id, harbour.id]);
  assert.deepEqual((await around('?depth=2&relation_type=located_in')).nodes, []);
  assert.equal((await around('?depth=2&limit=1')).nodes.length, 1);
  await around('?depth=6', token, 422);
  await around('', stranger.token, 404);
});
