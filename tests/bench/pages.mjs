// The list page beside the list call, over many nodes, and the weight of pages: see tests/bench/pages, which starts a stack.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { freshAccount, signedIn, SITE } from '../browser/lib/live.mjs';
import { sql } from '../api/db.mjs';

const NODES = Number(process.argv[2] ?? 100000), ROUNDS = 150, WEIGHT = 60 * 1024;
const account = freshAccount(), owner = await signedIn(account.owner);
const [, space] = /<option value="([^"]+)" selected>Global</.exec((await owner.send('/admin/nodes')).text);
const node = (await owner.post('/admin/nodes', { title: 'one', body: 'The ferry leaves at seven. '.repeat(20), kind: 'note', space_id: space })).where;
const made = await owner.post('/admin/tokens', { name: 'bench', expires_in_days: '1', owner: `user:${account.owner.id}` });
const token = /loci_\w{8}_\w{43}/.exec((await owner.send(made.where)).text)[0];

// The row as it is, many times: ids and titles of their own, spread over the last days.
const columns = (await sql("SELECT column_name FROM information_schema.columns WHERE table_schema = 'loci' AND table_name = 'node' ORDER BY ordinal_position"))
  .map(([c]) => ({ id: "CONCAT(LPAD(HEX((UNIX_TIMESTAMP() - 900000 + q.seq * 8) * 1000), 12, '0'), '7000800000', LPAD(HEX(q.seq), 10, '0'))",
    title: "CONCAT('node number ', q.seq)", kind: "IF(q.seq % 4, 'note', 'entity')" })[c] ?? `t.${c}`).join(', ');
for (let from = 1; from < NODES; from += 20000)
  await sql(`INSERT INTO node SELECT ${columns} FROM node t JOIN seq_${from}_to_${Math.min(from + 19999, NODES - 1)} q WHERE t.id = '${node.split('/').pop()}'`);
await sql('ANALYZE TABLE node');

const half = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
async function timed(ask) {
  const begin = process.hrtime.bigint();
  const text = await ask();
  if (!text.includes('node number')) throw new Error(text.slice(0, 300));
  return Number(process.hrtime.bigint() - begin) / 1e6;
}
const rest = (query) => async () => (await fetch(`${SITE}/api/v1/nodes?limit=20&${query}`, { headers: { authorization: `Bearer ${token}` } })).text();
// The goal is for both as they are; the API is never compressed, pages are where the client takes it, which costs both sides time.
const page = (query, coding) => async () => (await owner.send(`/admin/nodes?${query}`, { headers: { 'Accept-Encoding': coding } })).text;

let red = false;
const cursor = JSON.parse(await rest('')()).meta;
for (const [what, asRest, asPage] of [['the first page', '', ''], ['the next one', `cursor=${cursor.next_cursor}`, `cursor=${cursor.next_cursor}`], ['one kind', 'kind=entity', 'kind=entity'], ['one space', `space_id=${space}`, `space=${space}`]]) {
  const times = { rest: [], page: [], packed: [] };
  for (let i = 0; i < ROUNDS; i++) {      // in turns, so that what else the machine does meets both
    times.rest.push(await timed(rest(asRest)));
    times.page.push(await timed(page(asPage, 'identity')));
    times.packed.push(await timed(page(asPage, 'gzip')));
  }
  const [r, p, z] = [half(times.rest), half(times.page), half(times.packed)];
  red ||= p > 2 * r;
  console.log(`${what}: REST ${r.toFixed(2)} ms, page ${p.toFixed(2)} ms, ${(p / r).toFixed(2)} times as long${p > 2 * r ? '  TOO SLOW' : ''}; compressed ${z.toFixed(2)} ms, ${(z / r).toFixed(2)}`);
}

const file = (name) => gzipSync(readFileSync(fileURLToPath(new URL(`../../static/${name}`, import.meta.url)))).length;
const own = file('loci.css') + file('loci.js') + file('icons.svg') + file('vendor/htmx.js');
for (const path of ['/admin', '/admin/nodes', node, '/admin/timeline', '/admin/audit', '/admin/recall?query=ferry']) {
  const bytes = own + gzipSync((await owner.send(path)).text).length;
  red ||= bytes > WEIGHT;
  console.log(`${path}: ${(bytes / 1024).toFixed(1)} kB compressed with style sheet, script and icons${bytes > WEIGHT ? '  TOO HEAVY' : ''}`);
}
console.log(`style sheet, script and icons alone: ${(own / 1024).toFixed(1)} kB`);
process.exit(red ? 1 : 0);
