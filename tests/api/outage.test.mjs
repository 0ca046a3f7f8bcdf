// Stores that go away: what needs them says 503 in time and when to come back, everything else goes on, and all recovers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BASE, BASE2, call, expectStatus, freshAccount, freshAgent, freshUser, signIn, stack, unique, until } from './client.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
});
after(async () => { await stack('start'); });

const bases = [BASE, BASE2];
const ready = (base) => call('GET', '/readyz', { base }).then((r) => r.status === 200, () => false);
const states = async () => Object.fromEntries((await call('GET', '/readyz')).data.parts.map((p) => [p.name, p.state]));

const timed = async (ask) => {
  const start = Date.now();
  const r = await ask();
  return { ...r, ms: Date.now() - start };
};
const patience = process.env.LOCI_SLOW ? 6000 : 2000;

test('Redis away: tokens and nodes go on, sessions say 503, a revoked token stays out', async () => {
  const cookie = await signIn(), agent = await freshAgent(account), gone = await freshAgent(account), kept = await freshUser(account, 'viewer');
  const me = (options) => call('GET', '/api/v1/me', options);
  assert.equal((await me({ headers: { Cookie: cookie } })).status, 200);
  for (const base of bases) assert.equal((await me({ token: gone.token, base })).status, 200);
  const [row] = (await expectStatus(200, 'GET', `/api/v1/tokens?agent_id=${gone.id}`, { token: account.owner })).data;
  await expectStatus(204, 'DELETE', `/api/v1/tokens/${row.id}`, { token: account.owner });
  await stack('stop', 'redis');
  try {
    for (const base of bases) {
      const r = await timed(() => me({ token, base }));
      assert.equal(r.status, 200, r.text);
      assert.ok(r.ms < patience, `${r.ms} ms`);
      assert.equal(r.headers.get('ratelimit-limit'), null, 'nothing was counted');
      assert.equal((await me({ token: gone.token, base })).status, 401);
    }
    const made = await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: unique('without Redis') } });
    await expectStatus(200, 'GET', `/api/v1/nodes/${made.data.id}`, { token, base: BASE2 });
    await expectStatus(200, 'PATCH', `/api/v1/nodes/${made.data.id}`, { token, base: BASE2, body: { body: 'changed' } });
    const session = await timed(() => me({ headers: { Cookie: cookie } }));
    assert.equal(session.status, 503, session.text);
    assert.ok(Number(session.headers.get('retry-after')) >= 1);
    assert.ok(session.ms < patience);
    assert.equal((await states()).redis, 'down');
    for (const base of bases) assert.ok(await ready(base), 'what goes on without Redis is still asked of this host');
    // What is changed meanwhile counts at once on both, and after Redis is back.
    const [own] = (await expectStatus(200, 'GET', `/api/v1/tokens?agent_id=${agent.id}`, { token: account.owner })).data;
    for (const base of bases) assert.equal((await me({ token: agent.token, base })).status, 200);
    await expectStatus(204, 'DELETE', `/api/v1/tokens/${own.id}`, { token: account.owner });
    await expectStatus(200, 'PATCH', `/api/v1/users/${kept.id}`, { token: account.owner, body: { role: 'editor' } });
    for (const base of bases) {
      assert.equal((await me({ token: agent.token, base })).status, 401);
      assert.equal((await me({ token: kept.token, base })).data.role, 'editor');
    }
  } finally {
    await stack('start', 'redis');
  }
  for (const base of bases) {
    await until('Redis to be used again', async () => (await me({ token, base })).headers.get('ratelimit-limit'));
    assert.equal((await me({ token: agent.token, base })).status, 401);
    assert.equal((await me({ token: kept.token, base })).data.role, 'editor');
  }
  assert.equal((await states()).redis, 'ok');
});

test('a change whose Redis stops in between never opens what was shut', async () => {
  const agent = await freshAgent(account);
  const space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { name: 'S' } })).data;
  const grant = (await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: agent.id } })).data;
  const see = (base) => call('GET', `/api/v1/spaces/${space.id}`, { token: agent.token, base }).then((r) => r.status);
  for (const base of bases) assert.equal(await see(base), 200);
  await stack('kill', 'redis');
  try {
    await expectStatus(204, 'DELETE', `/api/v1/spaces/${space.id}/grants/${grant.id}`, { token });
    for (const base of bases) assert.equal(await see(base), 404);
  } finally {
    await stack('start', 'redis');
  }
  for (let i = 0; i < 10; i++) for (const base of bases) assert.equal(await see(base), 404);
});

