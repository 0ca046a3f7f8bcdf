// The page Timeline of a running installation: what came in and what was made of it on a day, what took the place of what, and how
// it stood on an earlier day.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { SITE, freshAccount, signedIn, words } from "./lib/live.mjs";

let account, owner;
before(async () => {
  account = freshAccount();
  owner = await signedIn(account.owner);
});
const post = async (path, body) => {
  const answer = await fetch(`${SITE}/api/v1/${path}`, { method: "POST", headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" }, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return (await answer.json()).data;
};
const section = (html, label) => words(new RegExp(`<section[^>]*aria-label="${label}"[^]*?</section>`).exec(html)?.[0] ?? "");
const see = async (query = "") => (await owner.send(`/admin/timeline${query}`)).text;

test("a day's nodes are counted and listed, captured and derived apart, as far as one may read", async () => {
  const day = await post("nodes", { kind: "episode", title: "The day", body: "x" }), gist = await post("nodes", { kind: "note", title: "Its gist", body: "x" });
  await post("edges", { source_id: gist.id, target_id: day.id, relation: "DERIVED_FROM" });
  assert.match(section(await see(), "New memories"), /No new memories/);
  await owner.post(`/admin/spaces/${day.space_id}/grants`, { grantee: `user:${account.owner.id}`, level: "read", expires_in_days: "0" });
  const html = await see();
  assert.match(section(html, "New memories"), /\d{4} 1 captured, 1 derived[^]*Its gist derived[^]*The day x episode by Helper/);
  const [, href, n] = /<a href="([^"]+day=[^"]+)"><span>[^<]+<\/span> <strong class="num">(\d+)</.exec(html);
  assert.equal(n, "2");
  const only = (await owner.send(href.replaceAll("&amp;", "&"))).text;
  assert.match(section(only, "New memories"), /All days[^]*Its gist derived/);
  assert.match(only, /aria-current="date"/);
});

test("only nodes of one kind are counted and listed, a day's link keeps the kind, and a kind that nobody knows is none", async () => {
  const html = await see("?kind=episode"), came = section(html, "New memories");
  assert.match(came, /\d{4} 1 captured/);
  assert.ok(came.includes("The day") && !came.includes("Its gist"), came);
  assert.match(html, /<option value="episode" selected>episode/);
  assert.match(html, /<option value="note">note/);
  const [, href] = /<a href="([^"]+day=[^"]+)"><span>/.exec(html);
  assert.match(href, /kind=episode/);
  assert.match(section(await see("?kind=skill"), "New memories"), /No new memories/);
  assert.ok(section(await see("?kind=%3Cx"), "New memories").includes("Its gist"));
});

test("what took the place of what is a chain, oldest first", async () => {
  const context = (await owner.post("/admin/memory", { name: "Rents", context_type: "shared_context", scope: "account", agent_id: "", team_id: "", description: "" })).where;
  for (const content of ["900", "950", "1000"]) assert.equal((await owner.post(`${context}/entries`, { entry_key: "rent", entry_type: "fact", format: "text", tags: "", content })).status, 303);
  const html = await see(), chain = /<ol class="way">[^]*?<\/ol>/.exec(html)?.[0] ?? "";
  assert.equal(chain.match(/href="\/admin\/nodes\//g)?.length, 3, section(html, "Replacements"));
});

test("an earlier day shows what there was then, and a day that is none is now", async () => {
  const html = await see("?as_of=2026-01-01&days=7");
  assert.match(words(html), /State at the end of 1 Jan 2026/);
  assert.match(section(html, "New memories"), /No new memories/);
  assert.match(section(html, "Replacements"), /None/);
  assert.doesNotMatch(words(await see("?as_of=never&days=1000&day=x")), /State at the end of/);
});
