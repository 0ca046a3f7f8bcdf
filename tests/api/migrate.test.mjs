// Migrations: twice is once, every way leads to the same schema, a failed one names itself and changes nothing.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { unique } from './client.mjs';
import { sql } from './db.mjs';

const root = new URL('../../', import.meta.url).pathname;
const files = readdirSync(join(root, 'sql')).sort();
const folder = mkdtempSync(join(tmpdir(), 'loci-migrate-'));
const databases = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const d of databases) await sql(`DROP DATABASE ${d}`, null);
});

// locictl on a database of its own, whose migrations are those of data/sql: resolves to {code, out, err}.
async function migrate(database, data) {
  const env = { ...process.env, LOCI_DB_NAME: database, LOCI_PATHS_DATA: data };
  delete env.LOCI_DB_SOCKET;
  const r = await promisify(execFile)(process.env.LOCI_CTL, ['--config', process.env.LOCI_CONF, 'migrate'], { env }).catch((e) => e);
  return { code: r.code ?? 0, out: r.stdout, err: r.stderr };
}

async function fresh() {
  const name = `loci_${unique('m').replace('-', '_')}`;
  await sql(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`, null);
  databases.push(name);
  return name;
}

function dataWith(names) {
  const data = mkdtempSync(join(folder, 'data-'));
  for (const f of names) cpSync(join(root, 'sql', f), join(data, 'sql', f));
  return data;
}

// Everything that makes a schema, and the rows that come with it.
async function schema(database) {
  const ask = (q) => sql(q.replaceAll('@db', `'${database}'`), null);
  const rows = await Promise.all([
    ask('SELECT table_name, engine, table_collation, table_comment FROM information_schema.tables WHERE table_schema = @db ORDER BY 1'),
    ask('SELECT table_name, column_name, ordinal_position, column_default, is_nullable, column_type, character_set_name, collation_name, column_comment FROM information_schema.columns WHERE table_schema = @db ORDER BY 1, 3'),
    ask('SELECT table_name, index_name, seq_in_index, column_name, non_unique FROM information_schema.statistics WHERE table_schema = @db ORDER BY 1, 2, 3'),
    ask('SELECT table_name, constraint_name, check_clause FROM information_schema.check_constraints WHERE constraint_schema = @db ORDER BY 1, 2'),
    ask('SELECT constraint_name, table_name, referenced_table_name, delete_rule FROM information_schema.referential_constraints WHERE constraint_schema = @db ORDER BY 1'),
    sql('SELECT account_id, name, kind, description FROM role ORDER BY 1, 2', database),
    sql('SELECT account_id, role, permission FROM role_permission ORDER BY 1, 2, 3', database),
    sql('SELECT version, name, checksum FROM schema_migration ORDER BY 1', database),
  ]);
  return JSON.stringify(rows, null, 1);
}

let whole;
before(async () => {
  const db = await fresh();
  const r = await migrate(db, root);
  assert.equal(r.code, 0, r.err);
  assert.match(r.out, new RegExp(`^${files.length} migrations applied, 0 already present; the schema is at ${files.at(-1).slice(0, -4)}`));
  whole = { db, schema: await schema(db) };
});

test('a second run changes nothing', async () => {
  const r = await migrate(whole.db, root);
  assert.match(r.out, new RegExp(`^0 migrations applied, ${files.length} already present`));
  assert.equal(await schema(whole.db), whole.schema);
});

test('from each earlier version the same schema comes out', async () => {
  for (let n = 1; n < files.length; n++) {
    const db = await fresh();
    assert.equal((await migrate(db, dataWith(files.slice(0, n)))).code, 0);
    const r = await migrate(db, root);
    assert.equal(r.code, 0, r.err);
    assert.equal(await schema(db), whole.schema, `from ${files[n - 1]}`);
  }
});

test('two that start at once apply each migration once', async () => {
  const db = await fresh();
  const both = await Promise.all([migrate(db, root), migrate(db, root)]);
  for (const r of both) assert.equal(r.code, 0, r.err);
  assert.equal(both.map((r) => Number(/^(\d+) migrations applied/.exec(r.out)[1])).reduce((a, b) => a + b), files.length);
  assert.equal(await schema(db), whole.schema);
});

test('every migration may be run again after it failed half-way', async () => {
  const db = await fresh();
  assert.equal((await migrate(db, root)).code, 0);
  await sql('DELETE FROM schema_migration', db);
  const r = await migrate(db, root);
  assert.equal(r.code, 0, r.err);
  assert.equal(await schema(db), whole.schema);
});

test('a failed migration names itself and its statement, and changes nothing', async () => {
  const db = await fresh(), data = dataWith(files);
  await migrate(db, root);
  await sql("INSERT INTO account (id, slug, name, created_at, updated_at) VALUES (UUID(), 'kept', 'Kept', NOW(6), NOW(6))", db);
  const before = await schema(db), rows = await sql('SELECT * FROM account', db);
  writeFileSync(join(data, 'sql', '9001-broken.sql'), "-- a change that does not work\nUPDATE account SET name = 'Changed';\nINSERT INTO nowhere VALUES (1);\n");
  for (let i = 0; i < 2; i++) {
    const r = await migrate(db, data);
    assert.equal(r.code, 1, r.out);
    assert.match(r.err, /9001-broken/);
    assert.match(r.err, /statement 2/);
    assert.match(r.err, /nowhere/);
    assert.equal(await schema(db), before);
    assert.deepEqual(await sql('SELECT * FROM account', db), rows);
  }
});

test('a migration that was changed afterwards, or that this program does not know, stops everything', async () => {
  const db = await fresh(), data = dataWith(files);
  await migrate(db, data);
  appendFileSync(join(data, 'sql', files[0]), '\n-- later\n');
  const changed = await migrate(db, data);
  assert.equal(changed.code, 1);
  assert.match(changed.err, new RegExp(`${files[0].slice(0, -4)} was changed`));
  await sql("INSERT INTO schema_migration SELECT 9999, '9999-future', checksum, applied_at, ms FROM schema_migration LIMIT 1", db)
    .catch(async () => sql("INSERT INTO schema_migration (version, name, checksum) VALUES (9999, '9999-future', REPEAT('0', 64))", db));
  const newer = await migrate(db, root);
  assert.equal(newer.code, 1);
  assert.match(newer.err, /9999-future/);
});

test('names that are none, and two of one number', async () => {
  const db = await fresh();
  for (const name of ['12-x.sql', 'x.sql', '0001_ground.sql', `${files[0].slice(0, 4)}-twin.sql`]) {
    const data = dataWith(files);
    writeFileSync(join(data, 'sql', name), 'SELECT 1;\n');
    const r = await migrate(db, data);
    assert.equal(r.code, 1, name);
    assert.ok(r.err.includes(name.slice(0, -4)), r.err);
    assert.deepEqual(await sql(`SELECT table_name FROM information_schema.tables WHERE table_schema = '${db}' AND table_name NOT IN ('schema_migration', 'schema_lease')`, null), []);
  }
});

test('every table and every column says what it is for', async () => {
  const tables = await sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'loci' AND table_type = 'BASE TABLE' AND table_comment = ''");
  const columns = await sql("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'loci' AND column_comment = ''");
  assert.deepEqual([tables, columns], [[], []]);
});

test('every table has a primary key, InnoDB, and texts in utf8mb4 or ascii', async () => {
  assert.deepEqual(await sql(`SELECT t.table_name FROM information_schema.tables t WHERE t.table_schema = 'loci' AND t.table_type = 'BASE TABLE' AND
    (t.engine <> 'InnoDB' OR NOT EXISTS (SELECT 1 FROM information_schema.statistics s WHERE s.table_schema = 'loci' AND s.table_name = t.table_name AND s.index_name = 'PRIMARY'))`), []);
  assert.deepEqual(await sql("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'loci' AND character_set_name NOT IN ('utf8mb4', 'ascii')"), []);
});

test('every row of a tenant begins its key with the account', async () => {
  const rest = new Set(['account', 'schema_migration', 'schema_lease', 'job', 'job_run', 'task', 'scheduler', 'job_metric']);
  const firsts = await sql("SELECT table_name, column_name FROM information_schema.statistics WHERE table_schema = 'loci' AND index_name = 'PRIMARY' AND seq_in_index = 1");
  assert.deepEqual(firsts.filter(([t, c]) => c !== 'account_id' && !rest.has(t)), []);
});

test('the running stack has this very schema', async () => {
  const own = JSON.parse(await schema('loci')), other = JSON.parse(whole.schema);
  for (const i of [0, 1, 2, 3, 4]) assert.deepEqual(own[i], other[i]);
});
