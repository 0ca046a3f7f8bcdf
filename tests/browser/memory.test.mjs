// The page Memory of a running installation: contexts and entries are made, found, changed, brought back, put away and taken
// back by forms alone; what is refused is shown again as it was typed, and looking counts as nobody's use.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SITE, api, browse, freshAccount, open, person, signedIn, words, settled } from "./lib/live.mjs";
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
const said = async (at) => section(await see(at), "Content");
const versionOf = (html) => /name="if_version" value="(\d+)"/.exec(html)[1];

describe("contexts", () => {
  test("are listed with filters, and say who has access in words", async () => {
    await owner.post("/admin/memory", { name: "Cache", context_type: "tool_cache", scope: "account", agent_id: "", team_id: "" });
    const all = section(await see("/admin/memory"), "Contexts");
    assert.match(all, /Harbour[^]*shared_context[^]*account/);
    assert.doesNotMatch(section(await see("/admin/memory?type=tool_cache"), "Contexts"), /Harbour/);
    assert.doesNotMatch(section(await see("/admin/memory?q=harb"), "Contexts"), /Cache/);
    assert.match(section(await see(`${context}/access`), "Access"), /its owner may manage; 1 user may manage; everyone in the account may read/);
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
    const version = versionOf(await see(`${at}/settings`));
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
    const handle = /Type <code>([^<]+)</.exec(await see(`${at}/settings`))[1];
    assert.equal((await owner.post(`${at}/delete`, { confirm: handle })).where, "/admin/memory");
    const undo = /action="([^"]+\/undelete)"/.exec(await see("/admin/memory"))[1];
    assert.equal((await owner.send(at)).status, 404);
    await owner.post(undo);
    assert.equal((await owner.send(at)).status, 200);
  });

  test("what archiving and deleting one does is said before it is done", async () => {
    const at = (await owner.post("/admin/memory", { name: "Doomed", context_type: "project_context", scope: "account", agent_id: "", team_id: "" })).where;
    const put = (entry_key, content) => owner.post(`${at}/entries`, { entry_key, entry_type: "observation", format: "text", tags: "", content });
    for (const text of ["one", "two", "three"]) await put("a", text);
    await put("b", "x");
    await owner.post(`${at}/snapshots`, { snapshot: "kept" });
    await owner.post(`${/href="([^"]+)">b</.exec(await see(at))[1]}/archive`);
    const away = section(await see(`${at}/settings`), "Danger zone");
    assert.match(away, /Archive 1 entry will be left out of recall and lists[^]*Archived entries \(1\), 2 old versions, 1 snapshot and access/);
    assert.match(away, /This also deletes: 1 entry and 1 archived, [^]* 2 old versions 1 snapshot 2 grants/);
    assert.match(section(await see(`${at}/settings`), "Limits"), /Entries 1 of 200,000[^]*least relevant entries are archived to make room/);
  });

  test("snapshots are taken, compared, restored and deleted", async () => {
    const at = (await owner.post("/admin/memory", { name: "Kept", context_type: "project_context", scope: "account", agent_id: "", team_id: "" })).where;
    const put = async (entry_key, content, more = {}) => assert.equal((await owner.post(`${at}/entries`, { entry_key, entry_type: "observation", format: "text", tags: "", content, ...more })).status, 303);
    const place = async (key, query = "") => new RegExp(`href="([^"]+)">${key}<`).exec(await see(at + query))[1];
    for (const [key, text, more] of [["tide", "High at noon."], ["port", "Kirkness", { entry_type: "fact" }], ["gull", "Steals bread."], ["calm", "As it was."]]) await put(key, text, more);
    assert.match(section(await see(`${at}/snapshots`), "Snapshots"), /No snapshots yet/);
    assert.equal((await owner.post(`${at}/snapshots`, { snapshot: "before the storm" })).where, `${at}/snapshots`);
    await put("tide", "Nobody knows.");
    await put("port", "Vardo", { entry_type: "fact" });
    await put("buoy", "Adrift.");
    await owner.post(`${await place("gull")}/archive`);
    const one = /href="([^"]+\/snapshots\/[^"]+)"/.exec(await see(`${at}/snapshots`))[1], page = await see(one);
    assert.match(words(page), /2 would be reset 1 would be restored 1 are newer and would be removed 1 are unchanged 0 cannot be restored/);
    assert.match(section(page, "Differences"), /buoy did not exist Adrift. would be removed gull Steals bread. does not exist would be restored port Kirkness Vardo[^]*would be reset tide High at noon. Nobody knows./);
    assert.doesNotMatch(section(page, "Differences"), /calm/);
    assert.equal((await owner.post(`${one}/restore`)).where, `${at}/snapshots`);
    assert.match(section(await see(one), "Differences"), /No differences/);
    assert.match(await said(await place("tide")), /High at noon/);
    assert.match(section(await see(`${at}/snapshots`), "Snapshots"), /before-restore automatic/);
    for (const [, gone] of (await see(`${at}/snapshots`)).matchAll(/href="([^"]+\/snapshots\/[^"]+)"/g)) await owner.post(`${gone}/delete`);
    assert.match(section(await see(`${at}/snapshots`), "Snapshots"), /No snapshots yet/);
    assert.equal((await owner.send(one)).status, 404);
    assert.equal((await owner.post(`${at}/snapshots`, { snapshot: "" })).status, 422);
  });

  test("are shared by grants, and taken back", async () => {
    const access = `${context}/access`;
    assert.equal((await owner.post(`${access}/grants`, { grantee: "role:viewer", level: "write", expires_in_days: "7" })).where, access);
    const row = /<tr>(?:(?!<\/tr>)[^])*viewer(?:(?!<\/tr>)[^])*<\/tr>/.exec(await see(access))[0];
    assert.match(words(row), /viewer role write The owner/);
    await owner.post(/action="([^"]+\/remove)"/.exec(row)[1]);
    assert.doesNotMatch(section(await see(access), "Grants"), /viewer/);
    assert.equal((await owner.post(`${access}/grants`, { grantee: "", level: "read", expires_in_days: "0" })).status, 422);
  });
});

