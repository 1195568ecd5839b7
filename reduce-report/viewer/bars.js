import { count, el } from "./dom.js";

/** The counts that charts show: the heading, its meaning, and the function for a stage. */
const CHARTS = [
  ["Time", "microseconds, all launches", (it) => it.time?.all_us],
  ["Launches", "kernels, one after the other", (it) => it.counts.kernel?.launches],
  ["Slots", "lanes that could combine in the tree", (it) => it.counts.loop?.slots],
  ["Idle slots", "of these, without work", (it) => it.counts.loop && it.counts.loop.slots - it.counts.loop.active],
  ["Requests", "128-byte lines of global memory", (it) => it.counts.kernel?.requests],
  ["Sectors", "32 bytes of global memory each", (it) => it.counts.kernel?.sectors],
  ["Shared accesses", "warp-wide", (it) => shared(it, "accesses")],
  ["Bank conflicts", "further passes through the banks", (it) => shared(it, "conflicts")],
  ["Block barriers", "over all blocks", (it) => it.counts.kernel?.block_barriers],
  ["Warp barriers", "warp-wide", (it) => it.counts.kernel?.warp_barriers],
  ["Shuffles", "warp-wide", (it) => it.counts.kernel?.shuffles],
  ["Redux", "reductions of a warp by one instruction", (it) => it.counts.kernel?.redux],
  ["Atomics", "once for each lane", (it) => it.counts.kernel?.atomics],
  ["Divergent branches", "lanes of a warp that went both ways", (it) => it.counts.kernel?.divergent_branches],
];

/** A chart for each source that published times. */
function publishedCharts(stages) {
  const sources = new Set(stages.flatMap((stage) => stage.published.map((it) => it.source)));
  return [...sources].map((source) => {
    const of = (stage) => stage.published.find((it) => it.source === source);
    const elements = count(stages.map(of).find(Boolean).n);
    return [`Time by source ${source}`, `microseconds, ${elements} elements`, (stage) => of(stage)?.us];
  });
}

function shared(stage, field) {
  const kernel = stage.counts.kernel;
  return kernel && kernel.shared_loads[field] + kernel.shared_stores[field];
}

/** Shows a chart for each count that is not 0 everywhere, with a bar for each stage. */
export function bars(stages) {
  const charts = [...CHARTS, ...publishedCharts(stages)].map(([title, meaning, value]) => ({ title, meaning, values: stages.map((it) => value(it) ?? null) }));
  const shown = charts.filter((chart) => chart.values.some((value) => value > 0));
  const cards = shown.map((chart) => card(chart, stages));
  const mark = (at) => cards.forEach((it) => it.rows.forEach((row, other) => row.classList.toggle("now", other === at)));
  return { box: el("div", { class: "cards" }, ...cards.map((it) => it.box)), mark };
}

function card({ title, meaning, values }, stages) {
  const most = Math.max(...values.map((value) => value ?? 0));
  const least = Math.min(...values.filter((value) => value > 0));
  // Figures of several magnitudes have bars by their logarithms.
  const wide = most > 500 * least;
  const part = (value) => (wide ? Math.log2(1 + value / least) / Math.log2(1 + most / least) : value / most);
  const rows = values.map((value, at) => {
    const bar = el("span", { class: "bar" });
    bar.style.setProperty("--part", String(value > 0 ? part(value) : 0));
    const text = value === null ? "–" : Number.isInteger(value) ? count(value) : value.toFixed(1);
    // A bar alone has nothing to be compared with.
    const track = stages.length > 1 ? el("td", { class: "track" }, bar) : null;
    return el("tr", {}, el("th", { scope: "row" }, stages[at].name), track, el("td", { class: "number" }, text));
  });
  const box = el("table", { class: "card" }, el("caption", {}, el("b", {}, title), el("span", {}, wide ? `${meaning}; logarithmic` : meaning)), el("tbody", {}, ...rows));
  return { box, rows };
}
