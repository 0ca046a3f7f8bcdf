// Entities: two names that are one thing, one name that is two, and what people correct; what was said before and since stays whole.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, settled, unique } from './client.mjs';

const F = '/api/v1/facts', E = '/api/v1/entities';
let account, ann, space, token;

before(async () => {
  account = await freshAccount();
  token = account.owner;
  ann = await freshAgent(account);
  space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { kind: 'context', name: 'shared', slug: unique('shared') } })).data;
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: ann.id, level: 'write' } });
});

const say = async (subject, predicate, object, valid_from, more = {}) =>
  (await expectStatus(200, 'POST', F, { token: ann.token, body: { namespace: space.id, subject, predicate, object, valid_from, ...more } })).data.fact;
const list = async (query) => (await expectStatus(200, 'GET', `${F}?limit=100&${query}`, { token: ann.token })).data;
const told = (rows) => rows.map((f) => `${f.predicate} ${f.object} ${f.valid_from?.slice(0, 7)} ${f.valid_to?.slice(0, 7) ?? '-'} ${f.status}`).sort();
const entity = async (id) => (await expectStatus(200, 'GET', `${E}/${id}`, { token: ann.token })).data;
const history = async (id) => told(await list(`subject_id=${id}&mode=history`));

test('Bob and Robert are one person: one timeline; unmerged, each has its own and what was said of it since', async () => {
  const bob = unique('Bob'), robert = unique('Robert');
  const b = (await say(bob, 'based_in', 'Rome', '2024-01-01T00:00:00Z')).subject_id;
  await say(bob, 'uses', 'Vim', '2024-01-01T00:00:00Z');
  const r = (await say(robert, 'based_in', 'Oslo', '2024-03-01T00:00:00Z')).subject_id;
  await say(robert, 'uses', 'Vim', '2024-02-01T00:00:00Z');
  const before = [await history(b), await history(r)];
  const plan = (await expectStatus(200, 'POST', `${E}/${b}/merge`, { token, body: { loser_ids: [r], dry_run: true } })).data;
  assert.equal(plan.is_dry_run, true);
  assert.deepEqual([await history(b), await history(r)], before);
  const version = (await entity(b)).version, ifMatch = { 'if-match': `"${version}"` };
  const merge = (await expectStatus(200, 'POST', `${E}/${b}/merge`, { token, headers: ifMatch, body: { loser_ids: [r] } })).data;
  assert.equal((await call('POST', `${E}/${b}/merge`, { token, headers: ifMatch, body: { loser_ids: [r] } })).status, 412, 'the second of two merges');
  const one = ['based_in Oslo 2024-03 - active', 'based_in Rome 2024-01 2024-03 superseded', 'uses Vim 2024-01 - active'];
  assert.deepEqual(told(await list(`subject=${robert}&mode=history`)).filter((x) => !/uses Vim .* superseded/.test(x)), one, 'Robert is Bob');
  assert.deepEqual(told(await list(`subject=${bob}`)), ['based_in Oslo 2024-03 - active', 'uses Vim 2024-01 - active']);
  assert.equal((await entity(r)).id, b);
  assert.deepEqual((await entity(b)).aliases.sort(), [bob, robert].sort());
  const since = await say(robert, 'speaks', 'Dutch', '2024-05-01T00:00:00Z');
  assert.ok(told(await list(`subject=${bob}`)).includes('speaks Dutch 2024-05 - active'));
  await say(bob, 'based_in', 'Bonn', '2024-06-01T00:00:00Z');
  assert.deepEqual(told(await list(`subject=${robert}&predicate=based_in`)), ['based_in Bonn 2024-06 - active']);
  await expectStatus(200, 'POST', `${E}/merges/${merge.id}/undo`, { token });
  assert.deepEqual(told(await list(`subject=${robert}`)), ['based_in Oslo 2024-03 - active', 'speaks Dutch 2024-05 - active', 'uses Vim 2024-02 - active']);
  assert.deepEqual(told(await list(`subject=${bob}`)), ['based_in Bonn 2024-06 - active', 'uses Vim 2024-01 - active']);
  assert.deepEqual((await list(`subject_id=${b}&mode=history&predicate=based_in`)).map((f) => f.object).sort(), ['Bonn', 'Rome']);
  assert.equal((await expectStatus(200, 'GET', `${F}/${since.id}`, { token: ann.token })).data.subject_id, r);
  assert.equal((await entity(r)).id, r);
  const at = (id) => list(`subject_id=${id}&as_of=2024-05-15T00:00:00Z&as_known_at=${encodeURIComponent(new Date(Date.now() + 864e5).toISOString())}`);
  assert.deepEqual(told(await at(r)).length, 3, 'the windows are those of Robert again');
});

test('merges stand on each other, and each is undone by itself', async () => {
  const [a, b, c] = ['Ada', 'Bea', 'Cleo'].map((n) => unique(n));
  const ids = [];
  for (const [i, n] of [a, b, c].entries()) ids.push((await say(n, 'uses', `tool${i}`, '2024-01-01T00:00:00Z')).subject_id);
  const first = (await expectStatus(200, 'POST', `${E}/${ids[0]}/merge`, { token, body: { loser_ids: [ids[1]] } })).data;
  const second = (await expectStatus(200, 'POST', `${E}/${ids[2]}/merge`, { token, body: { loser_ids: [ids[0]] } })).data;
  const tools = async (name) => (await list(`subject=${name}`)).map((f) => f.object).sort();
  assert.deepEqual(await tools(b), ['tool0', 'tool1', 'tool2']);
  await expectStatus(200, 'POST', `${E}/merges/${second.id}/undo`, { token });
  assert.deepEqual([await tools(b), await tools(c)], [['tool0', 'tool1'], ['tool2']]);
  await expectStatus(200, 'POST', `${E}/merges/${first.id}/undo`, { token });
  assert.deepEqual([await tools(a), await tools(b)], [['tool0'], ['tool1']]);
});