describe("the first page", () => {
  test("says how much each tier holds, and leads to nodes by kind, working memory, spaces and junk", async () => {
    const page = await see("/admin/memory"), tiers = section(page, "Tiers");
    assert.match(tiers, /Working \d[^]*Short-term \d[^]*Long-term [1-9]\d*[^]*Shared \d/);
    assert.match(section(page, "Nodes by kind"), /entry \d+/);
    for (const href of ["/admin/memory/working", "/admin/pools", "/admin/spaces/tree", "/admin/junk", "/admin/nodes?kind=entry"]) assert.ok(page.replaceAll("&#x3D;", "=").includes(`href="${href}"`), href);
    const viewer = (await (await signedIn(person(account.slug, "viewer"))).send("/admin/memory")).text;
    assert.doesNotMatch(viewer, /href="\/admin\/junk"/);
    assert.doesNotMatch(section(viewer, "Tiers"), /\d/, "how much the whole account holds is for who manages memory");
  });

  test("agents are chosen to look at what they have in mind", async () => {
    const agents = section(await see("/admin/memory/working"), "Agents");
    assert.match(agents, /Helper/);
    assert.ok((await see("/admin/memory/working?q=help")).includes(`/admin/agents/${account.agentId}/memory`));
    assert.match(section(await see("/admin/memory/working?q=nobody"), "Agents"), /No agents/);
  });
});

