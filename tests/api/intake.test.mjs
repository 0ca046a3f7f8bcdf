// Files become documents: formats, hostile files, the cage of the child that reads them, and originals that come back as they were.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { BASE, call, expectStatus, freshAccount, freshAgent, settled, stack, unique } from './client.mjs';
import { deflated, docx, eml, epub, html, odt, pdf, pptx, xlsx, zip } from './files.mjs';

const R = '/api/v1/ai/rag', D = `${R}/documents`, K = `${R}/knowledge_bases`;
let account, token, base;
before(async () => {
  account = await freshAccount();
  token = account.token;
  base = (await expectStatus(201, 'POST', K, { token, body: { name: unique('files') } })).data;
});

const upload = (file, more = {}, status = 201, type = 'application/octet-stream') => expectStatus(status, 'POST',
  `${D}/upload?${new URLSearchParams({ knowledge_base_id: base.id, ...more })}`, { token, raw: file, headers: { 'Content-Type': type } });
const processed = async (d) => {
  await settled(account.slug, { parts: ['queue'], kinds: ['process_document'] });
  return (await expectStatus(200, 'GET', `${D}/${d.id}`, { token })).data;
};
const textOf = async (d) => (await expectStatus(200, 'GET', `${D}/${d.id}/text`, { token })).data.text;
const take = async (file, more, type) => {
  const d = await processed((await upload(file, more, 201, type)).data);
  return { ...d, text: d.status === 'indexed' ? await textOf(d) : null };
};
const found = async (q) => (await expectStatus(200, 'GET', `${R}/query?query=${encodeURIComponent(q)}&knowledge_base_id=${base.id}&mode=keyword`, { token })).data.results;

test('HTML: main text with headings, lists, tables and code; what is hidden or around it is left out', async () => {
  const d = await take(html(), { file_name: 'lock.html' }, 'text/html');
  assert.deepEqual([d.status, d.name, d.content_type, d.is_markdown, d.language, d.source_type, d.file_name], ['indexed', 'Rules of the lock', 'text/html', true, 'en', 'upload', 'lock.html']);
  assert.equal(d.text.trim(), '# The lock\n\nThe lock opens hourly.\n\n- small\n- large\n\n| Gate | Width |\n| West | 12 m |\n\n```\na = 1\n  b = 2\n```');
  const [hit] = await found('lock opens hourly');
  assert.deepEqual([hit.document_id, hit.document_name, hit.heading_path], [d.id, 'Rules of the lock', 'The lock']);
});

test('PDF: pages, without the lines that every page repeats', async () => {
  const d = await take(pdf(Array.from({ length: 6 }, (_, i) => ['Port of Wismar', `The ${['first', 'second', 'third', 'fourth', 'fifth', 'sixth'][i]} page speaks of dock ${'ABCDEF'[i]}.`, `Page ${i + 1} of 6`])), { file_name: 'docks.pdf' });
  assert.deepEqual([d.status, d.content_type, d.page_count, d.is_markdown, d.name], ['indexed', 'application/pdf', 6, false, 'docks.pdf']);
  assert.ok(!d.text.includes('Wismar') && !/Page \d/.test(d.text) && d.text.includes('dock F') && d.text.split('\f').length === 6, d.text);
  const [hit] = await found('"fifth page"'), chunk = (await expectStatus(200, 'GET', `${R}/chunks/${hit.chunk_id}`, { token })).data;
  assert.ok(chunk.page_from >= 1 && chunk.page_from <= 5 && chunk.page_to >= 5 && chunk.page_to <= 6, JSON.stringify(chunk));
});

