// Vaults over REST: an archive becomes pages and files beside them, and an archive again, byte for byte; files are sent safely.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BASE, call, expectStatus, freshAccount, freshUser, settled, unique } from './client.mjs';
import { unzip, zip } from './files.mjs';

const P = '/api/v1/admin/pages';
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>');
let account, token;
before(async () => { account = await freshAccount(); token = account.owner; });

const page = async (slug) => (await expectStatus(200, 'GET', `${P}/${slug}`, { token })).data;
const fetched = async (path, as) => {
  const r = await fetch(BASE + path, { headers: as ? { Authorization: `Bearer ${as}` } : {} });
  return { status: r.status, headers: r.headers, bytes: Buffer.from(await r.arrayBuffer()) };
};
const ended = async (kind, id) => {
  await settled(account.slug, { parts: ['queue'], kinds: [kind] });
  return (await expectStatus(200, 'GET', `/api/v1/${kind}s/${id}`, { token })).data;
};
async function importZip(files, as = token) {
  const { data } = await expectStatus(201, 'POST', '/api/v1/imports?format=vault', { token: as, raw: zip(files), headers: { 'Content-Type': 'application/zip' } });
  return ended('import', data.id);
}
async function exportZip() {
  const { data } = await expectStatus(201, 'POST', '/api/v1/exports', { token, body: { format: 'vault' } });
  const done = await ended('export', data.id);
  assert.equal(done.status, 'done', done.error);
  const r = await fetched(`/api/v1/exports/${data.id}/download`, token);
  assert.equal(r.headers.get('content-type'), 'application/zip');
  return { done, files: unzip(r.bytes) };
}

// 300 notes in folders, with aliases, attachments, line ends of both kinds, and names in several scripts.
function vault() {
  const files = {}, folder = (i) => ['', 'Daily/', 'Projects/Harbour/', 'Über uns/', '日本/'][i % 5];
  for (let i = 0; i < 300; i++) {
    const links = [`[[Note ${(i * 7 + 1) % 300}]]`, `[[alias-${(i * 11 + 3) % 300}|by alias]]`, `[[${folder((i * 3) % 300)}Note ${(i * 3) % 300}#Part]]`, `![[pic ${i % 20}.png|120]]`,
      i % 10 === 0 ? '[[Nobody wrote this]]' : '`[[Note 1]]`'];
    const text = `---\naliases: [alias-${i}, "other ${i}"]\ntags: [n${i % 3}]\n---\n# Note ${i}\n\n## Part\n\n${links.join(' ')}\n`;
    files[`${folder(i)}Note ${i}.md`] = Buffer.from(i % 4 ? text : text.replaceAll('\n', '\r\n'));
  }
  for (let i = 0; i < 20; i++) files[`Files/pic ${i}.png`] = Buffer.concat([PNG, Buffer.from([i])]);
  files['Files/drawing.svg'] = SVG;
  return files;
}

test('a vault of 300 notes comes in with folders, aliases and files, and goes out byte for byte', async () => {
  const files = vault();
  const done = await importZip({ ...files, '.obsidian/app.json': Buffer.from('{}'), 'script.sh': Buffer.from('rm') });
  assert.equal(done.status, 'done', done.error);
  assert.deepEqual([done.report.pages.added, done.report.files.added, done.report.failed, done.report.left_out], [300, 21, 0, 1]);
  const note = await page('note-7');
  assert.deepEqual([note.path, note.aliases], ['Projects/Harbour/Note 7.md', ['alias-7', 'other 7']]);
  assert.match(note.rendered_content, /<img src="\/api\/v1\/page_files\/[0-9a-f-]{36}" loading="lazy" width="120" alt="pic 7\.png">/);
  const { data } = await expectStatus(200, 'GET', `${P}/note-7/links`, { token });
  assert.deepEqual(data.links.map((l) => l.state), ['resolved', 'resolved', 'resolved', 'file']);
  assert.deepEqual((await expectStatus(200, 'GET', '/api/v1/admin/page_links/wanted', { token })).data.wanted, [{ target: 'Nobody wrote this', sources: 30, occurrences: 30 }]);
  const out = await exportZip();
  assert.deepEqual(Object.keys(out.files).sort(), Object.keys(files).sort());
  for (const [path, bytes] of Object.entries(files)) assert.ok(out.files[path].equals(bytes), path);
  const again = await importZip(files);
  assert.deepEqual([again.report.pages.added, again.report.pages.changed, again.report.pages.there, again.report.files], [0, 0, 300, { added: 0, there: 21 }]);
});

test('an archive that is none is refused with a reason; paths that leave the folder are named; agents and readers may not', async () => {
  const { data } = await expectStatus(201, 'POST', '/api/v1/imports?format=vault', { token, raw: Buffer.from('no archive'), headers: { 'Content-Type': 'application/zip' } });
  const bad = await ended('import', data.id);
  assert.deepEqual([bad.status, /damaged/.test(bad.error)], ['failed', true], bad.error);
  const evil = await importZip({ '../out.md': Buffer.from('x'), 'a/../../b.png': PNG, 'ok.md': Buffer.from('fine'), 'bytes.md': Buffer.from([0xff, 0xfe]) });
  assert.deepEqual([evil.report.pages.added, evil.report.failed], [1, 3]);
  assert.deepEqual(evil.report.errors.map((e) => e.path).sort(), ['../out.md', 'a/../../b.png', 'bytes.md']);
  const viewer = await freshUser(account);
  assert.equal((await call('POST', '/api/v1/imports?format=vault', { token: viewer.token, raw: zip({ 'a.md': 'x' }), headers: { 'Content-Type': 'application/zip' } })).status, 403);
});

