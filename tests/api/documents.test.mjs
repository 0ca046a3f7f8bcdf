// Documents: from pending to indexed, equal and changed texts, chunks with true offsets, and what a change costs.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, freshAgent, signIn, unique, until } from './client.mjs';
import { sql } from './db.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`;
let account, other, token, stranger, base;
const makeBase = async (body = {}) => (await expectStatus(201, 'POST', K, { token, body: { name: unique('base'), ...body } })).data;
before(async () => {
  [account, other] = [await freshAccount(), await freshAccount()];
  token = account.token;
  stranger = await freshAgent(account);
  base = await makeBase({ chunk_size: 300, chunk_overlap: 60 });
});

const add = async (content, more = {}, status = 201) =>
  (await expectStatus(status, 'POST', D, { token, body: { knowledge_base_id: base.id, content, ...more } })).data;
const get = async (d, as = token) => (await expectStatus(200, 'GET', `${D}/${d.id}`, { token: as })).data;
const settled = (d) => until('the document to be processed', async () => {
  const now = await get(d);
  return ['indexed', 'failed'].includes(now.status) ? now : null;
}, { tries: 1200 });
const chunks = async (d) => {
  const all = [];
  for (let from = 0, more = true; more; from += 100) {
    const r = await expectStatus(200, 'GET', `${D}/${d.id}/chunks?limit=100&from=${from}`, { token });
    all.push(...r.data);
    more = r.meta.has_more;
  }
  return all;
};
const baseNow = async (b = base) => (await expectStatus(200, 'GET', `${K}/${b.id}`, { token })).data;
const told = async (d, kind) => (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${d.id}&limit=100`, { token: account.owner })).data.filter((e) => e.kind === kind);
const prose = (n, word = 'tide') => Array.from({ length: n }, (_, i) => `Sentence number ${i} speaks of the ${word} at berth ${i * 7 % 13}.`).join(' ');

test('a document is pending, processing, indexed; its base is active, indexing, active', async () => {
  const d = await add(`# Rules of the port\n\n${prose(40)}`, { metadata: { lang: 'en' } });
  assert.deepEqual([d.status, d.outcome, d.created, d.name, d.content_type, d.generation, d.source_version], ['pending', 'created', true, 'Rules of the port', 'text/markdown', 0, 1]);
  const now = await settled(d);
  assert.deepEqual([now.status, now.generation, now.served_version, now.processing_errors], ['indexed', 1, 1, []]);
  assert.ok(now.chunk_count > 5 && now.token_count > 100 && now.processed_at);
  const b = await baseNow();
  assert.equal(b.status, 'active');
  assert.deepEqual([b.document_count, b.chunk_count, b.total_tokens, b.storage_bytes], [1, now.chunk_count, now.token_count, now.content_size_bytes]);
  assert.ok(b.last_indexed_at);
  const said = (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${d.id}`, { token: account.owner })).data.map((e) => e.kind);
  for (const kind of ['document.create', 'document.start_processing', 'document.complete_indexing', 'document_indexed']) assert.ok(said.includes(kind), kind);
  const of_base = (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${base.id}`, { token: account.owner })).data.map((e) => e.kind);
  for (const kind of ['knowledge_base.start_indexing', 'knowledge_base.complete_indexing']) assert.ok(of_base.includes(kind), kind);
});

test('chunks are the bytes that their offsets say, and without overlaps the whole text', async () => {
  const text = `Grüße aus dem Hafen. 港口的潮汐。\r\n\r\n${prose(30, 'Flut 😀')}\u0007`;
  const d = await settled(await add(text, { name: 'Offsets', content_type: 'text/plain' }));
  const kept = (await expectStatus(200, 'GET', `${D}/${d.id}/text`, { token })).data;
  assert.equal(kept.text, text.replaceAll('\r', '').replace('\u0007', ''));
  const bytes = Buffer.from(kept.text), all = await chunks(d);
  assert.equal(all.length, d.chunk_count);
  for (const [i, c] of all.entries()) {
    assert.equal(c.content, bytes.subarray(c.start_offset, c.end_offset).toString());
    assert.deepEqual([c.sequence_number, c.document_name, c.untrusted], [i, 'Offsets', true]);
    assert.ok([...c.content].length <= 300);
    if (i) assert.equal(bytes.subarray(all[i - 1].end_offset, c.start_offset + c.overlap).toString().trim(), '');
  }
  const part = (await expectStatus(200, 'GET', `${D}/${d.id}/text?from=1&to=3`, { token })).data;
  assert.deepEqual([part.text, part.from, part.to], ['r', 1, 2], 'whole characters only');
  const one = (await expectStatus(200, 'GET', `${R}/chunks/${all[2].id}?neighbors=1`, { token })).data;
  assert.deepEqual([one.content, one.around.map((c) => c.sequence_number)], [all[2].content, [1, 2, 3]]);
});

