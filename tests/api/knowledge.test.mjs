// Shared knowledge: for whom it is, what is a duplicate, what others say of it, and that it stays what it was.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, freshAgent, freshUser, settled, unique, until, untilByMeaning } from './client.mjs';
import { sql } from './db.mjs';

const PATH = '/api/v1/ai/memory/shared_knowledge';
let account, red, blue, ann, bob, cid, lead;

const post = (path, token, body) => call('POST', path, { token, body });
const make = async (token, body = {}) => (await expectStatus(201, 'POST', PATH, { token, body: { title: unique('title'), content: `Text of ${unique('entry')}`, ...body } })).data;
const get = async (id, token) => (await expectStatus(200, 'GET', `${PATH}/${id}`, { token })).data;
const list = async (query, token) => (await expectStatus(200, 'GET', `${PATH}?limit=50&${query}`, { token })).data;
const has = (rows, id) => rows.some((r) => r.id === id);

// ann and bob are of team red, cid of blue; lead is in both.
before(async () => {
  account = await freshAccount();
  const team = async (name) => (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body: { slug: unique(name), name } })).data;
  const join = (t, agent) => expectStatus(200, 'PUT', `/api/v1/teams/${t.id}/members/${agent.id}`, { token: account.owner, body: {} });
  [red, blue] = [await team('red'), await team('blue')];
  [ann, bob, cid, lead] = [await freshAgent(account), await freshAgent(account), await freshAgent(account), await freshAgent(account)];
  await Promise.all([join(red, ann), join(red, bob), join(blue, cid), join(red, lead), join(blue, lead)]);
});

test('a team shares it, another team and another account do not see it', async () => {
  const k = await make(ann.token, { content: `# Deploy\n\n- build ${unique()}\n- ship\n`, content_type: 'procedure', tags: [' Ops ', 'ops', 'CI'] });
  assert.deepEqual([k.access_level, k.team_id, k.content_type, k.source_type, k.author_id, k.version, k.status],
    ['team', red.id, 'procedure', 'agent', ann.id, 1, 'active']);
  assert.deepEqual(k.tags, ['ops', 'ci']);
  assert.equal((await get(k.id, bob.token)).content, k.content);
  assert.ok(has(await list('', bob.token), k.id));
  const other = await freshAccount();
  for (const token of [cid.token, other.token, other.owner]) {
    await expectStatus(404, 'GET', `${PATH}/${k.id}`, { token });
    await expectStatus(404, 'PATCH', `${PATH}/${k.id}`, { token, body: { title: 'mine' } });
    await expectStatus(404, 'DELETE', `${PATH}/${k.id}`, { token });
    for (const [verb, body] of [['rate', { rating: 1 }], ['promote', { access_level: 'global' }]])
      await expectStatus(404, 'POST', `${PATH}/${k.id}/${verb}`, { token, body });
    assert.ok(!has(await list('', token), k.id));
  }
  assert.deepEqual((await get(k.id, ann.token)).version, 1);
});

test('who is in two teams says which; a person has no namespace of their own; agents do not write for everyone', async () => {
  const body = { title: 't', content: unique('text') };
  const r = await expectStatus(422, 'POST', PATH, { token: lead.token, body });
  assert.equal(r.body.errors[0].pointer, '/team_id');
  assert.equal((await make(lead.token, { team_id: blue.id })).team_id, blue.id);
  await expectStatus(404, 'POST', PATH, { token: ann.token, body: { ...body, team_id: blue.id } });
  const p = await expectStatus(422, 'POST', PATH, { token: account.owner, body: { ...body, access_level: 'private' } });
  assert.equal(p.body.errors[0].pointer, '/access_level');
  await expectStatus(403, 'POST', PATH, { token: ann.token, body: { ...body, access_level: 'account' } });
  const all = await make(account.owner, { access_level: 'account' });
  assert.deepEqual([all.source_type, all.team_id], ['manual', null]);
  assert.equal((await get(all.id, cid.token)).id, all.id);
});

test('bad input is named and nothing is written', async () => {
  const n = await sql(`SELECT COUNT(*) FROM knowledge`);
  for (const [body, pointer] of [[{ content: 'x' }, '/title'], [{ title: 'x' }, '/content'], [{ title: 'x', content: 'y', content_type: 'poem' }, '/content_type'],
    [{ title: 'x', content: 'y', access_level: 'world' }, '/access_level'], [{ title: 'x', content: 'y', tags: ['a'.repeat(65)] }, '/tags/0'],
    [{ title: 'x', content: 'y', tags: Array.from({ length: 33 }, (_, i) => `t${i}`) }, '/tags'], [{ title: 'x'.repeat(501), content: 'y' }, '/title']]) {
    const r = await expectStatus(422, 'POST', PATH, { token: ann.token, body });
    assert.equal(r.body.errors[0].pointer, pointer);
  }
  assert.deepEqual(await sql(`SELECT COUNT(*) FROM knowledge`), n);
});

