// Contexts copied: clone, sync, export and import in three formats, by others, badly, big, and at once.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectEntry, expectStatus, freshAccount, freshAgent, unique, until } from './client.mjs';
import { sql } from './db.mjs';

const C = '/api/v1/ai/contexts';
const MEDIA = { jsonl: 'application/x-ndjson', json: 'application/json', csv: 'text/csv' };
let account, me, token;
before(async () => {
  account = await freshAccount();
  // Thousands of texts would keep the built-in model busy for the other files.
  const etag = (await expectStatus(200, 'GET', '/api/v1/account', { token: account.owner })).headers.get('etag');
  await expectStatus(200, 'PATCH', '/api/v1/account', { token: account.owner, headers: { 'If-Match': etag }, body: { settings: { embed: { provider: 'none' } } } });
  me = await freshAgent(account, 'trusted');
  ({ token } = me);
});

// A token of mine that may only read.
const reads_only = async () => (await expectStatus(201, 'POST', '/api/v1/tokens', { token: account.owner, body: { name: unique('t'), agent_id: me.id, scopes: ['context.read'] } })).data.secret;

const make = async (body = {}) => (await expectStatus(201, 'POST', C, { token, body: { name: unique('context'), ...body } })).data;
const put = async (x, entry_key, content, more = {}) =>
  (await expectEntry(`${C}/${x.id}`, { token, body: { entry_key, content, ...more } })).data;
const entry = async (x, key) => (await expectStatus(200, 'GET', `${C}/${x.id}/entries/${encodeURIComponent(key)}`, { token })).data;
const contents = async (x) => Object.fromEntries((await expectStatus(200, 'GET', `${C}/${x.id}/entries?limit=100`, { token })).data.map((e) => [e.entry_key, e.content]));
const exported = (x, format, as = token) => call('GET', `${C}/${x.id}/export?format=${format}`, { token: as });
const send = (x, raw, format = 'jsonl', query = '', as = token) =>
  call('POST', `${C}/import?context_id=${x.id}${query}`, { token: as, raw, headers: { 'Content-Type': MEDIA[format] } });
const sent = async (...args) => {
  const r = await send(...args);
  assert.equal(r.status, 200, r.text);
  return r.data;
};
// What an entry is, but for its ids, times, and importance, which reading moves; files of entries have that.
const said = ({ entry_type, memory_type, content, content_text, context_tags, task_context, metadata, outcome, confidence_score,
  decay_rate, is_pinned, expires_at, source_type, source_id }) => ({ entry_type, memory_type, content, content_text, context_tags, task_context, metadata,
  outcome, confidence_score, decay_rate, is_pinned, expires_at, source_type, source_id });

const AWKWARD = {
  plain: ['text', {}],
  '=1+1': [{ text: '=cmd' }, { context_tags: ['a,b', '"q"'], metadata: { k: "it's\n\"two\" lines" } }],
  "'=tick": ["'-1", {}], "''x": [-5, {}], 'com,ma "q"\nline': [[1, { a: null }], {}], '🙂': ['🙂 ü', { is_pinned: true }],
  fact: [{ value: 1.5 }, { entry_type: 'fact', importance_score: 0.9, confidence_score: 0.25 }],
  told: [false, { source_type: 'tool', source_id: 't-1', outcome: 'failure', task_context: { t: 1 }, decay_rate: 0, expires_at: '2199-01-02T03:04:05.000000Z' }],
};
async function awkward() {
  const x = await make({ context_data: { a: 1 }, metadata: { m: [1] }, description: 'd', retention_policy: { max_entries: 500 } });
  for (const [key, [content, more]] of Object.entries(AWKWARD)) await put(x, key, content, more);
  return x;
}

