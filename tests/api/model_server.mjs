// A server that plays the servers Loci asks: a language model, a ranker, a search of the web. What it says is up to the test.
import { createServer } from 'node:http';
import { withSettings } from './client.mjs';

/** `answer(url, body)` → [status, what is said] or []: no answer at all. `run(at)` while it is up. */
export async function served(answer, run) {
  const server = createServer((req, res) => {
    let text = '';
    req.on('data', (d) => { text += d; });
    req.on('end', () => {
      const [status, out] = answer(req.url, text && JSON.parse(text), req.headers);
      if (status) res.writeHead(status, { 'content-type': 'application/json' }).end(typeof out === 'string' ? out : JSON.stringify(out));
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  try {
    await run(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export const said = (content) => [200, { choices: [{ message: { content: typeof content === 'string' ? content : JSON.stringify(content) } }], usage: { total_tokens: 50 } }];

/** The second loci-web with a language model that says what `answer(body)` returns. */
export const withModel = (answer, run) => served((url, body) => answer(body), (at) =>
  withSettings({ LOCI_LLM_URL: at, LOCI_LLM_MODEL: 'tried', LOCI_LLM_PRIVATE_ADDRESSES: 'yes' }, run));
