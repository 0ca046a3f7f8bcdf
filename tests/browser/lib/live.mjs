// The running installation as tests of pages use it: accounts and people made by locictl, a browser that is signed in,
// and a plain client with a jar of cookies for what a browser would not send.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { chromium } from "playwright-core";

export const SITE = process.env.LOCI_URL ?? "";
const CTL = process.env.LOCI_CTL, CONF = process.env.LOCI_CONF;

export const unique = (word) => `${word}-${randomBytes(4).toString("hex")}`;

export function locictl(words, { input } = {}) {
  assert.ok(SITE && CTL && CONF, "LOCI_URL, LOCI_CTL and LOCI_CONF say where Loci runs: ./check does");
  const run = spawnSync(CTL, ["--config", CONF, ...words], { input, encoding: "utf8" });
  assert.equal(run.status, 0, `locictl ${words.join(" ")}: ${run.error ?? run.stderr}`);
  return run.stdout.trim();
}

/** A task of the account that all its tries have failed for: nothing that people do makes one quickly. */
export function deadLetter(accountId, kind = "embed") {
  const id = randomUUID();
  const ask = () => spawnSync("mariadb", ["--no-defaults", "--default-character-set=utf8mb4", "-S", process.env.LOCI_DB_SOCKET, "-u", userInfo().username, "loci", "-e",
    `INSERT INTO task (id, account_id, kind, priority, payload, idem_key, status, run_at, attempts, max_attempts, last_error, tries, created_at, finished_at)
     VALUES ('${id}', '${accountId}', '${kind}', 5, '{"node_id":"${id}"}', '${id}', 'dead', UTC_TIMESTAMP(6), 3, 3, 'no <luck>',
             '[{"at":"2026-01-01T10:00:00.000000Z","error":"timed out"}]', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))`], { encoding: "utf8" });
  let run = ask();
  while (/^ERROR 1213 /m.test(run.stderr)) run = ask();                // taken back for the scheduler's sake: again
  assert.equal(run.status, 0, `${run.error ?? run.stderr}`);
  return id;
}

export const PASSWORD = "a password for tests";

/** Somebody who can sign in. */
export function person(account, role, more = []) {
  const email = `${unique(role)}@pages.example`;
  const id = locictl(["user", "create", "--account", account, "--email", email, "--name", `The ${role}`, "--role", role,
    "--password-file", "-", ...more], { input: `${PASSWORD}\n` });
  return { id, email, password: PASSWORD, account };
}

/** An account of its own, so that tests do not see each other's rows, with an owner, an agent and the agent's token. */
export function freshAccount(name = "Pages") {
  const slug = unique("pages");
  locictl(["account", "create", "--slug", slug, "--name", name]);
  const owner = person(slug, "owner", ["--operator"]);
  const agentId = locictl(["agent", "create", "--account", slug, "--slug", "helper", "--name", "Helper"]);
  const token = locictl(["token", "create", "--account", slug, "--agent", "helper", "--name", "tests"]);
  return { slug, owner, agentId, token };
}

/** What goes on behind the answers of an account of freshAccount is done: events, vectors, uses, queue, runs; or the parts named. */
export async function settled(account, ...parts) {
  account.operator ??= locictl(["token", "create", "--account", account.slug, "--user", account.owner.email, "--name", "settled"]);
  const query = new URLSearchParams([["account", account.slug], ["wait_s", "25"], ...parts.map((part) => ["parts", part])]);
  for (let end = Date.now() + PATIENCE; ;) {
    const r = await fetch(`${SITE}/api/v1/system/settled?${query}`, { headers: { Authorization: `Bearer ${account.operator}` } });
    const { data, error } = await r.json();
    assert.equal(r.status, 200, error);
    if (data.settled) return;
    assert.ok(Date.now() < end, `not settled: ${JSON.stringify(data)}`);
  }
}

/** Asks until the answer is one. What comes by itself may take its time where much else is at work. */
export async function until(what, ask) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    assert.ok(Date.now() < end, `did not happen in time: ${what}`);
    await new Promise((go) => { setTimeout(go, 50); });
  }
}

// ---- a browser

export const PATIENCE = 180_000;          // of a wait whose end is no question of time; a file as a whole has ten minutes

