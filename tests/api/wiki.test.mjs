// Pages and articles: slugs, statuses, spaces, versions, names, permissions.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshAgent, freshUser, moveClock, operator, unique } from './client.mjs';

const P = '/api/v1/admin/pages', A = '/api/v1/kb/articles';
let account, other, token, editor, viewer, reviewer;
before(async () => {
  [account, other] = [await freshAccount(), await freshAccount()];
  token = account.owner;
  [editor, viewer, reviewer] = [await freshUser(account, 'editor'), await freshUser(account, 'viewer'), await freshUser(account, 'reviewer')];
  await expectStatus(201, 'POST', '/api/v1/kb/categories', { token, body: { slug: 'guides', name: 'Guides' } });
});

const make = async (body = {}, as = token) => (await expectStatus(201, 'POST', P, { token: as, body: { title: unique('page'), content: 'text', ...body } })).data;
const get = async (p, as = token) => (await expectStatus(200, 'GET', `${P}/${p.id ?? p}`, { token: as })).data;
const patch = (p, body, as = token, headers = {}) => call('PATCH', `${P}/${p.id}`, { token: as, body, headers });
const move = (p, verb, as = token) => call('POST', `${P}/${p.id}/${verb}`, { token: as, body: {} });
const article = async (body = {}, as = token) => (await expectStatus(201, 'POST', A, { token: as, body: { title: unique('article'), content: 'text', category_slug: 'guides', ...body } })).data;

test('a page is made with defaults, read by id, slug and old names, and listed', async () => {
  const title = unique('Feature Development Guide');
  const p = await make({ title, content: '# Head\n\nOne *two* [[Three|three]].' });
  assert.deepEqual([p.title, p.slug, p.status, p.is_public, p.version, p.word_count, p.estimated_read_time, p.published_at, p.type],
    [title, title.toLowerCase().replaceAll(' ', '-'), 'draft', false, 1, 4, 1, null, 'page']);
  assert.equal(p.excerpt, 'Head One two three.');
  assert.deepEqual(p.seo, { title, description: 'Head One two three.', keywords: null });
  assert.deepEqual((await get(p.slug)).id, p.id);
  const listed = (await expectStatus(200, 'GET', `${P}?search=${title.slice(3)}`, { token })).data;
  assert.deepEqual(listed.map((x) => [x.id, x.excerpt, 'content' in x]), [[p.id, 'Head One two three.', false]]);
  assert.deepEqual((await expectStatus(200, 'GET', `${P}?search=%25`, { token })).data.filter((x) => x.id === p.id), []);
  const node = (await expectStatus(200, 'GET', `/api/v1/nodes/${p.id}`, { token })).data;
  assert.deepEqual([node.kind, node.title, node.attrs.content_type, node.attrs.content_id, node.attrs.slug], ['page', title, 'page', p.id, p.slug]);
});

test('titles in any script can be made; slugs are theirs', async () => {
  for (const [title, slug] of [['Über uns', 'uber-uns'], ['日本語', /^page-[0-9a-f]{8}$/], ['C++', 'c'], ['<b>x</b>', 'bxb']]) {
    const p = await make({ title });
    assert.match(p.slug, slug instanceof RegExp ? slug : new RegExp(`^${slug}$`));
    const from = await make({ content: `[[${title}]]` });
    assert.deepEqual((await expectStatus(200, 'GET', `${P}/${from.id}/links`, { token })).data.links.map((l) => [l.state, l.target_id]), [['resolved', p.id]]);
  }
});

