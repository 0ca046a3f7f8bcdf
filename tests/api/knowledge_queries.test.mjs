// Questions to knowledge bases: modes, fusions, filters, the record of queries, feedback and analytics.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, freshAgent, signIn, unique, until } from './client.mjs';
import { sql } from './db.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`;
let account, other, token, stranger, base, second, rules, menu, secret;
const makeBase = async (body = {}) => (await expectStatus(201, 'POST', K, { token, body: { name: unique('base'), ...body } })).data;
const put = async (b, name, content, more = {}) => {
  const d = (await expectStatus(201, 'POST', D, { token, body: { knowledge_base_id: b.id, name, content, ...more } })).data;
  return until(`${name} to be indexed`, async () => {
    const now = (await expectStatus(200, 'GET', `${D}/${d.id}`, { token })).data;
    return now.status === 'indexed' ? now : null;
  }, { tries: 1200 });
};
before(async () => {
  [account, other] = [await freshAccount(), await freshAccount()];
  token = account.token;
  stranger = await freshAgent(account);
  [base, second] = [await makeBase({ chunk_size: 300, chunk_overlap: 60 }), await makeBase()];
  rules = await put(base, 'Port rules', `# Port rules\n\n## Pilots\n\nA pilot is compulsory for vessels above ninety metres. ${'Pilots board at the outer buoy. '.repeat(12)}\n\n## Fuel\n\nBunkering needs a permit of the harbour master.`, { source_url: 'https://example.org/rules' });
  menu = await put(base, 'Canteen', 'On Fridays the canteen serves herring with potatoes.');
  secret = await put(second, 'Night watch', 'The night watch keeps the spare key behind the lighthouse clock.');
});

const ask = async (query, more = {}, as = token) => (await expectStatus(200, 'POST', `${R}/query`, { token: as, body: { query, ...more } })).data;
const find = async (query, more = {}, as = token) => (await expectStatus(200, 'POST', `${R}/search`, { token: as, body: { query, ...more } })).data;

test('a sentence is found with its exact place, in every mode and fusion', async () => {
  for (const more of [{}, { mode: 'keyword' }, { mode: 'hybrid', fusion_method: 'rrf' }, { fusion_method: 'weighted' }, { fusion_method: 'simple' }, { rerank: true }]) {
    const r = await ask('Who needs a permit for bunkering?', { knowledge_base_id: base.id, ...more });
    const [best] = r.results;
    assert.match(best.content, /Bunkering needs a permit/, JSON.stringify(more));
    assert.deepEqual([best.document_id, best.document_name, best.heading_path, best.source_url, best.rank, best.untrusted], [rules.id, 'Port rules', 'Port rules › Fuel', 'https://example.org/rules', 1, true]);
    const text = (await expectStatus(200, 'GET', `${D}/${rules.id}/text`, { token })).data.text;
    assert.equal(best.content, Buffer.from(text).subarray(best.start_offset, best.end_offset).toString());
    assert.equal(r.total_results, r.results.length);
    if (more.fusion_method && !r.degraded.length) assert.equal(r.fusion_method, more.fusion_method);
    assert.ok(r.latency_ms > 0 && r.quality_score >= 0 && r.quality_score <= 100);
  }
  for (const mode of ['vector', 'graph']) {
    const r = await ask('Who needs a permit for bunkering?', { knowledge_base_id: base.id, mode });
    assert.ok(Array.isArray(r.results) && r.results.every((x) => x.knowledge_base_id === base.id));
  }
});

test('GET answers as POST does; a percent sign is a word like others', async () => {
  const r = (await expectStatus(200, 'GET', `${R}/query?query=herring&knowledge_base_ids=${base.id}&top_k=1`, { token })).data;
  assert.deepEqual(r.results.map((x) => x.document_id), [menu.id]);
  assert.deepEqual((await expectStatus(200, 'GET', `${R}/search?query=herring&knowledge_base_id=${base.id}`, { token })).data.results[0].document_id, menu.id);
  assert.deepEqual((await ask('%', { knowledge_base_id: base.id, mode: 'keyword' })).results, []);
});

