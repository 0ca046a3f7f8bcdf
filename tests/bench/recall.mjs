// Quality of recall over REST on judged sets: words alone, meaning alone, rank fusion and the default, side by side.
// usage: node tests/bench/recall.mjs [FAMILY…]   sets are the folders of LOCI_RECALL_SETS (or ../shared/data/recall) with corpus.jsonl, queries.jsonl, qrels.tsv
//   LOCI_BENCH_AS=…  kinds: as the kinds that rooms write; notes; long: long variants of the questions (of notes); together: all sets in one account;
//                    filtered: the same, each set by a filter; small: accounts of 5 to 100 texts; unread: in a script that the model cannot read;
//                    evidence: what recall says of its own answers
//   LOCI_BENCH_MODELS=builtin:use-lite-en,http:NAME   each model by itself; without it the installation's
//   LOCI_BENCH_MODES=words,default            only these; LOCI_BENCH_SETTINGS='{"fusion":"simple"}' adds a column "asked"
//   LOCI_BENCH_KEEP=FILE                      tokens of accounts that hold the sets already, for a second run on the same stack
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ctl, expectStatus, call, unique, until } from '../api/client.mjs';
import { sql } from '../api/db.mjs';
import { evidenceTables, sampleNotes } from './recall_evidence.mjs';
import { VARIANTS, families, read, small, unreadable, variant } from './recall_sets.mjs';

const AT_ONCE = 4, LONG_QUESTIONS = 225, BODY = 262144;
const list = (name, otherwise) => (process.env[name] ?? otherwise).split(',').filter(Boolean);
const AS = list('LOCI_BENCH_AS', 'kinds,notes,long'), MODELS = list('LOCI_BENCH_MODELS', 'default');
const KEEP = process.env.LOCI_BENCH_KEEP;
const kept = KEEP && existsSync(KEEP) ? JSON.parse(readFileSync(KEEP, 'utf8')) : {};

// What documents are where rooms write them; a text with a session is a turn, any other a chunk. Few relevant texts: nDCG says more.
const KINDS = { metatool: 'skill', 'sealtools-in': 'skill', 'memdaily-zh': 'note' };
const BY_GAIN = new Set(['scifact', 'cranfield']);
const MODES = [
  ['words', { mode: 'keyword' }],
  ['meaning', { mode: 'vector' }],
  ['rrf', { fusion: 'rrf' }],
  ['default', {}],
  ...(process.env.LOCI_BENCH_SETTINGS ? [['asked', JSON.parse(process.env.LOCI_BENCH_SETTINGS)]] : []),
].filter(([name]) => list('LOCI_BENCH_MODES', 'words,meaning,rrf,default,asked').includes(name));

// ---- accounts that hold sets

const kindOf = (family, doc) => KINDS[family] ?? (doc.session !== undefined ? 'episode' : 'chunk');
const writable = (kind) => ['note', 'episode'].includes(kind);

// A turn's session and place there; the speaker stands before the text already.
function nodesOf(folder, family, corpus, as) {
  let seq = 0, session;
  return corpus.map((doc) => {
    const attrs = { doc: `${folder}/${doc.id}`, set: folder }, kind = as === 'kinds' ? kindOf(family, doc) : 'note';
    seq = doc.session === session ? seq + 1 : 1;
    session = doc.session;
    if (session !== undefined) Object.assign(attrs, { session: `${as === 'together' ? folder : ''}${session}`, seq });
    return { kind: writable(kind) ? kind : 'note', title: doc.title || doc.id, body: doc.text.slice(0, BODY), attrs, allow_duplicate: true };
  });
}

async function newAccount(model) {
  const slug = unique('bench');
  await ctl('account', 'create', '--slug', slug);
  await ctl('agent', 'create', '--account', slug, '--slug', 'one', '--name', 'one');
  if (model !== 'default') {
    const [provider, ...name] = model.split(':');
    const embed = JSON.stringify({ embed: { provider, model: name.join(':') } });
    await sql(`UPDATE account SET settings = JSON_MERGE_PATCH(settings, '${embed}') WHERE slug = '${slug}'`);
  }
  return { slug, token: await ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'bench') };
}

async function fill({ slug, token }, nodes) {
  for (let i = 0; i < nodes.length; i += 5000) {
    const part = nodes.slice(i, i + 5000);
    const { data } = await expectStatus(200, 'POST', '/api/v1/nodes/bulk',
      { token, raw: part.map((n) => JSON.stringify(n)).join('\n'), headers: { 'Content-Type': 'application/x-ndjson' } });
    assert.equal(data.created, part.length, JSON.stringify(data.errors).slice(0, 500));
  }
  await until(`vectors of ${slug}`, async () => {
    const [[waiting]] = await sql(`SELECT COUNT(*) FROM node n JOIN account a ON a.id = n.account_id
      LEFT JOIN vector v ON v.account_id = n.account_id AND v.node_id = n.id WHERE a.slug = '${slug}' AND v.node_id IS NULL`);
    return waiting === '0';
  }, { tries: 3600, pause: 500 });
}

