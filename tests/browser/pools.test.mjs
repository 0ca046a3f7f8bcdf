// The page Pools of a running installation: pools and keys are made, changed and deleted by forms alone; a value that somebody
// else has changed meanwhile is not overwritten but shown, and looking counts as nobody's use.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { SITE, api, browse, freshAccount, open, person, signedIn, words } from "./lib/live.mjs";
import { sessionOf } from "./lib/tour.mjs";

let account, owner, pool;
before(async () => {
  account = freshAccount();
  owner = await signedIn(account.owner);
  pool = (await owner.post("/admin/pools", { name: "Blackboard", pool_id: "board", pool_type: "shared", owner_agent_id: "", team_id: "", is_public: "1", description: "What all see" })).where;
});

const see = async (path) => (await owner.send(path)).text;
const section = (html, label) => words(new RegExp(`<section[^>]*aria-label="${label}"[^]*?</section>`).exec(html)?.[0] ?? "");
const write = async (key, value, more = {}) => {
  const answer = await owner.post(`${pool}/keys`, { key, value, format: "text", ttl_seconds: "", ...more });
  assert.equal(answer.status, 303, words(answer.text));
};
const asAgent = (method, path, body) => fetch(`${SITE}/api/v1/ai/memory_pools/${path}`, { method, headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" }, body: JSON.stringify(body) });
const keyAt = (key) => `${pool}/key?key=${encodeURIComponent(key)}`;
const versionOf = (html) => /name="if_version" value="(\d+)"/.exec(html)[1];
const valueOf = async (key) => (await api(`ai/memory_pools/board/data/${key}`, account.token)).data;

describe("pools", () => {
  test("are listed by type, with access in words, limits and figures", async () => {
    assert.match(section(await see("/admin/pools"), "Pools"), /Blackboard board shared account[^]*manage/);
    assert.match(section(await see("/admin/pools?type=team_shared"), "Pools"), /No pools here/);
    const page = words(await see(pool));
    assert.match(page, /Who has access its owner may manage; 1 user may manage; everyone in the account may write/);
    assert.match(page, /Keys 0 of 1,000, 0 B of 4.8 MiB Fill 0.0 %/);
  });

  test("what cannot be is shown again with what was typed", async () => {
    const answer = await owner.post("/admin/pools", { name: "For <all>", pool_id: "", pool_type: "team_shared", owner_agent_id: "", team_id: "" });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /value="For &lt;all&gt;"/);
    assert.match(answer.text, /<option value="team_shared" selected>/);
    assert.match(answer.text, /<details class="new" open>/);
  });

  test("limits are changed, and one that is none is refused beside them", async () => {
    const form = { name: "Blackboard", description: "What all see", max_entries: "20", max_size_bytes: "100000", keep_seconds: "3600", eviction: "reject" };
    assert.equal((await owner.post(pool, form)).status, 303);
    const { retention_policy } = (await api("ai/memory_pools/board", account.token)).data;
    assert.deepEqual(retention_policy, { ttl_seconds: 3600, max_size_bytes: 100000, max_entries: 20, eviction: "reject" });
    const wrong = await owner.post(pool, { ...form, max_entries: "many" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /max_entries must be a whole number/i);
    await owner.post(pool, { ...form, keep_seconds: "" });
    assert.equal((await api("ai/memory_pools/board", account.token)).data.retention_policy.ttl_seconds, null);
  });

  test("are deleted by their name, and that is taken back", async () => {
    const at = (await owner.post("/admin/pools", { name: "Old", pool_id: "old", pool_type: "shared", owner_agent_id: "", team_id: "" })).where;
    assert.equal((await owner.post(`${at}/delete`, { confirm: "odl" })).status, 422);
    assert.equal((await owner.post(`${at}/delete`, { confirm: "old" })).where, "/admin/pools");
    const undo = /action="([^"]+\/undelete)"/.exec(await see("/admin/pools"))[1];
    assert.equal((await owner.send(at)).status, 404);
    await owner.post(undo);
    assert.equal((await owner.send(at)).status, 200);
  });
});

