// scripts/cluster, and what its servers say of themselves.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

const exec = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
export const dir = `${root}var/cluster`;
export const DBS = ['db1', 'db2', 'db3'];

export const cluster = (...args) => exec(`${root}scripts/cluster`, args, { timeout: 300000, env: { ...process.env, LOCI_PORT: '' } });
export const settings = () => Object.fromEntries(readFileSync(`${dir}/dev.env`, 'utf8').trim().split('\n').map((line) => { const at = line.indexOf('='); return [line.slice(0, at), line.slice(at + 1)]; }));

export async function ctl(...args) {
  const { stdout } = await exec(`${dir}/bin/locictl`, ['--config', `${dir}/conf/loci.conf`, ...args]);
  return stdout.trimEnd();
}

// Rows of a statement at one node.
export async function sql(node, statement) {
  const { stdout } = await exec('mariadb', ['--no-defaults', '-S', `${dir}/run/${node}.sock`, '-N', '-B', 'loci', '-e', statement], { maxBuffer: 1 << 28, timeout: 60000 });
  return stdout.split('\n').filter(Boolean).map((line) => line.split('\t'));
}

export async function until(what, ask, tries = 600) {
  for (let i = 0; i < tries; i++) {
    const got = await ask().catch(() => undefined);
    if (got) return got;
    await sleep(200);
  }
  throw new Error(`${what} did not come about`);
}

const redis = async (...args) => (await exec('redis-cli', args, { timeout: 3000 })).stdout.trim().split('\n');

// The Redis that is master: two Sentinels say so.
export async function redisMaster() {
  const said = await Promise.all([1, 2, 3].map((i) => redis('-h', `127.0.0.2${i}`, '-p', '26379', 'sentinel', 'get-master-addr-by-name', 'loci').then(([a]) => a).catch(() => '')));
  return `redis${said.sort()[1].slice(-1)}`;
}

// Which node commits for the load: the one whose own commits grow most.
export async function writer() {
  const count = () => Promise.all(DBS.map(async (db) => Number((await sql(db, "SHOW STATUS LIKE 'wsrep_local_commits'"))[0][1])));
  const before = await count();
  await sleep(2000);
  const grown = (await count()).map((n, i) => n - before[i]), order = [0, 1, 2].sort((a, b) => grown[b] - grown[a]);
  return { writer: DBS[order[0]], other: DBS[order[2]], grown };
}

// All nodes are there, have the same history, and Redis has a master with two replicas.
export async function whole() {
  await until('a whole cluster', async () => {
    const rows = await Promise.all(DBS.map((db) => sql(db, "SHOW STATUS WHERE variable_name IN ('wsrep_local_state_comment', 'wsrep_cluster_size', 'wsrep_cluster_status', 'wsrep_last_committed')")));
    const of = (row, name) => row.find(([n]) => n === name)?.[1];
    return rows.every((r) => of(r, 'wsrep_cluster_size') === '3' && of(r, 'wsrep_cluster_status') === 'Primary' && of(r, 'wsrep_local_state_comment') === 'Synced');
  });
  await until('a whole Redis', async () => (await redis('-h', `127.0.0.2${(await redisMaster()).slice(-1)}`, 'info', 'replication')).filter((l) => /^slave\d:.*state=online/.test(l)).length === 2);
}
