#!/usr/bin/env node
// Formats the C sources: scripts/format.mjs, or scripts/format.mjs --check to name what would change.
// clang-format decides all but the inside of statements, tables and macros of several lines: where those break is
// the author's choice, for its one shape of a table turns the six lines of an operation into twelve.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { filesBelow, blank, root } from '../tests/layers/source.mjs';
import { basename, join } from 'node:path';

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

/** The text with marks around what is kept, for clang-format. */
function marked(text) {
    const lines = text.split('\n'), kept = new Set([...lines.keys()].filter((l) => isRow.test(lines[l])));
    for (const s of statements(text)) if (isKept(s)) for (let l = s[0]; l <= s[1]; l++) kept.add(l);
    return lines.flatMap((line, l) => [
        ...(kept.has(l) && !kept.has(l - 1) ? ['// clang-format off'] : []), line,
        ...(kept.has(l) && !kept.has(l + 1) ? ['// clang-format on'] : [])]).join('\n');
}

const scratch = mkdtempSync(join(tmpdir(), 'loci-format-'));
try {
    const texts = paths.map((path) => readFileSync(join(root, path), 'utf8'));
    const copies = paths.map((path, i) => join(scratch, String(i), basename(path)));
    copies.forEach((copy, i) => { mkdirSync(join(scratch, String(i))); writeFileSync(copy, marked(texts[i])); });
    writeFileSync(join(scratch, '.clang-format'), readFileSync(join(root, '.clang-format')));
    execFileSync('clang-format-14', ['-i', ...copies]);
    const wanted = copies.map((copy) => readFileSync(copy, 'utf8').replace(/^[ \t]*\/\/ clang-format (on|off)\n/gm, ''));
    const wrong = paths.filter((_, i) => wanted[i] !== texts[i]);
    if (!check) paths.forEach((path, i) => { if (wanted[i] !== texts[i]) writeFileSync(join(root, path), wanted[i]); });
    else if (wrong.length) {
        console.error(`not formatted (run scripts/format.mjs):\n${wrong.sort().join('\n')}`);
        process.exitCode = 1;
    }
} finally {
    rmSync(scratch, { recursive: true });
}
