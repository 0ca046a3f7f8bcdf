// Work items: the tree, the move from one status to another, what they wait for.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, unique } from './client.mjs';
import { sql } from './db.mjs';

const W = '/api/v1/work_items';
let account, agent, other;

const send = async (method, path, body, status = 200, token = agent.token) => (await expectStatus(status, method, path, { token, body })).data;
const make = (body = {}, token = agent.token) => send('POST', W, { title: unique('item'), level: 'task', ...body }, 201, token);
const get = async (path, status = 200, token = agent.token) => (await expectStatus(status, 'GET', path, { token })).data;
const titles = (rows) => rows.map((r) => r.title);

before(async () => {
  account = await freshAccount();
  [agent, other] = [await freshAgent(account), await freshAgent(account)];
});

test('an item is made in the agent\'s own namespace, changed, and not seen by others', async () => {
  const w = await make({ title: 'Order a tug', level: 'story', body: 'for berth 4', assignee: 'me', due_at: '2030-01-01T00:00:00Z' });
  assert.deepEqual([w.work_status, w.level, w.assignee, w.version, w.tags, w.depends_on], ['todo', 'story', agent.id, 1, [], []]);
  const changed = await send('PATCH', `${W}/${w.id}`, { title: 'Order two tugs', ordinal: 3 });
  assert.deepEqual([changed.title, changed.ordinal, changed.version], ['Order two tugs', 3, 2]);
  await expectStatus(412, 'PATCH', `${W}/${w.id}`, { token: agent.token, body: { ordinal: 4 }, headers: { 'If-Match': '"1"' } });
  await get(`${W}/${w.id}`, 404, other.token);
  assert.deepEqual((await get(`${W}?q=tugs`, 200, other.token)), []);
  const r = await call('POST', W, { token: account.owner, body: { title: 'x', level: 'task' } });
  assert.equal(r.status, 422, 'people name a space');
  await send('POST', W, { title: 'x', level: 'task', assignee: account.slug }, 422);
  await send('PATCH', `/api/v1/nodes/${w.id}`, { title: 'around' }, 409);
});

test('a move with expected_from: of two at once one is made, the other learns the status', async () => {
  const w = await make(), move = () => call('POST', `${W}/${w.id}/advance`, { token: agent.token, body: { to: 'in_progress', expected_from: 'todo' } });
  const answers = await Promise.all([move(), move()]);
  assert.deepEqual(answers.map((r) => r.status).sort(), [200, 409]);
  assert.ok(answers.find((r) => r.status === 409).text.includes('in_progress'));
  const again = await send('POST', `${W}/${w.id}/advance`, { to: 'in_progress' });
  assert.deepEqual([again.changed, again.from], [false, 'in_progress']);
  assert.equal((await get(`${W}/${w.id}`)).version, 2);
  const done = await send('POST', `${W}/${w.id}/advance`, { to: 'done' });
  assert.deepEqual([done.changed, done.item.work_status, done.warnings], [true, 'done', []]);
  assert.equal((await get(`/api/v1/audit?subject_id=${w.id}&kind=work_status_change`, 200, account.owner)).length, 2);
});

test('what an item waits for warns, and never in a circle', async () => {
  const [a, b, c] = [await make(), await make(), await make()];
  const link = (from, to, status = 200) => send('POST', `${W}/${from.id}/links`, { target_id: to.id, relation: 'depends_on' }, status);
  assert.deepEqual((await link(a, b)).depends_on, [b.id]);
  assert.deepEqual((await link(a, b)).depends_on, [b.id], 'once');
  await link(b, c);
  await link(c, a, 409);
  await link(a, a, 409);
  const { warnings } = await send('POST', `${W}/${a.id}/advance`, { to: 'in_progress' });
  assert.ok(warnings.length === 1 && warnings[0].includes(b.id));
  assert.deepEqual((await send('DELETE', `${W}/${a.id}/links?target_id=${b.id}&relation=depends_on`)).depends_on, []);
  assert.deepEqual((await link(c, a)).depends_on, [a.id]);
  const both = await Promise.all([[a, b], [b, a]].map(async ([x, y]) => {
    const p = await make(), q = await make();
    return Promise.all([[p, q], [q, p]].map(([from, to]) => call('POST', `${W}/${from.id}/links`, { token: agent.token, body: { target_id: to.id, relation: 'depends_on' } }).then((r) => r.status)));
  }));
  for (const pair of both) assert.deepEqual(pair.sort(), [200, 409], 'two at once');
});

