// A session as an agent has one, told as it goes: usage: mcp_session.mjs URL TOKEN READ-ONLY-TOKEN [ADDRESS THAT ANSWERS WHEN ALL IS SETTLED]
// Ids, times, scores and what depends on them are replaced, so that the same session reads the same.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, token, readOnly, settle] = [new URL(process.argv[2]), ...process.argv.slice(3)];
const names = new Map();
const plain = (text) => text
  .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => names.get(id) ?? names.set(id, `<id ${names.size + 1}>`).get(id))
  .replace(/ at="[^"]*"| score="[^"]*"| score_band="[^"]*"| confidence="[^"]*"/g, '')
  .replace(/of \d+ considered/g, 'of <n> considered')
  .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
const say = (text) => console.log(plain(text).trimEnd());

async function connect(who, bearer) {
  const client = new Client({ name: who, version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${bearer}` } } }));
  say(`\n# ${who} connects to ${client.getServerVersion()?.name ?? 'loci'}`);
  return client;
}

async function call(client, name, args) {
  say(`> ${name} ${JSON.stringify(args)}`);
  try {
    const r = await client.callTool({ name, arguments: args });
    return r;
  } catch (e) {
    say(`! ${e.message}`);
    return undefined;
  }
}

const first = await connect('first session', token);
for (const [title, body] of [
  ['Deploy day', 'We deploy on Tuesdays only, after the backup of 02:00 UTC has been checked.'],
  ['Database', 'The staging database is MariaDB 10.11; production follows in January.'],
  ['Tone', 'The user wants short answers, in British English.']]) {
  const r = await call(first, 'remember', { title, body });
  say(`< remembered as ${r.structuredContent.id}, version ${r.structuredContent.version}`);
}
await first.close();

if (settle) await fetch(settle);            // the vectors are made
const second = await connect('second session', token);
const found = await call(second, 'recall', { query: 'when may I deploy?', limit: 1 });
say(`< ${found.content[0].text}`);
const changed = await call(second, 'update_memory', { id: found.structuredContent.hits[0].id, body: 'We deploy on Tuesdays and Thursdays, after the backup of 02:00 UTC has been checked.' });
say(`< version ${changed.structuredContent.version}`);
const read = await call(second, 'read_memory', { id: found.structuredContent.hits[0].id });
say(`< ${read.structuredContent.body} (untrusted: ${read.structuredContent.untrusted})`);
await second.close();

const reader = await connect('read-only session', readOnly);
const { tools } = await reader.listTools();
say(`< of remember, recall and forget it is shown: ${['remember', 'recall', 'forget'].filter((n) => tools.some((t) => t.name === n)).join(', ')}`);
await call(reader, 'remember', { body: 'I was here.' });
const hidden = await call(reader, 'read_memory', { id: found.structuredContent.hits[0].id });
say(`< ${hidden.content[0].text}`);
await reader.close();
