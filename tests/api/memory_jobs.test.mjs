// The jobs of memory, all of them: run twice is run once, and one that fails half-way says so, leaves what it did whole, and
// does the rest as soon as it can (jobs, points 10, 11 and 27 of section 10).
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { BASE, BASE2, call, expectStatus, freshAccount, runEnded, stack, unique, until, settled as waitSettled } from './client.mjs';
import { pauseJobs, resumeJobs, sql } from './db.mjs';

const C = '/api/v1/ai/contexts', L = '/api/v1/ai/learning', K = '/api/v1/ai/memory/shared_knowledge', P = '/api/v1/ai/memory_pools';

// In the order of a night. The clock starts none of them in a test's stack (scripts/throwaway.sh), but for what is @every: it is paused while
// this file runs.
const NIGHT = ['access_log_cleanup', 'learning_decay', 'learning_promotion', 'memory_consolidation', 'memory_decay', 'memory_dedup', 'rot_detection',
  'shared_knowledge_maintenance', 'junk_audit', 'context_cleanup', 'pool_cleanup', 'short_term_cleanup', 'expired_cleanup', 'embedding_backfill'];
const CONTINUOUS = ['expired_cleanup', 'short_term_cleanup', 'pool_cleanup'];

const LEFT = 'It was left without a vector';
const traps = new Set();
let spoiled, twin, piece;      // one in which something fails, one like it in which nothing does, one for what is done in one piece
before(async () => {
  [spoiled, twin, piece] = await Promise.all([house(), house(), house()]);
  await pauseJobs(...CONTINUOUS);
});
after(async () => {
  for (const name of traps) await sql(`DROP TRIGGER IF EXISTS ${name}`);
  await resumeJobs(...CONTINUOUS);
  await stack('start');
});

// An account in which every job has something to do; wants: of which jobs.
async function house() {
  const account = await freshAccount(), { owner, token } = account;
  const { id: agent, account_id: id } = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
  const post = async (path, body, status = 201, as = owner) => (await expectStatus(status, 'POST', path, { token: as, body })).data;
  const job = async (name, body = {}) => {
    const { id: run } = await post(`/api/v1/jobs/${name}/run`, body, 202);
    return runEnded(account, run);
  };
  const context = async (name) => (await post(C, { name, scope: 'account' })).id;
  const entry = async (x, entry_key, text, more = {}) => (await post(`${C}/${x}/entries`, { entry_key, content: { text }, ...more })).id;
  const learn = async (content, more = {}, as = owner) => (await post(`${L}/learnings`, { content, scope: 'global', ...more }, 200, as)).learning.id;
  const know = async (title) => (await post(K, { title, content: `${title} is all there is to say of it.`, access_level: 'global' })).id;
  return { ...account, id, agent, post, job, context, entry, learn, know };
}
const did = (run) => run.changed > 0 || Object.values(run.counts).some((n) => n > 0);      // junk_audit and embedding_backfill change no memory
const list = (ids) => `(${[ids].flat().map((i) => `'${i}'`)})`;
const age = (ids, days) => sql(`UPDATE node SET created_at = created_at - INTERVAL ${days} DAY, updated_at = updated_at - INTERVAL ${days} DAY,
  decayed_at = decayed_at - INTERVAL ${days} DAY, last_access_at = NULL WHERE id IN ${list(ids)}`);
const THINGS = ['the lock of the granary', 'the third bell of the tower', 'a barrel of lamp oil', 'the map of the southern shore', 'our oldest fishing net',
  'the ledger of the mill', 'every rope on the quay', 'the key of the salt cellar'];

// rows of short-term memory, as if they had been read so often, and lived on until then.
async function shortTerm(h, rows) {
  for (const [key, reads, left] of rows)
    await h.post(`/api/v1/ai/agents/${h.agent}/tiered_memory`, { key, value: `What is kept of ${key}.`, type: 'observation' }, 200, h.token);
  for (const [key, reads, left] of rows)
    await sql(`UPDATE short_term_memory SET access_count = ${reads}, expires_at = UTC_TIMESTAMP(6) + INTERVAL ${left} SECOND WHERE agent_id = '${h.agent}' AND memory_key = '${key}'`);
}

