// Jobs and queue over REST, with the stack's own scheduler at work.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, ctl, expectStatus, freshAccount, freshUser, runEnded, stack, unique, until } from './client.mjs';
import { pauseJobs, resumeJobs, sql } from './db.mjs';

let a, b, operator;
before(async () => {
  [a, b] = [await freshAccount(), await freshAccount()];
  const email = `${unique('op')}@example.org`;
  await ctl('user', 'create', '--account', a.slug, '--email', email, '--role', 'owner', '--name', 'Operator', '--operator');
  operator = await ctl('token', 'create', '--account', a.slug, '--user', email, '--name', 'test');
});
after(async () => { await stack('start'); });

const get = (path, token = a.owner) => expectStatus(200, 'GET', `/api/v1/${path}`, { token }).then((r) => r.data);
const post = (status, path, body, token = a.owner) => expectStatus(status, 'POST', `/api/v1/${path}`, { token, body }).then((r) => r.data);
const accountId = async (w) => (await get('me', w.owner)).account_id;
const ended = (id, token = a.owner) => runEnded(null, id, token);

// A node whose time was over a minute ago.
async function expiredNode(w) {
  const { id } = await post(201, 'nodes', { title: unique('gone'), body: 'x' }, w.token);
  await sql(`UPDATE node SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE WHERE id = '${id}'`);
  return id;
}
const status = async (id) => (await sql(`SELECT status FROM node WHERE id = '${id}'`))[0][0];

test('the timetable tells what runs when', async () => {
  const jobs = await get('jobs');
  const names = jobs.map((j) => j.name);
  for (const name of ['expired_cleanup', 'replay_cleanup', 'session_cleanup', 'queue_janitor', 'retention', 'version_cleanup', 'history_cleanup']) assert.ok(names.includes(name), name);
  const retention = jobs.find((j) => j.name === 'retention');
  assert.equal(retention.next.length, 5);
  for (const t of retention.next) assert.match(t, /T01:00:00\.000000Z$/);
  assert.equal(retention.override.enabled, true);
  const { next, ...alone } = await get('jobs/retention');        // the hour itself may come in between
  assert.deepEqual({ ...alone, next: retention.next }, retention);
  assert.ok(next[0] === retention.next[0] || next[0] === retention.next[1]);
  await expectStatus(404, 'GET', '/api/v1/jobs/nothing', { token: a.owner });
});

test('a schedule is tried before it is set', async () => {
  const { next } = await get('jobs/preview?cron=*/15%20*%20*%20*%20*');
  assert.equal(next.length, 10);
  assert.equal(new Date(next[1]) - new Date(next[0]), 900000);
  for (const [cron, position] of [['60 * * * *', 1], ['0 0 31 2 *', 5], ['*/0 * * * *', 3], ['* * * *', 8], ['a b c d e', 1], ['@every 25h', 8]]) {
    const r = await expectStatus(422, 'GET', `/api/v1/jobs/preview?cron=${encodeURIComponent(cron)}`, { token: a.owner });
    assert.equal(r.body.errors[0].pointer, '/cron');
    assert.match(r.body.errors[0].detail, new RegExp(`^character ${position}:`), cron);
  }
});

test('the newest hundred states of a node are kept', async () => {
  const { id } = await post(201, 'nodes', { title: unique('often'), body: 'state 0' }, a.token);
  for (let i = 1; i <= 103; i++) await expectStatus(200, 'PATCH', `/api/v1/nodes/${id}`, { token: a.token, body: { body: `state ${i}` } });
  const states = async () => {
    const { data, meta } = await expectStatus(200, 'GET', `/api/v1/nodes/${id}/versions?limit=100&with_body=true`, { token: a.token });
    return { bodies: data.map((r) => r.body), oldest: data.at(-1).id, more: Boolean(meta.next_cursor) };
  };
  const all = await states();
  assert.deepEqual([all.bodies.length, all.bodies[0], all.bodies.at(-1), all.more], [100, 'state 102', 'state 3', true]);
  const run = await ended((await post(202, 'jobs/version_cleanup/run', {})).id);
  assert.deepEqual([run.status, run.changed], ['succeeded', 3]);
  assert.deepEqual(await states(), { ...all, more: false });
  await get(`nodes/${all.oldest}`, a.token);
  const [event] = await get(`audit?subject_id=${id}&kind=node.prune`);
  assert.deepEqual(event.payload, { versions: 3, actor: 'job:version_cleanup' });
});

