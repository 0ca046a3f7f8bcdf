// What people do on the pages: tokens with the keyboard alone, people, agents, teams, spaces and grants, one's own
// account; what is refused is shown again as it was typed.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PASSWORD, SITE, api, browse, freshAccount, locictl, open, person, signIn, signedIn, unique, words } from "./lib/live.mjs";

let account, browser, page;
before(async () => {
  account = freshAccount();
  browser = await browse();
  page = await open(browser, { viewport: { width: 1280, height: 900 } });
  await signIn(page, account.owner);
});
after(async () => {
  assert.deepEqual(page?.faults, []);
  await browser?.close();
});

/** Presses Tab until the selector's element has the focus. */
async function tabTo(where, selector) {
  for (let i = 0; i < 120; i++) {
    if (await where.evaluate((s) => document.activeElement?.matches(s) ?? false, selector)) return;
    await where.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${selector}`);
}

const main = (where = page) => where.innerText("main");
const flash = (where = page) => where.innerText(".flash");

describe("tokens", () => {
  test("are made and revoked with the keyboard alone", async () => {
    await page.goto(`${SITE}/admin/tokens`);
    await tabTo(page, "details.new > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, "[name=name]");
    await page.keyboard.type("laptop");
    await tabTo(page, "[name=owner]");
    await page.keyboard.type("agent Helper");
    await tabTo(page, "[name=expires_in_days]");
    await page.keyboard.type("7");
    await tabTo(page, "[name=toolset]");
    await page.keyboard.press("ArrowDown");  // from core to full
    await tabTo(page, "[name='scope[]'][value='account.manage']");
    await page.keyboard.press("Space");
    await tabTo(page, "[name='scope[]'][value='memory.read']");
    await page.keyboard.press("Space");
    await page.keyboard.press("Space");      // thought better of it
    await tabTo(page, "details.new form button");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".field .error, p.error, .secret");
    assert.match(await main(), /owner of the token does not have this permission/);
    assert.equal(await page.inputValue("[name=name]"), "laptop");
    assert.ok(await page.isChecked("[value='account.manage']"));
    assert.ok(await page.isChecked("[name=toolset][value=full]"), "what was chosen stays chosen");

    await tabTo(page, "[name='scope[]'][value='account.manage']");
    await page.keyboard.press("Space");
    await tabTo(page, "[name='scope[]'][value='memory.read']");
    await page.keyboard.press("Space");
    await tabTo(page, "details.new form button");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".secret");
    const token = (await page.innerText(".secret pre")).trim();
    assert.match(token, /^loci_\w{8}_\w{43}$/);
    const me = await api("me", token);
    assert.equal(me.status, 200);
    assert.deepEqual(me.data.permissions, ["memory.read"]);

    await page.reload();                     // shown this once
    assert.ok(!(await page.content()).includes(token));
    assert.equal(await page.locator(".secret").count(), 0);

    await page.goto(`${SITE}/admin/tokens`);
    await tabTo(page, "details.confirm > summary");      // the newest is the first
    await page.keyboard.press("Enter");
    await tabTo(page, "details.confirm[open] button.danger.solid");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".flash.ok");
    assert.match(await flash(), /revoked/);
    assert.equal((await api("me", token)).status, 401);
    await page.reload();
    assert.equal(await page.locator(".flash").count(), 0, "a message is shown once");
    await page.goto(`${SITE}/admin/tokens?state=all`);
    assert.match(await main(), /revoked/);
  });

  test("another account's token cannot be revoked", async () => {
    const other = freshAccount();
    const theirs = await signedIn(other.owner);
    const id = (await api("tokens", account.token)).data?.[0]?.id ?? "";
    assert.match(id, /-/);
    assert.equal((await theirs.post(`/admin/tokens/${id}/revoke`)).status, 404);
    assert.equal((await api("me", account.token)).status, 200);
  });
});

describe("users", () => {
  test("what is wrong is shown beside what was typed, without the password", async () => {
    const client = await signedIn(account.owner);
    const answer = await client.post("/admin/users", { email: "no address", name: "Nora <b>", role: "editor", password: "short-one" });
    assert.equal(answer.status, 422);
    assert.ok(answer.text.includes('value="no address"') && answer.text.includes("Nora &lt;b&gt;"));
    assert.ok(!answer.text.includes("short-one"));
    assert.match(answer.text, /<option value="editor" selected>/);
    assert.match(answer.text, /class="error"/);
    const taken = await client.post("/admin/users", { email: account.owner.email, name: "Twice", role: "viewer", password: PASSWORD });
    assert.equal(taken.status, 409);
    assert.match(taken.text, /class="flash bad"/);
  });

  test("are made, changed and deleted", async () => {
    const email = `${unique("ed")}@pages.example`;
    await page.goto(`${SITE}/admin/users`);
    await page.click("details.new > summary");
    await page.fill("[name=email]", email);
    await page.fill("[name=name]", "Ed <script>alert(1)</script>");
    await page.selectOption("[name=role]", "editor");
    assert.equal(await page.locator("[name=password][required][minlength]").count(), 1);
    await page.fill("[name=password]", PASSWORD);
    await page.click("details.new form button");
    await page.waitForURL("**/admin/users/*-*");
    assert.match(await flash(), /can sign in/);
    assert.match(await page.innerText("h1"), /<script>alert/);
    const ed = await signedIn({ email, password: PASSWORD });
    assert.equal((await ed.send("/admin")).status, 200);

    assert.equal(await page.locator("main [name=email]").count(), 0, "an address is given once");
    await page.selectOption("[name=role]", "viewer");
    await page.click("form:has([name=role]) button");
    await page.waitForSelector(".flash.ok:has-text('Saved')");
    assert.equal((await ed.send("/admin")).status, 303, "a new role ends the sessions");

    await page.click(".danger-zone summary, summary.danger:has-text('Delete')");
    await page.click("details.confirm[open] button.danger.solid");
    await page.waitForURL("**/admin/users");
    assert.ok(!(await page.innerText("main table")).includes(email));
  });

  test("the last owner stays, and nobody makes more of somebody than they are", async () => {
    const client = await signedIn(account.owner);
    const me = account.owner.id;
    const demoted = await client.post(`/admin/users/${me}`, { name: "The owner", role: "viewer", status: "active" });
    assert.equal(demoted.status, 409);
    assert.match(words(demoted.text), /last owner/);
    assert.equal((await client.post(`/admin/users/${me}/delete`)).status, 409);
    const admin = await signedIn(person(account.slug, "admin"));
    assert.equal((await admin.post(`/admin/users/${me}`, { name: "Mine now", role: "viewer", status: "active" })).status, 403);
    assert.equal((await admin.post("/admin/users", { email: `${unique("o")}@pages.example`, name: "O", role: "owner", password: PASSWORD })).status, 403);
  });
});

describe("agents and teams", () => {
  test("an agent is made, changed, given work roles, archived and brought back", async () => {
    await page.goto(`${SITE}/admin/agents`);
    await page.click("details.new > summary");
    await page.fill("[name=name]", "Scribe");
    await page.fill("[name=slug]", "scribe");
    await page.fill("[name=description]", "Writes & \"quotes\"");
    await page.click("details.new form button");
    await page.waitForURL("**/admin/agents/*-*");
    assert.match(await main(), /Writes & "quotes"/);
    const url = page.url();
    await page.fill("[name=roles]", "coder, reviewer");
    await page.click("form:has([name=roles]) button");
    await page.waitForSelector(".flash.ok:has-text('work roles')");
    assert.equal(await page.inputValue("[name=roles]"), "coder reviewer");
    await page.fill("[name=description]", "");
    await page.fill("[name=name]", "Scribe the second");
    await page.click("form:has([name=kind]) button");
    await page.waitForSelector("h1:has-text('the second')");
    assert.ok(!(await main()).includes("quotes"));
    await page.click("summary:has-text('Archive this agent')");
    await page.click("details.confirm[open] button.danger.solid");
    await page.waitForSelector("dl.facts .badge:has-text('archived')");
    await page.selectOption("[name=status]", "active");
    await page.click("form:has([name=kind]) button");
    await page.waitForSelector(".badge.ok:has-text('active')");
    assert.equal(page.url(), url);
  });

  test("a form made from an older state is refused, and the newer one stays", async () => {
    const client = await signedIn(account.owner), other = await signedIn(account.owner);
    const at = `/admin/agents/${account.agentId}`;
    const form = { name: "First", kind: "assistant", role: "agent", status: "active", description: "", if_version: /name="if_version" value="(\d+)"/.exec((await client.send(at)).text)[1] };
    assert.equal((await other.post(at, form)).status, 303);
    const late = await client.post(at, { ...form, name: "Second" });
    assert.equal(late.status, 412);
    assert.match(late.text, /class="flash bad"/);
    assert.match(late.text, /value="Second"/);
    assert.match((await client.send(at)).text, /<h1>First<\/h1>/);
  });

  test("a team takes agents in and lets them go", async () => {
    await page.goto(`${SITE}/admin/teams`);
    await page.click("details.new > summary");
    await page.fill("[name=name]", "Harbour");
    await page.fill("[name=slug]", "harbour");
    await page.click("details.new form button");
    await page.waitForURL("**/admin/teams/*-*");
    await page.selectOption("[name=agent_id]", account.agentId);
    await page.fill("[name=role]", "pilot");
    await page.check("[name=is_lead]");
    await page.click("form:has([name=agent_id]) button");
    await page.waitForSelector("td:has-text('pilot')");
    assert.match(await page.innerText("table"), /lead/);
    await page.click("td.act button");
    await page.waitForSelector(".flash:has-text('removed from the team')");
    assert.match(await main(), /No members/);
    await page.click("summary:has-text('Delete this team')");
    await page.click("details.confirm[open] button.danger.solid");
    await page.waitForURL("**/admin/teams");
    assert.match(await main(), /No teams/);
  });
});

describe("spaces", () => {
  test("the form has the kinds that can be made, the page the settings", async () => {
    await page.goto(`${SITE}/admin/spaces`);
    await page.click("details.new > summary");
    const kinds = await page.$$eval("details.new form select[name=kind] option", (all) => all.map((o) => o.value));
    assert.ok(kinds.includes("context") && kinds.includes("pool") && kinds.includes("domain"), kinds.join());
    for (const kind of ["namespace", "taxonomy"]) assert.ok(!kinds.includes(kind), kinds.join());
    const token = locictl(["token", "create", "--account", account.slug, "--user", account.owner.email, "--name", "spaces"]);
    const made = await fetch(`${SITE}/api/v1/spaces`, { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ kind: "context", name: "Rigged", settings: { rig: "lateen" } }) });
    assert.equal(made.status, 201);
    await page.goto(`${SITE}/admin/spaces/${(await made.json()).data.id}`);
    assert.match(await page.textContent("details.more:has(summary:text('Settings')) pre"), /"rig":"lateen"/);
  });

  test("a space is made, granted, taken back, archived, restored and deleted", async () => {
    const seen = async () => (await api("spaces?limit=100", account.token)).data.some((s) => s.slug === "charts");
    await page.goto(`${SITE}/admin/spaces`);
    await page.click("details.new > summary");
    await page.selectOption("[name=kind] >> nth=0", "context");
    await page.fill("[name=name]", "Charts");
    await page.fill("[name=slug]", "charts");
    await page.click("details.new form button");
    await page.waitForURL("**/admin/spaces/*-*");
    assert.equal(await seen(), false);
    await page.selectOption("[name=grantee]", `agent:${account.agentId}`);
    await page.selectOption("[name=level]", "write");
    await page.selectOption("[name=expires_in_days]", "30");
    await page.click("form:has([name=grantee]) button");
    await page.waitForSelector(".flash:has-text('Granted')");
    assert.equal(await seen(), true);
    await page.selectOption("[name=grantee]", `agent:${account.agentId}`);
    await page.selectOption("[name=level]", "write");
    await page.click("form:has([name=grantee]) button");     // the same once more: a message, and the choices stay
    await page.waitForSelector(".flash.bad:has-text('already')");
    assert.equal(await page.inputValue("[name=level]"), "write");
    await page.goto(page.url().replace(/\/grants$/, ""));
    await page.click("tr:has-text('write') td.act summary");
    await page.click("details.confirm[open] button.danger.solid");
    await page.waitForSelector(".flash:has-text('revoked')");
    assert.equal(await seen(), false);

    await page.click(".danger-zone summary:has-text('Archive')");
    await page.click("details.confirm[open] button.danger.solid");
    await page.waitForSelector(".flash:has-text('archived')");
    await page.click("button:has-text('Unarchive this space')");
    await page.waitForSelector(".flash:has-text('Space unarchived')");
    await page.click(".danger-zone summary:has-text('Delete')");
    await page.fill("[name=confirm]", "chart");
    await page.click("details.confirm[open] button.danger.solid");
    await page.waitForSelector("p.error");
    await page.goto(page.url().replace(/\/delete$/, ""));
    await page.click(".danger-zone summary:has-text('Delete')");
    await page.fill("[name=confirm]", "charts");
    await page.click("details.confirm[open] button.danger.solid");
    await page.waitForURL("**/admin/spaces");
    assert.ok(!(await page.innerText("table")).includes("Charts"));

    await page.selectOption("form.filters [name=status]", "deleted");
    await page.click("form.filters button");
    await page.waitForURL("**/admin/spaces?*status=deleted*");
    assert.match(await page.innerText("tr:has-text('Charts')"), /deleted/);
    assert.equal(await page.locator("tr:has-text('Charts') a").count(), 0);
    await page.click("tr:has-text('Charts') button");
    await page.waitForSelector(".flash:has-text('Charts restored')");
    await page.click("tr:has-text('Charts') a");
    await page.waitForURL("**/admin/spaces/*-*");
    await page.goto(`${SITE}/admin/spaces?status=deleted`);
    assert.match(await main(), /No spaces/);
  });
});

describe("one's account", () => {
  test("colours, name, sessions", async () => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.goto(`${SITE}/admin/account?x=1`);
    const light = await ground();
    await page.click(".user-menu summary");
    await page.click("button[value=dark]");
    await page.waitForSelector("html[data-theme=dark]");
    assert.notEqual(await ground(), light);
    assert.equal(page.url(), `${SITE}/admin/account?x=1`);
    await page.click(".user-menu summary");
    await page.click("button[value=auto]");
    await page.waitForSelector("html:not([data-theme])");

    await page.fill("[name=name]", "Olivia Owner");
    await page.click("form[action='/admin/account'] button");
    await page.waitForSelector(".who:has-text('Olivia')");

    const second = await signedIn(account.owner);
    await page.goto(`${SITE}/admin/account`);
    await page.click("form[action*='/sessions/'][action$='/end'] button >> nth=0");
    await page.waitForSelector(".flash:has-text('ended')");
    for (const others of await page.locator("button:has-text('End all other sessions')").all()) await others.click();
    await page.waitForSelector("tr:has-text('this session')");
    assert.equal((await second.send("/admin")).status, 303);
  });

  test("a new password wants the old one, and ends every session", async () => {
    const who = person(account.slug, "viewer");
    const client = await signedIn(who), other = await signedIn(who);
    for (const [fields, word] of [
      [{ old_password: "wrong", new_password: "a longer password", new_password_again: "a longer password" }, /wrong password/],
      [{ old_password: PASSWORD, new_password: "a longer password", new_password_again: "another one" }, /differ/],
      [{ old_password: PASSWORD, new_password: "short", new_password_again: "short" }, /10/],
    ]) {
      const answer = await client.post("/admin/account/password", fields);
      assert.equal(answer.status, 422);
      assert.match(words(answer.text), word);
      assert.ok(!answer.text.includes("a longer password"));
    }
    assert.equal((await other.send("/admin")).status, 200);
    const done = await client.post("/admin/account/password",
      { old_password: PASSWORD, new_password: "a longer password", new_password_again: "a longer password" });
    assert.equal(done.where, "/login?why=password");
    assert.equal((await other.send("/admin")).status, 303);
    assert.equal((await client.signIn(who)).status, 422);
    assert.equal((await client.signIn({ ...who, password: "a longer password" })).status, 303);
  });
});

describe("audit", () => {
  test("is filtered, shows before and after, and is exported", async () => {
    await page.goto(`${SITE}/admin/audit?kind=user.update`);
    await page.click("details.more summary >> nth=0");
    assert.match(await page.innerText("details.more[open]"), /name[^]*The owner|viewer|editor/);
    const rows = await page.locator("tbody > tr td[data-label=What] strong").allInnerTexts();
    assert.ok(rows.length > 0 && rows.every((k) => k.startsWith("user.update")), rows.join());
    const client = await signedIn(account.owner);
    const csv = await client.send(new URL(await page.getAttribute("a:has-text('Export CSV')", "href"), SITE).pathname + "?format=csv&kind=user.update");
    assert.equal(csv.status, 200);
    assert.match(csv.headers.get("content-type"), /^text\/csv/);
    assert.ok(csv.text.split("\n").slice(1).filter(Boolean).every((l) => l.includes("user.update")));
    const wrong = await client.send("/admin/audit?actor=me&from=yesterday");
    assert.equal(wrong.status, 200);
    assert.equal(wrong.text.match(/class="error"/g).length, 2);
  });

  test("people and things are links, long texts are compared by line, and one chooses who it was", async () => {
    const client = await signedIn(account.owner), at = `/admin/agents/${account.agentId}`;
    for (const last of ["the harbour", "the <island>"]) {
      const form = { name: "Scribe", kind: "assistant", role: "agent", status: "active", description: `${"It writes down what it sees. ".repeat(4)}\n${last}`, if_version: /name="if_version" value="(\d+)"/.exec((await client.send(at)).text)[1] };
      assert.equal((await client.post(at, form)).status, 303);
    }
    await page.goto(`${SITE}/admin/audit?kind=agent.update&subject=${account.agentId}`);
    const row = page.locator("tbody > tr").first();
    await row.locator("summary").click();
    assert.match(await row.locator(".diff del").innerText(), /the harbour/);
    assert.match(await row.locator(".diff ins").innerText(), /the <island>/);
    assert.equal(await row.locator("td[data-label=Who] a").getAttribute("href"), `/admin/users/${account.owner.id}`);
    assert.equal(await row.locator("td[data-label='Subject'] a").getAttribute("href"), at);
    await page.selectOption("[name=actor]", account.owner.id);
    await page.click("form.filters button");
    await page.waitForURL(`**/admin/audit?*actor=${account.owner.id}*`);
    assert.equal(await page.inputValue("[name=actor]"), account.owner.id);
    assert.ok(await page.locator("tbody > tr").count() > 1);
  });

  test("goes on page after page", async () => {
    const client = await signedIn(account.owner);
    const ids = new Set();
    let path = "/admin/audit", pages = 0;
    while (path && pages < 30) {
      const { text } = await client.send(path);
      for (const [, id] of text.matchAll(/<dt>Event<\/dt><dd class="mono">([\w-]+)/g)) {
        assert.ok(!ids.has(id), "twice");
        ids.add(id);
      }
      path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll("&amp;", "&").replaceAll("&#x3D;", "=");
      pages++;
    }
    assert.ok(pages > 1 && ids.size > 20, `${ids.size} events on ${pages} pages`);
  });
});
