// Charts: uPlot's over what the server drew, read by pointer and by keys, in both lights and at any width; its drawing and its table stay,
// and are all there is where the library is not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, browse, freshAccount, open, signedIn, until } from "./lib/live.mjs";
import { sessionOf } from "./lib/tour.mjs";

let browser, owner, page;
before(async () => {
  browser = await browse();
  owner = await signedIn(freshAccount().owner);
  page = await arrive({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
});
after(async () => { await browser?.close(); });

async function arrive(options) {
  const p = await open(browser, options);
  p.refused = [];
  await p.exposeFunction("refused", (what) => p.refused.push(what)).catch(() => {});
  await p.addInitScript(() => document.addEventListener("securitypolicyviolation", (e) => globalThis.refused(`${e.violatedDirective} ${e.blockedURI}`)));
  await p.context().addCookies(sessionOf(owner));
  return p;
}

const chart = (label) => page.locator(`section[aria-label=${label}] .chart`);
const reading = (label) => chart(label).locator(".chart-read").innerText();
const rows = (label) => chart(label).locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
/** Points until that is read: the chart learns a moment later that the page was scrolled. */
async function point(label, share, text) {
  const over = chart(label).locator(".u-over");
  await over.scrollIntoViewIfNeeded();
  let moves = 0;
  await until(text, async () => {
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width * share, box.y + box.height / 2 + (moves++ % 3));
    return await reading(label) === text;
  });
}

test("under the pointer stand the figures of the table", async () => {
  await page.goto(`${SITE}/admin/design`);
  await page.waitForSelector("section[aria-label=Curve] .chart.is-live canvas");
  const bars = await rows("Bars"), curve = await rows("Curve");
  for (let i = 0; i < bars.length; i++) {
    await point("Bars", (i + 0.5) / bars.length, `${bars[i][0]}: captured ${bars[i][1]}, derived ${bars[i][2]}`);
  }
  await point("Curve", 0.01, `${curve[0][0]}: until now ${curve[0][1]}, from now –`);
  assert.match(await reading("Bars"), /^Hover for values/);
});

test("the keys read it, too, and those who hear it are told", async () => {
  const live = chart("Bars").locator(".chart-live"), bars = await rows("Bars");
  await live.focus();
  await page.keyboard.press("Home");
  assert.equal(await reading("Bars"), `Mon: captured ${bars[0][1]}, derived ${bars[0][2]}`);
  await page.keyboard.press("ArrowRight");
  assert.equal(await live.getAttribute("aria-valuetext"), `Tue: captured ${bars[1][1]}, derived ${bars[1][2]}`);
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowRight");
  assert.equal(await live.getAttribute("aria-valuenow"), String(bars.length - 1));
  assert.equal(await page.getByRole("img", { name: "Nodes on each day of a week" }).count(), 1);
  await chart("Bars").locator("summary").click();
  assert.ok(await chart("Bars").locator("table").isVisible());
});

test("it is as wide as there is room, and takes the colours of the light", async () => {
  const canvas = chart("Bars").locator("canvas"), wide = () => canvas.evaluate((c) => c.clientWidth);
  const colours = () => canvas.evaluate((c) => {
    const all = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, seen = new Map();
    for (let i = 0; i < all.length; i += 4) if (all[i + 3] === 255) { const key = `${all[i]},${all[i + 1]},${all[i + 2]}`; seen.set(key, (seen.get(key) ?? 0) + 1); }
    return [...seen].sort((a, b) => b[1] - a[1])[0][0];
  });
  const before_ = await wide(), bright = await colours();
  await page.setViewportSize({ width: 360, height: 800 });
  await page.waitForFunction((w) => document.querySelector("section[aria-label=Bars] canvas").clientWidth < Math.min(w, 330), before_);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth) <= 0);
  await page.emulateMedia({ colorScheme: "dark" });
  await until("the colours are those of the other light", async () => await colours() !== bright);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.waitForFunction((w) => document.querySelector("section[aria-label=Bars] canvas").clientWidth === w, before_);
  await page.emulateMedia({ colorScheme: "light" });
});

test("the library is fetched with the first chart, also where that comes with a part of a page", async () => {
  const asked = [], p = await arrive({ viewport: { width: 1280, height: 900 } });
  p.on("request", (r) => asked.push(new URL(r.url()).pathname));
  await p.goto(`${SITE}/admin/jobs/runs`, { waitUntil: "load" });
  assert.ok(!asked.some((path) => /uplot|chart/.test(path)), asked.join());
  await Promise.all([p.waitForURL("**/admin/timeline"), p.click("nav.side a:has-text('Timeline')")]);
  await p.waitForSelector(".chart.is-live canvas");
  assert.ok(asked.includes("/static/vendor/uplot.js") && asked.includes("/static/vendor/uplot.css"));
  await p.selectOption("[name=days]", "7");
  await Promise.all([p.waitForURL("**/admin/timeline?*days=7*"), p.click("main .filters button")]);
  await p.waitForSelector(".chart.is-live canvas");
  assert.equal(asked.filter((path) => path === "/static/vendor/uplot.js").length, 1);
  assert.deepEqual([p.faults, p.strangers, p.refused], [[], [], []]);
  await p.context().close();
});

for (const [how, options, blocked] of [["without JavaScript", { javaScriptEnabled: false }, false], ["with the libraries blocked", {}, true]])
  test(`${how} the server's drawing and its table are there`, async () => {
    const p = await arrive(options);
    if (blocked) await p.route("**/static/vendor/**", (route) => route.abort());
    await p.goto(`${SITE}/admin/design`, { waitUntil: "load" });
    assert.ok((await p.locator("section[aria-label=Bars] .chart svg").boundingBox()).width > 200);
    assert.equal(await p.locator("section[aria-label=Bars] .chart-bar").count(), 14);
    assert.equal(await p.locator(".is-live").count(), 0);
    assert.deepEqual(p.faults.filter((f) => !/ERR_FAILED/.test(f)), []);
    await p.context().close();
  });

test("nothing was against the CSP, from elsewhere, or in the console", () => {
  assert.deepEqual([page.faults, page.strangers, page.refused], [[], [], []]);
});
