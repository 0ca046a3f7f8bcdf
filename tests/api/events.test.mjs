// The event stream (interface 3; 6.5, 6.6): who hears what, at once, without a gap, and without a thread.
import assert from 'node:assert/strict';
import { afterEach, before, test } from 'node:test';
import { BASE, BASE2, call, expectStatus, freshAccount, freshAgent, openapi, signIn, stack, unique, until } from './client.mjs';
import { sql } from './db.mjs';
import { Listener } from './events.mjs';

let account, me, reader, stranger, other, pool;
const open = [];
const listen = (options) => { const l = new Listener(options); open.push(l); return l.open(); };
const key = (name) => `/api/v1/ai/memory_pools/${pool.pool_id}/data/${name}`;
const write = (name, value = 1, options = {}) => expectStatus(200, 'PUT', key(name), { token: account.token, body: { value }, ...options });
const page = (token, query = '') => call('GET', `/api/v1/events${query}`, { token });
const tip = async (token = account.token) => (await expectStatus(200, 'GET', '/api/v1/events', { token })).data.last_id;

before(async () => {
  [account, other] = await Promise.all([freshAccount(), freshAccount()]);
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.token })).data;
  [reader, stranger] = await Promise.all([freshAgent(account), freshAgent(account)]);
  pool = (await expectStatus(201, 'POST', '/api/v1/ai/memory_pools',
    { token: account.owner, body: { name: 'P', pool_id: unique('pool'), access_control: { write: [me.id], read: [reader.id] } } })).data;
});
// Not after(): Node.js 18 runs that only when nothing else is to be waited for, and a listener is.
afterEach(async () => { await Promise.all(open.splice(0).map((l) => l.close())); });

test('a bulletin reaches who may read the pool within a second, and nobody else', async () => {
  const hears = await listen({ token: reader.token }), far = await listen({ token: reader.token, base: BASE2 });
  const deaf = [await listen({ token: stranger.token }), await listen({ token: other.token }), await listen({ token: other.owner })];
  const began = Date.now();
  const { version } = (await write('agent_bulletin.market_regime', { regime: 'risk_off', confidence: 0.82 })).data;
  for (const l of [hears, far]) {
    const e = await until('the bulletin', () => l.heard.find((x) => x.event === 'memory_pool_key_write'));
    assert.deepEqual(Object.keys(e.data.payload).sort(), ['deleted', 'is_bulletin', 'key', 'pool_id', 'timestamp', 'version', 'writer_agent_id']);
    assert.deepEqual([e.data.payload.is_bulletin, e.data.payload.deleted, e.data.payload.key, e.data.payload.pool_id, e.data.payload.version, e.data.payload.writer_agent_id],
      [true, false, 'agent_bulletin.market_regime', pool.pool_id, version, me.id]);
    assert.equal(e.data.space_id, pool.id);
    assert.ok(e.at - began < (process.env.LOCI_SLOW ? 8000 : 2500), `it took ${e.at - began} ms`);
    await until('the pool\'s event', () => l.kinds().includes('memory_pool_update'));
    assert.ok(!JSON.stringify(l.heard).includes('risk_off'), 'no values');
  }
  await write('plain', 2);
  await until('a plain key', () => hears.heard.some((e) => e.data.payload.key === 'plain' && !e.data.payload.is_bulletin));
  await expectStatus(200, 'DELETE', key('plain'), { token: account.token });
  await until('a deletion', () => hears.heard.some((e) => e.data.payload.key === 'plain' && e.data.payload.deleted));
  for (const l of deaf) assert.deepEqual(l.heard.filter((e) => e.data.space_id === pool.id), [], 'somebody else hears nothing');
  assert.deepEqual((await page(stranger.token, '?after=0')).data.events.filter((e) => e.space_id === pool.id), []);
  assert.deepEqual((await page(other.token, '?after=0')).data.events.filter((e) => e.space_id === pool.id), []);
});

