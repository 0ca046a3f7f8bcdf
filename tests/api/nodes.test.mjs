// Nodes: content by versions, forgetting and restoring, time, text of every kind and size, and many at once.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE2, call, expectStatus, freshAccount, freshAgent, freshUser, unique, until } from './client.mjs';
import { pauseJobs, resumeJobs, sql } from './db.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
});

const make = async (body = {}) => (await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: unique('note'), body: 'b', ...body } })).data;
const at = (id) => `/api/v1/nodes/${id}`;
const read = async (id, query = '?touch=false') => (await expectStatus(200, 'GET', at(id) + query, { token })).data;
const status = async (id) => (await call('GET', `${at(id)}?touch=false`, { token })).status;
const soon = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();

function invalid(r, pointer) {
  assert.equal(r.status, 422, r.text);
  assert.ok(r.body.errors.some((e) => e.pointer === pointer), r.text);
}

test('a node that says nothing else is a note of its author in its author\'s namespace', async () => {
  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
  const { duplicate_of, not_taken, ...n } = await make();
  assert.deepEqual([duplicate_of, not_taken], [null, []]);
  assert.deepEqual([n.kind, n.status, n.version, n.author_kind, n.author_id, n.importance, n.confidence], ['note', 'active', 1, 'agent', me.id, 0.5, 1]);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/spaces/${n.space_id}`, { token })).data.slug, `agent:${me.id}`);
  assert.deepEqual(await read(n.id), n);
});

test('the author comes from the credential, never from the body', async () => {
  for (const field of ['author_id', 'author_kind', 'agent_id', 'account_id', 'id', 'version', 'trust', 'status', 'created_at'])
    invalid(await call('POST', '/api/v1/nodes', { token, body: { title: 't', [field]: 'x' } }), `/${field}`);
});

test('people name the space; kinds of rooms have calls of their own', async () => {
  invalid(await call('POST', '/api/v1/nodes', { token: account.owner, body: { title: 't' } }), '/space_id');
  for (const kind of ['fact', 'page', 'skill', 'nothing', '']) invalid(await call('POST', '/api/v1/nodes', { token, body: { title: 't', kind } }), '/kind');
  for (const kind of ['note', 'entity', 'episode']) assert.equal((await make({ kind })).kind, kind);
});

test('another content is another version; the same content is not', async () => {
  const n = await make({ body: 'one', attrs: { a: 1, b: [1, 2] } });
  const patch = async (body) => (await expectStatus(200, 'PATCH', at(n.id), { token, body })).data;
  const two = await patch({ body: 'two' });
  assert.deepEqual([two.changed, two.version, two.id], [true, 2, n.id]);
  assert.equal((await patch({ body: 'two' })).changed, false);
  assert.equal((await patch({ attrs: { b: [1, 2], a: 1.0 } })).changed, false, 'the same attrs, spelt otherwise');
  assert.equal((await patch({})).version, 2);
  const three = await patch({ attrs: { a: null, c: { d: 1 } } });
  assert.deepEqual([three.attrs, three.version, three.body], [{ b: [1, 2], c: { d: 1 } }, 3, 'two']);
  const four = await patch({ importance: 0.9 });
  assert.deepEqual([four.changed, four.version], [false, 4]);
  const old = (await expectStatus(200, 'GET', `${at(n.id)}/versions?with_body=true`, { token })).data;
  assert.deepEqual(old.map((v) => [v.version, v.body, v.status]), [[2, 'two', 'version'], [1, 'one', 'version']]);
  assert.equal((await read(old[1].id)).body, 'one');
  assert.equal((await read(n.id)).previous_id, old[0].id);
  await expectStatus(409, 'PATCH', at(old[0].id), { token, body: { body: 'x' } });
  await expectStatus(409, 'DELETE', at(old[0].id), { token });
  const list = await expectStatus(200, 'GET', `/api/v1/nodes?q=${n.title}`, { token });
  assert.deepEqual(list.data.map((x) => x.id), [n.id]);
});

test('versions come in pages', async () => {
  const n = await make();
  for (let i = 1; i < 8; i++) await expectStatus(200, 'PATCH', at(n.id), { token, body: { body: `body ${i}` } });
  const seen = [];
  let cursor = '';
  do {
    const r = await expectStatus(200, 'GET', `${at(n.id)}/versions?limit=3${cursor && `&cursor=${cursor}`}`, { token });
    seen.push(...r.data.map((v) => v.version));
    cursor = r.meta.next_cursor;
  } while (cursor);
  assert.deepEqual(seen, [7, 6, 5, 4, 3, 2, 1]);
});

test('what is forgotten leaves every read, its versions too, until it is restored', async () => {
  const n = await make({ body: 'first' }), other = await make();
  await expectStatus(200, 'PATCH', at(n.id), { token, body: { body: 'second' } });
  const [old] = (await expectStatus(200, 'GET', `${at(n.id)}/versions`, { token })).data;
  const edge = (await expectStatus(201, 'POST', '/api/v1/edges', { token, body: { source_id: other.id, target_id: n.id, relation: 'uses' } })).data;
  await expectStatus(200, 'PUT', `${at(n.id)}/vector`, { token, body: { model: 'm3', values: [1, 2, 3] } });
  await expectStatus(204, 'DELETE', at(n.id), { token });
  for (const path of [at(n.id), at(old.id), `${at(n.id)}/versions`, `${at(old.id)}/versions`, `${at(n.id)}/edges`, `${at(old.id)}/edges`, `${at(n.id)}/vector?model=m3`,
    `/api/v1/edges/${edge.id}`, `/api/v1/edges?node_id=${n.id}`])
    assert.equal((await call('GET', path, { token })).status, 404, path);
  assert.deepEqual((await expectStatus(200, 'GET', `${at(other.id)}/edges`, { token })).data, []);
  assert.deepEqual((await expectStatus(200, 'GET', `/api/v1/nodes?q=${n.title}&include_archived=true`, { token })).data, []);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/nodes?q=${n.title}&status=forgotten`, { token })).data.length, 1);
  for (const [method, path, body] of [['PATCH', at(n.id), { title: 'x' }], ['DELETE', at(n.id)], ['POST', `${at(n.id)}/pin`, {}], ['POST', `${at(n.id)}/archive`, {}],
    ['PUT', `${at(n.id)}/vector`, { model: 'm3', values: [1, 2, 3] }], ['POST', '/api/v1/edges', { source_id: n.id, target_id: other.id, relation: 'uses' }]])
    assert.equal((await call(method, path, { token, body })).status, 404, `${method} ${path}`);
  const back = (await expectStatus(200, 'POST', `${at(n.id)}/restore`, { token })).data;
  assert.deepEqual([back.body, back.status], ['second', 'active']);
  assert.equal((await read(old.id)).body, 'first');
  await expectStatus(200, 'GET', `/api/v1/edges/${edge.id}`, { token });
});