test('the same text is there once: in this namespace or a wider one that can be read', async () => {
  const content = `The gate of ${unique()} closes at six.`;
  const k = await make(ann.token, { content });
  for (const [token, level] of [[bob.token, 'team'], [bob.token, 'private']]) {
    const r = await expectStatus(409, 'POST', PATH, { token, body: { title: 'again', content, access_level: level } });
    assert.equal(r.body.reason, 'duplicate');
    assert.deepEqual(r.body.current_value, { existing_id: k.id, similarity: 1 });
  }
  await make(cid.token, { content });          // what blue cannot see is in nobody's way
  await make(account.owner, { content, access_level: 'global' });
  await expectStatus(200, 'DELETE', `${PATH}/${k.id}`, { token: ann.token });
  const r = await expectStatus(409, 'POST', PATH, { token: ann.token, body: { title: 'again', content } });
  assert.notEqual(r.body.current_value.existing_id, k.id, 'the one for everyone is in the way, not the archived one');
});

test('ten who write the same at once make one', async () => {
  const body = { title: 'race', content: `All of us found ${unique()}.` };
  const all = await Promise.all(Array.from({ length: 10 }, (_, i) => post(PATH, i % 2 ? ann.token : bob.token, body)));
  assert.deepEqual(all.map((r) => r.status).sort(), [201, ...Array(9).fill(409)]);
  assert.ok(all.filter((r) => r.status === 409).every((r) => r.body.reason === 'duplicate'));
});

test('a text that says the same is a duplicate, one with another number or a negation is not', async () => {
  const word = 'the orchard';              // a word of chance moves the similarity by more than what is left to the threshold
  const k = await make(ann.token, { title: `Budget of ${word}`, content: 'The yearly budget for the garden is 100 coins.' });
  await untilByMeaning(k.id, k.content, ann.token);
  const say = (content) => post(PATH, ann.token, { title: `Budget of ${word}`, content });
  const same = await say('The yearly budget for the garden is 100 coins!');
  assert.deepEqual([same.status, same.body.current_value?.existing_id], [409, k.id]);
  assert.ok(same.body.current_value.similarity >= 0.92);
  assert.equal((await say('The yearly budget for the garden is 200 coins.')).status, 201);
  assert.equal((await say('The yearly budget for the garden is not 100 coins.')).status, 201);
});

test('an update makes a version, and only the current one can be changed', async () => {
  const k = await make(ann.token, { tags: ['one'] });
  const content = `Better ${unique()}`;
  const two = (await expectStatus(200, 'PATCH', `${PATH}/${k.id}`, { token: bob.token, body: { content, if_version: 1 } })).data;
  assert.deepEqual([two.content, two.title, two.tags, two.changed, two.version, two.author_id, two.creator_id], [content, k.title, ['one'], true, 2, bob.id, ann.id]);
  await expectStatus(412, 'PATCH', `${PATH}/${k.id}`, { token: ann.token, body: { content: 'late', if_version: 1 } });
  await expectStatus(412, 'PATCH', `${PATH}/${k.id}`, { token: ann.token, body: { title: 'late' }, headers: { 'If-Match': '"1"' } });
  const same = (await expectStatus(200, 'PATCH', `${PATH}/${k.id}`, { token: ann.token, body: { content } })).data;
  assert.deepEqual([same.changed, same.version], [false, 2]);
  const [old] = (await expectStatus(200, 'GET', `/api/v1/nodes/${k.id}/versions?with_body=true`, { token: ann.token })).data;
  assert.equal(old.body, k.content);
  const one = await make(ann.token);
  const r = await expectStatus(409, 'PATCH', `${PATH}/${one.id}`, { token: ann.token, body: { content } });
  assert.deepEqual([r.body.reason, r.body.current_value.existing_id], ['duplicate', k.id]);
  assert.equal((await get(one.id, ann.token)).content, one.content);
});

test('of sixteen writers with one version one wins', async () => {
  const k = await make(ann.token);
  const all = await Promise.all(Array.from({ length: 16 }, (_, i) => call('PATCH', `${PATH}/${k.id}`, { token: i % 2 ? ann.token : bob.token, body: { content: `${k.content} ${i}`, if_version: 1 } })));
  assert.deepEqual(all.map((r) => r.status).sort(), [200, ...Array(15).fill(412)]);
});

