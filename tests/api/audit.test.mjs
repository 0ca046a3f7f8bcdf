// The audit trail: one event for each change, who and from which request, never a secret; its filters and exports.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, freshUser, unique } from './client.mjs';
import { sql } from './db.mjs';
import { publicKey } from './world.mjs';

let account, owner, token;
before(async () => {
  account = await freshAccount();
  ({ owner, token } = account);
});

const trail = async (query) => (await expectStatus(200, 'GET', `/api/v1/audit?limit=100&${query}`, { token: owner })).data;
const post = async (path, body, by = owner) => (await expectStatus(201, 'POST', `/api/v1/${path}`, { token: by, body })).data;

test('every change of a node, a space and an edge leaves one event, with what it was and what it became', async () => {
  const space = await post('spaces', { name: 'S' }, token);
  const n = await post('nodes', { title: 'secret title', body: 'secret body', space_id: space.id }, token), m = await post('nodes', { title: unique('t') }, token);
  const e = await post('edges', { source_id: n.id, target_id: m.id, relation: 'uses' }, token);
  const at = `/api/v1/nodes/${n.id}`;
  await expectStatus(200, 'PATCH', at, { token, body: { body: 'other secret' } });
  await expectStatus(200, 'PATCH', at, { token, body: { body: 'other secret' } });
  for (const verb of ['pin', 'unpin', 'archive', 'unarchive']) await expectStatus(200, 'POST', `${at}/${verb}`, { token });
  await expectStatus(204, 'DELETE', at, { token });
  await expectStatus(200, 'POST', `${at}/restore`, { token });
  await expectStatus(204, 'DELETE', `/api/v1/edges/${e.id}`, { token });
  const events = await trail(`subject_id=${n.id}`);
  assert.deepEqual(events.map((x) => x.kind).reverse(),
    ['node.create', 'node.update', 'node.pin', 'node.unpin', 'node.archive', 'node.unarchive', 'node.forget', 'node.restore']);
  assert.ok(events.every((x) => x.space_id === space.id && x.subject_kind === 'node' && x.actor_kind === 'agent'));
  assert.deepEqual([events.at(-2).before.version, events.at(-2).after.version], [1, 2]);
  assert.deepEqual((await trail(`subject_id=${e.id}`)).map((x) => x.kind), ['edge.retire', 'edge.create']);
  assert.deepEqual((await trail(`subject_id=${space.id}`)).map((x) => x.kind), ['space.create']);
  assert.ok(!JSON.stringify(await trail('')).includes('secret'), 'content is in the trail');
});

test('changes of people, tokens, keys, roles and grants are there, their secrets are not', async () => {
  const email = `${unique('u')}@example.org`;
  const u = await post('users', { email, name: 'U', role: 'viewer', password: 'a password to keep' });
  await expectStatus(200, 'PATCH', `/api/v1/users/${u.id}`, { token: owner, body: { role: 'editor' } });
  const a = await post('agents', { slug: unique('a'), name: 'A' });
  await post(`agents/${a.id}/keys`, { name: 'K', public_key: publicKey() });
  const t = await post('tokens', { name: 'T', agent_id: a.id });
  await expectStatus(204, 'DELETE', `/api/v1/tokens/${t.id}`, { token: owner });
  await post('roles', { name: unique('r'), permissions: ['memory.read'] });
  const s = await post('spaces', { name: 'S' });
  const g = await post(`spaces/${s.id}/grants`, { grantee_kind: 'everyone' });
  await expectStatus(204, 'DELETE', `/api/v1/spaces/${s.id}/grants/${g.id}`, { token: owner });
  const all = await trail('');
  for (const kind of ['user.create', 'user.update', 'agent.create', 'token.create', 'token.revoke', 'role.create', 'grant.add', 'grant.remove'])
    assert.ok(all.some((x) => x.kind === kind), `${kind} is missing in ${[...new Set(all.map((x) => x.kind))]}`);
  const update = all.find((x) => x.kind === 'user.update');
  assert.deepEqual([update.before.role, update.after.role], ['viewer', 'editor']);
  const text = JSON.stringify(all);
  for (const secret of ['a password to keep', t.secret, t.secret.split('_')[2], 'argon2']) assert.ok(!text.includes(secret), secret);
});

test('an event names the request and the IP address', async () => {
  const id = unique('request');
  const n = await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: unique('t') }, headers: { 'X-Request-Id': id } });
  const [event] = await trail(`subject_id=${n.data.id}`);
  assert.equal(event.request_id, id);
  assert.match(event.ip, /^127\.|^::1$/);
});

test('a change that is refused leaves no event, unless the refusal is one of security', async () => {
  const n = await post('nodes', { title: unique('t') }, token);
  await expectStatus(422, 'PATCH', `/api/v1/nodes/${n.id}`, { token, body: { importance: 7 } });
  await expectStatus(412, 'PATCH', `/api/v1/nodes/${n.id}`, { token, body: { title: 'x' }, headers: { 'If-Match': '"9"' } });
  assert.equal((await trail(`subject_id=${n.id}`)).length, 1);
  const viewer = await freshUser(account, 'viewer');
  await expectStatus(403, 'POST', '/api/v1/users', { token: viewer.token, body: { email: 'x@example.org', name: 'n', role: 'viewer' } });
  const refused = await trail(`actor_id=${viewer.id}`);
  assert.deepEqual(refused.map((x) => x.kind), ['access.refuse']);
});

