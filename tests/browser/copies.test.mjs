// What pages offer to be copied for a shell and for MCP works as it stands, answers what the page shows, and names nobody's token.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { before, test } from "node:test";
import { SITE } from "./lib/live.mjs";
import { tour } from "./lib/tour.mjs";

const HAVE = ["design", "tokens", "users", "user", "agents", "agent", "teams", "team", "spaces", "space", "account", "audit", "audit-empty", "jobs", "job", "job-runs", "run", "queue", "dead-letters", "tasks", "task", "schedulers", "nodes", "node", "recall", "recall-answer"];
const NOT_SHOWN = ["design", "queue", "account", "recall"];      // samples, kinds in place of tasks, one's own session
let owner, pages, token;
before(async () => {
  ({ owner, pages } = await tour());
  await owner.post("/admin/tokens", { name: "to copy with", expires_in_days: "1", toolset: "full" });
  token = /loci_\w{8}_\w{20,}/.exec((await owner.send("/admin/tokens")).text)?.[0];
  assert.ok(token, "no token is shown");
});

const plain = (html) => html.replace(/&quot;/g, '"').replace(/&#x27;|&#39;/g, "'").replace(/&#x2F;/g, "/").replace(/&#x3D;/g, "=").replace(/&#x60;/g, "`").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
/** The texts to copy below a page. */
function copies(html) {
  const box = /<details class="more copy-as">([^]*?)<\/details>/.exec(html)?.[1];
  return box ? { href: /<a href="([^"]+)"/.exec(box)[1], texts: [...box.matchAll(/<code>([^]*?)<\/code>/g)].map(([, text]) => plain(text)) } : null;
}

for (const name of HAVE)
  test(name, async () => {
    const { text } = await owner.send(pages[name]), copy = copies(text);
    assert.ok(copy, "nothing to copy");
    const [curl, mcp] = copy.texts;
    assert.match(curl, /^curl -s -H "Authorization: Bearer \$LOCI_TOKEN" 'http/);
    assert.ok(!/loci_\w{8}_\w/.test(copy.texts.join()), "a token is in it");
    const run = spawnSync("sh", ["-c", curl], { env: { ...process.env, LOCI_TOKEN: token }, encoding: "utf8" });
    const answer = JSON.parse(run.stdout);
    assert.notEqual(answer.success, false, run.stdout.slice(0, 300));
    const some = [answer.data].flat().flatMap((x) => [x.id, x.name, x.run?.id, x.threads && x.host]).filter(Boolean);
    if (some.length && !NOT_SHOWN.includes(name)) assert.ok(some.some((x) => text.includes(x)), `the page shows none of ${some}`);
    assert.equal((await owner.send(copy.href)).status, 200, copy.href);
    if (!mcp) return;
    const said = await (await fetch(`${SITE}/mcp`, { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...JSON.parse(mcp) }) })).json();
    assert.ok(said.result && !said.result.isError, JSON.stringify(said).slice(0, 300));
  });

test("a viewer is given no request that would be refused, and filters go along", async () => {
  const copy = copies((await owner.send("/admin/audit?kind=team&from=2026-01-01T00:00")).text);
  assert.match(copy.texts[0], /kind=team&from=2026-01-01T00%3A00%3A00/);
  const odd = copies((await owner.send(`/admin/users?q=${encodeURIComponent("it's $(x) & `y`")}`)).text);
  const run = spawnSync("sh", ["-c", odd.texts[0]], { env: { ...process.env, LOCI_TOKEN: token }, encoding: "utf8" });
  assert.deepEqual(JSON.parse(run.stdout).data, []);
});
