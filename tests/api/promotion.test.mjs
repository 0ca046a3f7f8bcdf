// Promotion of short-term rows: one agent's archived or deleted context stops nobody else, and the same key of two sessions keeps both
// contents (memory, sections 12 and 13).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, runEnded, until } from './client.mjs';
import { sql } from './db.mjs';

const C = '/api/v1/ai/contexts';

// An account, and its agents with what they remember. Rows are made due by the database, so that no task of a third read promotes them.
async function house() {
  const account = await freshAccount();
  const get = async (path, token = account.owner) => (await expectStatus(200, 'GET', path, { token })).data;
  const job = async (name, body = {}) => {
    const { id } = (await expectStatus(202, 'POST', `/api/v1/jobs/${name}/run`, { token: account.owner, body })).data;
    return runEnded(account, id);
  };
  const agent = async () => {
    const { id, token } = await freshAgent(account);
    const A = `/api/v1/ai/agents/${id}`;
    const write = async (key, value, more = {}) => (await expectStatus(200, 'POST', `${A}/tiered_memory`, { token, body: { key, value, ...more } })).data;
    const due = async (key, value, more = {}) => {
      const row = await write(key, value, more);
      await sql(`UPDATE short_term_memory SET access_count = 5 WHERE id = '${row.id}'`);
      return row.id;
    };
    const read = async (key, more = {}) => (await expectStatus(200, 'GET', `${A}/tiered_memory?${new URLSearchParams({ key, tier: 'long_term', ...more })}`, { token })).data;
    const consolidate = async () => (await expectStatus(200, 'POST', `${A}/tiered_memory/consolidate`, { token, body: {} })).data;
    const longTerm = async () => (await get(`${C}?agent_id=${id}&limit=100`, token)).find((x) => x.name.endsWith(' Long-Term Memory'));
    const entries = async () => { const x = await longTerm(); return x ? get(`${C}/${x.id}/entries?limit=100`, token) : []; };
    const found = async (query) => (await expectStatus(200, 'POST', `${C}/search`, { token, body: { query, search_type: 'keyword' } })).data.hits.map((h) => h.entry.entry_key);
    return { id, token, write, due, read, consolidate, longTerm, entries, found };
  };
  return { ...account, get, job, agent };
}
const state = async (id) => (await sql(`SELECT promote_state, promote_attempts, COALESCE(promote_error, '') FROM short_term_memory WHERE id = '${id}'`))[0];
const FAR = "UTC_TIMESTAMP(6) - INTERVAL 8 DAY";

for (const [how, why] of [['archive', /archived/], ['delete', /deleted/]])
  test(`an agent whose Long-Term Memory is gone (${how}) stops only its own promotion, which fails for that reason after five tries`, async () => {
    const h = await house(), [v, w] = [await h.agent(), await h.agent()];
    await v.write('seed', 'so that it is there', { tier: 'long_term' });
    const x = await v.longTerm();
    const [bad, lost, good] = [await v.due('k', 'Text of v that is due.'), await v.due('old', 'Text of v that has expired.'), await w.due('k', 'Text of w.')];
    for (const n of ['two', 'three']) await w.due(n, `Another text: ${n}.`);
    await sql(`UPDATE short_term_memory SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE id = '${lost}'`);
    if (how === 'archive') await expectStatus(200, 'POST', `${C}/${x.id}/archive`, { token: v.token, body: {} });
    else await expectStatus(204, 'DELETE', `${C}/${x.id}`, { token: v.token });

    const run = await h.job('memory_consolidation');
    assert.deepEqual([run.status, run.reason, run.counts.promoted], ['partial', 'failed_rows', 3], JSON.stringify(run));
    assert.ok(run.failed >= 1 && run.notes.every((n) => why.test(n.error)), JSON.stringify(run.notes));
    assert.equal((await state(good))[0], 'promoted');
    assert.equal((await w.entries()).length, 3);
    const [, tries, error] = await state(bad);
    assert.ok(Number(tries) >= 1);
    assert.match(error, why);

    for (let i = 0; i < 5; i++) await h.job('memory_consolidation');
    for (const id of [bad, lost]) assert.deepEqual((await state(id)).slice(0, 2), ['failed', '5']);
    const again = await h.job('memory_consolidation');
    assert.deepEqual([again.status, again.failed], ['succeeded', 0], 'what has failed is not tried for ever');
    await h.job('short_term_cleanup');
    assert.equal((await state(lost))[0], 'failed', 'kept and shown for a week past its expiry');
    await sql(`UPDATE short_term_memory SET expires_at = ${FAR} WHERE id = '${lost}'`);
    await until('the row to be gone', async () => { await h.job('short_term_cleanup'); return !(await state(lost)); });

    // Once the context is back, what is written from then on is promoted.
    if (how === 'archive') await expectStatus(200, 'POST', `${C}/${x.id}/unarchive`, { token: v.token, body: {} });
    else await expectStatus(200, 'POST', `/api/v1/spaces/${x.id}/restore`, { token: v.token, body: {} });
    const next = await v.due('next', 'Text of v afterwards.');
    await h.job('memory_consolidation');
    assert.equal((await state(next))[0], 'promoted');
  });