describe("entries", () => {
  test("are listed by key, tag and type, and found by words", async () => {
    await write("bread", "The bakery opens at six.");
    const list = async (query) => section(await see(`${context}?${query}`), "Entries");
    assert.match(await list("prefix=fer"), /ferry/);
    assert.doesNotMatch(await list("prefix=fer"), /bread/);
    assert.doesNotMatch(await list("tag=times"), /bread/);
    assert.match(await list("entry_type=decision"), /No entries/);
    for (const at of [context, "/admin/memory"]) {
      assert.match(section(await see(`${at}?find=bakery&how=keyword`), "Found"), /1 entry found[^]*bread/);
      assert.match(section(await see(`${at}?find=zeppelin&how=keyword`), "Found"), /No hits/);
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
    await settled(account, "uses");
    assert.equal(await uses(), 1);
  });

  test("other content is a version, and what it said before can be brought back", async () => {
    await write("pilot", "Anna");
    const at = await entryAt("pilot");
    const form = { content: "Bertil <b>", format: "text", tags: "crew", if_version: versionOf(await see(at)) };
    assert.equal((await owner.post(at, form)).status, 303);
    assert.match(await said(at), /Bertil &lt;b&gt;[^]*version 2[^]*crew/);
    assert.match(section(await see(at), "Version history"), /version 1[^]*Anna/);
    const late = await owner.post(at, { ...form, content: "Cecilia" });
    assert.equal(late.status, 412, "somebody was faster");
    assert.match(late.text, />Cecilia<\/textarea>/);
    assert.match(section(late.text, "Content"), /Bertil/);
    await owner.post(`${at}/revert`, { version: "1", if_version: versionOf(late.text) });
    assert.match(await said(at), /Anna[^]*version 3/);
  });

  test("what is meant as JSON must be JSON, and a text stays text", async () => {
    const at = await (await write("berths", "42"), entryAt("berths"));
    const content = async () => (await api(`ai/contexts/${context.split("/").pop()}/entries/berths`, account.token)).data.content;
    assert.equal(await content(), "42");
    const wrong = await owner.post(at, { content: "{free: 3}", format: "json", tags: "" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /not JSON|Not JSON/);
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
    assert.match(section(await see(moved.where), "Version history"), /Kirkness/);
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
  await settled(account, "uses");
  assert.match(section(await see(own), "Accesses"), /read Helper agent/);
  assert.doesNotMatch(section(await see(own), "Accesses"), /the context/);
  assert.match(await log("end=refused&action=merge"), /No accesses/);
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
  assert.match(section(await see(at), "Working memory"), /session day[^]*task_state {&quot;step&quot;:3}[^]*in (1 h|2 h|1 h 59 min|119 min)/);
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

test("what an agent has in mind is kept for a day, forgotten key by key and all at once, and notes that were read are promoted", async () => {
  const at = `/admin/agents/${account.agentId}/memory`, path = `${SITE}/api/v1/ai/agents/${account.agentId}`, headers = { authorization: `Bearer ${account.token}`, "content-type": "application/json" };
  const put = (key, scope, value = `of ${key}`) => fetch(`${path}/working_memory/keys/${key}?${scope}`, { method: "PUT", headers, body: JSON.stringify({ value }) });
  const scope = { session_id: "a:b", task_id: "7" }, query = new URLSearchParams(scope);
  for (const key of ["plan", "draft"]) assert.ok((await put(key, query)).ok);
  assert.ok((await put("alone", "")).ok);
  const working = async () => section(await see(at), "Working memory");
  for (const key of ["plan", "draft"]) assert.match(await working(), new RegExp(`session a:b, task 7[^]*of ${key}`));
  assert.equal((await owner.post(`${at}/working/keep`, scope)).where, at);
  assert.match(words(await see(at)), /2 keys saved to the agent.{1,6}s Working Memory context/);
  await owner.post(`${at}/working/forget`, { key: "plan", ...scope });
  assert.doesNotMatch(await working(), /of plan/);
  assert.match(await working(), /of draft[^]*of alone|of alone[^]*of draft/);
  await owner.post(`${at}/working/clear`, scope);
  assert.doesNotMatch(await working(), /of draft/);
  assert.match(await working(), /of alone/, "other scopes stay");
  await owner.post(`${at}/working/clear`, {});
  assert.doesNotMatch(await working(), /of alone/);
  const note = { tier: "short_term", key: "worth", value: "The harbour master keeps the key.", session_id: "day" };
  assert.ok((await fetch(`${path}/tiered_memory`, { method: "POST", headers, body: JSON.stringify(note) })).ok);
  for (let i = 0; i < 3; i++) await fetch(`${path}/tiered_memory?key=worth&session_id=day&tier=short_term`, { headers });
  assert.match(words(await see(at)), /Sessions[^]*day 1/);
  assert.equal((await owner.post(`${at}/promote`)).where, at);
  await settled(account, "queue", "runs");
  assert.match(await see(`${at}?session=day`), /<a href="\/admin\/nodes\/[^"]+"><span class="badge ok">promoted/);
  const viewer = await signedIn(person(account.slug, "viewer"));
  for (const part of ["working/keep", "working/forget", "working/clear", "promote"]) assert.ok([403, 404].includes((await viewer.post(`${at}/${part}`, { key: "x" }, { from: "/admin/account" })).status), part);
});

test("without rights nothing is offered and nothing done; without the token nothing either", async () => {
  const viewer = await signedIn(person(account.slug, "viewer"));
  const at = await entryAt("ferry");
  const seen = await viewer.send(context);
  if (seen.status === 200) assert.doesNotMatch(seen.text, /New entry|Create snapshot|\/archive"/);
  const stranger = await signedIn(freshAccount().owner);
  for (const path of [context, at]) assert.equal((await stranger.send(path)).status, 404);
  for (const [path, form] of [[at, { content: "mine", format: "text", tags: "" }], [`${at}/forget`, {}], [`${context}/archive`, {}], [`${context}/snapshots`, { snapshot: "mine" }], [`${context}/access/grants`, { grantee: "everyone:", level: "manage", expires_in_days: "0" }], [`${context}/entries`, { content: "x", format: "text" }]]) {
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
  await page.waitForSelector(".flash.ok:has-text('Entry restored under its key')");
  assert.deepEqual([page.faults, page.strangers], [[], []]);
  await browser.close();
});
