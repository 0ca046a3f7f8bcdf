// Schedulers as processes: two side by side, one that is told to stop in the midst of work, and all without their database.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { call, ctl, expectStatus, freshAccount, freshAgent, freshUser, stack, unique, until } from './client.mjs';
import { pauseJobs, resumeJobs, sql } from './db.mjs';

const NODES = 800;
let operator, accounts;
const others = [];
before(async () => {
  accounts = await Promise.all(Array.from({ length: 4 }, freshAccount));
  for (const w of accounts) w.id = (await expectStatus(200, 'GET', '/api/v1/me', { token: w.token })).data.account_id;
  const email = `${unique('op')}@example.org`;
  await ctl('user', 'create', '--account', accounts[0].slug, '--email', email, '--role', 'owner', '--name', 'Operator', '--operator');
  operator = await ctl('token', 'create', '--account', accounts[0].slug, '--user', email, '--name', 'test');
});
after(async () => {
  for (const p of others.filter((x) => x.exitCode === null)) p.kill('SIGKILL');
  await resumeJobs('expired_cleanup');
  await stack('start');
});

const schedulers = async () => (await expectStatus(200, 'GET', '/api/v1/schedulers', { token: operator })).data.filter((s) => s.heartbeat_age_s < 12 && !s.stopping);
const WAIT = { tries: 1200, pause: 100 };

// Another one beside the stack's own.
async function another() {
  const p = spawn(process.env.LOCI_CTL.replace(/locictl$/, 'loci-scheduler'), ['--config', process.env.LOCI_CONF], { stdio: ['ignore', 'ignore', 'inherit'] });
  others.push(p);
  await until('it to be seen', async () => (await schedulers()).some((s) => s.pid === p.pid), WAIT);
  return p;
}

// Nodes of each account whose time was a minute ago. The timetable leaves them alone, and nothing that other tests left is due.
async function expire() {
  await pauseJobs('expired_cleanup');
  for (const table of ['token', 'space_grant', 'node'])
    await sql(`UPDATE ${table} SET expires_at = expires_at + INTERVAL 1 DAY WHERE expires_at IS NOT NULL AND account_id NOT IN (${list()})`);
  for (const w of accounts) {
    const raw = Array.from({ length: NODES }, (_, i) => `{"title":"gone ${i}"}\n`).join('');
    assert.equal((await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token: w.token, raw, headers: { 'Content-Type': 'application/x-ndjson' } })).data.created, NODES);
    await sql(`UPDATE node SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE WHERE account_id = '${w.id}' AND status = 'active'`);
  }
}

const list = () => accounts.map((w) => `'${w.id}'`).join(',');
const archived = async () => Number((await sql(`SELECT COUNT(*) FROM node WHERE account_id IN (${list()}) AND status = 'archived'`))[0][0]);
const fire = (job) => expectStatus(202, 'POST', `/api/v1/jobs/${job}/run`, { token: operator, body: { scope: 'everywhere' } }).then((r) => r.data.id);
const run = () => fire('expired_cleanup');
const ended = (id) => until(`run ${id} to end`, async () => {
  const r = (await expectStatus(200, 'GET', `/api/v1/job_runs/${id}`, { token: operator })).data.run;
  return !['waiting', 'running'].includes(r.status) && r;
}, WAIT);

test('two side by side: all is done, and none of it twice', { timeout: 280000 }, async () => {
  await expire();
  const p = await another();
  assert.equal((await schedulers()).length, 2);
  const before = await archived(), r = await ended(await run());
  assert.deepEqual([r.status, r.changed, r.failed], ['succeeded', accounts.length * NODES, 0]);
  assert.equal(await archived() - before, accounts.length * NODES);
  const twice = await sql(`SELECT subject_id FROM audit_event WHERE account_id IN (${list()}) AND kind LIKE 'node.%' AND actor_kind = 'system' GROUP BY subject_id, kind HAVING COUNT(*) > 1`);
  assert.deepEqual(twice, []);
  assert.deepEqual(await sql('SELECT job_name, fire_at FROM job_run WHERE top = 1 AND `trigger` <> \'manual\' GROUP BY job_name, fire_at, `trigger` HAVING COUNT(*) > 1'), [], 'each firing is one run');
  p.kill('SIGTERM');
  assert.deepEqual(await once(p, 'exit'), [0, null]);
  assert.equal((await schedulers()).length, 1, 'one that has stopped is not listed');
});

