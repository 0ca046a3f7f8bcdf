// Legal hold: no job deletes anything of the account. Every job that says it deletes has a case here: something old that it deletes, but
// not before the hold ends. What has expired stays invisible all the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, runEnded, settled, unique, until } from './client.mjs';
import { sql } from './db.mjs';

const OLD = 'UTC_TIMESTAMP(6) - INTERVAL 200 DAY';
const OLD_ID = () => `016f0000-0000-7000-8000-${unique('').replace(/[^0-9a-f]/g, '').padStart(12, '0').slice(0, 12)}`;

// Each makes something that the job deletes, and says where it is: table and condition.
const CASES = {
  expired_cleanup: async (a) => {
    const agent = await freshAgent(a.account);
    await sql(`UPDATE token SET expires_at = ${OLD} WHERE account_id = '${a.id}' AND agent_id = '${agent.id}'`);
    await expectStatus(401, 'GET', '/api/v1/me', { token: agent.token });
    return ['token', `agent_id = '${agent.id}'`];
  },
  retention: async (a) => {
    await sql(`INSERT INTO audit_event (account_id, id, at, kind, actor_kind, subject_kind, request_id) VALUES ('${a.id}', '${OLD_ID()}', ${OLD} - INTERVAL 1000 DAY, 'x.held', 'user', 'x', '')`);
    return ['audit_event', "kind = 'x.held'"];
  },
  event_cleanup: async (a) => {
    await sql(`UPDATE event_batch SET at = ${OLD} WHERE account_id = '${a.id}' ORDER BY first_seq LIMIT 1`);
    return ['event_batch', `at <= ${OLD} + INTERVAL 1 DAY`];
  },
  notification_cleanup: async (a) => {
    await expectStatus(200, 'POST', '/api/v1/ai/notifications', { token: a.token, body: { title: 'held', message: 'held' } });
    await sql(`UPDATE notification SET created_at = ${OLD} WHERE account_id = '${a.id}'`);
    return ['notification', "title = 'held'"];
  },
  webhook_upkeep: async (a) => {
    const { data: hook } = await expectStatus(201, 'POST', '/api/v1/webhooks', { token: a.owner, body: { name: 'h', url: 'https://example.org/held', kinds: ['nothing.here'] } });
    await sql(`INSERT INTO webhook_delivery (account_id, id, webhook_id, seq, event_id, kind, subject_id, status, attempts, error, created_at)
      VALUES ('${a.id}', '${OLD_ID()}', '${hook.id}', 1, UUID(), 'nothing.here', UUID(), 'dead', 14, '', ${OLD})`);
    return ['webhook_delivery', `webhook_id = '${hook.id}'`];
  },
  version_cleanup: async (a) => {
    const { data: node } = await expectStatus(201, 'POST', '/api/v1/nodes', { token: a.token, body: { kind: 'note', title: 'v', body: '0' } });
    for (let i = 1; i <= 102; i++) await expectStatus(200, 'PATCH', `/api/v1/nodes/${node.id}`, { token: a.token, body: { body: `${i}` } });
    return ['node', `status = 'version' AND body = '0' AND title = 'v'`];
  },
  short_term_cleanup: async (a) => {
    await expectStatus(200, 'POST', `/api/v1/ai/agents/${a.agent}/tiered_memory`, { token: a.token, body: { key: 'held', value: 1 } });
    await sql(`UPDATE short_term_memory SET expires_at = ${OLD} WHERE account_id = '${a.id}'`);
    const { data } = await expectStatus(200, 'GET', `/api/v1/ai/agents/${a.agent}/tiered_memory?key=held`, { token: a.token });
    assert.equal(data.found, false);
    return ['short_term_memory', "memory_key = 'held'"];
  },
  pool_cleanup: async (a) => {
    const { data: pool } = await expectStatus(201, 'POST', '/api/v1/ai/memory_pools', { token: a.token, body: { name: 'p' } });
    const at = `/api/v1/ai/memory_pools/${pool.id}/data/k`;
    await expectStatus(200, 'PUT', at, { token: a.token, body: { value: 'kept' } });
    await sql(`UPDATE pool_entry SET expires_at = ${OLD} WHERE space_id = '${pool.id}'`);
    assert.equal((await expectStatus(200, 'GET', at, { token: a.token })).data.found, false);
    return ['pool_entry', `space_id = '${pool.id}' AND value LIKE '%kept%'`];
  },
  context_cleanup: async (a) => {
    const { data: context } = await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token: a.owner, body: { name: 'c', agent_id: a.agent } });
    await expectStatus(201, 'POST', `/api/v1/ai/contexts/${context.id}/entries`, { token: a.owner, body: { entry_key: 'e', content: 'held' } });
    await expectStatus(204, 'DELETE', `/api/v1/ai/contexts/${context.id}`, { token: a.owner });
    await sql(`UPDATE space SET deleted_at = ${OLD} WHERE id = '${context.id}'`);
    return ['node', `space_id = '${context.id}'`];
  },
  access_log_cleanup: async (a) => {
    const { data: context } = await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token: a.owner, body: { name: 'c', agent_id: a.agent } });
    await sql(`UPDATE access_log SET created_at = ${OLD} WHERE space_id = '${context.id}'`);
    return ['access_log', `space_id = '${context.id}'`];
  },
  knowledge_cleanup: async (a) => {
    const { data: base } = await expectStatus(201, 'POST', '/api/v1/ai/rag/knowledge_bases', { token: a.owner, body: { name: 'held' } });
    await expectStatus(201, 'POST', '/api/v1/ai/rag/documents', { token: a.owner, body: { knowledge_base_id: base.id, content: 'held', process: false } });
    await expectStatus(204, 'DELETE', `/api/v1/ai/rag/knowledge_bases/${base.id}`, { token: a.owner });
    await sql(`UPDATE space SET deleted_at = ${OLD} WHERE id = '${base.id}'`);
    return ['node', `space_id = '${base.id}'`];
  },
  observation_cleanup: async (a) => {
    const { data } = await expectStatus(201, 'POST', '/api/v1/ai/observations', { token: a.token, body: { title: 'held', sensor_type: 'budget', observation_type: 'alert', severity: 'info' } });
    await sql(`UPDATE observation SET status = 'processed', due_at = ${OLD} WHERE id = '${data.id}'`);
    return ['observation', `id = '${data.id}'`];
  },
  injection_cleanup: async (a) => {
    await expectStatus(200, 'POST', '/api/v1/memory/context', { token: a.token, body: { query: 'what is held, and for how long?' } });
    await sql(`UPDATE injection SET created_at = ${OLD} WHERE account_id = '${a.id}'`);
    return ['injection', `agent_id = '${a.agent}'`];
  },
  rag_cleanup: async (a) => {
    const { data: base } = await expectStatus(201, 'POST', '/api/v1/ai/rag/knowledge_bases', { token: a.owner, body: { name: 'asked' } });
    const { data } = await expectStatus(200, 'POST', '/api/v1/ai/rag/query', { token: a.owner, body: { query: 'held', knowledge_base_id: base.id } });
    await sql(`UPDATE rag_query SET created_at = ${OLD} WHERE id = '${data.query_id}'`);
    return ['rag_query', `id = '${data.query_id}'`];
  },
  transfer_cleanup: async (a) => {
    const { data: made } = await expectStatus(201, 'POST', '/api/v1/exports', { token: a.owner, body: {} });
    await settled(a.account.slug, { parts: ['queue'], kinds: ['export'] });
    const id = OLD_ID();
    await sql(`UPDATE transfer SET id = '${id}' WHERE id = '${made.id}'`);
    return ['transfer', `id = '${id}'`];
  },
};