test('run now: 202, one at a time, dry first, and only this account', async () => {
  await stack('stop', 'scheduler');
  const [mine, theirs] = [await expiredNode(a), await expiredNode(b)];
  const r = await expectStatus(202, 'POST', '/api/v1/jobs/expired_cleanup/run', { token: a.owner, body: { dry_run: true } });
  assert.ok(r.headers.get('location').endsWith(`/api/v1/job_runs/${r.data.id}`));
  await expectStatus(409, 'POST', '/api/v1/jobs/expired_cleanup/run', { token: a.owner, body: {} });
  await pauseJobs('expired_cleanup');
  try {
    await stack('start', 'scheduler');
    const dry = await ended(r.data.id);
    assert.deepEqual([dry.status, dry.dry_run, dry.changed, dry.counts.nodes], ['succeeded', true, 1, 1]);
    assert.equal(await status(mine), 'active');
    const { id } = await post(202, 'jobs/expired_cleanup/run', {});
    assert.equal((await ended(id)).changed, 1);
    assert.deepEqual([await status(mine), await status(theirs)], ['archived', 'active']);
    await expectStatus(404, 'GET', `/api/v1/job_runs/${id}`, { token: b.owner });
    await expectStatus(404, 'POST', `/api/v1/job_runs/${id}/cancel`, { token: b.owner, body: {} });
    await expectStatus(409, 'POST', `/api/v1/job_runs/${id}/cancel`, { token: a.owner, body: {} });
    // The path that is not in the document, where templates could not be told apart: it answers all the same.
    const old = (method, more, token = a.owner) => call(method, `/api/v1/jobs/runs${more}`, { token, check: false });
    assert.deepEqual((await old('GET', `/${id}`)).data, (await call('GET', `/api/v1/job_runs/${id}`, { token: a.owner })).data);
    assert.ok((await old('GET', '?trigger=manual')).data.some((x) => x.id === id));
    assert.deepEqual([(await old('POST', `/${id}/cancel`)).status, (await old('GET', `/${id}`, b.owner)).status], [409, 404]);
    const list = await get('job_runs?job=expired_cleanup&trigger=manual');
    assert.deepEqual(list.map((x) => x.id), [id, r.data.id]);
    assert.equal((await get('job_runs?job=expired_cleanup', b.owner)).length, 0);
  } finally {
    await resumeJobs('expired_cleanup');
  }
  await until('the timetable archives the other one', async () => (await status(theirs)) === 'archived', { tries: 300, pause: 100 });
});

test('an account pauses a job for itself, and only for itself', async () => {
  await expectStatus(422, 'POST', '/api/v1/jobs/expired_cleanup/pause', { token: a.owner, body: {} });
  const paused = await post(200, 'jobs/expired_cleanup/pause', { reason: 'we look at it first' });
  assert.deepEqual([paused.override.enabled, paused.override.reason], [false, 'we look at it first']);
  const [mine, theirs] = [await expiredNode(a), await expiredNode(b)];
  await until('the other account goes on', async () => (await status(theirs)) === 'archived', { tries: 300, pause: 100 });
  assert.equal(await status(mine), 'active');
  await post(200, 'jobs/expired_cleanup/resume', {});
  await until('and so does this one', async () => (await status(mine)) === 'archived', { tries: 300, pause: 100 });
});

test('overrides: version, parameters, essentials', async () => {
  const path = '/api/v1/jobs/retention/override';
  const first = await expectStatus(200, 'PUT', path, { token: a.owner, body: { enabled: false, reason: 'later' } });
  assert.equal(first.headers.get('etag'), `"${first.data.version}"`);
  await expectStatus(412, 'PUT', path, { token: a.owner, body: { enabled: true }, headers: { 'If-Match': `"${first.data.version + 1}"` } });
  await expectStatus(200, 'PUT', path, { token: a.owner, body: { enabled: true }, headers: { 'If-Match': `"${first.data.version}"` } });
  const r = await expectStatus(422, 'PUT', path, { token: a.owner, body: { params: { nonsense: 1 } } });
  assert.equal(r.body.errors[0].pointer, '/params');
  await expectStatus(409, 'POST', '/api/v1/jobs/queue_janitor/pause', { token: operator, body: { reason: 'x' } });
});

test('who may: viewers look, owners steer their account, operators steer all', async () => {
  const viewer = await freshUser(a, 'viewer');
  await expectStatus(200, 'GET', '/api/v1/jobs', { token: viewer.token });
  await expectStatus(403, 'POST', '/api/v1/jobs/retention/pause', { token: viewer.token, body: { reason: 'x' } });
  await expectStatus(403, 'POST', '/api/v1/jobs/retention/run', { token: viewer.token, body: {} });
  await expectStatus(403, 'POST', '/api/v1/jobs/retention/pause', { token: a.owner, body: { reason: 'x', scope: 'everywhere' } });
  await expectStatus(403, 'POST', '/api/v1/jobs/queue_janitor/run', { token: a.owner, body: {} });
  await expectStatus(403, 'PATCH', '/api/v1/jobs/retention', { token: a.owner, body: { schedule: '0 2 * * *' } });
  await expectStatus(403, 'GET', '/api/v1/schedulers', { token: a.owner });
  const schedulers = await get('schedulers', operator);          // one that was killed is listed for a while
  assert.ok(schedulers.some((s) => s.heartbeat_age_s < 15 && Math.abs(s.clock_skew_s) < 5), JSON.stringify(schedulers));
});

