// Notes and questions of the benches over REST, the same ones each time.

// Sentences of everyday words, and names of no meaning so that there are rare ones, too.
// A generator with a long period: notes that repeat would be one memory (docs/decisions/0023), and be waited for in vain.
let state = 12345;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const one = (list) => list[Math.floor(random() * list.length)];
const list = (text) => text.split(' ');
const WHO = list('teacher sailor doctor neighbour engineer painter farmer lawyer nurse driver child pilot baker soldier singer judge waiter writer customer manager student tourist plumber gardener');
const DID = list('repaired sold forgot painted bought described lost found cancelled planned measured borrowed cleaned delivered ordered photographed hid moved drew returned rejected praised tested lifted');
const WHAT = list('engine garden letter contract piano bicycle invoice medicine window novel bridge kitchen camera ticket computer sandwich guitar passport roof sculpture telescope recipe tractor database');
const HOW = list('old broken expensive wooden green secret heavy famous tiny dangerous cheap elegant frozen digital empty golden noisy dusty foreign rusty');
const WHERE = list('harbour library hospital airport mountain office market museum station forest island factory school castle laboratory hotel beach bakery court theatre');
const WHEN = ['last winter', 'on Monday', 'before the storm', 'after lunch', 'in 2019', 'every summer', 'at midnight', 'during the war', 'two weeks ago', 'for the first time'];
const syllables = list('ka lo mi ne pu ra si to ve zu');
const name = () => { const n = one(syllables) + one(syllables) + one(syllables); return n[0].toUpperCase() + n.slice(1); };
export const question = () => `which ${one(WHAT)} did the ${one(WHO)} from the ${one(WHERE)} ${one(HOW)} ${one(WHEN)}`;
const sentence = () => `the ${one(HOW)} ${one(WHAT)} that ${name()} the ${one(WHO)} ${one(DID)} at the ${one(WHERE)} ${one(WHEN)}`;
export const note = () => JSON.stringify({ kind: 'note', title: `${name()} and the ${one(WHAT)}`, body: `${sentence()}, and ${sentence()}` });
export const namedQuestion = () => `what did ${name()} lose at the ${one(WHERE)}`;
