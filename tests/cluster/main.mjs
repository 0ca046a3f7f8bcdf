// Faults in a cluster on one machine: usage and meaning in tests/cluster/run.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, stats } from './client.mjs';
import { check } from './check.mjs';
import { cluster, ctl, redisMaster, settings, sql, whole, writer } from './cluster.mjs';
import { FAULTS, beQuick } from './faults.mjs';
import { growth } from './growth.mjs';
import { Load, gaps } from './load.mjs';

const WRITE_S = 10, READ_S = 3;                      // longest time without a successful one
const quick = process.argv.includes('--quick'), only = process.argv.find((a) => a.startsWith('--only='))?.slice(7);
const mark = Date.now().toString(36);
const print = (text) => process.stdout.write(`${text}\n`);

async function makeAccount(slug) {
  const id = await ctl('account', 'create', '--slug', slug);
  await ctl('agent', 'create', '--account', slug, '--slug', 'load');
  const email = `${slug}@example.org`;
  await ctl('user', 'create', '--account', slug, '--email', email, '--role', 'owner', '--name', 'Owner', '--operator');
  return { slug, id, token: await ctl('token', 'create', '--account', slug, '--agent', 'load', '--name', 'load'),
    operator: await ctl('token', 'create', '--account', slug, '--user', email, '--name', 'op') };
}

async function makeLoad(base, account) {
  const pool = await ask(base, account.token, 'POST', '/api/v1/ai/memory_pools', { body: { name: 'load' } });
  const load = new Load({ base, token: account.token, name: mark, pool: pool.data.pool_id });
  load.poolId = pool.data.id;
  for (const key of ['cas0', 'cas1']) await ask(base, account.token, 'PUT', load.data(key), { body: { value: { sum: 0, last: {} } } });
  return load;
}

const s = (n) => n.toFixed(1).padStart(5);
const times = (g) => `${String(g.n).padStart(6)} ${s(g.nobody)} ${s(g.one)}  `;
const row = (name, w, r, c, bad) => `${name.padEnd(30)} ${times(w)}${times(r)}${times(c)}${String(bad.lost.length).padStart(5)} ${String(bad.doubled.length).padStart(7)} ${String(bad.wrong.length).padStart(5)}`;
const HEAD = `${'fault'.padEnd(30)} writes   gap   one   reads   gap   one  recall   gap   one   lost doubled wrong`;

// The load runs, the fault comes, the load runs a while longer; then all is counted.
async function suffer(fault, load, account) {
  for (const kind of Object.keys(load.times)) load.times[kind].length = 0;
  load.errors.clear();
  load.begin();
  await sleep(3000);
  const at = { ...(await writer()), master: await redisMaster() };
  const from = performance.now();
  await fault.run(at)(at);
  await sleep(quick ? 3000 : 6000);
  const until = performance.now();
  await load.end();
  await whole();
  const w = gaps(load.times.write, from, until), r = gaps(load.times.read, from, until);
  const bad = await check(load, account);
  print(row(fault.name, w, r, gaps(load.times.recall, from, until), bad));
  const late = !fault.outage && (w.nobody > WRITE_S || r.nobody > READ_S);
  if (process.env.LOCI_VERBOSE) print(`   ${at.writer} wrote ${at.grown}; ${[...load.errors].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([e, n]) => `${n}x ${e}`).join(' | ')}`);
  for (const [what, list] of Object.entries(bad)) if (list.length) print(`   ${what}: ${list.slice(0, 4).join(' | ')}`);
  return late || bad.lost.length + bad.doubled.length + bad.wrong.length > 0 ? 1 : 0;
}

if (quick) beQuick();
const { LOCI_URL } = settings();
const account = await makeAccount(`load-${mark}`), load = await makeLoad(LOCI_URL, account);
let failed = 0, done = 0;
print(`16 clients of one account; gap: longest time in seconds without a success of any client, one: longest that one client waited\n${HEAD}`);
for (const fault of FAULTS) {
  if (only ? !new RegExp(only).test(fault.name) : quick && !fault.quick) continue;
  done++;
  failed += await suffer(fault, load, account).catch(async (e) => {
    print(`${fault.name.padEnd(30)} ${e.stack}`);
    await load.end();
    await cluster('up');
    return 1;
  });
}
print(`${stats.asked} requests: ${stats.noAnswer} without an answer, ${stats.away} told to come again, ${stats.running} while the first was running, ${stats.replayed} answered with what the first one made`);
if (!only) {
  const accounts = [];
  for (let i = 0; i < 8; i++) accounts.push(await makeAccount(`grow-${mark}-${i}`));
  await growth(accounts, quick ? 4 : 10, print);
}
print(`${done - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
