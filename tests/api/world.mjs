// An account with one of everything, whose texts all carry a word of its own; and for each row of the OpenAPI document
// the path and body that stand for it there.
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { expectStatus, freshAccount, openapi, signIn, unique, until, settled } from './client.mjs';
import { sql } from './db.mjs';

// A public key as agents bring them: base64url of 32 bytes.
export const publicKey = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x;

const MODEL = 'test-model';
const WORDS = 'some text 12';                            // of a text that nothing more is known of

export async function freshWorld() {
  const account = await freshAccount();
  const canary = `canary${randomBytes(6).toString('hex')}`;
  const w = { ...account, canary, ids: {} };
  const make = async (path, body, token = account.owner) => (await expectStatus(201, 'POST', `/api/v1/${path}`, { token, body })).data;

  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data;
  const mine = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.token })).data;
  w.accountId = me.account_id;
  w.permissions = me.permissions;
  const user = await make('users', { email: `${canary}@example.org`, name: canary, role: 'viewer', password: canary });
  const agent = await make('agents', { slug: unique(canary), name: canary, description: canary });
  const team = await make('teams', { slug: unique(canary), name: canary, description: canary });
  await expectStatus(200, 'PUT', `/api/v1/teams/${team.id}/members/${agent.id}`, { token: account.owner, body: {} });
  const key = await make(`agents/${agent.id}/keys`, { name: canary, public_key: publicKey() });
  const role = await make('roles', { name: unique('role'), description: canary, permissions: ['memory.read'] });
  const token = await make('tokens', { name: canary, agent_id: agent.id });
  const space = await make('spaces', { kind: 'context', name: canary, description: canary, slug: unique(canary), settings: { note: canary } });
  const grant = await make(`spaces/${space.id}/grants`, { grantee_kind: 'agent', grantee_id: mine.id, level: 'manage' });
  const note = (title) => make('nodes', { space_id: space.id, kind: 'note', title: `${canary} ${title}`, body: canary, attrs: { note: canary } });
  const node = await note('one'), other = await note('two');
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${node.id}`, { token: account.owner, body: { body: `${canary} again` } });
  const edge = await make('edges', { source_id: node.id, target_id: other.id, relation: 'uses', metadata: { note: canary } });
  await expectStatus(200, 'PUT', `/api/v1/nodes/${node.id}/vector`, { token: account.owner, body: { model: MODEL, values: [1, 2, 3] } });

  const asked = (await expectStatus(200, 'POST', '/api/v1/ai/escalations/questions', { token: account.token, body: { query: canary } })).data;

  const context = await make('ai/contexts', { name: canary, description: canary, agent_id: mine.id, context_data: { note: canary } });
  const entry = await make(`ai/contexts/${context.id}/entries`, { entry_key: canary, content: { text: canary } }, account.token);
  const let_in = await make(`ai/contexts/${context.id}/grants`, { agent_id: agent.id });
  const taken = await make(`ai/contexts/${context.id}/snapshots`, { name: canary });
  const told = (await expectStatus(200, 'POST', '/api/v1/ai/notifications', { token: account.token, body: { title: canary, message: canary } })).data;
  const noted = `/api/v1/ai/agents/${agent.id}/working_memory/keys/${canary}`;
  await expectStatus(200, 'PUT', noted, { token: account.owner, body: { value: canary } });

  const kept = await expectStatus(200, 'POST', `/api/v1/ai/agents/${agent.id}/tiered_memory`, { token: account.owner, body: { key: canary, value: canary } });
  const agents = `/api/v1/ai/agents/${agent.id}`;
  const lived = (await expectStatus(200, 'POST', `${agents}/experiences`, { token: account.owner, body: { content: canary } })).data.experience;
  for (const what of ['memory', 'private_memory'])
    await expectStatus(200, 'POST', `${agents}/${what}`, { token: account.owner, body: { key: canary, value: canary } });
  await expectStatus(200, 'POST', `${agents}/memory`, { token: account.owner, body: { key: WORDS, value: canary } });
  await expectStatus(200, 'POST', `${agents}/trust/evaluations`, { token: account.owner, body: { items: [{ execution_id: randomUUID(), quality_score: 0.9 }] } });
  await expectStatus(200, 'POST', `${agents}/trust/pin`, { token: account.owner, body: { tier: 'monitored', reason: canary } });
  await expectStatus(200, 'POST', '/api/v1/ai/feedback', { token: account.owner, body: { agent_id: agent.id, rating: 4, comment: canary } });
  const learned = (await expectStatus(200, 'POST', '/api/v1/ai/learning/learnings', { token: account.owner, body: { content: canary, scope: 'global' } })).data.learning;
  const known = await make('ai/memory/shared_knowledge', { title: canary, content: canary, access_level: 'global' });

  const said = (await expectStatus(200, 'POST', '/api/v1/memory/capture', { token: account.owner, body: { content: `${canary} was said`, target_namespace: space.id } })).data;

  const { fact: held } = (await expectStatus(200, 'POST', '/api/v1/facts', { token: account.owner, body: { subject: canary, predicate: 'based_in', object: 'Paris', namespace: space.id } })).data;

  const gone = await note('gone'), asks = { node_ids: [gone.id], reason: canary };
  const plan = (await expectStatus(200, 'POST', '/api/v1/erasures', { token: account.owner, body: asks })).data;
  const erased = (await expectStatus(200, 'POST', '/api/v1/erasures', { token: account.owner, body: { ...asks, dry_run: false, confirm: plan.confirm } })).data;

  const domain = await make('domains', { name: canary, label: canary, description: canary });
  const policy = await make('policies', { domain: canary, rule: canary, required_role: 'owner', source_fact_ids: [held.id] });
  const goal = await make('ai/goals', { agent_id: agent.id, title: canary, description: canary, goal_type: 'creation' });
  const seen = await make('ai/observations', { agent_id: agent.id, title: canary, sensor_type: 'budget', observation_type: 'alert', severity: 'info', data: { canary } });
  const work = await make('work_items', { title: canary, body: canary, level: 'task', target_namespace: space.id });
  await expectStatus(200, 'POST', `/api/v1/work_items/${work.id}/links`, { token: account.owner, body: { slug: canary, display: canary } });
  await expectStatus(200, 'PUT', '/api/v1/agents/one/scratchpad', { token: account.token, body: { text: canary } });

  await expectStatus(200, 'PUT', '/api/v1/rules', { token: account.owner, body: { text: `# ${canary}` } });
  const block = await make('core_blocks', { namespace: space.id, block_kind: 'persona', title: canary, content: canary });
  const edit = (await expectStatus(200, 'PUT', `/api/v1/core_blocks/${block.id}`, { token: account.owner, body: { content: `${canary} edited`, expected_hash: block.hash } })).data;
  await expectStatus(200, 'POST', `/api/v1/facts/${held.id}/attestations`, { token: account.token, body: { note: canary } });
  const wished = (await expectStatus(200, 'POST', '/api/v1/promotions', { token: account.owner, body: { fact_id: held.id } })).data;

  const pool = await make('ai/memory_pools', { name: canary, description: canary, pool_id: unique(canary), metadata: { note: canary } });
  const let_pool = await make(`ai/memory_pools/${pool.id}/grants`, { agent_id: agent.id });
  await expectStatus(200, 'PUT', `/api/v1/ai/memory_pools/${pool.id}/data/${canary}`, { token: account.owner, body: { value: canary } });

  const base = await make('ai/rag/knowledge_bases', { name: canary, description: canary });
  await make(`spaces/${base.id}/grants`, { grantee_kind: 'agent', grantee_id: mine.id, level: 'manage' });

  const document = await make('ai/rag/documents', { knowledge_base_id: base.id, name: canary, content: `${canary} is in the text`, external_id: canary, metadata: { note: canary } });
  const chunk = await until('a chunk of the document', async () =>
    (await expectStatus(200, 'GET', `/api/v1/ai/rag/documents/${document.id}/chunks`, { token: account.owner })).data[0], { tries: 1200 });

  await expectStatus(201, 'POST', `/api/v1/ai/rag/documents/upload?knowledge_base_id=${base.id}&name=${canary}`, { token: account.owner, raw: `<html>${canary} is a page`, headers: { 'Content-Type': 'text/html' } });
  const connector = await make('ai/rag/connectors', { knowledge_base_id: base.id, name: canary, connector_type: 'url', location: 'https://example.org/' }, account.owner);
  for (const what of ['one', 'two']) await make('ai/rag/documents', { knowledge_base_id: base.id, name: `${canary} ${what}`, content: `Alma Berg met Otto Falk and Nora Lind in ${what} of ${canary}.` });
  await settled(account.slug, { parts: ['queue'], kinds: ['process_document'] });
  await expectStatus(200, 'POST', '/api/v1/ai/knowledge_graph/communities/rebuild', { token: account.owner, body: { space_id: base.id } });
  const [community] = (await expectStatus(200, 'GET', `/api/v1/ai/knowledge_graph/communities?knowledge_base_id=${base.id}`, { token: account.owner })).data;

  const names = await Promise.all(['keeper', 'loser'].map((x) => make('ai/knowledge_graph/nodes', { knowledge_base_id: base.id, name: `${canary} ${x}` })));
  const joined = (await expectStatus(200, 'POST', `/api/v1/ai/knowledge_graph/nodes/${names[0].id}/merge`, { token: account.owner, body: { loser_ids: [names[1].id] } })).data;

  const question = await make(`ai/rag/knowledge_bases/${base.id}/evaluations`, { question: canary, expected_document_id: document.id });
  const put = (await expectStatus(200, 'POST', '/api/v1/ai/rag/query', { token: account.owner, body: { query: canary, knowledge_base_id: base.id } })).data;

  const skill = await make('ai/skills', { name: canary, description: canary, category: 'testing', body: `# ${canary}` });
  await expectStatus(200, 'PUT', `/api/v1/ai/agents/${agent.id}/skills/${skill.id}`, { token: account.owner, body: {} });
  await expectStatus(200, 'POST', '/api/v1/ai/skill_graph/context', { token: account.owner, body: { skill_id: skill.id, session_id: canary } });

  const wiki = await make('admin/pages', { title: canary, slug: canary, content: `${canary} names [[${canary} wanted]]`, metadata: { note: canary } });
  await make('admin/pages', { title: unique(canary), content: `[[${canary}]] ![[${canary}.png]] ${`${canary} on and on. `.repeat(300)}` });      // long enough for passages
  const beside = (await expectStatus(201, 'POST', `/api/v1/page_files?path=${canary}.png`, { token: account.owner, raw: Buffer.from(canary), headers: { 'Content-Type': 'application/octet-stream' } })).data;
  await make('kb/categories', { slug: canary, name: canary });
  const article = await make('kb/articles', { title: unique(canary), slug: `${canary}-article`, content: canary, category_slug: canary });

  const skill_proposal = await make('ai/skill_graph/proposals', { name: canary, description: canary, category: 'testing', body: canary });

  const proposal = await make('ai/proposals', { proposal_type: 'feature', title: canary, description: canary, rationale: canary, proposed_changes: { note: canary } }, account.token);
  const intervention = await make('ai/intervention_policies', { action_category: 'feedback', policy: 'silent', agent_id: agent.id });
  const advice = await addRecommendation(w.accountId, { type: 'quality_concern', target: agent.id, title: canary, evidence: { note: canary } });

  await make('ai/skills', { name: `${canary} `.repeat(2).trim(), description: canary, category: 'testing', body: `# ${canary}` });
  const twin = await make('ai/skills', { name: `${canary} ${canary}`, slug: unique('twin'), description: canary, category: 'testing', body: `# ${canary}` });
  await expectStatus(200, 'POST', '/api/v1/ai/skill_graph/conflict_check', { token: account.owner, body: { skill_id: twin.id } });
  const [conflict] = (await expectStatus(200, 'GET', '/api/v1/ai/skill_graph/conflicts?type=naming', { token: account.owner })).data;

  await expectStatus(200, 'POST', '/api/v1/ai/skills/ingest', { token: account.owner, body: { source: canary, files: [{ path: `${canary}-files/SKILL.md`, content: `---\nrequires: ${canary}\n---\n${canary}` }, { path: `${canary}-files/notes.md`, content: canary }] } });

  const { tags: [tag] } = (await expectStatus(200, 'POST', '/api/v1/taxonomy/tag', { token: account.token, body: { node_id: skill.id, tags: [canary] } })).data;

  await expectStatus(200, 'PUT', `/api/v1/agents/${agent.id}/scratchpad`, { token: account.owner, body: { text: canary } });

  await expectStatus(200, 'PUT', `/api/v1/archival/${held.subject_id}`, { token: account.owner, body: { section: 'notes', text: canary } });

  const talk = unique('talk');
  await expectStatus(200, 'POST', `/api/v1/memory/sessions/${talk}/log`, { token: account.token, body: { messages: [{ role: 'user', content: canary }] } });

  const taken_out = await make('exports', {});
  const put_in = await expectStatus(201, 'POST', '/api/v1/imports', { token: account.owner, raw: '{}\n', headers: { 'Content-Type': 'application/x-ndjson' } });
  const hook = await make('webhooks', { name: canary, url: `https://example.org/${canary}`, kinds: ['nothing.here'] });
  await addDelivery(w, hook.id);

  await make(`ai/memory_pools/${pool.id}/snapshots`, { name: canary });

  w.agentId = mine.id;
  w.userId = me.id;
  // What stands for {x} behind a fixed segment of a path, and for ids in bodies and query strings.
  w.places = { 'users/id': user.id, 'agents/id': agent.id, 'keys/key_id': key.id, 'teams/id': team.id, 'members/agent_id': agent.id, 'agents/agent_id': agent.id,
    'contexts/id': context.id, 'memory/id': context.id, 'pools/id': pool.id, 'entries/eid': entry.id, 'snapshots/sid': taken.id, 'grants/gid': let_in.id, 'pool_grants/gid': let_pool.id,
    'keys/key': canary, 'shared/source': mine.id, 'tiered_memory/key': canary, 'short_term/id': kept.data.id,
    'experiences/id': lived.id, 'memory/key': canary, 'private_memory/key': canary,
    'knowledge_bases/id': base.id, 'knowledge/id': base.id, 'documents/id': document.id, 'chunks/id': chunk.id, 'communities/id': community.id, 'queries/id': put.query_id, 'connectors/id': connector.id, 'memory_pools/pool_id': pool.id, 'data/key': canary, 'workflow_runs/run_id': canary, 'task_executions/task_execution_id': canary,
    'episodes/id': said.episode_id, 'erasures/id': erased.receipt_id, 'domains/name': domain.id, 'policies/id': policy.id, 'work_items/id': work.id, 'goals/id': goal.id, 'observations/id': seen.id, 'merges/merge_id': joined.id,
    'archival/subject_id': held.subject_id, 'tags/id': tag.id, 'subjects/id': mine.id, 'taxonomy/id': tag.id, 'core_blocks/id': block.id, 'core_edits/id': edit.id, 'promotions/id': wished.id, 'reviews/id': held.id, 'work/id': work.id, 'knowledge_bases/knowledge_base_id': base.id, 'evaluations/id': question.id,
    'skills/id': skill.id, 'skills/sid': skill.id, 'agents/aid': agent.id, 'proposals/id': proposal.id, 'skill_proposals/id': skill_proposal.id, 'intervention_policies/id': intervention.id, 'recommendations/id': advice, 'sessions/id': talk, 'dependency_chain/id': skill.id, 'team_coverage/tid': team.id, 'team_gaps/tid': team.id, 'suggest_agents/tid': team.id, 'compose_team/tid': team.id, 'conflicts/id': conflict.id, 'versions/id': skill.active_version_id, 'versions/vid': skill.active_version_id, 'diff/to': skill.active_version_id,
    'facts/id': held.id, 'entities/id': held.subject_id, 'shared_knowledge/id': known.id, 'learnings/id': learned.id, 'reinforce/id': learned.id,
    'pages/id': wiki.id, 'page_files/id': beside.id, 'versions/v': '1', 'articles/id': article.id,
    'webhooks/id': hook.id, 'deliveries/delivery_id': w.ids.delivery,
    'roles/name': role.name, 'tokens/id': token.id, 'spaces/id': space.id, 'grants/grant_id': grant.id, 'nodes/id': node.id, 'exports/id': taken_out.id, 'imports/id': put_in.data.id, 'edges/id': edge.id, 'escalations/id': asked.id, 'notifications/id': told.id };
  w.named = { goal_id: goal.id, parent_goal_id: goal.id, target_user_id: user.id, target: skill.id, fact_id: held.id, op_id: erased.receipt_id, entity_id: held.subject_id, knowledge_base_id: base.id, document_id: document.id, expected_document_id: document.id, expected_chunk_id: chunk.id, space_id: space.id, parent_id: space.id, owner_agent_id: agent.id, team_id: team.id, agent_id: agent.id, target_agent_id: mine.id, user_id: user.id,
    entry_id: entry.id, learning_id: learned.id, skill_id: skill.id, usage_id: skill.id, version_id: skill.active_version_id, variant_version_id: skill.active_version_id, replaced_by: skill.id, into: tag.id, owner_id: agent.id, sid: skill.id, aid: agent.id, winner_id: learned.id, loser_id: node.id, node_id: node.id, supersedes: said.episode_id, by: held.id, target_namespace: space.id, namespace: space.id, source_id: node.id, target_id: other.id, subject_id: node.id, workspace_id: me.account_id, actor_id: agent.id, author_id: agent.id };
  await addSession(w, user);
  await addJobs(w);
  await addPairs(w, node.id, other.id);
  await until('the ends of the export and the import', async () =>
    (await sql(`SELECT COUNT(*) FROM transfer WHERE id IN ('${taken_out.id}', '${put_in.data.id}') AND finished_at IS NULL`))[0][0] === '0', { tries: 1200 });
  for (const place of new Set(Object.keys((await openapi()).paths).flatMap(placesOf)))
    assert.ok(place in w.places, `say in tests/api/world.mjs what stands for ${place}`);
  return w;
}

