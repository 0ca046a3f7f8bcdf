// The way in and out: login and back, one answer for all that is wrong, cookies, CSRF, and who may see what.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client, SITE, api, browse, csrfOf, freshAccount, open, person, setCookies, signIn, signedIn, words } from "./lib/live.mjs";

let account, viewer, browser;
before(async () => {
  account = freshAccount();
  viewer = person(account.slug, "viewer");
  browser = await browse();
});
after(async () => { await browser?.close(); });

describe("login", () => {
  test("a page asked for without a session comes after the login, with its query", async () => {
    const page = await open(browser);
    await page.goto(`${SITE}/admin/audit?kind=user.login`);
    assert.equal(new URL(page.url()).pathname, "/login");
    await page.fill("[name=email]", account.owner.email);
    await page.fill("[name=password]", account.owner.password);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/admin/audit?kind=user.login");
    assert.equal(await page.inputValue("[name=kind]"), "user.login");
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

  test("without JavaScript, too, and out again", async () => {
    const page = await open(browser, { javaScriptEnabled: false, reducedMotion: "reduce", viewport: { width: 360, height: 740 } });
    await signIn(page, account.owner);
    assert.equal(page.url(), `${SITE}/admin`);
    await page.click(".user-menu summary");
    await page.click("form[action='/logout'] button");
    assert.match(await page.innerText("main"), /signed out/);
    await page.goto(`${SITE}/admin`);
    assert.equal(new URL(page.url()).pathname, "/login");
    await page.context().close();
  });

  test("the root leads in", async () => {
    assert.equal((await new Client().send("/")).where, "/login");
    assert.equal((await (await signedIn(account.owner)).send("/")).where, "/admin");
    assert.equal((await (await signedIn(account.owner)).send("/login")).where, "/admin");
  });

  test("what is wrong is answered in the same words, and the form keeps the address but not the password", async () => {
    const client = new Client();
    const answers = [];
    for (const fields of [{ password: "not this one at all" }, { email: "nobody@pages.example" }, { account: "no-such-account" },
      { email: "not an address" }]) {
      const answer = await client.signIn(account.owner, fields);
      assert.equal(answer.status, 422);
      assert.ok(!answer.text.includes(account.owner.password));
      answers.push(/role="alert">([^<]*)</.exec(answer.text)[1]);
    }
    assert.equal(new Set(answers).size, 1, answers.join(" | "));
    const again = await client.signIn(account.owner, { password: "wrong once more" });
    assert.ok(again.text.includes(`value="${account.owner.email}"`));
  });

  test("after a slip of the keyboard one just types it again", async () => {
    const page = await open(browser);
    await signIn(page, { ...account.owner, password: "a slip of the keyboard" });
    await page.waitForSelector("[role=alert]");
    await page.fill("[name=password]", account.owner.password);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/admin");
    await page.context().close();
  });

  test("an address that belongs to two accounts says which", async () => {
    const email = account.owner.email;
    const other = freshAccount();
    const them = await signedIn(other.owner);
    assert.equal((await them.post("/admin/users", { email, name: "Twin", role: "admin", password: account.owner.password })).status, 303);
    const client = new Client();
    assert.equal((await client.signIn(account.owner)).status, 422);
    assert.equal((await client.signIn(account.owner, { account: other.slug })).status, 303);
    assert.match((await client.send("/admin/account")).text, /Twin/);
    assert.equal((await them.post(`/admin/users/${(await them.send("/admin/users?q=Twin")).text.match(/\/admin\/users\/([\w-]{36})/)[1]}/delete`)).status, 303);
  });

  test("the session is a new one at each login, and the cookie is closed to scripts and other sites", async () => {
    const client = new Client();
    const answer = await client.signIn(account.owner);
    const cookie = setCookies(answer.headers).find((c) => c.startsWith("loci_session="));
    assert.match(cookie, /; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    const first = client.jar.get("loci_session");
    const next = new Client();
    const csrf = csrfOf((await next.send("/login")).text);
    next.jar.set("loci_session", first);     // sent along: that session ends
    await next.send("/login", { method: "POST", form: { csrf_token: csrf, email: account.owner.email, password: account.owner.password } });
    assert.notEqual(next.jar.get("loci_session"), first);
    assert.equal((await next.send("/admin")).status, 200);
    assert.equal((await client.send("/admin")).status, 303);
  });

  test("it goes nowhere else afterwards", async () => {
    for (const next of ["//evil.example/x", "/\\evil.example", "https://evil.example/", "javascript:alert(1)", "\\\\evil.example",
      "/%0d%0aX-A: b", "admin", "/a\\b", "/\tx"]) {
      const client = new Client();
      assert.equal((await client.signIn(account.owner, { return_to: next })).where, next === "/%0d%0aX-A: b" ? "/%0d%0aX-A:%20b" : "/admin", next);
      assert.ok(!csrfOf((await new Client().send(`/login?next=${encodeURIComponent(next)}`)).text).includes("evil"));
    }
    const inside = new Client();
    assert.equal((await inside.signIn(account.owner, { return_to: "/admin/audit?kind=a b&q=ü" })).where, "/admin/audit?kind=a%20b&q=%C3%BC");
    assert.equal((await inside.send("/login?next=//evil.example")).where, "/admin");
  });

  test("its form does not work from another site or without its own cookie", async () => {
    const { email, password } = account.owner;
    const client = new Client();
    const csrf = csrfOf((await client.send("/login")).text);
    for (const [token, headers] of [["", {}], ["x".repeat(43), {}], [csrf, { "sec-fetch-site": "cross-site" }], [csrf, { "sec-fetch-site": "same-site" }]]) {
      const answer = await client.send("/login", { method: "POST", form: { csrf_token: token, email, password }, headers });
      assert.equal(answer.status, 403);
      assert.ok(!client.jar.has("loci_session"));
    }
    assert.equal((await new Client().send("/login", { method: "POST", form: { csrf_token: csrf, email, password } })).status, 403);
    assert.equal((await client.send("/login", { method: "POST", form: { csrf_token: csrf, email, password } })).status, 303);
  });

  test("a session that has ended says so", async () => {
    const client = await signedIn(account.owner);
    const other = await signedIn(account.owner);
    await other.post("/admin/account/sessions/end-others");
    const answer = await client.send("/admin/users");
    assert.equal(answer.where, "/login?why=ended&next=%2Fadmin%2Fusers");
    assert.match(words((await client.send(answer.where)).text), /session has ended/);
    assert.equal((await other.send("/admin/users")).status, 200);
  });
});

describe("a form without its CSRF token", () => {
  test("is refused with a page, and nothing is done", async () => {
    const client = await signedIn(account.owner);
    const foreign = await signedIn(account.owner);
    const theirs = csrfOf((await foreign.send("/admin/account")).text);
    const posts = [
      ["/admin/users", { email: "made@pages.example", name: "Made", role: "viewer", password: "a password for it" }],
      ["/admin/agents", { slug: "made", name: "Made", kind: "assistant", role: "agent" }],
      ["/admin/tokens", { name: "made", expires_in_days: "1" }],
      ["/admin/account", { name: "Another name" }],
      ["/logout", {}],
      ["/admin/theme", { theme: "dark" }],
    ];
    for (const [path, fields] of posts)
      for (const csrf of [null, "", "wrong", theirs]) {
        const answer = await client.post(path, fields, { csrf });
        assert.equal(answer.status, 403, `${path} with ${csrf}`);
        assert.match(answer.headers.get("content-type"), /^text\/html/);
        assert.match(words(answer.text), /nothing was changed/);
      }
    assert.match((await client.send("/admin/users?q=made%40pages")).text, /No matching users/);
    assert.match((await client.send("/admin/agents?q=made")).text, /No agents/);
    assert.ok(!/<strong>made<\/strong>/.test((await client.send("/admin/tokens")).text));
    assert.ok(!(await client.send("/admin/account")).text.includes("Another name"));
    assert.ok(!client.jar.has("loci_theme"));
  });

  test("is refused when it is no form at all", async () => {
    const client = await signedIn(account.owner);
    const json = await client.send("/admin/account", { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
    assert.equal(json.status, 415);
    assert.match(json.headers.get("content-type"), /^text\/html/);
    for (const [media, status] of [["application/x-www-form-urlencodedly", 415], ["multipart/form-data; boundary=x", 415], ["text/plain", 415], ["Application/X-WWW-Form-URLEncoded; charset=utf-8", 403]])
      assert.equal((await client.send("/admin/account", { method: "POST", body: "csrf_token=x", headers: { "content-type": media } })).status, status, media);
  });
});

describe("who may see what", () => {
  test("a viewer gets a 403 page where the permission is missing, and is not offered what would be refused", async () => {
    const page = await open(browser);
    await signIn(page, viewer);
    assert.equal(await page.locator("nav.side a[href='/admin/audit']").count(), 0);
    const answer = await page.goto(`${SITE}/admin/audit`);
    assert.equal(answer.status(), 403);
    assert.match(answer.headers()["content-type"], /^text\/html/);
    assert.match(await page.innerText("main"), /Access denied/);
    await page.goto(`${SITE}/admin/users`);
    assert.equal(await page.getByText("New user").count(), 0);
    await page.goto(`${SITE}/admin/agents/${account.agentId}`);
    assert.equal(await page.locator("main form[method=post]").count(), 0);
    await page.goto(`${SITE}/admin/settings`);
    assert.match(await page.innerText("main"), /operators only/);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

  test("posting anyway is refused, and nothing is done", async () => {
    const client = await signedIn(viewer);
    for (const [path, fields] of [
      ["/admin/users", { email: "v@pages.example", name: "V", role: "owner", password: "a password for it" }],
      [`/admin/users/${viewer.id}`, { name: "V", role: "owner", status: "active" }],
      [`/admin/agents/${account.agentId}/archive`, {}],
      ["/admin/teams", { slug: "v", name: "V" }],
      ["/admin/spaces", { kind: "context", slug: "v", name: "V" }],
    ]) assert.equal((await client.post(path, fields)).status, 403, path);
    assert.equal((await api("me", account.token)).status, 200);
    const owner = await signedIn(account.owner);
    assert.match((await owner.send("/admin/teams")).text, /No teams/);
    assert.match(words((await owner.send(`/admin/users/${viewer.id}`)).text), /Role viewer/);
    assert.match((await owner.send("/admin/audit?kind=access.refuse")).text, /refused/);
  });

  test("without admin.access there is no page but the door out", async () => {
    const owner = await signedIn(account.owner);
    const csrf = csrfOf((await owner.send("/admin/account")).text);
    const role = await owner.send("/api/v1/roles", { method: "POST", headers: { "content-type": "application/json", "x-csrf-token": csrf },
      body: JSON.stringify({ name: "outsider", description: "reads over the API", permissions: ["memory.read"] }) });
    assert.equal(role.status, 201, role.text);
    const outsider = person(account.slug, "outsider");
    const client = await signedIn(outsider);
    for (const path of ["/admin", "/admin/account", "/admin/tokens", "/admin/jobs"]) assert.equal((await client.send(path)).status, 403, path);
    const page = await open(browser);
    await signIn(page, outsider);
    assert.match(await page.innerText("main"), /Access denied/);
    await page.click(".user-menu summary");
    await page.click("form[action='/logout'] button");
    await page.waitForURL("**/login?why=out");
    await page.context().close();
  });

  test("another account's things are not there", async () => {
    const other = freshAccount();
    const client = await signedIn(other.owner);
    for (const path of [`/admin/users/${viewer.id}`, `/admin/agents/${account.agentId}`, "/admin/teams/01890000-0000-7000-8000-00000000dead",
      "/admin/spaces/01890000-0000-7000-8000-00000000dead", "/admin/users/not-an-id"]) {
      const answer = await client.send(path);
      assert.equal(answer.status, 404, path);
      assert.match(answer.headers.get("content-type"), /^text\/html/);
    }
  });
});

describe("what cannot be served is a page", () => {
  test("not found, wrong method, bad query, too large", async () => {
    const client = await signedIn(account.owner);
    const csrf = csrfOf((await client.send("/admin/account")).text);
    for (const [path, options, status] of [
      ["/admin/nowhere", {}, 404],
      ["/admin/account/password", {}, 405],
      ["/admin/users?q=%ff", {}, 400],
      ["/admin/users?cursor=nonsense", {}, 422],
      ["/admin/account", { method: "POST", form: { csrf_token: csrf, name: "x".repeat(70000) } }, 413],
    ]) {
      const answer = await client.send(path, options);
      assert.equal(answer.status, status, path);
      assert.match(answer.headers.get("content-type"), /^text\/html/, path);
      assert.ok(words(answer.text).includes(String(status)), path);
    }
    assert.equal((await client.send("/admin/account/password")).headers.get("allow"), "POST");
    assert.equal((await new Client().send("/admin/nowhere")).where, "/login?next=%2Fadmin%2Fnowhere");
  });

  test("every page has its headers", async () => {
    const client = await signedIn(account.owner);
    for (const path of ["/admin", "/admin/nowhere", "/login"]) {
      const { headers } = await (path === "/login" ? new Client() : client).send(path);
      const csp = headers.get("content-security-policy");
      for (const part of ["default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]) assert.ok(csp.includes(part), part);
      assert.ok(!/unsafe|https?:|\*/.test(csp), csp);
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("referrer-policy"), "same-origin");
    }
  });
});
