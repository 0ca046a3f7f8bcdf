// What must be true after a fault: every acknowledged write is there once and in order, all nodes of MariaDB say the same, no job ran twice,
// and both web hosts recall the same.
import { DBS, ctl, sql, until } from './cluster.mjs';
import { ask } from './client.mjs';

const HOSTS = ['http://127.0.0.31:8080', 'http://127.0.0.32:8080'];
const short = (list) => list.slice(0, 3).join('; ');

// Integers in the shared nodes: each once, those of a client in its order, none missing below the last acknowledged one.
function checkLists(load, rows, bad) {
  const seen = load.appended.map(() => []);
  const ordered = rows.filter(([t]) => t.startsWith(`${load.name} list `)).map(([t, , body]) => [t.split(' ').pop().split('.').map(Number), body]).sort((a, b) => a[0][1] - b[0][1]);
  for (const [, body] of ordered) for (const word of body.split(' ').slice(1)) { const [who, n] = word.split(':').map(Number); seen[who].push(n); }
  seen.forEach((got, who) => {
    const have = new Set(got);
    for (let n = 1; n <= load.appended[who]; n++) if (!have.has(n)) bad.lost.push(`integer ${who}:${n}`);
    if (have.size < got.length) bad.doubled.push(`integers of ${who}: ${got.length - have.size} twice`);
    if (got.some((n, i) => i && n <= got[i - 1])) bad.wrong.push(`integers of ${who} out of order`);
  });
}

function checkCreated(load, rows, bad) {
  const ids = new Map();
  for (const [title, id] of rows) ids.set(title, [...(ids.get(title) ?? []), id]);
  for (const [title, id] of load.created) {
    const found = ids.get(title) ?? [];
    if (!found.length) bad.lost.push(title);
    else if (found[0] !== id) bad.wrong.push(`${title} has another id`);
  }
  for (const [title, found] of ids) if (found.length > 1) bad.doubled.push(title);
}

// The counter is what was acknowledged; so is the sum that was changed by compare-and-set.
function checkPool(load, entries, pool, bad) {
  const value = (key) => JSON.parse(entries.find(([k]) => k === key)?.[1] ?? 'null');
  const count = (what, have, want) => {
    if (have < want) bad.lost.push(`${what}: ${have} of ${want}`);
    if (have > want) bad.doubled.push(`${what}: ${have} instead of ${want}`);
  };
  count('counter', value('count') ?? 0, load.added);
  for (const k of [0, 1]) {
    const mine = load.cas.map((n, who) => [n, who]).filter(([, who]) => who % 2 === k);
    count(`sum of cas${k}`, value(`cas${k}`)?.sum ?? 0, mine.reduce((a, [n]) => a + n, 0));
  }
  if (Number(pool[0]) !== entries.length) bad.wrong.push(`the pool counts ${pool[0]} keys and has ${entries.length}`);
}

const NODES = (account, name) => `SELECT title, id, body FROM node WHERE account_id = '${account}' AND status = 'active' AND title LIKE '${name}%' ORDER BY id`;

export async function check(load, account) {
  const bad = { lost: [], doubled: [], wrong: load.wrong.splice(0) };
  const states = await Promise.all(DBS.map((db) => sql(db, `SET SESSION wsrep_sync_wait = 1; ${NODES(account.id, load.name)}`)));
  const rows = states[0];
  const texts = states.map((s) => JSON.stringify(s));
  if (new Set(texts).size > 1) bad.wrong.push('the nodes of MariaDB have different rows');
  checkLists(load, rows, bad);
  checkCreated(load, rows, bad);
  const entries = await sql('db2', `SET SESSION wsrep_sync_wait = 1; SELECT entry_key, value FROM pool_entry WHERE account_id = '${account.id}' AND space_id = '${load.poolId}' AND deleted_at IS NULL`);
  checkPool(load, entries, (await sql('db3', `SET SESSION wsrep_sync_wait = 1; SELECT key_count FROM pool WHERE account_id = '${account.id}' AND space_id = '${load.poolId}'`))[0], bad);
  const twice = await sql('db1', "SELECT job_name, fire_at, COUNT(*) FROM job_run WHERE top = 1 AND `trigger` <> 'manual' AND status IN ('running', 'succeeded', 'partial') GROUP BY job_name, fire_at HAVING COUNT(*) > 1");
  if (twice.length) bad.doubled.push(`jobs that ran twice: ${short(twice.map((r) => r.join(' ')))}`);
  await sameRecall(load, account, bad);
  return bad;
}

// Both hosts find the same, once all vectors are made. Which nodes waited in a process that was killed, only this job knows; it comes
// every ten minutes by itself.
async function sameRecall(load, account, bad) {
  await ctl('job', 'run', 'embedding_backfill', '--account', account.slug);
  await until('the end of all vectors', async () => (await ask(HOSTS[0], account.operator, 'GET', `/api/v1/system/settled?account=${account.slug}&wait_s=20&parts=vectors&parts=queue&parts=runs`, { timeout: 25000 })).data?.settled, 6)
    .catch((e) => bad.wrong.push(e.message));
  for (const query of ['what 1 noted as number 1000003', 'begin', 'what 2 noted']) {
    const found = await Promise.all(HOSTS.map((host) => ask(host, load.token, 'POST', '/api/v1/recall', { body: { query, touch: false, limit: 10 }, timeout: 10000 })));
    const ids = found.map((r) => r.data?.hits?.map((h) => `${h.id.slice(-6)} ${h.score}`).join(', ') ?? `${r.status} ${r.text.slice(0, 80)}`);
    const order = found.map((r) => r.data?.hits?.map((h) => h.id).join(' '));
    if (order[0] !== order[1] || found[0].status !== 200) bad.wrong.push(`the hosts recall differently: ${query}: ${ids.join(' / ')}`);
  }
}
