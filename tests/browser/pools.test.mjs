// The page Pools of a running installation: pools and keys are made, changed and deleted by forms alone; a value that somebody
// else has changed meanwhile is not overwritten but shown, and looking counts as nobody's use.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { SITE, api, browse, freshAccount, open, person, signedIn, until, words, settled } from "./lib/live.mjs";
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
    assert.match(section(await see("/admin/pools?type=team_shared"), "Pools"), /No pools/);
    assert.match(section(await see(`${pool}/access`), "Access"), /its owner may manage; 1 user may manage; everyone in the account may write/);
    assert.match(section(await see(`${pool}/limits`), "Limits"), /Keys 0 of 1,000 0.0 %[^]*Bytes 0 B of 4.8 MiB 0.0 %[^]*Keys never expire/);
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
    await owner.post(`${at}/keys`, { key: "a.b", value: "x", format: "text", ttl_seconds: "" });
    assert.match(section(await see(`${at}/limits`), "Delete"), /This also deletes: 1 key, [^]*0 snapshots 1 grant/);
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
    assert.match(section(await see(`${pool}/feed`), "Changes"), /agent_bulletin.storm bulletin Stay inside[^]*The owner[^]*market.figures[^]*market.regime/);
    assert.doesNotMatch(section(await see(`${pool}/feed?bulletins=1`), "Changes"), /market/);
    const wrong = await owner.post(`${pool}/keys`, { key: "market.bad", value: "{", format: "json", ttl_seconds: "" });
    assert.equal(wrong.status, 422);
    assert.equal((await owner.post(`${pool}/keys`, { key: "a..b", value: "x", format: "text", ttl_seconds: "" })).status, 422);
  });

  test("make folders by their dots, in the order of names, page by page", async () => {
    const data = {};
    for (let i = 0; i < 60; i++) data[`f${String(i).padStart(2, "0")}`] = { "a-b": 1, a: { c: 2, d: 3 } };
    const at = (await owner.post("/admin/pools", { name: "Tree", pool_id: "tree", pool_type: "shared", owner_agent_id: "", team_id: "", is_public: "1" })).where;
    assert.equal((await asAgent("PATCH", "tree/data", { data: { deep: data, top: "x" } })).status, 200);
    const folders = (html) => [...html.matchAll(/<tr class="folder">[^]*?href="([^"]+)"[^]*?<\/tr>/g)].map((m) => [words(m[0]).trim(), m[1].replaceAll("&amp;", "&")]);
    const top = await see(at);
    assert.match(folders(top)[0][0], /^deep , a folder 60 keys/, "a merge makes keys at the second segment");
    assert.match(section(top, "Keys"), /deep[^]*top[^]*x/);
    for (let i = 0; i < 60; i++) await asAgent("PUT", `tree/data/wide.k${i}.leaf`, { value: i });
    const wide = folders(await see(at)).find(([w]) => w.startsWith("wide"))[1], first = await see(wide);
    assert.equal(folders(first).length, 20);
    assert.match(section(first, "Keys"), /all keys › wide/);
    const next = (html) => /href="([^"]+)" rel="next"/.exec(html)?.[1].replaceAll("&amp;", "&"), second = await see(next(first)), third = await see(next(second));
    assert.equal(new Set([first, second, third].flatMap((html) => folders(html).map(([w]) => w))).size, 60);
    assert.equal(next(third), undefined);
    assert.match(section(await see(folders(third).at(-1)[1]), "Keys"), /all keys › wide › k9 [^]*leaf[^]*9/);
    for (const [key, value] of [["n.a.x", "1"], ["n.a-b.y", "2"], ["n.a", "refused"]]) await owner.post(`${at}/keys`, { key, value, format: "text", ttl_seconds: "" });
    assert.deepEqual(folders(await see(`${at}?folder=n`)).map(([w]) => w.split(" ")[0]), ["a", "a-b"], "a dot is not a letter of a name");
    assert.match(words(await see(`${at}?folder=nowhere`)), /No keys/);
    assert.equal((await owner.send(`${at}?folder=a..b`)).status, 422);
    assert.equal((await owner.send(`${at}?cursor=%21`)).status, 422);
  });

  test("a new key does not take the place of one that is there: both are shown", async () => {
    await write("taken", "first");
    const late = await owner.post(`${pool}/keys`, { key: "taken", value: "second", format: "text", ttl_seconds: "" });
    assert.equal(late.status, 412);
    assert.match(section(late.text, "Theirs"), /first/);
    assert.match(section(late.text, "Yours"), /second/);
    assert.equal((await valueOf("taken")).value, "first");
  });

  describe("that two changed at once", () => {
    /** What the form of a key would send. */
    const formOf = async (key, value, format = "text") => {
      const html = await see(keyAt(key)), hidden = (name) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)[1].replaceAll("&quot;", '"').replaceAll("&amp;", "&");
      return { key, value, format, ttl_seconds: "", if_version: hidden("if_version"), base: hidden("base"), base_format: hidden("base_format") };
    };
    const clash = async (key, theirs, mine) => {
      const form = await formOf(key, ...mine);
      if (theirs === undefined) assert.equal((await asAgent("DELETE", `board/data/${key}`)).status, 200);
      else assert.equal((await asAgent("PUT", `board/data/${key}`, { value: theirs })).status, 200);
      const late = await owner.post(`${pool}/key`, form);
      assert.equal(late.status, 412);
      return late.text;
    };
    /** Sends the form of a section of the page, changed. */
    const send = (html, label, more = {}) => {
      const [, part] = new RegExp(`aria-label="${label}"[^]*?(<form[^]*?</form>)`).exec(html), [, action] = /action="([^"]+)"/.exec(part);
      const unescape = (s) => s.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&#39;", "'").replaceAll("&amp;", "&");
      const fields = Object.fromEntries([...part.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, k, v]) => [k, unescape(v)]));
      delete fields.csrf_token;
      const text = /<textarea[^>]*>([^]*?)<\/textarea>/.exec(part), choice = /<option value="([^"]+)" selected/.exec(part);
      return owner.post(action, { ...fields, ...(text && { value: unescape(text[1]), format: choice[1] }), ...more });
    };

    test("show yours, theirs and what became of it, and yours takes the place when one says so", async () => {
      await write("shift", "Anna");
      const late = await clash("shift", "Bertil", ["Cecilia & co"]);
      assert.match(words(late), /Edit conflict[^]*Helper/);
      assert.match(section(late, "Theirs"), /Bertil[^]*− Anna \+ Bertil/);
      assert.match(section(late, "Yours"), /Cecilia &amp; co[^]*− Anna \+ Cecilia/);
      assert.match(section(late, "Between them"), /− Bertil \+ Cecilia/);
      assert.equal((await valueOf("shift")).value, "Bertil");
      assert.equal((await send(late, "Yours")).where, keyAt("shift"));
      assert.equal((await valueOf("shift")).value, "Cecilia & co");
    });

    test("fit together where they do not touch the same thing", async () => {
      await write("plan", '{"rate": 1, "of": "fish", "days": [1, 2]}', { format: "json" });
      const late = await clash("plan", { rate: 2, of: "fish", days: [1, 2], port: "north" }, ['{"rate": 1, "of": "cod", "days": [1, 2]}', "json"]);
      assert.match(section(late, "Both"), /do not overlap/);
      assert.equal((await send(late, "Both")).status, 303);
      assert.deepEqual((await valueOf("plan")).value, { rate: 2, of: "cod", days: [1, 2], port: "north" });
    });

    test("name what both changed, and are merged by hand; who is too late again sees it again", async () => {
      await write("rate", '{"eur": 1}', { format: "json" });
      const late = await clash("rate", { eur: 2 }, ['{"eur": 3}', "json"]);
      assert.match(section(late, "Both"), /Both changed eur : your version is filled in/);
      await asAgent("PUT", "board/data/rate", { value: { eur: 4 } });
      const again = await send(late, "Both", { value: '{"eur": 2.5}' });
      assert.equal(again.status, 412);
      assert.match(section(again.text, "Theirs"), /"eur": 4|&quot;eur&quot;: 4/);
      assert.equal((await send(again.text, "Both", { value: '{"eur": 2.5}' })).status, 303);
      assert.deepEqual((await valueOf("rate")).value, { eur: 2.5 });
    });

    test("one of them deleted: yours is lost to nobody", async () => {
      await write("lamp", "green");
      const late = await clash("lamp", undefined, ["red"]);
      assert.match(words(late), /was deleted meanwhile/);
      assert.equal((await send(late, "Yours")).status, 303);
      assert.equal((await valueOf("lamp")).value, "red");
    });
  });

  test("are deleted, only as they were looked at; what is gone says so", async () => {
    await write("gone & lost", "x");
    const version = versionOf(await see(keyAt("gone & lost")));
    assert.equal((await owner.post(`${pool}/key/delete`, { key: "gone & lost", if_version: "1" })).status, 412);
    assert.equal((await owner.post(`${pool}/key/delete`, { key: "gone & lost", if_version: version })).where, pool);
    assert.equal((await owner.send(keyAt("gone & lost"))).status, 404);
    assert.match(section(await see(`${pool}/feed`), "Changes"), /gone &amp; lost\s+deleted/);
  });

  test("looking counts as nobody's use", async () => {
    const at = (await owner.post("/admin/pools", { name: "Quiet", pool_id: "quiet", pool_type: "shared", owner_agent_id: "", team_id: "", is_public: "1" })).where;
    await owner.post(`${at}/keys`, { key: "still", value: "nobody reads this", format: "text", ttl_seconds: "" });
    const uses = async () => (await api("ai/memory_pools/quiet/statistics", account.token)).data.access_count, read = () => api("ai/memory_pools/quiet/data/still", account.token);
    await read();
    await settled(account, "uses");
    const before = await uses();
    for (const path of ["/key?key=still", "", "/feed", "/limits", "?prefix=s"]) assert.equal((await owner.send(at + path)).status, 200);
    await read();                            // what was before it is counted with it
    await settled(account, "uses");
    assert.equal(await uses(), before + 1);
  });
});

