// Vaults: folders of Markdown become pages and files again, byte for byte.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { ctl, expectStatus, freshAccount } from './client.mjs';
import { sql } from './db.mjs';

const dir = mkdtempSync(join(tmpdir(), 'loci-vault-'));
after(() => rmSync(dir, { recursive: true }));
const P = '/api/v1/admin/pages';

function vault(name, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name, path)), { recursive: true });
    writeFileSync(join(dir, name, path), text);
  }
  return join(dir, name);
}

const FILES = { 'Home.md': '---\naliases: [Start, "The front"]\ntags:\n  - one\n  - two\n---\n# Home\n\n[[Deep/Note]] [[other]] ![[Note#Part]] [[Start]] [md](Deep/Other.md) [[picture.png]] [[Nobody]]\n',
  'Deep/Note.md': 'a\r\nb [[Home]]\r\n', 'Deep/Other.md': 'links up: [home](../Home.md#Home) and [[The front]]\n\n\n', 'Deep/er/Note.md': 'the same name deeper, `[[Home]]`', 'Empty.md': '', 'picture.png': 'not a picture', '.obsidian/app.md': 'no page' };

test('files become pages, links lead where the paths say, and the export is byte for byte', async () => {
  const account = await freshAccount(), token = account.owner;
  const from = vault('in', FILES);
  symlinkSync(join(from, 'Home.md'), join(from, 'Link.md'));
  const said = await ctl('pages', 'import', '--account', account.slug, '--from', from);
  assert.match(said, /^5 created, 0 changed, 0 unchanged, 0 failed; 1 files beside them, 1 left out; links to 4 pages, 1 names wanted$/);
  const page = async (slug) => (await expectStatus(200, 'GET', `${P}/${slug}`, { token })).data;
  const links = async (slug) => (await expectStatus(200, 'GET', `${P}/${slug}/links`, { token })).data.links;
  const home = await page('home'), other = await page('other');
  assert.deepEqual([home.title, home.path, home.aliases], ['Home', 'Home.md', ['Start', 'The front']]);
  const paths = Object.fromEntries((await sql(`SELECT id, path FROM page WHERE path IS NOT NULL`)).map(([id, path]) => [id, path]));
  assert.deepEqual((await links('home')).map((l) => [l.target, paths[l.target_id] ?? l.state]),
    [['Deep/Note', 'Deep/Note.md'], ['other', 'Deep/Other.md'], ['Note#Part', 'Deep/Note.md'], ['Start', 'Home.md'], ['Deep/Other', 'Deep/Other.md'], ['picture.png', 'file'], ['Nobody', 'pending']]);
  assert.deepEqual((await links(other.slug)).map((l) => [l.target, l.heading, l.target_id]), [['Home#Home', 'Home', home.id], ['The front', null, home.id]]);
  assert.equal(await ctl('pages', 'export', '--account', account.slug, '--to', join(dir, 'out')), '6 pages and files written, 0 failed');
  for (const path of ['Home.md', 'Deep/Note.md', 'Deep/Other.md', 'Deep/er/Note.md', 'Empty.md', 'picture.png'])
    assert.deepEqual(readFileSync(join(dir, 'out', path)), Buffer.from(FILES[path]), path);
  assert.match(await ctl('pages', 'import', '--account', account.slug, '--from', from), /^0 created, 0 changed, 5 unchanged/);
  writeFileSync(join(from, 'Home.md'), 'now [[Empty]]');
  assert.match(await ctl('pages', 'import', '--account', account.slug, '--from', from), /^0 created, 1 changed, 4 unchanged/);
  assert.deepEqual((await links('home')).map((l) => [l.target, l.state]), [['Empty', 'resolved']]);
});

test('what cannot be a page is named, and the others are imported; nothing is written outside of the folder', async () => {
  const account = await freshAccount();
  const from = vault('bad', { 'good.md': '[[later]]', 'bytes.md': Buffer.from([0xff, 0xfe]), 'mixed.md': 'a\r\nb\nc', 'control.md': 'a\u0001b' });
  const failed = await ctl('pages', 'import', '--account', account.slug, '--from', from).then(() => assert.fail('did not fail'), (e) => e);
  assert.match(failed.stdout, /^1 created, 0 changed, 0 unchanged, 3 failed/);
  assert.match(failed.stderr, /bytes\.md: not UTF-8[^]*|control\.md: content has a control character/);
  await sql(`UPDATE page SET path = '../outside.md' WHERE path = 'good.md' AND account_id = (SELECT id FROM account WHERE slug = '${account.slug}')`);
  const refused = await ctl('pages', 'export', '--account', account.slug, '--to', join(dir, 'safe')).then(() => assert.fail('did not fail'), (e) => e);
  assert.match(refused.stderr, /\.\.\/outside\.md: not a path below the folder/);
});
