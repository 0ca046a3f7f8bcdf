// An account with rows in every list, and the paths of all pages that show them.
import { SITE, api, csrfOf, deadLetter, freshAccount, person, signedIn, until } from "./live.mjs";

const LONG = "A name that goes on and on, longer than a telephone is wide, with_one_word_that_cannot_be_broken_anywhere_at_all";

export const NAMES = ["overview", "account", "tokens", "tokens-all", "users", "user", "me", "agents", "agents-empty", "agent", "teams", "team",
  "spaces", "space", "audit", "audit-wrong", "audit-empty", "contexts", "contexts-found", "context", "context-empty", "context-settings", "context-access", "context-snapshots", "context-snapshot", "working", "entry", "entry-archived", "context-log", "short-term", "junk", "junk-rows", "duplicates", "merges", "pools", "pool", "pool-folder", "pool-found", "pool-empty", "pool-feed", "pool-access", "pool-limits", "pool-snapshots", "pool-snapshot", "pool-key", "recall", "recall-answer", "recall-wrong", "settings", "not-found", "login", "jobs", "job", "job-runs", "run", "queue",
  "dead-letters", "tasks", "tasks-empty", "task", "schedulers", "docs", "docs-list", "docs-body", "docs-file", "docs-wrong", "docs-found",
  "space-tree", "nodes", "nodes-empty", "node", "graph", "graph-start", "timeline", "timeline-then", "design",
  "webhooks", "webhook", "transfers"];

/** {account, owner (a client that is signed in), pages (name → path; not those of rooms that this build lacks)} */
export async function tour() {
  const account = freshAccount();
  const owner = await signedIn(account.owner);
  const made = async (path, fields) => (await owner.post(path, fields)).where;
  const viewer = person(account.slug, "viewer");
  const agent = await made("/admin/agents", { name: LONG, slug: "long", kind: "assistant", role: "agent", description: LONG });
  const team = await made("/admin/teams", { name: LONG, slug: "team", description: LONG });
  await owner.post(`${team}/members`, { agent_id: account.agentId, role: "pilot", is_lead: "1" });
  const space = await made("/admin/spaces", { name: LONG, slug: "shared", kind: "context", description: LONG });
  await owner.post(`${space}/grants`, { grantee: "everyone:", level: "read", expires_in_days: "30" });
  await owner.post(`${space}/grants`, { grantee: `agent:${account.agentId}`, level: "write", expires_in_days: "0" });
  await owner.post("/admin/tokens", { name: LONG, expires_in_days: "7", "scope[]": ["memory.read", "memory.write"] });
  await fetch(`${SITE}/api/v1/nodes`, {
    method: "POST", headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "note", title: "One", body: "thing" }),
  });
  const node = await nodePage(owner);
  const webhook = await made("/admin/webhooks", { name: LONG, url: `https://example.org/${LONG.replaceAll(" ", "_")}`, kinds: "nothing.like_it, nothing.else" });
  for (const key of ["now", LONG])
    await fetch(`${SITE}/api/v1/ai/agents/${account.agentId}/tiered_memory`, {
      method: "POST", headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" },
      body: JSON.stringify({ tier: "short_term", key, value: { words: LONG } }),
    });
  for (const scope of ["", "?session_id=s1&task_id=7"])
    await fetch(`${SITE}/api/v1/ai/agents/${account.agentId}/working_memory/keys/plan${scope}`, {
      method: "PUT", headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" }, body: JSON.stringify({ value: LONG }),
    });
  return { account, owner, pages: { "short-term": `/admin/agents/${account.agentId}/memory`,
    overview: "/admin", account: "/admin/account", tokens: "/admin/tokens", users: "/admin/users", user: `/admin/users/${viewer.id}`,
    me: `/admin/users/${account.owner.id}`, agents: "/admin/agents", agent, teams: "/admin/teams", team, spaces: "/admin/spaces", space,
    audit: "/admin/audit", "audit-wrong": "/admin/audit?actor=me", "audit-empty": "/admin/audit?kind=nothing", settings: "/admin/settings",
    recall: "/admin/recall", "recall-answer": "/admin/recall?query=thing&mode=surgical&token_budget=500&render=both", "recall-wrong": "/admin/recall?query=thing&limit=500&as_of=never",
    "space-tree": "/admin/spaces/tree", nodes: "/admin/nodes?new=1", "nodes-empty": "/admin/nodes?q=nothing-like-it", node,
    graph: `/admin/graph?node=${node.split("/").pop()}`, "graph-start": "/admin/graph",
    webhooks: "/admin/webhooks", webhook, transfers: "/admin/transfers",
    timeline: "/admin/timeline", "timeline-then": "/admin/timeline?as_of=2026-01-01&days=7", design: "/admin/design",
    "tokens-all": "/admin/tokens?state=all", "agents-empty": "/admin/agents?q=nothing-like-it", "not-found": "/admin/nowhere", login: "/login",
    docs: "/api/v1/docs", "docs-found": "/api/v1/docs?q=pool+grant", "docs-list": "/api/v1/docs/node_list", "docs-body": "/api/v1/docs/recall", "docs-file": "/api/v1/docs/import_create", "docs-wrong": "/api/v1/docs/nothing",
    ...await memoryPages(owner, made), ...await poolPages(owner, made), ...await jobPages(owner, account),
  } };
}

