// The page Memory of a running installation: contexts and entries are made, found, changed, brought back, put away and taken
// back by forms alone; what is refused is shown again as it was typed, and looking counts as nobody's use.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SITE, api, browse, freshAccount, open, person, signedIn, words } from "./lib/live.mjs";
import { sessionOf } from "./lib/tour.mjs";

let account, owner, context;
before(async () => {
  account = freshAccount();
  owner = await signedIn(account.owner);
  context = (await owner.post("/admin/memory", { name: "Harbour", context_type: "shared_context", scope: "account", agent_id: "", team_id: "", description: "What the port knows" })).where;
  await write("ferry", "The ferry leaves at seven.", { tags: "times, ferry" });
});

const write = async (entry_key, content, more = {}) => {
  const answer = await owner.post(`${context}/entries`, { entry_key, entry_type: "observation", format: "text", tags: "", content, ...more });
  assert.equal(answer.status, 303, words(answer.text));
};
const see = async (path) => (await owner.send(path)).text;
const section = (html, label) => words(new RegExp(`<section[^>]*aria-label="${label}"[^]*?</section>`).exec(html)?.[0] ?? "");
const entryAt = async (key, query = "") => new RegExp(`href="([^"]+)">${key}<`).exec(await see(context + query))?.[1];
const said = async (at) => section(await see(at), "What it says");
const versionOf = (html) => /name="if_version" value="(\d+)"/.exec(html)[1];

describe("contexts", () => {
  test("are listed with filters, and say who has access in words", async () => {
    await owner.post("/admin/memory", { name: "Cache", context_type: "tool_cache", scope: "account", agent_id: "", team_id: "" });
    const all = section(await see("/admin/memory"), "Contexts");
    assert.match(all, /Harbour[^]*shared_context[^]*account/);
    assert.doesNotMatch(section(await see("/admin/memory?type=tool_cache"), "Contexts"), /Harbour/);
    assert.doesNotMatch(section(await see("/admin/memory?q=harb"), "Contexts"), /Cache/);
    assert.match(words(await see(context)), /Who has access its owner may manage; 1 user may manage; everyone in the account may read/);
  });

  test("a form that cannot be is shown again with what was typed and what is wrong", async () => {
    const answer = await owner.post("/admin/memory", { name: "Of <nobody>", context_type: "agent_memory", scope: "agent", agent_id: "", team_id: "" });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /value="Of &lt;nobody&gt;"/);
    assert.match(answer.text, /<span class="error">/);
    assert.match(answer.text, /<details class="new" open>/);
  });

  test("are changed, archived and brought back, deleted and taken back", async () => {
    const at = (await owner.post("/admin/memory", { name: "Old", context_type: "project_context", scope: "account", agent_id: "", team_id: "" })).where;
    const version = versionOf(await see(at));
    assert.equal((await owner.post(at, { name: "Older", description: "", if_version: version })).status, 303);
    assert.equal((await owner.post(at, { name: "Late", description: "", if_version: version })).status, 412);
    assert.match(await see(at), /<h1>Older<\/h1>/);
    assert.equal((await owner.post(`${at}/archive`)).status, 303);
    const archived = await see(at);
    assert.match(archived, new RegExp(`class="flash ok undo"[^]*action="${at}/unarchive"|action="${at}/unarchive" class="flash ok undo"`));
    assert.doesNotMatch(await see(at), /flash ok undo/, "undo is offered once");
    assert.doesNotMatch(section(await see("/admin/memory"), "Contexts"), /Older/);
    assert.match(section(await see("/admin/memory?archived=1"), "Contexts"), /Older[^]*archived/);
    await owner.post(`${at}/unarchive`);
    assert.match(section(await see("/admin/memory"), "Contexts"), /Older/);
    assert.equal((await owner.post(`${at}/delete`, { confirm: "no" })).status, 422);
    const handle = /Type <code>([^<]+)</.exec(await see(at))[1];
    assert.equal((await owner.post(`${at}/delete`, { confirm: handle })).where, "/admin/memory");
    const undo = /action="([^"]+\/undelete)"/.exec(await see("/admin/memory"))[1];
    assert.equal((await owner.send(at)).status, 404);
    await owner.post(undo);
    assert.equal((await owner.send(at)).status, 200);
  });

  test("snapshots are taken, restored and deleted", async () => {
    await write("tide", "High at noon.");
    await owner.post(`${context}/snapshots`, { snapshot: "before the storm" });
    await write("tide", "Nobody knows.");
    const restore = new RegExp(`action="([^"]+/restore)"`).exec(await see(context))[1];
    await owner.post(restore);
    assert.match(await said(await entryAt("tide")), /High at noon/);
    assert.match(section(await see(context), "Snapshots"), /before-restore taken by itself/);
    for (const [, gone] of (await see(context)).matchAll(/action="([^"]+\/snapshots\/[^"]+\/delete)"/g)) await owner.post(gone);
    assert.match(section(await see(context), "Snapshots"), /None yet/);
    assert.equal((await owner.post(`${context}/snapshots`, { snapshot: "" })).status, 422);
  });
});

