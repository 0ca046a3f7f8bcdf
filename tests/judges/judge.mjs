// Runs a judge with the Node.js that the judges bring along.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

export const HERE = dirname(fileURLToPath(import.meta.url));
export const NODE = ['x64', 'arm64'].map((cpu) => join(HERE, `node_modules/node-linux-${cpu}/bin/node`)).find(existsSync) ?? process.execPath;

// Resolves to {code, text}; it may take its time, but not for ever.
export function judge(script, args, { cwd = HERE, seconds = 1500, env: more = {} } = {}) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', NO_COLOR: '1', JUDGES: HERE, PATH: dirname(NODE) + delimiter + process.env.PATH, ...more };
  return new Promise((done) => {
    execFile(NODE, [script.startsWith('/') ? script : join(HERE, script), ...args], { cwd, env, timeout: seconds * 1000, maxBuffer: 1 << 26 },
      (error, out, err) => done({ code: error ? error.code ?? 1 : 0, text: out + err }));
  });
}
