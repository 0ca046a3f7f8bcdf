// The C sources are as scripts/format.mjs leaves them, and not wider than a screen.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, filesBelow } from './source.mjs';

const WIDE = 140, WIDE_LINES = 373;          // of old code; may only shrink

test('scripts/format.mjs would change nothing', () => {
    execFileSync('node', [join(root, 'scripts/format.mjs'), '--check'], { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
});

test(`no new line is over ${WIDE} columns wide`, () => {
    const wide = ['src', 'tests'].flatMap(filesBelow).filter((p) => /\.[ch]$/.test(p))
        .flatMap((p) => readFileSync(join(root, p), 'utf8').split('\n').flatMap((l, at) => ([...l].length > WIDE ? [`${p}:${at + 1}`] : [])));
    assert.ok(wide.length <= WIDE_LINES, `${wide.length} lines are wider than ${WIDE} columns, ${WIDE_LINES} may be:\n${wide.join('\n')}`);
    assert.equal(wide.length, WIDE_LINES, `only ${wide.length} lines are too wide now: write that number into this test`);
});
