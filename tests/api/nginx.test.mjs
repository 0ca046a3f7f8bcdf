// What nginx refuses by itself, byte for byte as clients and attackers send it: in the shape of every other error, and
// nothing of it reaches loci-web as something else.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import { BASE, freshAccount, stack } from './client.mjs';

const { hostname, port } = new URL(BASE);
let token;
before(async () => { ({ token } = await freshAccount()); });

// All that comes back for these bytes, as a list of answers.
const send = (bytes) => new Promise((resolve, reject) => {
  const s = connect(port, hostname);
  let text = '';
  s.setTimeout(10000, () => s.destroy(new Error(`no end of the answer: ${text.slice(0, 200)}`)));
  s.setEncoding('latin1').on('data', (d) => { text += d; });
  s.on('error', reject).on('close', () => resolve(text.split(/(?=^HTTP\/1\.1 \d{3})/m).map((t) => {
    const [head, ...rest] = t.split('\r\n\r\n');
    const headers = Object.fromEntries(head.split('\r\n').slice(1).map((l) => [l.slice(0, l.indexOf(':')).toLowerCase(), l.slice(l.indexOf(':') + 2)]));
    return { status: Number(head.split(' ')[1]), headers, text: rest.join('\r\n\r\n') };
  })));
  s.write(bytes, 'latin1');
});

