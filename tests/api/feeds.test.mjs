// Addresses that are fetched, and connectors: what is outside stays outside, and what is gone there goes here.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BASE2, expectStatus as expectAt, freshAccount, moveClock, settled, stack, unique } from './client.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`, C = `${R}/connectors`;
const expectStatus = (status, method, path, options) => expectAt(status, method, path, { ...options, base: BASE2 });
let account, token, base, root, site, pages, asked, inner, touched = 0;

// 127.0.0.9 is the internet here: the only host that fetch.allow names. On 127.0.0.77 stands what must not be reached.
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'loci-feed-'));
  await Promise.all([mkdir(join(root, 'open/deep'), { recursive: true }), mkdir(join(root, 'other'))]);
  pages = { '/': { body: '<!doctype html><title>Harbour news</title><main><p>The ferry leaves at noon.</p></main>' } };
  asked = [];
  site = createServer((q, a) => {
    const p = pages[q.url];
    asked.push(q.url);
    if (!p) return a.writeHead(404).end();
    if (p.to) return a.writeHead(302, { Location: p.to }).end();
    if (p.etag && q.headers['if-none-match'] === p.etag) return a.writeHead(304).end();
    return a.writeHead(p.status ?? 200, { 'Content-Type': p.type ?? 'text/html', ...(p.etag && { ETag: p.etag }) }).end(p.body);
  });
  inner = createServer((q, a) => { touched++; a.end('secret'); });
  inner.on('connection', () => { touched++; });
  await Promise.all([new Promise((go) => site.listen(0, '127.0.0.9', go)), new Promise((go) => inner.listen(8443, '127.0.0.77', go))]);
  Object.assign(process.env, { LOCI_INGEST_FOLDERS: join(root, 'open'), LOCI_FETCH_ALLOW: '127.0.0.9:*' });
  await Promise.all([stack('restart', 'web2'), stack('restart', 'scheduler')]);
  account = await freshAccount();
  token = account.owner;
  base = (await expectStatus(201, 'POST', K, { token, body: { name: unique('feeds') } })).data;
});
after(async () => {
  for (const k of ['LOCI_INGEST_FOLDERS', 'LOCI_FETCH_ALLOW']) delete process.env[k];
  site.closeAllConnections?.();
  await Promise.all([stack('restart', 'web2'), stack('restart', 'scheduler'), rm(root, { recursive: true }), new Promise((go) => site.close(go)), new Promise((go) => inner.close(go))]);
});

const at = (path = '/') => `http://127.0.0.9:${site.address().port}${path}`;
const done = () => settled(account.slug, { parts: ['queue'], kinds: ['process_document', 'sync_connector'] });
const get = async (d) => (await done(), (await expectStatus(200, 'GET', `${D}/${d.id}`, { token })).data);
const add = (source_url, status = 201, more = {}) => expectStatus(status, 'POST', D, { token, body: { knowledge_base_id: base.id, source_url, ...more } });

test('a page is fetched, read and named by its title; again it is unchanged, changed, gone', async () => {
  pages['/news'] = { ...pages['/'], etag: '"one"' };
  const d = await get((await add(at('/news'))).data);
  assert.deepEqual([d.status, d.source_type, d.name, d.content_type, d.source_url], ['indexed', 'url', 'Harbour news', 'text/html', at('/news')]);
  const refresh = async () => (await expectStatus(200, 'POST', `${D}/${d.id}/refresh`, { token, body: {} }), get(d));
  const same = await refresh();
  assert.deepEqual([same.status, same.source_version, same.chunk_count], ['indexed', 1, d.chunk_count]);
  assert.ok(same.last_refreshed_at > d.last_refreshed_at);
  pages['/news'] = { body: pages['/'].body.replace('noon', 'midnight'), etag: '"two"' };
  const changed = await refresh();
  assert.deepEqual([changed.status, changed.source_version, changed.served_version], ['indexed', 2, 2]);
  assert.match((await expectStatus(200, 'GET', `${D}/${d.id}/text`, { token })).data.text, /midnight/);
  assert.equal((await add(at('/news'), 200)).data.id, d.id, 'the same address is the same document');
  await done();
  delete pages['/news'];
  assert.equal((await refresh()).status, 'archived');
});

