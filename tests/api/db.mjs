// What the tests ask of the database itself, past the API: were rows written, and which.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { until } from './client.mjs';

const exec = promisify(execFile);

// What loci-web holds of nodes in memory ends, since nobody tells it of what happens past the API. Without Redis it holds none.
const forget = () => exec('redis-cli', ['-s', process.env.LOCI_REDIS_SOCKET, 'PUBLISH', 'loci:changes', '?']).catch(() => {});

// The product is at work beside it: a change is one transaction, and what MariaDB takes back for another's sake is done again.
const isChange = (statement) => /^\s*(UPDATE|INSERT|DELETE)\b/.test(statement);
const asTransaction = (statement) => (isChange(statement) ? `START TRANSACTION; ${statement.replace(/[;\s]+$/, '')}; COMMIT` : statement);

// Rows of a statement as arrays of text; NULL is "NULL".
export async function sql(statement, database = 'loci') {
  const ask = () => exec('mariadb', ['--no-defaults', '--default-character-set=utf8mb4', '-S', process.env.LOCI_DB_SOCKET,
    '-u', userInfo().username, '-N', '-B', '--binary-as-hex', ...(database ? [database] : []), '-e', asTransaction(statement)], { maxBuffer: 1 << 28 });
  const again = (tries) => ask().catch((e) => {
    if (tries && isChange(statement) && /^ERROR 1213 /m.test(e.stderr)) return again(tries - 1);
    throw e;
  });
  const { stdout } = await again(20);
  if (/\bUPDATE node\b/.test(statement)) await forget();
  return stdout.split('\n').slice(0, -1).map((line) => line.split('\t'));
}

// As if the nodes had been used today already, and tomorrow, should it be near midnight: what reads them counts, but moves their importance no
// more. Said before they are read.
export const usedToday = (...ids) => sql(`UPDATE node SET last_access_at = UTC_TIMESTAMP(6) + INTERVAL 1 DAY WHERE id IN (${ids.map((id) => `'${id}'`)})`);

// Jobs that go on all the time (@every) do nothing by themselves until they are resumed; none is at work any more. What the clock would start does
// not come in a test's stack (scripts/throwaway.sh).
const named = (names) => `name IN (${names.map((n) => `'${n}'`)})`;
export async function pauseJobs(...names) {
  await sql(`UPDATE job SET paused_at = UTC_TIMESTAMP(6) WHERE ${named(names)}`);
  await until('the last pass to end', async () => (await sql(`SELECT 1 FROM job WHERE ${named(names)} AND lease_until > UTC_TIMESTAMP(6)`)).length === 0, { tries: 2400 });
}
export const resumeJobs = (...names) => sql(`UPDATE job SET paused_at = NULL, next_fire_at = UTC_TIMESTAMP(6) WHERE ${named(names)}`);

// LOCK TABLES, until the function that it resolves to was called.
export async function lock(tables) {
  const holder = spawn('mariadb', ['--no-defaults', '-S', process.env.LOCI_DB_SOCKET, '-u', userInfo().username, '-N', '-B', '-n', 'loci'], { stdio: ['pipe', 'pipe', 'inherit'] });
  holder.stdin.write(`LOCK TABLES ${tables}; SELECT 'held';\n`);
  await once(holder.stdout, 'data');
  return async () => {
    holder.stdin.end();
    await once(holder, 'exit');
  };
}

// Tables in which the scheduler or the event relay writes by itself, or a flush of reads and refusals, and columns that reading or a flush moves.
const OTHERS = new Set(['job_state', 'job_run', 'task', 'task_group', 'access_log', 'event_stream', 'event_batch', ...(process.env.LOCI_KEYED ? ['idempotency_key'] : [])]);
const MOVING = { token: ['last_used_at', 'last_ip'], node: ['access_count', 'last_access_at', 'importance', 'decayed_at'], outbox: ['published_at'], webhook: ['failing_since', 'last_success_at', 'last_failure_at', 'last_error'], context: ['access_count', 'last_accessed_at'],
  transfer: ['status', 'mark', 'bytes', 'line_count', 'report', 'error', 'bad_line', 'finished_at'] };

// What the process makes by itself a moment after a write: vectors of its own models.
const OWN = {
  webhook_delivery: () => " AND kind = 'nothing.here'",                // others the relay writes; this one is world.mjs'
  vector: (id) => ` AND model_id IN (SELECT id FROM embedding_model WHERE account_id = '${id}' AND provider = 'client')`,
  embedding_model: () => " AND provider = 'client'",
  audit_event: () => " AND NOT (actor_kind = 'system' AND kind = 'model.create')",
};

let columnsPromise;
const tables = () => (columnsPromise ??= sql(`SELECT table_name, GROUP_CONCAT(column_name ORDER BY ordinal_position)
  FROM information_schema.columns WHERE table_schema = 'loci' GROUP BY table_name HAVING SUM(column_name = 'account_id') > 0`));

// All that an account has, table by table: {table: "rows digest"}. Two that are equal mean that nothing was done.
export async function snapshot(accountId, { audit = false } = {}) {
  const parts = [`SELECT '@account'; SELECT * FROM account WHERE id = '${accountId}'`];
  for (const [table, columns] of await tables()) {
    if (OTHERS.has(table) || (table === 'audit_event' && !audit)) continue;
    const kept = columns.split(',').filter((c) => !MOVING[table]?.includes(c)).map((c) => `\`${c}\``).join(',');
    parts.push(`SELECT '@${table}'; SELECT ${kept} FROM \`${table}\` WHERE account_id = '${accountId}'${OWN[table]?.(accountId) ?? ''} ORDER BY 1, 2, 3`);
  }
  const state = {};
  let now;
  for (const row of await sql(parts.join('; '))) {
    if (row.length === 1 && row[0][0] === '@') now = state[row[0].slice(1)] = { rows: 0, hash: createHash('sha256') };
    else { now.rows++; now.hash.update(row.join('\t')); }
  }
  return Object.fromEntries(Object.entries(state).map(([t, s]) => [t, `${s.rows} ${s.hash.digest('hex').slice(0, 16)}`]));
}
