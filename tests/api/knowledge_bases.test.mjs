// Knowledge bases: settings, status, who has access, the space behind them, and the page.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, freshAgent, signIn, unique } from './client.mjs';

const K = '/api/v1/ai/rag/knowledge_bases';
let account, other, token, stranger;
before(async () => {
  [account, other] = [await freshAccount(), await freshAccount()];
  token = account.token;
  stranger = await freshAgent(account);
});

const make = async (body = {}, as = token) => (await expectStatus(201, 'POST', K, { token: as, body: { name: unique('base'), ...body } })).data;
const get = async (b, as = token) => (await expectStatus(200, 'GET', `${K}/${b.id}`, { token: as })).data;
const move = (b, verb, as = token) => call('POST', `${K}/${b.id}/${verb}`, { token: as, body: {} });
const listed = async (query = '', as = token) => (await expectStatus(200, 'GET', `${K}?limit=100${query}`, { token: as })).data.map((b) => b.id);
const kinds = async (b) => (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${b.id}&limit=100`, { token: account.owner })).data.map((e) => e.kind);

test('a base is created with defaults, read, listed, changed and found by its name', async () => {
  const b = await make({ description: 'rules of the port' });
  assert.deepEqual([b.status, b.chunking_strategy, b.chunk_size, b.chunk_overlap, b.embedding_model, b.is_public, b.log_queries, b.access, b.version],
    ['active', 'recursive', 1000, 200, null, false, 'full', 'manage', 1]);
  assert.deepEqual([b.document_count, b.chunk_count, b.query_count, b.last_indexed_at], [0, 0, 0, null]);
  assert.deepEqual(await get(b), b);
  assert.ok((await listed(`&q=${b.name.slice(1)}`)).includes(b.id));
  assert.ok(!(await listed('&q=%25')).includes(b.id), 'a percent sign means itself');
  const r = await expectStatus(200, 'PATCH', `${K}/${b.id}`, { token, body: { name: 'Port rules', chunk_size: 400, chunk_overlap: 100, chunking_strategy: 'semantic' }, headers: { 'If-Match': '"1"' } });
  assert.deepEqual([r.data.name, r.data.chunk_size, r.data.chunking_strategy, r.data.version], ['Port rules', 400, 'semantic', 2]);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/spaces/${b.id}`, { token })).data.name, 'Port rules');
  await expectStatus(412, 'PATCH', `${K}/${b.id}`, { token, body: { name: 'x' }, headers: { 'If-Match': '"1"' } });
  await expectStatus(200, 'PATCH', `/api/v1/spaces/${b.id}`, { token, body: { name: unique('by the other door') } });
  assert.match((await get(b)).name, /^by the other door/);
});

test('a name is unique among live bases, whichever door makes or renames them', async () => {
  const a = await make(), b = await make();
  assert.match((await expectStatus(409, 'POST', K, { token, body: { name: a.name } })).text, /exists already/);
  await expectStatus(409, 'PATCH', `${K}/${b.id}`, { token, body: { name: a.name } });
  await expectStatus(409, 'PATCH', `/api/v1/spaces/${b.id}`, { token, body: { name: a.name } });
  assert.equal((await get(b)).name, b.name);
  await expectStatus(204, 'DELETE', `${K}/${a.id}`, { token });
  await expectStatus(404, 'GET', `${K}/${a.id}`, { token });
  const again = await make({ name: a.name });
  await expectStatus(409, 'POST', `${K}/${a.id}/restore`, { token, body: {} });
  await expectStatus(200, 'PATCH', `${K}/${again.id}`, { token, body: { name: unique('other') } });
  assert.equal((await expectStatus(200, 'POST', `${K}/${a.id}/restore`, { token, body: {} })).data.name, a.name);
  const space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { kind: 'knowledge_base', name: unique('made as a space') } })).data;
  assert.equal((await get(space)).chunk_size, 1000);
});

test('settings out of their limits are refused by name', async () => {
  for (const [body, name] of [[{ chunk_size: 199 }, 'chunk_size'], [{ chunk_size: 8001 }, 'chunk_size'], [{ chunk_overlap: 600 }, 'chunk_overlap'],
    [{ chunking_strategy: 'fixed' }, 'chunking_strategy'], [{ embedding_provider: 'openai' }, 'embedding_provider'], [{ embedding_model: 'none-such' }, 'embedding_model'],
    [{ log_queries: 'some' }, 'log_queries'], [{ name: '' }, 'name'], [{ name: 'x'.repeat(256) }, 'name']]) {
    const r = await expectStatus(422, 'POST', K, { token, body: { name: unique('b'), ...body } });
    assert.ok(r.body.errors.some((e) => e.pointer === `/${name}`), `${name}: ${r.text}`);
  }
});

