// The two things that tests wait by: the clock that can be moved, and the answer that all is settled.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { BASE2, call, expectStatus, freshAccount, moveClock, operator, settled, stack, unique } from './client.mjs';
import { sql } from './db.mjs';

const exec = promisify(execFile), S = '/api/v1/system/settled';
let a;
before(async () => { a = await freshAccount(); });
after(() => stack('start'));

const ask = async (query) => (await expectStatus(200, 'GET', `${S}?${query}`, { token: await operator() })).data;
const node = async (more = {}) => (await expectStatus(201, 'POST', '/api/v1/nodes', { token: a.token, body: { title: unique('n'), body: 'A lamp on the quay.', ...more } })).data.id;

test('settled: what an operator waits for, and nobody else', async () => {
  await expectStatus(403, 'GET', S, { token: a.owner });
  const r = await call('GET', `${S}?parts=relay&parts=none`, { token: await operator() });
  assert.deepEqual([r.status, r.body.errors[0].pointer], [422, '/parts']);
  await expectStatus(422, 'GET', `${S}?wait_s=26`, { token: await operator() });
  await expectStatus(404, 'GET', `${S}?account=no-such-account`, { token: await operator() });
  assert.deepEqual(await settled(a.slug), { settled: true, relay: 0, vectors: 0, uses: 0, queue: 0, runs: 0, later: 0 });
  await settled(undefined, { parts: ['queue', 'runs'] });         // others may have left a node without a vector
});

test('settled: vectors are made and uses of both processes are written', async () => {
  const id = await node();
  await settled(a.slug, { parts: ['vectors'] });
  assert.equal((await sql(`SELECT 1 FROM vector WHERE node_id = '${id}'`)).length, 1);
  for (const base of [undefined, BASE2]) await expectStatus(200, 'GET', `/api/v1/nodes/${id}`, { token: a.token, base });
  await settled(a.slug, { parts: ['uses'] });
  assert.equal((await sql(`SELECT access_count FROM node WHERE id = '${id}'`))[0][0], '2');
});

test('settled: events have their numbers', async () => {
  await node();
  await settled(a.slug, { parts: ['relay'] });
  const numbered = await sql(`SELECT 1 FROM event_stream s JOIN account a ON a.id = s.account_id WHERE a.slug = '${a.slug}'
    AND s.position >= (SELECT MAX(e.id) FROM audit_event e WHERE e.account_id = a.id AND e.is_news)`);
  assert.equal(numbered.length, 1);
});

test('settled: says what is left, and counts only what was asked for', async () => {
  const [[id]] = await sql(`SELECT id FROM account WHERE slug = '${a.slug}'`);
  await settled(a.slug);
  const task = (kind, at) => sql(`INSERT INTO task (id, account_id, kind, priority, idem_key, run_at, max_attempts, created_at)
    VALUES (UUID(), '${id}', '${kind}', 5, '${unique(kind)}', ${at}, 1, UTC_TIMESTAMP(6))`);
  await task('nobody.does', 'UTC_TIMESTAMP(6)');
  await task('nobody.does', 'UTC_TIMESTAMP(6) + INTERVAL 1 HOUR');
  try {
    const { settled: all, queue, later } = await ask(`account=${a.slug}`);
    assert.deepEqual([all, queue, later], [false, 1, 1]);
    assert.equal((await ask(`account=${a.slug}&kinds=embed&kinds=slice`)).settled, true);
    assert.equal((await ask(`account=${a.slug}&parts=relay&parts=vectors&parts=uses&parts=runs`)).settled, true);
  } finally {
    await sql("DELETE FROM task WHERE kind = 'nobody.does'");
  }
  await settled(a.slug);
});

