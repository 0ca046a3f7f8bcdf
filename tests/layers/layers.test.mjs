// The rules of the house that a compiler cannot see: what may include what, where SQL and memory live, what is
// banned, how long things may grow, and that no source or test is forgotten by the build.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, existsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join, basename } from 'node:path';
import { root, sources, filesBelow, places, functions } from './source.mjs';

// What all rooms stand on that know what Loci is about.
const GROUND = ['graph', 'people', 'access', 'record', 'field', 'base'];

// Top to bottom, what a folder's services may include besides itself. A new room adds a line.
const FLOORS = {
    base: [],
    field: ['base'],
    simd: ['base'],
    store: ['field', 'base'],
    net: ['base'],
    embed: ['net', 'simd', 'base'],
    llm: ['net', 'store', 'base'],              // its store keeps the budget of the day
    view: ['base'],
    record: ['store', 'field', 'base'],
    access: ['record', 'store', 'field', 'base'],
    people: ['access', 'record', 'store', 'field', 'base'],
    graph: ['people', 'access', 'record', 'store', 'simd', 'field', 'base'],
    event: ['net', 'store', ...GROUND],
    recall: ['llm', 'embed', 'net', 'store', 'simd', ...GROUND],
    sanitize: ['base'],
    extract: ['recall', 'base'],                // where sentences end
    episode: ['taxonomy', 'sanitize', 'jobs', 'recall', 'store', ...GROUND],   // it promises that episodes are read
    rules: ['extract', 'store', 'access', 'record', 'field', 'base'],
    belief: ['rules', 'episode', 'extract', 'sanitize', 'jobs', 'recall', 'store', ...GROUND],
    attest: ['belief', 'episode', 'jobs', 'recall', 'store', ...GROUND],   // it promises that promotions are decided
    note: ['belief', 'store', ...GROUND],
    reading: ['belief', 'episode', 'recall', 'store', ...GROUND],
    playground: [...GROUND],   // it asks through the call table alone
    archival: ['recall', 'store', ...GROUND],
    brief: ['archival', 'skill', 'work', 'policy', 'recall', 'store', ...GROUND],
    watch: ['oversight', 'notify', 'memory', 'belief', 'sanitize', 'recall', 'store', ...GROUND],   // what it sees becomes an escalation
    work: ['sanitize', 'store', ...GROUND],
    policy: ['belief', 'episode', 'sanitize', 'recall', 'store', ...GROUND],
    memory: ['advise', 'belief', 'recall', 'store', ...GROUND],
    lifecycle: ['memory', 'belief', 'episode', 'jobs', 'recall', 'store', ...GROUND],   // it promises the rest of an erasure
    inbox: ['store', ...GROUND],                // all that waits for a person
    advise: ['store', ...GROUND],               // so low that any room can recommend something
    steer: ['advise', 'notify', 'trust', 'skillgraph', 'skill', 'memory', 'store', ...GROUND],   // what is recommended is applied by the rooms it belongs to
    notify: ['store', ...GROUND],               // what people are told
    oversight: ['notify', 'memory', 'belief', 'recall', 'store', ...GROUND],
    trust: ['oversight', 'notify', 'store', ...GROUND],
    intake: ['net', 'base'],                     // bytes to text; it knows no nodes
    knowledge: ['passage', 'belief', 'jobs', 'sanitize', 'intake', 'recall', 'embed', 'net', 'store', ...GROUND],   // it promises its own tasks
    community: ['knowledge', 'intake', 'recall', 'store', ...GROUND],
    rag: ['jobs', 'community', 'knowledge', 'intake', 'recall', 'llm', 'embed', 'store', ...GROUND],
    evaluation: ['rag', 'knowledge', 'intake', 'jobs', 'store', ...GROUND],
    kgraph: ['rag', 'community', 'knowledge', 'belief', 'rules', 'episode', 'extract', 'intake', 'jobs', 'recall', 'llm', 'store', ...GROUND],
    passage: ['intake', 'store', ...GROUND],   // a long page is cut as documents are cut
    wikitext: ['graph', 'base'],
    attach: ['wikitext', 'store', ...GROUND],   // files beside pages
    page: ['jobs', 'passage', 'attach', 'wikitext', 'intake', 'recall', 'embed', 'view', 'store', 'simd', ...GROUND],   // it promises its own tasks
    feed: ['jobs', 'knowledge', 'intake', 'net', 'store', ...GROUND],
    sessionlog: ['sanitize', 'store', ...GROUND],
    skillgraph: ['advise', 'skill', 'memory', 'jobs', 'recall', 'llm', 'store', ...GROUND],
    taxonomy: ['recall', 'store', ...GROUND],
    skillmd: ['intake', 'taxonomy', 'skill', 'memory', 'store', ...GROUND],
    skill: ['taxonomy', 'memory', 'jobs', 'recall', 'llm', 'store', ...GROUND],
    transfer: ['jobs', 'steer', 'advise', 'taxonomy', 'attest', 'skillmd', 'sessionlog', 'skillgraph', 'skill', 'page', 'passage', 'attach', 'wikitext', 'feed', 'knowledge', 'intake', 'memory', 'work', 'watch', 'policy', 'belief', 'episode', 'store', ...GROUND],   // whole accounts, table by table, by the rooms' words and limits: it promises its own tasks
    call: ['view', 'access', 'record', 'field', 'base'],
    jobs: ['store', ...GROUND],
    http: ['call', 'view', 'event', ...GROUND],      // listeners wait for events
    mcp: ['http', 'call', 'view', 'store', ...GROUND],       // its store keeps answers to questions it asked
    admin: ['page', 'skillmd', 'attach', 'http', 'jobs', 'call', 'view', ...GROUND],      // its frame answers HTTP requests
};

