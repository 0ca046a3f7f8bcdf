// A day's work with the keyboard alone: sign in, search, open a node, pin it, take that back, change a pool's key that somebody else has
// changed meanwhile, run a job, make a token and revoke it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, api, browse, freshAccount, goByKeys, open, signedIn } from "./lib/live.mjs";

let account, browser, owner, page, node, pool;
before(async () => {
  browser = await browse();
  account = freshAccount();
  owner = await signedIn(account.owner);
  const [, space_id] = /<option value="([^"]+)" selected>Global</.exec((await owner.send("/admin/nodes")).text);
  node = (await owner.post("/admin/nodes", { title: "Ferry", body: "It leaves at seven.", kind: "note", space_id })).where;
  pool = (await owner.post("/admin/pools", { name: "Board", pool_id: "board", pool_type: "shared", owner_agent_id: "", team_id: "", is_public: "1", description: "" })).where;
  await write("calm");
  page = await open(browser, { viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
});
after(async () => { await browser?.close(); });

const write = (value) => owner.post(`${pool}/keys`, { key: "market.regime", value, format: "text", ttl_seconds: "" });

/** What is wrong with how the focus is seen: no outline, off the screen, or something over it. */
const unseen = () => page.evaluate(() => {
  const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
  if (e === document.body) return null;
  const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const x = Math.min(Math.max(box.left + Math.min(box.width, 60) / 2, 0), innerWidth - 1), y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
  const over = document.elementFromPoint(x, y);
  const clear = over && (e.contains(over) || over.contains(e) || e.closest("label")?.contains(over));
  return outline && clear ? null : `${e.outerHTML.slice(0, 120)} at ${Math.round(box.top)}: ${outline ? "" : `outline ${style.outline}`}${clear ? "" : ` under ${over?.outerHTML.slice(0, 80)}`}`;
});

/** Presses Tab until what has the focus matches: a selector and, when given, a text in it. At each stop one sees where one is. */
async function tabTo(selector, text = "") {
  const seen = [];
  for (let i = 0; i < 160; i++) {
    await page.keyboard.press("Tab");
    assert.equal(await unseen(), null);
    const [fits, what] = await page.evaluate(([s, t]) => {
      const e = document.activeElement;
      return [e.matches(s) && (e.innerText ?? "").replace(/\s+/g, " ").includes(t), `${e.tagName} ${(e.innerText ?? e.name ?? "").slice(0, 30)}`];
    }, [selector, text]);
    seen.push(what);
    if (fits) return;
  }
  assert.fail(`${selector} '${text}' cannot be reached; seen: ${seen.slice(0, 60).join(" | ")}`);
}
const press = (...keys) => keys.reduce((before_, key) => before_.then(() => page.keyboard.press(key)), Promise.resolve());
const enter = async (where) => { await Promise.all([page.waitForURL(where, { waitUntil: "load" }), page.keyboard.press("Enter")]); };
const go = async (key, where) => { await goByKeys(page, key); await page.waitForURL(where); };
const says = (text) => page.waitForSelector(`main :text("${text}")`);

test("sign in", async () => {
  await page.goto(`${SITE}/login`);
  await tabTo("[name=email]");
  await page.keyboard.type(account.owner.email);
  await tabTo("[name=password]");
  await page.keyboard.type(account.owner.password);
  await enter("**/admin");
});

test("search, open a node, pin it, and take that back", async () => {
  await go("n", "**/admin/nodes");
  await press("/");
  await page.keyboard.type("ferr");
  await enter("**/admin/nodes?q=ferr*");
  await tabTo("td a", "Ferry");
  await enter(`**${node}`);
  const pinned = async () => (await api(`nodes/${node.split("/").pop()}`, account.token)).data.is_pinned;
  await tabTo("button", "Pin");
  await press("Enter");
  await says("Pinned: its importance does not decay");
  assert.equal(await pinned(), true);
  await tabTo("button", "Undo");
  await press("Enter");
  await says("Unpinned");
  assert.equal(await pinned(), false);
});

test("change a pool's key that somebody else has changed meanwhile", async () => {
  await go("p", "**/admin/pools");
  await tabTo("td a", "Board");
  await enter(`**${pool}`);
  await tabTo("td a", "market");
  await enter("**?folder=market");
  await tabTo("td a", "regime");
  await enter("**/key?key=*");
  const meanwhile = await fetch(`${SITE}/api/v1/ai/memory_pools/board/data/market.regime`, { method: "PUT", headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" }, body: JSON.stringify({ value: "stormy" }) });
  assert.equal(meanwhile.status, 200);
  await tabTo("textarea[name=value]");
  await press("Control+a");
  await page.keyboard.type("mine");
  await tabTo("button", "Save");
  await press("Enter");
  await says("Edit conflict");
  assert.equal((await page.innerText("section[aria-label=Yours] pre")).trim(), "mine");
  await tabTo("button", "Overwrite theirs with mine");
  await press("Enter");
  await page.waitForSelector("section[aria-label='The value'] pre :text(\"mine\")");
  assert.equal((await api("ai/memory_pools/board/data/market.regime", account.token)).data.value, "mine");
});

test("run a job", async () => {
  await go("j", "**/admin/jobs");
  await tabTo("button", "Run now");
  await enter("**/admin/jobs/runs/*");
  assert.ok(await page.locator("h1").isVisible());
});

test("make a token, and revoke it", async () => {
  await go("k", "**/admin/tokens");
  await tabTo("summary", "New token");
  await press("Enter");
  await tabTo("[name=name]");
  await page.keyboard.type("by hand");
  await press("Enter");
  await page.waitForSelector("main :text(\"loci_\")");
  await tabTo("summary", "Revoke by hand");
  await press("Enter");
  await tabTo("button", "Revoke");
  await press("Enter");
  await page.waitForFunction(() => !document.querySelector("main table")?.innerText.includes("by hand") || document.querySelector("main table").innerText.includes("revoked"));
  assert.deepEqual([page.faults, page.strangers], [[], []]);
});
