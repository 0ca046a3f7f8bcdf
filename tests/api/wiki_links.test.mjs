// Links between pages: extraction, edges, binding, backlinks, mentions, related pages, and the five endpoints of the seed.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, expectStatus, freshAccount, freshUser, settled, unique } from './client.mjs';
import { sql } from './db.mjs';

const P = '/api/v1/admin/pages', A = '/api/v1/kb/articles', L = '/api/v1/admin/page_links';
let account, token;
before(async () => {
  account = await freshAccount();
  token = account.owner;
  await expectStatus(201, 'POST', '/api/v1/kb/categories', { token, body: { slug: 'guides', name: 'Guides' } });
});

const make = async (body = {}, as = token) => (await expectStatus(201, 'POST', P, { token: as, body: { title: unique('page'), content: 'text', ...body } })).data;
const patch = async (p, body) => (await expectStatus(200, 'PATCH', `${P}/${p.id}`, { token, body })).data;
const links = async (p) => (await expectStatus(200, 'GET', `${P}/${p.id}/links`, { token })).data.links;
const extract = async (p) => (await expectStatus(200, 'POST', `${P}/${p.id}/extract_links`, { token, body: {} })).data;
const backlinks = async (p, as = token, base = P) => (await expectStatus(200, 'GET', `${base}/${p.id}/backlinks`, { token: as })).data.backlinks;
const mentions = async (p, query = '') => (await expectStatus(200, 'GET', `${P}/${p.id}/unlinked_mentions${query}`, { token })).data.unlinked_mentions;
const edges = async (p, query = '') => (await expectStatus(200, 'GET', `/api/v1/edges?node_id=${p.id}&direction=out&relation=references&limit=100${query}`, { token })).data;
const remove = (p) => expectStatus(204, 'DELETE', `${P}/${p.id}`, { token });
const article = async (body) => (await expectStatus(201, 'POST', A, { token, body: { content: 'text', category_slug: 'guides', ...body } })).data;

test('several links with one target make one edge, which says what the first one says; doing it again changes nothing', async () => {
  const b = await make({ title: unique('B') });
  const a = await make({ content: `[[${b.title}]], [[${b.title.toUpperCase()}]], [[${b.title}|see]]` });
  const [edge] = await edges(a);
  assert.deepEqual([edge.target_id, edge.weight, edge.confidence, edge.bidirectional], [b.id, 1, 1, false]);
  assert.deepEqual(edge.metadata, { link_text: `[[${b.title}]]`, occurrences: 3 });
  assert.deepEqual(await extract(a), { extracted: 1, pending: 0, added: 0, removed: 0 });
  assert.deepEqual((await edges(a)).map((e) => e.id), [edge.id]);
  assert.deepEqual((await links(a)).map((l) => [l.state, l.occurrences, l.first_at]), [['resolved', 3, 0]]);
});

test('without its links a page has no edges; what was linked before can still be asked', async () => {
  const b = await make(), a = await make({ content: `[[${b.title}]]` });
  const before = new Date().toISOString();
  await patch(a, { content: 'nothing' });
  assert.deepEqual(await edges(a), []);
  assert.deepEqual(await backlinks(b), []);
  assert.deepEqual((await edges(a, `&as_known_at=${before}`)).map((e) => e.target_id), [b.id]);
});

test('a link waits for its page and is bound when that appears, without a change of its own page', async () => {
  const title = unique('Later');
  const a = await make({ content: `see [[${title}]]` });
  assert.deepEqual((await links(a)).map((l) => [l.state, l.target_id]), [['pending', null]]);
  assert.ok((await expectStatus(200, 'GET', `${L}/wanted?limit=200`, { token })).data.wanted.some((w) => w.target === title && w.sources === 1));
  const b = await make({ title });
  assert.deepEqual((await edges(a)).map((e) => e.target_id), [b.id]);
  assert.equal((await expectStatus(200, 'GET', `${P}/${a.id}`, { token })).data.version, 1);
  assert.ok(!(await expectStatus(200, 'GET', `${L}/wanted?limit=200`, { token })).data.wanted.some((w) => w.target === title));
});

