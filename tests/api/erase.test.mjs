// Memories leave: forgetting takes what stands on them alone and comes back as one; erasing leaves no trace but a receipt.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { BASE2, call, expectStatus, freshAccount, freshAgent, freshUser, settled, unique } from './client.mjs';
import { sql } from './db.mjs';

const M = '/api/v1/memory', F = '/api/v1/facts', E = '/api/v1/erasures';
const redis = async (...args) => (await promisify(execFile)('redis-cli', ['-s', process.env.LOCI_REDIS_SOCKET, '--raw', ...args], { maxBuffer: 1 << 28 })).stdout;
let account, accountId, ann, bob, space;

before(async () => {
  account = await freshAccount();
  accountId = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data.account_id;
  [ann, bob] = [await freshAgent(account), await freshAgent(account)];
  space = await shared();
});

async function shared() {
  const s = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: account.owner, body: { kind: 'context', name: 'shared', slug: unique('shared') } })).data;
  for (const a of [ann, bob]) await expectStatus(201, 'POST', `/api/v1/spaces/${s.id}/grants`, { token: account.owner, body: { grantee_kind: 'agent', grantee_id: a.id, level: 'write' } });
  return s;
}
const name = () => `Z${unique('oe').replace('-', '')}`;
const read = () => settled(account.slug);
const capture = async (content, more = {}, token = ann.token) => (await expectStatus(200, 'POST', `${M}/capture`, { token, body: { content, target_namespace: space.id, ...more } })).data.episode_id;
const facts = async (subject, more = 'mode=history') => (await expectStatus(200, 'GET', `${F}?limit=100&subject=${subject}&${more}`, { token: ann.token })).data;
const found = async (query, base) => (await expectStatus(200, 'POST', '/api/v1/recall', { token: ann.token, base, body: { query, mode: 'keyword', touch: false } })).data.hits.map((h) => h.id);
const forget = async (id, body = {}, token = ann.token) => call('POST', `${M}/nodes/${id}/forget`, { token, body });
const unforget = async (id, body = {}, token = ann.token) => call('POST', `${M}/nodes/${id}/unforget`, { token, body });
const dry = async (body) => (await expectStatus(200, 'POST', E, { token: account.owner, body: { reason: 'asked for', ...body } })).data;
async function erase(body) {
  const { confirm } = await dry(body);
  return (await expectStatus(200, 'POST', E, { token: account.owner, body: { reason: 'asked for', ...body, dry_run: false, confirm } })).data;
}

// ---- forgetting

test('forgetting takes a fresh, pinned memory and what stands on it alone, on both workers at once; unforget brings exactly that back', async () => {
  const who = name(), one = await capture(`${who} is based in Oslo.`), two = await capture(`${who} is based in Oslo. That is certain.`, {}, bob.token), only = await capture(`${who} works at Fjordwerk.`);
  await read();
  const [shared_, alone] = (await facts(who, '')).sort((a, b) => a.predicate.localeCompare(b.predicate));
  assert.deepEqual([shared_.predicate, alone.predicate], ['based_in', 'works_at']);
  await expectStatus(200, 'POST', `/api/v1/nodes/${only}/pin`, { token: ann.token });
  const first = await forget(only, { reason: 'no longer mine' });
  assert.deepEqual([first.status, first.data.nodes, first.data.already_forgotten], [200, 2, false], first.text);
  for (const base of [undefined, BASE2]) assert.ok(!(await found(who, base)).some((id) => id === only || id === alone.id));
  assert.equal((await forget(only)).data.already_forgotten, true);
  assert.equal((await forget(one)).data.nodes, 1, 'the fact has another source');
  assert.equal((await forget(two, {}, bob.token)).data.nodes, 2, 'now it has none');
  assert.deepEqual(await facts(who), []);
  assert.equal((await unforget(only)).data.nodes, 2);
  assert.deepEqual((await facts(who)).map((f) => [f.id, f.status]), [[alone.id, 'active']]);
  assert.equal((await unforget(only)).status, 404, 'there is nothing left to take back');
  assert.equal((await forget(only, {}, (await freshAgent(account)).token)).status, 404);
});

test('new evidence brings a forgotten fact back, unless that was blocked', async () => {
  const who = name(), one = await capture(`${who} is based in Turku.`);
  await read();
  const [fact] = await facts(who);
  await forget(one);
  assert.deepEqual(await facts(who), []);
  await capture(`It is true that ${who} is based in Turku. ${who} is based in Turku.`);
  await read();
  assert.deepEqual((await facts(who)).map((f) => f.id), [fact.id]);
  const other = name(), two = await capture(`${other} is based in Pori.`);
  await read();
  const blocked = await forget(two, { block_relearn: true });
  await capture(`As said, all of it again. ${other} is based in Pori.`);
  await read();
  assert.deepEqual(await facts(other), []);
  const said = await call('POST', F, { token: ann.token, body: { namespace: space.id, subject: other, predicate: 'based_in', object: 'Pori' } });
  assert.deepEqual([said.status, said.body.errors?.[0]?.reason ?? said.text.includes('suppressed')], [409, said.body.errors?.[0]?.reason ?? true]);
  await unforget(two, { op_id: blocked.data.op_id });
  await expectStatus(200, 'POST', F, { token: ann.token, body: { namespace: space.id, subject: other, predicate: 'based_in', object: 'Pori' } });
});

