// Webhooks (interface 3 and 6.9, jobs 10.24): signed, once, in order, tried again, given up, replayed; never to a private address unless allowed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, afterEach, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { BASE2, call, expectStatus, freshAccount, freshAgent, freshUser, stack, unique, until } from './client.mjs';
import { sql } from './db.mjs';
import { Listener } from './events.mjs';

const H = '/api/v1/webhooks';
let account, me, pool, receiver;
const open = [];
const listen = (kinds) => { const l = new Listener({ token: account.owner, query: `?kinds=${kinds}` }); open.push(l); return l.open(); };

// Somebody's server: keeps what it was sent; answers as `answer` says.
class Receiver {
  got = [];
  answer = () => 204;
  async listen(port = 0) {
    this.server = createServer(async (req, res) => {
      let body = '';
      for await (const piece of req) body += piece;
      const one = { path: req.url, headers: req.headers, body, at: Date.now() };
      const [status, headers = {}] = [].concat(this.answer(one));
      if (status < 300) this.got.push(one);
      res.writeHead(status, headers).end();
    });
    this.server.listen(port, '127.0.0.1').unref();           // Node.js 18 runs after() only when nothing else is to be waited for
    await once(this.server, 'listening');
    this.port = this.server.address().port;
    return this;
  }
  url(path = '/hook') { return `http://127.0.0.1:${this.port}${path}`; }
  keys(path) { return this.got.filter((g) => !path || g.path === path).map((g) => JSON.parse(g.body).data.payload.key).filter(Boolean); }
  async close() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

// The scheduler delivers; the second loci-web takes addresses that the first refuses.
async function allowPrivate(yes) {
  if (yes) process.env.LOCI_WEBHOOKS_PRIVATE_ADDRESSES = 'yes';
  else delete process.env.LOCI_WEBHOOKS_PRIVATE_ADDRESSES;
  await stack('restart', 'scheduler');
}

before(async () => {
  process.env.LOCI_WEBHOOKS_PRIVATE_ADDRESSES = 'yes';
  await stack('restart', 'web2', 'scheduler');
  account = await freshAccount();
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data;
  pool = (await expectStatus(201, 'POST', '/api/v1/ai/memory_pools', { token: account.owner, body: { name: 'P', pool_id: unique('pool') } })).data;
  receiver = await new Receiver().listen();
});
afterEach(async () => { await Promise.all(open.splice(0).map((l) => l.close())); });
after(async () => {
  await receiver.close();
  delete process.env.LOCI_WEBHOOKS_PRIVATE_ADDRESSES;
  await stack('restart', 'web2', 'scheduler');
});

const create = (body, token = account.owner) => expectStatus(201, 'POST', H, { token, base: BASE2, body: { name: 'hook', kinds: ['memory_pool_key_write'], ...body } }).then((r) => r.data);
const write = (key, p = pool) => expectStatus(200, 'PUT', `/api/v1/ai/memory_pools/${p.pool_id}/data/${key}`, { token: account.owner, body: { value: 1 } });
const log = async (w, query = '') => (await expectStatus(200, 'GET', `${H}/${w.id}/deliveries?limit=100${query}`, { token: account.owner })).data;
const state = async (w) => (await expectStatus(200, 'GET', `${H}/${w.id}`, { token: account.owner })).data;
// What waits for its next try is tried now.
const now = () => sql(`UPDATE task SET run_at = UTC_TIMESTAMP(6) WHERE account_id = '${me.account_id}' AND kind = 'webhook' AND status = 'ready'`);
const WAIT = { tries: 600 };

test('an event is posted with a signature that a stock library verifies; the secret is shown once', async () => {
  const w = await create({ url: receiver.url('/signed') });
  assert.match(w.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.ok(!('secret' in await state(w)));
  assert.ok(!JSON.stringify(await sql(`SELECT HEX(secret) FROM webhook WHERE id = '${w.id}'`)).toLowerCase().includes(Buffer.from(w.secret.slice(6), 'base64').toString('hex')));
  const l = await listen('memory_pool_key_write');
  await write('agent_bulletin.signed');
  const one = await until('it to arrive', () => receiver.got.find((g) => g.path === '/signed'), WAIT);
  const said = new Webhook(w.secret).verify(one.body, one.headers);
  assert.equal(said.type, 'memory_pool_key_write');
  assert.equal(said.data.payload.key, 'agent_bulletin.signed');
  await until('the listener', () => l.heard.length);
  assert.deepEqual(said.data, l.heard[0].data, 'the same as the stream has');
  assert.equal(one.headers['webhook-id'], said.data.event_id);
  assert.throws(() => new Webhook(w.secret).verify(one.body.replace('signed', 'forged'), one.headers));
  const [d] = await until('the log', async () => { const rows = await log(w); return rows[0]?.status === 'delivered' && rows; });
  assert.deepEqual([d.attempts, d.http_status, d.error, d.event_id], [1, 204, null, said.data.event_id]);
  const rotated = (await expectStatus(200, 'POST', `${H}/${w.id}/rotate_secret`, { token: account.owner, base: BASE2 })).data;
  assert.notEqual(rotated.secret, w.secret);
  await write('after.rotation');
  const two = await until('the next', () => receiver.got.find((g) => g.path === '/signed' && g.body.includes('after.rotation')), WAIT);
  assert.doesNotThrow(() => new Webhook(rotated.secret).verify(two.body, two.headers));
  assert.throws(() => new Webhook(w.secret).verify(two.body, two.headers));
  await expectStatus(204, 'DELETE', `${H}/${w.id}`, { token: account.owner });
});

test('a target that is down: each event once, in order for each subject, when it is back', async () => {
  const target = await new Receiver().listen(), { port } = target;
  const other = (await expectStatus(201, 'POST', '/api/v1/ai/memory_pools', { token: account.owner, body: { name: 'Q', pool_id: unique('pool') } })).data;
  const w = await create({ url: target.url('/down'), spaces: [pool.id, other.id] });
  await target.close();
  const names = Array.from({ length: 12 }, (_, i) => `down.k${i}`);
  for (const n of names) { await write(n); await write(n, other); }
  await until('it to fail for both, and the rest to wait', async () => { const all = await log(w); return all.length === 24 && all.filter((d) => d.attempts > 0).length >= 2; }, WAIT);
  const rows = await log(w);
  assert.equal(rows.filter((d) => d.attempts > 0).length, 2, 'the others wait for the first of their subject');
  assert.ok((await state(w)).failing_since);
  await target.listen(port);
  // It refuses now and then, too.
  let n = 0;
  target.answer = () => (++n % 7 === 0 ? 500 : 200);
  await until('all of them', async () => { await now(); return (await log(w, '&status=delivered')).length === 24; }, { tries: 300, pause: 100 });
  for (const p of [pool, other])
    assert.deepEqual(target.got.map((g) => JSON.parse(g.body).data).filter((d) => d.space_id === p.id).map((d) => d.payload.key), names);
  assert.equal(new Set(target.got.map((g) => g.headers['webhook-id'])).size, 24);
  const s = await state(w);
  assert.deepEqual([s.failing_since, s.waiting, s.dead], [null, 0, 0]);
  await expectStatus(204, 'DELETE', `${H}/${w.id}`, { token: account.owner });
  await target.close();
});

test('given up after its tries, the next has its turn; replay by call', async () => {
  const w = await create({ url: receiver.url('/dead') });
  receiver.answer = (one) => (one.path === '/dead' && one.body.includes('dead.first') ? 500 : 204);
  await write('dead.first');
  const first = await until('a failure', async () => (await log(w)).find((d) => d.attempts === 1), WAIT);
  assert.match(first.error, /500/);
  await write('dead.second');
  await until('it to wait', async () => (await log(w)).length === 2);
  await sql(`UPDATE task SET attempts = 13, run_at = UTC_TIMESTAMP(6) WHERE account_id = '${me.account_id}' AND kind = 'webhook' AND status = 'ready'`);
  await until('the second', () => receiver.keys('/dead').includes('dead.second'), WAIT);
  const dead = await until('the dead letter', async () => (await log(w, '&status=dead'))[0]);
  assert.equal(dead.id, first.id);
  assert.equal((await state(w)).dead, 1);
  receiver.answer = () => 204;
  assert.equal((await expectStatus(200, 'POST', `${H}/${w.id}/replay_dead`, { token: account.owner })).data.replayed, 1);
  await until('it after all', () => receiver.keys('/dead').includes('dead.first'), WAIT);
  const done = await until('its log', async () => (await log(w)).find((d) => d.id === first.id && d.status === 'delivered'));
  assert.deepEqual(done.tries.map((t) => [t.http_status, t.error]), [[500, 'status 500'], [500, 'status 500'], [204, null]], 'each try');
  assert.deepEqual(done.tries.map((t) => t.at), done.tries.map((t) => t.at).sort());
  assert.equal(done.tries.at(-1).at, done.tried_at);
  assert.equal((await expectStatus(200, 'POST', `${H}/${w.id}/deliveries/${done.id}/replay`, { token: account.owner })).data.status, 'pending');
  await until('it once more', () => receiver.got.filter((g) => g.path === '/dead' && g.headers['webhook-id'] === done.event_id).length === 2, WAIT);
  await expectStatus(204, 'DELETE', `${H}/${w.id}`, { token: account.owner });
});

test('a private address is refused when it is made, and when it is called; redirects are not followed', async () => {
  const refused = (url) => call('POST', H, { token: account.owner, body: { name: 'x', url } });
  for (const url of ['http://example.org/', 'https://127.0.0.1/', 'https://localhost/', 'https://[::1]/', 'https://10.0.0.1:8443/x', 'https://2130706433/',
    'https://u:p@example.org/', 'ftp://example.org/', 'nonsense', 'https://example.org/#part', `https://example.org/${'a'.repeat(2000)}`]) {
    const r = await refused(url);
    assert.equal(r.status, 422, `${url}: ${r.text}`);
  }
  const to = await create({ url: receiver.url('/moved') });
  receiver.answer = (one) => (one.path === '/moved' ? [302, { Location: receiver.url('/elsewhere') }] : 204);
  await write('moved');
  const d = await until('a failure', async () => (await log(to)).find((x) => x.attempts > 0), WAIT);
  assert.match(d.error, /302.*not followed/);
  assert.deepEqual(receiver.got.filter((g) => g.path === '/elsewhere'), []);
  await expectStatus(204, 'DELETE', `${H}/${to.id}`, { token: account.owner });
  receiver.answer = () => 204;
  const w = await create({ url: receiver.url('/private') });
  await allowPrivate(false);
  await write('private');
  const p = await until('a failure', async () => (await log(w)).find((x) => x.attempts > 0), WAIT);
  assert.match(p.error, /private address/);
  assert.deepEqual(receiver.got.filter((g) => g.path === '/private'), []);
  await allowPrivate(true);
  await expectStatus(204, 'DELETE', `${H}/${w.id}`, { token: account.owner });
});

test('one that fails for three days is disabled, and that is told once; 410 disables at once', async () => {
  const w = await create({ url: receiver.url('/failing') });
  const l = await listen('webhook.*');
  receiver.answer = (one) => (one.path === '/failing' ? 503 : one.path === '/gone' ? 410 : 204);
  await write('failing.first');
  await until('a failure', async () => (await state(w)).failing_since, WAIT);
  await sql(`UPDATE webhook SET failing_since = UTC_TIMESTAMP(6) - INTERVAL 73 HOUR WHERE id = '${w.id}'`);
  await until('it to be disabled', async () => { await now(); return (await state(w)).status === 'disabled'; }, WAIT);
  assert.match((await state(w)).reason, /three days.*503/);
  await until('that to be told', () => l.heard.length);
  await write('failing.later');
  const gone = await create({ url: receiver.url('/gone') });
  await write('gone');
  await until('it to be disabled', async () => (await state(gone)).status === 'disabled', WAIT);
  await until('that to be told, too', () => l.heard.some((e) => e.data.subject_id === gone.id));
  assert.deepEqual(l.heard.map((e) => [e.event, e.data.subject_id]), [['webhook.disabled', w.id], ['webhook.disabled', gone.id]]);
  assert.ok(!(await log(w)).some((d) => d.seq > (l.heard[0].id)), 'it takes nothing while it is disabled');
  receiver.answer = () => 204;
  const back = (await expectStatus(200, 'PATCH', `${H}/${w.id}`, { token: account.owner, base: BASE2, body: { status: 'active' } })).data;
  assert.deepEqual([back.status, back.reason, back.failing_since], ['active', null, null]);
  await until('what waited', () => receiver.keys('/failing').includes('failing.first'), WAIT);
  for (const x of [w, gone]) await expectStatus(204, 'DELETE', `${H}/${x.id}`, { token: account.owner });
});

test('a pause keeps what comes; it hears what its maker may read, and nobody else\'s', async () => {
  const w = await create({ url: receiver.url('/paused'), kinds: [] });
  await expectStatus(200, 'PATCH', `${H}/${w.id}`, { token: account.owner, base: BASE2, body: { status: 'paused', kinds: ['memory_pool_key_write'] } });
  await expectStatus(422, 'PATCH', `${H}/${w.id}`, { token: account.owner, base: BASE2, body: { status: 'disabled' } });
  const agent = await freshAgent(account);
  const secret = (await expectStatus(201, 'POST', '/api/v1/ai/memory_pools', { token: agent.token, body: { name: 'S', pool_id: unique('secret'), pool_type: 'agent_private' } })).data;
  await expectStatus(200, 'PUT', `/api/v1/ai/memory_pools/${secret.pool_id}/data/hidden`, { token: agent.token, body: { value: 1 } });
  await write('paused.one');
  await write('paused.two');
  await until('two to wait', async () => (await state(w)).waiting === 2, WAIT);
  assert.deepEqual(receiver.keys('/paused'), []);
  await expectStatus(200, 'PATCH', `${H}/${w.id}`, { token: account.owner, base: BASE2, body: { status: 'active' } });
  await until('both', () => receiver.keys('/paused').length === 2, WAIT);
  assert.deepEqual(receiver.keys('/paused'), ['paused.one', 'paused.two']);
  assert.ok(!(await log(w)).some((d) => d.subject_id === secret.id));
  await expectStatus(204, 'DELETE', `${H}/${w.id}`, { token: account.owner });
});

test('who may not manage the account has no webhooks; another account sees none', async () => {
  const w = await create({ url: receiver.url('/mine') });
  const editor = await freshUser(account, 'editor'), stranger = await freshAccount();
  for (const token of [editor.token, account.token]) {
    assert.equal((await call('GET', H, { token })).status, 403);
    assert.equal((await call('POST', H, { token, body: { name: 'x', url: 'https://example.org/' } })).status, 403);
  }
  for (const path of [`${H}/${w.id}`, `${H}/${w.id}/deliveries`]) assert.equal((await call('GET', path, { token: stranger.owner })).status, 404);
  assert.deepEqual((await expectStatus(200, 'GET', H, { token: stranger.owner })).data, []);
  const stale = await call('PATCH', `${H}/${w.id}`, { token: account.owner, base: BASE2, headers: { 'If-Match': '"99"' }, body: { name: 'y' } });
  assert.equal(stale.status, 412);
  await expectStatus(204, 'DELETE', `${H}/${w.id}`, { token: account.owner });
  assert.equal((await call('GET', `${H}/${w.id}`, { token: account.owner })).status, 404);
});
