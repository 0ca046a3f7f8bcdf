// Rot, decay and what the nightly jobs do to memory (memory, section 13, points 6 and 18 of section 16; jobs, section 8).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, runEnded, settled, unique, until, withinDay } from './client.mjs';
import { sql } from './db.mjs';

let account, token, owner, accountId, context;
before(async () => {
  account = await freshAccount();
  ({ token, owner } = account);
  accountId = (await expectStatus(200, 'GET', '/api/v1/me', { token: owner })).data.account_id;
  context = await freshContext();
});

const freshContext = async (more = {}) =>
  (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token: owner, body: { name: unique('context'), scope: 'account', ...more } })).data;
const E = (x = context) => `/api/v1/ai/contexts/${x.id}/entries`;
const put = async (key, body = {}, x = context, as = owner) =>
  (await expectStatus(201, 'POST', E(x), { token: as, body: { entry_key: key, content: { text: `text of ${key}` }, ...body } })).data;
const get = async (id, x = context) => (await expectStatus(200, 'GET', `${E(x)}/${id}`, { token: owner })).data;
const state = async (id) => (await sql(`SELECT status, archived_at IS NOT NULL FROM node WHERE id = '${id}'`))[0].join(' ');

// As if it had been written, and last used, so many days ago.
const older = (ids, days) => `UPDATE node SET created_at = created_at - INTERVAL ${days * 86400} SECOND, updated_at = updated_at - INTERVAL ${days * 86400} SECOND,
  decayed_at = decayed_at - INTERVAL ${days * 86400} SECOND, last_access_at = NULL WHERE id IN (${[ids].flat().map((i) => `'${i}'`)})`;
const age = (ids, days) => sql(older(ids, days));

const runJob = async (name, body = {}, as = owner) => {
  const { id } = (await expectStatus(202, 'POST', `/api/v1/jobs/${name}/run`, { token: as, body })).data;
  return runEnded(null, id, as);
};
const done = async (name, body, as) => {
  const run = await runJob(name, body, as);
  assert.equal(run.status, 'succeeded', JSON.stringify(run));
  return run;
};

test('importance 0.5, never read: day 89 stays, day 90 goes; pinned and important ones stay a year; again: nothing', async () => {
  const day53 = await put('day 53'), day54 = await put('day 54'), day89 = await put('day 89'), day90 = await put('day 90');
  const pinned = await put('pinned', { is_pinned: true }), important = await put('important', { importance_score: 0.9 });
  for (const [e, days] of [[day53, 53], [day54, 54], [day89, 89], [day90, 90], [pinned, 365], [important, 365]]) await age(e.id, days);
  const dry = await done('rot_detection', { dry_run: true });
  assert.deepEqual([dry.changed, dry.counts], [1, { archived: 1, review: 3 }]);
  assert.equal(await state(day90.id), 'active 0', 'a dry run changes nothing');
  const { entry_count: before } = (await expectStatus(200, 'GET', `/api/v1/ai/contexts/${context.id}`, { token: owner })).data;
  const run = await done('rot_detection');
  assert.deepEqual([run.scanned, run.changed, run.failed, run.counts], [5, 1, 0, { archived: 1, review: 3 }]);
  for (const [e, want] of [[day53, 'active 0'], [day54, 'active 0'], [day89, 'active 0'], [day90, 'archived 1'], [pinned, 'active 0'], [important, 'active 0']])
    assert.equal(await state(e.id), want, e.entry_key);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/ai/contexts/${context.id}`, { token: owner })).data.entry_count, before - 1);
  assert.deepEqual(await sql(`SELECT value FROM memory_finding WHERE node_id = '${day54.id}'`), [['0.7059']]);
  const again = await done('rot_detection');
  assert.deepEqual([again.changed, again.counts], [0, { review: 3 }]);
  // It says why, its key is free for others, and it can be brought back under it.
  const [event] = (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${day90.id}&kind=node.archive`, { token: owner })).data;
  assert.deepEqual([event.payload.reason, event.payload.actor, event.after], ['rot', 'job:rot_detection', { status: 'archived' }]);
  assert.equal((await get(day90.id)).archived_at !== null, true, 'readable by its id');
  await expectStatus(200, 'POST', `${E()}/${day90.id}/unarchive`, { token: owner, body: {} });
  assert.equal((await get('day 90')).id, day90.id);
});

