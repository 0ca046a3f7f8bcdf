// The account's own rules: tried without storing anything, checked with their own tests, and what is read by them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, settled, unique } from './client.mjs';

const R = '/api/v1/rules';
let account;
before(async () => { account = await freshAccount(); });

const RULE = (id, verb, test) => `rule ${id} predicate=runs_on confidence=0.85 effect=open\n  match <s> be? (${verb}) (to|on) <o>\n  test + "${test}" => Loci | runs_on | host7\nend`;
const attempt = async (body) => (await expectStatus(200, 'POST', `${R}/try`, { token: account.token, body })).data;
const put = async (text, more = {}) => (await expectStatus(200, 'PUT', R, { token: account.owner, body: { text, ...more } })).data;

test('a text is tried: what it would make, with its bytes, and what a gate refused', async () => {
  const text = 'Alice is based in Paris. Is Bob based in Rome?', { claims, sentences } = await attempt({ text });
  assert.deepEqual(claims.map((k) => [k.subject, k.predicate, k.object, k.rule_id, text.slice(k.start, k.end)]), [['Alice', 'based_in', 'Paris', 'based.1', 'Alice is based in Paris.']]);
  assert.equal(sentences, 2);
  assert.deepEqual((await attempt({ text: 'I live in Tartu.' })).claims, []);
  assert.equal((await attempt({ text: 'I live in Tartu.', speaker: 'Mari' })).claims[0].subject, 'Mari');
});

test('one bad rule and one failing test are named with their lines; the rest works, for new captures too', async () => {
  const bad = 'rule broken.1 predicate=runs_on confidence=7 effect=open\n  match <s> zoom <o>\nend';
  const text = [RULE('own.1', 'hum', 'Loci is humming on host7.'), bad, RULE('own.2', 'buzz', 'Loci sleeps on host7.')].join('\n');
  const dry = await put(text, { dry_run: true });
  assert.deepEqual([dry.version, dry.rules, dry.faults.map((f) => f.line).sort((a, b) => a - b)], [0, 1, [5, 10]], JSON.stringify(dry));
  assert.equal((await expectStatus(200, 'GET', R, { token: account.owner })).data.version, 0);
  const kept = await put(text);
  assert.deepEqual([kept.version, kept.rules, kept.faults.length], [1, 1, 2]);
  const [claim] = (await attempt({ text: 'Loci is humming on host9.' })).claims;
  assert.deepEqual([claim.rule_id, claim.object], ['own.1', 'host9']);
  assert.deepEqual((await attempt({ text: 'Loci is buzzing on host9.' })).claims, []);
  const who = `Z${unique('loci').replace('-', '')}`;
  const { episode_id } = (await expectStatus(200, 'POST', '/api/v1/memory/capture', { token: account.token, body: { content: `${who} is humming on host3. ${who} is based in Paris.` } })).data;
  await settled(account.slug, { parts: ['queue'], kinds: ['consolidate'] });
  const facts = (await expectStatus(200, 'GET', `/api/v1/facts?subject=${who}`, { token: account.token })).data;
  assert.deepEqual(facts.map((f) => [f.predicate, f.object]).sort(), [['based_in', 'Paris'], ['runs_on', 'host3']]);
  assert.equal((await expectStatus(200, 'GET', `/api/v1/memory/episodes/${episode_id}`, { token: account.token })).data.rule_set, 'en-1+1');
});

test('rules are changed by people who review beliefs, and have a size', async () => {
  assert.equal((await call('PUT', R, { token: account.token, body: { text: '' } })).status, 403);
  await expectStatus(422, 'PUT', R, { token: account.owner, body: { text: '#'.repeat(262145) } });
  assert.deepEqual((await put('')).faults, []);
});
