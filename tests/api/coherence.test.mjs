// Two loci-web processes hold nodes in memory, and nobody can tell: a read that begins after a change was acknowledged, or
// after another read has seen it, never shows what was before, whatever dies meanwhile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BASE, BASE2, call, expectStatus, freshAccount, stack, until } from './client.mjs';
import { sql } from './db.mjs';

let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
});
after(async () => { await stack('start'); });

const bases = [BASE, BASE2];
const slow = process.env.LOCI_SLOW ? 3 : 1;

const counter = async (base, name) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec((await call('GET', '/metrics', { base })).text)[1]);
const hits = (base) => counter(base, 'loci_node_cache_hits_total');
const make = async (title = 'one') => (await expectStatus(201, 'POST', '/api/v1/nodes', { token, body: { title, allow_duplicate: true } })).data;
const read = (id, base = BASE) => call('GET', `/api/v1/nodes/${id}?touch=false`, { token, base, check: false });

// It is held again a moment after a start: the line to Redis is made once a second.
async function held(id, base) {
  await until(`${base} to hold a node`, async () => {
    const before = await hits(base);
    await read(id, base);
    return await hits(base) > before;
  });
}

// What everybody may know by now of each node: the highest version that was acknowledged or seen.
class World {
  constructor(nodes) {
    this.known = new Map(nodes.map((n) => [n.id, n.version]));
    this.ids = nodes.map((n) => n.id);
    this.on = true;
    this.writes = this.reads = this.lost = 0;
    this.wrong = [];
  }

  any() { return this.ids[Math.floor(Math.random() * this.ids.length)]; }
  knows(id, version) { this.known.set(id, Math.max(this.known.get(id), version)); }

  async write(base) {
    const changes = [{ title: `t${Math.random()}` }, { body: `b${Math.random()}` }, { importance: Math.random() }, { attrs: { a: Math.random() } }];
    while (this.on) {
      const id = this.any();
      const r = await call('PATCH', `/api/v1/nodes/${id}`, { token, base, check: false, body: changes[Math.floor(Math.random() * 4)] }).catch(() => null);
      if (r?.status === 200) {
        this.knows(id, r.data.version);
        this.writes++;
      } else {
        this.lost++;
        await sleep(5);
      }
    }
  }

  async read(base) {
    while (this.on) {
      const id = this.any(), least = this.known.get(id);
      const r = await read(id, base).catch(() => null);
      if (r?.status !== 200) {
        await sleep(5);
        continue;
      }
      if (r.data.version < least) this.wrong.push(`${id}: ${r.data.version} after ${least}`);
      this.knows(id, r.data.version);
      this.reads++;
    }
  }
}

// Readers and writers on both hosts while `during` runs; then everything must agree with MariaDB.
async function beside(during, { writers = [BASE, BASE2] } = {}) {
  const world = new World(await Promise.all([1, 2, 3, 4].map(() => make())));
  const work = [...writers.map((b) => world.write(b)), ...[BASE, BASE, BASE2, BASE2].map((b) => world.read(b))];
  try {
    await during(world);
  } finally {
    world.on = false;
    await Promise.all(work);
  }
  assert.deepEqual(world.wrong, [], `of ${world.reads} reads beside ${world.writes} changes`);
  for (const id of world.ids) {
    const [[version]] = await sql(`SELECT version FROM node WHERE id = '${id}'`);
    for (const base of bases) assert.equal((await read(id, base)).data.version, Number(version));
  }
  return world;
}

test('both hold what is read', async () => {
  const n = await make();
  for (const base of bases) await held(n.id, base);
  for (const base of bases) {
    const first = await read(n.id, base), again = await read(n.id, base);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('etag'), '"1"');
  }
});

test('changes on one are seen by the next read on the other', async () => {
  const n = await make();
  for (let i = 0; i < 30; i++) {
    const [one, other] = i % 2 ? [BASE, BASE2] : [BASE2, BASE];
    await held(n.id, other);
    await expectStatus(200, 'PATCH', `/api/v1/nodes/${n.id}`, { token, base: one, body: { title: `title ${i}` } });
    for (const base of [other, one]) assert.equal((await read(n.id, base)).data.title, `title ${i}`);
  }
});

test('what is forgotten is gone for both, what is archived, pinned and restored is so for both', async () => {
  const n = await make();
  const change = (verb) => expectStatus(200, 'POST', `/api/v1/nodes/${n.id}/${verb}`, { token, base: BASE2 });
  for (let i = 0; i < 5; i++) {
    await held(n.id, BASE);
    await expectStatus(204, 'DELETE', `/api/v1/nodes/${n.id}`, { token, base: BASE2 });
    for (const base of bases) assert.equal((await read(n.id, base)).status, 404);
    await change('restore');
    await held(n.id, BASE);
    await change('pin');
    assert.equal((await read(n.id)).data.is_pinned, true);
    await change('archive');
    assert.equal((await read(n.id)).data.status, 'archived');
    await change('unarchive');
    await change('unpin');
    const { status, is_pinned } = (await read(n.id)).data;
    assert.deepEqual({ status, is_pinned }, { status: 'active', is_pinned: false });
  }
});

test('reads from memory count as use', async () => {
  const n = await make();
  for (const base of bases) await held(n.id, base);
  for (let i = 0; i < 10; i++) for (const base of bases) await expectStatus(200, 'GET', `/api/v1/nodes/${n.id}`, { token, base });
  for (const base of bases) await until('uses to be written', async () => (await read(n.id, base)).data.access_count === 20);
});

test('random changes beside reads on both', async () => {
  const before = await hits(BASE) + await hits(BASE2);
  await beside(async (world) => {
    await sleep(3000 * slow);
    await until('enough of both', () => world.writes > 20 && world.reads > 100);
  });
  assert.ok(await hits(BASE) + await hits(BASE2) > before, 'some were answered from memory');
});

test('the same while Redis is killed and comes back', async () => {
  await beside(async () => {
    for (let i = 0; i < 3; i++) {
      await sleep(1500 * slow);
      await stack('kill', 'redis');
      await sleep(300);
      await stack('start', 'redis');
    }
    await sleep(2500 * slow);
  });
});

test('the same while Redis hangs', async () => {
  await beside(async () => {
    const pid = Number((await stack('pid', 'redis')).stdout);
    await sleep(1500 * slow);
    process.kill(pid, 'SIGSTOP');
    await sleep(5000);
    process.kill(pid, 'SIGCONT');
    await sleep(2000 * slow);
  });
});

test('the same while the writer is killed', async () => {
  await beside(async () => {
    for (let i = 0; i < 4; i++) {
      await sleep(1000 * slow);
      await stack('kill', 'web');
      await stack('start', 'web');
    }
    await sleep(1000 * slow);
  }, { writers: [BASE, BASE, BASE] });
});

test('the same while MariaDB is killed', async () => {
  await beside(async () => {
    for (let i = 0; i < 2; i++) {
      await sleep(1500 * slow);
      await stack('kill', 'db');
      await stack('start', 'db');
    }
    await sleep(1500 * slow);
  });
});