test('who comes back with Last-Event-ID misses nothing and hears nothing twice', async () => {
  const first = await listen({ token: reader.token, query: '?kinds=memory_pool_key_write' });
  const names = Array.from({ length: 60 }, (_, i) => `resume.k${i}`);
  for (const n of names.slice(0, 10)) await write(n);
  await until('ten', () => first.heard.length >= 10);
  await first.close();
  await Promise.all(names.slice(10, 40).map((n) => write(n)));
  const second = await listen({ token: reader.token, query: '?kinds=memory_pool_key_write', last: first.last });
  await Promise.all(names.slice(40).map((n) => write(n)));
  await until('the rest', () => second.heard.length >= 50);
  const all = [...first.heard, ...second.heard];
  assert.deepEqual(all.map((e) => e.data.payload.key).sort(), [...names].sort());
  assert.deepEqual(all.map((e) => e.id), all.map((e) => e.id).sort((a, b) => a - b));
  assert.equal(new Set(all.map((e) => e.data.event_id)).size, 60);
});

test('200 writers at once on two workers: numbers without a gap, each event once', async () => {
  const from = await tip(account.owner);
  const l = await listen({ token: reader.token, last: await tip(reader.token), query: '?kinds=memory_pool_key_write' });
  await Promise.all(Array.from({ length: 200 }, (_, i) => write(`many.k${i}`, i, { base: i % 2 ? BASE : BASE2 })));
  await until('all of them', () => l.heard.length >= 200, { tries: 600 });
  assert.equal(new Set(l.heard.map((e) => e.data.payload.key)).size, 200);
  const seen = [];
  for (let at = from; ;) {
    const { events, last_id, newest_id } = (await page(reader.token, `?after=${at}`)).data;
    seen.push(...events);
    at = last_id;
    if (at >= newest_id) break;
  }
  assert.equal(seen.filter((e) => e.payload.key?.startsWith('many.')).length, 200);
  assert.equal(new Set(seen.map((e) => e.id)).size, seen.length);
  const [[n, last]] = await sql(`SELECT SUM(n), MAX(first_seq + n - 1) FROM event_batch WHERE account_id = '${me.account_id}'`);
  assert.equal(n, last, 'the batches leave out no number');
});

test('a number that is no longer kept, or never was, is told', async () => {
  for (const last of [99999999, 'nonsense']) {
    const l = await listen({ token: reader.token, last });
    const e = await until('the reset', () => l.heard.find((x) => x.event === 'reset'));
    assert.equal(e.id, e.data.newest_id);
    await write('after.reset', last);       // an equal value is no event
    await until('what follows', () => l.heard.some((x) => x.event === 'memory_pool_key_write'));
  }
  const gone = await freshAccount();
  const p = (await expectStatus(201, 'POST', '/api/v1/ai/memory_pools', { token: gone.token, body: { name: 'G' } })).data;
  const put = (k) => expectStatus(200, 'PUT', `/api/v1/ai/memory_pools/${p.pool_id}/data/${k}`, { token: gone.token, body: { value: 1 } });
  await put('a');
  const at = await until('an event', async () => (await tip(gone.token)) || undefined);
  await sql(`DELETE FROM event_batch WHERE account_id = '${(await expectStatus(200, 'GET', '/api/v1/me', { token: gone.token })).data.account_id}'`);
  const r = await page(gone.token, '?after=0');
  assert.equal(r.data.reset, true);
  assert.ok(r.data.last_id >= at);
  const l = await listen({ token: gone.token, last: 0 });
  await until('the reset', () => l.heard.some((x) => x.event === 'reset'));
});

test('filters by kind and space', async () => {
  const bulletins = await listen({ token: reader.token, query: `?kinds=memory_pool_key_write&spaces=${pool.id}` });
  const nodes = await listen({ token: account.token, query: '?kinds=node.*' });
  await expectStatus(201, 'POST', '/api/v1/nodes', { token: account.token, body: { title: 'heard of' } });
  await write('filtered');
  await until('the node', () => nodes.heard.length);
  await until('the key', () => bulletins.heard.length);
  assert.ok(nodes.kinds().every((k) => k.startsWith('node.')));
  assert.deepEqual([...new Set(bulletins.kinds())], ['memory_pool_key_write']);
  assert.ok(!JSON.stringify(nodes.heard).includes('heard of'), 'no content');
  assert.equal((await page(stranger.token, `?spaces=${pool.id}`)).status, 404, 'a space one may not read is none');
  assert.equal((await page(other.token, `?spaces=${pool.id}`)).status, 404);
  assert.equal((await page(reader.token, '?kinds=Nope!')).status, 422);
  assert.equal((await page(reader.token, '?wait=26')).status, 422);
  assert.equal((await page(reader.token, `?${Array.from({ length: 33 }, (_, i) => `kinds=k${i}`).join('&')}`)).status, 422);
});

