// The pages of nodes of a running installation: something is remembered, found, read, changed, compared, weighed, put away,
// forgotten and brought back by forms alone; who may only read sees no form, and posting anyway changes nothing.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { SITE, api, freshAccount, person, signedIn, words } from "./lib/live.mjs";

let account, owner, at;
before(async () => {
  account = freshAccount();
  owner = await signedIn(account.owner);
  at = await remember("Ferry", "It leaves at seven.\nDogs are free.");
});

const see = async (path, who = owner) => (await who.send(path)).text;
const section = (html, label) => words(new RegExp(`<section[^>]*aria-label="${label}"[^]*?</section>`).exec(html)?.[0] ?? "");
const place = async () => /<option value="([^"]+)" selected>Global</.exec(await see("/admin/nodes"))[1];
const remember = async (title, body, more = {}) => {
  const answer = await owner.post("/admin/nodes", { title, body, kind: "note", space_id: await place(), ...more });
  assert.equal(answer.status, 303, words(answer.text));
  return answer.where;
};
const act = async (verb, fields = {}) => assert.equal((await owner.post(`${at}/${verb}`, fields)).status, 303, verb);
const undo = (html) => /<form method="post" action="([^"]+)" class="flash ok undo">/.exec(html)?.[1];
// Not as use: that would raise its importance when it is written down, a few seconds later.
const node = async (path = at) => (await api(`nodes/${path.split("/").pop()}?touch=false`, account.token)).data;

describe("the list", () => {
  test("is filtered by title, kind, space and status, and names what it shows", async () => {
    await remember("Lighthouse", "It blinks.", { kind: "entity" });
    const all = section(await see("/admin/nodes"), "Memories");
    assert.match(all, /Lighthouse It blinks\. entity Global The owner 0\.50/);
    assert.match(all, /Ferry It leaves at seven\./);
    assert.doesNotMatch(section(await see("/admin/nodes?q=light"), "Memories"), /Ferry/);
    assert.doesNotMatch(section(await see("/admin/nodes?kind=note"), "Memories"), /Lighthouse/);
    assert.match(section(await see(`/admin/nodes?space=${await place()}&q=ferr`), "Memories"), /Ferry/);
    assert.match(section(await see("/admin/nodes?status=archived"), "Memories"), /Nothing matches/);
  });

  test("what cannot be remembered is shown again as it was typed", async () => {
    const answer = await owner.post("/admin/nodes", { title: "x".repeat(501), body: "A <b>", kind: "note", space_id: await place() });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /<details class="new" open>[^]*A &lt;b&gt;<\/textarea>/);
    assert.match(answer.text, /<span class="error">/);
  });
});

