// Roles over all pages at once: a viewer is offered nothing that would be refused; every form of an owner posted by a viewer is refused and
// changes nothing; so is every form of an owner without the page's CSRF token.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { SITE, csrfOf, person, signedIn, words } from "./lib/live.mjs";
import { posts } from "./lib/posts.mjs";
import { tour } from "./lib/tour.mjs";

const OUTSIDE = /^(login|docs|not-found)/;         // pages that nobody needs to be signed in for, or that are none
// What everybody may do for themselves; whose name or password it is comes from the session alone.
const ONES_OWN = ["/logout", "/admin/theme", "/admin/account", "/admin/account/password", "/admin/account/sessions/end-others", "/admin/tokens", "/admin/design"];

let account, owner, viewer, pages, forms;
before(async () => {
  ({ account, owner, pages } = await tour());
  viewer = await signedIn(person(account.slug, "viewer"));
  forms = new Map();
  for (const [name, path] of Object.entries(pages))
    if (!OUTSIDE.test(name)) for (const post of posts((await owner.send(path)).text)) forms.set(key(post), { ...post, page: path });
});

const key = ({ action, fields }) => `${action} ${fields.map(([name]) => name).sort().join()}`;
const send = (client, { action, fields }, csrf) => client.send(action, { method: "POST", form: [...fields, ...(csrf === null ? [] : [["csrf_token", csrf]])] });

// ---- what there is, as the API tells it: every list that can be asked for without saying more

const MOVES = /^(last_|mean_|success_|runs$|next|heartbeat|now$|age|access|used|read|score|strength|decayed|request_id|took|meta$|wait|oldest|uptime|n_sessions|seen)/;     // by itself, or by being looked at
const still = (v) => Array.isArray(v) ? v.map(still) : v && typeof v === "object" ? Object.fromEntries(Object.entries(v).filter(([k]) => !MOVES.test(k)).map(([k, x]) => [k, still(x)])) : v;

async function lists() {
  const { paths } = await (await fetch(`${SITE}/api/v1/openapi.json`)).json();
  return Object.entries(paths).filter(([path, { get }]) => get?.responses[200]?.content?.["application/json"] && !/\{|events|audit|job_runs|tasks|schedulers|export|health|metrics|openapi|stats|timeline|graph|recall|settled|me$/.test(path) &&
    !(get.parameters ?? []).some((p) => p.required)).map(([path, { get }]) => path + ((get.parameters ?? []).some((p) => p.name === "limit") ? "?limit=100" : ""));
}

async function state() {
  const all = {};
  for (const path of await lists()) {
    const answer = await owner.send(path.startsWith("/api") ? path : `/api/v1${path}`);
    if (answer.status === 200) all[path] = still(JSON.parse(answer.text).data);
  }
  assert.ok(Object.keys(all).length > 12, Object.keys(all).join());
  return all;
}

/** What was done since, by whom: the audit trail without refusals. */
async function done(since) {
  const { data } = JSON.parse((await owner.send(`/api/v1/audit?limit=100&from=${since}`)).text);
  return data.filter((e) => e.actor_kind === "user" && e.kind !== "access.refuse").map((e) => `${e.kind} by ${e.actor_id}`);
}

test("there are forms to try", () => {
  const actions = [...forms.values()].map((f) => f.action);
  for (const part of ["/pin", "/keys", "/run", "/pause", "/revoke", "/grants", "/members", "/archive", "/forget", "/snapshots", "/delete"]) assert.ok(actions.some((a) => a.endsWith(part)), `${part}: ${actions.join(" ")}`);
  assert.ok(forms.size > 50, `${forms.size}`);
});

test("the look at the state and the trail sees what is changed", async () => {
  const since = new Date().toISOString(), before_ = await state();
  const { where } = await owner.post("/admin/teams", { name: "Seen", slug: "seen", description: "" });
  await owner.post(where, { name: "Seen", description: "changed", if_version: "1" });
  assert.notDeepEqual(await state(), before_);
  const kinds = (await done(since)).map((e) => e.split(" ")[0]);
  assert.ok(kinds.includes("team.create") && kinds.includes("team.update"), kinds.join());
});

describe("a viewer", () => {
  const seen = new Map();

  test("is offered nothing that would be refused", async () => {
    const wrong = [];
    let offered = 0;
    for (const [name, path] of Object.entries(pages)) {
      if (OUTSIDE.test(name)) continue;
      const page = await viewer.send(path);
      assert.ok([200, 403, 404].includes(page.status), `${name}: ${page.status}`);
      for (const post of posts(page.text)) {
        offered++;
        if (ONES_OWN.includes(post.action)) continue;
        const answer = await send(viewer, post, csrfOf(page.text));
        if (answer.status === 403 || answer.status === 404) wrong.push(`${name}: '${post.says}' to ${post.action}: ${answer.status}`);
      }
      for (const [, href] of page.status === 200 ? page.text.matchAll(/<a\b[^>]*href="(\/admin[^"#]*)"/g) : []) {
        const at = href.replaceAll("&amp;", "&").replaceAll("&#x3D;", "=");
        if (!seen.has(at)) seen.set(at, { name, status: (await viewer.send(at)).status });
      }
    }
    const led = [...seen].filter(([, { status }]) => status === 403).map(([href, { name }]) => `${name} leads to ${href}, which is refused`);
    assert.deepEqual([wrong, led], [[], []]);
    assert.ok(offered > 50);
  });

  test("who posts an owner's forms anyway is refused, and nothing is changed", async () => {
    const since = new Date().toISOString(), csrf = csrfOf((await viewer.send("/admin/account")).text), before_ = await state();
    const wrong = [];
    for (const post of forms.values()) {
      if (ONES_OWN.includes(post.action)) continue;
      const { status, headers, text } = await send(viewer, post, csrf);
      if (status !== 403 && !(status === 404 && /\/(sessions|tokens)\//.test(post.action))) wrong.push(`${post.action} '${post.says}' of ${post.page}: ${status} ${words(text).slice(0, 200)}`);
      assert.match(headers.get("content-type") ?? "", /^text\/html/);
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(await state(), before_);
    assert.deepEqual(await done(since), []);
  });
});

for (const [how, csrf] of [["without its CSRF token", () => null], ["with a token of another session", (theirs) => theirs]])
  test(`an owner's form ${how} is refused, and nothing is changed`, async () => {
    const since = new Date().toISOString(), theirs = csrfOf((await viewer.send("/admin/account")).text), before_ = await state();
    const wrong = [];
    for (const post of forms.values()) {
      const { status, text } = await send(owner, post, csrf(theirs));
      if (status !== 403 || !/nothing was changed/.test(words(text))) wrong.push(`${post.action} '${post.says}': ${status}`);
    }
    assert.deepEqual(wrong, []);
    assert.equal((await owner.send("/admin")).status, 200, "signed out");
    assert.deepEqual(await state(), before_);
    assert.deepEqual(await done(since), []);
  });
