// How every page of a running installation looks: accessible in both lights, on a wide and on a narrow screen, with
// everything unfolded; no scroll sideways, no fault in the console, nothing against the CSP or from elsewhere.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { SITE, browse, open } from "./lib/live.mjs";
import { NAMES, isThere, sessionOf, tour } from "./lib/tour.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };      // all that the light can change
const SHOTS = process.env.LOCI_SHOTS;      // a folder for pictures, for people

let browser, owner, pages;
before(async () => {
  browser = await browse();
  ({ owner, pages } = await tour());
});
after(async () => { await browser?.close(); });

async function violations(page, rules) {
  const result = await page.evaluate((runOnly) => globalThis.axe.run({ runOnly }), rules);
  return result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.any[0]?.message ?? ""}`).slice(0, 4).join(" | ")}`);
}

async function shoot(page, name) {
  mkdirSync(SHOTS, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}.png`, fullPage: true });
  }
}

const over = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

for (const width of [1280, 360])
  describe(`${width} px wide`, () => {
    let page;
    before(async () => { page = await open(browser, { reducedMotion: "reduce", viewport: { width, height: 800 } }); });
    for (const name of NAMES)
      test(name, async (t) => {
        if (!isThere(t, pages, name)) return;
        await (name === "login" ? page.context().clearCookies() : page.context().addCookies(sessionOf(owner)));
        await page.goto(SITE + pages[name], { waitUntil: "load" });
        if (SHOTS) await shoot(page, `${name}-${width}`);
        await page.emulateMedia({ colorScheme: "light" });
        assert.ok(await over(page) <= 0, `${await over(page)} px wider than the screen`);
        await page.evaluate(() => document.querySelectorAll("main details").forEach((d) => { d.open = true; }));
        assert.ok(await over(page) <= 0, `unfolded, ${await over(page)} px wider than the screen`);
        await page.evaluate(AXE);
        assert.deepEqual(await violations(page, RULES), []);
        await page.emulateMedia({ colorScheme: "dark" });
        assert.deepEqual(await violations(page, COLOURS), [], "dark");
        assert.deepEqual([page.faults, page.strangers], [[], []]);
      });
  });
