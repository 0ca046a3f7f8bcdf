// The token bucket: one caller's flood is answered 429 and when to come back, others are not touched.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { Agent, request } from 'node:http';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { BASE, call, expectStatus, freshAccount, freshAgent, until } from './client.mjs';

let account;
before(async () => { account = await freshAccount(); });

const limits = (headers) => Object.fromEntries(['limit', 'remaining', 'reset'].map((n) => [n, Number(headers.get?.(`ratelimit-${n}`) ?? headers[`ratelimit-${n}`])]));

test('every answer says what is left, and it goes down', async () => {
  const { token } = await freshAgent(account);
  const first = limits((await expectStatus(200, 'GET', '/api/v1/me', { token })).headers);
  assert.ok(first.limit >= 1 && first.remaining < first.limit && first.reset >= 0, JSON.stringify(first));
  const refused = await call('GET', '/api/v1/users', { token });
  assert.ok(limits(refused.headers).limit === first.limit, 'also one that is refused');
});

// Uses the bucket of a token up, for some seconds to come: it is kept as the instant up to which it is used.
async function drain({ token }, seconds) {
  const me = (await expectStatus(200, 'GET', '/api/v1/me', { token })).data;
  const { limit } = limits((await call('GET', '/api/v1/me', { token })).headers);
  const room = (limit / 5000) * 1e6;       // rate_per_s of the stack
  const used = Date.now() * 1000 + room + seconds * 1e6;
  await promisify(execFile)('redis-cli', ['-s', process.env.LOCI_REDIS_SOCKET, 'SET', `loci:{${me.account_id}}:rate:${me.token_id}`, used.toFixed(0), 'PX', '60000']);
}

// As many requests as fit through some connections, until one is refused or the number is done.
async function flood(token, most) {
  const agent = new Agent({ keepAlive: true, maxSockets: 24 });
  let sent = 0, refused;
  const one = () => new Promise((resolve, reject) => {
    const r = request(`${BASE}/api/v1/me`, { agent, headers: { Authorization: `Bearer ${token}` } }, (res) => {
      let text = '';
      res.on('data', (d) => { text += d; });
      res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, text }));
    });
    r.on('error', reject);
    r.end();
  });
  const worker = async () => {
    while (!refused && sent < most) {
      sent++;
      const r = await one();
      assert.ok([200, 429].includes(r.status), r.text);
      if (r.status === 429) refused = r;
    }
  };
  await Promise.all(Array.from({ length: 24 }, worker));
  agent.destroy();
  return { refused, sent };
}

test('past the burst: 429 with Retry-After, for this token only, and it passes', async (t) => {
  const [mine, other] = [await freshAgent(account), await freshAgent(account)];
  // The stack's bucket refills faster than a slow machine can send, so it is emptied by hand.
  await drain(mine, 5);
  const { refused, sent } = await flood(mine.token, 4000);
  t.diagnostic(`${sent} requests until the first refusal`);
  assert.ok(refused, 'never refused');
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assert.equal(limits(refused.headers).remaining, 0);
  const body = JSON.parse(refused.text);
  assert.deepEqual([body.code, body.status, body.success], ['RATE_LIMITED', 429, false]);
  await expectStatus(200, 'GET', '/api/v1/me', { token: other.token });
  await until('the bucket to fill', async () => (await call('GET', '/api/v1/me', { token: mine.token })).status === 200);
});

test('a caller pays for its requests, not for the changes of others', async () => {
  const { token } = await freshAgent(account), other = await freshAgent(account);
  const before = limits((await expectStatus(200, 'GET', '/api/v1/me', { token })).headers);
  for (let i = 0; i < 60; i++) {
    await expectStatus(201, 'POST', '/api/v1/spaces', { token: other.token, body: { name: `S ${i}` } });
    await expectStatus(200, 'GET', '/api/v1/me', { token });
  }
  const after = limits((await expectStatus(200, 'GET', '/api/v1/me', { token })).headers);
  assert.ok(before.remaining - after.remaining <= 200, `${before.remaining - after.remaining} for 61 requests`);
});
