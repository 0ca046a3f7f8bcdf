// From upload to found: many short chunks beside what the embedder alone needs on all cores, a long PDF, and the documentation of large
// projects by a folder connector, with processes killed while it loads and questions answered afterwards.
// usage: tests/bench/rag_ingest [chunks [N] | scale [DOCUMENTS] | pdf [PAGES] | corpus FOLDER], which starts a stack for it; default: chunks 100000, pdf 100
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { expectStatus, freshAccount, settled, stack, unique } from '../api/client.mjs';
import { pdf } from '../api/files.mjs';
import { sql } from '../api/db.mjs';
import { note } from './notes.mjs';
import { othersTime, ourTime } from './others.mjs';
import { QUESTIONS } from './rag_questions.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`, C = `${R}/connectors`;
const [what, argument] = process.argv.slice(2);
const BUILD = process.env.LOCI_BUILD;
const seconds = (from) => ((Date.now() - from) / 1000).toFixed(1);
const quiet = async (slug, kinds) => { for (;;) try { return await settled(slug, kinds ? { parts: ['queue'], kinds } : {}); } catch (e) { if (!/not settled|50[234]|fetch failed/.test(e.message)) throw e; } };
const query = async (token, q, base, more = {}) => (await expectStatus(200, 'POST', `${R}/query`, { token, body: { query: q, knowledge_base_id: base, ...more } })).data;

// Seconds of one processor that the embedder alone needs for the texts of the chunks there are.
async function embedderSeconds() {
  const rows = await sql("SELECT REPLACE(CONCAT(n.title, ' ', n.body), '\\n', ' ') FROM node n WHERE n.kind = 'chunk' AND n.forgotten_at IS NULL");
  const run = spawn('bash', ['-c', 'TIMEFORMAT=%U; time "$0" "$1" int8 >/dev/null', `${BUILD}/tests/bench/embed_texts`, `${BUILD}/models/all-minilm-l6-v2.model`], { stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  run.stderr.on('data', (d) => { said += d; });
  run.stdin.end(`${rows.map((r) => r.join(' ')).join('\n')}\n`);
  await once(run, 'close');
  return Number(said.trim().split('\n').at(-1));
}

// What the database was asked to do, exactly: no load of other programs changes these figures.
async function statements() {
  return Object.fromEntries((await sql("SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_stmt_execute', 'Com_stmt_prepare', 'Com_insert', 'Com_select', 'Com_update', 'Com_delete', 'Com_begin', 'Com_commit', 'Com_rollback', 'Innodb_rows_inserted', 'Innodb_rows_updated', 'Innodb_rows_deleted', 'Innodb_rows_read', 'Innodb_data_fsyncs', 'Innodb_os_log_written', 'Innodb_row_lock_time')")).map(([k, v]) => [k.replace(/^Com_|^Innodb_/, ''), Number(v)]));
}
const perEach = (before, after, n) => Object.entries(after).map(([k, v]) => `${k} ${((v - before[k]) / n).toFixed(3)}`).join(', ');

async function chunks(n) {
  const account = await freshAccount(), token = account.token, per = 500;
  const base = (await expectStatus(201, 'POST', K, { token, body: { name: unique('bench'), chunk_size: 200, chunk_overlap: 0 } })).data.id;
  const texts = Array.from({ length: Math.ceil(n / per) }, (_, d) => Array.from({ length: per }, (_, i) => `## Note ${d * per + i}\n\n${JSON.parse(note(undefined, d * per + i)).body ?? note(undefined, d * per + i)}`.slice(0, 198)).join('\n\n'));
  const others = othersTime(), ours = ourTime(), counted = await statements(), began = Date.now();
  let next = 0;
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (let i = next++; i < texts.length; i = next++) await expectStatus(201, 'POST', D, { token, body: { knowledge_base_id: base, content: texts[i], name: `Notes ${i}`, content_type: 'text/markdown' } });
  }));
  const sent = seconds(began);
  await quiet(account.slug, ['process_document']);
  const indexed = seconds(began);
  const words = await statements();
  await quiet(account.slug);
  const all = Number(seconds(began)), missing = (othersTime() - others) / os.cpus().length, own = await embedderSeconds(), cores = os.cpus().length;
  const [[made, vectors]] = await sql(`SELECT COUNT(*), (SELECT COUNT(*) FROM vector v JOIN node n ON n.account_id = v.account_id AND n.id = v.node_id WHERE n.kind = 'chunk') FROM chunk`);
  console.log(`${made} chunks (${vectors} vectors) of ${texts.length} documents: sent ${sent} s, found by words after ${indexed} s, by meaning after ${all} s`);
  console.log(`processor: ${Object.entries(ourTime()).map(([k, v]) => `${k} ${(v - ours[k]).toFixed(1)} s`).join(', ')}`);
  console.log(`statements of the database per chunk until found by words: ${perEach(counted, words, made)}`);
  console.log(`  until found by meaning: ${perEach(counted, await statements(), made)}`);
  console.log(`the embedder alone: ${own.toFixed(1)} s of processor on ${cores} cores = ${(own / cores).toFixed(1)} s; ratio ${(all / (own / cores)).toFixed(2)} (goal: 1.3); other programs took ${(100 * missing / all).toFixed(0)} % of the processors, of what they left it is ${((all - missing) / (own / cores)).toFixed(2)}`);
}