// Kinds that only their rooms write: what is measured here is how they are found.
async function become({ slug }, kind) {
  if (!writable(kind))
    await sql(`UPDATE node n JOIN account a ON a.id = n.account_id SET n.kind = '${kind}', n.updated_at = UTC_TIMESTAMP(6) WHERE a.slug = '${slug}'`);
}

async function tokenOf(key, make) {
  kept[key] ??= await make();
  if (KEEP) writeFileSync(KEEP, JSON.stringify(kept));
  return kept[key];
}

const ofSet = (model, folder, family, set, as) => tokenOf(`${model} ${as} ${folder}`, async () => {
  const a = await newAccount(model);
  await fill(a, nodesOf(folder, family, set.corpus, as));
  if (as === 'kinds') await become(a, kindOf(family, set.corpus[0]));
  return a.token;
});

const ofAll = (model) => tokenOf(`${model} together`, async () => {
  const a = await newAccount(model);
  for (const [family, folders] of Object.entries(families()))
    for (const folder of folders) await fill(a, nodesOf(folder, family, read(folder).corpus, 'together'));
  return a.token;
});

// ---- asking

function scores(found, relevant) {
  const at = found.flatMap((id, i) => (relevant.has(id) ? [i] : []));
  const gain = (i) => 1 / Math.log2(i + 2);
  let ideal = 0;
  for (let i = 0; i < Math.min(10, relevant.size); i++) ideal += gain(i);
  return { 'R@5': at.filter((i) => i < 5).length / relevant.size, 'R@10': at.filter((i) => i < 10).length / relevant.size,
    'nDCG@10': at.filter((i) => i < 10).reduce((sum, i) => sum + gain(i), 0) / ideal };
}

async function ask(token, folder, query, settings) {
  const r = await call('POST', '/api/v1/recall', { token, check: false, body: { query: query.text, limit: 20, touch: false, body_chars: 0, ...settings } });
  assert.equal(r.status, 200, r.text);
  assert.deepEqual(r.data.degraded, [], 'an answer without all its signals measures nothing');
  return r.data.hits.map((h) => h.attrs.doc.slice(folder.length + 1)).filter((id) => !query.quoted?.has(id));
}

async function run(token, folder, set, queries, settings) {
  const rows = [], left = [...queries];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let q = left.pop(); q; q = left.pop()) rows.push(scores(await ask(token, folder, q, settings), set.relevant.get(q.id)));
  }));
  return rows;
}

// ---- the table

const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
const show = (values) => values.map((v) => v.toFixed(1)).join(' / ').padStart(13);
let low = 0;

function heading(text) {
  console.log(`\n${text}`);
  console.log(['family'.padEnd(14), 'queries', ...MODES.map(([name]) => name.padStart(13))].join('  '));
}

// One line; what the default has below words or ranks, by more than a point, is marked. Returns the family's figure of each mode.
function line(name, by, rows) {
  const of = (mode) => by.map((key) => 100 * mean(rows[mode].map((r) => r[key])));
  const bad = rows.default && by.some((_, i) => of('default')[i] < Math.max(...['words', 'rrf'].filter((m) => rows[m]).map((m) => of(m)[i])) - 1);
  low += bad ? 1 : 0;
  console.log([name.padEnd(14), String(Object.values(rows)[0].length).padStart(7), ...MODES.map(([m]) => show(of(m))), ...(bad ? ['below words or rrf'] : [])].join('  '));
  return Object.fromEntries(MODES.map(([m]) => [m, mean(of(m))]));
}

function footing(name, figures) {
  if (figures.length > 1)
    console.log([name.padEnd(14), ''.padStart(7), ...MODES.map(([m]) => show([mean(figures.map((f) => f[m]))]))].join('  '));
}

const byOf = (family) => (BY_GAIN.has(family) ? ['nDCG@10'] : ['R@5', 'R@10']);

async function familyRows(model, family, folders, as, form) {
  const rows = Object.fromEntries(MODES.map(([mode]) => [mode, []]));
  for (const folder of folders) {
    const set = read(folder), queries = form ? variant(set, form, LONG_QUESTIONS / folders.length) : set.queries;
    if (!queries.length) continue;
    const token = as === 'together' ? await ofAll(model) : await ofSet(model, folder, family, set, as);
    for (const [mode, settings] of MODES) rows[mode].push(...(await run(token, folder, set, queries, settings)));
  }
  return rows;
}

const wanted = Object.entries(families()).filter(([f]) => !process.argv[2] || process.argv.slice(2).includes(f));

