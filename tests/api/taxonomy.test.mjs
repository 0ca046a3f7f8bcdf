// Tags: who sees which, weights that grow by use and fade, the review of new ones, and patterns that tell nobody's name.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, freshAgent, moveClock, runEnded, unique } from './client.mjs';
import { sql } from './db.mjs';

const T = '/api/v1/taxonomy';
let account, token, owner;

const get = async (path, as = token, status = 200) => (await expectStatus(status, 'GET', `${T}/${path}`, { token: as })).data;
const post = async (path, body, as = token, status = 200) => (await expectStatus(status, 'POST', `${T}/${path}`, { token: as, body })).data;
const note = async (as = token, more = {}) => (await expectStatus(201, 'POST', '/api/v1/nodes', { token: as, body: { kind: 'note', title: unique('note'), body: unique('x'), ...more } })).data;
const run = async (job, a = account) => {
  const { id } = (await expectStatus(202, 'POST', `/api/v1/jobs/${job}/run`, { token: a.owner, body: {} })).data;
  const r = await runEnded(a, id);
  assert.equal(r.status, 'succeeded', JSON.stringify(r));
  return r;
};
const openContext = async (a = account) => {
  const space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: a.owner, body: { kind: 'context', name: unique('open'), slug: unique('open') } })).data;
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token: a.owner, body: { grantee_kind: 'everyone', grantee_id: '', level: 'write' } });
  return space.id;
};

before(async () => {
  account = await freshAccount();
  ({ token, owner } = account);
});