// Per job: what it finds; plants it and resolves to the ids that it concerns.
const PLANT = {
  async access_log_cleanup(h) {
    const x = await h.context('read often');
    for (let i = 0; i < 4; i++) await h.entry(x, `k${i}`, THINGS[i]);
    await waitSettled(h.slug, { parts: ['uses'] });
    assert.ok((await sql(`SELECT 1 FROM access_log WHERE space_id = '${x}'`)).length >= 4);
    await sql(`UPDATE access_log SET created_at = created_at - INTERVAL 91 DAY WHERE space_id = '${x}'`);
  },
  async learning_decay(h) {
    const ids = [];
    for (const t of THINGS.slice(0, 4)) ids.push(await h.learn(`Once a year somebody paints ${t}.`));
    await age(ids, 60);
    await sql(`UPDATE node SET importance = 0.1 WHERE id = '${ids[0]}'`);
    return ids;
  },
  async learning_promotion(h) {
    const team = (await h.post('/api/v1/teams', { slug: unique('team'), name: 'T' })).id, ids = [];
    await expectStatus(200, 'PUT', `/api/v1/teams/${team}/members/${h.agent}`, { token: h.owner, body: {} });
    for (const t of THINGS.slice(4, 7)) ids.push(await h.learn(`It is the cook who knows where to find ${t}.`, { scope: 'team', team_id: team, importance_score: 0.9 }, h.token));
    await sql(`UPDATE node SET access_count = 3 WHERE id IN ${list(ids)}`);
    await expectStatus(200, 'PATCH', '/api/v1/account', { token: h.owner, body: { settings: { learning: { auto_global: true } } }, headers: { 'If-Match': '*' } });
    return ids;
  },
  async memory_consolidation(h) {
    await shortTerm(h, [['one', 3, 3600], ['two', 4, 3600], ['three', 5, -60], ['little used', 1, 3600]]);
  },
  async memory_decay(h) {
    const x = await h.context('fading'), ids = [];
    for (const t of THINGS.slice(0, 4)) ids.push(await h.entry(x, t, `Nobody has asked for ${t} this year.`, { decay_rate: 0.02 }));
    await age(ids, 20);
    const pool = (await h.post(P, { name: 'p' })).id;
    await expectStatus(200, 'PUT', `${P}/${pool}/data/k`, { token: h.owner, body: { value: 1 } });
    const [[key]] = await sql(`SELECT node_id FROM pool_entry WHERE space_id = '${pool}'`);
    await age(key, 20);
    await sql(`UPDATE node SET decay_rate = 0.02 WHERE id = '${key}'`);
    return ids;
  },
  async memory_dedup(h) {
    const x = await h.context('said twice'), ids = [];
    for (const t of THINGS.slice(0, 3)) {
      ids.push(await h.entry(x, `${t} a`, `The harbour master keeps ${t} in the shed behind the church.`));
      await h.entry(x, `${t} b`, `The harbour master keeps ${t} in the shed behind the church.`);
    }
    await h.entry(x, 'budget a', 'The budget for new sails is 100 crowns.');
    await h.entry(x, 'budget b', 'The budget for new sails is 200 crowns.');
    await until('their vectors', async () => (await sql(`SELECT 1 FROM vector v JOIN node n ON n.account_id = v.account_id AND n.id = v.node_id WHERE n.space_id = (SELECT space_id FROM entry WHERE node_id = '${ids[0]}')`)).length >= 8);
    return ids;
  },
  async rot_detection(h) {
    const x = await h.context('rotting'), ids = [];
    for (const t of THINGS.slice(4, 8)) ids.push(await h.entry(x, t, `In spring they looked for ${t} and did not find it.`));
    await age(ids, 95);
    const listed = await h.entry(x, 'listed', 'The ferryman hums.');
    await age(listed, 60);
    return ids;
  },
  async shared_knowledge_maintenance(h) {
    const ids = [];
    for (const t of THINGS.slice(0, 3)) ids.push(await h.know(t));
    await sql(`UPDATE knowledge SET last_quality_recalc_at = last_quality_recalc_at - INTERVAL 25 HOUR, quality_score = 0 WHERE id IN ${list(ids)}`);
    ids.push(await h.learn('Always sound the horn twice in fog.', { importance_score: 0.9 }));
    return ids;
  },
  async junk_audit(h) {
    const { id: x } = await h.post('/api/v1/spaces', { kind: 'context', name: 'junk', slug: unique('junk') });
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await h.post('/api/v1/nodes', { space_id: x, kind: 'note', title: 'copy', body: 'The same sentence stands here three times over.', allow_duplicate: true })).id);
    ids.push((await h.post('/api/v1/nodes', { space_id: x, kind: 'note', title: 'short', body: 'Hm' })).id);
    return ids;
  },
  async context_cleanup(h) {
    const x = await h.context('gone');
    for (let i = 0; i < 3; i++) await h.entry(x, `k${i}`, THINGS[i]);
    await embedded(h);                       // what is on its way comes into a deleted context, too
    await expectStatus(204, 'DELETE', `${C}/${x}`, { token: h.owner });
    await sql(`UPDATE space SET deleted_at = deleted_at - INTERVAL 31 DAY WHERE id = '${x}'`);
    return (await sql(`SELECT id FROM node WHERE space_id = '${x}'`)).map(([id]) => id);
  },
  async pool_cleanup(h) {
    const pool = (await h.post(P, { name: 'short of time' })).id;
    for (let i = 0; i < 4; i++) await expectStatus(200, 'PUT', `${P}/${pool}/data/k${i}`, { token: h.owner, body: { value: i, ttl_seconds: 60 } });
    const ids = (await sql(`SELECT node_id FROM pool_entry WHERE space_id = '${pool}'`)).map(([id]) => id);
    await sql(`UPDATE pool_entry SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE space_id = '${pool}'`);
    return ids;
  },
  async short_term_cleanup(h) {
    await shortTerm(h, [['idle one', 0, -1], ['idle two', 1, -1], ['lives', 1, 3600]]);
    return (await sql(`SELECT id FROM short_term_memory WHERE agent_id = '${h.agent}' AND memory_key LIKE 'idle%'`)).map(([id]) => id);
  },
  async expired_cleanup(h) {
    const x = await h.context('over'), ids = [];
    for (let i = 0; i < 4; i++) ids.push(await h.entry(x, `k${i}`, `Its time was over: ${THINGS[i]}.`, { expires_at: new Date(Date.now() + 3600e3) }));
    await embedded(h);
    await sql(`UPDATE node SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE id IN ${list(ids)}`);
    return ids;
  },
  async embedding_backfill(h) {
    const x = await h.context('without vectors'), ids = [];
    for (let i = 0; i < 3; i++) ids.push(await h.entry(x, `k${i}`, `${LEFT}: ${THINGS[i]}.`));
    await until('their vectors', async () => (await sql(`SELECT 1 FROM vector WHERE node_id IN ${list(ids)}`)).length === 3);
    await sql(`DELETE FROM vector WHERE node_id IN ${list(ids)}; DELETE FROM task WHERE account_id = '${h.id}' AND kind = 'embed'; UPDATE node SET updated_at = UTC_TIMESTAMP(6) WHERE id IN ${list(ids)}`);
    return ids;
  },
};

