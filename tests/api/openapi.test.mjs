// The OpenAPI document: well-formed, complete, cacheable, and true to what the server does with it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { BASE, call, ctl, openapi } from './client.mjs';
import { everyRow, freshWorld, pathOf } from './world.mjs';

const operations = everyRow;

test('it is served without a credential, as JSON, and may be cached', async () => {
  const r = await fetch(`${BASE}/api/v1/openapi.json`);
  assert.equal(r.status, 200);
  assert.equal(r.headers.get('content-type'), 'application/json');
  assert.match(r.headers.get('cache-control'), /public/);
  assert.equal(r.headers.get('x-content-type-options'), 'nosniff');
});

test('it says which version of OpenAPI, of us, where, and how to sign in', async () => {
  const doc = await openapi();
  assert.match(doc.openapi, /^3\.1\./);
  assert.ok(doc.info.title && doc.info.version && doc.info.license.identifier);
  assert.deepEqual(doc.servers, [{ url: '/', 'x-internal': false }]);      // of the place where it was read, unless that has TLS
  assert.deepEqual(doc.security, [{ bearer: [] }]);
  assert.equal(doc.components.securitySchemes.bearer.scheme, 'bearer');
});

test('operations have an id of their own, a summary, a known tag and answers', async () => {
  const doc = await openapi();
  const tags = new Set(doc.tags.map((t) => t.name));
  const ids = new Set();
  for (const { row, id, method, template } of await operations()) {
    const where = `${method} ${template}`;
    assert.match(id, /^[a-z][a-z0-9_]*$/, where);
    assert.ok(!ids.has(id), `${id} twice`);
    ids.add(id);
    assert.match(row.summary, /^[A-Z].{5,}\.$/, `${id}: ${row.summary}`);
    assert.ok(row.tags.length === 1 && tags.has(row.tags[0]), id);
    const ok = Object.keys(row.responses).filter((s) => s < '300');
    assert.deepEqual(ok, ok.includes('201') && ok.length === 2 ? ['200', '201'] : [ok[0]], id);      // 200: it was there already
    for (const status of ['401', '403', '404', '422', '429', '500', '503']) assert.ok(row.responses[status], `${id} lacks ${status}`);
  }
});

