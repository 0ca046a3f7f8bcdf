// The inbox: all that waits, in one order, for whom it concerns; what it offers works.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, freshUser, signIn, unique } from './client.mjs';
import { sql } from './db.mjs';

const QUEUE = '/api/v1/ai/review_queue';
let account, space, reviewer, admin;

before(async () => {
  account = await freshAccount();
  account.id = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data.account_id;
  reviewer = await freshUser(account, 'reviewer');
  admin = await freshUser(account, 'admin');
  space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: account.owner, body: { kind: 'context', name: 'Inbox', slug: unique('inbox') } })).data;
  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.token })).data;
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token: account.owner, body: { grantee_kind: 'agent', grantee_id: me.id, level: 'write' } });
});

const post = async (path, body, token = account.owner) => (await call('POST', path, { token, body })).data;
const note = async (title, kind = 'note') => (await expectStatus(201, 'POST', '/api/v1/nodes', { token: account.owner, body: { space_id: space.id, kind, title, body: `${title} in the body` } })).data;
const queue = async (query = '', token = account.owner) => (await expectStatus(200, 'GET', `${QUEUE}?limit=100${query}`, { token })).data;

// Makes one of a kind; resolves to its id.
const MAKE = {
  question: async () => (await post('/api/v1/ai/escalations/questions', { query: unique('Where is it?') }, account.token)).id,
  escalation: async () => (await post('/api/v1/ai/escalations', { title: unique('stuck'), escalation_type: 'stuck', severity: 'high' }, account.token)).id,
  skill_proposal: async () => {
    const p = await post('/api/v1/ai/skill_graph/proposals', { name: unique('skill'), description: 'd', category: 'testing', body: '# body' }, admin.token);
    await expectStatus(200, 'POST', `/api/v1/ai/skill_graph/proposals/${p.id}/submit`, { token: admin.token, body: {} });
    return p.id;
  },
  skill_conflict: async () => {
    const name = unique('twin');
    await post('/api/v1/ai/skills', { name, description: 'd', category: 'testing', body: '# b' });
    const twin = await post('/api/v1/ai/skills', { name, slug: unique('twin'), description: 'd', category: 'testing', body: '# b' });
    await expectStatus(200, 'POST', '/api/v1/ai/skill_graph/conflict_check', { token: account.owner, body: { skill_id: twin.id } });
    const all = (await expectStatus(200, 'GET', '/api/v1/ai/skill_graph/conflicts?status=detected', { token: account.owner })).data;
    return all.find((c) => c.skill_a === twin.id || c.skill_b === twin.id).id;
  },
  fact_contested: async () => {
    const { fact } = await post('/api/v1/facts', { namespace: space.id, subject: unique('Site'), predicate: 'based_in', object: 'Graz' });
    await sql(`UPDATE fact SET contested = 1 WHERE account_id = '${account.id}' AND node_id = '${fact.id}'`);
    return fact.id;
  },
  fact_held: async () => {
    const { fact } = await post('/api/v1/facts', { namespace: space.id, subject: unique('Site'), predicate: 'based_in', object: 'Linz' });
    await sql(`UPDATE fact SET quarantine_reason = 'held' WHERE account_id = '${account.id}' AND node_id = '${fact.id}'; UPDATE node SET status = 'quarantined' WHERE account_id = '${account.id}' AND id = '${fact.id}'`);
    return fact.id;
  },
  capture_quarantined: async () => {
    const { episode_id: id } = await post('/api/v1/memory/capture', { target_namespace: space.id, content: `${unique('said')} of the harbour` });
    await sql(`UPDATE node SET status = 'quarantined' WHERE account_id = '${account.id}' AND id = '${id}'`);
    return id;
  },
  capture_failed: async () => {
    const { episode_id: id } = await post('/api/v1/memory/capture', { target_namespace: space.id, content: `${unique('unread')} of the harbour` });
    await sql(`UPDATE episode SET consolidation_state = 'failed' WHERE account_id = '${account.id}' AND id = '${id}'`);
    return id;
  },
  duplicate: async () => {
    const known = (title) => post('/api/v1/ai/memory/shared_knowledge', { title, content: `${title} stands here.`, access_level: 'account' });
    const [a, b] = [await known(unique('One')), await known(unique('Other'))];
    await sql(`INSERT INTO duplicate_candidate (account_id, id, space_id, kind, a_id, b_id, similarity, reason, found_at)
      SELECT account_id, UUID(), space_id, kind, '${a.id}', '${b.id}', 0.95, 'details', UTC_TIMESTAMP(6) FROM node WHERE id = '${a.id}'`);
    return (await sql(`SELECT id FROM duplicate_candidate WHERE a_id = '${a.id}'`))[0][0];
  },
  learning: async () => {
    const { learning } = await post('/api/v1/ai/learning/learnings', { content: unique('Tugs are late'), scope: 'global' }, admin.token);
    await expectStatus(200, 'POST', `/api/v1/ai/learning/learnings/${learning.id}/dispute`, { token: account.owner, body: { reason: 'not so' } });
    return learning.id;
  },
  stale: async () => {
    const n = await note(unique('Old'));
    await sql(`INSERT INTO memory_finding (account_id, node_id, class, space_id, value, found_at) VALUES ('${account.id}', '${n.id}', 'stale', '${space.id}', 0.9, UTC_TIMESTAMP(6))`);
    return n.id;
  },
  proposal: async () => (await post('/api/v1/ai/proposals', { title: unique('proposal'), proposal_type: 'feature', description: 'd' }, account.token)).id,
  recommendation: async () => {
    const id = (await sql('SELECT UUID()'))[0][0];
    await sql(`INSERT INTO recommendation (account_id, id, recommendation_type, target_kind, target_id, space_id, title, confidence, topic, dedup_key, created_at, updated_at, recommended_config)
      VALUES ('${account.id}', '${id}', 'memory_hygiene', 'space', '${space.id}', '${space.id}', 't', 0.9, UNHEX(SHA2('${id}', 256)), UNHEX(SHA2('${id}', 256)), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '{}')`);
    return id;
  },
  core_edit: async () => {
    const block = await post('/api/v1/core_blocks', { namespace: space.id, block_kind: 'persona', title: unique('block'), content: 'was' });
    return (await expectStatus(200, 'PUT', `/api/v1/core_blocks/${block.id}`, { token: account.token, body: { content: 'is to be', expected_hash: block.hash } })).data.id;
  },
};