test('errors have a name; what fails for now is tried again', async () => {
  for (const [path, page, code] of [['/missing', null, 'http_4xx'], ['/picture', { body: '\x89PNG\r\n\x1a\n\0\0', type: 'image/png' }, 'unsupported_type'], ['/empty', { body: '<!doctype html><body></body>' }, 'no_text']]) {
    if (page) pages[path] = page;
    const d = await get((await add(at(path))).data);
    assert.deepEqual([path, d.status, d.processing_errors[0].code], [path, 'failed', code]);
  }
});

test('addresses of this host and its network are refused, however they are spelled, and no packet is sent', async () => {
  for (const url of ['ftp://example.org/x', 'http://user:pw@example.org/', 'http://example.org:22/', 'file:///x', 'http://exa mple.org/', 'nonsense'])
    assert.equal((await add(url, 422)).body.errors[0].pointer, '/source_url', url);
  const bad = ['http://127.0.0.77:8443/', 'http://[::1]:8443/', 'http://0x7f.0.0.77:8443/', 'http://2130706509:8443/', 'http://0177.0.0.115:8443/', 'http://169.254.169.254/latest/meta-data', 'http://[::ffff:10.0.0.1]/',
    'http://[::ffff:127.0.0.77]:8443/', 'http://localhost:8443/', 'http://10.0.0.1/', 'http://192.168.1.1/', 'http://100.64.0.1/', 'http://[fd00::1]/', 'http://[fe80::1]/', 'http://[64:ff9b::7f00:4d]:8443/', 'http://[2002:7f00:4d::]:8443/', 'http://0.0.0.0:8443/'];
  for (const [i, url] of bad.entries()) pages[`/to${i}`] = { to: url };
  pages['/round'] = { to: at('/round') };
  const all = [];
  for (const url of [...bad, ...bad.map((_, i) => at(`/to${i}`)), at('/round')]) all.push([url, (await add(url)).data]);
  for (const [url, d] of all) {
    const now = await get(d);
    assert.deepEqual([url, now.status, now.processing_errors[0]?.code, now.processing_errors[0]?.stage], [url, 'failed', 'fetch_refused', 'fetch']);
  }
  assert.equal(touched, 0);
});

const connector = async (body) => (await expectStatus(201, 'POST', C, { token, body: { knowledge_base_id: base.id, name: unique('feed'), ...body } })).data;
const sync = async (k, body = {}) => {
  await expectStatus(200, 'POST', `${C}/${k.id}/sync`, { token, body });
  await done();
  return (await expectStatus(200, 'GET', `${C}/${k.id}`, { token })).data;
};
const counts = (k) => { const { errors, gone, ...n } = k.last_sync_result; return n; };

test('a folder: links and what lies outside are refused, the rest is followed; a second look changes nothing', async () => {
  const open = join(root, 'open');
  await writeFile(join(root, 'other/secret.md'), '# Secret\n\nnot for you');
  await symlink(join(root, 'other/secret.md'), join(open, 'link.md'));
  await symlink(join(root, 'other'), join(open, 'folder-link'));
  for (const location of [join(root, 'other'), `${open}/../other`, join(open, 'folder-link'), '/', join(root, 'open2')])
    assert.equal((await expectStatus(422, 'POST', C, { token, body: { knowledge_base_id: base.id, name: 'x', location } })).body.errors[0].pointer, '/location', location);
  for (let i = 0; i < 10; i++) await writeFile(join(open, i < 5 ? `n${i}.md` : `deep/n${i}.txt`), `# Note ${i}\n\nThe crane number ${i} lifts ${i * 7} tons.`);
  await writeFile(join(open, 'picture.png'), Buffer.from('\x89PNG\0\0', 'latin1'));
  await writeFile(join(open, 'draft.md'), 'left out');
  const k = await connector({ location: open, exclude: 'draft*' });
  const first = await sync(k);
  assert.deepEqual(counts(first), { added: 10, changed: 0, unchanged: 0, archived: 0, skipped: 2, failed: 2 });
  assert.deepEqual(first.last_sync_result.errors.map((e) => e.path).sort(), ['folder-link', 'link.md']);
  assert.deepEqual([first.status, first.documents_synced, first.is_syncing], ['active', 10, false]);
  assert.deepEqual(counts(await sync(k)), { added: 0, changed: 0, unchanged: 10, archived: 0, skipped: 2, failed: 2 });
  const mine = (await expectStatus(200, 'GET', `${D}?knowledge_base_id=${base.id}&q=Note&limit=100`, { token })).data.filter((d) => d.source_type === 'folder');
  assert.ok(mine.length >= 5 && mine.every((d) => d.status === 'indexed' && d.external_id.startsWith(k.id)));

  await writeFile(join(open, 'n0.md'), '# Note 0\n\nThe crane was sold.');
  await rm(join(open, 'n1.md'));
  assert.deepEqual(counts(await sync(k)), { added: 0, changed: 1, unchanged: 8, archived: 1, skipped: 2, failed: 2 });
  await writeFile(join(open, 'n1.md'), '# Note 1\n\nThe crane is back.');
  assert.equal(counts(await sync(k)).changed, 1, 'what comes back is the same document');

  for (let i = 2; i < 9; i++) await rm(join(open, i < 5 ? `n${i}.md` : `deep/n${i}.txt`));
  const asks = await sync(k);
  assert.deepEqual([asks.status, counts(asks).archived, asks.last_sync_result.gone], ['error', 0, 7]);
  assert.match(asks.sync_error, /more than half/);
  const sure = await sync(k, { prune_all: true });
  assert.deepEqual([sure.status, sure.sync_error, counts(sure).archived], ['active', null, 7]);
});

