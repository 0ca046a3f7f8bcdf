// How fast pages are: an import of many, saves of one with a hundred links, and a real vault against a second opinion.
//   tests/bench/wiki [VAULT]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ctl, expectStatus, freshAccount } from '../api/client.mjs';
import { sql } from '../api/db.mjs';

const P = '/api/v1/admin/pages';
const dir = mkdtempSync(join(tmpdir(), 'loci-wiki-'));

// Each page names twenty others, most of them by titles of files that come later.
export async function large(pages = 10000, links = 20) {
  const account = await freshAccount(), from = join(dir, 'large');
  mkdirSync(from);
  for (let i = 0; i < pages; i++)
    writeFileSync(join(from, `Page ${i}.md`), `# Page ${i}\n\n${Array.from({ length: links }, (_, k) => `Some words about [[Page ${(i * 7919 + k * 104729 + 1) % pages}]] here.`).join('\n')}\n`);
  const began = Date.now();
  const said = await ctl('pages', 'import', '--account', account.slug, '--from', from);
  console.log(`${pages} pages with ${pages * links} links: ${((Date.now() - began) / 1000).toFixed(1)} s (${said})`);
  const [[left]] = await sql(`SELECT COUNT(*) FROM page_link l JOIN account a ON a.id = l.account_id WHERE a.slug = '${account.slug}' AND l.state = 'pending'`);
  console.log(`links that wait: ${left}`);
  return account;
}

// Statements that the server has been given so far; those of jobs among them.
const statements = async () => (await sql("SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_stmt_execute', 'Com_query')")).reduce((n, [, v]) => n + Number(v), 0);

export async function saves(account, n = 200, pages = 10000) {
  const token = account.owner, text = (i) => `save ${i}\n\n${Array.from({ length: 100 }, (_, k) => `[[Page ${(i + k * 13) % pages}]] ${'words and more words '.repeat(45)}`).join('\n\n')}`;
  const p = (await expectStatus(201, 'POST', P, { token, body: { title: 'Saved often', content: text(0) } })).data;
  for (const [what, of] of [['the same links', (i) => `${text(0)} ${i}`], ['other links each time', text]]) {
    const times = [], before = await statements();
    for (let i = 1; i <= n; i++) {
      const began = performance.now();
      await expectStatus(200, 'PATCH', `${P}/${p.id}`, { token, body: { content: of(i) }, check: false });
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    console.log(`save of ${Math.round(text(0).length / 1024)} KiB with 100 links, ${what}: median ${times[n >> 1].toFixed(1)} ms, p95 ${times[Math.floor(n * 0.95)].toFixed(1)} ms, least ${times[0].toFixed(1)} ms, ${(((await statements()) - before) / n).toFixed(1)} statements`);
  }
}

export async function vault(from) {
  const account = await freshAccount(), out = join(dir, 'out');
  console.log(await ctl('pages', 'import', '--account', account.slug, '--from', from).catch((e) => e.stdout + e.stderr));
  console.log(await ctl('pages', 'export', '--account', account.slug, '--to', out));
  const files = readdirSync(from, { recursive: true }).filter((f) => /\.md$/i.test(f) && !/(^|\/)\./.test(f));
  const differ = files.filter((f) => !readFileSync(join(from, f)).equals(readFileSync(join(out, f))));
  console.log(`${files.length} files, ${differ.length} differ after import and export ${differ.slice(0, 5).join(', ')}`);
  const [[rows, pending, embeds]] = await sql(`SELECT COUNT(*), SUM(state = 'pending'), SUM(is_embed) FROM page_link l JOIN account a ON a.id = l.account_id WHERE a.slug = '${account.slug}'`);
  console.log(`${rows} targets, ${pending} of them wanted, ${embeds} embeds`);
  const wanted = await sql(`SELECT target, occurrences FROM page_link l JOIN account a ON a.id = l.account_id WHERE a.slug = '${account.slug}' AND state = 'pending' LIMIT 30`);
  console.log(`wanted: ${wanted.map((w) => w[0]).join(' | ')}`);
  if (process.env.FOAM) await compare(from, account);
}

// Every link from a note to a note, as foam-cli lists them (npm; FOAM names its program), beside ours.
async function compare(from, account) {
  const listed = JSON.parse(execFileSync(process.env.FOAM, ['graph', '--workspace', from, '--format', 'json'], { maxBuffer: 1 << 28 }));
  const notes = new Set(listed.nodes.filter((n) => n.type === 'note').map((n) => n.id));
  const theirs = new Set(listed.links.filter((l) => notes.has(l.source) && notes.has(l.target) && l.source !== l.target).map((l) => `${l.source} → ${l.target}`));
  const rows = await sql(`SELECT DISTINCT s.path, t.path FROM page_link l JOIN account a ON a.id = l.account_id JOIN page s ON s.account_id = l.account_id AND s.id = l.source_id
    JOIN page t ON t.account_id = l.account_id AND t.id = l.target_id WHERE a.slug = '${account.slug}' AND l.state = 'resolved'`);
  const ours = new Set(rows.map(([s, t]) => `${s} → ${t}`));
  const only = (x, y) => [...x].filter((e) => !y.has(e));
  console.log(`links from note to note: ${ours.size} here, ${theirs.size} by foam-cli; only here ${only(ours, theirs).length}, only there ${only(theirs, ours).length}`);
  for (const e of only(ours, theirs).slice(0, 15)) console.log(`  only here: ${e}`);
  for (const e of only(theirs, ours).slice(0, 15)) console.log(`  only there: ${e}`);
}

if (process.argv[1].endsWith('wiki.mjs')) {
  if (process.argv[2]) await vault(process.argv[2]);
  const pages = Number(process.env.PAGES ?? 10000);
  if (!process.env.VAULT_ONLY) await saves(await large(pages), 200, pages);
  rmSync(dir, { recursive: true });
}
