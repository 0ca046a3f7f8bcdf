// Every text node gets its vector: right after the write, after a kill -9, from a server over HTTP, from another model, or
// not at all where the account wants none; and recall answers throughout (recall 9.7, jobs 10.23).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { BASE2, call, ctl, embedded, expectStatus, freshAccount, stack, unique, until, withSettings } from './client.mjs';
import { sql } from './db.mjs';

const GOLDEN = new URL('../../../shared/data/embed/golden.jsonl', import.meta.url);
const BUILTIN = 'all-minilm-l6-v2', OTHER = 'use-lite-en';
const WAIT = { tries: 600 };

// Whether other processes could learn from Redis what a query means.
const inRedis = async (model, query) => (await promisify(execFile)('redis-cli', ['-s', process.env.LOCI_REDIS_SOCKET, 'EXISTS',
  `{vectors}:${model}:${createHash('sha256').update(query).digest('hex')}`])).stdout.trim() === '1';

// An account, and what the tests do in it.
async function world() {
  const account = await freshAccount();
  const token = account.owner;
  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.token })).data;
  const of = (body) => ({ token: account.token, body });
  const w = { ...account, id: me.account_id };
  w.note = async (body, more = {}) => (await expectStatus(201, 'POST', '/api/v1/nodes', of({ kind: 'note', body, ...more }))).data;
  w.raw = async (lines) => expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token: account.token, headers: { 'Content-Type': 'application/x-ndjson' },
    raw: lines.join('\n') });
  w.bulk = (n, word) => w.raw(Array.from({ length: n }, (_, i) => JSON.stringify({ kind: 'note', title: `${word} ${i}`, body: `What ${word} number ${i} says.` })));
  w.vector = async (id, model = BUILTIN) => {
    const r = await call('GET', `/api/v1/nodes/${id}/vector?model=${model}`, { token: account.token });
    return r.status === 200 && !r.data.is_stale ? r.data : null;
  };
  w.settings = async (settings) => {
    const version = (await expectStatus(200, 'GET', '/api/v1/account', { token })).headers.get('etag');
    await expectStatus(200, 'PATCH', '/api/v1/account', { token, headers: { 'If-Match': version }, body: { settings } });
  };
  w.run = async (job, params) => {
    const started = await call('POST', `/api/v1/jobs/${job}/run`, { token, body: params ? { params } : {} });
    assert.equal(started.status, 202, started.text);
    return until(`${job} to end`, async () => {
      const r = (await expectStatus(200, 'GET', `/api/v1/job_runs/${started.data.run_id}`, { token })).data.run;
      return ['waiting', 'running'].includes(r.status) ? null : r;
    }, WAIT);
  };
  w.recall = async (query, more = {}) => (await expectStatus(200, 'POST', '/api/v1/recall', of({ query, ...more }))).data;
  w.models = async () => Object.fromEntries((await expectStatus(200, 'GET', '/api/v1/models', { token })).data.map((m) => [m.name, m.state]));
  // How many notes lack a current vector of the model.
  w.missing = async (model = BUILTIN) => Number((await sql(`SELECT COUNT(*) FROM node n JOIN embedding_model m ON m.account_id = n.account_id
    AND m.name = '${model}' LEFT JOIN \`vector\` v ON v.account_id = n.account_id AND v.node_id = n.id AND v.model_id = m.id
    WHERE n.account_id = '${w.id}' AND n.kind = 'note' AND n.status <> 'version' AND (v.dim IS NULL OR v.text_hash <> n.content_hash)`))[0][0]);
  w.all = (what, model = BUILTIN) => until(what, async () => (await w.models())[model] && (await w.missing(model)) === 0, WAIT);
  return w;
}

// ---- the built-in model

let builtin;
before(async () => { builtin = await world(); });

// Texts with the vectors that the reference gives them: of the first model by its own implementation, of the default by onnxruntime.
const golden = (file, most) => readFileSync(file, 'utf8').trim().split('\n').map((l) => JSON.parse(l))
  .filter((g) => g.vector && g.ids.length > 0 && g.ids.length <= most && /^[\x21-\x5a\x5e-\x7e]+( [\x21-\x5a\x5e-\x7e]+)*$/.test(g.text)).slice(0, 20);
const MODELS = { [BUILTIN]: golden(new URL('../unit/minilm_golden.jsonl', import.meta.url), 200), [OTHER]: existsSync(GOLDEN) ? golden(GOLDEN, 120) : [] };

