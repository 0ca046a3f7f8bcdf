// Memories of other systems: mem0, ChatGPT, Claude, Markdown. Each comes once, however often it is taken.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call, ctl, expectStatus, freshAccount, until } from './client.mjs';
import { snapshot } from './db.mjs';

const dir = mkdtempSync(join(tmpdir(), 'loci-memories-'));
after(() => rmSync(dir, { recursive: true }));

let a, space, accountId;
before(async () => {
  a = await freshAccount();
  ({ account_id: accountId } = (await expectStatus(200, 'GET', '/api/v1/me', { token: a.token })).data);
  space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token: a.token, body: { kind: 'context', name: 'Taken in', slug: 'taken-in' } })).data.id;
});

const take = (format, raw, { status = 200, query = '', token = a.token, type = format === 'markdown' ? 'application/x-tar' : 'application/json' } = {}) =>
  expectStatus(status, 'POST', `/api/v1/imports/memories?format=${format}&space_id=${space}${query}`, { token, raw: Buffer.isBuffer(raw) || typeof raw === 'string' ? raw : JSON.stringify(raw), headers: { 'Content-Type': type } });
const nodes = async (kind) => (await expectStatus(200, 'GET', `/api/v1/nodes?space_id=${space}&kind=${kind}&limit=100&with_body=true`, { token: a.token })).data;
const counts = ({ data: { read, added, there, failed, links } }) => ({ read, added, there, failed, links });

const MEM0 = { results: [
  { id: 'm1', memory: 'Ada takes her tea without sugar.', user_id: 'ada', categories: ['food'], metadata: { sure: true }, created_at: '2025-03-01T10:00:00.123456-07:00' },
  { id: 'm2', memory: 'Ada lives in Lübeck 🙂', user_id: 'ada', created_at: null },
] };

test('mem0: each memory is a note, with what was known of it; twice is once; a dry run stores nothing', async () => {
  const state = await snapshot(accountId);
  assert.deepEqual(counts(await take('mem0', MEM0, { query: '&dry_run=true' })), { read: 2, added: 2, there: 0, failed: 0, links: 0 });
  assert.deepEqual(await snapshot(accountId), state);
  assert.deepEqual(counts(await take('mem0', MEM0)), { read: 2, added: 2, there: 0, failed: 0, links: 0 });
  assert.deepEqual(counts(await take('mem0', MEM0.results)), { read: 2, added: 0, there: 2, failed: 0, links: 0 });
  const tea = (await nodes('note')).find((n) => n.body.includes('tea'));
  assert.deepEqual([tea.title, tea.source_kind, tea.source_id, tea.valid_from], ['Ada takes her tea without sugar.', 'import', 'm1', '2025-03-01T17:00:00.123456Z']);
  assert.deepEqual([tea.attrs.user_id, tea.attrs.categories, tea.attrs.metadata], ['ada', ['food'], { sure: true }]);
  const { data } = await until('a recall finds it', async () => {
    const r = await expectStatus(200, 'POST', '/api/v1/recall', { token: a.token, body: { query: 'Lübeck', mode: 'keyword' } });
    return r.data.hits.length ? r : null;
  });
  assert.match(data.hits[0].title, /Lübeck/);
});

const CHATGPT = [{ title: 'Kettles', conversation_id: 'c-1', mapping: {
  root: { id: 'root', message: null, children: ['x'] },
  y: { id: 'y', message: { author: { role: 'assistant' }, create_time: 1700000010.5, content: { content_type: 'text', parts: ['Boil it', { asset: 1 }, 'twice.'] } } },
  x: { id: 'x', message: { author: { role: 'user' }, create_time: 1700000000, content: { content_type: 'text', parts: ['How do I descale a kettle?'] } } },
  s: { id: 's', message: { author: { role: 'system' }, create_time: 1, content: { content_type: 'text', parts: ['secret'] } } } } }];
const CLAUDE = [{ uuid: 'u-1', name: 'Pots', chat_messages: [
  { uuid: 'p1', sender: 'human', text: 'Which pot is best?', created_at: '2024-05-01T08:00:00Z' },
  { uuid: 'p2', sender: 'assistant', text: 'The warm one.', created_at: '2024-05-01T08:00:05Z' },
  { uuid: 'p3', sender: 'human', text: '', created_at: '2024-05-01T08:00:09Z' }] }];

test('conversations: each turn is an episode of its session, in order, with its speaker', async () => {
  assert.equal((await take('chat', CHATGPT)).data.added, 2);
  assert.equal((await take('chat', CLAUDE)).data.added, 2);
  assert.deepEqual(counts(await take('chat', [...CLAUDE, ...CHATGPT])), { read: 4, added: 0, there: 4, failed: 0, links: 0 });
  const turns = (await nodes('episode')).map((n) => [n.attrs.session, n.attrs.seq, n.attrs.speaker, n.title, n.body, n.valid_from]).sort();
  assert.deepEqual(turns, [
    ['c-1', 1, 'user', 'Kettles', 'How do I descale a kettle?', '2023-11-14T22:13:20.000000Z'],
    ['c-1', 2, 'assistant', 'Kettles', 'Boil it\ntwice.', '2023-11-14T22:13:30.500000Z'],
    ['u-1', 1, 'human', 'Pots', 'Which pot is best?', '2024-05-01T08:00:00.000000Z'],
    ['u-1', 2, 'assistant', 'Pots', 'The warm one.', '2024-05-01T08:00:05.000000Z']]);
});

