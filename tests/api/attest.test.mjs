// Who vouches for what: attestations and what they are worth, promotion to everyone and back, core blocks and the votes on their edits.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, runEnded, settled, unique } from './client.mjs';

const F = '/api/v1/facts', P = '/api/v1/promotions', B = '/api/v1/core_blocks', E = '/api/v1/core_edits';
let account, agents, space, global;

before(async () => {
  account = await freshAccount();
  agents = [];
  for (let i = 0; i < 5; i++) agents.push(await freshAgent(account));
  space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: account.owner, body: { kind: 'context', name: 'team', slug: unique('team') } })).data;
  for (const a of agents) await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token: account.owner, body: { grantee_kind: 'agent', grantee_id: a.id, level: 'write' } });
  global = (await expectStatus(200, 'GET', '/api/v1/spaces?kind=namespace', { token: account.owner })).data.find((s) => s.slug === 'global').id;
});

const say = async (subject, object, token = agents[0].token) => (await expectStatus(200, 'POST', F, { token, body: { namespace: space.id, subject, predicate: 'based_in', object } })).data.fact;
const attest = async (id, agent, body = {}) => (await expectStatus(200, 'POST', `${F}/${id}/attestations`, { token: agent.token, body })).data;
const everywhere = async (subject) => (await expectStatus(200, 'GET', `${F}?namespace=${global}&subject=${subject}`, { token: agents[4].token })).data.map((f) => f.object);
const promotion = async (fact) => (await expectStatus(200, 'GET', P, { token: account.owner })).data.find((p) => p.candidate_fact_id === fact.id);
const decided = () => settled(account.slug, { parts: ['queue'], kinds: ['promotion'] });

test('three others make 0.875; the author and one agent twice count for nothing', async () => {
  const fact = await say(unique('Site'), 'Graz');
  assert.equal((await attest(fact.id, agents[0])).supporters, 0, 'its author');
  assert.equal((await attest(fact.id, agents[1])).supporters, 1);
  assert.equal((await attest(fact.id, agents[1], { note: 'again' })).supporters, 1);
  await attest(fact.id, agents[2]);
  const three = await attest(fact.id, agents[3]);
  assert.equal(three.supporters, 3);
  assert.ok(three.posterior > 0.87 && three.posterior < 0.9, `${three.posterior}`);
  assert.ok((await attest(fact.id, agents[3], { stance: 'dispute' })).posterior < three.posterior);
  const left = (await expectStatus(200, 'DELETE', `${F}/${fact.id}/attestations`, { token: agents[3].token })).data;
  assert.deepEqual([left.supporters, left.disputers], [2, 0]);
  await expectStatus(404, 'DELETE', `${F}/${fact.id}/attestations`, { token: agents[3].token });
  await expectStatus(404, 'POST', `${F}/${fact.id}/attestations`, { token: (await freshAgent(account)).token, body: {} });
});

test('a person who disputes a fact makes its supporters less reliable in that category; one who confirms it, more', async () => {
  const [wrong, right] = [await say(unique('Site'), 'Rome'), await say(unique('Site'), 'Bern')];
  const of = (r, who) => r.attestations.find((a) => a.principal_id === who.id).reliability;
  await attest(wrong.id, agents[1], { category: 'sites' });
  await attest(right.id, agents[2], { category: 'sites' });
  const bad = (await expectStatus(200, 'POST', `${F}/${wrong.id}/attestations`, { token: account.owner, body: { stance: 'dispute', category: 'sites' } })).data;
  const good = (await expectStatus(200, 'POST', `${F}/${right.id}/attestations`, { token: account.owner, body: { category: 'sites' } })).data;
  assert.ok(of(bad, agents[1]) < of(good, agents[2]), `${of(bad, agents[1])} ${of(good, agents[2])}`);
});

test('promoted once three vouch for it, demoted when the fact is superseded, and promoted again', async () => {
  const who = unique('Office'), fact = await say(who, 'Linz');
  const asked = (await expectStatus(200, 'POST', P, { token: agents[0].token, body: { fact_id: fact.id } })).data;
  assert.equal(asked.status, 'pending');
  await attest(fact.id, agents[0]);
  for (const a of agents.slice(1, 3)) await attest(fact.id, a);
  await decided();
  assert.deepEqual([await everywhere(who), (await promotion(fact)).status], [[], 'pending']);
  await attest(fact.id, agents[3]);
  await decided();
  assert.deepEqual([await everywhere(who), (await promotion(fact)).status], [['Linz'], 'promoted']);
  const [edge] = (await expectStatus(200, 'GET', `/api/v1/edges?node_id=${fact.id}&relation=PROMOTED_TO`, { token: account.owner })).data;
  assert.equal(edge.target_id, (await promotion(fact)).promoted_fact_id);
  await say(who, 'Wels', account.owner);
  const run = (await expectStatus(202, 'POST', '/api/v1/jobs/promotion_sweep/run', { token: account.owner, body: {} })).data;
  await runEnded(account, run.id);
  const after = await promotion(fact);
  assert.deepEqual([await everywhere(who), after.status, after.reason], [[], 'demoted', 'lost_support']);
  await expectStatus(409, 'POST', P, { token: agents[0].token, body: { fact_id: fact.id } });
});

