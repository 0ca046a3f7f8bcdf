// The faults, each alone: what is done to the cluster while the load runs. `at` knows who is who: {writer, other, master}.
import { setTimeout as sleep } from 'node:timers/promises';
import { cluster, until, redisMaster } from './cluster.mjs';

const AWAY_S = 8;                                    // before what was killed is started again
let freezeS = 30;
export const beQuick = () => { freezeS = 8; };

// systemd would start it again at once; here it stays away long enough that the others must do without.
const kill = (name) => async () => {
  await cluster('kill', ...name);
  await sleep(AWAY_S * 1000);
  await cluster('start', ...name);
};
const freeze = (name) => async () => {
  await cluster('freeze', ...name);
  await sleep(freezeS * 1000);
  await cluster('thaw', ...name);
};
const isolate = (name) => async () => {
  await cluster('isolate', name);
  await sleep(freezeS * 500);
  await cluster('join', name);
};

async function rolling(at) {
  for (const name of ['db3', 'db2', 'db1', 'redis3', 'redis2', 'redis1', 'sentinel3', 'sentinel2', 'sentinel1', 'web1', 'web2', 'scheduler1', 'scheduler2']) {
    await cluster('restart', name);
    if (name.startsWith('redis')) await until('a master', redisMaster);
    await sleep(2000);
  }
  for (const name of ['nginx1', 'nginx2']) await cluster('restart', name);
  at.rolled = true;
}

// What a packager does: a new program in the place of the old one, which answers what it has and ends.
async function upgrade() {
  await cluster('restart', 'web1');
  await sleep(5000);
  await cluster('restart', 'web2');
  await sleep(5000);
}

export const FAULTS = [
  { name: 'nothing', quick: true, run: () => () => sleep(8000) },
  { name: 'kill -9 of the writer node', quick: true, run: (at) => kill([at.writer]) },
  { name: 'kill -9 of another node', run: (at) => kill([at.other]) },
  { name: 'kill -9 of a web host', quick: true, run: () => kill(['nginx1', 'web1']) },
  { name: 'kill -9 of a scheduler', run: () => kill(['scheduler1']) },
  { name: 'kill -9 of the Redis master', quick: true, run: (at) => kill([at.master]) },
  { name: 'SIGSTOP of the writer node', quick: true, run: (at) => freeze([at.writer]) },
  { name: 'SIGSTOP of another node', run: (at) => freeze([at.other]) },
  { name: 'SIGSTOP of a web host', quick: true, run: () => freeze(['nginx1', 'web1']) },
  { name: 'SIGSTOP of a scheduler', run: () => freeze(['scheduler1']) },
  { name: 'SIGSTOP of the Redis master', run: (at) => freeze([at.master]) },
  { name: 'the writer node isolated', run: (at) => isolate(at.writer) },
  { name: 'another node isolated', run: (at) => isolate(at.other) },
  { name: 'upgrade of loci-web', quick: true, run: () => upgrade },
  { name: 'rolling restart of all', run: (at) => () => rolling(at) },
  { name: 'kill -9 of all nodes at once', quick: true, outage: true, run: () => async () => {
    await cluster('kill', 'db1', 'db2', 'db3');
    await cluster('start', 'db1', 'db2', 'db3');
  } },
];
