// Signed captures, what settings redact, and rules of the operator.
import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, freshAgent, moveClock, unique } from './client.mjs';
import { sql } from './db.mjs';

const C = '/api/v1/memory/capture';
let account, accountId, ann, slug, key, keyId, skew;

before(async () => {
  skew = await moveClock('1s') - Date.now();      // other tests have moved the clock
  account = await freshAccount();
  accountId = (await expectStatus(200, 'GET', '/api/v1/me', { token: account.owner })).data.account_id;
  ann = await freshAgent(account);
  slug = `agent:${ann.id}`;
  const pair = generateKeyPairSync('ed25519');
  key = pair.privateKey;
  const publicKey = pair.publicKey.export({ format: 'jwk' }).x;
  keyId = (await expectStatus(201, 'POST', `/api/v1/agents/${ann.id}/keys`, { token: account.owner, body: { name: 'one', public_key: publicKey } })).data.id;
});

// A UUID of version 7.
const newId = () => { const hex = Date.now().toString(16).padStart(12, '0'); return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`; };
function signed(body, by = key) {
  const full = { id: newId(), key_id: keyId, role: 'user', captured_at: new Date(Date.now() + skew).toISOString(), ...body };
  const field = (x) => { const b = Buffer.isBuffer(x) ? x : Buffer.from(x ?? ''), n = Buffer.alloc(4); n.writeUInt32BE(b.length); return [n, b]; };
  const at = Buffer.alloc(8);
  at.writeBigInt64BE(BigInt(Date.parse(full.captured_at)));
  const bytes = Buffer.concat([Buffer.from([1]), ...['loci.provenance.v1', accountId, full.id, ann.id, slug, full.role, createHash('sha256').update(full.content).digest(), full.session_id, full.supersedes].flatMap(field), at]);
  return { ...full, signature: sign(null, bytes, by).toString('base64url') };
}
const reason = async (body) => { const r = await call('POST', C, { token: ann.token, body }); return [r.status, r.body.errors?.[0]?.reason ?? r.body.reason ?? (r.text.includes('invalid_signature') ? 'invalid_signature' : null)]; };
const bad = [422, 'invalid_signature'];

test('a signed capture is taken with its own id; one byte, another role, a replayed id, another key: one refusal', async () => {
  const good = signed({ content: `The keel is green, ${unique('keel')}.`, session_id: 's1' });
  assert.equal((await expectStatus(200, 'POST', C, { token: ann.token, body: good })).data.episode_id, good.id);
  assert.deepEqual((await sql(`SELECT key_id, signature FROM provenance WHERE node_id = '${good.id}'`))[0], [keyId, good.signature]);
  assert.deepEqual(await reason(good), bad, 'a replayed id');
  assert.deepEqual(await reason(signed({ id: randomUUID(), content: 'The deck is dry.' })), bad, 'an id of version 4');
  const one = () => signed({ content: `The mast is red, ${unique('mast')}.` });
  assert.deepEqual(await reason({ ...one(), content: 'The mast is blue.' }), bad);
  assert.deepEqual(await reason({ ...one(), role: 'tool' }), bad);
  assert.deepEqual(await reason({ ...one(), target_namespace: 'global' }).then(([s]) => s >= 400), true);
  assert.deepEqual(await reason({ ...one(), captured_at: new Date(Date.now() + skew - 3600e3).toISOString() }), bad);
  assert.deepEqual(await reason(signed({ content: 'The sail is grey.' }, generateKeyPairSync('ed25519').privateKey)), bad);
  const other = await freshAccount(), stranger = await freshAgent(other);
  const { id: foreign } = (await expectStatus(201, 'POST', `/api/v1/agents/${stranger.id}/keys`, { token: other.owner, body: { name: 'one', public_key: createPublicKey(key).export({ format: 'jwk' }).x } })).data;
  assert.deepEqual(await reason(signed({ content: 'The oar is long.', key_id: foreign })), bad, "another account's key");
  const kinds = (await sql(`SELECT COUNT(*) FROM audit_event WHERE account_id = '${accountId}' AND kind = 'invalid_signature'`))[0][0];
  assert.equal(Number(kinds), 7);
  const tool = await fetch(`${BASE}/mcp`, { method: 'POST', headers: { Authorization: `Bearer ${ann.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'capture', arguments: one() } }) }).then((r) => r.json());
  assert.ok(!tool.error && !tool.result.isError, JSON.stringify(tool));
});