test('each kind is in the queue, and each of its actions does what it says', async () => {
  for (const [kind, make] of Object.entries(MAKE)) {
    for (let i = 0, n = 1; i < n; i++) {
      const id = await make();
      assert.ok(id, kind);
      const item = (await queue(`&kind=${kind}`)).find((x) => x.id === id);
      assert.ok(item, `${kind} is in the queue`);
      n = item.actions.length;
      const { method, path, body, note: member } = item.actions[i];
      const r = await call(method, path, { token: account.owner, body: { ...body, ...(member && { [member]: 'A reason.' }) } });
      assert.ok(r.status >= 200 && r.status < 300, `${kind}: ${path}: ${r.status} ${r.text.slice(0, 300)}`);
      const left = (await queue(`&kind=${kind}`)).some((x) => x.id === id);
      assert.equal(left, item.actions[i].name === 'acknowledge', `${kind} is gone after ${item.actions[i].name}`);
    }
  }
});

test('by due time, then severity; pages go on where they ended', async () => {
  for (const severity of ['low', 'critical', 'high']) await post('/api/v1/ai/escalations', { title: unique(severity), escalation_type: 'error', severity }, account.token);
  await MAKE.stale();
  await MAKE.skill_proposal();
  const all = await queue(), key = (x) => x.due_at ?? '9999';
  assert.deepEqual(all.map(key), all.map(key).sort());
  const rank = { critical: 0, high: 1, medium: 2, low: 3 }, undue = all.filter((x) => !x.due_at).map((x) => rank[x.severity]);
  assert.deepEqual(undue, [...undue].sort());
  assert.equal(all.filter((x) => x.kind === 'escalation')[0].severity, 'critical');
  const seen = [];
  for (let cursor = ''; cursor !== null;) {
    const r = await expectStatus(200, 'GET', `${QUEUE}?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, { token: account.owner });
    seen.push(...r.data.map((x) => x.id));
    cursor = r.body.meta?.next_cursor ?? r.body.next_cursor ?? null;
  }
  assert.deepEqual(seen, all.map((x) => x.id));
  assert.ok((await queue('&severity=critical')).every((x) => x.severity === 'critical'));
});

test('who may decide sees it, where he may read it; another account sees nothing', async () => {
  const fact = await MAKE.fact_contested(), question = await MAKE.question();
  const kinds = async (token) => (await queue('', token)).map((x) => x.id);
  const mine = await kinds(reviewer.token);
  assert.ok(mine.includes(question) && !mine.includes(fact), 'the reviewer cannot read the space');
  const viewer = await freshUser(account, 'viewer');
  assert.deepEqual(await kinds(viewer.token), []);
  const stranger = await freshAccount();
  assert.deepEqual(await kinds(stranger.owner), []);
});

test('the page counts, shows two texts side by side, decides, and takes back', async () => {
  const password = 'a password to sign in', email = `${unique('p')}@example.org`;
  const { data: person } = await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: { email, name: 'P', role: 'owner', password } });
  await expectStatus(201, 'POST', `/api/v1/spaces/${space.id}/grants`, { token: account.owner, body: { grantee_kind: 'user', grantee_id: person.id, level: 'write' } });
  const cookie = await signIn({ account: account.slug, email, password });
  const show = async (path) => (await fetch(BASE + path, { headers: { Cookie: cookie } })).text();
  const send = async (path, form, page) => fetch(BASE + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf_token: /name="csrf_token" value="([^"]+)"/.exec(page)[1], ...form }),
    headers: { Cookie: cookie, Origin: BASE, 'Content-Type': 'application/x-www-form-urlencoded' } });
  const id = await MAKE.stale(), pair = await MAKE.duplicate();
  const page = await show('/admin/inbox'), [, counted] = /href="\/admin\/inbox"[^>]*>.*?class="nav-count">(\d+)/s.exec(page);
  assert.equal(Number(counted), page.match(/data-item/g).length);
  assert.match(await show('/admin/inbox?kind=duplicate'), /Difference by words/);
  const r = await send(`/admin/inbox/stale/${id}`, { action: 'archive', from: 'stale' }, page);
  assert.deepEqual([r.status, r.headers.get('location')], [303, '/admin/inbox?kind=stale']);
  assert.ok((await expectStatus(200, 'GET', `/api/v1/nodes/${id}`, { token: account.owner })).data.archived_at);
  assert.equal((await send(`/admin/inbox/duplicate/${pair}`, { action: 'nonsense' }, page)).status, 404);
  const asked = await MAKE.question();
  assert.equal((await send(`/admin/inbox/question/${asked}`, { action: 'answer', note: 'Behind the door.' }, page)).status, 303);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/ai/escalations/${asked}`, { token: account.owner })).data.status, 'resolved');
});
