// Parts of pages by htmx: what is clicked changes main and the address, and nothing else is loaded; where htmx is not there, or no script
// runs, the same clicks load whole pages.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, api, browse, csrfOf, freshAccount, open, person, signedIn } from "./lib/live.mjs";
import { sessionOf } from "./lib/tour.mjs";

let account, browser, owner, node, page;
before(async () => {
  browser = await browse();
  account = freshAccount();
  owner = await signedIn(account.owner);
  const [, space_id] = /<option value="([^"]+)" selected>Global</.exec((await owner.send("/admin/nodes")).text);
  for (const title of ["Ferry", ...Array.from({ length: 60 }, (_, i) => `Gull ${i}`)])
    node = (await owner.post("/admin/nodes", { title, body: "line\n".repeat(title === "Ferry" ? 60 : 1), kind: "note", space_id })).where;
  node = /href="(\/admin\/nodes\/[^"]+)">Ferry</.exec((await owner.send("/admin/nodes?q=ferry")).text)[1];
  const [gull, csrf] = [/href="\/admin\/nodes\/([0-9a-f-]+)">Gull/.exec((await owner.send("/admin/nodes?q=gull")).text)[1], csrfOf((await owner.send("/admin/account")).text)];
  const joined = await owner.send("/api/v1/edges", { method: "POST", headers: { "content-type": "application/json", "x-csrf-token": csrf }, body: JSON.stringify({ source_id: node.split("/").pop(), target_id: gull, relation: "related_to" }) });
  assert.equal(joined.status, 201, joined.text);
  page = await arrive();
});
after(async () => { await browser?.close(); });

const VIEW = { viewport: { width: 1280, height: 700 }, reducedMotion: "reduce" };

/** Somebody who is signed in, and a page that says whether it was loaded again. */
async function arrive(options = VIEW, who = owner) {
  const p = await open(browser, options);
  await p.context().addCookies(sessionOf(who));
  return p;
}
async function start(p, path) {
  await p.goto(SITE + path);
  await p.evaluate(() => { globalThis.stays = true; });
}
const stays = (p) => p.evaluate(() => globalThis.stays === true);
const at = (p) => new URL(p.url()).pathname + new URL(p.url()).search;
const focus = (p) => p.evaluate(() => { const e = document.activeElement; return `${e.tagName} ${e.name ?? ""} ${e.className}`.trim(); });
const isPinned = async () => (await api(`nodes/${node.split("/").pop()}`, account.token)).data.is_pinned;

test("a filter changes the list and the address, and the page stays; so do the pager and the way back", async () => {
  await start(page, "/admin/nodes");
  await page.fill("[name=q]", "ferr");
  await Promise.all([page.waitForURL("**/admin/nodes?q=ferr*"), page.press("[name=q]", "Enter")]);
  assert.deepEqual(await page.locator("main tbody td:first-child a").allInnerTexts(), ["Ferry"]);
  await page.waitForSelector("#said:text-matches('^1 in the list')", { state: "attached" });
  assert.equal(await focus(page), "INPUT q");
  await page.fill("[name=q]", "gull");
  await Promise.all([page.waitForURL("**/admin/nodes?q=gull*"), page.click("main .filters button")]);
  assert.equal(await focus(page), "BUTTON");
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await Promise.all([page.waitForURL("**cursor=**"), page.click(".pager [rel=next]")]);
  assert.deepEqual([await focus(page), await page.evaluate(() => scrollY)], ["MAIN", 0]);
  assert.ok(await stays(page));
  await page.goBack();
  await page.waitForSelector(".pager :text('Next page')");
  assert.ok(!at(page).includes("cursor="));
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll("main tbody td:first-child a").length === 1);
  assert.equal(await page.inputValue("[name=q]"), "ferr");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("[name=q]").value === "");
  assert.equal(at(page), "/admin/nodes");
  await page.goForward();
  await page.waitForFunction(() => document.querySelector("[name=q]").value === "ferr");
  assert.ok(await stays(page));
});