describe("entries", () => {
  test("are listed by key, tag and type, and found by words", async () => {
    await write("bread", "The bakery opens at six.");
    const list = async (query) => section(await see(`${context}?${query}`), "Entries");
    assert.match(await list("prefix=fer"), /ferry/);
    assert.doesNotMatch(await list("prefix=fer"), /bread/);
    assert.doesNotMatch(await list("tag=times"), /bread/);
    assert.match(await list("entry_type=decision"), /No entries here/);
    for (const at of [context, "/admin/memory"]) {
      assert.match(section(await see(`${at}?find=bakery&how=keyword`), "Found"), /1 entry found[^]*bread/);
      assert.match(section(await see(`${at}?find=zeppelin&how=keyword`), "Found"), /Nothing fits/);
    }
  });

  test("looking and searching count as nobody's use", async () => {
    await write("quiet", "Nobody has read the zinc ledger.");
    const at = await entryAt("quiet");
    for (let i = 0; i < 3; i++) {
      await see(at);
      await see(`${context}?find=zinc&how=keyword`);
    }
    const id = context.split("/").pop();
    const uses = async () => (await api(`ai/contexts/${id}/entries?prefix=quiet`, account.token)).data[0].access_count;
    await api(`ai/contexts/${id}/entries/quiet`, account.token);      // this one does, and what was before it is counted with it
    while (!await uses());
    assert.equal(await uses(), 1);
  });

  test("other content is a version, and what it said before can be brought back", async () => {
    await write("pilot", "Anna");
    const at = await entryAt("pilot");
    const form = { content: "Bertil <b>", format: "text", tags: "crew", if_version: versionOf(await see(at)) };
    assert.equal((await owner.post(at, form)).status, 303);
    assert.match(await said(at), /Bertil &lt;b&gt;[^]*version 2[^]*crew/);
    assert.match(section(await see(at), "What it said before"), /version 1[^]*Anna/);
    const late = await owner.post(at, { ...form, content: "Cecilia" });
    assert.equal(late.status, 412, "somebody was faster");
    assert.match(late.text, />Cecilia<\/textarea>/);
    assert.match(section(late.text, "What it says"), /Bertil/);
    await owner.post(`${at}/revert`, { version: "1", if_version: versionOf(late.text) });
    assert.match(await said(at), /Anna[^]*version 3/);
  });

  test("what is meant as JSON must be JSON, and a text stays text", async () => {
    const at = await (await write("berths", "42"), entryAt("berths"));
    const content = async () => (await api(`ai/contexts/${context.split("/").pop()}/entries/berths`, account.token)).data.content;
    assert.equal(await content(), "42");
    const wrong = await owner.post(at, { content: "{free: 3}", format: "json", tags: "" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /this is no JSON|This is no JSON/);
    assert.match(wrong.text, />\{free: 3\}<\/textarea>/);
    await owner.post(at, { content: '{"free":3}', format: "json", tags: "" });
    assert.deepEqual(await content(), { free: 3 });
    assert.match(await see(at), /<option value="json" selected>/);
  });

  test("a fact is led to under its new id", async () => {
    await write("capital", "Kirkness", { entry_type: "fact" });
    const at = await entryAt("capital");
    const moved = await owner.post(at, { content: "Vardo", format: "text", tags: "", if_version: versionOf(await see(at)) });
    assert.equal(moved.status, 303);
    assert.match(await said(moved.where), /Vardo/);
    assert.match(section(await see(moved.where), "What it said before"), /Kirkness/);
  });

  test("are pinned, made more and less important, archived from the list, forgotten, and each is taken back", async () => {
    await write("gull", "Gulls steal bread.");
    const at = await entryAt("gull");
    const importance = async () => /Importance ([\d.]+)/.exec(words(await see(at)))[1];
    await owner.post(`${at}/boost`);
    assert.equal(await importance(), "0.60");
    await owner.post(`${at}/reduce`);
    assert.equal(await importance(), "0.50");
    await owner.post(`${at}/pin`, { is_pinned: "true" });
    assert.match(await said(at), /pinned[^]*Unpin/);
    assert.equal((await owner.post(`${at}/archive`, { from: "list" })).where, context);
    const undo = /action="([^"]+\/unarchive)" class="flash ok undo"/.exec(await see(context))[1];
    assert.equal(await entryAt("gull"), undefined);
    assert.ok(await entryAt("gull", "?archived=1"));
    assert.match(words(await see(at)), /This entry is archived/);
    await owner.post(undo);
    assert.equal(await entryAt("gull"), at);
    await owner.post(`${at}/forget`);
    const back = /action="([^"]+\/unarchive)" class="flash ok undo"/.exec(await see(context))[1];
    assert.equal((await owner.send(at)).status, 404);
    await owner.post(back);
    assert.equal(await entryAt("gull"), at);
  });
});

