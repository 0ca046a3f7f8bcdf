// Escalations climb: whom they go to, how long each person has, and who is told.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, expectStatus, freshAccount, freshUser, moveClock, runEnded, settled, signIn, stack, unique } from './client.mjs';
import { sql } from './db.mjs';

const PATH = '/api/v1/ai/escalations', TOLD = '/api/v1/ai/notifications';
let account, first, second;

before(async () => {
  account = await freshAccount();
  account.id = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data.account_id;
  first = await freshUser(account, 'reviewer');
  second = await freshUser(account, 'reviewer');
});

const raise = async (body) => (await expectStatus(200, 'POST', PATH, { token: account.token, body: { escalation_type: 'stuck', ...body } })).data;
const get = async (id) => (await expectStatus(200, 'GET', `${PATH}/${id}`, { token: account.owner })).data;
const told = async (token, title) => (await expectStatus(200, 'GET', `${TOLD}?limit=100`, { token })).data.filter((n) => n.title === title);
const hours = (later, earlier) => (Date.parse(later) - Date.parse(earlier)) / 3600000;
const climb = async () => runEnded(account, (await expectStatus(202, 'POST', '/api/v1/jobs/escalation_timeout/run', { token: account.owner, body: {} })).data.id);

test('high, and nobody reacts: one person after the other, then nobody is left', async () => {
  const title = unique('stuck'), { id, status } = await raise({ title, severity: 'high', context: { step: 3 } });
  assert.equal(status, 'queued');
  let e = await get(id);
  assert.deepEqual([e.status, e.current_level, e.timeout_hours, e.context], ['open', 0, 4, { step: 3 }]);
  assert.equal(hours(e.next_escalation_at, e.created_at), 4);
  assert.equal(e.escalated_to, e.chain[0].user_id);
  const people = e.chain.map((p) => p.user_id);
  assert.ok(people.includes(first.id) && people.includes(second.id) && new Set(people).size === people.length);
  assert.equal(e.chain.at(-1).role, 'account_admin');
  for (let level = 1; level < people.length; level++) {
    await moveClock('4h');
    await climb();
    e = await get(id);
    assert.deepEqual([e.current_level, e.escalated_to], [level, people[level]]);
    assert.ok(Math.abs(hours(e.next_escalation_at, e.created_at) - 4 * (level + 1)) < 0.3);
  }
  for (const user of [first, second]) assert.equal((await told(user.token, title)).length, 1);
  await moveClock('5h');
  await climb();
  e = await get(id);
  assert.deepEqual([e.status, e.next_escalation_at, e.exhausted_at !== null], ['open', null, true]);
  const reminder = 'Escalations without a taker';
  assert.equal((await told(account.owner, reminder)).length, 1);
  await climb();
  assert.equal((await told(account.owner, reminder)).length, 1, 'one a day');
  await moveClock('25h');
  await climb();
  assert.equal((await told(account.owner, reminder)).length, 2);
  await expectStatus(200, 'POST', `${PATH}/${id}/resolve`, { token: first.token, body: { note: 'done' } });
  await moveClock('25h');
  await climb();
  assert.equal((await told(account.owner, reminder)).length, 2, 'resolved: no more reminders');
});

test('the same trouble of the same agent is one while it is unresolved', async () => {
  const title = unique('again'), one = await raise({ title });
  assert.deepEqual(await raise({ title }), { status: 'already_queued', id: one.id, seen_count: 2 });
  assert.notEqual((await raise({ title, escalation_type: 'error' })).id, one.id);
  assert.equal((await raise({ title, severity: 'critical' })).seen_count, 3);
  const e = await get(one.id);
  assert.deepEqual([e.severity, e.timeout_hours], ['critical', 1], 'raised severity: the shorter clock');
  const issue = (await expectStatus(200, 'POST', `${PATH}/issues`, { token: account.token, body: { title: unique('broke') } })).data;
  assert.equal((await get(issue.id)).escalation_type, 'error');
});

