// docs/operations.md names every setting with its meaning, as src/base/config.h has it, and every step of the installation.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('every setting is documented, and nothing else is', () => {
  const table = read('src/base/config.h').split('#define CONFIG_KEYS')[1].split('#ifndef LOCI_DATADIR')[0];
  const keys = [...table.matchAll(/[SPIB]\(\w+, "(\w+)", "(\w+)",.*"([^"]+)"\)/g)].map((m) => [`${m[1]}.${m[2]}`, m[3]]);
  const doc = read('docs/operations.md');
  assert.ok(keys.length > 20);
  for (const [key, help] of keys) {
    const row = doc.split('\n').find((line) => line.startsWith(`| \`${key}\` |`));
    assert.ok(row, `docs/operations.md lacks ${key}`);
    assert.ok(row.includes(help), `docs/operations.md says something else of ${key}: ${help}`);
  }
  for (const m of doc.matchAll(/^\| `([a-z]+\.[a-z_]+)` \|/gm)) assert.ok(keys.some(([k]) => k === m[1]), `${m[1]} is no setting`);
});

test('docs/operations.md tells of every step of scripts/install-debian, and --show prints each', () => {
  const script = read('scripts/install-debian'), steps = /^steps=\((.*)\)$/m.exec(script)[1].split(' ');
  const rows = [...read('docs/operations.md').split('| step | what it does |')[1].split('\n\n')[0].matchAll(/^\| `(\w+)` \|/gm)].map((m) => m[1]);
  assert.deepEqual(rows, steps);
  const show = (...names) => execFileSync('bash', [fileURLToPath(new URL('../../scripts/install-debian', import.meta.url)), '--show', ...names], { encoding: 'utf8' });
  for (const step of steps) assert.match(show(step), new RegExp(`^#[^]*^step_${step}\\(\\) \\{\n[^]*^\\}$`, 'm'), step);
  assert.equal(show(), show(...steps));
});

test('docs/where.md has twenty answers, and every file it names is there', () => {
  const rows = read('docs/where.md').split('\n').filter((l) => /^\| [A-Z]/.test(l));
  assert.equal(rows.length, 20);
  const named = rows.flatMap((r) => [...r.matchAll(/`((?:src|sql)\/[\w./-]+)`/g)].map((m) => m[1]));
  assert.ok(named.length >= 20);
  assert.deepEqual(named.filter((p) => !existsSync(new URL(`../../${p}`, import.meta.url))), []);
});
