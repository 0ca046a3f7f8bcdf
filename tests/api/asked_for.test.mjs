// What somebody asked for is next, whichever thread of loci-scheduler is free: the others may be at a backlog of any length
// (jobs 4; docs/decisions/0005-queue.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createServer } from 'node:http';
import { call, expectStatus, freshAccount, stack, unique, until } from './client.mjs';

const WAIT = { tries: 600 };
const WORD = unique('mooring');
const NODES = 3000;                      // 47 tasks, and as many requests
const ROUNDS = 12;                       // a thread may go round so often, within some two seconds: the queue is looked at each second

// A provider that answers when the test says so, but for the one whom it holds back.
const waiting = [];
let held = null, rounds = 0;

const respond = ({ input, answer }) => answer.writeHead(200, { 'Content-Type': 'application/json' })
  .end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: [text.length, index, 1] })) }));

function flow() {
  for (const r of waiting.filter((one) => one !== held)) {
    if (rounds-- <= 0) return;
    waiting.splice(waiting.indexOf(r), 1);
    setTimeout(respond, 150, r);
  }
}

const provider = createServer((request, answer) => {
  let body = '';
  request.on('data', (d) => { body += d; });
  request.on('end', () => {
    const r = { input: JSON.parse(body).input, answer };
    if (!r.input.some((text) => text.includes(WORD))) { respond(r); return; }
    waiting.push(r);
    flow();
  });
});

const ENV = { LOCI_EMBED_MODEL: 'fake-3', LOCI_EMBED_KEY: 'k', LOCI_EMBED_PRIVATE_ADDRESSES: 'yes', LOCI_EMBED_TIMEOUT_MS: '60000' };

async function restart() {
  for (const service of ['web', 'scheduler']) {
    await stack('stop', service);
    await stack('start', service);
  }
  await until('readiness', () => call('GET', '/readyz').then((r) => r.status === 200, () => false), WAIT);
}

before(async () => {
  await new Promise((go) => provider.listen(0, '127.0.0.1', go));
  Object.assign(process.env, ENV, { LOCI_EMBED_URL: `http://127.0.0.1:${provider.address().port}` });
  await restart();
});

after(async () => {
  held = null;
  rounds = Infinity;
  flow();
  for (const name of [...Object.keys(ENV), 'LOCI_EMBED_URL']) delete process.env[name];
  await restart();
  provider.closeAllConnections();
  provider.close();
});

test('a job that was asked for passes by a backlog, on either thread', async () => {
  const account = await freshAccount(), token = account.owner;
  const settings = async (embed) => {
    const version = (await expectStatus(200, 'GET', '/api/v1/account', { token })).headers.get('etag');
    await expectStatus(200, 'PATCH', '/api/v1/account', { token, headers: { 'If-Match': version }, body: { settings: { embed } } });
  };
  const ask = async (job) => (await expectStatus(202, 'POST', `/api/v1/jobs/${job}/run`, { token, body: {} })).data.run_id;
  const ended = (id) => until('the run to end', async () => {
    const { run } = (await expectStatus(200, 'GET', `/api/v1/job_runs/${id}`, { token })).data;
    return ['waiting', 'running'].includes(run.status) ? null : run;
  }, WAIT);

  // A backlog: written while the account wanted no vectors.
  await settings({ provider: 'none' });
  for (let n = 0; n < NODES; n += 500)
    await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token: account.token, headers: { 'Content-Type': 'application/x-ndjson' },
      raw: Array.from({ length: 500 }, (_, i) => JSON.stringify({ kind: 'note', title: `${WORD} ${n + i}`, body: `${WORD} number ${n + i}` })).join('\n') });
  await until('loci-web to have heard that it wants none', async () => /^loci_vectors_waiting 0$/m.test((await call('GET', '/metrics')).text), WAIT);
  await settings({ provider: 'http' });
  assert.equal((await ended(await ask('embedding_backfill'))).status, 'succeeded');

  // Both threads are at it. One stays there while the other gets on, then the other way round.
  for (const which of ['one thread', 'the other']) {
    rounds = 0;
    await until('both threads to be at the backlog', () => waiting.length === 2, WAIT);
    held = waiting.find((r) => r !== held);
    const run = await ask('learning_decay');
    rounds = ROUNDS;
    flow();
    assert.equal((await ended(run)).status, 'succeeded', which);
  }
});
