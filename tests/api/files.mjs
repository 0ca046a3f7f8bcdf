// Files for tests: zip archives, office formats, PDFs and mails, and hostile ones of each.
import { createHash } from 'node:crypto';
import { createDeflate, crc32 as nodeCrc32, deflateRawSync, deflateSync } from 'node:zlib';

const TABLE = Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n >>> 0; });
const crc32 = nodeCrc32 ?? ((b) => { let c = 0xffffffff; for (const x of b) c = TABLE[(c ^ x) & 255] ^ (c >>> 8); return (c ^ 0xffffffff) >>> 0; });

// lie: what the directory says of the size of each entry, instead of the truth.
export function zip(files, { lie } = {}) {
  const local = [], central = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text), stored = name === 'mimetype';
    const packed = stored ? bytes : deflateRawSync(bytes), head = Buffer.alloc(30), entry = Buffer.alloc(46);
    head.writeUInt32LE(0x04034b50, 0); head.writeUInt16LE(20, 4); head.writeUInt16LE(stored ? 0 : 8, 8);
    head.writeUInt32LE(crc32(bytes), 14); head.writeUInt32LE(packed.length, 18); head.writeUInt32LE(lie ?? bytes.length, 22); head.writeUInt16LE(Buffer.byteLength(name), 26);
    entry.writeUInt32LE(0x02014b50, 0); entry.writeUInt16LE(20, 4); entry.writeUInt16LE(20, 6); entry.writeUInt16LE(stored ? 0 : 8, 10);
    entry.writeUInt32LE(crc32(bytes), 16); entry.writeUInt32LE(packed.length, 20); entry.writeUInt32LE(lie ?? bytes.length, 24);
    entry.writeUInt16LE(Buffer.byteLength(name), 28); entry.writeUInt32LE(at, 42);
    local.push(head, Buffer.from(name), packed);
    central.push(entry, Buffer.from(name));
    at += 30 + Buffer.byteLength(name) + packed.length;
  }
  const directory = Buffer.concat(central), tail = Buffer.alloc(22), n = Object.keys(files).length;
  tail.writeUInt32LE(0x06054b50, 0); tail.writeUInt16LE(n, 8); tail.writeUInt16LE(n, 10); tail.writeUInt32LE(directory.length, 12); tail.writeUInt32LE(at, 16);
  return Buffer.concat([...local, directory, tail]);
}

