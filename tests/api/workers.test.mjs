// Two loci-web processes over the same stores: revocation and grants work on the next request of both (ground, 10.5).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, BASE2, call, expectStatus, freshAccount, freshAgent, freshUser } from './client.mjs';

let account;
before(async () => { account = await freshAccount(); });

const both = (path, token) => Promise.all([BASE, BASE2].map((base) => call('GET', path, { token, base })));
const statuses = async (path, token) => (await both(path, token)).map((r) => r.status);

test('the two are two', () => assert.notEqual(BASE, BASE2));

test('a revoked token fails on the next request of both', async () => {
  for (let round = 0; round < 5; round++) {
    const agent = await freshAgent(account);
    assert.deepEqual(await statuses('/api/v1/me', agent.token), [200, 200]);
    const tokens = await expectStatus(200, 'GET', `/api/v1/tokens?agent_id=${agent.id}`, { token: account.owner });
    await expectStatus(204, 'DELETE', `/api/v1/tokens/${tokens.data[0].id}`, { token: account.owner, base: round % 2 ? BASE : BASE2 });
    assert.deepEqual(await statuses('/api/v1/me', agent.token), [401, 401]);
  }
});

test('a removed grant hides the space on the next request of both', async () => {
  const reader = await freshAgent(account);
  const space = await expectStatus(201, 'POST', '/api/v1/spaces', { token: account.token, body: { kind: 'context', name: 'Shared' } });
  const node = await expectStatus(201, 'POST', '/api/v1/nodes', { token: account.token, body: { space_id: space.data.id, kind: 'note', title: 'x', body: 'y' } });
  const paths = [`/api/v1/spaces/${space.data.id}`, `/api/v1/nodes/${node.data.id}`];
  for (let round = 0; round < 5; round++) {
    for (const path of paths) assert.deepEqual(await statuses(path, reader.token), [404, 404]);
    const grant = await expectStatus(201, 'POST', `/api/v1/spaces/${space.data.id}/grants`,
      { token: account.token, body: { grantee_kind: 'agent', grantee_id: reader.id, level: 'read' } });
    for (const path of paths) assert.deepEqual(await statuses(path, reader.token), [200, 200]);
    await expectStatus(204, 'DELETE', `/api/v1/spaces/${space.data.id}/grants/${grant.data.id}`, { token: account.token, base: BASE2 });
  }
  for (const path of paths) assert.deepEqual(await statuses(path, reader.token), [404, 404]);
});

test('a disabled user, a paused agent, a narrowed role: at once', async () => {
  const user = await freshUser(account, 'editor');
  assert.deepEqual(await statuses('/api/v1/me', user.token), [200, 200]);
  await expectStatus(200, 'PATCH', `/api/v1/users/${user.id}`, { token: account.owner, body: { role: 'viewer' } });
  for (const r of await both('/api/v1/me', user.token)) assert.ok(!r.data.permissions.includes('memory.write'));
  await expectStatus(200, 'PATCH', `/api/v1/users/${user.id}`, { token: account.owner, body: { status: 'disabled' } });
  assert.deepEqual(await statuses('/api/v1/me', user.token), [401, 401]);
  const agent = await freshAgent(account);
  assert.deepEqual(await statuses('/api/v1/me', agent.token), [200, 200]);
  await expectStatus(200, 'PATCH', `/api/v1/agents/${agent.id}`, { token: account.owner, body: { status: 'paused' } });
  assert.deepEqual(await statuses('/api/v1/me', agent.token), [401, 401]);
});