test('a file is sent as what it is: pictures in place, SVG as bytes; read by who may read a page that names it, and publicly only with a public page', async () => {
  const name = unique('quay'), put = async (path, bytes) => (await expectStatus(201, 'POST', `/api/v1/page_files?path=${encodeURIComponent(path)}`, { token, raw: bytes, headers: { 'Content-Type': 'application/octet-stream' } })).data;
  const png = await put(`img/${name}.png`, PNG), svg = await put(`img/${name}.svg`, SVG);
  const get = (f, as, base = '/api/v1/page_files') => fetched(`${base}/${f.id}`, as);
  const shown = await get(png, token), plain = await get(svg, token);
  assert.deepEqual([shown.headers.get('content-type'), shown.headers.get('content-disposition'), shown.headers.get('x-content-type-options')], ['image/png', null, 'nosniff']);
  assert.deepEqual([plain.headers.get('content-type'), plain.headers.get('content-disposition')], ['application/octet-stream', `attachment; filename="${name}.svg"`]);
  const reader = await freshUser(account), stranger = await freshAccount();
  assert.deepEqual([(await get(png, reader.token)).status, (await get(png, stranger.owner)).status], [404, 404]);
  const p = (await expectStatus(201, 'POST', P, { token, body: { title: unique('With picture'), content: `![[${name}.png]] [[img/${name}.svg|the drawing]]`, is_public: true } })).data;
  assert.match(p.rendered_content, new RegExp(`<img src="/api/v1/page_files/${png.id}" loading="lazy" alt="${name}.png">`));
  assert.match(p.rendered_content, new RegExp(`<a class="wikilink file" href="/api/v1/page_files/${svg.id}">the drawing</a>`));
  assert.equal((await get(png, reader.token)).status, 404);
  await expectStatus(200, 'POST', `${P}/${p.id}/publish`, { token, body: {} });
  assert.equal((await get(png, reader.token)).status, 200);
  const site = `/p/${account.slug}`;
  assert.equal((await get(png, null, `${site}/files`)).status, 404, 'no public site');
  await expectStatus(200, 'PATCH', '/api/v1/account', { token, body: { settings: { public_site: true } }, headers: { 'If-Match': '*' } });
  const open = await get(png, null, `${site}/files`), openSvg = await get(svg, null, `${site}/files`);
  assert.deepEqual([open.status, open.headers.get('content-type'), openSvg.headers.get('content-type')], [200, 'image/png', 'application/octet-stream']);
  assert.match(open.headers.get('content-security-policy'), /default-src 'none'/);
  const html = (await fetched(`${site}/${p.slug}`)).bytes.toString();
  assert.match(html, new RegExp(`<img src="${site}/files/${png.id}"`));
  await expectStatus(200, 'POST', `${P}/${p.id}/unpublish`, { token, body: {} });
  assert.equal((await get(png, null, `${site}/files`)).status, 404);
  await expectStatus(204, 'DELETE', `/api/v1/page_files/${svg.id}`, { token });
  assert.equal((await get(svg, token)).status, 404);
});

test('what is too large or no file of a vault is refused', async () => {
  const put = (path, bytes) => call('POST', `/api/v1/page_files?path=${encodeURIComponent(path)}`, { token, raw: bytes, headers: { 'Content-Type': 'application/octet-stream' } });
  assert.equal((await put('big.png', Buffer.alloc(16 * 1024 * 1024 + 1))).status, 413);
  for (const path of ['../x.png', '/x.png', 'a//b.png', 'x.exe', 'x.html', 'x.md']) assert.equal((await put(path, PNG)).status, 422, path);
});

test('a block has an anchor, and can be shown alone; its mark is not shown', async () => {
  const title = unique('Blocks');
  await expectStatus(201, 'POST', P, { token, body: { title, content: 'First.\n\nThe second one. ^quay-2\n\n- item ^it\n- other\n\n```\ncode ^no\n```\n' } });
  const p = (await expectStatus(201, 'POST', P, { token, body: { title: unique('Shows'), content: `[[${title}#^quay-2|there]] and\n\n![[${title}#^quay-2]]\n\n![[${title}#^it]]` } })).data;
  assert.match(p.rendered_content, /href="\/admin\/pages\/blocks-[0-9a-f]+#b-quay-2">there</);
  assert.match(p.rendered_content, /<div class="embed"><p>The second one\. <span id="b-quay-2"><\/span><\/p><\/div>/);
  assert.match(p.rendered_content, /<div class="embed"><li>item <span id="b-it"><\/span><\/li><\/div>/);
  assert.doesNotMatch(p.rendered_content, /First|other/);
  assert.match((await page(p.slug)).rendered_content, /second/);
});
