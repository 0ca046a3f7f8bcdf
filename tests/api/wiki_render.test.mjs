// Pages as HTML: links for the reader, nothing that acts, and hostile texts that take neither time nor memory.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshUser, stack, unique } from './client.mjs';
import { SAMPLES } from './xss.mjs';

const P = '/api/v1/admin/pages';
let account, token;
before(async () => {
  account = await freshAccount();
  token = account.owner;
});

const make = async (body = {}) => (await expectStatus(201, 'POST', P, { token, body: { title: unique('page'), content: 'text', ...body } })).data;
const preview = (content) => call('POST', '/api/v1/admin/page_preview', { token, body: { content } });
const html = async (content) => (await preview(content)).data.html.trim();
const shown = async (p, as = token) => (await expectStatus(200, 'GET', `/api/v1/pages/${p.id}`, { token: as })).data.rendered_content.trim();

test('Markdown as GitHub knows it', async () => {
  assert.equal(await html('a **b** *c* ~~d~~ `e`'), '<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>');
  assert.match(await html('| h |\n|:-:|\n| x |'), /<table>\s*<thead>\s*<tr>\s*<th align="center">h<\/th>/);
  assert.match(await html('- [x] done'), /<input type="checkbox" checked="" disabled="">\s*done/);
  assert.match(await html('note[^1]\n\n[^1]: below'), /<sup class="footnote-ref"><a href="#fn-?1" id="fnref-?1"/);
  assert.equal(await html('# One\n\n## One\n\n# <b>T</b> & [x](y.txt)'), '<h1 id="h-one">One</h1>\n<h2 id="h-one-2">One</h2>\n<h1 id="h-t-x">T &amp; <a href="y.txt">x</a></h1>');
  assert.equal(await html('> [!note] Title\n> text'), '<blockquote class="callout callout-note">\n<p><strong>Note</strong> Title\ntext</p>\n</blockquote>');
  assert.equal(await html('---\na: b\n---\nx %%hidden%% y'), '<p>x  y</p>');
});

test('links and pictures: which addresses stay, and what is said of others', async () => {
  assert.equal(await html('[a](https://x.org/?a=1&b=2)'), '<p><a href="https://x.org/?a=1&amp;b=2" rel="nofollow noopener ugc">a</a></p>');
  assert.equal(await html('[a](mailto:a@b.c) [b](/x) [c](#y)'), '<p><a href="mailto:a@b.c">a</a> <a href="/x">b</a> <a class="wikilink" href="#h-y">c</a></p>');
  assert.equal(await html('![alt](https://x.org/p.png)'), '<p><img src="https://x.org/p.png" alt="alt" loading="lazy"></p>');
  assert.equal(await html('![alt](http://x.org/p.png)'), '<p>alt</p>');
  for (const url of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'java&#115;cript:alert(1)', 'javascript&colon;alert(1)'])
    assert.doesNotMatch(await html(`[a](${url}) <${url}> ![b](${url})`), /href="[^"#/]|src=/i, url);
});

test('wikilinks: to pages, to headings, missing ones, and in places where no link can be', async () => {
  const b = await make({ title: unique('Über <b>') });
  assert.equal(await html(`[[${b.title}]]`), `<p><a class="wikilink" href="/admin/pages/${b.slug}">${b.title.replace('<b>', '&lt;b&gt;')}</a></p>`);
  assert.equal(await html(`[[${b.title}#Some Head|<i>x</i>]]`), `<p><a class="wikilink" href="/admin/pages/${b.slug}#h-some-head">&lt;i&gt;x&lt;/i&gt;</a></p>`);
  assert.equal(await html('[[No "such" page]]'), '<p><span class="wikilink missing">No &quot;such&quot; page</span> <a class="create" href="/admin/pages/new?title=No%20%22such%22%20page" title="Create this page">+</a></p>');
  assert.match(await html(`| h |\n|---|\n| [[${b.title}\\|q]] |`), /<td><a class="wikilink" [^>]*>q<\/a><\/td>/);
  assert.equal(await html(`[see [[${b.title}|B]]](https://x.org)`), '<p><a href="https://x.org" rel="nofollow noopener ugc">see B</a></p>');
  assert.match(await html(`![[[x]]](https://x.org/p.png "[[y]]")`), /^<p>/);
  assert.equal(await html('`[[x]]`'), '<p><code>[[x]]</code></p>');
});

test('a page shown in a page: the whole, one section, never itself, and not without end', async () => {
  const part = await make({ title: unique('Part'), content: '# One\n\nfirst\n\n## Two\n\nsecond\n\n# Three\n\nthird' });
  const whole = await shown(await make({ content: `![[${part.title}]]` }));
  assert.match(whole, /<div class="embed">[^]*first[^]*second[^]*third[^]*<\/div>/);
  const section = await shown(await make({ content: `![[${part.title}#Two]]` }));
  assert.ok(section.includes('second') && !section.includes('first') && !section.includes('third'));
  const [x, y] = [unique('X'), unique('Y')];
  const loop = await make({ title: x, content: `x says ![[${y}]]` });
  await make({ title: y, content: `y says ![[${x}]]` });
  assert.equal((await shown(loop)).match(/says/g).length, 2);
});

