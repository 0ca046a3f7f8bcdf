// Every row of the call table as nobody, without the permission, and as another account (ground, section 10, point 3).
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { before, test } from 'node:test';
import { BASE, call, ctl, expectStatus, openapi, unique } from './client.mjs';
import { snapshot } from './db.mjs';
import { bodyOf, everyRow, freshWorld, isId, pathOf, permissionOf, placesOf } from './world.mjs';

let a, b, rows;
before(async () => {
  [a, b] = [await freshWorld(), await freshWorld()];
  rows = await everyRow();
});

// Rows that anybody with a credential may call, on purpose.
const OPEN = ['me_get', 'notification_list', 'notification_read', 'notification_read_all', 'token_list', 'token_get', 'token_create', 'token_revoke', 'user_password', 'session_list', 'session_end', 'session_end_all'];

const send = (w, r, token, path = pathOf(r.template, (p) => w.places[p], r.row)) => call(r.method, path, { token, ...bodyOf(r.row, w.named) });

// What changed between two snapshots.
async function unchanged(w, state, what, options) {
  assert.deepEqual(await snapshot(w.accountId, options), state, `${what} changed something`);
}

// Nothing of w in an answer, except what the request itself said.
function tellsNothing(w, r, said, what) {
  const text = r.text + JSON.stringify([...r.headers]);
  assert.ok(!text.includes(w.canary), `${what} tells what is another account's: ${r.text.slice(0, 300)}`);
  const { 'jobs/name': shared, 'versions/v': version, ...own } = w.places;
  for (const id of [...Object.values(own), ...Object.values(w.named)].filter((x) => x !== shared))
    assert.ok(said.includes(id) || !text.includes(id), `${what} tells an id of another account: ${r.text.slice(0, 300)}`);
}

test('the table is there', () => assert.ok(rows.length >= 60, `${rows.length} rows`));

test('without a token, with one that is none, and with a revoked one: 401', async () => {
  const made = await expectStatus(201, 'POST', '/api/v1/tokens', { token: a.owner, body: { name: 'short' } });
  await expectStatus(204, 'DELETE', `/api/v1/tokens/${made.data.id}`, { token: a.owner });
  const state = await snapshot(a.accountId);
  for (const r of rows) {
    for (const token of [undefined, 'garbage', `loci_${'a'.repeat(8)}_${'b'.repeat(43)}`, made.data.secret, a.owner.slice(0, -1)]) {
      const answer = await send(a, r, token);
      assert.equal(answer.status, 401, `${r.id} with ${token ?? 'no token'}: ${answer.status} ${answer.text.slice(0, 200)}`);
      assert.equal(answer.code, 'UNAUTHORIZED');
      assert.match(answer.headers.get('www-authenticate'), /^Bearer/);
    }
  }
  await unchanged(a, state, 'calls without a credential');
});

test('without the permission: 403, and nothing done', async () => {
  const without = new Map();
  const needed = [...new Set(rows.map((r) => permissionOf(r.row)).filter(Boolean))];
  for (const p of needed) {
    const scopes = a.permissions.filter((x) => x !== p);
    without.set(p, (await expectStatus(201, 'POST', '/api/v1/tokens', { token: a.owner, body: { name: `not ${p}`, scopes } })).data.secret);
  }
  const state = await snapshot(a.accountId);
  for (const r of rows) {
    const p = permissionOf(r.row);
    if (!p) continue;
    const answer = await send(a, r, without.get(p));
    assert.equal(answer.status, 403, `${r.id} without ${p}: ${answer.status} ${answer.text.slice(0, 200)}`);
    assert.equal(answer.code, 'FORBIDDEN');
    tellsNothing({ ...a, places: {}, named: {} }, answer, '', r.id);
  }
  await unchanged(a, state, 'calls without the permission');
});

test('every row asks for a permission, is open on purpose, or is for operators', () => {
  const bare = rows.filter((r) => !permissionOf(r.row) && !isForOperators(r)).map((r) => r.id);
  assert.deepEqual(bare.sort(), [...OPEN].sort());
});

const isForOperators = (r) => /operators? of the installation/i.test(r.row.description);

