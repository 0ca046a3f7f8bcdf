// Session logs: bytes come back as they were sent, numbers have no gaps, and exact words are found as a plain scan finds them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, unique } from './client.mjs';
import { sql } from './db.mjs';

const L = '/api/v1/memory/sessions', F = '/api/v1/memory/session_logs/search';
let account, token;

const append = async (id, messages, more = {}, status = 200, as = token) => (await expectStatus(status, 'POST', `${L}/${encodeURIComponent(id)}/log`, { token: as, body: { messages, ...more } })).data;
const say = (content, role = 'user') => ({ role, content });
const read = async (id, query = '', as = token) => (await expectStatus(200, 'GET', `${L}/${encodeURIComponent(id)}/log?${query}`, { token: as })).data;
const find = async (q, more = {}, as = token) => (await expectStatus(200, 'GET', `${F}?${new URLSearchParams({ q, limit: '100', ...more })}`, { token: as })).data;

before(async () => {
  account = await freshAccount();
  ({ token } = account);
});

test('emoji, odd Unicode and half a megabyte come back byte-equal (15.24)', async () => {
  const id = unique('bytes'), odd = '  e\u0301 ﬁ \u202e\u200b 👩‍👩‍👧‍👦 \t\r\n İstanbul ß ', large = `${'é'.repeat(262143)}x`;
  assert.equal(Buffer.byteLength(large), 524287);
  const made = await append(id, [say(odd), { role: 'tool', name: 'grep', content: large }]);
  assert.deepEqual([made.first_seq, made.last_seq], [1, 2]);
  const { messages } = await read(id);
  assert.deepEqual(messages.map((m) => [m.seq, m.role, m.name, m.content === odd, m.content === large]), [[1, 'user', null, true, false], [2, 'tool', 'grep', false, true]]);
  assert.deepEqual((await find('\u200b 👩')).hits.map((h) => h.seq), [1]);
  assert.deepEqual((await find('éé x'.replace(' ', ''), { session_id: id })).hits.map((h) => h.seq), [2]);
  await expectStatus(422, 'POST', `${L}/${id}/log`, { token, body: { messages: [say('é'.repeat(262145))] } });
});

test('words are found inside of words and in any case, but not across two messages (15.24)', async () => {
  const id = unique('words');
  await append(id, [say('The Quarterdeck is wet'), say('and the anch'), say('or is lost', 'assistant'), say('ÄPFEL für alle')]);
  const seqs = async (q, more) => (await find(q, { session_id: id, ...more })).hits.map((h) => h.seq);
  assert.deepEqual(await seqs('uarterd'), [1]);
  assert.deepEqual(await seqs('QUARTERDECK'), [1]);
  assert.deepEqual(await seqs('QUARTERDECK', { case_sensitive: true }), []);
  assert.deepEqual(await seqs('anchor'), []);
  assert.deepEqual(await seqs('äpfel FÜR'), [4]);
  assert.deepEqual(await seqs('wet the', { match: 'all_words' }), [1]);
  assert.deepEqual(await seqs('wet lost', { match: 'all_words' }), []);
  assert.deepEqual(await seqs(' is ', { role: 'assistant' }), [3]);
  const [hit] = (await find('Quarterdeck', { session_id: id })).hits;
  assert.deepEqual([hit.excerpt, hit.session_id, hit.role], ['The Quarterdeck is wet', id, 'user']);
  await expectStatus(422, 'GET', `${F}?q=ab`, { token });
});

test('of twenty writers each gets its own numbers, and none is missing (15.24)', async () => {
  const id = unique('many');
  await append(id, [say('first')]);
  const all = await Promise.all(Array.from({ length: 20 }, (_, i) => append(id, [say(`a ${i}`), say(`b ${i}`)])));
  const seqs = all.flatMap((a) => [a.first_seq, a.last_seq]).sort((x, y) => x - y);
  assert.deepEqual(seqs, Array.from({ length: 40 }, (_, i) => i + 2));
  assert.equal((await read(id, 'limit=500')).messages.length, 41);
  const r = await expectStatus(409, 'POST', `${L}/${id}/log`, { token, body: { messages: [say('x')], expected_seq: 7 } });
  assert.equal(r.body.reason, 'expected_seq');
  await append(id, [say('x')], { expected_seq: 42 });
  const page = await read(id, 'from_seq=40&limit=2');
  assert.deepEqual([page.messages.map((m) => m.seq), page.next_seq], [[40, 41], 42]);
});