test('a page takes a name from an article, and gives it back when it is deleted', async () => {
  const title = unique('Guide');
  const a = await article({ title });
  const from = await make({ content: `[[${title}]]` });
  const target = async () => (await edges(from)).map((e) => e.target_id);
  assert.deepEqual(await target(), [a.id]);
  const p = await make({ title });
  assert.deepEqual(await target(), [p.id]);
  await remove(p);
  assert.deepEqual(await target(), [a.id]);
  await expectStatus(200, 'POST', `${P}/${p.id}/restore`, { token, body: {} });
  assert.deepEqual(await target(), [p.id]);
  assert.deepEqual((await backlinks(p)).map((x) => x.id), [from.id]);
});

test('a page and what it links to are made at the same moment: no link is left waiting', async () => {
  const n = Number(process.env.LOCI_RACES ?? 200);
  for (let i = 0; i < n; i += 10) {
    await Promise.all(Array.from({ length: 10 }, async (_, k) => {
      const title = `Race ${i + k} ${account.slug}`;
      await Promise.all([make({ content: `[[${title}]]` }), make({ title })]);
    }));
  }
  await settled(account.slug, { parts: ['queue'], kinds: ['bind_links'] });
  const [[left]] = await sql(`SELECT COUNT(*) FROM page_link l JOIN page_name n ON n.account_id = l.account_id AND n.name_key = l.target_key
    WHERE l.state = 'pending' AND l.target_key LIKE 'race %${account.slug}'`);
  assert.equal(left, '0');
});

test('twenty extractions of one page at once: one edge for each target, and nobody hears of an error', async () => {
  const [b, d] = [await make(), await make()];
  const a = await make({ content: `[[${b.title}]] [[${d.title}]]` });
  const all = await Promise.all(Array.from({ length: 20 }, () => extract(a)));
  assert.ok(all.every((r) => r.extracted === 2 && r.added === 0));
  assert.equal((await edges(a)).length, 2);
});

test('what is no link, and what is one although it stands in a table or beside a reference', async () => {
  const x = unique('x');
  const a = await make({ content: `\`[[${x}]]\` \\[[${x}]] %%[[${x}]]%% a <!-- [[${x}]] -->\n\n    [[${x}]]\n\n~~~\n[[${x}]]\n~~~\n` });
  assert.deepEqual(await links(a), []);
  const p = await make({ title: unique('P') });
  const t = await make({ content: `| h |\n|---|\n| [[${p.title}\\|q]] |\n\n[[${p.title}]]\n\n[${p.title}]: http://x` });
  assert.deepEqual((await links(t)).map((l) => [l.target_id, l.occurrences, l.display]), [[p.id, 2, 'q']]);
});

test('titles are compared as a whole, in any case; no character is a pattern; slugs hit as well', async () => {
  const tail = unique('');
  const percent = await make({ title: `100%_done${tail}` }), under = await make({ title: `a_b${tail}` }), ex = await make({ title: `aXb${tail}` });
  const guide = await make({ title: `Feature Development Guide${tail}` });
  const target = async (text) => (await links(await make({ content: `[[${text}]]` })))[0].target_id;
  assert.equal(await target(`100%_done${tail}`), percent.id);
  assert.equal(await target(`100xx${tail}`), null);
  assert.deepEqual([await target(`A_B${tail}`), await target(`axb${tail}`)], [under.id, ex.id]);
  assert.equal(await target(` feature  DEVELOPMENT guide${tail} `), guide.id);
  assert.equal(await target(`feature-development-guide${tail}`), guide.id);
  assert.equal(await target(`Feature Development Guide${tail}#Install#Linux`), guide.id);
});

test('of two pages with one title the oldest has the links, and the link says so; a link to the page itself makes no edge', async () => {
  const title = unique('Twin');
  const first = await make({ title });
  await make({ title });
  const a = await make({ title: unique('Self'), content: `[[${title}]] [[#Head]]` });
  assert.deepEqual((await links(a)).map((l) => [l.state, l.target_id, l.ambiguous]), [['resolved', first.id, 2], ['self', a.id, 0]]);
  const self = await patch(a, { content: `[[${a.title}]]` });
  assert.deepEqual(await edges(self), []);
});