async function nodePage(owner) {
  const [, space_id] = /<option value="([^"]+)" selected>Global</.exec((await owner.send("/admin/nodes")).text);
  const { where } = await owner.post("/admin/nodes", { title: LONG, body: `${LONG}\nbefore`, kind: "note", space_id });
  await owner.post(where, { title: LONG, body: `${LONG}\nafter`, if_version: "1" });
  return where;
}

async function memoryPages(owner, made) {
  const context = await made("/admin/memory", { name: LONG, context_type: "shared_context", scope: "account", agent_id: "", team_id: "", description: LONG });
  const write = (entry_key, content, format = "text") => owner.post(`${context}/entries`, { entry_key, entry_type: "decision", content, format, tags: `port, ${LONG.slice(-60)}` });
  for (const text of ["before", `A thing: ${LONG}`]) await write("long", text);
  await write(LONG, `{"words": ["${LONG}"]}`, "json");
  await write("old", "The thing that was.");
  await owner.post(`${context}/snapshots`, { snapshot: LONG });
  const [, entry] = /href="([^"]+)">long</.exec((await owner.send(context)).text), [, archived] = /href="([^"]+)">old</.exec((await owner.send(context)).text);
  await owner.post(`${archived}/archive`);
  const [, snapshot] = /href="([^"]+\/snapshots\/[^"]+)"/.exec((await owner.send(`${context}/snapshots`)).text);
  await write("later", "what came since");
  const empty = await made("/admin/memory", { name: "Empty", context_type: "project_context", scope: "account", agent_id: "", team_id: "" });
  return { "context-empty": empty, "context-settings": `${context}/settings`, "context-access": `${context}/access`, "context-snapshots": `${context}/snapshots`, "context-snapshot": snapshot,
    working: "/admin/memory/working", contexts: "/admin/memory", "contexts-found": "/admin/memory?find=thing&how=keyword", context: `${context}?archived=1`, entry, "entry-archived": archived, "context-log": `${context}/log`, junk: "/admin/junk", "junk-rows": "/admin/junk/rows", duplicates: "/admin/duplicates", merges: "/admin/duplicates/merges" };
}

async function poolPages(owner, made) {
  const pool = await made("/admin/pools", { name: LONG, pool_id: "board", pool_type: "shared", owner_agent_id: "", team_id: "", is_public: "1", description: LONG });
  const write = (key, value, format = "text") => owner.post(`${pool}/keys`, { key, value, format, ttl_seconds: "3600" });
  const key = `market.${LONG.slice(-60)}`;
  await write(key, `{"words": ["${LONG}"]}`, "json");
  await write("agent_bulletin.storm", LONG);
  await write("gone", "soon");
  await owner.post(`${pool}/snapshots`, { name: LONG });
  const [, snapshot] = /href="([^"]+\/snapshots\/[^"]+)"/.exec((await owner.send(`${pool}/snapshots`)).text);
  await owner.post(`${pool}/key/delete`, { key: "gone" });
  const empty = await made("/admin/pools", { name: "Empty", pool_id: "empty", pool_type: "shared", owner_agent_id: "", team_id: "" });
  return { pools: "/admin/pools", pool, "pool-folder": `${pool}?folder=market`, "pool-found": `${pool}?prefix=m`, "pool-empty": empty, "pool-feed": `${pool}/feed`,
    "pool-access": `${pool}/access`, "pool-limits": `${pool}/limits`, "pool-snapshots": `${pool}/snapshots`, "pool-snapshot": snapshot,
    "pool-key": `${pool}/key?key=${encodeURIComponent(key)}` };
}

/** The page of a run that has ended: a page that goes on changes while it is looked at, and the next who asks for a run is refused. */
async function runOf(owner, job) {
  const run = await until(`${job} is run`, async () => (await owner.post(`${job}/run`)).where);      // not beside one that others asked for
  await until(`${run} ends`, async () => !/id="run"[^>]*data-hx-get/.test((await owner.send(run)).text));
  return run;
}

async function jobPages(owner, account) {
  const { status, text } = await owner.send("/admin/jobs");
  if (status === 404) return {};
  deadLetter((await api("me", account.token)).data.account_id);
  const job = /action="(\/admin\/jobs\/[\w.-]+)\/run"/.exec(text)?.[1];
  const run = job && await runOf(owner, job);
  const csrf = csrfOf((await owner.send("/admin/account")).text);       // what is exported leaves a task behind
  await owner.send("/api/v1/exports", { method: "POST", body: "{}", headers: { "content-type": "application/json", "x-csrf-token": csrf } });
  const task = /href="(\/admin\/tasks\/[\w-]+)"/.exec((await owner.send("/admin/queue/tasks")).text)?.[1];
  return { ...(task && { task }), jobs: "/admin/jobs", "job-runs": "/admin/jobs/runs", queue: "/admin/queue", "dead-letters": "/admin/queue/dead", tasks: "/admin/queue/tasks", "tasks-empty": "/admin/queue/tasks?kind=none&status=dead",
    schedulers: "/admin/schedulers", ...(job && { job }), ...(run && { run }) };
}

/** Skips the test of a page that this build lacks. */
export const isThere = (t, pages, name) => name in pages || (t.skip("this build has no such page"), false);

/** The session of a client, for a browser. */
export const sessionOf = (client) => [{ name: "loci_session", value: client.jar.get("loci_session"), url: SITE }];