test('office formats, books and mail', async () => {
  const word = await take(docx());
  assert.deepEqual([word.name, word.content_type.slice(-25), word.text.trim()], ['Handbook of pilots', 'wordprocessingml.document',
    '# Boarding\n\nPilots board at the outer buoy[^2]\n\n- ladder\n\n| Buoy | Depth |\n| Outer | 21 m |\n\n[^2]: Since 1974.']);
  const open = await take(odt());
  assert.deepEqual([open.name, open.language, open.text.trim()], ['Tide tables', 'de', '## Spring\n\nHigh water at noon (Local time).\n\n- first\n\n| Day | Height |']);
  assert.equal((await take(epub())).text.trim(), '# One\n\nThe lamp is lit at dusk.\n\n# Two\n\nThe lamp is put out at dawn.');
  assert.equal((await take(pptx())).text.trim(), '## Life vests\n\nWear them on deck.\n\nShow how they close.');
  assert.equal((await take(xlsx())).text.trim(), '## Berths\n\n| Berth | Length |\n| Berth: North quay | Length: 340 |');
  const mail = await take(eml(), { file_name: 'm.eml' });
  assert.equal(mail.name, 'Dredging nächste Woche');
  assert.match(mail.text, /^From: Jörg <joerg@example.org>\nTo: .*\nDate: .*\nSubject: Dredging nächste Woche\n\nThe basin is dredged on Tuesday, Grüße\.\s*$/);
  const [plan] = await found('Meerkatze');
  assert.equal(plan.document_name, 'Plan', 'an attachment is a document of its own');
});

test('text in its charsets', async () => {
  for (const [bytes, type] of [[Buffer.from('Größe der Schleuse eins', 'utf8'), 'text/plain'], [Buffer.from('Größe der Schleuse zwei', 'latin1'), 'text/plain'],
    [Buffer.from('\ufeffGröße der Schleuse drei', 'utf16le'), 'application/octet-stream']]) assert.match((await take(bytes, {}, type)).text, /^Größe der Schleuse/);
});

test('a form has its fields beside the file; the same file again is refused, or unchanged where its name is the same', async () => {
  const file = `# ${unique('Form')}\n\nOf a form.`, external_id = unique('form');
  const form = (fields, bytes = file) => ({ token, headers: { 'Content-Type': 'multipart/form-data; boundary=xx' }, raw: `${Object.entries(fields).map(([k, v]) => `--xx\r\nContent-Disposition: form-data; name="${k}"\r\n\r\n${v}\r\n`).join('')}--xx\r\nContent-Disposition: form-data; name="file"; filename="notes.md"\r\nContent-Type: text/markdown\r\n\r\n${bytes}\r\n--xx--\r\n` });
  const d = (await expectStatus(201, 'POST', `${D}/upload`, form({ knowledge_base_id: base.id, external_id }))).data;
  assert.deepEqual([d.file_name, d.content_type, d.outcome, d.original_bytes], ['notes.md', 'text/markdown', 'created', Buffer.byteLength(file)]);
  assert.equal((await expectStatus(200, 'POST', `${D}/upload`, form({ knowledge_base_id: base.id, external_id }))).data.outcome, 'unchanged');
  const next = (await expectStatus(200, 'POST', `${D}/upload`, form({ knowledge_base_id: base.id, external_id }, `${file} More.`))).data;
  assert.deepEqual([next.id, next.outcome, next.source_version], [d.id, 'changed', 2]);
  await expectStatus(422, 'POST', `${D}/upload`, form({ knowledge_base_id: base.id, colour: 'red' }));
  const bytes = pdf([[unique('Twice')]]), first = (await upload(bytes)).data, again = await upload(bytes, {}, 409);
  assert.deepEqual([again.body.reason, again.body.current_value?.document_id], ['duplicate', first.id]);
  assert.notEqual((await upload(bytes, { allow_duplicate: 'true' })).data.id, first.id);
});

