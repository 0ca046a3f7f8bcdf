// What makes the pages handier where JavaScript runs; none of them needs it.
"use strict";

const store = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* private mode: forgotten on leaving */ } },
};

// ---- what a page, or a part of it that came later, is made better with

// Times in the viewer's zone, UTC on hover; where it says how long ago, both.
function localTimes(root) {
  const full = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  for (const t of root.querySelectorAll("time[datetime]")) {
    const at = new Date(t.dateTime), utc = `${t.dateTime.slice(0, 19).replace("T", " ")} UTC`;
    if (Number.isNaN(at.getTime())) continue;
    const isAgo = t.classList.contains("ago");
    t.title = isAgo ? `${full.format(at)} · ${utc}` : utc;
    if (!isAgo) t.textContent = full.format(at);
  }
}

const button = (text, onClick) => {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  made.addEventListener("click", onClick);
  return made;
};

function copyButtons(root) {
  if (!navigator.clipboard) return;
  for (const box of root.querySelectorAll(".copyable:not(:has(> button))")) {
    box.append(button("Copy", async (e) => {
      const it = e.target;
      await navigator.clipboard.writeText(box.querySelector("pre").textContent.trim());
      it.textContent = "Copied";
      setTimeout(() => { it.textContent = "Copy"; }, 1500);
    }));
  }
}

function keyboardButton(root) {
  const help = document.getElementById("help"), foot = root.querySelector(".foot");
  if (help && foot && !foot.querySelector("button")) foot.append(button("Keyboard", () => help.showModal()));
}

// What only some pages show has its library and its script, fetched with the first of it and called with each.
const PICTURES = [
  { what: "#graph", needs: ["vendor/d3-force.js", "graph.js"], draw: "lociGraph" },
  { what: ".chart", needs: ["vendor/uplot.css", "vendor/uplot.js", "chart.js"], draw: "lociChart" },
  { what: "textarea[name=content][data-links]", needs: ["wikilinks.js"], draw: "lociLinks" },
];
const version = new URL(document.currentScript.src).search;
const fetched = new Map();

function fetchOnce(name) {
  if (!fetched.has(name)) fetched.set(name, new Promise((done, failed) => {
    const css = name.endsWith(".css"), at = `/static/${name}${version}`;
    const e = css ? Object.assign(document.createElement("link"), { rel: "stylesheet", href: at }) : Object.assign(document.createElement("script"), { src: at });
    e.addEventListener("load", done);
    e.addEventListener("error", failed);
    document.head.append(e);
  }));
  return fetched.get(name);
}

async function pictures(root) {
  for (const { what, needs, draw } of PICTURES) {
    const found = [...root.querySelectorAll(what)];
    if (!found.length) continue;
    try {
      for (const name of needs) await fetchOnce(name);
      for (const one of found) if (one.isConnected) globalThis[draw](one);
    } catch { /* not there: what the server drew and wrote says the same */ }
  }
}

function enhance(root) {
  localTimes(root);
  copyButtons(root);
  keyboardButton(root);
  pictures(root);
}

// ---- menus and keys

// Menus close on Escape and on a click elsewhere.
const openMenus = () => document.querySelectorAll("details.menu[open]");
const closeMenus = () => { for (const m of openMenus()) m.open = false; };

function menus() {
  document.addEventListener("click", (e) => {
    for (const m of openMenus()) if (!m.contains(e.target)) m.open = false;
  });
  document.addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    for (const m of openMenus()) { m.open = false; m.querySelector("summary").focus(); }
  });
}

// In the inbox: j and k to the next item and the one before, a and r do what its buttons say; a wants a note where the item does.
function inboxKey(key) {
  const items = [...document.querySelectorAll("[data-item]")], at = items.findIndex((i) => i.contains(document.activeElement));
  if (key === "j" || key === "k") items[Math.min(Math.max(at < 0 ? 0 : at + (key === "j" ? 1 : -1), 0), items.length - 1)]?.focus();
  else items[at]?.querySelector(`[data-do="${key}"]`)?.click();
}

