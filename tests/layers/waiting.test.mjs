// Tests wait for one answer (settled) or move the clock; docs/decisions/0026-clock.md. What still sleeps, or asks again and again, is counted here.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, filesBelow } from './source.mjs';

// Calls in each file; may only become fewer. What is left waits for a process, a listener, a receiver or a browser.
const LEFT = {
    'api/after_ranking.test.mjs': 3,
    'api/asked_for.test.mjs': 5,
    'api/calibrate.test.mjs': 5,
    'api/cgi.test.mjs': 1,
    'api/client.mjs': 4,
    'api/coherence.test.mjs': 16,
    'api/context_copy.test.mjs': 1,
    'api/db.mjs': 1,
    'api/documents.test.mjs': 1,
    'api/embed.test.mjs': 25,
    'api/entries.test.mjs': 1,
    'api/erase_kill.test.mjs': 6,
    'api/events.mjs': 1,
    'api/events.test.mjs': 28,
    'api/hold.test.mjs': 1,
    'api/idempotency_kill.test.mjs': 2,
    'api/jobs.test.mjs': 4,
    'api/junk.test.mjs': 1,
    'api/kill.test.mjs': 9,
    'api/knowledge.test.mjs': 2,
    'api/knowledge_queries.test.mjs': 2,
    'api/large.test.mjs': 1,
    'api/learnings.test.mjs': 1,
    'api/locictl.test.mjs': 2,
    'api/logs.test.mjs': 1,
    'api/mcp.test.mjs': 1,
    'api/memories.test.mjs': 1,
    'api/memory_jobs.test.mjs': 4,
    'api/memory_kill.test.mjs': 5,
    'api/nodes.test.mjs': 2,
    'api/noise.mjs': 1,
    'api/outage.test.mjs': 4,
    'api/pools.test.mjs': 4,
    'api/promotion.test.mjs': 3,
    'api/random.test.mjs': 1,
    'api/rate.test.mjs': 1,
    'api/recall.test.mjs': 2,
    'api/restart.test.mjs': 2,
    'api/rot.test.mjs': 2,
    'api/schedulers.test.mjs': 6,
    'api/short_term.test.mjs': 4,
    'api/signals.test.mjs': 1,
    'api/spaces.test.mjs': 1,
    'api/storage.test.mjs': 1,
    'api/tiers.test.mjs': 6,
    'api/transfer.test.mjs': 5,
    'api/webhooks.test.mjs': 23,
    'api/wiki_kill.test.mjs': 2,
    'api/words.test.mjs': 1,
    'api/working.test.mjs': 1,
    'api/world.mjs': 2,
    'browser/away.test.mjs': 1,
    'browser/charts.test.mjs': 2,
    'browser/duplicates.test.mjs': 1,
    'browser/htmx.test.mjs': 1,
    'browser/lib/harbour.mjs': 2,
    'browser/lib/live.mjs': 2,
    'browser/lib/tour.mjs': 2,
    'browser/pools.test.mjs': 1,
    'browser/webhooks.test.mjs': 8,
    'unit/fake_http.c': 1,
    'unit/graphtest.c': 1,
    'unit/stack.c': 1,
    'unit/test_db_hosts.c': 1,
    'unit/test_db_loss.c': 3,
    'unit/test_kv.c': 4,
    'unit/test_kv_sentinel.c': 2,
    'unit/test_log.c': 1,
    'unit/test_node_cache.c': 1,
    'unit/test_session.c': 3,
    'unit/test_vectors.c': 5,
};

const WAITS = /(?<![\w.])(setTimeout|sleep|until|untilByMeaning|withinDay|usleep|nanosleep)\s*\(/g;
const files = ['tests/api', 'tests/mcp', 'tests/browser', 'tests/unit'].flatMap(filesBelow).filter((p) => /\.(mjs|c)$/.test(p));
const count = (path) => readFileSync(join(root, path), 'utf8').split('\n').filter((l) => !/^\s*(\/\/|\*|\/\*)/.test(l)).join('\n').match(WAITS)?.length ?? 0;

test('tests sleep and poll no more than they did', () => {
    const now = Object.fromEntries(files.map((p) => [p.replace('tests/', ''), count(p)]).filter(([, n]) => n));
    assert.deepEqual(now, LEFT, `a test waits with settled() or moveClock() of tests/api/client.mjs; where there are fewer now, write that down here`);
});
