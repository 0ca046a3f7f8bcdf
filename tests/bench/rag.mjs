// Quality of answers from knowledge bases over the RAG calls on judged sets: Recall@5 and @10 and nDCG@10 of documents, by mode,
// and along the graph. Documents are loaded as a person would load them; names become entities on the way.
// usage: node tests/bench/rag.mjs [SET…]   default: musique100 2wiki101 hotpot100 scifact; LOCI_RAG_QUESTIONS=40: only so many of each,
//   LOCI_RAG_DOCUMENTS=1500: only so many documents, those that answer first
import assert from 'node:assert/strict';
import { call, ctl, expectStatus, settled, embedded, unique } from '../api/client.mjs';
import { read } from './recall_sets.mjs';

const SETS = process.argv.length > 2 ? process.argv.slice(2) : ['musique100', '2wiki101', 'hotpot100', 'scifact'];
const QUESTIONS = Number(process.env.LOCI_RAG_QUESTIONS ?? 1e9), DOCUMENTS = Number(process.env.LOCI_RAG_DOCUMENTS ?? 1e9), AT_ONCE = 4;
const R = '/api/v1/ai/rag';

async function each(list, work) {
  let next = 0;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let i = next++; i < list.length; i = next++) await work(list[i], i);
  }));
}

async function load(set) {
  const slug = unique('rag');
  await ctl('account', 'create', '--slug', slug);
  await ctl('agent', 'create', '--account', slug, '--slug', 'one', '--name', 'one');
  const token = await ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'bench');
  const base = (await expectStatus(201, 'POST', `${R}/knowledge_bases`, { token, body: { name: 'bench' } })).data, ids = new Map();
  let again = 0;
  const began = Date.now();
  await each(set.corpus, async (d) => {
    const body = { knowledge_base_id: base.id, name: (d.title || d.id).slice(0, 255), content: d.text, external_id: d.id, content_type: 'text/plain' };
    for (;;) {
      const r = await call('POST', `${R}/documents`, { token, body });
      if (r.status === 503) { again++; continue; }          // the counters of the base are one row: a client tries again
      assert.equal(r.status, 201, r.text);
      ids.set(r.data.id, d.id);
      break;
    }
  });
  await settled(slug, { parts: ['queue'], kinds: ['process_document'] });
  const indexed = Date.now();
  await embedded(slug);
  const { data } = await expectStatus(200, 'GET', `/api/v1/ai/knowledge_graph/statistics?knowledge_base_id=${base.id}`, { token });
  console.log(`  loaded ${set.corpus.length} documents in ${((indexed - began) / 1000).toFixed(1)} s (${again} tried again); ${data.kinds.find((k) => k.name === 'entity')?.n ?? 0} names, ${data.edges} edges`);
  return { token, base, ids };
}

const WAYS = [
  ['keyword', 'search', { mode: 'keyword' }],
  ['vector', 'search', { mode: 'vector' }],
  ['hybrid', 'search', { mode: 'hybrid' }],
  ['graph', 'search', { mode: 'graph' }],
  ['graph/retrieve', 'graph/retrieve', {}],
];

// Documents, best first, each once.
function documents(results, ids) {
  return [...new Set(results.map((r) => ids.get(r.document_id)))];
}

function score(found, wanted) {
  const hits = (k) => found.slice(0, k).filter((id) => wanted.has(id)).length / wanted.size;
  const gain = found.slice(0, 10).reduce((s, id, i) => s + (wanted.has(id) ? 1 / Math.log2(i + 2) : 0), 0);
  const best = Array.from({ length: Math.min(10, wanted.size) }, (_, i) => 1 / Math.log2(i + 2)).reduce((a, b) => a + b, 0);
  return [hits(5), hits(10), gain / best];
}

async function communities({ token, base }) {
  const began = Date.now(), made = (await expectStatus(200, 'POST', '/api/v1/ai/knowledge_graph/communities/rebuild', { token, body: { space_id: base.id } })).data;
  console.log(`  ${made.found} communities of ${made.names} names in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

const table = {};
for (const name of SETS) {
  const set = read(name), queries = set.queries.slice(0, QUESTIONS);
  const answers = new Set(queries.flatMap((q) => [...set.relevant.get(q.id)]));
  set.corpus = [...set.corpus.filter((d) => answers.has(d.id)), ...set.corpus.filter((d) => !answers.has(d.id))].slice(0, DOCUMENTS);
  console.log(`${name}: ${queries.length} questions`);
  const world = await load(set), { token, base, ids } = world;
  await communities(world);
  for (const [way, path, more] of WAYS) {
    const sums = [0, 0, 0], times = [];
    await each(queries, async (q) => {
      const began = process.hrtime.bigint();
      const { data } = await expectStatus(200, 'POST', `${R}/${path}`, { token, body: { query: q.text, knowledge_base_id: base.id, top_k: path === 'search' ? 10 : 20, ...more } });
      times.push(Number(process.hrtime.bigint() - began) / 1e6);
      score(documents(data.results, ids), set.relevant.get(q.id)).forEach((s, i) => { sums[i] += s / queries.length; });
    });
    times.sort((a, b) => a - b);
    (table[name] ??= {})[way] = sums;
    console.log(`  ${way.padEnd(15)} Recall@5 ${(100 * sums[0]).toFixed(1)}  Recall@10 ${(100 * sums[1]).toFixed(1)}  nDCG@10 ${(100 * sums[2]).toFixed(1)}  median ${times[times.length >> 1].toFixed(0)} ms`);
  }
}
const gain = (set) => 100 * (table[set].hybrid[0] - table[set].keyword[0]);
for (const set of SETS) console.log(`${set}: hybrid ${gain(set) >= 0 ? '+' : ''}${gain(set).toFixed(1)} points Recall@5 over keyword`);
if (table.musique100 && QUESTIONS > 99) assert.ok(gain('musique100') >= 9, 'MuSiQue: at least 9 points');
if (table.scifact && QUESTIONS > 99) assert.ok(gain('scifact') >= -1, 'SciFact: no loss over 1 point');
