// What stands for everything elsewhere stands for itself here (memory, point 21 of section 16): every call of the document that
// looks for a text or the beginning of one is asked for patterns, in an account full of memories of each kind.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, openapi, settled } from './client.mjs';
import { sql } from './db.mjs';

const PATTERNS = ['%', '_', '%%', '*', '.*', '\\%', "'", '??'];
const C = '/api/v1/ai/contexts', P = '/api/v1/ai/memory_pools';
let owner, at;
before(async () => {
  const account = await freshAccount();
  ({ owner } = account);
  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.token })).data, agent = me.id, A = `/api/v1/ai/agents/${agent}`;
  const post = (path, body, status = 201, token = owner) => expectStatus(status, 'POST', path, { token, body }).then((r) => r.data);
  const { id: context } = await post(C, { name: 'Harbour', scope: 'account' }), { id: pool } = await post(P, { name: 'Harbour' });
  const { id: base } = await post('/api/v1/ai/rag/knowledge_bases', { name: 'Harbour' });
  for (const key of ['lamp', 'rope', 'bell']) {
    const text = `The harbour master keeps the ${key} in the shed.`;
    await post(`${C}/${context}/entries`, { entry_key: key, content: { text } });
    await post(`${A}/memory`, { key, value: text }, 200, account.token);
    await post(`${A}/experiences`, { content: text }, 200);
    await post(`${A}/tiered_memory`, { key, value: text }, 200, account.token);
    await expectStatus(200, 'PUT', `${A}/working_memory/keys/${key}`, { token: account.token, body: { value: text } });
    await post(`${A}/private_memory`, { key, value: text }, 200, account.token);
    await expectStatus(200, 'PUT', `${P}/${pool}/data/${key}`, { token: owner, body: { value: text } });
    await post('/api/v1/ai/memory/shared_knowledge', { title: key, content: text, access_level: 'global' });
    await post('/api/v1/ai/rag/documents', { knowledge_base_id: base, name: `The ${key} in the shed of the harbour master`, content: text });
    await post('/api/v1/ai/learning/learnings', { content: text, scope: 'global' }, 200);
  }
  await settled(account.slug, { parts: ['queue'] });
  await embedded(account.slug);
  assert.ok(Number((await sql(`SELECT COUNT(*) FROM vector WHERE account_id = '${me.account_id}'`))[0][0]) >= 12);
  at = { '{agent_id}': agent, '{pool_id}': pool, '{id}': context };
});

test('no list and no search takes a pattern for what it matches', async () => {
  const doc = await openapi(), seen = [];
  for (const [template, item] of Object.entries(doc.paths))
    for (const [method, row] of Object.entries(item)) {
      const asked = row.parameters?.find((p) => ['q', 'query', 'prefix'].includes(p.name))?.name;
      const body = row.requestBody?.content?.['application/json']?.schema.properties ?? {};
      if (!/\/ai\//.test(template) || /escalations|\/reason$/.test(template) || !(asked || (method === 'post' && body.query))) continue;
      const path = template.replace(/\{\w+\}/g, (p) => at[p]), hits = async (text) => {
        const r = await call(method.toUpperCase(), asked ? `${path}?${new URLSearchParams({ [asked]: text, ...(row.operationId === 'graph_nodes' && { kinds: 'document' }) })}` : path, { token: owner, ...(asked ? {} : { body: { query: text } }) });
        assert.equal(r.status, 200, `${row.operationId} ${text}: ${r.text.slice(0, 200)}`);
        return (Array.isArray(r.data) ? r.data : r.data.hits ?? r.data.keys ?? r.data.entries ?? r.data.items ?? r.data.results ?? r.data.nodes ?? r.data.sources ?? assert.fail(`${row.operationId}: ${Object.keys(r.data)}`)).length;
      };
      const known = asked === 'prefix' ? 'la' : path.includes('short_term') || row.operationId === 'agent_fact_list' ? 'lamp' : ['context_list', 'knowledge_base_list'].includes(row.operationId) ? 'Harb' : 'lamp in the shed of the harbour master';
      assert.ok(await hits(known) > 0, `${row.operationId} finds nothing that is there`);
      for (const pattern of PATTERNS) assert.equal(await hits(pattern), 0, `${row.operationId} ${pattern}`);
      seen.push(row.operationId);
    }
  for (const id of ['context_search', 'context_search_all', 'entry_list', 'agent_fact_search', 'experience_search', 'private_recall', 'short_term_list', 'pool_query', 'knowledge_search', 'learning_query', 'knowledge_base_list', 'rag_search', 'rag_query'])
    assert.ok(seen.includes(id), id);
});
