// The access log of contexts: changes at once, reads within a second, refusals, who may see it, and what it never holds.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectEntry, expectStatus, freshAccount, freshAgent, settled, unique } from './client.mjs';
import { sql } from './db.mjs';

const C = '/api/v1/ai/contexts';
let account, me, token;
before(async () => {
  account = await freshAccount();
  me = await freshAgent(account, 'trusted');
  ({ token } = me);
});

const make = async (body = {}) => (await expectStatus(201, 'POST', C, { token, body: { name: unique('context'), ...body } })).data;
const put = async (x, entry_key, content, more = {}) =>
  (await expectEntry(`${C}/${x.id}`, { token, body: { entry_key, content, ...more } })).data;
const log = async (x, query = '', as = token) => (await expectStatus(200, 'GET', `${C}/${x.id}/access_log?limit=100${query}`, { token: as })).data;

// What is there once the reads of all processes are written.
async function logged(x, query, wanted) {
  await settled(undefined, { parts: ['uses'] });
  const rows = await log(x, query);
  assert.ok(wanted(rows), JSON.stringify(rows));
  return rows;
}

test('each change is there at once, with what was before and after', async () => {
  const x = await make();
  const e = await put(x, 'k', { text: 'one' });
  await put(x, 'k', { text: 'number two' });
  await put(x, 'k', { text: 'number two' });
  const E = `${C}/${x.id}/entries/${e.id}`;
  await expectStatus(200, 'PATCH', E, { token, body: { context_tags: ['t'] } });
  await expectStatus(200, 'POST', `${E}/archive`, { token });
  await expectStatus(200, 'POST', `${E}/unarchive`, { token });
  const rows = await log(x);
  assert.deepEqual(rows.map((r) => r.action), ['unarchive', 'archive', 'update', 'update', 'write', 'create']);
  assert.deepEqual(rows.slice(2, 5).map((r) => [r.previous_value, r.new_value]), [[{ text: 'number two' }, { text: 'number two' }],
    [{ text: 'one' }, { text: 'number two' }], [null, { text: 'one' }]]);
  assert.deepEqual(rows[3].changes_summary, { had_previous: true, has_new: true, size_change: 7 });
  assert.deepEqual(rows[4].changes_summary, { had_previous: false, has_new: true, size_change: 14 });
  for (const r of rows) assert.deepEqual([r.agent_id, r.user_id, r.access_type, r.success, r.error_message], [me.id, null, 'agent', true, null]);
  await expectStatus(204, 'DELETE', E, { token });
  const [gone, ...others] = await log(x);
  assert.deepEqual([gone.action, gone.changes_summary.has_new], ['delete', false]);
  for (const r of [gone, ...others]) assert.deepEqual([r.previous_value, r.new_value], [null, null]);     // what is forgotten is not told here
});

test('contents are referred to, not copied: what is erased is erased here', async () => {
  const x = await make(), secret = unique('secret');
  const e = await put(x, 'k', secret);
  await put(x, 'k', 'harmless');
  assert.ok((await log(x)).some((r) => r.previous_value === secret));
  const [[owner, state]] = await sql(`SELECT account_id, node_id FROM entry WHERE head_id = '${e.id}'`);
  await sql(`DELETE FROM node WHERE account_id = '${owner}' AND id = '${state}'`);
  const rows = await log(x);
  assert.ok(!JSON.stringify(rows).includes(secret));
  assert.ok(rows.some((r) => r.new_value === 'harmless'));
  assert.equal(Number((await sql(`SELECT COUNT(*) FROM access_log WHERE space_id = '${x.id}' AND CONCAT_WS(' ', metadata, error_message) LIKE '%${secret}%'`))[0][0]), 0);
});

test('a fact keeps its log when a new value makes another node of it', async () => {
  const x = await make();
  const first = await put(x, 'f', 1, { entry_type: 'fact' });
  const second = await put(x, 'f', 2, { entry_type: 'fact' });
  assert.notEqual(first.id, second.id);
  const rows = await log(x, `&entry_id=${second.id}`);
  assert.deepEqual(rows.map((r) => [r.action, r.previous_value, r.new_value]), [['update', 1, 2], ['write', null, 1]]);
});

test('reads and searches come within a second, and count; a query is kept as a hash unless the context asks for its text', async () => {
  const x = await make(), said = unique('query');
  const e = await put(x, 'k', { text: said });
  await expectStatus(200, 'GET', `${C}/${x.id}/entries/k`, { token, headers: { 'User-Agent': 'tester/1 \u00e4' } });
  await expectStatus(200, 'GET', `${C}/${x.id}/entries`, { token });
  await expectStatus(200, 'POST', `${C}/${x.id}/search`, { token, body: { query: said, search_type: 'keyword' } });
  const rows = await logged(x, '&action=search', (r) => r.length === 1);
  assert.equal(rows[0].metadata.query, undefined);
  assert.match(rows[0].metadata.query_hash, /^[0-9a-f]{64}$/);
  assert.ok(!JSON.stringify(await log(x)).includes(`"query":"${said}"`));
  const reads = await logged(x, '&action=read', (r) => r.length === 2);
  assert.deepEqual(reads.map((r) => r.entry_id).sort(), [e.id, null].sort());
  const read = reads.find((r) => r.entry_id);
  assert.match(read.user_agent, /^tester\/1 \?+$/);
  assert.deepEqual([read.previous_value, read.new_value, read.changes_summary, read.success], [null, null, null, true]);
  const now = (await expectStatus(200, 'GET', `${C}/${x.id}`, { token })).data;
  assert.equal(now.access_count, 3);
  assert.ok(now.last_accessed_at);
  await expectStatus(200, 'PATCH', `${C}/${x.id}`, { token, body: { metadata: { log_queries: true } } });
  await expectStatus(200, 'POST', `${C}/search`, { token, body: { query: said, search_type: 'keyword' } });
  const [asked] = await logged(x, '&action=search', (r) => r.length === 2);
  assert.deepEqual(asked.metadata, { query: said, hits: 1 });
});