test('a slug that is given has the right form, else the right one is named; a taken one is refused; without one another is found', async () => {
  for (const [slug, right] of [['My--Page', 'my-page'], ['-x', 'x'], ['x'.repeat(150) + '-', null]]) {
    const r = await expectStatus(422, 'POST', P, { token, body: { title: 't', content: 'c', slug } });
    if (right) assert.match(r.text, new RegExp(`'${right}'`));
  }
  await expectStatus(422, 'POST', P, { token, body: { title: 't', content: 'c', slug: '' } });
  const p = await make({ slug: unique('taken'), title: unique('Twice') });
  assert.match((await expectStatus(409, 'POST', P, { token, body: { title: 't', content: 'c', slug: p.slug } })).text, /is taken/);
  const second = await make({ title: p.title }), third = await make({ title: p.title });
  assert.deepEqual([second.slug, third.slug], [p.title.toLowerCase(), `${p.title.toLowerCase()}-2`]);
  await expectStatus(201, 'POST', P, { token: other.owner, body: { title: 't', content: 'c', slug: p.slug } });
  await expectStatus(201, 'POST', A, { token, body: { title: 't', content: 'c', slug: p.slug, category_slug: 'guides' } });
});

test('what a text may hold', async () => {
  assert.equal((await make({ content: 'a\r\nb\tc' })).content, 'a\nb\tc');
  for (const content of ['', 'a\u0001b']) await expectStatus(422, 'POST', P, { token, body: { title: 't', content } });
  await expectStatus(413, 'POST', P, { token, body: { title: 't', content: 'x'.repeat(1024 * 1024 + 1) } });
  assert.equal((await make({ content: 'x '.repeat(500 * 1024) })).word_count, 500 * 1024);
  await expectStatus(422, 'POST', P, { token, body: { title: 'x'.repeat(201), content: 'c' } });
});

test('each change of title, slug or text makes a version; the same again makes none', async () => {
  const p = await make({ content: 'one' });
  const two = (await patch(p, { content: 'two' })).data;
  assert.equal(two.version, 2);
  assert.equal((await patch(p, { content: 'two' })).data.version, 2);
  assert.equal((await patch(p, { content: 'three' }, token, { 'If-Match': '"1"' })).status, 412);
  assert.equal((await patch(p, { content: 'three' }, token, { 'If-Match': '"2"' })).data.version, 3);
  const versions = (await expectStatus(200, 'GET', `${P}/${p.id}/versions`, { token })).data;
  assert.deepEqual(versions.map((v) => v.version), [3, 2, 1]);
  const diff = (await expectStatus(200, 'GET', `${P}/${p.id}/versions/1?diff_to=3`, { token })).data;
  assert.equal(diff.content, 'one');
  assert.deepEqual(diff.diff.rows.map((r) => r.text), ['one', 'three']);
  const back = (await expectStatus(200, 'POST', `${P}/${p.id}/versions/1/restore`, { token, body: {} })).data;
  assert.deepEqual([back.content, back.version], ['one', 4]);
  await expectStatus(404, 'GET', `${P}/${p.id}/versions/0`, { token }).catch(() => expectStatus(422, 'GET', `${P}/${p.id}/versions/0`, { token }));
});

test('two saves with the same version: one is taken, the other refused', async () => {
  const p = await make();
  const both = await Promise.all(['a', 'b'].map((content) => patch(p, { content }, token, { 'If-Match': '"1"' })));
  assert.deepEqual(both.map((r) => r.status).sort(), [200, 412]);
});

test('a draft is there for those with access to drafts only; published it is there for everyone', async () => {
  const p = await make();
  assert.equal((await call('GET', `/api/v1/pages/${p.id}`, { token: viewer.token })).status, 404);
  assert.equal((await call('GET', `/api/v1/pages/${p.id}`, { token: reviewer.token })).status, 200);
  const published = (await move(p, 'publish')).data;
  assert.deepEqual([published.status, published.published_at !== null], ['published', true]);
  const again = (await move(p, 'publish')).data;
  assert.deepEqual([again.version, again.published_at], [published.version, published.published_at]);
  assert.equal((await call('GET', `/api/v1/pages/${p.slug}`, { token: viewer.token })).status, 200);
  assert.equal((await call('PATCH', `${P}/${p.id}`, { token: reviewer.token, body: { content: 'x' } })).status, 403);
  assert.equal((await patch(p, { content: 'by the editor' }, editor.token)).status, 200);
  assert.equal((await move(p, 'unpublish')).data.published_at, null);
  assert.equal((await call('GET', `/api/v1/pages/${p.id}`, { token: viewer.token })).status, 404);
  assert.equal((await call('GET', `/api/v1/pages/${p.id}`, { token: other.owner })).status, 404);
});

