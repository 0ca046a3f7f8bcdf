// One night of memory, on the stack that LOCI_STACK names: see tests/bench/memory_night, which starts one.
// The entries are real ones, multiplied in the database: each text is one of a thousand followed by another, each vector that of the
// first, turned by some dimensions, so that hardly anything is near what it should not be near.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { expectStatus, freshAccount, stack, unique, until } from '../api/client.mjs';
import { sql } from '../api/db.mjs';

const [ENTRIES, ROWS, COPIES] = [200000, 10000, 1000].map((n, i) => Number(process.argv[2 + i] ?? n));
const SEEDS = 1000, C = '/api/v1/ai/contexts', HEADER = 28;
const list = (text) => text.split(' ');
const WHO = list('teacher sailor doctor neighbour engineer painter farmer lawyer nurse driver child pilot baker soldier singer judge waiter writer customer manager student tourist plumber gardener');
const DID = list('repaired sold forgot painted bought described lost found cancelled planned measured borrowed cleaned delivered ordered photographed hid moved drew returned rejected praised tested lifted');
const WHAT = list('engine garden letter contract piano bicycle invoice medicine window novel bridge kitchen camera ticket computer sandwich guitar passport roof sculpture telescope recipe tractor database');
const HOW = list('old broken expensive wooden green secret heavy famous tiny dangerous cheap elegant frozen digital empty golden noisy dusty foreign rusty');
const WHERE = list('harbour library hospital airport mountain office market museum station forest island factory school castle laboratory hotel beach bakery court theatre');
let state = 12345;
const one = (of) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return of[Math.floor(state / 4294967296 * of.length)]; };
const text = () => `The ${one(HOW)} ${one(WHAT)} that the ${one(WHO)} ${one(DID)} at the ${one(WHERE)}.`;

const pid = async (service) => Number((await stack('pid', service)).stdout);
const cpu = (id) => { const f = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1].split(' '); return (Number(f[11]) + Number(f[12])) / 100; };
const memory = (id, what) => Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]) / 1024;
const rowsRead = async () => (await sql("SELECT SUM(variable_value) FROM information_schema.global_status WHERE variable_name LIKE 'handler_read%'"))[0][0];
const number = async (statement) => Number((await sql(statement))[0][0]);

const { owner, token } = await freshAccount();
const { id: agent, account_id: id } = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
const runJob = async (name) => {
  const { id: run } = (await expectStatus(202, 'POST', `/api/v1/jobs/${name}/run`, { token: owner, body: {} })).data;
  return until(`the end of ${name}`, async () => {
    const r = (await expectStatus(200, 'GET', `/api/v1/job_runs/${run}`, { token: owner })).data.run;
    return !['waiting', 'running'].includes(r.status) && r;
  }, { tries: 12000, pause: 100 });
};

// ---- planting

const context = (await expectStatus(201, 'POST', C, { token: owner, body: { name: 'all', scope: 'account' } })).data.id;
for (let i = 0; i < SEEDS; i += 500)
  await expectStatus(200, 'POST', `${C}/${context}/entries/bulk`, { token: owner, body: { entries: Array.from({ length: 500 }, (_, k) => ({ entry_key: `seed ${i + k}`, content: { text: text() } })) } });
await until('vectors', async () => await number(`SELECT COUNT(*) FROM vector WHERE account_id = '${id}'`) === SEEDS, { tries: 6000, pause: 100 });

const columns = async (table, with_) => (await sql(`SELECT column_name FROM information_schema.columns WHERE table_schema = 'loci' AND table_name = '${table}' ORDER BY ordinal_position`))
  .map(([c]) => with_[c] ?? `t.${c}`).join(', ');
const made = (n) => `CONCAT('00000000-0000-7000-8000-', LPAD(HEX(${n}), 12, '0'))`;
// What packs the recall index would be measured, too.
await sql("UPDATE job SET paused_at = UTC_TIMESTAMP(6) WHERE name = 'recall_warmup'");
await sql(`CREATE TABLE bench_seed (n INT PRIMARY KEY, id UUID NOT NULL, body TEXT, data MEDIUMBLOB);
  INSERT INTO bench_seed SELECT ROW_NUMBER() OVER (ORDER BY n.id) - 1, n.id, n.body, v.data FROM node n JOIN vector v ON v.node_id = n.id WHERE n.account_id = '${id}'`);