test('a search gives documents, each once, with how many of its chunks were found', async () => {
  const r = await find('where do pilots board the vessels', { knowledge_base_id: base.id });
  assert.equal(new Set(r.results.map((x) => x.document_id)).size, r.results.length);
  assert.equal(r.results[0].document_id, rules.id);
  assert.ok(r.results[0].matches > 1 && r.results[0].content.length <= 400);
});

test('limits: bases, documents and top_k', async () => {
  assert.deepEqual((await ask('spare key lighthouse', { knowledge_base_id: base.id, mode: 'keyword' })).results, []);
  assert.equal((await ask('spare key lighthouse')).results[0].document_id, secret.id, 'without ids: all bases');
  assert.equal((await ask('spare key lighthouse', { knowledge_base_ids: [base.id, second.id] })).results[0].document_id, secret.id);
  for (const only of [rules, menu])
    for (const x of (await ask('pilot herring', { knowledge_base_id: base.id, document_ids: [only.id] })).results) assert.equal(x.document_id, only.id);
  assert.equal((await ask('pilot buoy herring', { knowledge_base_id: base.id, top_k: 2 })).results.length, 2);
});

test('bad input is refused by name', async () => {
  for (const [body, name] of [[{ mode: 'best' }, 'mode'], [{ top_k: 0 }, 'top_k'], [{ top_k: 51 }, 'top_k'], [{ query: 'x'.repeat(4097) }, 'query'], [{ query: '' }, 'query'],
    [{ fusion_method: 'auto' }, 'fusion_method'], [{ similarity_threshold: 1.5 }, 'similarity_threshold'], [{ knowledge_base_id: base.id, knowledge_base_ids: [second.id] }, 'knowledge_base_id']]) {
    const r = await expectStatus(422, 'POST', `${R}/query`, { token, body: { query: 'x', ...body } });
    assert.ok(r.body.errors.some((e) => e.pointer === `/${name}`), `${name}: ${r.text}`);
  }
});

test('nothing of a base shows to who may not read it', async () => {
  for (const as of [stranger.token, other.owner]) {
    await expectStatus(404, 'POST', `${R}/query`, { token: as, body: { query: 'pilot', knowledge_base_id: base.id } });
    await expectStatus(404, 'GET', `${R}/analytics?knowledge_base_id=${base.id}`, { token: as });
    const r = await ask('pilot herring lighthouse key', {}, as);
    assert.deepEqual([r.results, r.verdict, r.query_id], [[], 'nothing_found', null]);
  }
});

test('what changed or was deleted is found by no next query; an archived base is left out', async () => {
  const b = await makeBase();
  const external_id = unique('x');
  const d = await put(b, 'Berths', 'Berth seven is reserved for the quicksilver ferry.', { external_id });
  assert.equal((await ask('quicksilver ferry', { knowledge_base_id: b.id })).results.length, 1);
  await expectStatus(200, 'POST', D, { token, body: { knowledge_base_id: b.id, external_id, content: 'Berth seven is reserved for the marigold barge.' } });
  await until('the new text', async () => (await expectStatus(200, 'GET', `${D}/${d.id}`, { token })).data.generation === 2, { tries: 1200 });
  assert.deepEqual((await ask('quicksilver', { knowledge_base_id: b.id, mode: 'keyword' })).results, []);
  assert.match((await ask('marigold barge', { knowledge_base_id: b.id })).results[0].content, /marigold/);
  await expectStatus(200, 'POST', `${K}/${b.id}/archive`, { token, body: {} });
  assert.deepEqual((await ask('marigold', { mode: 'keyword' })).results, []);
  await expectStatus(200, 'POST', `${K}/${b.id}/unarchive`, { token, body: {} });
  await expectStatus(204, 'DELETE', `${D}/${d.id}`, { token });
  assert.deepEqual((await ask('marigold', { knowledge_base_id: b.id, mode: 'keyword' })).results, []);
});

