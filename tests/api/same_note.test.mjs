// The same note written again: it is found by its content, by whichever door it comes, and a second one is made only where that is asked for.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { BASE, BASE2, call, ctl, expectStatus, freshAccount, freshAgent, signIn, unique } from './client.mjs';
import { sql } from './db.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
});

const write = (body, options = {}) => call('POST', '/api/v1/nodes', { token, body, ...options });
const made = async (body) => {
  const r = await write(body);
  assert.equal(r.status, 201, r.text);
  assert.equal(r.data.duplicate_of, null);
  return r.data;
};
const known = async (body, id) => {
  const r = await write(body);
  assert.deepEqual([r.status, r.data.id, r.data.duplicate_of], [200, id, id], r.text);
  return r.data;
};
const read = async (id) => (await expectStatus(200, 'GET', `/api/v1/nodes/${id}?touch=false`, { token })).data;
const called = async (q) => (await expectStatus(200, 'GET', `/api/v1/nodes?limit=100&q=${q}`, { token })).data;
const tool = async (name, args, as = token) => (await (await fetch(`${BASE}/mcp`, { method: 'POST',
  headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }) })).json()).result;

test('the same words again answer 200 with the note that is there, and how often they came', async () => {
  const note = { title: unique('note'), body: 'The gate closes at ten.', attrs: { tags: ['gate', 'hours'] } };
  const first = await made({ ...note, importance: 0.8 });
  assert.deepEqual(first.not_taken, []);
  const again = await known({ ...note, attrs: { tags: ['gate', 'hours'] } }, first.id);
  assert.deepEqual([again.occurrences, again.importance, again.version, again.not_taken], [2, 0.8, 1, []]);
  assert.equal((await read(first.id)).occurrences, 2);
  assert.equal((await called(note.title)).length, 1);
  await made({ ...note, attrs: { tags: ['gate'] } });
  await made({ ...note, body: 'The gate closes at nine.' });
  await made({ ...note, kind: 'entity' });
  await known({ ...note, kind: 'entity' }, (await called(note.title)).find((n) => n.kind === 'entity').id);
});

test('what was asked otherwise is named and not lost silently', async () => {
  const note = { title: unique('note'), body: 'x' };
  const { id } = await made(note);
  const again = await known({ ...note, importance: 0.9, confidence: 0.4, decay_rate: 0.5, is_pinned: true, source_id: 'elsewhere' }, id);
  assert.deepEqual(again.not_taken, ['importance', 'confidence', 'decay_rate', 'is_pinned', 'source_id']);
  assert.deepEqual([again.importance, again.confidence, again.is_pinned, again.source_id], [0.5, 1, false, null]);
});

test('a copy is made where it is asked for, and the first one is still found', async () => {
  const note = { title: unique('note'), body: 'x' };
  const { id } = await made({ ...note, allow_duplicate: true });
  const copy = await made({ ...note, allow_duplicate: true });
  assert.notEqual(copy.id, id);
  await known(note, id);
  await expectStatus(200, 'POST', `/api/v1/nodes/${copy.id}/pin`, { token });
  assert.equal((await called(note.title)).length, 2);
});

test('episodes happen twice, and what holds for a time only is compared with nothing', async () => {
  const title = unique('note'), soon = new Date(Date.now() + 3600e3).toISOString(), past = '2020-01-01T00:00:00Z';
  for (const more of [{ kind: 'episode' }, { expires_at: soon }, { valid_from: past }, { valid_to: soon }]) {
    await made({ title, ...more });
    await made({ title, ...more });
  }
  await made({ title });
  assert.equal((await called(title)).length, 9);
});

test('only what is active is found: forgotten, archived, changed and moved notes make room', async () => {
  const other = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { kind: 'context', name: unique('space') } })).data.id;
  for (const away of [['DELETE', ''], ['POST', '/archive'], ['PATCH', '', { body: 'other' }], ['PATCH', '', { expires_at: new Date(Date.now() + 3600e3).toISOString() }]]) {
    const note = { title: unique('note'), body: 'x' };
    const { id } = await made(note);
    const r = await call(away[0], `/api/v1/nodes/${id}${away[1]}`, { token, body: away[2] });
    assert.ok(r.status < 300, r.text);
    const second = await made(note);
    await known(note, second.id);
  }
  const note = { title: unique('note'), body: 'x' };
  await made(note);
  await made({ ...note, space_id: other });
});

