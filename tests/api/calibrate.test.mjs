// locictl recall calibrate: judged queries tell what meaning is worth in an account, which explain names and which can be taken back.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call, ctl, embedded, expectStatus, freshAccount, until } from './client.mjs';
import { sql } from './db.mjs';

// What is meant shares no word with its questions; what shares words is about something else.
const TOPICS = [
  ['The physician prescribed some medicine against the fever', ['ill people get drugs', 'sick persons receive pills', 'a doctor treats a patient', 'how to cure a disease']],
  ['Our puppy barks whenever the kitten comes near', ['pets: dogs and cats', 'noisy animals at home', 'a hound meets a feline', 'household animal companions']],
  ['She bought shares of the bank and sold them with a profit', ['investing money in stocks', 'finance and trading', 'earning cash on an exchange', 'the market for equities']],
  ['The chef boiled spaghetti and grated parmesan', ['cooking Italian pasta', 'preparing food in a kitchen', 'a meal of noodles', 'recipe for dinner']],
  ['Heavy rain and thunder are expected tonight', ['weather forecast', 'a storm is coming', 'will it be wet tomorrow', 'climate and precipitation']],
];
const WORDS_ONLY = { meaning: 0 };

let account, folder;
const cases = [];
// One question to MariaDB: a hundred requests each time would take the time that the vectors need.
const allEmbedded = () => embedded(account.slug);
before(async () => {
  account = await freshAccount();
  folder = await mkdtemp(join(tmpdir(), 'loci-calibrate-'));
  const made = [];
  const note = async (body) => made.push((await expectStatus(201, 'POST', '/api/v1/nodes', { token: account.token, body: { title: 'n', body } })).data.id);
  for (const [meant, queries] of TOPICS) {
    await note(meant);
    for (const query of queries) cases.push({ query, relevant: [made.at(-1)] });
  }
  for (const { query } of cases)
    for (const word of query.match(/\w+/g)) await note(`${word}: entry of the ledger in volume ${made.length}`);
  await allEmbedded();
});
after(() => rm(folder, { recursive: true }));

const ask = async (query) => (await expectStatus(200, 'POST', '/api/v1/recall', { token: account.token, body: { query, explain: true, touch: false } })).data;
const profile = async () => (await ask('weather forecast')).explain.profile;
const found = async () => (await Promise.all(cases.map(async ({ query, relevant }) =>
  (await ask(query)).hits.slice(0, 5).some((h) => h.id === relevant[0])))).filter(Boolean).length;
const settings = async () => (await expectStatus(200, 'GET', '/api/v1/account', { token: account.owner })).data.settings;
const setProfile = async (p) => {
  const etag = (await expectStatus(200, 'GET', '/api/v1/account', { token: account.owner })).headers.get('etag');
  await expectStatus(200, 'PATCH', '/api/v1/account', { token: account.owner, headers: { 'If-Match': etag }, body: { settings: { recall: { profile: p } } } });
};
const file = async (lines, name = 'judged.jsonl') => {
  await writeFile(join(folder, name), lines.map((l) => (typeof l === 'string' ? l : JSON.stringify(l))).join('\n'));
  return join(folder, name);
};
const calibrate = (...args) => ctl('recall', 'calibrate', '--account', account.slug, ...args);

test('a profile that misleads is replaced by one that fits, explained, audited and taken back', async () => {
  assert.equal((await profile()).from, 'model');
  await setProfile(WORDS_ONLY);
  await until('the profile is seen', async () => (await profile()).from === 'account');
  const [p, few] = [await profile(), await found()];
  assert.deepEqual([p.fusion, p.meaning], ['surprise', 0]);

  const judged = await file(cases);
  assert.match(await calibrate('--queries', judged, '--dry-run'), /present \(of the account\)\n +0\.00[^]*dry run: nothing is stored/);
  assert.deepEqual((await settings()).recall.profile, WORDS_ONLY);

  assert.match(await calibrate('--queries', judged), /stored as the account's profile/);
  const kept = (await settings()).recall.profile;
  assert.equal(kept.model, 'builtin:all-minilm-l6-v2');
  assert.ok(kept.meaning > 0, JSON.stringify(kept));
  await until('the new profile is seen', async () => (await profile()).meaning === kept.meaning);
  assert.equal((await profile()).from, 'account');
  const more = await found();
  assert.ok(more >= few + 2, `${few} of 20 were found, then ${more}`);

  const [entry] = (await expectStatus(200, 'GET', '/api/v1/audit?kind=account.update&limit=1', { token: account.owner })).data;
  assert.deepEqual(entry.after.settings.recall.profile, kept);
  assert.deepEqual(entry.before.settings.recall.profile, WORDS_ONLY);

  assert.match(await calibrate('--queries', judged), /nothing is stored: Recall@5 must improve by more than 5\.0 points/);
  assert.deepEqual((await settings()).recall.profile, kept);
  await calibrate('--reset');
  assert.equal((await settings()).recall?.profile, undefined);
  await until('the profile of the model is back', async () => (await profile()).from === 'model');
});

test('a profile of another model is not used', async () => {
  await setProfile(WORDS_ONLY);
  await until('the profile is seen', async () => (await profile()).from === 'account');
  await setProfile({ ...WORDS_ONLY, model: 'http:other' });
  await until('it is not used', async () => (await profile()).from === 'model');
  await calibrate('--reset');
});

test('what cannot be fitted is refused with what to do', async () => {
  const refused = async (lines, why) => assert.rejects(calibrate('--queries', await file(lines, 'bad.jsonl')), (e) => e.code === 1 && why.test(e.stderr));
  await refused(cases.slice(1), /19 judged queries are too few.*at least 20/);
  await refused([...cases, '', '{"query": "x"}'], /line 22: relevant must be a non-empty list/);
  await refused(cases.map((c) => ({ ...c, relevant: ['019a0000-0000-7000-8000-000000000000'] })), /none of the 20 nodes/);
  await refused(['nonsense'], /line 1: /);
  await assert.rejects(calibrate('--queries', join(folder, 'nowhere')), /cannot read/);
});
