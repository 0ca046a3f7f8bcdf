// The commands of the documents, pasted: every shell block runs here, in a folder that looks like a checkout after ./up. A block that
// cannot run here is marked in the document by an invisible line before it: <!-- not run: why -->.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const DOCUMENTS = ['README.md', 'docs/mcp.md', 'docs/export.md', 'docs/operations.md'];
const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = [];
after(() => folders.forEach((f) => rmSync(f, { recursive: true })));

// [{line, text, why}] in their order; why: it is not to be run.
function blocksOf(document) {
  const blocks = [];
  let open, why;
  readFileSync(root + document, 'utf8').split('\n').forEach((line, i) => {
    if (open && /^\s*```/.test(line)) {
      blocks.push(open);
      open = why = undefined;
    } else if (open) {
      open.text += `${line}\n`;
    } else if (/^\s*```(sh|bash|shell|console)\b/.test(line)) {
      open = { line: i + 1, text: '', why };
    } else if (line.trim()) {
      why = /^<!-- not run: (.+) -->$/.exec(line.trim())?.[1];
    }
  });
  assert.ok(!open, `${document} has a block without an end`);
  return blocks;
}

// What ./up leaves: dev.env, and a locictl that finds its settings.
function checkout() {
  const folder = mkdtempSync(`${tmpdir()}/loci-docs-`), stack = process.env.LOCI_STACK;
  folders.push(folder);
  mkdirSync(`${folder}/var`);
  for (const [to, at] of [[`${stack}/dev.env`, 'var/dev.env'], [`${stack}/bin`, 'var/build'], [`${root}scripts`, 'scripts'], [`${root}docs`, 'docs']]) symlinkSync(to, `${folder}/${at}`);
  return folder;
}

// Without what the tests' own environment knows: only the document may say where Loci is.
const environment = Object.fromEntries(Object.entries(process.env).filter(([k]) => !k.startsWith('LOCI_')));

const paste = (folder, text) => new Promise((resolve) => {
  execFile('bash', ['-c', text], { cwd: folder, env: environment, timeout: 120000, maxBuffer: 1 << 26 },
    (error, out, err) => resolve({ code: error ? (error.code ?? error.signal) : 0, out, err }));
});

// What an answer says went wrong. A status that a comment of the block names ("the other hears 412") is meant.
function faultsOf(block, out) {
  return out.split('\n').filter((line) => /"success":false|"jsonrpc".*"error"|"isError":true|"status":"failed"/.test(line))
    .filter((line) => ![...block.text.matchAll(/#.*?\b([45]\d\d)\b/g)].some((m) => line.includes(`"status":${m[1]}`)));
}

for (const document of DOCUMENTS)
  test(`${document}: its commands can be pasted`, async (t) => {
    const blocks = blocksOf(document), run = blocks.filter((b) => !b.why), mark = (b) => `=== ${document}:${b.line}`;
    assert.ok(run.length, 'nothing of it is run');
    for (const b of blocks.filter((x) => x.why)) t.diagnostic(`${document}:${b.line} is not run: ${b.why}`);
    // One shell for the whole document, as for one who goes on reading; -e and pipefail find what a person would see.
    const { code, out, err } = await paste(checkout(), `set -e -o pipefail\n${run.map((b) => `echo; echo '${mark(b)}'\n${b.text}`).join('')}`);
    const parts = out.split(/^(?==== )/m);
    assert.equal(code, 0, `${parts.at(-1).trim()}\nended with ${code}\n${err}`);
    assert.equal(err.trim(), '', 'something was said on standard error');
    for (const b of run) {
      const part = parts.find((p) => p.startsWith(`${mark(b)}\n`));
      assert.ok(part, `${mark(b)} was not reached`);
      assert.deepEqual(faultsOf(b, part), [], mark(b));
    }
  });

test('docs/mcp.md: the program that Claude Desktop starts answers', async () => {
  const [, json] = /```json\n(\{"mcpServers": \{"loci": \{"command".*)\n```/.exec(readFileSync(`${root}docs/mcp.md`, 'utf8'));
  const { command, args, env } = JSON.parse(json).mcpServers.loci;
  assert.equal(command, '/usr/local/bin/locictl');
  assert.deepEqual(Object.keys(env), ['LOCI_TOKEN']);
  const hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}';
  const { code, out, err } = await paste(checkout(), `. var/dev.env; export LOCI_TOKEN; echo '${hello}' | var/build/locictl ${args.join(' ')}`);
  assert.deepEqual([code, err], [0, '']);
  assert.equal(JSON.parse(out).result.protocolVersion, '2025-11-25');
});

test('a block that is marked, and an error that is meant, are told from others', () => {
  assert.ok(blocksOf('docs/operations.md').some((b) => b.why && b.text.includes('install-debian')));
  const answer = '{"success":false,"code":"X","status":412}';
  assert.deepEqual(faultsOf({ text: 'api # the other hears 412' }, answer), []);
  assert.deepEqual(faultsOf({ text: 'api 412' }, answer), [answer]);
  assert.deepEqual(faultsOf({ text: '# 409\napi' }, answer), [answer]);
});
