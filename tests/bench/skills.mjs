// Discovery of skills on a judged set against plain recall; the time of a scan for conflicts; exact search of session logs against a plain scan.
// usage: node tests/bench/skills.mjs [discover|scan|logs]…   the set is LOCI_RECALL_SETS (or ../shared/data/recall)/metatool
import { existsSync, readFileSync } from 'node:fs';
import { embedded, expectStatus, freshAccount, runEnded } from '../api/client.mjs';
import { sql } from '../api/db.mjs';

const wanted = process.argv.slice(2), runs = (name) => !wanted.length || wanted.includes(name);
const S = '/api/v1/ai/skills', G = '/api/v1/ai/skill_graph';
const folder = [process.env.LOCI_RECALL_SETS, '/work/shared/data/recall', '../shared/data/recall'].filter(Boolean).map((f) => `${f}/metatool`).find(existsSync);
const lines = (file) => readFileSync(`${folder}/${file}`, 'utf8').trim().split('\n');
const atOnce = async (n, items, run) => {
  const left = [...items.entries()], out = [];
  await Promise.all(Array.from({ length: n }, async () => { for (let next; (next = left.shift());) out[next[0]] = await run(next[1], next[0]); }));
  return out;
};
const percentile = (values, p) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))];
const timed = async (run) => { const from = performance.now(); const value = await run(); return [value, performance.now() - from]; };
const make = (a, s) => expectStatus(201, 'POST', S, { token: a.token, body: { category: 'integration', body: s.description, ...s } });

async function discover() {
  const a = await freshAccount(), token = a.token;
  const corpus = lines('corpus.jsonl').map((l) => JSON.parse(l)), queries = lines('queries.jsonl').map((l) => JSON.parse(l));
  const right = new Map(lines('qrels.tsv').map((l) => l.split('\t')));
  const skillOf = new Map(), noteOf = new Map();
  await atOnce(4, corpus, async (d) => {
    skillOf.set((await make(a, { name: d.title.slice(0, 128), slug: `s-${skillOf.size}-${d.id.toLowerCase().replace(/[^a-z0-9]/g, '')}`.slice(0, 100), description: d.text.slice(0, 1024) })).data.id, d.id);
    noteOf.set((await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { kind: 'note', title: d.title, body: d.text, allow_duplicate: true } })).data.id, d.id);
  });
  await embedded(a.slug);
  const measure = async (name, ask) => {
    let first = 0, gain = 0, ten = 0;
    const times = [];
    await atOnce(2, queries, async (q) => {
      const [ids, ms] = await timed(() => ask(q.text)), rank = ids.indexOf(right.get(q.id));
      times.push(ms);
      first += rank === 0;
      ten += rank >= 0 && rank < 10;
      gain += rank >= 0 && rank < 10 ? 1 / Math.log2(rank + 2) : 0;
    });
    const share = (x) => (x / queries.length).toFixed(4);
    console.log(`${name.padEnd(24)} hit@1 ${share(first)}  hit@10 ${share(ten)}  nDCG@10 ${share(gain)}  p50 ${percentile(times, 0.5).toFixed(1)} ms  p95 ${percentile(times, 0.95).toFixed(1)} ms`);
  };
  const recall = (kind, of) => async (query) => (await expectStatus(200, 'POST', '/api/v1/recall', { token, body: { query: query.slice(0, 4096), kinds: [kind], limit: 10, touch: false } })).data.hits.map((h) => of.get(h.id));
  await measure('recall of plain notes', recall('note', noteOf));
  await measure('recall of skills', recall('skill', skillOf));
  await measure('discover_skills', async (description) => (await expectStatus(200, 'POST', `${G}/discover`, { token, body: { description: description.slice(0, 4000) } })).data.skills.map((s) => skillOf.get(s.id)));
}

