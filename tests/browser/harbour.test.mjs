// The sample world holds: it is told and brought over, its weeks lie apart, and each of its pages shows something.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { harbour } from "./lib/harbour.mjs";
import { warp, moved, sealed } from "./lib/warp.mjs";

let world;
before(async () => { world = await harbour(); });

test("every page of it is there", async () => {
  for (const [name, path] of Object.entries(world.pages)) {
    const { status } = await world.owner.send(path);
    assert.equal(status, 200, `${name}: ${path}`);
  }
});

test("its days lie apart", async () => {
  const { text } = await world.owner.send("/admin/timeline?days=35");
  assert.ok((text.match(/day=\d{4}-\d\d-\d\d/g) ?? []).length > 25);
  const words = (await world.owner.send(world.pages.node)).text;
  assert.match(words, /deposit of 80/);
  assert.match(words, /version 1/);
});

test("moving days keeps the order of times and ids, and leaves others alone", () => {
  const now = Date.parse("2026-11-19T12:00:00Z"), begin = now - 3000, move = warp([begin, begin + 1000, begin + 2000, begin + 3000], now);
  const times = Array.from({ length: 300 }, (_, i) => move((begin + i * 10) * 1000));
  assert.deepEqual(times, [...times].sort((a, b) => a - b));
  assert.equal(new Set(times.map((us) => Math.floor(us / 86_400_000_000))).size, 3);
  assert.ok(times.at(-1) <= now * 1000);
  const line = '{"id":"01900000-0000-7000-8000-000000000000","at":"2020-01-01T00:00:00.000001Z"}';
  assert.equal(moved(line, move), line);
  const at = begin.toString(16).padStart(12, "0");
  assert.match(moved(`${at.slice(0, 8)}-${at.slice(8)}-7000-8000-000000000000 ${new Date(begin).toISOString().slice(0, 19)}.000000Z`, move), /-7000-8000-0{12} 2026-11-17T07:00:00/);
  assert.deepEqual(sealed(['{"head":1}', '{"a":1,"sum":"00"}'])[0], '{"head":1}');
});
