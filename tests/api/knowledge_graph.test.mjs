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

test('nodes of a type, and nodes by their relation, come with their edges', async () => {
  const rare = unique('vessel'), make = async (name, more) => (await expectStatus(201, 'POST', `${G}/nodes`, { token, body: { space_id: pilot.space_id, name: `${name} ${rare}`, ...more } })).data;
  const [greta, quay, idea] = [await make('Greta', { entity_type: 'person' }), await make('Quay', { entity_type: 'place' }), await make('Idea', { node_type: 'concept' })];
  const join = (source_id, target_id, relation_type, weight) => expectStatus(201, 'POST', `${G}/edges`, { token, body: { source_id, target_id, relation_type, weight } });
  await join(greta.id, quay.id, 'located_in', 0.7);
  await join(greta.id, idea.id, 'created_by', 0.9);
  const ids = async (body, as) => (await search({ mode: 'keyword', ...body }, as)).map((n) => n.id);
  assert.deepEqual(await ids({ query: rare, entity_type: 'place' }), [quay.id]);
  assert.deepEqual(await ids({ query: rare, node_type: 'concept' }), [idea.id]);
  assert.deepEqual((await ids({ query: rare, node_type: 'entity' })).sort(), [greta.id, quay.id].sort());
  assert.deepEqual(await ids({ query: rare, node_type: 'content' }), []);
  assert.deepEqual((await ids({ query: rare, relation_type: 'located_in' })).sort(), [greta.id, quay.id].sort());
  const { data } = await expectStatus(200, 'POST', `${G}/search`, { token, body: { relation_type: 'created_by' } });
  assert.deepEqual(data.nodes.map((n) => [n.id, n.node_type, n.entity_type]), [[greta.id, 'entity', 'person'], [idea.id, 'concept', 'concept']]);
  assert.deepEqual(data.edges.map((e) => [e.source_id, e.target_id, e.relation, e.weight]), [[greta.id, idea.id, 'created_by', 0.9]]);
  assert.ok(data.nodes.every((n) => n.quality >= 0.5));
  assert.deepEqual((await expectStatus(200, 'POST', `${G}/search`, { token: stranger.token, body: { relation_type: 'created_by' } })).data.nodes, []);
  assert.equal((await expectStatus(200, 'GET', `${G}/search?top_k=1`, { token })).data.nodes.length, 1);
  await expectStatus(422, 'POST', `${G}/nodes`, { token, body: { space_id: pilot.space_id, name: rare, node_type: 'content' } });
  const near = async (query) => (await expectStatus(200, 'GET', `${G}/nodes/${greta.id}/neighbors?${query}`, { token })).data.nodes.map((n) => n.id);
  assert.deepEqual(await near('entity_type=place'), [quay.id]);
  assert.deepEqual(await near('node_type=concept'), [idea.id]);
  assert.deepEqual(await near('node_type=content'), []);
});

test('nodes that are one thing are merged, and the merge is undone', async () => {
  const token = account.owner, rare = unique('otter');
  const make = async (path, body) => (await expectStatus(201, 'POST', `/api/v1/${path}`, { token, body })).data;
  const space = (await make('ai/rag/knowledge_bases', { name: rare })).id;
  const node = (name) => make('ai/knowledge_graph/nodes', { space_id: space, name: `${name} ${rare}`, entity_type: 'person' });
  const [robert, bob, rob, dock, crane, harbour] = [await node('Robert'), await node('Bob'), await node('Rob'), await node('Dock'), await node('Crane'), await node('Pier')];
  const join = (source_id, target_id, relation_type, weight) => make('ai/knowledge_graph/edges', { source_id, target_id, relation_type, weight });
  await join(robert.id, dock.id, 'uses', 0.3);
  await join(bob.id, dock.id, 'uses', 0.9);
  await join(rob.id, crane.id, 'uses', 0.5);
  await join(bob.id, rob.id, 'related_to', 0.4);
  await join(crane.id, bob.id, 'causes', 0.6);
  const edges = async (id) => (await expectStatus(200, 'GET', `${G}/nodes/${id}/neighbors`, { token })).data.edges.map((e) => [e.source_id, e.relation, e.target_id, e.weight]).sort();
  const before = [await edges(robert.id), await edges(bob.id), await edges(rob.id)];
  const body = { loser_ids: [bob.id, rob.id] };
  const plan = (await expectStatus(200, 'POST', `${G}/nodes/${robert.id}/merge`, { token, body: { ...body, dry_run: true } })).data;
  assert.deepEqual([plan.is_dry_run, plan.edges_moved, plan.edges_dropped], [true, 3, 2]);
  assert.deepEqual(await edges(bob.id), before[1], 'a dry run changes nothing');
  await expectStatus(403, 'POST', `${G}/nodes/${robert.id}/merge`, { token: stranger.token, body });
  await expectStatus(422, 'POST', `${G}/nodes/${robert.id}/merge`, { token, body: { loser_ids: [robert.id] } });
  await expectStatus(404, 'POST', `${G}/nodes/${robert.id}/merge`, { token, body: { loser_ids: [`${bob.id.slice(0, -4)}dead`] } });
  const merge = (await expectStatus(200, 'POST', `${G}/nodes/${robert.id}/merge`, { token, body })).data;
  assert.deepEqual(await edges(robert.id), [[robert.id, 'uses', dock.id, 0.9], [robert.id, 'uses', crane.id, 0.5], [crane.id, 'causes', robert.id, 0.6]].sort());
  for (const gone of [bob, rob]) await expectStatus(404, 'GET', `${G}/nodes/${gone.id}`, { token });
  assert.deepEqual((await expectStatus(200, 'GET', `${G}/nodes/${robert.id}`, { token })).data.aliases.sort(), [`Bob ${rare}`, `Rob ${rare}`]);
  const named = (await expectStatus(200, 'POST', `${G}/nodes`, { token, body: { space_id: space, name: `Bob ${rare}` } })).data;
  assert.deepEqual([named.id, named.created], [robert.id, false], 'the name leads to the one that stays');
  await join(robert.id, harbour.id, 'uses', 0.2);
  assert.equal((await expectStatus(200, 'GET', `${G}/merges`, { token })).data[0].id, merge.id);
  await expectStatus(200, 'POST', `${G}/merges/${merge.id}/undo`, { token });
  assert.deepEqual(await edges(bob.id), before[1]);
  assert.deepEqual(await edges(rob.id), before[2]);
  assert.deepEqual(await edges(robert.id), [...before[0], [robert.id, 'uses', harbour.id, 0.2]].sort(), 'what it learned since stays');
  assert.deepEqual((await expectStatus(200, 'GET', `${G}/nodes/${robert.id}`, { token })).data.aliases, []);
  assert.equal((await expectStatus(200, 'POST', `${G}/nodes`, { token, body: { space_id: space, name: `Bob ${rare}`, entity_type: 'person' } })).data.id, bob.id);
  await expectStatus(409, 'POST', `${G}/merges/${merge.id}/undo`, { token });
});
