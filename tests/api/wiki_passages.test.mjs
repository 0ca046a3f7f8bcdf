// Long pages: any passage is found, names its page, and leaves recall with the text.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshUser, unique } from './client.mjs';
import { sql } from './db.mjs';

const P = '/api/v1/admin/pages';
let account, token;
before(async () => { account = await freshAccount(); token = account.owner; });

const WORDS = 'harbour pilot quay tide crane ballast hull cargo deck rope anchor mast'.split(' ');
const chapter = (i) => `## Chapter ${i}\n\n${Array.from({ length: 24 }, (_, k) => `The ${WORDS[(i + k) % 12]} of day ${i * 31 + k} stood beside the ${WORDS[(i * 5 + k) % 12]}.`).join(' ')}\n`;
const long = (...extra) => `# Log book\n\n${Array.from({ length: 40 }, (_, i) => (i === 38 && extra.length ? `${chapter(i)}\n${extra.join('\n\n')}\n` : chapter(i))).join('\n')}`;
const make = async (body) => (await expectStatus(201, 'POST', P, { token, body: { title: unique('Log'), ...body } })).data;
const patch = async (p, body) => (await expectStatus(200, 'PATCH', `${P}/${p.id}`, { token, body })).data;
const recall = async (query, as = token) => (await expectStatus(200, 'POST', '/api/v1/recall', { token: as, body: { query, limit: 10 } })).data.hits;
const passages = (p) => sql(`SELECT id, start_offset, end_offset FROM passage WHERE page_id = '${p.id}' ORDER BY start_offset`);
const SENTENCE = 'The zeppelin Quirinal landed on the frozen reservoir.';

test('a sentence near the end of a long page is found as its passage, with the title of the page; after an edit it is gone', async () => {
  const p = await make({ content: long(SENTENCE) });
  const hit = (await recall('zeppelin Quirinal')).find((h) => h.kind === 'chunk');
  assert.ok(hit, 'no passage is found');
  assert.equal(hit.title, `${p.title} › Log book › Chapter 38`);
  assert.deepEqual([hit.attrs.page_id, hit.attrs.page_title], [p.id, p.title]);
  assert.match(hit.body ?? hit.text ?? hit.snippet, /Quirinal/);
  const [[, from, to]] = (await passages(p)).filter(([id]) => id === hit.id);
  assert.match(Buffer.from(p.content).subarray(Number(from), Number(to)).toString(), /Quirinal/);
  await patch(p, { content: long('Nothing of that kind.') });
  assert.deepEqual((await recall('zeppelin Quirinal')).filter((h) => /Quirinal/.test(JSON.stringify([h.title, h.body, h.snippet]))), []);
});

test('an edit makes new nodes only where the text is new; a short text has none', async () => {
  const p = await make({ content: long() });
  const before = (await passages(p)).map(([id]) => id);
  assert.ok(before.length > 30);
  await patch(p, { content: long(SENTENCE) });
  const after = (await passages(p)).map(([id]) => id);
  assert.ok(after.filter((id) => !before.includes(id)).length <= 4, 'most passages are other nodes now');
  await patch(p, { content: 'short now' });
  assert.deepEqual(await passages(p), []);
  assert.deepEqual((await sql(`SELECT COUNT(*) FROM node WHERE id IN (${[...after, ...before].map((i) => `'${i}'`)}) AND status <> 'forgotten'`)).flat().map(Number), [0]);
});

test('passages lie where their page lies: a draft is found by who may read drafts, a deleted page by nobody, a restored one again', async () => {
  const p = await make({ content: long('The umbrella Vertumnus was left on the pier.') });
  const reader = await freshUser(account);
  const found = async (as) => (await recall('umbrella Vertumnus', as)).some((h) => h.kind === 'chunk' && /Vertumnus/.test(JSON.stringify(h)));
  assert.deepEqual([await found(token), await found(reader.token)], [true, false]);
  await expectStatus(200, 'POST', `${P}/${p.id}/publish`, { token, body: {} });
  assert.equal(await found(reader.token), true);
  await expectStatus(204, 'DELETE', `${P}/${p.id}`, { token });
  assert.equal(await found(token), false);
  await expectStatus(200, 'POST', `${P}/${p.id}/restore`, { token, body: {} });
  assert.equal(await found(token), true);
  const old = (await passages(p)).map(([id]) => id);
  const r = await call('PATCH', `/api/v1/nodes/${old[0]}`, { token, body: { body: 'by hand' } });
  assert.equal(r.status, 409, 'passages are written by their page alone');
});