const run = async (a, job) => {
  const { id } = (await expectStatus(202, 'POST', `/api/v1/jobs/${job}/run`, { token: a.owner, body: {} })).data;
  return runEnded(a.account, id);
};

test('no job deletes what belongs to an account under legal hold, each does when the hold ends', async () => {
  const account = await freshAccount(), { data: me } = await expectStatus(200, 'GET', '/api/v1/me', { token: account.token });
  const a = { account, owner: account.owner, token: account.token, id: me.account_id, agent: me.id };
  const hold = (on) => expectStatus(200, 'PATCH', '/api/v1/account', { token: a.owner, body: { settings: { legal_hold: on } }, headers: { 'If-Match': '*' } });
  const jobs = (await expectStatus(200, 'GET', '/api/v1/jobs', { token: a.owner })).data.filter((j) => j.deletes && !j.installation).map((j) => j.name);
  assert.deepEqual(jobs.sort(), Object.keys(CASES).sort(), 'each job that deletes has its case here');
  await hold(true);
  const made = {};
  for (const job of jobs) made[job] = await CASES[job](a);
  const there = async (job) => Number((await sql(`SELECT COUNT(*) FROM ${made[job][0]} WHERE account_id = '${a.id}' AND ${made[job][1]}`))[0][0]);
  for (const job of jobs) {
    const before = await there(job), r = await run(a, job);
    assert.deepEqual([r.status, before > 0, await there(job)], ['succeeded', true, before], job);
  }
  await hold(false);
  for (const job of jobs) {
    assert.equal((await run(a, job)).status, 'succeeded', job);
    await until(`${job} to delete`, async () => await there(job) === 0, { tries: 600 });
  }
  assert.equal((await call('GET', '/api/v1/me', { token: a.token })).status, 200);
});
