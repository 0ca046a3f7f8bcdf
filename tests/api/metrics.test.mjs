// Health and metrics: what a supervisor, a load balancer and Prometheus read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE, BASE2, call, expectStatus, freshAccount, withSettings } from './client.mjs';

const scrape = async (base = BASE) => {
  const r = await fetch(`${base}/metrics`);
  assert.equal(r.status, 200);
  assert.match(r.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  return r.text();
};

// The text format of Prometheus: {families: {name: {type, help}}, samples: [{name, labels, value}]}. Throws where it is not.
function parse(text) {
  const families = {}, samples = [], seen = new Set();
  assert.ok(text.endsWith('\n'));
  for (const line of text.split('\n').slice(0, -1)) {
    const meta = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
    if (meta) {
      const f = (families[meta[2]] ??= {});
      assert.ok(!(meta[1].toLowerCase() in f), `${meta[1]} of ${meta[2]} twice`);
      f[meta[1].toLowerCase()] = meta[3];
      continue;
    }
    const m = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (-?[0-9.e+-]+|\+Inf|-Inf|NaN)$/.exec(line);
    assert.ok(m, `not a sample: ${line}`);
    assert.ok(!seen.has(m[1] + m[2]), `twice: ${line}`);
    seen.add(m[1] + m[2]);
    const labels = Object.fromEntries([...(m[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map((l) => [l[1], l[2]]));
    samples.push({ name: m[1], labels, value: Number(m[3].replace('Inf', 'Infinity')) });
  }
  return { families, samples };
}

const value = ({ samples }, name, labels = {}) =>
  samples.filter((s) => s.name === name && Object.entries(labels).every(([k, v]) => s.labels[k] === v)).reduce((sum, s) => sum + s.value, 0);

test('metrics are Prometheus text, every family with help and type', async () => {
  const { families, samples } = parse(await scrape());
  assert.ok(samples.length > 5);
  for (const s of samples) {
    const family = families[s.name] ?? families[s.name.replace(/_(bucket|sum|count)$/, '')];
    assert.ok(family?.help && /^(counter|gauge|histogram|summary)$/.test(family?.type), s.name);
    assert.match(s.name, /^loci_/);
  }
  for (const [name, f] of Object.entries(families)) if (f.type === 'counter') assert.match(name, /_total$/, name);
});

test('requests are counted by call and status, once each', async () => {
  const { token } = await freshAccount();
  const before = parse(await scrape());
  for (let i = 0; i < 3; i++) await expectStatus(200, 'GET', '/api/v1/me', { token });
  await call('GET', '/api/v1/me');
  await expectStatus(422, 'POST', '/api/v1/nodes', { token, body: {} });
  const after = parse(await scrape());
  const more = (labels) => value(after, 'loci_requests_total', labels) - value(before, 'loci_requests_total', labels);
  assert.equal(more({ call: 'me.get', status: '200' }), 3);
  assert.equal(more({ call: 'me.get', status: '401' }), 1);
  assert.equal(more({ call: 'node.create', status: '422' }), 1);
  assert.equal(value(after, 'loci_request_seconds_count', { call: 'me.get' }) - value(before, 'loci_request_seconds_count', { call: 'me.get' }), 4);
});

test('histograms add up', async () => {
  const { families, samples } = parse(await scrape());
  for (const name of Object.keys(families).filter((n) => families[n].type === 'histogram')) {
    const series = new Map();
    for (const s of samples.filter((x) => x.name === `${name}_bucket`)) {
      const { le, ...rest } = s.labels;
      const key = JSON.stringify(rest);
      series.set(key, [...(series.get(key) ?? []), [le === '+Inf' ? Infinity : Number(le), s.value]]);
    }
    for (const [key, buckets] of series) {
      const sorted = [...buckets].sort((a, b) => a[0] - b[0]);
      assert.equal(sorted.at(-1)[0], Infinity);
      for (let i = 1; i < sorted.length; i++) assert.ok(sorted[i][1] >= sorted[i - 1][1], `${name} ${key}`);
      assert.equal(sorted.at(-1)[1], value({ samples }, `${name}_count`, JSON.parse(key)), `${name} ${key}`);
    }
  }
});

test('labels tell nothing of an account, and paths of nobody make no new series', async () => {
  const account = await freshAccount();
  await call('GET', `/api/v1/${account.slug}`, { token: account.token });
  await call('GET', `/${account.slug}`);
  await fetch(`${BASE}/api/v1/me`, { method: 'PROPFIND' });
  const text = await scrape();
  assert.ok(!text.includes(account.slug) && !text.includes('PROPFIND'));
  assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-/);
});

test('each process counts for itself', async () => {
  const { token } = await freshAccount();
  const before = parse(await scrape());
  await expectStatus(200, 'GET', '/api/v1/stats', { token, base: BASE2 });
  assert.equal(value(parse(await scrape()), 'loci_requests_total', { call: 'stats.get' }), value(before, 'loci_requests_total', { call: 'stats.get' }));
  assert.ok(value(parse(await scrape(BASE2)), 'loci_requests_total', { call: 'stats.get' }) >= 1);
});

test('livez, healthz and readyz say what they know', async () => {
  for (const path of ['/livez', '/healthz']) {
    const r = await call('GET', path);
    assert.deepEqual([r.status, r.data.status], [200, 'alive']);
    assert.ok(r.data.version);
  }
  const r = await call('GET', '/readyz');
  assert.equal(r.status, 200);
  const parts = Object.fromEntries(r.data.parts.map((p) => [p.name, p.state]));
  assert.deepEqual([parts.mariadb, parts.redis, parts.migrations], ['ok', 'ok', 'ok']);
  for (const path of ['/livez', '/readyz', '/metrics']) assert.equal((await fetch(BASE + path, { method: 'POST' })).status, 405, path);
});

test('the recall index shows its size, age, churn, load time and evictions', async () => {
  const account = await freshAccount();
  const { data: node } = await expectStatus(201, 'POST', '/api/v1/nodes', { token: account.token, body: { kind: 'note', title: 'x', body: 'harbour' } });
  await expectStatus(200, 'POST', '/api/v1/recall', { token: account.token, body: { query: 'harbour' } });
  await expectStatus(200, 'PATCH', `/api/v1/nodes/${node.id}`, { token: account.token, body: { body: 'another harbour' } });
  await expectStatus(200, 'POST', '/api/v1/recall', { token: account.token, body: { query: 'harbour' } });
  const text = await scrape();
  const m = parse(text);
  for (const name of ['accounts', 'nodes', 'segments', 'bytes', 'load_seconds_count'])
    assert.ok(value(m, `loci_recall_index_${name}`) > 0, name);
  for (const name of ['edges', 'dead_rows', 'age_seconds', 'evictions_total', 'codes_only'])
    assert.ok(m.samples.some((s) => s.name === `loci_recall_index_${name}`), name);
  assert.doesNotMatch(text, new RegExp(account.id ?? account.slug ?? node.id));
});

test('memory is told by owner, with a budget where there is one, and the rest of what the process has', async () => {
  const m = parse(await scrape());
  for (const owner of ['recall_index', 'node_cache', 'requests', 'spare_blocks', 'statements', 'connections', 'else'])
    assert.ok(m.samples.some((s) => s.name === 'loci_memory_bytes' && s.labels.owner === owner), owner);
  for (const owner of ['recall_index', 'node_cache', 'requests', 'spare_blocks'])
    assert.ok(value(m, 'loci_memory_bytes', { owner }) <= value(m, 'loci_memory_budget_bytes', { owner }), owner);
  assert.ok(value(m, 'loci_memory_bytes') >= value(m, 'loci_resident_bytes'));
  assert.ok(value(m, 'loci_db_statements') > 0);
});

test('a request that takes more memory than all requests may is refused, and the next one is answered', async () => {
  const { token } = await freshAccount();
  const { id } = (await expectStatus(201, 'POST', '/api/v1/ai/contexts', { token, body: { name: 'large' } })).data, path = `/api/v1/ai/contexts/${id}/entries`;
  for (let i = 0; i < 40; i++) await expectStatus(201, 'POST', path, { token, body: { entry_key: `key ${i}`, content: { text: `${i} ${'word '.repeat(50000)}` } } });
  await withSettings({ LOCI_WEB_REQUEST_MEMORY_MB: '32' }, async () => {
    const r = await call('GET', `${path}?limit=100`, { token, base: BASE2, check: false });
    assert.deepEqual([r.status, r.code], [413, 'PAYLOAD_TOO_LARGE'], r.text.slice(0, 200));
    assert.match(r.text, /more than 32 MiB of memory/);
    await expectStatus(200, 'GET', `${path}?limit=1`, { token, base: BASE2 });
    const left = value(parse(await scrape(BASE2)), 'loci_memory_bytes', { owner: 'requests' });
    assert.ok(left < 32 << 20, `${left} bytes are held`);
  });
  await expectStatus(200, 'GET', `${path}?limit=100`, { token });
});
