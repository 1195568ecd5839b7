import { count, counted, el, svg } from "./dom.js";
import { lanesOf } from "./spans.js";
import { Run } from "./state.js";

const LINE = 128;
const SECTOR = 32;
const WORD = 4;
const MOST_LINES = 16;

/** Shows which bytes of global memory the warps of a stage touch. */
export function memory(stage) {
  const played = stage.steps_of_run;
  const run = played && new Run(played);
  const requests = (played?.frames ?? []).flatMap((frame) => (frame.g ?? []).map((access) => ({ frame, access })));
  if (requests.length === 0) return el("p", { class: "quiet" }, "This stage has no recorded accesses to global memory.");
  const places = new Map();
  for (const request of requests) {
    const { frame, access } = request;
    const key = `${frame.l}/${frame.s}/${access.stores}`;
    if (!places.has(key)) places.set(key, { first: request, all: [] });
    places.get(key).all.push(access);
  }
  const picture = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "bytes of one request" });
  const buttons = [];
  const rows = [...places.values()].map(({ first, all }, at) => {
    const sum = (value) => all.reduce((sum, access) => sum + value(access), 0);
    const used = sum((access) => lanesOf(access.at).length * access.bytes);
    const sectors = sum((access) => access.sectors);
    const moved = sectors * SECTOR;
    const line = run.line(first.frame);
    const button = el("button", { type: "button", on: { click: () => choose(at) } }, `${first.access.stores ? "store to" : "load of"} ${first.access.buffer}`);
    buttons.push({ button, first });
    const cells = [run.kernel(first.frame.l).name, line === undefined ? "" : String(line + 1), count(all.length), count(sum((access) => access.requests)), count(sectors), `${Math.min(100, Math.round((100 * used) / Math.max(1, moved)))}\u202f%`];
    return el("tr", {}, el("th", { scope: "row" }, button), ...cells.map((text, column) => el("td", { class: column > 0 ? "number" : "" }, text)));
  });
  const choose = (at) => {
    buttons.forEach(({ button }, other) => button.setAttribute("aria-pressed", String(other === at)));
    picture.replaceChildren(...request(buttons[at].first));
  };
  choose(0);
  const head = ["access", "kernel", "line", "accesses", "lines of 128 B", "sectors", "bytes used"].map((name) => el("th", { scope: "col" }, name));
  return el("div", {}, el("div", { class: "scroll tall", tabindex: "0", role: "group", "aria-label": "accesses" },
    el("table", { class: "plain" }, el("caption", {}, "Accesses of the shown blocks, each once for the lanes of a warp"), el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows))), picture);
}

/** Draws the first request of a statement: a row for each line of memory, with its words; sectors are framed. */
function request({ frame, access }) {
  const bytes = new Set();
  lanesOf(access.at).forEach(([, start]) => {
    for (let byte = 0; byte < access.bytes; byte++) bytes.add(start + byte);
  });
  const lines = [...new Set([...bytes].map((byte) => Math.floor(byte / LINE)))].sort((a, b) => a - b);
  const shown = lines.slice(0, MOST_LINES);
  const [left, word, row] = [84, 20, 24];
  const marks = shown.flatMap((line, at) => {
    const y = at * row + 16;
    const used = (from, size) => Array.from({ length: size }, (_, k) => bytes.has(line * LINE + from + k)).filter(Boolean).length;
    const words = Array.from({ length: LINE / WORD }, (_, k) => {
      const part = used(k * WORD, WORD) / WORD;
      const sector = used(Math.floor((k * WORD) / SECTOR) * SECTOR, SECTOR) > 0;
      const kind = part > 0 ? "used" : sector ? "wasted" : "untouched";
      return svg("rect", { x: left + k * word + 1, y: y + 1, width: word - 2, height: row - 8, class: `word ${kind}` }, svg("title", {}, `bytes ${line * LINE + k * WORD} to ${line * LINE + k * WORD + 3}: ${kind}`));
    });
    const frames = [0, 1, 2, 3].map((k) => svg("rect", { x: left + k * 8 * word, y, width: 8 * word, height: row - 6, class: "sector" }));
    return [svg("text", { x: left - 8, y: y + 12, class: "name" }, `byte ${line * LINE}`), ...words, ...frames];
  });
  const [width, height] = [left + 32 * word + 4, shown.length * row + 20];
  const touched = `warp ${frame.w} of block ${frame.b}: ${counted(bytes.size, "byte")} used of ${counted(access.sectors * SECTOR, "byte")} in ${counted(access.sectors, "sector")}`;
  const more = lines.length > shown.length ? el("p", { class: "quiet" }, `and ${lines.length - shown.length} more lines`) : "";
  return [el("p", {}, touched), svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": touched }, ...marks), more,
    el("ul", { class: "legend" }, ...[["used", "used"], ["wasted", "moved, not used"], ["untouched", "not moved"]].map(([kind, text]) =>
      el("li", {}, svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, svg("rect", { width: 12, height: 12, class: `word ${kind}` })), text)))];
}