async function addSession(w, user) {
  await signIn({ account: w.slug, email: user.email, password: w.canary });
  const { sessions } = (await expectStatus(200, 'GET', `/api/v1/users/${user.id}/sessions`, { token: w.owner })).data;
  w.places['sessions/session_id'] = sessions[0].id;
}

// A run of a job for this account alone, and a task that was given up; neither is worked on.
async function addJobs(w) {
  const run = randomUUID(), task = randomUUID();
  await sql(`INSERT INTO job_run (id, job_name, \`trigger\`, fire_at, only_account, status, error, created_at) VALUES
    ('${run}', 'expired_cleanup', 'manual', UTC_TIMESTAMP(6), '${w.accountId}', 'failed', '${w.canary}', UTC_TIMESTAMP(6));
    INSERT INTO task (id, account_id, kind, priority, idem_key, status, run_at, attempts, max_attempts, last_error, created_at) VALUES
    ('${task}', '${w.accountId}', 'job_slice', 5, '${w.canary}', 'dead', UTC_TIMESTAMP(6), 3, 3, '${w.canary}', UTC_TIMESTAMP(6))`);
  Object.assign(w.places, { 'jobs/name': 'expired_cleanup', 'job_runs/id': run, 'runs/id': run, 'tasks/id': task });
  w.named.run_id = run;
}