describe("snapshots", () => {
  test("are taken, compared, and restored after one has seen what that does", async () => {
    const at = (await owner.post("/admin/pools", { name: "Kept", pool_id: "kept", pool_type: "shared", owner_agent_id: "", team_id: "", is_public: "1" })).where;
    const put = (key, value) => asAgent("PUT", `kept/data/${key}`, { value });
    for (const [key, value] of [["rate", 1], ["note", "Ferry is late."], ["calm", "as it was"]]) await put(key, value);
    assert.match(section(await see(`${at}/snapshots`), "Snapshots"), /No snapshots yet/);
    assert.equal((await owner.post(`${at}/snapshots`, { name: "before the storm" })).where, `${at}/snapshots`);
    await put("rate", 2);
    await put("tide", "high");
    await asAgent("DELETE", "kept/data/note");
    assert.match(section(await see(`${at}/snapshots`), "Snapshots"), /before the storm 3[^]*The owner/);
    const one = /href="([^"]+\/snapshots\/[^"]+)"/.exec(await see(`${at}/snapshots`))[1], page = await see(one);
    assert.match(words(page), /1 would be reset 1 would be restored 1 are newer and would be removed 1 are unchanged 0 cannot be restored/);
    assert.match(section(page, "Differences"), /note Ferry is late. does not exist would be restored rate 1 2[^]*would be reset tide did not exist high would be removed/);
    assert.doesNotMatch(section(page, "Differences"), /calm/);
    assert.match(section(await see(`${at}/key?key=rate`), "In snapshots"), /before the storm 1/);
    assert.equal((await owner.post(`${one}/restore`)).where, `${at}/snapshots`);
    assert.match(words(await see(`${at}/snapshots`)), /2 keys reset, 1 newer key removed/);
    assert.deepEqual((await api("ai/memory_pools/kept/data", account.token)).data.value, { rate: 1, note: "Ferry is late.", calm: "as it was" });
    assert.match(section(await see(one), "Differences"), /No differences/);
    await owner.post(`${one}/delete`);
    assert.equal((await owner.send(one)).status, 404);
    assert.match(section(await see(`${at}/snapshots`), "Snapshots"), /before-restore automatic/);
  });
});