function vault() {
  const root = join(dir, 'vault');
  mkdirSync(join(root, 'deep/er'), { recursive: true });
  writeFileSync(join(root, 'Tea.md'), '---\ntitle: All about tea\ntags: [drink, "hot"]\ndate: 2024-02-03\nnested:\n  - no\n---\n\nTea needs [[Water|good water]] and a [[deep pot#warm]], not [[Nothing]].\n`[[Code]]`\n```\n[[Water]]\n```\n');
  writeFileSync(join(root, 'Water.md'), 'Water boils. See [[Tea]].\n');
  writeFileSync(join(root, 'deep/er/deep pot.md'), '---\nthis never ends\n');
  writeFileSync(join(root, 'Code.md'), 'x\n');
  writeFileSync(join(root, 'picture.png'), 'no');
  return root;
}

test('a folder of Markdown, as a tar archive or by locictl: front matter, links, nothing twice', async () => {
  const root = vault(), tar = join(dir, 'vault.tar');
  execFileSync('tar', ['--format=ustar', '-cf', tar, '-C', root, '.']);
  assert.match(await ctl('memories', 'import', '--account', a.slug, '--space', space, '--format', 'markdown', '--from', root, '--dry-run'), /^4 read, 4 new, 0 already present, 3 links, 0 failed\n/);
  assert.deepEqual(counts(await take('markdown', readFileSync(tar))), { read: 4, added: 4, there: 0, failed: 0, links: 3 });
  assert.match(await ctl('memories', 'import', '--account', a.slug, '--space', space, '--format', 'markdown', '--from', root), /^4 read, 0 added, 4 already present, 0 links, 0 failed$/);
  const notes = await nodes('note'), tea = notes.find((n) => n.title === 'All about tea');
  assert.deepEqual([tea.attrs.tags, tea.valid_from, tea.source_id], [['drink', 'hot'], '2024-02-03T00:00:00.000000Z', 'Tea.md']);
  assert.ok(tea.body.startsWith('Tea needs [[Water|good water]]'));
  assert.ok(notes.find((n) => n.title === 'deep pot').body.startsWith('---\nthis never ends'));
  const edges = (await expectStatus(200, 'GET', `/api/v1/nodes/${tea.id}/edges?direction=out`, { token: a.token })).data;
  assert.deepEqual(edges.map((e) => notes.find((n) => n.id === e.target_id).title).sort(), ['Water', 'deep pot']);
  assert.deepEqual(new Set(edges.map((e) => e.relation)), new Set(['RELATES_TO']));
});

test('what is no such file is refused, and what cannot be kept is told of', async () => {
  for (const [format, raw] of [['mem0', '{}'], ['mem0', '[{"id":"a"}]'], ['mem0', 'no'], ['chat', '{}'], ['chat', '[{}]'], ['markdown', 'not a tar'.repeat(100)], ['markdown', Buffer.concat([Buffer.alloc(257, 65), Buffer.from('ustar\0'), Buffer.alloc(300, 55)])]])
    await take(format, raw, { status: 422 });
  const r = await take('mem0', { results: [{ id: 'long', memory: 'x'.repeat(2 << 20) }, { id: 'fine', memory: 'fine' }] });
  assert.deepEqual([r.data.added, r.data.failed, r.data.errors[0].key], [1, 1, 'long']);
});

test('texts made to be slow are not', async () => {
  const write = (name, text) => { mkdirSync(join(dir, name), { recursive: true }); writeFileSync(join(dir, name, 'a.md'), text); return join(dir, name); };
  for (const [name, text] of [['brackets', '[['.repeat(130000)], ['front', `---\n${Array.from({ length: 20000 }, (_, i) => `k${i}: v`).join('\n')}\n---\n`], ['ticks', '`a'.repeat(130000)]])
    assert.match(await ctl('memories', 'import', '--account', a.slug, '--space', space, '--format', 'markdown', '--from', write(name, text), '--dry-run'), /^1 read, 1 new/, name);
});

test('only into spaces that the caller may write', async () => {
  const b = await freshAccount();
  const r = await call('POST', `/api/v1/imports/memories?format=mem0&space_id=${space}`, { token: b.token, raw: JSON.stringify(MEM0), headers: { 'Content-Type': 'application/json' } });
  assert.equal(r.status, 404);
  const own = await call('POST', '/api/v1/imports/memories?format=mem0', { token: b.token, raw: JSON.stringify(MEM0), headers: { 'Content-Type': 'application/json' } });
  assert.equal(own.data.added, 2, "an agent's own namespace");
});