test('what comes back, or becomes equal, stands beside the one that is there', async () => {
  const note = { title: unique('note'), body: 'x' };
  const first = await made(note);
  await expectStatus(204, 'DELETE', `/api/v1/nodes/${first.id}`, { token });
  const second = await made(note);
  await expectStatus(200, 'POST', `/api/v1/nodes/${first.id}/restore`, { token });
  await known(note, second.id);
  await expectStatus(200, 'POST', `/api/v1/nodes/${first.id}/archive`, { token });
  await expectStatus(200, 'POST', `/api/v1/nodes/${first.id}/unarchive`, { token });
  const third = await made({ ...note, body: 'y' });
  assert.equal((await expectStatus(200, 'PATCH', `/api/v1/nodes/${third.id}`, { token, body: { body: 'x' } })).data.changed, true);
  await known(note, second.id);
  assert.equal((await called(note.title)).length, 3);
  // A change of the words is found by the new ones.
  const fourth = await made({ ...note, body: 'z' });
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${fourth.id}`, { token, body: { body: 'new words' } });
  await known({ ...note, body: 'new words' }, fourth.id);
});

test('writers at once, over two processes, make one', async () => {
  for (let round = 0; round < 5; round++) {
    const note = { title: unique('note'), body: 'raced' };
    const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => write(note, { base: i % 2 ? BASE2 : BASE })));
    assert.deepEqual(answers.map((r) => r.status).sort(), [...Array(15).fill(200), 201], answers.map((r) => r.text.slice(0, 200)).join('\n'));
    assert.equal(new Set(answers.map((r) => r.data.id)).size, 1);
    assert.equal((await read(answers[0].data.id)).occurrences, 16);
  }
});

test('another agent\'s own note is not met, a shared space\'s is', async () => {
  const other = await freshAgent(account), note = { title: unique('note'), body: 'x' };
  await made(note);
  assert.equal((await write(note, { token: other.token })).status, 201);
  const team = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { kind: 'context', name: unique('space') } })).data.id;
  await expectStatus(201, 'POST', `/api/v1/spaces/${team}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: other.id, level: 'write' } });
  const shared = await made({ ...note, space_id: team });
  const met = await write({ ...note, space_id: team }, { token: other.token });
  assert.deepEqual([met.status, met.data.duplicate_of], [200, shared.id]);
});

test('in bulk: lines that are known, before or in the same file, are named', async () => {
  const a = { title: unique('note'), body: 'a' }, b = { title: unique('note'), body: 'b' }, there = await made(a);
  const lines = [b, a, b, { ...b, allow_duplicate: true }, { ...b, kind: 'episode' }, a, { title: '' }];
  const send = async () => (await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token, raw: lines.map((l) => JSON.stringify(l)).join('\n'), headers: { 'Content-Type': 'application/x-ndjson' } })).data;
  const r = await send();
  const ofB = (await called(b.title)).map((n) => n.id);
  assert.deepEqual([r.created, r.known, r.failed, r.total, r.duplicates.map((d) => d.line)], [3, 3, 1, 7, [2, 3, 6]]);
  assert.deepEqual([r.duplicates[0].duplicate_of, r.duplicates[2].duplicate_of], [there.id, there.id]);
  assert.ok(ofB.includes(r.duplicates[1].duplicate_of));
  assert.equal((await read(there.id)).occurrences, 3);
  const twice = await send();
  assert.deepEqual([twice.created, twice.known, twice.duplicates.map((d) => d.line)], [2, 4, [1, 2, 3, 6]]);
  const many = Array.from({ length: 250 }, (_, i) => JSON.stringify({ title: b.title, body: `line ${i % 200}` })).join('\n');
  const both = await Promise.all([BASE, BASE2].map((base) => expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token, base, raw: many, headers: { 'Content-Type': 'application/x-ndjson' } })));
  assert.equal(both[0].data.created + both[1].data.created, 200, JSON.stringify(both.map((x) => x.data)).slice(0, 600));
  assert.equal(both[0].data.known + both[1].data.known, 300);
});