test("the navigation, the title and what is said follow", async () => {
  await start(page, "/admin");
  await Promise.all([page.waitForURL("**/admin/jobs"), page.click("nav.side a:has-text('Jobs')")]);
  assert.match(await page.title(), /^Jobs · /);
  await Promise.all([page.waitForURL("**/admin/queue"), page.click("nav.tabs a:has-text('Queue')")]);
  assert.match(await page.title(), /^Queue · /);
  await page.waitForSelector("#said:text-matches('^Queue · ')", { state: "attached" });
  assert.match(await page.evaluate(() => document.activeElement.innerText), /Queue/);
  assert.equal((await page.innerText("nav.side [aria-current]")).trim(), "Jobs");
  assert.equal(await page.inputValue(".themes [name=return_to]"), "/admin/queue");
  assert.equal(await page.locator(".foot button").count(), 1);
  await Promise.all([page.waitForURL("**/admin/graph"), page.click("nav.side a:has-text('Graph')")]);
  await page.fill("[name=node]", node.split("/").pop());
  await Promise.all([page.waitForURL("**/admin/graph?node=*"), page.press("[name=node]", "Enter")]);
  await page.waitForSelector("svg.graph circle");
  assert.ok(await stays(page));
});

test("a change says what it did where one is, and the page stays", async () => {
  await start(page, node);
  await page.locator("main button:text-is('Pin')").evaluate((b) => { document.querySelector("main").append(b.form); });      // a form far below
  await page.locator("main button:text-is('Pin')").scrollIntoViewIfNeeded();
  const place = await page.evaluate(() => scrollY);
  assert.ok(place > 100);
  await page.click("main button:text-is('Pin')");
  await page.waitForSelector("main .flash:has-text('Pinned')");
  assert.equal(await isPinned(), true);
  assert.ok(await stays(page));
  assert.equal(at(page), node);
  assert.match(await focus(page), /flash/);
  await page.waitForSelector("#said:text-matches('^Pinned')", { state: "attached" });
  assert.ok(await page.evaluate(() => scrollY) > 0);
  const box = await page.locator("main .flash").boundingBox();
  assert.ok(box.y >= 0 && box.y < 700, "the flash is in view");
  await page.click("main button:text-is('Undo')");
  await page.waitForSelector("main .flash:has-text('Unpinned')");
  assert.equal(await isPinned(), false);
});

test("a form that is wrong comes back marked, at the address it stands on; a second click does nothing", async () => {
  await start(page, "/admin/teams");
  let posts = 0;
  await page.route("**/admin/teams", async (route) => {
    if (route.request().method() === "POST") posts++;
    await route.continue();
  });
  await page.evaluate(() => {
    const form = document.querySelector("form[method=post][action='/admin/teams']");
    form.noValidate = true;
    form.elements.slug.value = "not a slug";
    for (let i = 0; i < 3; i++) form.requestSubmit();
  });
  await page.waitForSelector("main .flash.bad");
  assert.equal(at(page), "/admin/teams");
  assert.equal(await page.inputValue("main [name=slug]"), "not a slug");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-invalid")), "true");
  assert.equal(posts, 1);
  assert.ok(await stays(page));
  await page.unroute("**/admin/teams");
});

