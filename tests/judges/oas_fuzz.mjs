// OpenAPI 3.1-driven negative/property tester (schemathesis-like checks), loopback only, bounded.
// usage: node oas_fuzz.mjs openapi.json --base http://127.0.0.1:PORT/api/v1 [--auth 'Bearer x'] [--n 60] [--seed 1] [--max-seconds 120] [--seeds values.json]
// Checks per answer: no 5xx; status documented; Content-Type documented; body validates; error bodies are the documented media type;
// plus fixed probes: no/garbage auth -> 401, wrong method -> 405 + Allow, bad JSON -> 400, wrong media type -> 415, invalid input must not be 2xx.
import { createRequire } from 'node:module'; import fs from 'node:fs';
const R = createRequire(import.meta.url);
const Ajv = R('ajv/dist/2020.js').default, addF = R('ajv-formats').default ?? R('ajv-formats');
const A = process.argv.slice(2), opt = (k, d) => { const i = A.indexOf('--' + k); return i < 0 ? d : A[i + 1]; };
const doc = JSON.parse(fs.readFileSync(A[0])), BASE = new URL(opt('base', doc.servers?.[0]?.url)), AUTH = opt('auth'), N = +opt('n', 60), T1 = Date.now() + 1000 * opt('max-seconds', 120);
if (!/^(127\.|localhost$|\[::1\])/.test(BASE.hostname)) { console.error('loopback targets only'); process.exit(2); }
const SEEDS = opt('seeds') ? JSON.parse(fs.readFileSync(opt('seeds'))) : {}; // {"id":["known-good-id"]}
let s = +opt('seed', 1) >>> 0; const rnd = () => { s = s + 0x6D2B79F5 >>> 0; let t = Math.imul(s ^ s >>> 15, 1 | s); t ^= t + Math.imul(t ^ t >>> 7, 61 | t); return ((t ^ t >>> 14) >>> 0) / 2 ** 32; }, ri = n => Math.floor(rnd() * n), pick = a => a[ri(a.length)];
const deref = x => { while (x && x.$ref) x = x.$ref.slice(2).split('/').reduce((o, k) => o[decodeURIComponent(k).replace(/~1/g, '/').replace(/~0/g, '~')], doc); return x; };
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true }); addF(ajv); ajv.addSchema({ $id: 'doc', ...doc }, 'doc');
const inl = x => JSON.parse(JSON.stringify(x).replaceAll('"#/', '"doc#/')), cache = new Map(), validate = sc => { const k = JSON.stringify(sc); if (!cache.has(k)) cache.set(k, ajv.compile(inl(sc))); return cache.get(k); };
const STR = ['', ' ', 'a', '0', 'null', "' OR '1'='1", '"; DROP TABLE x;--', '<script>alert(1)</script>', '{{7*7}}', '%00', '\u0000', '../../etc/passwd', 'é漢字🙂', '\ud83d\ude00'.repeat(50), '\u202e', 'A'.repeat(5000), '\r\nX-Injected: 1', '%', '_', '\\', '-1', '9'.repeat(40), '\ufeff', 'a\tb\nc', '＜', '\u2028'];
const NUM = [0, -0, 1, -1, 0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 1e-320, 101, 4294967296];
function gen(sc, d = 0) { sc = deref(sc) ?? {}; if (sc === true) sc = {}; if ('const' in sc) return sc.const; if (sc.enum) return pick(sc.enum); if (sc.allOf) return Object.assign({}, ...sc.allOf.map(x => gen(x, d))); if (sc.oneOf || sc.anyOf) return gen(pick(sc.oneOf ?? sc.anyOf), d);
  const t = Array.isArray(sc.type) ? pick(sc.type) : sc.type ?? (sc.properties ? 'object' : 'string');
  if (t === 'object') { const o = {}; for (const [k, v] of Object.entries(sc.properties ?? {})) if ((sc.required ?? []).includes(k) || (d < 4 && rnd() < .5)) o[k] = gen(v, d + 1); return o; }
  if (t === 'array') return Array.from({ length: Math.min(sc.maxItems ?? 3, Math.max(sc.minItems ?? 0, ri(3))) }, () => gen(sc.items ?? {}, d + 1));
  if (t === 'integer') { const lo = sc.minimum ?? -1000, hi = sc.maximum ?? lo + 2000; return pick([lo, hi, lo + ri(hi - lo + 1)]); }
  if (t === 'number') { const lo = sc.minimum ?? -1000, hi = sc.maximum ?? lo + 2000; return pick([lo, hi, lo + rnd() * (hi - lo)]); }
  if (t === 'boolean') return rnd() < .5; if (t === 'null') return null;
  if (sc.format === 'date-time') return new Date(1.6e12 + rnd() * 2e11).toISOString(); if (sc.format === 'uuid') return '00000000-0000-4000-8000-' + String(ri(1e9)).padStart(12, '0'); if (sc.format === 'uri') return 'https://example.com/' + ri(1e6); if (sc.format === 'email') return 'a' + ri(1e6) + '@example.com';
  if (sc.pattern) { const m = /^\^?\[([^\]]+)\]\{(\d+)\}\$?$/.exec(sc.pattern); if (m) return Array.from({ length: +m[2] }, () => pick('0123456789abcdef')).join(''); }
  let v = pick(['alpha', 'beta gamma', 'é漢字🙂', 'x'.repeat(1 + ri(200)), ...STR.filter(x => !x.includes('\u0000'))]); const lo = sc.minLength ?? 0, hi = sc.maxLength ?? 1e6; while ([...v].length < lo) v += 'x'; return [...v].slice(0, hi).join(''); }