test('path parameters are those of the path; names are not given twice', async () => {
  for (const { row, id, template } of await operations()) {
    const parameters = (row.parameters ?? []).filter((p) => !p.$ref);
    const inPath = parameters.filter((p) => p.in === 'path').map((p) => p.name).sort();
    assert.deepEqual(inPath, [...template.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort(), id);
    const names = [...parameters.map((p) => p.name), ...Object.keys(row.requestBody?.content?.['application/json']?.schema.properties ?? {})];
    assert.equal(new Set(names).size, names.length, `${id}: ${names}`);
    for (const p of parameters) assert.ok(p.description && p.schema && (p.in !== 'path' || p.required), `${id} ${p.name}`);
  }
});

function walk(node, path, visit) {
  if (!node || typeof node !== 'object') return;
  visit(node, path);
  for (const [k, v] of Object.entries(node)) walk(v, `${path}/${k}`, visit);
}

test('every reference leads somewhere', async () => {
  const doc = await openapi();
  walk(doc, '#', (node, path) => {
    if (!node.$ref) return;
    assert.ok(node.$ref.slice(2).split('/').reduce((o, k) => o?.[k], doc), `${path}: ${node.$ref}`);
  });
});

test('every schema compiles, strictly', async () => {
  const doc = await openapi();
  const ajv = new Ajv({ strict: true, strictTypes: false, allowUnionTypes: true, validateFormats: true });
  addFormats(ajv);
  ajv.addFormat('password', true);
  ajv.addFormat('binary', true);
  ajv.addKeyword('components').addKeyword('paths').addKeyword('info').addKeyword('servers').addKeyword('security').addKeyword('tags').addKeyword('openapi');
  ajv.addSchema({ $id: 'doc', ...doc }, 'doc');
  let n = 0;
  walk(doc, '#', (node, path) => {
    if (!/\/(schema)$|\/components\/schemas\/\w+$/.test(path)) return;
    ajv.compile(JSON.parse(JSON.stringify(node).replaceAll('"#/', '"doc#/')));
    n++;
  });
  assert.ok(n > 100, `${n} schemas`);
});

test('what is sent is bounded: texts, lists and numbers have limits, unknown members are refused', async () => {
  for (const { row, id } of await operations()) {
    const schema = row.requestBody?.content?.['application/json']?.schema;
    if (!schema || (schema.type === 'string' && schema.maxLength > 0)) continue;     // none, or a file, whose size is bounded
    assert.equal(schema.additionalProperties, false, id);
    for (const [name, p] of Object.entries(schema.properties)) {
      const types = [].concat(p.type);
      assert.ok(p.description, `${id} ${name} has no description`);
      if (types.includes('object') && types.includes('number')) {        // any JSON: its size is a sentence
        assert.match(p.description, /at most \d+ bytes/, `${id} ${name} says no size`);
        continue;
      }
      if (types.includes('string') && !p.enum) assert.ok(p.maxLength > 0, `${id} ${name} has no maxLength`);
      if (types.includes('array')) assert.ok(p.maxItems > 0 && p.items, `${id} ${name} has no maxItems`);
      if (types.includes('integer') || types.includes('number')) assert.ok(p.minimum !== undefined && p.maximum !== undefined, `${id} ${name} has no range`);
    }
  }
});

test('a change names no defaults: what is left out stays as it is', async () => {
  for (const { row, id, method } of await operations()) {
    const { properties = {} } = row.requestBody?.content?.['application/json']?.schema ?? {};
    if (method === 'PATCH') assert.deepEqual(Object.keys(properties).filter((name) => 'default' in properties[name]), [], id);
  }
});

test('a default said is what happens when nothing is said', async () => {
  const w = await freshWorld();
  let said = 0;
  const answer = async (path) => {
    const { status, data, text } = await call('GET', path, { token: w.owner });
    return { status, data: data ?? text };
  };
  for (const { row, id, method, template } of await operations()) {
    const defaults = (row.parameters ?? []).filter((p) => p.in === 'query' && 'default' in p.schema);
    if (method !== 'GET' || !defaults.length || /^\/api\/v1\/(jobs|job_runs|schedulers|events)/.test(template)) continue;   // go on by themselves
    // Of a log of reads what is not noted a second later.
    const path = pathOf(template, (place) => w.places[place], row) + (template.endsWith('/access_log') ? '?action=create' : ''), query = defaults.map((p) => `${p.name}=${p.schema.default}`).join('&');
    const ids = ({ status, data }) => [status, Array.isArray(data) ? data.map((d) => d.id ?? d) : typeof data];
    assert.deepEqual(ids(await answer(`${path}${path.includes('?') ? '&' : '?'}${query}`)), ids(await answer(path)), `${id} ${query}`);
    said += defaults.length;
  }
  assert.ok(said > 30, `${said} defaults`);
});

test('so is what is answered, and every answer tells of its headers', async () => {
  const doc = await openapi();
  walk(doc.paths, '#', (node, path) => {
    if (!node.type || typeof node.type !== 'string' && !Array.isArray(node.type)) return;
    const types = [].concat(node.type);
    if (types.includes('string') && !node.format) assert.ok(node.maxLength > 0 || node.enum || node.const, `${path} has no maxLength`);
    if (types.includes('array')) assert.ok(node.maxItems > 0 && node.items, `${path} has no maxItems, or no items`);
  });
  for (const { row, id } of await operations()) {
    for (const [status, answer] of Object.entries(row.responses)) {
      const { headers } = answer.$ref ? answer.$ref.slice(2).split('/').reduce((o, k) => o[k], doc) : answer;
      for (const name of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Access-Control-Allow-Origin']) assert.ok(headers[name], `${id} ${status} does not tell of ${name}`);
    }
  }
});

test('locictl prints the same document', async () => {
  assert.deepEqual(JSON.parse(await ctl('openapi')).paths, (await openapi()).paths);
});

test('secrets are marked as passwords', async () => {
  const found = [];
  for (const { row, id } of await operations()) {
    const schema = row.requestBody?.content?.['application/json']?.schema;
    for (const [name, p] of Object.entries(schema?.properties ?? {}))
      if (/password|secret/.test(name)) found.push([id, name, p.format]);
  }
  assert.ok(found.length >= 3);
  for (const [id, name, format] of found) assert.equal(format, 'password', `${id} ${name}`);
});
