// Escalations: a question waits for a person once, the answer becomes memory, and nobody sees what is not theirs.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, freshAgent, freshUser, unique } from './client.mjs';

const PATH = '/api/v1/ai/escalations';
let account, space, reviewer;

before(async () => {
  account = await freshAccount();
  reviewer = await freshUser(account, 'reviewer');
  space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: account.owner, body: { kind: 'context', name: 'Answers', slug: unique('answers') } })).data;
  for (const [kind, id, level] of [['agent', (await me(account.token)).id, 'read'], ['user', reviewer.id, 'write']])
    await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token: account.owner, body: { grantee_kind: kind, grantee_id: id, level } });
});

const me = async (token) => (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
const ask = async (query, token = account.token) => (await expectStatus(200, 'POST', `${PATH}/questions`, { token, body: { query } })).data;
const get = async (id, token = account.owner) => (await expectStatus(200, 'GET', `${PATH}/${id}`, { token })).data;
const list = async (query = '', token = account.owner) => (await expectStatus(200, 'GET', `${PATH}?limit=100${query}`, { token })).data;

test('the same question is one escalation while it is open', async () => {
  const query = `Who waters the plants of ${unique()}?`;
  const first = await ask(query);
  assert.deepEqual([first.status, first.seen_count], ['queued', 1]);
  const again = await ask(`  ${query.toUpperCase().replaceAll(' ', '\n')} `);
  assert.deepEqual([again.status, again.seen_count, again.id], ['already_queued', 2, first.id]);
  const e = await get(first.id);
  assert.deepEqual([e.title, e.status, e.escalation_type, e.seen_count, e.context.query], [query, 'open', 'low_confidence_recall', 2, query]);
  assert.ok((await list()).some((x) => x.id === first.id));
  assert.ok(!(await list('&status=resolved')).some((x) => x.id === first.id));
});

test('ten at once are one', async () => {
  const query = unique('Where is the key of');
  const all = await Promise.all(Array.from({ length: 10 }, () => ask(query)));
  assert.equal(new Set(all.map((a) => a.id)).size, 1);
  assert.equal((await get(all[0].id)).seen_count, 10);
});

test('the answer becomes a note of the person who gave it', async () => {
  const query = `What is the code of ${unique('door')}?`;
  const { id } = await ask(query);
  await expectStatus(403, 'POST', `${PATH}/${id}/answer`, { token: account.token, body: { text: 'mine', space_id: space.id } });
  await expectStatus(422, 'POST', `${PATH}/${id}/answer`, { token: reviewer.token, body: {} });
  const e = (await expectStatus(200, 'POST', `${PATH}/${id}/answer`, { token: reviewer.token, body: { text: 'Ask at the desk.', space_id: space.id } })).data;
  assert.deepEqual([e.status, e.resolved_by], ['resolved', reviewer.id]);
  const node = (await expectStatus(200, 'GET', `/api/v1/nodes/${e.answer_node_id}`, { token: account.token })).data;
  assert.deepEqual([node.title, node.body, node.kind, node.author_id, node.attrs.escalation_id], [query, 'Ask at the desk.', 'fact', reviewer.id, id]);
  await expectStatus(409, 'POST', `${PATH}/${id}/answer`, { token: reviewer.token, body: { text: 'again', space_id: space.id } });
  assert.equal((await ask(query)).status, 'queued', 'asked again it is another escalation');
});

test('without a space the answer lives with the agent that asked, and it finds it', async () => {
  const query = `Who keeps the key of ${unique('cellar')}?`, { id } = await ask(query);
  const e = (await expectStatus(200, 'POST', `${PATH}/${id}/answer`, { token: reviewer.token, body: { text: 'The caretaker keeps it.' } })).data;
  const node = (await expectStatus(200, 'GET', `/api/v1/nodes/${e.answer_node_id}`, { token: account.token })).data;
  const own = (await expectStatus(200, 'GET', '/api/v1/spaces/agent:me', { token: account.token })).data;
  assert.deepEqual([node.space_id, node.author_id, node.body], [own.id, reviewer.id, 'The caretaker keeps it.']);
  await expectStatus(404, 'GET', `/api/v1/nodes/${e.answer_node_id}`, { token: reviewer.token });
});

test('a node that is there already can be the answer; not one that the person cannot see', async () => {
  const { id } = await ask(unique('q'));
  const hidden = (await expectStatus(201, 'POST', '/api/v1/nodes', { token: account.token, body: { title: 'own' } })).data;
  await expectStatus(404, 'POST', `${PATH}/${id}/answer`, { token: reviewer.token, body: { node_id: hidden.id } });
  const node = (await expectStatus(201, 'POST', '/api/v1/nodes', { token: account.owner, body: { title: 'there', space_id: space.id } })).data;
  assert.equal((await expectStatus(200, 'POST', `${PATH}/${id}/answer`, { token: reviewer.token, body: { node_id: node.id } })).data.answer_node_id, node.id);
});

test('"there is no answer" rests the question', async () => {
  const query = unique('q');
  const { id } = await ask(query);
  const e = (await expectStatus(200, 'POST', `${PATH}/${id}/resolve`, { token: reviewer.token, body: { note: 'nobody knows' } })).data;
  assert.deepEqual([e.status, e.resolution, e.answer_node_id], ['resolved', 'nobody knows', null]);
  assert.deepEqual(await ask(query), { status: 'no_answer', id, seen_count: 2 });
});

test('twenty of an agent are open at once, and no more', async () => {
  const agent = await freshAgent(account);
  for (let i = 0; i < 20; i++) assert.equal((await ask(`${i} ${unique()}`, agent.token)).status, 'queued');
  assert.deepEqual(await ask('one too many', agent.token), { status: 'queue_full', id: null, seen_count: 0 });
});

test('an agent sees its own, another account none', async () => {
  const { id } = await ask(unique('q'));
  const other = await freshAgent(account), stranger = await freshAccount();
  await expectStatus(200, 'GET', `${PATH}/${id}`, { token: account.token });
  for (const token of [other.token, stranger.owner, stranger.token]) {
    await expectStatus(404, 'GET', `${PATH}/${id}`, { token });
    assert.deepEqual(await list('', token), []);
  }
  await expectStatus(404, 'POST', `${PATH}/${id}/resolve`, { token: stranger.owner, body: {} });
});