function mutate(v) { const r = ri(9); if (v && typeof v === 'object' && !Array.isArray(v)) { const k = Object.keys(v); const o = { ...v }; if (r < 2 && k.length) delete o[pick(k)]; else if (r < 4) o['x' + ri(1e6)] = pick([1, null, {}]); else if (r === 4) o.__proto__x = 1; else if (k.length) { const q = pick(k); o[q] = pick([null, true, pick(NUM), pick(STR), [], {}, [[[[]]]], mutate(o[q])]); } return o; } return pick([null, true, pick(NUM), pick(STR), [], {}]); }
const fails = new Map(), hits = {}; let sent = 0; const fail = (op, kind, info) => { const k = op + ' | ' + kind; const f = fails.get(k) ?? { n: 0, ex: info }; f.n++; fails.set(k, f); };
const cov = new Set();
async function call(op, o, path, q, method, { body, ctype, auth = AUTH, headers = {}, raw }, invalid, must) {
  const u = new URL(BASE.origin + BASE.pathname.replace(/\/$/, '') + path); for (const [k, v] of q) u.searchParams.append(k, v);
  let r, txt; sent++; try { r = await fetch(u, { method, redirect: 'manual', signal: AbortSignal.timeout(60000), headers: { ...(ctype ? { 'Content-Type': ctype } : {}), ...(auth ? { Authorization: auth } : {}), ...headers }, body: raw ?? (body === undefined ? undefined : JSON.stringify(body)) }); txt = await r.text(); } catch (e) { return fail(op, 'connection failed: ' + (e.cause?.code ?? e.name), { path, body }); }
  hits[r.status] = (hits[r.status] ?? 0) + 1; cov.add(op + ' ' + r.status); const info = { url: u.pathname + u.search, method, status: r.status, ctype: r.headers.get('content-type'), sent: (raw ?? JSON.stringify(body) ?? '').slice(0, 160), got: txt.slice(0, 200) };
  if (r.status >= 500) fail(op, 'server error ' + r.status, info);
  if (must && !must.includes(r.status)) fail(op, `expected ${must.join('/')} got ${r.status}`, info);
  if (invalid && r.status < 300) fail(op, 'invalid input accepted: ' + invalid, info);
  if (r.status === 405 && !r.headers.get('allow')) fail(op, '405 without Allow', info);
  if (r.status === 401 && !r.headers.get('www-authenticate')) fail(op, '401 without WWW-Authenticate', info);
  if (r.headers.get('x-injected')) fail(op, 'header injection', info);
  if (txt && /(mysql|mariadb|syntax error|stack trace|\.c:\d+|SQLSTATE|hiredis)/i.test(txt) && r.status >= 400) fail(op, 'error leaks internals', info);
  if (!o) return r; const rs = o.responses ?? {}, d = deref(rs[r.status] ?? rs[String(r.status)[0] + 'XX'] ?? rs.default);
  if (!d) { if (![405, 413, 414, 431, 429].includes(r.status)) fail(op, 'undocumented status ' + r.status, info); return r; }
  if (d.content && txt) { const ct = (info.ctype ?? '').split(';')[0].trim(), m = d.content[ct]; if (!m) fail(op, `undocumented content-type ${ct} for ${r.status}`, info); else if (m.schema && /json/.test(ct)) { let j; try { j = JSON.parse(txt); } catch { return fail(op, 'body is not JSON', info); } const v = validate(m.schema); if (!v(j)) fail(op, `response schema ${r.status}: ` + ajv.errorsText(v.errors).slice(0, 140), info); } }
  for (const [h, hd] of Object.entries(d.headers ?? {})) if (deref(hd).required && r.headers.get(h) === null) fail(op, 'missing header ' + h, info); return r; }
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
for (const [path, item] of Object.entries(doc.paths)) for (const method of METHODS) { const o = item[method]; if (!o || Date.now() > T1) continue; const op = o.operationId ?? method + ' ' + path, ps = [...(item.parameters ?? []), ...(o.parameters ?? [])].map(deref), bs = deref(o.requestBody), ct = bs && Object.keys(bs.content).find(x => /json/.test(x)), sch = ct && bs.content[ct].schema, secured = (o.security ?? doc.security ?? []).length > 0;
  const mk = (bad) => { let p = path, q = [], h = {}, inv; for (const a of ps) { const useSeed = SEEDS[a.name] && rnd() < .7; let v = useSeed ? pick(SEEDS[a.name]) : gen(a.schema ?? {}); if (bad === a.name) { v = pick([...STR.filter(Boolean), ...NUM.map(String)]); try { const sc = deref(a.schema ?? {}); let c = v; if (['integer', 'number'].includes(sc.type) && v.trim() !== '' && !Number.isNaN(+v)) c = +v; if (!validate(sc)(c)) inv = `${a.in} ${a.name}=${JSON.stringify(v).slice(0, 40)}`; } catch { } }
      if (a.in === 'path') p = p.replace(`{${a.name}}`, encodeURIComponent(String(v)) || 'x'); else if (a.in === 'query' && (a.required || bad === a.name || rnd() < .5)) q.push([a.name, String(v)]); else if (a.in === 'header' && a.required) h[a.name] = String(v).replace(/[^\x20-\x7e]/g, '?'); } return { p, q, h, inv }; };
  for (let i = 0; i < N && Date.now() < T1; i++) { const bad = ps.length && rnd() < .4 ? pick(ps).name : undefined, { p, q, h, inv } = mk(bad); let body = sch ? gen(sch) : undefined, why = inv; if (sch && rnd() < .5) { body = mutate(body); if (!validate(sch)(body)) why = why ?? 'body violates schema'; } await call(op, o, p, q, method.toUpperCase(), { body, ctype: ct, headers: h }, why); }
  const g = mk(); const B = sch ? gen(sch) : undefined, X = { headers: g.h };
  if (secured) for (const a of [undefined, 'Bearer ', 'Bearer ' + 'x'.repeat(4000), 'Basic Zm9vOmJhcg==', 'Bearer é']) try { await call(op, null, g.p, g.q, method.toUpperCase(), { body: B, ctype: ct, auth: a === undefined ? null : Buffer.from(a).toString('latin1'), ...X }, null, [401, 403, 400]); } catch { }
  if (sch) { for (const raw of ['', '{', '[', '{"a":1,}', 'null', '[]', '"x"', '{"a":\u0000}', '['.repeat(20000), '{"a":'.repeat(3000) + '1' + '}'.repeat(3000), '{"content":"a","content":"b"}', '\xff\xfe{}']) await call(op, null, g.p, g.q, method.toUpperCase(), { raw, ctype: ct, ...X }, ['{"content":"a","content":"b"}'].includes(raw) ? null : 'malformed body', null);
    for (const t of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', undefined]) await call(op, null, g.p, g.q, method.toUpperCase(), { raw: JSON.stringify(B), ctype: t, ...X }, null, [415, 400]); }
  for (const m of METHODS) if (!item[m] && m !== 'head') await call(op, null, g.p, g.q, m.toUpperCase(), X, null, [405]); }
console.log(`${sent} requests; statuses ${JSON.stringify(hits)}; op×status pairs seen ${cov.size}`);
for (const [k, f] of [...fails].sort((a, b) => b[1].n - a[1].n)) console.log(`✗ ${f.n}× ${k}\n    ${JSON.stringify(f.ex)}`);
console.log(`${fails.size ? 0 : 1} passed, ${fails.size} failed`); process.exit(fails.size ? 1 : 0);
