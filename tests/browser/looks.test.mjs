// How every page of a running installation looks: accessible in both lights, on a wide and on a narrow screen, with
// everything unfolded; no scroll sideways, no fault in the console, nothing against the CSP or from elsewhere.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { harbour, poses } from "./lib/harbour.mjs";
import { SITE, browse, open } from "./lib/live.mjs";
import { NAMES, isThere, sessionOf, tour } from "./lib/tour.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };      // all that the light can change
const SHOTS = process.env.LOCI_SHOTS;      // a folder for pictures, for people: scripts/screens
const OF_ONE = /[0-9a-f]{8}-[0-9a-f-]{27}/;       // a page about a thing of the tour's own account
const TALLEST = { 1280: 1000, 360: 1300 };        // of a picture

let browser, owner, pages, world;
before(async () => {
  browser = await browse();
  ({ owner, pages } = await tour());
  world = SHOTS && await harbour();
});
after(async () => { await browser?.close(); });

async function violations(page, rules) {
  const result = await page.evaluate((runOnly) => globalThis.axe.run({ runOnly }), rules);
  return result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.any[0]?.message ?? ""}`).slice(0, 4).join(" | ")}`);
}

/** Where a page is, and who looks at it: for pictures, somebody of the sample world wherever it has such a page. */
const placeOf = (name) => (world && (name in world.pages || !OF_ONE.test(pages[name] ?? "")) ? [world.pages[name] ?? pages[name], world.owner] : [pages[name], owner]);

async function shoot(page, name, width) {
  mkdirSync(SHOTS, { recursive: true });
  await page.evaluate(() => scrollTo(0, 0));       // else what sticks to the top is drawn further down
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const height = Math.min(await page.evaluate(() => document.documentElement.scrollHeight), TALLEST[width]);
    await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true, clip: { x: 0, y: 0, width, height } });
  }
}

const over = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

for (const width of [1280, 360])
  describe(`${width} px wide`, () => {
    let page;
    before(async () => { page = await open(browser, { reducedMotion: "reduce", viewport: { width, height: SHOTS ? 960 : 800 } }); });
    for (const name of NAMES)
      test(name, async (t) => {
        if (!isThere(t, pages, name)) return;
        const [path, who] = placeOf(name);
        await (name === "login" ? page.context().clearCookies() : page.context().addCookies(sessionOf(who)));
        await page.goto(SITE + path, { waitUntil: "load" });
        if (SHOTS) await shoot(page, name, width);
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
    for (const name of SHOTS ? Object.keys(poses) : [])
      test(`${name}, for the picture`, async () => {
        await page.context().addCookies(sessionOf(world.owner));
        await poses[name](page, world);
        await shoot(page, name, width);
      });
  });