// All of the account's rows but those of the queue, of runs and that they were asked for, and of what the relay makes of news; table by table.
const SKIP = new Set(['job_state', 'job_run', 'task', 'task_group', 'event_batch', 'event_stream']), OWN = { audit_event: " AND kind NOT LIKE 'job.%'", outbox: " AND kind NOT LIKE 'job.%'" };
const MOVING = /,`(published_at|last_used_at|last_ip|found_at|value)`/g;       // staleness grows by the second
async function everything(id) {
  const columns = await sql(`SELECT table_name, GROUP_CONCAT(CONCAT('\`', column_name, '\`') ORDER BY ordinal_position) FROM information_schema.columns
    WHERE table_schema = 'loci' GROUP BY table_name HAVING SUM(column_name = 'account_id') > 0`);
  const parts = columns.filter(([t]) => !SKIP.has(t)).map(([t, c]) => `SELECT '@${t}'; SELECT ${['token', 'outbox', 'memory_finding'].includes(t) ? c.replace(MOVING, '') : c} FROM \`${t}\` WHERE account_id = '${id}'${OWN[t] ?? ''} ORDER BY ${c.split(',').slice(0, 4)}`);
  const out = {};
  let now;
  for (const row of await sql(parts.join('; '))) {
    if (row.length === 1 && row[0][0] === '@') now = out[row[0].slice(1)] = createHash('sha256');
    else now.update(`${row.join('\t')}\n`);
  }
  return Object.fromEntries(Object.entries(out).map(([t, hash]) => [t, hash.digest('hex').slice(0, 12)]));
}