test('it is promoted upward only, by who may write there; old versions go along', async () => {
  const k = await make(ann.token, { access_level: 'private' });
  await expectStatus(404, 'GET', `${PATH}/${k.id}`, { token: bob.token });
  await expectStatus(200, 'PATCH', `${PATH}/${k.id}`, { token: ann.token, body: { content: `${k.content} more` } });
  const [secret] = (await expectStatus(200, 'GET', `/api/v1/nodes/${k.id}/versions`, { token: ann.token })).data;
  const team = (await expectStatus(200, 'POST', `${PATH}/${k.id}/promote`, { token: ann.token, body: { access_level: 'team' } })).data;
  assert.deepEqual([team.id, team.access_level, team.team_id, team.provenance.promoted_from], [k.id, 'team', red.id, 'private']);
  assert.equal((await get(k.id, bob.token)).id, k.id);
  await expectStatus(200, 'GET', `/api/v1/nodes/${secret.id}`, { token: bob.token });
  const down = await expectStatus(422, 'POST', `${PATH}/${k.id}/promote`, { token: ann.token, body: { access_level: 'private' } });
  assert.equal(down.body.errors[0].pointer, '/access_level');
  await expectStatus(403, 'POST', `${PATH}/${k.id}/promote`, { token: ann.token, body: { access_level: 'global' } });
  assert.equal((await get(k.id, ann.token)).access_level, 'team');
});

test('it is narrowed by who manages its namespace, and nobody else finds it afterwards', async () => {
  const k = await make(account.owner, { access_level: 'global' });
  assert.equal((await get(k.id, cid.token)).id, k.id);
  await expectStatus(403, 'PATCH', `${PATH}/${k.id}`, { token: ann.token, body: { access_level: 'team' } });
  const wide = await expectStatus(422, 'PATCH', `${PATH}/${(await make(account.owner, { access_level: 'account' })).id}`, { token: account.owner, body: { access_level: 'global' } });
  assert.equal(wide.body.errors[0].pointer, '/access_level');
  const space = (await expectStatus(200, 'GET', '/api/v1/spaces?limit=100', { token: account.owner })).data.find((s) => s.slug === `team:${red.slug}`)
    ?? { id: (await sql(`SELECT id FROM space WHERE team_id = '${red.id}'`))[0][0] };
  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data;
  await sql(`INSERT IGNORE INTO space_grant (account_id, id, space_id, grantee_kind, grantee_id, level, created_at) VALUES ('${me.account_id}', UUID(), '${space.id}', 'user', '${me.id}', 'write', UTC_TIMESTAMP(6))`);
  await expectStatus(201, 'POST', '/api/v1/agents', { token: account.owner, body: { slug: unique('touch'), name: 'Access sets are read anew' } });
  const team = (await expectStatus(200, 'PATCH', `${PATH}/${k.id}`, { token: account.owner, body: { access_level: 'team', team_id: red.id } })).data;
  assert.deepEqual([team.access_level, team.team_id], ['team', red.id]);
  await expectStatus(404, 'GET', `${PATH}/${k.id}`, { token: cid.token });
  assert.equal((await get(k.id, bob.token)).id, k.id);
});

test('one rating of each, never of the author, and quality by the formula', async () => {
  const k = await make(ann.token, { content: 'x'.repeat(400) });
  const quality = (sum, count) => Math.round(1e4 * (0.3 * (0.3 + 0.2) / 0.9 + 0.25 * 0.5 + 0.25 * (((sum + 9) / (count + 3) - 1) / 4) + 0.2 * 0.8)) / 1e4;
  assert.deepEqual([k.quality_score, k.rating, k.rating_count], [quality(0, 0), 0, 0]);
  let last;
  for (const rating of [1, 3, 5, 2, 4]) last = (await expectStatus(200, 'POST', `${PATH}/${k.id}/rate`, { token: bob.token, body: { rating } })).data;
  assert.deepEqual([last.rating, last.rating_count, last.quality_score, last.version], [4, 1, quality(4, 1), 1]);
  last = (await expectStatus(200, 'POST', `${PATH}/${k.id}/rate`, { token: lead.token, body: { rating: 1 } })).data;
  assert.deepEqual([last.rating, last.rating_count, last.quality_score], [2.5, 2, quality(5, 2)]);
  await expectStatus(422, 'POST', `${PATH}/${k.id}/rate`, { token: ann.token, body: { rating: 5 } });
  for (const rating of [0, 6, 2.5]) await expectStatus(422, 'POST', `${PATH}/${k.id}/rate`, { token: bob.token, body: { rating } });
  const all = await Promise.all(Array.from({ length: 12 }, (_, i) => post(`${PATH}/${k.id}/rate`, i % 2 ? bob.token : lead.token, { rating: 1 + (i % 5) })));
  assert.ok(all.every((r) => r.status === 200));
  const [[sum, count, rows, real]] = await sql(`SELECT rating_sum, rating_count, (SELECT COUNT(*) FROM knowledge_rating WHERE knowledge_id = '${k.id}'),
    (SELECT SUM(rating) FROM knowledge_rating WHERE knowledge_id = '${k.id}') FROM knowledge WHERE id = '${k.id}'`);
  assert.deepEqual([sum, count], [real, rows]);
  assert.equal(count, '2');
});

