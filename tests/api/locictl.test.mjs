// What an operator types: help for all commands and for each, wrong usage said with the right one, exit statuses; jobs and
// tasks from the shell.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, ctl, expectStatus, freshAccount, unique, until } from './client.mjs';

let account;
before(async () => { account = await freshAccount(); });

const says = (...args) => ctl(...args).then((out) => ({ code: 0, out, err: '' }), (e) => ({ code: e.code, out: e.stdout, err: e.stderr }));
const commandsOf = (text) => [...text.matchAll(/^ {2}([a-z]+(?: [a-z-]+)?) .*\n {6}\S/gm)].map((m) => m[1]);

test('--help tells of every command, and of one alone', async () => {
  const all = await says('--help');
  assert.equal(all.code, 0);
  const commands = commandsOf(all.out);
  for (const c of ['migrate', 'config', 'doctor', 'openapi', 'account create', 'user create', 'agent create', 'token create', 'job list', 'job run', 'job dry-run', 'job pause', 'job resume', 'job runs', 'job cancel', 'task list', 'task retry', 'task discard'])
    assert.ok(commands.includes(c), `${c} is not in ${commands}`);
  for (const c of commands) {
    const one = await says(...c.split(' '), '--help');
    assert.deepEqual([one.code, commandsOf(one.out)], [0, [c]], c);
  }
  assert.deepEqual(commandsOf((await says('help', 'token')).out), commands.filter((c) => c.startsWith('token ')));
  assert.deepEqual(commandsOf((await says('help')).out), commands);
  assert.match((await says('--version')).out, /^locictl \d+\.\d+/);
});

test('wrong usage: exit 2, what is wrong, and what is right', async () => {
  for (const [args, what] of [[[], /^usage/], [['nothing'], /unknown command/], [['account'], /unknown command[^]*account create/], [['account', 'create'], /--slug is missing\nusage: locictl account create/],
    [['account', 'create', '--slug'], /--slug requires a value/], [['account', 'list', 'x'], /unexpected argument 'x'/], [['token', 'create', '--account', account.slug, '--name', 'x'], /one owner/],
    [['token', 'create', '--account', account.slug, '--name', 'x', '--agent', 'one', '--days', '0'], /--days must be 1 to 36500/], [['token', 'revoke', '--account', account.slug, '--id', '1'], /UUID/],
    [['job', 'run', '--account', account.slug], /name the job/], [['job', 'run', 'retention', '--account', account.slug, '--params', '[1]'], /JSON object/], [['job', 'cancel', 'x', '--account', account.slug], /UUID/],
    [['job', 'pause', 'retention', '--account', account.slug], /--reason is missing/], [['task', 'list', '--account', account.slug, '--status', 'x'], /--status is ready/], [['--config'], /--config requires a file/],
    [['--config', '/nowhere/loci.conf', 'config'], /\/nowhere\/loci\.conf/]]) {
    const r = await says(...args);
    assert.equal(r.code, 2, `${args.join(' ')}: ${r.code} ${r.err}`);
    assert.match(r.err, what, args.join(' '));
  }
});

test('a space that is not there is the only error', async () => {
  const r = await says('grant', 'add', '--account', account.slug, '--space', 'nowhere', '--agent', 'one', '--level', 'read');
  assert.equal(r.code, 1);
  assert.doesNotMatch(r.err, /unexpected argument/);
  assert.match(await ctl('grant', 'add', '--account', account.slug, '--space', 'global', '--agent', 'one', '--level', 'read'), /^[0-9a-f-]{36}$/);
});

test('settings of TLS that would be ignored: exit 2', async () => {
  for (const [env, what] of [[{ LOCI_DB_TLS: 'yes' }, /db\.tls requires db\.host/], [{ LOCI_DB_TLS_CA: '/etc/ssl/ca.pem' }, /no effect without db\.tls = yes/],
    [{ LOCI_DB_TLS_CERT: '/etc/ssl/own.pem' }, /no effect without/]]) {
    Object.assign(process.env, env);
    const r = await says('config');
    for (const name of Object.keys(env)) delete process.env[name];
    assert.equal(r.code, 2, r.out);
    assert.match(r.err, what);
  }
});

