// The public site: who sees what without login, caching, old addresses.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BASE, expectStatus, freshAccount, unique } from './client.mjs';

const P = '/api/v1/admin/pages';
let account, token;
before(async () => {
  account = await freshAccount();
  token = account.owner;
});

const open = (on) => expectStatus(200, 'PATCH', '/api/v1/account', { token, body: { settings: { public_site: on } }, headers: { 'If-Match': '*' } });
const make = async (body = {}) => (await expectStatus(201, 'POST', P, { token, body: { title: unique('page'), content: 'text', status: 'published', is_public: true, ...body } })).data;
const show = (path, headers = {}) => fetch(`${BASE}${path}`, { redirect: 'manual', headers });
const status = async (p, from = `/p/${account.slug}`) => (await show(`${from}/${p.slug}`)).status;

test('nothing is public until the account, the page and its status say so', async () => {
  const p = await make(), draft = await make({ status: 'draft' }), closed = await make({ is_public: false });
  const none = await (await show(`/p/${account.slug}/no-such-page`)).text();
  for (const at of [p, draft, closed]) assert.equal(await status(at), 404);
  await open(true);
  assert.deepEqual([await status(p), await status(draft), await status(closed)], [200, 404, 404]);
  assert.equal((await show(`/p/${unique('nobody')}/${p.slug}`)).status, 404);
  const hidden = await (await show(`/p/${account.slug}/${closed.slug}`)).text();
  const same = (t) => /<section class="oops">[^]*?<\/section>/.exec(t)[0].replace(/<code>[^<]*/g, '');
  assert.equal(same(hidden), same(none), 'what is hidden looks like what is not there');
  await expectStatus(200, 'POST', `${P}/${p.id}/unpublish`, { token, body: {} });
  assert.equal(await status(p), 404);
  await expectStatus(200, 'POST', `${P}/${p.id}/publish`, { token, body: {} });
  await open(false);
  assert.equal(await status(p), 404);
  await open(true);
});

test('a page has its own headers, no script, and is not sent twice', async () => {
  const p = await make({ content: '# H\n\n<script>x</script>\n\n[[nowhere]]', meta_description: 'says "what"', meta_keywords: 'a, b' });
  const r = await show(`/p/${account.slug}/${p.slug}`);
  const text = await r.text();
  assert.match(r.headers.get('content-security-policy'), /default-src 'none'/);
  assert.equal(r.headers.get('cache-control'), 'public, max-age=60');
  assert.match(text, /<meta name="description" content="says &quot;what&quot;">[^]*<meta property="og:title"[^]*<link rel="canonical"/);
  assert.ok(!text.includes('<script') && !text.includes(account.email) && !text.includes(p.id) && !text.includes('missing') && text.includes('nowhere'));
  const again = await show(`/p/${account.slug}/${p.slug}`, { 'If-None-Match': r.headers.get('etag') });
  assert.deepEqual([again.status, await again.text()], [304, '']);
});

test('links lead to public pages only', async () => {
  const b = await make(), secret = await make({ is_public: false });
  const a = await make({ content: `[[${b.title}]] [[${secret.title}]]` });
  const text = await (await show(`/p/${account.slug}/${a.slug}`)).text();
  assert.ok(text.includes(`href="/p/${account.slug}/${b.slug}"`) && !text.includes(`/${secret.slug}"`) && text.includes(secret.title));
});

test('an old slug leads to the new one', async () => {
  const p = await make({ slug: unique('old') });
  const now = (await expectStatus(200, 'PATCH', `${P}/${p.id}`, { token, body: { slug: unique('new') } })).data;
  const r = await show(`/p/${account.slug}/${p.slug}`);
  assert.deepEqual([r.status, r.headers.get('location')], [301, `/p/${account.slug}/${now.slug}`]);
});

test('the list, JSON, the sitemap and the feed name public pages only; articles have addresses of their own', async () => {
  await expectStatus(201, 'POST', '/api/v1/kb/categories', { token, body: { slug: 'guides', name: 'Guides' } });
  const article = (await expectStatus(201, 'POST', '/api/v1/kb/articles', { token, body: { title: unique('Art'), content: 'c', category_slug: 'guides', status: 'published', is_public: true } })).data;
  const p = await make({ title: unique('a <b> & c') }), secret = await make({ is_public: false });
  assert.equal(await status(article, `/p/${account.slug}/kb`), 200);
  for (const path of ['', '/sitemap.xml', '/feed.xml']) {
    const text = await (await show(`/p/${account.slug}${path}`)).text();
    assert.ok(text.includes(`/p/${account.slug}/${p.slug}`) && text.includes(`/kb/${article.slug}`) && !text.includes(secret.slug), path);
    assert.ok(!text.includes('<b>'), path);
  }
  const list = await (await show(`/api/v1/public/${account.slug}/pages`)).json();
  assert.ok(list.success && list.data.some((x) => x.slug === p.slug) && !list.data.some((x) => x.slug === secret.slug));
  const one = await (await show(`/api/v1/public/${account.slug}/pages/${p.slug}`)).json();
  assert.deepEqual([one.data.title, one.data.content], [p.title, 'text']);
  assert.equal((await show(`/api/v1/public/${account.slug}/pages/${secret.slug}`)).status, 404);
});
