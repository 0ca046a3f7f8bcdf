// The interface before judges from outside: the document, the main stories, and requests nobody thought of.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BASE, ctl, expectStatus, freshAccount, openapi, unique } from '../api/client.mjs';
import { HERE, judge } from '../judges/judge.mjs';

const dir = mkdtempSync(join(tmpdir(), 'loci-rest-'));
const doc = join(dir, 'openapi.json');
before(async () => writeFileSync(doc, JSON.stringify(await openapi())));
after(() => rmSync(dir, { recursive: true }));

const bin = (path) => join(HERE, 'node_modules', path);
const passes = (r, what) => assert.equal(r.code, 0, `${what}:\n${r.text.slice(0, 6000)}`);

test('redocly finds no problem in the document, by its strictest rules', async () => {
  passes(await judge(bin('@redocly/cli/bin/cli.js'), ['lint', doc, '--extends=recommended-strict'], { cwd: dir }), 'redocly lint');
});

test('the document is OpenAPI 3.1 by the schema of that', async () => {
  passes(await judge(bin('@seriousme/openapi-schema-validator/bin/validate-api-cli.js'), [doc]), 'validate-api');
});

test('spectral finds no error in it, with the OWASP rules', async () => {
  const rules = join(dir, '.spectral.json');
  writeFileSync(rules, JSON.stringify({ extends: ['spectral:oas', bin('@stoplight/spectral-owasp-ruleset/dist/ruleset.mjs')] }));
  passes(await judge(bin('@stoplight/spectral-cli/dist/index.js'), ['lint', doc, '--ruleset', rules, '--fail-severity=error', '--display-only-failures']), 'spectral');
});

test('each main story is told as it is written', async () => {
  const a = await freshAccount();
  const { data: agent } = await expectStatus(200, 'GET', '/api/v1/me', { token: a.token });
  cpSync(new URL('stories.arazzo.yaml', import.meta.url), join(dir, 'stories.arazzo.yaml'));
  const inputs = { token: a.owner, by_agent: a.token, agent: agent.id, word: unique('w') };
  const r = await judge(bin('@redocly/cli/bin/cli.js'),
    ['respect', 'stories.arazzo.yaml', '--input', JSON.stringify(inputs), '--server', `api=${BASE}`], { cwd: dir });
  passes(r, 'redocly respect');
});

// Enough for a few requests of every kind to every operation; LOCI_FUZZ asks for more.
test('thousands of requests, good and bad, are answered as the document says', async () => {
  const a = await freshAccount();
  const email = `${unique('op')}@example.org`;
  await ctl('user', 'create', '--account', a.slug, '--email', email, '--role', 'owner', '--name', 'Operator', '--operator');
  const token = await ctl('token', 'create', '--account', a.slug, '--user', email, '--name', 'fuzz');
  const seed = process.env.LOCI_FUZZ_SEED ?? '1';
  const r = await judge('oas_fuzz.mjs', [doc, '--base', BASE, '--auth', `Bearer ${token}`, '--n', process.env.LOCI_FUZZ ?? '4', '--seed', seed, '--max-seconds', '1200']);
  passes(r, 'oas_fuzz');
  const [, sent] = /^(\d+) requests/.exec(r.text);
  assert.ok(Number(sent) >= 2000, r.text.slice(0, 200));
});
