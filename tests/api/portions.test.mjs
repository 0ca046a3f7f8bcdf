// Work on many rows of many bytes: right answers, and both loci-web are the processes they were.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, freshAgent, signIn, stack, unique } from './client.mjs';
import { sql } from './db.mjs';

const C = '/api/v1/ai/contexts';
let account, me, token, pids;
const pidOf = async (name) => (await stack('pid', name)).stdout.trim();
const processes = async () => [await pidOf('web'), await pidOf('web2')];
before(async () => {
  account = await freshAccount();
  // Thousands of texts would keep the built-in model busy for the other files.
  const etag = (await expectStatus(200, 'GET', '/api/v1/account', { token: account.owner })).headers.get('etag');
  await expectStatus(200, 'PATCH', '/api/v1/account', { token: account.owner, headers: { 'If-Match': etag }, body: { settings: { embed: { provider: 'none' } } } });
  me = await freshAgent(account, 'trusted');
  ({ token } = me);
  pids = await processes();
});
after(async () => assert.deepEqual(await processes(), pids, 'both loci-web are the processes they were'));

const make = async (body = {}, as = token) => (await expectStatus(201, 'POST', C, { token: as, body: { name: unique('context'), ...body } })).data;
const got = async (x) => (await expectStatus(200, 'GET', `${C}/${x.id}`, { token })).data;
const entry = async (x, key) => (await expectStatus(200, 'GET', `${C}/${x.id}/entries/${key}`, { token })).data;
const send = async (x, lines, as = token) => {
  const r = await call('POST', `${C}/import?context_id=${x.id}&merge=version`, { token: as, raw: lines.map((l) => JSON.stringify(l)).join('\n'),
    headers: { 'Content-Type': 'application/x-ndjson' } });
  assert.equal(r.status, 200, r.text);
  return r.data;
};
const key = (i) => `k${String(i).padStart(4, '0')}`;
const text = (i, n, word) => `${word} ${i} `.padEnd(n, 'lorem ipsum ');
const wide = (i, bytes) => Array.from({ length: bytes / 10_000 }, (_, row) => Array.from({ length: 5000 }, (_, k) => (k + row + i) % 10));
async function timed(t, what, run) {
  const from = performance.now(), out = await run();
  t.diagnostic(`${what}: ${((performance.now() - from) / 1000).toFixed(2)} s`);
  return out;
}

test('560 entries of 100 kB are imported and restored, and an entry that came later goes', async (t) => {
  const x = await make(), n = 560, S = `${C}/${x.id}/snapshots`;
  const all = (word) => Array.from({ length: n }, (_, i) => ({ entry_key: key(i), content: text(i, 100_000, word) }));
  assert.equal((await timed(t, `import of ${n} entries of 100 kB`, () => send(x, all('then')))).created, n);
  const s = (await expectStatus(201, 'POST', S, { token, body: { name: 'then' } })).data;
  assert.equal((await timed(t, `import of ${n} changed entries of 100 kB`, () => send(x, all('now')))).updated, n);
  const later = (await expectStatus(201, 'POST', `${C}/${x.id}/entries`, { token, body: { entry_key: 'later', content: 'later' } })).data;
  for (const i of [3, 7]) await expectStatus(204, 'DELETE', `${C}/${x.id}/entries/${key(i)}`, { token });
  const r = (await timed(t, `restore of ${n} entries of 100 kB`, () => expectStatus(200, 'POST', `${S}/${s.id}/restore`, { token }))).data;
  assert.deepEqual([r.restored, r.revived, r.archived, r.unchanged, r.missing_erased, r.complete], [n - 2, 2, 1, 0, 0, true]);
  for (const i of [0, 3, 99, 100, 559]) {
    const e = await entry(x, key(i));
    assert.deepEqual([e.content, e.version], [text(i, 100_000, 'then'), 3], key(i));
  }
  assert.ok((await entry(x, later.id)).archived_at);
  const y = await got(x);
  assert.deepEqual([y.entry_count, y.data_size_bytes], [n, n * 100_002]);
  const [[live, bytes]] = await sql(`SELECT COUNT(*), SUM(size_bytes) FROM entry WHERE space_id = '${x.id}' AND live = 1`);
  assert.deepEqual([Number(live), Number(bytes)], [n, n * 100_002]);
  const logged = (await expectStatus(200, 'GET', `${C}/${x.id}/access_log?action=update&entry_id=${(await entry(x, key(5))).id}`, { token })).data;
  assert.deepEqual(logged.map((l) => [l.previous_value, l.new_value].map((v) => v.slice(0, 4))), [['now ', 'then'], ['then', 'now ']]);
  const back = (await expectStatus(200, 'POST', `${S}/${r.safety_snapshot_id}/restore`, { token })).data;
  assert.deepEqual([back.restored, back.revived, back.archived, back.complete], [n - 2, 1, 2, true]);
  assert.equal((await entry(x, key(559))).content, text(559, 100_000, 'now'));
});