test('a new content makes it fresh; what is read stays; so does what a young snapshot holds or something live comes from', async () => {
  const x = await freshContext();
  const keys = ['changed', 'read', 'kept', 'source', 'fact', 'old snapshot'];
  const e = Object.fromEntries(await Promise.all(keys.map(async (k) => [k, await put(k, k === 'fact' ? { entry_type: 'fact' } : {}, x)])));
  const { id: snapshot } = (await expectStatus(201, 'POST', `/api/v1/ai/contexts/${x.id}/snapshots`, { token: owner, body: { name: 'young' } })).data;
  await sql(`DELETE FROM snapshot_item WHERE snapshot_id = '${snapshot}' AND entry_key <> 'kept'`);
  const { id: old } = (await expectStatus(201, 'POST', `/api/v1/ai/contexts/${x.id}/snapshots`, { token: owner, body: { name: 'old' } })).data;
  await sql(`UPDATE snapshot SET created_at = created_at - INTERVAL 31 DAY WHERE id = '${old}'`);
  const own = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: owner, body: { kind: 'context', name: 'own', slug: unique('own') } })).data;
  const note = (await expectStatus(201, 'POST', '/api/v1/nodes', { token: owner, body: { space_id: own.id, kind: 'note', title: 'made of it', body: 'x' } })).data;
  await expectStatus(201, 'POST', '/api/v1/edges', { token: owner, body: { source_id: note.id, target_id: e.source.id, relation: 'DERIVED_FROM' } });
  await age(keys.map((k) => e[k].id), 100);
  await expectStatus(200, 'PATCH', `${E(x)}/changed`, { token: owner, body: { content: { text: 'something else' } } });
  await get('read', x);
  await settled(account.slug, { parts: ['uses'] });
  assert.equal((await sql(`SELECT access_count FROM node WHERE id = '${e.read.id}'`))[0][0], '1');
  const run = await done('rot_detection');
  assert.equal(run.counts.archived, 2);
  const states = Object.fromEntries(await Promise.all(keys.map(async (k) => [k, await state(e[k].id)])));
  assert.deepEqual(states, { changed: 'active 0', read: 'active 0', kept: 'active 0', source: 'active 0', fact: 'archived 1', 'old snapshot': 'archived 1' });
  // A fact that went leaves its question to the next one.
  const next = await put('fact', { entry_type: 'fact', content: { text: 'another value' } }, x);
  assert.notEqual(next.id, e.fact.id);
  // What it came from may go once what was made of it went.
  await expectStatus(200, 'POST', `/api/v1/nodes/${note.id}/archive`, { token: owner, body: {} });
  assert.equal((await done('rot_detection')).counts.archived, 1);
  assert.equal(await state(e.source.id), 'archived 1');
});

test('the policy of a context decides: other limits, or none', async () => {
  const off = await freshContext({ retention_policy: { rot: { enabled: false } } });
  const early = await freshContext({ retention_policy: { rot: { review_at: 0.35, archive_at: 0.5 } } });
  const a = await put('a', {}, off), b = await put('b', {}, early), c = await put('c', {}, early);
  await age([a.id], 400);
  await age([b.id], 30);
  await age([c.id], 10);
  await done('rot_detection');
  assert.deepEqual([await state(a.id), await state(b.id), await state(c.id)], ['active 0', 'archived 1', 'active 0']);
  assert.equal((await sql(`SELECT 1 FROM memory_finding WHERE node_id = '${c.id}' AND class = 'stale'`)).length, 1);
  await expectStatus(200, 'PATCH', `/api/v1/ai/contexts/${early.id}`, { token: owner, body: { retention_policy: { rot: { review_at: 0.9 } } } });
  await done('rot_detection');
  assert.equal((await sql(`SELECT 1 FROM memory_finding WHERE node_id = '${c.id}' AND class = 'stale'`)).length, 0, 'no longer on the list');
});