test('quality is the same next day, and falls when nobody uses it', async () => {
  const k = await make(ann.token);
  const age = (days) => sql(`UPDATE node SET created_at = created_at - INTERVAL ${days} DAY WHERE id = '${k.id}'`);
  const shown = async () => (await list(`query=${encodeURIComponent(k.title)}`, bob.token)).find((r) => r.id === k.id);
  const seen = await until('it is found', shown);
  assert.equal(seen.quality_score, k.quality_score);
  await age(1);
  assert.equal((await shown()).quality_score, k.quality_score);
  await age(13);
  assert.equal((await shown()).quality_score, Math.round(1e4 * (k.quality_score - 0.25 * 0.4)) / 1e4);
});

test('reading by id is usage, being found is not', async () => {
  const k = await make(ann.token);
  await embedded(account.slug);
  assert.ok(has(await list(`query=${encodeURIComponent(k.title)}`, bob.token), k.id));
  await get(k.id, bob.token);
  await settled(undefined, { parts: ['uses'] });
  assert.deepEqual(await sql(`SELECT uses FROM node_use WHERE node_id = '${k.id}'`), [['1']]);
  const [[accesses]] = await sql(`SELECT access_count FROM node WHERE id = '${k.id}'`);
  assert.ok(Number(accesses) >= 2);
  assert.equal((await list('', bob.token)).find((r) => r.id === k.id).usage_count, 1);
});

test('what is archived is read by id, not found, not changed', async () => {
  const k = await make(ann.token);
  await embedded(account.slug);
  assert.ok(has(await list(`query=${encodeURIComponent(k.title)}`, bob.token), k.id));
  await expectStatus(412, 'DELETE', `${PATH}/${k.id}`, { token: ann.token, headers: { 'If-Match': '"7"' } });
  const gone = (await expectStatus(200, 'DELETE', `${PATH}/${k.id}`, { token: ann.token })).data;
  assert.equal(gone.status, 'archived');
  assert.equal((await get(k.id, bob.token)).status, 'archived');
  assert.ok(!has(await list('', bob.token), k.id));
  assert.ok(!has(await list(`query=${encodeURIComponent(k.title)}`, bob.token), k.id));
  await expectStatus(409, 'PATCH', `${PATH}/${k.id}`, { token: ann.token, body: { title: 'more' } });
  await expectStatus(409, 'POST', `${PATH}/${k.id}/rate`, { token: bob.token, body: { rating: 3 } });
  assert.equal((await make(ann.token, { content: k.content })).content, k.content);
  const back = () => call('POST', `/api/v1/memory/nodes/${k.id}/unarchive`, { token: ann.token, body: {} });
  assert.equal((await back()).body.reason, 'duplicate');
  const twin = (await list('', bob.token)).find((r) => r.content === k.content);
  await expectStatus(200, 'POST', `/api/v1/memory/nodes/${twin.id}/archive`, { token: ann.token, body: { reason: 'twice' } });
  assert.equal((await back()).status, 200);
  assert.equal((await get(k.id, bob.token)).status, 'active');
});

