// kill -9 while pages are saved: a page has its old text with its old links or the new text with the new ones, never a mixture.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, expectStatus, freshAccount, stack, unique, until } from './client.mjs';
import { sql } from './db.mjs';

const P = '/api/v1/admin/pages', TARGETS = 6;
let account, targets, pages;
before(async () => {
  account = await freshAccount();
  const make = (title, content) => expectStatus(201, 'POST', P, { token: account.owner, body: { title, content } }).then((r) => r.data);
  targets = await Promise.all(                // the first pages of an account, all at once: their spaces are made meanwhile
    Array.from({ length: TARGETS }, (_, i) => make(unique(`Target ${i}`), 'here')));
  pages = await Promise.all(Array.from({ length: 4 }, (_, i) => make(unique(`Source ${i}`), 'nothing yet')));
});
after(async () => { await stack('start'); });

const ready = () => call('GET', '/readyz').then((r) => r.status === 200, () => false);
const text = (i) => targets.filter((_, k) => (i >> k) & 1).map((t) => `[[${t.title}]]`).join('\n\n') || 'none';

function savers() {
  const state = { stop: false, saved: 0 };
  state.done = Promise.all(pages.map(async (p) => {
    for (let i = 1; !state.stop; i++) {
      const r = await call('PATCH', `${P}/${p.id}`, { token: account.owner, check: false, body: { content: text(i % (1 << TARGETS)) } }).catch(() => null);
      state.saved += r?.status === 200;
    }
  }));
  return state;
}

// By the text: what its links lead to; by the rows and by the edges: the same.
async function assertWhole() {
  for (const p of pages) {
    const { content } = (await expectStatus(200, 'GET', `${P}/${p.id}`, { token: account.owner })).data;
    const said = targets.filter((t) => content.includes(`[[${t.title}]]`)).map((t) => t.id).sort();
    const rows = await sql(`SELECT target_id FROM page_link WHERE source_id = '${p.id}' AND state = 'resolved'`);
    const edges = await sql(`SELECT target_id FROM edge WHERE source_id = '${p.id}' AND relation = 'references' AND live = 1`);
    assert.deepEqual(rows.flat().sort(), said, 'rows');
    assert.deepEqual(edges.flat().sort(), said, 'edges');
  }
}

test('three times', async () => {
  for (const service of ['web', 'db', 'web']) {
    const load = savers();
    await until('saves to begin', () => load.saved > 20);
    await stack('kill', service);
    load.stop = true;
    await stack('start', service);
    await until('readiness', ready, { tries: 600 });
    await load.done;
    await assertWhole();
  }
});
