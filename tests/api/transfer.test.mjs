// Whole accounts as files: exported, put back bit for bit, merged, refused at the first bad line with nothing done.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BASE, BASE2, call, ctl, expectStatus, freshAccount, settled, stack, unique, until } from './client.mjs';
import { snapshot, sql } from './db.mjs';
import { freshWorld } from './world.mjs';

const dir = mkdtempSync(join(tmpdir(), 'loci-transfer-'));
after(() => rmSync(dir, { recursive: true }));

const read = (path) => readFileSync(path, 'utf8').trimEnd().split('\n');
const ctlFails = (...args) => ctl(...args).then((out) => assert.fail(`did not fail: ${out}`), (e) => e.stderr);

// An account that holds nothing but its owner.
async function emptyAccount() {
  const slug = unique('empty'), email = `${slug}@example.org`;
  await ctl('account', 'create', '--slug', slug);
  await ctl('user', 'create', '--account', slug, '--email', email, '--role', 'owner', '--name', 'Owner');
  const owner = await ctl('token', 'create', '--account', slug, '--user', email, '--name', 'test');
  const { account_id: accountId, id: userId } = (await expectStatus(200, 'GET', '/api/v1/me', { token: owner })).data;
  return { slug, email, owner, accountId, userId };
}

async function bareAccount() {
  const slug = unique('bare');
  await ctl('account', 'create', '--slug', slug);
  return slug;
}

async function exportTo(name, account, ...options) {
  const path = join(dir, name);
  await ctl('export', '--account', account, '--out', path, ...options);
  return path;
}

async function ended(kind, id, token) {
  await settled(undefined, { parts: ['queue'], kinds: ['export', 'import'] });
  const { data } = await expectStatus(200, 'GET', `/api/v1/${kind}/${id}`, { token });
  assert.ok(['done', 'failed'].includes(data.status), JSON.stringify(data));
  return data;
}

async function importInto(account, text, query = '') {
  const r = await expectStatus(201, 'POST', `/api/v1/imports${query}`, { token: account.owner, raw: text, headers: { 'Content-Type': 'application/x-ndjson' } });
  assert.ok(r.headers.get('location').endsWith(`/api/v1/imports/${r.data.id}`));
  return ended('imports', r.data.id, account.owner);
}

// The lines with sums that fit what they say now.
function summed(lines) {
  let sum = Buffer.alloc(16);
  return lines.map((line) => {
    if (line.startsWith('{"loci_export"')) return line;
    const body = line.replace(/,"sum":"[0-9a-f]{32}"\}$/, '');
    sum = createHash('sha256').update(sum).update(body).digest().subarray(0, 16);
    return `${body},"sum":"${sum.toString('hex')}"}`;
  });
}

let world, file;
before(async () => {
  world = await freshWorld();
  await ended('exports', world.places['exports/id'], world.owner);
  file = await exportTo('world.jsonl', world.slug, '--with-vectors');
});

