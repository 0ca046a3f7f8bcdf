#!/usr/bin/env node
// Formats the C sources: scripts/format, or scripts/format --check to name what would change.
// clang-format decides all but the inside of statements, tables and macros of several lines: where those break is
// the author's choice, for its one shape of a table turns the six lines of an operation into twelve.
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { readFileSync, writeFileSync } from 'node:fs';
import { filesBelow, blank, root } from '../tests/layers/source.mjs';
import { join } from 'node:path';

const run = promisify(execFile);
const check = process.argv.includes('--check');
const named = process.argv.slice(2).filter((a) => !a.startsWith('-'));
const paths = named.length ? named : ['src', 'tests'].flatMap(filesBelow).filter((p) => /\.[ch]$/.test(p));

/** Statements as [first line, last line, text]; the head of an if or a loop is one of its own, a table belongs to its statement. */
function statements(text) {
    const code = blank(text, { strings: true }), found = [], braces = [];       // true: of a table
    let start = -1, parens = 0, line = 0, startLine = 0, directive = false;
    const close = (at, last = line) => {
        found.push([startLine, last, text.slice(start, at)]);
        start = -1;
        parens = 0;
    };
    for (let at = 0; at < code.length; at++) {
        const c = code[at], said = start < 0 ? '' : code.slice(start, at);
        if (c === '\n') {
            if (start >= 0 && (directive ? code[at - 1] !== '\\' : /^else\s*$/.test(said))) close(at);
            line++;
        }
        if (/\s/.test(c)) continue;
        if (start < 0) { start = at; startLine = line; directive = c === '#'; }
        if (directive) continue;
        const inTable = braces.at(-1) === true;
        if (c === '(') parens++;
        else if (c === ')' && --parens === 0 && !inTable && /^(else\s+)?(if|for|while|switch)\b/.test(said)) close(at + 1);
        else if (c === '{') {
            braces.push(inTable || parens > 0 || /[=,({]\s*$/.test(said) || (/\)$/.test(said)) || /^(typedef\s+)?enum\b|^static\b[^()]*\bstruct\b[^()]*$/.test(said));
            if (!braces.at(-1)) close(at, startLine + said.trimEnd().split('\n').length - 1);
        } else if (c === '}') {
            if (!braces.pop()) start = -1;
        } else if (parens <= 0 && !inTable && (c === ';' || (c === ':' && /^(case\b|default$)/.test(said)))) close(at + 1);
    }
    return found;
}

/** Does the author decide the lines of this statement? */
const isKept = ([first, last, text]) => first !== last || (text.match(/ \? /g) ?? []).length > 1 || /^(typedef\s+)?enum\b.*\{|^__attribute__/.test(text);
const isRow = /^(struct \w+ \{.*\};|#define .*\{.*\})/;

async function formatted(path, text) {
    const lines = text.split('\n'), kept = new Set([...lines.keys()].filter((l) => isRow.test(lines[l])));
    for (const s of statements(text)) if (isKept(s)) for (let l = s[0]; l <= s[1]; l++) kept.add(l);
    const ranges = [];
    for (let l = 0, from = 0; l <= lines.length; l++) {
        if (l < lines.length && !kept.has(l)) continue;
        if (l > from) ranges.push(`--lines=${from + 1}:${l}`);
        from = l + 1;
    }
    const child = run('clang-format-14', [`--assume-filename=${path}`, ...ranges], { encoding: 'utf8', cwd: root, maxBuffer: 1 << 26 });
    child.child.stdin.end(text);
    return (await child).stdout;
}

const wrong = [];
async function work() {
    for (let path; (path = paths.pop());) {
        const text = readFileSync(join(root, path), 'utf8'), want = await formatted(path, text);
        if (want === text) continue;
        wrong.push(path);
        if (!check) writeFileSync(join(root, path), want);
    }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
if (check && wrong.length) {
    console.error(`not formatted (run scripts/format):\n${wrong.sort().join('\n')}`);
    process.exit(1);
}