test('to publish is a permission of its own, and agents write only where they are let in', async () => {
  const agent = await freshAgent(account), trusted = await freshAgent(account, 'trusted');
  const tried = await call('POST', '/api/v1/pages', { token: agent.token, body: { title: 't', content: 'c' } });
  assert.ok([403, 404].includes(tried.status), tried.text);
  const p = (await expectStatus(201, 'POST', '/api/v1/pages', { token: trusted.token, body: { title: unique('t'), content: 'c' } })).data;
  assert.deepEqual([p.author_kind, p.author_id], ['agent', trusted.id]);
  const { data } = await expectStatus(201, 'POST', '/api/v1/tokens', { token, body: { name: 'writes', scopes: ['content.read', 'content.write', 'admin.access'] } });
  assert.equal((await call('PATCH', `/api/v1/pages/${p.id}`, { token: data.secret, body: { status: 'published' } })).status, 403);
  assert.equal((await call('POST', '/api/v1/pages', { token: data.secret, body: { title: 't', content: 'c', status: 'published' } })).status, 403);
  assert.equal((await get(p)).status, 'draft');
});

test('a deleted page is gone with its names, and can be restored while its slug is free', async () => {
  const p = await make({ slug: unique('gone') });
  await expectStatus(204, 'DELETE', `${P}/${p.id}`, { token });
  await expectStatus(404, 'GET', `${P}/${p.id}`, { token });
  const taker = await make({ slug: p.slug });
  await expectStatus(409, 'POST', `${P}/${p.id}/restore`, { token, body: {} });
  await expectStatus(204, 'DELETE', `${P}/${taker.id}`, { token });
  assert.equal((await expectStatus(200, 'POST', `${P}/${p.id}/restore`, { token, body: {} })).data.slug, p.slug);
  assert.equal((await get(p.slug)).id, p.id);
});

test('a copy is a draft that is not public', async () => {
  const p = await make({ title: unique('x'.repeat(185)), is_public: true, meta_keywords: 'a, b' });
  await move(p, 'publish');
  const copy = (await expectStatus(201, 'POST', `${P}/${p.id}/duplicate`, { token, body: {} })).data;
  assert.deepEqual([copy.status, copy.is_public, copy.meta_keywords, copy.content], ['draft', false, 'a, b', p.content]);
  assert.equal([...copy.title].length, 200);
});

test('articles: review, publication, archive; other ways are refused', async () => {
  const a = await article({ tags: ['one', 'two'], excerpt: 'short', is_featured: true });
  assert.deepEqual([a.status, a.tags, a.excerpt, a.is_featured, a.category_slug, a.type], ['draft', ['one', 'two'], 'short', true, 'guides', 'article']);
  const go = (verb) => call('POST', `${A}/${a.id}/${verb}`, { token, body: {} });
  assert.equal((await go('archive')).status, 409);
  assert.equal((await go('submit')).data.status, 'review');
  assert.equal((await call('GET', `${A}/${a.id}`, { token: viewer.token })).status, 404);
  assert.equal((await go('publish')).data.status, 'published');
  assert.equal((await go('submit')).status, 409);
  assert.equal((await call('GET', `${A}/${a.slug}`, { token: viewer.token })).status, 200);
  assert.equal((await go('archive')).data.status, 'archived');
  assert.equal((await call('PATCH', `${A}/${a.id}`, { token, body: { content: 'x' } })).status, 409);
  assert.ok(!(await expectStatus(200, 'GET', `${A}?category_slug=guides`, { token })).data.some((x) => x.id === a.id));
  assert.equal((await go('publish')).data.status, 'published');
  assert.equal((await call('PATCH', `${A}/${a.id}`, { token, body: { content: 'x' } })).data.content, 'x');
  assert.equal((await go('unpublish')).data.status, 'draft');
});

