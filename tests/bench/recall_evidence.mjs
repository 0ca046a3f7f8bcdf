// Does recall know when it knows nothing? Questions with an answer and without one, over the sample notes and judged chats; and crossed sets.
import { readFileSync } from 'node:fs';
import { families, read } from './recall_sets.mjs';

const SAMPLE = new URL('../../scripts/sample.jsonl', import.meta.url);
export const sampleNotes = () => readFileSync(SAMPLE, 'utf8').trim().split('\n').map((l) => JSON.parse(l));

const ANSWERED = [
  'When was the lighthouse at Kirkness automated?', 'Is the lighthouse lit at night?', 'from when to when does the lighthouse shine', 'Kirkness lighthouse', 'What happened at Kirkness in 1989?',
  'When does the ferry to the island leave?', 'ferry times on Sundays', 'Is there a ferry at noon?', 'How do I get to the island?', 'last ferry of the day',
  'At what time are backups taken?', 'How often are backups tried out?', 'when do we test the backups', 'backups on Monday', 'Do we take backups in the night?',
  'What has to be done before a release?', 'release checklist', 'Where do we tag a release from?', 'Who reads the change log aloud?', 'steps to run before releasing',
  "What are Anna's preferences?", 'What kind of answers does Anna like?', 'Does Anna want sources with claims?', 'how should I answer Anna', 'Anna likes short answers, true?',
];
const UNANSWERED = [
  'zeppelin maintenance', 'How do I bake a sourdough bread?', 'Who won the chess championship in 2004?', 'capital of Mongolia', 'Which vitamins are good for the skin?',
  'symptoms of a broken ankle', 'How many moons does Jupiter have?', 'Recommend a hotel in Bangkok', 'What is the price of copper?', 'translate this text into Portuguese',
  'my favourite football team', 'Which guitar strings should I buy?', 'the recipe of the chocolate cake', 'Does coffee raise blood pressure?', 'Who painted the ceiling of the chapel?',
  'When is the wedding of Carla and Tim?', 'insurance policy for the new car', 'How tall is the Eiffel tower?', 'What did the dentist say about my teeth?', 'plants that grow in the shade',
  'GPU prices of the last quarter', 'Which visa do I need for Japan?', 'Why is the sky blue?', 'kernel panic after the update of the graphics driver', 'What is the name of our cat?',
];
const CHATS = ['locomo-26', 'locomo-30', 'locomo-41', 'locomo-42', 'locomo-43'];
const FOREIGN = ['hotpot100', 'scifact', 'metatool', 'cranfield', 'sealtools-in'];
// Of each family: what its sets are asked from other kinds of sets, and from others of their kind (@: the next set of the family).
const CROSSED = {
  locomo: [['scifact', 'metatool', 'hotpot100'], ['@', 'realtalk-01']],
  realtalk: [['scifact', 'metatool', 'hotpot100'], ['@', 'locomo-30']],
  'beam-100k': [['scifact', 'metatool', 'hotpot100'], ['@', 'locomo-30']],
  musique100: [['scifact', 'metatool', 'locomo-26'], ['2wiki101']],
  hotpot100: [['scifact', 'metatool', 'locomo-26'], ['musique100']],
  '2wiki101': [['scifact', 'metatool', 'locomo-26'], ['hotpot100']],
  scifact: [['metatool', 'hotpot100', 'locomo-26'], ['cranfield']],
  cranfield: [['metatool', 'hotpot100', 'locomo-26'], ['scifact']],
  metatool: [['scifact', 'hotpot100', 'locomo-26'], ['sealtools-in']],
  'sealtools-in': [['scifact', 'hotpot100', 'locomo-26'], ['metatool']],
};
const OWN = 60;

const spread = (list, most) => Array.from({ length: Math.min(most, list.length) }, (_, i) => list[Math.floor((i * list.length) / Math.min(most, list.length))]);
const questions = (set, most) => spread(read(set).queries.map((q) => q.text), most);
const share = (list, test) => (100 * list.filter(test).length) / list.length;
const percent = (v) => `${v.toFixed(1)} %`;

function auc(good, bad) {
  let sum = 0;
  for (const g of good) for (const b of bad) sum += g > b ? 1 : g === b ? 0.5 : 0;
  return sum / good.length / bad.length;
}

function print(name, rows) {
  const mean = rows[0].map((_, i) => rows.reduce((sum, r) => sum + r[i], 0) / rows.length);
  console.log([name.padEnd(14), ...mean.map((v, i) => (i < 3 ? percent(v).padStart(10) : v.toFixed(3).padStart(9)))].join('  '));
}

// ask(set or 'sample', question) → {evidence, probability}. True: the goals are reached.
export async function evidenceTables(title, ask) {
  const all = async (set, list) => Promise.all(list.map((text) => ask(set, text).then((r) => ({ ...r, set, text }))));
  const own = [...await all('sample', ANSWERED)], none = [...await all('sample', UNANSWERED)];
  for (const chat of CHATS) {
    own.push(...await all(chat, questions(chat, 15)));
    none.push(...await all(chat, FOREIGN.flatMap((f) => questions(f, 3 * CHATS.length).filter((_, i) => i % CHATS.length === CHATS.indexOf(chat)))));
  }
  const said = (list) => ['none', 'weak', 'strong'].map((e) => `${e} ${percent(share(list, (r) => r.evidence === e))}`).join(', ');
  console.log(`\n${title}: ${own.length} questions with an answer: ${said(own)}\n${none.length} without one: ${said(none)}`);
  if (process.env.LOCI_BENCH_MISSES)
    for (const r of [...own.filter((q) => q.evidence === 'none'), ...none.filter((q) => q.evidence !== 'none')]) console.log(`  ${r.evidence} ${r.probability.toFixed(3)} ${r.set}: ${r.text}`);
  console.log('\nfamily          own: none   far: none   near: none   AUC far   AUC near   (means of its sets)');
  const sets = [];
  for (const [family, [far, near]] of Object.entries(CROSSED)) {
    const folders = families()[family], from = sets.length;
    for (const [i, set] of folders.entries()) {
      const others = near.map((o) => (o === '@' ? folders[(i + 1) % folders.length] : o));
      const mine = await all(set, questions(set, OWN)), f = await all(set, far.flatMap((o) => questions(o, OWN / far.length)));
      const n = await all(set, others.flatMap((o) => questions(o, OWN / others.length))), p = (list) => list.map((r) => r.probability);
      sets.push([...[mine, f, n].map((l) => share(l, (r) => r.evidence === 'none')), auc(p(mine), p(f)), auc(p(mine), p(n))]);
    }
    print(family, sets.slice(from));
  }
  print('all sets', sets);
  return share(none, (r) => r.evidence === 'none') >= 90 && share(own, (r) => r.evidence === 'none') <= 5;
}
