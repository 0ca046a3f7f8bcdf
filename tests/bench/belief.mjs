// A month in the life: conversations of the LoCoMo sets come in as captures, are consolidated, and are asked about. Prints facts, entities, contradictions, time per
// episode, and Recall@5 and @10 of plain recall and, where there is one, of search.
// usage: node tests/bench/belief.mjs [SET…]   default: all locomo sets; LOCI_BELIEF_QUESTIONS=50: only so many of each
import assert from 'node:assert/strict';
import { ctl, embedded, expectStatus, openapi, settled, unique } from '../api/client.mjs';
import { sql } from '../api/db.mjs';
import { families, read } from './recall_sets.mjs';

const SETS = process.argv.length > 2 ? process.argv.slice(2) : families().locomo;
const QUESTIONS = Number(process.env.LOCI_BELIEF_QUESTIONS ?? 1e9), AT_ONCE = 4, BATCH = 32;

async function each(list, work) {
  let next = 0;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => { for (let i = next++; i < list.length; i = next++) await work(list[i], i); }));
}

// "1:56 pm on 8 May, 2023" and the turns after it, a second apart.
const day = (title) => {
  const m = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(title ?? '');
  return m ? new Date(`${m[4]} ${m[5]} ${m[6]} ${Number(m[1]) % 12 + (m[3] === 'pm' ? 12 : 0)}:${m[2]}:00 UTC`).getTime() : undefined;
};

async function load(name) {
  const set = read(name), slug = unique('belief');
  await ctl('account', 'create', '--slug', slug);
  await ctl('agent', 'create', '--account', slug, '--slug', 'one', '--name', 'one', '--role', 'trusted');
  const token = await ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'bench', '--toolset', 'full');
  const items = set.corpus.map((d, i) => ({ content: d.text, session_id: `${name}-${d.session}`, role: 'user', captured_at: new Date((day(d.title) ?? Date.UTC(2023, 0, 1)) + 1000 * i).toISOString() }));
  const ids = new Map(), began = Date.now();
  let refused = 0;
  for (let at = 0; at < items.length; at += BATCH) {
    const { data } = await expectStatus(200, 'POST', '/api/v1/memory/capture/batch', { token, body: { items: items.slice(at, at + BATCH) }, check: false });
    data.results.forEach((r, i) => { if (r.receipt) ids.set(r.receipt.episode_id, [...ids.get(r.receipt.episode_id) ?? [], set.corpus[at + i].id]); else refused++; });
  }
  const captured = Date.now();
  await settled(slug, { parts: ['queue'], kinds: ['consolidate'] });
  const consolidated = Date.now();
  await embedded(slug);
  return { set, slug, token, ids, refused, n: items.length, capture_ms: captured - began, consolidate_ms: consolidated - began };
}

const count = async (slug, what) => Number((await sql(`SELECT COUNT(*) FROM ${what.replaceAll('ACCOUNT', `(SELECT id FROM account WHERE slug = '${slug}')`)}`))[0][0]);

async function ask(world, name, path, body) {
  const queries = world.set.queries.slice(0, QUESTIONS), sums = [0, 0], times = [];
  await each(queries, async (q) => {
    const began = process.hrtime.bigint();
    const { data } = await expectStatus(200, 'POST', path, { token: world.token, body: { query: q.text, ...body }, check: false });
    times.push(Number(process.hrtime.bigint() - began) / 1e6);
    const found = data.hits.flatMap((h) => world.ids.get(h.id) ?? []), wanted = world.set.relevant.get(q.id);
    [5, 10].forEach((k, i) => { sums[i] += found.slice(0, k).filter((id) => wanted.has(id)).length / wanted.size / queries.length; });
  });
  times.sort((a, b) => a - b);
  console.log(`  ${name.padEnd(8)} Recall@5 ${(100 * sums[0]).toFixed(1)}  Recall@10 ${(100 * sums[1]).toFixed(1)}  median ${times[times.length >> 1].toFixed(0)} ms over ${queries.length} questions`);
  return sums;
}

const has_search = '/api/v1/memory/search' in (await openapi()).paths, all = {};
for (const name of SETS) {
  const w = await load(name), node = (more) => `node n JOIN fact f ON f.account_id = n.account_id AND f.node_id = n.id WHERE n.account_id = ACCOUNT AND n.status <> 'version'${more}`;
  const facts = await count(w.slug, node('')), current = await count(w.slug, node(" AND n.status = 'active'"));
  const entities = await count(w.slug, "node n WHERE n.account_id = ACCOUNT AND n.kind = 'entity' AND n.status <> 'version'");
  const held = await count(w.slug, node(" AND n.status = 'quarantined'")), contested = await count(w.slug, node(' AND f.contested = 1'));
  const failed = await count(w.slug, "episode e WHERE e.account_id = ACCOUNT AND e.consolidation_state <> 'consolidated'");
  console.log(`${name}: ${w.n} turns, ${w.ids.size} episodes, ${w.refused} refused, ${failed} not consolidated`);
  console.log(`  ${facts} facts (${current} current, ${facts - current - held} superseded, ${held} held), ${contested} contested, ${entities} entities`);
  console.log(`  capture ${(w.capture_ms / w.n).toFixed(1)} ms, consolidated ${(w.consolidate_ms / w.n).toFixed(1)} ms a turn after the first`);
  (all.recall ??= []).push(await ask(w, 'recall', '/api/v1/recall', { kinds: ['episode'], limit: 10, touch: false }));
  if (has_search) (all.search ??= []).push(await ask(w, 'search', '/api/v1/memory/search', { kinds: ['episode'], limit: 10 }));
}
const mean = (rows, i) => 100 * rows.reduce((s, r) => s + r[i], 0) / rows.length;
for (const [name, rows] of Object.entries(all)) console.log(`${name}: Recall@5 ${mean(rows, 0).toFixed(1)}, Recall@10 ${mean(rows, 1).toFixed(1)} over ${rows.length} sets`);
if (all.search) assert.ok(mean(all.search, 0) >= mean(all.recall, 0) - 1, 'search loses nothing against plain recall');