test('edges of links are not made or changed by hand', async () => {
  const b = await make(), a = await make({ content: `[[${b.title}]]` });
  await expectStatus(409, 'POST', '/api/v1/edges', { token, body: { source_id: a.id, target_id: b.id, relation: 'references' } });
  const [edge] = await edges(a);
  await expectStatus(409, 'DELETE', `/api/v1/edges/${edge.id}`, { token });
});

test('an alias is a name; after a rename the old ones still lead there, until another page has them', async () => {
  const old = unique('Old'), alias = unique('Also');
  const b = await make({ title: old, aliases: [alias] });
  const a = await make({ content: `[[${old}]] [[${alias}]]` });
  assert.deepEqual((await links(a)).map((l) => l.target_id), [b.id, b.id]);
  const renamed = await patch(b, { title: unique('New') });
  assert.deepEqual([renamed.slug, renamed.aliases.includes(old), renamed.aliases.includes(alias)], [b.slug, true, true]);
  assert.deepEqual((await links(a)).map((l) => l.target_id), [b.id, b.id]);
  const moved = await patch(b, { slug: unique('moved') });
  assert.equal((await expectStatus(200, 'GET', `${P}/${b.slug}`, { token })).data.id, b.id, 'an old slug still finds the page');
  assert.ok(moved.aliases.includes(b.slug));
  const taker = await make({ title: old });
  assert.deepEqual((await links(a)).map((l) => l.target_id), [taker.id, b.id]);
});

test('a rename rewrites links where it was asked to, in texts that one may write, and leaves what only looks alike', async () => {
  const old = unique('Old'), name = unique('New'), b = await make({ title: old });
  const text = (x) => `See [[${x}]], [[ ${x.toLowerCase()} |there]], ![[${x}#Part]].\n\n\`[[${old}]]\` and ${old} stay.`;
  const a = await make({ content: text(old) }), other = await make({ content: `No link to ${old}` });
  const renamed = await patch(b, { title: name, rewrite_links: true });
  assert.equal(renamed.links_rewritten, 1);
  const got = (await expectStatus(200, 'GET', `${P}/${a.id}`, { token })).data;
  assert.equal(got.content, text(old).replaceAll(`[[${old}`, `[[${name}`).replace(`[[ ${old.toLowerCase()}`, `[[ ${name}`).replace(`\`[[${name}`, `\`[[${old}`));
  assert.equal(got.version, a.version + 1);
  assert.equal((await expectStatus(200, 'GET', `${P}/${other.id}`, { token })).data.version, other.version);
  assert.deepEqual((await links(a)).map((l) => l.target_id), [b.id, b.id]);
});

test('backlinks: newest change first, only what the reader may see, each once', async () => {
  const b = await make({ status: 'published' });
  const one = await make({ content: `[[${b.title}]] [[${b.title}|again]]`, status: 'published' });
  const two = await make({ content: `[[${b.title}]]` });
  assert.deepEqual((await backlinks(b)).map((x) => x.id), [two.id, one.id]);
  await patch(one, { content: `now [[${b.title}]]` });
  const [first] = await backlinks(b);
  assert.deepEqual(first, { id: one.id, title: one.title, slug: one.slug, type: 'page', excerpt: `now ${b.title}` });
  const viewer = await freshUser(account, 'viewer');
  assert.deepEqual((await backlinks(b, viewer.token, '/api/v1/pages')).map((x) => x.id), [one.id], 'a draft that links is not shown');
  const limited = await expectStatus(200, 'GET', `${P}/${b.id}/backlinks?limit=1&cursor=1`, { token });
  assert.deepEqual(limited.data.backlinks.map((x) => x.id), [two.id]);
});