const quiet = (h) => until('the queue to be empty', async () => (await sql(`SELECT 1 FROM task WHERE account_id = '${h.id}' AND status IN ('ready','running') AND kind <> 'slice' LIMIT 1`)).length === 0, { tries: 1200 });

// A vector may come a moment after its text (but for those that a plant took away), and without a task of the queue: loci-web makes them behind its answers.
const embedded = (h) => until('all vectors', async () => (await sql(`SELECT 1 FROM node n JOIN space s ON s.account_id = n.account_id AND s.id = n.space_id AND s.deleted_at IS NULL
  LEFT JOIN vector v ON v.account_id = n.account_id AND v.node_id = n.id WHERE n.account_id = '${h.id}' AND n.kind IN ('entry', 'learning', 'knowledge', 'note') AND n.status = 'active'
  AND (n.expires_at IS NULL OR n.expires_at > UTC_TIMESTAMP(6)) AND n.body NOT LIKE '${LEFT}%' AND (v.node_id IS NULL OR v.text_hash <> n.content_hash) LIMIT 1`)).length === 0, { tries: 1200 });

const settled = async (h) => { await quiet(h); await embedded(h); };

test('every job of memory, twice: the first run has something to do, the second changes no row of any table; another account stays as it is', { timeout: 280000 }, async () => {
  const [h, other] = [await house(), await house()];
  for (const w of [h, other])
    for (const [name, plant] of Object.entries(PLANT)) {
      if (name === 'embedding_backfill') await embedded(w);
      await plant(w);
    }
  for (const w of [h, other]) await settled(w);
  const beside = await everything(other.id);
  for (const name of NIGHT) {
    const first = await h.job(name);
    assert.deepEqual([name, first.status, first.failed], [name, 'succeeded', 0], JSON.stringify(first));
    assert.ok(did(first), `${name} had nothing to do: ${JSON.stringify(first)}`);
    await settled(h);
    const before = await everything(h.id), again = await h.job(name);
    assert.deepEqual([name, again.status, again.changed, again.failed], [name, 'succeeded', 0, 0], JSON.stringify(again));
    await settled(h);
    const now = await everything(h.id);
    assert.deepEqual(Object.keys(now).filter((t) => now[t] !== before[t]), [], name);
  }
  assert.deepEqual(await everything(other.id), beside);
});

test('more than one batch: what the first one made, the others write to', async () => {
  const h = await house(), rows = 210;
  await shortTerm(h, [['row', 3, 3600]]);
  await sql(`INSERT INTO short_term_memory (account_id, id, agent_id, memory_key, memory_value, memory_type, access_count, ttl_seconds, expires_at, content_hash, created_at, updated_at)
    SELECT account_id, UUID(), agent_id, CONCAT('row ', seq), CONCAT('"text ', seq, '"'), memory_type, 3, ttl_seconds, expires_at, content_hash, created_at, updated_at
    FROM short_term_memory JOIN seq_2_to_${rows} WHERE agent_id = '${h.agent}'`);
  const run = await h.job('memory_consolidation');
  assert.deepEqual([run.status, run.scanned, run.changed, run.failed, run.notes], ['succeeded', rows, rows, 0, []]);
  assert.deepEqual(await sql(`SELECT COUNT(*), COUNT(DISTINCT title) FROM node WHERE account_id = '${h.id}' AND kind = 'entry' AND status = 'active'`), [[String(rows), String(rows)]]);
});