test('the same external_id is the same document: unchanged, or its next version, whose equal chunks keep id and vector', async () => {
  const external_id = unique('doc'), text = prose(1500), knowledge_base_id = (await makeBase()).id;
  const d = await settled(await add(text, { knowledge_base_id, external_id, name: 'Log' }));
  const before = await chunks(d);
  const same = await add(text, { knowledge_base_id, external_id, name: 'Log' }, 200);
  assert.deepEqual([same.id, same.outcome, same.created, same.version], [d.id, 'unchanged', false, d.version]);
  const changed = await add(text.replace('number 3 ', 'number three '), { knowledge_base_id, external_id }, 200);
  assert.deepEqual([changed.id, changed.outcome, changed.source_version, changed.served_version, changed.name], [d.id, 'changed', 2, 1, 'Log']);
  const now = await settled(d), after = await chunks(d);
  assert.deepEqual([now.generation, now.served_version], [2, 2]);
  const kept = after.filter((c) => before.some((b) => b.id === c.id));
  assert.ok(after.length - kept.length <= 8 && kept.length > 80, `${after.length - kept.length} new of ${after.length}`);
  const [event] = await told(d, 'document_indexed');
  assert.deepEqual(event.payload.chunks, { kept: kept.length, added: after.length - kept.length, removed: before.length - kept.length });
  for (const b of before.filter((x) => !kept.some((c) => c.id === x.id)))
    await expectStatus(404, 'GET', `/api/v1/nodes/${b.id}`, { token });
  assert.equal(Number((await sql(`SELECT COUNT(DISTINCT source_version) FROM document_text WHERE document_id = '${d.id}'`))[0][0]), 2, 'the text that is served, and the one before: it can be brought back');
});

test('an equal text without an external_id is refused, unless a copy is wanted', async () => {
  const text = unique('only once ');
  const d = await add(text);
  const r = await expectStatus(409, 'POST', D, { token, body: { knowledge_base_id: base.id, content: text } });
  assert.deepEqual([r.body.reason, r.body.current_value], ['duplicate', { document_id: d.id }]);
  assert.notEqual((await add(text, { allow_duplicate: true })).id, d.id);
  const elsewhere = await makeBase();
  assert.equal((await expectStatus(201, 'POST', D, { token, body: { knowledge_base_id: elsewhere.id, content: text } })).data.outcome, 'created');
  await settled(d);
  await expectStatus(204, 'DELETE', `${D}/${d.id}`, { token });
  await add(text);
});

test('processing waits where it is not wanted, and two calls make nothing twice', async () => {
  const d = await add(unique('later '), { process: false });
  assert.equal(d.status, 'pending');
  const post = () => call('POST', `${D}/${d.id}/process`, { token, body: {} });
  const two = await Promise.all([post(), post()]);
  for (const r of two) assert.equal(r.status, 200, r.text);
  const { generation } = await settled(d), indexed = await told(d, 'document_indexed');
  assert.equal(indexed.length, generation);             // one task, unless the first was done before the second call came
  assert.equal(indexed.filter((e) => e.payload.chunks.added > 0).length, 1);
  assert.equal((await expectStatus(200, 'POST', `${D}/${d.id}/process`, { token, body: {} })).data.status, 'pending');
  const again = await settled(d);
  assert.deepEqual([again.generation, (await told(d, 'document_indexed'))[0].payload.chunks.added], [generation + 1, 0], 'nothing is made anew');
});

