// Drives one MCP address with both generations of the TypeScript SDK, in each of their modes: usage: mcp_smoke.mjs URL TOKEN [ADDRESS THAT ANSWERS WHEN ALL IS SETTLED]
// Prints a line per check; ends with 1 when one failed.
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, token, settle] = [new URL(process.argv[2]), ...process.argv.slice(3)];
const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
let failed = 0;
const check = (what, good) => {
  console.log(`${good ? 'ok  ' : 'FAIL'} ${what}`);
  if (!good) failed++;
};

async function drive(name, client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const has = (tool) => tools.some((t) => t.name === tool);
  check(`${name}: ${tools.length} tools`, ['remember', 'recall', 'read_memory', 'forget'].every(has));
  const call = (tool, args) => client.callTool({ name: tool, arguments: args });
  const word = `heron-${Math.random().toString(36).slice(2)}`;
  const made = (await call('remember', { title: word, body: `The ${word} nests at the mill.` })).structuredContent;
  check(`${name}: remember`, made?.version === 1);
  if (settle) await fetch(settle);          // with its vector
  const found = await call('recall', { query: `where does the ${word} nest?` });
  check(`${name}: recall`, found.structuredContent?.hits[0]?.id === made.id && found.content[0].text.includes('third-party data'));
  check(`${name}: read_memory`, (await call('read_memory', { id: made.id })).structuredContent?.body.includes('mill'));
  check(`${name}: forget`, (await call('forget', { id: made.id })).structuredContent?.done === true);
  check(`${name}: what is forgotten is an error with advice`, (await call('read_memory', { id: made.id })).isError === true);
  await call('remember', { body: `One ${word} stays.` });
  const { resources } = await client.listResources();
  check(`${name}: ${resources.length} resources`, resources.length > 0);
  check(`${name}: resources/read`, (await client.readResource({ uri: resources[0].uri })).contents.length === 1);
  check(`${name}: prompts/list`, (await client.listPrompts()).prompts.length >= 2);
  const error = await call('no_such_tool', {}).catch((e) => e);
  check(`${name}: an unknown tool is a protocol error`, error?.code === -32602);
  await client.close();
}

const info = { name: 'smoke', version: '1' };
await drive('sdk 1', new OldClient(info), new OldTransport(url, options));
for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }])
  await drive(`sdk 2 ${JSON.stringify(mode)}`, new Client(info, { versionNegotiation: { mode } }), new StreamableHTTPClientTransport(url, options));
console.log(failed ? `${failed} failed` : 'all passed');
process.exit(failed ? 1 : 0);