test('refusals are there, with success=false; only who manages the context sees the log', async () => {
  const reader = await freshAgent(account, 'trusted'), nobody = await freshAgent(account), outsider = await freshAccount();
  const x = await make();
  await put(x, 'k', 'v');
  await expectStatus(201, 'POST', `${C}/${x.id}/grants`, { token, body: { agent_id: reader.id } });
  await expectStatus(403, 'POST', `${C}/${x.id}/entries`, { token: reader.token, body: { entry_key: 'k', content: 'w' } });
  await expectStatus(404, 'GET', `${C}/${x.id}/entries/k`, { token: nobody.token });
  await expectStatus(404, 'GET', `${C}/${x.id}/entries/k`, { token: outsider.token });
  const refused = await logged(x, '&success=false', (r) => r.length === 2);
  assert.deepEqual(refused.map((r) => [r.action, r.agent_id, r.success]).sort(), [['read', nobody.id, false], ['write', reader.id, false]].sort());
  assert.ok(refused.every((r) => r.error_message));
  assert.deepEqual((await log(x, '&success=true')).map((r) => r.action).filter((a) => a !== 'read'), ['grant', 'write', 'create']);
  for (const [as, status] of [[reader.token, 403], [nobody.token, 403], [outsider.owner, 404]])
    await expectStatus(status, 'GET', `${C}/${x.id}/access_log`, { token: as });
  assert.equal((await sql(`SELECT COUNT(*) FROM access_log l JOIN account a ON a.id = l.account_id WHERE a.slug = '${outsider.slug}'
    AND l.space_id = '${x.id}'`))[0][0], '0');
});

test('filters, pages and bad input', async () => {
  const x = await make(), other = await freshAgent(account);
  await expectStatus(201, 'POST', `${C}/${x.id}/grants`, { token, body: { agent_id: other.id, level: 'write' } });
  for (let i = 0; i < 5; i++) await put(x, `k${i}`, i);
  const theirs = (await expectStatus(201, 'POST', `${C}/${x.id}/entries`, { token: other.token, body: { entry_key: 'o', content: 1 } })).data;
  assert.deepEqual((await log(x, `&agent_id=${other.id}`)).map((r) => [r.action, r.entry_id]), [['write', theirs.id]]);
  const writes = await log(x, '&action=write');
  assert.equal(writes.length, 6);
  const since = writes[2].created_at;
  assert.equal((await log(x, `&action=write&from=${since}`)).length, 3);
  assert.equal((await log(x, `&action=write&to=${since}`)).length, 3);
  const seen = [];
  for (let cursor = ''; cursor !== null;) {
    const r = await expectStatus(200, 'GET', `${C}/${x.id}/access_log?limit=3${cursor && `&cursor=${cursor}`}`, { token });
    seen.push(...r.data.map((e) => e.id));
    cursor = r.body.meta.next_cursor;
  }
  assert.equal(new Set(seen).size, seen.length);
  assert.ok(seen.length >= 8);
  for (const q of ['action=peek', 'agent_id=not%20a%20name', 'entry_id=1', 'from=yesterday', 'success=perhaps', 'colour=red'])
    await expectStatus(422, 'GET', `${C}/${x.id}/access_log?${q}`, { token });
});

test('many writers at once: every change has its row, and none that failed', async () => {
  const x = await make();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) =>
    call('POST', `${C}/${x.id}/entries`, { token, body: { entry_key: `k${i % 8}`, content: i % 2 ? { n: i } : null } })));
  const changed = answers.filter((r) => [200, 201].includes(r.status) && r.data.changed).length;
  assert.ok(answers.some((r) => r.status === 422));
  assert.equal((await log(x)).filter((r) => ['write', 'update'].includes(r.action)).length, changed);
});

test('after 90 days the job lets go', async () => {
  const x = await make();
  await put(x, 'k', 1);
  await sql(`UPDATE access_log SET created_at = created_at - INTERVAL 91 DAY WHERE space_id = '${x.id}' AND action = 'write'`);
  await expectStatus(202, 'POST', '/api/v1/jobs/access_log_cleanup/run', { token: account.owner, body: {} });
  await settled(account.slug, { parts: ['runs', 'queue'] });
  await logged(x, '', (r) => !r.some((e) => e.action === 'write'));
  assert.deepEqual((await log(x)).map((r) => r.action), ['create']);
});
