// Pages in a browser: attacks by text do not run, even without the Content-Security-Policy; a page is written, previewed and published.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SAMPLES } from "../api/xss.mjs";
import { SITE, browse, freshAccount, locictl, open, signIn, unique } from "./lib/live.mjs";

let account, browser, page, token;
before(async () => {
  account = freshAccount();
  token = locictl(["token", "create", "--account", account.slug, "--user", account.owner.email, "--name", "wiki"]);
  browser = await browse();
  page = await open(browser, { viewport: { width: 1280, height: 900 } });
  await signIn(page, account.owner);
});
after(async () => {
  assert.deepEqual(page?.faults, []);
  await browser?.close();
});

async function api(method, path, body) {
  const r = await fetch(`${SITE}/api/v1/${path}`, { method, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const answer = await r.json();
  assert.ok(r.ok, `${method} ${path}: ${r.status} ${JSON.stringify(answer).slice(0, 300)}`);
  return answer.data;
}

// What a reader may do by chance: the pointer on everything, the focus on everything, a click on every link.
const touchAll = () => {
  for (const e of document.querySelectorAll("body *")) {
    for (const type of ["mouseover", "mouseenter", "focus", "error", "load", "toggle", "animationstart"]) e.dispatchEvent(new Event(type, { bubbles: true }));
    e.focus?.();
  }
  for (const a of document.querySelectorAll("a")) if (/^\s*(java|vb|data)/i.test(a.protocol)) a.click();
  return window.xss === undefined && document.querySelectorAll("script, iframe, object, embed, form, style, link, meta, base, svg, math").length === 0;
};

test("200 attacks, each in a document of its own without any policy: none runs", async () => {
  const bare = await browser.newContext();
  const at = await bare.newPage();
  let dialogs = 0;
  at.on("dialog", (d) => { dialogs++; d.dismiss(); });
  await at.route("**/*", (route) => (route.request().url() === "http://bare.test/" ? route.fulfill({ contentType: "text/html", body: "<!DOCTYPE html><title>x</title><body></body>" }) : route.abort()));
  await at.goto("http://bare.test/");
  await at.evaluate(() => { document.body.innerHTML = '<p onmouseover="window.xss=1">x</p>'; });
  assert.equal(await at.evaluate(touchAll), false, "an attack would be seen");
  await at.goto("http://bare.test/");
  assert.ok(SAMPLES.length >= 200);
  for (const content of SAMPLES) {
    const { html } = await api("POST", "admin/page_preview", { content });
    await at.evaluate((h) => { document.body.innerHTML = h; }, html);
    assert.ok(await at.evaluate(touchAll), `${content} → ${html}`);
  }
  await at.evaluate(() => new Promise((go) => { requestAnimationFrame(() => requestAnimationFrame(go)); }));
  assert.equal(await at.evaluate(() => window.xss), undefined);
  assert.equal(dialogs, 0);
  await bare.close();
});

test("all of them on the page of a page: it can be read, and nothing runs", async () => {
  const content = SAMPLES.filter((s) => !/^(---|%%|<!|<\?)|https?:/.test(s)).join("\n\n");      // a picture from elsewhere is refused by the policy, which says so
  const p = await api("POST", "admin/pages", { title: "<script>window.xss=1</script>", content });
  await page.goto(`${SITE}/admin/pages/${p.slug}`);
  assert.equal(await page.evaluate(() => window.xss), undefined);
  assert.equal(await page.innerText("h1"), "<script>window.xss=1</script>");
});

test("a page is created, previewed, saved and published; a wanted page is created from its link", async () => {
  const title = unique("Harbour");
  await page.goto(`${SITE}/admin/pages`);
  await page.click("details.new > summary");
  await page.fill("details.new [name=title]", title);
  await page.fill("details.new [name=content]", "See [[Pilots of the port]].");
  await page.click("details.new button.primary");
  await page.waitForSelector("article.wiki .missing");
  await page.click("details.new > summary");
  await page.fill("details.new[open] [name=content]", "Now **bold**, and [[Pilots of the port]].");
  await page.click("button:text-is('Preview')");
  await page.waitForSelector("section.wiki strong");
  assert.equal(await page.innerText("section.wiki strong"), "bold");
  await page.click("details.new button.primary");
  await page.waitForSelector("article.wiki strong");
  await page.click("button:text-is('Publish')");
  await page.waitForSelector("button:text-is('Unpublish')");
  await page.click("article.wiki a.create");
  await page.waitForSelector("details.new[open] [name=title]");
  assert.equal(await page.inputValue("details.new [name=title]"), "Pilots of the port");
  await page.fill("details.new [name=content]", "They come aboard.");
  await page.click("details.new button.primary");
  await page.waitForSelector("text=Backlinks");
  assert.match(await page.innerText("main"), new RegExp(title));
  await page.goto(`${SITE}/admin/page_links`);
  assert.match(await page.innerText("main"), /Pilots of the port/);
});

test("an article takes one of the categories, which are made on its page", async () => {
  const title = unique("Tides");
  await page.goto(`${SITE}/admin/articles`);
  await page.click("text=New category");
  await page.fill("details.new[open] [name=slug]", "harbours");
  await page.fill("details.new[open] [name=name]", "Harbours");
  await page.click("text=Create category");
  await page.waitForSelector("text=Category created.");
  await page.click("text=New article");
  await page.fill("details.new[open] [name=title]", title);
  assert.equal(await page.innerText("details.new[open] [name=category_slug] option"), "Harbours");
  await page.fill("details.new[open] [name=content]", "High water is at noon.");
  await page.click("details.new[open] button.primary");
  await page.waitForSelector("article.wiki");
  assert.equal(await page.innerText("h1"), title);
});

test("two brackets offer the titles of pages, and a key takes one", async () => {
  const title = unique("Breakwater");
  await api("POST", "admin/pages", { title, content: "Stones." });
  await page.goto(`${SITE}/admin/pages/new`);
  const area = page.locator("details.new[open] [name=content]");
  await area.pressSequentially(`See [[${title.slice(0, 8).toLowerCase()}`);
  await page.waitForSelector(".offers [role=option]");
  assert.deepEqual(await page.locator(".offers [role=option]").allInnerTexts(), [title]);
  await area.press("Enter");
  await area.pressSequentially(" now");
  assert.equal(await area.inputValue(), `See [[${title}]] now`);
  assert.ok(await page.isHidden(".offers"));
});