test('the record of a query: its own only, what each signal found, and feedback that moves its quality', async () => {
  const words = unique('bunkering permit ');
  const r = await ask(words, { knowledge_base_id: base.id, top_k: 3 });
  const { data: [row] } = await expectStatus(200, 'GET', `${R}/queries`, { token });
  assert.deepEqual([row.id, row.query_text, row.knowledge_base_ids, row.retrieval_strategy, row.top_k, row.results_count, row.quality_score, row.feedback],
    [r.query_id, words, [base.id], 'hybrid', 3, r.results.length, r.quality_score, null]);
  const one = (await expectStatus(200, 'GET', `${R}/queries/${r.query_id}`, { token })).data;
  const [search] = one.searches;
  assert.deepEqual(search.merged_results.map((x) => x.id), r.results.map((x) => x.chunk_id));
  assert.ok(search.keyword_results.length > 0 && search.keyword_score > 0);
  assert.equal(search.result_count, r.results.length);
  await expectStatus(404, 'GET', `${R}/queries/${r.query_id}`, { token: stranger.token });
  await expectStatus(404, 'POST', `${R}/queries/${r.query_id}/feedback`, { token: stranger.token, body: { useful: true } });
  const moved = (await expectStatus(200, 'POST', `${R}/queries/${r.query_id}/feedback`, { token, body: { useful: true } })).data;
  assert.deepEqual([moved.feedback, moved.quality_score], [1, (r.quality_score + 100) / 2]);
  await expectStatus(409, 'POST', `${R}/queries/${r.query_id}/feedback`, { token, body: { useful: false } });
});

test('quality: 0 without results; the words of a query are kept as the strictest base wants', async () => {
  const none = await ask('xylophone', { knowledge_base_id: base.id, mode: 'keyword' });
  assert.deepEqual([none.results, none.quality_score, none.verdict], [[], 0, 'nothing_found']);
  const hashed = await makeBase({ log_queries: 'hash' }), off = await makeBase({ log_queries: 'off' });
  const h = await ask('who keeps words', { knowledge_base_ids: [base.id, hashed.id] });
  assert.equal((await expectStatus(200, 'GET', `${R}/queries/${h.query_id}`, { token })).data.query_text, null);
  assert.equal((await ask('who keeps nothing', { knowledge_base_ids: [base.id, off.id] })).query_id, null);
  assert.equal((await sql(`SELECT COUNT(*) FROM rag_query WHERE query_text LIKE 'who keeps%'`))[0][0], '0');
});

test('analytics: how often, how fast and how well, by mode', async () => {
  const b = await makeBase();
  const at = async (days = 30) => (await expectStatus(200, 'GET', `${R}/analytics?knowledge_base_id=${b.id}&days=${days}`, { token })).data;
  assert.deepEqual(await at(), { knowledge_base_id: b.id, days: 30, queries: 0, empty: 0, modes: [], avg_latency_ms: null });
  for (let i = 0; i < 3; i++) await ask('nothing here', { knowledge_base_id: b.id, mode: 'keyword' });
  await sql(`INSERT INTO rag_stat SELECT account_id, knowledge_base_id, day - INTERVAL 40 DAY, mode, 7, 0, 70, 700 FROM rag_stat WHERE knowledge_base_id = '${b.id}'`);
  const now = await at(), all = await at(60);
  assert.deepEqual([now.queries, now.empty, now.modes[0].mode, now.modes[0].n], [3, 3, 'keyword', 3]);
  assert.ok(now.modes[0].avg_latency_ms > 0);
  assert.deepEqual([all.queries, all.empty], [10, 3]);
  assert.ok(Math.abs(all.avg_latency_ms - (3 * now.avg_latency_ms + 70) / 10) < 1e-6);
  const of_graph = (await expectStatus(200, 'GET', `${R}/analytics?knowledge_base_id=${b.id}&mode=graph`, { token })).data;
  assert.deepEqual([of_graph.queries, of_graph.avg_latency_ms], [3, null]);
  assert.deepEqual((await expectStatus(200, 'GET', `${K}/${b.id}`, { token })).data.query_count, 3);
  assert.equal((await call('GET', `${R}/analytics?knowledge_base_id=${b.id}&days=401`, { token })).status, 422);
});

