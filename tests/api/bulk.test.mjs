// Uploads: JSON lines one by one, limits on lines and bytes, and memory that stays flat while they stream.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, freshAgent, stack, unique } from './client.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
  // A thousand texts of 64 kB keep the built-in model, and with it a processor, busy for twenty minutes of the other files.
  const etag = (await expectStatus(200, 'GET', '/api/v1/account', { token: account.owner })).headers.get('etag');
  await expectStatus(200, 'PATCH', '/api/v1/account', { token: account.owner, headers: { 'If-Match': etag }, body: { settings: { embed: { provider: 'none' } } } });
});

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const path = '/api/v1/nodes/bulk';
const send = (raw, options = {}) => call('POST', path + (options.query ?? ''), { token, raw, headers: NDJSON, ...options });
const sent = async (raw, options) => {
  const r = await send(raw, options);
  assert.equal(r.status, 200, r.text);
  return r.data;
};
const titles = async (q) => (await expectStatus(200, 'GET', `/api/v1/nodes?limit=100&q=${q}`, { token })).data.length;

test('lines stand alone: bad ones are named, the others are written', async () => {
  const word = unique('bulk'), good = (i) => JSON.stringify({ title: `${word} ${i}` });
  const r = await sent([good(1), '{"title":', '', good(2), '{"title":"x","colour":1}', '[]', '  ', '{"title":"\\u0000"}', good(3), '{"kind":"page","title":"p"}',
    '{"title":"a","title":"b"}', 'null', `{"title":"${'x'.repeat(501)}"}`, '{}', good(4)].join('\n'));
  assert.deepEqual([r.created, r.failed, r.total], [4, 9, 13]);
  assert.deepEqual(r.errors.map((e) => e.line), [2, 5, 6, 8, 10, 11, 12, 13, 14]);
  assert.deepEqual(r.errors.map((e) => e.pointer), [null, '/colour', null, null, '/kind', null, null, '/title', '/body']);
  assert.equal(await titles(word), 4);
});

test('any line end, an end without one, a byte order mark, emoji, and nothing at all', async () => {
  const word = unique('ends');
  assert.equal((await sent(`{"title":"${word} 1"}\r\n{"title":"${word} 2 🙂"}\r\n\r\n{"title":"${word} 3"}`)).created, 3);
  assert.deepEqual(await sent(''), { created: 0, known: 0, failed: 0, total: 0, errors: [], duplicates: [] });
  assert.equal((await sent('\n\n\n')).total, 0);
  const mark = await sent(Buffer.from(`\ufeff{"title":"${word} 4"}\n`));
  assert.equal(mark.created + mark.failed, 1);
  assert.equal((await sent(Buffer.from([0xff, 0xfe, 0x0a, 0x00]))).failed, 2);
});

test('a file is a file: plain bytes are read as lines, too, and one JSON value for all is another thing', async () => {
  const word = unique('bytes'), raw = `{"title":"${word} 1"}\n{"title":"${word} 2"}`;
  assert.equal((await sent(raw, { headers: { 'Content-Type': 'application/octet-stream' } })).created, 2);
  assert.equal((await send(raw, { headers: { 'Content-Type': 'application/json' } })).status, 415);
});

