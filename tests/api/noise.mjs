// Random requests that can be made again from their seed: whole ones, damaged ones, mere bytes, and FastCGI records.
import { connect } from 'node:net';

// mulberry32
export function dice(seed) {
  let a = seed >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (n) => Math.floor(next() * n);
  const pick = (list) => list[int(list.length)];
  const bytes = (n) => Buffer.from(Array.from({ length: n }, () => int(256)));
  const chance = (p) => next() < p;
  return { int, pick, bytes, chance };
}

const METHODS = ['GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'get', 'X-Y', 'CONNECT'];
const WORDS = ['', '0', '-1', '1e9', 'null', 'true', '[]', '{}', '"', '\'', '%00', '%ff', '%zz', '../..', '\u{1f642}', 'é', 'a'.repeat(300), '01890000-0000-7000-8000-000000000001',
  '2026-01-01T00:00:00Z', 'node', '*', '\\u0000', '; DROP TABLE node', '<b>', '{{x}}', '9007199254740993', '1e400', 'application/json', '"1"', 'W/"1"', 'Bearer', '\t'];

// Bytes that are put where a text belongs; none that would end a header line.
function text(d) {
  if (d.chance(0.7)) return Buffer.from(d.pick(WORDS));
  return Buffer.from([...d.bytes(d.int(40))].filter((b) => b !== 10 && b !== 13 && b !== 0));
}

function json(d, depth = 0) {
  const kind = d.int(depth > 4 ? 5 : 8);
  if (kind === 0) return String(d.int(1000) - 500);
  if (kind === 1) return d.pick(['true', 'false', 'null', '1e5', '-0', '0.1', '1E400', '01', 'NaN']);
  if (kind <= 4) return JSON.stringify(d.pick(WORDS));
  const many = Array.from({ length: d.int(4) }, () => json(d, depth + 1));
  return kind === 5 ? `[${many}]` : `{${many.map((m, i) => `${JSON.stringify(d.pick(['title', 'name', 'kind', 'id', 'limit', 'settings', `k${i}`]))}:${m}`)}}`;
}

// A body for this row: right, nearly right, or anything.
function body(d, row) {
  const schema = row?.requestBody?.content?.['application/json']?.schema;
  if (!schema?.properties || d.chance(0.3)) return d.chance(0.5) ? Buffer.from(json(d)) : d.bytes(d.int(200));
  const names = Object.keys(schema.properties).filter((n) => schema.required?.includes(n) || d.chance(0.3));
  const members = names.map((n) => `${JSON.stringify(n)}:${schema.properties[n].enum && d.chance(0.7) ? JSON.stringify(d.pick(schema.properties[n].enum)) : json(d, 3)}`);
  return Buffer.from(`{${members}}`);
}

// {method, uri, headers, body} of a request that could be one. right(row): a body that the row takes.
export function request(d, { rows, ids, tokens, right }) {
  const r = d.pick(rows);
  const path = d.chance(0.85) ? r.template.replace(/\{\w+\}/g, () => (d.chance(0.6) ? d.pick(ids) : encodeURIComponent(d.pick(WORDS)) || 'x')) : `/${text(d).toString('latin1').replace(/[\s#?]/g, '')}`;
  const names = (r.row.parameters ?? []).filter((p) => p.in === 'query').map((p) => p.name);
  const query = d.chance(0.4) ? `?${Array.from({ length: 1 + d.int(4) }, () => `${names.length && d.chance(0.8) ? d.pick(names) : 'x'}=${d.chance(0.8) ? encodeURIComponent(d.pick(WORDS)) : '%'}`).join('&')}` : '';
  const headers = [['Host', 'localhost'], ['Connection', 'close']];
  if (d.chance(0.8)) headers.push(['Authorization', d.chance(0.9) ? `Bearer ${d.pick(tokens)}` : text(d)]);
  for (const name of ['If-Match', 'If-None-Match', 'Idempotency-Key', 'X-Request-Id', 'traceparent', 'Origin', 'Cookie', 'Accept', 'X-CSRF-Token', 'Range', 'Expect', 'X-Forwarded-For'])
    if (d.chance(0.08)) headers.push([name, text(d)]);
  const method = d.chance(0.8) ? r.method : d.pick(METHODS);
  const content = d.chance(0.4) ? right(r.row) : d.chance(0.75) ? body(d, r.row) : Buffer.alloc(0);
  if (content.length || d.chance(0.5)) headers.push(['Content-Length', String(content.length)]);
  if (content.length) headers.push(['Content-Type', d.chance(0.85) ? 'application/json' : text(d)]);
  return { method, uri: path + query, headers, body: content };
}

const line = (...parts) => Buffer.concat(parts.map((p) => (Buffer.isBuffer(p) ? p : Buffer.from(p, 'latin1'))));

export const http = ({ method, uri, headers, body: content }) =>
  line(`${method} ${uri} HTTP/1.1\r\n`, ...headers.flatMap(([n, v]) => [`${n}: `, v, '\r\n']), '\r\n', content);

// Some bytes changed, taken out or put in.
export function damage(d, whole) {
  let b = Buffer.from(whole);
  for (let i = 1 + d.int(4); i > 0 && b.length; i--) {
    const at = d.int(b.length), what = d.int(4);
    if (what === 0) b[at] = d.int(256);
    else if (what === 1) b = Buffer.concat([b.subarray(0, at), b.subarray(at + 1 + d.int(8))]);
    else if (what === 2) b = Buffer.concat([b.subarray(0, at), d.bytes(1 + d.int(12)), b.subarray(at)]);
    else b = b.subarray(0, at);
  }
  return b;
}

// ---- FastCGI

function record(type, id, content, padding = 0) {
  const head = Buffer.from([1, type, id >> 8, id & 255, content.length >> 8, content.length & 255, padding, 0]);
  return Buffer.concat([head, content, Buffer.alloc(padding)]);
}

function pair(name, value) {
  const size = (n) => (n < 128 ? Buffer.from([n]) : Buffer.from([(n >>> 24) | 128, (n >> 16) & 255, (n >> 8) & 255, n & 255]));
  return Buffer.concat([size(name.length), size(value.length), name, value]);
}

// The request as nginx would hand it over: begin, parameters, body, in records of any size.
export function fastcgi(d, { method, uri, headers, body: content }) {
  const vars = [['REQUEST_METHOD', method], ['REQUEST_URI', uri], ['REMOTE_ADDR', '127.0.0.1'], ['CONTENT_LENGTH', String(content.length)], ['CONTENT_TYPE', 'application/json'],
    ...headers.map(([n, v]) => [`HTTP_${n.toUpperCase().replaceAll('-', '_')}`, v])];
  if (d.chance(0.1)) vars.push([d.bytes(d.int(20)).toString('latin1'), d.bytes(d.int(300))]);
  if (d.chance(0.05)) vars.push(['REMOTE_ADDR', d.bytes(60)], ['CONTENT_LENGTH', text(d)]);
  const params = Buffer.concat(vars.map(([n, v]) => pair(Buffer.from(n, 'latin1'), Buffer.isBuffer(v) ? v : Buffer.from(v, 'latin1'))));
  const id = d.chance(0.9) ? 1 : d.int(65536), parts = [record(1, id, Buffer.from([0, d.chance(0.9) ? 1 : d.int(256), 0, 0, 0, 0, 0, 0]))];
  for (const [type, all] of [[4, params], [5, content]]) {
    for (let at = 0; at < all.length;) {
      const n = Math.min(all.length - at, 1 + d.int(4000));
      parts.push(record(type, id, all.subarray(at, at + n), d.int(8)));
      at += n;
    }
    parts.push(record(type, id, Buffer.alloc(0)));
  }
  return Buffer.concat(parts);
}

// libfcgi ends the process when the two lengths of a parameter do not fit an int together. Nobody but the web server can
// reach the socket, and it sends none such (docs/security.md); here no length begins with a byte that makes it so long.
export const shortened = (bytes) => Buffer.from(bytes.map((b) => (b >= 0xa0 ? b & 0x9f : b)));

// Records that no web server sends.
export function strangeRecords(d) {
  const parts = [];
  for (let i = 1 + d.int(6); i > 0; i--) {
    const content = d.chance(0.3) ? Buffer.concat([d.pick([Buffer.from([0x80 | d.int(128), 255, 255, 255]), Buffer.from([127])]), d.bytes(d.int(60))]) : d.bytes(d.int(60));
    const r = record(d.chance(0.8) ? 1 + d.int(11) : d.int(256), d.pick([0, 1, 1, 1, 65535]), content, d.int(256));
    if (d.chance(0.1)) r[0] = d.int(256);
    if (d.chance(0.2)) r.writeUInt16BE(d.int(65536), 4);
    parts.push(r);
  }
  return Buffer.concat(parts);
}

// Sends bytes, and takes what comes until the other side closes or nothing comes for a while. to: {port} or {path}.
export function exchange(to, bytes, { idle = 150, end = false } = {}) {
  return new Promise((resolve) => {
    const got = [];
    const s = connect(to.port ? { port: to.port, host: '127.0.0.1' } : { path: to.path });
    let timer;
    const done = () => { clearTimeout(timer); s.destroy(); resolve(Buffer.concat(got).toString('latin1')); };
    const wait = (ms) => { clearTimeout(timer); timer = setTimeout(done, ms); };
    s.on('data', (part) => { got.push(part); wait(idle); });
    s.on('error', done);
    s.on('close', done);
    s.on('connect', () => { s.write(bytes); if (end) s.end(); wait(idle); });
    wait(10000);
  });
}
