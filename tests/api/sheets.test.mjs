// Every list page as CSV: the filters of the page, all pages of the list, nothing that a spreadsheet would run, and nobody's rows but the reader's.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, expectStatus, freshAccount, signIn, unique } from './client.mjs';

let account, cookie;
const sheet = async (path, as = cookie) => {
  const r = await fetch(`${BASE}${path}${path.includes('?') ? '&' : '?'}csv=1`, { headers: { Cookie: as }, redirect: 'manual' });
  return { status: r.status, type: r.headers.get('content-type'), name: r.headers.get('content-disposition'), rows: (await r.text()).trimEnd().split('\r\n') };
};
async function person(a, role) {
  const email = `${unique('s')}@example.org`, password = 'a password to sign in';
  await expectStatus(201, 'POST', '/api/v1/users', { token: a.owner, body: { email, name: 'S', role, password } });
  return signIn({ account: a.slug, email, password });
}
before(async () => {
  account = await freshAccount();
  cookie = await person(account, 'owner');
});

test('goals: a row each, formulas are words', async () => {
  for (const title of ['=1+1', 'Two, "quoted"']) await expectStatus(201, 'POST', '/api/v1/ai/goals', { token: account.token, body: { title, goal_type: 'maintenance' } });
  const { status, type, name, rows } = await sheet('/admin/goals');
  assert.deepEqual([status, type, name], [200, 'text/csv; charset=utf-8; header=present', 'attachment; filename="goal.list.csv"']);
  assert.equal(rows.length, 3);
  assert.match(rows[0], /(^|,)title(,|$)/);
  const text = rows.join('\n');
  assert.ok(!/(^|,)=1\+1/m.test(text), text);
});

test('all pages of a list, with the filter of the page', async () => {
  const space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: account.owner, body: { kind: 'context', name: 'Shared', slug: unique('sheet') } })).data.id;
  await expectStatus(201, 'POST', `/api/v1/spaces/${space}/grants`, { token: account.owner, body: { grantee_kind: 'everyone', level: 'write' } });
  const lines = Array.from({ length: 130 }, (_, i) => JSON.stringify({ kind: 'note', space_id: space, title: `Row ${i}`, body: `row ${i} of many` })).join('\n');
  await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token: account.owner, raw: lines, headers: { 'Content-Type': 'application/x-ndjson' } });
  const all = await sheet('/admin/nodes?kind=note');
  assert.equal(all.rows.length, 131, all.rows[0]);
  assert.equal((await sheet('/admin/nodes?kind=entity')).rows.length, 1, 'only the head');
});

test('what a page refuses its CSV refuses; other accounts see their own', async () => {
  const other = await freshAccount();
  assert.equal((await sheet('/admin/goals', await person(other, 'owner'))).rows.length, 1);
  assert.equal((await sheet('/admin/users', await person(account, 'viewer'))).status, (await fetch(`${BASE}/admin/users`, { headers: { Cookie: await person(account, 'viewer') } })).status);
  assert.doesNotMatch((await fetch(`${BASE}/admin/goals?csv=1`)).headers.get('content-type'), /csv/, 'without a session: the login');
});

test('every list page says where its CSV is', async () => {
  for (const path of ['/admin/goals', '/admin/observations', '/admin/proposals', '/admin/recommendations', '/admin/escalations', '/admin/notifications', '/admin/feedback', '/admin/teams']) {
    const text = await (await fetch(BASE + path, { headers: { Cookie: cookie } })).text();
    assert.match(text, /href="[^"]*csv(=|&#x3D;)1" download/, path);
    assert.equal((await sheet(path)).status, 200, path);
  }
});
