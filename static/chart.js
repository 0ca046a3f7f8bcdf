// A chart that the server drew, as one of uPlot's: with what a point says under the pointer or the arrow keys. The figures come from the
// table beside it, and the colours from what the stylesheet gives the drawing; both stay for those who read otherwise.
"use strict";

function lociChart(box) {
  for (const [one, end] of lociChart.shown) if (!one.isConnected) { end(); lociChart.shown.delete(one); }
  const { uPlot } = globalThis, plot = box.querySelector(".chart-plot"), keys = [...box.querySelectorAll(".chart-key")];
  const cells = [...box.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  if (!cells.length || plot.querySelector(".chart-live")) return;
  const isBars = box.querySelector(".chart-keys.of-bars") !== null, scale = [...box.querySelectorAll(".chart-scale span")].map((s) => s.textContent);
  const number = (text) => (/\d/.test(text) ? Number(text.replace(/[^\d.-]/g, "")) : null);
  const names = cells.map(([x]) => x), last = cells.length - 1, top = number(scale[0]) || 1;
  const values = keys.map((_, s) => cells.map((row) => number(row[s + 1])));
  const short = (name) => name.replace(/ \d{4}$/, "");

  const style = (selector, pseudo) => getComputedStyle(box.querySelector(selector), pseudo);
  const text = () => style(".chart-scale").color, rule = () => style(".chart-grid").stroke, ground = () => getComputedStyle(box.closest(".card") ?? document.body).backgroundColor;
  const line = (s) => () => style(`.chart-key.${"ab"[s]}`, "::before").borderTopColor;
  const fill = (s) => () => style(`.chart-key.${"ab"[s]}`, "::before").backgroundColor;

  // The sum lies behind, the first series before it.
  const stacked = () => [...values.keys()].reverse().map((s) => ({ s, v: names.map((_, i) => values.slice(0, s + 1).reduce((sum, v) => sum + (v[i] ?? 0), 0) || null) }));
  const drawn = isBars ? stacked() : values.map((v, s) => ({ s, v }));
  const series = drawn.map(({ s }) => (isBars
    ? { stroke: line(s), fill: fill(s), width: 1, paths: uPlot.paths.bars({ size: [0.72, 90], gap: 1 }), points: { show: false } }
    : { stroke: line(s), width: 2, dash: s ? [6, 5] : undefined, points: { size: 6, fill: ground } }));

  const live = Object.assign(document.createElement("div"), { className: "chart-live", tabIndex: 0 });
  const read = Object.assign(document.createElement("p"), { className: "chart-read small muted" });
  const hint = "Hover for values, or use the arrow keys.";
  const idle = () => { read.textContent = hint; };
  const words = (i) => `${names[i]}: ${keys.map((k, s) => `${k.textContent} ${cells[i][s + 1]}`).join(", ")}`;
  Object.entries({ role: "slider", "aria-label": `${plot.querySelector("svg").getAttribute("aria-label")}, point by point`, "aria-valuemin": 0, "aria-valuemax": last })
    .forEach(([name, value]) => live.setAttribute(name, value));
  let at = last;
  const tell = (i) => {
    at = i;
    live.setAttribute("aria-valuenow", i);
    live.setAttribute("aria-valuetext", words(i));
  };

  // As many names below as there is room for, the first and the last among them.
  function places(u) {
    const wide = 24 + 7 * Math.max(...names.map((name) => short(name).length));
    const most = Math.max(2, Math.floor(u.bbox.width / devicePixelRatio / wide)), step = Math.max(1, Math.ceil(last / (most - 1)));
    const all = names.map((_, i) => i).filter((i) => (last - i) % step === 0);
    return all[0] > step * 0.75 || last === 0 ? [...new Set([0, ...all])] : all;
  }
  const now = plot.dataset.now && (Number(plot.dataset.now) / 1000) * last;
  function drawNow(u) {
    if (!now) return;
    const x = u.valToPos(now, "x", true);
    u.ctx.save();
    u.ctx.strokeStyle = rule();
    u.ctx.setLineDash([2, 3]);
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  const font = () => `12px ${getComputedStyle(box).fontFamily}`;
  const half = isBars ? 0.5 : last ? 0 : 1;
  const options = () => ({
    width: live.clientWidth, height: 176, padding: [8, 24, 0, 0], legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { show: !isBars, size: 7 } },
    scales: { x: { time: false, range: [-half, last + half] }, y: { range: [0, top] } },
    axes: [
      { stroke: text, font: font(), grid: { show: false }, ticks: { stroke: rule, size: 4 }, size: 28, gap: 4, splits: places, values: (u, found) => found.map((i) => short(names[i] ?? "")) },
      { stroke: text, font: font(), grid: { stroke: rule, width: 1 }, ticks: { show: false }, gap: 6, size: 14 + 7 * Math.max(...scale.map((s) => s.length)), splits: () => [0, top / 2, top], values: () => [...scale].reverse() },
    ],
    series: [{}, ...series],
    hooks: {
      draw: [drawNow],
      setCursor: [(u) => {
        const i = u.cursor.idx;
        if (i == null || u.cursor.left < 0) return document.activeElement === live || idle();
        read.textContent = words(i);
        return tell(i);
      }],
    },
  });

  box.classList.add("is-live");
  plot.append(live);
  plot.after(read);
  idle();
  tell(last);
  const u = new uPlot(options(), [names.map((_, i) => i), ...drawn.map(({ v }) => v)], live);
  const show = (i) => { tell(i); read.textContent = words(i); u.setCursor({ left: u.valToPos(i, "x"), top: 8 }); };
  const steps = { ArrowLeft: () => at - 1, ArrowDown: () => at - 1, ArrowRight: () => at + 1, ArrowUp: () => at + 1, Home: () => 0, End: () => last };
  live.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !steps[e.key]) return;
    e.preventDefault();
    show(Math.max(0, Math.min(last, steps[e.key]())));
  });
  live.addEventListener("blur", () => { u.setCursor({ left: -10, top: -10 }); idle(); });

  const light = matchMedia("(prefers-color-scheme: dark)"), again = () => u.redraw(false);
  light.addEventListener("change", again);
  const watch = new ResizeObserver(() => {
    if (live.clientWidth && live.clientWidth !== u.width) u.setSize({ width: live.clientWidth, height: u.height });
  });
  watch.observe(live);
  lociChart.shown.set(live, () => {
    watch.disconnect();
    light.removeEventListener("change", again);
    u.destroy();
  });
}

// Those of parts that are gone are taken down with the next.
lociChart.shown = new Map();
