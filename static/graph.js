// The picture of the page Graph: read from its tables, laid out by d3-force, drawn as SVG. A click on a node asks for what lies
// around it and adds that; without this script the tables say the same.
"use strict";

globalThis.lociGraph = (box) => {
  const { d3 } = globalThis;
  const MOST = 300, SVG = "http://www.w3.org/2000/svg";
  const svg = box.querySelector("svg"), said = box.querySelector("[role=status]"), keys = box.querySelector(".graph-keys");
  const nodes = new Map(), edges = new Map(), kinds = [];
  const middle = box.dataset.middle;
  const way = [...document.querySelectorAll("[data-way]")].map((e) => e.dataset.way);
  const onWay = new Set(way.slice(1).map((id, i) => [way[i], id].sort().join(" ")));

  const make = (name, attributes, parent) => {
    const e = document.createElementNS(SVG, name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    parent?.append(e);
    return e;
  };

  // What the tables of a page say that is not in the picture yet.
  function read(root, near) {
    let added = 0;
    for (const row of root.querySelectorAll("tr[data-node]")) {
      const id = row.dataset.node;
      if (nodes.has(id) || nodes.size >= MOST) continue;
      if (!kinds.includes(row.dataset.kind)) kinds.push(row.dataset.kind);
      nodes.set(id, { id, kind: row.dataset.kind, name: row.dataset.name, href: row.dataset.centred, degree: 0, x: near?.x, y: near?.y });
      added++;
    }
    for (const row of root.querySelectorAll("tr[data-source]")) {
      const { source, target, relation } = row.dataset;
      if (!nodes.has(source) || !nodes.has(target)) continue;
      const pair = [source, target].sort().join(" "), line = edges.get(pair) ?? { source, target, relations: new Set(), weight: 0, arrows: new Set() };
      line.relations.add(relation);
      line.weight = Math.max(line.weight, Number(row.dataset.weight));
      if (!row.dataset.both) line.arrows.add(target);
      edges.set(pair, line);
    }
    return added;
  }

  const radius = (n) => Math.min(6 + Math.sqrt(n.degree) * 2.2, 15);
  const short = (text) => (text.length > 26 ? `${text.slice(0, 25)}…` : text);

  // Uses the room there is, and no more of it; a few nodes do not fly apart.
  function spread(all, axis, from, to) {
    const low = Math.min(...all.map((n) => n[axis])), high = Math.max(...all.map((n) => n[axis]));
    const scale = Math.min((to - from) / Math.max(high - low, 1), 1.6), at = (from + to) / 2 - ((low + high) / 2) * scale;
    for (const n of all) n[axis] = n[axis] * scale + at;
  }

  function layOut(width, height) {
    const all = [...nodes.values()], links = [...edges.values()].map((e) => ({ ...e }));
    const space = Math.sqrt((width * height) / Math.max(all.length, 4));
    for (const n of all) n.degree = 0;
    for (const e of links) { nodes.get(e.source).degree++; nodes.get(e.target).degree++; }
    d3.forceSimulation(all)
      .force("links", d3.forceLink(links).id((n) => n.id).distance(space * 0.75))
      .force("apart", d3.forceManyBody().strength(-space * 4))
      .force("room", d3.forceCollide(Math.min(34, space * 0.42)))
      .force("x", d3.forceX(width / 2).strength(0.06)).force("y", d3.forceY(height / 2).strength(0.12))
      .stop().tick(300);
    spread(all, "x", 48, width - 48);
    spread(all, "y", 20, height - 30);
    return links;
  }

  // Names stand below their nodes, or above, or beside them, where they cover neither a node nor a name that was there first; the
  // nodes with most edges choose first. Who finds no room has his name shown when pointed at.
  function placeNames(width, height) {
    const all = [...nodes.values()], taken = all.map((n) => ({ x: n.x - radius(n), y: n.y - radius(n), w: 2 * radius(n), h: 2 * radius(n) }));
    const hits = (a) => taken.some((b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h);
    const rank = (n) => (n.id === middle ? Infinity : n.degree + (way.includes(n.id) ? 1000 : 0));
    for (const n of all.sort((a, b) => rank(b) - rank(a))) {
      const w = short(n.name).length * 6.7 + 4, h = 13, r = radius(n) + 2;
      const places = [["middle", n.x - w / 2, n.y + r], ["middle", n.x - w / 2, n.y - r - h], ["start", n.x + r, n.y - h / 2], ["end", n.x - r - w, n.y - h / 2]];
      const free = places.find(([, x, y]) => x >= 0 && y >= 0 && x + w <= width && y + h <= height && !hits({ x, y, w, h }));
      const [anchor, x, y] = free ?? places[0];
      n.label = { anchor, x: anchor === "middle" ? n.x : anchor === "start" ? x : x + w, y: y + h - 3, quiet: !free };
      if (free) taken.push({ x, y, w, h });
    }
  }

  function drawNode(n, group) {
    const link = make("a", { href: n.href, class: `k${kinds.indexOf(n.kind) % 6}${n.id === middle ? " middle" : ""}${n.label.quiet ? " quiet" : ""}` }, group);
    make("title", {}, link).textContent = `${n.kind}: ${n.name}`;
    make("circle", { cx: n.x.toFixed(1), cy: n.y.toFixed(1), r: radius(n).toFixed(1) }, link);
    make("text", { x: n.label.x.toFixed(1), y: n.label.y.toFixed(1), "text-anchor": n.label.anchor }, link).textContent = short(n.name);
    link.addEventListener("click", (e) => {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      grow(n);
    });
    link.addEventListener("pointerenter", () => point(n, true));
    link.addEventListener("pointerleave", () => point(n, false));
    link.addEventListener("focus", () => point(n, true));
    link.addEventListener("blur", () => point(n, false));
  }

  // What a node is joined to stands out while one points at it.
  function point(n, on) {
    svg.classList.toggle("pointing", on);
    for (const line of svg.querySelectorAll("[data-ends]")) line.classList.toggle("near", on && line.dataset.ends.includes(n.id));
  }

  // From rim to rim, so that arrows are seen.
  function drawLine({ source: a, target: b, relations, weight, arrows }, group, named) {
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1, [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const line = make("line", { x1: (a.x + dx * radius(a)).toFixed(1), y1: (a.y + dy * radius(a)).toFixed(1), x2: (b.x - dx * radius(b)).toFixed(1), y2: (b.y - dy * radius(b)).toFixed(1), "stroke-width": (0.8 + weight * 1.6).toFixed(1) }, group);
    const ends = [a.id, b.id].sort().join(" ");
    line.dataset.ends = ends;
    line.classList.toggle("way-line", onWay.has(ends));
    if (arrows.has(b.id)) line.setAttribute("marker-end", "url(#arrow)");
    if (arrows.has(a.id)) line.setAttribute("marker-start", "url(#arrow)");
    const name = make("text", { x: ((a.x + b.x) / 2).toFixed(1), y: ((a.y + b.y) / 2).toFixed(1), class: named ? "edge-name" : "edge-name quiet" }, group);
    name.textContent = [...relations].join(", ");
    name.dataset.ends = ends;
  }

  function draw() {
    const width = Math.max(box.clientWidth - 2, 300);
    const height = nodes.size === 1 ? 110 : Math.round(Math.max(Math.min(width * 1.4, 520), Math.min(width * 0.62, 640)));
    const links = layOut(width, height);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const marker = make("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" }, make("defs", {}, svg));
    make("path", { d: "M0 0L8 4L0 8z", class: "arrow" }, marker);
    const lines = make("g", { "aria-hidden": "true" }, svg), dots = make("g", {}, svg);
    for (const line of links) drawLine(line, lines, links.length <= 16 && width > 600);
    placeNames(width, height);
    for (const n of nodes.values()) drawNode(n, dots);
    keys.replaceChildren(...kinds.map((kind, i) => Object.assign(document.createElement("span"), { className: `k${i % 6}`, textContent: kind })));
  }

  function tell(n, text) {
    const link = Object.assign(document.createElement("a"), { href: `/admin/nodes/${n.id}`, textContent: n.name });
    const centre = Object.assign(document.createElement("a"), { href: n.href, textContent: "Put it in the middle" });
    said.replaceChildren(link, ` (${n.kind}): ${text} `, ...(n.id === middle ? [] : [centre]));
  }

  async function grow(n) {
    const at = new URL(n.href, location.href);
    at.searchParams.set("depth", "1");
    try {
      const answer = await fetch(at, { headers: { Accept: "text/html" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const added = read(new DOMParser().parseFromString(await answer.text(), "text/html"), n);
      if (added) draw();
      tell(n, added ? `${added} more shown.` : nodes.size >= MOST ? `the picture is full with ${MOST}.` : "all around it is shown.");
      [...svg.querySelectorAll("a")].find((a) => a.getAttribute("href") === n.href)?.focus();
    } catch { tell(n, "what lies around it could not be read."); }
  }

  read(document);
  box.hidden = false;
  draw();
};