test("what is not there, and a server that is away, are shown, and one can go on", async () => {
  await start(page, "/admin/nodes");
  await page.locator("main td a >> nth=0").evaluate((a) => a.setAttribute("href", "/admin/nodes/01890000-0000-7000-8000-00000000dead"));
  await page.click("main td a >> nth=0");
  await page.waitForSelector("main .oops");
  assert.match(await page.title(), /^Page not found/);
  await page.route("**/admin/jobs", (route) => route.fulfill({ status: 503, contentType: "text/html", body: "<!DOCTYPE html><html lang=en><head><title>Away</title></head><body><main id=\"main\"><h1>Away</h1></main></body></html>" }));
  await page.click("nav.side a:has-text('Jobs')");
  await page.waitForSelector("main h1:text('Away')");
  assert.equal(await page.title(), "Away");
  await page.unroute("**/admin/jobs");
  await page.goBack();
  await page.waitForSelector("main .oops");
  assert.ok(await page.isVisible("nav.side"));
  await page.route("**/admin/audit", (route) => route.abort());
  const faults = page.faults.length;
  await page.click("nav.side a:has-text('Audit')");
  await page.waitForSelector("main .flash:has-text('did not answer')");
  await page.unroute("**/admin/audit");
  assert.deepEqual(page.faults.splice(faults).filter((f) => !/Failed to (fetch|load)/.test(f)), []);
  assert.deepEqual(page.faults.splice(0).filter((f) => !/status of 503/.test(f)), []);
  await Promise.all([page.waitForURL("**/admin/audit"), page.click("nav.side a:has-text('Audit')")]);
  assert.ok(await stays(page));
});

test("what is no page is not put into one", async () => {
  await start(page, "/admin/nodes");
  await page.route("**/admin/file", (route) => route.fulfill({ contentType: "text/csv", headers: { "Content-Disposition": "attachment; filename=a.csv" }, body: "a,b" }));
  await page.locator("main td a >> nth=0").evaluate((a) => a.setAttribute("href", "/admin/file"));
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("main td a >> nth=0")]);
  assert.equal(file.suggestedFilename(), "a.csv");
  assert.ok(await stays(page));
  assert.ok(await page.isVisible("main .filters"));
  await page.unroute("**/admin/file");
});

test("the way back leads to where one was on the page", async () => {
  await start(page, "/admin/nodes?q=gull");
  await page.locator("main tbody tr >> nth=15").scrollIntoViewIfNeeded();
  const place = await page.evaluate(() => scrollY);
  assert.ok(place > 300);
  await Promise.all([page.waitForURL("**/admin/nodes/*-*"), page.click("main tbody tr >> nth=15 >> a >> nth=0")]);
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.goBack();
  await page.waitForFunction((y) => Math.abs(scrollY - y) < 5 && document.querySelector("main .filters"), place);
  assert.ok(await stays(page));
});

test("who goes on elsewhere while the way back is still being loaded gets there", async () => {
  await start(page, "/admin/nodes?q=gull");
  await Promise.all([page.waitForURL("**/admin/jobs"), page.click("nav.side a:has-text('Jobs')")]);
  let let_;
  const held = new Promise((go) => { let_ = go; });
  await page.route("**/admin/nodes?q=gull", async (route) => { await held; await route.continue().catch(() => {}); });
  const [back] = await Promise.all([page.waitForRequest("**/admin/nodes?q=gull"), page.evaluate(() => history.back())]);
  const ended = page.waitForEvent("requestfailed", (r) => r === back);
  await Promise.all([page.waitForURL("**/admin/teams"), page.click("nav.side a:has-text('Teams')")]);
  await ended;
  let_();
  assert.match(await page.innerText("h1"), /Teams/);
  assert.ok(await stays(page));
  await page.unroute("**/admin/nodes?q=gull");
});