test('a clone says and holds the same, with vectors, without grants and versions', async () => {
  const x = await awkward(), other = await freshAgent(account);
  await put(x, 'plain', 'text 2');
  await expectStatus(200, 'POST', `${C}/${x.id}/entries/told/archive`, { token });
  await expectStatus(201, 'POST', `${C}/${x.id}/grants`, { token, body: { agent_id: other.id } });
  const e = await entry(x, 'plain');
  await expectStatus(200, 'PUT', `/api/v1/nodes/${e.id}/vector`, { token, body: { model: 'mine', values: [1, 2, 3] } });
  const made = await expectStatus(201, 'POST', `${C}/${x.id}/clone`, { token, body: { name: 'Twin' } }), r = made.data;
  assert.equal((await expectStatus(200, 'GET', made.headers.get('location'), { token })).data.id, r.id, 'its Location leads to it');
  assert.deepEqual([r.created, r.updated, r.complete], [Object.keys(AWKWARD).length - 1, 0, true]);
  const y = (await expectStatus(200, 'GET', `${C}/${r.id}`, { token })).data;
  assert.deepEqual([y.name, y.context_data, y.metadata, y.description, y.retention_policy, y.entry_count, y.data_size_bytes, y.owner_agent_id],
    ['Twin', { a: 1 }, { m: [1] }, 'd', { max_entries: 500 }, r.created, (await expectStatus(200, 'GET', `${C}/${x.id}`, { token })).data.data_size_bytes, me.id]);
  for (const key of Object.keys(AWKWARD).filter((k) => k !== 'told')) {
    const [a, b] = [await entry(x, key), await entry(y, key)];
    assert.deepEqual(said(b), said(a), key);
    assert.notEqual(a.id, b.id);
    assert.equal(b.version, 1);
  }
  const twin = await entry(y, 'plain');
  assert.deepEqual((await expectStatus(200, 'GET', `/api/v1/nodes/${twin.id}/vector?model=mine`, { token })).data.values, [1, 2, 3]);
  assert.equal((await call('GET', `${C}/${y.id}`, { token: other.token })).status, 404);
  const [said_so] = (await expectStatus(200, 'GET', `${C}/${y.id}/access_log?action=clone`, { token })).data;
  assert.equal(said_so.metadata.source_context_id, x.id);
});

test('a reader clones what he may read, for himself; nobody else does', async () => {
  const x = await make({ scope: 'account' }), mine = await make(), outsider = await freshAccount();
  await put(x, 'k', 'v');
  const reader = await freshAgent(account, 'trusted');
  const r = (await expectStatus(201, 'POST', `${C}/${x.id}/clone`, { token: reader.token, body: { name: 'n' } })).data;
  assert.equal((await expectStatus(200, 'GET', `${C}/${r.id}`, { token: reader.token })).data.access, 'manage');
  await expectStatus(404, 'POST', `${C}/${mine.id}/clone`, { token: reader.token, body: { name: 'n' } });
  await expectStatus(404, 'POST', `${C}/${x.id}/clone`, { token: outsider.owner, body: { name: 'n' } });
  const low = await reads_only();
  await expectStatus(403, 'POST', `${C}/${x.id}/clone`, { token: low, body: { name: 'n' } });
  await expectStatus(422, 'POST', `${C}/${x.id}/clone`, { token, body: {} });
});

test('a sync takes what differs, leaves the rest, and does nothing the second time', async () => {
  const x = await make(), y = await make();
  for (let i = 0; i < 230; i++) await put(x, `k${i}`, i, { importance_score: i < 30 ? 0.9 : 0.4, entry_type: i % 2 ? 'plan' : 'observation' });
  await put(y, 'k0', 0);
  await put(y, 'k1', 'other', { context_tags: ['gone'] });
  await put(y, 'own', 'mine');
  const path = `${C}/${y.id}/sync`, sync = async (body = {}) => (await expectStatus(200, 'POST', path, { token, body: { source_context_id: x.context_id, ...body } })).data;
  const few = await sync({ min_importance: 0.8, entry_types: ['plan'] });
  assert.deepEqual([few.created, few.updated], [14, 1]);
  assert.deepEqual([(await entry(y, 'k1')).version, (await entry(y, 'k1')).content, (await entry(y, 'k1')).context_tags, (await entry(y, 'own')).content], [2, 1, [], 'mine']);
  const all = await sync();
  assert.deepEqual([all.created, all.updated, all.complete], [214, 0, true]);
  assert.deepEqual(await sync(), { ...all, created: 0 });
  assert.equal((await expectStatus(200, 'GET', `${C}/${y.id}`, { token })).data.entry_count, 231);
  const foreign = await freshAccount(), theirs = (await expectStatus(201, 'POST', C, { token: foreign.token, body: { name: 'n' } })).data;
  for (const source_context_id of [theirs.id, theirs.context_id, unique('no'), y.id]) {
    const r = await expectStatus(422, 'POST', path, { token, body: { source_context_id } });
    assert.equal(r.body.errors[0].pointer, '/source_context_id');
  }
  await expectStatus(422, 'POST', path, { token, body: { source_context_id: x.id, entry_types: ['poem'] } });
  await expectStatus(404, 'POST', path, { token: foreign.owner, body: { source_context_id: theirs.id } });
  const reader = await freshAgent(account, 'trusted');
  await expectStatus(201, 'POST', `${C}/${y.id}/grants`, { token, body: { agent_id: reader.id } });
  await expectStatus(403, 'POST', path, { token: reader.token, body: { source_context_id: y.id } });
});

