// Working memory: what an agent has in mind for minutes, by key (memory, section 3 and points 1 to 3 and 22 of section 16).
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { BASE, BASE2, call, expectStatus, freshAccount, freshAgent, freshUser, stack, unique, until } from './client.mjs';
import { sql } from './db.mjs';

const redis = async (...args) => (await promisify(execFile)('redis-cli', ['-s', process.env.LOCI_REDIS_SOCKET, ...args])).stdout.trim();

let account, token, me;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data.id;
});
after(async () => { await stack('start'); });

// One agent's working memory of a scope, as it is written in the query string.
const memory = (agent = me, as = token, query = '') => {
  const root = `/api/v1/ai/agents/${agent}/working_memory`;
  const url = (path, more = '') => `${root}${path}${[query, more].filter(Boolean).length ? `?${[query, more].filter(Boolean).join('&')}` : ''}`;
  const at = (key) => `/keys/${encodeURIComponent(key)}`;
  const ask = (method, path, body, more) => call(method, url(path, more), { token: as, body });
  return {
    url, ask,
    put: (key, value, more = {}) => ask('PUT', at(key), { value, ...more }),
    get: (key) => ask('GET', at(key)),
    head: (key) => ask('HEAD', at(key)),
    remove: (key) => ask('DELETE', at(key)),
    clear: (more) => ask('DELETE', '/keys', undefined, more),
    keys: async (more) => (await ask('GET', '/keys', undefined, more)).data,
    append: (key, body) => ask('POST', `${at(key)}/append`, body),
    stats: async () => (await ask('GET', '/stats')).data,
    share: (target, key, value, more = {}) => ask('POST', '/share', { target_agent_id: target, key, value, ...more }),
    shared: (source, key) => ask('GET', `/shared/${source}/${encodeURIComponent(key)}`),
  };
};
const session = (agent, as, id = unique('s')) => memory(agent, as, `session_id=${id}`);

test('store, retrieve, exists, keys, all, remove, clear', async () => {
  const m = session();
  const values = { text: 'a "quoted" ü', number: 12345678901234567890n, list: [], nested: { a: [{ b: null }], '': 1 }, nothing: null, 'with / and %': true };
  delete values.number;
  for (const [key, value] of Object.entries(values)) {
    const r = await m.put(key, value);
    assert.equal(r.status, 200, r.text);
    assert.equal(r.data.stored, true);
    assert.ok(r.data.ttl_s > 3590 && r.data.ttl_s <= 3600);
    assert.deepEqual((await m.get(key)).data, { key, value, found: true });
    assert.equal((await m.head(key)).status, 200);
  }
  const keys = Object.keys(values).sort();
  assert.deepEqual(await m.keys(), { keys, values: null });
  assert.deepEqual(await m.keys('values=true'), { keys, values });
  assert.deepEqual(await m.keys('values=true&prefix=n'), { keys: ['nested', 'nothing'], values: { nested: values.nested, nothing: null } });
  assert.equal((await m.get('absent')).status, 404);
  assert.equal((await m.head('absent')).status, 404);
  assert.deepEqual((await m.remove('text')).data, { removed: true });
  assert.deepEqual((await m.remove('text')).data, { removed: false });
  assert.equal((await m.get('text')).status, 404);
  const other = session();
  await other.put('kept', 1);
  assert.deepEqual((await m.clear()).data, { cleared: keys.length - 1 });
  assert.deepEqual((await m.clear()).data, { cleared: 0 });
  assert.deepEqual((await m.keys()).keys, []);
  assert.deepEqual((await other.keys()).keys, ['kept'], 'another scope stays');
});

test('a number keeps its digits, if_absent leaves what is there, a value is replaced whole', async () => {
  const m = session();
  await expectStatus(200, 'PUT', m.url('/keys/n'), { token, raw: '{"value":12345678901234567890.10}' });
  assert.match((await m.get('n')).text, /"value":12345678901234567890\.10/);
  assert.equal((await m.put('n', 2, { if_absent: true })).data.stored, false);
  assert.match((await m.get('n')).text, /12345678901234567890\.10/);
  assert.equal((await m.put('n', { a: 1 })).data.stored, true);
  assert.equal((await m.put('n', { b: 1 })).data.stored, true);
  assert.deepEqual((await m.get('n')).data.value, { b: 1 });
});

