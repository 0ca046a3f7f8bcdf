// The page Graph of a running installation: what lies around a node, with filters, depth and a cap; the shortest way; the picture
// that a script draws of the same; and that nothing shows of what one may not read.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, browse, freshAccount, open, signedIn, words } from "./lib/live.mjs";
import { sessionOf } from "./lib/tour.mjs";

let account, owner, browser;
const ids = {};
before(async () => {
  browser = await browse();
  account = freshAccount();
  owner = await signedIn(account.owner);
  const own = (await post("nodes", { kind: "note", title: "Secret", body: "x" })).space_id;
  const port = (await owner.post("/admin/spaces", { kind: "context", name: "Port", slug: "port", description: "" })).where;
  await owner.post(`${port}/grants`, { grantee: `agent:${account.agentId}`, level: "write", expires_in_days: "0" });
  const space_id = port.split("/").pop();
  for (const [title, kind] of [["Hub", "entity"], ["Ferry", "note"], ["Gate", "entity"], ["Quay", "entity"], ["Far", "note"], ["Alone", "note"]])
    ids[title] = (await post("nodes", { kind, title, body: title, space_id })).id;
  ids.Secret = (await post("nodes", { kind: "note", title: "Hidden", body: "x", space_id: own })).id;
  for (const [a, b, relation] of [["Hub", "Ferry", "uses"], ["Gate", "Hub", "part_of"], ["Gate", "Quay", "related_to"], ["Quay", "Far", "causes"], ["Hub", "Secret", "uses"], ["Secret", "Far", "uses"]])
    await post("edges", { source_id: ids[a], target_id: ids[b], relation });
  for (let i = 0; i < 40; i++) await post("edges", { source_id: (await post("nodes", { kind: "episode", title: `Leaf ${i}`, body: "x", space_id })).id, target_id: ids.Far, relation: "related_to", weight: 0.1 });
});
after(async () => { await browser?.close(); });

async function post(path, body) {
  const answer = await fetch(`${SITE}/api/v1/${path}`, { method: "POST", headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" }, body: JSON.stringify(body) });
  assert.equal(answer.status, 201, `${path}: ${answer.status}`);
  return (await answer.json()).data;
}
const see = async (query) => (await owner.send(`/admin/graph?${new URLSearchParams(query)}`)).text;
const section = (html, label) => words(new RegExp(`<section[^>]*aria-label="${label}"[^]*?</section>`).exec(html)?.[0] ?? "");
const shown = (html) => [...html.matchAll(/<tr data-node="[^"]+" data-kind="[^"]+" data-name="([^"]+)"/g)].map((m) => m[1]).sort();

test("what lies around a node, by steps, relation and kind, is what the gate lets through", async () => {
  assert.deepEqual(shown(await see({ node: ids.Hub, depth: 1 })), ["Ferry", "Gate", "Hub"]);
  const two = await see({ node: ids.Hub, depth: 2 });
  assert.deepEqual(shown(two), ["Ferry", "Gate", "Hub", "Quay"]);
  assert.match(words(two), /all 4 within 2 steps/);
  assert.match(section(two, "Edges of the picture"), /Gate part_of Hub 1\.00/);
  assert.deepEqual(shown(await see({ node: ids.Hub, depth: 3, relation: "USES" })), ["Ferry", "Hub"]);
  assert.deepEqual(shown(await see({ node: ids.Ferry, depth: 4, kind: "entity" })), ["Ferry", "Gate", "Hub", "Quay"]);
  assert.doesNotMatch(await see({ node: ids.Far, depth: 2, max: 150 }), /Hidden|Secret/);
  assert.equal((await owner.send(`/admin/graph?node=${ids.Secret}`)).status, 404);
});

test("a crowd is capped, and the page says of how many", async () => {
  const html = await see({ node: ids.Far, depth: 1, max: 30 });
  assert.equal(shown(html).length, 30);
  assert.match(words(html), /showing 30 of 42/);
  assert.match(words(await see({ node: ids.Far, depth: 2, max: 30 })), /showing 30 of at least 42/);
});

test("the shortest way takes edges in either direction, and none through what one may not see", async () => {
  assert.match(section(await see({ node: ids.Ferry, to: ids.Far }), "Shortest path"), /4 steps Ferry note ← uses Hub entity ← part_of Gate entity ↔ related_to Quay entity → causes Far note/);
  assert.match(section(await see({ node: ids.Ferry, to: "Alone" }), "Shortest path"), /No path through/);
  assert.match(words(await see({ node: ids.Ferry, to: "Nothing such" })), /No unique memory named “Nothing such”/);
});

test("one begins with a title, and chooses where there are several", async () => {
  assert.deepEqual(shown(await see({ node: "quay", depth: 1 })), ["Far", "Gate", "Quay"]);
  assert.match(section(await see({ node: "Leaf" }), "Start from"), /Several matches[^]*Leaf 39/);
  assert.match(section(await see({ node: "Nobody" }), "Start from"), /No memories found/);
  const id = await see({ node: ids.Quay, depth: 1 });
  assert.ok(id.includes(`name="node" value="Quay · ${ids.Quay}"`), "an id is shown with its name");
  assert.deepEqual(shown(await see({ node: `Quay · ${ids.Quay}`, depth: 1 })), ["Far", "Gate", "Quay"]);
  assert.ok(id.includes(`<option value="Gate · ${ids.Gate}">`), "names to choose from");
});

test("several that could be the other end are offered, and one is taken by a link", async () => {
  const html = await see({ node: ids.Ferry, to: "Leaf", depth: 1 });
  const [, href] = /<a href="([^"]+)">Leaf 39</.exec(html);
  assert.match(section((await owner.send(href.replaceAll("&amp;", "&"))).text, "Shortest path"), /5 steps Ferry[^]*Leaf 39/);
});