// Documents of ten chunks with names, no embedder, in quarters: what one costs does not grow with those that are there. Then a changed
// document, from its PUT to a search that finds the new text.
async function scale(n) {
  const account = await freshAccount(), { owner, token } = account, etag = (await expectStatus(200, 'GET', '/api/v1/account', { token: owner })).headers.get('etag');
  await expectStatus(200, 'PATCH', '/api/v1/account', { token: owner, headers: { 'If-Match': etag }, body: { settings: { embed: { provider: 'none' } } } });
  const base = (await expectStatus(201, 'POST', K, { token, body: { name: unique('scale'), chunk_size: 200, chunk_overlap: 0 } })).data.id;
  const text = (d) => Array.from({ length: 10 }, (_, i) => `## Part ${i}\n\n${JSON.parse(note()).body} (${d}.${i})`.slice(0, 198)).join('\n\n');
  const one = (d) => ({ knowledge_base_id: base, name: `Report ${d}`, content: text(d), content_type: 'text/markdown' });
  for (let quarter = 0; quarter < 4; quarter++) {
    const from = Math.round(n * quarter / 4), to = Math.round(n * (quarter + 1) / 4), before = await statements(), ours = ourTime(), began = Date.now();
    let next = from;
    await Promise.all(Array.from({ length: 4 }, async () => {
      for (let i = next; i < to; i = next) {
        next = i + 50;
        await expectStatus(200, 'POST', `${D}/batch`, { token, body: { documents: Array.from({ length: Math.min(50, to - i) }, (_, k) => one(i + k)) } });
      }
    }));
    await quiet(account.slug, ['process_document']);
    const took = (Date.now() - began) / 1000, [[rows]] = await sql('SELECT COUNT(*) FROM chunk'), most = (await stack('pid', 'scheduler')).stdout.trim();
    console.log(`documents ${from} to ${to} (${rows} chunks): ${((to - from) / took).toFixed(1)} a second; 100,000 would take ${(100000 * took / (to - from) / 60).toFixed(0)} min; a document costs ${perEach(before, await statements(), to - from)}`);
    console.log(`  processor, ms a document: ${Object.entries(ourTime()).map(([k, v]) => `${k} ${(1000 * (v - ours[k]) / (to - from)).toFixed(1)}`).join(', ')}; scheduler at most ${/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${most}/status`, 'utf8'))[1] >> 10} MB`);
  }
  const [{ id }] = (await expectStatus(200, 'GET', `${D}?knowledge_base_id=${base}&limit=1`, { token })).data;
  for (let i = 0; i < 3; i++) {
    const word = unique('changed'), began = Date.now();
    await expectStatus(200, 'PUT', `${D}/${id}/content`, { token, body: { content: `${text('x')}\n\nThe ${word} berth.` } });
    await quiet(account.slug, ['process_document']);
    const { results } = await query(token, word, base, { mode: 'keyword' });
    console.log(`a changed document is served after ${seconds(began)} s (${results.length} hit${results.length === 1 ? '' : 's'})`);
  }
}

async function longPdf(pages) {
  const account = await freshAccount(), token = account.token, base = (await expectStatus(201, 'POST', K, { token, body: { name: unique('pdf') } })).data.id;
  const file = pdf(Array.from({ length: pages }, (_, p) => Array.from({ length: 45 }, (_, l) => `Page ${p} line ${l}: berth ${(p * 7 + l) % 97} takes ships of ${(p * 13 + l * 5) % 300} metres at high water.`)));
  for (let i = 0; i < 3; i++) {
    const began = Date.now();
    await expectStatus(201, 'POST', `${D}/upload?knowledge_base_id=${base}&allow_duplicate=true`, { token, raw: file, headers: { 'Content-Type': 'application/pdf' } });
    await quiet(account.slug, ['process_document']);
    const words = seconds(began), hits = (await query(token, `page ${pages - 1} line 44 berth`, base, { mode: 'keyword' })).results.length;
    await quiet(account.slug);
    console.log(`PDF of ${pages} pages, ${(file.length / 1024).toFixed(0)} KiB: found by words after ${words} s (${hits} hits), by meaning after ${seconds(began)} s`);
  }
}

async function corpus(folder) {
  const account = await freshAccount(), token = account.owner, base = (await expectStatus(201, 'POST', K, { token, body: { name: 'Manuals' } })).data.id;
  const k = (await expectStatus(201, 'POST', C, { token, body: { knowledge_base_id: base, name: 'Manuals', location: folder, include: '*.html *.pdf *.md *.txt *.epub' } })).data;
  const began = Date.now(), kills = [];
  await expectStatus(200, 'POST', `${C}/${k.id}/sync`, { token, body: {} });
  for (const [after, name] of [[8, 'scheduler'], [20, 'scheduler'], [32, 'web'], [44, 'scheduler']]) {
    await new Promise((go) => setTimeout(go, after * 1000 - (Date.now() - began)));
    const live = (await sql("SELECT COUNT(*) FROM document WHERE status = 'indexed'"))[0][0];
    await stack('kill', name);
    await stack('start', name);
    kills.push(`${name} after ${seconds(began)} s (${live} indexed)`);
  }
  await quiet(account.slug, ['sync_connector', 'process_document']);
  const words = seconds(began), now = (await expectStatus(200, 'GET', `${C}/${k.id}`, { token })).data;
  console.log(`killed: ${kills.join(', ')}`);
  console.log(`sync: ${JSON.stringify({ ...now.last_sync_result, errors: now.last_sync_result.errors?.length })} status ${now.status}`);
  for (const row of await sql('SELECT status, content_type, COUNT(*), SUM(chunk_count), ROUND(SUM(original_bytes) / 1048576, 1) FROM document GROUP BY 1, 2 ORDER BY 1, 3 DESC')) console.log(`  ${row.join('\t')}`);
  console.log(`  why failed: ${JSON.stringify(await sql("SELECT JSON_VALUE(processing_errors, '$[0].code') AS c, COUNT(*) FROM document WHERE status = 'failed' GROUP BY 1"))}`);
  const [[rows, counted, wrong]] = await sql(`SELECT (SELECT COUNT(*) FROM chunk), b.chunk_count, (SELECT COUNT(*) FROM document d WHERE d.chunk_count <> (SELECT COUNT(*) FROM chunk h WHERE h.document_id = d.id)) FROM knowledge_base b WHERE id = '${base}'`);
  console.log(`found by words after ${words} s; chunks ${rows}, counted ${counted}, documents with a wrong count ${wrong}`);
  await quiet(account.slug);
  console.log(`found by meaning after ${seconds(began)} s; load ${os.loadavg()[0].toFixed(1)}`);
  const again = Date.now();
  await expectStatus(200, 'POST', `${C}/${k.id}/sync`, { token, body: {} });
  await quiet(account.slug, ['sync_connector', 'process_document']);
  const second = (await expectStatus(200, 'GET', `${C}/${k.id}`, { token })).data.last_sync_result;
  console.log(`second sync: ${seconds(again)} s, added ${second.added}, changed ${second.changed}, unchanged ${second.unchanged}, archived ${second.archived}\n`);
  let first = 0, five = 0, ms = 0;
  for (const [i, [question, file]] of QUESTIONS.entries()) {
    const r = await query(token, question, base, { top_k: 5 });
    const paths = await Promise.all(r.results.map(async (x) => (await expectStatus(200, 'GET', `${D}/${x.document_id}`, { token })).data.external_id.slice(37)));
    const at = paths.findIndex((p) => file.test(p));
    first += at === 0;
    five += at >= 0;
    ms += r.latency_ms;
    console.log(`${i + 1}. ${question}\n   ${at < 0 ? 'NOT FOUND' : `rank ${at + 1}`} · ${r.results[0]?.document_name} (${paths[0]}) ${r.results[0]?.heading_path ?? ''}\n   ${(r.results[at < 0 ? 0 : at]?.content ?? '').replace(/\s+/g, ' ').slice(0, 260)}`);
  }
  console.log(`\nexpected source first: ${first}, among five: ${five} of ${QUESTIONS.length}; ${(ms / QUESTIONS.length).toFixed(0)} ms a query`);
}

if (what === 'corpus') await corpus(argument);
else if (what === 'pdf') await longPdf(Number(argument ?? 100));
else if (what === 'scale') await scale(Number(argument ?? 4000));
else if (what === 'chunks') await chunks(Number(argument ?? 100000));
else { await longPdf(100); await chunks(100000); }
