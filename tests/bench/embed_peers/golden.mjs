// Makes tests/unit/minilm_golden.jsonl: texts, the numbers of their pieces by Hugging Face's tokenizer, and of some the vector by
// onnxruntime, from the same weights. See reference.mjs for what it needs. usage: golden.mjs FILE-OF-TEXTS >minilm_golden.jsonl
// FILE-OF-TEXTS has a JSON object with a text on each line, such as the present file itself.
import { readFileSync } from 'node:fs';
import { idsOf, openModel, openTokenizer } from './reference.mjs';

const EVERY = 6;                           // one in so many has its vector
const texts = readFileSync(process.argv[2], 'utf8').trim().split('\n').map((l) => JSON.parse(l).text);
const ids = await idsOf(await openTokenizer(), texts), model = await openModel();

for (const [i, text] of texts.entries()) {
  const line = { text, ids: ids[i].slice(1, -1) };
  if (i % EVERY === 0 && line.ids.length > 0) line.vector = Array.from(await model(ids[i]), (v) => Number(v.toFixed(7)));
  console.log(JSON.stringify(line));
}