test('new settings apply to what is processed afterwards', async () => {
  const b = await makeBase({ chunk_size: 1000, chunk_overlap: 0 });
  const d = await settled((await expectStatus(201, 'POST', D, { token, body: { knowledge_base_id: b.id, content: prose(60, 'swell') } })).data);
  await expectStatus(200, 'PATCH', `${K}/${b.id}`, { token, body: { chunk_size: 300 } });
  await expectStatus(200, 'POST', `${D}/${d.id}/process`, { token, body: {} });
  const now = await settled(d);
  assert.ok(now.chunk_count > 2 * d.chunk_count);
  assert.equal((await baseNow(b)).chunk_count, now.chunk_count);
});

test('a paused base takes nothing; what waited is processed when it is resumed', async () => {
  const b = await makeBase();
  const d = (await expectStatus(201, 'POST', D, { token, body: { knowledge_base_id: b.id, content: unique('waits '), process: false } })).data;
  await sql(`UPDATE document SET wants_processing = 1 WHERE id = '${d.id}'`);            // as if its task had come during the pause
  await expectStatus(200, 'POST', `${K}/${b.id}/pause`, { token, body: {} });
  for (const [path, body] of [[D, { knowledge_base_id: b.id, content: 'x' }], [`${D}/${d.id}/process`, {}]])
    assert.equal((await expectStatus(409, 'POST', path, { token, body })).body.reason, 'base_state');
  await expectStatus(200, 'POST', `${K}/${b.id}/resume`, { token, body: {} });
  assert.equal((await settled(d)).status, 'indexed');
});

test('too many chunks: failed with its reason, and the old text is still served', async () => {
  const external_id = unique('large');
  const b = await makeBase({ chunk_size: 200, chunk_overlap: 100 });
  const send = async (content, status, process = true) => (await expectStatus(status, 'POST', D, { token, body: { knowledge_base_id: b.id, external_id, content, process } })).data;
  const d = await settled(await send(prose(20), 201));
  await send('One. '.repeat(60000), 200, false);                  // and 5 MB more, which no JSON body can hold
  await sql(`INSERT INTO document_text SELECT account_id, document_id, 2, 100000000 + seq, body FROM document_text JOIN seq_1_to_20 WHERE document_id = '${d.id}' AND source_version = 2 AND start_offset = 0`);
  await expectStatus(200, 'POST', `${D}/${d.id}/process`, { token, body: {} });
  const now = await settled(d);
  assert.deepEqual([now.status, now.served_version, now.chunk_count], ['failed', d.served_version, d.chunk_count]);
  assert.deepEqual([now.processing_errors[0].stage, now.processing_errors[0].code], ['chunk', 'too_many_chunks']);
  assert.equal((await told(d, 'document_failed')).length, 1);
  assert.equal((await baseNow(b)).status, 'active');
});

test('what is deleted is gone, with its chunks and from the counters', async () => {
  const b = await makeBase();
  const d = await settled((await expectStatus(201, 'POST', D, { token, body: { knowledge_base_id: b.id, content: prose(30, 'ebb') } })).data);
  const [first] = await chunks(d);
  await expectStatus(204, 'DELETE', `${D}/${d.id}`, { token });
  for (const path of [`${D}/${d.id}`, `${D}/${d.id}/text`, `${D}/${d.id}/chunks`, `${R}/chunks/${first.id}`, `/api/v1/nodes/${first.id}`, `/api/v1/nodes/${d.id}`])
    await expectStatus(404, 'GET', path, { token });
  const now = await baseNow(b);
  assert.deepEqual([now.document_count, now.chunk_count, now.total_tokens, now.storage_bytes], [0, 0, 0, 0]);
});

test('a base does not wait for a document that was deleted', async () => {
  const b = await makeBase();
  const d = (await expectStatus(201, 'POST', D, { token, body: { knowledge_base_id: b.id, content: 'waits', process: false } })).data;
  await sql(`UPDATE document SET wants_processing = 1 WHERE id = '${d.id}'; UPDATE knowledge_base SET status = 'indexing' WHERE id = '${b.id}'`);
  await expectStatus(204, 'DELETE', `${D}/${d.id}`, { token });
  assert.equal((await baseNow(b)).status, 'active');
});