test('a person decides by hand, and takes it back', async () => {
  const who = unique('Depot'), fact = await say(who, 'Enns');
  const { id } = (await expectStatus(200, 'POST', P, { token: agents[0].token, body: { fact_id: fact.id } })).data;
  assert.equal((await expectStatus(200, 'POST', P, { token: agents[0].token, body: { fact_id: fact.id } })).data.id, id, 'one that waits is the answer');
  const decide = (decision, token = account.owner) => call('POST', `${P}/${id}/decide`, { token, body: { decision, reason: 'seen' } });
  assert.equal((await decide('promote', agents[0].token)).status, 403);
  assert.equal((await decide('promote')).data.status, 'promoted');
  assert.deepEqual(await everywhere(who), ['Enns']);
  assert.equal((await decide('reject')).status, 409);
  assert.equal((await decide('demote')).data.status, 'demoted');
  assert.deepEqual(await everywhere(who), []);
});

test('a core block comes first in every search, and changes by compare and set with the votes of others', async () => {
  const word = unique('harbour'), body = { namespace: space.id, block_kind: 'persona', title: 'who', content: `You watch the ${word}.` };
  await expectStatus(403, 'POST', B, { token: agents[0].token, body });
  const block = (await expectStatus(201, 'POST', B, { token: account.owner, body })).data;
  const search = async () => (await expectStatus(200, 'POST', '/api/v1/memory/search', { token: agents[0].token, body: { query: 'something else', render: 'both' } })).data;
  const found = await search();
  assert.deepEqual(found.core.map((b) => [b.id, b.block_kind]), [[block.id, 'persona']]);
  assert.match(found.bundle, new RegExp(`instructions">\n<memory id="${block.id}"[^>]*block_kind="persona"[^>]*>You watch`));
  assert.ok(!/<memory id="[^"]*" kind="core_block"[^>]* score=/.test(found.bundle));
  const put = (content, expected_hash, token = agents[0].token) => call('PUT', `${B}/${block.id}`, { token, body: { content, expected_hash } });
  assert.equal((await put('x', '0'.repeat(64))).status, 409);
  const edit = (await put('You watch the gate.', block.hash)).data;
  assert.equal(edit.state, 'waiting');
  assert.match((await search()).core[0].body, new RegExp(word), 'a waiting edit changes nothing');
  const vote = (token) => call('POST', `${E}/${edit.id}/vote`, { token });
  assert.equal((await vote(agents[0].token)).status, 409, 'its editor');
  const other = (await put('You watch the bridge.', block.hash, agents[1].token)).data;
  assert.equal((await vote(agents[2].token)).data.state, 'applied');
  assert.equal((await search()).core[0].body, 'You watch the gate.');
  assert.equal((await call('POST', `${E}/${other.id}/vote`, { token: agents[2].token })).status, 409, 'overtaken');
  await expectStatus(409, 'PATCH', `/api/v1/nodes/${block.id}`, { token: account.owner, body: { body: 'past the votes' } });
  await expectStatus(422, 'POST', B, { token: account.owner, body: { ...body, content: 'ü'.repeat(7000) } });
});

test('a redline needs a person among the votes', async () => {
  const block = (await expectStatus(201, 'POST', B, { token: account.owner, body: { namespace: space.id, block_kind: 'redline', content: 'Never delete.' } })).data;
  const edit = (await expectStatus(200, 'PUT', `${B}/${block.id}`, { token: agents[0].token, body: { content: 'Delete.', expected_hash: block.hash } })).data;
  const vote = async (token) => (await expectStatus(200, 'POST', `${E}/${edit.id}/vote`, { token })).data.state;
  assert.equal(await vote(agents[1].token), 'waiting');
  assert.ok((await expectStatus(200, 'GET', E, { token: agents[2].token })).data.edits.some((e) => e.id === edit.id && e.votes === 1));
  assert.equal(await vote(account.owner), 'applied');
});