test('the same rows promoted from all sides at once: by the job, by tasks, by calls on both hosts, while they expire: each is one entry', async () => {
  const h = await house(), rows = 60;
  await shortTerm(h, [['row', 3, 3600]]);
  await sql(`INSERT INTO short_term_memory (account_id, id, agent_id, memory_key, memory_value, memory_type, access_count, ttl_seconds, expires_at, content_hash, created_at, updated_at)
    SELECT account_id, UUID(), agent_id, CONCAT('row ', seq), CONCAT('"text ', seq, '"'), memory_type, IF(seq % 3, 3, 2), ttl_seconds, IF(seq % 5, expires_at, UTC_TIMESTAMP(6)), content_hash, created_at, updated_at
    FROM short_term_memory JOIN seq_2_to_${rows} WHERE agent_id = '${h.agent}'`);
  const A = `/api/v1/ai/agents/${h.agent}/tiered_memory`, now = (base) => call('POST', `${A}/consolidate`, { token: h.token, base, body: {} });
  const reads = Array.from({ length: rows }, (_, i) => call('GET', `${A}?key=${encodeURIComponent(i ? `row ${i + 1}` : "row")}&tier=short_term`, { token: h.token, base: i % 2 ? BASE : BASE2 }));
  const all = await Promise.all([h.job('memory_consolidation'), h.job('short_term_cleanup'), now(BASE), now(BASE2), now(BASE), now(BASE2), ...reads]);
  for (const r of all.slice(2)) assert.ok([200, 409].includes(r.status), r.text);
  await quiet(h);
  for (const name of ['memory_consolidation', 'short_term_cleanup']) assert.deepEqual((await h.job(name)).failed, 0);
  await quiet(h);
  // Two reads and the third, which came in time or found it expired.
  const [[due]] = await sql(`SELECT COUNT(*) FROM short_term_memory WHERE agent_id = '${h.agent}' AND access_count >= 3 AND promote_state IN ('none', 'queued', 'failed')`);
  assert.equal(due, '0');
  const made = await sql(`SELECT title, COUNT(*), MAX(version) FROM node WHERE account_id = '${h.id}' AND kind = 'entry' AND status = 'active' GROUP BY title`);
  const worth = ['row', ...Array.from({ length: rows - 1 }, (_, i) => i + 2).filter((n) => n % 3 || n % 5).map((n) => `row ${n}`)];
  assert.deepEqual(made.map(([title, n, version]) => `${title} ${n} ${version}`).sort(), worth.map((title) => `${title} 1 1`).sort());
});

// ---- half-way

// The database refuses what a statement does to that row.
async function trap(when, table, condition) {
  const name = unique('trap').replace('-', '_');
  traps.add(name);
  await sql(`DELIMITER $$\nCREATE TRIGGER ${name} ${when} ON ${table} FOR EACH ROW IF ${condition} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'a planted fault'; END IF $$`);
  return () => sql(`DROP TRIGGER ${name}`);
}

// Rows that stand alone: one of them fails, the others are done.
const ALONE = {
  learning_decay: (h, [bad]) => trap('BEFORE UPDATE', 'node', `OLD.id = '${bad}'`),
  learning_promotion: (h, [bad]) => trap('BEFORE UPDATE', 'learning', `OLD.id = '${bad}'`),
  memory_consolidation: () => trap('BEFORE INSERT', 'entry', "NEW.entry_key = 'two'"),
  memory_decay: (h, [bad]) => trap('BEFORE UPDATE', 'node', `OLD.id = '${bad}'`),
  memory_dedup: (h, [bad]) => trap('BEFORE INSERT', 'node_merge', `'${bad}' IN (NEW.keeper_id, NEW.loser_id)`),
  rot_detection: (h, [bad]) => trap('BEFORE UPDATE', 'node', `OLD.id = '${bad}'`),
  shared_knowledge_maintenance: (h, [bad]) => trap('BEFORE UPDATE', 'knowledge', `OLD.id = '${bad}'`),
};