test('a reader without access to drafts sees a link to one as plain text', async () => {
  const viewer = await freshUser(account, 'viewer');
  const draft = await make({ title: unique('Hidden') });
  const p = await make({ content: `see [[${draft.title}]] ![[${draft.title}]] and [[Nowhere]]`, status: 'published' });
  assert.match(await shown(p), /class="wikilink"/);
  assert.equal(await shown(p, viewer.token), `<p>see ${draft.title} ${draft.title} and <span class="wikilink missing">Nowhere</span> <a class="create" href="/admin/pages/new?title=Nowhere" title="Create this page">+</a></p>`);
});

test('200 attacks by text: no tag, attribute or address that could act comes out', async () => {
  assert.ok(SAMPLES.length >= 200, `${SAMPLES.length}`);
  for (const sample of SAMPLES) {
    const out = (await preview(sample)).data.html;
    for (const [tag] of out.matchAll(/<[^>]*>/g)) {
      assert.match(tag, /^<\/?(p|h[1-6]|blockquote|pre|code|em|strong|del|a|img|ul|ol|li|hr|br|table|thead|tbody|tr|th|td|input|sup|section|span|div)(\s|>|\/)/, `${sample} → ${tag}`);
      const names = [...tag.replace(/"[^"]*"/g, '""').matchAll(/\s([^\s=>]+)=/g)].map((m) => m[1]);
      for (const n of names) assert.match(n, /^(href|src|alt|title|class|id|rel|align|start|type|checked|disabled|loading)$/, `${sample} → ${tag}`);
      for (const [, url] of tag.matchAll(/(?:href|src)="([^"]*)"/g)) assert.match(url, /^(https?:|mailto:|[/#?]|[^:]*$)/i, `${sample} → ${tag}`);
    }
  }
});

// Kilobytes that loci-web holds.
const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

test('hostile Markdown is answered in two seconds, with a bounded memory', async (t) => {
  const pid = (await stack('pid', 'web')).stdout.trim();
  await preview('warm '.repeat(20000));
  let most = 0;
  const grew = {};
  const watch = setInterval(() => { most = Math.max(most, memory(pid)); }, 10);
  const row = (n, cell) => `|${cell.repeat(n)}\n`;
  const texts = { columns: row(3000, 'x|') + row(3000, '-|') + row(3000, 'x|').repeat(20), table: row(99, 'x|') + row(99, '-|') + 'x\n'.repeat(100000), quotes: '>'.repeat(50000),
    brackets: '['.repeat(1000000), mails: 'a@b.c '.repeat(150000), notes: '[^1]'.repeat(50000) + '\n\n[^1]: x', definitions: Array.from({ length: 20000 }, (_, i) => `[^${i}] `).join('') + Array.from({ length: 20000 }, (_, i) => `\n\n[^${i}]: x`).join(''),
    stars: '*a '.repeat(300000), both: '*a _b '.repeat(150000), ticks: Array.from({ length: 1300 }, (_, i) => '`'.repeat(i)).join(' '), links: '[a]('.repeat(200000), lists: `${'- '.repeat(90)}x\n`.repeat(5000), entities: '&amp;'.repeat(200000),
    wikis: '[[a|b]]'.repeat(140000), embeds: '![[x]]'.repeat(150000), html: '<a '.repeat(300000), headings: '# x\n'.repeat(200000), urls: 'http://a.b '.repeat(90000), references: '[a]: b\n'.repeat(100000) + '[a]'.repeat(50000) };
  for (const [name, content] of Object.entries(texts)) {
    const from = Date.now(), before = most = memory(pid);
    const r = await preview(content.slice(0, 1000000));
    grew[name] = Math.max(most, memory(pid)) - before >> 10;
    assert.ok([200, 422].includes(r.status), `${name}: ${r.status} ${r.text.slice(0, 200)}`);
    assert.ok(Date.now() - from < 2000 * (process.env.LOCI_SLOW ? 6 : 1), `${name}: ${Date.now() - from} ms`);
    if (process.env.LOCI_SHOW) console.log(name, r.status, Date.now() - from, 'ms', r.text.length);
  }
  clearInterval(watch);
  t.diagnostic(`MiB: ${Object.entries(grew).map(([name, n]) => `${name} ${n}`).join(', ')}`);
  if (process.env.LOCI_SLOW) return;
  for (const [name, n] of Object.entries(grew)) assert.ok(n < (['columns', 'quotes', 'brackets', 'mails', 'notes'].includes(name) ? 64 : 80), `${name}: grew by ${n} MiB`);   // 64 is for those that the spec names
});
