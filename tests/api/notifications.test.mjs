// Notifications: each person sees their own, when they are due.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, freshAgent, freshUser, moveClock, runEnded, unique } from './client.mjs';
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

test('quiet hours hold a notification of an agent back until their end; a block refuses it; silent is read already', async () => {
  const agent = await freshAgent(account), now = await moveClock('1s'), to = new Date(now);
  to.setUTCHours(23, 30, 0, 0);
  if (to <= now) to.setUTCDate(to.getUTCDate() + 1);
  await moveClock(`${Math.round((to - now) / 1000)}s`);
  const rule = async (body) => (await expectStatus(201, 'POST', '/api/v1/ai/intervention_policies', { token: account.owner, body: { action_category: 'issue_alert', agent_id: agent.id, ...body } })).data;
  const night = await rule({ policy: 'require_approval', conditions: { quiet_hours: { start: '22:00', end: '07:00', tz: 'UTC' } } });
  const push = async (status = 200) => (await expectStatus(status, 'POST', PATH, { token: agent.token, body: { user_id: reader.id, title: unique('n'), message: 'm' } })).data;
  const { id, deliver_at } = await push(), seen = async () => (await list(reader.token)).filter((n) => n.id === id).length;
  const told = async () => {
    await runEnded(account, (await expectStatus(202, 'POST', '/api/v1/jobs/notification_delivery/run', { token: account.owner, body: {} })).data.id);
    return (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${id}`, { token: account.owner })).data.filter((e) => e.kind === 'notification.deliver').length;
  };
  assert.match(deliver_at, /T07:00:00/);
  assert.deepEqual([await seen(), await told()], [0, 0]);
  await moveClock('451m');
  assert.deepEqual([await seen(), await told(), await told()], [1, 1, 1], 'webhooks hear of it when the person does, once');
  await moveClock('5h');
  assert.equal((await list(reader.token)).find((n) => n.id === id).read_at, null);
  const noon = await push();
  assert.equal((await list(reader.token, '&unread=true')).filter((n) => n.id === noon.id).length, 1, 'at noon at once');
  await expectStatus(204, 'DELETE', `/api/v1/ai/intervention_policies/${night.id}`, { token: account.owner });
  const silent = await rule({ policy: 'silent' });
  const quiet = await push();
  assert.ok((await list(reader.token)).find((n) => n.id === quiet.id).read_at);
  await expectStatus(204, 'DELETE', `/api/v1/ai/intervention_policies/${silent.id}`, { token: account.owner });
  await rule({ policy: 'block' });
  await push(403);
});
