// The inbox of a running installation: by keys, the count beside it, and by forms alone.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { SITE, browse, freshAccount, open, person, signIn, signedIn, words } from "./lib/live.mjs";

let account, owner;
before(async () => {
  account = freshAccount();
  owner = await signedIn(account.owner);
});

test("an empty inbox says so, and has no count", async () => {
  const { text } = await owner.send("/admin/inbox");
  assert.match(words(text), /Nothing waits for you/);
  assert.doesNotMatch(text, /nav-count/);
});

test("who may decide nothing has an empty one", async () => {
  const viewer = await signedIn(person(account.slug, "viewer"));
  assert.match(words((await viewer.send("/admin/inbox")).text), /Nothing waits for you/);
});

test("j, k, a and r: to the next item and the one before, acknowledge, resolve; the count follows", async () => {
  const raise = async (title, severity) => assert.equal((await fetch(`${SITE}/api/v1/ai/escalations`, { method: "POST", body: JSON.stringify({ title, severity, escalation_type: "stuck" }),
    headers: { Authorization: `Bearer ${account.token}`, "Content-Type": "application/json" } })).status, 200);
  await raise("Crane is stuck", "critical");
  await raise("Tug is late", "low");
  const browser = await browse();
  try {
    const page = await open(browser, { viewport: { width: 1280, height: 800 } });
    await signIn(page, account.owner);
    const count = () => page.locator("nav.side a[href='/admin/inbox'] .nav-count").evaluateAll((all) => all.map((e) => e.firstChild.textContent).join());
    const at = () => page.evaluate(() => document.activeElement.querySelector("h2")?.innerText ?? null);
    await page.goto(`${SITE}/admin/inbox`);
    assert.equal(await count(), "2");
    await page.keyboard.press("j");
    assert.equal(await at(), "Crane is stuck");
    await page.keyboard.press("j");
    assert.equal(await at(), "Tug is late");
    await page.keyboard.press("r");
    await page.waitForSelector("main :text('Resolved.')");
    assert.equal(await count(), "1");
    await page.keyboard.press("k");
    assert.equal(await at(), "Crane is stuck");
    await page.keyboard.press("a");
    await page.waitForSelector("main :text('You have it.')");
    assert.equal(await count(), "1", "it is open still");
    assert.match(words(await page.content()), /Crane is stuck/);
  } finally {
    await browser.close();
  }
});
