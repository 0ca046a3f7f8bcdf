// Documents with readers of their own: at every door nothing of them shows to readers of the base, and only them to theirs.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, BASE2, call, ctl, embedded, expectStatus, freshAccount, freshAgent, runEnded, settled, signIn, unique } from './client.mjs';
import { sql } from './db.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`, G = '/api/v1/ai/knowledge_graph';
let account, token, reader, clerk, base, plain, hidden, mark, ids;
const post = async (path, body, status = 200, as = token) => (await expectStatus(status, 'POST', path, { token: as, body })).data;
const get = async (path, status = 200, as = token) => (await expectStatus(status, 'GET', path, { token: as })).data;
const patch = async (path, body, status = 200, as = token) => (await expectStatus(status, 'PATCH', path, { token: as, body })).data;
const add = (name, content, more = {}) => post(D, { knowledge_base_id: base.id, name, content, ...more }, 201);
const done = () => settled(account.slug, { parts: ['queue'], kinds: ['process_document'] });
const onlyClerk = () => ({ read: { agents: [clerk.id] } });
const QUESTION = 'Where does Zora Quist keep the vault near North Quay?';

before(async () => {
  account = await freshAccount();
  token = account.token;
  [reader, clerk] = [await freshAgent(account), await freshAgent(account)];
  base = await post(K, { name: unique('base'), is_public: true }, 201);
  mark = unique('marigold');
  for (let i = 0; i < 3; i++) await add(`Log ${i}`, `On day ${i} Greta Holm met Sea Otter and Baltic Towing at North Quay.`);
  plain = await add('Tide table', 'The tide at North Quay turns at noon. Greta Holm wrote it down.');
  hidden = await add(`Vault ${mark}`, `Zora Quist keeps the vault of ${mark} near North Quay. Ulla Brand holds the second key of ${mark}.`, { access: onlyClerk() });
  await add(`Letters ${mark}`, `Zora Quist wrote to Ulla Brand about ${mark}; North Quay is mentioned once.`, { access: onlyClerk() });
  await done();
  await embedded(account.slug);
  ids = (await sql(`SELECT id FROM node WHERE space_id = '${hidden.space_id}'`)).map((r) => r[0]);
});