// Keys in letters: what differs in a number is never merged.
const letters = (n) => [...'0123456789'].reduce((e, d, i) => `REPLACE(${e}, '${d}', '${'abcdefghij'[i]}')`, `CAST(${n} AS CHAR)`);
// Row q is seed q % 1000 and another one; a copy is a row of before under a key of its own, and new.
async function multiply(from, to, of, stamp) {
  const q = `JOIN seq_${from}_to_${to} q JOIN bench_seed a ON a.n = (${of}) % ${SEEDS} JOIN bench_seed b ON b.n = ((${of}) * 7 + 1 + (${of}) DIV ${SEEDS}) % ${SEEDS} WHERE t.account_id = '${id}'`;
  const one = (await sql('SELECT id FROM bench_seed WHERE n = 0'))[0][0], hash = `UNHEX(SHA2(CONCAT('row ', ${of}), 256))`;
  await sql(`INSERT INTO node SELECT ${await columns('node', { id: made('q.seq'), title: `CONCAT('key ', ${letters('q.seq')})`, body: "CONCAT(a.body, ' ', b.body)", content_hash: hash, updated_at: stamp, created_at: stamp, decayed_at: stamp, decay_rate: '0.01' })}
      FROM node t ${q} AND t.id = '${one}';
    INSERT INTO entry SELECT ${await columns('entry', { node_id: made('q.seq'), entry_key: `CONCAT('key ', ${letters('q.seq')})`, content: "JSON_OBJECT('text', CONCAT(a.body, ' ', b.body))", content_hash: hash })} FROM entry t ${q} AND t.node_id = '${one}';
    INSERT INTO vector SELECT ${await columns('vector', { node_id: made('q.seq'), data: `CONCAT(LEFT(a.data, ${HEADER}), SUBSTRING(a.data, ${HEADER + 1} + 4 * ((${of}) % 509)), SUBSTRING(a.data, ${HEADER + 1}, 4 * ((${of}) % 509)))`, text_hash: hash, updated_at: stamp })} FROM vector t ${q} AND t.node_id = '${one}'`);
}
const began = Date.now();
for (let i = SEEDS; i < ENTRIES - COPIES; i += 20000) await multiply(i, Math.min(i + 20000, ENTRIES - COPIES) - 1, 'q.seq', 'UTC_TIMESTAMP(6) - INTERVAL 10 DAY');
await multiply(ENTRIES - COPIES, ENTRIES - 1, `q.seq - ${ENTRIES - COPIES - SEEDS}`, 'UTC_TIMESTAMP(6)');
await sql(`UPDATE vector SET updated_at = UTC_TIMESTAMP(6) - INTERVAL 10 DAY WHERE account_id = '${id}' AND node_id IN (SELECT id FROM bench_seed);
  UPDATE context SET entry_count = ${ENTRIES} WHERE account_id = '${id}' AND space_id = '${context}';
  INSERT INTO job_state (account_id, job_name, watermark, extra, updated_at) VALUES ('${id}', 'memory_dedup', UTC_TIMESTAMP(6) - INTERVAL 1 DAY, '{}', UTC_TIMESTAMP(6))`);
await expectStatus(200, 'POST', `/api/v1/ai/agents/${agent}/tiered_memory`, { token, body: { key: 'row', value: 'x', type: 'observation', ttl: 604800 } });
await sql(`INSERT INTO short_term_memory (account_id, id, agent_id, memory_key, memory_value, memory_type, access_count, ttl_seconds, expires_at, content_hash, created_at, updated_at)
  SELECT account_id, UUID(), agent_id, CONCAT('row ', seq), JSON_QUOTE(CONCAT(a.body, ' ', b.body, ' ', c.body)), memory_type, 3, ttl_seconds, expires_at, content_hash, created_at, updated_at
  FROM short_term_memory JOIN seq_1_to_${ROWS} JOIN bench_seed a ON a.n = (seq * 37 + 11) % ${SEEDS} JOIN bench_seed b ON b.n = (seq * 101 + 7) % ${SEEDS}
  JOIN bench_seed c ON c.n = (seq DIV 10 * 13 + 5) % ${SEEDS} WHERE agent_id = '${agent}'; DROP TABLE bench_seed; ANALYZE TABLE node, entry, vector`);
console.log(`${ENTRIES} entries, ${ROWS} rows of short-term memory, ${COPIES} copies: planted in ${((Date.now() - began) / 1000).toFixed(0)} s`);

