// Notifications: each person sees their own, when they are due.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, freshAgent, freshUser, moveClock, unique } from './client.mjs';
import { sql } from './db.mjs';

const PATH = '/api/v1/ai/notifications';
let account, reader;

before(async () => {
  account = await freshAccount();
  account.id = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data.account_id;
  reader = await freshUser(account, 'viewer');
});

const send = async (body, token = account.token) => (await expectStatus(200, 'POST', PATH, { token, body: { message: 'Look.', ...body } })).data;
const list = async (token, query = '') => (await expectStatus(200, 'GET', `${PATH}?limit=100${query}`, { token })).data;

test('an agent tells a person; only that person sees it, and reads it', async () => {
  const title = unique('told'), { id } = await send({ user_id: reader.id, title, severity: 'high' });
  const [n] = (await list(reader.token)).filter((x) => x.id === id);
  assert.deepEqual([n.title, n.body, n.severity, n.category, n.read_at], [title, 'Look.', 'high', 'message', null]);
  assert.ok(!(await list(account.owner)).some((x) => x.id === id));
  await expectStatus(404, 'POST', `${PATH}/${id}/read`, { token: account.owner });
  assert.ok((await expectStatus(200, 'POST', `${PATH}/${id}/read`, { token: reader.token })).data.read_at);
  assert.ok(!(await list(reader.token, '&unread=true')).some((x) => x.id === id));
});

test('without a name it is the owner; another account has no such user', async () => {
  const { id } = await send({ title: 'hello' });
  assert.ok((await list(account.owner)).some((x) => x.id === id));
  assert.ok((await expectStatus(200, 'POST', `${PATH}/read_all`, { token: account.owner })).data.read >= 1);
  assert.deepEqual(await list(account.owner, '&unread=true'), []);
  const stranger = await freshAccount();
  await expectStatus(404, 'POST', PATH, { token: stranger.token, body: { user_id: reader.id, title: 'x', message: 'x' } });
});

test('ten an hour, then no more until the hour is over', async () => {
  const agent = await freshAgent(account);
  for (let i = 0; i < 10; i++) await send({ title: `${i}` }, agent.token);
  await expectStatus(429, 'POST', PATH, { token: agent.token, body: { title: 'x', message: 'x' } });
  await moveClock('61m');
  await send({ title: 'later' }, agent.token);
});

test('what is held back is shown when its time has come, once', async () => {
  const { id } = await send({ user_id: reader.id, title: unique('later') }, (await freshAgent(account)).token);
  await sql(`UPDATE notification SET deliver_at = deliver_at + INTERVAL 8 HOUR WHERE account_id = '${account.id}' AND id = '${id}'`);
  assert.ok(!(await list(reader.token)).some((x) => x.id === id));
  await expectStatus(404, 'POST', `${PATH}/${id}/read`, { token: reader.token });
  await moveClock('8h');
  assert.equal((await list(reader.token)).filter((x) => x.id === id).length, 1);
});
