// Signals of a recall that need more than the words: names that lead on, activation along edges, words about time.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { call, embedded, expectStatus, freshAccount, freshAgent, withinDay } from './client.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
});

const note = async (title, body, more = {}) =>
  (await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title, body, ...more } })).data;
const edge = async (source_id, target_id, weight) =>
  expectStatus(201, 'POST', '/api/v1/edges', { token, body: { source_id, target_id, relation: 'uses', weight } });
const recall = async (query, more = {}, by = token) =>
  (await expectStatus(200, 'POST', '/api/v1/recall', { token: by, body: { query, explain: true, ...more } })).data;
const stage = (answer, name) => answer.explain.stages.find((s) => s.name === name);
const hitOf = (answer, n) => answer.hits.find((h) => h.id === n.id);
const addsUp = (h) => {
  const sum = Object.values(h.explain.signals).reduce((all, s) => all + s.share, 0);
  assert.ok(Math.abs(sum - h.relevance) < 1e-6, JSON.stringify(h.explain));
};

test('a rare name leads to texts without a word of the query', async () => {
  const singer = await note('Zarkonius', 'The singer Zarkonius was born in Velmora.');
  const town = await note('Velmora', 'In Velmora people pay with shells.');
  for (let i = 0; i < 20; i++) await note('a note', `somebody sang song number ${i}`);
  const answer = await recall('Which money did Zarkonius have as a child?', { mode: 'hybrid' });
  assert.equal(stage(answer, 'graph').note.gate, 'open');
  assert.deepEqual(answer.explain.understood.names, [{ name: 'zarkonius', texts: 1 }]);
  assert.equal(answer.hits[0].id, singer.id);
  const hit = hitOf(answer, town);
  assert.ok(hit.explain.signals.graph.share > 0);
  answer.hits.forEach(addsUp);
  const closed = await recall('Which money did people have as children?');
  assert.equal(stage(closed, 'graph').note.gate, 'closed');
  assert.ok(closed.hits.every((h) => !h.explain.signals.graph));
  const off = await recall('Which money did Zarkonius have as a child?', { weights: { graph: 0 } });
  assert.ok(off.hits.every((h) => !h.explain.signals.graph));
});

test('what a caller may not read moves neither gate nor scores', async () => {
  const other = await freshAgent(account);
  const mine = async () => (await recall('Where did Ombrelline live?', { touch: false }, other.token)).hits.map((h) => [h.id, h.score, h.explain.signals]);
  const home = (await expectStatus(201, 'POST', '/api/v1/nodes', {
    token: other.token, body: { title: 'Ombrelline', body: 'Ombrelline lived in Castavento.' } })).data;
  await embedded(account.slug);
  const first = await mine();
  assert.equal(first[0][0], home.id);
  for (let i = 0; i < 8; i++) await note('Ombrelline', `Castavento and Ombrelline, part ${i}`);
  assert.deepEqual(await mine(), first);
});

test('meaning and length count less where the model cannot read', async () => {
  const a = await freshAccount();
  const write = async (body) => (await expectStatus(201, 'POST', '/api/v1/nodes', { token: a.token, body: { title: '', body } })).data;
  const ask = async (query, more) => recall(query, { touch: false, ...more }, a.token);
  const texts = ['The painter lived by the harbour.', 'A captain paints the harbour.', 'Nobody lives in the old mill.', 'Soup is eaten hot.', 'The train leaves at noon.',
    'Die Sicherungskopie der Datenbank wird wiederhergestellt.', 'Das Wetter wird morgen schlechter.', '数据库的备份已经恢复。'];
  for (const body of texts) await write(body);
  await embedded(a.slug);
  const known = async (query) => (await ask(query)).explain.profile.known;
  assert.ok(await known('painter harbour') > 0.5);
  assert.equal(await known('Which painter ate some hot soup near the harbour mill?'), 1);
  assert.equal(await known('备份在哪里?'), 0);
  const german = 'Wie wird die Sicherungskopie wiederhergestellt?';
  assert.ok(await known(german) < 0.05);
  const [hit] = (await ask(german)).hits, [alone] = (await ask(german, { mode: 'vector' })).hits;
  assert.ok(hit.body.startsWith('Die Sicherungskopie') && hit.explain.signals.dense.nats < 0.1 * alone.explain.signals.dense.nats, JSON.stringify(hit));
  assert.ok(Math.abs(hit.explain.signals.length.nats) < 0.1);
  const forced = (await ask(german, { weights: { alpha: 0.5, graph: 0 } })).hits[0];
  assert.ok(forced.explain.signals.dense.share > 0.4 && hit.explain.signals.dense.share < 0.15, JSON.stringify([forced, hit].map((h) => h.explain.signals)));
  const doubled = (await ask(german, { weights: { dense: 2 } })).hits[0];
  assert.ok(Math.abs(doubled.explain.signals.dense.nats - 2 * hit.explain.signals.dense.nats) < 1e-6);
});