test('a scope is agent, session, run and task: what is in one is in no other', async () => {
  const id = unique('x');
  const queries = ['', `session_id=${id}`, `run_id=${id}`, `task_id=${id}`, `session_id=${id}&task_id=${id}`, `session_id=${id}&run_id=${id}`,
    `session_id=${id}:t:${id}`, `session_id=${id}:k:key`];
  for (const [i, q] of queries.entries()) await memory(me, token, q).put('key', i);
  for (const [i, q] of queries.entries()) assert.equal((await memory(me, token, q).get('key')).data.value, i, q);
  for (const q of queries.slice(1)) assert.deepEqual((await memory(me, token, q).clear()).data, { cleared: 1 });
  assert.equal((await memory().get('key')).data.value, 0);
  const bare = await memory().clear();
  assert.equal(bare.status, 422);
  assert.equal(bare.body.errors[0].pointer, '/all');
  assert.deepEqual((await memory().clear('all=true')).data, { cleared: 1 });
  for (const q of ['session_id=', 'run_id=a%20b', `task_id=${'x'.repeat(129)}`, 'session_id=%C3%A4']) {
    const r = await memory(me, token, q).get('key');
    assert.equal(r.status, 422, q);
    assert.equal(r.body.errors[0].pointer, `/${q.split('=')[0]}`);
  }
});

test('what is not a key or a value is refused, and nothing is written', async () => {
  const m = session();
  for (const key of ['__x', 'a\nb', 'a\u007fb', 'a\u0085b', 'ä'.repeat(101), 'x'.repeat(201), 'shared:x'])
    assert.equal((await m.put(key, 1)).status, 422, JSON.stringify(key));
  assert.equal((await m.put('ä'.repeat(100), 1)).status, 200, '200 bytes');
  assert.equal((await m.put('big', 'x'.repeat(262142))).status, 200);
  for (const body of [{ value: 'x'.repeat(262143) }, {}, { value: 1, ttl: 0 }, { value: 1, ttl: 86401 }, { value: 1, other: 1 }])
    assert.equal((await m.ask('PUT', '/keys/k', body)).status, 422, JSON.stringify(body).slice(0, 100));
  assert.equal((await m.put('task_state', [1])).body.errors[0].pointer, '/value');
  assert.equal((await m.put('scratch_pad', {})).body.errors[0].pointer, '/value');
  assert.equal((await m.put('conversation_context', [{ role: 'user', content: 'x' }, { role: '', content: 'x' }])).body.errors[0].pointer, '/value/1/role');
  assert.equal((await m.put('conversation_context', [{ role: 'user', content: 'x', more: 1 }])).body.errors[0].pointer, '/value/0/more');
  assert.deepEqual((await m.keys()).keys, ['big', 'ä'.repeat(100)]);
});

test('time to live: gone after it, untouched by reading, by default as long as the key deserves', async () => {
  const m = session();
  const before = Date.now(), made = (await m.put('short', 'x', { ttl: 1 })).data, over = Date.parse(made.expires_at);
  assert.ok(over >= before + 998 && over <= Date.now() + 1000, `${made.expires_at} is not a second after it was put`);
  await m.put('long', 'y', { ttl: 86400 });
  let asked, found;
  do {
    asked = Date.now();
    found = (await m.get('short')).status === 200;
  } while (found && asked <= over + 1);
  assert.ok(!found && Date.now() >= over, `${found ? 'still there' : 'gone'} ${Date.now() - over} ms after its end`);
  assert.deepEqual((await m.keys()).keys, ['long']);
  assert.deepEqual(await m.stats().then((s) => [s.key_count, s.total_size_bytes]), [1, 3]);
  for (const [key, value, ttl] of [['task_state', {}, 7200], ['conversation_context', [], 14400], ['scratch_pad', '', 3600], ['tool:x', 1, 3600], ['other', 1, 3600]]) {
    const r = await m.put(key, value);
    assert.ok(r.data.ttl_s > ttl - 10 && r.data.ttl_s <= ttl, `${key}: ${r.data.ttl_s}`);
  }
});