test('filters: subject, actor, kind by its beginning, time; and pages', async () => {
  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data.id;
  const made = [];
  for (let i = 0; i < 5; i++) made.push((await post('nodes', { title: `t${i}` }, token)).id);
  const mine = await trail(`actor_id=${me}&kind=node`);
  assert.ok(mine.length >= 5 && mine.every((x) => x.actor_id === me && x.kind.startsWith('node.')));
  assert.ok((await trail(`actor_id=${me}&kind=node.create`)).every((x) => x.kind === 'node.create'));
  assert.deepEqual(await trail('kind=node%25'), []);
  assert.deepEqual(await trail('kind=n_de'), []);
  const third = mine.find((x) => x.subject_id === made[2]);
  const from = await trail(`from=${third.at}&actor_id=${me}`), to = await trail(`to=${third.at}&actor_id=${me}`);
  assert.ok(from.some((x) => x.id === third.id) && !to.some((x) => x.id === third.id), 'from counts, to does not');
  assert.deepEqual(await trail('from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z'), []);
  assert.deepEqual(await trail(`from=${third.at}&to=${third.at}`), []);
  for (const q of ['from=yesterday', 'to=', 'subject_id=x', 'limit=0', 'colour=red']) assert.equal((await call('GET', `/api/v1/audit?${q}`, { token: owner })).status, 422, q);
  const seen = [];
  let cursor = '';
  do {
    const r = await expectStatus(200, 'GET', `/api/v1/audit?actor_id=${me}&limit=2${cursor && `&cursor=${cursor}`}`, { token: owner });
    seen.push(...r.data.map((x) => x.id));
    cursor = r.meta.next_cursor;
  } while (cursor);
  assert.deepEqual(seen, (await trail(`actor_id=${me}`)).map((x) => x.id));
});

const exported = async (format, query = '') => {
  const r = await fetch(`${BASE}/api/v1/audit/export?format=${format}${query}`, { headers: { Authorization: `Bearer ${owner}` } });
  return { status: r.status, type: r.headers.get('content-type'), file: r.headers.get('content-disposition'), text: await r.text() };
};

// RFC 4180
function parseCsv(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1).push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain);
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  return rows.slice(0, -1);
}

test('exports hold every event once, as JSON lines and as CSV', async () => {
  for (let i = 0; i < 3; i++) await post('nodes', { title: `e${i}` }, token);
  const lines = await exported('jsonl', '&kind=node');
  assert.equal(lines.type, 'application/x-ndjson');
  assert.match(lines.file, /filename="audit\.jsonl"/);
  const events = lines.text.split('\n').slice(0, -1).map((l) => JSON.parse(l));
  assert.equal(new Set(events.map((e) => e.id)).size, events.length);
  const [[n]] = await sql(`SELECT COUNT(*) FROM audit_event e JOIN account a ON a.id = e.account_id WHERE a.slug = '${account.slug}' AND e.kind LIKE 'node%'`);
  assert.equal(events.length, Number(n));
  const csv = await exported('csv', '&kind=node');
  assert.match(csv.type, /^text\/csv/);
  const rows = parseCsv(csv.text);
  assert.deepEqual(rows[0].slice(0, 3), ['id', 'at', 'kind']);
  assert.deepEqual(rows.slice(1).map((r) => r[0]), events.map((e) => e.id));
  assert.ok(rows.every((r) => r.length === rows[0].length));
});

test('an export goes past one portion, and nothing of it is a formula', async () => {
  const lines = Array.from({ length: 1200 }, (_, i) => JSON.stringify({ title: `n${i}` })).join('\n');
  const r = await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token, raw: lines, headers: { 'Content-Type': 'application/x-ndjson' } });
  assert.equal(r.data.created, 1200);
  const all = (await exported('jsonl', '&kind=node.create')).text.split('\n').slice(0, -1).map((l) => JSON.parse(l).id);
  assert.ok(all.length >= 1200);
  assert.equal(new Set(all).size, all.length);
  await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: unique('t') }, headers: { 'X-Request-Id': '-1-2-3-4-5-6' } });
  const cells = parseCsv((await exported('csv')).text).flat();
  assert.deepEqual(cells.filter((c) => /^[=+@\t-]/.test(c)), []);
});

test('nobody writes to the trail, and only who may read it does', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) assert.equal((await call(method, '/api/v1/audit', { token: owner, body: {} })).status, 405);
  const editor = await freshUser(account, 'editor');
  for (const path of ['/api/v1/audit', '/api/v1/audit/export']) assert.equal((await call('GET', path, { token: editor.token })).status, 403);
  assert.equal((await call('GET', '/api/v1/audit', { token })).status, 403);
});
