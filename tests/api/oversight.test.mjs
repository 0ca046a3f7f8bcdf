// How things stand: one answer over escalations, proposals, goals, observations and trust; agents see their own, other accounts nothing.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectStatus, freshAccount, freshAgent } from './client.mjs';

let account;
const standing = async (token) => {
  const { figures } = (await expectStatus(200, 'GET', '/api/v1/ai/oversight', { token })).data;
  return Object.fromEntries(figures.map((f) => [`${f.what} ${f.which}`, f.n]));
};
before(async () => { account = await freshAccount(); });

test('what is open is counted by severity, status and tier', async () => {
  const token = account.token, other = await freshAgent(account);
  for (const severity of ['high', 'high', 'low']) await expectStatus(200, 'POST', '/api/v1/ai/escalations', { token, body: { title: `It is ${severity} ${Math.random()}`, escalation_type: 'stuck', severity } });
  await expectStatus(201, 'POST', '/api/v1/ai/goals', { token, body: { title: 'Be there', goal_type: 'maintenance' } });
  await expectStatus(201, 'POST', '/api/v1/ai/observations', { token: other.token, body: { sensor_type: 'budget', observation_type: 'alert', severity: 'warning', title: 'Half is used' } });
  await expectStatus(201, 'POST', '/api/v1/ai/proposals', { token, body: { proposal_type: 'feature', title: 'A light', description: 'Put a light on the pier.', priority: 'high' } });
  const all = await standing(account.owner), own = await standing(token), others = await standing(other.token);
  assert.deepEqual([all['escalations high'], all['escalations low'], all['goals pending'] ?? all['goals active'], all['observations warning'], all['proposals high']], [2, 1, 1, 1, 1], JSON.stringify(all));
  assert.ok(all['tiers supervised'] >= 2 && !Object.keys(all).some((k) => /overdue|exhausted/.test(k)), JSON.stringify(all));
  assert.deepEqual([own['escalations high'], own['observations warning'], own['tiers supervised']], [2, undefined, 1]);
  assert.deepEqual([others['escalations high'], others['observations warning']], [undefined, 1]);
});

test('another account has nothing of it', async () => {
  const stranger = await freshAccount();
  assert.deepEqual(Object.keys(await standing(stranger.owner)).filter((k) => !k.startsWith('tiers ')), []);
});
