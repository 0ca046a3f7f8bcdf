// The reference of the API as pages: every operation has one, for everybody, and its curl line works.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { BASE, freshAccount, signIn } from './client.mjs';
import { everyRow, permissionOf } from './world.mjs';

const page = async (path, headers = {}) => {
  const r = await fetch(BASE + path, { headers });
  return { status: r.status, headers: r.headers, text: await r.text() };
};
const plain = (html) => html.replace(/<[^>]+>/g, ' ').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

test('the list has every operation of the document, for nobody in particular', async () => {
  const { status, headers, text } = await page('/api/v1/docs');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(headers.get('content-security-policy'), /default-src 'self'/);
  for (const { id, row } of await everyRow()) {
    assert.ok(text.includes(`href="/api/v1/docs/${id}"`), id);
    assert.ok(plain(text).includes(row.summary), row.summary);
  }
});

test('each has a page with its path, permission, parameters, answer and errors', async () => {
  for (const { id, row, template } of await everyRow()) {
    const { status, text } = await page(`/api/v1/docs/${id}`), words = plain(text);
    assert.equal(status, 200, id);
    assert.ok(words.includes(template.replace(/\{(\w+)\}/g, ':$1')), id);
    if (permissionOf(row)) assert.ok(text.includes(`<code>${permissionOf(row)}</code>`), `${id} says no permission`);
    const named = [...(row.parameters ?? []).filter((p) => !p.$ref).map((p) => p.name), ...Object.keys(row.requestBody?.content?.['application/json']?.schema.properties ?? {})];
    for (const name of named) assert.ok(text.includes(`<span class="mono">${name}</span>`), `${id} does not tell of ${name}`);
    for (const code of Object.keys(row.responses).filter((s) => s >= '400')) assert.ok(text.includes(`<td class="num">${code}</td>`), `${id} does not tell of ${code}`);
    assert.match(words, /curl -s .*"\$LOCI_URL\/api\/v1\//);
  }
});

test('it is looked through by words of names, paths, tools and fields', async () => {
  const found = async (q) => [...(await page(`/api/v1/docs?q=${encodeURIComponent(q)}`)).text.matchAll(/<td><a href="\/api\/v1\/docs\/(\w+)"/g)].map((m) => m[1]);
  assert.deepEqual(await found('pool GRANT remove'), ['pool_grant_remove']);
  assert.deepEqual(await found('read_memory'), ['node_get']);
  assert.ok((await found('as_known_at')).includes('recall'), 'by a field');
  assert.deepEqual(await found('submarine'), []);
  assert.match(plain((await page('/api/v1/docs?q=%3Cb%3E')).text), /No calls found/);
  assert.equal((await page('/api/v1/docs?q=%zz')).status, 200, 'a query that cannot be read is none');
});

test('each leads to the others of its group', async () => {
  const { text } = await page('/api/v1/docs/pool_get');
  assert.ok(text.includes('href="/api/v1/docs/pool_write"') && !text.includes('href="/api/v1/docs/node_get"'));
});

test('it is nothing but the page: its comment does not show, its anchors are words', async () => {
  for (const path of ['/api/v1/docs', '/api/v1/docs/recall']) {
    const { text } = await page(path);
    assert.ok(text.startsWith('<!DOCTYPE html>'), text.slice(0, 60));
    assert.doesNotMatch(text, / id="[^"]* [^"]*"/);
  }
});

test('what has no page is a page that says so', async () => {
  const { status, headers } = await page('/api/v1/docs/nothing');
  assert.equal(status, 404);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
});

test('whoever is signed in sees it among the other pages', async () => {
  const cookie = await signIn();
  assert.match((await page('/api/v1/docs', { Cookie: cookie })).text, /<nav class="side"/);
  assert.doesNotMatch((await page('/api/v1/docs')).text, /<nav class="side"/);
});

test('the curl lines can be pasted', async () => {
  const a = await freshAccount();
  const env = { ...process.env, LOCI_URL: BASE, LOCI_TOKEN: a.token };
  for (const id of ['me_get', 'node_list', 'recall', 'context_list']) {
    const [line] = /curl -s .*/.exec(plain((await page(`/api/v1/docs/${id}`)).text));
    const { stdout } = await promisify(execFile)('bash', ['-c', line], { env });
    assert.equal(JSON.parse(stdout).success, true, `${line}: ${stdout}`);
  }
});