test('another account is not touched', async () => {
  const other = await freshAccount();
  const x = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token: other.owner, body: { name: 'theirs', scope: 'account' } })).data;
  const e = (await expectStatus(201, 'POST', E(x), { token: other.owner, body: { entry_key: 'k', content: 'x' } })).data;
  await age(e.id, 200);
  await done('rot_detection');
  assert.equal(await state(e.id), 'active 0');
  assert.equal((await done('rot_detection', {}, other.owner)).changed, 1);
});

// ---- decay

const home = async () => {
  const a = await freshAccount();
  const x = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token: a.owner, body: { name: 'c', scope: 'account' } })).data;
  return {
    ...a, x,
    put: async (key, body) => (await expectStatus(201, 'POST', E(x), { token: a.owner, body: { entry_key: key, content: { text: key }, ...body } })).data,
    list: async () => (await expectStatus(200, 'GET', `${E(x)}?limit=100`, { token: a.owner })).data,     // a list is no use
    job: (name, body) => done(name, body, a.owner),
  };
};

// It goes on fading while the test runs: 0.8 e^-0.3 is 0.592655, and after a minute what is rounded is 0.5926.
const faded = (e) => Math.abs(e.effective_relevance_score - 0.53339) < 1e-4 && Math.abs(e.importance_score - 0.592655) < 1e-4;

test('importance 0.8, confidence 0.9, rate 0.01, untouched 30 days: 0.5334, whether decay ran 0, 1 or 30 times', async () => {
  for (const runs of [0, 1, 30]) {
    const h = await home();
    const { id } = await h.put('k', { importance_score: 0.8, confidence_score: 0.9, decay_rate: 0.01 });
    let decayed = 0;
    for (let i = 0; i < runs; i++) {
      await age(id, 30 / runs);
      decayed += (await h.job('memory_decay')).counts.decayed ?? 0;
    }
    if (!runs) await age(id, 30);
    const [e] = await h.list();
    assert.ok(faded(e), `${runs} runs: ${JSON.stringify(e)}`);
    assert.deepEqual([runs, decayed], [runs, { 0: 0, 1: 1, 30: 4 }[runs]]);
    if (runs !== 1) continue;
    assert.equal((await h.job('memory_decay')).changed, 0, 'again: nothing');
    assert.equal((await sql(`SELECT ROUND(importance, 3), version, updated_at < UTC_TIMESTAMP(6) - INTERVAL 29 DAY FROM node WHERE id = '${id}'`))[0].join(), '0.593,1,1');
  }
});

test('a use a day raises importance, more of them on that day do not', async () => {
  await withinDay();
  const h = await home(), one = await h.put('one', { importance_score: 0.4 }), many = await h.put('many', { importance_score: 0.4 });
  for (let i = 0; i < 30; i++) await expectStatus(200, 'GET', `${E(h.x)}/${many.id}`, { token: h.owner });
  await expectStatus(200, 'GET', `${E(h.x)}/${one.id}`, { token: h.owner });
  await settled(undefined, { parts: ['uses'] });
  const rows = await h.list(), [a, b] = [one, many].map((x) => rows.find((e) => e.id === x.id));
  assert.deepEqual([a.access_count, b.access_count], [1, 30]);
  assert.deepEqual([a.importance_score, b.importance_score], [0.43, 0.43]);
});