export const browse = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  timeout: PATIENCE,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

/** A page in a context of its own that keeps what went wrong in it: page.faults, and requests elsewhere: page.strangers. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC", ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.faults = [];
  page.strangers = [];
  page.on("console", (m) => {
    if (m.type() === "error" && !/the server responded with a status of 4\d\d/.test(m.text())) page.faults.push(m.text());
  });
  page.on("pageerror", (e) => page.faults.push(String(e)));
  page.on("request", (r) => { if (new URL(r.url()).origin !== new URL(SITE).origin) page.strangers.push(r.url()); });
  waitForParts(page, options.javaScriptEnabled !== false);
  return page;
}

/** A click, and Enter, are over when what they lead to is there: a page with all that it loads, or the part of one that htmx loads. */
function waitForParts(page, hasScripts) {
  const there = async () => {
    await page.waitForLoadState();
    if (!hasScripts) return;
    await page.waitForFunction(() => !document.querySelector("a.htmx-request, form.htmx-request"));
    await page.waitForLoadState();         // where htmx was led to a whole page
  };
  const frame = page.mainFrame();          // through which the page and its locators click and press
  for (const [of, name, which] of [[frame, "click", () => true], [frame, "press", (_, key) => key === "Enter"], [page.keyboard, "press", (key) => key === "Enter"]]) {
    const does = of[name].bind(of);
    of[name] = async (...words) => {
      await does(...words);
      if (which(...words)) await there();
    };
  }
}

/** "g" and a letter. They belong together for two and a half seconds; where a machine needs more for them, they are pressed again. */
export async function goByKeys(page, key) {
  for (let began = -Infinity; Date.now() - began > 2400;) {
    began = Date.now();
    await page.keyboard.press("g");
    await page.keyboard.press(key);
  }
}

export async function signIn(page, who, where = "/login") {
  await page.goto(SITE + where);
  await page.fill("[name=email]", who.email);
  await page.fill("[name=password]", who.password);
  await page.click("main button[type=submit]");
}

// ---- without a browser

/** The cookies that an answer sets, a line each: the Node.js of Debian 12 has no getSetCookie(). */
export const setCookies = (headers) => headers.getSetCookie?.() ?? (headers.get("set-cookie") ?? "").split(/, (?=[\w-]+=)/).filter(Boolean);

/** Keeps cookies, follows nothing. */
export class Client {
  jar = new Map();

  async send(path, { method = "GET", form, headers = {}, body } = {}) {
    const cookie = [...this.jar].map(([k, v]) => `${k}=${v}`).join("; ");
    const answer = await fetch(SITE + path, {
      method, redirect: "manual", headers: { ...(cookie && { cookie }), ...headers },
      body: form ? new URLSearchParams(form) : body,
    });
    for (const line of setCookies(answer.headers)) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value) this.jar.set(name, value); else this.jar.delete(name);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text(), where: answer.headers.get("location") };
  }

  /** Posts a form with the token of the page it stands on, unless another (or null: none) is given. */
  async post(path, fields = {}, { from = "/admin/account", csrf } = {}) {
    const token = csrf === undefined ? csrfOf((await this.send(from)).text) : csrf;
    const form = new URLSearchParams(token === null ? {} : { csrf_token: token });
    for (const [name, value] of Object.entries(fields)) for (const v of [value].flat()) form.append(name, v);
    return this.send(path, { method: "POST", form });
  }

  async signIn(who, fields = {}) {
    const page = await this.send("/login");
    return this.send("/login", { method: "POST", form: { csrf_token: csrfOf(page.text), email: who.email, password: who.password, ...fields } });
  }
}

export const csrfOf = (html) => /name="csrf_token" value="([^"]+)"/.exec(html)?.[1] ?? "";
/** The text of a page as one reads it. */
export const words = (html) => html.replace(/<script[^]*?<\/script>|<[^>]*>/g, " ").replace(/\s+/g, " ");

export async function signedIn(who) {
  const client = new Client();
  const answer = await client.signIn(who);
  assert.equal(answer.status, 303, words(answer.text));
  return client;
}

/** GET of the API with a token or a session. */
export async function api(path, token) {
  const answer = await fetch(`${SITE}/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, ...(await answer.json().catch(() => ({}))) };
}
