// The admin pages as nobody, without a form's token, without the permission, and with the ids of another account; the rows
// come from the sources, so that a page that is added is walked, too.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { before, test } from 'node:test';
import { BASE, ctl, expectStatus, signIn, unique } from './client.mjs';
import { snapshot } from './db.mjs';
import { freshWorld, pathOf } from './world.mjs';

// {method, template, perm} of each page row; perm null: for whoever is signed in.
function everyPage() {
  const src = new URL('../../src/', import.meta.url), rows = [];
  for (const room of readdirSync(src, { withFileTypes: true }).filter((d) => d.isDirectory()))
    for (const file of readdirSync(new URL(`${room.name}/`, src)).filter((f) => f.endsWith('_html.c')))
      for (const [, method, path, rest] of readFileSync(new URL(`${room.name}/${file}`, src), 'utf8').matchAll(/\.method = "(\w+)", \.path = "(\/admin[^"]*)"([^]*?)(?=\{\.method|\{0\})/g))
        rows.push({ method, template: path.replace(/:(\w+)/g, '{$1}'), perm: /\.perm = (PERM_\w+)/.exec(rest)?.[1] ?? null });
  return rows;
}

const rows = everyPage();
let a, b, password;

// An owner of the world who can sign in: {cookie, csrf}.
async function person(w, role) {
  const email = `${unique('p')}@example.org`;
  await expectStatus(201, 'POST', '/api/v1/users', { token: w.owner, body: { email, name: 'P', role, password } });
  const cookie = await signIn({ account: w.slug, email, password });
  const page = await show('GET', '/admin/account', { cookie });
  assert.equal(page.status, 200, page.text.slice(0, 300));
  return { cookie, csrf: /name="csrf_token" value="([^"]+)"/.exec(page.text)[1] };
}

async function show(method, path, { cookie, csrf, form = {} } = {}) {
  const r = await fetch(BASE + path, { method, redirect: 'manual', headers: { ...(cookie && { Cookie: cookie }), Origin: BASE, ...(method === 'POST' && { 'Content-Type': 'application/x-www-form-urlencoded' }) },
    ...(method === 'POST' && { body: new URLSearchParams({ ...form, ...(csrf && { csrf_token: csrf }) }) }) });
  return { status: r.status, headers: r.headers, text: await r.text() };
}

const places = (w) => (p) => w.places[p] ?? assert.fail(`say in tests/api/world.mjs what stands for ${p}`);
// What a form would send, as far as it can be guessed; the gate comes before it is read.
const form = { name: 'N', version: '1', reason: 'r', role: 'viewer', level: 'read', grantee_kind: 'everyone', new_password: 'a new password', kind: 'expired_cleanup' };

before(async () => {
  password = 'a password to sign in';
  [a, b] = [await freshWorld(), await freshWorld()];
  for (const w of [a, b]) w.places['sessions/id'] = w.places['sessions/session_id'];
});

test('the rows are found', () => assert.ok(rows.length >= 40 && rows.some((r) => r.method === 'POST'), `${rows.length} pages`));

test('without a session: to the login and back, and nothing done', async () => {
  const state = await snapshot(a.accountId, { audit: true });
  for (const r of rows) {
    const path = pathOf(r.template, places(a));
    for (const cookie of [undefined, 'loci_session=garbage', `loci_session=${'A'.repeat(80)}`]) {
      const answer = await show(r.method, path, { cookie, form });
      assert.equal(answer.status, 303, `${r.method} ${path}: ${answer.status}`);
      assert.match(answer.headers.get('location'), /^\/login/);
      if (r.method === 'GET' && r.template !== '/admin') assert.ok(decodeURIComponent(answer.headers.get('location')).includes(path), 'and back');
    }
  }
  assert.deepEqual(await snapshot(a.accountId, { audit: true }), state);
});

test('a change without its form\'s token: refused, and nothing done', async () => {
  const { cookie } = await person(a, 'owner'), other = await person(b, 'owner');
  const state = await snapshot(a.accountId);
  for (const r of rows.filter((x) => x.method === 'POST')) {
    const path = pathOf(r.template, places(a));
    for (const csrf of [undefined, 'x', other.csrf]) {
      const answer = await show('POST', path, { cookie, csrf, form });
      assert.equal(answer.status, 403, `${path}: ${answer.status}`);
    }
  }
  assert.deepEqual(await snapshot(a.accountId), state);
});