test('while a restore goes on in portions, others wait, and one that was broken off goes on', async () => {
  const x = await make(), S = `${C}/${x.id}/snapshots`, n = 150;
  await send(x, Array.from({ length: n }, (_, i) => ({ entry_key: key(i), content: i })));
  const [a, b] = [await expectStatus(201, 'POST', S, { token, body: { name: 'a' } }), await expectStatus(201, 'POST', S, { token, body: { name: 'b' } })];
  await send(x, Array.from({ length: n }, (_, i) => ({ entry_key: key(i), content: -i - 1 })));
  await sql(`UPDATE context SET restoring_id = '${a.data.id}', restoring_safety_id = '${b.data.id}', restoring_until = UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE WHERE space_id = '${x.id}'`);
  const refused = await call('POST', `${C}/${x.id}/entries`, { token, body: { entry_key: 'k', content: 1 } });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  await expectStatus(503, 'POST', `${S}/${b.data.id}/restore`, { token });
  const r = (await expectStatus(200, 'POST', `${S}/${a.data.id}/restore`, { token })).data;
  assert.deepEqual([r.restored, r.complete, r.safety_snapshot_id], [n, true, b.data.id]);
  await expectStatus(201, 'POST', `${C}/${x.id}/entries`, { token, body: { entry_key: 'k', content: 1 } });
  await sql(`UPDATE context SET restoring_id = '${a.data.id}', restoring_safety_id = '${b.data.id}', restoring_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE space_id = '${x.id}'`);
  await expectStatus(201, 'POST', `${C}/${x.id}/entries`, { token, body: { entry_key: 'k2', content: 1 } });
  const again = (await expectStatus(200, 'POST', `${S}/${b.data.id}/restore`, { token })).data;
  assert.deepEqual([again.archived, again.unchanged], [2, n]);
  assert.notEqual(again.safety_snapshot_id, b.data.id);
});

test('60 entries of 250 kB of wide JSON are cloned, taken over by another context, exported, and become facts', async (t) => {
  const x = await make(), n = 60, content = (i) => wide(i, 250_000);
  for (let at = 0; at < n; at += 20) await send(x, Array.from({ length: 20 }, (_, i) => ({ entry_key: key(at + i), content: content(at + i) })));
  const twin = (await timed(t, `clone of ${n} entries of 250 kB`, () => expectStatus(201, 'POST', `${C}/${x.id}/clone`, { token, body: { name: unique('twin') } }))).data;
  assert.deepEqual([twin.created, twin.updated, twin.complete], [n, 0, true]);
  assert.deepEqual((await entry(twin, key(59))).content, content(59));
  const y = await make();
  const synced = (await expectStatus(200, 'POST', `${C}/${y.id}/sync`, { token, body: { source_context_id: x.id } })).data;
  assert.deepEqual([synced.created, synced.complete], [n, true]);
  assert.equal((await got(y)).data_size_bytes, (await got(x)).data_size_bytes);
  const F = `/api/v1/ai/agents/${me.id}/memory`;
  const facts = async (body) => (await expectStatus(200, 'POST', `${F}/sync`, { token, body: { source_context_id: x.id, ...body } })).data;
  const first = await timed(t, `facts from ${n} entries of 250 kB`, () => facts({}));
  assert.deepEqual([first.created, first.kept], [n, 0]);
  assert.deepEqual((await expectStatus(200, 'GET', `${F}/${key(17)}`, { token })).data.value, content(17));
  assert.deepEqual(await facts({}), { created: 0, updated: 0, unchanged: 0, kept: n, errors: [] });
  await expectStatus(200, 'POST', `${C}/${x.id}/entries`, { token, body: { entry_key: key(17), content: 'another' } });
  assert.deepEqual(await facts({ overwrite: true }), { created: 0, updated: 1, unchanged: n - 1, kept: 0, errors: [] });
  assert.equal((await expectStatus(200, 'GET', `${F}/${key(17)}`, { token })).data.value, 'another');
  assert.equal((await call('GET', `${C}/${x.id}/export?format=jsonl`, { token })).text.trim().split('\n').length, n);
});

