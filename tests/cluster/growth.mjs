// Requests a second of reads, writes and recalls, with one web host and with both, each client with an account of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './client.mjs';

const HOSTS = ['http://127.0.0.31:8080', 'http://127.0.0.32:8080'];
const CLIENTS = 8;

const KINDS = {
  reads: (a) => ['GET', `/api/v1/nodes/${a.node}?touch=false`, {}],
  writes: (a, n) => ['POST', '/api/v1/nodes', { body: { kind: 'note', title: `growth ${a.mark} ${n}`, body: `the harbour of ${n}` } }],
  recalls: (a, n) => ['POST', '/api/v1/recall', { body: { query: `the harbour of ${n % 50}`, touch: false, limit: 5 }, timeout: 5000 }],
};

async function measure(kind, hosts, accounts, seconds) {
  const until = Date.now() + seconds * 1000;
  let good = 0, bad = 0;
  await Promise.all(Array.from({ length: CLIENTS }, async (_, i) => {
    const account = accounts[i % accounts.length];
    for (let n = 0; Date.now() < until; n++) {
      const [method, path, options] = KINDS[kind](account, account.count++);
      const r = await ask(hosts[i % hosts.length], account.token, method, path, options);
      if (r.status >= 200 && r.status < 300) good++; else bad++;
      if (!r.status) await sleep(50);
    }
  }));
  return { rate: Math.round(good / seconds), bad };
}

// Prints a row for each kind of request.
export async function growth(accounts, seconds, print) {
  for (const account of accounts) Object.assign(account, { count: 0, mark: Math.random().toString(36).slice(2, 8) });
  for (const account of accounts) account.node = (await ask(HOSTS[0], account.token, ...KINDS.writes(account, -1))).data.id;
  for (const kind of Object.keys(KINDS)) {
    const one = await measure(kind, HOSTS.slice(0, 1), accounts, seconds), both = await measure(kind, HOSTS, accounts, seconds);
    print(`${kind.padEnd(8)} ${String(one.rate).padStart(6)}/s with one web host, ${String(both.rate).padStart(6)}/s with two${one.bad + both.bad ? `, ${one.bad + both.bad} without a good answer` : ''}`);
  }
}