// ---- erasing

// Every column of every table that holds one of these texts, but receipts.
async function traces(words) {
  const columns = await sql(`SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'loci' AND table_name NOT IN ('erase_receipt', 'erase_item')`);
  const parts = columns.map(([t, k, type]) => {
    const value = type === 'uuid' ? `CAST(\`${k}\` AS CHAR)` : `CAST(\`${k}\` AS BINARY)`;
    return `SELECT '${t}.${k}' FROM \`${t}\` WHERE ${words.map((w) => `LOCATE(CAST('${w}' AS BINARY), CAST(${value} AS BINARY)) > 0`).join(' OR ')} LIMIT 1`;
  });
  const hit = [];
  for (let i = 0; i < parts.length; i += 60) hit.push(...(await sql(parts.slice(i, i + 60).map((p) => `(${p})`).join(' UNION ALL '))).map(([where]) => where));
  return hit;
}

async function redisTraces(words) {
  const keys = (await redis('--scan', '--pattern', `loci:{${accountId}}:*`)).split('\n').filter(Boolean);
  const hit = [];
  for (const key of keys) {
    const type = (await redis('TYPE', key)).trim();
    const ask = { string: ['GET', key], hash: ['HGETALL', key], set: ['SMEMBERS', key], zset: ['ZRANGE', key, '0', '-1'], list: ['LRANGE', key, '0', '-1'], stream: ['XRANGE', key, '-', '+'] }[type];
    const text = key + (ask ? await redis(...ask) : '');
    if (words.some((w) => text.includes(w))) hit.push(key);
  }
  return hit;
}

async function exported() {
  const { id } = (await expectStatus(201, 'POST', '/api/v1/exports?with_vectors=true&with_audit=true', { token: account.owner })).data;
  await settled(account.slug, { parts: ['queue'], kinds: ['export'] });
  return (await call('GET', `/api/v1/exports/${id}/download`, { token: account.owner, check: false })).text;
}

test('an erased episode leaves no row, vector, index entry, Redis key, event or export with its text or id', async () => {
  const who = name(), secret = unique('word').replace('-', ''), text = `The ${secret} is blue, they said, and that is all. ${who} works at Hafenamt${secret}.`;
  const id = await capture(text), key = unique('key');
  await expectStatus(200, 'POST', F, { token: ann.token, headers: { 'Idempotency-Key': key }, body: { namespace: space.id, content: `Note of the ${secret}.`, topic: 'harbour', source_observation_ids: [id] } });
  await read();
  assert.ok((await found(secret)).includes(id), 'served, so that it is known as an echo');
  const derived = [id, ...(await facts(who)).map((f) => f.id), ...(await facts(who)).map((f) => f.subject_id)];
  assert.equal(derived.length, 3);
  assert.ok((await traces([secret, ...derived])).length > 10);
  await settled(account.slug);
  const plan = await dry({ node_ids: [id] });
  assert.deepEqual([plan.dry_run, plan.receipt_id, plan.counts.kinds.episode, plan.counts.kinds.fact], [true, null, 1, 2]);
  for (const bad of [{}, { confirm: 'x' }, { confirm: plan.confirm.replace(/.$/, (x) => (x === '0' ? '1' : '0')) }])
    await expectStatus(422, 'POST', E, { token: account.owner, body: { node_ids: [id], reason: 'r', dry_run: false, ...bad } });
  const done = await erase({ node_ids: [id] });
  assert.equal(done.state, 'done');
  await settled(account.slug);
  assert.deepEqual(await traces([secret, ...derived]), []);
  assert.deepEqual(await redisTraces([secret, ...derived]), []);
  for (const base of [undefined, BASE2]) assert.deepEqual(await found(secret, base), []);
  const file = await exported();
  assert.ok(file.includes('"node"'), file.slice(0, 300));
  assert.ok(![secret, ...derived].some((w) => file.includes(w)));
  const receipt = (await expectStatus(200, 'GET', `${E}/${done.receipt_id}`, { token: account.owner })).data;
  assert.deepEqual([receipt.is_genuine, receipt.receipt.left_over.rows, receipt.items.some((i) => i.node_id === id)], [true, 0, true]);
  assert.ok(!JSON.stringify(receipt).includes(secret));
  await sql(`UPDATE erase_receipt SET reason = 'another' WHERE id = '${done.receipt_id}'`);
  assert.equal((await expectStatus(200, 'GET', `${E}/${done.receipt_id}`, { token: account.owner })).data.is_genuine, false);
  await expectStatus(404, 'GET', `/api/v1/nodes/${id}`, { token: ann.token });
});