test('without the permission: a page that says so, and nothing done', async () => {
  const role = unique('role');
  await expectStatus(201, 'POST', '/api/v1/roles', { token: a.owner, body: { name: role, permissions: ['admin.access'] } });
  const { cookie, csrf } = await person(a, role);
  const state = await snapshot(a.accountId);
  for (const r of rows.filter((x) => x.perm && x.perm !== 'PERM_ADMIN_ACCESS')) {
    const answer = await show(r.method, pathOf(r.template, places(a)), { cookie, csrf, form });
    assert.equal(answer.status, 403, `${r.method} ${r.template}: ${answer.status}`);
    assert.ok(!answer.text.includes(a.canary), r.template);
  }
  assert.deepEqual(await snapshot(a.accountId), state);
});

test('with the ids of another account: not found, nothing told, nothing done', async () => {
  const { cookie, csrf } = await person(b, 'owner');
  const states = [await snapshot(a.accountId, { audit: true }), await snapshot(b.accountId)];
  for (const r of rows.filter((x) => x.template.includes('{') && !x.template.includes('jobs/{name}'))) {
    const path = pathOf(r.template, places(a));
    const answer = await show(r.method, path, { cookie, csrf, form });
    assert.ok(answer.status === 404 || (answer.status === 303 && r.method === 'POST'), `${r.method} ${path}: ${answer.status}`);
    assert.ok(!answer.text.includes(a.canary), `${r.template} tells what is another account's`);
  }
  assert.deepEqual(await snapshot(a.accountId, { audit: true }), states[0]);
  assert.deepEqual(await snapshot(b.accountId), states[1]);
});

test('no page of one account shows another', async () => {
  const { cookie } = await person(b, 'owner');
  for (const r of rows.filter((x) => x.method === 'GET' && !x.template.includes('{'))) {
    const answer = await show('GET', r.template, { cookie });
    assert.ok([200, 403].includes(answer.status), `${r.template}: ${answer.status}`);
    assert.ok(!answer.text.includes(a.canary), r.template);
  }
});

test('pages forbid what they do not need: no inline code, no framing, no sniffing, no store', async () => {
  const { cookie } = await person(a, 'owner');
  for (const path of ['/login', ...rows.filter((x) => x.method === 'GET' && !x.template.includes('{')).map((r) => r.template)]) {
    const r = await show('GET', path, { cookie: path === '/login' ? undefined : cookie });
    const csp = r.headers.get('content-security-policy') ?? '';
    assert.match(csp, /default-src 'none'|default-src 'self'/, path);
    assert.ok(!csp.includes('unsafe-inline') && !csp.includes('unsafe-eval'), `${path}: ${csp}`);
    assert.match(csp, /frame-ancestors 'none'/, path);
    assert.equal(r.headers.get('x-content-type-options'), 'nosniff');
    assert.match(r.headers.get('cache-control') ?? '', /no-store/, path);
    assert.doesNotMatch(r.text, /<script(?![^>]*\bsrc=)(?![^>]*type="application\/json")[^>]*>|\son\w+="/, path);
  }
});

test('the first steps stay until an agent has called, whatever a person writes', async () => {
  const w = await freshWorld(), { cookie } = await person(w, 'admin');
  assert.doesNotMatch((await show('GET', '/admin', { cookie })).text, /First steps/, 'the agents of this world have called');
  const slug = unique('first'), email = `${slug}@example.org`;
  await ctl('account', 'create', '--slug', slug);
  await ctl('user', 'create', '--account', slug, '--email', email, '--role', 'owner', '--name', 'Owner');
  const fresh = { slug, owner: await ctl('token', 'create', '--account', slug, '--user', email, '--name', 'test') };
  const owner = await person(fresh, 'owner');
  const space = (await expectStatus(200, 'GET', '/api/v1/spaces', { token: fresh.owner })).data[0];
  await expectStatus(201, 'POST', '/api/v1/nodes', { token: fresh.owner, body: { kind: 'note', body: 'Written by a person.', space_id: space.id } });
  assert.match((await show('GET', '/admin', owner)).text, /First steps/);
});
