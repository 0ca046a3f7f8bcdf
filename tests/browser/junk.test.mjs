// The page Junk of a running installation: figures that lead to their rows, the curve, cleaning and taking it back.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { SITE, freshAccount, person, signedIn, words, settled } from "./lib/live.mjs";

let account, owner, context;
before(async () => {
  account = freshAccount();
  owner = await signedIn(account.owner);
  context = (await owner.post("/admin/memory", { name: "Harbour", context_type: "shared_context", scope: "account", agent_id: "", team_id: "" })).where;
  for (const key of ["one", "two"])
    assert.equal((await owner.post(`${context}/entries`, { entry_key: key, entry_type: "observation", format: "text", tags: "", content: "The ferry to the island leaves at seven." })).status, 303);
});

const see = async (path) => (await owner.send(path)).text;
const section = (html, label) => new RegExp(`<section[^>]*aria-label="${label}"[^]*?</section>`).exec(html)?.[0] ?? "";

test("nothing was looked at yet; asked for, each number leads to its rows, and these to the memories", async () => {
  assert.match(words(await see("/admin/junk")), /Nobody has looked yet/);
  assert.match(await see("/admin/memory"), /href="\/admin\/junk"/);
  assert.match(await see("/admin"), /href="\/admin\/junk"/, "the light of the overview leads there");
  assert.equal((await owner.post("/admin/junk/run")).where, "/admin/junk");
  await settled(account, "runs");
  const page = await see("/admin/junk");
  const [, href] = /href="([^"]+)">1<span class="visually-hidden"> of exact_copy/.exec(section(page, "By class"));
  const rows = await see(href);
  assert.match(words(section(rows, "Memories")), /two copy of one entry exact_copy/);
  for (const key of ["two", "one"]) {
    const [, entry] = new RegExp(`href="(/admin/nodes/[^"]+)">${key}<`).exec(rows);
    assert.match(await see(entry), /The ferry to the island leaves at seven/);
  }
  assert.doesNotMatch(words(section(rows, "Memories")), /[0-9a-f]{8}-[0-9a-f]{4}-/, "no bare ids");
  for (const path of [/href="(\/admin\/junk\/rows)"/.exec(page)[1], /href="(\/admin\/junk\/rows\?space[^"]+)"/.exec(section(page, "By space"))[1].replaceAll("&amp;", "&")])
    assert.match(words(section(await see(path), "Memories")), /two copy of one entry exact_copy/, path);
});

test("what is shown of a class is archived, no more, and all of it taken back", async () => {
  assert.doesNotMatch(section(await see("/admin/junk"), "By class"), /<form|class="[^"]*danger/, "nothing is archived unseen");
  assert.equal((await owner.post("/admin/junk/clean", { class: "exact_copy" })).status, 422);
  const rows = await see("/admin/junk/rows?class=exact_copy"), ids = [...rows.matchAll(/name="node_id\[\]" value="([^"]+)"/g)].map((m) => m[1]);
  assert.match(words(rows), /Archive the 1 memory shown/);
  assert.equal(ids.length, 1);
  const there = async () => /">two</.test(section(await see(context), "Entries") || await see(context));
  assert.equal((await owner.post("/admin/junk/clean", { class: "exact_copy", "node_id[]": ids[0] })).where, "/admin/junk");
  const page = await see("/admin/junk");
  const [, action] = /action="(\/admin\/junk\/undo\/[^"]+)" class="flash ok undo"/.exec(page);
  assert.match(words(page), /1 memory is archived/);
  assert.ok(!await there());
  await owner.post(action);
  assert.match(words(await see("/admin/junk")), /1 memory is back/);
  assert.ok(await there());
});

test("a private memory is said to be one, without its id, and is not archived from here; pairs are decided about where they wait", async () => {
  const made = await fetch(`${SITE}/api/v1/nodes`, { method: "POST", headers: { Authorization: `Bearer ${account.token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ title: "hush", body: "Hm" }) });
  assert.equal(made.status, 201);
  await owner.post("/admin/junk/run");
  await settled(account, "runs");
  const rows = await see("/admin/junk/rows?class=too_short");
  assert.match(words(section(rows, "Memories")), /A private memory note too_short/);
  assert.doesNotMatch(rows, /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[^"<]*<|name="node_id|hush/);
});

test("whoever may not manage memory does not see it", async () => {
  const viewer = await signedIn(person(account.slug, "viewer"));
  assert.ok([403, 404].includes((await viewer.send("/admin/junk")).status));
  assert.doesNotMatch((await viewer.send("/admin/memory")).text, /href="\/admin\/junk"/);
  assert.ok(SITE);
});