// Everything that one may ask about a base or about what is in it; [what, call].
const doors = () => {
  const q = encodeURIComponent(QUESTION), of = `knowledge_base_id=${base.id}`;
  const rows = [['GET', `${K}`], ['GET', `${K}/${base.id}`], ['GET', `${D}?limit=100`], ['GET', `${D}?${of}&limit=100`], ['GET', `${D}?q=Vault`]];
  for (const mode of ['vector', 'keyword', 'graph', 'hybrid']) rows.push(['GET', `${R}/query?query=${q}&mode=${mode}&explain=true`], ['GET', `${R}/search?query=${q}&mode=${mode}&${of}`]);
  rows.push(['GET', `${R}/ask?query=${q}`], ['POST', `${R}/ask`, { query: QUESTION, knowledge_base_id: base.id }],
    ['POST', `${R}/graph/retrieve`, { query: QUESTION }], ['POST', `${R}/graph/retrieve`, { query: QUESTION, knowledge_base_ids: [base.id], max_hops: 5 }],
    ['POST', `${R}/graph/context`, { query: QUESTION }], ['GET', `${R}/analytics?${of}`], ['GET', `${R}/queries`],
    ['POST', '/api/v1/recall', { query: QUESTION, explain: true }], ['POST', '/api/v1/recall', { query: QUESTION, kinds: ['chunk', 'entity', 'document', 'community'], mode: 'keyword' }],
    ['POST', '/api/v1/recall/explain', { query: QUESTION }], ['GET', `${G}/search?query=Zora`], ['GET', `${G}/search?query=Ulla%20Brand&${of}`],
    ['GET', `${G}/nodes?limit=100`], ['GET', `${G}/nodes?${of}&query=Zora`], ['POST', `${G}/reason`, { query: 'How do Greta Holm and Zora Quist relate?' }],
    ['GET', `${G}/communities`], ['GET', `${G}/communities?${of}`], ['GET', '/api/v1/spaces?limit=100'], ['GET', '/api/v1/events'], ['GET', '/api/v1/nodes?limit=100']);
  for (const name of ['North Quay', 'Greta Holm']) {
    const at = hidden.names?.[name];
    if (at) rows.push(['GET', `${G}/nodes/${at}`], ['GET', `${G}/nodes/${at}/neighbors?depth=3&mentions=true`], ['POST', `${G}/subgraph`, { node_ids: [at], depth: 2 }], ['GET', `/api/v1/nodes/${at}`]);
  }
  for (const [name, args] of [['query_knowledge_base', { query: QUESTION }], ['search_documents', { query: QUESTION }], ['ask_documents', { query: QUESTION }], ['list_documents', {}],
    ['list_knowledge_bases', {}], ['build_rag_context', { query: QUESTION }], ['search_knowledge_graph', { query: 'Zora' }], ['recall', { query: QUESTION }], ['list_communities', {}]])
    rows.push(['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }, true]);
  return rows;
};
const ask = async ([method, path, body, isMcp], as, at = BASE) => (await call(method, path, { token: as, body, base: at, check: false,
  headers: isMcp ? { Accept: 'application/json, text/event-stream' } : {} }));
const tells = (text) => text.includes(mark) || ids.some((id) => text.includes(id));

test('a reader of the base meets nothing of it at any door; who is on the list meets only it; then the list changes', async () => {
  hidden.names = Object.fromEntries(await sql(`SELECT title, id FROM node WHERE space_id = '${base.id}' AND kind = 'entity' AND forgotten_at IS NULL`));
  for (const space_id of [base.id, hidden.space_id]) await post(`${G}/communities/rebuild`, { space_id });
  ids = (await sql(`SELECT id FROM node WHERE space_id = '${hidden.space_id}'`)).map((r) => r[0]);
  assert.ok(ids.length > 4, 'document, chunk and names lie in the section');
  let known = 0;
  for (const row of doors()) {
    const r = await ask(row, reader.token);
    assert.ok(r.status < 500 && !tells(r.text), `${row[0]} ${row[1]} ${JSON.stringify(row[2] ?? '')}: ${r.status} ${r.text.slice(0, 2000)}`);
    known += tells((await ask(row, token)).text);
  }
  assert.ok(known > 20, `who manages the base meets it at ${known} doors`);
  const chunk = (await get(`${D}/${hidden.id}/chunks`))[0];
  for (const [method, path, body] of [['GET', `${D}/${hidden.id}`], ['GET', `${D}/${hidden.id}/text`], ['GET', `${D}/${hidden.id}/chunks`], ['GET', `${D}/${hidden.id}/diff`], ['GET', `${D}/${hidden.id}/original`],
    ['GET', `${R}/chunks/${chunk.id}?neighbors=2`], ['GET', `/api/v1/nodes/${chunk.id}`], ['GET', `/api/v1/nodes/${hidden.id}`], ['POST', `/api/v1/nodes/${chunk.id}/similar`, {}],
    ['GET', `${G}/nodes/${hidden.id}/neighbors`], ['PATCH', `${D}/${hidden.id}`, { name: 'x' }], ['PUT', `${D}/${hidden.id}/content`, { content: 'x' }], ['DELETE', `${D}/${hidden.id}`],
    ...['process', 'archive', 'unarchive', 'restore', 'revert', 'refresh'].map((v) => ['POST', `${D}/${hidden.id}/${v}`, {}]), ['GET', `/api/v1/spaces/${hidden.space_id}`]]) {
    const mine = await call(method, path, { token: reader.token, body }), none = await call(method, path.replace(/[0-9a-f-]{36}/, (id) => `${id.slice(0, -12)}00000000ffff`), { token: reader.token, body });
    assert.deepEqual([mine.status, none.status], [404, 404], `${method} ${path}: ${mine.text}`);
  }
  assert.equal((await get(`${K}/${base.id}`, 200, reader.token)).document_count, 4);
  assert.equal((await get(`${K}/${base.id}`)).document_count, 6);
  const figures = await get(`${G}/statistics?knowledge_base_id=${base.id}`, 200, reader.token), all = await get(`${G}/statistics?knowledge_base_id=${base.id}`);
  assert.ok(all.nodes > figures.nodes, `${all.nodes} ${figures.nodes}`);
  assert.equal((await post(D, { knowledge_base_id: base.id, content: 'x' }, 403, reader.token)), undefined);
});

test('who is on the list of a private base sees its name and the section, until taken off: on both hosts with the next request', async () => {
  const own = await post(K, { name: unique('closed') }, 201), add2 = (content, more) => post(D, { knowledge_base_id: own.id, name: content.slice(0, 12), content, ...more }, 201);
  await add2('Quiet Harbour has eleven cranes and one lamp.');
  const d = await add2('Loud Harbour has twelve cranes and two lamps.', { access: onlyClerk() });
  await done();
  const seen = await get(`${K}/${own.id}`, 200, clerk.token);
  assert.deepEqual([seen.name, seen.document_count, seen.chunk_count, seen.access], [own.name, 1, 1, 'read']);
  assert.deepEqual((await get(`${D}?knowledge_base_id=${own.id}`, 200, clerk.token)).map((x) => x.id), [d.id]);
  const hits = async (base_ = BASE) => (await expectStatus(200, 'GET', `${R}/query?query=Harbour%20cranes&mode=keyword&knowledge_base_id=${own.id}`, { token: clerk.token, base: base_ })).data.results.map((x) => x.document_id);
  assert.deepEqual([await hits(), await hits(BASE2)], [[d.id], [d.id]]);
  assert.equal((await get(`${D}/${d.id}`, 200, clerk.token)).access, null, 'the list is for who manages the base');
  assert.deepEqual((await get(`${D}/${d.id}`)).access, onlyClerk());
  await patch(`${D}/${d.id}`, { name: 'Mine' }, 403, clerk.token);
  await patch(`${D}/${d.id}`, { access: {} });
  for (const at of [BASE, BASE2]) for (const path of [`${D}/${d.id}`, `${K}/${own.id}`, `${R}/query?query=Harbour&knowledge_base_id=${own.id}`]) await expectStatus(404, 'GET', path, { token: clerk.token, base: at });
  await patch(`${D}/${d.id}`, { access: { write: { agents: [clerk.id] } } });
  assert.deepEqual(await hits(BASE2), [d.id]);
  await patch(`${D}/${d.id}`, { name: 'Mine' }, 200, clerk.token);
  await patch(`${D}/${d.id}`, { access: {} }, 403, clerk.token);
  await done();
  assert.deepEqual([(await get(`${D}/${d.id}`, 200, clerk.token)).name, (await hits()).length], ['Mine', 1]);
  await expectStatus(204, 'DELETE', `${K}/${own.id}`, { token });
  for (const at of [BASE, BASE2]) await expectStatus(404, 'GET', `${D}/${d.id}`, { token: clerk.token, base: at });
  await post(`${K}/${own.id}/restore`, {});
  assert.deepEqual(await hits(), [d.id]);
  await expectStatus(204, 'DELETE', `${D}/${d.id}`, { token });
  await expectStatus(404, 'GET', `${K}/${own.id}`, { token: clerk.token });
  await post(`${D}/${d.id}/restore`, {});
  assert.deepEqual(await hits(), [d.id]);
});

test('another list moves chunks, names and counters; equal lists share a section; the trail has both lists', async () => {
  const spare = await add('Spare', 'Tilda Roos paints the lighthouse. Tilda Roos likes the wind.'), more = await add('Spare two', 'Tilda Roos is at the lighthouse of Nils Berg.');
  await done();
  const entity = async (as) => (await get(`${G}/search?query=Tilda%20Roos&knowledge_base_id=${base.id}`, 200, as)).nodes.map((n) => n.title);
  assert.ok((await entity(reader.token)).includes('Tilda Roos'));
  const kept = (await get(`${D}/${spare.id}/chunks`))[0].id;
  for (const d of [spare, more]) await patch(`${D}/${d.id}`, { access: { read: { agents: [clerk.id], roles: ['viewer'] } } });
  const [one, two] = [await get(`${D}/${spare.id}`), await get(`${D}/${more.id}`)];
  assert.deepEqual([one.space_id === two.space_id, one.space_id === base.id, one.space_id === hidden.space_id], [true, false, false]);
  assert.ok(!(await entity(reader.token)).includes('Tilda Roos'));
  assert.ok((await entity(clerk.token)).includes('Tilda Roos'));
  assert.equal((await get(`${D}/${spare.id}/chunks`))[0].id, kept, 'the chunk and its vector stay');
  const [event] = (await expectStatus(200, 'GET', `/api/v1/audit?subject_id=${spare.id}&kind=document.access`, { token: account.owner })).data;
  assert.deepEqual([event.before.access, event.after.access.read.roles], [null, ['viewer']]);
  for (const d of [spare, more]) await patch(`${D}/${d.id}`, { access: null });
  assert.deepEqual([(await get(`${D}/${spare.id}`)).access, (await entity(reader.token)).includes('Tilda Roos')], [null, true]);
  const counted = (await sql(`SELECT k.document_count, k.chunk_count, (SELECT COUNT(*) FROM document d WHERE d.space_id = k.id AND d.deleted_at IS NULL), `
    + `(SELECT COUNT(*) FROM chunk h JOIN document d ON d.account_id = h.account_id AND d.id = h.document_id WHERE d.space_id = k.id AND d.deleted_at IS NULL) FROM knowledge_base k WHERE k.id = '${base.id}' `
    + `UNION ALL SELECT k.document_count, k.chunk_count, (SELECT COUNT(*) FROM document d WHERE d.space_id = k.id AND d.deleted_at IS NULL), `
    + `(SELECT COUNT(*) FROM chunk h JOIN document d ON d.account_id = h.account_id AND d.id = h.document_id WHERE d.space_id = k.id AND d.deleted_at IS NULL) FROM knowledge_section k WHERE k.knowledge_base_id = '${base.id}'`));
  for (const [documents, chunks, realDocuments, realChunks] of counted) assert.deepEqual([documents, chunks], [realDocuments, realChunks]);
});

test('what one may not read is no duplicate; bad lists are refused by their place; sections change with their documents only', async () => {
  const text = `A text of ${unique('twin')} that stands twice.`, writer = await freshAgent(account);
  await expectStatus(201, 'POST', `/api/v1/spaces/${base.id}/grants`, { token, body: { grantee_kind: 'agent', grantee_id: writer.id, level: 'write' } });
  await add('First', text, { external_id: 'twin', access: {} });
  const second = await post(D, { knowledge_base_id: base.id, name: 'Second', content: text, external_id: 'twin' }, 201, writer.token);
  assert.equal(second.outcome, 'created');
  await post(D, { knowledge_base_id: base.id, content: `${text} Once.` }, 201);
  await post(D, { knowledge_base_id: base.id, content: `${text} Once.` }, 409, writer.token);
  for (const [access, at] of [[{ see: {} }, '/access/see'], [{ read: { friends: [] } }, '/access/read/friends'], [{ read: { agents: ['x'] } }, '/access/read/agents/0'], [{ read: [] }, '/access/read'],
    [{ write: { roles: ['none-such'] } }, '/access/write/roles/0'], [{ read: { users: [clerk.id] } }, '/access/read/users/0']]) {
    const r = await expectStatus(422, 'POST', D, { token, body: { knowledge_base_id: base.id, content: 'y', access } });
    assert.ok(r.body.errors.some((e) => e.pointer === at), `${at}: ${r.text}`);
  }
  const section = (await get(`${D}/${hidden.id}`)).space_id, space = await get(`/api/v1/spaces/${section}`);
  assert.deepEqual([space.is_section, space.parent_id], [true, base.id]);
  for (const [method, path, body] of [['PATCH', '', { name: 'x' }], ['POST', '/archive', {}], ['DELETE', ''], ['POST', '/grants', { grantee_kind: 'agent', grantee_id: writer.id, level: 'read' }]])
    await expectStatus(409, method, `/api/v1/spaces/${section}${path}`, { token, body });
});

test('events of it are heard by its readers only; so are its pages', async () => {
  await post(`${D}/${hidden.id}/process`, {});
  await done();
  await settled(account.slug, { parts: ['relay'] });
  const heard = async (as) => JSON.stringify(await get('/api/v1/events?after=0', 200, as));
  assert.deepEqual([(await heard(reader.token)).includes(hidden.id), (await heard(clerk.token)).includes(hidden.id)], [false, true]);
  const password = 'a password to sign in', email = `${unique('v')}@example.org`;
  await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: { email, name: 'V', role: 'viewer', password } });
  const cookie = await signIn({ account: account.slug, email, password });
  const show = (path) => fetch(BASE + path, { headers: { Cookie: cookie } });
  assert.equal((await show(`/admin/documents/${plain.id}`)).status, 200);
  assert.equal((await show(`/admin/documents/${hidden.id}`)).status, 404);
  const boss = `${unique('b')}@example.org`;
  const boss_id = (await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: { email: boss, name: 'B', role: 'owner', password } })).data.id;
  await expectStatus(201, 'POST', `/api/v1/spaces/${base.id}/grants`, { token, body: { grantee_kind: 'user', grantee_id: boss_id, level: 'manage' } });
  const as = await signIn({ account: account.slug, email: boss, password }), page = async () => (await fetch(`${BASE}/admin/documents/${plain.id}`, { headers: { Cookie: as } })).text();
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(await page())[1];
  const send = (verb, form = {}) => fetch(`${BASE}/admin/documents/${plain.id}/${verb}`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf_token, ...form }),
    headers: { Cookie: as, Origin: BASE, 'Content-Type': 'application/x-www-form-urlencoded' } });
  assert.equal((await send('access', { grantee: `agent:${clerk.id}`, level: 'write' })).status, 303);
  assert.deepEqual((await get(`${D}/${plain.id}`)).access, { write: { agents: [clerk.id] } });
  assert.match(await page(), new RegExp(`restricted[^]*value="agent:${clerk.id}"`));
  assert.equal((await send('access', { grantee: 'role:viewer', level: 'read' })).status, 303);
  assert.equal((await send('access', { grantee: `agent:${clerk.id}`, level: 'none' })).status, 303);
  assert.deepEqual((await get(`${D}/${plain.id}`)).access, { read: { roles: ['viewer'] } });
  assert.match(await (await send('access', { grantee: 'everyone:', level: 'read' })).text(), /choose a user/);
  assert.equal((await send('restrict')).status, 303);
  assert.deepEqual((await get(`${D}/${plain.id}`)).access, {});
  assert.equal((await send('open')).status, 303);
  assert.equal((await get(`${D}/${plain.id}`)).access, null);
  for (const path of ['/admin/knowledge', `/admin/knowledge/${base.id}`, `/admin/graph?node=${hidden.names['North Quay']}&depth=3`, '/admin/communities', '/admin/nodes?kind=chunk'])
    assert.ok(!tells(await (await show(path)).text()), path);
});

test('a section without documents goes, and one goes with its base', async () => {
  const own = await post(K, { name: unique('short') }, 201), d = await post(D, { knowledge_base_id: own.id, content: 'Short lived.', access: onlyClerk() }, 201);
  await done();
  const sections = async () => (await sql(`SELECT id FROM space WHERE parent_id = '${own.id}'`)).length;
  const tidy = async () => runEnded(account, await ctl('job', 'run', 'knowledge_cleanup', '--account', account.slug));
  await tidy();
  assert.equal(await sections(), 1);
  await patch(`${D}/${d.id}`, { access: null });
  await tidy();
  assert.equal(await sections(), 0);
  await patch(`${D}/${d.id}`, { access: onlyClerk() });
  await expectStatus(204, 'DELETE', `${K}/${own.id}`, { token });
  await sql(`UPDATE space SET deleted_at = deleted_at - INTERVAL 31 DAY WHERE id = '${own.id}'`);
  await tidy();
  assert.deepEqual([await sections(), await sql(`SELECT id FROM node WHERE id = '${d.id}'`), await sql(`SELECT id FROM knowledge_base WHERE id = '${own.id}'`)], [0, [], []]);
});