test('an operator changes a schedule, and it is still there after a restart', async () => {
  const before = await get('jobs/history_cleanup', operator);
  const patch = (body, headers = {}) => call('PATCH', '/api/v1/jobs/history_cleanup', { token: operator, body, headers });
  assert.equal((await patch({ time_zone: 'Europe/Berlin' })).status, 422);
  assert.match((await patch({ schedule: '0 0 31 2 *' })).body.errors[0].detail, /^character 5:/);
  assert.equal((await patch({ schedule: '5 2 * * *' }, { 'If-Match': `"${before.version + 1}"` })).status, 412);
  const changed = await patch({ schedule: '5 2 * * *' }, { 'If-Match': `"${before.version}"` });
  assert.equal(changed.status, 200, changed.text);
  assert.match(changed.data.next[0], /T02:05:00/);
  await stack('restart', 'scheduler');
  await until('it is declared again', async () => (await get('schedulers', operator)).some((s) => s.heartbeat_age_s < 3));
  assert.equal((await get('jobs/history_cleanup', operator)).schedule, '5 2 * * *');
  await sql(`UPDATE job SET schedule = '${before.schedule}', version = 1 WHERE name = 'history_cleanup'`);
});

test('an operator runs a job for all accounts and sees the parts', async () => {
  const { id } = await post(202, 'jobs/retention/run', {}, operator);
  const run = await ended(id, operator);
  assert.equal(run.status, 'succeeded');
  assert.equal(run.counts.accounts, (await get(`job_runs/${id}`, operator)).slices.length);
  await expectStatus(404, 'GET', `/api/v1/job_runs/${id}`, { token: b.owner });
});

test('jobs go on without Redis', async () => {
  await stack('stop', 'redis');
  try {
    const mine = await expiredNode(a), began = Date.now();
    const { id } = await post(202, 'jobs/expired_cleanup/run', {});
    assert.equal((await ended(id)).status, 'succeeded');
    assert.ok(Date.now() - began < 60000, 'it is next, whatever other tests left, and nothing of it waits for Redis');
    assert.equal(await status(mine), 'archived');
  } finally {
    await stack('start', 'redis');
  }
});

test('dead letters are tried again or put aside by their account', async () => {
  const [one, two] = [randomUUID(), randomUUID()], [mine, theirs] = [await accountId(a), await accountId(b)];
  const dead = (id, account) => sql(`INSERT INTO task (id, account_id, kind, priority, payload, idem_key, status, run_at, attempts, max_attempts, last_error, created_at, finished_at)
    VALUES ('${id}', '${account}', 'nobody_does_this', 5, '{"token":"t","id":"1"}', '${id}', 'dead', UTC_TIMESTAMP(6), 3, 3, 'no luck', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))`);
  await dead(one, mine);
  await dead(two, theirs);
  const list = await get('tasks?status=dead&kind=nobody_does_this');
  assert.deepEqual(list.map((t) => t.id), [one]);
  assert.deepEqual(list[0].payload, { token: '********', id: '1' });
  await expectStatus(404, 'POST', `/api/v1/tasks/${two}/retry`, { token: a.owner, body: {} });
  const again = await post(200, `tasks/${one}/retry`, {});
  assert.deepEqual([again.status, again.attempts], ['ready', 0]);
  await expectStatus(409, 'POST', `/api/v1/tasks/${one}/discard`, { token: a.owner, body: { reason: 'x' } });
  await sql(`UPDATE task SET status = 'dead' WHERE id = '${one}'`);
  assert.equal((await post(200, 'tasks/discard', { kind: 'nobody_does_this', reason: 'no longer needed' })).tasks, 1);
  assert.equal((await get(`tasks/${one}`)).status, 'cancelled');
  assert.equal((await get(`tasks/${two}`, b.owner)).status, 'dead');
  assert.equal((await post(200, 'tasks/retry', { kind: 'nobody_does_this', scope: 'everywhere' }, operator)).tasks, 1);
  await sql(`DELETE FROM task WHERE kind = 'nobody_does_this'`);
});

test('what jobs did is in the metrics', async () => {
  const text = await (await fetch(`${process.env.LOCI_URL}/metrics`)).text();
  assert.match(text, /^loci_scheduler_up [1-9]/m);
  assert.match(text, /^loci_job_runs_total\{job="expired_cleanup",status="succeeded"\} [1-9]/m);
  assert.match(text, /^loci_job_last_success_timestamp_seconds\{job="expired_cleanup"\} \d{10}$/m);
  assert.ok(!text.includes(a.slug));
});
