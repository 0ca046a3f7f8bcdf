// Quality of recall over REST on judged sets: words alone, meaning alone, rank fusion and the default, side by side.
// usage: node tests/bench/recall.mjs [SET…]   a set is a folder of LOCI_RECALL_SETS with corpus.jsonl, queries.jsonl, qrels.tsv
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ctl, expectStatus, call, unique, until } from '../api/client.mjs';
import { sql } from '../api/db.mjs';

const FOLDER = process.env.LOCI_RECALL_SETS ?? '/work/shared/data/recall';
const AT_ONCE = 4;
// LOCI_BENCH_GENERIC=1: every document is a note, as whoever has only the generic calls would write it.
const GENERIC = process.env.LOCI_BENCH_GENERIC === '1';

// LOCI_BENCH_KEEP=FILE: tokens of accounts that hold the sets already, for a second run on the same stack.
const KEEP = process.env.LOCI_BENCH_KEEP;
const kept = KEEP && existsSync(KEEP) ? JSON.parse(readFileSync(KEEP, 'utf8')) : {};

// What is pooled, what its documents are, and what must be reached.
const GROUPS = {
  locomo: { sets: ['locomo-26', 'locomo-30', 'locomo-41', 'locomo-42', 'locomo-43'], kind: 'episode', words: [59.1, 66.3], goal: [70, 79] },
  musique: { sets: ['musique100'], kind: 'chunk', words: [49.1, 57.0], goal: [68, 79] },
  scifact: { sets: ['scifact'], kind: 'chunk', words: [68.3], goal: [70], by: ['nDCG@10'] },
  metatool: { sets: ['metatool'], kind: 'skill', words: [69.5, 75.7], goal: [80, 86] },
};
const MODES = [
  ['words', { mode: 'keyword' }],
  ['meaning', { mode: 'vector' }],
  ['rrf', { fusion: 'rrf' }],
  ['default', {}],
];

const lines = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean);

function read(set) {
  const at = `${FOLDER}/${set}`, relevant = new Map();
  for (const [query, id] of lines(`${at}/qrels.tsv`).map((l) => l.split('\t')))
    relevant.set(query, (relevant.get(query) ?? new Set()).add(id));
  const json = (name) => lines(`${at}/${name}`).map((l) => JSON.parse(l));
  return { corpus: json('corpus.jsonl'), queries: json('queries.jsonl').filter((q) => relevant.has(q.id)), relevant };
}

// A turn's session and place there; the speaker stands before the text already.
function nodeOf(doc, seq, kind) {
  const attrs = { doc: doc.id };
  if (doc.session !== undefined) Object.assign(attrs, { session: String(doc.session), seq });
  return { kind: GENERIC ? 'note' : ['note', 'episode'].includes(kind) ? kind : 'note', title: doc.title || doc.id, body: doc.text, attrs };
}

async function load(corpus, kind) {
  const slug = unique('bench');
  await ctl('account', 'create', '--slug', slug);
  const agent = await ctl('agent', 'create', '--account', slug, '--slug', 'one', '--name', 'one');
  assert.ok(agent);
  const token = await ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'bench');
  let seq = 0, session;
  const nodes = corpus.map((doc) => {
    seq = doc.session === session ? seq + 1 : 1;
    session = doc.session;
    return JSON.stringify({ ...nodeOf(doc, seq, kind), allow_duplicate: true });
  });
  const { data } = await expectStatus(200, 'POST', '/api/v1/nodes/bulk',
    { token, raw: nodes.join('\n'), headers: { 'Content-Type': 'application/x-ndjson' } });
  assert.equal(data.created, corpus.length, JSON.stringify(data.errors).slice(0, 500));
  // Kinds that only their rooms write: what is measured here is how they are found.
  if (!GENERIC && !['note', 'episode'].includes(kind))
    await sql(`UPDATE node n JOIN account a ON a.id = n.account_id SET n.kind = '${kind}', n.updated_at = UTC_TIMESTAMP(6) WHERE a.slug = '${slug}'`);
  await until(`vectors of ${slug}`, async () => {
    const [[waiting]] = await sql(`SELECT COUNT(*) FROM node n JOIN account a ON a.id = n.account_id
      LEFT JOIN vector v ON v.account_id = n.account_id AND v.node_id = n.id WHERE a.slug = '${slug}' AND v.node_id IS NULL`);
    return waiting === '0';
  }, { tries: 1200, pause: 500 });
  return token;
}

function scores(found, relevant) {
  const at = found.flatMap((id, i) => (relevant.has(id) ? [i] : []));
  const gain = (i) => 1 / Math.log2(i + 2);
  let ideal = 0;
  for (let i = 0; i < Math.min(10, relevant.size); i++) ideal += gain(i);
  return { 'R@5': at.filter((i) => i < 5).length / relevant.size, 'R@10': at.filter((i) => i < 10).length / relevant.size,
    'nDCG@10': at.filter((i) => i < 10).reduce((sum, i) => sum + gain(i), 0) / ideal };
}

async function ask(token, query, settings) {
  const r = await call('POST', '/api/v1/recall', { token, check: false, body: { query: query.text, limit: 20, touch: false, body_chars: 0, ...settings } });
  assert.equal(r.status, 200, r.text);
  assert.deepEqual(r.data.degraded, [], 'an answer without all its signals measures nothing');
  return r.data.hits.map((h) => h.attrs.doc);
}

async function run(token, set, settings) {
  const rows = [], left = [...set.queries];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let q = left.pop(); q; q = left.pop()) rows.push(scores(await ask(token, q, settings), set.relevant.get(q.id)));
  }));
  return rows;
}

const mean = (rows, key) => (100 * rows.reduce((sum, r) => sum + r[key], 0)) / rows.length;
const show = (values) => values.map((v) => v.toFixed(1)).join(' / ').padStart(13);

const wanted = process.argv.slice(2);
const extra = process.env.LOCI_BENCH_SETTINGS ? [['asked', JSON.parse(process.env.LOCI_BENCH_SETTINGS)]] : [];
const modes = [...MODES, ...extra].filter(([name]) => !process.env.LOCI_BENCH_MODES || process.env.LOCI_BENCH_MODES.split(',').includes(name));
console.log(['set'.padEnd(9), 'queries', ...modes.map(([name]) => name.padStart(13)), 'goal'.padStart(13), 'BM25 column'.padStart(13)].join('  '));
let missed = 0;
for (const [name, group] of Object.entries(GROUPS).filter(([n]) => !wanted.length || wanted.includes(n))) {
  const rows = Object.fromEntries(modes.map(([mode]) => [mode, []]));
  for (const folder of group.sets) {
    const set = read(folder), token = (kept[folder] ??= await load(set.corpus, group.kind));
    if (KEEP) writeFileSync(KEEP, JSON.stringify(kept));
    for (const [mode, settings] of modes) rows[mode].push(...(await run(token, set, settings)));
  }
  const by = group.by ?? ['R@5', 'R@10'], of = (mode) => by.map((key) => mean(rows[mode], key));
  console.log([name.padEnd(9), String(Object.values(rows)[0].length).padStart(7), ...modes.map(([m]) => show(of(m))), show(group.goal), show(group.words)].join('  '));
  if (rows.default) missed += of('default').some((v, i) => v < group.goal[i]);
  if (rows.words && rows.default) missed += of('default').some((v, i) => v < of('words')[i] - 1);
}
console.log(`${by_text()}; ${missed} goals missed`);

function by_text() {
  return `Recall@5 / Recall@10, scifact nDCG@10; ${GENERIC ? 'all documents are notes' : 'turns are episodes, passages chunks, tools skills'}`;
}