test('Redis hangs: a few changes wait until nobody trusts what he holds, then nothing waits any more', async (t) => {
  const { data: node } = await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: unique('hang') } });
  const agent = await freshAgent(account), path = `/api/v1/nodes/${node.id}`;
  const read = (base) => expectStatus(200, 'GET', path, { token, base }).then((r) => r.data.title);
  const change = (title) => timed(() => expectStatus(200, 'PATCH', path, { token, body: { title } }));
  for (const base of bases) assert.equal((await call('GET', '/api/v1/me', { token: agent.token, base })).status, 200);
  const [own] = (await expectStatus(200, 'GET', `/api/v1/tokens?agent_id=${agent.id}`, { token: account.owner })).data;
  const pid = Number((await stack('pid', 'redis')).stdout);
  process.kill(pid, 'SIGSTOP');
  try {
    const first = await change('the first');
    assert.ok(first.ms < 3200 + 2 * patience, `${first.ms} ms`);
    const times = [];
    for (let i = 0; i < 20; i++) {
      times.push((await change(`state ${i}`)).ms);
      for (const base of bases) assert.equal(await read(base), `state ${i}`);
    }
    const longest = Math.max(...times);
    assert.ok(longest < patience / 2, `${times} ms`);
    t.diagnostic(`the first change took ${first.ms} ms, the slowest of twenty after it ${longest} ms`);
    await expectStatus(204, 'DELETE', `/api/v1/tokens/${own.id}`, { token: account.owner });
    for (const base of bases) assert.equal((await call('GET', '/api/v1/me', { token: agent.token, base })).status, 401);
    assert.equal((await states()).redis, 'down');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await until('rates to be counted again', async () => (await call('GET', '/api/v1/me', { token })).headers.get('ratelimit-limit'));
  assert.equal((await states()).redis, 'ok');
  for (const base of bases) assert.equal(await read(base), 'state 19');
  await change('the last');
  for (const base of bases) assert.equal(await read(base), 'the last');
  for (const base of bases) assert.equal((await call('GET', '/api/v1/me', { token: agent.token, base })).status, 401);
});

test('MariaDB away: 503 with Retry-After in time on every call, nothing hangs, and it recovers by itself', async () => {
  const made = await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: unique('kept') } });
  await stack('stop', 'db');
  try {
    const asks = [['GET', '/api/v1/me', token], ['GET', `/api/v1/nodes/${made.data.id}`, token], ['POST', '/api/v1/nodes', token, { title: 'x' }], ['GET', '/api/v1/spaces', account.owner],
      ['GET', '/api/v1/nodes', `loci_${'a'.repeat(8)}_${'b'.repeat(43)}`], ['GET', '/readyz']];
    for (let round = 0; round < 3; round++) {
      const all = await Promise.all(asks.flatMap(([method, path, by, body]) => bases.map((base) => timed(() => call(method, path, { token: by, body, base, check: path !== '/readyz' })))));
      for (const [i, r] of all.entries()) {
        const what = `${asks[i >> 1].slice(0, 2).join(' ')}: ${r.status} after ${r.ms} ms: ${r.text.slice(0, 200)}`;
        const cached = asks[i >> 1][1] === '/api/v1/me' && r.status === 200;      // asks for nothing that is not in memory
        assert.ok(r.status === 503 || cached, what);
        assert.ok(r.ms < patience, what);
        if (!cached) assert.ok(Number(r.headers.get('retry-after')) >= 1, what);
      }
    }
    const r = await call('GET', '/readyz', { check: false });
    assert.equal(r.data.status, 'not_ready');
    assert.equal(r.data.parts.find((p) => p.name === 'mariadb').state, 'down');
    for (const path of ['/livez', '/metrics']) assert.equal((await call('GET', path)).status, 200);
  } finally {
    await stack('start', 'db');
  }
  for (const base of bases) await until('readiness', () => ready(base));
  await expectStatus(200, 'GET', `/api/v1/nodes/${made.data.id}`, { token });
  for (const base of bases) await expectStatus(201, 'POST', '/api/v1/nodes', { token, base, body: { title: unique('again') } });
});

test('both away and back, in either order', async () => {
  for (const order of [['db', 'redis'], ['redis', 'db']]) {
    await stack('stop', ...order);
    assert.equal((await call('GET', '/api/v1/nodes', { token })).status, 503);
    for (const service of order) await stack('start', service);
    for (const base of bases) await until('readiness', () => ready(base));
    await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: unique('back') } });
  }
});