test('what asks nothing leans less on names, and least where nouns have capitals', async () => {
  const graph = async (query, more) => stage(await recall(query, { touch: false, ...more }), 'graph').note.weight;
  const asked = await graph('Which town was Zarkonius born in, and when?');
  assert.ok(asked > 0);
  const near = (got, want) => assert.ok(Math.abs(got - want) < 1e-9, `${got} is not ${want}`);
  near(await graph('In the town where people pay with shells sang Zarkonius.'), asked / 4);
  const german = await recall('Die Sicherungskopie der Datenbank von Zarkonius wird wiederhergestellt.', { touch: false }), { known } = german.explain.profile;
  assert.ok(known < 0.3);
  near(stage(german, 'graph').note.weight, asked / 4 * (1 + known) / 2);
  const best = (await recall('Zarkonius sang', { weights: { graph: 0 }, touch: false })).hits[0];
  near(await graph('Zarkonius sang', { weights: { graph: 1.5 } }), 1.5 * best.explain.nats);
});

test('activation spreads along edges and fades', async () => {
  const chain = [];
  for (const body of ['the quagga lamp is lit', 'second of them', 'third of them', 'fourth of them']) chain.push(await note('link', body));
  for (let i = 0; i < 3; i++) await edge(chain[i].id, chain[i + 1].id, 0.9);
  const answer = await recall('quagga lamp', { mode: 'keyword', spread: 'on' });
  const potentials = chain.slice(1).map((n) => hitOf(answer, n)?.explain.signals.spread.score);
  assert.ok(Math.abs(potentials[0] - 0.765) < 1e-3 && Math.abs(potentials[1] - 0.585) < 1e-3, JSON.stringify(potentials));
  assert.equal(potentials[2], undefined);
  const { note: why } = hitOf(answer, chain[2]).explain.signals.spread;
  assert.deepEqual(why.path.map((p) => p.id), [chain[2].id, chain[1].id, chain[0].id]);
  assert.equal(why.path[0].relation, 'uses');
  answer.hits.forEach(addsUp);
  const near = await recall('quagga lamp', { mode: 'keyword', spread: 'on', spread_options: { hops: 1 } });
  assert.ok(hitOf(near, chain[1]) && !hitOf(near, chain[2]));
  assert.ok(!hitOf(await recall('quagga lamp', { mode: 'keyword' }), chain[1]));
});

test('words about time prefer that time, or ask for it', async () => {
  await withinDay();
  const n = await note('a note', 'the zeppelin was repaired');
  const from = (answer) => answer.explain.understood.window;
  const day = (ago) => `${new Date(Date.now() - ago * 86400000).toISOString().slice(0, 10)}T00:00:00.000000Z`;
  const today = await recall('was the zeppelin repaired today?', { mode: 'keyword' });
  assert.deepEqual(from(today), { from: day(0), to: day(-1), use: 'boost' });
  assert.ok(hitOf(today, n).explain.signals.window.share > 0);
  addsUp(hitOf(today, n));
  const yesterday = 'was the zeppelin repaired yesterday?';
  assert.ok(!hitOf(await recall(yesterday, { mode: 'keyword' }), n).explain.signals.window);
  assert.equal(hitOf(await recall(yesterday, { mode: 'keyword', temporal: 'filter' }), n), undefined);
  assert.ok(hitOf(await recall(yesterday, { mode: 'keyword', temporal: 'off' }), n));
  assert.ok(hitOf(await recall('was the zeppelin repaired today?', { mode: 'keyword', temporal: 'filter' }), n));
  assert.ok(today.explain.understood.routes.temporal > 0.8);
  const latest = await recall('the latest news of the zeppelin');
  assert.ok(stage(latest, 'recent') && hitOf(latest, n).explain.signals.recent.share > 0);
  addsUp(hitOf(latest, n));
  assert.equal(stage(await recall('news of the zeppelin'), 'recent'), undefined);
  const there = from(await recall('in July 2026', { tz: 'America/New_York', mode: 'keyword' }));
  assert.deepEqual([there.from, there.to], ['2026-07-01T04:00:00.000000Z', '2026-08-01T04:00:00.000000Z'], 'summer there, whenever it is asked');
  for (const tz of ['here', 'Mars/Base', '../../etc/passwd', '+25:00']) {
    const bad = await call('POST', '/api/v1/recall', { token, body: { query: 'x', tz } });
    assert.equal(bad.status, 422);
    assert.ok(bad.body.errors.some((e) => e.pointer === '/tz'));
  }
});

test('a query is expanded by longer names when that is asked for', async () => {
  const n = await note('a note', 'Wilhelmina Farfalle signed it');
  const plain = await recall('what did Farfalle sign', { mode: 'keyword' });
  assert.equal(plain.explain.understood.expand, undefined);
  const answer = await recall('what did Farfalle sign', { mode: 'keyword', expand: 'hyde' });
  assert.deepEqual(answer.explain.understood.expand, { used: 'rules', words: ' wilhelmina farfalle' });
  assert.equal(answer.hits[0].id, n.id);
});