test('who can only read neither forgets nor restores nor lists what is forgotten', async () => {
  const reader = await freshAgent(account);
  const s = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { name: 'S' } })).data;
  const n = await make({ space_id: s.id });
  await expectStatus(201, 'POST', `/api/v1/spaces/${s.id}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: reader.id } });
  await expectStatus(403, 'DELETE', at(n.id), { token: reader.token });
  await expectStatus(403, 'POST', `${at(n.id)}/pin`, { token: reader.token });
  await expectStatus(204, 'DELETE', at(n.id), { token });
  assert.ok([403, 404].includes((await call('POST', `${at(n.id)}/restore`, { token: reader.token })).status));
  await expectStatus(403, 'GET', `/api/v1/nodes?status=forgotten&space_id=${s.id}`, { token: reader.token });
  assert.deepEqual((await expectStatus(200, 'GET', '/api/v1/nodes?status=forgotten', { token: reader.token })).data, []);
});

test('a node ends at its time, with its versions, and counts no more', async (t) => {
  await pauseJobs('expired_cleanup');          // which archives it: then it is read by its id again
  t.after(() => resumeJobs('expired_cleanup'));
  const n = await make();
  await expectStatus(200, 'PATCH', at(n.id), { token, body: { body: 'again' } });
  const [old] = (await expectStatus(200, 'GET', `${at(n.id)}/versions`, { token })).data;
  const counted = async () => (await expectStatus(200, 'GET', '/api/v1/stats', { token })).data.nodes;
  const n1 = await counted();
  await expectStatus(200, 'PATCH', at(n.id), { token, body: { expires_at: soon(3) } });
  await until('the end', async () => (await status(n.id)) === 404);
  assert.equal(await status(old.id), 404);
  assert.equal(await counted(), n1 - 1);
  await expectStatus(404, 'POST', `${at(n.id)}/restore`, { token });
  const lasting = await make({ expires_at: soon(3600) });
  await expectStatus(200, 'PATCH', at(lasting.id), { token, body: { expires_at: null } });
  assert.equal((await read(lasting.id)).expires_at, null);
});

test('archived: read, not changed, in lists only when asked for', async () => {
  const n = await make();
  assert.equal((await expectStatus(200, 'POST', `${at(n.id)}/archive`, { token })).data.status, 'archived');
  await read(n.id);
  await expectStatus(409, 'PATCH', at(n.id), { token, body: { title: 'x' } });
  await expectStatus(409, 'POST', `${at(n.id)}/pin`, { token });
  const listed = async (query) => (await expectStatus(200, 'GET', `/api/v1/nodes?q=${n.title}${query}`, { token })).data.length;
  assert.deepEqual([await listed(''), await listed('&include_archived=true'), await listed('&status=archived')], [0, 1, 1]);
  await expectStatus(204, 'DELETE', at(n.id), { token });
  assert.equal((await expectStatus(200, 'POST', `${at(n.id)}/restore`, { token })).data.status, 'archived');
  assert.equal((await expectStatus(200, 'POST', `${at(n.id)}/unarchive`, { token })).data.status, 'active');
});

test('limits: at each, and one past it', async () => {
  assert.equal((await make({ title: '🙂'.repeat(500) })).title.length, 1000);
  assert.equal((await make({ body: 'x'.repeat(262144) })).body.length, 262144);
  const tries = [[{ title: '🙂'.repeat(501) }, '/title'], [{ body: 'x'.repeat(262145) }, '/body'], [{ body: 'é'.repeat(131073) }, '/body'],
    [{ attrs: { a: 'x'.repeat(65536) } }, '/attrs'], [{ importance: 1.0001 }, '/importance'], [{ importance: -0.1 }, '/importance'], [{ confidence: 2 }, '/confidence'],
    [{ decay_rate: 1001 }, '/decay_rate'], [{ decay_rate: -1 }, '/decay_rate'], [{ source_id: 'x'.repeat(256) }, '/source_id'], [{ source_kind: 'me' }, '/source_kind'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'], [{ expires_at: 'tomorrow' }, '/expires_at'], [{ valid_from: '2026-02-30T00:00:00Z' }, '/valid_from'],
    [{ valid_from: '2026-01-02T00:00:00Z', valid_to: '2026-01-01T00:00:00Z' }, '/valid_to'], [{ space_id: 'No name' }, '/space_id'], [{ is_pinned: 'yes' }, '/is_pinned']];
  for (const [body, pointer] of tries) invalid(await call('POST', '/api/v1/nodes', { token, body: { title: 't', body: 'b', ...body } }), pointer);
  await expectStatus(404, 'POST', '/api/v1/nodes', { token, body: { title: 't', space_id: '01890000-0000-7000-8000-000000000001' } });
});

test('attrs of any shape come back as they were', async () => {
  const attrs = { '': 1, 'a.b': [null, true, 1e300, -0.1, '\u2028'], nested: { deep: { deeper: [[[]]] } }, 'ключ': '值', __proto__x: 'y', n: 9007199254740993 };
  const text = JSON.stringify({ title: 't', attrs }).replace('9007199254740992', '9007199254740993');
  const made = await expectStatus(201, 'POST', '/api/v1/nodes', { token, raw: text });
  assert.deepEqual((await read(made.data.id)).attrs, attrs);
  assert.match((await call('GET', `${at(made.data.id)}?touch=false`, { token })).text, /9007199254740993/, 'a large whole number keeps its digits');
});

test('times keep their microseconds, and take any offset', async () => {
  const { duplicate_of, not_taken, ...n } = await make({ valid_from: '2026-01-01T01:00:00.123456+01:00', valid_to: '9999-12-31T23:59:59Z' });
  assert.deepEqual([duplicate_of, not_taken], [null, []]);
  assert.deepEqual([n.valid_from, n.valid_to], ['2026-01-01T00:00:00.123456Z', '9999-12-31T23:59:59.000000Z']);
  assert.deepEqual(await read(n.id), n);
});

test('two writers without If-Match: both are kept, one after the other', async () => {
  const n = await make();
  const all = await Promise.all(Array.from({ length: 12 }, (_, i) => call('PATCH', at(n.id), { token, base: i % 2 ? BASE2 : undefined, body: { body: `writer ${i}` } })));
  for (const r of all) assert.ok([200, 409].includes(r.status), r.text);
  const won = all.filter((r) => r.status === 200).length;
  assert.equal((await read(n.id)).version, 1 + won);
  const versions = (await expectStatus(200, 'GET', `${at(n.id)}/versions?limit=100`, { token })).data;
  assert.deepEqual(versions.map((v) => v.version), Array.from({ length: won }, (_, i) => won - i));
});

test('merged attrs of two writers lose nothing', async () => {
  const n = await make({ attrs: {} });
  const all = await Promise.all(Array.from({ length: 10 }, (_, i) => call('PATCH', at(n.id), { token, base: i % 2 ? BASE2 : undefined, body: { attrs: { [`k${i}`]: i } } })));
  const kept = (await read(n.id)).attrs;
  for (const [i, r] of all.entries()) assert.equal(r.status === 200, kept[`k${i}`] === i, `${r.status} k${i}`);
});

test('If-Match and if_version say the same', async () => {
  const n = await make();
  await expectStatus(412, 'PATCH', at(n.id), { token, body: { title: 'x', if_version: 2 } });
  await expectStatus(200, 'PATCH', at(n.id), { token, body: { title: 'x', if_version: 1 } });
  await expectStatus(412, 'DELETE', `${at(n.id)}?if_version=1`, { token });
  await expectStatus(412, 'POST', `${at(n.id)}/archive`, { token, headers: { 'If-Match': '"1"' } });
  await expectStatus(204, 'DELETE', `${at(n.id)}?if_version=2`, { token });
  await expectStatus(404, 'PATCH', '/api/v1/nodes/01890000-0000-7000-8000-000000000001', { token, body: { title: 'x' }, headers: { 'If-Match': '*' } });
});

test('lists: kinds, spaces, words with wildcards and in any case, pages while others write', async () => {
  const word = unique('Word');
  for (const tail of ['plain', '100%', 'a_b', 'back\\slash', "o'clock"]) await make({ title: `${word} ${tail}`, kind: tail === 'plain' ? 'entity' : 'note' });
  const found = async (q, more = '') => (await expectStatus(200, 'GET', `/api/v1/nodes?q=${encodeURIComponent(q)}${more}`, { token })).data.map((n) => n.title.slice(word.length + 1)).sort();
  assert.equal((await found(word)).length, 5);
  assert.equal((await found(word.toLowerCase())).length, 5);
  assert.deepEqual(await found(`${word} 100%`), ['100%']);
  assert.deepEqual(await found(`${word}_100`), []);
  assert.deepEqual(await found('a_b'), ['a_b']);
  assert.deepEqual(await found('back\\slash'), ['back\\slash']);
  assert.deepEqual(await found(word, '&kind=entity'), ['plain']);
  const seen = [];
  let cursor = '';
  do {
    const r = await expectStatus(200, 'GET', `/api/v1/nodes?limit=2&q=${word}${cursor && `&cursor=${cursor}`}`, { token });
    seen.push(...r.data.map((n) => n.id));
    cursor = r.meta.next_cursor;
    await make({ title: `${word} later`, allow_duplicate: true });
  } while (cursor);
  assert.deepEqual([seen.length, new Set(seen).size], [5, 5]);
  assert.equal((await expectStatus(200, 'GET', '/api/v1/nodes?limit=100', { token })).data.every((n) => n.body === null && typeof n.excerpt === 'string'), true);
  invalid(await call('GET', '/api/v1/nodes?status=version', { token }), '/status');
  await expectStatus(404, 'GET', '/api/v1/nodes?space_id=01890000-0000-7000-8000-000000000001', { token });
});

test('an excerpt is never half a character', async () => {
  const n = await make({ body: '🙂é漢'.repeat(400) });
  const [row] = (await expectStatus(200, 'GET', `/api/v1/nodes?q=${n.title}`, { token })).data;
  assert.equal([...row.excerpt].length, 300);
  assert.ok(n.body.startsWith(row.excerpt));
});

test('reading by id counts as use after a while, a list or touch=false does not', async () => {
  const n = await make(), quiet = await make();
  await expectStatus(200, 'GET', at(n.id), { token });
  await expectStatus(200, 'GET', at(n.id), { token, base: BASE2 });
  await read(quiet.id);
  const used = await until('the counters to be written', async () => { const x = await read(n.id); return x.access_count >= 2 && x; });
  assert.deepEqual([used.access_count, used.version, used.updated_at], [2, 1, n.updated_at]);
  assert.ok(used.last_access_at && used.importance > n.importance && used.importance < 0.6, 'one small boost a day');
  assert.equal((await read(quiet.id)).access_count, 0);
});

test('importance fades with time, not with maintenance; pinned it stays', async () => {
  const n = await make({ importance: 0.8, decay_rate: 0.1 }), pinned = await make({ importance: 0.8, decay_rate: 0.1, is_pinned: true });
  await sql(`UPDATE node SET decayed_at = decayed_at - INTERVAL 10 DAY WHERE id IN ('${n.id}', '${pinned.id}')`);
  assert.equal((await read(n.id)).importance_score, 0.2943);
  assert.equal((await read(n.id)).importance, 0.8);
  assert.equal((await read(pinned.id)).importance_score, 0.8);
  const kept = (await expectStatus(200, 'POST', `${at(n.id)}/pin`, { token })).data;
  assert.ok(kept.importance_score < 0.3, 'what faded before stays faded');
  assert.equal((await expectStatus(200, 'POST', `${at(n.id)}/pin`, { token })).data.version, kept.version, 'pinning twice is pinning once');
});

test('stats count what the caller can read, no more', async () => {
  const viewer = await freshUser(account, 'viewer');
  const none = (await expectStatus(200, 'GET', '/api/v1/stats', { token: viewer.token })).data;
  assert.equal(none.nodes, 0);
  const mine = (await expectStatus(200, 'GET', '/api/v1/stats', { token })).data;
  assert.equal(mine.nodes, mine.kinds.reduce((sum, k) => sum + k.n, 0));
  const [[rows]] = await sql(`SELECT COUNT(*) FROM node n JOIN account a ON a.id = n.account_id WHERE a.slug = '${account.slug}'
    AND n.status NOT IN ('version', 'forgotten') AND (n.expires_at IS NULL OR n.expires_at > UTC_TIMESTAMP(6))
    AND n.space_id = (SELECT id FROM space s WHERE s.account_id = a.id AND s.slug LIKE 'agent:%' ORDER BY id LIMIT 1)`);
  assert.ok(mine.nodes >= Number(rows));
});
