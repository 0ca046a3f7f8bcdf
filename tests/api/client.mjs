// What the API tests share: a client that checks every answer against the OpenAPI document, and accounts to test with.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export const BASE = process.env.LOCI_URL;
export const BASE2 = process.env.LOCI_URL2 ?? BASE;      // a second loci-web over the same stores
assert.ok(BASE, 'LOCI_URL is not set: run ./check api');

const exec = promisify(execFile);

// locictl with the stack's configuration; resolves to what it printed, without the last line break.
export async function ctl(...args) {
  const { stdout } = await exec(process.env.LOCI_CTL, ['--config', process.env.LOCI_CONF, ...args], { maxBuffer: 1 << 26 });
  return stdout.trimEnd();
}

// scripts/stack.sh on the test's own stack: stack('kill', 'web').
export async function stack(...args) {
  return exec('bash', [fileURLToPath(new URL('../../scripts/stack.sh', import.meta.url)), ...args], { timeout: 120000 });
}

// The second loci-web with other settings ({LOCI_HTTP_DEADLINE_S: '1'}) while `run` runs, then as it was.
export async function withSettings(env, run) {
  Object.assign(process.env, env);
  try {
    await stack('restart', 'web2');
    await run();
  } finally {
    for (const k of Object.keys(env)) delete process.env[k];
    await stack('restart', 'web2');
  }
}

let documentPromise;
export const openapi = () => (documentPromise ??= fetch(`${BASE}/api/v1/openapi.json`).then((r) => r.json()));

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
const validators = new Map();

async function validator(schema, key) {
  const doc = await openapi();
  if (!validators.has(key)) {
    if (!ajv.getSchema('doc')) ajv.addSchema({ $id: 'doc', ...doc }, 'doc');
    validators.set(key, ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/'))));
  }
  return validators.get(key);
}

const deref = (doc, x) => (x?.$ref ? x.$ref.slice(2).split('/').reduce((o, k) => o[k], doc) : x);

// The document's row for this method and path; fixed segments win over parameters.
export async function operation(method, path) {
  const doc = await openapi();
  const want = path.split('?')[0].split('/');
  let best;
  for (const [template, item] of Object.entries(doc.paths)) {
    const have = template.split('/');
    const fits = have.length === want.length && have.every((s, i) => s === want[i] || (s[0] === '{' && want[i]));
    const fixed = have.filter((s) => s[0] !== '{').length;
    if (fits && (!best || fixed > best.fixed)) best = { fixed, template, row: item[method.toLowerCase()] };
  }
  return best?.row && best;
}

// The answer must be one that the document promises.
async function checkAnswer(method, path, r) {
  const op = await operation(method, path);
  if (!op) return;
  const doc = await openapi();
  const promised = deref(doc, op.row.responses[r.status]);
  assert.ok(promised, `${method} ${op.template}: status ${r.status} is not in the document (${r.text.slice(0, 300)})`);
  const media = (r.headers.get('content-type') ?? '').split(';')[0];
  if (!promised.content || !r.text) return;
  assert.ok(promised.content[media], `${method} ${op.template}: ${media} is not in the document for ${r.status}`);
  if (!media.includes('json') || media.includes('ndjson')) return;
  const valid = await validator(promised.content[media].schema, `${method} ${op.template} ${r.status}`);
  assert.ok(valid(r.body), `${method} ${op.template} ${r.status}: ${ajv.errorsText(valid.errors)} in ${r.text.slice(0, 500)}`);
}

// One request. options: token (null: none), body (an object, or raw with `raw`), headers, base.
// → {status, headers, text, body, data, meta, code}
export async function call(method, path, { token, body, raw, headers = {}, base = BASE, check = true } = {}) {
  const init = { method, redirect: 'manual', headers: { ...headers }, signal: AbortSignal.timeout(60000) };
  if (token) init.headers.Authorization ??= `Bearer ${token}`;
  if (body !== undefined) {
    init.headers['Content-Type'] ??= 'application/json';
    init.body = JSON.stringify(body);
  } else if (raw !== undefined) {
    init.headers['Content-Type'] ??= 'application/json';
    init.body = raw;
  }
  // LOCI_KEYED=1 ./check api: the whole suite again, each POST in one transaction with its answer.
  if (process.env.LOCI_KEYED && method === 'POST' && token && path.startsWith('/api/')) init.headers['Idempotency-Key'] ??= randomBytes(9).toString('hex');
  const res = await fetch(base + path, init);
  const r = { status: res.status, headers: res.headers, text: await res.text() };
  if (r.text && (res.headers.get('content-type') ?? '').includes('json') && !(res.headers.get('content-type') ?? '').includes('ndjson')) {
    r.body = JSON.parse(r.text);
    r.data = r.body.data;
    r.meta = r.body.meta;
    r.code = r.body.code;
  }
  if (check && path.startsWith('/api/')) await checkAnswer(method, path, r);
  return r;
}

// The same, but the status must be as expected.
export async function expectStatus(status, method, path, options) {
  const r = await call(method, path, options);
  assert.equal(r.status, status, `${method} ${path}: ${r.status} ${r.text.slice(0, 500)}`);
  return r;
}

// An entry of a context: 201 when it is new, 200 when there was one under its key.
export async function expectEntry(contextPath, options) {
  const r = await call('POST', `${contextPath}/entries`, options);
  assert.equal(r.status, r.data?.created === false ? 200 : 201, `POST ${contextPath}/entries: ${r.status} ${r.text.slice(0, 500)}`);
  return r;
}

export const unique = (word = 't') => `${word}-${randomBytes(5).toString('hex')}`;

// A fresh account with an owner (by token), an agent and its token.
export async function freshAccount() {
  const slug = unique('acct');
  await ctl('account', 'create', '--slug', slug);
  const email = `${slug}@example.org`;
  await ctl('user', 'create', '--account', slug, '--email', email, '--role', 'owner', '--name', 'Owner');
  await ctl('agent', 'create', '--account', slug, '--slug', 'one', '--name', 'Agent one');
  const owner = await ctl('token', 'create', '--account', slug, '--user', email, '--name', 'test', '--toolset', 'full');
  const token = await ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'test', '--toolset', 'full');
  return { slug, email, owner, token };
}