test('mentions: whole words of the plain text, of pages that do not link', async () => {
  const word = `art${unique('').replace(/\W/g, '')}`;
  const p = await make({ title: word, content: `${word} itself` });
  for (const content of [`p${word}y`, `\`${word}\``, `[[${word}]]`, `[${word}](u)`, `https://x/${word}`, `${word} and [[${word}]]`]) await make({ content });
  const said = await make({ content: `${word.toUpperCase()}, they said` });
  assert.deepEqual((await mentions(p)).map((x) => x.id), [said.id]);
  const found = (await expectStatus(200, 'GET', `${P}/${p.id}/mention_places`, { token })).data.unlinked_mentions[0].mentions[0];
  assert.deepEqual(found, { start: 0, end: word.length, snippet: `${word.toUpperCase()}, they said` });
  const linked = (await expectStatus(200, 'POST', `${P}/${p.id}/link_mention`, { token, body: { source_id: said.id, start: 0, end: word.length, source_version: 1 } })).data;
  assert.equal(linked.content, `[[${word}|${word.toUpperCase()}]], they said`);
  assert.deepEqual(await mentions(p), []);
  await expectStatus(412, 'POST', `${P}/${p.id}/link_mention`, { token, body: { source_id: said.id, start: 0, end: 3, source_version: 1 } }).catch((e) => { if (!/422/.test(e.message)) throw e; });
  for (let i = 0; i < 25; i++) await make({ content: `number ${i} of ${word}` });
  const many = await mentions(p);
  assert.deepEqual([many.length, many[0].excerpt], [20, `number 24 of ${word}`]);
  const short = await make({ title: 'of' });
  assert.deepEqual(await mentions(short), []);
  await expectStatus(422, 'GET', `${P}/${p.id}/unlinked_mentions?types=note`, { token });
});

test('related pages: nearest first, never the page itself, limits', async () => {
  const harbour = await make({ title: unique('Harbour'), content: 'Ships moor at the quay and need a pilot.' });
  await make({ title: unique('Boats'), content: 'Boats and ships in the port are led by pilots to the quay.' });
  await make({ title: unique('Bread'), content: 'Knead the dough, let it rise, bake it.' });
  await settled(account.slug, { parts: ['vectors', 'queue'] });
  const r = (await expectStatus(200, 'GET', `${P}/${harbour.id}/related_pages?limit=50`, { token })).data.related_pages;
  assert.ok(r.every((x) => x.id !== harbour.id && x.similarity >= 0 && x.similarity <= 1));
  assert.deepEqual([...r].sort((a, b) => b.similarity - a.similarity).map((x) => x.similarity), r.map((x) => x.similarity));
  assert.ok(r.length && r[0].title.startsWith('Boats'), JSON.stringify(r.slice(0, 3)));
  assert.deepEqual(Object.keys(r[0]).sort(), ['excerpt', 'id', 'similarity', 'slug', 'title', 'type']);
  for (const limit of ['0', '51', 'x']) await expectStatus(422, 'GET', `${P}/${harbour.id}/related_pages?limit=${limit}`, { token });
  const status = async (body) => (await expectStatus(200, 'POST', `${P}/${harbour.id}/generate_embedding`, { token, body })).data.status;
  assert.equal(await status({}), 'unchanged');
  assert.equal(await status({ force: true }), 'generated');
});

test('the five endpoints: 401 without a token, 403 without admin.access, 404 for what is not there, and exactly the members of the seed', async () => {
  const p = await make();
  const { data } = await expectStatus(201, 'POST', '/api/v1/tokens', { token, body: { name: 'content only', scopes: ['content.read', 'content.write'] } });
  const stranger = await freshAccount();
  const all = [['GET', 'backlinks', ['backlinks']], ['GET', 'unlinked_mentions', ['unlinked_mentions']], ['GET', 'related_pages', ['related_pages']],
    ['POST', 'extract_links', ['added', 'extracted', 'pending', 'removed']], ['POST', 'generate_embedding', ['status']]];
  for (const [method, name, members] of all) {
    const at = `${P}/${p.id}/${name}`, body = method === 'POST' ? {} : undefined;
    assert.equal((await call(method, at, { body })).status, 401);
    assert.equal((await call(method, at, { token: data.secret, body })).status, 403);
    assert.equal((await call(method, at, { token: stranger.owner, body })).status, 404);
    assert.equal((await call(method, `${P}/no-such-page/${name}`, { token, body })).status, 404);
    const r = await expectStatus(200, method, `${P}/${p.slug}/${name}`, { token, body });
    assert.deepEqual(Object.keys(r.data).sort(), members);
    assert.deepEqual([r.body.success, Object.keys(r.body).filter((k) => !['success', 'data', 'meta'].includes(k))], [true, []]);
  }
});