const request = (line, ...headers) => `${[line, 'Host: x', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

const REFUSED = [
  ['a range past the end of a file', 416, request('GET /static/loci.css HTTP/1.1', 'Range: bytes=99999999-')],
  ['a file that is newer', 412, request('GET /static/loci.css HTTP/1.1', 'If-Unmodified-Since: Mon, 01 Jan 2001 00:00:00 GMT')],
  ['a version of HTTP to come', 505, request('GET / HTTP/3.0')],
  ['a transfer coding of its own', 501, request('POST /login HTTP/1.1', 'Transfer-Encoding: gzip')],
  ['out of the folder of files', 400, request('GET /static/../../conf/loci.conf HTTP/1.1')],
  ['out of the folder of files, in disguise', 400, request('GET /static/%2e%2e/%2e%2e/conf/loci.conf HTTP/1.1')],
  ['… and half disguised', 400, request('GET /static/..%2f..%2fconf/loci.conf HTTP/1.1')],
  ['a folder', 403, request('GET /static/ HTTP/1.1')],
  ['a file that is not there', 404, request('GET /static/nothing.css HTTP/1.1')],
  ['a change of a file', 405, request('DELETE /static/loci.css HTTP/1.1')],
  ['TRACE', 405, request('TRACE /api/v1/me HTTP/1.1')],
  ['CONNECT', 405, request('CONNECT / HTTP/1.1')],
  ['a method in small letters', 400, request('get / HTTP/1.1')],
  ['a body of 65 MiB', 413, request('POST /api/v1/nodes/bulk HTTP/1.1', 'Content-Length: 68157441')],
  ['… of a form', 413, request('POST /admin/spaces?x=1 HTTP/1.1', 'Content-Length: 68157441')],
  ['… to what only begins like a page', 413, request('POST /administer HTTP/1.1', 'Content-Length: 68157441')],
  ['an address of 20,000 characters', 414, request(`GET /${'a'.repeat(20000)} HTTP/1.1`)],
  ['a header of 20,000 characters', 431, request('GET / HTTP/1.1', `X-A: ${'a'.repeat(20000)}`)],
  ['40 KiB of headers', 431, request('GET / HTTP/1.1', ...Array.from({ length: 7 }, (_, i) => `X-${i}: ${'a'.repeat(6000)}`))],
  ['no host', 400, 'GET / HTTP/1.1\r\n\r\n'],
  ['a host that is none', 400, 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n'],
  ['a NUL in a header', 400, request('GET / HTTP/1.1', 'X-A: a\0b')],
  ['a NUL in the address', 400, request('GET /api/v1/nodes/%00 HTTP/1.1')],
  ['half an escape', 400, request('GET /api/v1/me% HTTP/1.1')],
  ['a folded header', 400, request('GET / HTTP/1.1', 'X-A: a', ' b')],
  ['a length that is negative', 400, request('POST /login HTTP/1.1', 'Content-Length: -1')],
  ['a length of 20 digits', 400, request('POST /login HTTP/1.1', 'Content-Length: 99999999999999999999')],
  ['two lengths', 400, request('POST /login HTTP/1.1', 'Content-Length: 0', 'Content-Length: 5')],
  ['a length and chunks', 400, request('POST /login HTTP/1.1', 'Content-Length: 4', 'Transfer-Encoding: chunked')],
  ['chunks twice', 400, request('POST /login HTTP/1.1', 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity')],
  ['a chunk without a size', 400, `${request('POST /login HTTP/1.1', 'Transfer-Encoding: chunked')}zz\r\nabc\r\n`],
  ['two credentials', 400, request('GET /api/v1/me HTTP/1.1', 'Authorization: Bearer a', 'Authorization: Bearer b')],
];

function isProblem(r) {
  assert.equal(r.headers['content-type'], 'application/problem+json', r.text.slice(0, 200));
  const body = JSON.parse(r.text);
  assert.deepEqual([body.success, body.status, body.error, body.title.length > 0], [false, r.status, body.detail, true]);
  assert.match(body.code, /^[A-Z_]+$/);
  assert.equal(body.request_id, r.headers['x-request-id']);
}

// Where people look they are told in a page, with nothing in it that runs.
function isPage(r) {
  assert.equal(r.headers['content-type'], 'text/html; charset=utf-8', r.text.slice(0, 200));
  assert.match(r.headers['content-security-policy'], /^default-src 'none'/);
  const [, status, title, text] = /<p class="oops-status">(\d+)<\/p>\s*<h1>([^<]+)<\/h1>\s*<p>([^<]+)<\/p>/.exec(r.text) ?? assert.fail(r.text);
  assert.deepEqual([Number(status), title.length > 0, text.length > 20], [r.status, true, true]);
  assert.ok(r.text.includes(r.headers['x-request-id']));
}

for (const [what, status, bytes] of REFUSED) {
  test(what, async () => {
    const answers = await send(bytes);
    assert.equal(answers.length, 1, 'one request, one answer');
    const [r] = answers;
    assert.equal(r.status, status, r.text.slice(0, 200));
    assert.equal(r.headers['x-content-type-options'], 'nosniff');
    assert.equal(r.headers['cache-control'], 'no-store');
    assert.ok(!r.headers.server?.includes('/'), 'no version is told');
    if (/^\S+ \/(login|admin)[ \/?]/.test(bytes)) isPage(r);
    else isProblem(r);
    if (status === 405) assert.ok(r.headers.allow);
  });
}

test('a request hidden in the body of another is a body', async () => {
  const hidden = request('GET /api/v1/me HTTP/1.1', `Authorization: Bearer ${token}`);
  const answers = await send(request('POST /api/v1/nodes HTTP/1.1', `Authorization: Bearer ${token}`, 'Content-Type: application/json', `Content-Length: ${hidden.length}`) + hidden);
  assert.deepEqual(answers.map((r) => r.status), [400]);
});

test('headers that only look like ours count for nothing', async () => {
  for (const name of ['HTTP_AUTHORIZATION', 'Authorization_', 'X-Original-Authorization', 'Proxy-Authorization'])
    assert.equal((await send(request('GET /api/v1/me HTTP/1.1', `${name}: Bearer ${token}`)))[0].status, 401, name);
  for (const header of ['X-HTTP-Method-Override: DELETE', 'X-Original-URL: /api/v1/users', 'X-Rewrite-URL: /metrics', 'Proxy: http://example.org', 'Host: example.org:1']) {
    const [r] = await send(request('GET /api/v1/me HTTP/1.1', `Authorization: Bearer ${token}`, header).replace(header.startsWith('Host') ? 'Host: x\r\n' : '\0', ''));
    assert.equal(r.status, 200, `${header}: ${r.text}`);
    assert.equal(JSON.parse(r.text).data.kind, 'agent');
  }
});

test('paths mean what they say: no case, no double slash, no dots, no escape leads to another', async () => {
  for (const path of ['/api/v1/me/', '/api/v1//me', '//api/v1/me', '/API/v1/me', '/api/v1/%6de', '/api/v1/me%2f', '/api/v1/../v1/me', '/api/v1/./me', '/api/v1/%2e%2e/v1/me', '/api/v1/me;x=1', '/.loci-error/404'])
    assert.equal((await send(request(`GET ${path} HTTP/1.1`, `Authorization: Bearer ${token}`)))[0].status, 404, path);
});

test('without loci-web pages and calls say so, each in its shape', async () => {
  await stack('stop', 'web');
  try {
    for (const [path, check] of [['/admin', isPage], ['/admin/spaces', isPage], ['/login', isPage], ['/api/v1/me', isProblem], ['/mcp', isProblem]]) {
      const [r] = await send(request(`GET ${path} HTTP/1.1`));
      assert.equal(r.status, 503);
      assert.ok(Number(r.headers['retry-after']) >= 1);
      check(r);
    }
  } finally {
    await stack('start', 'web');
  }
});
