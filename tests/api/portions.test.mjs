// Work on many rows of many bytes: right answers, and both loci-web are the processes they were.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, stack, unique } from './client.mjs';
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

const make = async (body = {}) => (await expectStatus(201, 'POST', C, { token, body: { name: unique('context'), ...body } })).data;
const got = async (x) => (await expectStatus(200, 'GET', `${C}/${x.id}`, { token })).data;
const entry = async (x, key) => (await expectStatus(200, 'GET', `${C}/${x.id}/entries/${key}`, { token })).data;
const send = async (x, lines, merge = 'version') => {
  const r = await call('POST', `${C}/import?context_id=${x.id}&merge=${merge}`, { token, raw: lines.map((l) => JSON.stringify(l)).join('\n'),
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
  await expectStatus(201, 'POST', `${C}/${x.id}/entries`, { token, body: { entry_key: key(17), content: 'another' } });
  assert.deepEqual(await facts({ overwrite: true }), { created: 0, updated: 1, unchanged: n - 1, kept: 0, errors: [] });
  assert.equal((await expectStatus(200, 'GET', `${F}/${key(17)}`, { token })).data.value, 'another');
  assert.equal((await call('GET', `${C}/${x.id}/export?format=jsonl`, { token })).text.trim().split('\n').length, n);
});
