// The operations as a listing that is kept: whoever changes what callers see changes it knowingly.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { everyRow, permissionOf } from './world.mjs';

const kept = new URL('golden/operations.txt', import.meta.url);

// What a caller must know of a row, in one line.
function line({ method, template, row, id }) {
  const refs = (row.parameters ?? []).map((p) => p.$ref?.split('/').pop()).filter(Boolean);
  const success = Object.keys(row.responses).filter((s) => s < '300');
  const media = Object.keys(row.responses[success[0]].content ?? {})[0];
  const takes = Object.entries(row.requestBody?.content ?? {}).map(([type, { schema }]) =>
    (schema.properties ? Object.keys(schema.properties).map((n) => (schema.required?.includes(n) ? `${n}!` : n)).join(',') : type));
  const asked = (row.parameters ?? []).filter((p) => p.in === 'query').map((p) => (p.required ? `${p.name}!` : p.name));
  const flags = [success.join('|'), ...refs, media && media !== 'application/json' && media, /for operators/.test(row.description) && 'operator',
    row.responses['304'] && 'ETag'].filter(Boolean);
  return [method, template, id, permissionOf(row) ?? '-', flags.join(' '), asked.length ? `?${asked.join('&')}` : '', takes.length ? `{${takes}}` : '']
    .filter(Boolean).join('  ');
}

test('the operations are those of golden/operations.txt', async () => {
  const now = (await everyRow()).map(line).sort();
  if (process.env.LOCI_ACCEPT === '1') writeFileSync(kept, `${now.join('\n')}\n`);
  const before = existsSync(kept) ? readFileSync(kept, 'utf8').split('\n').slice(0, -1) : [];
  const gone = before.filter((l) => !now.includes(l)).map((l) => `- ${l}`);
  const come = now.filter((l) => !before.includes(l)).map((l) => `+ ${l}`);
  assert.equal(gone.length + come.length, 0,
    `the operations changed:\n${[...gone, ...come].join('\n')}\nif that is what you mean: LOCI_ACCEPT=1 ./check api, and commit tests/api/golden`);
});
