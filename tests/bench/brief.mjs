// The brief: how long it takes with 100,000 nodes, and how much of it stays the same over a session of 20 turns.
// usage: node tests/bench/brief.mjs   LOCI_BRIEF_NODES=10000: only so many; LOCI_BRIEF_WAITS=0: without waiting for their vectors
import assert from 'node:assert/strict';
import { ctl, embedded, expectStatus, settled, unique } from '../api/client.mjs';
import { families, read } from './recall_sets.mjs';

const NODES = Number(process.env.LOCI_BRIEF_NODES ?? 100000), TURNS = 20, ASKED = 200, BATCH = 32, LINES = 2000, RULES = 8, WAITS = Number(process.env.LOCI_BRIEF_WAITS ?? 10);

// An account whose agent is told some policies whatever it does, as in a workspace that is in use.
async function agent(rules) {
  const slug = unique('brief');
  await ctl('account', 'create', '--slug', slug);
  await ctl('agent', 'create', '--account', slug, '--slug', 'one', '--name', 'one', '--role', 'trusted');
  const token = await ctl('token', 'create', '--account', slug, '--agent', 'one', '--name', 'bench', '--toolset', 'full');
  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
  const space = (await expectStatus(200, 'GET', '/api/v1/spaces?kind=namespace&limit=100', { token })).data.find((s) => s.slug === `agent:${me.id}`).id;
  if (rules) await tell(slug, me.id);
  return { slug, token, space };
}
async function tell(slug, id) {
  const email = `${slug}@example.org`;
  await ctl('user', 'create', '--account', slug, '--email', email, '--role', 'owner', '--name', 'Owner');
  const token = await ctl('token', 'create', '--account', slug, '--user', email, '--name', 'bench');
  await expectStatus(201, 'POST', '/api/v1/domains', { token, body: { name: 'house' } });
  await expectStatus(200, 'PUT', '/api/v1/domains/house/grants', { token, body: { role: 'companion', permission: 'read' } });
  await expectStatus(200, 'PUT', `/api/v1/agents/${id}/roles`, { token, body: { roles: ['companion'] } });
  for (let i = 0; i < RULES; i++) await expectStatus(201, 'POST', '/api/v1/policies', { token, body: { domain: 'house', rule: `Rule ${i}: answer in the language of the question, name the day of what you quote, and say so when you do not know.`, always: true } });
}
const brief = async (w, body) => (await expectStatus(200, 'POST', '/api/v1/memory/context', { token: w.token, body, check: false })).data;

// ---- a session over a conversation that was captured
async function session(name, rules) {
  const set = read(name), w = await agent(rules);
  const items = set.corpus.map((d) => ({ content: d.text, session_id: `${name}-${d.session}` }));
  for (let at = 0; at < items.length; at += BATCH) await expectStatus(200, 'POST', '/api/v1/memory/capture/batch', { token: w.token, body: { items: items.slice(at, at + BATCH) }, check: false });
  await settled(w.slug, { parts: ['queue'], kinds: ['consolidate'] });
  await embedded(w.slug);
  let stable = 0, all = 0, first;
  for (const q of set.queries.slice(0, TURNS)) {
    const b = await brief(w, { query: q.text, session_id: name });
    first ??= b.stable.hash;
    assert.equal(b.stable.hash, first, 'the stable part is the same bytes over the session');
    stable += b.stable.bytes;
    all += b.stable.bytes + b.volatile.bytes;
  }
  console.log(`${name}, ${rules ? `${RULES} policies that are always told` : 'no policies'}: ${(100 * stable / all).toFixed(1)} % of ${Math.round(all / TURNS)} bytes a turn are stable`);
  if (rules) await evidence(name, w, set);
  return stable / all;
}

async function evidence(name, w, set) {
  const asked = async (list) => (await Promise.all(list.map((q) => brief(w, { query: q.text, preview: true })))).filter((b) => b.evidence === 'none').length;
  let refused = 0, none = 0;
  for (let at = 0; at < set.queries.length; at += 4) refused += await asked(set.queries.slice(at, at + 4));
  const foreign = read('scifact').queries.slice(0, 50);
  for (let at = 0; at < foreign.length; at += 4) none += await asked(foreign.slice(at, at + 4));
  console.log(`${name}: evidence none for ${refused} of ${set.queries.length} answerable questions, and for ${none} of ${foreign.length} that it cannot answer`);
}

// ---- speed
async function speed() {
  const w = await agent(true), texts = families().locomo.flatMap((n) => read(n).corpus.map((d) => d.text)), questions = families().locomo.flatMap((n) => read(n).queries.map((q) => q.text));
  const lines = Array.from({ length: NODES }, (_, i) => ({ space_id: w.space, kind: 'note', title: `note ${i}`, body: `${texts[i % texts.length]} (${i})` }));
  const began = Date.now();
  for (let at = 0; at < NODES; at += LINES) await expectStatus(200, 'POST', '/api/v1/nodes/bulk', { token: w.token, raw: lines.slice(at, at + LINES).map((l) => JSON.stringify(l)).join('\n'), headers: { 'Content-Type': 'application/x-ndjson' }, check: false });
  for (let i = 0; i < 200; i++) await expectStatus(200, 'POST', '/api/v1/facts', { token: w.token, body: { subject: `berth ${i}`, predicate: 'owner_is', object: `Captain number ${i} of the harbour` }, check: false });
  console.log(`${NODES} notes in ${((Date.now() - began) / 1000).toFixed(0)} s`);
  for (let i = 0; i < WAITS; i++) if (await embedded(w.slug).then(() => true, () => false)) break;
  await brief(w, { query: 'What should the captain know?' });
  const times = [];
  for (let i = 0; i < ASKED; i++) {
    const at = process.hrtime.bigint();
    await brief(w, { query: questions[(i * 7) % questions.length], preview: true });
    times.push(Number(process.hrtime.bigint() - at) / 1e6);
  }
  times.sort((a, b) => a - b);
  console.log(`brief over ${NODES} nodes: median ${times[ASKED >> 1].toFixed(1)} ms, p95 ${times[Math.floor(ASKED * 0.95)].toFixed(1)} ms`);
  return times[Math.floor(ASKED * 0.95)];
}

const rows = [];
for (const name of process.env.LOCI_BRIEF_SETS?.split(' ') ?? families().locomo.slice(0, 2)) { await session(name, false); rows.push(await session(name, true)); }
const worst = rows.sort((a, b) => a - b)[0];
const p95 = await speed();
assert.ok(worst >= 0.6, 'at least 60 % of the bytes are stable');
assert.ok(p95 <= 80, 'p95 at most 80 ms');
