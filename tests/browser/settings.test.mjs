// Settings and health: where each value comes from, with secrets masked; models that are asked now; what of the account is in memory;
// what there is for a backup, honestly. A server of our own stands for a language model.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { SITE, browse, freshAccount, locictl, open, person, signIn, signedIn, words } from "./lib/live.mjs";

const SCRIPT = fileURLToPath(new URL("../../scripts/stack.sh", import.meta.url));
const skip = !process.env.LOCI_STACK && "LOCI_STACK does not say which stack may be restarted";
const AT = "/admin/settings";

let account, owner;
before(async () => {
  account = freshAccount();
  owner = await signedIn(account.owner);
});

test("the header says the account's name, also once it has another", async () => {
  const named = freshAccount("Harbour office"), client = await signedIn(named.owner);
  const header = async () => words(/<span class="account-name">([^<]*)</.exec((await client.send("/admin/nodes")).text)[1]);
  assert.equal(await header(), "Harbour office");
  const token = locictl(["token", "create", "--account", named.slug, "--user", named.owner.email, "--name", "tests"]);
  const at = `${SITE}/api/v1/account`, authorization = `Bearer ${token}`;
  const etag = (await fetch(at, { headers: { authorization } })).headers.get("etag");
  const answer = await fetch(at, { method: "PATCH", headers: { authorization, "if-match": etag, "content-type": "application/json" }, body: JSON.stringify({ name: "Pilots & tugs" }) });
  assert.equal(answer.status, 200);
  assert.equal(await header(), words("Pilots &amp; tugs"));
});

const all = async (client) => words((await client.send(AT)).text);
/** The page without its navigation and the long table at its end. */
const text = async (client) => (await all(client)).replace(/^.* Settings and health /, "").replace(/ Configuration (read from|defaults).*/, "");

test("without JavaScript: the embedding model is asked now, and says what came of it once", async () => {
  const browser = await browse(), page = await open(browser, { javaScriptEnabled: false });
  await signIn(page, account.owner, `/login?next=${AT}`);
  await page.click("form[action='/admin/settings/test'] button");
  assert.equal(new URL(page.url()).pathname, AT);
  assert.match(await page.innerText("#providers"), /answers in [\d.]+ ms\s+built-in model [\w-]+, \w+ made a vector of \d+ numbers, just now/);
  await page.reload();
  assert.match(await page.innerText("#providers"), /not tested/);
  assert.deepEqual(page.faults, []);
  await browser.close();
});

test("versions of all that it stands on; each value of the configuration with where it comes from; no secret", async () => {
  const versions = await text(owner), seen = (await all(owner)).replace(/^.* Configuration /, "");
  for (const name of ["Loci", "MariaDB", "Redis", "libmariadb", "hiredis", "libcurl", "libsodium", "yajl", "utf8proc", "Compiler \\w+"])
    assert.match(versions, new RegExp(` ${name} [^ ]*\\d`), name);
  assert.match(seen, /\[security\] Key Value Source Meaning secret \*+ /);
  assert.match(seen, /threads .*LOCI_WEB_THREADS/);
  assert.match(seen, / default /);
  assert.match(seen, /read from \S+ , then the environment|defaults and the environment/);
});

test("what is in memory: one's own account, for operators all", async () => {
  const other = freshAccount();
  for (const { token } of [account, other])
    assert.equal((await fetch(`${SITE}/api/v1/recall`, { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: JSON.stringify({ query: "harbour" }) })).status, 200);
  const seen = await text(owner), own = await text(await signedIn(person(account.slug, "viewer")));
  assert.match(seen, new RegExp(` ${account.slug} whole \\d+ [\\d.]+ [KM]?i?B .* ago`));
  assert.ok(seen.includes(other.slug));
  assert.match(own, new RegExp(` ${account.slug} whole `));
  assert.ok(!own.includes(other.slug));
});

test("backups are not promised; the last export is told to those who may export", async () => {
  assert.match(await text(owner), /Loci makes no backups\..*Last export none is kept/);
  await owner.post("/admin/transfers/exports");
  assert.match(await text(owner), /Last export just now , (waiting|running|done)/);
  const viewer = await signedIn(person(account.slug, "viewer"));
  assert.ok(!(await text(viewer)).includes("none is kept"));
});

test("a viewer has no button, and asks nobody", async () => {
  const viewer = await signedIn(person(account.slug, "viewer"));
  assert.ok(!(await viewer.send(AT)).text.includes("/admin/settings/test"));
  assert.equal((await viewer.post("/admin/settings/test", { provider: "model" })).status, 403);
  assert.equal((await owner.post("/admin/settings/test", { provider: "nobody" })).status, 422);
});

test("a language model is asked, and what is wrong with it is said", { skip }, async () => {
  let status = 200, asked = 0;
  const server = createServer(async (req, res) => {
    for await (const piece of req) asked += piece.length > 0;
    res.writeHead(status, { "content-type": "application/json" });
    res.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: '{"word":"Ahoy"}' } }], usage: { total_tokens: 21 } }));
  });
  const restart = () => assert.equal(spawnSync("bash", [SCRIPT, "restart", "web"], { encoding: "utf8" }).status, 0);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  Object.assign(process.env, { LOCI_LLM_URL: `http://127.0.0.1:${server.address().port}/v1`, LOCI_LLM_MODEL: "tiny", LOCI_LLM_PRIVATE_ADDRESSES: "yes" });
  try {
    restart();
    assert.match(await text(owner), /Language model tiny at http:\/\/127\.0\.0\.1:\d+\/v1 not tested/);
    assert.equal((await owner.post("/admin/settings/test", { provider: "llm" })).status, 303);
    assert.match(await text(owner), /answers in [\d.]+ ms it said &quot;Ahoy&quot;, for 21 tokens, just now/);
    status = 500;
    assert.equal((await owner.post("/admin/settings/test", { provider: "llm" })).status, 303);
    assert.match(await text(owner), /does not answer in [\d.]+ ms [^,]*500/);
    assert.ok(asked >= 2);
    const viewer = await signedIn(person(account.slug, "viewer"));
    assert.ok(!(await text(viewer)).includes("127.0.0.1:"), "where it is, operators know");
  } finally {
    for (const k of ["URL", "MODEL", "PRIVATE_ADDRESSES"]) delete process.env[`LOCI_LLM_${k}`];
    restart();
    server.closeAllConnections();
    server.close();
  }
});