test('pages: robots.txt is obeyed, a sitemap lists them', async () => {
  Object.assign(pages, { '/robots.txt': { body: 'User-agent: *\nDisallow: /private\nAllow: /private/open\n', type: 'text/plain' },
    '/sitemap.xml': { body: `<urlset>${['/p1', '/p2', '/private/x', '/private/open'].map((p) => `<url><loc>${at(p)}</loc></url>`).join('')}<url><loc>http://127.0.0.77:8443/</loc></url></urlset>`, type: 'application/xml' } });
  for (const p of ['/p1', '/p2', '/private/x', '/private/open']) pages[p] = { body: `<!doctype html><title>Page ${p}</title><p>Words of ${p}.` };
  asked.length = 0;
  const k = await sync(await connector({ connector_type: 'url', location: at('/sitemap.xml') }));
  assert.deepEqual([k.status, counts(k).added], ['active', 3]);
  await moveClock('1m');                                  // one request a second to a host
  await done();
  assert.ok(!asked.includes('/private/x') && ['/p1', '/p2', '/private/open'].every((p) => asked.includes(p)), asked.join(' '));
  assert.equal(touched, 0);
});

test('connectors are for those who manage the base; other kinds are refused by name', async () => {
  const r = await expectStatus(422, 'POST', C, { token, body: { knowledge_base_id: base.id, name: 'x', connector_type: 'notion', location: 'x' } });
  assert.match(r.text, /folder.*url/);
  const other = await freshAccount();
  const k = await connector({ connector_type: 'url', location: at('/p1') });
  await expectStatus(404, 'GET', `${C}/${k.id}`, { token: other.owner });
  await expectStatus(204, 'DELETE', `${C}/${k.id}`, { token });
});

