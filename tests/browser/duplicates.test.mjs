// The pages Duplicates and Merges of a running installation: pairs side by side, decided in each way, and merges undone; without JavaScript.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { freshAccount, person, signedIn, until, words, settled } from "./lib/live.mjs";

let account, owner, context;
const texts = { tea: ["The tea budget is 100 crowns a year.", "The tea budget is 200 crowns a year."], rope: ["The rope is 10 fathoms long.", "The rope is 20 fathoms long."],
  sail: ["The sail was mended 3 times.", "The sail was mended 4 times."] };
before(async () => {
  account = freshAccount();
  owner = await signedIn(account.owner);
  context = (await owner.post("/admin/memory", { name: "Harbour", context_type: "shared_context", scope: "account", agent_id: "", team_id: "" })).where;
  const write = async (entry_key, content) => assert.equal((await owner.post(`${context}/entries`, { entry_key, entry_type: "observation", format: "text", tags: "", content })).status, 303);
  for (const [key, [a, b]] of Object.entries(texts)) { await write(`${key} one`, a); await write(`${key} two`, b); }
  await write("same one", "The ferry to the island leaves at seven.");
  await write("same two", "The ferry to the island leaves at seven.");
});

const see = async (path) => (await owner.send(path)).text;
const pair = (html, key) => html.split("<article").find((s) => s.includes(`>${key} one<`) && s.includes("/keep")) ?? "";
const action = (html, verb) => new RegExp(`action="(/admin/duplicates/[^"]+/${verb})"`).exec(html)?.[1];
const keeper = (html, words) => new RegExp(`name="keeper_id" value="([^"]+)"><button type="submit">${words}`).exec(html)?.[1];

test("pairs are side by side with their difference; merged with the one that was chosen, kept, and undone", async () => {
  assert.match(words(await see("/admin/duplicates")), /No pairs to review/);
  assert.match(await see("/admin/junk"), /href="\/admin\/duplicates"/);
  assert.match(await see("/admin/memory"), /href="\/admin\/duplicates"/);
  await settled(account, "vectors");
  let page = await until("the pairs", async () => {
    await owner.post("/admin/jobs/memory_dedup/run");
    await settled(account, "runs");
    const html = await see("/admin/duplicates");
    return Object.keys(texts).every((key) => pair(html, key)) && html;
  });
  const tea = pair(page, "tea");
  assert.match(words(tea), /tea one older The tea budget is 100 crowns a year\..*tea two newer The tea budget is 200 crowns a year\./);
  assert.match(tea, /<del>− The tea budget is 100[^]*<ins>\+ The tea budget is 200/);

  assert.equal((await owner.post(action(tea, "merge"), { keeper_id: keeper(tea, "Merge, keep newer") })).where, "/admin/duplicates");
  page = await see("/admin/duplicates");
  assert.match(words(page), /Merged into \S*tea two/);
  assert.equal(pair(page, "tea"), "");
  const [, undo] = /action="(\/admin\/duplicates\/merges\/[^"]+\/undo)" class="flash ok undo"/.exec(page);
  assert.match(words(await see("/admin/duplicates/merges")), /tea two tea one entry .* a decision/);
  assert.equal((await owner.post(undo)).where, "/admin/duplicates/merges");
  assert.match(words(await see("/admin/duplicates/merges")), /Merge undone: \S*tea two\S* and \S*tea one\S* are separate again/);
  assert.equal((await owner.post(action(pair(page, "rope"), "keep"))).where, "/admin/duplicates");
  assert.match(words(await see("/admin/duplicates")), /Both kept\. The pair will not be proposed again\./);
  await owner.post(action(pair(page, "sail"), "merge"));
  assert.match(words(await see("/admin/duplicates")), /Merged into \S*sail one/);
  assert.match(words(await see("/admin/duplicates/merges")), /sail one sail two/);
  assert.match(words(await see("/admin/duplicates/merges")), /same one same two entry 1\.00 the nightly job/);
});

test("people who may not manage memory do not see it", async () => {
  const viewer = await signedIn(person(account.slug, "viewer"));
  for (const path of ["/admin/duplicates", "/admin/duplicates/merges"]) assert.ok([403, 404].includes((await viewer.send(path)).status));
  assert.doesNotMatch((await viewer.send("/admin/memory")).text, /href="\/admin\/duplicates"/);
});
