// Ten thousand requests of random bytes, methods, headers, paths and bodies, through nginx and as FastCGI records straight
// to the worker: the process stays the same, and nothing is answered with 500 (ground, section 10, point 8).
// LOCI_SEED=n makes the run of that seed again.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { before, test } from 'node:test';
import { BASE, call, ctl, stack, until } from './client.mjs';
import { damage, dice, exchange, fastcgi, http, request, shortened, strangeRecords } from './noise.mjs';
import { bodyOf, everyRow, freshWorld } from './world.mjs';

const seed = Number(process.env.LOCI_SEED ?? randomInt(2 ** 31));
const ALL = Number(process.env.LOCI_RANDOM ?? 10000);
const web = `${process.env.LOCI_STACK}/log/web.log`, socket = `${process.env.LOCI_STACK}/run/web.sock`;
const port = Number(new URL(BASE).port);
const slow = process.env.LOCI_SLOW ? 4 : 1;

let world, pool, pid, logged;
before(async () => {
  world = await freshWorld();
  pool = {
    rows: await everyRow(),
    ids: [...new Set([...Object.values(world.places), ...Object.values(world.named)])],
    tokens: [world.owner, world.token, await ctl('token', 'create', '--account', world.slug, '--user', world.email, '--name', 'random')],
    right: (row) => Buffer.from(bodyOf(row, world.named).raw ?? JSON.stringify(bodyOf(row, world.named).body ?? {})),
  };
  pid = (await stack('pid', 'web')).stdout.trim();
  logged = statSync(web).size;
});

const counts = new Map();
const statuses = (answer) => [...answer.matchAll(/(?:HTTP\/1\.[01]|Status:) (\d{3})/g)].map((m) => Number(m[1]));

// 503 and 504 say that a store or the time is away; 501 and 505 are nginx's for encodings and versions that it does not know.
function judge(answer, sent, fine) {
  for (const status of statuses(answer)) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
    assert.ok(status < 500 || fine.includes(status), `seed ${seed}: ${status} for ${sent.toString('latin1').slice(0, 1500)}\n${answer.slice(0, 800)}`);
  }
}

async function many(n, width, one) {
  let left = n;
  await Promise.all(Array.from({ length: width }, async () => { while (left-- > 0) await one(); }));
}

async function stillThere() {
  assert.equal((await stack('pid', 'web')).stdout.trim(), pid, 'loci-web is another process now');
  await until('readiness', () => call('GET', '/readyz').then((r) => r.status === 200, () => false));
  const log = readFileSync(web).subarray(logged).toString();
  const bad = log.split('\n').filter((l) => /"status":5(?!0[34])/.test(l) || /Sanitizer|runtime error|[Aa]ssert/.test(l));
  assert.deepEqual(bad.slice(0, 3), [], `seed ${seed}`);
}

test('through nginx: whole requests', { timeout: 240000 }, async (t) => {
  t.diagnostic(`LOCI_SEED=${seed}`);
  const d = dice(seed);
  await many(ALL * 0.4, 16, async () => {
    const bytes = http(request(d, pool));
    judge(await exchange({ port }, bytes, { idle: 3000 * slow }), bytes, [501, 503, 504, 505]);
  });
  t.diagnostic(JSON.stringify(Object.fromEntries([...counts].sort())));
  assert.ok([200, 201, 401, 404, 405, 422].every((s) => counts.get(s) > 0), 'the mixture reaches every kind of answer');
  await stillThere();
});

test('through nginx: damaged requests and mere bytes', { timeout: 240000 }, async () => {
  const d = dice(seed + 1);
  await many(ALL * 0.3, 32, async () => {
    const bytes = d.chance(0.8) ? damage(d, http(request(d, pool))) : d.bytes(1 + d.int(400));
    judge(await exchange({ port }, bytes, { idle: 60 * slow }), bytes, [501, 503, 504, 505]);
  });
  await stillThere();
});

test('FastCGI to the worker: whole requests in records of any size', { timeout: 240000 }, async () => {
  const d = dice(seed + 2);
  await many(ALL * 0.2, 6, async () => {
    const bytes = fastcgi(d, request(d, pool));
    judge(await exchange({ path: socket }, bytes, { idle: 1500 * slow }), bytes, [503, 504]);
  });
  await stillThere();
});

test('FastCGI to the worker: damaged and strange records', { timeout: 240000 }, async () => {
  const d = dice(seed + 3);
  await many(ALL * 0.1, 8, async () => {
    const bytes = shortened(d.chance(0.5) ? damage(d, fastcgi(d, request(d, pool))) : d.chance(0.8) ? strangeRecords(d) : d.bytes(1 + d.int(200)));
    judge(await exchange({ path: socket }, bytes, { idle: 60 * slow, end: true }), bytes, [503, 504]);
  });
  await stillThere();
});

test('afterwards everybody is served as before', async () => {
  for (let i = 0; i < 40; i++) assert.equal((await call('GET', '/api/v1/roles', { token: pool.tokens[0] })).status < 500, true);
  const agent = await call('GET', '/livez');
  assert.equal(agent.status, 200);
});