// A repository that git itself serves: smart HTTP, as any forge does.
async function repository() {
  const { execFileSync, spawn } = await import('node:child_process');
  const work = join(root, 'work'), bare = join(root, 'served', 'docs.git');
  const git = (...args) => execFileSync('git', args, { cwd: work, env: { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.org', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.org', GIT_ALLOW_PROTOCOL: 'file' } });
  await Promise.all([mkdir(join(work, 'guide'), { recursive: true }), mkdir(join(root, 'served'))]);
  git('init', '-q', '-b', 'main');
  const commit = () => { git('add', '-A'); git('commit', '-q', '-m', 'x'); git('push', '-q', bare, 'main'); };
  const backend = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim();
  const serve = (q, a) => {
    const url = new URL(q.url, 'http://x');
    if (!url.pathname.startsWith('/docs.git/')) return a.writeHead(302, { Location: `http://127.0.0.77:8443${q.url}` }).end();
    const child = spawn(join(backend, 'git-http-backend'), { env: { GIT_PROJECT_ROOT: join(root, 'served'), GIT_HTTP_EXPORT_ALL: '1', PATH_INFO: url.pathname, QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: q.method, CONTENT_TYPE: q.headers['content-type'] ?? '', HTTP_CONTENT_ENCODING: q.headers['content-encoding'] ?? '', GIT_PROTOCOL: q.headers['git-protocol'] ?? '', REMOTE_ADDR: '127.0.0.1', HOME: root, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' } });
    const parts = [];
    q.pipe(child.stdin);
    child.stdout.on('data', (d) => parts.push(d));
    child.stdout.on('end', () => {
      const all = Buffer.concat(parts), at = all.indexOf('\r\n\r\n'), head = all.subarray(0, at).toString().split('\r\n').map((l) => l.split(': '));
      a.writeHead(Number(head.find(([k]) => k === 'Status')?.[1]?.slice(0, 3) ?? 200), Object.fromEntries(head.filter(([k]) => k !== 'Status'))).end(all.subarray(at + 4));
    });
  };
  const server = createServer(serve);
  await new Promise((go) => server.listen(0, '127.0.0.9', go));
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare], { env: { PATH: process.env.PATH, HOME: root } });
  return { work, git, commit, server, url: `http://127.0.0.9:${server.address().port}` };
}

test('git: files of a repository by their path; links and submodules are not followed, a redirect neither', async () => {
  const { work, git, commit, server, url } = await repository();
  await writeFile(join(work, 'readme.md'), '# Harbour\n\nThe lock opens at noon.\n');
  await writeFile(join(work, 'guide/crane.md'), '# Crane\n\nIt lifts forty tons.\n');
  await writeFile(join(work, '.gitattributes'), '* filter=evil\n');
  await symlink(join(root, 'other'), join(work, 'link.md'));
  await mkdir(join(work, 'sub'));
  git('-C', 'sub', 'init', '-q');
  git('-C', 'sub', 'commit', '-q', '--allow-empty', '-m', 'x');
  commit();
  const own = (await expectStatus(201, 'POST', K, { token, body: { name: unique('repository') } })).data;
  const make = (location, status = 201) => expectStatus(status, 'POST', C, { token, body: { knowledge_base_id: own.id, name: unique('git'), connector_type: 'git', location, exclude: '.git*' } });
  const look = async (id, body = {}) => {
    await expectStatus(200, 'POST', `${C}/${id}/sync`, { token, body });
    await settled(account.slug, { parts: ['queue'] });
    return (await expectStatus(200, 'GET', `${C}/${id}`, { token })).data;
  };
  const { id } = (await make(`${url}/docs.git#main`)).data;
  const first = await look(id);
  assert.deepEqual([first.status, first.last_sync_result.added, first.last_sync_result.failed], ['active', 2, 2], JSON.stringify(first));
  assert.deepEqual(first.last_sync_result.errors.map((e) => [e.path, e.message.split(':')[0]]).sort(), [['link.md', 'a symbolic link'], ['sub', 'a submodule']]);
  const docs = (await expectStatus(200, 'GET', `${D}?knowledge_base_id=${own.id}`, { token })).data;
  assert.deepEqual(docs.map((d) => [d.external_id.split('/').slice(1).join('/'), d.source_type, d.status]).sort(), [['guide/crane.md', 'git', 'indexed'], ['readme.md', 'git', 'indexed']]);
  const again = (await look(id)).last_sync_result;
  assert.deepEqual([again.added, again.changed, again.unchanged], [0, 0, 2]);
  await writeFile(join(work, 'readme.md'), '# Harbour\n\nThe lock opens at one.\n');
  await rm(join(work, 'guide'), { recursive: true });
  commit();
  const next = (await look(id)).last_sync_result;
  assert.deepEqual([next.changed, next.archived], [1, 1]);
  const was = touched, moved = await look((await make(`${url}/elsewhere.git`)).data.id);
  assert.equal(moved.status, 'error');
  assert.equal(touched, was, 'nothing was sent to where it is redirected');
  for (const bad of ['http://example.org/x.git', 'https://user@example.org/x.git', 'ext::sh -c true', 'file:///x', 'ssh://git@example.org/x', '--upload-pack=true', 'https://example.org/x.git#--upload-pack=x', 'https://example.org/x.git#a..b', 'git://example.org/x'])
    await make(bad, 422);
  const inner_ = await look((await make('https://127.0.0.77:8443/x.git')).data.id);
  assert.deepEqual([inner_.status, touched], ['error', was], 'an inner address is refused before a packet is sent');
  server.closeAllConnections?.();
  server.close();
});
