// The embedding model of one base: another one is made while the old one answers, takes over whole, can be given up, and back.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, BASE2, call, embedded, expectStatus, freshAccount, freshAgent, moveClock, runEnded, settled, signIn, stack, unique } from './client.mjs';
import { sql } from './db.mjs';
import { served } from './model_server.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`;
const MODEL = 'all-minilm-l6-v2', OTHER = 'use-lite-en';
let account, token;
before(async () => { account = await freshAccount(); token = account.token; });

const post = async (path, body, status = 200, as = token) => (await expectStatus(status, 'POST', path, { token: as, body })).data;
const get = async (b) => (await expectStatus(200, 'GET', `${K}/${b.id}`, { token })).data;
const set = async (b, body, status = 200) => (await expectStatus(status, 'PATCH', `${K}/${b.id}`, { token, body })).data;
const TEXTS = ['The ferry to the island leaves at nine.', 'A storm broke two masts of the schooner.', 'The baker sells rye bread on Mondays.', 'Bees need clover near the orchard.',
  'The tax office closes at noon.', 'Snow fell on the pass all night.', 'The choir sings on Sundays.', 'A dentist needs a steady hand.'];
const add = (b, i) => post(D, { knowledge_base_id: b.id, name: `Note ${i}`, content: `${TEXTS[i % TEXTS.length]} Entry ${i}.` }, 201);
const done = async () => { await settled(account.slug, { parts: ['queue'], kinds: ['process_document', 'reembed_base'] }); await embedded(account.slug); };
const filled = async (n, more = {}) => {
  const b = await post(K, { name: unique('base'), ...more }, 201);
  for (let i = 0; i < n; i += 20) await post(`${D}/batch`, { documents: Array.from({ length: Math.min(20, n - i) }, (_, k) => ({ knowledge_base_id: b.id, name: `Note ${i + k}`, content: `${TEXTS[(i + k) % TEXTS.length]} Entry ${i + k}.` })) });
  await done();
  return b;
};
const ask = async (b, base = BASE) => (await expectStatus(200, 'POST', `${R}/query`, { token, base, body: { query: 'When does the boat sail?', mode: 'vector', top_k: 8, knowledge_base_ids: [b].flat().map((x) => x.id) } })).data;
const shape = (r) => r.results.map((x) => [x.document_name, x.similarity]);
const vectors = async (b, model) => Number((await sql(`SELECT COUNT(*) FROM vector v JOIN chunk h ON h.account_id = v.account_id AND h.id = v.node_id JOIN document d ON d.id = h.document_id `
  + `JOIN embedding_model m ON m.account_id = v.account_id AND m.id = v.model_id WHERE d.knowledge_base_id = '${b.id}' AND m.name = '${model}'`))[0][0]);

test('another model: the old one answers until all vectors are there, then the new one, on both hosts; and back', async () => {
  const b = await filled(24), fresh = await filled(24, { embedding_provider: 'builtin', embedding_model: OTHER });
  assert.equal((await get(fresh)).serving_model, OTHER);
  const old = shape(await ask(b)), other = shape(await ask(fresh));
  assert.notDeepEqual(old, other);
  assert.deepEqual([await vectors(fresh, OTHER), (await ask(fresh)).degraded], [24, []]);
  const begun = await set(b, { embedding_model: OTHER });
  assert.deepEqual([begun.is_reembedding, begun.serving_model, begun.building_model, begun.reembed_total], [true, null, OTHER, 24]);
  const late = await add(b, 24);
  for (let i = 0; i < 10; i++) {                               // questions go on; each answer is of one model, whole
    const now = shape(await ask(b)).filter(([name]) => name !== late.name);
    assert.ok([old, other].some((all) => now.every(([name, s]) => all.some(([n, t]) => n === name && t === s))), JSON.stringify(now));
  }
  await done();
  const now = await get(b);
  assert.deepEqual([now.is_reembedding, now.serving_model, now.building_model, now.reembed_left], [false, OTHER, null, 0]);
  await expectStatus(204, 'DELETE', `${D}/${late.id}`, { token });
  for (const at of [BASE, BASE2]) assert.deepEqual(shape(await ask(b, at)), other);
  assert.deepEqual([await vectors(b, OTHER), await vectors(b, MODEL)], [25, 25], 'what was added meanwhile has both');
  await post(`${K}/${b.id}/switch_back`, {});
  for (const at of [BASE, BASE2]) assert.deepEqual(shape(await ask(b, at)), old);
  assert.equal((await get(b)).serving_model, null);
  await sql(`UPDATE knowledge_base_model SET switched_at = switched_at - INTERVAL 8 DAY WHERE knowledge_base_id = '${b.id}'`);
  assert.equal((await call('POST', `${K}/${b.id}/switch_back`, { token, body: {} })).body.reason, 'no_model_before');
});

