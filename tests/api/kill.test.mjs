// kill -9 of each process under a write load: what was acknowledged is there afterwards. Prints both numbers.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, stack, unique, until } from './client.mjs';

let account;
before(async () => { account = await freshAccount(); });
after(async () => { await stack('start'); });

const ready = () => call('GET', '/readyz').then((r) => r.status === 200, () => false);

// Writers that go on until told to stop; a failed write is simply not acknowledged.
function writers(n) {
  const state = { stop: false, acknowledged: [], refused: 0, lost: 0 };
  const one = async (w) => {
    for (let i = 0; !state.stop; i++) {
      try {
        const r = await call('POST', '/api/v1/nodes', { token: account.token, check: false,
          body: { kind: 'note', title: `w${w} ${i}`, body: unique('text') } });
        if (r.status === 201) state.acknowledged.push(r.data.id);
        else state.refused++;
      } catch {
        state.lost++;
      }
    }
  };
  state.done = Promise.all(Array.from({ length: n }, (_, w) => one(w)));
  return state;
}

async function survives(t, service, signal) {
  const load = writers(8);
  await until('writes to begin', () => load.acknowledged.length > 200);
  const atKill = load.acknowledged.length;
  await stack(signal, service);
  if (service === 'redis') await until('writes to go on without Redis', () => load.acknowledged.length > atKill + 50);
  await stack('start', service);
  await until('readiness', ready, { tries: 600 });
  const back = load.acknowledged.length;
  await until('writes to go on', () => load.acknowledged.length > back + 200);
  load.stop = true;
  await load.done;
  const missing = [];
  for (const [i, id] of load.acknowledged.entries()) {
    const r = await call('GET', `/api/v1/nodes/${id}?touch=false`, { token: account.token, check: false });
    if (r.status !== 200) missing.push(`write ${i}: ${r.status} ${r.text.slice(0, 200)}`);
  }
  t.diagnostic(`${signal} ${service}: ${load.acknowledged.length} writes acknowledged (${atKill} before it), ${missing.length} not found, ` +
    `${load.refused} refused, ${load.lost} without an answer`);
  assert.deepEqual(missing.slice(0, 5), [], `${missing.length} of ${load.acknowledged.length}, ${atKill} before, ${back} when it was back`);
}

test('kill -9 of loci-web', (t) => survives(t, 'web', 'kill'));
test('kill -9 of MariaDB', (t) => survives(t, 'db', 'kill'));
test('kill -9 of Redis', (t) => survives(t, 'redis', 'kill'));

test('kill -9 while the recall index is being read: nothing to repair', async () => {
  const word = unique('harbour');
  const lines = Array.from({ length: 3000 }, (_, i) => JSON.stringify({ kind: 'note', title: `note ${i}`, body: `a text about ${word}` }));
  await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token: account.token, raw: lines.join('\n'), headers: { 'Content-Type': 'application/x-ndjson' } });
  const recall = () => call('POST', '/api/v1/recall', { token: account.token, check: false, body: { query: word, limit: 100 } });
  for (let round = 0; round < 3; round++) {
    await stack('stop', 'web');
    await stack('start', 'web');
    await until('readiness', ready, { tries: 600 });
    const first = recall().catch(() => null);
    await new Promise((done) => { setTimeout(done, 10 * round); });
    await stack('kill', 'web');
    await first;
    await stack('start', 'web');
    await until('readiness', ready, { tries: 600 });
    const answer = await recall();
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.data.hits.length, 100);
  }
});

// Otherwise the kernel may give it to one that dies of it, and the process with it, whatever is in flight.
test('only the thread that waits for SIGTERM can get it', async () => {
  const pid = (await readFile(join(process.env.LOCI_STACK, 'run', 'web.pid'), 'utf8')).trim();
  const others = (await readdir(`/proc/${pid}/task`)).filter((tid) => tid !== pid);
  assert.ok(others.length > 4);
  for (const tid of others) {
    const [, name] = (await readFile(`/proc/${pid}/task/${tid}/status`, 'utf8')).match(/^Name:\s*(.*)$/m);
    const [, blocked] = (await readFile(`/proc/${pid}/task/${tid}/status`, 'utf8')).match(/^SigBlk:\s*([0-9a-f]+)$/m);
    assert.ok(BigInt(`0x${blocked}`) & 1n << 14n, `${name} ${tid}`);
  }
});

test('SIGTERM lets requests in flight finish', async (t) => {
  const load = writers(8);
  await until('writes to begin', () => load.acknowledged.length > 100);
  const started = Date.now();
  await stack('stop', 'web');
  assert.ok(Date.now() - started < 10000, 'loci-web took 10 s to stop');
  await stack('start', 'web');
  await until('readiness', ready, { tries: 600 });
  load.stop = true;
  await load.done;
  for (const id of load.acknowledged)
    assert.equal((await call('GET', `/api/v1/nodes/${id}?touch=false`, { token: account.token, check: false })).status, 200);
  t.diagnostic(`${load.acknowledged.length} acknowledged and found, ${load.refused} refused while it was away at ${BASE}`);
});