test('grants, revocations and the end of a token count on open streams', async () => {
  const agent = await freshAgent(account);
  const proof = await listen({ token: reader.token, query: '?kinds=memory_pool_key_write' });
  const l = await listen({ token: agent.token, query: '?kinds=memory_pool_key_write' });
  const written = async (name) => {
    await write(name);
    await until('others hear it', () => proof.heard.some((e) => e.data.payload.key === name));
  };
  await written('access.before');
  const granted = (await expectStatus(201, 'POST', `/api/v1/spaces/${pool.id}/grants`, { token: account.owner, body: { grantee_kind: 'agent', grantee_id: agent.id, level: 'read' } })).data;
  await write('access.granted');
  await until('what it may read now', () => l.heard.some((e) => e.data.payload.key === 'access.granted'));
  assert.ok(!l.heard.some((e) => e.data.payload.key === 'access.before'));
  await expectStatus(204, 'DELETE', `/api/v1/spaces/${pool.id}/grants/${granted.id}`, { token: account.owner });
  await written('access.revoked');
  await expectStatus(201, 'POST', `/api/v1/spaces/${pool.id}/grants`, { token: account.owner, body: { grantee_kind: 'agent', grantee_id: agent.id, level: 'read' } });
  await write('access.again');
  await until('it hears again', () => l.heard.some((e) => e.data.payload.key === 'access.again'));
  assert.ok(!l.heard.some((e) => e.data.payload.key === 'access.revoked'));
  const [row] = (await expectStatus(200, 'GET', `/api/v1/tokens?agent_id=${agent.id}`, { token: account.owner })).data;
  await expectStatus(204, 'DELETE', `/api/v1/tokens/${row.id}`, { token: account.owner });
  await until('the stream ends', () => l.closed);
  await assert.rejects(new Listener({ token: agent.token }).open(), /401/);
});

test('a fact that is superseded, a memory that is consolidated: told to who may read them', async () => {
  const l = await listen({ token: account.token, query: '?kinds=fact.superseded&kinds=memory.consolidated' });
  const deaf = await listen({ token: stranger.token, query: '?kinds=fact.superseded&kinds=memory.consolidated' });
  const agents = `/api/v1/ai/agents/${me.id}`;
  for (const value of ['Paris', 'Rome']) await expectStatus(200, 'POST', `${agents}/memory`, { token: account.token, body: { key: 'capital', value } });
  const fact = await until('the fact', () => l.heard.find((e) => e.event === 'fact.superseded'), { tries: 600 });
  assert.ok(fact.data.payload.superseded_by && fact.data.payload.superseded_by !== fact.data.subject_id);
  await expectStatus(200, 'POST', `${agents}/tiered_memory`, { token: account.token, body: { key: 'often', value: 'the harbour closes at nine in the evening' } });
  for (let i = 0; i < 3; i++) await expectStatus(200, 'GET', `${agents}/tiered_memory?key=often`, { token: account.token });
  const memory = await until('the memory', () => l.heard.find((e) => e.event === 'memory.consolidated'), { tries: 600 });
  assert.equal(memory.data.payload.agent_id, me.id);
  assert.ok(!JSON.stringify(l.heard).match(/Paris|Rome|harbour/), 'no content');
  assert.deepEqual(deaf.heard, []);
});

test('a long poll answers when something happens, and at the end of its time', async () => {
  const at = await tip(reader.token);
  const waits = page(reader.token, `?after=${at}&wait=25&kinds=memory_pool_key_write`);
  await write('polled');
  const r = await waits;
  assert.equal(r.status, 200, r.text);
  assert.deepEqual(r.data.events.map((e) => e.payload.key), ['polled']);
  const again = await page(reader.token, `?after=${r.data.last_id}&wait=1&kinds=memory_pool_key_write`);
  assert.deepEqual([again.status, again.data.events, again.data.reset], [200, [], false]);
  const batch = (await page(reader.token, `?after=0&limit=3&kinds=memory_pool_key_write`)).data;
  assert.equal(batch.events.length, 3);
  assert.equal(batch.last_id, batch.events[2].id);
});