test('search over many blocks finds what a plain scan finds, and leaves most blocks out', async () => {
  const agent = await freshAgent(account), as = agent.token, words = Array.from({ length: 4000 }, (_, i) => `w${(i * 7919 % 4093).toString(36)}${'aeiou'[i % 5]}n`);
  let seed = 1;
  const word = () => words[(seed = (seed * 1103515245 + 12345) % 2147483648) % words.length];
  const texts = Array.from({ length: 1200 }, () => Array.from({ length: 200 }, word).join(' '));
  for (const i of [3, 600, 1190]) texts[i] += ' Rendezvous at the lighthouse ';
  for (let i = 0; i < texts.length; i += 100) await append(unique('x') && `scan ${i % 300}`, texts.slice(i, i + 100).map((t) => say(t)), {}, 200, as);
  const blocks = Number((await sql(`SELECT COUNT(*) FROM session_block b JOIN session_head h ON h.id = b.session_id JOIN space s ON s.id = h.space_id WHERE s.owner_agent_id = '${agent.id}'`))[0][0]);
  assert.ok(blocks >= 10, `${blocks} blocks`);
  for (const q of ['endezvous at the', 'lighthouse', words[77], 'no such thing here']) {
    const found = await find(q, {}, as), plain = texts.filter((t) => t.toLowerCase().includes(q.toLowerCase())).length;
    assert.equal(found.hits.length, Math.min(plain, 100), q);
    assert.equal(found.partial, false);
  }
  const rare = await find('rendezvous', {}, as);
  assert.ok(rare.blocks_skipped > rare.blocks_read, `${rare.blocks_read} read, ${rare.blocks_skipped} left out`);
});

test('a closed log takes no more; an erased one is gone; others see nothing', async () => {
  const id = unique('private'), other = await freshAgent(account), stranger = await freshAccount();
  await append(id, [say('the password is swordfish')]);
  for (const as of [other.token, stranger.token]) {
    assert.deepEqual((await find('swordfish', {}, as)).hits, []);
    await expectStatus(404, 'GET', `${L}/${id}/log`, { token: as });
  }
  assert.ok((await expectStatus(200, 'GET', L, { token })).data.some((h) => h.external_id === id));
  await expectStatus(422, 'POST', `${L}/${id}/log`, { token: account.owner, body: { messages: [say('x')] } });
  assert.notEqual((await expectStatus(200, 'POST', `${L}/${id}/close`, { token, body: {} })).data.closed_at, null);
  assert.equal((await call('POST', `${L}/${id}/log`, { token, body: { messages: [say('late')] } })).status, 409);
  await expectStatus(204, 'DELETE', `${L}/${id}/log`, { token });
  await expectStatus(404, 'GET', `${L}/${id}/log`, { token });
  assert.deepEqual((await find('swordfish')).hits, []);
});

test('credentials are replaced before they are stored, and nothing else; an account can switch that off', async () => {
  const a = await freshAccount(), id = unique('secrets'), key = `AKIA${'IOSFODNN7EXAMPLE'}`, text = `mail me at x@example.org, the key is ${key} ok`;
  const append_ = async () => append(id, [say(text), say('plain  \t text')], {}, 200, a.token);
  const made = await append_();
  const [one, two] = (await read(id, '', a.token)).messages;
  assert.equal(made.redacted, 1);
  assert.deepEqual([one.content, two.content], [text.replace(key, '[redacted:secret]'), 'plain  \t text']);
  assert.equal((await find(key, {}, a.token)).hits.length, 0);
  const etag = (await expectStatus(200, 'GET', '/api/v1/account', { token: a.owner })).headers.get('etag');
  await expectStatus(200, 'PATCH', '/api/v1/account', { token: a.owner, headers: { 'If-Match': etag }, body: { settings: { log_redaction: 'off' } } });
  assert.equal((await append_()).redacted, 0);
  assert.equal((await find(key, {}, a.token)).hits.length, 1);
});