test('a fact with two sources survives, worded by the other; a name that only the erased text had goes', async () => {
  const who = name(), alias = who.toUpperCase();
  const one = await capture(`${alias} IS based in Lund.`), two = await capture(`${who} is based in Lund, as everybody knows.`, {}, bob.token);
  await read();
  const [fact] = await facts(who);
  assert.equal(fact.author_count, 2);
  const plan = await dry({ node_ids: [one] });
  assert.ok(plan.spared >= 1 && plan.counts.kinds.fact === undefined, JSON.stringify(plan));
  await erase({ node_ids: [one] });
  const [left] = await facts(who);
  assert.deepEqual([left.id, left.author_count, left.status], [fact.id, 1, 'active']);
  assert.ok(!left.statement.includes(alias), left.statement);
  const { claims } = (await expectStatus(200, 'GET', `${F}/${fact.id}/history`, { token: ann.token })).data;
  assert.deepEqual(claims.map((k) => k.source_id), [two]);
});

test('a superseded value whose successor is erased is believed again', async () => {
  const who = name();
  await capture(`${who} is based in Kiel.`, { captured_at: '2024-01-01T00:00:00Z' });
  const later = await capture(`${who} is based in Bonn.`, { captured_at: '2024-02-01T00:00:00Z' });
  await read();
  assert.deepEqual((await facts(who, '')).map((f) => f.object), ['Bonn']);
  await erase({ node_ids: [later] });
  assert.deepEqual((await facts(who)).map((f) => [f.object, f.status, f.valid_to, f.superseded_by]), [['Kiel', 'active', null, null]]);
});

test('an entity goes with its facts, and with the episodes that mention it where that is asked', async () => {
  const who = name(), id = await capture(`${who} is based in Brest. The weather was fine.`);
  await read();
  const [{ subject_id }] = await facts(who);
  const plan = await dry({ entity_id: subject_id });
  assert.equal(plan.counts.kinds.episode, undefined);
  const all = await erase({ entity_id: subject_id, include_episodes: true });
  assert.equal(all.counts.kinds.episode, 1);
  await expectStatus(404, 'GET', `/api/v1/entities/${subject_id}`, { token: ann.token });
  await expectStatus(404, 'GET', `${M}/episodes/${id}`, { token: ann.token });
  assert.equal(await capture(`${who} is based in Brest. The weather was fine.`) === id, false, 'the same text is new');
});

test('older states go with a note; a node that stands for something else is refused', async () => {
  const word = unique('lynx').replace('-', '');
  const note = (await expectStatus(201, 'POST', '/api/v1/nodes', { token: ann.token, body: { space_id: space.id, kind: 'note', title: 'n', body: `${word} one` } })).data;
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${note.id}`, { token: ann.token, body: { body: `${word} two` } });
  assert.equal((await erase({ node_ids: [note.id] })).nodes, 2);
  assert.deepEqual(await traces([word, note.id]), []);
});

test('who does not manage every space that is touched erases nothing', async () => {
  const id = await capture(`${name()} is based in Metz.`);
  await expectStatus(403, 'POST', E, { token: ann.token, body: { node_ids: [id], reason: 'r' } });
  const role = unique('eraser');
  await expectStatus(201, 'POST', '/api/v1/roles', { token: account.owner, body: { name: role, description: 'r', permissions: ['memory.read', 'memory.write', 'erase.run'] } });
  const eve = await freshUser(account, role), [[eveId]] = await sql(`SELECT id FROM user WHERE role = '${role}'`);
  await expectStatus(404, 'POST', E, { token: eve.token, body: { node_ids: [id], reason: 'r' } });
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token: account.owner, body: { grantee_kind: 'user', grantee_id: eveId, level: 'read' } });
  const r = await expectStatus(409, 'POST', E, { token: eve.token, body: { node_ids: [id], reason: 'r' } });
  assert.ok(!r.text.includes(id));
  assert.equal((await expectStatus(200, 'GET', `${M}/episodes/${id}`, { token: ann.token })).data.id, id);
});

test('of more than 2,000 memories all are hidden at once, and a task erases them slice by slice', async () => {
  const word = unique('swarm').replace('-', ''), lines = Array.from({ length: 5100 }, (_, i) => JSON.stringify({ space_id: space.id, title: `${word} ${i}` })).join('\n');
  const root = await capture(`${word} is where it began, and that is all of it.`);
  await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token: account.owner, raw: lines, headers: { 'Content-Type': 'application/x-ndjson' } });
  await sql(`INSERT INTO edge (account_id, id, source_id, target_id, relation, recorded_at, updated_at)
    SELECT account_id, UUID(), id, '${root}', 'DERIVED_FROM', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM node WHERE account_id = '${accountId}' AND title LIKE '${word} %'`);
  const done = await erase({ node_ids: [root] });
  assert.deepEqual([done.state, done.nodes], ['hidden', 5101]);
  assert.deepEqual(await found(word), []);
  await settled(account.slug, { parts: ['queue'], kinds: ['erase'] });
  const { receipt, is_genuine } = (await expectStatus(200, 'GET', `${E}/${done.receipt_id}`, { token: account.owner })).data;
  assert.deepEqual([receipt.state, receipt.left_over.rows, is_genuine], ['done', 0, true]);
  assert.equal((await sql(`SELECT COUNT(*) FROM node WHERE account_id = '${accountId}' AND (title LIKE '${word}%' OR body LIKE '${word}%')`))[0][0], '0');
});
