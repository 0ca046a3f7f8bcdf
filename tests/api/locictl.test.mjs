// What an operator types: help for all commands and for each, wrong usage said with the right one, exit statuses; jobs and
// tasks from the shell.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { call, ctl, expectStatus, freshAccount, unique, until } from './client.mjs';

let account;
before(async () => { account = await freshAccount(); });

const says = (...args) => ctl(...args).then((out) => ({ code: 0, out, err: '' }), (e) => ({ code: e.code, out: e.stdout, err: e.stderr }));
const exec = promisify(execFile);

// Other settings for the programs that `run` starts.
async function withEnv(env, run) {
  const before = Object.fromEntries(Object.keys(env).map((k) => [k, process.env[k]]));
  Object.assign(process.env, env);
  try {
    await run();
  } finally {
    for (const [k, v] of Object.entries(before)) if (v === undefined) delete process.env[k]; else process.env[k] = v;
  }
}

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

test('space create makes a context or a pool, all or nothing, lets agents in, and space list names it', async () => {
  const [one, two, reader] = ['one', unique('two'), unique('reader')], slug = unique('team'), of = ['--account', account.slug];
  const tokens = {};
  for (const agent of [two, reader]) await ctl('agent', 'create', ...of, '--slug', agent);
  for (const agent of [one, two, reader]) tokens[agent] = await ctl('token', 'create', ...of, '--agent', agent, '--name', 'shared');
  const id = await ctl('space', 'create', ...of, '--name', 'Team notes', '--slug', slug, '--write', one, '--write', two, '--read', reader);
  assert.match(await ctl('space', 'list', ...of), new RegExp(`^${id}  context +active +${slug} +Team notes$`, 'm'));
  const { data: note } = await expectStatus(201, 'POST', '/api/v1/nodes', { token: tokens[one], body: { space_id: slug, body: 'The gate closes at ten.' } });
  assert.equal((await expectStatus(200, 'GET', `/api/v1/nodes/${note.id}`, { token: tokens[reader] })).data.body, 'The gate closes at ten.');
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${note.id}`, { token: tokens[two], body: { title: 'gate' } });
  await expectStatus(403, 'POST', '/api/v1/nodes', { token: tokens[reader], body: { space_id: slug, body: 'x' } });
  await expectStatus(200, 'GET', `/api/v1/ai/contexts/${id}`, { token: tokens[reader] });
  const pool = await ctl('space', 'create', ...of, '--kind', 'pool', '--name', 'P', '--slug', unique('pool'), '--owner', one);
  await expectStatus(200, 'PUT', `/api/v1/ai/memory_pools/${pool}/data/k`, { token: tokens[one], body: { value: 1 } });
  const pools = await ctl('space', 'list', ...of, '--kind', 'pool');
  assert.ok(pools.includes(pool) && !pools.includes(id), pools);
  const count = async () => (await ctl('space', 'list', ...of)).split('\n').length, before = await count();
  for (const [args, code, what] of [[['--name', 'n', '--slug', slug], 3, /is in use/], [['--name', 'n', '--write', 'nobody'], 1, /no such agent/], [['--name', 'n', '--kind', 'pages'], 2, /context or pool/],
    [['--name', 'n', '--write', one, '--write', one], 3, /./], [['--slug', 'n'], 2, /--name is missing/], [['--name', 'n', 'x'], 2, /unexpected argument 'x'/], [['--name', 'n', '--slug', 'Not A Slug'], 1, /slug/i]]) {
    const r = await says('space', 'create', ...of, ...args);
    assert.equal(r.code, code, `${args.join(' ')}: ${r.code} ${r.err}`);
    assert.match(r.err, what, args.join(' '));
  }
  assert.equal(await count(), before, 'nothing half made');
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
  await withEnv({ LOCI_REDIS_SOCKET: '/nowhere/redis.sock', LOCI_DB_SOCKET: '/nowhere/db.sock', LOCI_EMBED_MODEL_FILE: '/nowhere/model' }, async () => {
    const { code, out } = await says('doctor');
    assert.equal(code, 1, out);
    assert.match(out, /^DOWN +redis +cannot connect to Redis at \/nowhere\/redis.sock: No such file or directory$/m);
    assert.match(out, /^DOWN +mariadb +cannot connect to MariaDB at \/nowhere\/db.sock: No such file or directory$/m);
    assert.match(out, /^DOWN +model .*\/nowhere\/model: No such file or directory$/m);
  });
  await withEnv({ LOCI_REDIS_SOCKET: '', LOCI_REDIS_PORT: '1', LOCI_DB_SOCKET: '', LOCI_DB_PORT: '1' }, async () => {
    const { out } = await says('doctor');
    assert.match(out, /^DOWN +redis +cannot connect to Redis at 127\.0\.0\.1:1: Connection refused$/m);
    assert.match(out, /^DOWN +mariadb +cannot connect to MariaDB at 127\.0\.0\.1:1: Connection refused$/m);
  });
  await withEnv({ LOCI_EMBED_PROVIDER: 'http', LOCI_EMBED_URL: 'http://127.0.0.1:1', LOCI_EMBED_MODEL: 'm', LOCI_EMBED_PRIVATE_ADDRESSES: 'yes' }, async () => {
    assert.match((await says('doctor')).out, /^DOWN +model +http:\/\/127\.0\.0\.1:1\/\S+ Connection refused$/m);
  });
});

test('doctor looks at the files with secrets', async () => {
  const secret = `${process.env.LOCI_STACK}/conf/secret`, { mode } = statSync(secret);
  assert.match((await says('doctor')).out, /^ok +files +2 with secrets/m);
  try {
    for (const [bits, what] of [[0o644, 'read'], [0o602, 'change']]) {
      chmodSync(secret, bits);
      const { code, out } = await says('doctor');
      assert.equal(code, 0, out);
      assert.match(out, new RegExp(`^warn +files +everyone on this machine may ${what} .*/conf/secret, which holds a secret: chmod 640 `, 'm'));
    }
  } finally {
    chmodSync(secret, mode);
  }
});

test('doctor looks at nginx: its threads, its zones, what it serves', async () => {
  assert.match((await says('doctor')).out, /^ok +nginx +keeps up to 20 connections, loci-web has 24 threads$/m);
  await withEnv({ LOCI_WEB_THREADS: '20' }, async () => {
    const { code, out } = await says('doctor');
    assert.equal(code, 0, out);
    assert.match(out, /^warn +nginx +2 workers times keepalive 10 can occupy all 20 threads/m);
  });
  const dir = mkdtempSync(`${tmpdir()}/loci-doctor-`), conf = `${dir}/conf/loci.conf`;      // conf/ and nginx/ beside each other
  const doctor = () => exec(process.env.LOCI_CTL, ['--config', conf, 'doctor']).then((r) => r.stdout, (e) => e.stdout);
  try {
    mkdirSync(`${dir}/conf`);
    copyFileSync(process.env.LOCI_CONF, conf);
    assert.match(await doctor(), /^off +nginx +not looked at: .*No such file/m);
    mkdirSync(`${dir}/nginx`);
    for (const [text, line] of [['worker_processes 1;', /^off +nginx .* does not serve Loci$/m],
      ['set $loci_upstream w; include gone.conf;', /^off +nginx +not looked at: .*gone\.conf: No such file/m],
      ['set $loci_upstream w; set $loci_data /nowhere;', /^DOWN +nginx +\$loci_data: \/nowhere\/static\/loci\.css: No such file/m],
      ['set $loci_upstream w;', /^DOWN +nginx +\$loci_data is not set/m],
      ['set $loci_upstream w; limit_req_zone $a zone=x:1m rate=1r/s; ssl_session_cache shared:x:1m;', /^DOWN +nginx +the zone 'x' is declared by limit_req_zone and by ssl_session_cache$/m]]) {
      writeFileSync(`${dir}/nginx/nginx.conf`, text);
      assert.match(await doctor(), line);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('loci-web says at its start which server is away, where and why', async () => {
  const socket = `${mkdtempSync(`${tmpdir()}/loci-away-`)}/web.sock`;
  const web = spawn(`${process.env.LOCI_CTL.replace(/locictl$/, 'loci-web')}`, ['--config', process.env.LOCI_CONF], { stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LOCI_WEB_SOCKET: socket, LOCI_REDIS_SOCKET: '/nowhere/redis.sock', LOCI_DB_SOCKET: '', LOCI_DB_PORT: '1' } });
  let log = '';
  try {
    web.stderr.setEncoding('utf8').on('data', (d) => { log += d; });
    await until('its first lines', () => /listening/.test(log));
    assert.match(log, /"warn".*cannot connect to Redis at \/nowhere\/redis\.sock: No such file or directory; logins/);
    assert.match(log, /"warn".*cannot connect to MariaDB at 127\.0\.0\.1:1: Connection refused/);
  } finally {
    web.kill('SIGTERM');
    await once(web, 'exit');
    rmSync(dirname(socket), { recursive: true });
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