// An event that was given up for a webhook.
async function addDelivery(w, hook) {
  w.ids.delivery = randomUUID();
  await sql(`INSERT INTO webhook_delivery (account_id, id, webhook_id, seq, event_id, kind, subject_id, status, attempts, error, created_at)
    SELECT account_id, '${w.ids.delivery}', id, 1, '${randomUUID()}', 'nothing.here', id, 'dead', 14, '${w.canary}', UTC_TIMESTAMP(6) FROM webhook WHERE id = '${hook}'`);
}

// A recommendation as a job would make it; resolves to its id.
export async function addRecommendation(accountId, { type, target, title, kind = 'agent', evidence = {}, config = {} }) {
  const id = randomUUID(), text = (o) => JSON.stringify(o).replaceAll('\\', '\\\\').replaceAll("'", "''");
  await sql(`INSERT INTO recommendation (account_id, id, recommendation_type, target_kind, target_id, title, confidence, evidence, recommended_config, topic, dedup_key, created_at, updated_at)
    SELECT '${accountId}', '${id}', '${type}', '${kind}', '${target}', '${title}', 0.9, '${text(evidence)}', '${text(config)}', h, h, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM (SELECT UNHEX(SHA2('${id}', 256)) AS h) x`);
  return id;
}

// Two memories that were merged, and the same two waiting for a decision.
async function addPairs(w, a, b) {
  const merge = randomUUID(), pair = randomUUID();
  await sql(`INSERT INTO node_merge (account_id, id, space_id, kind, keeper_id, loser_id, loser_key, nth, similarity, rule, keeper_importance, keeper_decayed_at,
      keeper_confidence, loser_status, given_uses, given_named, actor_kind, merged_at)
    SELECT account_id, '${merge}', space_id, kind, '${a}', '${b}', '${w.canary}', 1, 0.95, 'similar', 0.5, UTC_TIMESTAMP(6), 1, 'active', 0, 0, 'system', UTC_TIMESTAMP(6)
    FROM node WHERE id = '${a}';
    INSERT INTO duplicate_candidate (account_id, id, space_id, kind, a_id, b_id, similarity, reason, found_at)
    SELECT account_id, '${pair}', space_id, kind, '${a}', '${b}', 0.95, 'details', UTC_TIMESTAMP(6) FROM node WHERE id = '${a}'`);
  Object.assign(w.places, { 'merges/id': merge, 'duplicates/id': pair });
  w.named.keeper_id = a;
}