test('random lives: what decay stores is what a simple model of fading says', async () => {
  let seed = 20261119;
  const random = () => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return seed / 2 ** 32; };
  const h = await home(), lives = [];
  for (let i = 0; i < 40; i++) {
    const m = { score: Math.round(random() * 1e4) / 1e4, rate: random() < 0.2 ? 0 : Math.round(random() * 1500) / 1e4, pinned: random() < 0.1, since: 0, age: 0 };
    m.id = (await h.put(`k${i}`, { importance_score: m.score, decay_rate: m.rate, is_pinned: m.pinned })).id;
    lives.push(m);
  }
  const now = (m) => (m.pinned ? m.score : m.score * Math.exp(-m.rate * m.since));
  for (let round = 0; round < 6; round++) {
    const aged = [];
    for (const m of lives) {
      if (random() < 0.3) continue;
      const days = Math.round(random() * 1500) / 100 + 0.01;
      aged.push(older(m.id, days));
      m.since += days;
      m.age += days;
    }
    await sql(aged.join(';'));
    for (const m of lives) {
      if (!m.gone && random() < 0.2) {
        const amount = Math.round((0.01 + random() * 0.49) * 100) / 100, verb = random() < 0.5 ? 'boost' : 'reduce';
        await expectStatus(200, 'POST', `${E(h.x)}/${m.id}/${verb}`, { token: h.owner, body: { amount } });
        m.score = Math.min(1, Math.max(0, now(m) + (verb === 'boost' ? amount : -amount)));
        m.since = 0;
      }
    }
    const due = lives.filter((m) => !m.gone && !m.pinned && m.rate > 0 && m.since >= 7);
    for (const m of due) {
      m.score = now(m);
      m.since = 0;
      m.gone = m.score < 0.1 && m.age > 30;
    }
    const run = await h.job('memory_decay');
    assert.deepEqual([run.changed, run.counts.archived ?? 0, run.failed], [due.length, due.filter((m) => m.gone).length, 0], `round ${round}`);
    const rows = new Map((await h.list()).map((e) => [e.id, e]));
    for (const m of lives) {
      assert.equal(rows.has(m.id), !m.gone, `${m.id} in round ${round}`);
      if (!m.gone) assert.ok(Math.abs(rows.get(m.id).importance_score - now(m)) < 2e-4, `${rows.get(m.id).importance_score} is not ${now(m)}`);
    }
  }
  assert.ok(lives.some((m) => m.gone) && lives.some((m) => !m.gone));
});

test('a learning of which nothing is left is deprecated, once; verified, pinned, young and used ones stay', async () => {
  const h = await home();
  const learn = async (content) => (await expectStatus(200, 'POST', '/api/v1/ai/learning/learnings', { token: h.owner, body: { content, scope: 'global' } })).data.learning.id;
  const [spent, young, used, strong, pinned] = await Promise.all(['The red valve sticks.', 'Lamps hum when cold.', 'Oil thickens overnight.', 'Ropes shrink in rain.', 'Doors swell in autumn.'].map(learn));
  await age([spent, used, strong, pinned], 60);
  await age(young, 20);
  await sql(`UPDATE node SET importance = 0.1 WHERE id IN ('${spent}','${young}','${used}','${pinned}')`);
  await sql(`UPDATE node SET last_access_at = UTC_TIMESTAMP(6) - INTERVAL 6 DAY WHERE id = '${used}'`);
  await sql(`UPDATE node SET is_pinned = 1 WHERE id = '${pinned}'`);
  assert.deepEqual((await h.job('learning_decay', { dry_run: true })).counts, { decayed: 4, deprecated: 1 });
  const run = await h.job('learning_decay');
  assert.deepEqual([run.changed, run.counts], [4, { decayed: 4, deprecated: 1 }]);
  const row = async (id) => (await sql(`SELECT status, ROUND(importance, 4) FROM node WHERE id = '${id}'`))[0].join(' ');
  assert.deepEqual(await Promise.all([spent, young, used, strong, pinned].map(row)),
    ['deprecated 0.0835', 'active 0.0942', 'active 0.0835', 'active 0.4176', 'active 0.1000']);
  assert.equal((await h.job('learning_decay')).changed, 0);
  const [event] = (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${spent}&kind=node.update`, { token: h.owner })).data;
  assert.equal(event.payload.reason, 'decayed');
  // Its text may be learned again.
  const again = (await expectStatus(200, 'POST', '/api/v1/ai/learning/learnings', { token: h.owner, body: { content: 'The red valve sticks.', scope: 'global' } })).data;
  assert.notEqual(again.learning.id, spent);
});

test('keys of pools fade to their floor and stay', async () => {
  const h = await home();
  const pool = (await expectStatus(201, 'POST', '/api/v1/ai/memory_pools', { token: h.owner, body: { name: 'p' } })).data;
  await expectStatus(200, 'PUT', `/api/v1/ai/memory_pools/${pool.id}/data/k`, { token: h.owner, body: { value: 1 } });
  const [[id]] = await sql(`SELECT node_id FROM pool_entry WHERE space_id = '${pool.id}'`);
  await age(id, 90);
  await sql(`UPDATE node SET decay_rate = 0.1 WHERE id = '${id}'`);
  const run = await h.job('memory_decay');
  assert.deepEqual([run.changed, run.counts], [1, { decayed: 1 }]);
  assert.deepEqual(await sql(`SELECT importance, status FROM node WHERE id = '${id}'`), [['0.01', 'active']]);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/ai/memory_pools/${pool.id}/data/k`, { token: h.owner })).data.found, true);
});