test('an article needs a category that is there', async () => {
  await expectStatus(422, 'POST', A, { token, body: { title: 't', content: 'c' } });
  assert.match((await expectStatus(422, 'POST', A, { token, body: { title: 't', content: 'c', category_slug: 'none' } })).text, /no category/);
  await expectStatus(409, 'POST', '/api/v1/kb/categories', { token, body: { slug: 'guides', name: 'again' } });
  assert.ok((await expectStatus(200, 'GET', '/api/v1/kb/categories', { token })).data.some((x) => x.slug === 'guides'));
});

test('the spaces of pages stay, and take no other nodes', async () => {
  const spaces = (await expectStatus(200, 'GET', '/api/v1/spaces?kind=pages', { token })).data;
  assert.deepEqual(spaces.map((s) => s.slug).sort(), ['article-drafts', 'articles', 'page-drafts', 'pages']);
  await expectStatus(409, 'DELETE', `/api/v1/spaces/${spaces[0].id}`, { token });
  await expectStatus(409, 'POST', '/api/v1/nodes', { token, body: { space_id: spaces[0].id, kind: 'note', title: 't', body: 'b' } });
  const p = await make();
  await expectStatus(409, 'PATCH', `/api/v1/nodes/${p.id}`, { token, body: { title: 'past the page' } });
  await expectStatus(409, 'DELETE', `/api/v1/nodes/${p.id}`, { token });
});

test('a summary of a day: one page however often it is made, without private titles, left alone once a person has edited it', async () => {
  const fresh = await freshAccount(), as = fresh.owner;
  const generate = async (date) => (await expectStatus(200, 'POST', '/api/v1/admin/daily_summaries/generate', { token: as, body: { date } })).data;
  const today = (await moveClock('1s')).toISOString().slice(0, 10);
  await expectStatus(422, 'POST', '/api/v1/admin/daily_summaries/generate', { token: as, body: { date: today } });
  await expectStatus(422, 'POST', '/api/v1/admin/daily_summaries/generate', { token: as, body: { date: '2026-02-30' } });
  assert.deepEqual(await generate('2020-01-01'), { page_id: null, slug: 'daily-summary-2020-01-01', created: false, changed: false });
  const shown = await make({ title: unique('Shown'), status: 'published' }, as), hidden = await make({ title: unique('Hidden') }, as);
  await moveClock('24h');
  const made = await generate(today);
  assert.deepEqual([made.slug, made.created, made.changed], [`daily-summary-${today}`, true, true]);
  const p = await get(made.page_id, as);
  assert.deepEqual([p.title, p.status, p.is_public, p.metadata.generated, p.metadata.date], [`Daily Summary ${today}`, 'published', false, true, today]);
  assert.ok(p.content.includes(`[[${shown.title}]]`) && !p.content.includes(hidden.title), p.content);
  assert.match(p.content, /- page: 2\n/);
  assert.deepEqual((await expectStatus(200, 'GET', `${P}/${shown.id}/backlinks`, { token: as })).data.backlinks.map((b) => b.id), [p.id]);
  assert.deepEqual(await generate(today), { page_id: p.id, slug: made.slug, created: false, changed: false });
  assert.equal((await get(p, as)).version, p.version);
  await expectStatus(200, 'PATCH', `${P}/${p.id}`, { token: as, body: { content: 'my words' } });
  assert.equal((await generate(today)).changed, false);
  assert.equal((await get(p, as)).content, 'my words');
  const before = (await expectStatus(200, 'GET', '/api/v1/jobs', { token: await operator() })).data;
  assert.ok(before.some((j) => j.name === 'daily_summary'));
});
