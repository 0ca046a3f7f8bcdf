// Serves every sample model as a page on a loopback port, with the headers that loci-web sends, and opens chromium.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MODELS } from "../models.mjs";
export { browse } from "./live.mjs";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const TYPES = { css: "text/css", js: "text/javascript", svg: "image/svg+xml" };
const CSP = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

// The program that `make` built; LOCI_RENDER_PAGE or the build folder names it.
const PROGRAM = process.env.LOCI_RENDER_PAGE ?? join(process.env.LOCI_BUILD ?? ROOT, "tests/browser/render_page");

export const names = Object.keys(MODELS);

export function render(name, more = {}) {
  const [template, model] = MODELS[name];
  const run = spawnSync(PROGRAM, [ROOT, template], { input: JSON.stringify({ ...model, ...more }), encoding: "utf8" });
  if (run.status !== 0) throw new Error(`${name}: ${run.error ?? run.stderr}`);
  return run.stdout;
}

function answer(request, response) {
  const path = new URL(request.url, "http://x").pathname;
  const static_ = /^\/static\/((?:vendor\/)?[a-z0-9.-]+\.(css|js|svg))$/.exec(path);
  const name = path.slice(1);
  if (static_) {
    response.writeHead(200, { "Content-Type": TYPES[static_[2]] });
    response.end(readFileSync(join(ROOT, "static", static_[1])));
  } else if (MODELS[name]) {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": CSP });
    response.end(render(name));
  } else {
    response.writeHead(path.startsWith("/admin") ? 200 : 404, { "Content-Type": "text/plain" });
    response.end(`not a sample: ${path}`);
  }
}

export function serve() {
  return new Promise((done) => {
    const server = createServer(answer);
    server.listen(0, "127.0.0.1", () => done({ server, url: `http://127.0.0.1:${server.address().port}` }));
  });
}