// ---- the night

const base = memory(await pid('scheduler'), 'VmRSS');
const total = { wall: 0, ours: 0, db: 0 };
async function timed(name, say) {
  const us = await pid('scheduler'), db = await pid('db'), before = [cpu(us), cpu(db), await rowsRead()], start = Date.now();
  const out = await say();
  const took = { wall: (Date.now() - start) / 1000, ours: cpu(us) - before[0], db: cpu(db) - before[1] };
  for (const k of Object.keys(total)) total[k] += took[k];
  console.log(`${name.padEnd(30)} ${took.wall.toFixed(1).padStart(6)} s wall, CPU ${took.ours.toFixed(1).padStart(6)} s ours + ${took.db.toFixed(1).padStart(6)} s MariaDB, ` +
    `${String(await rowsRead() - before[2]).padStart(9)} rows read, peak ${memory(us, 'VmHWM').toFixed(0)} MB  ${out}`);
}
const tell = (r) => `${r.status}${r.reason ? ` (${r.reason})` : ''}: scanned ${r.scanned}, changed ${r.changed}, failed ${r.failed} ${JSON.stringify(r.counts)}`;

if (process.env.LOCI_BENCH_KILL !== '0') {
  const promoted = () => number(`SELECT COUNT(*) FROM short_term_memory WHERE agent_id = '${agent}' AND promote_state = 'promoted'`);
  const begun = await expectStatus(202, 'POST', '/api/v1/jobs/memory_consolidation/run', { token: owner, body: {} }), start = Date.now();
  await until('half of them', async () => await promoted() > ROWS / 3, { tries: 12000, pause: 20 });
  await stack('kill', 'scheduler');
  console.log(`memory_consolidation was killed after ${((Date.now() - start) / 1000).toFixed(1)} s, with ${await promoted()} of ${ROWS} rows promoted`);
  await stack('start', 'scheduler');
  // The slice is taken over when its lease is over; what is left can be done at once.
  await timed('the rest, by the other half', async () => tell(await until('its end', async () => {
    const r = (await expectStatus(200, 'GET', `/api/v1/job_runs/${begun.data.id}`, { token: owner })).data.run;
    return !['waiting', 'running'].includes(r.status) && r;
  }, { tries: 12000, pause: 100 })));
  assert.equal(await promoted(), ROWS);
} else {
  await timed('memory_consolidation', async () => tell(await runJob('memory_consolidation')));
}
const made_ = await sql(`SELECT COUNT(*), COUNT(DISTINCT title) FROM node WHERE account_id = '${id}' AND title LIKE 'row %' AND status = 'active' AND kind = 'entry'`);
assert.deepEqual(made_, [[String(ROWS), String(ROWS)]], 'each row is one entry');
if (process.env.LOCI_BENCH_VECTORS === '1')
  await until('their vectors', async () => await number(`SELECT COUNT(*) FROM vector v JOIN node n ON n.id = v.node_id WHERE v.account_id = '${id}' AND n.title LIKE 'row %'`) === ROWS, { tries: 12000, pause: 100 });
else await sql(`DELETE FROM task WHERE account_id = '${id}' AND kind = 'embed'`);
for (const name of ['learning_decay', 'memory_decay', 'memory_dedup', 'rot_detection', 'shared_knowledge_maintenance', 'junk_audit']) {
  let runs = 0;
  await timed(name, async () => {
    let r = await runJob(name), all = tell(r);
    runs++;
    while (r.status === 'partial' && r.reason === 'bound' && process.env.LOCI_BENCH_ALL === '1') { r = await runJob(name); all += `; ${tell(r)}`; runs++; }
    return all;
  });
}
const merged = await number(`SELECT COUNT(*) FROM node_merge WHERE account_id = '${id}' AND loser_id LIKE '00000000-0000-7000-8000-%'`);
assert.ok(merged >= COPIES, `every copy is merged: ${merged}`);
console.log(`merged ${merged} of ${COPIES} copies; the whole night ${total.wall.toFixed(0)} s wall, CPU ${total.ours.toFixed(0)} s ours + ${total.db.toFixed(0)} s MariaDB; ` +
  `peak of loci-scheduler ${memory(await pid('scheduler'), 'VmHWM').toFixed(0)} MB, at first ${base.toFixed(0)} MB`);