// "/" search, "g" and a letter to go, "?" help; can be switched off in the help.
function keys() {
  const help = document.getElementById("help");
  if (!help) return;
  const on = document.getElementById("keys-on");
  let goUntil = 0;
  on.checked = store.get("loci.keys") !== "off";
  on.addEventListener("change", () => store.set("loci.keys", on.checked ? "on" : "off"));
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, [contenteditable]")) return;
    if (e.key === "?" && !help.open) { help.showModal(); return; }
    if (!on.checked || help.open) return;
    if (goUntil > Date.now()) {
      goUntil = 0;
      document.querySelector(`nav [data-key="${CSS.escape(e.key)}"]`)?.click();
    } else if (e.key === "g") {
      goUntil = Date.now() + 2500;
    } else if ("jkar".includes(e.key) && e.key.length === 1) {
      inboxKey(e.key);
    } else if (e.key === "/") {
      const box = document.querySelector("input[type=search]");
      if (box) { e.preventDefault(); box.focus(); box.select(); }
    }
  });
}

// ---- parts of pages, by htmx: layout.mustache says which. Without htmx every link and form loads a whole page

const main = () => document.getElementById("main");
const here = () => location.pathname + location.search;
const isPost = (e) => e.getAttribute("method")?.toLowerCase() === "post";

/** Says it to those who do not see what changed; the same again is said again. */
function say(text) {
  const said = document.getElementById("said");
  if (!said) return;
  said.textContent = "";
  requestAnimationFrame(() => { said.textContent = text; });
}

/** Where no answer came. */
function failed(text) {
  main().querySelector(".flash.away")?.remove();
  main().prepend(Object.assign(document.createElement("p"), { className: "flash bad away afloat", textContent: text }));
  say(text);
}

// What stands for the same thing before and after: a link to there, a field or button of that form.
const TAKES_FOCUS = "a[href], button, input, select, textarea, summary";
const markOf = (e) => [e.tagName, e.id, e.name, e.getAttribute("href"), e.form?.getAttribute("action"), /^(BUTTON|SUMMARY)$/.test(e.tagName) && e.textContent.trim()].join("\n");

/** Only what answers with a page of ours; the rest goes its own way, and so does a file, which may take its time. */
function isOurs(e) {
  if (e.getAttribute("enctype") === "multipart/form-data") return false;
  const path = new URL(e.getAttribute("href") ?? e.getAttribute("action") ?? "", location).pathname;
  return /^\/(admin|api\/v1\/docs)(\/|$)/.test(path);
}

function isIdle(part) {
  const typed = document.activeElement;
  return !document.hidden && !part.querySelector("details[open]") && !(part.contains(typed) && typed.matches("input, select, textarea"));
}

// What waits, beside its entry of the navigation, as the page that came says it.
function navCounts() {
  const counts = new Map((main().dataset.counts ?? "").split(" ").filter(Boolean).map((pair) => pair.split("=")));
  for (const a of document.querySelectorAll("nav.side a, .nav-menu a")) {
    const n = counts.get(a.getAttribute("href"));
    let mark = a.querySelector(".nav-count");
    if (!n) { mark?.remove(); continue; }
    if (!mark) {
      mark = Object.assign(document.createElement("span"), { className: "nav-count" });
      a.append(mark);
    }
    mark.replaceChildren(n, Object.assign(document.createElement("span"), { className: "visually-hidden", textContent: " waiting" }));
  }
}

function frameFits() {
  closeMenus();
  main().toggleAttribute("data-hx-history-elt", true);      // what nginx says by itself has none
  for (const a of document.querySelectorAll("nav.side a, .nav-menu a"))
    if (a.getAttribute("href") === main().dataset.nav) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  navCounts();
  const back = document.querySelector(".themes [name=return_to]");
  if (back) back.value = here();
}

// The page's name and, of a list that was filtered, what came of it.
function outcome() {
  const list = main().querySelector(".filters ~ section table, .filters ~ table"), none = main().querySelector(".filters ~ * .empty-heading");
  const rows = list?.tBodies[0]?.rows.length;
  return none ? `${none.innerText}. ${document.title}` : rows ? `${rows} in the list. ${document.title}` : document.title;
}