test('pause and archive: from where it is allowed, and what they stop', async () => {
  const b = await make();
  assert.equal((await move(b, 'resume')).status, 409);
  assert.equal((await move(b, 'pause')).data.status, 'paused');
  const twice = await move(b, 'pause');
  assert.deepEqual([twice.status, twice.body.reason], [409, 'base_state']);
  assert.match(twice.text, /is paused/);
  assert.equal((await move(b, 'resume')).data.status, 'active');
  assert.equal((await move(b, 'archive')).data.status, 'archived');
  assert.ok(!(await listed()).includes(b.id) && (await listed('&status=archived')).includes(b.id));
  await expectStatus(409, 'PATCH', `${K}/${b.id}`, { token, body: { chunk_size: 500 } });
  assert.equal((await move(b, 'pause')).status, 409);
  assert.equal((await expectStatus(200, 'POST', `/api/v1/spaces/${b.id}/unarchive`, { token, body: {} })).status, 200);
  assert.equal((await get(b)).status, 'active', 'the status follows the space');
  assert.deepEqual((await kinds(b)).filter((k) => k.startsWith('knowledge_base.')), ['knowledge_base.resume', 'knowledge_base.pause', 'knowledge_base.create']);
});

test('nobody else has access until it is granted; a reader does not change it', async () => {
  const b = await make();
  for (const as of [stranger.token, other.owner]) {
    await expectStatus(404, 'GET', `${K}/${b.id}`, { token: as });
    assert.ok(!(await listed('', as)).includes(b.id));
    for (const verb of ['pause', 'archive', 'restore']) assert.equal((await move(b, verb, as)).status, 404);
    await expectStatus(404, 'DELETE', `${K}/${b.id}`, { token: as });
  }
  await expectStatus(200, 'PATCH', `${K}/${b.id}`, { token, body: { is_public: true } });
  assert.equal((await get(b, stranger.token)).access, 'read');
  assert.equal((await move(b, 'pause', stranger.token)).status, 403);
  await expectStatus(403, 'PATCH', `${K}/${b.id}`, { token: stranger.token, body: { name: 'mine' } });
  await expectStatus(200, 'PATCH', `${K}/${b.id}`, { token, body: { is_public: false } });
  await expectStatus(404, 'GET', `${K}/${b.id}`, { token: stranger.token });
});

test('notes do not go into a base by the generic call', async () => {
  const b = await make();
  await expectStatus(409, 'POST', '/api/v1/nodes', { token, body: { space_id: b.id, kind: 'note', title: 't', body: 'b' } });
});

test('the page: a base is created, paused, resumed and deleted with forms', async () => {
  const email = `${unique('p')}@example.org`, password = 'a password to sign in', name = unique('Rules <b>');
  await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: { email, name: 'P', role: 'owner', password } });
  const cookie = await signIn({ account: account.slug, email, password });
  const show = async (path) => (await fetch(BASE + path, { headers: { Cookie: cookie } })).text();
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(await show('/admin/knowledge'))[1];
  const post = (path, form) => fetch(BASE + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf_token: csrf, ...form }),
    headers: { Cookie: cookie, Origin: BASE, 'Content-Type': 'application/x-www-form-urlencoded' } });
  const form = { name, description: '', chunking_strategy: 'recursive', chunk_size: '600', chunk_overlap: '100', log_queries: 'full', boxes: 'is_public' };
  assert.match(await (await post('/admin/knowledge', { ...form, chunk_overlap: '500' })).text(), /Rules &lt;b&gt;[^]*at most half/);
  const at = (await post('/admin/knowledge', form)).headers.get('location');
  assert.match(await show(at), /Rules &lt;b&gt;[^]*600/);
  assert.equal((await post(`${at}/pause`, {})).status, 303);
  assert.match(await show(at), /paused[^]*Resume/);
  assert.equal((await post(`${at}/resume`, {})).status, 303);
  assert.equal((await post(`${at}/delete`, {})).status, 303);
  assert.doesNotMatch(await show('/admin/knowledge'), new RegExp(name.slice(9)));
});
