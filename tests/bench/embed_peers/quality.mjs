// What a model and its precisions are worth in finding texts by meaning alone: Recall@5, Recall@10 and nDCG@10 of the judged
// sets, exact cosines, no engine. Prints also the points of the calibrated scale: mean and 99th percentile of random pairs.
// usage: quality.mjs EMBED_TEXTS-PROGRAM FOLDER-OF-MODELS [SET…]
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const [program, folder, ...wanted] = process.argv.slice(2);
const SETS = process.env.LOCI_RECALL_SETS ?? '/work/shared/data/recall';
// LOCI_BENCH_LOOKS: others than these, such as "all-minilm-l6-v2:f32 all-minilm-l6-v2:int8"; the first of a model has to be f32.
const DIM = { 'use-lite-en': 512, 'all-minilm-l6-v2': 384 };
const LOOKS = (process.env.LOCI_BENCH_LOOKS ?? 'use-lite-en:f32 all-minilm-l6-v2:f32 all-minilm-l6-v2:bf16 all-minilm-l6-v2:int8')
  .split(' ').map((l) => l.split(':')).map(([model, precision]) => [model, precision, DIM[model]]);
const PAIRS = 4000;

const lines = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean);
const one = (text) => text.replace(/[\n\0]/g, ' ');

function read(set) {
  const relevant = new Map();
  for (const [query, id] of lines(`${SETS}/${set}/qrels.tsv`).map((l) => l.split('\t'))) relevant.set(query, (relevant.get(query) ?? new Set()).add(id));
  const json = (name) => lines(`${SETS}/${set}/${name}`).map((l) => JSON.parse(l));
  return { corpus: json('corpus.jsonl'), queries: json('queries.jsonl').filter((q) => relevant.has(q.id)), relevant };
}

function vectors(model, precision, dim, texts) {
  const out = execFileSync(program, [`${folder}/${model}.model`, precision], { input: texts.map((t) => `${one(t)}\n`).join(''), maxBuffer: 2 ** 31 - 1 });
  const all = new Float32Array(out.buffer.slice(out.byteOffset, out.byteOffset + out.byteLength));
  return texts.map((_, i) => all.subarray(i * dim, (i + 1) * dim));
}

const dot = (a, b) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * b[i]; return s; };

function judge(ranked, relevant) {
  const hit = (n) => ranked.slice(0, n).filter((id) => relevant.has(id)).length / relevant.size;
  let gain = 0, best = 0;
  ranked.slice(0, 10).forEach((id, i) => { gain += relevant.has(id) ? 1 / Math.log2(i + 2) : 0; });
  for (let i = 0; i < Math.min(10, relevant.size); i++) best += 1 / Math.log2(i + 2);
  return [hit(5), hit(10), gain / best];
}

const sets = wanted.length ? wanted : readdirSync(SETS).filter((s) => existsSync(`${SETS}/${s}/qrels.tsv`));
const sums = LOOKS.map(() => [0, 0, 0]), scale = LOOKS.map(() => []), like = LOOKS.map(() => []);
for (const set of sets) {
  const { corpus, queries, relevant } = read(set), row = [];
  let exact;
  LOOKS.forEach(([model, precision, dim], k) => {
    const docs = vectors(model, precision, dim, corpus.map((d) => (d.title ? `${d.title} ${d.text}` : d.text)));
    const asked = vectors(model, precision, dim, queries.map((q) => q.text));
    const mean = [0, 0, 0];
    queries.forEach((q, i) => {
      const ranked = corpus.map((d, j) => [d.id, dot(asked[i], docs[j])]).sort((a, b) => b[1] - a[1]).slice(0, 10).map((r) => r[0]);
      judge(ranked, relevant.get(q.id)).forEach((v, m) => { mean[m] += 100 * v / queries.length; });
    });
    for (let p = 0; p < PAIRS; p++) scale[k].push(dot(docs[p * 7919 % docs.length], docs[(p * 104729 + 1 + Math.floor(docs.length / 2)) % docs.length]));
    if (precision === 'f32') exact = docs;
    else docs.forEach((d, j) => like[k].push(dot(d, exact[j])));
    mean.forEach((v, m) => { sums[k][m] += v / sets.length; });
    row.push(mean.map((v) => v.toFixed(1)).join('/'));
  });
  console.log(`${set.padEnd(30)} ${row.map((r) => r.padStart(16)).join('  ')}`);
}
LOOKS.forEach(([model, precision], k) => {
  const pairs = scale[k].filter((c) => c < 0.9999).sort((a, b) => a - b), cosines = like[k].filter((c) => c > 0).sort((a, b) => a - b);
  const agree = cosines.length ? `, cosine to f32 ${(cosines.reduce((s, c) => s + c, 0) / cosines.length).toFixed(5)} on average, ${cosines[0].toFixed(4)} at least` : '';
  console.log(`${model} ${precision}: ${sums[k].map((v) => v.toFixed(2)).join(' / ')}; random pairs ${(pairs.reduce((s, c) => s + c, 0) / pairs.length).toFixed(3)} on average, 99th percentile ${pairs[Math.floor(pairs.length * 0.99)].toFixed(3)}${agree}`);
});