test('the list of tables is that of the schema: a new table or column cannot be forgotten', async () => {
  const source = readFileSync(new URL('../../src/transfer/transfer_table.c', import.meta.url), 'utf8');
  const [tables, left] = source.split('LEFT_OUT[] = {');
  const kept = new Map([...tables.matchAll(/^ {4}\{"(\w+)", "([\w ]*)", [^\n]*\n((?: {5}"[^"]*"\n?)*"?[^}]*)\}/gm)]
    .map(([, name, key, columns]) => [name, { key, columns: [...columns.matchAll(/(\w+):([usridtbDV])(\??)/g)].map((m) => m.slice(1)) }]));
  const out = new Set([...left.split('};')[0].matchAll(/\{"(\w+)", "/g)].map((m) => m[1]));
  const schema = new Map();
  for (const [table, column, type, nullable] of await sql(`SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
      WHERE table_schema = 'loci' AND NOT (is_generated = 'ALWAYS') ORDER BY table_name, ordinal_position`))
    schema.set(table, [...(schema.get(table) ?? []), { column, type, nullable }]);
  const never = { user: ['password_hash', 'is_operator'], account: ['id', 'slug', 'status'], node: ['same_key'], context: ['restoring_id', 'restoring_safety_id', 'restoring_until'] };      // a restore under way is not moved
  const types = { uuid: 'u', varchar: 'sr', char: 's', text: 's', mediumtext: 's', longtext: 's', double: 'd', datetime: 't', binary: 'b', varbinary: 'b', mediumblob: 'bV', blob: 'b', bigint: 'i', int: 'i', tinyint: 'i', date: 'D' };
  for (const [table, columns] of schema) {
    if (table !== 'account' && !columns.some((c) => c.column === 'account_id')) continue;
    assert.ok(kept.has(table) !== out.has(table), `say in src/transfer/transfer_table.c whether '${table}' is exported`);
    if (out.has(table)) continue;
    const want = columns.filter((c) => c.column !== 'account_id' && !never[table]?.includes(c.column));
    assert.deepEqual(kept.get(table).columns.map(([n]) => n).sort(), want.map((c) => c.column).sort(), `columns of ${table}`);
    for (const { column, type, nullable } of want) {
      const [, letter, mark] = kept.get(table).columns.find(([n]) => n === column);
      assert.ok(types[type]?.includes(letter), `${table}.${column} is ${type}, not ${letter}`);
      assert.equal(mark === '?', nullable === 'YES', `${table}.${column}: may it be null?`);
    }
  }
  for (const table of [...kept.keys(), ...out]) assert.ok(schema.has(table), `there is no table ${table}`);
  for (const [table, { key }] of kept) {
    const primary = (await sql(`SELECT column_name FROM information_schema.key_column_usage WHERE table_schema = 'loci' AND table_name = '${table}'
      AND constraint_name = 'PRIMARY' AND column_name <> 'account_id' ORDER BY ordinal_position`)).map(([n]) => n);
    if (table !== 'account') assert.equal(key, primary.join(' '), `key of ${table}`);
  }
});

test('one of everything, put into an empty account and exported again, is the same file but for its time', async () => {
  const slug = await bareAccount();
  await ctl('import', '--account', slug, '--from', file);
  const [head, ...lines] = read(file), [again, ...same] = read(await exportTo('again.jsonl', slug, '--with-vectors'));
  assert.deepEqual(same, lines);
  const strip = (line) => ({ ...JSON.parse(line), made_at: null });
  assert.deepEqual(strip(again), strip(head));
  const counts = JSON.parse(lines.at(-1)).end;
  for (const table of ['user', 'agent', 'agent_key', 'team', 'team_member', 'role', 'space', 'space_grant', 'node', 'edge', 'context', 'entry', 'pool', 'pool_entry', 'fact', 'learning', 'knowledge', 'short_term_memory', 'snapshot', 'node_merge', 'duplicate_candidate', 'escalation', 'vector'])
    assert.ok(counts[table] > 0, `the world has no ${table}: ${JSON.stringify(counts)}`);
});

test('no secret is in it, not even with all its parts', async () => {
  const text = readFileSync(await exportTo('parts.jsonl', world.slug, '--with-vectors', '--with-audit'), 'utf8');
  const secrets = (await sql(`SELECT HEX(hash) FROM token WHERE account_id = '${world.accountId}' UNION SELECT password_hash FROM user WHERE account_id = '${world.accountId}' AND password_hash IS NOT NULL`)).flat();
  assert.ok(secrets.length >= 3);
  for (const secret of [...secrets, 'argon2', '"password_hash"', '"is_operator"', world.owner, world.token]) assert.ok(!text.includes(secret), secret);
  for (const hex of secrets.filter((s) => /^[0-9A-F]{64}$/.test(s))) assert.ok(!text.includes(Buffer.from(hex, 'hex').toString('base64url')));
  assert.ok(JSON.parse(text.trimEnd().split('\n').at(-1)).end.audit_event > 10);
});

test('over HTTP: asked for, waited for, downloaded, removed; it is the file that locictl writes', async () => {
  const asked = await expectStatus(201, 'POST', '/api/v1/exports?with_vectors=true', { token: world.owner });
  assert.equal(asked.data.with_vectors, true);
  const done = await ended('exports', asked.data.id, world.owner);
  assert.deepEqual([done.status, done.error], ['done', null]);
  const r = await call('GET', `/api/v1/exports/${done.id}/download`, { token: world.owner });
  assert.equal(r.status, 200);
  assert.equal(r.headers.get('content-type'), 'application/x-ndjson');
  assert.match(r.headers.get('content-disposition'), /attachment; filename="acct-.*\.jsonl"/);
  assert.equal(Buffer.byteLength(r.text), done.bytes);
  assert.equal(r.text.trimEnd().split('\n').length, done.lines);
  assert.deepEqual(r.text.trimEnd().split('\n').slice(1), read(await exportTo('ctl.jsonl', world.slug, '--with-vectors')).slice(1));
  assert.ok((await expectStatus(200, 'GET', '/api/v1/exports', { token: world.owner })).data.some((e) => e.id === done.id));
  const stranger = await freshAccount();
  for (const path of ['', '/download']) await expectStatus(404, 'GET', `/api/v1/exports/${done.id}${path}`, { token: stranger.owner });
  await expectStatus(404, 'DELETE', `/api/v1/exports/${done.id}`, { token: stranger.owner });
  await expectStatus(204, 'DELETE', `/api/v1/exports/${done.id}`, { token: world.owner });
  await expectStatus(404, 'GET', `/api/v1/exports/${done.id}/download`, { token: world.owner });
});

test('into an account with its owner: he stays, everything else comes, and a recall finds it at once, in every process', async () => {
  const b = await emptyAccount();
  const ask = async (base) => (await call('POST', '/api/v1/recall', { token: b.owner, base, body: { query: world.canary, mode: 'keyword' } })).data.hits?.length ?? 0;
  assert.deepEqual([await ask(BASE), await ask(BASE2)], [0, 0]);
  const done = await importInto(b, readFileSync(file));
  assert.deepEqual([done.status, done.error, done.bad_line], ['done', null, 0]);
  assert.deepEqual(done.report.node, { added: JSON.parse(read(file).at(-1)).end.node, there: 0 });
  assert.equal((await expectStatus(200, 'GET', '/api/v1/me', { token: b.owner })).data.id, b.userId);
  await expectStatus(200, 'GET', `/api/v1/nodes/${world.places['nodes/id']}`, { token: b.owner }).catch(() => {});
  for (const base of [BASE, BASE2]) await until('a recall finds what came', async () => await ask(base) > 0);
  const [[users]] = await sql(`SELECT COUNT(*) FROM user WHERE account_id = '${b.accountId}'`);
  assert.equal(Number(users), JSON.parse(read(file).at(-1)).end.user + 1);
  const [[operators]] = await sql(`SELECT COUNT(*) FROM user WHERE account_id = '${b.accountId}' AND (is_operator OR password_hash IS NOT NULL)`);
  assert.equal(Number(operators), 0, 'nobody comes with a password, or as operator');
});

test('evaluation sets and merges of names come along: a set is run there, a merge is undone there', async () => {
  const b = await emptyAccount(), G = '/api/v1/ai/knowledge_graph';
  assert.equal((await importInto(b, readFileSync(file))).status, 'done');
  const [[email]] = await sql(`SELECT u.email FROM user u JOIN evaluation_case e ON e.account_id = u.account_id AND e.created_by = u.id WHERE u.account_id = '${b.accountId}'`);
  const token = await ctl('token', 'create', '--account', b.slug, '--user', email, '--name', 'who made them');
  const merges = (await expectStatus(200, 'GET', `${G}/merges`, { token })).data, was = merges.find((m) => m.id === world.places['merges/merge_id']);
  assert.ok(was, JSON.stringify(merges));
  await expectStatus(404, 'GET', `${G}/nodes/${was.losers[0].id}`, { token });
  await expectStatus(200, 'POST', `${G}/merges/${was.id}/undo`, { token, body: {} });
  assert.equal((await expectStatus(200, 'GET', `${G}/nodes/${was.losers[0].id}`, { token })).data.name, was.losers[0].name);
  const [[base]] = await sql(`SELECT knowledge_base_id FROM evaluation_case WHERE account_id = '${b.accountId}' LIMIT 1`), sets = `/api/v1/ai/rag/knowledge_bases/${base}/evaluations`;
  const [question] = (await expectStatus(200, 'GET', sets, { token })).data;
  assert.equal(question.question, world.canary);
  await expectStatus(201, 'POST', `${sets}/run`, { token, body: {} });
  await settled(b.slug, { parts: ['queue'], kinds: ['run_evaluation'] });
  assert.equal((await expectStatus(200, 'GET', `${sets}/runs`, { token })).data[0].status, 'done');
});

test('a file that was changed is refused with the number of the line, and nothing is done', async () => {
  const b = await emptyAccount();
  const lines = read(file), state = await snapshot(b.accountId);
  const at = lines.findIndex((l) => l.startsWith('{"table":"node"')) + 2;      // the second node, lines from 1
  const changed = (change) => lines.map((l, i) => (i === at - 1 ? change(l) : l));
  const cases = [
    ['a letter', changed((l) => l.replace('"active"', '"activf"')), at, /checksum/],
    ['a broken line', changed((l) => l.slice(0, 40)), at, /./],
    ['a line too few', lines.filter((_, i) => i !== at - 1), at, /checksum/],
    ['two lines the other way round', [...lines.slice(0, at - 1), lines[at], lines[at - 1], ...lines.slice(at + 1)], at, /checksum/],
    ['no end', lines.slice(0, -1), lines.length, /incomplete/],
    ['something behind the end', [...lines, lines.at(-2)], lines.length + 1, /checksum|after the end/],
    ['no head', lines.slice(1), 1, /begin/],
    ['another file', ['{"title":"a line"}'], 1, /checksum|export/],
    ['nothing', [''], 1, /./],
    ['from the future', [lines[0].replace('"loci_export":1', '"loci_export":2'), ...lines.slice(1)], 1, /format 2/],
    ['an unknown column', summed(changed((l) => l.replace('"kind":', '"knd":'))), at, /no column 'knd'/],
    ['an unknown table', summed(changed((l) => l.replace('"table":"node"', '"table":"nodf"'))), at, /unknown table 'nodf'/],
    ['a text for a number', summed(changed((l) => l.replace(/"trust":[\d.]+/, '"trust":"much"'))), at, /'trust' is not a number/],
    ['rows too few', summed(lines.filter((_, i) => i !== at - 1)), lines.length - 1, /declares \d+ rows of 'node'/],
    ['a value that the schema refuses', summed(changed((l) => l.replace('"attrs":"{', '"attrs":"no JSON {'))), at, /node: /],
    ['a twin', summed(lines.map((l, i) => (i === at - 1 ? lines[at - 2] : l))), at, /node: /],
  ];
  const path = join(dir, 'bad.jsonl');
  for (const [what, text, line, why] of cases) {
    writeFileSync(path, `${text.join('\n')}\n`);
    const said = await ctlFails('import', '--account', b.slug, '--from', path);
    assert.ok(said.startsWith(`locictl: line ${line}: `), `${what}: ${said}`);
    assert.match(said, why, what);
  }
  assert.deepEqual(await snapshot(b.accountId), state);
  for (const [, text, line] of [cases[0], cases.at(-1)]) {
    const done = await importInto(b, `${text.join('\n')}\n`);
    assert.deepEqual([done.status, done.bad_line], ['failed', line], done.error);
    assert.ok(done.error.startsWith(`line ${line}: `), done.error);
  }
  const now = await snapshot(b.accountId);
  for (const part of [now, state]) { delete part.transfer; delete part.audit_event; }
  assert.deepEqual(now, state);
});

test('a dry run tells what would come, and changes nothing', async () => {
  const b = await emptyAccount(), state = await snapshot(b.accountId);
  const done = await importInto(b, readFileSync(file), '?dry_run=true');
  assert.deepEqual([done.status, done.dry_run], ['done', true]);
  assert.ok(done.report.node.added > 0);
  const now = await snapshot(b.accountId);
  delete now.transfer; delete state.transfer;
  assert.deepEqual(now, state);
});

test('restore wants an empty account; merge leaves what is there, matches people and agents by their words, and adds nothing twice', async () => {
  const b = await freshAccount();
  const refused = await importInto(b, readFileSync(file));
  assert.equal(refused.status, 'failed');
  assert.match(refused.error, /not empty/);
  const first = await importInto(b, readFileSync(file), '?mode=merge');
  assert.deepEqual([first.status, first.error], ['done', null]);
  assert.equal(first.report.agent.there, 1, "'one' is in both");
  assert.ok(first.report.node.added > 0);
  const { id: one, account_id: accountId } = (await expectStatus(200, 'GET', '/api/v1/me', { token: b.token })).data;
  const [[spaces]] = await sql(`SELECT COUNT(*) FROM space WHERE account_id = '${accountId}' AND kind = 'namespace' AND slug = 'global'`);
  assert.equal(Number(spaces), 1);
  const [[theirs]] = await sql(`SELECT COUNT(*) FROM node WHERE account_id = '${accountId}' AND author_id = '${one}'`);
  assert.ok(Number(theirs) > 0, 'what the other agent of that name wrote is now his');
  const [[namespaces]] = await sql(`SELECT COUNT(*) FROM space WHERE account_id = '${accountId}' AND slug = 'agent:${one}'`);
  assert.equal(Number(namespaces), 1);
  const [[strange]] = await sql(`SELECT COUNT(*) FROM vector v WHERE account_id = '${accountId}' AND LOWER(HEX(SUBSTR(data, 5, 16))) <> REPLACE(model_id, '-', '')`);
  assert.equal(Number(strange), 0, 'a vector names the model that it stands under');
  const again = await importInto(b, readFileSync(file), '?mode=merge');
  assert.equal(again.status, 'done');
  for (const [table, { added }] of Object.entries(again.report)) assert.equal(added, 0, `${table}: ${JSON.stringify(again.report)}`);
});

test('an audit trail is taken from operators only', async () => {
  const path = await exportTo('audit.jsonl', world.slug, '--with-audit');
  const b = await emptyAccount();
  const done = await importInto(b, readFileSync(path));
  assert.deepEqual([done.status, done.error], ['done', null]);
  assert.equal(done.report.audit_event.added, 0);
  const slug = await bareAccount();
  assert.match(await ctl('import', '--account', slug, '--from', path), /audit_event +[1-9]/);
});

test('an import needs account.manage besides export.run', async () => {
  const token = (await expectStatus(201, 'POST', '/api/v1/tokens', { token: world.owner, body: { name: 'export only', scopes: ['export.run'] } })).data.secret;
  await expectStatus(403, 'POST', '/api/v1/imports', { token, raw: '{}\n', headers: { 'Content-Type': 'application/x-ndjson' } });
  const { data } = await expectStatus(201, 'POST', '/api/v1/exports', { token, body: { with_audit: true } });
  assert.deepEqual([data.with_audit, data.with_vectors], [true, false], 'a body does as well as the query string');
  assert.equal((await expectStatus(422, 'POST', '/api/v1/exports?with_audit=false', { token, body: { with_audit: true } })).body.errors[0].pointer, '/with_audit');
});

test('a scheduler that is killed at it leaves nothing behind: another one finishes', async () => {
  const big = await freshAccount();
  const { id, account_id: accountId } = (await expectStatus(200, 'GET', '/api/v1/me', { token: big.token })).data;
  await expectStatus(201, 'POST', '/api/v1/nodes', { token: big.token, body: { kind: 'note', title: 'seed', body: 'x' } });
  await sql(`INSERT INTO node (account_id, id, space_id, kind, title, body, decayed_at, author_kind, author_id, content_hash, created_at, updated_at)
    SELECT account_id, UUID(), space_id, kind, CONCAT('row ', seq), REPEAT('long text ', 200), decayed_at, author_kind, author_id, content_hash, created_at, updated_at
    FROM node JOIN seq_1_to_3000 WHERE account_id = '${accountId}' AND author_id = '${id}' AND title = 'seed'`);
  const { data } = await expectStatus(201, 'POST', '/api/v1/exports', { token: big.owner, body: {} });
  await until('it begins', async () => (await expectStatus(200, 'GET', `/api/v1/exports/${data.id}`, { token: big.owner })).data.status !== 'waiting', { pause: 5, tries: 2000 });
  await stack('kill', 'scheduler');
  await sql(`UPDATE task SET status = 'ready', lease_token = NULL, lease_until = NULL, slot = NULL, run_at = UTC_TIMESTAMP(6) WHERE account_id = '${accountId}' AND kind = 'export' AND status = 'running'`);
  await stack('start', 'scheduler');
  const done = await ended('exports', data.id, big.owner);
  assert.deepEqual([done.status, done.error], ['done', null]);
  const r = await call('GET', `/api/v1/exports/${data.id}/download`, { token: big.owner });
  assert.deepEqual(r.text.trimEnd().split('\n').slice(1), read(await exportTo('big.jsonl', big.slug)).slice(1));
});

test('an export that grows past transfer.max_mb is given up, and leaves no file', async () => {
  const big = await freshAccount();
  const { account_id: accountId } = (await expectStatus(200, 'GET', '/api/v1/me', { token: big.token })).data;
  await expectStatus(201, 'POST', '/api/v1/nodes', { token: big.token, body: { kind: 'note', title: 'seed', body: 'x' } });
  await sql(`INSERT INTO node (account_id, id, space_id, kind, title, body, decayed_at, author_kind, author_id, content_hash, created_at, updated_at)
    SELECT account_id, UUID(), space_id, kind, CONCAT('row ', seq), REPEAT('long text ', 10000), decayed_at, author_kind, author_id, content_hash, created_at, updated_at
    FROM node JOIN seq_1_to_15 WHERE account_id = '${accountId}' AND title = 'seed'`);
  process.env.LOCI_TRANSFER_MAX_MB = '1';
  try {
    await stack('restart', 'scheduler');
    const { data } = await expectStatus(201, 'POST', '/api/v1/exports', { token: big.owner, body: {} });
    const done = await ended('exports', data.id, big.owner);
    assert.equal(done.status, 'failed');
    assert.match(done.error, /larger than 1 MB/);
    await expectStatus(404, 'GET', `/api/v1/exports/${data.id}/download`, { token: big.owner });
  } finally {
    delete process.env.LOCI_TRANSFER_MAX_MB;
    await stack('restart', 'scheduler');
  }
});

test('what is over goes, with its file', async () => {
  const old = '01900000-0000-7000-8000-000000000001';                   // of the year 2024
  await sql(`INSERT INTO transfer (account_id, id, direction, status, actor_kind, created_at) VALUES ('${world.accountId}', '${old}', 'export', 'done', 'system', '2024-06-01')`);
  await expectStatus(200, 'GET', `/api/v1/exports/${old}`, { token: world.owner });
  await expectStatus(202, 'POST', '/api/v1/jobs/transfer_cleanup/run', { token: world.owner, body: {} });
  await until('it is gone', async () => (await call('GET', `/api/v1/exports/${old}`, { token: world.owner })).status === 404, { tries: 1200 });
  await expectStatus(200, 'GET', `/api/v1/exports/${world.places['exports/id']}`, { token: world.owner });
});

// As after five tries without room on the disk: the task is a dead letter, the row failed, the file gone.
async function deadTransfer(kind, id) {
  await sql(`UPDATE task SET status = 'dead', last_error = 'no room', finished_at = UTC_TIMESTAMP(6) WHERE kind = '${kind}' AND payload LIKE '%${id}%'`);
  await sql(`UPDATE transfer SET status = 'failed', error = 'no room' WHERE id = '${id}'`);
  const [[task]] = await sql(`SELECT id FROM task WHERE kind = '${kind}' AND payload LIKE '%${id}%'`);
  return task;
}

test('a dead export that is tried again makes its file', async () => {
  const a = await freshAccount();
  const { data } = await expectStatus(201, 'POST', '/api/v1/exports', { token: a.owner, body: {} });
  await ended('exports', data.id, a.owner);
  const task = await deadTransfer('export', data.id);
  await expectStatus(200, 'POST', `/api/v1/tasks/${task}/retry`, { token: a.owner });
  const again = await until('the export', async () => {
    const { data: now } = await expectStatus(200, 'GET', `/api/v1/exports/${data.id}`, { token: a.owner });
    return now.status === 'done' ? now : null;
  }, { tries: 1200 });
  assert.equal(again.error, null);
  assert.equal((await call('GET', `/api/v1/exports/${data.id}/download`, { token: a.owner })).status, 200);
});

test('a dead import that is tried again says that it needs a new upload', async () => {
  const a = await emptyAccount();
  const { id } = await importInto(a, '{"loci_export":1}\n');
  const task = await deadTransfer('import', id);
  await expectStatus(200, 'POST', `/api/v1/tasks/${task}/retry`, { token: a.owner });
  const dead = await until('the task to end', async () => {
    const { data: now } = await expectStatus(200, 'GET', `/api/v1/tasks/${task}`, { token: a.owner });
    return now.status === 'dead' ? now : null;
  }, { tries: 1200 });
  assert.match(dead.last_error, /start a new import/);
});

// What no rule can take, by the type of the column: a text where a number belongs, numbers past every limit, texts past every length, what is
// no JSON, no word, no shape. A text column that takes any word is in FREE, with the lengths that it does not take.
const FREE_COLUMNS = [
  'name',
  'live_name',
  'file_name',
  'location',
  'include',
  'exclude',
  'sync_error',
  'language',
  'etag',
  'last_modified',
  'embedding_model',
  'external_id',
  'source_url',
  'heading_path',
  'query_text',
  'description',
  'title',
  'body',
  'source_id',
  'loser_key',
  'entry_key',
  'memory_key',
  'predicate',
  'session_id',
  'task_execution_id',
  'source_execution_id',
  'contradiction_note',
  'resolution',
  'reason',
  'promote_error',
  'error_message',
  'updated_by',
  'user_agent',
  'request_id',
  'norm',
  'model_family',
  'model_version',
  'last_error',
  'execution_id',
  'context_summary',
  'change_reason',
  'ingest_source',
  'source_path',
  'front_matter',
  'task',
  'statement',
  'surface',
  'plain_slug',
  'target_slug',
  'target_key',
  'root_key',
  'target',
  'heading',
  'raw',
  'display',
  'name_key',
  'path',
  'first_words',
  'excerpt',
  'meta_keywords',
  'meta_description',
  'rejection_reason',
  'end_reason',
  'pin_reason',
  'comment',
  'message',
  'detail',
  'keeper_name',
  'expected_text',
  'question',
];
const FREE = new RegExp(`\\.(${FREE_COLUMNS.join('|')})$|^(session_log|core_edit)\\.content$|^extract_rule_set\\.active$|^(provenance\\.signature|attestation\\.note)$|^proposal\\.(rationale|review_note)$`);
// One process for each value: what is wrong for every column of a type is tried above.
const wrong = (type, name) => ({
  i: [name.length % 2 ? '9223372036854775807' : '-9223372036854775808'], d: [name.length % 2 ? '1e300' : '-1e300'],
  b: [`"${'A'.repeat(FREE.test(name) ? 1500000 : 200)}"`], V: ['"!"'], t: ['"yesterday"'], u: ['"zz"'], D: ['"yesterday"'],
  s: FREE.test(name) ? [`"${'x '.repeat(600000)}"`] : ['"zz zz"'],
})[type === 'r' ? 's' : type];

test('every column refuses what the calls would refuse, and says which line, which column and what it must be', async () => {
  const b = await emptyAccount();
  const lines = read(await exportTo('rules.jsonl', world.slug, '--with-vectors', '--with-audit'));
  const source = readFileSync(new URL('../../src/transfer/transfer_table.c', import.meta.url), 'utf8');
  const columns = new Map([...source.matchAll(/^ {4}\{"(\w+)", "[\w ]*", [^\n]*\n((?: {5}"[^"]*"\n?)*)/gm)]
    .map(([, table, list]) => [table, [...list.matchAll(/(\w+):([usridtbDV])/g)].map((m) => m.slice(1))]));
  const state = await snapshot(b.accountId);
  const tried = new Set(), taken = [];
  const jobs = [];
  for (const [at, line] of lines.entries()) {
    const { table } = JSON.parse(line);
    if (!table || tried.has(table)) continue;
    tried.add(table);
    // Only the first fault of a file is told, so the file ends there: the reading of lines is what is tried.
    for (const [column, type] of columns.get(table))
      for (const value of wrong(type, `${table}.${column}`)) jobs.push({ at, table, column, value });
  }
  assert.ok(tried.size >= 29 && jobs.length > 300, `${tried.size} tables, ${jobs.length} values`);
  const one = async ({ at, table, column, value }, path) => {
    const changed = lines.slice(0, at + 1), row = changed[at].indexOf('"row":');
    const member = new RegExp(`"${column}":("(?:[^"\\\\]|\\\\.)*"|null|-?[\\d.eE+-]+)`);
    changed[at] = changed[at].slice(0, row) + changed[at].slice(row).replace(member, () => `"${column}":${value}`);
    writeFileSync(path, `${summed(changed).join('\n')}\n`);
    const said = await ctlFails('import', '--account', b.slug, '--from', path);
    if (!said.startsWith(`locictl: line ${at + 1}: `) || !said.includes(`'${column}'`)) taken.push(`${table}.${column} = ${value.slice(0, 40)}: ${said.slice(0, 200)}`);
    assert.doesNotMatch(said, /CONSTRAINT|database error|SQL/i, `${table}.${column}`);
  };
  await Promise.all(Array.from({ length: 6 }, async (_, k) => {
    for (let job; (job = jobs.pop());) await one(job, join(dir, `wrong-${k}.jsonl`));
  }));
  assert.deepEqual(taken, []);
  assert.deepEqual(await snapshot(b.accountId), state);
});

test('a role, a run and the settings of an account are checked as the calls check them', async () => {
  const slug = await bareAccount(), path = join(dir, 'refer.jsonl'), lines = read(file);
  const cases = [['user', /"role":"\w+"/, '"role":"nobody.knows.it"', /user: 'role' must be a role/],
    ['agent', /"role":"\w+"/, '"role":"owner"', /agent: 'role' must be a role/],
    ['user', /"email":"[^"]+"/, '"email":"not an address"', /user: 'email' must be/],
    ['account', /"settings":"(?:[^"\\]|\\.)*"/, '"settings":"no JSON"', /account: 'settings' must be JSON/],
    ['pool', /"pool_type":"\w+"(.*)"workflow_run_id":(?:null|"[^"]*")/, '"pool_type":"blackboard"$1"workflow_run_id":"zz"', /pool: 'workflow_run_id' must be a run/]];
  for (const [table, from, to, why] of cases) {
    const at = lines.findIndex((l) => l.startsWith(`{"table":"${table}"`));
    writeFileSync(path, `${summed(lines.map((l, i) => (i === at ? l.replace(from, to) : l))).join('\n')}\n`);
    const said = await ctlFails('import', '--account', slug, '--from', path);
    assert.ok(said.startsWith(`locictl: line ${at + 1}: `), said);
    assert.match(said, why);
  }
});