// A change keeps the place on the page. The focus stays on what has it, where that is there still; else it goes to what the change said,
// or to the beginning.
function settle({ mark, path, post, isTab }) {
  const flash = main().querySelector(":scope > .flash"), wrong = post && main().querySelector("[aria-invalid=true]");
  const same = path === location.pathname, kept = (same || isTab) && mark && [...main().querySelectorAll(TAKES_FOCUS)].find((e) => markOf(e) === mark);
  say(flash ? (flash.querySelector("[role=status]") ?? flash).innerText : same ? outcome() : document.title);
  if (!kept && !(same && post)) scrollTo(0, 0);
  if (flash && flash.getBoundingClientRect().bottom < 60) flash.classList.add("afloat");
  if (flash && !kept) flash.tabIndex = -1;
  (wrong || kept || flash || main()).focus({ preventScroll: !wrong });
}

/** On the way back htmx gives a request no end: who goes on elsewhere meanwhile would have that page replaced when its answer comes. */
function endable(request) {
  const end = new AbortController(), { signal } = request;
  signal?.addEventListener("abort", () => end.abort(signal.reason));
  Object.assign(request, { signal: end.signal, abort: (why) => end.abort(why) });
}

function swapping() {
  let left = null, posting = null, isWhole = false;
  const on = (name, does) => document.addEventListener(`htmx:${name}`, does);
  on("before:init", (e) => { if (e.target.matches("a, form") && !isOurs(e.target)) e.preventDefault(); });
  on("config:request", (e) => {
    const { ctx, ctx: { request, target } } = e.detail;
    if (target === main()) ctx.select = "#main";            // also of what nginx says, and on the way back
    if (!request.abort) endable(request);
    if (target !== main() ? !isIdle(target) : request.method === "POST" && posting) e.preventDefault();      // no second click
  });
  on("before:request", (e) => { if (e.detail.ctx.request.method === "POST") posting = e.detail.ctx; });
  on("finally:request", (e) => { if (posting === e.detail.ctx) posting = null; });
  const elsewhere = (e) => {                // no page of ours: a file, say
    const { request, target } = e.detail.ctx;
    e.preventDefault();
    request.abort();
    if (target !== main()) return;
    if (request.method === "GET") location.assign(request.action);
    else failed("That was not answered as it should be. Look whether it was done before you try again.");
  };
  on("before:response", (e) => {
    const { headers } = e.detail.ctx.response;
    if (!headers.has("HX-Redirect") && !headers.get("Content-Type")?.startsWith("text/html")) elsewhere(e);
  });
  on("after:request", (e) => {
    const { ctx } = e.detail;
    if (!ctx.response.headers.has("HX-Redirect") && !ctx.text.includes(`id="${ctx.target.id}"`)) elsewhere(e);
  });
  on("before:history:update", (e) => {
    const { history, sourceElement, response } = e.detail;
    if (history.path === here() || (isPost(sourceElement) && !response.raw.redirected)) e.preventDefault();
  });
  on("before:swap", (e) => {
    const { ctx } = e.detail;
    isWhole = ctx.target === main();
    if (!isWhole && !isIdle(ctx.target)) return e.preventDefault();      // opened, or typed into, meanwhile
    const had = main().contains(document.activeElement) ? document.activeElement : ctx.request.submitter;
    left = !isWhole || ctx.sourceElement === document.body ? null
      : { mark: had && main().contains(had) ? markOf(had) : null, path: location.pathname, post: ctx.request.method === "POST", isTab: had?.closest(".tabs") };
  });
  on("after:swap", (e) => {
    if (e.detail.ctx.title) document.title = e.detail.ctx.title;
    if (isWhole) frameFits();
    if (left) settle(left);
    else if (e.detail.ctx.sourceElement === main() || e.detail.ctx.sourceElement === document.body) say(document.title);
    left = null;
  });
  on("error", (e) => { if (e.detail.ctx && e.detail.ctx.target === main()) failed("Loci did not answer. Look whether it was done before you try again."); });
  on("after:process", (e) => { if (e.target !== document.body) enhance(e.target); });
}

enhance(document);
menus();
keys();
swapping();