test('a space for lines that name none; one that may not be written fails its line only', async () => {
  const other = await freshAgent(account), word = unique('spaces');
  const space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { name: 'S' } })).data.id;
  const theirs = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: other.token, body: { name: 'T' } })).data.id;
  const r = await sent(`{"title":"${word} 1"}\n{"title":"${word} 2","space_id":"${theirs}"}\n{"title":"${word} 3"}\n`, { query: `?space_id=${space}` });
  assert.deepEqual([r.created, r.failed, r.errors[0].line, r.errors[0].code], [2, 1, 2, 'NOT_FOUND']);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/nodes?space_id=${space}`, { token })).data.length, 2);
  assert.equal((await send('{"title":"x"}', { query: `?space_id=${theirs}` })).status, 404);
  const people = await send('{"title":"x"}', { token: account.owner });
  assert.deepEqual([people.status, people.data.failed, people.data.errors[0].pointer], [200, 1, '/space_id']);
});

test('ten thousand lines, and one past it', async () => {
  const n = process.env.LOCI_SLOW ? 2000 : 10000;
  const lines = (count) => Array.from({ length: count }, (_, i) => `{"title":"line ${i}"}`).join('\n');
  assert.equal((await sent(lines(n))).created, n);
  const before = (await expectStatus(200, 'GET', '/api/v1/stats', { token })).data.nodes;
  assert.equal((await send(lines(10001))).status, 413);
  assert.equal((await expectStatus(200, 'GET', '/api/v1/stats', { token })).data.nodes, before);
});

test('only the first hundred errors are told, all are counted', async () => {
  const r = await sent(Array(250).fill('{"colour":1}').join('\n'));
  assert.deepEqual([r.failed, r.errors.length, r.errors.at(-1).line], [250, 100, 100]);
});

test('a line longer than a mebibyte fails alone', async () => {
  const word = unique('long');
  const r = await sent(`{"title":"${word} 1"}\n{"title":"x","body":"${'x'.repeat(1 << 20)}"}\n{"title":"${word} 2"}\n`);
  assert.deepEqual([r.created, r.failed, r.errors[0].line, r.errors[0].code], [2, 1, 2, 'PAYLOAD_TOO_LARGE']);
});

test('another media type', async () => {
  for (const type of ['application/json', 'text/plain', 'application/x-ndjsonx']) assert.equal((await send('{}', { headers: { 'Content-Type': type } })).status, 415, type);
  assert.equal((await send('{"title":"t"}', { headers: { 'Content-Type': 'application/x-ndjson; charset=utf-8' } })).status, 200);
});

// A body of so many bytes as a stream; resolves to the status, or to the error when the server hung up before the end.
function stream(bytes, headers) {
  const piece = Buffer.from(`{"kind":"episode","title":"t","body":"${'x'.repeat(65536 - 40)}"}\n`);      // of a kind that is written each time
  function* pieces() {
    for (let left = bytes; left > 0; left -= piece.length) yield left >= piece.length ? piece : piece.subarray(0, left);
  }
  return new Promise((resolve) => {
    const r = request(BASE + path, { method: 'POST', headers: { Authorization: `Bearer ${token}`, ...NDJSON, ...headers } }, (res) => {
      let text = '';
      res.on('data', (d) => { text += d; });
      res.on('end', () => resolve({ status: res.statusCode, body: JSON.parse(text) }));
    });
    r.on('error', (error) => resolve({ error }));
    Readable.from(pieces()).pipe(r);
  });
}

const MAX = 64 << 20;

test('64 MiB and one byte: 413, said before or after, never half written', async () => {
  const before = (await expectStatus(200, 'GET', '/api/v1/stats', { token })).data.nodes;
  const announced = await stream(MAX + 1, { 'Content-Length': MAX + 1 });
  assert.ok(announced.status === 413 || announced.error, JSON.stringify(announced));
  const chunked = await stream(MAX + 1, {});
  assert.ok(chunked.status === 413 || chunked.error, JSON.stringify(chunked));
  assert.equal((await expectStatus(200, 'GET', '/api/v1/stats', { token })).data.nodes, before);
});

// Kilobytes that the process holds.
const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

test('while 60 MiB stream in, the memory of loci-web stays flat, and nothing stays on disk', async (t) => {
  const pid = (await stack('pid', 'web')).stdout.trim();
  await sent('{"title":"warm"}');
  const start = memory(pid);
  let most = start;
  const watch = setInterval(() => { most = Math.max(most, memory(pid)); }, 20);
  const size = (process.env.LOCI_SLOW ? 12 : 60) << 20;
  const r = await stream(size, { 'Content-Length': size });
  clearInterval(watch);
  assert.equal(r.status, 200, JSON.stringify(r.error ?? r.body));
  assert.equal(r.body.data.created + r.body.data.failed, Math.ceil(size / 65536));
  t.diagnostic(`${size >> 20} MiB: ${start >> 10} MiB before, at most ${most >> 10} MiB`);
  if (!process.env.LOCI_SLOW) assert.ok(most - start < 40 * 1024, `grew by ${(most - start) >> 10} MiB`);
  assert.deepEqual(readdirSync(`${process.env.LOCI_STACK}/upload`), []);
});

test('a sender that goes away leaves nothing', async () => {
  const word = unique('gone');
  await new Promise((resolve) => {
    const r = request(BASE + path, { method: 'POST', headers: { Authorization: `Bearer ${token}`, ...NDJSON, 'Content-Length': 1 << 20 } });
    r.on('error', resolve);
    r.write(`{"title":"${word}"}\n`, () => r.destroy(new Error('away')));
  });
  await expectStatus(200, 'GET', '/api/v1/me', { token });
  assert.equal(await titles(word), 0);
  assert.deepEqual(readdirSync(`${process.env.LOCI_STACK}/upload`), []);
});

test('with an Idempotency-Key an upload is done once, too', async () => {
  const key = unique('key'), word = unique('once');
  const headers = { ...NDJSON, 'Idempotency-Key': key };
  const first = await send(`{"title":"${word}"}\n`, { headers });
  const again = await send(`{"title":"${word}"}\n`, { headers });
  assert.deepEqual([first.status, again.status, again.headers.get('idempotency-replayed')], [200, 200, 'true']);
  assert.equal(again.text, first.text);
  assert.equal((await send(`{"title":"${word} other"}\n`, { headers })).status, 422);
  assert.equal(await titles(word), 1);
});