// "/api/v1/teams/{id}/members/{agent_id}" → ["teams/id", "members/agent_id"]
// Grants of contexts and of pools stand behind the same words, and so do proposals of skills and of agents.
const KINDS = [['grants', '/memory_pools/', 'pool_'], ['proposals', '/skill_graph/', 'skill_']];
const placeOf = (template, segment, name) => `${KINDS.find(([s, at]) => s === segment && template.includes(at))?.[2] ?? ''}${segment}/${name}`;
export const placesOf = (template) => [...template.matchAll(/([^/{}]+)\/\{(\w+)\}/g)].map((m) => placeOf(template, m[1], m[2]));

// The path of a row with the query it cannot do without; `which` says whose ids each place gets.
export function pathOf(template, which, row) {
  const needed = (row?.parameters ?? []).filter((p) => p.in === 'query' && p.required).map((p) => `${p.name}=${value(p.name, p.schema, { knowledge_base_id: which('knowledge_bases/id'), source_id: which('nodes/id'), target_id: which('nodes/id') })}`);
  return template.replace(/([^/{}]+)\/\{(\w+)\}/g, (_, s, n) => `${s}/${which(placeOf(template, s, n))}`) + (needed.length ? `?${needed.join('&')}` : '');
}

const types = (schema) => [].concat(schema.type ?? []);