test("who read and changed it stands in the log, for who manages the context, and of one entry alone", async () => {
  await write("mast", "oak");
  const at = await entryAt("mast");
  await owner.post(at, { content: "pine", format: "text", tags: "", if_version: versionOf(await see(at)) });
  await api(`ai/contexts/${context.split("/").pop()}/entries/mast`, account.token);
  const log = async (query) => section(await see(`${context}/log?${query}`), "Accesses");
  assert.match(await log("action=write"), /write The owner user[^]*oak/);
  assert.match(await log("action=update"), /update The owner user[^]*oak[^]*pine/);
  const own = /href="([^"]+\/log\?entry=[^"]+)"/.exec(await see(at))[1];
  while (!/read Helper agent/.test(section(await see(own), "Accesses")));
  assert.doesNotMatch(section(await see(own), "Accesses"), /the context/);
  assert.match(await log("end=refused&action=merge"), /Nothing here/);
  const viewer = await signedIn(person(account.slug, "viewer"));
  assert.doesNotMatch((await viewer.send(context)).text, /\/log"/);
  assert.ok([403, 404].includes((await viewer.send(`${context}/log`)).status));
  assert.equal((await (await signedIn(freshAccount().owner)).send(`${context}/log`)).status, 404);
});

test("what an agent keeps for hours is seen without using it, kept longer and forgotten", async () => {
  const at = `/admin/agents/${account.agentId}/memory`, path = `ai/agents/${account.agentId}`;
  const put = (key, more) => fetch(`${SITE}/api/v1/${path}/tiered_memory`, { method: "POST", headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" }, body: JSON.stringify({ tier: "short_term", key, value: `of ${key}`, ...more }) });
  for (const [key, more] of [["plan", {}], ["aside", { session_id: "night" }]]) assert.ok((await put(key, more)).ok);
  const rows = async (query = "") => section(await see(at + query), "Short-term memory");
  const inApi = async () => (await api(`${path}/short_term`, account.token)).data;
  assert.match(await rows(), /aside session night of aside[^]*plan of plan[^]*in (59 min|1 h|60 min)/);
  assert.ok((await put("task_state", { tier: "working", value: { step: 3 }, session_id: "day" })).ok);
  assert.match(section(await see(at), "Working memory"), /task_state s:day {&quot;step&quot;:3}[^]*in (1 h|2 h|1 h 59 min|119 min)/);
  assert.doesNotMatch(await rows("?session=night"), /plan/);
  assert.doesNotMatch(await rows("?q=pl"), /aside/);
  assert.match(await rows("?type=reflection"), /Nothing in short-term memory/);
  const [, refresh] = /action="([^"]+\/refresh)"/.exec(await see(`${at}?q=plan`));
  const before = (await inApi()).find((r) => r.memory_key === "plan");
  assert.equal((await owner.post(refresh)).where, at);
  const after = (await inApi()).find((r) => r.memory_key === "plan");
  assert.ok(after.expires_at > before.expires_at);
  assert.equal(after.access_count, 0);
  await owner.post(`${at}/forget`, { key: "aside", session_id: "night" });
  assert.deepEqual((await inApi()).map((r) => r.memory_key), ["plan"]);
  const stranger = await signedIn(freshAccount().owner), viewer = await signedIn(person(account.slug, "viewer"));
  assert.equal((await stranger.send(at)).status, 404);
  for (const who of [stranger, viewer]) assert.ok([403, 404].includes((await who.post(`${at}/forget`, { key: "plan", session_id: "default" })).status));
  assert.equal((await inApi()).length, 1);
});

test("without rights nothing is offered and nothing done; without the token nothing either", async () => {
  const viewer = await signedIn(person(account.slug, "viewer"));
  const at = await entryAt("ferry");
  const seen = await viewer.send(context);
  if (seen.status === 200) assert.doesNotMatch(seen.text, /New entry|Take a snapshot|\/archive"/);
  const stranger = await signedIn(freshAccount().owner);
  for (const path of [context, at]) assert.equal((await stranger.send(path)).status, 404);
  for (const [path, form] of [[at, { content: "mine", format: "text", tags: "" }], [`${at}/forget`, {}], [`${context}/archive`, {}], [`${context}/entries`, { content: "x", format: "text" }]]) {
    assert.equal((await stranger.post(path, form)).status, 404, path);
    assert.ok([403, 404].includes((await viewer.post(path, form, { from: "/admin/account" })).status), path);
    assert.equal((await owner.post(path, form, { csrf: null })).status, 403, path);
  }
  assert.match(await said(at), /leaves at seven/);
});

test("in the browser without JavaScript: an entry is written, archived and taken back", async () => {
  const browser = await browse();
  const page = await open(browser, { javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
  await page.context().addCookies(sessionOf(owner));
  await page.goto(SITE + context);
  await page.click("details.new > summary");
  await page.fill("[name=entry_key]", "lamp");
  await page.fill("[name=content]", "Two lines\nof light");
  await page.click("details.new form button");
  await page.waitForSelector(".flash.ok");
  await page.click("a:text-is('lamp')");
  assert.match(await page.innerText(".hit-body"), /Two lines\nof light/);
  await page.click("button:has-text('Archive')");
  await page.click(".undo button");
  await page.waitForSelector(".flash.ok:has-text('back under its key')");
  assert.deepEqual([page.faults, page.strangers], [[], []]);
  await browser.close();
});
