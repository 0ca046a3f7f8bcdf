// Vectors that callers bring: one length per model, finite numbers, and the rights of their node.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE2, call, expectStatus, freshAccount, freshAgent, unique } from './client.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
});

const node = async () => (await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: unique('n') } })).data.id;
const at = (id, model) => `/api/v1/nodes/${id}/vector${model ? `?model=${encodeURIComponent(model)}` : ''}`;
const put = (id, model, values, options = {}) => call('PUT', at(id), { token, body: { model, values }, ...options });

test('put, read, replaced, taken away', async () => {
  const id = await node(), model = unique('model');
  const v = await put(id, model, [3, 4]);
  assert.equal(v.status, 200, v.text);
  assert.deepEqual([v.data.values, v.data.dim, v.data.norm, v.data.is_stale], [[3, 4], 2, 5, false]);
  assert.deepEqual((await expectStatus(200, 'GET', at(id, model), { token })).data.values, [3, 4]);
  assert.equal((await put(id, model, [1, 0])).status, 200);
  assert.deepEqual((await expectStatus(200, 'GET', at(id, model), { token })).data.values, [1, 0]);
  await expectStatus(204, 'DELETE', at(id, model), { token });
  await expectStatus(404, 'GET', at(id, model), { token });
  await expectStatus(404, 'DELETE', at(id, model), { token });
});

test('a vector is stale once the content of its node is another', async () => {
  const id = await node(), model = unique('model');
  await put(id, model, [1, 2, 3]);
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${id}`, { token, body: { importance: 0.1 } });
  assert.equal((await expectStatus(200, 'GET', at(id, model), { token })).data.is_stale, false);
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${id}`, { token, body: { body: 'other' } });
  assert.equal((await expectStatus(200, 'GET', at(id, model), { token })).data.is_stale, true);
  await put(id, model, [1, 2, 3]);
  assert.equal((await expectStatus(200, 'GET', at(id, model), { token })).data.is_stale, false);
});

test('a model has one length, which its first vector sets; two firsts at once agree', async () => {
  const [a, b] = [await node(), await node()], model = unique('model');
  const both = await Promise.all([put(a, model, [1, 2]), put(b, model, [1, 2, 3], { base: BASE2 })]);
  const kept = both.filter((r) => r.status === 200);
  assert.equal(kept.length, 1, both.map((r) => r.text).join());
  assert.ok(both.every((r) => [200, 422].includes(r.status)));
  const models = (await expectStatus(200, 'GET', '/api/v1/models?limit=100', { token })).data.filter((m) => m.name === model);
  assert.equal(models.length, 1);
  assert.equal(models[0].dim, kept[0].data.dim);
  const wrong = await put(a, model, [1, 2, 3, 4]);
  assert.equal(wrong.status, 422);
  assert.equal(wrong.body.errors[0].pointer, '/values');
});

test('values that are no vector', async () => {
  const id = await node(), model = unique('model');
  for (const values of [[], [0, 0], [1e39], [1e300, 1], Array(4097).fill(1)]) {
    const r = await put(id, model, values);
    assert.equal(r.status, 422, `${values.slice(0, 3)}: ${r.text}`);
    assert.match(r.body.errors[0].pointer, /^\/values/);
  }
  for (const raw of ['[null]', '["1"]', '[[1]]', '{}', '1']) assert.equal((await call('PUT', at(id), { token, raw: `{"model":"m","values":${raw}}` })).status, 422, raw);
  assert.equal((await call('PUT', at(id), { token, raw: '{"model":"m","values":[1e400]}' })).status, 400);
  await expectStatus(404, 'GET', at(id, model), { token });
});

test('4096 numbers, denormal ones, and negative nothing', async () => {
  const id = await node();
  const long = await put(id, unique('long'), Array.from({ length: 4096 }, (_, i) => Math.fround(Math.sin(i))));
  assert.equal(long.data.dim, 4096);
  const small = await put(id, unique('small'), [1e-40, -0, 1]);
  assert.equal(small.status, 200, small.text);
  assert.equal(small.data.values.length, 3);
});

test('the rights are those of the node', async () => {
  const id = await node(), model = unique('model'), other = await freshAgent(account);
  await put(id, model, [1, 2]);
  for (const [method, path, body] of [['GET', at(id, model)], ['PUT', at(id), { model, values: [9, 9] }], ['DELETE', at(id, model)]])
    assert.equal((await call(method, path, { token: other.token, body })).status, 404, method);
  assert.deepEqual((await expectStatus(200, 'GET', at(id, model), { token })).data.values, [1, 2]);
});
