// Pages while a store is away: a page that says so, and all is well again afterwards. run_node starts what is stopped here.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client, csrfOf, freshAccount, signedIn, until, words } from "./lib/live.mjs";

const SCRIPT = fileURLToPath(new URL("../../scripts/stack.sh", import.meta.url));
const skip = !process.env.LOCI_STACK && "LOCI_STACK does not say which stack may be stopped";

function stack(...args) {
  const run = spawnSync("bash", [SCRIPT, ...args], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
}

let account, client;
before(async () => {
  if (skip) return;
  account = freshAccount();
  client = await signedIn(account.owner);
});

for (const [service, word] of [["redis", /Redis is unavailable/], ["db", /database is unavailable/]])
  test(`${service} is away`, { skip }, async () => {
    const nobody = new Client();
    const csrf = csrfOf((await nobody.send("/login")).text);
    stack("stop", service);
    try {
      const { email, password } = account.owner;
      for (const answer of [await client.send("/admin"), await client.send("/admin/users"),
        await nobody.send("/login", { method: "POST", form: { csrf_token: csrf, email, password } })]) {
        assert.equal(answer.status, 503);
        assert.match(answer.headers.get("content-type"), /^text\/html/);
        assert.ok(Number(answer.headers.get("retry-after")) > 0);
        assert.match(words(answer.text), word);
      }
      assert.equal((await nobody.send("/login")).status, 200);
    } finally {
      stack("start", service);
    }
    await until("the session is still there", async () => (await client.send("/admin")).status === 200);
  });