for (const [model, texts] of Object.entries(MODELS))
  test(`golden texts through the front door: ${model}, exactly with f32, nearly with int8`, { skip: !texts.length }, async () => {
    const w = await world();
    assert.ok(texts.length >= 5, `${texts.length} texts`);
    await w.settings({ embed: { provider: 'builtin', model } });
    const differs = async (g, how) => {
      const { id } = (await expectStatus(201, 'POST', '/api/v1/nodes', { token: w.token, body: { kind: 'note', body: g.text, allow_duplicate: true }, ...how })).data;
      const v = await until(`the vector of ${JSON.stringify(g.text)}`, () => w.vector(id, model));
      return { worst: Math.max(...v.values.map((x, i) => Math.abs(x - g.vector[i]))), cosine: v.values.reduce((sum, x, i) => sum + x * g.vector[i], 0) };
    };
    await withSettings({ LOCI_EMBED_PRECISION: 'f32' }, async () => {
      for (const g of texts) {
        const { worst } = await differs(g, { base: BASE2 });
        assert.ok(worst <= 1e-5, `${g.text}: differs by ${worst}`);
      }
    });
    for (const g of texts) {
      const { cosine } = await differs(g);
      assert.ok(cosine >= 0.98, `${g.text}: ${cosine}`);
    }
  });

test('what changes gets another, what is empty none, and meaning finds without a common word', async () => {
  const w = builtin;
  const n = await w.note('The cat sat on the mat.');
  const first = await until('a vector', () => w.vector(n.id));
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${n.id}`, { token: w.token, body: { body: 'Interest rates rose sharply in June.' } });
  const second = await until('another vector', () => w.vector(n.id));
  assert.notDeepEqual(first.values, second.values);
  const empty = await w.note(' \n\t ');
  const puppy = await w.note('A puppy is playing in the garden.');
  await until('its vector', () => w.vector(puppy.id));
  assert.equal(await w.vector(empty.id), null);
  const answer = await w.recall('young dog outdoors', { mode: 'vector' });
  assert.equal(answer.hits[0].id, puppy.id);
  assert.deepEqual(answer.degraded, []);
  assert.equal(await inRedis(`builtin:${BUILTIN}`, 'young dog outdoors'), false, 'it is made again sooner than it is asked for');
});

test('a thousand nodes at once, while requests go on', async (t) => {
  const w = await world(), began = performance.now();
  await w.bulk(1000, unique('lantern'));
  const times = [];
  await until('a thousand vectors', async () => {
    const at = performance.now();
    await expectStatus(200, 'GET', '/api/v1/me', { token: w.token });
    times.push(performance.now() - at);
    return (await w.models())[BUILTIN] && (await w.missing()) === 0;
  }, WAIT);
  t.diagnostic(`1,000 vectors after ${Math.round(performance.now() - began)} ms; a request meanwhile took ${times.sort((a, b) => a - b)[times.length >> 1].toFixed(1)} ms (median)`);
});

test('what does not fit in the queue is made at once, without a job; words find it at once, and recall says how many wait', async (t) => {
  const w = await world(), word = unique('overflow'), n = 1200;         // the queue of a test stack holds 400, and 200 of one account
  const owed = async () => Number(/^loci_vectors_owed_total (\d+)/m.exec((await call('GET', '/metrics')).text)?.[1] ?? 0);
  const before = await owed();
  await w.raw(Array.from({ length: n }, (_, i) => JSON.stringify({ kind: 'note', title: `${word} ${i}`, body: `last${word}${i === n - 1 ? '' : i}` })));
  const found = await w.recall(`last${word}`, { mode: 'keyword' });
  assert.equal(found.hits[0]?.title, `${word} ${n - 1}`, 'words find what was just written');
  assert.ok(found.vectors_waiting > 0, 'recall says that vectors are still made');
  assert.ok(await owed() > before, 'the queue was not full');
  t.diagnostic(`${await owed() - before} of ${n} found no place, ${found.vectors_waiting} waited at the first recall`);
  await until('all', async () => (await w.models())[BUILTIN] && (await w.missing()) === 0, WAIT);
  assert.equal(Number((await sql(`SELECT COUNT(*) FROM task WHERE account_id = '${w.id}' AND kind = 'embed'`))[0][0]), 0, 'no job had a hand in it');
  await until('recall to wait for none of them', async () => (await w.recall(word, { mode: 'keyword' })).vectors_waiting === 0, WAIT);
  assert.equal((await w.recall(`${word} ${n - 1}`, { mode: 'vector', limit: 100 })).hits.length, 100);
});

// Whoever is served second must not wait for the first: B's short text, written behind A's backlog, may see at most so many of
// A's texts made before it, whatever the machine.
const AHEAD = 8;
const PATIENCE = { tries: 2400 };         // under the sanitizers one of them takes many seconds
const LONG = 'The harbour master wrote down the wind, the tide and the name of every ship. '.repeat(420);

test('long texts of one account hold back neither the short one of another nor the jobs', async (t) => {
  const a = await world(), b = await world(), began = performance.now();
  const flood = (word) => a.raw(Array.from({ length: 60 }, (_, i) => JSON.stringify({ kind: 'note', title: `${word} ${i}`, body: LONG })));
  const made = async () => Number((await sql(`SELECT COUNT(*) FROM \`vector\` WHERE account_id = '${a.id}'`))[0][0]);
  const behind = async (what, check) => {
    const before = await made();
    await until(what, check, PATIENCE);
    const ahead = await made() - before;
    assert.ok(ahead <= AHEAD, `${what}: ${ahead} of the other's texts were made first`);
    t.diagnostic(`${what}: ${ahead} of the other's texts were made first; ${Math.round(performance.now() - began)} ms`);
  };

  // In the scheduler: both were written while they wanted none, and the job queues them, A's first.
  await a.settings({ embed: { provider: 'none' } });
  await b.settings({ embed: { provider: 'none' } });
  await flood('queued');
  const old = await b.note('The queued kitten drinks milk.');
  await a.settings({ embed: { provider: 'builtin', model: OTHER } });   // which reads long texts whole
  await a.run('embedding_backfill');
  await until('the first of the long ones', async () => await made() > 0, PATIENCE);
  // In loci-web: behind A's texts of this moment.
  await flood('fed');
  const fresh = await b.settings({ embed: null }).then(() => b.note('A puppy is playing in the garden.'));
  await behind('a fresh text', () => b.vector(fresh.id));
  assert.equal((await b.recall('young dog outdoors', { mode: 'vector' })).hits[0].id, fresh.id);
  await behind('a job and its task', async () => {
    assert.equal((await b.run('embedding_backfill')).status, 'succeeded');
    return until('its vector', () => b.vector(old.id), PATIENCE);
  });
  assert.ok(await made() < 120, 'the backlog was over before the test was');
  await a.settings({ embed: { provider: 'none' } });
  await until('the backlog to be dropped', async () => /^loci_vectors_waiting 0$/m.test((await call('GET', '/metrics')).text), PATIENCE);
});