for (const format of ['jsonl', 'json', 'csv']) {
  test(`what goes out as ${format} comes in the same`, async () => {
    const x = await awkward(), y = await make();
    const out = await exported(x, format);
    assert.equal(out.status, 200);
    assert.equal(out.headers.get('content-type').split(';')[0], MEDIA[format]);
    if (format === 'json') assert.equal(JSON.parse(out.text).length, Object.keys(AWKWARD).length);
    if (format === 'csv') assert.ok(out.text.includes("'=1+1") && !/(^|,|\n)=/.test(out.text));
    const r = await sent(y, out.text, format);
    assert.deepEqual([r.created, r.failed, r.complete, r.errors], [Object.keys(AWKWARD).length, 0, true, []]);
    assert.equal((await exported(y, format)).text, out.text);
    assert.deepEqual((await sent(y, out.text, format)).unchanged, Object.keys(AWKWARD).length);
    for (const key of Object.keys(AWKWARD)) assert.deepEqual(said(await entry(y, key)), said(await entry(x, key)), key);
    assert.ok((await exported(await make(), format)).text.length < 300);
    assert.equal((await sent(y, (await exported(await make(), format)).text, format)).total, 0);
  });
}

test('merge: skip leaves, version keeps the old content, overwrite takes all that is said', async () => {
  const line = JSON.stringify({ entry_key: 'k', content: 'new', context_tags: ['n'], importance_score: 0.9, metadata: { b: 2 } });
  const state = async (merge) => {
    const x = await make();
    await put(x, 'k', 'old', { context_tags: ['o'], metadata: { a: 1 } });
    const r = await sent(x, line, 'jsonl', merge ? `&merge=${merge}` : '');
    const e = await entry(x, 'k'), history = (await expectStatus(200, 'GET', `${C}/${x.id}/entries/k/history`, { token })).data;
    return [r.created, r.updated, r.unchanged, e.content, e.context_tags, e.metadata, e.importance_score, history.map((h) => h.content)];
  };
  assert.deepEqual(await state(''), [0, 0, 1, 'old', ['o'], { a: 1 }, 0.5, []]);
  assert.deepEqual(await state('skip'), [0, 0, 1, 'old', ['o'], { a: 1 }, 0.5, []]);
  assert.deepEqual(await state('version'), [0, 1, 0, 'new', ['n'], { a: 1, b: 2 }, 0.5, ['old']]);
  assert.deepEqual(await state('overwrite'), [0, 1, 0, 'new', ['n'], { b: 2 }, 0.9, ['old']]);
});