// What a room's operations, pages and jobs may include besides their room.
const OPS = /_(calls|html|job)\.[ch]$/;
const OPS_FLOOR = ['call', 'view', 'jobs', 'intake', ...GROUND];   // formats and ways to cut are words of the calls
const OPS_BELOW = { feed: ['knowledge'], policy: ['belief'], rag: ['knowledge', 'community'], kgraph: ['rag', 'knowledge'], evaluation: ['rag', 'knowledge'], skillgraph: ['skill'], reading: ['episode', 'recall'], rules: ['extract'], skillmd: ['skill'], page: ['wikitext'], steer: ['advise', 'trust'] };           // their results are things of the rooms below
const opsFloor = (room) => [...OPS_FLOOR, ...OPS_BELOW[room] ?? []];

// Folders that own memory for longer than a request: the ground and the adapters to foreign libraries; caches
// (*_cache.c) do so anywhere, and recall/ owns the index.
const MAY_ALLOCATE = ['base', 'store', 'net', 'view', 'http', 'jobs', 'recall', ''];

const isStore = (name) => /_store\.[ch]$/.test(name);
const headerHome = new Map(sources.filter((s) => s.name.endsWith('.h')).map((s) => [s.name, s]));

function none(list) {
    assert.equal(list.length, 0, `\n${list.join('\n')}\n`);
}

test('there are sources, and every folder has a floor', () => {
    assert.ok(sources.length > 0);
    none(sources.filter((s) => s.room !== '' && !(s.room in FLOORS)).map((s) => s.path));
});

test('every header name is unique', () => {
    const headers = sources.filter((s) => s.name.endsWith('.h'));
    none(headers.filter((s) => headerHome.get(s.name) !== s).map((s) => `${s.path} and ${headerHome.get(s.name).path}`));
});

test('a file includes what is below it', () => {
    const wrong = [];
    for (const s of sources.filter((x) => x.room !== '')) {
        const allowed = new Set([s.room, ...(OPS.test(s.name) ? opsFloor(s.room) : FLOORS[s.room] ?? [])]);
        for (const { header, line } of s.includes) {
            const home = headerHome.get(header);
            if (home && !allowed.has(home.room)) wrong.push(`${s.path}:${line}: ${header} is in ${home.room}/`);
        }
    }
    none(wrong);
});

test('a store is included by its own room only, and never by operations, pages or jobs', () => {
    const wrong = [];
    const ALONG = { 'src/graph/node_store.c': 'audit_store.h' };        // a node and its audit event are written in one round trip
    for (const s of sources.filter((x) => x.room !== '')) {
        for (const { header, line } of s.includes.filter((i) => isStore(i.header) && ALONG[s.path] !== i.header)) {
            if (headerHome.get(header)?.room !== s.room || OPS.test(s.name)) wrong.push(`${s.path}:${line}: ${header}`);
        }
    }
    none(wrong);
});