test('given up: the model that answers, named again, ends the making; nothing of the other one is found', async () => {
  const b = await filled(60), old = shape(await ask(b));
  await set(b, { embedding_model: OTHER });
  const back = await set(b, { embedding_model: null });
  assert.deepEqual([back.is_reembedding, back.building_model, back.serving_model], [false, null, null]);
  await done();
  assert.deepEqual([(await get(b)).serving_model, shape(await ask(b))], [null, old]);
  const [[retired]] = await sql(`SELECT COUNT(*) FROM embedding_model m WHERE m.name = '${OTHER}' AND m.retired_at IS NOT NULL AND m.account_id = (SELECT account_id FROM knowledge_base WHERE id = '${b.id}')`);
  const [[used]] = await sql(`SELECT COUNT(*) FROM knowledge_base_model k JOIN embedding_model m ON m.id IN (k.model_id, k.building_model_id) WHERE m.name = '${OTHER}' AND k.account_id = (SELECT account_id FROM knowledge_base WHERE id = '${b.id}')`);
  assert.equal(Number(retired) > 0, Number(used) === 0);
});

test('bases of several models meet by rank; a new document of a base is made by its model; wrong names are refused', async () => {
  const [a, b] = [await filled(8), await filled(8, { embedding_model: OTHER })];
  const both = await ask([a, b]);
  assert.deepEqual([...both.results.slice(0, 2).map((x) => x.knowledge_base_id)].sort(), [a.id, b.id].sort());
  assert.ok(both.results.every((x, i) => !i || x.score < both.results[i - 1].score));
  await add(b, 8);
  await done();
  assert.equal(await vectors(b, OTHER), 9);
  for (const body of [{ embedding_model: 'none-such' }, { embedding_provider: 'openai' }]) {
    const r = await expectStatus(422, 'PATCH', `${K}/${a.id}`, { token, body });
    assert.ok(r.body.errors.some((e) => e.pointer === `/${Object.keys(body)[0]}`), r.text);
  }
  const reader = await freshAgent(account);
  await expectStatus(404, 'POST', `${K}/${a.id}/switch_back`, { token: reader.token, body: {} });
  await set(a, { is_public: true });
  await expectStatus(403, 'POST', `${K}/${a.id}/switch_back`, { token: reader.token, body: {} });
  await expectStatus(403, 'PATCH', `${K}/${a.id}`, { token: reader.token, body: { embedding_model: OTHER } });
  assert.equal((await call('POST', `${K}/${a.id}/switch_back`, { token, body: {} })).status, 409);
});

