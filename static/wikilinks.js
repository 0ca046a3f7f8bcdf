// In the editor of a page, "[[" offers the titles of pages: arrows choose, Enter or Tab takes, Escape closes.
"use strict";

globalThis.lociLinks = (area) => {
  if (area.dataset.helped) return;
  area.dataset.helped = "yes";
  const list = Object.assign(document.createElement("ul"), { className: "offers", id: `${area.name}-offers`, hidden: true });
  let typed = null, chosen = 0, waits = 0;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Pages to link to");
  area.setAttribute("aria-controls", list.id);
  area.setAttribute("aria-autocomplete", "list");
  area.after(list);

  // What stands between "[[" and the caret, unless the link has ended or shows other words already.
  const begun = () => /\[\[([^[\]|#\n]{0,200})$/.exec(area.value.slice(0, area.selectionStart))?.[1] ?? null;
  const close = () => { list.hidden = true; area.removeAttribute("aria-activedescendant"); };

  function choose(i) {
    chosen = (i + list.children.length) % list.children.length;
    [...list.children].forEach((e, at) => e.setAttribute("aria-selected", at === chosen));
    area.setAttribute("aria-activedescendant", list.children[chosen].id);
  }

  function take(title) {
    const end = area.selectionStart, rest = area.value.slice(end);
    area.setRangeText(`${title}${rest.startsWith("]]") ? "" : "]]"}`, end - begun().length, end, "end");
    if (rest.startsWith("]]")) area.selectionEnd = area.selectionStart += 2;
    close();
    area.focus();
  }

  function show(titles) {
    list.replaceChildren(...titles.map((title, i) => {
      const one = Object.assign(document.createElement("li"), { id: `${list.id}-${i}`, textContent: title });
      one.setAttribute("role", "option");
      one.addEventListener("pointerdown", (e) => { e.preventDefault(); take(title); });
      return one;
    }));
    list.hidden = !titles.length;
    if (titles.length) choose(0);
  }

  // The list of pages is what a person would search; its titles are the offers.
  async function ask() {
    typed = begun();
    if (typed === null) return close();
    const mine = ++waits, answer = await fetch(`/admin/pages?q=${encodeURIComponent(typed.trim())}`).catch(() => null);
    if (!answer?.ok || mine !== waits || begun() !== typed) return undefined;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return mine === waits ? show([...new Set([...page.querySelectorAll("table.cards tbody td:first-child > a")].map((a) => a.textContent))].slice(0, 8)) : undefined;
  }

  area.addEventListener("input", ask);
  area.addEventListener("blur", close);
  area.addEventListener("keydown", (e) => {
    if (list.hidden) return;
    const does = { ArrowDown: () => choose(chosen + 1), ArrowUp: () => choose(chosen - 1), Escape: close };
    does.Enter = does.Tab = () => take(list.children[chosen].textContent);
    if (!does[e.key]) return;
    e.preventDefault();
    e.stopPropagation();
    does[e.key]();
  });
};