describe("a node", () => {
  test("says what it says, where it comes from, and who has access and why", async () => {
    const html = await see(at);
    assert.match(section(html, "Content"), /It leaves at seven\. Dogs are free\. active note · version 1/);
    assert.match(section(html, "Origin"), /Author The owner[^]*Space Global namespace[^]*captured directly/);
    assert.match(section(html, "Access"), /Your access manage[^]*everyone in the account may read granted to the everyone/);
    assert.match(section(html, "Audit log"), /node\.create The owner/);
    assert.match(section(html, "Access log"), /Who used it is recorded only/);
    assert.match(words(html), new RegExp(`curl -s [^]*/api/v1/nodes/${at.split("/").pop()}[^]*read_memory`));
    assert.match(section(html, "Content"), /Nothing else is affected/);
    assert.match(html, /<svg viewBox="0 0 1000 200"[^>]*role="img" aria-label="Importance over time/);
  });

  test("shows line by line what a change did, for each of its versions", async () => {
    const save = async (body) => {
      const version = /name="if_version" value="(\d+)"/.exec(await see(at))[1];
      const answer = await owner.post(at, { title: "Ferry", body, if_version: version });
      assert.equal(answer.status, 303, words(answer.text));
      return version;
    };
    await save("It leaves at eight.\nDogs are free.");
    const late = await save("It leaves at eight.\nDogs are free.\nCats are not.");
    const html = await see(at), before_ = section(html, "Version history");
    assert.match(before_, /from version 2 to version 3 Lines removed: 0, added: 1/);
    assert.match(html, /<ins>\+ Cats are not\.<\/ins>/);
    assert.match(section(html, "Content"), /Forget Ferry \?[^]*2 older versions will be hidden/, "before one forgets, what goes along");
    const first = /href="([^"]+\?change=[^"]+)">version 1</.exec(html)[1], then = await see(first);
    assert.match(then, /<del>− It leaves at seven\.<\/del><ins>\+ It leaves at eight\.<\/ins>/);
    const old = /href="([^"]+)">all of it<span class="visually-hidden"> in version 1</.exec(html)[1];
    assert.match(words(await see(old)), /This is an old version\. Current version: Ferry/);
    const offered = /<form[^>]*>(?:(?!<\/form>)[^])*Restore this version/.exec(await see(old))[0];
    const answer = await owner.post(at, { title: "Ferry", body: "Mine", if_version: late });
    assert.equal(answer.status, 412);
    assert.match(answer.text, /Mine<\/textarea>/);
    assert.equal((await node()).version, 3);
    const again = Object.fromEntries([...offered.matchAll(/name="(if_version|title|body)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    assert.equal((await owner.post(at, again)).status, 303, "an old state is said anew");
    assert.deepEqual([(await node()).version, (await node()).body], [4, "It leaves at seven.\nDogs are free."]);
  });

  test("is pinned, weighed, archived and forgotten, and each is taken back", async () => {
    for (const [verb, was, is] of [["pin", { is_pinned: false }, { is_pinned: true }], ["unpin", { is_pinned: false }, { is_pinned: false }],
      ["archive", { status: "active" }, { status: "archived" }]]) {
      await act(verb);
      for (const [name, value] of Object.entries(is)) assert.equal((await node())[name], value, verb);
      const back = undo(await see(at));
      if (verb === "unpin") continue;
      assert.equal((await owner.post(back)).status, 303);
      for (const [name, value] of Object.entries(was)) assert.equal((await node())[name], value, `back from ${verb}`);
    }
    await act("boost");
    assert.ok(Math.abs((await node()).importance_score - 0.6) < 0.01);
    assert.equal(undo(await see(at)), `${at}/reduce`);
    await act("reduce");
    assert.ok(Math.abs((await node()).importance_score - 0.5) < 0.01);
    const gone = await owner.post(`${at}/forget`);
    assert.equal(gone.where, "/admin/nodes");
    const list = await see("/admin/nodes");
    assert.equal((await owner.send(at)).status, 404);
    assert.match(section(await see("/admin/nodes?status=forgotten"), "Memories"), /Ferry[^]*Restore/);
    assert.equal((await owner.post(undo(list))).status, 303);
    assert.equal((await owner.send(at)).status, 200);
  });

  test("is joined to others, and what it was made from and into is told apart", async () => {
    const ids = [];
    for (const title of ["Day", "Fact of the day", "Quay"])
      ids.push((await (await fetch(`${SITE}/api/v1/nodes`, { method: "POST", headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" }, body: JSON.stringify({ kind: "episode", title, body: title }) })).json()).data.id);
    const [day, fact, quay] = ids;
    const join = (source_id, target_id, relation) => fetch(`${SITE}/api/v1/edges`, { method: "POST", headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" }, body: JSON.stringify({ source_id, target_id, relation }) });
    await join(fact, day, "DERIVED_FROM");
    await join(day, quay, "located_in");
    const spaceOf = (await api(`nodes/${day}`, account.token)).data.space_id;
    await owner.post(`/admin/spaces/${spaceOf}/grants`, { grantee: `user:${account.owner.id}`, level: "read", expires_in_days: "0" });
    const html = await see(`/admin/nodes/${day}`);
    assert.match(section(html, "Origin"), /Sources None: it was captured directly[^]*Derived memories Fact of the day/);
    assert.match(section(html, "Edges"), /out located_in Quay episode 1\.00/);
    assert.match(section(await see(`/admin/nodes/${fact}`), "Origin"), /Sources Day/);
  });

  test("of an entry links to its page there and names the snapshots that hold it", async () => {
    const context = (await owner.post("/admin/memory", { name: "Harbour", context_type: "shared_context", scope: "account", agent_id: "", team_id: "", description: "" })).where;
    await owner.post(`${context}/entries`, { entry_key: "gate", entry_type: "observation", format: "text", tags: "", content: "Closed at ten." });
    await owner.post(`${context}/snapshots`, { snapshot: "before the storm" });
    const entry = /href="([^"]+)">gate</.exec(await see(context))[1];
    const html = await see(`/admin/nodes/${entry.split("/").pop()}`);
    assert.match(html, new RegExp(`href="${entry}">Edit in “`));
    assert.match(section(html, "Snapshots"), /before the storm 1 entry,/);
    assert.match(section(html, "Access log"), /The owner: write/);
    assert.doesNotMatch(html, /Forget|Raise importance/);
    assert.match(await see(entry), /href="\/admin\/nodes\/[^"]+">Memory page/);
  });

  test("that took the place of another shows the chain, from either", async () => {
    const context = (await owner.post("/admin/memory", { name: "Times", context_type: "shared_context", scope: "account", agent_id: "", team_id: "", description: "" })).where;
    for (const content of ["It leaves at seven.", "It leaves at eight."])
      await owner.post(`${context}/entries`, { entry_key: "ferry", entry_type: "fact", format: "text", tags: "", content });
    const entry = /href="([^"]+)">ferry</.exec(await see(context))[1];
    const html = await see(`/admin/nodes/${entry.split("/").pop()}`), [, old] = /<li><a href="([^"]+)">ferry<\/a><\/li>/.exec(html);
    assert.match(section(html, "Version history"), /Replaces \/ replaced by ferry ferry/);
    assert.match(await see(old), /<li><strong>ferry<\/strong><\/li>\s*<li><a href/);
  });

  test("that is not there, or not for one, is the same page", async () => {
    const other = await signedIn(freshAccount().owner);
    const hidden = await other.send(at), none = await owner.send("/admin/nodes/01998a3c-0000-7000-8000-000000000000");
    assert.deepEqual([hidden.status, none.status], [404, 404]);
  });
});

test("a viewer sees no action it may not take, and posting it anyway changes nothing", async () => {
  const viewer = await signedIn(person(account.slug, "viewer"));
  const html = await see(at, viewer), list = await see("/admin/nodes", viewer), before_ = await node();
  assert.match(section(html, "Content"), /leaves at seven/);
  assert.doesNotMatch(html.replace(/<header class="top">[^]*?<\/header>/, ""), /<form method="post"/);
  assert.doesNotMatch(list, /New memory<\/summary>/);
  for (const verb of ["", "/pin", "/unpin", "/boost", "/reduce", "/archive", "/unarchive", "/forget", "/restore"])
    assert.equal((await viewer.post(at + verb, { title: "x", body: "x" })).status, 403, verb);
  assert.equal((await viewer.post("/admin/nodes", { title: "x", body: "x", kind: "note", space_id: await place() })).status, 403);
  for (const verb of ["/pin", "/forget"]) assert.equal((await owner.post(at + verb, {}, { csrf: null })).status, 403, "no token");
  assert.deepEqual(await node(), before_);
});

test("spaces stand within each other in the tree", async () => {
  const top = (await owner.post("/admin/spaces", { kind: "context", name: "Top", slug: "top", description: "" })).where.split("/").pop();
  const token = locictlToken();
  const inner = await fetch(`${SITE}/api/v1/spaces`, { method: "POST", headers: { authorization: `Bearer ${await token}`, "content-type": "application/json" }, body: JSON.stringify({ kind: "context", name: "Inner", slug: "inner", parent_id: top }) });
  assert.equal(inner.status, 201, await inner.text());
  assert.match(await see("/admin/spaces/tree"), /<ul class="tree">[^]*>Top<[^]*<ul class="tree">\s*<li><a href="[^"]+">Inner</);
});

/** A token of the owner, for what has no form. */
async function locictlToken() {
  const made = await owner.post("/admin/tokens", { name: "tree", expires_in_days: "7", owner: `user:${account.owner.id}` });
  return /loci_\w{8}_\w{43}/.exec(await see(made.where))[0];
}
