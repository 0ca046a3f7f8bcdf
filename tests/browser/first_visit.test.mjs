// docs/first-visit.md, walked: from the address that ./up prints to having stored and recalled a memory and understood why it was
// found, by what stands on the pages alone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, browse, freshAccount, open } from "./lib/live.mjs";

let browser, account;
before(async () => {
  browser = await browse();
  account = freshAccount();
});
after(async () => { await browser?.close(); });

for (const javaScriptEnabled of [true, false])
  test(`a first visit, with JavaScript ${javaScriptEnabled ? "on" : "off"}`, async () => {
    const page = await open(browser, { viewport: { width: 1280, height: 800 }, javaScriptEnabled });
    const click = (role, name) => page.getByRole(role, { name, exact: true }).first().click();
    const word = javaScriptEnabled ? "lantern" : "anchor";

    await page.goto(SITE);
    await page.getByLabel("Email").fill(account.owner.email);
    await page.getByLabel("Password").fill(account.owner.password);
    await click("button", "Sign in");
    await page.waitForURL("**/admin");

    await click("link", "New memory");
    await page.getByLabel("Title", { exact: true }).first().fill(`The ${word} rule`);
    await page.getByLabel("Text").fill(`The ${word} is lit at dusk by the youngest of the crew.`);
    await click("button", "Save");
    await page.waitForSelector("text=Saved.");

    await page.locator("main").getByRole("link", { name: "Test recall", exact: true }).click();
    await page.waitForSelector("[aria-label=Hits] article");
    await page.locator("[name=query]").fill(`who lights the ${word}?`);
    await click("button", "Recall");
    await page.waitForURL("**query=who*");
    const first = page.locator("[aria-label=Hits] article").first(), text = (await first.innerText()).replace(/\s+/g, " ");
    assert.match(text, new RegExp(`The ${word} rule`));
    assert.match(text, new RegExp(`Found by .*words \\d+ % .*${word}`));
    await first.getByText("Score breakdown").click();
    assert.match((await first.locator("table").first().innerText()).replace(/\s+/g, " "), /Signal Rank Score Nats Share/);

    await first.getByRole("link", { name: `The ${word} rule` }).click();
    await page.waitForURL("**/admin/nodes/*");
    assert.match(await page.innerText("[aria-label='Content']"), /lit at dusk/);
    assert.deepEqual([page.faults, page.strangers], [[], []]);
    await page.context().close();
  });