test("a part that is read again keeps what one has open, and the message meant for the page", async () => {
  await start(page, "/admin/queue");
  const polled = () => page.waitForResponse((r) => r.request().headers()["hx-target"] === "div#queue");
  const body = await (await polled()).text();
  assert.ok(!body.includes("<html") && body.includes('id="queue"'));
  assert.ok(await stays(page));
  assert.equal(await page.locator("#queue").count(), 1);
  await page.evaluate(() => {
    const queue = document.getElementById("queue");
    globalThis.atRest = async () => { while (queue.classList.contains("htmx-request")) await new Promise((go) => { setTimeout(go, 10); }); };
    globalThis.unfold = (is) => {
      queue.querySelector("details.of-test")?.remove();
      if (is) queue.insertAdjacentHTML("beforeend", "<details class=of-test open><summary>x</summary>y</details>");
    };
  });
  // Whether its time having come makes it ask, with something open in it and without.
  const asks = (open_) => page.evaluate(async (is) => {
    const queue = document.getElementById("queue");
    let asked = false;
    await globalThis.atRest();
    globalThis.unfold(is);
    queue.addEventListener("htmx:before:request", () => { asked = true; }, { once: true });
    globalThis.htmx.trigger(queue, "every");
    return asked;
  }, open_);
  assert.deepEqual([await asks(true), await asks(false)], [false, true]);
  // What is opened while the answer is on its way stays, too, and so does a menu above.
  const opened = (inside) => page.evaluate(async (is) => {
    await globalThis.atRest();
    globalThis.unfold(false);
    globalThis.htmx.trigger(document.getElementById("queue"), "every");
    globalThis.unfold(is);
    document.querySelector(".user-menu").open = true;
    await globalThis.atRest();
    return [document.querySelector(".user-menu").open, document.querySelector("#queue details.of-test[open]") !== null];
  }, inside);
  assert.deepEqual([await opened(true), await opened(false)], [[true, true], [true, false]]);
  await page.evaluate(() => { document.querySelector(".user-menu").open = false; });
  // A poll in between does not take what a change left to say.
  const client = await signedIn(account.owner);
  await client.post("/admin/jobs/retention/pause", { reason: "a test" });
  const mark = /X-Loci-Frame:(\w+)/.exec((await client.send("/admin/users")).text);
  assert.ok(mark);
  await client.post("/admin/jobs/retention/resume");
  const asked = { "HX-Request": "true", "X-Loci-Frame": mark[1] };
  assert.ok(!(await client.send("/admin/queue", { headers: { ...asked, "HX-Target": "div#queue" } })).text.includes('class="flash'));
  assert.ok((await client.send("/admin/queue", { headers: { ...asked, "HX-Target": "main#main" } })).text.includes('class="flash'));
});

test("only main is answered, and only to the frame of whom it is for", async () => {
  const client = await signedIn(account.owner), whole = await client.send("/admin/nodes?q=a");
  const mark = /X-Loci-Frame:(\w+)/.exec(whole.text)[1], asked = { "HX-Request": "true", "HX-Target": "main#main", "X-Loci-Frame": mark };
  const part = await client.send("/admin/nodes?q=a", { headers: asked });
  assert.match(part.text, /^\s*<title>Memories · Loci<\/title>\s*<main [^]*<\/main>\s*$/);
  assert.match(part.headers.get("vary"), /\bHX-Request\b/);
  assert.match(part.headers.get("cache-control"), /no-store/);
  const main = (html) => /<main[^]*<\/main>/.exec(html)[0].replace(/datetime="[^"]*"[^]*?<\/time>|name="csrf_token" value="[^"]*"/g, "");
  assert.equal(main(part.text), main(whole.text));
  assert.notEqual(csrfOf(part.text), csrfOf(whole.text), "another veil each time");
  const refused = await client.send("/admin/nodes?q=a", { headers: { ...asked, "X-Loci-Frame": "m0" } });
  assert.deepEqual([refused.status, refused.headers.get("hx-redirect"), refused.text], [204, "/admin/nodes?q=a", ""]);
  const other = await signedIn(person(account.slug, "viewer"));
  assert.equal((await other.send("/admin/nodes", { headers: asked })).headers.get("hx-redirect"), "/admin/nodes");
  assert.equal((await other.send("/api/v1/docs", { headers: asked })).headers.get("hx-redirect"), "/api/v1/docs");
  // A name that changed is in the frame: the page comes whole, with what there is to say.
  const renamed = await client.post("/admin/account", { name: "Somebody else" });
  assert.equal((await client.send(renamed.where, { headers: asked })).headers.get("hx-redirect"), renamed.where);
  assert.match((await client.send(renamed.where)).text, /class="flash ok"/);
});