test('over MCP: Already known as, in the core and in the full set', async () => {
  const core = await ctl('token', 'create', '--account', account.slug, '--agent', 'one', '--name', 'core', '--toolset', 'core');
  const note = { title: unique('note'), body: 'words' };
  const first = await tool('remember', note, core), { id } = first.structuredContent;
  assert.match(first.content[0].text, /^Remembered as /);
  const again = await tool('remember', { ...note, importance: 0.9 }, core);
  assert.equal(again.content[0].text, `Already known as ${id}. Not changed there: importance.`);
  assert.equal(again.structuredContent.duplicate_of, id);
  const full = await tool('remember', note);
  assert.equal(full.structuredContent.duplicate_of, id);
  assert.notEqual((await tool('remember', { ...note, allow_duplicate: true })).structuredContent.id, id);
});

test('the form of the pages says that it is remembered already, and leads there', async () => {
  const user = { email: `${unique('owner')}@example.org`, name: 'Owner', role: 'owner', password: unique('password') }, note = { title: unique('note'), body: 'by hand' };
  await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: user });
  const cookie = await signIn({ account: account.slug, ...user });
  const space_id = (await expectStatus(200, 'GET', '/api/v1/spaces/global', { token })).data.id;
  const page = await (await fetch(`${BASE}/admin/nodes`, { headers: { Cookie: cookie } })).text();
  const csrf_token = /name="csrf_token" value="([^"]*)"/.exec(page)[1];
  const send = async () => (await fetch(`${BASE}/admin/nodes`, { method: 'POST', redirect: 'manual', headers: { Cookie: cookie, Origin: BASE },
    body: new URLSearchParams({ csrf_token, ...note, space_id, kind: 'note' }) }));
  const first = await send(), again = await send();
  assert.equal(first.status, 303);
  assert.equal(again.headers.get('location'), first.headers.get('location'));
});

test('an Idempotency-Key replays the status it was given', async () => {
  const note = { title: unique('note'), body: 'x' }, headers = { 'Idempotency-Key': unique('key') };
  await made(note);
  for (let i = 0; i < 2; i++) assert.equal((await write(note, { headers })).status, 200);
  assert.equal((await called(note.title))[0].occurrences, 2);
});

test('an import keeps equal notes, and one of them is found', async () => {
  const from = await freshAccount(), slug = unique('bare'), note = { title: unique('note'), body: 'x' };
  const ids = [];
  for (let i = 0; i < 2; i++) ids.push((await expectStatus(201, 'POST', '/api/v1/nodes', { token: from.token, body: { ...note, allow_duplicate: true } })).data.id);
  const dir = await mkdtemp(join(tmpdir(), 'loci-same-')), file = join(dir, 'same.jsonl');
  try {
    await ctl('account', 'create', '--slug', slug);
    await ctl('export', '--account', from.slug, '--out', file);
    await ctl('import', '--account', slug, '--from', file);
  } finally {
    await rm(dir, { recursive: true });
  }
  const there = await ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'there');
  const again = await write(note, { token: there });
  assert.equal(again.status, 200, again.text);
  assert.ok(ids.includes(again.data.duplicate_of));
  assert.equal((await expectStatus(200, 'GET', `/api/v1/nodes?q=${note.title}`, { token: there })).data.length, 2);
});

test('equal notes of before the migration stay, and one of them is found', async () => {
  const note = { title: unique('note'), body: 'x' }, ids = [];
  for (let i = 0; i < 3; i++) ids.push((await made({ ...note, allow_duplicate: true })).id);
  const [step] = readFileSync(new URL('../../sql/0056-same-note.sql', import.meta.url), 'utf8').match(/UPDATE IGNORE[^;]+/);
  await sql(`UPDATE node SET same_key = NULL WHERE title = '${note.title}'`);
  await sql(step);
  assert.ok(ids.includes((await known(note, (await write(note)).data.id)).id));
  assert.equal((await called(note.title)).length, 3);
});

test('a key that an older release left behind hides nothing', async () => {
  const note = { title: unique('note'), body: 'x' }, { id } = await made(note);
  await sql(`UPDATE node SET body = 'changed without its key', content_hash = REPEAT('x', 32) WHERE id = '${id}'`);
  const second = await made(note);
  assert.notEqual(second.id, id);
  const bulk = await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token, raw: JSON.stringify(note), headers: { 'Content-Type': 'application/x-ndjson' } });
  assert.equal(bulk.data.created, 1);
});