for (const [name, spoil] of Object.entries(ALONE))
  test(`${name}: a row that fails is counted and named, the others are done; once it can be done it is`, async () => {
    const h = spoiled, ids = await PLANT[name](h);
    await PLANT[name](twin);
    const whole = await twin.job(name), free = await spoil(h, ids ?? []);
    const broken = await h.job(name);
    await free();
    assert.deepEqual([broken.status, broken.reason, broken.failed], ['partial', 'failed_rows', 1], JSON.stringify(broken));
    assert.equal(broken.notes.length, 1, JSON.stringify(broken.notes));
    assert.ok(broken.notes[0].id && broken.notes[0].error, JSON.stringify(broken.notes));
    assert.equal(broken.changed, whole.changed - 1);
    const mended = await h.job(name);
    assert.deepEqual([mended.status, mended.failed, broken.changed + mended.changed], ['succeeded', 0, whole.changed], JSON.stringify(mended));
    for (const [count, n] of Object.entries(whole.counts))
      if (!['compared', 'review'].includes(count)) assert.equal((broken.counts[count] ?? 0) + (mended.counts[count] ?? 0), n, count);
    assert.equal((await h.job(name)).changed, 0);
  });

// Work that is one piece: it is not done by half.
const WHOLE = {
  access_log_cleanup: (h) => trap('BEFORE DELETE', 'access_log', `OLD.account_id = '${h.id}'`),
  context_cleanup: (h, ids) => trap('BEFORE DELETE', 'node', `OLD.id = '${ids.at(-1)}'`),
  pool_cleanup: (h, ids) => trap('BEFORE UPDATE', 'node', `OLD.id = '${ids.at(-1)}'`),
  short_term_cleanup: (h, ids) => trap('BEFORE DELETE', 'short_term_memory', `OLD.id = '${ids.at(-1)}'`),
  expired_cleanup: (h, ids) => trap('BEFORE UPDATE', 'node', `OLD.id = '${ids.at(-1)}'`),
  junk_audit: (h, ids) => trap('BEFORE INSERT', 'memory_finding', `NEW.node_id = '${ids.at(-1)}'`),
  embedding_backfill: (h) => trap('BEFORE INSERT', 'task', `NEW.account_id = '${h.id}' AND NEW.kind = 'embed'`),
};

for (const [name, spoil] of Object.entries(WHOLE))
  test(`${name}: what fails half-way says so and leaves everything as it was; the next run does it`, async () => {
    const h = piece, ids = await PLANT[name](h);
    await settled(h);
    const free = await spoil(h, ids ?? []), before = await everything(h.id), broken = await h.job(name);
    await free();
    assert.deepEqual([broken.status, broken.changed], ['failed', 0], JSON.stringify(broken));
    assert.ok(broken.error, JSON.stringify(broken));
    const now = await everything(h.id);
    assert.deepEqual(Object.keys(now).filter((t) => now[t] !== before[t]), []);
    const mended = await h.job(name);
    assert.deepEqual([mended.status, mended.failed], ['succeeded', 0], JSON.stringify(mended));
    assert.ok(did(mended), JSON.stringify(mended));
  });

test('a merge that cannot be done is tried by three sweeps, then what is new goes on alone', async () => {
  const h = await house(), ids = await PLANT.memory_dedup(h);
  const free = await ALONE.memory_dedup(h, ids);
  for (const failed of [1, 1, 1]) assert.equal((await h.job('memory_dedup')).failed, failed);
  await free();
  const [[extra]] = await sql(`SELECT extra FROM job_state WHERE account_id = '${h.id}' AND job_name = 'memory_dedup'`);
  assert.equal(extra, '{}');
});