// A member that names a row: by its id, or an agent or space by a name that stands for it. Of a signed capture
// "id" is a new one, and "key_id" one of the caller's own keys: tests/api/signed.test.mjs.
export const isId = (name, schema) => !['id', 'key_id'].includes(name) && schema.format === 'uuid' || /(^|_)agent_id$/.test(name) || name === 'space_id';

// A value that the field takes.
function value(name, schema, named) {
  const words = { role: 'viewer', kind: 'note', relation: 'uses', relation_type: 'uses', permissions: ['memory.read'], values: [1, 2, 3], model: MODEL, roles: ['coder'],
    public_key: publicKey(), grantee_kind: 'everyone', level: 'read', title: unique('title'), name: unique('name'), url: 'https://example.org/hook' };
  if (isId(name, schema)) return named[name] ?? assert.fail(`say in tests/api/world.mjs what stands for ${name}`);
  if (schema.enum && !schema.enum.includes(words[name])) return schema.enum.find((e) => e !== 'namespace');
  if (name in words) return words[name];
  if (schema.format === 'email') return `${unique('mail')}@example.org`;
  if (types(schema).includes('string')) return schema.pattern ? unique('s') : WORDS;
  if (types(schema).some((t) => ['integer', 'number'].includes(t))) return schema.minimum ?? 1;
  if (types(schema).includes('boolean')) return false;
  return types(schema).includes('array') ? [] : {};
}

