// Restarts under load lose no request: with a socket that a service manager keeps open, and with one at a path.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { BASE2, call, expectStatus, freshAccount, stack, unique, until } from './client.mjs';

const RESTARTS = 4;
const run = join(process.env.LOCI_STACK ?? '', 'run');
let account, token;
before(async () => {
  account = await freshAccount();
  ({ token } = account);
});
after(() => stack('start', 'web2'));

// Asks on until it is told to stop, over connections that nginx keeps, and over new ones: reads, writes that may not be repeated,
// bodies of several pieces, and one who waits for events.
function load() {
  const state = { stop: false, asked: 0, lost: [], written: [] };
  const body = { kind: 'note', title: 'restart', body: unique('text'), allow_duplicate: true };
  const large = { ...body, body: 'a long text '.repeat(8000) };
  const ask = async (status, method, path, options = {}) => {
    state.asked++;
    const r = await call(method, path, { token, base: BASE2, check: false, ...options }).catch((e) => ({ status: 0, text: String(e.cause ?? e) }));
    if (r.status !== status) state.lost.push(`${method} ${path}: ${r.status} ${r.text.slice(0, 200)}`);
    return r;
  };
  const write = async (what) => {
    const r = await ask(201, 'POST', '/api/v1/nodes', { body: what });
    if (r.status !== 201) return;
    state.written.push(r.data.id);
    await ask(200, 'PATCH', `/api/v1/nodes/${r.data.id}`, { body: { title: 'changed' } });
  };
  const kinds = [() => write(body), () => write(body), () => write(large), () => ask(200, 'GET', '/api/v1/me'),
    () => ask(200, 'GET', '/api/v1/events?wait=2&kinds=nothing.here')];
  const one = async (i) => { while (!state.stop) await kinds[i % kinds.length](); };
  state.done = Promise.all(Array.from({ length: 30 }, (_, i) => one(i)));
  return state;
}

async function restartsUnderLoad(t, how, restart) {
  const l = load();
  let longest = 0;
  for (let i = 0; i < RESTARTS && !l.lost.length; i++) {
    const from = l.asked;
    await until('requests', () => l.asked > from + 100 || l.lost.length);
    const stopping = Date.now();
    await restart();
    longest = Math.max(longest, Date.now() - stopping);
  }
  const from = l.asked;
  await until('requests after the last restart', () => l.asked > from + 100 || l.lost.length);
  l.stop = true;
  await l.done;
  t.diagnostic(`${how}: ${RESTARTS} restarts, ${l.asked} requests, ${l.lost.length} lost; the longest restart took ${longest} ms`);
  assert.deepEqual(l.lost.slice(0, 5), [], `${l.lost.length} of ${l.asked} lost`);
  for (const id of l.written) assert.equal((await expectStatus(200, 'GET', `/api/v1/nodes/${id}?touch=false`, { token })).data.title, 'changed');
}

// A listening socket at the path, which this process opens and then leaves to another.
async function listening(path) {
  const server = createServer();
  server.listen(`${path}.test`);
  await once(server, 'listening');
  await rename(`${path}.test`, path);
  return server;
}

// What systemd does: it owns the sockets, and starts one loci-web after another that inherit them.
async function manager() {
  const sockets = [await listening(join(run, 'web2.sock')), await listening(join(run, 'web2-events.sock'))];
  const program = join(dirname(process.env.LOCI_CTL), 'loci-web');
  const script = `while read -r word; do
    if [ "$word" = start ]; then
      LISTEN_FDS=2 bash -c 'LISTEN_PID=$$ exec "$0" --config "$1"' '${program}' '${process.env.LOCI_CONF}' >&2 & pid=$!
    else
      kill -"$word" $pid; wait $pid
    fi; echo "$?"; done; kill -KILL $pid`;
  const child = spawn('bash', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore', ...sockets.map((s) => s._handle.fd)] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (const s of sockets) s.close();
  return {
    say: async (word) => {
      child.stdin.write(`${word}\n`);
      return (await answers.next()).value;
    },
    end: async () => {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}

test('the socket is inherited, as from systemd', async (t) => {
  await stack('stop', 'web2');
  const m = await manager();
  try {
    await m.say('start');
    await expectStatus(200, 'GET', '/readyz', { base: BASE2 });
    await restartsUnderLoad(t, 'inherited socket', async () => {
      assert.equal(await m.say('TERM'), '0', 'it ends by itself, without an error');
      await m.say('start');
    });
    // Nobody runs: what comes is answered by the next one.
    await m.say('TERM');
    const waiting = [call('GET', '/api/v1/me', { token, base: BASE2 }), call('GET', '/api/v1/events?limit=1', { token, base: BASE2 })];
    await m.say('start');
    for (const r of await Promise.all(waiting)) assert.equal(r.status, 200, r.text);
    await m.say('TERM');
  } finally {
    await m.end();
  }
});

test('the socket is at a path: the new process takes its place before the old one ends', async (t) => {
  await stack('start', 'web2');
  const pid = () => readFile(join(run, 'web2.pid'), 'utf8');
  const first = await pid();
  await restartsUnderLoad(t, 'socket at a path', () => stack('restart', 'web2'));
  assert.notEqual(await pid(), first);
  await stack('stop', 'web2');
  await assert.rejects(readFile(join(run, 'web2.sock')), { code: 'ENOENT' });
});
