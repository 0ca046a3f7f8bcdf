// What other programs take of a machine that is shared: the benches print it beside their ratios.
import { readFileSync } from 'node:fs';
import { stack } from '../api/client.mjs';

// Seconds of processors that programs other than this stack and this one have used: on a machine that is shared, they are missing.
const HZ = 100, OURS = await Promise.all(['db', 'redis', 'web', 'scheduler'].map(async (name) => (await stack('pid', name)).stdout.trim()));
export function othersTime() {
  const busy = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/ +/).slice(1).map(Number);
  const ours = OURS.map((pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')).reduce((sum, f) => sum + Number(f[11]) + Number(f[12]), 0);
  const { user, system } = process.cpuUsage();
  return (busy[0] + busy[1] + busy[2] - ours) / HZ - (user + system) / 1e6;
}
