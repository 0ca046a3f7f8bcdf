// Reads the C sources for the layer rules: which files there are, and their text without comments or strings.
import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { join, dirname, basename } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Every file below a folder of the checkout, as paths from its root; none of what npm brought. */
export function filesBelow(folder) {
    const top = join(root, folder);
    if (!existsSync(top)) return [];
    return readdirSync(top, { withFileTypes: true }).filter((entry) => entry.name !== 'node_modules').flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

/** Replaces comments, and with them strings and characters, by blanks; lines and columns stay. */
export function blank(text, { strings }) {
    const token = /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'/g;
    return text.replace(token, (match) => {
        const isComment = match.startsWith('/');
        if (!isComment && !strings) return match;
        return match.replace(/[^\n]/g, ' ');
    });
}

function load(path) {
    const text = readFileSync(join(root, path), 'utf8');
    const parts = path.split('/');
    return {
        path,
        name: basename(path),
        room: parts.length > 2 ? parts[1] : '',             // '' is src/ itself: the programs
        text,
        code: blank(text, { strings: true }),
        codeAndStrings: blank(text, { strings: false }),
        lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
        includes: [...blank(text, { strings: false }).matchAll(/^[ \t]*#[ \t]*include[ \t]*"([^"]+)"/gm)]
            .map((m) => ({ header: m[1], line: text.slice(0, m.index).split('\n').length })),
    };
}

export const sources = filesBelow('src').filter((p) => /\.[ch]$/.test(p)).map(load);

/** Where pattern (global) matches in a text: "path:line: what". */
export function places(source, text, pattern) {
    return [...text.matchAll(pattern)].map((m) =>
        `${source.path}:${text.slice(0, m.index).split('\n').length}: ${m[0].trim()}`);
}

/** Functions of a file: a brace alone in the first column opens a body, and one closes it. */
export function functions(source) {
    const found = [];
    let open = -1;
    source.code.split('\n').forEach((line, at) => {
        if (line === '{') open = at;
        else if (line.startsWith('}') && open >= 0) {
            found.push({ path: source.path, line: open, length: at - open + 1 });
            open = -1;
        }
    });
    return found;
}
