// The judged sets of a folder, by family, and long variants of their questions (a message around them, a dialogue before them).
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = process.env.LOCI_RECALL_SETS ?? fileURLToPath(new URL('../../../shared/data/recall', import.meta.url));
const QUERY_CHARS = 4096;

const lines = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean);

// locomo-26 and locomo-30 are one family.
export const familyOf = (folder) => folder.replace(/-\d\d(_.*)?$/, '');

export function families() {
  const all = {};
  for (const e of readdirSync(FOLDER, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)))
    if (e.isDirectory()) (all[familyOf(e.name)] ??= []).push(e.name);
  return all;
}

export function read(set) {
  const at = `${FOLDER}/${set}`, relevant = new Map();
  for (const [query, id] of lines(`${at}/qrels.tsv`).map((l) => l.split('\t')))
    relevant.set(query, (relevant.get(query) ?? new Set()).add(id));
  const json = (name) => lines(`${at}/${name}`).map((l) => JSON.parse(l));
  return { corpus: json('corpus.jsonl'), queries: json('queries.jsonl').filter((q) => relevant.has(q.id)), relevant };
}

// ---- long variants

const SMALL = [
  'Hi there! I hope your week is going well so far. Mine has been rather busy, but the weather is nice at least. I finally found time to sit down with a coffee.',
  'Good morning! Sorry that I did not write earlier, the train was late again. Anyway, I am back at my desk now. Thanks for all your help last time, it really saved me.',
  'Hello again. We had visitors over the weekend and I still feel tired. It was fun though, and the food was great. Let us get something done now before lunch.',
  'Hey, how are things? I slept badly because of the neighbours. Never mind, a walk outside helped a lot. Now I can think clearly again and would like to go on.',
  'Thanks, that was useful. I told my colleagues about it and they liked the idea. We may try it out next month. Before I forget it, there is one more thing.',
  'Okay, great. Let me close a few windows first, my screen is a mess. So many messages today, nobody can read all of that. Right, where were we?',
];
const POLITE = [
  ['Could you please help me with something? I would be very glad about an answer to this.', 'Please take the time that you need. Thank you very much in advance, I really appreciate it.'],
  ['I hope it is fine to ask you this. I have been wondering about it for a while.', 'If you are not sure, just tell me so. Thanks a lot for your support, as always.'],
  ['Sorry to bother you again. There is something that I would like to know.', 'A short answer is enough for me. Many thanks, and have a nice day.'],
];

// Half of a question is a turn, an assistant says something between.
function split(text) {
  const words = text.split(/(?<=\s)/);
  if (words.length < 4) return null;
  const half = Math.floor(words.length / 2);
  return `user: ${words.slice(0, half).join('').trim()} …\nassistant: Go on, I am listening.\nuser: ${words.slice(half).join('').trim()}`;
}

function quoted(set, i, wanted) {
  const turns = set.corpus.filter((d) => d.session !== undefined);
  if (!turns.length) return null;
  const from = (i * 37) % turns.length, part = turns.slice(from, from + 5);
  return part.some((d) => wanted.has(d.id)) ? null : part;
}

function sameGold(set, i) {
  const q = set.queries[i], wanted = set.relevant.get(q.id);
  const other = set.queries.find((o) => o !== q && o.text !== q.text && [...set.relevant.get(o.id)].some((id) => wanted.has(id)));
  return other?.text;
}

// Each: (set, i) => the text, or {text, quoted: what it quotes, which is no answer}, or null where the set has none.
export const VARIANTS = {
  small: (set, i) => `${SMALL[i % SMALL.length]} ${set.queries[i].text}`,
  polite: (set, i) => POLITE[i % POLITE.length].join(` ${set.queries[i].text} `),
  other: (set, i) => (set.queries.length < 2 ? null : `${set.queries[(i + Math.ceil(set.queries.length / 2)) % set.queries.length].text}\n${set.queries[i].text}`),
  turns: (set, i) => {
    const before = quoted(set, i, set.relevant.get(set.queries[i].id));
    return before && { text: `${before.map((d) => d.text.slice(0, 400)).join('\n')}\n${set.queries[i].text}`, quoted: new Set(before.map((d) => d.id)) };
  },
  first: (set, i) => `${set.queries[i].text} ${SMALL[i % SMALL.length]}`,
  split: (set, i) => split(set.queries[i].text),
  'same gold': (set, i) => { const before = sameGold(set, i); return before ? `${before}\n${set.queries[i].text}` : null; },
};

// ---- other worlds of the same texts

const CYRILLIC = 'абцдефгхийклмнопярстувщжыз';

// Letter by letter in another script: words keep their places and counts, and no model made for English can read them.
export const unread = (text) => text.replace(/[a-z]/gi, (c) => {
  const other = CYRILLIC[c.toLowerCase().charCodeAt(0) - 97];
  return c < 'a' ? other.toUpperCase() : other;
});

export function unreadable(set) {
  const word = (o) => ({ ...o, title: o.title && unread(o.title), text: unread(o.text) });
  return { ...set, corpus: set.corpus.map(word), queries: set.queries.map(word) };
}

// A piece of a set, of about that many texts: some questions with their answers, and the texts around them.
export function small(set, size, turn) {
  const at = new Map(set.corpus.map((d, i) => [d.id, i])), places = new Set();
  for (let i = 0; i < set.queries.length && places.size < size / 4; i++)
    for (const id of set.relevant.get(set.queries[(turn * 17 + i * 7) % set.queries.length].id))
      if (places.size < size / 2) places.add(at.get(id));
  for (let step = 1; places.size < size && step < set.corpus.length; step++)
    for (const p of [...places].slice(0, Math.ceil(size / 4)))
      if (places.size < size && set.corpus[p + step]) places.add(p + step);
  const corpus = [...places].sort((a, b) => a - b).map((i) => set.corpus[i]), here = new Set(corpus.map((d) => d.id));
  return { ...set, corpus, queries: set.queries.filter((q) => [...set.relevant.get(q.id)].every((id) => here.has(id))) };
}

// The questions of a set in that form, at most so many, spread evenly.
export function variant(set, name, most) {
  const step = Math.max(1, set.queries.length / most), out = [];
  for (let i = 0; Math.floor(i) < set.queries.length; i += step) {
    const made = VARIANTS[name](set, Math.floor(i)), { text, quoted } = typeof made === 'string' ? { text: made } : (made ?? {});
    if (text) out.push({ ...set.queries[Math.floor(i)], quoted, text: [...text].slice(-QUERY_CHARS).join('') });
  }
  return out;
}