test('who is suspended meanwhile is passed over', async () => {
  const { id } = await raise({ title: unique('gone'), severity: 'critical' }), { chain } = await get(id);
  await sql(`UPDATE user SET status = 'disabled' WHERE account_id = '${account.id}' AND id = '${chain[1].user_id}'`);
  await moveClock('1h');
  await climb();
  const e = await get(id);
  assert.deepEqual([e.current_level, e.escalated_to], [2, chain[2].user_id]);
  assert.ok(Math.abs(hours(e.next_escalation_at, e.created_at) - 2) < 0.3, 'the next one has the whole hour');
  await sql(`UPDATE user SET status = 'active' WHERE account_id = '${account.id}' AND id = '${chain[1].user_id}'`);
});

test('taken on at three hours: no step before nineteen; resolved: never again', async () => {
  const { id } = await raise({ title: unique('mine'), severity: 'high' }), at = `${PATH}/${id}`;
  await moveClock('3h');
  let e = (await expectStatus(200, 'POST', `${at}/acknowledge`, { token: first.token, body: { note: 'on it' } })).data;
  assert.deepEqual([e.status, e.acknowledged_by], ['acknowledged', first.id]);
  assert.ok(Math.abs(hours(e.next_escalation_at, e.created_at) - 19) < 0.1);
  await expectStatus(409, 'POST', `${at}/acknowledge`, { token: second.token, body: {} });
  assert.equal((await expectStatus(200, 'POST', `${at}/start`, { token: first.token, body: {} })).data.status, 'in_progress');
  await moveClock('15h');
  await climb();
  assert.equal((await get(id)).current_level, 0);
  await moveClock('90m');
  await climb();
  e = await get(id);
  assert.deepEqual([e.current_level, e.status, e.acknowledged_by], [1, 'open', null], 'nobody sleeps on it for ever');
  e = (await expectStatus(200, 'POST', `${at}/reassign`, { token: first.token, body: { user_id: second.id } })).data;
  assert.deepEqual([e.escalated_to, e.status], [second.id, 'open']);
  await expectStatus(404, 'POST', `${at}/reassign`, { token: first.token, body: { user_id: id } });
  e = (await expectStatus(200, 'POST', `${at}/severity`, { token: first.token, body: { severity: 'critical' } })).data;
  assert.deepEqual([e.severity, e.timeout_hours], ['critical', 1]);
  await expectStatus(403, 'POST', `${at}/acknowledge`, { token: account.token, body: {} });
  await expectStatus(200, 'POST', `${at}/resolve`, { token: first.token, body: {} });
  await moveClock('100h');
  await climb();
  e = await get(id);
  assert.deepEqual([e.status, e.current_level, e.next_escalation_at], ['resolved', 1, null]);
  await expectStatus(409, 'POST', `${at}/start`, { token: first.token, body: {} });
});

test('the list by severity, type and whether people are left', async () => {
  const { id } = await raise({ title: unique('low'), severity: 'low', escalation_type: 'budget_exceeded' });
  const list = async (query) => (await expectStatus(200, 'GET', `${PATH}?limit=100&${query}`, { token: account.owner })).data.map((e) => e.id);
  assert.deepEqual(await list('severity=low&type=budget_exceeded'), [id]);
  assert.ok(!(await list('severity=high')).includes(id) && !(await list('type=stuck')).includes(id));
  assert.ok(!(await list('status=exhausted')).includes(id));
});