test('across spaces, of another type, without the right: no merge', async () => {
  const [x, y] = [await say(unique('Pim'), 'uses', 'ink', undefined), await say(unique('Pom'), 'uses', 'ink', undefined)];
  const other = (await expectStatus(200, 'POST', F, { token: ann.token, body: { subject: unique('Pim'), predicate: 'uses', object: 'ink' } })).data.fact;
  await expectStatus(403, 'POST', `${E}/${x.subject_id}/merge`, { token: ann.token, body: { loser_ids: [y.subject_id] } });
  assert.ok([404, 409].includes((await call('POST', `${E}/${x.subject_id}/merge`, { token, body: { loser_ids: [other.subject_id] } })).status));
  await expectStatus(200, 'PATCH', `${E}/${x.subject_id}`, { token, body: { entity_type: 'person' } });
  await expectStatus(200, 'PATCH', `${E}/${y.subject_id}`, { token, body: { entity_type: 'place' } });
  assert.equal((await call('POST', `${E}/${x.subject_id}/merge`, { token, body: { loser_ids: [y.subject_id] } })).data?.is_dry_run ?? 409, 409);
  await expectStatus(200, 'POST', `${E}/${x.subject_id}/merge`, { token, body: { loser_ids: [y.subject_id], force: true } });
  assert.equal((await list(`subject_id=${x.subject_id}`)).length, 1, 'the same value of both is one fact');
});

test('one that is two is split: facts, what episodes said, and names go to the new one', async () => {
  const jo = unique('Jo'), nick = unique('Joey');
  const pilot = await say(jo, 'role_is', 'pilot', '2024-01-01T00:00:00Z');
  const cook = await say(jo, 'role_is', 'cook', '2024-02-01T00:00:00Z');
  await expectStatus(200, 'POST', '/api/v1/memory/capture', { token: ann.token, body: { content: `${jo} uses Emacs.`, target_namespace: space.slug } });
  await settled(account.slug, { parts: ['queue'], kinds: ['consolidate'] });
  const [episode] = (await expectStatus(200, 'GET', '/api/v1/memory/episodes?limit=5', { token: ann.token })).data;
  await expectStatus(200, 'PATCH', `${E}/${pilot.subject_id}`, { token, body: { add_aliases: [nick] } });
  assert.equal((await list(`subject=${nick}`)).length, 2);
  const body = { name: `${nick} the cook`, fact_ids: [cook.id], episode_ids: [episode.id], aliases: [nick] };
  const plan = (await expectStatus(200, 'POST', `${E}/${pilot.subject_id}/split`, { token, body: { ...body, dry_run: true } })).data;
  assert.deepEqual([plan.id, plan.claims, plan.is_dry_run], [null, 2, true]);
  const made = (await expectStatus(200, 'POST', `${E}/${pilot.subject_id}/split`, { token, body })).data;
  assert.deepEqual([made.claims, made.facts, made.aliases], [2, 2, 1]);
  assert.deepEqual(told(await list(`subject=${nick}`)).map((x) => x.split(' ').slice(0, 2).join(' ')), ['role_is cook', 'uses Emacs']);
  assert.deepEqual(told(await list(`subject=${jo}`)), ['role_is pilot 2024-01 - active'], 'nobody took the place of the pilot');
  assert.equal((await entity(made.id)).canonical_name, `${nick} the cook`);
  await expectStatus(409, 'POST', `${E}/${made.id}/split`, { token, body: { name: 'nobody', fact_ids: [pilot.id] } });
  await expectStatus(200, 'POST', `${E}/${pilot.subject_id}/merge`, { token, body: { loser_ids: [made.id] } });
  assert.deepEqual(told(await list(`subject=${jo}&predicate=role_is`)), ['role_is cook 2024-02 - active']);
});

test('a person corrects name, type and names of an entity; its own name stays', async () => {
  const name = unique('Zed');
  const { subject_id: id } = await say(name, 'uses', 'glue', undefined);
  const { version } = await entity(id);
  const next = (await expectStatus(200, 'PATCH', `${E}/${id}`, { token, headers: { 'if-match': `"${version}"` }, body: { canonical_name: `${name} Prime`, entity_type: 'person', description: 'A neighbour.', attributes: { shoe: 42 } } })).data;
  assert.deepEqual([next.canonical_name, next.entity_type, next.description, next.attributes], [`${name} Prime`, 'person', 'A neighbour.', { shoe: 42 }]);
  await expectStatus(412, 'PATCH', `${E}/${id}`, { token, headers: { 'if-match': `"${version}"` }, body: { description: '' } });
  await expectStatus(422, 'PATCH', `${E}/${id}`, { token, body: { remove_aliases: [`${name} prime`] } });
  assert.deepEqual((await expectStatus(200, 'PATCH', `${E}/${id}`, { token, body: { remove_aliases: [name] } })).data.aliases, [`${name} Prime`]);
  assert.equal((await list(`subject=${name}`)).length, 0);
  assert.deepEqual((await expectStatus(200, 'GET', `${E}/${id}/timeline`, { token })).data.map((f) => f.object), ['glue']);
});