describe("keys", () => {
  test("are written as text or JSON, listed by their beginning, and the last changes come first", async () => {
    await write("market.regime", "calm");
    await write("market.figures", '{"rate": 3.5}', { format: "json" });
    await write("agent_bulletin.storm", "Stay inside.");
    assert.deepEqual((await valueOf("market.figures")).value, { rate: 3.5 });
    const keys = section(await see(`${pool}?prefix=market.`), "Keys");
    assert.match(keys, /market.figures[^]*market.regime/);
    assert.doesNotMatch(keys, /storm/);
    assert.match(section(await see(pool), "What changed last"), /agent_bulletin.storm bulletin[^]*market.figures[^]*market.regime/);
    const wrong = await owner.post(`${pool}/keys`, { key: "market.bad", value: "{", format: "json", ttl_seconds: "" });
    assert.equal(wrong.status, 422);
    assert.equal((await owner.post(`${pool}/keys`, { key: "a..b", value: "x", format: "text", ttl_seconds: "" })).status, 422);
  });

  test("a new key does not take the place of one that is there", async () => {
    await write("taken", "first");
    assert.equal((await owner.post(`${pool}/keys`, { key: "taken", value: "second", format: "text", ttl_seconds: "" })).status, 412);
    assert.equal((await valueOf("taken")).value, "first");
  });

  test("a value that changed meanwhile is shown beside what was typed, and saving again takes its place", async () => {
    await write("shift", "Anna");
    const old = versionOf(await see(keyAt("shift")));
    assert.equal((await asAgent("PUT", "board/data/shift", { value: "Bertil" })).status, 200);
    const form = { key: "shift", value: "Cecilia & co", format: "text", ttl_seconds: "" };
    const late = await owner.post(`${pool}/key`, { ...form, if_version: old });
    assert.equal(late.status, 412);
    assert.match(late.text, /Somebody was faster/);
    assert.match(section(late.text, "The value"), /Bertil[^]*Helper/, "with who wrote it");
    assert.match(late.text, />Cecilia &amp; co<\/textarea>/);
    assert.equal((await valueOf("shift")).value, "Bertil");
    assert.equal((await owner.post(`${pool}/key`, { ...form, if_version: versionOf(late.text) })).where, keyAt("shift"));
    assert.equal((await valueOf("shift")).value, "Cecilia & co");
  });

  test("are deleted, only as they were looked at; what is gone says so", async () => {
    await write("gone & lost", "x");
    const version = versionOf(await see(keyAt("gone & lost")));
    assert.equal((await owner.post(`${pool}/key/delete`, { key: "gone & lost", if_version: "1" })).status, 412);
    assert.equal((await owner.post(`${pool}/key/delete`, { key: "gone & lost", if_version: version })).where, pool);
    assert.equal((await owner.send(keyAt("gone & lost"))).status, 404);
    assert.match(section(await see(pool), "What changed last"), /gone &amp; lost\s+deleted/);
  });

  test("looking counts as nobody's use", async () => {
    await write("quiet", "nobody reads this");
    const uses = async () => (await api("ai/memory_pools/board/statistics", account.token)).data.access_count;
    await valueOf("quiet");
    while (!await uses());
    const before = await uses();
    for (let i = 0; i < 3; i++) await see(keyAt("quiet"));
    await see(pool);
    await valueOf("quiet");                  // what was before it is counted with it
    while (await uses() === before);
    assert.equal(await uses(), before + 1);
  });
});

test("without rights nothing is offered and nothing done; without the token nothing either", async () => {
  await write("kept", "as it was");
  const viewer = await signedIn(person(account.slug, "viewer")), stranger = await signedIn(freshAccount().owner);
  assert.doesNotMatch((await viewer.send(pool)).text, /New key|name="max_entries"/);
  assert.doesNotMatch((await viewer.send(keyAt("kept"))).text, /<textarea/);
  for (const path of [pool, keyAt("kept")]) assert.equal((await stranger.send(path)).status, 404);
  for (const [path, form] of [[`${pool}/key`, { key: "kept", value: "mine", format: "text" }], [`${pool}/key/delete`, { key: "kept" }], [pool, { name: "Mine" }], [`${pool}/delete`, { confirm: "board" }]]) {
    assert.equal((await stranger.post(path, form)).status, 404, path);
    assert.equal((await viewer.post(path, form)).status, 403, path);
    assert.equal((await owner.post(path, form, { csrf: null })).status, 403, path);
  }
  assert.equal((await valueOf("kept")).value, "as it was");
});

test("in the browser without JavaScript: a key is written and its value changed", async () => {
  const browser = await browse();
  const page = await open(browser, { javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
  await page.context().addCookies(sessionOf(owner));
  await page.goto(SITE + pool);
  await page.click("details.new > summary");
  await page.fill("[name=key]", "lamp.colour");
  await page.fill("[name=value]", "green\nand red");
  await page.click("details.new form button");
  await page.click("section[aria-label=Keys] a:text-is('lamp.colour')");
  assert.equal((await page.innerText("section pre")).trim(), "green\nand red");
  await page.fill("textarea", "white");
  await page.click("button:has-text('Save')");
  await page.waitForSelector(".flash.ok");
  assert.equal((await page.innerText("section pre")).trim(), "white");
  assert.deepEqual([page.faults, page.strangers], [[], []]);
  await browser.close();
});
