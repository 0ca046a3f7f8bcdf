// Every page of a running installation: valid HTML without inline code, a CSRF token in each form, and readable without
// JavaScript; the navigation, and that names stay text.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HtmlValidate } from "html-validate";
import { SITE, browse, goByKeys, open, words } from "./lib/live.mjs";
import { NAMES, isThere, sessionOf, tour } from "./lib/tour.mjs";

let browser, owner, pages;
before(async () => {
  browser = await browse();
  ({ owner, pages } = await tour());
});
after(async () => { await browser?.close(); });

const signedOut = { send: async (path) => ({ text: await (await fetch(SITE + path)).text() }) };

describe("HTML", () => {
  const validator = new HtmlValidate({ extends: ["html-validate:recommended"], rules: { "long-title": "off" } });      // names are as long as people make them
  for (const name of NAMES)
    test(name, async (t) => {
      if (!isThere(t, pages, name)) return;
      const { text } = await (name === "login" ? signedOut : owner).send(pages[name]);
      const report = await validator.validateString(text);
      assert.deepEqual(report.results.flatMap((r) => r.messages.map((m) => `${m.line}:${m.column} ${m.ruleId} ${m.message}`)), []);
      assert.ok(!/<[^>]+\s(style|on\w+)=|<style|<script(?![^>]*\ssrc=)/.test(text), "inline code");
      for (const form of text.match(/<form method="post"[^]*?<\/form>/g) ?? []) assert.match(form, /name="csrf_token" value="[^"]+"/);
    });
});

test("without JavaScript every page can be read", async () => {
  const page = await open(browser, { javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
  for (const name of Object.keys(pages)) {
    if (name !== "login") await page.context().addCookies(sessionOf(owner));
    else await page.context().clearCookies();
    await page.goto(SITE + pages[name]);
    const text = (await page.innerText("main")).trim();
    assert.ok(text.length > 40 && await page.locator("h1").isVisible(), `${name}: ${text}`);
  }
  await page.context().close();
});

test("the navigation names the page one is on, and the keys lead there", async () => {
  const page = await open(browser, { viewport: { width: 1280, height: 800 } });
  await page.context().addCookies(sessionOf(owner));
  await page.goto(`${SITE}/admin`);
  for (const [key, label] of [["a", "Agents"], ["s", "Spaces"], ["o", "Overview"]]) {
    await goByKeys(page, key);
    await page.waitForSelector(`nav.side a[aria-current=page]:has-text("${label}")`);
    assert.equal(await page.locator("nav.side [aria-current]").count(), 1);
  }
  for (const path of ["/admin/queue/dead", "/admin/schedulers", "/admin/jobs/runs"]) {
    await page.goto(SITE + path);
    assert.equal((await page.innerText("nav.side [aria-current=page]")).trim(), "Jobs", path);
  }
  await page.context().close();
});

test("names are text, wherever they are shown", async () => {
  const evil = "<img src=x onerror=alert(1)>{{csrf}}\"'&";
  const where = (await owner.post("/admin/agents", { name: evil, slug: "evil", kind: "assistant", role: "agent", description: evil })).where;
  for (const path of ["/admin/agents", where, "/admin/audit", "/admin/tokens", "/admin", "/admin/spaces"]) {
    const { text } = await owner.send(path);
    assert.ok(!text.includes("<img src=x"), path);
  }
  assert.ok(words((await owner.send(where)).text).includes("&lt;img src=x onerror=alert(1)&gt;{{csrf}}"));
});
