// kill -9 of the scheduler while files are read and published: each is indexed once, nothing is doubled, no counter is wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectStatus, freshAccount, moveClock, runEnded, settled, stack, unique } from './client.mjs';
import { sql } from './db.mjs';
import { docx, html, odt, pdf } from './files.mjs';

test('files whose processing is killed again and again are indexed once', async () => {
  const account = await freshAccount(), token = account.token;
  const base = (await expectStatus(201, 'POST', '/api/v1/ai/rag/knowledge_bases', { token, body: { name: unique('kill'), chunk_size: 200, chunk_overlap: 0 } })).data;
  const files = [docx(), odt(), html(), pdf(Array.from({ length: 40 }, (_, p) => Array.from({ length: 40 }, (_, l) => `Page ${p} line ${l} names berth ${p * l % 97}.`)))];
  const upload = (i) => expectStatus(201, 'POST', `/api/v1/ai/rag/documents/upload?knowledge_base_id=${base.id}&allow_duplicate=true&name=f${i}`, { token, raw: files[i % 4], headers: { 'Content-Type': 'application/octet-stream' } });
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 8 }, (_, i) => upload(round * 8 + i)));
    await stack('kill', 'scheduler');
    await stack('start', 'scheduler');
  }
  await moveClock('10m');                                 // the leases of the dead end
  await settled(account.slug, { parts: ['queue'] });
  const { id } = (await expectStatus(202, 'POST', '/api/v1/jobs/embedding_backfill/run', { token: account.owner, body: {} })).data;   // vectors that the dead had in hand
  await runEnded(account, id);
  await settled(account.slug);
  const where = `knowledge_base_id = '${base.id}'`;
  assert.deepEqual(await sql(`SELECT status, COUNT(*), MAX(generation) FROM document WHERE ${where} GROUP BY 1`), [['indexed', '40', '1']]);
  assert.deepEqual(await sql(`SELECT COUNT(*) FROM document d WHERE ${where} AND chunk_count <> (SELECT COUNT(*) FROM chunk h WHERE h.document_id = d.id)`), [['0']]);
  const [[chunks, nodes, counted]] = await sql(`SELECT (SELECT COUNT(*) FROM chunk h JOIN document d ON d.id = h.document_id WHERE d.${where}), (SELECT COUNT(*) FROM node WHERE space_id = '${base.id}' AND kind = 'chunk' AND status <> 'forgotten'), (SELECT chunk_count FROM knowledge_base WHERE id = '${base.id}')`);
  assert.deepEqual([nodes, counted], [chunks, chunks]);
  const [[texts]] = await sql(`SELECT COUNT(*) FROM (SELECT 1 FROM document_text t JOIN document d ON d.id = t.document_id WHERE d.${where} GROUP BY t.document_id, t.source_version) x`);
  assert.equal(texts, '40');
});