// What an archive holds, by name; only files that are stored as they are.
export function unzip(zip) {
  const files = {};
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50;) {
    const size = zip.readUInt32LE(at + 18), name = zip.readUInt16LE(at + 26), from = at + 30 + name;
    files[zip.toString('utf8', at + 30, from)] = zip.subarray(from, from + size);
    at = from + size;
  }
  return files;
}

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"', RELS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const core = (title) => `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${title}</dc:title></cp:coreProperties>`;
const run = (text, properties = '') => `<w:r>${properties}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const relation = (id, type, target) => `<Relationship Id="${id}" Type="${RELS}/${type}" Target="${target}"/>`;
export const relations = (...list) => `<Relationships>${list.join('')}</Relationships>`;

export const docx = () => zip({
  '[Content_Types].xml': '<Types/>', 'docProps/core.xml': core('Handbook of pilots'),
  'word/styles.xml': `<w:styles ${W}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>`,
  'word/footnotes.xml': `<w:footnotes ${W}><w:footnote w:type="separator" w:id="0"><w:p>${run('---')}</w:p></w:footnote><w:footnote w:id="2"><w:p>${run('Since 1974.')}</w:p></w:footnote></w:footnotes>`,
  'word/document.xml': `<w:document ${W}><w:body><w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr>${run('Boarding')}</w:p>
    <w:p>${run('Pilots board ')}<w:del><w:r><w:delText>never</w:delText></w:r></w:del>${run('secretly', '<w:rPr><w:vanish/></w:rPr>')}${run('at the outer buoy')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>
    <w:p><w:pPr><w:numPr/></w:pPr>${run('ladder')}</w:p>
    <w:tbl><w:tr><w:tc><w:p>${run('Buoy')}</w:p></w:tc><w:tc><w:p>${run('Depth')}</w:p></w:tc></w:tr><w:tr><w:tc><w:p>${run('Outer')}</w:p></w:tc><w:tc><w:p>${run('21 m')}</w:p></w:tc></w:tr></w:tbl></w:body></w:document>` });

export const odt = () => zip({
  mimetype: 'application/vnd.oasis.opendocument.text', 'meta.xml': '<m xmlns:dc="d"><dc:title>Tide tables</dc:title><dc:language>de</dc:language></m>',
  'content.xml': `<o xmlns:text="t" xmlns:table="b" xmlns:office="f"><text:tracked-changes><text:p>removed words</text:p></text:tracked-changes>
    <text:h text:outline-level="2">Spring</text:h><text:p>High water at<text:s/>noon<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Local time</text:p></text:note-body></text:note>.</text:p>
    <text:list><text:list-item><text:p>first</text:p></text:list-item></text:list>
    <table:table><table:table-row><table:table-cell><text:p>Day</text:p></table:table-cell><table:table-cell><text:p>Height</text:p></table:table-cell></table:table-row></table:table></o>` });

export const epub = () => zip({
  mimetype: 'application/epub+zip', 'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
  'OEBPS/book.opf': '<package xmlns:dc="d"><metadata><dc:title>The lighthouse</dc:title></metadata><manifest><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
  'OEBPS/text/a.xhtml': '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>One</h1><p>The lamp is lit at dusk.</p></body></html>',
  'OEBPS/b.xhtml': '<html><body><h1>Two</h1><p>The lamp is put out at dawn.</p></body></html>' });

export const pptx = () => zip({
  'docProps/core.xml': core('Safety briefing'),
  'ppt/presentation.xml': '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r2"/><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
  'ppt/_rels/presentation.xml.rels': relations(relation('r1', 'slide', 'slides/slide1.xml'), relation('r2', 'slide', 'slides/slide2.xml')),
  'ppt/slides/slide1.xml': '<p:sld xmlns:p="p" xmlns:a="a" show="0"><p:sp><a:p><a:r><a:t>Hidden slide</a:t></a:r></a:p></p:sp></p:sld>',
  'ppt/slides/slide2.xml': '<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>Life vests</a:t></a:r></a:p></p:sp><p:sp><a:p><a:r><a:t>Wear them on deck.</a:t></a:r></a:p></p:sp></p:sld>',
  'ppt/slides/_rels/slide2.xml.rels': relations(relation('r9', 'notesSlide', '../notesSlides/notesSlide1.xml')),
  'ppt/notesSlides/notesSlide1.xml': '<p:notes xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:r><a:t>Show how they close.</a:t></a:r></a:p></p:sp></p:notes>' });

export const xlsx = () => zip({
  'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="Berths" r:id="r1"/><sheet name="Secret" state="hidden" r:id="r2"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels': relations(relation('r1', 'worksheet', 'worksheets/sheet1.xml'), relation('r2', 'worksheet', 'worksheets/sheet2.xml')),
  'xl/sharedStrings.xml': '<sst><si><t>Berth</t></si><si><t>Length</t></si><si><r><t>North </t></r><r><t>quay</t></r></si></sst>',
  'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row><c r="A2" t="s"><v>2</v></c><c r="B2"><v>340</v></c></row></sheetData></worksheet>',
  'xl/worksheets/sheet2.xml': '<worksheet><sheetData><row><c r="A1"><v>42</v></c></row></sheetData></worksheet>' });

export const eml = () => Buffer.from(['From: =?utf-8?B?SsO2cmc=?= <joerg@example.org>', 'To: harbour@example.org', 'Date: Fri, 20 Nov 2026 04:00:00 +0000', 'Subject: =?utf-8?Q?Dredging_n=C3=A4chste_Woche?=',
  'Content-Type: multipart/mixed; boundary="cut"', '', '--cut', 'Content-Type: text/plain; charset=iso-8859-1', 'Content-Transfer-Encoding: quoted-printable', '', 'The basin is dredged on Tuesday, Gr=FC=DFe.', '--cut',
  'Content-Type: text/markdown; name="plan.md"', 'Content-Transfer-Encoding: base64', 'Content-Disposition: attachment; filename="plan.md"', '',
  Buffer.from('# Plan\n\nThe dredger is called Meerkatze.').toString('base64'), '--cut--', ''].join('\r\n'));

export const html = () => Buffer.from(`<!doctype html><html lang="en"><head><title>Rules of the lock</title><style>p{}</style></head><body><nav>Home Contact</nav>
  <main><h1>The lock<a class="headerlink" href="#lock">¶</a></h1><p>The lock opens <em>hourly</em>.</p><ul><li>small</li><li>large</li></ul><table><tr><th>Gate</th><th>Width</th></tr><tr><td>West</td><td>12 m</td></tr></table>
  <pre>a = 1\n  b = 2</pre><p hidden>invisible words</p><div style="display:none">also invisible</div></main><footer>Imprint</footer><script>evil()</script></body></html>`);

// Pages of text; encrypt: with a password; stream: of a page, as it is.
export function pdf(pages, { encrypt = false, stream } = {}) {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] >>`, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  for (const [i, lines] of pages.entries()) {
    const text = lines.map((l, k) => `BT /F1 11 Tf 60 ${760 - 14 * k} Td (${l.replace(/[()\\]/g, '\\$&')}) Tj ET`).join('\n');
    const packed = stream ?? deflateSync(Buffer.from(text));
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      Buffer.concat([Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`), packed, Buffer.from('\nendstream')]));
  }
  const junk = createHash('sha256').update('owner').digest('hex');
  if (encrypt) objects.push(`<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <${junk}> /U <${junk}> >>`);
  const parts = [Buffer.from('%PDF-1.5\n')], places = [];
  let at = 9;
  for (const [i, o] of objects.entries()) {
    const b = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), Buffer.from(o), Buffer.from('\nendobj\n')]);
    places.push(at);
    at += b.length;
    parts.push(b);
  }
  const table = places.map((p) => `${String(p).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${encrypt ? ` /Encrypt ${objects.length} 0 R /ID [<00> <00>]` : ''} >>\nstartxref\n${at}\n%%EOF\n`));
  return Buffer.concat(parts);
}

// So many MiB of one byte, deflated: they are never in memory together.
export async function deflated(mebibytes, byte = ' ') {
  const d = createDeflate({ level: 6 }), parts = [], piece = Buffer.alloc(1 << 20, byte);
  d.on('data', (p) => parts.push(p));
  for (let i = 0; i < mebibytes; i++) if (!d.write(piece)) await new Promise((go) => d.once('drain', go));
  d.end();
  await new Promise((go) => d.once('end', go));
  return Buffer.concat(parts);
}