async function table(model, as) {
  const figures = [];
  heading(`${model}, ${{ kinds: 'turns are episodes, passages chunks, tools skills', notes: 'all documents are notes', together: 'all sets in one account' }[as]}`);
  for (const [family, folders] of wanted) figures.push(line(family, byOf(family), await familyRows(model, family, folders, as)));
  footing('mean', figures);
}

async function longTables(model) {
  const all = [];
  for (const form of Object.keys(VARIANTS)) {
    const figures = [];
    heading(`${model}, notes, long questions: ${form}`);
    for (const [family, folders] of wanted) {
      const rows = await familyRows(model, family, folders, 'notes', form);
      if (Object.values(rows)[0].length >= 10) figures.push(line(family, byOf(family), rows));
    }
    footing('mean', figures);
    all.push(...figures);
  }
  footing('mean of long', all);
}

async function evidenceOf(model) {
  const familyOfSet = Object.fromEntries(Object.entries(families()).flatMap(([family, folders]) => folders.map((f) => [f, family])));
  const sample = () => tokenOf(`${model} sample`, async () => {
    const a = await newAccount(model);
    await fill(a, sampleNotes());
    return a.token;
  });
  let turn = Promise.resolve();
  const tokenFor = (set) => (set === 'sample' ? sample() : ofSet(model, set, familyOfSet[set], { get corpus() { return read(set).corpus; } }, 'notes'));
  const ask = (set, query) => (turn = turn.then(async () => {
    const { data } = await expectStatus(200, 'POST', '/api/v1/recall', { token: await tokenFor(set), body: { query: query.slice(-4096), touch: false, body_chars: 0 } });
    assert.deepEqual(data.degraded, []);
    return data;
  }));
  low += await evidenceTables(`${model}, evidence`, ask) ? 0 : 1;
}

// The rows of `made`: [name, [[token, folder, set], …]].
async function madeTables(model, title, made, by) {
  const figures = [];
  heading(`${model}, ${title}`);
  for (const [name, worlds] of made) {
    const rows = Object.fromEntries(MODES.map(([mode]) => [mode, []]));
    for (const [token, folder, set] of await worlds())
      for (const [mode, settings] of MODES) rows[mode].push(...(await run(token, folder, set, set.queries, settings)));
    if (Object.values(rows)[0].length) figures.push(line(name, by ?? byOf(name), rows));
  }
  footing('mean', figures);
}

const worldOf = async (model, key, folder, family, set) => [await tokenOf(`${model} ${key} ${folder}`, async () => {
  const a = await newAccount(model);
  await fill(a, nodesOf(folder, family, set.corpus, 'notes'));
  return a.token;
}), folder, set];

const SIZES = [5, 12, 30, 100], TURNS = 3;
const smallTables = (model) => madeTables(model, 'small accounts: three of each family; nDCG@10', SIZES.map((size) => [`${size} texts`, async () => {
  const all = [];
  for (const [family, folders] of wanted)
    for (let turn = 0; turn < TURNS; turn++) {
      const folder = folders[turn % folders.length];
      all.push(await worldOf(model, `small ${size} ${turn}`, folder, family, small(read(folder), size, turn)));
    }
  return all;
}]), ['nDCG@10']);

const unreadTables = (model) => madeTables(model, 'in a script that the model cannot read', wanted.filter(([f]) => f !== 'memdaily-zh').map(([family, folders]) => [family,
  () => Promise.all(folders.slice(0, 2).map((folder) => worldOf(model, 'unread', folder, family, unreadable(read(folder)))))]));

const filteredTables = async (model) => {
  const token = await ofAll(model), saved = MODES.map(([, s]) => ({ ...s }));
  const only = (folder) => MODES.forEach(([, s], i) => Object.assign(s, saved[i], folder ? { filters: { attrs: { set: folder } } } : { filters: undefined }));
  const figures = [];
  heading(`${model}, all sets in one account, each asked by a filter`);
  for (const [family, folders] of wanted) {
    const rows = Object.fromEntries(MODES.map(([mode]) => [mode, []]));
    for (const folder of folders) {
      const set = read(folder);
      only(folder);
      for (const [mode, settings] of MODES) rows[mode].push(...(await run(token, folder, set, set.queries, settings)));
    }
    figures.push(line(family, byOf(family), rows));
  }
  only();
  footing('mean', figures);
};

const OTHER_TABLES = { long: longTables, evidence: evidenceOf, small: smallTables, unread: unreadTables, filtered: filteredTables };
for (const model of MODELS)
  for (const as of AS) await (OTHER_TABLES[as]?.(model) ?? table(model, as));
console.log(`\nRecall@5 / Recall@10, ${[...BY_GAIN].join(' and ')} nDCG@10; the default is more than a point below words or rrf in ${low} lines`);
process.exitCode = low ? 1 : 0;