test('the 513th key is refused, the 512 are intact; 8 MiB likewise; what goes makes room', async () => {
  const m = session();
  for (let i = 0; i < 512; i += 32)
    await Promise.all(Array.from({ length: 32 }, (_, k) => m.put(`k${i + k}`, i + k).then((r) => assert.equal(r.status, 200, r.text))));
  const over = await m.put('one more', 1);
  assert.equal(over.status, 409);
  assert.equal(over.body.reason, 'quota_exceeded');
  assert.equal((await m.append('scratch_pad', { text: 'x' })).status, 409);
  const all = await m.keys('values=true');
  assert.equal(all.keys.length, 512);
  for (let i = 0; i < 512; i++) assert.equal(all.values[`k${i}`], i);
  assert.equal((await m.put('k0', 'again')).status, 200);
  await m.remove('k1');
  assert.equal((await m.put('one more', 1)).status, 200);
  assert.equal((await m.stats()).key_count, 512);
  await m.clear();

  const mib = 'x'.repeat(262142);
  for (let i = 0; i < 32; i++) assert.equal((await m.put(`b${i}`, mib)).status, 200);
  assert.equal((await m.put('c', 1)).status, 409);
  assert.deepEqual(await m.stats().then((s) => [s.key_count, s.total_size_bytes]), [32, 8 << 20]);
  assert.equal((await m.put('b0', 'less')).status, 200);
  assert.equal((await m.put('c', 1)).status, 200);
  await m.clear();
});

test('50 appends at once are 50 messages; beyond 500 the oldest go', async () => {
  const m = session(), key = 'conversation_context';
  const say = (n) => m.append(key, { message: { role: 'user', content: `message ${n},\n"${n}"` } });
  for (const r of await Promise.all(Array.from({ length: 50 }, (_, i) => say(i)))) assert.equal(r.status, 200, r.text);
  const said = (await m.get(key)).data.value;
  assert.deepEqual(said.map((x) => Number(/\d+/.exec(x.content)[0])).sort((x, y) => x - y), Array.from({ length: 50 }, (_, i) => i));
  assert.ok(said.every((x) => x.role === 'user' && Date.parse(x.timestamp)));
  const many = Array.from({ length: 510 }, (_, i) => ({ role: 'user', content: i, timestamp: '2026-01-01T00:00:00Z' }));
  assert.equal((await m.put(key, many)).status, 200);
  await say(1000);
  const left = (await m.get(key)).data.value;
  assert.equal(left.length, 500);
  assert.deepEqual([left[0].content, left[498].content, left[0].timestamp], [11, 509, '2026-01-01T00:00:00.000000Z']);
  for (let i = 0; i < 6; i++) await m.append(key, { message: { role: 'tool', content: `${i}`.repeat(200000) } });
  const big = (await m.get(key)).data.value;
  assert.deepEqual(big.map((x) => x.content[0]), ['1', '2', '3', '4', '5'], 'at most 1 MiB');
});

test('a scratch pad grows by paragraphs, and its oldest go', async () => {
  const m = session();
  await m.append('scratch_pad', { text: 'first "one"\\n' });
  await m.append('scratch_pad', { text: 'second\nline' });
  assert.equal((await m.get('scratch_pad')).data.value, 'first "one"\\n\n\nsecond\nline');
  for (let i = 0; i < 5; i++) assert.equal((await m.append('scratch_pad', { text: `${i}ä`.repeat(5000) })).status, 200);
  const pad = (await m.get('scratch_pad')).data.value;
  assert.deepEqual(pad.split('\n\n').map((p) => p.slice(0, 2)), ['1ä', '2ä', '3ä', '4ä']);
  assert.equal((await m.append('scratch_pad', { text: 'x'.repeat(65536) })).status, 422);
  const both = await Promise.all(Array.from({ length: 20 }, (_, i) => m.append('notes', { text: `p${i}` })));
  assert.ok(both.every((r) => r.status === 200));
  assert.equal((await m.get('notes')).data.value.split('\n\n').length, 20);
  await m.put('number', 5);
  for (const body of [{ text: 'x' }, { message: { role: 'user', content: 'x' } }]) assert.equal((await m.append('number', body)).status, 409);
  for (const body of [{}, { text: 'x', message: { role: 'user', content: 'x' } }, { message: { role: 'user' } }])
    assert.equal((await m.append('notes', body)).status, 422);
});

test('an append keeps a long life and gives a new one', async () => {
  const m = session();
  await m.put('log', [], { ttl: 86400 });
  assert.ok((await m.append('log', { message: { role: 'a', content: 1 } })).data.ttl_s > 86000);
  await m.put('log', [], { ttl: 5 });
  assert.ok((await m.append('log', { message: { role: 'a', content: 1 } })).data.ttl_s > 3000);
});