test('two side by side when the hour of a nightly job comes: it is fired by one of them, once, and waits for its next day', { timeout: 280000 }, async () => {
  const p = await another(), [[at]] = await sql("SELECT UTC_TIMESTAMP(6)");
  try {
    await sql(`UPDATE job SET next_fire_at = '${at}' WHERE name = 'access_log_cleanup'`);
    await until('its run to end', async () => (await sql(`SELECT 1 FROM job_run WHERE top = 1 AND job_name = 'access_log_cleanup' AND fire_at = '${at}' AND status = 'succeeded'`)).length, WAIT);
    assert.deepEqual(await sql(`SELECT \`trigger\`, COUNT(*) FROM job_run WHERE top = 1 AND job_name = 'access_log_cleanup' AND fire_at = '${at}' GROUP BY 1`), [['cron', '1']]);
    assert.match((await sql("SELECT next_fire_at FROM job WHERE name = 'access_log_cleanup' AND next_fire_at > UTC_TIMESTAMP(6)"))[0][0], / 03:10:00\.000000$/);
  } finally {
    await sql("UPDATE job SET next_fire_at = '2999-12-31' WHERE name = 'access_log_cleanup'");       // as in every test's stack
  }
  p.kill('SIGTERM');
  assert.deepEqual(await once(p, 'exit'), [0, null]);
});

// So many overdue escalations of each of these accounts.
async function overdue(those, agents, each) {
  for (const w of those) {
    for (let i = 0; i < agents; i++) {
      const { token } = await freshAgent(w);
      for (let k = 0; k < each; k++) await expectStatus(200, 'POST', '/api/v1/ai/escalations', { token, body: { title: unique('overdue'), escalation_type: 'stuck', severity: 'high' } });
    }
    await sql(`UPDATE escalation SET next_escalation_at = created_at WHERE current_level = 0 AND account_id = '${w.id}'`);
  }
}

test('two side by side, and escalations whose time is over: each moves one level, and its next person is told once', { timeout: 280000 }, async () => {
  const p = await another();
  for (const w of accounts) await freshUser(w, 'reviewer');
  await overdue(accounts, 3, 20);
  assert.equal((await ended(await fire('escalation_timeout'))).status, 'succeeded');
  assert.deepEqual(await sql(`SELECT DISTINCT current_level FROM escalation WHERE account_id IN (${list()})`), [['1']]);
  const told = await sql(`SELECT COUNT(*), COUNT(DISTINCT n.title) FROM notification n WHERE n.account_id IN (${list()}) AND n.title LIKE 'overdue%' AND n.user_id IN (SELECT escalated_to FROM escalation)`);
  assert.deepEqual(told, [[String(accounts.length * 60), String(accounts.length * 60)]]);
  p.kill('SIGTERM');
  assert.deepEqual(await once(p, 'exit'), [0, null]);
});

test('three accounts of a thousand have overdue escalations: a run visits these three', { timeout: 280000 }, async () => {
  const [, ...those] = accounts;
  await sql("INSERT INTO account (id, slug, name, created_at, updated_at) SELECT UUID(), CONCAT('many-', seq), 'Many', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM seq_1_to_1000");
  try {
    await overdue(those, 1, 1);
    const id = await fire('escalation_timeout'), r = await ended(id);
    assert.deepEqual([r.status, r.changed, r.counts.accounts], ['succeeded', 3, 3]);
    assert.deepEqual(await sql(`SELECT COUNT(*) FROM job_run WHERE parent_id = '${id}'`), [['3']]);
  } finally {
    await sql("DELETE FROM account WHERE slug LIKE 'many-%'");
  }
});

test('told to stop in the midst of work: it ends within ten seconds, another goes on, and the sums are right', { timeout: 280000 }, async () => {
  await stack('stop', 'scheduler');
  await expire();
  const p = await another(), before = await archived(), id = await run();
  await until('it to be at work', async () => await archived() > before, { tries: 5000, pause: 5 });
  const start = Date.now();
  p.kill('SIGTERM');
  assert.deepEqual(await once(p, 'exit'), [0, null]);
  assert.ok(Date.now() - start < 10000, `${Date.now() - start} ms`);
  const half = await archived() - before;
  const attempts = await sql("SELECT MAX(attempts) FROM task WHERE kind = 'slice' AND status = 'ready'");
  await stack('start', 'scheduler');
  const r = await ended(id);
  assert.deepEqual([r.status, r.changed, r.failed], ['succeeded', accounts.length * NODES, 0], `${half} were done before`);
  assert.equal(await archived() - before, accounts.length * NODES);
  assert.ok(['0', 'NULL'].includes(attempts[0][0]), `a stop counts no attempt: ${attempts}`);
});

test('the database away: the process stays, says so now and then, and goes on by itself', { timeout: 280000 }, async () => {
  const pid = async () => (await schedulers())[0].pid;
  const log = () => readFileSync(`${process.env.LOCI_STACK}/log/scheduler.log`, 'utf8').split('\n').filter((l) => l.includes('"level":"warn"') && l.includes('clock:')).length;
  const was = await pid(), said = log();
  await stack('stop', 'db');
  try {
    await until('it to have noticed more than once', () => log() >= said + 2, WAIT);
  } finally {
    await stack('start', 'db');
  }
  await until('the API to be back', async () => (await call('GET', '/readyz', { check: false })).status === 200, WAIT);
  const id = await run();
  assert.equal((await ended(id)).status, 'succeeded');
  assert.equal(await pid(), was, 'it is the same process');
  assert.ok(log() - said < 20, 'the log is not flooded');
});
