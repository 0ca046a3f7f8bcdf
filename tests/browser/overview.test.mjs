// The overview tells of the week, of the index and of how fast it answers; and all that people do with forms works
// without JavaScript.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PASSWORD, SITE, browse, freshAccount, open, person, signIn, signedIn, unique, words, settled } from "./lib/live.mjs";

const api = async (token, path, body) => {
  const answer = await fetch(`${SITE}/api/v1/${path}`, { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: JSON.stringify(body) });
  assert.ok(answer.ok, await answer.clone().text());
  return answer.json();
};

let account, browser;
before(async () => {
  account = freshAccount();
  browser = await browse();
});
after(async () => { await browser?.close(); });

/** Three notes that everyone may read, and one that only the agent may. */
async function remember({ token }) {
  const space = (await api(token, "spaces", { name: "Shared", kind: "context" })).data;
  await api(token, `spaces/${space.id}/grants`, { grantee_kind: "everyone", level: "read" });
  for (let i = 0; i < 3; i++) await api(token, "nodes", { space_id: space.id, title: `note ${i}` });
  await api(token, "nodes", { title: "private" });
}

test("what was remembered this week, day by day, what one may read of it", async () => {
  const owner = await signedIn(account.owner);
  assert.ok(!words((await owner.send("/admin")).text).includes("Memories, last 7 days"));
  await remember(account);
  const text = words((await owner.send("/admin")).text);
  assert.match(text, /Memories, last 7 days.* captured derived Show as table.* \d{4} 0 0 .* \d{4} 3 0 /);
  assert.equal(text.match(/\d+ [A-Z][a-z]{2} \d{4} \d+ \d+ /g).length, 7);
});

test("how often and how fast an account is asked and told, for all who may read it; how the index is", async () => {
  const busy = freshAccount(), owner = await signedIn(busy.owner);
  assert.ok(!words((await owner.send("/admin")).text).includes("Recalls and writes"), "nobody asked yet");
  for (let i = 0; i < 3; i++) await api(busy.token, "nodes", { title: `note ${i}` });
  await api(busy.token, "recall", { query: "note" });
  await settled(busy, "uses");
  assert.match(words((await owner.send("/admin")).text), / Recalls per minute [\d.]+ 1 in the last hour .*Writes per minute [\d.]+ 3 in the last hour/);
  const viewer = await signedIn(person(busy.slug, "viewer"));
  for (const who of [owner, viewer])
    assert.match(words((await who.send("/admin")).text), /Latency .* Recalls, p50 [\d.]+ m?s p95 [\d.]+ m?s Writes, p50 [\d.]+ m?s/);
  assert.ok(!words((await (await signedIn(account.owner)).send("/admin")).text).includes("3 in the last hour"), "another account's are its own");
  assert.match(words((await owner.send("/admin")).text), /Recall index \d+ nodes? of \d+ accounts? in \d+ of \d+ MiB/);
  for (const path of ["/admin", "/admin/settings"])
    assert.match(words((await viewer.send(path)).text), /Recall index answers recalls from memory/, path);
});

test("tiers and junk, for those who manage memory; every figure leads to where it comes from", async () => {
  // An account whose overview nobody has seen yet: what takes long to count is counted once a minute.
  const account = freshAccount(), owner = await signedIn(account.owner), viewer = await signedIn(person(account.slug, "viewer"));
  await remember(account);
  await api(account.token, `ai/agents/${account.agentId}/tiered_memory`, { tier: "short_term", key: "now", value: { a: 1 } });
  await api(account.token, `ai/agents/${account.agentId}/tiered_memory`, { tier: "working", key: "now", value: { a: 1 } });
  const { text } = await owner.send("/admin");
  assert.match(words(text), /Tiers of memory .*Working current task state, minutes 1 [\d.]+ B Short-term session notes, hours to days 1 [\d.]+ B Long-term/);
  assert.match(words(text), /Data quality .*No audit yet/);
  assert.match(words(text), /Memories .* Kind Memories New Last 7 days , day by day note 3 \+3 /);
  const seen = words((await viewer.send("/admin")).text);
  assert.ok(!seen.includes("Tiers of memory") && !seen.includes("Data quality"));
  const main = /<main[^]*<\/main>/.exec(text)[0];
  for (const name of ["MariaDB", "Redis", "Embedding model", "Recall index", "Schedulers", "Jobs", "Queue", "note", "Working", "Long-term", "Shared"])
    assert.match(main, new RegExp(`<a href="/admin[^"]*">${name}</a>`), name);
  for (const [, href] of main.matchAll(/ href="(\/admin[^"]*)"/g)) assert.equal((await owner.send(href.replaceAll("&amp;", "&"))).status, 200, href);
});

test("without JavaScript: people, agents, teams, spaces, tokens and jobs are made, changed and ended", async () => {
  const page = await open(browser, { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
  const press = async (selector) => { await page.click(selector); await page.waitForLoadState(); };
  const unfold = async () => { for (const s of await page.locator("main details.new:not([open]) > summary").all()) await s.click(); };
  const fill = async (form, fields) => {
    for (const [name, value] of Object.entries(fields)) {
      const field = page.locator(`form[method=post][action="${form}"] [name="${name}"]`);
      if (await field.evaluate((e) => e.tagName) === "SELECT") await field.selectOption(value);
      else await field.fill(value);
    }
    await press(`form[method=post][action="${form}"] button:not([type=button])`);
  };
  await signIn(page, account.owner);
  await page.waitForURL(`${SITE}/admin`);
  const made = async (path, fields) => {
    await page.goto(SITE + path);
    await unfold();
    await fill(path, fields);
    assert.doesNotMatch(await page.innerText("main"), /Not saved/, path);
    return new URL(page.url()).pathname;
  };
  const word = unique("nojs");
  const user = await made("/admin/users", { email: `${word}@pages.example`, name: word, role: "viewer", password: PASSWORD });
  const team = await made("/admin/teams", { slug: word, name: word });
  const agent = await made("/admin/agents", { slug: word, name: word });
  const space = await made("/admin/spaces", { name: word, slug: word });
  for (const path of [user, team, agent, space]) {
    await page.goto(SITE + path);
    assert.ok((await page.innerText("main")).includes(word), path);
  }
  await page.goto(SITE + agent);
  await fill(agent, { name: `${word} changed` });
  assert.match(await page.innerText("h1"), /changed/);
  // What cannot be undone asks first, and works without a script that asks.
  await page.goto(SITE + user);
  const form = page.locator(`form[action="${user}/delete"]`);
  const holder = page.locator(`details:has(form[action="${user}/delete"])`);
  if (await holder.count()) await holder.locator("summary").first().click();
  await form.locator("button:not([type=button])").first().click();
  await page.waitForLoadState();
  assert.equal(new URL(page.url()).pathname, "/admin/users");
  assert.ok(!(await page.innerText("main table")).includes(`${word}@pages.example`), "the user is gone");
  await page.goto(`${SITE}/admin/jobs/expired_cleanup`);
  await press(`form[action="/admin/jobs/expired_cleanup/run"] button:not([type=button])`);
  assert.match(page.url(), /\/admin\/jobs/);
  assert.doesNotMatch(await page.innerText("main"), /Not saved/);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