test('rows for operators refuse the owner of an account', async () => {
  const state = await snapshot(a.accountId);
  for (const r of rows.filter(isForOperators)) {
    const answer = await send(a, r, a.owner);
    assert.equal(answer.status, 403, `${r.id}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  await unchanged(a, state, 'an owner as operator');
});

test('with the ids of another account in the path: 404, nothing told, nothing done', async () => {
  const states = [await snapshot(a.accountId, { audit: true }), await snapshot(b.accountId)];
  for (const r of rows) {
    const places = placesOf(r.template).filter((p) => !['jobs/name', 'versions/v', 'keys/key', 'data/key', 'workflow_runs/run_id', 'task_executions/task_execution_id', 'tiered_memory/key', 'private_memory/key', 'sessions/id'].includes(p));   // of the installation; chosen by the caller
    if (!places.length) continue;
    const masks = places.length === 1 ? [[0]] : [[0], [1], [0, 1]];
    for (const mask of masks) {
      const path = pathOf(r.template, (p) => (mask.includes(places.indexOf(p)) ? a : b).places[p], r.row);
      const answer = await send(b, r, b.owner, path);
      const fine = answer.status === 404 || (answer.status === 422 && answer.body.errors?.length && r.id === 'team_put_member');
      assert.ok(fine, `${r.method} ${path} (${r.id}): ${answer.status} ${answer.text.slice(0, 300)}`);
      tellsNothing(a, answer, path, r.id);
    }
  }
  await unchanged(a, states[0], 'another account', { audit: true });
  await unchanged(b, states[1], 'ids of another account');
});

test('with the ids of another account in body or query: refused by name, or nothing found', async () => {
  const state = await snapshot(a.accountId, { audit: true });
  let tried = 0;
  for (const r of rows) {
    const path = pathOf(r.template, (p) => b.places[p], r.row);
    const properties = r.row.requestBody?.content?.['application/json']?.schema.properties ?? {};
    for (const name of Object.keys(properties).filter((n) => isId(n, properties[n]))) {
      const request = bodyOf(r.row, { ...b.named, [name]: a.named[name] }, [name]);
      const answer = await call(r.method, path, { token: b.owner, ...request });
      const named = answer.status === 422 && answer.body.errors.some((e) => e.pointer === `/${name}`);
      assert.ok(answer.status === 404 || named, `${r.id} with ${name}: ${answer.status} ${answer.text.slice(0, 300)}`);
      tellsNothing(a, answer, JSON.stringify(request.body), `${r.id} with ${name}`);
      tried++;
    }
    for (const p of (r.row.parameters ?? []).filter((q) => q.in === 'query' && isId(q.name, q.schema))) {
      const ask = (id) => call(r.method, `${path}${path.includes('?') ? '&' : '?'}${p.name}=${id}`, { token: b.owner, ...bodyOf(r.row, b.named) });
      const answer = await ask(a.named[p.name]), unknown = await ask('01890000-0000-7000-8000-00000000dead');
      assert.equal(answer.status, unknown.status, `${r.id} with ${p.name}: what is another's looks like what does not exist`);
      assert.ok([200, 403, 404, 422].includes(answer.status), `${r.id} with ${p.name}: ${answer.status}`);
      if (answer.status === 200 && Array.isArray(answer.data)) assert.deepEqual(answer.data, [], `${r.id} with ${p.name}`);
      tellsNothing(a, answer, a.named[p.name], `${r.id} with ${p.name}`);
      tried++;
    }
  }
  assert.ok(tried >= 15, `${tried} tried`);
  await unchanged(a, state, 'ids in bodies', { audit: true });
});

test('ids that are not typed as ids: grants, lines of an upload', async () => {
  const state = await snapshot(a.accountId, { audit: true });
  for (const [grantee_kind, grantee_id] of [['user', a.named.user_id], ['agent', a.named.agent_id], ['team', a.named.team_id], ['role', a.places['roles/name']]]) {
    const r = await expectStatus(422, 'POST', `/api/v1/spaces/${b.named.space_id}/grants`, { token: b.owner, body: { grantee_kind, grantee_id } });
    assert.equal(r.body.errors[0].pointer, '/grantee_id');
    tellsNothing(a, r, grantee_id, 'grant');
  }
  const lines = `${JSON.stringify({ space_id: a.named.space_id, title: 'x' })}\n`;
  const r = await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token: b.owner, raw: lines, headers: { 'Content-Type': 'application/x-ndjson' } });
  assert.deepEqual([r.data.created, r.data.failed], [0, 1]);
  tellsNothing(a, r, lines, 'bulk');
  await unchanged(a, state, 'grants and uploads', { audit: true });
});

