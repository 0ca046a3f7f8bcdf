// What makes the pages handier where JavaScript runs; none of them needs it.
"use strict";

const store = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* private mode: forgotten on leaving */ } },
};

// Times in the viewer's zone, UTC on hover.
function localTimes(root) {
  const full = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  for (const t of root.querySelectorAll("time[datetime]:not(.ago)")) {
    const at = new Date(t.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    t.title = `${t.dateTime.slice(0, 19).replace("T", " ")} UTC`;
    t.textContent = full.format(at);
  }
}

function copyButtons(root) {
  if (!navigator.clipboard) return;
  for (const box of root.querySelectorAll(".copyable:not(.can-copy)")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(box.querySelector("pre").textContent.trim());
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    box.classList.add("can-copy");
    box.append(button);
  }
}

function enhance(root) {
  localTimes(root);
  copyButtons(root);
}

// Menus close on Escape and on a click elsewhere.
function menus() {
  const open = () => document.querySelectorAll("details.menu[open]");
  document.addEventListener("click", (e) => {
    for (const m of open()) if (!m.contains(e.target)) m.open = false;
  });
  document.addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    for (const m of open()) { m.open = false; m.querySelector("summary").focus(); }
  });
}

// "/" search, "g" and a letter to go, "?" help; can be switched off in the help.
function keys() {
  const help = document.getElementById("help");
  if (!help) return;
  const on = document.getElementById("keys-on");
  let goUntil = 0;
  on.checked = store.get("loci.keys") !== "off";
  on.addEventListener("change", () => store.set("loci.keys", on.checked ? "on" : "off"));
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Keyboard";
  button.addEventListener("click", () => help.showModal());
  document.querySelector(".foot")?.append(button);
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, [contenteditable]")) return;
    if (e.key === "?" && !help.open) { help.showModal(); return; }
    if (!on.checked || help.open) return;
    if (goUntil > Date.now()) {
      goUntil = 0;
      document.querySelector(`nav [data-key="${CSS.escape(e.key)}"]`)?.click();
    } else if (e.key === "g") {
      goUntil = Date.now() + 2500;
    } else if (e.key === "/") {
      const box = document.querySelector("input[type=search]");
      if (box) { e.preventDefault(); box.focus(); box.select(); }
    }
  });
}

// <section id="x" data-refresh="5">: read again every so many seconds, while it is looked at and nothing in it is open.
function refresh() {
  for (const box of document.querySelectorAll("[data-refresh][id]")) {
    const again = async () => {
      const now = document.getElementById(box.id);
      if (!now?.dataset.refresh) return;
      if (!document.hidden && !now.querySelector("details[open]") && !now.contains(document.activeElement)) {
        try {
          const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
          const page = new DOMParser().parseFromString(await answer.text(), "text/html");
          const next = page.getElementById(box.id);
          if (answer.ok && next) { now.replaceWith(next); enhance(next); }
        } catch { /* the server is away: try again */ }
      }
      setTimeout(again, Number(now.dataset.refresh) * 1000);
    };
    setTimeout(again, Number(box.dataset.refresh) * 1000);
  }
}

enhance(document);
menus();
keys();
refresh();