test("a session that has ended leads to the login page, and back", async () => {
  const ended = await signedIn(account.owner), p = await arrive(VIEW, ended);
  await start(p, "/admin/nodes");
  await ended.post("/logout");
  await p.fill("[name=q]", "ferr");
  await Promise.all([p.waitForURL("**/login?*"), p.press("[name=q]", "Enter")]);
  assert.equal(await p.locator("nav.side").count(), 0);
  assert.equal(await p.locator("h1").innerText(), "Sign in");
  await p.fill("[name=email]", account.owner.email);
  await p.fill("[name=password]", account.owner.password);
  await p.click("main button[type=submit]");
  await p.waitForURL("**/admin/nodes?q=ferr*");
  await p.context().clearCookies();
  await Promise.all([p.waitForURL("**/login?*"), p.click("main td a >> nth=0")]);
  assert.deepEqual(p.faults, []);
  await p.context().close();
});

for (const [how, options, blocked] of [["without JavaScript", { ...VIEW, javaScriptEnabled: false }, false], ["with the libraries blocked", VIEW, true]])
  test(`${how}: filter, pager, pin and undo load whole pages`, async () => {
    const p = await arrive(options);
    if (blocked) await p.route("**/static/vendor/**", (route) => route.abort());
    await p.goto(`${SITE}/admin/nodes`);
    await p.fill("[name=q]", "gull");
    await Promise.all([p.waitForURL("**/admin/nodes?q=gull*"), p.click("main .filters button")]);
    await Promise.all([p.waitForURL("**cursor=**"), p.click(".pager [rel=next]")]);
    await p.goto(SITE + node);
    await p.click("main button:text-is('Pin')");
    await p.waitForSelector("main .flash:has-text('Pinned')");
    assert.equal(await isPinned(), true);
    await p.click("main button:text-is('Undo')");
    await p.waitForSelector("main .flash:has-text('Unpinned')");
    assert.equal(await isPinned(), false);
    await p.goto(`${SITE}/admin/queue`);
    assert.ok(await p.locator("h1").isVisible());
    assert.deepEqual(p.faults.filter((f) => !/ERR_FAILED/.test(f)), []);
    await p.context().close();
  });

test("nothing was against the CSP, from elsewhere, or in the console", () => {
  assert.deepEqual([page.faults, page.strangers], [[], []]);
});

test("a page's own weight, compressed, with all of htmx", async () => {
  const { gzipSync } = await import("node:zlib");
  const files = ["loci.css", "loci.js", "vendor/htmx.js", "icons.svg", "icon.svg"];
  let weight = 0;
  for (const path of ["/admin/nodes", "/admin/settings"]) {
    const answer = await page.goto(SITE + path);
    assert.equal(answer.headers()["content-encoding"], "gzip", path);
    weight = Math.max(weight, gzipSync(await answer.body()).length);
  }
  for (const href of await page.$$eval("link[rel=stylesheet], script[src]", (all) => all.map((e) => e.href || e.src))) {
    assert.match(href, /\?v=[0-9a-f]{10}$/, "it changes with the content, and may be kept");
    assert.match((await fetch(href)).headers.get("cache-control"), /max-age=604800/);
  }
  for (const file of files) {
    const answer = await fetch(`${SITE}/static/${file}`, { headers: { "Accept-Encoding": "gzip" } });
    assert.equal(answer.status, 200, file);
    assert.equal(answer.headers.get("content-encoding") ?? (file.endsWith(".svg") ? "gzip" : ""), "gzip", file);
    assert.match(answer.headers.get("cache-control"), /max-age=3600/);
    weight += gzipSync(Buffer.from(await answer.arrayBuffer())).length;
  }
  assert.ok(weight <= 60 * 1024, `${weight} bytes`);
});