test('no list of one account shows rows of another, with its words and cursors neither', async () => {
  for (const r of rows.filter((x) => x.method === 'GET' && !placesOf(x.template).length)) {
    const names = (r.row.parameters ?? []).map((p) => p.name);
    if ((r.row.parameters ?? []).some((p) => p.required)) continue;
    const paths = [r.template];
    if (names.includes('limit')) paths.push(`${r.template}?limit=${r.row.parameters.find((p) => p.name === 'limit').schema.maximum}`);
    if (names.includes('q')) paths.push(`${r.template}?q=${a.canary}`, `${r.template}?q=%25`);
    if (names.includes('cursor')) {
      const first = await call('GET', `${r.template}?limit=1`, { token: a.owner });
      if (first.meta?.next_cursor) paths.push(`${r.template}?cursor=${first.meta.next_cursor}`);
    }
    for (const path of paths) {
      const answer = await call('GET', path, { token: b.owner });
      assert.ok([200, 403].includes(answer.status), `${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
      if (answer.status === 403) assert.ok(isForOperators(r), path);
      tellsNothing(a, answer, '', path);
      const mine = await call('GET', names.includes('limit') ? paths[1] : r.template, { token: a.owner });
      if (mine.status === 200 && /^(node|space|user|agent|team|role|token|edge)_list$/.test(r.id))
        assert.ok(mine.text.includes(r.id === 'edge_list' ? a.places['edges/id'] : a.canary), `${r.id} does not even show its own`);
    }
  }
});

test('a private namespace is no owner\'s: nobody of the account reads it by role alone', async () => {
  const secret = unique('private');
  const own = await expectStatus(201, 'POST', '/api/v1/nodes', { token: a.token, body: { title: secret, body: secret } });
  for (const path of [`/api/v1/nodes/${own.data.id}`, `/api/v1/nodes/${own.data.id}/versions`, `/api/v1/nodes/${own.data.id}/edges`, `/api/v1/spaces/${own.data.space_id}`])
    assert.equal((await call('GET', path, { token: a.owner })).status, 404, path);
  const list = await expectStatus(200, 'GET', '/api/v1/nodes?limit=100', { token: a.owner });
  assert.ok(!list.text.includes(secret));
});

test('a suspended account is shut at once, and opens again', async () => {
  assert.equal((await call('GET', '/api/v1/me', { token: b.owner })).status, 200);
  await ctl('account', 'suspend', '--account', b.slug);
  assert.equal((await call('GET', '/api/v1/me', { token: b.owner })).status, 401);
  assert.equal((await call('GET', '/api/v1/me', { token: b.token })).status, 401);
  await ctl('account', 'resume', '--account', b.slug);
  assert.equal((await call('GET', '/api/v1/me', { token: b.owner })).status, 200);
});

// ---- the document and the router say the same

test('every path of the document is served, and by the methods it names only', async () => {
  const doc = await openapi();
  for (const [template, item] of Object.entries(doc.paths)) {
    const path = pathOf(template, (p) => a.places[p]);
    const methods = Object.keys(item).map((m) => m.toUpperCase());
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((m) => !methods.includes(m))) {
      const r = await call(method, path, { token: a.owner });
      assert.equal(r.status, 405, `${method} ${path}: ${r.status} ${r.text.slice(0, 200)}`);
      assert.deepEqual(r.headers.get('allow').split(/, */).filter((m) => m !== 'HEAD').sort(), methods.sort(), path);
    }
    if (methods.includes('GET')) {
      const head = await fetch(BASE + path, { method: 'HEAD', headers: { Authorization: `Bearer ${a.owner}` } });
      assert.notEqual(head.status, 405, `HEAD ${path}`);
      assert.equal(await head.text(), '');
    }
  }
});

test('every path that stands in the sources is in the document', async () => {
  const doc = await openapi();
  const root = new URL('../../src/', import.meta.url);
  let found = 0;
  for (const room of readdirSync(root, { withFileTypes: true }).filter((d) => d.isDirectory())) {
    for (const file of readdirSync(new URL(`${room.name}/`, root)).filter((f) => f.endsWith('_calls.c'))) {
      const text = readFileSync(new URL(`${room.name}/${file}`, root), 'utf8');
      for (const [, path] of text.matchAll(/\.path = "(\/api\/v1\/[^"]*[^"/])"(?! *\w)/g)) {
        found++;
        assert.ok(doc.paths[path.replace(/:(\w+)/g, '{$1}')], `${path} of ${file} is in no table`);
      }
    }
  }
  assert.ok(found >= 50, `${found} found`);
});