test("a script draws it, a click adds what lies around a node, and nothing is against the CSP", async () => {
  const page = await open(browser, { viewport: { width: 1280, height: 800 } });
  await page.context().addCookies(sessionOf(owner));
  await page.goto(`${SITE}/admin/graph?node=${ids.Hub}&depth=1`);
  await page.waitForSelector("#graph svg a");
  assert.equal(await page.locator("#graph svg circle").count(), 3);
  const gate = page.locator("#graph svg a", { has: page.locator("title", { hasText: "entity: Gate" }) });
  await gate.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("#graph svg circle").length === 4);
  assert.match(await page.innerText("#graph [role=status]"), /Gate \(entity\): 1 more shown\./);
  await page.click("#graph [role=status] >> text=Put it in the middle");
  await page.waitForSelector("section[aria-label='The picture'] h2:has-text('Around Gate')");
  await page.goto(`${SITE}/admin/graph?node=${ids.Ferry}&to=${ids.Quay}&depth=3`);
  await page.waitForSelector("#graph svg a");
  assert.equal(await page.locator("#graph svg .way-line").count(), 3, "the way is marked in the picture");
  assert.deepEqual([page.faults, page.strangers], [[], []]);
  await page.context().close();
});

test("names cover no node and no other name; a crowd keeps some back until one points at their nodes", async () => {
  const page = await open(browser, { viewport: { width: 1280, height: 800 } });
  await page.context().addCookies(sessionOf(owner));
  await page.goto(`${SITE}/admin/graph?node=${ids.Far}&depth=1&max=60`);
  await page.waitForSelector("#graph svg a");
  const covered = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll("#graph svg a:not(.quiet) text")].map((t) => t.getBBox());
    return boxes.filter((a, i) => boxes.some((b, k) => k > i && a.x + 2 < b.x + b.width && b.x + 2 < a.x + a.width && a.y + 3 < b.y + b.height && b.y + 3 < a.y + a.height)).length;
  });
  assert.equal(covered, 0);
  await page.context().close();
});