test('a tag of a closed space is its own; one of an open space is shared and waits for a review', async () => {
  const other = await freshAgent(account), mine = await note(), open = await note(owner, { space_id: await openContext() });
  const own = await post('tag', { node_id: mine.id, tags: ['Beach  Yoga', 'beach_yoga', 'Tide'] });
  assert.deepEqual([own.added, own.tags.map((t) => [t.slug, t.tier, t.status])], [2, [['beach-yoga', 'user', 'active'], ['beach-yoga', 'user', 'active'], ['tide', 'user', 'active']]]);
  assert.equal((await post('tag', { node_id: mine.id, tags: ['tide'] })).added, 0);
  const [shared] = (await post('tag', { node_id: open.id, tags: ['Harbour'] })).tags;
  assert.deepEqual([shared.tier, shared.status], ['universe', 'pending_review']);
  assert.ok(!(await get('tags', other.token)).some((t) => ['tide', 'harbour'].includes(t.slug)));
  assert.deepEqual((await get('tags?q=tide')).map((t) => [t.slug, t.usage_count]), [['tide', 1]]);
  await get(`tags/${own.tags[2].id}`, other.token, 404);
  assert.ok((await get('tags?status=pending_review', owner)).some((t) => t.slug === 'harbour'));
  await expectStatus(403, 'POST', `${T}/tags/${shared.id}/approve`, { token, body: {} });
  assert.equal((await post(`tags/${shared.id}/approve`, {}, owner)).status, 'active');
  assert.ok((await get('tags', other.token)).some((t) => t.slug === 'harbour'));
  assert.equal((await post('tag', { node_id: mine.id, tags: ['HARBOUR'] })).tags[0].id, shared.id, 'a shared one goes first');
  await post('tag', { node_id: mine.id, tags: ['x'.repeat(65)] }, token, 422);
  await post('tag', { node_id: mine.id, tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, token, 422);
  await post('tag', { node_id: mine.id, tags: ['x'] }, other.token, 404);
});

test('renaming keeps the old name; merging moves content and subjects', async () => {
  const space_id = await openContext(), a = await note(token, { space_id }), b = await note(token, { space_id });
  const [boat, ship] = [await post('tags', { display: unique('Boat') }, owner, 201), await post('tags', { display: unique('Ship') }, owner, 201)];
  await post('tag', { node_id: a.id, tags: [boat.slug] });
  await post('tag', { node_id: b.id, tags: [ship.slug] });
  const renamed = await post(`tags/${ship.id}/rename`, { display: 'Large Ship' }, owner);
  assert.deepEqual([renamed.slug, renamed.aliases], ['large-ship', [ship.slug]]);
  assert.equal((await post('tag', { node_id: b.id, tags: [ship.slug] })).added, 0);
  await post(`tags/${boat.id}/merge`, { into: boat.id }, owner, 422);
  const merged = await post(`tags/${boat.id}/merge`, { into: ship.id }, owner);
  assert.deepEqual([merged.usage_count, merged.aliases.includes(boat.slug)], [2, true]);
  assert.equal((await get(`tags/${boat.id}`, owner)).merged_into, ship.id);
  const edges = (await expectStatus(200, 'GET', `/api/v1/edges?node_id=${a.id}&relation=HAS_TAG`, { token })).data;
  assert.deepEqual(edges.map((e) => e.target_id), [ship.id]);
  assert.equal((await post('tag', { node_id: b.id, tags: [boat.slug] })).tags[0].id, ship.id);
  const me = (await get('subjects/me')).tags.find((t) => t.tag_id === ship.id);
  assert.ok(me.weight > 0.19, 'what the agent met goes along');
});

test('a subject meets a tag: three times a day count, two nights of one day are one, and what lies idle is out of recall (15.20)', async () => {
  const a = await freshAccount(), meet = () => post('reinforce', { tag: 'Winch' }, a.token);
  const first = await meet();
  assert.deepEqual([first.weight, first.hits, first.counted], [0.2, 1, true]);
  const again = await meet();
  assert.ok(Math.abs(again.weight - 0.28) < 1e-6);
  await meet();
  const full = await meet();
  assert.deepEqual([full.hits_today, full.counted], [3, false]);
  const held = async () => (await get('subjects/me', a.token)).tags[0];
  const was = (await held()).weight;
  await run('node_decay', a);
  const boosted = (await held()).weight;
  assert.ok(Math.abs(boosted - (was + 0.05 * (1 - was))) < 1e-3, `${was} ${boosted}`);
  await run('node_decay', a);
  assert.ok((await held()).weight <= boosted);
  await moveClock('60d');
  await run('node_decay', a);
  assert.equal((await held()).state, 'decayed');
  const edge = async () => (await sql(`SELECT e.status FROM edge e JOIN edge_plastic p ON p.account_id = e.account_id AND p.edge_id = e.id WHERE p.relation = 'activates' AND e.source_id = '${first.subject_id}'`))[0][0];
  assert.equal(await edge(), 'archived');
  assert.equal((await meet()).counted, true);
  assert.deepEqual([(await held()).state, await edge()], ['active', 'active']);
  await expectStatus(404, 'POST', `${T}/reinforce`, { token: a.token, body: { tag: 'x', subject_id: '00000000-0000-7000-8000-000000000000' } });
});

test('tags seen together grow together; a run again adds nothing, an edit counts once more (15.21)', async () => {
  const a = await freshAccount(), n = await note(a.token);
  await post('tag', { node_id: n.id, tags: ['rope', 'knot', 'splice'] }, a.token);
  const weights = async () => (await sql(`SELECT ROUND(p.weight, 2) FROM edge_plastic p JOIN account c ON c.id = p.account_id WHERE c.slug = '${a.slug}' AND p.relation = 'CO_OCCURS'`)).map((r) => Number(r[0]));
  await run('taxonomy_hebbian', a);
  assert.deepEqual(await weights(), [0.05, 0.05, 0.05]);
  await run('taxonomy_hebbian', a);
  assert.deepEqual(await weights(), [0.05, 0.05, 0.05]);
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${n.id}`, { token: a.token, body: { body: 'another' } });
  await run('taxonomy_hebbian', a);
  assert.deepEqual(await weights(), [0.1, 0.1, 0.1]);
});

test('the review merges a plural, approves what is used twice, and archives what nobody used', async () => {
  const a = await freshAccount(), space_id = await openContext(a), some = [await note(a.token, { space_id }), await note(a.token, { space_id })];
  const anchor = await post('tags', { display: 'anchor' }, a.owner, 201);
  for (const n of some) await post('tag', { node_id: n.id, tags: ['Capstan'] }, a.owner);
  await post('tag', { node_id: some[0].id, tags: ['anchors', 'Zebra crossing'] }, a.owner);
  await embedded(a.slug);
  await run('taxonomy_reconcile', a);
  const status = async (slug) => (await sql(`SELECT n.status FROM tag t JOIN node n ON n.account_id = t.account_id AND n.id = t.id JOIN account c ON c.id = t.account_id WHERE c.slug = '${a.slug}' AND t.slug = '${slug}'`))[0][0];
  assert.deepEqual([await status('anchors'), await status('capstan'), await status('zebra-crossing')], ['merged', 'active', 'pending_review']);
  assert.deepEqual((await get(`tags/${anchor.id}`, a.owner)).aliases, ['anchors']);
  await moveClock('31d');
  await run('taxonomy_reconcile', a);
  assert.equal(await status('zebra-crossing'), 'archived');
});

test('what four owners hold is nowhere, of five it is for reviewers, and after an opt-out it is gone (15.22)', async () => {
  const a = await freshAccount(), agents = [];
  for (let i = 0; i < 5; i++) agents.push(await freshAgent(a));
  const hold = async (agent) => { for (const tag of ['Keel', 'Rudder']) await post('reinforce', { tag }, agent.token); };
  const night = async () => { await run('fp_growth', a); await run('pattern_promote', a); };
  for (const x of agents.slice(0, 4)) await hold(x);
  await night();
  assert.deepEqual(await get('patterns', a.owner), []);
  assert.ok(!(await get('tags?q=keel', a.owner)).some((t) => t.tier !== 'user'));
  await hold(agents[4]);
  await night();
  const [p, ...others] = await get('patterns', a.owner);
  assert.deepEqual([p.items, p.tier, p.support_owners, p.owners_total, others.length], [['tag:keel', 'tag:rudder'], 'transitional', 5, 5, 0]);
  assert.deepEqual(await get('patterns', agents[0].token), [], 'for reviewers');
  assert.ok(!JSON.stringify([p, await get('tags', a.owner)]).includes(agents[0].slug), 'no owner is named');
  for (let i = 0; i < 2; i++) { await moveClock('24h'); for (const x of agents) await hold(x); await night(); }
  const shared = (await get('tags?q=keel&tier=universe', agents[0].token));
  assert.equal(shared.length, 1, 'a single tag of three nights is everybody\'s');
  await expectStatus(403, 'PUT', `${T}/mining`, { token: agents[0].token, body: { opt_out: true, owner_id: agents[1].id } });
  await expectStatus(200, 'PUT', `${T}/mining`, { token: agents[0].token, body: { opt_out: true } });
  await night();
  assert.deepEqual(await get('patterns', a.owner), []);
});

test('a text finds tags by their parts; nothing of another account', async () => {
  const a = await freshAccount();
  for (const display of ['Beach yoga', 'Tax law', 'Bread baking']) await post('tags', { display }, a.owner, 201);
  await embedded(a.slug);
  const { tags } = await post('classify', { text: 'We did yoga at the sea' }, a.token);
  assert.equal(tags[0].slug, 'beach-yoga');
  assert.deepEqual((await post('classify', { text: 'bread baking', top: 1 }, (await freshAccount()).token)).tags, []);
  assert.equal((await post('classify', { text: 'bread', top: 1 }, a.token)).tags[0].slug, 'bread-baking');
  assert.equal((await call('POST', `${T}/tags`, { token: a.owner, body: { display: 'beach YOGA' } })).status, 409);
});

test('what is captured with tags has them, its agent met them, and pairs learn from it', async () => {
  const a = await freshAccount(), agent = await freshAgent(a, 'trusted');
  const capture = async (content, tags) => (await expectStatus(200, 'POST', '/api/v1/memory/capture', { token: agent.token, body: { content, tags } })).data;
  await capture('The sail is mended with waxed thread.', ['Sail  Cloth', 'waxed thread']);
  await capture('Another sail was cut today.', ['sail-cloth', 'waxed thread']);
  const { data } = await expectStatus(200, 'GET', `/api/v1/taxonomy/subjects/${agent.id}`, { token: agent.token });
  assert.deepEqual(data.tags.map((t) => [t.slug, t.hits]).sort(), [['sail-cloth', 2], ['waxed-thread', 2]]);
  await run('taxonomy_hebbian', a);
  const pairs = await sql(`SELECT COUNT(*) FROM edge WHERE relation = 'CO_OCCURS' AND account_id = (SELECT id FROM account WHERE slug = '${a.slug}')`);
  assert.equal(pairs[0][0], '1');
});