test('bad records are named with their lines, the others are written', async () => {
  const x = await make(), good = (k) => JSON.stringify({ entry_key: k, content: k });
  const r = await sent(x, [good('a'), '{"entry_key":', '', good('b'), '{"entry_key":"c","content":1,"colour":2}', '[]', '{"content":1}', '{"entry_key":"d","content":null}',
    `{"entry_key":"e","content":"${'x'.repeat(262200)}"}`, '{"entry_key":"f","content":1,"context_tags":[""]}', `"${'y'.repeat(1 << 20)}"`, good('z')].join('\n'));
  assert.deepEqual([r.created, r.failed, r.total], [3, 8, 11]);
  assert.deepEqual(r.errors.map((e) => e.line), [2, 5, 6, 7, 8, 9, 10, 11]);
  assert.deepEqual(r.errors.filter((e) => e.pointer).map((e) => e.pointer), ['/colour', '/entry_key', '/content', '/content', '/context_tags/0']);
  const list = await sent(x, '[\n{"entry_key":"l","content":"a,]\\"}"},\n{"entry_key":"m",\n"content":[[1],{"a":"]"}]},\n{"entry_key":3,"content":1} ,{"entry_key":"n","content":2}]', 'json');
  assert.deepEqual([list.created, list.failed, list.errors[0].line], [3, 1, 5]);
  assert.deepEqual((await entry(x, 'm')).content, [[1], { a: ']' }]);
  for (const [text, failed] of [['{}', 1], ['', 1], ['[1,', 2], ['[{"entry_key":"o","content":1}', 1], ['[]', 0], ['[1,]', 2]])
    assert.equal((await sent(x, text, 'json')).failed, failed, text);
  const rows = await sent(x, '\ufeffentry_key,content,importance_score,is_pinned,context_tags\r\np,some text,0.7,true,"[""t""]"\r\n\r\nq,1,high,false,\r\nr,,,,\r\n"s\ns","{""a"":1}",,,\r\n', 'csv');
  assert.deepEqual([rows.created, rows.failed, rows.errors.map((e) => [e.line, e.pointer])], [2, 2, [[4, '/importance_score'], [5, '/content']]]);
  assert.deepEqual([(await entry(x, 'p')).content, (await entry(x, 'p')).context_tags, (await entry(x, 's\ns')).content], ['some text', ['t'], { a: 1 }]);
  assert.equal((await sent(x, 'entry_key,content\nt,"open\n', 'csv')).failed, 1);
  assert.equal((await sent(x, Buffer.from('entry_key,content\nt,\xff\nu,\x00\n', 'latin1'), 'csv')).failed, 2);
  assert.equal((await send(x, good('a'), 'jsonl', '&merge=mix')).status, 422);
  const wrong = await call('POST', `${C}/import?context_id=${x.id}`, { token, raw: 'x', headers: { 'Content-Type': 'text/plain' } });
  assert.equal(wrong.status, 415);
  assert.equal((await call('POST', `${C}/import`, { token, raw: 'x', headers: { 'Content-Type': MEDIA.jsonl } })).status, 422);
});

test('who may not', async () => {
  const x = await make(), outsider = await freshAccount(), nobody = await freshAgent(account, 'trusted'), reader = await freshAgent(account, 'trusted');
  await put(x, 'k', 'v');
  await expectStatus(201, 'POST', `${C}/${x.id}/grants`, { token, body: { agent_id: reader.id } });
  const line = '{"entry_key":"k","content":"theirs"}';
  assert.equal((await exported(x, 'jsonl', reader.token)).status, 200);
  assert.equal((await send(x, line, 'jsonl', '', reader.token)).status, 403);
  for (const as of [outsider.owner, nobody.token]) {
    assert.equal((await exported(x, 'jsonl', as)).status, 404);
    assert.equal((await send(x, line, 'jsonl', '', as)).status, 404);
  }
  assert.equal((await send(x, line, 'jsonl', '', await reads_only())).status, 403);
  await expectStatus(200, 'POST', `${C}/${x.id}/archive`, { token });
  assert.equal((await send(x, line)).status, 409);
  assert.deepEqual(await contents(x), { k: 'v' });
});

test('a full context refuses the records that do not fit, one by one', async () => {
  const x = await make({ retention_policy: { max_entries: 150, eviction: 'reject' } });
  const lines = Array.from({ length: 160 }, (_, i) => JSON.stringify({ entry_key: `k${i}`, content: i })).join('\n');
  const r = await sent(x, lines);
  assert.deepEqual([r.created, r.failed, r.errors[0].line, r.errors[0].code], [150, 10, 151, 'CONFLICT']);
});

test('two imports of the same keys at once: each entry once, nothing lost', async () => {
  const x = await make();
  const file = (n) => Array.from({ length: 250 }, (_, i) => JSON.stringify({ entry_key: `k${i}`, content: { from: n } })).join('\n');
  const both = await Promise.all([sent(x, file(1), 'jsonl', '&merge=version'), sent(x, file(2), 'jsonl', '&merge=version')]);
  assert.deepEqual([both[0].created + both[1].created, both[0].updated + both[1].updated, both[0].failed + both[1].failed], [250, 250, 0]);
  assert.equal((await expectStatus(200, 'GET', `${C}/${x.id}`, { token })).data.entry_count, 250);
  assert.equal((await sql(`SELECT COUNT(*) FROM entry WHERE space_id = '${x.id}' AND head_id IS NOT NULL`))[0][0], '250');
});

test('thousands of entries go out and in', async () => {
  const x = await make(), n = 3000;
  const file = Array.from({ length: n }, (_, i) => JSON.stringify({ entry_key: `key ${String(i).padStart(5, '0')}`, content: { text: 'w '.repeat(500), i } })).join('\n');
  assert.deepEqual((await sent(x, file)).created, n);
  const lines = (await exported(x, 'jsonl')).text.trimEnd().split('\n');
  assert.equal(lines.length, n);
  assert.equal(JSON.parse(lines[n - 1]).content.i, n - 1);
});