test('the scheduler is killed, and started again: each late one moved one level, and its person was told once', async () => {
  const late = [];
  for (let i = 0; i < 15; i++) late.push(await raise({ title: `${i} ${unique('late')}`, severity: 'critical' }));
  const ids = late.map((e) => e.id), where = `account_id = '${account.id}' AND id IN (${ids.map((id) => `'${id}'`)})`;
  await moveClock('61m');
  await Promise.all([expectStatus(202, 'POST', '/api/v1/jobs/escalation_timeout/run', { token: account.owner, body: {} }), stack('kill', 'scheduler')]);
  await stack('start', 'scheduler');
  await moveClock('10m');                                 // the leases of the dead end
  await settled(account.slug, { parts: ['queue', 'runs'] });
  await climb();
  assert.deepEqual(await sql(`SELECT current_level, COUNT(*) FROM escalation WHERE ${where} GROUP BY 1`), [['1', '15']]);
  const climbs = `SELECT COUNT(*), COUNT(DISTINCT subject_id) FROM audit_event WHERE account_id = '${account.id}' AND kind = 'escalation.climb' AND subject_id IN (${ids.map((id) => `'${id}'`)})`;
  assert.deepEqual(await sql(climbs), [['15', '15']]);
  const links = ids.map((id) => `'/admin/escalations/${id}'`);
  assert.deepEqual(await sql(`SELECT COUNT(*), MAX(n) FROM (SELECT COUNT(*) AS n FROM notification WHERE account_id = '${account.id}' AND link IN (${links}) GROUP BY link, user_id) t`), [['30', '1']]);
});

test('a run touches the accounts where something is late, and only those', async () => {
  const others = await Promise.all(Array.from({ length: 4 }, () => freshAccount()));
  const open = await Promise.all(others.map((a, i) => expectStatus(200, 'POST', PATH, { token: a.token, body: { title: unique('x'), escalation_type: 'stuck', severity: i ? 'low' : 'critical' } })));
  await moveClock('62m');
  const due = await sql(`SELECT COUNT(*) FROM (SELECT account_id FROM escalation GROUP BY account_id HAVING MIN(next_escalation_at) <= (SELECT next_escalation_at FROM escalation WHERE id = '${open[0].data.id}')) t`);
  assert.ok(Number(due[0][0]) >= 1);
  await settled(undefined, { parts: ['runs'] });
  for (const [i, a] of others.entries()) {
    const run = await runEnded(a, (await expectStatus(202, 'POST', '/api/v1/jobs/escalation_timeout/run', { token: a.owner, body: {} })).data.id);
    assert.ok(run.scanned <= (i ? 0 : 1), JSON.stringify(run));
    const { data } = await expectStatus(200, 'GET', `${PATH}/${open[i].data.id}`, { token: a.owner });
    assert.equal(data.exhausted_at !== null, i === 0, 'the only person of the account was asked already');
  }
});

test('an answer becomes knowledge or a learning of all, too', async () => {
  for (const [kind, node] of [['shared_knowledge', 'knowledge'], ['learning', 'learning']]) {
    const { id } = (await expectStatus(200, 'POST', `${PATH}/questions`, { token: account.token, body: { query: unique('Who?') } })).data;
    const text = `${unique('Somebody')} keeps it.`;
    await expectStatus(403, 'POST', `${PATH}/${id}/answer`, { token: first.token, body: { text, kind } });
    const e = (await expectStatus(200, 'POST', `${PATH}/${id}/answer`, { token: account.owner, body: { text, kind } })).data;
    const n = (await expectStatus(200, 'GET', `/api/v1/nodes/${e.answer_node_id}`, { token: account.owner })).data;
    assert.deepEqual([n.kind, n.body], [node, text]);
  }
});

test('health is red while there is one without a taker', async () => {
  const a = await freshAccount(), password = 'a password to sign in', email = `${unique('p')}@example.org`;
  const { id } = (await expectStatus(200, 'POST', PATH, { token: a.token, body: { title: unique('x'), escalation_type: 'stuck', severity: 'critical' } })).data;
  await expectStatus(201, 'POST', '/api/v1/users', { token: a.owner, body: { email, name: 'P', role: 'owner', password } });
  const page = async () => (await fetch(`${BASE}/admin/settings`, { headers: { Cookie: await signIn({ account: a.slug, email, password }) } })).text();
  assert.match(await page(), /1 open/);
  await moveClock('62m');
  await runEnded(a, (await expectStatus(202, 'POST', '/api/v1/jobs/escalation_timeout/run', { token: a.owner, body: {} })).data.id);
  assert.match(await page(), /1 without a taker/);
  assert.match(await page(), /needs attention/);
  await expectStatus(200, 'POST', `${PATH}/${id}/acknowledge`, { token: a.owner, body: {} });
  assert.doesNotMatch(await page(), /without a taker/);
});