test("who may reach a pool is granted and taken back", async () => {
  const access = `${pool}/access`;
  assert.equal((await owner.post(`${access}/grants`, { grantee: "", level: "read", expires_in_days: "0" })).status, 422);
  assert.equal((await owner.post(`${access}/grants`, { grantee: "role:viewer", level: "read", expires_in_days: "7" })).where, access);
  const row = /<tr>(?:(?!<\/tr>)[^])*viewer(?:(?!<\/tr>)[^])*<\/tr>/.exec(await see(access))[0];
  assert.match(words(row), /viewer role read The owner/);
  await owner.post(/action="([^"]+\/remove)"/.exec(row)[1]);
  assert.doesNotMatch(section(await see(access), "Grants"), /viewer/);
});

test("without rights nothing is offered and nothing done; without the token nothing either", async () => {
  await write("kept", "as it was");
  const viewer = await signedIn(person(account.slug, "viewer")), stranger = await signedIn(freshAccount().owner);
  for (const tab of ["", "/feed", "/access", "/limits"]) assert.doesNotMatch((await viewer.send(pool + tab)).text, /<main[^]*method="post"[^]*<\/main>|New key|Post a bulletin|\/snapshots"/, tab);
  assert.equal((await viewer.send(`${pool}/snapshots`)).status, 403);
  assert.doesNotMatch((await viewer.send(keyAt("kept"))).text, /<textarea/);
  for (const path of [pool, keyAt("kept")]) assert.equal((await stranger.send(path)).status, 404);
  for (const [path, form] of [[`${pool}/key`, { key: "kept", value: "mine", format: "text" }], [`${pool}/key/delete`, { key: "kept" }], [pool, { name: "Mine" }], [`${pool}/delete`, { confirm: "board" }], [`${pool}/snapshots`, { name: "mine" }], [`${pool}/access/grants`, { grantee: "everyone:", level: "manage", expires_in_days: "0" }]]) {
    assert.equal((await stranger.post(path, form)).status, 404, path);
    assert.equal((await viewer.post(path, form)).status, 403, path);
    assert.equal((await owner.post(path, form, { csrf: null })).status, 403, path);
  }
  assert.equal((await valueOf("kept")).value, "as it was");
});

test("with the keyboard alone: a conflict is seen and settled", async () => {
  await write("pier", "north");
  const browser = await browse(), page = await open(browser, { viewport: { width: 1280, height: 800 } });
  await page.context().addCookies(sessionOf(owner));
  await page.goto(SITE + keyAt("pier"));
  await page.focus("textarea");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("south");
  await asAgent("PUT", "board/data/pier", { value: "west" });
  await page.focus("textarea");
  for (let i = 0; i < 3; i++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:has-text('Two changes of pier')");
  const button = page.locator("button:has-text('Overwrite theirs with mine')");
  await until("Tab leads to the button", async () => await button.evaluate((b) => b === document.activeElement) || page.keyboard.press("Tab"));
  await page.keyboard.press("Enter");
  await page.waitForSelector(".flash.ok");
  assert.equal((await valueOf("pier")).value, "south");
  assert.deepEqual([page.faults, page.strangers], [[], []]);
  await browser.close();
});

test("the feed shows what others write while one looks", async () => {
  const browser = await browse(), page = await open(browser, { viewport: { width: 1280, height: 800 } });
  await page.context().addCookies(sessionOf(owner));
  await page.goto(`${SITE}${pool}/feed?bulletins=1`);
  await asAgent("PUT", "board/data/agent_bulletin.fog", { value: "Nobody sails." });
  await page.waitForSelector("section[aria-label=Changes] tr:has-text('agent_bulletin.fog'):has-text('Helper')");
  assert.deepEqual([page.faults, page.strangers], [[], []]);
  await browser.close();
});

test("in the browser without JavaScript: a key is written and its value changed", async () => {
  const browser = await browse();
  const page = await open(browser, { javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
  await page.context().addCookies(sessionOf(owner));
  await page.goto(SITE + pool);
  await page.click("details.new > summary");
  await page.fill("[name=key]", "lights.colour");
  await page.fill("[name=value]", "green\nand red");
  await page.click("details.new form button");
  await page.click("section[aria-label=Keys] a:has-text('lights')");
  await page.click("section[aria-label=Keys] a:text-is('colour')");
  assert.equal((await page.innerText("section pre")).trim(), "green\nand red");
  await page.fill("textarea", "white");
  await page.click("button:has-text('Save')");
  await page.waitForSelector(".flash.ok");
  assert.equal((await page.innerText("section pre")).trim(), "white");
  assert.deepEqual([page.faults, page.strangers], [[], []]);
  await browser.close();
});
