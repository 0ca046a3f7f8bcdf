// A sample world: some weeks of a harbour office, for pictures and for people who want to see pages with something on them.
//
//   node tests/browser/lib/harbour.mjs        against what ./up started; prints an address and a login
//
// The story is told to an account through the REST API, day after day; its export, with the days moved apart (warp.mjs), becomes
// the account that is looked at. What exports leave out (tokens, webhooks, runs of jobs, working memory) is done there.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AGENTS, EDGES, ENTITIES, ENTRIES, KNOWLEDGE, LEARNINGS, NOTES, PEOPLE, QUERIES, logOf } from "./harbour-words.mjs";
import { moved, sealed, warp } from "./warp.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const DAYS = 35;

// By hand: what ./up wrote down stands for what ./check says.
function useDevelopment() {
  const env = Object.fromEntries(readFileSync(join(ROOT, "var/dev.env"), "utf8").trim().split("\n").map((l) => l.split(/=(.*)/s)));
  process.env.LOCI_URL ??= env.LOCI_URL;
  process.env.LOCI_CTL ??= join(ROOT, "var/build/locictl");
  process.env.LOCI_CONF ??= join(ROOT, "var/conf/loci.conf");
}
const byHand = process.argv[1] === fileURLToPath(import.meta.url);
if (byHand) useDevelopment();
const { PASSWORD, SITE, locictl, signedIn, unique } = await import("./live.mjs");

/** Whole numbers below n, the same ones each time. */
function diceOf(seed) {
  let x = seed;
  return (n) => { x = (Math.imul(x, 1103515245) + 12345) >>> 0; return Math.floor(x / 2 ** 32 * n); };
}

class Office {
  constructor(slug) { this.slug = slug; this.host = `${slug}.example`; this.tokens = {}; this.agents = {}; this.nodes = {}; }