test('stats: keys, bytes and scope', async () => {
  const m = memory(me, token, 'session_id=a:b&run_id=r&task_id=t');
  await m.put('x', 'four');
  assert.deepEqual(await m.stats(), { key_count: 1, total_size_bytes: 6, context_id: `a:${me}:s:a%3Ab:r:r:t:t`, agent_id: me, task_id: 't', workflow_run_id: 'r' });
  await m.clear();
});

test('another agent, another account, another person: 404, and nothing told', async () => {
  const other = await freshAgent(account), stranger = await freshAccount(), viewer = await freshUser(account, 'viewer');
  const mine = memory();
  await mine.put('secret', 'mine');
  for (const as of [other.token, stranger.token, stranger.owner, viewer.token]) {
    const m = memory(me, as);
    for (const r of [await m.get('secret'), await m.head('secret'), await m.ask('GET', '/keys'), await m.ask('GET', '/stats')]) assert.equal(r.status, 404, r.text);
    for (const r of [await m.put('secret', 1), await m.remove('secret'), await m.clear('all=true'), await m.append('x', { text: 'x' })])
      assert.ok(r.status === 404 || r.status === 403, `${r.status} ${r.text}`);
  }
  assert.equal((await memory('00000000-0000-7000-8000-000000000000', other.token).get('x')).status, 404);
  assert.equal((await mine.get('secret')).data.value, 'mine');
  // A grant on its namespace opens it as far as it goes.
  const [space] = (await expectStatus(200, 'GET', '/api/v1/spaces?kind=namespace', { token })).data.filter((s) => s.slug === `agent:${me}`);
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: other.id, level: 'read' } });
  assert.equal((await memory(me, other.token).get('secret')).data.value, 'mine');
  assert.equal((await memory(me, other.token).put('secret', 1)).status, 403);
  await mine.clear('all=true');
});

test('whoever holds memory.manage may look, and the audit trail says so', async () => {
  await memory().put('seen', 1);
  assert.equal((await memory(me, account.owner).get('seen')).data.value, 1);
  const audit = (await expectStatus(200, 'GET', `/api/v1/audit?kind=memory.access&subject_id=${me}`, { token: account.owner })).data;
  assert.equal(audit.length, 1);
  assert.equal((await memory('00000000-0000-7000-8000-000000000000', account.owner).get('x')).status, 404);
  await memory().clear('all=true');
});

