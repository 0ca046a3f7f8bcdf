// Contacts: five operations, the page without a browser, another account, and the export.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BASE, ctl, expectStatus, freshAccount, signIn, unique } from './client.mjs';

const dir = mkdtempSync(join(tmpdir(), 'loci-contacts-'));
after(() => rmSync(dir, { recursive: true }));

const AT = '/api/v1/contacts';
let account, other;
before(async () => {
  [account, other] = [await freshAccount(), await freshAccount()];
});

const person = (more = {}) => ({ name: 'Maren', email: `${unique('m')}@example.org`, ...more });
const create = async (body) => (await expectStatus(201, 'POST', AT, { token: account.owner, body })).data;
const audited = async (id) => (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${id}`, { token: account.owner })).data.map((e) => e.kind);

test('created, read, listed, changed and deleted', async () => {
  const made = await create(person({ description: 'the lock gate' }));
  assert.deepEqual([made.description, made.on_call, made.version], ['the lock gate', false, 1]);
  const get = await expectStatus(200, 'GET', `${AT}/${made.id}`, { token: account.owner });
  assert.deepEqual(get.data, made);
  const list = await expectStatus(200, 'GET', AT, { token: account.owner });
  assert.deepEqual(list.data, [made]);
  const changed = (await expectStatus(200, 'PATCH', `${AT}/${made.id}`, { token: account.owner, body: { on_call: true, description: null }, headers: { 'If-Match': get.headers.get('etag') } })).data;
  assert.deepEqual([changed.name, changed.description, changed.on_call, changed.version], ['Maren', null, true, 2]);
  await expectStatus(412, 'PATCH', `${AT}/${made.id}`, { token: account.owner, body: { name: 'N' }, headers: { 'If-Match': get.headers.get('etag') } });
  await expectStatus(204, 'DELETE', `${AT}/${made.id}`, { token: account.owner });
  await expectStatus(404, 'GET', `${AT}/${made.id}`, { token: account.owner });
  assert.deepEqual(await audited(made.id), ['contact.delete', 'contact.update', 'contact.create']);
});

test('pages of the list follow each other', async () => {
  const ids = [];
  for (let i = 0; i < 3; i++) ids.unshift((await create(person())).id);
  const first = await expectStatus(200, 'GET', `${AT}?limit=2`, { token: account.owner });
  const second = await expectStatus(200, 'GET', `${AT}?limit=2&cursor=${first.meta.next_cursor}`, { token: account.owner });
  assert.deepEqual([...first.data, ...second.data].map((x) => x.id), ids);
  assert.deepEqual([first.meta.has_more, second.meta.has_more], [true, false]);
});

test('what is missing, malformed or there already is refused', async () => {
  const made = await create(person());
  assert.match((await expectStatus(422, 'POST', AT, { token: account.owner, body: { email: 'none', colour: 'red' } })).text, /\/name[^]*\/email|\/email[^]*\/name/);
  assert.match((await expectStatus(409, 'POST', AT, { token: account.owner, body: person({ email: made.email }) })).text, /exists already/);
  await expectStatus(403, 'POST', AT, { token: account.token, body: person() });
});

test('another account gets 404 and an empty list', async () => {
  const { id } = await create(person());
  await expectStatus(404, 'GET', `${AT}/${id}`, { token: other.owner });
  await expectStatus(404, 'PATCH', `${AT}/${id}`, { token: other.owner, body: { name: 'Mine' } });
  await expectStatus(404, 'DELETE', `${AT}/${id}`, { token: other.owner });
  assert.deepEqual((await expectStatus(200, 'GET', AT, { token: other.owner })).data, []);
});

test('the pages: a form that creates, shows what is wrong, changes and deletes', async () => {
  const email = `${unique('p')}@example.org`, password = 'a password to sign in';
  await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: { email, name: 'P', role: 'owner', password } });
  const cookie = await signIn({ account: account.slug, email, password });
  const show = async (path) => (await fetch(BASE + path, { headers: { Cookie: cookie } })).text();
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(await show('/admin/contacts'))[1];
  const post = (path, form) => fetch(BASE + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf_token: csrf, ...form }),
    headers: { Cookie: cookie, Origin: BASE, 'Content-Type': 'application/x-www-form-urlencoded' } });

  const wrong = await post('/admin/contacts', { name: 'Tove <b>', email: 'none' });
  assert.match(await wrong.text(), /value="Tove &lt;b&gt;"[^]*aria-invalid="true"/, 'the form again, with what was typed and what is wrong');
  const at = (await post('/admin/contacts', { ...person({ name: 'Tove' }), description: '', boxes: 'on_call', on_call: 'true' })).headers.get('location');
  assert.match(at, /^\/admin\/contacts\/[0-9a-f-]{36}$/);
  assert.match(await show(at), /<h1[^>]*>[^<]*Tove/);
  assert.equal((await post(at, { name: 'Tove H.', if_version: '1', boxes: 'on_call' })).status, 303);
  const kept = (await expectStatus(200, 'GET', `${AT}/${at.split('/').pop()}`, { token: account.owner })).data;
  assert.deepEqual([kept.name, kept.on_call, kept.description, kept.version], ['Tove H.', false, null, 2]);
  assert.match(await show('/admin/contacts'), /Tove H\./);
  assert.equal((await post(`${at}/delete`, {})).status, 303);
  assert.doesNotMatch(await show('/admin/contacts'), /Tove/);
});

test('an export has it, and an import brings it back', async () => {
  const made = await create(person({ description: 'in the file' })), file = join(dir, 'account.jsonl'), slug = unique('back');
  await ctl('export', '--account', account.slug, '--out', file);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.ok(lines.some((l) => l.includes(made.email) && l.includes('in the file')));
  await ctl('account', 'create', '--slug', slug);
  await ctl('import', '--account', slug, '--from', file);
  await ctl('export', '--account', slug, '--out', join(dir, 'back.jsonl'));
  assert.deepEqual(readFileSync(join(dir, 'back.jsonl'), 'utf8').trimEnd().split('\n').slice(1), lines.slice(1));
});