async function scan() {
  const a = await freshAccount(), n = 1000, words = ['pump', 'valve', 'rope', 'chart', 'anchor', 'engine', 'radio', 'sail', 'hull', 'crane', 'winch', 'lamp'];
  const word = (i) => words[i % words.length];
  const ids = await atOnce(4, Array.from({ length: n }), async (_, i) => (await make(a, { name: `${word(i)} ${word(i * 5 + 1)} ${i}`, description: `How the ${word(i)} and the ${word(i * 7 + 3)} of ship ${i} are checked before trip ${i % 17}.` })).data.id);
  await embedded(a.slug);
  for (let i = 0; i < n; i += 10) await expectStatus(201, 'POST', '/api/v1/edges', { token: a.token, body: { source_id: ids[i], target_id: ids[(i + 1) % n], relation: 'requires' } });
  // 60 edges of each skill, put in at once: one by one they would take longer than all else; one more by the call tells the index.
  await sql(`INSERT INTO edge (account_id, id, source_id, target_id, relation, weight, confidence, recorded_at, updated_at)
    WITH s AS (SELECT k.account_id, k.id, ROW_NUMBER() OVER (ORDER BY k.id) AS n FROM skill k JOIN account a ON a.id = k.account_id WHERE a.slug = '${a.slug}')
    SELECT x.account_id, UUID(), x.id, y.id, 'correlates_with', 0.3, 1, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM s x JOIN s y ON (y.n - x.n + ${n}) % ${n} BETWEEN 1 AND 60`);
  await expectStatus(201, 'POST', '/api/v1/edges', { token: a.token, body: { source_id: ids[3], target_id: ids[500], relation: 'enhances' } });
  const [[edges]] = await sql(`SELECT COUNT(*) FROM edge e JOIN account a ON a.id = e.account_id WHERE a.slug = '${a.slug}'`);
  const { id } = (await expectStatus(202, 'POST', `${G}/scan`, { token: a.owner, body: {} })).data;
  const run = await runEnded(a, id);
  console.log(`scan of ${n} skills: ${run.status}, ${new Date(run.finished_at) - new Date(run.started_at)} ms, ${JSON.stringify(run.counts ?? {})} changed ${run.changed}`);
  const times = [];
  for (let i = 0; i < 200; i++) times.push((await timed(() => expectStatus(200, 'POST', `${G}/activate`, { token: a.token, body: { task: `check the ${word(i)} and the ${word(i + 3)} before the trip` } })))[1]);
  console.log(`activate among ${n} skills, ${edges} edges: p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`);
}

async function logs() {
  const a = await freshAccount(), token = a.token, mb = Number(process.env.LOCI_BENCH_MB ?? 64), each = 5000;
  let seed = 7, bytes = 0;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const words = Array.from({ length: 30000 }, () => Array.from({ length: 3 + Math.floor(random() * 7) }, () => 'etaoinshrdlucmfwypvbgkjqxz'[Math.floor(26 * random() ** 2)]).join(''));
  const text = () => { let s = ''; while (s.length < each) s += `${words[Math.floor(words.length * random() ** 2)]} `; return s; };
  const plant = new Set(Array.from({ length: 20 }, () => Math.floor(random() * mb * 200)));
  const questions = ['zyzomysk', 'no such p', words[29000], `${words[10]} ${words[20]}`], plain = new Map(questions.map((q) => [q, new Set()])), next = new Map();
  const noted = (session, content) => {                  // the plain scan: every message is compared with every question
    const seq = (next.get(session) ?? 0) + 1, low = content.toLowerCase();
    next.set(session, seq);
    for (const q of questions) if (low.includes(q)) plain.get(q).add(`${session} ${seq}`);
    return content;
  };
  const [, filled] = await timed(async () => {
    for (let i = 0, m = 0; bytes < mb * 1e6; i++) {
      const session = `log-${i % 50}`;
      const messages = Array.from({ length: 60 }, () => { const content = noted(session, plant.has(m++) ? `${text()} Zyzomysk ${text()}` : text()); bytes += content.length; return { role: 'user', content }; });
      await expectStatus(200, 'POST', `/api/v1/memory/sessions/${session}/log`, { token, body: { messages }, check: false });
    }
  });
  console.log(`${(bytes / 1e6).toFixed(0)} MB of logs appended in ${(filled / 1000).toFixed(1)} s`);
  for (const q of questions) {
    const ask = () => expectStatus(200, 'GET', `/api/v1/memory/session_logs/search?${new URLSearchParams({ q, limit: '100' })}`, { token });
    await ask();
    const times = [];
    let data;
    for (let i = 0; i < 10; i++) { const [r, ms] = await timed(ask); times.push(ms); data = r.data; }
    const want = plain.get(q), got = data.hits.map((h) => `${h.session_id} ${h.seq}`);
    const equal = got.every((h) => want.has(h)) && (got.length === want.size || got.length === 100 || data.partial);
    console.log(`search "${q}": ${got.length} hits (a plain scan: ${want.size}, ${equal ? 'the same' : 'NOT THE SAME'}), p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms, ${data.blocks_read} blocks read, ${data.blocks_skipped} left out${data.partial ? ', partial' : ''}`);
  }
}

if (runs('discover')) await discover();
if (runs('scan')) await scan();
if (runs('logs')) await logs();