// ---- what has expired, what was deleted long ago

test('an entry whose time is over is archived, leaves its key and the counts of its context', async () => {
  const h = await home(), e = await h.put('k', { expires_at: new Date(Date.now() + 3600e3) }), fact = await h.put('f', { entry_type: 'fact', expires_at: new Date(Date.now() + 3600e3) });
  await h.put('stays', {});
  await sql(`UPDATE node SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE id IN ('${e.id}','${fact.id}')`);
  assert.deepEqual((await h.list()).map((r) => r.entry_key), ['stays'], 'before any job');
  await until('both to be archived', async () => await state(e.id) === 'archived 1' && await state(fact.id) === 'archived 1', { tries: 400 });
  assert.deepEqual(await sql(`SELECT live FROM entry WHERE node_id IN ('${e.id}','${fact.id}')`), [['NULL'], ['NULL']]);
  assert.deepEqual(await sql(`SELECT current FROM fact WHERE node_id = '${fact.id}'`), [['NULL']]);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/ai/contexts/${h.x.id}`, { token: h.owner })).data.entry_count, 1);
  const again = await h.put('k', {});
  assert.notEqual(again.id, e.id);
});

test('a context that was deleted, or expired, a month ago goes with all that was in it; a younger one can be brought back', async () => {
  const h = await home(), made = [];
  for (const name of ['deleted', 'expired', 'young']) {
    const x = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token: h.owner, body: { name, scope: 'account' } })).data;
    for (let i = 0; i < 3; i++) await put(`k${i}`, {}, x, h.owner);
    await expectStatus(200, 'PATCH', `${E(x)}/k0`, { token: h.owner, body: { content: { text: 'other' } } });
    await expectStatus(201, 'POST', `/api/v1/ai/contexts/${x.id}/snapshots`, { token: h.owner, body: { name: 's' } });
    made.push(x.id);
  }
  const [deleted, expired, young] = made;
  for (const id of [deleted, young]) await expectStatus(204, 'DELETE', `/api/v1/ai/contexts/${id}`, { token: h.owner });
  await sql(`UPDATE space SET deleted_at = deleted_at - INTERVAL 31 DAY WHERE id = '${deleted}'; UPDATE space SET deleted_at = deleted_at - INTERVAL 29 DAY WHERE id = '${young}';
    UPDATE space SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 31 DAY WHERE id = '${expired}'`);
  const run = await h.job('context_cleanup');
  assert.deepEqual([run.changed, run.counts], [10, { deleted: 10 }], 'four nodes and the context, twice');
  const left = async (id) => (await sql(['space', 'context', 'node', 'entry', 'snapshot', 'space_grant'].map((t) =>
    `SELECT COUNT(*) FROM ${t} WHERE ${t === 'space' ? 'id' : 'space_id'} = '${id}'`).join(' UNION ALL '))).map(([n]) => Number(n));
  assert.deepEqual(await left(deleted), [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(await left(expired), [0, 0, 0, 0, 0, 0]);
  assert.deepEqual((await left(young)).slice(0, 5), [1, 1, 4, 4, 1]);
  await expectStatus(200, 'POST', `/api/v1/spaces/${young}/restore`, { token: h.owner, body: {} });
  assert.equal((await expectStatus(200, 'GET', `/api/v1/ai/contexts/${young}`, { token: h.owner })).data.entry_count, 3);
  assert.equal((await h.job('context_cleanup')).changed, 0);
});

// ---- shared knowledge

test('the quality of shared knowledge is computed anew, oldest first; long unused and of low quality: stale, until it is used', async () => {
  const h = await home();
  const know = async (title) => (await expectStatus(201, 'POST', '/api/v1/ai/memory/shared_knowledge', { token: h.owner, body: { title, content: `${title} is the matter.`, access_level: 'global' } })).data.id;
  const [old, fresh, used] = await Promise.all(['Rust', 'Moss', 'Ice'].map(know));
  const first = (await sql(`SELECT quality_score FROM knowledge WHERE id = '${fresh}'`))[0][0];
  await age([old, used], 91);
  await sql(`INSERT INTO node_use (account_id, node_id, uses, last_used_at) SELECT account_id, id, 1, UTC_TIMESTAMP(6) FROM knowledge WHERE id = '${used}'`);
  assert.equal((await h.job('shared_knowledge_maintenance')).changed, 0, 'all were judged today');
  await sql(`UPDATE knowledge SET last_quality_recalc_at = last_quality_recalc_at - INTERVAL 25 HOUR WHERE id IN ('${old}','${used}')`);
  const run = await h.job('shared_knowledge_maintenance');
  assert.deepEqual([run.changed, run.counts], [2, { rescored: 2, stale: 1 }]);
  const row = async (id) => (await sql(`SELECT quality_score, stale_at IS NOT NULL FROM knowledge WHERE id = '${id}'`))[0];
  assert.deepEqual(await row(fresh), [first, '0']);
  const [[oldScore, isStale], [usedScore, usedStale]] = [await row(old), await row(used)];
  assert.deepEqual([isStale, usedStale], ['1', '0']);
  assert.ok(Number(oldScore) < 0.4 && Number(usedScore) > Number(oldScore), `${oldScore}, ${usedScore}`);
  const shown = (await expectStatus(200, 'GET', '/api/v1/ai/memory/shared_knowledge', { token: h.owner })).data.find((k) => k.id === old);
  assert.equal(shown.quality_score, Number(oldScore), 'the formula is the same whenever it is asked');
  assert.ok(Date.parse(shown.stale_at));
  assert.equal((await h.job('shared_knowledge_maintenance')).changed, 0);
  await sql(`INSERT INTO node_use (account_id, node_id, uses, last_used_at) SELECT account_id, id, 1, UTC_TIMESTAMP(6) FROM knowledge WHERE id = '${old}';
    UPDATE knowledge SET last_quality_recalc_at = last_quality_recalc_at - INTERVAL 25 HOUR WHERE id = '${old}'`);
  await h.job('shared_knowledge_maintenance');
  assert.equal((await row(old))[1], '0');
});

test('what is older than max_age_days of its context goes by night, archived or forgotten, even where rot is off', async () => {
  const other = await freshAccount(), token = other.owner, all = [];
  for (const archive_before_delete of [true, false]) {
    const retention_policy = { max_age_days: 2, archive_before_delete, rot: { enabled: false } };
    const x = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token, body: { name: unique('c'), scope: 'account', retention_policy } })).data;
    for (const [entry_key, days] of [['old', 3], ['young', 1]]) {
      const e = (await expectStatus(201, 'POST', `/api/v1/ai/contexts/${x.id}/entries`, { token, body: { entry_key, content: `${entry_key} ${x.id}` } })).data;
      all.push([x, e, days]);
    }
  }
  for (const [, e, days] of all) await age(e.id, days);
  const run = await done('rot_detection', {}, token);
  assert.deepEqual([run.changed, run.counts.too_old], [2, 2]);
  assert.deepEqual(await Promise.all(all.map(([, e]) => state(e.id))), ['archived 1', 'active 0', 'forgotten 0', 'active 0']);
  for (const [x] of all) assert.equal((await expectStatus(200, 'GET', `/api/v1/ai/contexts/${x.id}`, { token })).data.entry_count, 1);
});
