// What other programs take of a machine that is shared: the benches print it beside their ratios.
import { readFileSync } from 'node:fs';
import { stack } from '../api/client.mjs';

// Seconds of processors that programs other than this stack and this one have used: on a machine that is shared, they are missing.
const HZ = 100, NAMES = ['db', 'redis', 'web', 'scheduler'], OURS = await Promise.all(NAMES.map(async (name) => (await stack('pid', name)).stdout.trim()));
const timesOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
const ticks = (f) => Number(f[11]) + Number(f[12]);

// Seconds of processors that each program of the stack has used.
export const ourTime = () => Object.fromEntries(OURS.map((pid, i) => [NAMES[i], ticks(timesOf(pid)) / HZ]));

export function othersTime() {
  const busy = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/ +/).slice(1).map(Number);
  const ours = OURS.map(timesOf).reduce((sum, f) => sum + ticks(f), 0);
  const { user, system } = process.cpuUsage();
  return (busy[0] + busy[1] + busy[2] - ours) / HZ - (user + system) / 1e6;
}