test('a browser session listens, too; nobody without a credential or the permission', async () => {
  const cookie = await signIn();
  const l = await listen({ token: '', headers: { Cookie: cookie, Authorization: undefined } }).catch((e) => e);
  assert.ok(l instanceof Error, 'an empty bearer token is none');
  const r = await fetch(`${BASE}/api/v1/events`, { headers: { Cookie: cookie, Accept: 'text/event-stream' }, signal: AbortSignal.timeout(20000) });
  assert.equal(r.status, 200);
  assert.equal(r.headers.get('content-type'), 'text/event-stream');
  assert.equal(r.headers.get('cache-control'), 'no-store');
  await r.body.cancel();
  assert.equal((await call('GET', '/api/v1/events', {})).status, 401);
  const row = (await openapi()).paths['/api/v1/events'].get;
  assert.deepEqual(Object.keys(row.responses['200'].content).sort(), ['application/json', 'text/event-stream']);
});

test('200 idle listeners leave the web workers free; the 51st of one token is refused', async () => {
  const agents = await Promise.all(Array.from({ length: 4 }, () => freshAgent(account)));
  const idle = await Promise.all(agents.flatMap((a) => Array.from({ length: 50 }, () => listen({ token: a.token }))));
  assert.equal(idle.length, 200);
  const refused = await fetch(`${BASE}/api/v1/events`, { headers: { Authorization: `Bearer ${agents[0].token}`, Accept: 'text/event-stream' } });
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  await refused.text();
  const asked = await Promise.all(Array.from({ length: 48 }, () => call('GET', '/api/v1/me', { token: account.token })));
  assert.ok(asked.every((r) => r.status === 200), 'more requests at once than there are workers');
  const hears = await listen({ token: reader.token, query: '?kinds=memory_pool_key_write' });
  await write('beside.the.idle');
  await until('it is heard', () => hears.heard.length);
  await Promise.all(idle.map((l) => l.close()));
  await until('their places are free', async () => {
    const l = new Listener({ token: agents[0].token });
    const ok = (await l.opened).status === 200;
    await l.close();
    return ok;
  });
});

test('Redis killed: listeners go on, nothing is lost or doubled; back with less than before: the stream is whole again', async () => {
  const l = await listen({ token: reader.token, query: '?kinds=memory_pool_key_write' });
  const names = Array.from({ length: 30 }, (_, i) => `outage.k${i}`);
  await write(names[0]);
  await until('before', () => l.heard.length === 1);
  await stack('kill', 'redis');
  try {
    for (const n of names.slice(1, 10)) await write(n);
    await until('during', () => l.heard.length === 10, { tries: 600 });
    assert.equal((await page(reader.token, `?after=${l.last}`)).status, 200);
  } finally {
    await stack('start', 'redis');
  }
  for (const n of names.slice(10, 20)) await write(n);
  await until('after', () => l.heard.length === 20, { tries: 600 });
  const { exec } = await import('node:child_process');
  await new Promise((go, no) => exec(`redis-cli -s '${process.env.LOCI_REDIS_SOCKET}' DEL 'loci:{${me.account_id}}:events'`, (e) => (e ? no(e) : go())));
  for (const n of names.slice(20)) await write(n);
  await until('with an empty stream', () => l.heard.length === 30, { tries: 600 });
  assert.deepEqual(l.heard.map((e) => e.data.payload.key), names);
  const again = await listen({ token: reader.token, query: '?kinds=memory_pool_key_write', last: l.heard[0].id - 1 });
  await until('all of it again', () => again.heard.length >= 30);
  assert.deepEqual(again.heard.map((e) => e.id), l.heard.map((e) => e.id));
});

test('loci-web killed in the middle: what was committed is heard after it', async () => {
  const at = await tip(reader.token);
  const names = Array.from({ length: 40 }, (_, i) => `killed.k${i}`);
  const done = [];
  const writing = Promise.all(names.map((n) => call('PUT', key(n), { token: account.token, body: { value: 1 } }).then((r) => r.status === 200 && done.push(n), () => {})));
  await until('some are written', () => done.length > 3);
  await stack('kill', 'web');
  await writing;
  await stack('start', 'web');
  const l = await listen({ token: reader.token, query: '?kinds=memory_pool_key_write', last: at });
  await until('each that was acknowledged', () => done.every((n) => l.heard.some((e) => e.data.payload.key === n)), { tries: 600 });
  assert.equal(new Set(l.heard.map((e) => e.data.payload.key)).size, l.heard.length, 'none twice');
});