// What a request of this row sends: {body} or {raw, headers}. extra: members besides the required ones.
export function bodyOf(row, named, extra = []) {
  const content = row.requestBody?.content ?? {};
  const media = Object.keys(content).find((m) => m !== 'multipart/form-data');
  const headers = row.parameters?.some((p) => p.$ref?.endsWith('/IfMatchRequired')) ? { 'If-Match': '*' } : {};
  if (!media) return { headers };
  const { properties, required = [] } = content[media].schema;      // a file has none
  if (!properties) return { raw: '{"title":"a line"}\n', headers: { ...headers, 'Content-Type': media } };
  const first = Object.keys(properties).find((p) => ['name', 'title', 'weight', 'level', 'role', 'value', 'confidence'].includes(p));
  const names = 'data' in properties && !required.length ? new Set(['data', ...extra]) : new Set([...(required.length || !first ? required : [first]), ...('value' in properties ? ['value'] : []), ...extra]);
  return { headers, body: Object.fromEntries([...names].map((n) => [n, value(n, properties[n], named)])) };
}

// Every row: {method, template, row, id}.
export async function everyRow() {
  const doc = await openapi();
  return Object.entries(doc.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, row]) => ({ method: method.toUpperCase(), template, row, id: row.operationId })));
}

export const permissionOf = (row) => /Requires the permission `([a-z_.]+)`/.exec(row.description)?.[1];
