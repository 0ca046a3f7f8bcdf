// What people read is plain English (docs/glossary.md): no words of the list below in strings of the programs, pages and documents.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, sources, filesBelow, blank } from './source.mjs';

const WORDS = /\b(nobody|somebody|likewise|heed(s|ed)?|mend(s|ed)?|lets? go|put aside|(is|was|were|are) (not )?to be had|(it|that) goes without|whoever|errands?|news|none of ours|a fault of ours|what is the matter|out of the way|puts? away|for good|made up for|by night|is away|hears|told of|takes? (the|its|their) place|says so|what (is|was) said of)\b/gi;

// How many are left in a file. A number may become smaller, and a file may leave the list; neither may grow.
const LEFT = {
    'docs/operations.md': 2,
    'src/ctl_grant.c': 1,
    'src/graph/audit_calls.c': 1,
    'src/graph/node_calls.c': 1,
    'src/memory/junk_html.c': 1,
    'src/recall/expand.c': 1,
    'src/transfer/transfer_rule.c': 1,
    'templates/junk.mustache': 2,
    'templates/junk_rows.mustache': 1,
};

const read = (path) => readFileSync(join(root, path), 'utf8');
const SQL = /^\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|CREATE|ALTER|FROM|WHERE)\b|redis\.call/;

// Adjacent literals are one text.
function stringsOf(source) {
    return [...blank(source.text, { strings: false }).matchAll(/"(?:\\[^]|[^"\\\n])*"(?:\s*"(?:\\[^]|[^"\\\n])*")*/g)]
        .map((m) => m[0].replace(/"\s*"/g, '')).filter((s) => s.includes(' ') && !SQL.test(s.slice(1))).join('\n');
}

const texts = [
    ...sources.filter((s) => !s.path.startsWith('src/mcp/mcp_fixture')).map((s) => [s.path, stringsOf(s)]),
    ...filesBelow('templates').filter((p) => p.endsWith('.mustache')).map((p) => [p, read(p).replace(/\{\{![^]*?\}\}/g, '').replace(/\{\{[^}]*\}\}/g, '')]),
    ...['README.md', 'CHANGELOG.md', ...filesBelow('docs').filter((p) => /^docs\/[\w-]+\.md$/.test(p) && !/(benchmarks|glossary)\.md$/.test(p))].map((p) => [p, read(p)]),
];

test('what people read has none of the words of the list', () => {
    const found = texts.map(([path, text]) => [path, [...text.matchAll(WORDS)].map((m) => text.slice(Math.max(0, m.index - 30), m.index + 40).replace(/\s+/g, ' '))]);
    if (process.env.LOCI_COUNT) for (const [path, hits] of found) if (hits.length) console.log(`    '${path}': ${hits.length},`);
    const over = found.filter(([path, hits]) => hits.length > (LEFT[path] ?? 0));
    assert.equal(over.length, 0, `\n${over.map(([path, hits]) => `${path}: ${hits.length} instead of ${LEFT[path] ?? 0}: …${hits.join('… …')}…`).join('\n')}\n`);
});