test('search and list obey their filters, pages and limits', async () => {
  const tag = unique('tag'), word = unique('word');
  const body = (i) => ({ title: `${word} ${i}`, content: `About ${word} number ${i}`, tags: [tag, `n${i}`], content_type: i % 2 ? 'fact' : 'guide' });
  const rows = [];
  for (let i = 0; i < 5; i++) rows.push(await make(ann.token, body(i)));
  const own = await make(ann.token, { ...body(9), access_level: 'private' });
  assert.equal((await list(`tags=${tag}`, ann.token)).length, 6);
  assert.equal((await list(`tags=${tag}`, bob.token)).length, 5);
  assert.equal((await list(`tags=${tag}&tags=n3`, bob.token)).length, 1);
  assert.equal((await list(`tags=${tag}&content_type=fact`, bob.token)).length, 2);
  assert.deepEqual((await list(`tags=${tag}&access_level=private`, ann.token)).map((r) => r.id), [own.id]);
  assert.equal((await list(`tags=${tag}&high_quality=true`, ann.token)).length, 0);
  const page = await expectStatus(200, 'GET', `${PATH}?tags=${tag}&limit=4`, { token: bob.token });
  const rest = await expectStatus(200, 'GET', `${PATH}?tags=${tag}&limit=4&cursor=${encodeURIComponent(page.meta.next_cursor)}`, { token: bob.token });
  assert.deepEqual([...page.data, ...rest.data].map((r) => r.id), rows.map((r) => r.id).reverse());
  await expectStatus(422, 'GET', `${PATH}?limit=51`, { token: bob.token });
  await embedded(account.slug);
  assert.equal((await list(`query=${word}&tags=${tag}`, ann.token)).length, 6);
  assert.equal((await list(`query=${word}&tags=${tag}`, bob.token)).length, 5);
  assert.equal((await list(`query=${word}&tags=${tag}&content_type=guide`, bob.token)).length, 3);
  assert.deepEqual((await list(`query=${word}&tags=${tag}&access_level=private`, ann.token)).map((r) => r.id), [own.id]);
  assert.deepEqual(await list(`query=${word}&tags=${tag}&access_level=private`, cid.token), []);
});

test('health counts what the caller may read', async () => {
  const health = async (token) => (await expectStatus(200, 'GET', '/api/v1/ai/memory/knowledge_health', { token })).data;
  const eve = await freshAgent(account);
  const before = await health(eve.token);
  await make(ann.token);
  assert.deepEqual(await health(eve.token), before);
  const own = await make(eve.token, { access_level: 'private', content_type: 'code' });
  const after = await health(eve.token);
  assert.equal(after.total, before.total + 1);
  assert.equal(after.by_level.find((x) => x.name === 'private').n, 1);
  await expectStatus(200, 'DELETE', `${PATH}/${own.id}`, { token: eve.token });
  assert.deepEqual(await health(eve.token), { ...before, archived: before.archived + 1 });
});

test('what an agent was just shown is no new knowledge, but may be told to a wider audience', async () => {
  const own = await make(ann.token, { access_level: 'private', content: `The cellar of ${unique()} floods in spring every year.` });
  const k = await make(bob.token, { content: `The attic of ${unique()} is dry in every season.` });
  await get(own.id, ann.token);
  await get(k.id, ann.token);
  const say = (content, access_level = 'team') => post(PATH, ann.token, { title: unique('said'), content: content.toUpperCase(), access_level });
  await settled(undefined, { parts: ['uses'] });        // behind it, Redis has what was shown
  const r = await say(k.content);
  assert.equal(r.body.reason, 'echo');
  assert.deepEqual([r.status, r.body.current_value], [409, { of: k.id }]);
  assert.equal((await say(own.content, 'private')).body.reason, 'echo');
  const told = await say(own.content);
  assert.deepEqual([told.status, told.data.echo_ratio], [201, 0]);
  const half = (await make(ann.token, { content: `${k.content} Nothing else is known of it as yet.` }));
  assert.ok(half.echo_ratio >= 0.5 && half.echo_ratio < 0.8, `${half.echo_ratio}`);
  const [[importance]] = await sql(`SELECT importance FROM node WHERE id = '${half.id}'`);
  assert.equal(importance, '0.25');
  await expectStatus(403, 'POST', PATH, { token: ann.token, body: { title: 'x', content: k.content, force: true } });
});

test('readers do not write, and the generic calls leave it alone', async () => {
  const viewer = await freshUser(account, 'viewer');
  await expectStatus(403, 'POST', PATH, { token: viewer.token, body: { title: 'x', content: 'y' } });
  await expectStatus(422, 'POST', '/api/v1/nodes', { token: ann.token, body: { kind: 'knowledge', title: 'x' } });
  const k = await make(ann.token);
  await expectStatus(409, 'PATCH', `/api/v1/nodes/${k.id}`, { token: ann.token, body: { body: 'behind its back' } });
  await expectStatus(409, 'POST', `/api/v1/nodes/${k.id}/archive`, { token: ann.token });
});