test('a task that was lost is promised again by the sweep: of a base on its way to another model, and of a document', async () => {
  const moving = await filled(8), own = await filled(8, { embedding_model: OTHER });
  await stack('kill', 'scheduler');
  try {
    await set(moving, { embedding_model: OTHER });
    await sql("DELETE FROM task WHERE kind = 'reembed_base'");
    await sql(`DELETE v FROM vector v JOIN chunk h ON h.account_id = v.account_id AND h.id = v.node_id JOIN document d ON d.id = h.document_id
      JOIN embedding_model m ON m.account_id = v.account_id AND m.id = v.model_id WHERE d.knowledge_base_id = '${own.id}' AND m.name = '${OTHER}'`);
  } finally { await stack('start', 'scheduler'); }
  const sweep = async () => {
    await runEnded(account, (await expectStatus(202, 'POST', '/api/v1/jobs/document_sweep/run', { token: account.owner, body: {} })).data.id);
    await done();
  };
  await sweep();
  assert.deepEqual([(await get(moving)).is_reembedding, await vectors(own, OTHER)], [true, 0], 'they have not waited for ten minutes');
  await moveClock('11m');
  await sweep();
  assert.deepEqual([(await get(moving)).serving_model, await vectors(own, OTHER)], [OTHER, 8]);
  const tasks = () => sql("SELECT COUNT(*) FROM task WHERE kind = 'reembed_base'");
  const before = await tasks();
  await moveClock('11m');
  await sweep();
  assert.deepEqual(await tasks(), before, 'who lacks nothing gets none');
});

test('13: a model that answers vectors of another length: nothing is stored, the base says so, and another model mends it', async () => {
  let length = 8;
  const texts = (body) => [body.input].flat();
  await served((url, body) => [200, { data: texts(body).map((_, index) => ({ index, embedding: Array.from({ length }, (_, i) => (i + index) % 3 + 0.5) })) }], async (at) => {
    const env = { LOCI_EMBED_URL: at, LOCI_EMBED_MODEL: 'fake-8', LOCI_EMBED_KEY: 'k', LOCI_EMBED_PRIVATE_ADDRESSES: 'yes' };
    const restart = async () => { for (const name of ['web', 'web2', 'scheduler']) await stack('restart', name); };
    Object.assign(process.env, env);
    try {
      await restart();
      const b = await filled(8);
      await set(b, { embedding_provider: 'http', embedding_model: 'fake-8' });
      length = 6;
      await sql("DELETE FROM vector WHERE model_id IN (SELECT id FROM embedding_model WHERE name = 'fake-8')");
      for (let i = 0; i < 12 && (await get(b)).status !== 'error'; i++) {
        await moveClock('1h');
        await settled(account.slug, { parts: ['queue'], kinds: ['reembed_base'] });
        await expectStatus(202, 'POST', '/api/v1/jobs/document_sweep/run', { token: account.owner, body: {} }).then((r) => runEnded(account, r.data.id));
      }
      const now = await get(b);
      assert.deepEqual([now.status, now.error_code, await vectors(b, 'fake-8'), now.serving_model], ['error', 'model_failed', 0, null], JSON.stringify(now));
      assert.match(now.error_message, /6 numbers, not 8/);
      assert.equal((await ask(b)).results.length, 8, 'questions go on');
      await set(b, { embedding_model: null, embedding_provider: null });
      assert.deepEqual([(await get(b)).status, (await get(b)).is_reembedding], ['active', false]);
    } finally {
      for (const name of Object.keys(env)) delete process.env[name];
      await restart();
    }
  });
});

test('the page: another model and the way back by forms', async () => {
  const email = `${unique('p')}@example.org`, password = 'a password to sign in';
  const id = (await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: { email, name: 'P', role: 'owner', password } })).data.id;
  const b = await filled(2);
  await expectStatus(201, 'POST', `/api/v1/spaces/${b.id}/grants`, { token, body: { grantee_kind: 'user', grantee_id: id, level: 'manage' } });
  const cookie = await signIn({ account: account.slug, email, password }), show = async () => (await fetch(`${BASE}/admin/knowledge/${b.id}`, { headers: { Cookie: cookie } })).text();
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(await show())[1];
  const send = (verb, form = {}) => fetch(`${BASE}/admin/knowledge/${b.id}/${verb}`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf_token, ...form }),
    headers: { Cookie: cookie, Origin: BASE, 'Content-Type': 'application/x-www-form-urlencoded' } });
  assert.match(await (await send('model', { embedding_model: 'none-such' })).text(), /no such model here/);
  assert.equal((await send('model', { embedding_model: OTHER })).status, 303);
  await done();
  assert.match(await show(), new RegExp(`Embedding model</dt><dd>${OTHER}`));
  assert.equal((await send('switch_back')).status, 303);
  assert.match(await show(), /that of the account/);
});