test('sharing needs a space that both may write to by name or team', async () => {
  const b = await freshAgent(account), c = await freshAgent(account), run = `run_id=${unique('run')}`;
  const team = (await expectStatus(201, 'POST', '/api/v1/teams', { token: account.owner, body: { slug: unique('team'), name: 'T' } })).data;
  for (const agent of [me, b.id]) await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${agent}`, { token: account.owner, body: {} });
  const mine = memory(me, token, run), theirs = memory(b.id, b.token, run);
  assert.equal((await mine.share(b.id, 'found', { at: 7 })).status, 200);
  assert.deepEqual((await theirs.shared(me, 'found')).data, { key: 'found', value: { at: 7 }, source_agent_id: me, found: true });
  assert.equal((await memory(b.id, b.token, `${run}&task_id=t`).shared(me, 'found')).status, 200, 'of the same run, whatever the task');
  assert.equal((await memory(b.id, b.token).shared(me, 'found')).status, 404, 'of another scope');
  assert.equal((await theirs.shared(c.id, 'found')).status, 404);
  assert.deepEqual((await theirs.keys()).keys, [`shared:${me}:found`]);

  // c shares no space with b: not by a role, nor by what everyone may write.
  const space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { name: 'open' } })).data;
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token, body: { grantee_kind: 'everyone', level: 'write' } });
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token, body: { grantee_kind: 'role', grantee_id: 'agent', level: 'write' } });
  const refused = await memory(c.id, c.token, run).share(b.id, 'x', 1);
  assert.equal(refused.status, 404);
  const unknown = await memory(c.id, c.token, run).share('00000000-0000-7000-8000-000000000000', 'x', 1);
  assert.equal(unknown.text.replaceAll(unknown.body.request_id, ''), refused.text.replaceAll(refused.body.request_id, ''));
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: c.id, level: 'read' } });
  assert.equal((await memory(c.id, c.token, run).share(me, 'x', 1)).status, 404, 'reading is not enough');
  assert.equal((await mine.share(me, 'x', 1)).status, 404, 'nor is it with oneself');
  assert.equal((await memory(me, account.owner, run).share(b.id, 'x', 1)).status, 200, 'by memory.manage, for the agent');
});

test('at most 64 keys and 256 KiB of others are in a scope', async () => {
  const b = await freshAgent(account), id = unique('s');
  const space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { name: 'both' } })).data;
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: b.id, level: 'write' } });
  const mine = session(me, token, id), theirs = session(b.id, b.token, id);
  await theirs.put('own', 1);
  for (let i = 0; i < 64; i++) assert.equal((await mine.share(b.id, `k${i}`, i)).status, 200);
  const over = await mine.share(b.id, 'k64', 1);
  assert.equal(over.status, 409);
  assert.equal(over.body.reason, 'quota_exceeded');
  assert.equal((await mine.share(b.id, 'k0', 'again')).status, 200);
  assert.equal((await theirs.put('own too', 1)).status, 200, "others' share is not the agent's own");
  assert.equal((await mine.share(b.id, 'k1', 'x'.repeat(262100))).status, 409);
  assert.equal((await theirs.shared(me, 'k1')).data.value, 1);
});

test('persisted twice and loaded into an empty Redis: the same keys and values, one version each', async () => {
  const agent = await freshAgent(account), q = { session_id: 's:1', task_id: 't' };
  const m = memory(agent.id, agent.token, new URLSearchParams(q).toString());
  const post = (path, body = {}) => m.ask('POST', path, body).then((r) => { assert.equal(r.status, 200, r.text); return r.data; });
  const values = { task_state: { step: 2 }, 'tool:git': ['a', { b: 1 }], 'intermediate:one': 5, scratch_pad: 'a thought', other: 'x', ['k'.repeat(200)]: 'long', nothing: null,
    conversation_context: [{ role: 'user', content: 'hello', timestamp: '2026-01-01T00:00:00.000000Z' }] };
  for (const [key, value] of Object.entries(values)) assert.equal((await m.put(key, value)).status, 200);
  const all = Object.keys(values).length, none = { archived: [], archived_count: 0 };
  assert.deepEqual(await post('/persist', { importance: 0.7 }), { persisted: all, unchanged: 0, skipped: [], ...none });
  assert.deepEqual(await post('/persist'), { persisted: 0, unchanged: all, skipped: [], ...none });
  assert.deepEqual(await post('/persist', { keys: ['other', 'absent'] }), { persisted: 0, unchanged: 1, skipped: ['absent'], ...none });
  const [context] = (await expectStatus(200, 'GET', `/api/v1/ai/contexts?agent_id=${agent.id}`, { token: agent.token })).data;
  assert.match(context.name, / Working Memory$/);
  const entries = (await expectStatus(200, 'GET', `/api/v1/ai/contexts/${context.id}/entries?limit=100`, { token: agent.token })).data;
  for (const e of entries) assert.deepEqual((await expectStatus(200, 'GET', `/api/v1/ai/contexts/${context.id}/entries/${e.id}/history`, { token: agent.token })).data, []);
  assert.deepEqual(new Set(entries.map((e) => e.memory_type)), new Set(['working']));
  const types = Object.fromEntries(entries.map((e) => [e.metadata.key, e.entry_type]));
  assert.deepEqual(types, { task_state: 'plan', 'tool:git': 'tool_output', 'intermediate:one': 'tool_output', scratch_pad: 'reflection', other: 'observation', nothing: 'observation',
    ['k'.repeat(200)]: 'observation', conversation_context: 'conversation_summary' });
  const one = entries.find((e) => e.metadata.key === 'other');
  assert.equal(one.entry_key, `working:a:${agent.id}:s:s%3A1:t:t:other`);
  assert.ok(Math.abs(Date.parse(one.expires_at) - Date.now() - 86400000) < 60000);

  assert.deepEqual(await post('/load'), { loaded: 0, kept: all });
  for (const key of await redis('--scan', '--pattern', '*:wm:*').then((s) => s.split('\n'))) await redis('DEL', key);
  assert.deepEqual((await m.keys()).keys, []);
  assert.deepEqual(await post('/load'), { loaded: all, kept: 0 });
  assert.deepEqual((await m.keys('values=true')).values, values);
  await m.put('other', 'changed');
  assert.deepEqual(await post('/load'), { loaded: 0, kept: all });
  assert.equal((await m.get('other')).data.value, 'changed');
  assert.deepEqual(await post('/persist', { keys: ['other'] }), { persisted: 1, unchanged: 0, skipped: [], ...none });
  await m.put('other', 'again');
  assert.deepEqual(await post('/load', { overwrite: true }), { loaded: all, kept: 0 });
  assert.equal((await m.get('other')).data.value, 'changed');
  // Of this scope only.
  assert.deepEqual((await memory(agent.id, agent.token, 'session_id=s').ask('POST', '/load', {})).data, { loaded: 0, kept: 0 });
});

test('persisting names what it archives to make room, and loading still finds that', async () => {
  const agent = await freshAgent(account), scope = (i) => memory(agent.id, agent.token, `session_id=p${i}`), answers = [];
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 4; k++) await scope(i).put(`k${k}`, i * 10 + k);
    answers.push((await scope(i).ask('POST', '/persist', {})).data);
    if (i) continue;
    const [x] = (await expectStatus(200, 'GET', `/api/v1/ai/contexts?agent_id=${agent.id}`, { token: agent.token })).data;
    await expectStatus(200, 'PATCH', `/api/v1/ai/contexts/${x.id}`, { token: agent.token, body: { retention_policy: { max_entries: 10 } } });
  }
  assert.deepEqual(answers.map((a) => [a.persisted, a.archived.length, a.archived_count]), [[4, 0, 0], [4, 0, 0], [4, 2, 2]]);
  assert.ok(answers[2].archived.every((key) => key.startsWith(`working:a:${agent.id}:s:p0:k`)), answers[2].archived.join());
  await scope(0).ask('DELETE', '/keys');
  assert.deepEqual((await scope(0).ask('POST', '/load', {})).data, { loaded: 4, kept: 0 });
  assert.deepEqual((await scope(0).keys('values=true')).values, { k0: 0, k1: 1, k2: 2, k3: 3 });
});

test('the 65th scope takes the place of the oldest, which was persisted', async () => {
  const agent = await freshAgent(account), scope = (i) => memory(agent.id, agent.token, `session_id=n${i}`);
  for (let i = 0; i < 64; i++) assert.equal((await scope(i).put('k', i)).status, 200);
  assert.equal((await scope(64).append('notes', { text: 'new' })).status, 200);
  assert.equal((await scope(0).get('k')).status, 404);
  assert.equal((await scope(1).get('k')).data.value, 1);
  assert.deepEqual((await scope(0).ask('POST', '/load', {})).data, { loaded: 1, kept: 0 });
  assert.equal((await scope(0).get('k')).data.value, 0);
  assert.equal((await scope(1).get('k')).status, 404);
  assert.equal((await scope(2).put('nothing', null)).status, 200);
});

test('Redis away: 503 and when to come back; back: all works without a restart, on every host', async () => {
  const m = session(), path = m.url('/keys/kept');
  await m.put('kept', 'before');
  await stack('kill', 'redis');
  try {
    for (const base of [BASE, BASE2])
      for (const [method, body] of [['GET'], ['PUT', { value: 1 }], ['DELETE']]) {
        const r = await call(method, path, { token, body, base });
        assert.equal(r.status, 503, r.text);
        assert.ok(Number(r.headers.get('retry-after')) >= 1);
      }
    assert.equal((await call('GET', '/api/v1/nodes', { token })).status, 200);
  } finally {
    await stack('start', 'redis');
  }
  for (const base of [BASE, BASE2]) {
    await until('Redis to be used again', async () => (await call('PUT', path, { token, body: { value: 'after' }, base })).status === 200);
    assert.equal((await call('GET', path, { token, base })).data.value, 'after');
  }
  await m.clear();
});

test('nothing of an agent is left in Redis that does not expire', async () => {
  const m = session();
  await m.put('x', 1, { ttl: 30 });
  const [[id]] = await sql(`SELECT account_id FROM agent WHERE id = '${me}'`);
  const keys = (await redis('KEYS', `loci:{${id}}:wm:*`)).split('\n').filter(Boolean);
  assert.ok(keys.length >= 4);
  for (const key of keys) assert.notEqual(await redis('TTL', key), '-1', key);       // -2: its end came meanwhile
  await m.clear();
});
