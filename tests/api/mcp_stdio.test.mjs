// locictl mcp --stdio: the same table for a client that starts the program, a message a line.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { call, ctl, expectStatus, freshAccount, unique } from './client.mjs';

const MODERN = '2026-07-28', META = 'io.modelcontextprotocol/';

// A running client's view: request() resolves to the answer, on(method) says what to answer to questions.
function start(token, { args = [], env = {} } = {}) {
  const child = spawn(process.env.LOCI_CTL, ['--config', process.env.LOCI_CONF, 'mcp', '--stdio', ...args], { env: { ...process.env, LOCI_TOKEN: token, ...env } });
  const waiting = new Map(), answers = new Map(), seen = [];
  let id = 1, errors = '';
  const send = (m) => child.stdin.write(`${typeof m === 'string' ? m : JSON.stringify(m)}\n`);
  child.stderr.on('data', (d) => (errors += d));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const m = JSON.parse(line);
    seen.push(m);
    if (m.method && m.id !== undefined) send({ jsonrpc: '2.0', id: m.id, result: answers.get(m.method)(m.params) });
    else waiting.get(m.id ?? 'none')?.(m);
  });
  const wait = (key) => new Promise((go) => waiting.set(key, go));
  return {
    child, send, seen, wait, on: (method, f) => answers.set(method, f),
    request: (method, params) => { const mine = id++, answer = wait(mine); send({ jsonrpc: '2.0', id: mine, method, params }); return answer; },
    end: () => new Promise((go) => { child.on('close', (code) => go({ code, errors })); child.stdin.end(); }),
  };
}

test('a session: begin, list, remember, recall; bad lines are answered, the end of input ends it', async () => {
  const { token } = await freshAccount(), s = start(token), word = unique('quay');
  const hello = await s.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } });
  assert.equal(hello.result.protocolVersion, '2025-11-25');
  s.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { tools } = (await s.request('tools/list')).result;
  assert.ok(['remember', 'recall', 'read_memory', 'forget'].every((n) => tools.some((t) => t.name === n)));
  const made = (await s.request('tools/call', { name: 'remember', arguments: { title: word, body: `${word} is where the boats lie` } })).result;
  const found = (await s.request('tools/call', { name: 'recall', arguments: { query: `where is the ${word}?` } })).result;
  assert.equal(found.structuredContent.hits[0].id, made.structuredContent.id);
  const none = s.wait('none');
  s.send('nonsense');
  assert.equal((await none).error.code, -32700);
  const modern = await s.request('tools/call', { name: 'whoami', arguments: {}, _meta: { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} } });
  assert.equal(modern.result.resultType, 'complete');
  const watched = await s.request('tools/call', { name: 'recall', arguments: { query: word },
    _meta: { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {}, [`${META}logLevel`]: 'info' } });
  assert.ok(watched.result.structuredContent && s.seen.some((m) => m.method === 'notifications/message' && m.params.data.operation === 'recall'));
  assert.equal((await s.request('tools/call', { name: 'none' })).error.code, -32602);
  const { code, errors } = await s.end();
  assert.deepEqual([code, errors], [0, '']);
});

test('what cannot be undone is asked of the user in the middle of the call', async () => {
  const { token, owner } = await freshAccount(), s = start(owner);
  await s.request('initialize', { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo: { name: 't', version: '1' } });
  const pool = (await expectStatus(201, 'POST', '/api/v1/ai/memory_pools', { token: owner, body: { name: 'p', pool_id: unique('pool') } })).data.pool_id;
  const remove = () => s.request('tools/call', { name: 'delete_memory_pool', arguments: { pool_id: pool } });
  let asked;
  s.on('elicitation/create', (p) => { asked = p.message; return { action: 'decline' }; });
  assert.equal((await remove()).result.isError, true);
  assert.match(asked, new RegExp(pool));
  assert.equal((await call('GET', `/api/v1/ai/memory_pools/${pool}`, { token: owner })).status, 200);
  // Another request that comes while the user thinks is done afterwards.
  let ping;
  s.on('elicitation/create', () => { ping = s.request('ping'); return { action: 'accept', content: { yes: true } }; });
  assert.deepEqual((await remove()).result.structuredContent, { done: true });
  assert.deepEqual((await ping).result, {});
  assert.equal((await call('GET', `/api/v1/ai/memory_pools/${pool}`, { token: owner })).status, 404);
  await s.end();
  assert.ok(token);
});

test('a token by option; none, a bad one, and one that is revoked meanwhile', async () => {
  const { token, owner, slug } = await freshAccount();
  const option = start('', { args: ['--token', token] });
  assert.deepEqual((await option.request('ping')).result, {});
  assert.equal((await option.end()).code, 0);
  for (const [bad, code] of [['', 2], ['loci_aaaaaaaa_bb', 1]]) {
    const r = await start(bad).end();
    assert.equal(r.code, code, r.errors);
    assert.match(r.errors, /token|credential/);
  }
  const text = await ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'short', '--toolset', 'core'), s = start(text);
  assert.ok((await s.request('tools/list')).result.tools.length < 20);
  const { data } = await expectStatus(200, 'GET', '/api/v1/tokens?limit=100', { token: owner });
  await expectStatus(204, 'DELETE', `/api/v1/tokens/${data.find((t) => t.name === 'short').id}`, { token: owner });
  assert.equal((await s.request('tools/list')).error.code, -32001);
  await s.end();
  await assert.rejects(ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'x', '--toolset', 'none'), /core or full/);
});
