// What is large, wide or deep: answered in order, and nothing of it ends a process (scripts/suites.sh looks at the end of each file).
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { call, expectStatus, freshAccount, unique, until } from './client.mjs';
import { bodyOf, everyRow, freshWorld, pathOf } from './world.mjs';

const redis = async (...args) => (await promisify(execFile)('redis-cli', ['-s', process.env.LOCI_REDIS_SOCKET, ...args])).stdout.trim();

const DEPTH = 30;                                       // JSON_DEPTH_MAX
const NODES = 200000;                                   // JSON_NODES_MAX
const MIB = 1 << 20;

const nested = (levels, open = '[', close = ']', inner = '') => open.repeat(levels) + inner + close.repeat(levels);
const deep = (levels) => JSON.parse(nested(levels));
const deepObject = (levels) => (levels ? { a: deepObject(levels - 1) } : 1);
const ordinary = (r, what) => assert.ok(r.status < 500 && r.status !== 0, `${what}: ${r.status} ${r.text.slice(0, 300)}`);

let account, token, me;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data.id;
});

// Everything JSON that a call takes, and what it takes it as.
async function jsonFields() {
  const out = [];
  for (const { method, template, row } of await everyRow()) {
    const schema = row.requestBody?.content?.['application/json']?.schema;
    for (const [name, p] of Object.entries(schema?.properties ?? {})) {
      const types = [].concat(p.type ?? []);
      const any = !p.type && !p.enum && !p.$ref && !p.oneOf && !p.anyOf, object = types.includes('object') && !Object.keys(p.properties ?? {}).length;
      if (any || object) out.push({ method, template, row, name, object });
    }
  }
  return out;
}

test(`a value has at most ${DEPTH} levels, in every field of every call, and no row refuses what a call took`, async () => {
  const world = await freshWorld(), fields = await jsonFields();
  const taken = [];
  assert.ok(fields.length > 20, `${fields.length}`);
  for (const { method, template, row, name, object } of fields) {
    const holds = ['facts', 'entries', 'documents'].includes(name) || (name === 'data' && template.includes('/memory_pools')) ? 2 : 0;       // values, each with the limit
    for (const levels of [DEPTH + holds, DEPTH + holds + 1, 60, 70]) {
      const request = bodyOf(row, world.named, []);
      const value = object ? deepObject(levels) : deep(levels);
      const path = pathOf(template, (place) => world.places[place], row);
      const r = await call(method, path, { token: world.owner, ...request, body: { ...request.body, [name]: value }, check: false });
      ordinary(r, `${method} ${template} ${name} of ${levels} levels`);
      if (levels <= DEPTH + holds) {
        assert.doesNotMatch(r.text, /nested deeper/, `${method} ${template} ${name}`);
        if (r.status < 300) taken.push(`${row.operationId}.${name}`);
      } else {
        assert.ok([400, 422, 403, 404, 409].includes(r.status), `${method} ${template} ${name}: ${r.status} ${r.text.slice(0, 200)}`);
        if (r.status === 422 || r.status === 400) assert.match(r.text, /nested deeper than \d+ levels/, `${method} ${template} ${name} of ${levels}`);
      }
    }
  }
  assert.ok(taken.length > 12, `taken: ${taken}`);
});

test('a value that is deep by its place: nested pool keys, merges, increments', async () => {
  const { id } = (await expectStatus(201, 'POST', '/api/v1/ai/memory_pools', { token, body: { name: 'deep', pool_id: unique('p') } })).data;
  const at = (key) => `/api/v1/ai/memory_pools/${id}/data/${key}`;
  await expectStatus(200, 'PUT', at('a'), { token, body: { value: deepObject(DEPTH) } });
  const inner = `a${'.a'.repeat(7)}`;
  await expectStatus(200, 'PUT', at(inner), { token, body: { value: deepObject(DEPTH - 7) } });
  const over = await expectStatus(422, 'PUT', at(inner), { token, body: { value: deepObject(DEPTH - 6) } });
  assert.match(over.text, /nested deeper than 30 levels/);
  await expectStatus(200, 'PATCH', `/api/v1/ai/memory_pools/${id}/data`, { token, body: { data: { m: deepObject(DEPTH - 8), n: 1 } } });
  for (const levels of [DEPTH + 1, DEPTH + 10]) {
    const r = await call('PATCH', `/api/v1/ai/memory_pools/${id}/data`, { token, body: { data: { m: deepObject(levels) } } });
    ordinary(r, 'merge');
  }
  ordinary(await call('PUT', at(`b${'.c'.repeat(7)}`), { token, body: { op: 'increment', value: 1 } }), 'increment');
});