test('the graph calls show the edges of links', async () => {
  const b = await make({ title: unique('Neighbour') }), a = await make({ content: `[[${b.title}]]` });
  const r = (await expectStatus(200, 'GET', `/api/v1/ai/knowledge_graph/nodes/${a.id}/neighbors?relation_type=references`, { token })).data;
  assert.deepEqual(r.nodes.map((n) => n.id), [b.id]);
  assert.deepEqual(r.edges.map((e) => [e.source_id, e.target_id, e.relation, e.weight, e.bidirectional]), [[a.id, b.id, 'references', 1, false]]);
  const found = (await expectStatus(200, 'POST', '/api/v1/ai/knowledge_graph/search', { token, body: { query: b.title, kinds: ['page'] } })).data.nodes;
  assert.ok(found.some((n) => n.id === b.id));
});

test('wanted pages, orphans, hubs and the graph of links', async () => {
  const hub = await make({ title: unique('Hub') }), lone = await make();
  const sources = [];
  for (let i = 0; i < 3; i++) sources.push(await make({ content: `[[${hub.title}]]` }));
  const hubs = (await expectStatus(200, 'GET', `${L}/hubs?limit=200`, { token })).data.hubs;
  assert.equal(hubs.find((h) => h.id === hub.id).backlinks, 3);
  const orphans = (await expectStatus(200, 'GET', `${L}/orphans?limit=200`, { token })).data.orphans.map((o) => o.id);
  assert.ok(orphans.includes(lone.id) && !orphans.includes(hub.id) && !orphans.includes(sources[0].id));
  const graph = (await expectStatus(200, 'GET', `${L}/graph?root=${hub.slug}`, { token })).data;
  assert.deepEqual(graph.nodes.map((n) => n.id).sort(), [hub.id, ...sources.map((s) => s.id)].sort());
  assert.equal(graph.edges.length, 3);
  const small = (await expectStatus(200, 'GET', `${L}/graph?root=${hub.slug}&limit=2`, { token })).data;
  assert.deepEqual([small.nodes.length, small.truncated], [2, true]);
});

test('more than a thousand different links of one page are plain text, and counted', async () => {
  const p = await make({ content: Array.from({ length: 1010 }, (_, i) => `[[many ${i} ${account.slug}]]`).join(' ') });
  assert.equal(p.ignored_links, 10);
  assert.equal((await links(p)).length, 1000);
});

test('[[kind:Name]] leads to a node of another kind that the writer may read; a page of that name comes first', async () => {
  const name = unique('pilotage');
  const skill = (await expectStatus(201, 'POST', '/api/v1/ai/skills', { token, body: { name, description: 'Use when a ship needs a pilot.', category: 'testing', body: '# Call the pilot' } })).data;
  const space = (await expectStatus(201, 'POST', '/api/v1/spaces', { token, body: { kind: 'context', name, slug: name } })).data;
  const ship = (await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { space_id: space.id, kind: 'entity', title: `${name} ship`, body: 'x' } })).data;
  const p = await make({ content: `[[skill:${name}]] [[entity:${name} ship|the ship]] [[agent:${name}]] [[Skill:${name}]]` });
  const rows = await links(p);
  assert.deepEqual(rows.map((l) => [l.target.split(':')[0], l.state, l.target_id]), [['skill', 'resolved', skill.id], ['entity', 'resolved', ship.id], ['agent', 'pending', null]]);
  assert.deepEqual((await edges(p)).map((e) => e.target_id).sort(), [skill.id, ship.id].sort());
  assert.ok(p.rendered_content.includes(`<a class="wikilink" href="/admin/nodes/${ship.id}">the ship</a>`), p.rendered_content);
  const page = await make({ title: `skill:${name}` });
  assert.equal((await links(p))[0].target_id, page.id);
  await remove(page);
  assert.equal((await links(p))[0].target_id, skill.id);
});

test('an article counts who reads it, its author apart', async () => {
  const a = await article({ title: unique('Read') });
  await expectStatus(200, 'POST', `${A}/${a.id}/publish`, { token, body: {} });
  const reader = await freshUser(account, 'viewer');
  for (let i = 0; i < 3; i++) await expectStatus(200, 'GET', `${A}/${a.slug}`, { token: reader.token });
  await expectStatus(200, 'GET', `${A}/${a.slug}`, { token });
  await settled(account.slug, { parts: ['uses'] });
  assert.equal((await expectStatus(200, 'GET', `${A}/${a.slug}`, { token })).data.views_count, 3);
});
