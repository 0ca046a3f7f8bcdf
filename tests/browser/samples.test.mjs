// Every template with its sample models, without a server: HTML, accessibility in both lights and widths, no scroll
// sideways, no inline code, readable without JavaScript, and what the script adds.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { HtmlValidate } from "html-validate";
import { PATIENCE, goByKeys } from "./lib/live.mjs";
import { browse, names, render, serve } from "./lib/samples.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };      // all that the light can change
const SHOTS = process.env.LOCI_SHOTS;      // a folder for pictures, for people
let browser, site;

before(async () => { [browser, site] = await Promise.all([browse(), serve()]); });
after(async () => { await browser.close(); site.server.close(); });

async function shoot(page, name) {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

async function open(options, name) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.faults = [];
  page.on("console", (m) => { if (m.type() === "error") page.faults.push(m.text()); });
  page.on("pageerror", (e) => page.faults.push(String(e)));
  await page.goto(`${site.url}/${name}`, { waitUntil: "load" });
  return page;
}

// Opens every <details>, so that what it hides is judged, too.
const unfold = (page) => page.evaluate(() => document.querySelectorAll("main details").forEach((d) => { d.open = true; }));

const violations = async (page, rules) => {
  const result = await page.evaluate((runOnly) => globalThis.axe.run({ runOnly }), rules);
  return result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.any[0]?.message ?? ""}`).slice(0, 4).join(" | ")}`);
};

describe("HTML", () => {
  const validator = new HtmlValidate({ extends: ["html-validate:recommended"] });
  for (const name of names)
    test(name, async () => {
      const html = render(name);
      assert.doesNotMatch(html, /<[^>]* (style|on\w+)=|<style|<script(?! src)/, "inline code");
      const report = await validator.validateString(html);
      const messages = report.results.flatMap((r) => r.messages.map((m) => `${m.line}:${m.column} ${m.ruleId} ${m.message}`));
      assert.deepEqual(messages, []);
    });
});

for (const width of [1280, 360])
  describe(`${width} px, in both lights, under the CSP`, { concurrency: 2 }, () => {
    for (const name of names)
      test(name, async () => {
        const page = await open({ viewport: { width, height: 800 }, reducedMotion: "reduce" }, name);
        await page.evaluate(AXE);
        for (const [colorScheme, rules] of [["light", RULES], ["dark", COLOURS]]) {
          await page.emulateMedia({ colorScheme });
          if (SHOTS) await shoot(page, `${name}-${width}-${colorScheme}`);
          await unfold(page);
          assert.deepEqual(await violations(page, rules), [], colorScheme);
        }
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${over} px wider than the screen`);
        const hosts = await page.evaluate(() => performance.getEntriesByType("resource").map((e) => new URL(e.name).origin));
        assert.ok(hosts.every((h) => h === site.url), hosts.join());
        assert.deepEqual(page.faults, []);
        await page.context().close();
      });
  });

test("without JavaScript every page can be read and its menus open", async () => {
  for (const name of names) {
    const main = render(name).match(/<main[^]*<\/main>/)[0].replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
    assert.ok(main.length > 40, name);
  }
  const page = await open({ javaScriptEnabled: false, viewport: { width: 360, height: 800 } }, "users");
  await page.locator(".nav-menu > summary").click();
  assert.ok(await page.locator(".nav-menu nav a").first().isVisible());
  await page.context().close();
});

test("every form that posts carries the CSRF token", () => {
  for (const name of names)
    for (const form of render(name).match(/<form method="post"[^]*?<\/form>/g) ?? [])
      assert.match(form, /<input type="hidden" name="csrf_token" value="[^"]+">/, name);
});

test("the chosen colours win over the system's", async () => {
  const page = await open({ colorScheme: "light" }, "users");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.evaluate(() => { document.documentElement.dataset.theme = "dark"; });
  assert.notEqual(await ground(), light);
  await page.context().close();
});

test("keys: / filters, ? helps, g and a letter goes, and they can be switched off", async () => {
  const page = await open({ viewport: { width: 1280, height: 800 } }, "users");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.name), "q");
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#help").isVisible()));
  await goByKeys(page, "n");
  await page.waitForURL("**/admin/agents");
  await page.goto(`${site.url}/users`);
  await page.evaluate(() => { localStorage.setItem("loci.keys", "off"); });
  await page.reload();
  await page.keyboard.press("/");
  assert.notEqual(await page.evaluate(() => document.activeElement.name), "q");
  await page.context().close();
});

test("times are shown in the viewer's zone, with UTC on hover", async () => {
  const page = await open({ timezoneId: "Asia/Tokyo", locale: "en-GB", viewport: { width: 1280, height: 800 } }, "audit");
  const time = page.locator("tbody time").first();
  assert.match(await time.innerText(), /18 Nov 2026.*20:25/);
  assert.equal(await time.getAttribute("title"), "2026-11-18 11:25:40 UTC");
  await page.context().close();
});

test("with the keyboard alone: skip link, menu, confirmation", async () => {
  const page = await open({ viewport: { width: 360, height: 800 } }, "tokens");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await page.locator(".nav-menu > summary").focus();
  await page.keyboard.press("Enter");
  assert.ok(await page.locator(".nav-menu nav a").first().isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator(".nav-menu nav a").first().isVisible()));
  await page.locator("details.confirm > summary").first().focus();
  await page.keyboard.press("Enter");
  assert.ok(await page.locator("details.confirm button").first().isVisible());
  await page.context().close();
});