test('what cannot be done: exit 1, what is there already: exit 3', async () => {
  for (const [args, code, what] of [[['user', 'list', '--account', 'nobody'], 1, /no account 'nobody'/], [['job', 'run', 'nothing', '--account', account.slug], 1, /no job 'nothing'/],
    [['job', 'run', 'retention', '--account', account.slug, '--params', '{"nonsense":1}'], 1, /nonsense/], [['account', 'create', '--slug', account.slug], 3, /already/],
    [['agent', 'create', '--account', account.slug, '--slug', 'one'], 3, /already/], [['user', 'password', '--account', account.slug, '--email', account.email, '--password-file', '/nowhere'], 1, /nowhere/]]) {
    const r = await says(...args);
    assert.equal(r.code, code, `${args.join(' ')}: ${r.code} ${r.err}`);
    assert.match(r.err, what, args.join(' '));
    assert.doesNotMatch(r.err, /\.c:\d/);
  }
});

test('config masks secrets, doctor says that all is well', async () => {
  const { out } = await says('config');
  for (const line of out.split('\n').filter((l) => /^(security\.secret|db\.password|redis\.password|http\.metrics_token) = /.test(l)))
    assert.match(line, /= "(\*+|)" /, line);
  assert.equal(JSON.parse((await says('config', '--json')).out).find((s) => s.key === 'http.max_body').value, 1048576);
  const doctor = await says('doctor');
  assert.equal(doctor.code, 0, doctor.out);
  for (const part of ['mariadb', 'redis', 'web']) assert.match(doctor.out, new RegExp(`^ok +${part} `, 'm'));
});

test('doctor names the address that does not answer, and the reason', async () => {
  const names = { LOCI_REDIS_SOCKET: '/nowhere/redis.sock', LOCI_DB_SOCKET: '/nowhere/db.sock' }, before = {};
  for (const k of Object.keys(names)) before[k] = process.env[k];
  Object.assign(process.env, names);
  try {
    const { code, out } = await says('doctor');
    assert.equal(code, 1, out);
    assert.match(out, /^DOWN +redis +cannot connect to Redis at \/nowhere\/redis.sock: No such file or directory$/m);
    assert.match(out, /^DOWN +mariadb .*'\/nowhere\/db.sock' \(2\)$/m);
  } finally {
    Object.assign(process.env, before);
  }
});

test('a job from the shell: dry, for real, its history, paused and resumed', async () => {
  for (const verb of ['dry-run', 'run']) {
    const id = await ctl('job', verb, '--account', account.slug, 'expired_cleanup');       // in any order
    assert.match(id, /^[0-9a-f-]{36}$/);
    await until(`${verb} to end`, async () => (await ctl('job', 'runs', 'expired_cleanup', '--account', account.slug)).split('\n').find((l) => l.startsWith(id) && / (succeeded|partial) /.test(l)), { tries: 400, pause: 100 });
  }
  await ctl('job', 'pause', 'retention', '--account', account.slug, '--reason', 'we look first');
  assert.equal((await expectStatus(200, 'GET', '/api/v1/jobs/retention', { token: account.owner })).data.override.reason, 'we look first');
  await ctl('job', 'resume', 'retention', '--account', account.slug);
  assert.match(await ctl('job', 'list', '--account', account.slug), /^retention +0 1 \* \* \* /m);
  assert.equal((await says('job', 'cancel', '01890000-0000-7000-8000-00000000dead', '--account', account.slug)).code, 1);
  for (const verb of ['retry', 'discard']) assert.equal(await ctl('task', verb, '--account', account.slug, ...(verb === 'discard' ? ['--reason', 'none'] : [])), '0');
});

test('tokens and people from the shell are those of the API', async () => {
  const name = unique('shell');
  const token = await ctl('token', 'create', '--account', account.slug, '--agent', 'one', '--name', name);
  const line = (await ctl('token', 'list', '--account', account.slug)).split('\n').find((l) => l.endsWith(name));
  assert.ok(line && !line.includes(token));
  assert.equal((await call('GET', '/api/v1/me', { token })).status, 200);
  await ctl('token', 'revoke', '--account', account.slug, '--id', line.split(' ')[0]);
  assert.equal((await call('GET', '/api/v1/me', { token })).status, 401);
  assert.match(await ctl('user', 'list', '--account', account.slug), new RegExp(account.email));
});