test('readyz, doctor and metrics say which model serves', async () => {
  const part = (await expectStatus(200, 'GET', '/readyz')).data.parts.find((p) => p.name === 'model');
  assert.deepEqual([part.state, part.detail], ['ok', `built-in model ${BUILTIN}, int8`]);
  assert.match(await ctl('doctor'), /^ok +model +built-in model all-minilm-l6-v2, int8: 384 numbers in [0-9.]+ ms; \d+ tasks with nodes wait/m);
  const metrics = (await call('GET', '/metrics')).text;
  for (const line of [/^loci_vectors_waiting \d+$/m, /^loci_vectors_stored_total [1-9]/m, /^loci_embed_texts_total\{provider="builtin"\} [1-9]/m])
    assert.match(metrics, line);
});

test('kill -9 in the midst of it: the job finds what is missing', async (t) => {
  const w = await world();
  await w.bulk(1000, unique('anchor'));
  await stack('kill', 'web');
  const lost = Number((await sql(`SELECT COUNT(*) FROM node n WHERE n.account_id = '${w.id}' AND n.kind = 'note' AND NOT EXISTS
    (SELECT 1 FROM \`vector\` v WHERE v.account_id = n.account_id AND v.node_id = n.id)`))[0][0]);
  await stack('start', 'web');
  await until('readiness', () => call('GET', '/readyz').then((r) => r.status === 200, () => false), WAIT);
  assert.ok(lost > 0, 'nothing was left to be found');
  const run = await w.run('embedding_backfill');
  assert.equal(run.status, 'succeeded', JSON.stringify(run));
  await w.all('the vectors that were missing');
  const again = await w.run('embedding_backfill', { all: true });
  assert.equal(again.counts?.queued ?? 0, 0);
  t.diagnostic(`${lost} of 1,000 had no vector after the kill, all have one now`);
});

