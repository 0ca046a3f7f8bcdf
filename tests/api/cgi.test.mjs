// The same binary as a CGI program: one request in the environment and on standard input, one answer on standard output.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, unique, until } from './client.mjs';
import { sql } from './db.mjs';

let token;
before(async () => { ({ token } = await freshAccount()); });

const program = process.env.LOCI_CTL.replace(/locictl$/, 'loci-web');

// A plain web server starts it without a socket: standard input is a pipe with the body.
function cgi(method, uri, { headers = {}, body = '', env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const variables = Object.fromEntries(Object.entries(headers).map(([k, v]) => [`HTTP_${k.toUpperCase().replaceAll('-', '_')}`, v]));
    const p = spawn(program, ['--config', process.env.LOCI_CONF], { env: { PATH: process.env.PATH, ASAN_OPTIONS: process.env.ASAN_OPTIONS ?? '', LOCI_WEB_SOCKET: '',
      GATEWAY_INTERFACE: 'CGI/1.1', REQUEST_METHOD: method, REQUEST_URI: uri, QUERY_STRING: uri.split('?')[1] ?? '', REMOTE_ADDR: '127.0.0.1',
      SERVER_PROTOCOL: 'HTTP/1.1', ...(body && { CONTENT_LENGTH: String(Buffer.byteLength(body)), CONTENT_TYPE: 'application/json' }), ...variables, ...env } });
    let out = '', err = '';
    p.stdout.on('data', (d) => { out += d; });
    p.stderr.on('data', (d) => { err += d; });
    p.on('error', reject);
    p.on('close', (code) => {
      const [head, ...rest] = out.split('\r\n\r\n');
      const lines = head.split('\r\n').map((l) => [l.slice(0, l.indexOf(':')).toLowerCase(), l.slice(l.indexOf(':') + 2)]);
      resolve({ code, err, headers: Object.fromEntries(lines), text: rest.join('\r\n\r\n'), status: Number(Object.fromEntries(lines).status?.slice(0, 3)) });
    });
    p.stdin.on('error', () => {});
    p.stdin.end(body);
  });
}

const auth = () => ({ Authorization: `Bearer ${token}` });

test('a read', async () => {
  const r = await cgi('GET', '/api/v1/me', { headers: auth() });
  assert.equal(r.code, 0, r.err);
  assert.equal(r.status, 200, r.text);
  assert.equal(r.headers['content-type'], 'application/json');
  assert.equal(Number(r.headers['content-length']), Buffer.byteLength(r.text));
  assert.equal(JSON.parse(r.text).data.kind, 'agent');
});

test('a write is there for everybody else', async () => {
  const title = unique('cgi');
  const r = await cgi('POST', '/api/v1/nodes', { headers: auth(), body: JSON.stringify({ title, body: 'é🙂' }) });
  assert.equal(r.status, 201, r.text);
  const seen = await expectStatus(200, 'GET', r.headers.location, { token });
  assert.deepEqual([seen.data.title, seen.data.body], [title, 'é🙂']);
});

test('a write leaves a task for its vector, in its own transaction', async () => {
  const body = JSON.stringify({ title: unique('cgi'), body: 'the lighthouse keeper sleeps until the fog comes' });
  const { data } = JSON.parse((await cgi('POST', '/api/v1/nodes', { headers: auth(), body })).text);
  const tasks = async () => Number((await sql(`SELECT COUNT(*) FROM task WHERE kind = 'embed' AND payload LIKE '%${data.id}%'`))[0][0]);
  const made = async () => Number((await sql(`SELECT COUNT(*) FROM vector WHERE node_id = '${data.id}'`))[0][0]);
  assert.ok(await tasks() + await made() > 0);
  await until('the scheduler to make it, which was woken', async () => await made() > 0);
  const changed = await cgi('PATCH', `/api/v1/nodes/${data.id}`, { headers: auth(), body: JSON.stringify({ body: 'the lighthouse keeper is awake now' }) });
  assert.equal(changed.status, 200, changed.text);
  assert.ok(await tasks() > 0);
});

test('reads count as use although the process ends at once', async () => {
  const made = await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title: unique('used') } });
  const path = `/api/v1/nodes/${made.data.id}`;
  assert.equal((await cgi('GET', path, { headers: auth() })).status, 200);
  assert.equal((await expectStatus(200, 'GET', `${path}?touch=false`, { token })).data.access_count, 1);
});

test('what is wrong is said as ever', async () => {
  for (const [method, uri, options, status] of [['GET', '/api/v1/me', {}, 401], ['GET', '/nothing', { headers: auth() }, 404], ['PUT', '/api/v1/nodes', { headers: auth() }, 405],
    ['POST', '/api/v1/nodes', { headers: auth(), body: '{' }, 400], ['POST', '/api/v1/nodes', { headers: auth(), body: '{"colour":1}' }, 422], ['GET', '/%zz', {}, 404],
    ['POST', '/api/v1/nodes', { headers: auth(), body: '{}', env: { CONTENT_LENGTH: '99999999' } }, 413],
    ['POST', '/api/v1/nodes', { headers: auth(), body: '{}', env: { CONTENT_LENGTH: '100' } }, 400]]) {
    const r = await cgi(method, uri, options);
    assert.equal(r.code, 0, r.err);
    assert.ok(r.status === status || (status === 404 && r.status === 400), `${method} ${uri}: ${r.status} ${r.text}`);
    assert.equal(r.headers['content-type'], 'application/problem+json');
    JSON.parse(r.text);
  }
});

test('variables that no web server would set', async () => {
  for (const env of [{ REQUEST_URI: '' }, { REQUEST_URI: 'nonsense' }, { CONTENT_LENGTH: '-5' }, { CONTENT_LENGTH: 'ten' }, { REMOTE_ADDR: 'x'.repeat(5000) }, { REMOTE_ADDR: 'é\u0001' },
    { HTTP_X_REQUEST_ID: '\r\nX: y' }, { HTTP_COOKIE: ';;=;loci_session' }, { CONTENT_TYPE: '' }]) {
    const r = await cgi('GET', '/api/v1/me', { headers: auth(), env });
    assert.equal(r.code, 0, r.err);
    assert.ok(r.status >= 200 && r.status < 500, `${JSON.stringify(env).slice(0, 80)}: ${r.status} ${r.text}`);
    assert.ok(!('x' in r.headers));
  }
});

test('without a request in the environment it says what it wants', async () => {
  const r = await cgi('', '', { env: { REQUEST_METHOD: undefined, REQUEST_URI: undefined } });
  assert.equal(r.code, 1);
  assert.match(r.err, /web\.socket/);
});