test('the file comes back byte by byte, as an attachment, to those who manage the base', async () => {
  const bytes = Buffer.concat([pdf([['Original']]), Buffer.alloc(2500000, 'x')]), d = (await upload(bytes, { file_name: 'or"ig.pdf' })).data;
  const r = await fetch(`${BASE}${D}/${d.id}/original`, { headers: { Authorization: `Bearer ${token}` } });
  assert.deepEqual([r.status, r.headers.get('content-type'), r.headers.get('content-disposition')], [200, 'application/pdf', 'attachment; filename="or_ig.pdf"']);
  assert.ok(Buffer.from(await r.arrayBuffer()).equals(bytes));
  const reader = await freshAgent(account);
  await expectStatus(404, 'GET', `${D}/${d.id}/original`, { token: reader.token });
  await expectStatus(200, 'PATCH', `${K}/${base.id}`, { token, body: { is_public: true } });
  await expectStatus(200, 'GET', `${D}/${d.id}`, { token: reader.token });
  await expectStatus(403, 'GET', `${D}/${d.id}/original`, { token: reader.token });
});

test('what cannot be read is refused', async () => {
  for (const bytes of [Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), zip({ 'a.txt': 'an archive' }), Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 an old .doc', 'latin1'), Buffer.from('{\\rtf1 rich}')])
    await upload(bytes, {}, 415);
  await upload(Buffer.alloc(0), {}, 422);
});

test('hostile and broken files: the named error, and the worker lives', async () => {
  const before = await stack('pid', 'scheduler').catch(() => null);
  const W = 'xmlns:w="w"', lol = `<!DOCTYPE lolz [<!ENTITY a "lol">${'bcdefgh'.split('').map((e, i) => `<!ENTITY ${e} "${`&${'abcdefgh'[i]};`.repeat(10)}">`).join('')}]><w:document ${W}>&h;</w:document>`;
  const whole = docx(), hostile = {
    bomb: [zip({ 'word/document.xml': Buffer.concat([Buffer.from('<a>'), Buffer.alloc(300 << 20, ' '), Buffer.from('</a>')]) }), ['too_large']],
    liar: [zip({ 'word/document.xml': Buffer.alloc(20 << 20, 'x') }, { lie: 100 }), ['malformed']],
    laughs: [zip({ 'word/document.xml': lol }), ['malformed']],
    deep: [zip({ 'word/document.xml': '<a>'.repeat(10000) + '</a>'.repeat(10000) }), ['malformed']],
    cut: [whole.subarray(0, whole.length >> 1), ['malformed']],
    locked: [pdf([['secret']], { encrypt: true }), ['encrypted']],
    scan: [pdf([[], []]), ['no_text']],
    stream: [pdf([[]], { stream: await deflated(2048) }), ['extract_memory', 'extract_timeout', 'no_text', 'extract_crashed']],
    empty: [Buffer.from('<!doctype html><html><body><script>x</script></body></html>'), ['no_text']],
  };
  for (const [name, [bytes, codes]] of Object.entries(hostile)) {
    const d = await take(bytes, { name });
    assert.deepEqual([name, d.status], [name, 'failed']);
    assert.ok(codes.includes(d.processing_errors[0].code), `${name}: ${JSON.stringify(d.processing_errors[0])}`);
    assert.equal(d.processing_errors[0].stage, 'extract');
  }
  const tree = await take(Buffer.from(`<!doctype html><body>${'<div>'.repeat(10000)}bottom of the well${'</div>'.repeat(10000)}`), { name: 'well' });
  assert.deepEqual([tree.status, tree.text.trim()], ['indexed', 'bottom of the well']);
  if (before) assert.equal((await stack('pid', 'scheduler')).stdout, before.stdout);
});

test('from inside its cage, the child opens no file, no socket and makes no process', async () => {
  const { stdout } = await promisify(execFile)(join(dirname(process.env.LOCI_CTL), 'loci-extract'), ['--probe'], { env: {} });
  for (const line of ['holds rlimits', 'holds no_new_privs', 'holds seccomp', 'refused opens a file', 'refused opens a socket', 'refused makes a process'])
    assert.ok(stdout.split('\n').includes(line), `${line}\n${stdout}`);
});
