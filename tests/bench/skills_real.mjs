// Skills of others, as they are: usage: node tests/bench/skills_real.mjs FOLDER…   each folder is searched for SKILL.md
// Ingests them all, exports them, reads them over MCP and from /.well-known/agent-skills, and compares every byte with the disk.
// LOCI_SKILLS_CLI: cli.mjs of the npm package skills; then that installs them into an empty folder, which is compared, too.
// LOCI_YAML: a module with parse(text), another reader of YAML; then front matter is compared with what it reads.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { BASE, expectStatus, freshAccount } from '../api/client.mjs';

const S = '/api/v1/ai/skills', META = 'io.modelcontextprotocol/';
const sha = (b) => `sha256:${createHash('sha256').update(b).digest('hex')}`;
const walk = (dir) => readdirSync(dir, { withFileTypes: true }).flatMap((e) => e.isDirectory() ? walk(join(dir, e.name)) : e.isFile() ? [join(dir, e.name)] : []);
const folders = process.argv.slice(2).flatMap((root) => walk(root).filter((f) => basename(f) === 'SKILL.md').map(dirname));
const above = (dir) => folders.some((f) => f !== dir && dir.startsWith(`${f}/`));        // lies beside another skill
const seen = new Set();
const skills = folders.filter((d) => !above(d) && !seen.has(basename(d)) && seen.add(basename(d)))
  .map((dir) => ({ name: basename(dir), files: walk(dir).map((f) => ({ path: relative(dir, f), bytes: readFileSync(f) })) }));
const count = { skills: skills.length, files: 0, bytes: 0, ingested: 0, flagged: 0, exported: 0, served: 0, read: 0, installed: 0 };
const odd = (what, s, why) => console.log(`${what}: ${s.name}: ${why}`);

const a = await freshAccount(), token = a.token;
const wire = ({ path, bytes }) => path.endsWith('SKILL.md') ? { content: bytes.toString() } : { base64: bytes.toString('base64url') };
const from = performance.now(), flagged = new Set(), renamed = new Set();
for (const s of skills) {
  count.files += s.files.length;
  count.bytes += s.files.reduce((n, f) => n + f.bytes.length, 0);
  const files = s.files.map((f) => ({ path: `${s.name}/${f.path}`, ...wire(f) }));
  const { data } = await expectStatus(200, 'POST', `${S}/ingest/lines?source=real`, { token, raw: files.map((f) => JSON.stringify(f)).join('\n'), headers: { 'Content-Type': 'application/x-ndjson' }, check: false }).catch((e) => ({ data: { failed: [{ message: String(e).slice(0, 300) }], flagged: [] } }));
  for (const f of data.failed) odd('refused', s, f.message);
  if (data.flagged.length) { flagged.add(s.name); odd('flagged', s, 'a draft until somebody looks'); }
  s.in = !data.failed.length;
  count.ingested += s.in;
}
count.flagged = flagged.size;
const ingest_s = (performance.now() - from) / 1000;

for (const s of skills.filter((x) => x.in)) {
  const main = s.files.find((f) => f.path === 'SKILL.md').bytes, { data } = await expectStatus(200, 'GET', `${S}/${s.name.toLowerCase()}/export`, { token, check: false });
  const same = data.content === main.toString() && data.files.length === s.files.length - 1 && data.files.every((f) => sha(s.files.find((g) => g.path === f.path).bytes) === `sha256:${f.sha256}`);
  count.exported += same;
  if (!same) odd('export differs', s, data.content === main.toString() ? 'files' : 'SKILL.md');
}

async function rpc(method, params = {}) {
  const meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} };
  const r = await fetch(`${BASE}/mcp`, { method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json', Authorization: `Bearer ${token}`, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...params.uri ? { 'Mcp-Name': params.uri } : {} }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }) });
  return (await r.json()).result;
}
const yaml = process.env.LOCI_YAML ? (await import(process.env.LOCI_YAML)).parse : undefined;
const find = (name) => skills.find((s) => s.name.toLowerCase() === name);
for (let cursor; ;) {
  const page = await rpc('skills/list', cursor ? { cursor } : {});
  for (const entry of page.skills) {
    const s = find(entry.uri.split('/').at(-2)), main = s.files.find((f) => f.path === 'SKILL.md').bytes;
    count.served++;
    if (entry.resources[0].digest !== sha(main)) { renamed.add(s.name); odd('SKILL.md is served with another head', s, 'its name is not its folder, or it lacks a description'); }
    if (yaml && !renamed.has(s.name)) {
      let theirs;
      try { theirs = yaml(main.toString().split(/^---[ \t]*\r?$/m)[1]); } catch (e) { odd('not YAML to others', s, e.message.split('\n')[0]); }
      if (theirs && JSON.stringify(theirs) !== JSON.stringify(entry.frontmatter)) odd('front matter differs', s, `${JSON.stringify(theirs)} ${JSON.stringify(entry.frontmatter)}`.slice(0, 1500));
    }
    let all = entry.resources.length === s.files.length;
    for (const f of entry.resources) {
      const [c] = (await rpc('resources/read', { uri: f.uri })).contents, got = c.blob === undefined ? Buffer.from(c.text) : Buffer.from(c.blob, 'base64');
      const path = decodeURIComponent(f.uri.split('/').slice(4).join('/')), disk = s.files.find((g) => g.path === path)?.bytes;
      all &&= sha(got) === f.digest && got.length === f.size && (renamed.has(s.name) && path === 'SKILL.md' || (disk && got.equals(disk)));
    }
    count.read += all;
    if (!all) odd('MCP differs', s, 'a file');
  }
  if (!(cursor = page.nextCursor)) break;
}

await expectStatus(200, 'PATCH', '/api/v1/account', { token: a.owner, body: { settings: { public_skills: true } }, headers: { 'If-Match': '*' } });
const [asked] = [performance.now()], index = await (await fetch(`${BASE}/p/${a.slug}/.well-known/agent-skills/index.json`)).json(), first_ms = performance.now() - asked;
const again = performance.now();
await (await fetch(`${BASE}/p/${a.slug}/.well-known/agent-skills/index.json`)).text();
console.log(`index of ${index.skills.length}: ${first_ms.toFixed(0)} ms, again ${(performance.now() - again).toFixed(0)} ms`);
if (process.env.LOCI_SKILLS_CLI) {
  const dir = mkdtempSync(join(tmpdir(), 'loci-real-'));
  try {
    execFileSync(process.execPath, [process.env.LOCI_SKILLS_CLI, 'add', `${BASE}/p/${a.slug}`, '--all', '-y', '--copy', '-a', 'claude-code'], { cwd: dir, env: { ...process.env, HOME: dir, DISABLE_TELEMETRY: '1', DO_NOT_TRACK: '1' }, timeout: 300000 });
    const home = ['.claude/skills', '.agents/skills'].map((p) => join(dir, p)).find(existsSync);
    for (const entry of index.skills) {
      const s = find(entry.name), at = join(home, entry.name);
      const same = existsSync(at) && s.files.every((f) => { const p = join(at, f.path); return existsSync(p) && statSync(p).isFile() && (readFileSync(p).equals(f.bytes) || (renamed.has(s.name) && f.path === 'SKILL.md')); });
      count.installed += same;
      if (!same) odd('installed differs', s, existsSync(at) ? s.files.filter((f) => !existsSync(join(at, f.path)) || !readFileSync(join(at, f.path)).equals(f.bytes)).map((f) => f.path).slice(0, 5).join(' ') : 'not there');
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
}
console.log(`${JSON.stringify(count)} ingest ${ingest_s.toFixed(1)} s`);
