// docs/which-memory.md: every command in it works, pasted in its order, and each memory comes back.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { BASE, ctl, unique } from './client.mjs';

const exec = promisify(execFile);

test('its commands, pasted in their order, do what it says', async () => {
  const text = readFileSync(new URL('../../docs/which-memory.md', import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map((m) => m[1]);
  assert.ok(blocks.length >= 6);
  const account = unique('which');
  await ctl('account', 'create', '--slug', account);
  await ctl('agent', 'create', '--account', account, '--slug', 'assistant', '--name', 'Assistant');
  const token = await ctl('token', 'create', '--account', account, '--agent', 'assistant', '--name', 'which');
  // What ./up wrote to var/dev.env, and where it built.
  const script = blocks.join('\n').replace('. var/dev.env\n', '').replaceAll('--account dev', `--account ${account}`).replace('PATH=$PWD/var/build:', `PATH=${dirname(process.env.LOCI_CTL)}:`);
  const { stdout } = await exec('bash', ['-eu', '-o', 'pipefail', '-c', script], { env: { ...process.env, LOCI_URL: BASE, LOCI_TOKEN: token, LOCI_CONFIG: process.env.LOCI_CONF } });
  const said = stdout.split('\n').filter((l) => l.startsWith('{')).map((l) => JSON.parse(l).data);
  const answers = JSON.stringify(said);
  for (const back of ['Ada takes her tea without sugar.', '06:00 to 22:00', 'Bergen', 'Ask twice before closing the gate.', 'open', 'the pump leaks', 'Sound the horn twice in fog.', 'Brage'])
    assert.ok(answers.includes(back), back);
  const recalls = said.filter((d) => d.hits && d.considered !== undefined).map((d) => d.hits.map((h) => h.body));
  assert.equal(recalls.length, 3);
  assert.ok(recalls[0].includes('Ada takes her tea without sugar.') && recalls[2].includes('Ada takes her tea without sugar.'), JSON.stringify(recalls));
  assert.ok(recalls[1].includes('The ferry does not run in storms.'), 'the second agent finds what the first one wrote');
});

test('every path and tool that it names is there', async () => {
  const text = readFileSync(new URL('../../docs/which-memory.md', import.meta.url), 'utf8');
  const doc = await (await fetch(`${BASE}/api/v1/openapi.json`)).json();
  const shape = (p) => p.replace(/\{\w+\}|:\w+|\bme\b/g, '*');
  const paths = new Set(Object.keys(doc.paths).map(shape));
  const named = [...text.matchAll(/`(?:POST|PUT|GET|PATCH|DELETE)[^`]*?(\/api\/v1\/[\w/:]+)/g)].map((m) => m[1]);
  assert.ok(named.length >= 9);
  for (const p of named) assert.ok(paths.has(shape(p)), p);
});
