// MCP before judges from outside: the conformance suite for both revisions, the Inspector, and both generations of the SDK.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BASE, BASE2, embedded, expectStatus, freshAccount, withSettings } from '../api/client.mjs';
import { HERE, judge } from '../judges/judge.mjs';

const dir = mkdtempSync(join(tmpdir(), 'loci-mcp-'));
after(() => rmSync(dir, { recursive: true }));
const bin = (path) => join(HERE, 'node_modules', path);

// The judges know no tokens: what they send to this port goes on with one, else as it is.
async function withToken(base, token, run) {
  const to = new URL(base);
  const server = createServer((q, a) => {
    const on = request({ host: to.hostname, port: to.port, path: q.url, method: q.method, headers: { ...q.headers, authorization: `Bearer ${token}` } },
      (r) => { a.writeHead(r.statusCode, r.headers); a.flushHeaders(); r.pipe(a); });
    on.on('error', () => a.destroy());
    a.on('close', () => on.destroy());
    q.pipe(on);
  });
  await new Promise((go) => server.listen(0, '127.0.0.1', go));
  try {
    await run(`http://127.0.0.1:${server.address().port}/mcp`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('conformance: every scored scenario of both revisions', async () => {
  const { token } = await freshAccount();
  await withSettings({ LOCI_MCP_CONFORMANCE_FIXTURES: 'yes' }, () => withToken(BASE2, token, async (url) => {
    const all = await Promise.all([['2025-11-25', 33], ['2026-07-28', 37]].map(async ([revision, least]) => {
      const out = join(dir, revision);
      return { revision, least, ...(await judge(bin('@modelcontextprotocol/conformance/dist/index.js'), ['server', '--url', url, '--requirements', revision, '-o', out])) };
    }));
    for (const { revision, least, code, text } of all) {
      const summary = text.slice(text.indexOf('=== SUMMARY ==='));
      const unscored = new Set([...summary.matchAll(/^ {2}[✓✗] ([\w-]+) \(/gm)].map((m) => m[1]));
      const scenarios = [...summary.matchAll(/^([✓✗]) ([\w-]+): /gm)].filter((m) => !unscored.has(m[2]));
      assert.equal(code, 0, `${revision}: ${summary.slice(0, 3000)}`);
      assert.deepEqual(scenarios.filter((m) => m[1] !== '✓').map((m) => m[2]), [], revision);
      assert.ok(scenarios.length >= least - 3, `${revision}: only ${scenarios.length} scenarios`);
    }
  }));
});

// ---- skills for other programs

const FILES = [{ path: 'plain/SKILL.md', content: '---\nname: plain\ndescription: Only a text.\n---\nDo it.\n' },
  { path: 'pdf-tools/SKILL.md', content: '---\nname: pdf-tools\ndescription: Reads PDFs.\nlicense: Apache-2.0\nmetadata:\n  order: 3\n---\nBody\n' },
  { path: 'pdf-tools/scripts/deep/run.py', content: 'print("no")\n' }, { path: 'pdf-tools/assets/a.bin', base64: Buffer.from([0, 255, 128, 10, 13, 0]).toString('base64url') }];
async function shelf() {
  const a = await freshAccount();
  await expectStatus(200, 'POST', '/api/v1/ai/skills/ingest', { token: a.token, body: { source: 'shelf', files: FILES } });
  return a;
}

test('conformance: the scenarios of the skills extension', async () => {
  const { token } = await shelf();
  await withToken(BASE, token, async (url) => {
    for (const scenario of ['sep-2640-skills-enumeration', 'sep-2640-skills-manifest', 'sep-2640-skills-directory']) {
      const r = await judge(bin('@modelcontextprotocol/conformance/dist/index.js'), ['server', '--url', url, '--scenario', scenario, '--spec-version', '2026-07-28', '-o', join(dir, scenario), '--verbose']);
      assert.equal(r.code, 0, `${scenario}: ${r.text.slice(-3000)}`);
      const bad = [...r.text.matchAll(/"id": "([^"]+)"[^}]*?"status": "(FAILURE|WARNING|SKIPPED)"/g)].map((m) => `${m[1]} ${m[2]}`);
      assert.deepEqual(bad, [], scenario);
    }
  });
});

test('skills-ref takes every served skill, and `skills add` installs them byte for byte', async () => {
  const a = await shelf(), home = mkdtempSync(join(dir, 'home-'));
  await expectStatus(200, 'PATCH', '/api/v1/account', { token: a.owner, body: { settings: { public_skills: true } }, headers: { 'If-Match': '*' } });
  const r = await judge(bin('skills/bin/cli.mjs'), ['add', `${BASE}/p/${a.slug}`, '--skill', '*', '-a', 'claude-code', '-y', '--copy'], { cwd: home, env: { HOME: home, DISABLE_TELEMETRY: '1' } });
  assert.equal(r.code, 0, r.text);
  for (const f of FILES) assert.ok(readFileSync(join(home, '.claude/skills', f.path)).equals(f.base64 ? Buffer.from(f.base64, 'base64url') : Buffer.from(f.content)), f.path);
  for (const name of ['plain', 'pdf-tools']) {
    const v = await judge(bin('skills-ref/dist/cli.js'), ['validate', join(home, '.claude/skills', name)]);
    assert.equal(v.code, 0, v.text);
  }
});

test('the Inspector lists every tool in its strict mode without a remark', async () => {
  const { owner } = await freshAccount();
  const { data } = await expectStatus(201, 'POST', '/api/v1/tokens', { token: owner, body: { name: 'core' } });
  for (const token of [owner, data.secret]) await withToken(BASE, token, async (url) => {
    for (const era of ['legacy', 'modern']) {
      const r = await judge(bin('@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
        ['--cli', url, '--transport', 'http', '--protocol-era', era, '--method', 'tools/list', '--strict', '--format', 'json'], { cwd: dir });
      assert.equal(r.code, 0, `${era}: ${r.text.slice(0, 3000)}`);
      assert.ok(!/Warning: tool/.test(r.text), `${era}: ${r.text.slice(r.text.indexOf("Warning: tool"))}`);
      assert.ok(r.text.includes('"remember"'), era);
    }
  });
});

// What a judge asks this address is answered when all notes have their vectors.
async function withSettling(slug, run) {
  const server = createServer((q, a) => embedded(slug).then(() => a.end(), (e) => a.writeHead(500).end(String(e))));
  await new Promise((go) => server.listen(0, '127.0.0.1', go));
  try {
    return await run(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('both generations of the SDK remember, recall, read and forget', async () => {
  const { token, slug } = await freshAccount();
  const r = await withSettling(slug, (settle) => judge('mcp_smoke.mjs', [`${BASE}/mcp`, token, settle]));
  assert.equal(r.code, 0, r.text);
  assert.equal(r.text.match(/^ok /gm).length, 40, r.text);
});

test('the session of docs/mcp-session.md, as it is told there', async () => {
  const { token, slug } = await freshAccount();
  const { ctl } = await import('../api/client.mjs');
  await ctl('agent', 'create', '--account', slug, '--slug', 'reader', '--role', 'readonly');
  const reads = await ctl('token', 'create', '--account', slug, '--agent', 'reader', '--name', 'reads', '--toolset', 'full');
  const r = await withSettling(slug, (settle) => judge('mcp_session.mjs', [`${BASE}/mcp`, token, reads, settle]));
  assert.equal(r.code, 0, r.text);
  assert.equal(r.text.trim(), readFileSync(new URL('../../docs/mcp-session.md', import.meta.url), 'utf8').split('```text\n')[1].split('\n```')[0].trim());
});