test('over MCP the limit of depth is the same, and is told to the model', async () => {
  for (const [levels, fits] of [[DEPTH, true], [DEPTH + 1, false], [100, false]]) {
    const r = await call('POST', '/mcp', { token, headers: { Accept: 'application/json, text/event-stream' }, check: false,
      raw: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"agent_remember","arguments":{"key":"k","value":${nested(levels)}}}}` });
    ordinary(r, `MCP, ${levels} levels`);
    if (fits) assert.doesNotMatch(r.text, /isError|"error"/, r.text.slice(0, 300));
    else assert.match(r.text, /nested deeper than 30 levels/);
  }
});

test('what is wide in a body: refused with 413 or by its size, and read where it fits', async () => {
  const note = (attrs) => `{"kind":"note","title":"t","body":"b","attrs":${attrs}}`;
  const many = (n) => `{"a":[${'1,'.repeat(n - 1)}1]}`;
  const bodies = {
    'a million ones': note(many((MIB - 200) / 2 | 0)),
    'empty arrays': note(`{"a":[${'[],'.repeat(MIB / 3 - 100 | 0)}[]]}`),
    'empty objects': note(`{"a":[${'{},'.repeat(MIB / 3 - 100 | 0)}{}]}`),
    'short members': note(`{${Array.from({ length: 90000 }, (_, i) => `"${i.toString(36)}":1`).join()}}`),
    'members nobody knows': `{${Array.from({ length: 100000 }, (_, i) => `"${i.toString(36)}":1`).join()}}`,
    'escapes': note(`{"a":"${'\\u0001'.repeat((MIB - 200) / 6 | 0)}"}`),
    'quotes': `{"kind":"note","title":"t","body":"${'\\"'.repeat((MIB - 200) / 2 | 0)}"}`,
    'long names': note(`{${Array.from({ length: 1000 }, (_, i) => `"${'x'.repeat(1000)}${i}":1`).join()}}`),
  };
  for (const [what, raw] of Object.entries(bodies)) {
    assert.ok(raw.length <= MIB, `${what}: ${raw.length}`);
    const r = await call('POST', '/api/v1/nodes', { token, raw });
    assert.ok([400, 413, 422].includes(r.status), `${what}: ${r.status} ${r.text.slice(0, 200)}`);
    const m = await call('POST', '/mcp', { token, headers: { Accept: 'application/json, text/event-stream' }, check: false,
      raw: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"agent_remember","arguments":${raw.slice(0, MIB)}}}` });
    ordinary(m, `${what} over MCP`);
  }
  const at = (n) => `{"kind":"note","title":"t","attrs":{"a":[${'1,'.repeat(n)}1]}}`;
  assert.equal((await call('POST', '/api/v1/nodes', { token, raw: at(NODES) })).status, 413);
  assert.equal((await call('POST', '/api/v1/nodes', { token, raw: at(30000) })).status, 201);
  const known = await call('POST', '/api/v1/nodes', { token, raw: bodies['members nobody knows'] });
  assert.ok(known.body.errors.length <= 16);
});

test('a list of large wide values, read whole by every way in', async () => {
  const { id } = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token, body: { name: unique('wide') } })).data;
  const content = { a: Array(120000).fill(1) };          // 240 kB of JSON, 48 times that once it is opened
  for (let i = 0; i < 60; i++)
    await expectStatus(201, 'POST', `/api/v1/ai/contexts/${id}/entries`, { token, body: { entry_key: `wide-${i}`, content, entry_type: 'observation' } });
  const paths = [`/api/v1/ai/contexts/${id}/entries?limit=100`, `/api/v1/ai/contexts/${id}/entries/wide-1`, '/api/v1/nodes?limit=100',
    '/api/v1/events?limit=100', '/api/v1/audit?limit=100', `/api/v1/ai/contexts/${id}/log?limit=100`];
  for (const path of paths) {
    const r = await call('GET', path, { token: account.owner, check: false });
    assert.ok([200, 404, 413].includes(r.status), `${path}: ${r.status} ${r.text.slice(0, 200)}`);
    if (r.status === 413) assert.equal(r.code, 'PAYLOAD_TOO_LARGE');
  }
  for (const [method, path, body] of [['POST', '/api/v1/recall', { query: 'wide', limit: 50 }], ['POST', '/api/v1/ai/memory/search', { query: 'wide' }],
    ['POST', `/api/v1/ai/contexts/${id}/snapshots`, { name: 's' }], ['POST', `/api/v1/ai/contexts/${id}/clone`, { name: unique('c') }]]) {
    const r = await call(method, path, { token: account.owner, body, check: false });
    ordinary(r, `${method} ${path}`);
  }
  // The same work, and all of it, in the portions that a reader can choose.
  let cursor = '', n = 0;
  do {
    const r = await expectStatus(200, 'GET', `/api/v1/ai/contexts/${id}/entries?limit=10${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, { token });
    n += r.data.length;
    cursor = r.meta.next_cursor;
  } while (cursor);
  assert.equal(n, 60);
});

test('an account of wide nodes is recalled: its index reads as many at once as memory takes', async () => {
  const own = await freshAccount();
  const attrs = `{"a":[${'1,'.repeat(30000)}1]}`;         // 60 kB, 1.4 MB once it is opened
  const lines = (word) => Array.from({ length: 300 }, (_, i) => `{"kind":"note","title":"${word} ${i}","body":"${word}","attrs":${attrs}}`).join('\n');
  const put = (word) => call('POST', '/api/v1/nodes/bulk', { token: own.token, raw: lines(word), headers: { 'Content-Type': 'application/x-ndjson' } });
  const find = async (word) => (await expectStatus(200, 'POST', '/api/v1/recall', { token: own.token, body: { query: word, limit: 5, mode: 'keyword' } })).data;
  for (const word of ['harbour', 'lantern']) {             // loaded whole, then what changed
    const r = await put(word);
    assert.ok(r.status < 300, r.text.slice(0, 300));
    await until('the index holds them', async () => {      // a busy machine takes more than the time of one recall for it
      const found = await find(word);
      return found.degraded.length === 0 && found.hits.length === 5;
    });
  }
});

test('one deep value in working memory blocks neither its scope nor the next', async () => {
  const at = (scope, path, more = '') => `/api/v1/ai/agents/${me}/working_memory${path}?session_id=${scope}${more}`;
  const scope = unique('s');
  await expectStatus(200, 'PUT', at(scope, '/keys/flat'), { token, body: { value: { is: 'flat' } } });
  await expectStatus(200, 'PUT', at(scope, '/keys/old'), { token, body: { value: 'X' } });
  const [key] = (await redis('--scan', '--pattern', `*${scope}:k:old`)).split('\n');
  assert.ok(key, 'the value is in Redis');
  await redis('SET', key, nested(50), 'KEEPTTL');        // as it could be written before there was this limit
  assert.deepEqual((await expectStatus(200, 'GET', at(scope, '/keys/old'), { token })).data.value, deep(50));
  const kept = (await expectStatus(200, 'POST', at(scope, '/persist'), { token, body: {} })).data;
  assert.equal(kept.persisted, 2);
  assert.deepEqual(kept.skipped, []);
  await expectStatus(200, 'DELETE', at(scope, '/keys'), { token });
  const back = (await expectStatus(200, 'POST', at(scope, '/load'), { token, body: {} })).data;
  assert.equal(back.loaded, 2);
  assert.deepEqual((await expectStatus(200, 'GET', at(scope, '/keys/old'), { token })).data.value, deep(50));
  assert.deepEqual((await expectStatus(200, 'GET', at(scope, '/keys/flat'), { token })).data.value, { is: 'flat' });
  for (let i = 0; i < 66; i++)                           // the 65th scope persists the oldest
    await expectStatus(200, 'PUT', at(`${scope}-${i}`, '/keys/k'), { token, body: { value: i } });
});