test('who may not read the base sees none of it; a reader changes nothing', async () => {
  const b = await makeBase();
  const d = await settled((await expectStatus(201, 'POST', D, { token, body: { knowledge_base_id: b.id, content: prose(5) } })).data);
  const [first] = await chunks(d);
  const paths = [`${D}/${d.id}`, `${D}/${d.id}/text`, `${D}/${d.id}/chunks`, `${R}/chunks/${first.id}`, `${D}?knowledge_base_id=${b.id}`];
  for (const as of [stranger.token, other.owner]) {
    for (const path of paths) await expectStatus(404, 'GET', path, { token: as });
    await expectStatus(404, 'POST', `${D}/${d.id}/process`, { token: as, body: {} });
    await expectStatus(404, 'POST', D, { token: as, body: { knowledge_base_id: b.id, content: 'x' } });
    await expectStatus(404, 'DELETE', `${D}/${d.id}`, { token: as });
    assert.ok(!(await expectStatus(200, 'GET', D, { token: as })).data.some((x) => x.id === d.id));
  }
  await expectStatus(200, 'PATCH', `${K}/${b.id}`, { token, body: { is_public: true } });
  for (const path of paths) await expectStatus(200, 'GET', path, { token: stranger.token });
  await expectStatus(403, 'POST', D, { token: stranger.token, body: { knowledge_base_id: b.id, content: 'x' } });
  await expectStatus(403, 'DELETE', `${D}/${d.id}`, { token: stranger.token });
  await expectStatus(409, 'PATCH', `/api/v1/nodes/${first.id}`, { token, body: { body: 'by the generic call' } });
});

test('bad input is refused by name', async () => {
  for (const [body, name] of [[{ content: ' \n ' }, 'content'], [{ content: 'x', content_type: 'application/pdf' }, 'content_type'], [{ content: 'x', external_id: 'x'.repeat(513) }, 'external_id'],
    [{ content: 'x', metadata: { a: 'x'.repeat(17000) } }, 'metadata'], [{}, 'content']]) {
    const r = await expectStatus(422, 'POST', D, { token, body: { knowledge_base_id: base.id, ...body } });
    assert.ok(r.body.errors.some((e) => e.pointer === `/${name}`), `${name}: ${r.text}`);
  }
  await expectStatus(422, 'GET', `${D}/${(await add(unique('window ')) ).id}/text?from=8000000`, { token });
  await expectStatus(422, 'GET', `${D}/${(await add(unique('window '))).id}/text?from=10&to=3`, { token });
});

test('the pages: a document is added, shown with its chunks, processed again and deleted', async () => {
  const email = `${unique('p')}@example.org`, password = 'a password to sign in';
  await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: { email, name: 'P', role: 'owner', password } });
  const me = (await expectStatus(200, 'GET', `/api/v1/users?q=${email}`, { token: account.owner })).data[0];
  await expectStatus(201, 'POST', `/api/v1/spaces/${base.id}/grants`, { token, body: { grantee_kind: 'user', grantee_id: me.id, level: 'manage' } });
  const cookie = await signIn({ account: account.slug, email, password });
  const show = async (path) => (await fetch(BASE + path, { headers: { Cookie: cookie } })).text();
  const at = `/admin/knowledge/${base.id}`, csrf = /name="csrf_token" value="([^"]+)"/.exec(await show(at))[1];
  const post = (path, form) => fetch(BASE + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf_token: csrf, ...form }),
    headers: { Cookie: cookie, Origin: BASE, 'Content-Type': 'application/x-www-form-urlencoded' } });
  assert.match(await (await post(`${at}/documents`, { name: 'Kept <b>', content: ' ' })).text(), /value="Kept &lt;b&gt;"/);
  const page = (await post(`${at}/documents`, { name: 'Kept <b>', content: `<i>${prose(20, 'quay')}` })).headers.get('location');
  assert.match(page, /^\/admin\/documents\/[0-9a-f-]{36}$/);
  await settled({ id: page.split('/').pop() });
  const html = await show(page);
  assert.match(html, /Kept &lt;b&gt;[^]*indexed[^]*&lt;i&gt;Sentence number 0/);
  assert.match(html, /<mark>/);
  assert.match(await show(at), /Kept &lt;b&gt;/);
  assert.equal((await post(`${page}/process`, {})).status, 303);
  assert.equal((await post(`${page}/delete`, {})).headers.get('location'), at);
});