test('insights: what is asked most, what nothing answers, documents never found; for who manages the base, and not where no words are kept', async () => {
  const b = await makeBase(), found = await put(b, 'Ferries', 'The ferry to Visby leaves at nine.'), lost = await put(b, 'Menu of 1987', 'Herring, twice a week.');
  const at = async (days = 30) => (await expectStatus(200, 'GET', `${K}/${b.id}/insights?days=${days}`, { token })).data;
  for (const query of ['ferry to Visby leaves', 'Ferry to  visby leaves', 'zeppelin maintenance', 'zeppelin maintenance', 'zeppelin maintenance']) await ask(query, { knowledge_base_id: b.id, mode: 'keyword' });
  const now = await at();
  assert.deepEqual(now.most_asked.map((q) => [q.question, q.n]), [['zeppelin maintenance', 3], ['ferry to Visby leaves', 2]]);
  assert.deepEqual(now.unanswered.filter((q) => /zeppelin/.test(q.question)).map((q) => q.unanswered), [3]);
  assert.ok(now.slowest.length === 2 && now.slowest[0].most_ms >= now.slowest[1].most_ms);
  assert.deepEqual(now.never_found.map((d) => d.id), [lost.id], `${found.id} was found`);
  assert.deepEqual([now.days.length, now.days[0].n, now.days[0].empty], [1, 5, 3]);
  const [mode] = (await expectStatus(200, 'GET', `${R}/analytics?knowledge_base_id=${b.id}`, { token })).data.modes;
  assert.ok(mode.p50_ms > 0 && mode.p95_ms >= mode.p50_ms, JSON.stringify(mode));
  assert.equal((await call('GET', `${K}/${b.id}/insights`, { token: stranger.token })).status, 404);
  const quiet = await makeBase({ log_queries: 'hash' });
  await put(quiet, 'Ferries', 'The ferry to Visby leaves at nine.');
  await ask('ferry to Visby', { knowledge_base_id: quiet.id });
  assert.deepEqual((await expectStatus(200, 'GET', `${K}/${quiet.id}/insights`, { token })).data.most_asked, []);
});
test('the page: a question is answered with links to its chunks, and nothing of it is taken for markup', async () => {
  const email = `${unique('p')}@example.org`, password = 'a password to sign in';
  await expectStatus(201, 'POST', '/api/v1/users', { token: account.owner, body: { email, name: 'P', role: 'viewer', password } });
  const cookie = await signIn({ account: account.slug, email, password });
  const show = async (path) => (await fetch(BASE + path, { headers: { Cookie: cookie } })).text();
  const at = `/admin/knowledge/${base.id}/query`;
  assert.doesNotMatch(await show(`${at}?query=herring`), /canteen/, 'who may not read the base sees none of it');
  await expectStatus(200, 'PATCH', `${K}/${base.id}`, { token, body: { is_public: true } });
  const html = await show(`${at}?query=${encodeURIComponent('herring "<b>')}&mode=keyword`);
  assert.match(html, new RegExp(`value="herring &quot;&lt;b&gt;"[^]*/admin/documents/${menu.id}[^]*canteen serves herring`));
  assert.match(await show(at), /Last 30 days[^]*keyword/);
  await expectStatus(200, 'PATCH', `${K}/${base.id}`, { token, body: { is_public: false } });
});
