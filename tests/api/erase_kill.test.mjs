// Processes killed in the middle of an erasure: after the restart it is at its end, or had never begun; and where deleted bytes are left in
// MariaDB's files, before and after compaction.
import assert from 'node:assert/strict';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call, expectStatus, freshAccount, moveClock, settled, stack, unique, until } from './client.mjs';
import { sql } from './db.mjs';

const E = '/api/v1/erasures', MANY = Number(process.env.LOCI_ERASE_MANY ?? 6000);
let account, accountId, space, token;

before(async () => {
  account = await freshAccount();
  token = account.owner;
  accountId = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data.account_id;
  space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { kind: 'context', name: 'shared', slug: unique('shared') } })).data;
});
after(async () => { await stack('start'); });

const ready = () => call('GET', '/readyz', { check: false }).then((r) => r.status === 200, () => false);
const capture = async (content) => (await expectStatus(200, 'POST', '/api/v1/memory/capture', { token, body: { content, target_namespace: space.id } })).data.episode_id;
const plan = async (id) => (await expectStatus(200, 'POST', E, { token, body: { node_ids: [id], reason: 'asked for' } })).data;
const erase = (id, confirm) => call('POST', E, { token, check: false, body: { node_ids: [id], reason: 'asked for', dry_run: false, confirm } });
const left = async (word) => Number((await sql(`SELECT COUNT(*) FROM node WHERE account_id = '${accountId}' AND (title LIKE '%${word}%' OR body LIKE '%${word}%')`))[0][0]);

// n notes that were made of one episode.
async function swarm(word, n) {
  const root = await capture(`${word} is where it began, and that is all of it.`);
  for (let i = 0; i < n; i += 5000) {
    const lines = Array.from({ length: Math.min(5000, n - i) }, (_, k) => JSON.stringify({ space_id: space.id, title: `${word} ${i + k}` })).join('\n');
    await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token, raw: lines, headers: { 'Content-Type': 'application/x-ndjson' } });
  }
  await sql(`INSERT INTO edge (account_id, id, source_id, target_id, relation, recorded_at, updated_at)
    SELECT account_id, UUID(), id, '${root}', 'DERIVED_FROM', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM node WHERE account_id = '${accountId}' AND title LIKE '${word} %'`);
  return root;
}

test('the scheduler is killed again and again while thousands of memories are erased: all of them go, and the receipt is whole', async (t) => {
  const word = unique('swarm').replace('-', ''), root = await swarm(word, MANY);
  const { confirm } = await plan(root), answer = await erase(root, confirm), done = answer.data;
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([done.state, done.nodes], ['hidden', MANY + 1]);
  const seen = [];
  for (let round = 0; round < 3; round++) {
    const was = await left(word);
    if (!was) break;
    seen.push(was);
    await until('a slice to go', async () => (await left(word)) < was, { tries: 1200 });
    await stack('kill', 'scheduler');
    await stack('start', 'scheduler');
    await moveClock('10m');                               // the lease of the dead ends
  }
  await until('the receipt to be whole', async () => (await expectStatus(200, 'GET', `${E}/${done.receipt_id}`, { token })).data.receipt.state === 'done', { tries: 4800 });
  t.diagnostic(`memories before each kill: ${seen.join(', ')}`);
  assert.ok(seen.length > 1, 'it was killed in its middle');
  const { receipt, is_genuine } = (await expectStatus(200, 'GET', `${E}/${done.receipt_id}`, { token })).data;
  assert.deepEqual([receipt.state, receipt.nodes, receipt.left_over.rows, is_genuine], ['done', MANY + 1, 0, true]);
  assert.equal(await left(word), 0);
});

test('loci-web is killed in the transaction of an erasure: all is gone with a receipt, or all is there without one', async (t) => {
  const outcomes = [];
  for (const wait of [0, 60, 400]) {
    const word = unique('flock').replace('-', ''), root = await swarm(word, 600);
    const { confirm } = await plan(root), before_ = (await expectStatus(200, 'GET', `${E}?limit=100`, { token })).data.length;
    const answer = erase(root, confirm).catch(() => null);
    await new Promise((go) => { setTimeout(go, wait); });
    await stack('kill', 'web');
    await answer;
    await stack('start', 'web');
    await until('readiness', ready, { tries: 2400 });
    const n = await until('the transaction to end', async () => { const k = await left(word); return [0, 601].includes(k) && `${k}`; });
    const receipts = (await expectStatus(200, 'GET', `${E}?limit=100`, { token })).data.length - before_;
    outcomes.push(n);
    assert.equal(receipts, n === '0' ? 1 : 0, `${n} left, ${receipts} receipts`);
    if (n === '0') continue;
    assert.equal((await erase(root, (await plan(root)).confirm)).data.state, 'done');
    assert.equal(await left(word), 0);
  }
  t.diagnostic(`left after the kill: ${outcomes.join(', ')}`);
});

// In which files of MariaDB the bytes stand.
async function files(dir, needle) {
  const hit = [];
  for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name), file = await open(path);
    const part = Buffer.alloc(1 << 24);
    for (let at = 0, n; (n = (await file.read(part, 0, part.length, at)).bytesRead) > 0; at += Math.max(1, n - needle.length)) {
      if (part.subarray(0, n).includes(needle)) { hit.push(path.slice(dir.length).replace(/^\//, '')); break; }
      if (n <= needle.length) break;
    }
    await file.close();
  }
  return hit.sort();
}

// Pages that were changed stand in the files.
async function flushed() {
  await sql('SET GLOBAL innodb_max_dirty_pages_pct_lwm = 0; SET GLOBAL innodb_max_dirty_pages_pct = 0');
  await until('pages to be written', async () => Number((await sql("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'"))[0][1]) === 0, { tries: 1200 });
}

test('the raw files: what an erased text leaves until compaction, and nothing in the tables after it', async (t) => {
  const secret = `raw${unique('word').replace('-', '')}`, id = await capture(`The ${secret} is blue. ${secret} works at Hafenamt.`);
  await settled(account.slug, { parts: ['queue'], kinds: ['consolidate'] });
  const [[dir]] = await sql('SELECT @@datadir'), needle = Buffer.from(secret);
  await flushed();
  const before_ = await files(dir, needle);
  assert.ok(before_.some((f) => /node\.ibd$/.test(f)), before_.join(' '));
  assert.equal((await erase(id, (await plan(id)).confirm)).data.state, 'done');
  await sql('SET GLOBAL innodb_max_purge_lag_wait = 0');   // rows that are deleted are taken out of the pages
  await flushed();
  const deleted = await files(dir, needle);
  const tables = [...new Set(deleted.filter((f) => /^loci\/\w+\.ibd$/.test(f)).map((f) => f.slice(5, -4)))];
  for (const table of tables) await sql(`ALTER TABLE \`${table}\` FORCE`);
  await flushed();
  const compact = await files(dir, needle);
  t.diagnostic(`before: ${before_.join(' ')}`);
  t.diagnostic(`erased: ${deleted.join(' ')}`);
  t.diagnostic(`compacted: ${compact.join(' ')}`);
  assert.deepEqual(compact.filter((f) => f.endsWith('.ibd') || f.endsWith('.frm')), [], 'no table has it');
  assert.ok(compact.every((f) => /^(ib_logfile\d+|undo\d+|ibdata1|ibtmp1|.*\.(0|\d{6}))$/.test(f)), compact.join(' '));
});