  // until: as long as the answer has this status it is asked again.
  async call(who, method, path, body, until, tries = 600) {
    const answer = await fetch(`${SITE}/api/v1/${path}`, { method,
      headers: { authorization: `Bearer ${this.tokens[who]}`, ...(body && { "content-type": "application/json" }) }, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status === until && tries) {
      await new Promise((done) => { setTimeout(done, 100); });
      return this.call(who, method, path, body, until, tries - 1);
    }
    assert.ok(answer.ok, `${who}: ${method} ${path} answers ${answer.status}: ${text.slice(0, 400)}`);
    return text ? JSON.parse(text).data : null;
  }
  get(who, path) { return this.call(who, "GET", path); }
  post(who, path, body = {}, until = 0) { return this.call(who, "POST", path, body, until); }

  login(who, words) { this.tokens[who] = locictl(["token", "create", "--account", this.slug, ...words, "--name", `${who}'s desk`]); }
  loginAll(agents = AGENTS) {
    this.login("Ada", ["--user", `ada@${this.host}`]);
    this.login("Bruno", ["--user", `bruno@${this.host}`]);
    for (const a of agents) this.login(a.slug, ["--agent", a.slug]);
  }
}

// ---- the story

async function found(o) {
  locictl(["account", "create", "--slug", o.slug, "--name", "Harbour office"]);
  for (const p of PEOPLE)
    locictl(["user", "create", "--account", o.slug, "--email", `${p.email}@${o.host}`, "--name", p.name, "--role", p.role, "--password-file", "-"],
      { input: `${PASSWORD}\n` });
  for (const a of AGENTS)
    o.agents[a.slug] = locictl(["agent", "create", "--account", o.slug, "--slug", a.slug, "--name", a.name, "--kind", a.kind, "--description", a.description]);
  for (const a of AGENTS)
    for (const p of PEOPLE.slice(0, 2))
      locictl(["grant", "add", "--account", o.slug, "--space", `agent:${a.slug}`, "--user", `${p.email}@${o.host}`, "--level", "manage"]);
  o.loginAll();
  const spaces = await o.get("Ada", "spaces?limit=100");
  o.global = spaces.find((s) => s.slug === "global").id;
  for (const slug of ["watch", "berths"]) locictl(["grant", "add", "--account", o.slug, "--space", o.global, "--agent", slug, "--level", "write"]);
  locictl(["grant", "add", "--account", o.slug, "--space", o.global, "--user", `bruno@${o.host}`, "--level", "write"]);
  for (const [slug, name, members] of [["quay", "Quay operations", ["watch", "berths", "pilots"]], ["office", "Front office", ["dues"]]]) {
    const team = await o.post("Ada", "teams", { slug, name, description: `${name} of Kirkness harbour` });
    for (const m of members) await o.call("Ada", "PUT", `teams/${team.id}/members/${o.agents[m]}`, { role: "member", is_lead: m === members[0] });
    o[slug] = team.id;
  }
}

const remember = async (o, who, kind, title, body, names = [], more = {}) => {
  const n = await o.post(who, "nodes", { kind, title, body, ...more });
  const ends = names.filter((x) => o.nodes[x]);
  for (const x of ends) await o.post("Ada", "edges", { source_id: n.id, target_id: o.nodes[x], relation: "related_to", weight: kind === "note" ? 0.8 : 0.4 });
  o.nodes[title] = n.id;
  return n;
};

async function map(o) {
  for (const [name, what] of ENTITIES) await remember(o, "Ada", "entity", name, what, [], { space_id: o.global, importance: 0.8 });
  for (const [a, relation, b] of EDGES) await o.post("Ada", "edges", { source_id: o.nodes[a], target_id: o.nodes[b], relation, weight: 0.9 });
}

async function rooms(o) {
  o.context = (await o.post("Ada", "ai/contexts", { name: "Berths and gate", context_type: "shared_context", scope: "account", agent_id: o.agents.berths, description: "What holds at the quays now." })).id;
  const more = [["Winter preparations", "project_context", "watch"], ["Dues and invoices", "knowledge_base", "dues"], ["Pilot orders", "agent_memory", "pilots"]];
  for (const [name, context_type, agent] of more)
    await o.post("Ada", "ai/contexts", { name, context_type, scope: "account", agent_id: o.agents[agent], description: `${name}, kept by ${agent}.` });
  o.pool = (await o.post("Ada", "ai/memory_pools", { name: "Harbour board", pool_id: "harbour", pool_type: "shared", description: "What everybody on duty looks at." })).id;
  await o.post("Ada", "ai/memory_pools", { name: "Weather cache", pool_id: "weather", pool_type: "shared", description: "Answers of the weather service." });
  await o.post("Ada", "ai/memory_pools", { name: "Quay team", pool_id: "quay-team", pool_type: "team_shared", team_id: o.quay, description: "Hand-over between watches." });
  await write(o, "Ada", "quay-team", "handover.tonight", "Lamps 7 and 9 are out; Solveig wants water before six.");
  await write(o, "Ada", "quay-team", "handover.keys", { gate: "watch", ramp: "office" });
  for (const pool of ["harbour", "weather"]) await o.post("Ada", `ai/memory_pools/${pool}/grants`, { everyone: true, level: "write" });
  await o.post("Ada", `ai/contexts/${o.context}/grants`, { everyone: true, level: "write" });
}

const write = (o, who, pool, key, value, more = {}) => o.call(who, "PUT", `ai/memory_pools/${pool}/data/${key}`, { value, ...more });

async function board(o, day, dice) {
  await write(o, "berths", "harbour", `berths.${1 + dice(4)}.ship`, ["MV Solveig", "MV Brage", "MT Larkspur", "MV Annika"][dice(4)]);
  await write(o, "berths", "harbour", `berths.${1 + dice(4)}.until`, `${8 + dice(10)}:30`);
  await write(o, "watch", "harbour", "gate.state", ["open", "closed", "closing"][dice(3)]);
  await write(o, "watch", "harbour", "tide", { high: `${4 + dice(4)}:12`, low: `${10 + dice(4)}:40`, range_m: 2 + dice(20) / 10 });
  await write(o, "watch", "weather", "wind", { from: "W", metres_per_second: 4 + dice(14) });
  if (day % 4 === 0) await write(o, "watch", "harbour", "agent_bulletin.gale", { signal: dice(2) ? "gale from noon" : "moderate", confidence: 0.6 + dice(4) / 10 });
  if (day % 5 === 0) await write(o, "pilots", "harbour", "agent_bulletin.pilots", "Ida Sande is away until Monday; ships over 120 metres wait.");
}

const put = (o, who, [key, entry_type, , , context_tags], content) =>
  o.post(who, `ai/contexts/${o.context}/entries`, { entry_key: key, entry_type, content, context_tags, importance_score: 0.7 });

async function deskWork(o, day, dice) {
  const entry = ENTRIES[Math.floor(day / 3) % ENTRIES.length];
  if (day % 3 === 0 && day < 30) await put(o, "berths", entry, entry[2]);
  if (day % 4 === 2) for (const e of ENTRIES.slice(0, Math.floor(day / 3)).filter((x) => x[3]).slice(-2)) await put(o, "Bruno", e, e[3]);
  const [n, k] = [Math.floor(day / 5), Math.floor(day / 8)];
  if (day % 5 === 1 && LEARNINGS[n]) {
    const [title, content, category] = LEARNINGS[n];
    const { learning } = await o.post("Ada", "ai/learning/learnings", { title, content, category, scope: "global", force: true });
    for (let i = 0; i <= dice(3); i++) await o.post("berths", `ai/learning/learnings/${learning.id}/outcome`, { successful: dice(4) > 0 });
  }
  if (day % 8 === 4 && KNOWLEDGE[k]) {
    const [title, content, content_type, access_level] = KNOWLEDGE[k];
    const { id } = await o.post("Ada", "ai/memory/shared_knowledge", { title, content, content_type, access_level, tags: ["harbour"], force: true });
    await o.post("Bruno", `ai/memory/shared_knowledge/${id}/rate`, { rating: 4 + dice(2) });
  }
  const [ship] = ["Solveig", "Brage", "Annika"].slice(dice(3));
  if (day % 4 === 1) await o.post("dues", `ai/agents/${o.agents.dues}/memory`, { key: `contact.${ship.toLowerCase()}`, value: `${ship}: agent's telephone changed on day ${day}`, category: "contacts", tags: ["dues"] });
  if (day % 3 === 1) await o.post("pilots", `ai/agents/${o.agents.pilots}/experiences`, { content: `Ordered the pilot for ${ship} ${1 + dice(3)} hours ahead.`, outcome_success: dice(3) > 0, tags: ["pilots"] });
}

async function oneDay(o, day, dice) {
  const quiet = day % 7 > 4, lines = logOf(day, dice);
  for (const [title, body, names] of lines.slice(0, quiet ? 1 : 2 + dice(4)))
    await remember(o, "watch", "episode", title, body, names, { source_kind: "tool", source_id: `log/${day}` });
  for (const note of NOTES.filter((_, i) => Math.floor(i * (DAYS - 1) / NOTES.length) === day))
    await remember(o, dice(2) ? "Ada" : "Bruno", "note", note[0], note[1], note[2], { space_id: o.global, importance: 0.4 + dice(5) / 10 });
  if (!quiet) await board(o, day, dice);
  await deskWork(o, day, dice);
  for (let i = dice(3); i >= 0; i--)
    await o.post(["watch", "berths", "dues"][dice(3)], "recall", { query: QUERIES[dice(QUERIES.length)], touch: true, limit: 5 });
}

async function changes(o, day) {
  const node = (title) => `nodes/${o.nodes[title]}`, patch = (who, title, body) => o.call(who, "PATCH", node(title), { body });
  if (day === 9) await patch("Bruno", "Deposit for the spare gate key", "The spare key to the tidal gate costs a deposit of 80, returned when the key comes back. Ask at the office window.");
  if (day === 17) await patch("Ada", "Deposit for the spare gate key", "The spare key to the tidal gate costs a deposit of 80, returned when the key comes back.\nAsk at the office window, or Watch at night.");
  if (day === 20) await patch("Bruno", "Night watch hours", "The night watch begins at nine from October on and ends at six. Whoever has it calls the pilots an hour before each arrival.");
  if (day === 22) await o.post("Ada", `${node("The gate after the repair")}/pin`);
  if (day === 23) await o.post("Ada", `${node("Deposit for the spare gate key")}/pin`);
  if (day === 28) await o.call("Ada", "DELETE", node("Anna's garage code"));
  if (day === 29) await o.post("Ada", `memory/nodes/${o.nodes["Complaint about the horn"]}/archive`, { reason: "answered" });
  if (day % 7 === 6) {
    const n = await remember(o, "watch", "note", `The week in brief, ${Math.floor(day / 7) + 1}`, "Arrivals, gate and remarks of the week, made from the log.", [], { space_id: o.global });
    for (const title of Object.keys(o.nodes).filter((t) => / in$| discharged$|^Gate /.test(t)).slice(-4))
      await o.post("Ada", "edges", { source_id: n.id, target_id: o.nodes[title], relation: "DERIVED_FROM" });
  }
  if (day === 14 || day === 27) await o.post("Ada", "ai/memory_pools/harbour/snapshots", { name: day === 14 ? "Before the gale" : "Sunday evening" });
  if (day === 12 || day === 26) await o.post("Ada", `ai/contexts/${o.context}/snapshots`, { name: day === 12 ? "Before the gate repair" : "After the gate repair" });
  if (day === 31) await o.post("Ada", `ai/contexts/${o.context}/entries/annika.horn/archive`);
  if (day === 30) for (const end of [".", "!"]) await put(o, "berths", [`ferry.bicycles${end === "!" ? ".again" : ""}`, "fact", 0, 0, ["ferry"]], `Bicycles go free on the island ferry on Sundays${end}`);
}

/** Tells it; returns the times at which its days began and the last ended. */
async function tell(o) {
  const dice = diceOf(7), marks = [Date.now()];
  await found(o);
  await map(o);
  await rooms(o);
  for (let day = 0; day < DAYS; day++) {
    if (day) marks.push(Date.now());
    await oneDay(o, day, dice);
    await changes(o, day);
  }
  return [...marks, Date.now() + 1];
}

// ---- the account that is looked at

// The draft's people have addresses of their own: one that two accounts know asks for the account at the door.
function bringOver(draft, slug, marks) {
  const folder = mkdtempSync(join(tmpdir(), "harbour-")), file = join(folder, "harbour.jsonl");
  try {
    locictl(["export", "--account", draft, "--out", file, "--with-audit", "--with-vectors"]);
    const move = warp(marks, Date.now());
    writeFileSync(file, `${sealed(readFileSync(file, "utf8").trimEnd().split("\n").map((l, i) => (i ? moved(l, move).replaceAll(`@${draft}.example`, `@${slug}.example`) : l))).join("\n")}\n`);
    locictl(["account", "create", "--slug", slug, "--name", "Harbour office"]);
    locictl(["import", "--account", slug, "--from", file]);
    locictl(["account", "suspend", "--account", draft]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOf(o, job, dry_run = false) {
  const { id } = await o.post("Ada", `jobs/${job}/run`, { dry_run }, 409);       // one that goes on behind others' work is still under way
  for (let tries = 3000; tries; tries--) {         // what other tests left to be embedded may come first
    const { run } = await o.get("Ada", `job_runs/${id}`);
    if (!["waiting", "running", "queued", "planning", "pending"].includes(run.status)) return id;
    await new Promise((done) => { setTimeout(done, 100); });
  }
  throw new Error(`${job} does not end`);
}

async function today(o) {
  for (const [key, value] of [["plan.today", ["Annika 06:40", "Ferry 07:00", "Solveig 14:10"]], ["asked.by", "Kystlast"], ["draft.reply", "Berth 2 from six, crane limited to 18 tonnes."]])
    await o.call("berths", "PUT", `ai/agents/${o.agents.berths}/working_memory/keys/${key}`, { value, ttl: 3600 });
  await o.call("pilots", "PUT", `ai/agents/${o.agents.pilots}/working_memory/keys/order?session_id=morning&task_id=brage`, { value: { ship: "MV Brage", pilot: "Ida Sande", at: "17:40" }, ttl: 7200 });
  for (const [key, value] of [["call.kystlast", "Kystlast asks whether Annika may come an hour earlier."], ["weather.now", "West 9 m/s, sight five miles."]])
    await o.post("watch", `ai/agents/${o.agents.watch}/tiered_memory`, { tier: "short_term", key, value });
  o.snapshot = (await o.post("Ada", "ai/memory_pools/harbour/snapshots", { name: "Before the evening watch" })).id;
  await write(o, "watch", "harbour", "weather.wind", "West 9 m/s, easing");
  o.hook = (await o.post("Ada", "webhooks", { name: "Duty telephone", url: "https://duty.kirkness.example/loci", kinds: ["node.*", "pool.*"] })).id;
  await o.post("Ada", "exports", {});
  await o.post("watch", "ai/escalations/questions", { query: "Who has the key to the boat shed?" });
  for (const query of QUERIES.slice(0, 4)) await o.post("watch", "recall", { query, touch: true });
  for (const job of ["memory_dedup", "rot_detection", "junk_audit", "memory_decay"]) o.run = await runOf(o, job);
  o.run = await runOf(o, "memory_dedup", true);
}

// Where one of the things that pages show one of is.
async function placesOf(o) {
  const entries = await o.get("Ada", `ai/contexts/${o.context}/entries?limit=100&include_archived=true`);
  const entry = entries.find((e) => e.entry_key === "gate.opening"), node = `/admin/nodes/${o.nodes["Deposit for the spare gate key"]}`;
  const [kept] = await o.get("Ada", `ai/contexts/${o.context}/snapshots?limit=1`);
  const context = `/admin/memory/${o.context}`, pool = `/admin/pools/${o.pool}`, users = await o.get("Ada", "users?limit=100"), me = await o.get("Ada", "me");
  const job = "/admin/jobs/memory_dedup";
  return { node, context: `${context}?archived=1`, entry: `${context}/entries/${entry.id}`, "context-log": `${context}/log`, "context-settings": `${context}/settings`,
    "context-access": `${context}/access`, "context-snapshots": `${context}/snapshots`, "context-snapshot": `${context}/snapshots/${kept.id}`, working: "/admin/memory/working",
    "contexts-found": "/admin/memory?find=gate&how=keyword", pool, "pool-key": `${pool}/key?key=gate.state`, "pool-folder": `${pool}?folder=gate`,
    "pool-feed": `${pool}/feed`, "pool-access": `${pool}/access`, "pool-limits": `${pool}/limits`, "pool-snapshots": `${pool}/snapshots`, "pool-snapshot": `${pool}/snapshots/${o.snapshot}`,
    agent: `/admin/agents/${o.agents.watch}`, "short-term": `/admin/agents/${o.agents.watch}/memory`, team: `/admin/teams/${o.quay}`, space: `/admin/spaces/${o.global}`,
    user: `/admin/users/${users.find((u) => u.name === "Bruno Falk").id}`, me: `/admin/users/${me.id}`,
    recall: "/admin/recall", "recall-answer": "/admin/recall?query=when+does+the+gate+open%3F&token_budget=400&render=both&grade=on",
    graph: `/admin/graph?node=${o.nodes["MV Brage"]}&to=${o.nodes["Island ferry"]}`, timeline: `/admin/timeline?days=30`, "timeline-then": `/admin/timeline?as_of=${new Date(Date.now() - 12 * 86_400_000).toISOString().slice(0, 10)}&days=14`,
    nodes: "/admin/nodes", "nodes-empty": "/admin/nodes?q=submarine", "agents-empty": "/admin/agents?q=submarine", "audit-empty": "/admin/audit?kind=submarine",
    job, run: `/admin/jobs/runs/${o.run}` };
}

// Pages that a build may lack yet; what does not answer is not among them.
async function morePlaces(o, owner, { context, pool }) {
  const first = async (path) => (await o.get("Ada", `${path}${path.includes("?") ? "&" : "?"}limit=1`).catch(() => []))?.[0]?.id;
  const at = context.split("?")[0], old = (await o.get("Ada", `ai/contexts/${o.context}/entries?limit=100&include_archived=true`)).find((e) => e.entry_key === "annika.horn");
  const some = { "entry-archived": `${at}/entries/${old.id}`, "context-settings": `${at}/settings`, "context-access": `${at}/access`, "context-snapshots": `${at}/snapshots`,
    "context-snapshot": `${at}/snapshots/${await first(`ai/contexts/${o.context}/snapshots`)}`, "pool-folder": `${pool}?folder=berths`, "pool-found": `${pool}?prefix=berths`, "pool-feed": `${pool}/feed`,
    "pool-access": `${pool}/access`, "pool-limits": `${pool}/limits`, "pool-snapshots": `${pool}/snapshots`, "pool-snapshot": `${pool}/snapshots/${await first("ai/memory_pools/harbour/snapshots")}`,
    working: "/admin/memory/working", task: `/admin/tasks/${await first("tasks")}`, webhook: `/admin/webhooks/${o.hook}` };
  const there = await Promise.all(Object.entries(some).map(async ([name, path]) => [name, path, (await owner.send(path)).status === 200]));
  return Object.fromEntries(there.filter(([, , yes]) => yes).map(([name, path]) => [name, path]));
}

/** {slug, person (who signs in), owner (a client that is signed in), office (writes over REST), pages (name → path, as in tour.mjs)} */
export async function harbour() {
  const slug = /\sharbour\s/.test(locictl(["account", "list"])) ? unique("harbour") : "harbour";
  const o = new Office(unique("draft"));
  bringOver(o.slug, slug, await tell(o));
  return look(slug);
}

// The draft's ids are others in what came of it; things are found again by name.
async function look(slug) {
  const o = new Office(slug);
  const ada = { account: slug, email: `ada@${o.host}`, password: PASSWORD };
  for (const p of PEOPLE) locictl(["user", "password", "--account", slug, "--email", `${p.email}@${o.host}`, "--password-file", "-"], { input: `${PASSWORD}\n` });
  locictl(["user", "operator", "--account", slug, "--email", ada.email]);
  o.loginAll();
  const byName = async (path, name) => Object.fromEntries((await o.get("Ada", `${path}${path.includes("?") ? "&" : "?"}limit=100`)).map((x) => [x[name], x.id]));
  o.agents = await byName("agents", "slug");
  o.nodes = { ...await byName("nodes?kind=episode", "title"), ...await byName("nodes?kind=entity", "title"), ...await byName("nodes?kind=note", "title") };
  o.quay = (await byName("teams", "slug")).quay;
  o.global = (await byName("spaces?kind=namespace", "slug")).global;
  o.context = (await byName("ai/contexts", "name"))["Berths and gate"];
  o.pool = (await byName("ai/memory_pools", "pool_id")).harbour;
  await today(o);
  const owner = await signedIn(ada);
  const pages = await placesOf(o);
  return { slug, person: ada, owner, office: o, pages: { ...pages, ...await morePlaces(o, owner, pages) } };
}

/** Pages that show only after something was done there: name → does it with a page of somebody who is signed in. */
export const poses = {
  remember: (page) => page.goto(`${SITE}/admin/nodes?new=1`),
  "pool-key-conflict": async (page, { office, pages }) => {
    await page.goto(SITE + pages["pool-key"]);
    await write(office, "watch", "harbour", "gate.state", "closed, weed in the sill");
    const form = page.locator("form:has(textarea[name=value])").first();
    await form.locator("textarea[name=value]").fill("open until nine");
    await Promise.all([page.waitForLoadState("load"), form.locator("button[type=submit]").first().click()]);
    await write(office, "watch", "harbour", "gate.state", "open");
  },
  confirm: async (page, { pages }) => {
    await page.goto(SITE + pages.node);
    await page.locator("main details.confirm > summary").first().click();
  },
  keys: async (page, { pages }) => {
    await page.goto(SITE + pages.node);
    await page.keyboard.press("?");
  },
};

if (byHand) {
  const { person } = await harbour();
  console.log(`The harbour office is open: ${SITE}/login\n  ${person.email}\n  ${person.password}`);
}
