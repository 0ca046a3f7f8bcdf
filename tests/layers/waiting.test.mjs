// Tests wait for one answer (settled) or move the clock; docs/decisions/0026-clock.md. What still sleeps, or asks again and again, is counted here.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, filesBelow } from './source.mjs';

// Calls in each file; may only become fewer. What is left waits for a process, a listener, a receiver or a browser.
const LEFT = {
@@
};

const WAITS = /(?<![\w.])(setTimeout|sleep|until|untilByMeaning|withinDay|usleep|nanosleep)\s*\(/g;
const files = ['tests/api', 'tests/mcp', 'tests/browser', 'tests/unit'].flatMap(filesBelow).filter((p) => /\.(mjs|c)$/.test(p));
const count = (path) => readFileSync(join(root, path), 'utf8').split('\n').filter((l) => !/^\s*(\/\/|\*|\/\*)/.test(l)).join('\n').match(WAITS)?.length ?? 0;

test('tests sleep and poll no more than they did', () => {
    const now = Object.fromEntries(files.map((p) => [p.replace('tests/', ''), count(p)]).filter(([, n]) => n));
    assert.deepEqual(now, LEFT, `a test waits with settled() or moveClock() of ${basename('tests/api/client.mjs')}; where there are fewer now, write that down here`);
});
