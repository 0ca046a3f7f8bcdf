// One line of JSON for each request on standard error: who, what, how long, never content, never secrets.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, signIn, unique, until } from './client.mjs';

// Whole lines: of what is being written just now there may be a part.
const whole = (text) => text.split('\n').slice(0, -1).filter(Boolean);
const lines = () => whole(readFileSync(`${process.env.LOCI_STACK}/log/web.log`, 'utf8'));
const lineOf = (id) => until(`a line of ${id}`, () => lines().filter((l) => l.includes(id)).map((l) => JSON.parse(l)).find((l) => l.call));

let account, token, me;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
  me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
});

test('a request leaves one line that says who, what, how it ended and how long it took', async () => {
  for (const [method, path, status, name, options] of [['GET', '/api/v1/me', 200, 'me.get', { token }], ['POST', '/api/v1/nodes', 201, 'node.create', { token, body: { title: 't' } }], ['POST', '/api/v1/nodes', 422, 'node.create', { token, body: { colour: 1 } }],
    ['GET', '/api/v1/me', 401, 'me.get', {}], ['GET', '/api/v1/nothing', 404, 'none', { token }], ['GET', '/login', 200, 'page.login', {}]]) {
    const id = unique('req');
    const r = await call(method, path, { ...options, headers: { 'X-Request-Id': id }, check: false });
    assert.equal(r.status, status);
    assert.equal(r.headers.get('x-request-id'), id);
    const l = await lineOf(id);
    assert.equal(lines().filter((x) => x.includes(id)).length, 1, 'one line');
    assert.deepEqual([l.level, l.request_id, l.call, l.status], ['info', id, name, status]);
    assert.match(l.ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.ok(l.ms > 0 && l.ms < 60000 && l.bytes === Buffer.byteLength(r.text), JSON.stringify(l));
    assert.equal(l.principal, options.token && name !== 'none' ? me.id : undefined);
  }
});

test('a trace goes on with a span of ours, or begins', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736', span = '00f067aa0ba902b7';
  for (const [given, pattern] of [[`00-${trace}-${span}-01`, new RegExp(`^00-${trace}-(?!${span})[0-9a-f]{16}-01$`)], [undefined, /^00-[0-9a-f]{32}-[0-9a-f]{16}-\d\d$/], ['00-nonsense', /^00-[0-9a-f]{32}-[0-9a-f]{16}-\d\d$/],
    [`00-${'0'.repeat(32)}-${span}-01`, /^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-\d\d$/], [`00-${trace}-${'0'.repeat(16)}-01`, new RegExp(`^00-(?!${trace})`)], [`ff-${trace}-${span}-01`, new RegExp(`^00-(?!${trace})`)], [`00-${trace.toUpperCase()}-${span}-01`, /^00-[0-9a-f]{32}-/]]) {
    const id = unique('trace');
    await call('GET', '/api/v1/me', { token, headers: { 'X-Request-Id': id, ...(given && { traceparent: given }) } });
    assert.match((await lineOf(id)).trace, pattern, given);
  }
});

test('neither content nor secrets are in any log', async () => {
  const word = unique('canary'), password = `${word}-password`, email = `${word}@example.org`;
  const make = (path, body, by = account.owner) => expectStatus(201, 'POST', `/api/v1/${path}`, { token: by, body }).then((r) => r.data);
  const secret = (await make('tokens', { name: word })).secret;
  await make('users', { email, name: word, role: 'owner', password });
  const node = await make('nodes', { title: word, body: word, attrs: { word } }, token);
  await call('GET', `/api/v1/nodes?q=${word}`, { token: secret });
  await call('POST', '/api/v1/recall', { token, body: { query: word } });
  await call('PATCH', `/api/v1/nodes/${node.id}`, { token, body: { [word]: word } });
  await call('POST', '/api/v1/nodes', { token, raw: `{"title":"${word}` });
  await call('GET', '/api/v1/me', { token: `loci_abcdefgh_${word}` });
  await call('GET', '/api/v1/me', { headers: { Cookie: `loci_session=${word}` } });
  const cookie = await signIn({ account: account.slug, email, password });
  await assert.rejects(signIn({ account: account.slug, email, password: `${word}-wrong` }));
  for (const path of ['/admin', `/admin/users?q=${word}`, `/admin/nothing-${word}`]) await fetch(BASE + path, { headers: { Cookie: cookie } });
  const last = unique('last');
  await call('GET', '/api/v1/me', { token, headers: { 'X-Request-Id': last } });
  await lineOf(last);
  for (const name of ['web', 'web2', 'scheduler']) {
    const text = readFileSync(`${process.env.LOCI_STACK}/log/${name}.log`, 'utf8');
    for (const s of [word, secret, secret.split('_')[2], token.split('_')[2], cookie.split('=')[1]]) assert.ok(!text.includes(s), `${s} is in ${name}.log: ${text.split('\n').find((l) => l.includes(s))}`);
    for (const l of whole(text)) assert.doesNotThrow(() => JSON.parse(l), `${name}.log: ${l}`);
  }
  const access = readFileSync(`${process.env.LOCI_STACK}/log/access.log`, 'utf8');
  for (const s of [secret.split('_')[2], password, cookie.split('=')[1]]) assert.ok(!access.includes(s), 'nginx logs no credential');
});