// Another agent of the account, with a token; role: agent, trusted, readonly.
export async function freshAgent(account, role = 'agent') {
  const slug = unique('agent');
  const id = await ctl('agent', 'create', '--account', account.slug, '--slug', slug, '--role', role);
  return { slug, id, token: await ctl('token', 'create', '--account', account.slug, '--agent', slug, '--name', 'test', '--toolset', 'full') };
}

// A person with a role, by token.
export async function freshUser(account, role = 'viewer') {
  const email = `${unique('user')}@example.org`;
  const id = await ctl('user', 'create', '--account', account.slug, '--email', email, '--role', role, '--name', role);
  return { email, id, token: await ctl('token', 'create', '--account', account.slug, '--user', email, '--name', 'test', '--toolset', 'full') };
}

// The cookies that an answer sets, a line each: the Node.js of Debian 12 has no getSetCookie().
export const setCookies = (headers) => headers.getSetCookie?.() ?? (headers.get('set-cookie') ?? '').split(/, (?=[\w-]+=)/).filter(Boolean);

// A browser's session, as the login page makes it; resolves to its cookie.
export async function signIn({ account = '', email = process.env.LOCI_ADMIN_EMAIL, password = process.env.LOCI_ADMIN_PASSWORD } = {}) {
  const form = await fetch(`${BASE}/login`);
  const door = setCookies(form.headers).map((c) => c.split(';')[0]).join('; ');
  const csrf = /name="csrf_token" value="([^"]*)"/.exec(await form.text())[1];
  const r = await fetch(`${BASE}/login`, { method: 'POST', redirect: 'manual', headers: { Cookie: door, Origin: BASE, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ csrf_token: csrf, return_to: '', account, email, password }) });
  const text = await r.text();
  assert.equal(r.status, 303, `POST /login: ${r.status} ${text.slice(0, 300)}`);
  return setCookies(r.headers).map((c) => c.split(';')[0]).find((c) => c.startsWith('loci_session='));
}

// An operator of an account of its own, by token; one for each test file.
let operatorPromise;
export const operator = () => (operatorPromise ??= (async () => {
  const slug = unique('operators'), email = `${slug}@example.org`;
  await ctl('account', 'create', '--slug', slug);
  await ctl('user', 'create', '--account', slug, '--email', email, '--role', 'owner', '--name', 'Operator', '--operator');
  return ctl('token', 'create', '--account', slug, '--user', email, '--name', 'test');
})());

// Waits until what goes on behind the answers of an account (its slug) is done; without: of all accounts. parts: only these of relay, vectors,
// uses, queue and runs; kinds: only these kinds of task. The server waits; nothing is polled here.
export async function settled(account, { parts, kinds } = {}) {
  const named = { ...(account && { account: [account] }), parts, kinds, wait_s: [25] };
  const query = new URLSearchParams(Object.entries(named).flatMap(([name, values]) => (values ?? []).map((v) => [name, v])));
  let state;
  for (let i = 0; i < 3 * patience; i++) {
    state = (await expectStatus(200, 'GET', `/api/v1/system/settled?${query}`, { token: await operator() })).data;
    if (state.settled) return state;
  }
  return assert.fail(`not settled: ${JSON.stringify(state)}`);
}

// Until all nodes have their vectors, which recall sees at once.
export const embedded = (account) => settled(account, { parts: ['vectors', 'queue'], kinds: ['embed', 'reembed'] });

// A run of a job, or an account's part of one, when no run is under way any more; account: null where others are asked, too.
export async function runEnded(account, id, token = account.owner) {
  await settled(account?.slug, { parts: ['runs'] });
  const { run } = (await expectStatus(200, 'GET', `/api/v1/job_runs/${id}`, { token })).data;
  assert.ok(!['waiting', 'running'].includes(run.status), JSON.stringify(run));
  return run;
}

// Moves the clock of the stack on ('90s', '15m', '12h', '30d'), never back; resolves to the time then. The next test file gets a fresh stack.
export const moveClock = async (by) => new Date(await ctl('clock', 'move', by));

const patience = process.env.LOCI_SLOW ? 6 : 1;          // under the sanitizers what is done behind an answer takes its time

// Waits for a state instead of sleeping: a minute at least, since what works takes no longer for it.
export async function until(what, ask, { tries = 1200, pause = 50 } = {}) {
  for (let i = 0; i < tries * patience; i++) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((go) => setTimeout(go, pause));
  }
  assert.fail(`did not happen in time: ${what}`);
}

// Until a node's vector is in loci-web's index. To try what the vector is for, again and again, would fill the index with what was tried.
export const untilByMeaning = (id, query, token) => until('its vector serves', async () =>
  (await expectStatus(200, 'POST', '/api/v1/recall', { token, body: { query, mode: 'vector', limit: 100, touch: false } })).data.hits.some((h) => h.id === id && h.similarity >= 0));      // -1: found, but not by its meaning

// For a test whose steps must lie in one UTC day: where midnight is nearer than its `seconds`, it begins after it.
export const withinDay = (seconds = 60) => until('midnight to be over', () => 86400000 - Date.now() % 86400000 > seconds * 1000 * patience, { tries: seconds * 20 + 200 });
