// Jobs on their pages: run and try by hand, pause and resume for everybody or for one account, and who may.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, api, browse, deadLetter, freshAccount, open, person, signedIn, signIn, words } from "./lib/live.mjs";

let account, owner, viewer, operator, browser;
before(async () => {
  account = freshAccount();
  operator = account.owner;
  owner = person(account.slug, "owner");
  viewer = person(account.slug, "viewer");
  browser = await browse();
});
after(async () => { await browser?.close(); });

test("an operator tries a job: the run's page follows it to its end", async () => {
  const page = await open(browser, { viewport: { width: 1280, height: 900 } });
  await signIn(page, operator, "/login?next=/admin/jobs/retention");
  await page.click("button:has-text('Dry run')");
  await page.waitForURL("**/admin/jobs/runs/*-*");
  assert.match(await page.innerText("main"), /nothing was changed/);
  await page.waitForSelector("#run:not([data-hx-get]) .badge.ok");
  assert.match(await page.innerText("dl.facts"), new RegExp(`manual, ${operator.email}`));
  await page.goto(`${SITE}/admin/jobs/runs?job=retention&trigger=manual`);
  assert.match(await page.innerText("#runs"), /dry run/);
  await page.goto(`${SITE}/admin/jobs/retention`);
  assert.match(await page.innerText("#strip-words"), /\d+ succeeded/);
  await page.locator(".marks a.ok").last().click();
  await page.waitForURL("**/admin/jobs/runs/*-*");
  assert.equal(await page.innerText("h1"), "Run of retention");
  await page.goto(`${SITE}/admin/jobs`);
  assert.match(await page.locator("tr:has(a:text-is('retention')) .strip").getAttribute("aria-label"), /^Last/);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("an account switches a job off for itself, not for others", async () => {
  const client = await signedIn(owner), all = await signedIn(operator);
  const empty = await client.post("/admin/jobs/retention/pause", { reason: " " });
  assert.equal(empty.status, 422);
  assert.match(empty.text, /aria-invalid="true"/);
  assert.equal((await client.post("/admin/jobs/retention/pause", { reason: "while we <look>" })).where, "/admin/jobs/retention");
  assert.match(words((await client.send("/admin/jobs/retention")).text), /off for this account.*while we &lt;look&gt;/);
  assert.match(words((await client.send("/admin/jobs")).text), /off for this account while we/);
  const other = await signedIn(freshAccount().owner);
  assert.ok(!words((await other.send("/admin/jobs/retention")).text).includes("off for this account"));
  assert.equal((await client.post("/admin/jobs/retention/resume")).status, 303);
  assert.ok(!words((await client.send("/admin/jobs/retention")).text).includes("off for this account"));
  assert.equal((await all.send("/admin/jobs")).status, 200);
});

test("an operator sets a job for everybody, an account its own numbers; what cannot be is said beside the field", async () => {
  const at = "/admin/jobs/learning_decay", all = await signedIn(operator), client = await signedIn(owner);
  const version = async () => /name="if_version" value="(\d+)"/.exec((await all.send(at)).text)[1];
  const first = await version(), form = { schedule: "45 3 * * *", catchup: "once", overlap: "skip", time_box_s: "3600" };
  const shown = await all.post(`${at}/preview`, { ...form, schedule: "30 4 * * *", if_version: first });
  assert.equal(shown.status, 200);
  assert.match(words(shown.text), /Next: (today|tomorrow) 04:30, (tomorrow|\d+ \w+ \d{4}) 04:30, .*UTC; not saved yet/);
  assert.match(shown.text, /name="schedule" value="30 4 \* \* \*"/);
  assert.equal(await version(), first, "nothing is changed");
  assert.equal((await all.post(`${at}/preview`, { ...form, schedule: "61 3 * * *", if_version: first })).status, 422);
  assert.match(words((await all.send(at)).text), /Next: (today|tomorrow) 03:45, .*UTC/);
  const wrong = await all.post(`${at}/settings`, { ...form, schedule: "61 3 * * *", if_version: first });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /value="61 3 \* \* \*"[^>]*aria-invalid="true"/);
  assert.match(words(wrong.text), /Character 1/);
  try {
    assert.equal((await all.post(`${at}/settings`, { ...form, schedule: "15 5 * * *", if_version: first })).where, at);
    assert.match(words((await all.send(at)).text), /every day at 05:15 UTC/);
    assert.equal((await all.post(`${at}/settings`, { ...form, schedule: "0 6 * * *", if_version: first })).status, 412, "made from an older state");
  } finally {
    assert.equal((await all.post(`${at}/settings`, { ...form, if_version: await version() })).where, at);
  }
  assert.equal((await client.post(`${at}/settings`, { ...form, if_version: await version() })).status, 403);
  const own = /action="(\/admin\/jobs\/[\w]+\/own)"/, names = [...(await client.send("/admin/jobs")).text.matchAll(/href="(\/admin\/jobs\/[a-z_]+)"/g)].map(([, href]) => href);
  let tuned = 0;
  for (const href of new Set(names)) {
    const { text } = await client.send(href), action = own.exec(text)?.[1];
    if (!action) continue;
    const [, inside] = /action="[^"]*\/own"([^]*?)<\/form>/.exec(text), [, name, value] = /<input type="text" name="(\w+)" value="([^"]*)"/.exec(inside);
    assert.equal((await client.post(action, { [name]: "a lot" })).status, 422, `${href} ${name}`);
    assert.equal((await client.post(action, { [name]: value })).where, href);
    tuned++;
  }
  assert.ok(tuned > 0, "no job has numbers of its own");
});

test("the queue leads to its tasks, and a task says what became of it", async () => {
  const page = await open(browser, { viewport: { width: 1280, height: 900 } });
  await signIn(page, operator, "/login?next=/admin/tokens");
  const csrf = await page.getAttribute("main input[name=csrf_token]", "value");
  await page.request.post(`${SITE}/api/v1/exports`, { headers: { "x-csrf-token": csrf }, data: {} });
  await page.goto(`${SITE}/admin/queue/tasks?kind=export`);
  await page.locator("td a:text-is('export')").first().click();
  await page.waitForURL("**/admin/tasks/*-*");
  await page.waitForSelector("#task .badge.ok:text-is('done')");
  assert.match(await page.innerText("dl.facts >> nth=0"), /Attempts\s+1 of 5/);
  assert.equal(await page.locator("main form[action$='/retry']").count(), 0);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("what cannot be paused says so", async () => {
  const client = await signedIn(operator);
  assert.ok(!(await client.send("/admin/jobs/queue_janitor")).text.includes("Reason for the pause"));
  const answer = await client.post("/admin/jobs/queue_janitor/pause", { reason: "no" });
  assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status}`);
  assert.match(answer.text, /class="flash bad"|class="oops"/);
  assert.equal((await client.send("/admin/jobs/no_such_job")).status, 404);
  assert.equal((await client.post("/admin/jobs/no_such_job/run")).status, 404);
  assert.equal((await client.send("/admin/jobs/runs/01890000-0000-7000-8000-00000000dead")).status, 404);
});

test("who may: operators all, an account its part, a viewer looks", async () => {
  const client = await signedIn(owner), looking = await signedIn(viewer);
  assert.equal((await client.send("/admin/schedulers")).status, 403);
  assert.ok(!(await client.send("/admin/jobs")).text.includes("/admin/schedulers"));
  assert.equal((await client.send("/admin/queue")).status, 200);
  const { text } = await looking.send("/admin/jobs");
  assert.ok(!text.includes("Run now") && !text.includes("/admin/queue"));
  assert.ok(!(await looking.send("/admin/jobs/retention")).text.includes("Reason for the pause"));
  for (const path of ["/admin/jobs/retention/run", "/admin/jobs/retention/pause", "/admin/tasks/retry"])
    assert.equal((await looking.post(path, { reason: "x", kind: "slice" })).status, 403, path);
  for (const path of ["/admin/queue", "/admin/queue/dead", "/admin/schedulers"]) assert.equal((await looking.send(path)).status, 403, path);
});

test("dead letters are read, tried again and put aside, one by one and all of a kind", async () => {
  const account_id = (await api("me", account.token)).data.account_id, kind = "nobody_does_this";
  const [one, two, three] = [1, 2, 3].map(() => deadLetter(account_id, kind));
  const client = await signedIn(owner), page = words((await client.send(`/admin/tasks/${one}`)).text);
  assert.match(page, /no &lt;luck&gt;.*Attempts 3 of 3.*Retry.*timed out/);
  assert.match((await client.send(`/admin/tasks/${one}`)).text, new RegExp(`href="/admin/nodes/${one}"`));
  assert.equal((await (await signedIn(freshAccount().owner)).send(`/admin/tasks/${one}`)).status, 200, "an operator sees all accounts'");
  assert.equal((await (await signedIn(person(freshAccount().slug, "owner"))).send(`/admin/tasks/${one}`)).status, 404, "others see none");
  assert.equal((await client.post(`/admin/tasks/${one}/retry`)).where, "/admin/queue/dead");
  assert.equal((await client.post(`/admin/tasks/${two}/discard`, { reason: "" })).status, 422);
  assert.equal((await client.post(`/admin/tasks/${two}/discard`, { reason: "of no use" })).where, "/admin/queue/dead");
  const left = (await client.send(`/admin/queue/dead?kind=${kind}`)).text;
  assert.ok(!left.includes(one) && !left.includes(two) && left.includes(three) && left.includes(`Discard all of ${kind}`));
  assert.equal((await client.post("/admin/tasks/discard", { kind, reason: "" })).status, 422);
  assert.equal((await client.post("/admin/tasks/discard", { kind, reason: "all of no use" })).where, "/admin/queue/dead");
  assert.ok(!(await client.send(`/admin/queue/dead?kind=${kind}`)).text.includes(three));
  assert.match(words((await client.send(`/admin/queue/tasks?kind=${kind}&status=cancelled`)).text), /nobody_does_this .*cancelled/);
});

test("a dead letter that is not there cannot be tried again", async () => {
  const client = await signedIn(operator);
  assert.equal((await client.post("/admin/tasks/01890000-0000-7000-8000-00000000dead/retry")).status, 404);
  assert.equal((await client.post("/admin/tasks/01890000-0000-7000-8000-00000000dead/discard", {})).status, 422);
  assert.equal((await client.post("/admin/tasks/retry", { kind: "slice" })).where, "/admin/queue/dead");
});