test('settled: a process that cannot write its uses is not settled', async () => {
  const id = await node();
  await settled(a.slug);
  await expectStatus(200, 'GET', `/api/v1/nodes/${id}`, { token: a.token, base: BASE2 });
  const pid = Number((await stack('pid', 'web2')).stdout);
  process.kill(pid, 'SIGSTOP');
  try {
    const state = await ask(`account=${a.slug}&parts=uses`);
    assert.deepEqual([state.settled, state.uses], [false, 1]);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await settled(a.slug, { parts: ['uses'] });
  assert.equal((await sql(`SELECT access_count FROM node WHERE id = '${id}'`))[0][0], '1');
});

test('the clock cannot be moved where anybody else is served', async () => {
  const start = (env) => exec(process.env.LOCI_CTL, ['--config', process.env.LOCI_CONF, 'config'], { env: { ...process.env, ...env } });
  const loopback = /debug\.clock_file is for tests: web\.public_url, MariaDB and Redis must be loopback/;
  await assert.rejects(start({ LOCI_WEB_PUBLIC_URL: 'https://loci.example.org' }), (e) => e.code === 2 && loopback.test(e.stderr));
  await assert.rejects(start({ LOCI_DB_SOCKET: '', LOCI_DB_HOST: '192.0.2.1' }), (e) => e.code === 2 && loopback.test(e.stderr));
  await assert.rejects(start({ LOCI_REDIS_SOCKET: '', LOCI_REDIS_HOST: '192.0.2.1' }), (e) => e.code === 2 && loopback.test(e.stderr));
  const notes = `${process.env.LOCI_STACK}/run/notes`;          // a file of the test's own: nothing else may be risked
  await writeFile(notes, 'not a clock', { mode: 0o600 });
  await assert.rejects(start({ LOCI_DEBUG_CLOCK_FILE: notes }), (e) => e.code === 2 && /debug\.clock_file: cannot use '/.test(e.stderr));
  assert.equal(await readFile(notes, 'utf8'), 'not a clock');
  await start({});
  const move = (by, env = {}) => exec(process.env.LOCI_CTL, ['--config', process.env.LOCI_CONF, 'clock', 'move', by], { env: { ...process.env, ...env } });
  await assert.rejects(move('1s', { LOCI_DEBUG_CLOCK_FILE: '' }), /the clock cannot be moved/);
  await assert.rejects(move('-1s'), /unexpected argument/);
  for (const by of ['s', '1w', '3651d', '1 h', '99999999999999']) await assert.rejects(move(by), /say how far/);
});

test('the clock moves for requests, tasks and the timetable of all processes at once', async () => {
  const before = Date.now(), expires_at = new Date(before + 3600e3).toISOString();
  const short = (await expectStatus(201, 'POST', '/api/v1/tokens', { token: a.owner, body: { name: 'an hour', expires_at } })).data.secret;
  const gone = await node({ expires_at });
  await expectStatus(200, 'GET', '/api/v1/me', { token: short, base: BASE2 });
  const now = await moveClock('2h');
  assert.ok(now - before >= 7200e3 && now - before < 7260e3);
  for (const base of [undefined, BASE2]) assert.equal((await call('GET', '/api/v1/me', { token: short, base })).status, 401);
  const { created_at } = (await expectStatus(200, 'GET', `/api/v1/nodes/${await node()}`, { token: a.token })).data;
  assert.ok(Date.parse(created_at) >= now);
  await sql("UPDATE job SET next_fire_at = UTC_TIMESTAMP(6) + INTERVAL 3 HOUR WHERE name = 'token_cleanup' OR name = 'session_cleanup'");
  await moveClock('2h');
  await settled(undefined, { parts: ['queue', 'runs'] });         // others may have left a node without a vector
  const fired = await sql("SELECT 1 FROM job WHERE name = 'session_cleanup' AND last_fire_at > UTC_TIMESTAMP(6) + INTERVAL 2 HOUR");
  assert.equal(fired.length, 1, 'what is due after the move has run');
  await settled(a.slug);
  assert.equal((await sql(`SELECT status FROM node WHERE id = '${gone}'`))[0][0], 'archived');
});