test('the other built-in model: chosen by name, built while the first one serves, and the way back', async () => {
  const w = await world(), word = unique('jetty');
  const first = await w.note('A lantern hangs over the jetty.');
  await w.bulk(200, word);
  await w.all('the vectors before');
  await w.settings({ embed: { provider: 'builtin', model: OTHER } });
  const states = [];
  for (let i = 0; i < 20 && states.at(-1) !== 'active'; i++) {
    await w.run('reembed_watch');
    const models = await w.models(), answer = await w.recall(`${word} 7`);
    states.push(models[OTHER]);
    assert.equal(models[BUILTIN], states.at(-1) === 'active' ? 'retired' : 'active');
    assert.equal(answer.hits.length, 10);
    assert.deepEqual(answer.degraded, []);
    if (states.at(-1) === 'building') await w.all('the vectors of the other model', OTHER);
  }
  assert.equal(states.at(-1), 'active', states.join());
  assert.ok(states.includes('building'));
  const v = await w.vector(first.id, OTHER);
  assert.equal(v.values.length, 512);
  const puppy = await w.note('A puppy is playing in the garden.');
  await until('its vector', () => w.vector(puppy.id, OTHER));
  assert.equal((await w.recall('young dog outdoors', { mode: 'vector' })).hits[0].id, puppy.id);
  await w.settings({ embed: null });
  await until('the way back', async () => {
    await w.run('reembed_watch');
    return (await w.models())[BUILTIN] === 'active';
  }, { tries: 20, pause: 500 });
  assert.equal(await w.missing(), 0);
});

test('an account that wants none', async () => {
  const w = await world();
  await w.settings({ embed: { provider: 'none' } });
  const word = unique('quay'), n = await w.note(`the ${word} is closed`);
  const answer = await w.recall(word);
  assert.equal(answer.hits[0].id, n.id);
  assert.ok(answer.degraded.includes('embedder_off'), answer.degraded);
  assert.equal(answer.vectors_waiting, 0);
  assert.deepEqual(await w.models(), {});
  await w.settings({ embed: null });
  assert.equal((await w.run('embedding_backfill')).status, 'succeeded');
  await w.all('what was written meanwhile');
});

// ---- a server over HTTP

// Vectors of three numbers: bytes, words, 1. The model many-3 knows three things in three languages.
const THINGS = [/\b(dogs?|hund|chien)\b/i, /\b(ferry|fähre|bac)\b/i, /\b(bread|brot|pain)\b/i];
const vectorOf = (model, text) => (model === 'many-3' ? THINGS.map((t) => (t.test(text) ? 1 : 0.05)) : [text.length, text.split(' ').length, 1]);
const server = { up: true, slow: 0, asked: 0, key: '', free: Infinity, open: null };
const http = createServer((q, s) => {
  let body = '';
  q.on('data', (d) => { body += d; });
  q.on('end', () => setTimeout(async () => {
    server.asked++;
    if (server.free-- <= 0) await server.open;
    server.key = q.headers.authorization;
    if (!server.up) { s.writeHead(503, { 'Retry-After': '1' }).end(); return; }
    const { model, input } = JSON.parse(body);
    const data = input.map((text, index) => ({ index, embedding: vectorOf(model, text) }));
    s.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ data }));
  }, server.slow));
});

const ENV = { LOCI_EMBED_MODEL: 'fake-3', LOCI_EMBED_KEY: 'k', LOCI_EMBED_PRIVATE_ADDRESSES: 'yes', LOCI_EMBED_QUERY_MS: '300', LOCI_EMBED_TIMEOUT_MS: '2000' };

async function restart() {
  for (const service of ['web', 'scheduler']) {
    await stack('stop', service);
    await stack('start', service);
  }
  await until('readiness', () => call('GET', '/readyz').then((r) => r.status === 200, () => false), WAIT);
}