test('services include no operations', () => {
    none(sources.filter((s) => s.room !== '' && !OPS.test(s.name)).flatMap((s) =>
        s.includes.filter((i) => OPS.test(i.header) && i.header.replace(/\.h$/, '') !== s.name.replace(/\.c$/, ''))
            .map((i) => `${s.path}:${i.line}: ${i.header}`)));
});

test('includes are bare names', () => {
    none(sources.flatMap((s) => s.includes.filter((i) => i.header.includes('/')).map((i) => `${s.path}:${i.line}: ${i.header}`)));
});

test('SQL stands in *_store.c, their headers, and in store/', () => {
    const sql = /"\s*(SELECT|INSERT (IGNORE )?INTO|REPLACE INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|ALTER TABLE)\b[^"\n]*/g;
    none(sources.filter((s) => s.room !== 'store' && !isStore(s.name))
        .flatMap((s) => places(s, s.codeAndStrings, sql)));
});

test('rows of nodes are changed in node_write_store.c, and what holds them in memory is told', () => {
    const change = /"[^"\n]*(\b(UPDATE|REPLACE INTO|DELETE FROM|DELETE \w+ FROM) (IGNORE )?`?node`?(?!\w)|\bSET `?node`?\.|, `?node`?\.\w+ = )[^"\n]*/gi;
    const upsert = /"INSERT INTO `?node`?(?!\w)[^;]*ON DUPLICATE/g;
    const home = sources.find((s) => s.path === 'src/graph/node_write_store.c');
    none(sources.filter((s) => s !== home).flatMap((s) => [...places(s, s.codeAndStrings, change), ...places(s, s.codeAndStrings, upsert)]));
    const lines = home.codeAndStrings.split('\n');
    const text = (f) => lines.slice(f.line - 1, f.line + f.length).join('\n');
    const writers = functions(home).filter((f) => text(f).match(change));
    assert.ok(writers.length >= 5);
    none(writers.filter((f) => !/return changes_of_(nodes|uses)\(/.test(text(f))).map((f) => `${f.path}:${f.line}: tells nobody`));
});

test('banned functions', () => {
    const banned = /(?<![\w.>])(strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atof|strtok|system|popen|alloca)\s*\(/g;
    none(sources.flatMap((s) => places(s, s.code, banned)));
});

test('time is read in the clock', () => {
    const clock = /(?<![\w.>])(time|gettimeofday|clock_gettime)\s*\(/g;
    none(sources.filter((s) => s.name !== 'clock.c').flatMap((s) => places(s, s.code, clock)));
});

test('programs print and exit, libraries do not', () => {
    const talk = /(?<![\w.>])(exit|printf|puts|putchar|perror)\s*\(/g;
    const own = (s) => s.room === '' || (s.room === 'base' && s.name.startsWith('log'));
    none(sources.filter((s) => !own(s)).flatMap((s) => places(s, s.code, talk)));
});

test('memory comes from arenas outside the ground and the adapters', () => {
    const heap = /(?<![\w.>])(malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|free)\s*\(/g;
    none(sources.filter((s) => !MAY_ALLOCATE.includes(s.room) && !/_cache\.c$/.test(s.name)).flatMap((s) => places(s, s.code, heap)));
});

test('no function is longer than 100 lines, no file than 800', () => {
    none([
        ...sources.flatMap(functions).filter((f) => f.length > 100).map((f) => `${f.path}:${f.line}: ${f.length} lines`),
        ...sources.filter((s) => s.lines > 800).map((s) => `${s.path}: ${s.lines} lines`),
    ]);
});

test('a file opens with a sentence', () => {
    none(sources.filter((s) => !/^\/[*/] *\S/.test(s.text)).map((s) => s.path));
});

test('nothing is left to be done', () => {
    none(sources.flatMap((s) => places(s, s.text, /\b(TODO|FIXME|XXX)\b.*/g)));
});

// Rooms as they were before this rule; may only shrink. Elsewhere a folder holds at most 40 files.
const FILES = 40, CROWDED = { memory: 313, recall: 212, graph: 98, jobs: 70, base: 48 };

test('a folder holds at most 40 files, and a README says what it is for', () => {
    const rooms = [...new Set(sources.map((s) => s.room))].filter(Boolean);
    const count = (room) => sources.filter((s) => s.room === room).length;
    none(rooms.filter((r) => count(r) > (CROWDED[r] ?? FILES)).map((r) => `src/${r}/ has ${count(r)} files, it may have ${CROWDED[r] ?? FILES}`));
    none(rooms.filter((r) => CROWDED[r] && count(r) < CROWDED[r]).map((r) => `src/${r}/ has only ${count(r)} files now: write that number into CROWDED`));
    none(rooms.filter((r) => !existsSync(join(root, 'src', r, 'README.md'))).map((r) => `src/${r}/ has no README.md`));
    none(rooms.filter((r) => readFileSync(join(root, 'src', r, 'README.md'), 'utf8').split('\n').length > 90).map((r) => `src/${r}/README.md is longer than a page`));
});

// Functions whose name another function has, too: in a search each stands for all. May only shrink; see docs/where.md.
const SHARED_NAMES = 4;          // main, of four programs

test('a function has a name of its own, static ones too', () => {
    const homes = new Map();
    for (const s of sources)
        for (const [, name] of s.code.matchAll(/^(?!(?:DB_TX|OP_|ENUMX_|THING))[a-z][\w *\[\]]*?[ *](\w+)\([^;{}]*\)\n\{/gm)) homes.set(name, [...(homes.get(name) ?? []), s.path]);
    const shared = [...homes].filter(([, at]) => at.length > 1).flatMap(([name, at]) => at.map((p) => `${name} in ${p}`));
    assert.ok(shared.length <= SHARED_NAMES, `${shared.length} functions share a name, ${SHARED_NAMES} may:\n${shared.join('\n')}`);
    assert.equal(shared.length, SHARED_NAMES, `only ${shared.length} functions share a name now: write that number into SHARED_NAMES`);
});

test('files are cut by theme, not by size', () => {
    const CUT = ['src/memory/node_more_html.c', 'src/memory/tiered_more_calls.c', 'src/memory/working_more_calls.c'];         // may only shrink
    none(sources.filter((s) => /_(more|rest|part\d|2)(_\w+)?\.[ch]$/.test(s.name) && !CUT.includes(s.path)).map((s) => s.path));
});

test('every library sees only its floors', () => {
    const wrong = [];
    for (const path of filesBelow('src').filter((p) => basename(p) === 'local.mk' && p.split('/').length > 2)) {
        const room = path.split('/')[1];
        const text = readFileSync(join(root, path), 'utf8').replace(/\\\n/g, ' ');
        for (const [, library] of text.matchAll(/^noinst_LIBRARIES *\+= *src\/\w+\/(lib\w+)\.a/gm)) {
            const flags = new RegExp(`^src_${room}_${library}_a_CPPFLAGS *=(.*)$`, 'm').exec(text)?.[1] ?? '$(see_all)';
            const allowed = [room, ...(library.endsWith('_ops') ? opsFloor(room) : FLOORS[room] ?? [])];
            for (const [, seen] of flags.matchAll(/\$\(see_(\w+)\)/g)) {
                if (!allowed.includes(seen)) wrong.push(`${path}: ${library} sees ${seen}`);
            }
        }
    }
    none(wrong);
});

test('the build knows every source and every test', () => {
    const makefiles = ['Makefile.am', ...filesBelow('src'), ...filesBelow('tests')]
        .filter((p) => /(\.mk|\.am)$/.test(p)).map((p) => readFileSync(join(root, p), 'utf8')).join('\n');
    const words = new Set(makefiles.split(/[\s=]+/));
    const tests = filesBelow('tests').filter((p) => /^tests\/(unit\/test_|fuzz\/fuzz_)\w+\.c$/.test(p));
    none([
        ...sources.filter((s) => !words.has(s.path)).map((s) => s.path),
        ...tests.filter((p) => !words.has(p) && !words.has(p.replace(/\.c$/, ''))),
    ]);
});

test('what was configured without a library is configured anew when the library has come', () => {
    const asked = (modules) => execFileSync('bash', ['-c', 'set -eu; source_dir=$1; . "$1/scripts/build.sh"; pkg-config() { case " $MODULES " in *" $2 "*) echo 1.0 ;; *) return 1 ;; esac; }; configured_as --prefix=/usr/local',
        'bash', root], { env: { ...process.env, MODULES: modules }, encoding: 'utf8' });
    assert.match(asked('fcgi cmocka'), /^--prefix=\/usr\/local\nfcgi 1\.0\n/);
    assert.equal(asked('fcgi'), asked('fcgi'));
    assert.notEqual(asked('fcgi'), asked('fcgi cmocka'), 'unit tests are built where cmocka is');
});

// package.json promises Node.js 18, which is Debian 12's; a newer one, as on many a machine, would not notice.
test('tests and scripts use nothing that came after Node.js 18', () => {
    const newer = /\.(toSorted|toReversed|toSpliced|getSetCookie\(|isWellFormed|union|intersection|isSubsetOf|isSupersetOf)\b|fromAsync|Object\.groupBy|Map\.groupBy|withResolvers|AbortSignal\.any\b|import\.meta\.(dirname|filename)|globSync|process\.loadEnvFile/;
    const files = ['tests', 'scripts'].flatMap((dir) => filesBelow(dir)).filter((f) => /\.mjs$/.test(f) && !/node_modules|^tests\/judges/.test(f) && !f.endsWith('layers.test.mjs'));
    assert.ok(files.length > 50);
    none(files.filter((f) => newer.test(readFileSync(join(root, f), 'utf8'))));
});

test('no file names a package registry', () => {
    const hosts = [['registry', 'npmjs', 'org'], ['registry', 'yarnpkg', 'com'], ['deb', 'debian', 'org'],
        ['pypi', 'org'], ['crates', 'io'], ['npm', 'pkg', 'github', 'com']].map((h) => h.join('.'));
    const kept = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
        .toString().split('\0').filter((p) => p && existsSync(join(root, p)));
    none(kept.filter((p) => {
        const text = readFileSync(join(root, p), 'latin1');
        return hosts.some((h) => text.includes(h));
    }));
});

// spec/scale.md: these end at the border of one database server. Migrations use a row with a lease (store/migrate_lease.c).
test('no named lock, no locked table, and no read that skips rows which others change', () => {
    const SKIPPING = {
        'src/graph/node_store.c': 'a cache of nodes, which is used on the own host of an account only: docs/decisions/0008 and 0063',
    };
    none(sources.flatMap((s) => places(s, s.codeAndStrings, /\b(GET_LOCK|RELEASE_LOCK|IS_FREE_LOCK|LOCK\s+TABLES?)\b/g)));
    none(sources.filter((s) => !SKIPPING[s.path]).flatMap((s) => places(s, s.codeAndStrings, /(LOCK IN SHARE MODE|FOR SHARE) SKIP LOCKED/g)));
});

// spec/scale.md: the keys of a script stand on one server of a Redis Cluster, so all keys of an account have its hash tag.
test('every key in Redis begins with a hash tag', () => {
    const SINGLE = {
        'src/record/wake.c': 'loci:wake', 'src/jobs/settle_store.h': 'loci:settle',              // keys that no script joins with others
        'src/record/changes.h': 'loci:changes', 'src/event/event_store.h': 'loci:events',        // channels
    };
    const keys = sources.flatMap((s) => [...s.codeAndStrings.matchAll(/"((?:loci:|\{)[^" ]*:?[^" ]*)"/g)].map(([, key]) => ({ path: s.path, key })));
    const tagged = keys.filter(({ key }) => /^(loci:)?\{(%s|login|vectors|master)\}:/.test(key));
    assert.ok(tagged.length >= 12, `only ${tagged.length} keys were found`);
    none(keys.filter(({ path, key }) => /^loci:(?!\/\/)./.test(key) && !/^loci:\{(%s|login|master)\}:/.test(key) && SINGLE[path] !== key)
        .map(({ path, key }) => `${path}: "${key}"`));
});
