// The page Erasures of a running installation: a plan, a confirmation, a receipt; without JavaScript.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { freshAccount, signedIn, words } from "./lib/live.mjs";

let owner, context, id;
before(async () => {
  owner = await signedIn(freshAccount().owner);
  context = (await owner.post("/admin/memory", { name: "Harbour", context_type: "shared_context", scope: "account", agent_id: "", team_id: "" })).where;
  await owner.post(`${context}/entries`, { entry_key: "ferry", entry_type: "observation", format: "text", tags: "", content: "The ferry leaves at seven." });
  id = /\/admin\/nodes\/([0-9a-f-]{36})/.exec((await owner.send("/admin/nodes")).text)[1];
});

const see = async (path) => (await owner.send(path)).text;
const field = (html, name) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1];

test("a memory is shown with what would go, erased when that is confirmed, and the receipt stays", async () => {
  assert.match(await see(`/admin/nodes/${id}`), new RegExp(`/admin/erasures\\?node=${id}`));
  const form = await see(`/admin/erasures?node=${id}`);
  assert.match(words(form), /Nothing was erased/);
  assert.equal(field(form, "node_ids"), id);
  assert.equal((await owner.post("/admin/erasures/plan", { node_ids: id, reason: "asked for" })).where, "/admin/erasures");
  const plan = await see("/admin/erasures");
  assert.match(words(plan), /This will be erased 1 memories and older states/);
  assert.equal((await owner.post("/admin/erasures", { node_ids: id, reason: "asked for", confirm: "1.wrong" })).status, 422);
  const { where } = await owner.post("/admin/erasures", { node_ids: id, reason: "asked for", confirm: field(plan, "confirm") });
  const receipt = words(await see(where));
  assert.match(receipt, /Erased\. This is the receipt\..*asked for.*valid: the receipt was not changed/);
  assert.ok(receipt.includes(id) && !receipt.includes("ferry"));
  assert.equal((await owner.send(`/admin/nodes/${id}`)).status, 404);
  assert.match(words(await see("/admin/erasures")), /asked for done 1/);
});
