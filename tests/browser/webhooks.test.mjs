// Webhooks by their pages: made, with a secret that is shown once; changed, paused, gone on with; what was given up is delivered again;
// deleted. A receiver of our own stands for somebody's server.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browse, freshAccount, open, person, signIn, signedIn, until, words } from "./lib/live.mjs";

const SCRIPT = fileURLToPath(new URL("../../scripts/stack.sh", import.meta.url));
const skip = !process.env.LOCI_STACK && "LOCI_STACK does not say which stack may be restarted";

function stack(...args) {
  const run = spawnSync("bash", [SCRIPT, ...args], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
}

// Addresses of this host are allowed while this file runs.
function allowPrivate(yes) {
  if (yes) process.env.LOCI_WEBHOOKS_PRIVATE_ADDRESSES = "yes";
  else delete process.env.LOCI_WEBHOOKS_PRIVATE_ADDRESSES;
  stack("restart", "web", "scheduler");
}

let account, owner, receiver, answer = 204, browser;
const got = [];
before(async () => {
  if (skip) return;
  receiver = createServer(async (req, res) => {
    let body = "";
    for await (const piece of req) body += piece;
    got.push({ path: req.url, headers: req.headers, body });
    res.writeHead(answer).end();
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  allowPrivate(true);
  account = freshAccount();
  owner = await signedIn(account.owner);
  browser = await browse();
});
after(async () => {
  if (skip) return;
  await browser?.close();
  receiver.closeAllConnections();
  receiver.close();
  allowPrivate(false);
});

const url = (path) => `http://127.0.0.1:${receiver.address().port}${path}`;
const text = async (path) => words((await owner.send(path)).text);
const remember = async (title) => {
  const [, space_id] = /<option value="([^"]+)" selected>Global</.exec((await owner.send("/admin/nodes")).text);
  assert.equal((await owner.post("/admin/nodes", { title, body: "now", kind: "note", space_id })).status, 303);
};
const make = async (path, fields = {}) => {
  const { status, where, text: page } = await owner.post("/admin/webhooks", { name: `hook ${path}`, url: url(path), kinds: "node.create", ...fields });
  assert.equal(status, 303, words(page));
  return where;
};

test("made without JavaScript, its secret shown once, and events arrive", { skip }, async () => {
  const page = await open(browser, { javaScriptEnabled: false });
  await signIn(page, account.owner, "/login?next=/admin/webhooks");
  await page.click("details.new > summary");
  await page.fill("[name=name]", "By hand");
  await page.fill("[name=url]", "http://127.0.0.1:1");
  await page.fill("[name=kinds]", "Node!");
  await page.click("form[action='/admin/webhooks'] button");
  assert.match(await page.innerText("main"), /Not saved/);
  assert.equal(await page.inputValue("[name=kinds]"), "Node!");
  await page.fill("[name=url]", url("/hand"));
  await page.fill("[name=kinds]", "node.*, space.create");
  await page.click("form[action='/admin/webhooks'] button");
  assert.match(await page.innerText("main"), /whsec_[A-Za-z0-9+/]{43}=/);
  assert.equal(await page.inputValue("[name=kinds]"), "node.*, space.create");
  const where = new URL(page.url()).pathname;
  await page.reload();
  assert.ok(!(await page.innerText("main")).includes("whsec_"), "the secret is shown once");
  await remember("the first");
  await until("the event", () => got.find((g) => g.path === "/hand"));
  await until("it is noted as delivered", async () => /node\.create \S+ delivered 204 in \d+ ms/.test(await text(where)));
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("changed, paused, gone on with; a stale form is refused", { skip }, async () => {
  const where = await make("/paused");
  assert.equal((await owner.post(where, { name: "other", url: url("/paused"), kinds: "", if_version: "1" })).status, 303);
  const stale = await owner.post(where, { name: "again", url: url("/paused"), kinds: "", if_version: "1" });
  assert.equal(stale.status, 412);
  assert.match(words(stale.text), /Not saved/);
  assert.match(await text(where), /Events all kinds that you may read/);
  await owner.post(where, { name: "other", url: url("/paused"), kinds: "node.create", if_version: "2" });
  await owner.post(`${where}/pause`);
  assert.match(await text(where), /State paused/);
  await remember("while it sleeps");
  await until("one waits", async () => /Pending 1 /.test(await text(where)));
  const heard = () => got.filter((g) => g.path === "/paused" && /"node\.create"/.test(g.body));      // it heard of all kinds, for a moment
  assert.equal(heard().length, 0);
  assert.equal((await owner.post(`${where}/resume`)).status, 303);
  await until("what waited", () => heard().length);
});

test("what was delivered is delivered once more; a new secret; deleted", { skip }, async () => {
  const where = await make("/again");
  await remember("twice");
  const replay = await until("a delivery to repeat", async () => /action="([^"]*\/deliveries\/[^"]*\/replay)"/.exec((await owner.send(where)).text)?.[1]);
  assert.equal((await owner.post(replay)).status, 303);
  await until("it comes again", () => got.filter((g) => g.path === "/again").length >= 2);
  const [first, second] = got.filter((g) => g.path === "/again");
  assert.equal(first.headers["webhook-id"], second.headers["webhook-id"]);
  assert.equal((await owner.post(`${where}/secret`)).status, 303);
  assert.match(await text(where), /whsec_/);
  assert.ok(!(await text(where)).includes("whsec_"));
  assert.equal((await owner.post(`${where}/delete`)).where, "/admin/webhooks");
  assert.equal((await owner.send(where)).status, 404);
});

test("what was given up is shown, and delivered again when the receiver is back", { skip }, async () => {
  answer = 410;                        // "gone": not tried again
  const where = await make("/gone");
  await remember("gone");
  const page = await until("the refusal", async () => { const t = await text(where); return /State disabled/.test(t) && t; });
  answer = 204;
  assert.match(page, /Disabled:/);
  assert.equal((await owner.post(`${where}/resume`)).status, 303);
  await until("it is delivered after all", async () => {
    if (/Failed [1-9]/.test(await text(where))) assert.equal((await owner.post(`${where}/replay`)).status, 303);
    const n = got.filter((g) => g.path === "/gone").length;
    if (n < 2) await remember(`once more ${n}`);
    return n >= 2;
  });
  assert.match(await text(`${where}?status=dead`), /No matching deliveries|given up/);
});

test("who does not manage the account sees no webhooks, and changes none", { skip }, async () => {
  const where = await make("/roles");
  for (const role of ["viewer", "editor"]) {
    const other = await signedIn(person(account.slug, role));
    assert.ok(!(await other.send("/admin")).text.includes("/admin/webhooks"));
    for (const path of ["/admin/webhooks", where]) assert.equal((await other.send(path)).status, 403, `${role} ${path}`);
    for (const [path, fields] of [["/admin/webhooks", { name: "x", url: url("/x") }], [where, { name: "theirs" }], ...["pause", "secret", "replay", "delete"].map((p) => [`${where}/${p}`, {}])])
      assert.equal((await other.post(path, fields)).status, 403, `${role} ${path}`);
  }
  const stranger = await signedIn(freshAccount().owner);
  assert.equal((await stranger.send(where)).status, 404);
  assert.equal((await stranger.post(`${where}/delete`)).status, 404);
  assert.match(await text(where), /hook \/roles .*State active/);
});