test('tags and references', async () => {
  const w = await make(), slug = unique('tag');
  assert.deepEqual((await send('POST', `${W}/${w.id}/links`, { slug, display: 'The Tag' })).tags, [slug]);
  const second = await make();
  await send('POST', `${W}/${second.id}/links`, { slug });
  assert.deepEqual(titles(await get(`${W}?tag=${slug}`)).sort(), [w.title, second.title].sort());
  assert.equal((await sql(`SELECT COUNT(*) FROM space_tag WHERE slug = '${slug}'`))[0][0], '1');
  await send('POST', `${W}/${w.id}/links`, { target_id: second.id });
  const [edge] = await get(`/api/v1/edges?node_id=${w.id}&relation=references`);
  assert.equal(edge.target_id, second.id);
  const hidden = await make({}, other.token);
  await send('POST', `${W}/${w.id}/links`, { target_id: hidden.id }, 422);
  await send('POST', `${W}/${w.id}/links`, {}, 422);
  await send('DELETE', `${W}/${w.id}/links?slug=${slug}`);
  assert.deepEqual(titles(await get(`${W}?tag=${slug}`)), [second.title]);
});

test('the tree: in order, with counts, in one space, without circles, at most 16 deep', async () => {
  const epic = await make({ level: 'epic', title: 'epic' });
  const b = await make({ parent_id: epic.id, ordinal: 2, title: 'b' }), a = await make({ parent_id: epic.id, ordinal: 1, title: 'a' });
  const a1 = await make({ parent_id: a.id, title: 'a1' });
  await send('POST', `${W}/${b.id}/advance`, { to: 'done' });
  const tree = await get(`${W}/${epic.id}/tree`);
  assert.deepEqual(tree.items.map((i) => [i.title, i.depth]), [['epic', 0], ['a', 1], ['a1', 2], ['b', 1]]);
  assert.deepEqual(tree.counts.filter((k) => k.items).map((k) => [k.work_status, k.items]), [['todo', 3], ['done', 1]]);
  assert.deepEqual((await get(`${W}/${epic.id}/tree?depth=1`)).items.length, 3);
  assert.deepEqual(titles(await get(`${W}?parent_id=${epic.id}`)).sort(), ['a', 'b']);
  assert.ok((await get(`${W}?parent_id=none&limit=200`)).every((i) => i.parent_id === null));
  await send('PATCH', `${W}/${epic.id}`, { parent_id: a1.id }, 409);
  await send('PATCH', `${W}/${epic.id}`, { parent_id: epic.id }, 409);
  const elsewhere = await make({}, other.token);
  await send('PATCH', `${W}/${epic.id}`, { parent_id: elsewhere.id }, 422);
  await send('POST', W, { title: 'x', level: 'task', parent_id: elsewhere.id }, 422);
  let at = await make();
  for (let i = 1; i < 16; i++) at = await make({ parent_id: at.id });
  await send('POST', W, { title: 'x', level: 'task', parent_id: at.id }, 422);
  const pair = await make();
  await make({ parent_id: pair.id });
  await send('PATCH', `${W}/${pair.id}`, { parent_id: (await get(`${W}/${at.id}`)).parent_id }, 422);
});

test('a tree over 10,000 items is cut at 500', async () => {
  const epic = await make({ level: 'epic' });
  await sql(`INSERT INTO node (account_id, id, space_id, kind, title, body, author_kind, author_id, content_hash, decayed_at, created_at, updated_at)
    SELECT n.account_id, UUID(), n.space_id, 'work_item', 'part', '', n.author_kind, n.author_id, n.content_hash, n.decayed_at, n.created_at, n.updated_at FROM node n JOIN seq_1_to_10000 WHERE n.id = '${epic.id}';
    INSERT INTO work_item (account_id, id, space_id, level, parent_id, ordinal, status_at, created_at, updated_at)
    SELECT account_id, id, space_id, 'task', '${epic.id}', 0, created_at, created_at, created_at FROM node WHERE kind = 'work_item' AND title = 'part'`);
  const tree = await get(`${W}/${epic.id}/tree?depth=8`);
  assert.deepEqual([tree.items.length, tree.truncated], [500, true]);
});

test('a list by status, level, assignee and time', async () => {
  const level = unique('level'), w = await make({ level, assignee: 'me', due_at: '2027-01-01T00:00:00Z' });
  await make({ level });
  await send('POST', `${W}/${w.id}/advance`, { to: 'blocked' });
  for (const query of ['work_status=blocked', 'assignee=me', 'due_before=2028-01-01T00:00:00Z']) assert.deepEqual(titles(await get(`${W}?level=${level}&${query}`)), [w.title], query);
  await send('POST', `${W}/${w.id}/advance`, { to: 'dropped' });
  assert.equal((await get(`${W}?level=${level}&open=true`)).length, 1);
  await get(`${W}?parent_id=x%20y`, 422);
});