test('the same key in two sessions: each content is an entry that is found; within a session other content is a version', async () => {
  const h = await house(), a = await h.agent();
  await a.due('result', 'The inspection found eleven broken crates.', { session_id: 'job-0' });
  await a.due('result', 'The survey counted forty gulls.', { session_id: 'job-1' });
  assert.deepEqual([(await a.consolidate()).promoted, (await a.entries()).map((e) => e.entry_key).sort()], [2, ['result', 'result@job-1']]);
  const origin = (key) => a.entries().then((all) => all.find((e) => e.entry_key === key)).then((e) => [e.metadata.memory_key, e.metadata.source_session, e.version]);
  assert.deepEqual([await origin('result'), await origin('result@job-1')], [['result', 'job-0', 1], ['result', 'job-1', 1]]);
  assert.equal((await a.read('result', { session_id: 'job-1' })).value, 'The survey counted forty gulls.');
  for (const session of [{}, { session_id: 'job-0' }]) assert.equal((await a.read('result', session)).value, 'The inspection found eleven broken crates.');
  for (const [query, key] of [['broken crates', 'result'], ['forty gulls', 'result@job-1']])
    await until(`${query} to be found`, async () => (await a.found(query)).includes(key));

  await a.due('result', 'The survey counted fifty gulls.', { session_id: 'job-1' });
  await a.due('result', 'The inspection found twelve broken crates.', { session_id: 'job-0' });
  await a.due('result', 'The inspection found twelve broken crates.', { session_id: 'job-2' });
  const done = await a.consolidate();
  assert.deepEqual([done.promoted, done.duplicates], [2, 1], JSON.stringify(done));
  const now = await a.entries();
  assert.deepEqual(now.map((e) => [e.entry_key, e.content, e.version > 1]).sort(),
    [['result', 'The inspection found twelve broken crates.', true], ['result@job-1', 'The survey counted fifty gulls.', true]]);

  // What a session writes to long-term memory itself goes where it reads from.
  await a.write('result', 'The survey was called off.', { tier: 'long_term', session_id: 'job-1' });
  assert.equal((await a.read('result', { session_id: 'job-1' })).value, 'The survey was called off.');
  assert.deepEqual((await a.entries()).map((e) => e.entry_key).sort(), ['result', 'result@job-1']);
});

test('what was written to long-term memory by key is not hidden by a session, and long keys stay apart', async () => {
  const h = await house(), a = await h.agent(), long = (end) => 'plan '.repeat(50) + end;
  await a.write('plan', 'Sail north in spring.', { tier: 'long_term' });
  await a.due('plan', 'Repair the nets first.');
  for (const end of ['one', 'two']) for (const session_id of ['s1', 's2'.padEnd(128, 'x')]) await a.due(long(end), `What ${end} says in ${session_id.slice(0, 2)}.`, { session_id, type: 'observation' });
  assert.equal((await a.consolidate()).failed, 0);
  const all = await a.entries();
  assert.equal(all.find((e) => e.entry_key === 'plan').content, 'Sail north in spring.');
  assert.equal(all.find((e) => e.entry_key === 'plan@default').content, 'Repair the nets first.');
  assert.equal(new Set(all.filter((e) => e.entry_key.startsWith('plan plan')).map((e) => e.content)).size, 4);
  assert.ok(all.every((e) => [...e.entry_key].length <= 255));
  for (const end of ['one', 'two']) assert.equal((await a.read(long(end), { session_id: 's2'.padEnd(128, 'x') })).value, `What ${end} says in s2.`);
  assert.equal((await call('GET', `/api/v1/ai/agents/${a.id}/tiered_memory?key=plan&tier=long_term`, { token: h.token })).status, 404);
});

test('promotion finds equal and alike content under any key and type, the default type too; another number and a bare value are not one', async () => {
  const h = await house(), said = 'The harbour master closes the northern gate at sunset and opens it again before dawn.';
  const one = await h.agent();
  await one.write('first', 'The first vector of an account settles its model.', { tier: 'long_term' });
  await until('the account has a model', async () => (await sql(`SELECT 1 FROM embedding_model m JOIN agent a ON a.account_id = m.account_id WHERE a.id = '${one.id}'`)).length);
  for (const more of [{}, { type: 'observation' }]) {
    const a = await h.agent();
    for (const [key, value] of [['launch_checklist', 'Deploy on Monday.'], ['customer_feedback', 'Deploy on Monday.'], ['gate', said], ['lunch', said.replace('northern gate', 'north gate')],
      ['b1', 'The budget of the harbour is 100.'], ['b2', 'The budget of the harbour is 200.'], ['retries', 3], ['workers', 3]]) await a.due(key, value, more);
    const first = await a.consolidate();
    assert.deepEqual([first.promoted, first.duplicates, first.failed], [6, 2, 0], JSON.stringify([first, await a.entries()]));
    await a.due('again', 'Deploy on Monday.', { ...more, session_id: 'later' });
    assert.deepEqual([(await a.consolidate()).duplicates, (await a.entries()).length], [1, 6]);
  }
});