test('a revoked key signs nothing; a space may require signatures', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const gone = (await expectStatus(201, 'POST', `/api/v1/agents/${ann.id}/keys`, { token: account.owner, body: { name: 'two', public_key: publicKey.export({ format: 'jwk' }).x } })).data.id;
  await call('DELETE', `/api/v1/agents/${ann.id}/keys/${gone}`, { token: account.owner });
  assert.deepEqual(await reason(signed({ content: 'The rope is long.', key_id: gone }, privateKey)), bad);
  await sql(`UPDATE space SET settings = JSON_SET(settings, '$.signed_writes', 'require') WHERE slug = '${slug}' AND account_id = '${accountId}'`);
  assert.deepEqual(await reason({ content: `An unsigned word, ${unique('w')}.` }), bad);
  await expectStatus(200, 'POST', C, { token: ann.token, body: signed({ content: `A signed word, ${unique('w')}.` }) });
  await sql(`UPDATE space SET settings = JSON_REMOVE(settings, '$.signed_writes') WHERE slug = '${slug}' AND account_id = '${accountId}'`);
});

test('an account says what is redacted; a secret is never let off', async () => {
  const say = async () => (await expectStatus(200, 'POST', C, { token: ann.token, body: { content: `Write to ${unique('bea')}@example.org, password=hunter2hunter2 ${unique('x')}` } })).data;
  const kinds = (r) => [...new Set(r.redactions.map((x) => x.kind))].sort();
  assert.deepEqual(kinds(await say()), ['email', 'secret']);
  await expectStatus(200, 'PATCH', '/api/v1/account', { token: account.owner, body: { settings: { sanitize: { email: 'off', secret: 'off', phone: 'what' } } }, headers: { 'If-Match': '*' } });
  const r = await say();
  assert.deepEqual(kinds(r), ['secret']);
  assert.match((await expectStatus(200, 'GET', `/api/v1/memory/episodes/${r.episode_id}`, { token: ann.token })).text, /@example\.org/);
});

test('rules of the operator: the good one works beside a bad one and one whose own test fails', async () => {
  const conf = await readFile(process.env.LOCI_CONF, 'utf8'), data = conf.match(/^\s*data\s*=\s*"?([^"\n]+)"?/m)?.[1]?.trim();
  if (!data) return assert.fail('no data folder in the settings');
  const verb = `zorp${unique('v').replace(/[^a-z]/g, '')}`, dir = join(data, 'rules.d'), file = join(dir, `${verb}.rules`);
  const rule = (id, body) => `rule ${id} predicate=uses confidence=0.85 effect=open\n${body}\nend\n`;
  await mkdir(dir, { recursive: true });
  await writeFile(file, rule('op.1', `  match <s> ${verb} <o>\n  test + "Ann ${verb} Vim." => Ann | uses | Vim`) + rule('op.2', '  match <s> ((broken') + rule('op.3', `  match <s> ${verb}x <o>\n  test + "Nothing here." => Ann | uses | Vim`));
  try {
    const { data: tried } = await expectStatus(200, 'POST', '/api/v1/rules/try', { token: account.owner, body: { text: `Bob ${verb} Emacs.` } });
    assert.deepEqual(tried.claims.map((k) => [k.subject, k.predicate, k.object]), [['Bob', 'uses', 'Emacs']]);
  } finally {
    await rm(file);
    await rmdir(dir).catch(() => {});
  }
});