test('over HTTP', async (t) => {
  await new Promise((go) => http.listen(0, '127.0.0.1', go));
  Object.assign(process.env, ENV, { LOCI_EMBED_URL: `http://127.0.0.1:${http.address().port}` });
  await restart();
  after(async () => {
    http.close();
    for (const name of [...Object.keys(ENV), 'LOCI_EMBED_URL']) delete process.env[name];
    await restart();
  });
  const w = await world();
  await w.settings({ embed: { provider: 'http' } });

  await t.test('nodes and queries', async () => {
    const n = await w.note('four words of text');
    const v = await until('its vector', () => w.vector(n.id, 'fake-3'));
    const norm = Math.hypot(18, 4, 1);
    assert.ok([18, 4, 1].every((x, i) => Math.abs(v.values[i] - x / norm) < 1e-6));
    assert.equal(server.key, 'Bearer k');
    await embedded(w.slug);
    assert.ok(Number((await sql(`SELECT answering FROM embedding_model WHERE account_id = '${w.id}'`))[0][0]) > 0.9, 'it was tested when it was registered');
    const asked = server.asked;
    for (let i = 0; i < 3; i++) assert.deepEqual((await w.recall('four words of query')).degraded, []);
    assert.ok(server.asked <= asked + 1, 'a query is asked once');
    await until('other processes to know it', () => inRedis('http:fake-3', 'four words of query'));
  });

  await t.test('a model of several languages: a question in one finds a note in another', async () => {
    const many = await world();
    await many.settings({ embed: { provider: 'http', model: 'many-3' } });
    const dog = await many.note('The dog sleeps under the table.'), ferry = await many.note('The ferry leaves at noon.');
    const bread = await many.note('Bread is baked at five.');
    await embedded(many.slug);
    for (const [question, n] of [['Wo schläft der Hund?', dog], ['Wann fährt die Fähre?', ferry], ['Quand le pain est-il cuit ?', bread]])
      assert.equal((await many.recall(question, { min_evidence: 0 })).hits[0].id, n.id, question);
  });

  await t.test('away: the node is stored, recall goes on and says so, the vector comes later', async () => {
    server.up = false;
    const word = unique('beacon'), n = await w.note(`the ${word} is dark`);
    const at = performance.now(), answer = await w.recall(word);
    assert.ok(performance.now() - at < 3000);
    assert.equal(answer.hits[0].id, n.id);
    assert.ok(answer.degraded.some((d) => ['embedder_unavailable', 'embedder_timeout'].includes(d)), answer.degraded);
    assert.equal(await w.vector(n.id, 'fake-3'), null);
    server.up = true;
    await w.run('embedding_backfill');
    await until('its vector', () => w.vector(n.id, 'fake-3'), WAIT);
  });

  await t.test('slow: recall does not wait for it', async () => {
    server.slow = 5000;
    await until('the pause after a failure to be over', async () => {
      const at = performance.now(), answer = await w.recall(unique('fog'));
      assert.ok(performance.now() - at < 3000);
      return answer.degraded.includes('embedder_timeout');
    }, { tries: 40, pause: 250 });
    server.slow = 0;
    await until('it to be asked again', async () => (await w.recall(unique('fog'))).degraded.length === 0, WAIT);
  });

  await t.test('another model: recall answers throughout, one switch when all are there, and back', async () => {
    const m = builtin, word = unique('tide');
    await m.bulk(300, word);
    await m.all('the vectors before');
    let open;
    server.open = new Promise((go) => { open = go; });
    server.free = 2;                     // batches, of five: it can be seen that vectors are being made
    await m.settings({ embed: { provider: 'http' } });
    const states = [];
    for (let i = 0; i < 20 && states.at(-1) !== 'active'; i++) {
      await m.run('reembed_watch');
      const models = await m.models();
      states.push(models['fake-3']);
      if (states.at(-1) === 'building') {
        server.free = Infinity;
        open();
      }
      assert.equal(models[BUILTIN], models['fake-3'] === 'active' ? 'retired' : 'active');
      if (models['fake-3'] === 'active') assert.equal(await m.missing('fake-3'), 0);
      const answer = await m.recall(`${word} 7`);
      assert.equal(answer.hits.length, 10);
      assert.deepEqual(answer.degraded, []);
      if (states.at(-1) === 'building') await m.all('the vectors of the new model', 'fake-3');
    }
    assert.equal(states.at(-1), 'active', states.join());
    assert.ok(states.includes('building'));
    const n = await m.note('a new one');
    await until('its vector', () => m.vector(n.id, 'fake-3'));
    await m.settings({ embed: null });
    await until('the way back', async () => {
      await m.run('reembed_watch');
      return (await m.models())[BUILTIN] === 'active';
    }, { tries: 20, pause: 500 });
    assert.equal(await m.missing(), 0);
  });
});