// Signs in as another owner of the account.
async function cookieOfOwner() {
  const [email, password] = [`${unique('p')}@example.org`, unique('a long password')];
  await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: { email, name: 'P', role: 'owner', password } });
  return signIn({ account: account.slug, email, password });
}

test('the page of a snapshot shows 40 changed entries of 250 kB', async () => {
  const as = account.owner, x = await make({ scope: 'account' }, as), n = 40;
  for (const word of [0, 5]) {
    for (let at = 0; at < n; at += 20) await send(x, Array.from({ length: 20 }, (_, i) => ({ entry_key: key(at + i), content: wide(at + i + word, 250_000) })), as);
    if (!word) await expectStatus(201, 'POST', `${C}/${x.id}/snapshots`, { token: as, body: { name: 'then' } });
  }
  const [s] = (await expectStatus(200, 'GET', `${C}/${x.id}/snapshots`, { token: as })).data;
  const cookie = await cookieOfOwner();
  const r = await fetch(`${BASE}/admin/memory/${x.id}/snapshots/${s.id}`, { headers: { Cookie: cookie } }), html = await r.text();
  assert.equal(r.status, 200, html.replace(/<[^>]*>|\s+/g, ' ').slice(0, 1500));
  assert.match(html, /<span class="value">40<\/span><span class="muted small">would be reset/);
  for (let i = 0; i < 20; i++) assert.ok(html.includes(key(i)), key(i));
  assert.ok(html.length < 1_000_000, `${html.length} bytes`);
});

test('a pool of 450 keys of 58 kB of wide JSON is restored as one version', async (t) => {
  const P = '/api/v1/ai/memory_pools', n = 450, policy = { max_size_bytes: 50_000_000, max_entries: 1000 };
  const p = (await expectStatus(201, 'POST', P, { token: account.owner, body: { name: unique('pool'), pool_id: unique('p'), retention_policy: policy } })).data;
  const row = (i) => Array.from({ length: 6 }, (_, k) => Array.from({ length: 4800 }, (_, j) => (i + k + j) % 10));
  for (let at = 0; at < n; at += 10)
    await Promise.all(Array.from({ length: 10 }, (_, i) => expectStatus(200, 'PUT', `${P}/${p.id}/data/${key(at + i)}`, { token: account.owner, body: { value: row(at + i) } })));
  const s = (await expectStatus(201, 'POST', `${P}/${p.id}/snapshots`, { token: account.owner, body: { name: 'then' } })).data;
  for (let i = 0; i < n; i += 150) await expectStatus(200, 'DELETE', `${P}/${p.id}/data/${key(i)}`, { token: account.owner });
  await sql(`UPDATE pool_entry SET value = '[1]', size = OCTET_LENGTH(entry_key) + 3 WHERE space_id = '${p.id}' AND deleted_at IS NULL;
    UPDATE pool SET data_size_bytes = (SELECT SUM(size) FROM pool_entry WHERE space_id = '${p.id}' AND deleted_at IS NULL) WHERE space_id = '${p.id}'`);
  await expectStatus(200, 'PUT', `${P}/${p.id}/data/later`, { token: account.owner, body: { value: 1 } });
  const before = (await expectStatus(200, 'GET', `${P}/${p.id}`, { token: account.owner })).data;
  const r = (await timed(t, `restore of a pool of ${n} keys of 58 kB`, () => expectStatus(200, 'POST', `${P}/${p.id}/snapshots/${s.id}/restore`, { token: account.owner }))).data;
  assert.deepEqual([r.written, r.removed, r.unchanged, r.version], [n, 1, 0, before.version + 1]);
  for (const i of [0, 1, 299, 449]) assert.deepEqual((await expectStatus(200, 'GET', `${P}/${p.id}/data/${key(i)}`, { token: account.owner })).data.value, row(i));
  const pool = (await expectStatus(200, 'GET', `${P}/${p.id}`, { token: account.owner })).data;
  assert.deepEqual([pool.key_count, pool.data_size_bytes], [n, s.data_size_bytes]);
});