test('a state that a snapshot holds outlives a hundred newer ones', async () => {
  const x = await make(), path = `${C}/${x.id}/entries/k`;
  await put(x, 'k', 'state 0');
  for (let i = 1; i <= 3; i++) await expectStatus(200, 'PATCH', path, { token, body: { content: `state ${i}` } });
  const s = (await expectStatus(201, 'POST', `${C}/${x.id}/snapshots`, { token, body: { name: 'held' } })).data;
  for (let i = 4; i <= 110; i++) await expectStatus(200, 'PATCH', path, { token, body: { content: `state ${i}` } });
  const states = async () => (await sql(`SELECT JSON_UNQUOTE(content) FROM entry WHERE space_id = '${x.id}' AND head_id IS NOT NULL ORDER BY version`)).map(([t]) => t);
  const { id: run } = (await expectStatus(202, 'POST', '/api/v1/jobs/version_cleanup/run', { token: account.owner, body: {} })).data;
  const ended = await until('the end of version_cleanup', async () => {
    const { status } = (await expectStatus(200, 'GET', `/api/v1/job_runs/${run}`, { token: account.owner })).data.run;
    return !['waiting', 'running'].includes(status) && status;
  }, { tries: 1200 });
  assert.equal(ended, 'succeeded');
  assert.deepEqual((await states()).slice(0, 2), ['state 3', 'state 10']);
  assert.equal((await states()).length, 101);
  const r = (await expectStatus(200, 'POST', `${C}/${x.id}/snapshots/${s.id}/restore`, { token })).data;
  assert.deepEqual([r.restored, r.missing_erased], [1, 0]);
  assert.equal((await entry(x, 'k')).content, 'state 3');
});

test('entries are found by a vector that the caller brings, of the model that serves', async () => {
  const own = await freshAccount(), { token } = await freshAgent(own, 'trusted'), as_is = (await expectStatus(200, 'GET', '/api/v1/account', { token: own.owner })).headers.get('etag');
  await expectStatus(200, 'PATCH', '/api/v1/account', { token: own.owner, headers: { 'If-Match': as_is }, body: { settings: { embed: { provider: 'none' } } } });
  const made = async () => (await expectStatus(201, 'POST', C, { token, body: { name: 'c' } })).data, x = await made(), y = await made();
  const put = async (c, entry_key, content) => (await expectEntry(`${C}/${c.id}`, { token, body: { entry_key, content } })).data;
  const put_vector = async (e, values) => expectStatus(200, 'PUT', `/api/v1/nodes/${e.id}/vector`, { token, body: { model: 'brought', values } });
  await put_vector(await put(x, 'east', 'one'), [1, 0, 0]);
  await put_vector(await put(x, 'north', 'two'), [0, 1, 0]);
  await put_vector(await put(y, 'near east', 'three'), [0.9, 0.1, 0]);
  const search = (ref, body) => call('POST', ref ? `${C}/${ref}/search` : `${C}/search`, { token, body });
  const found = async (...args) => {
    const r = await search(...args);
    assert.equal(r.status, 200, r.text);
    return r.data.hits.map((h) => h.entry.entry_key);
  };
  assert.deepEqual((await found(x.id, { query_embedding: [2, 0.5, 0], model: 'brought' })), ['east', 'north']);
  assert.equal((await found(null, { query_embedding: [0, 1, 0], model: 'brought' }))[0], 'north');
  assert.deepEqual(await found(x.id, { query: 'two', query_embedding: [0, 1, 0.1], model: 'brought', limit: 1 }), ['north']);
  for (const [body, pointer] of [[{}, '/query'], [{ query_embedding: [1, 0, 0] }, '/model'], [{ query_embedding: [1, 0, 0], model: 'other' }, '/model'],
    [{ query_embedding: [1, 0], model: 'brought' }, '/query_embedding'], [{ query_embedding: [0, 0, 0], model: 'brought' }, '/query_embedding'],
    [{ query: 'two', query_embedding: [1, 0, 0], model: 'brought', search_type: 'keyword' }, '/search_type']]) {
    const r = await search(x.id, body);
    assert.equal(r.status, 422, r.text);
    assert.equal(r.body.errors[0].pointer, pointer);
  }
});
