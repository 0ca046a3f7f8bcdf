// Exports and imports by their page: asked for, downloaded, brought into another account; memories of other systems by a file that is
// chosen; who may not is refused before anything is read.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browse, csrfOf, freshAccount, open, person, signIn, signedIn, words, settled } from "./lib/live.mjs";

const AT = "/admin/transfers", dir = mkdtempSync(join(tmpdir(), "loci-pages-"));
const MEM0 = JSON.stringify([{ id: "m1", memory: "The ferry leaves at seven.", user_id: "u", created_at: "2026-01-01T00:00:00Z" }, { id: "m2", memory: "The gate closes at ten." }]);

let account, owner, browser;
before(async () => {
  account = freshAccount();
  owner = await signedIn(account.owner);
  browser = await browse();
});
after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true });
});

const text = async (client, path = AT) => words((await client.send(path)).text);
const spaceOf = async (client) => /<option value="([^"]+)" selected>Global</.exec((await client.send("/admin/nodes")).text)[1];

/** A form with a file, as a browser sends it; name null: none was chosen. */
async function upload(client, path, fields, name, content, { csrf } = {}) {
  const form = new FormData();
  const token = csrf === undefined ? csrfOf((await client.send("/admin/account")).text) : csrf;
  if (token !== null) form.append("csrf_token", token);
  for (const [k, v] of Object.entries(fields)) form.append(k, v);
  if (name !== null) form.append("file", new Blob([content]), name);
  return client.send(path, { method: "POST", body: form });
}

test("a file is chosen in a browser without JavaScript: first tried, then taken in, then nothing new", async () => {
  const page = await open(browser, { javaScriptEnabled: false }), file = join(dir, "mem0 50%.json");
  writeFileSync(file, MEM0);
  await signIn(page, account.owner, `/login?next=${AT}`);
  const form = `form[action="${AT}/memories"]`;
  const send = async (tick) => {
    await page.selectOption(`${form} [name=format]`, "mem0");
    await page.setInputFiles(`${form} [name=file]`, file);
    await page.setChecked(`${form} [name=dry_run]`, tick);
    await page.click(`${form} button`);
    return page.innerText("main");
  };
  assert.match(await send(true), /Dry run\s+mem0 50%\.json[^]*Would be added\s+2[^]*Nothing was stored/);
  assert.ok(!(await text(owner, "/admin/nodes")).includes("The ferry leaves"));
  assert.match(await send(false), /Imported[^]*Added\s+2\s+Already present\s+0/);
  assert.match(await text(owner, "/admin/nodes"), /The ferry leaves at seven/);
  assert.match(await send(false), /Added\s+0\s+Already present\s+2/);
  await page.reload();
  assert.ok(!(await page.innerText("main")).includes("Imported"), "told once");
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("what cannot be taken in is said, with the form as it was", async () => {
  const space_id = await spaceOf(owner), fields = { form: "memories", format: "mem0", space_id };
  const none = await upload(owner, `${AT}/memories`, fields, null);
  assert.equal(none.status, 422);
  assert.match(words(none.text), /Not saved: choose a file/);
  assert.doesNotMatch(none.text, /name="dry_run" value="1" checked[^]*Import an export/, "the box stays as it was");
  const wrong = await upload(owner, `${AT}/memories`, fields, "x.json", "no JSON");
  assert.equal(wrong.status, 422);
  assert.match(words(wrong.text), /Not saved: /);
  const nowhere = await upload(owner, `${AT}/memories`, { ...fields, space_id: account.agentId }, "x.json", MEM0);
  assert.ok([404, 422].includes(nowhere.status), `${nowhere.status}`);
});

test("an export is asked for, downloaded, and imported into another account; a broken one changes nothing", async () => {
  assert.equal((await owner.post(`${AT}/exports`, { with_audit: "true" })).status, 303);
  await settled(account, "queue");
  const [, path] = /href="(\/api\/v1\/exports\/[^"]+\/download)"/.exec((await owner.send(AT)).text);
  assert.match(await text(owner), /done everything, audit trail [\d,]+ lines [\d.]+ [KM]iB/);
  const file = await owner.send(path);
  assert.equal(file.status, 200);
  assert.match(file.headers.get("content-disposition"), /attachment; filename="pages-/);
  const other = freshAccount(), theirs = await signedIn(other.owner);
  const ends = async (what) => {
    await settled(other, "queue");
    const t = await text(theirs);
    assert.match(t, what);
    return t;
  };
  assert.equal((await upload(theirs, `${AT}/imports`, { form: "import", mode: "merge", dry_run: "1" }, "all.jsonl", file.text)).status, 303);
  assert.match(await ends(/done merge dry run/), /would add \d+, \d+ already present Per table .* node \d+ added/);
  assert.ok(!(await text(theirs, "/admin/nodes")).includes("The ferry leaves"));
  assert.equal((await upload(theirs, `${AT}/imports`, { form: "import", mode: "merge" }, "all.jsonl", file.text)).status, 303);
  await ends(/done merge [\d.]+ \w+ added \d+/);
  const broken = file.text.replace("The ferry leaves at seven", "The ferry leaves at eight");
  assert.equal((await upload(theirs, `${AT}/imports`, { form: "import", mode: "merge" }, "all.jsonl", broken)).status, 303);
  assert.match(await ends(/failed merge/), /line \d+: .* Nothing was changed\./);
  const remove = /action="([^"]*\/remove)"/.exec((await owner.send(AT)).text)[1];
  assert.equal((await owner.post(remove)).status, 303);
  assert.equal((await owner.send(path)).status, 404);
  assert.match(await text(owner), /No exports/);
});

test("who may not is refused, without a token of the page, too, and nothing is done", async () => {
  const viewer = await signedIn(person(account.slug, "viewer")), editor = await signedIn(person(account.slug, "editor"));
  const space_id = await spaceOf(owner), memories = { form: "memories", format: "mem0", space_id }, file = MEM0.replace("seven", "nine");
  assert.ok(!(await viewer.send("/admin")).text.includes(AT));
  assert.equal((await viewer.send(AT)).status, 403);
  assert.equal((await upload(viewer, `${AT}/memories`, memories, "x.json", file)).status, 403);
  for (const client of [viewer, editor]) {
    assert.equal((await client.post(`${AT}/exports`)).status, 403);
    assert.equal((await upload(client, `${AT}/imports`, { mode: "restore" }, "x.jsonl", "x")).status, 403);
  }
  const seen = (await editor.send(AT)).text;
  assert.ok(seen.includes(`${AT}/memories`) && !seen.includes(`${AT}/imports"`) && !seen.includes(`${AT}/exports"`), "an editor may bring memories, and no more");
  for (const csrf of [null, csrfOf((await editor.send("/admin/account")).text)]) {
    const answer = await upload(owner, `${AT}/memories`, memories, "x.json", file, { csrf });
    assert.equal(answer.status, 403);
    assert.match(words(answer.text), /nothing was changed/);
  }
  assert.ok(!(await text(owner, "/admin/nodes")).includes("The ferry leaves at nine"));
  assert.match(await text(owner), /No exports .*No imports/);
  assert.equal((await owner.send(`${AT}/memories`, { method: "POST", body: "x", headers: { "content-type": "multipart/form-data; boundary=y" } })).status, 400);
  assert.equal((await owner.send("/admin/teams", { method: "POST", body: new FormData() })).status, 415, "other forms have no files");
});
