import { count, counted, el, svg } from "./dom.js";

/** The maximum number of elements that are drawn as a tree. */
const DRAWN = 64;

/** Shows in which tree the elements of a group are combined, and the way of one element. */
export function tree(association) {
  const levels = levelTable(association);
  const way = el("div", { class: "way" });
  const picture = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "tree of combinations" });
  const draw = (element) => {
    const steps = path(association, element);
    way.replaceChildren(...list(association, element, steps));
    if (association.n <= DRAWN && association.pairs.length > 0) picture.replaceChildren(drawn(association, new Set(steps.map((it) => it.node)), element, choose));
  };
  const input = el("input", { type: "number", min: "0", max: String(association.n - 1), value: String(association.element), on: { input: () => choose(Number(input.value)) } });
  const choose = (element) => {
    if (!Number.isInteger(element) || element < 0 || element >= association.n) return;
    input.value = String(element);
    draw(element);
  };
  draw(association.element);
  const ask = association.pairs.length > 0 ? el("label", { class: "ask" }, "way of element ", input) : null;
  return el("div", {}, levels, ask, association.n <= DRAWN ? picture : null, way);
}

function levelTable({ levels, depth, n }) {
  const most = Math.log2(Math.max(2, n));
  const rows = levels.map(({ text, from, to }, at) => {
    const bar = (items) => {
      const it = el("span", { class: "bar" });
      it.style.setProperty("--part", String(Math.log2(Math.max(1, items) + 1) / (most + 1)));
      return it;
    };
    return el("tr", {}, el("td", { class: "number" }, String(at + 1)), el("td", {}, text), el("td", { class: "number" }, count(from)), el("td", { class: "number" }, count(to)), el("td", { class: "track" }, bar(to)));
  });
  const head = ["level", "combines", "items", "leaves", "left, on a logarithmic scale"].map((name) => el("th", { scope: "col" }, name));
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "levels" },
    el("table", { class: "plain levels" }, el("caption", {}, `${counted(n, "element")}, at most ${counted(depth, "combination")} on the way of one`),
      el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)));
}

/** Returns the combinations on the way of an element: sizes of both sides, and the node that each makes. */
function path({ n, pairs, path: given }, element) {
  if (pairs.length === 0) return given.map(([own, other, right]) => ({ own, other, right }));
  const sizes = new Array(n + pairs.length).fill(1);
  pairs.forEach(([a, b], at) => { sizes[n + at] = sizes[a] + sizes[b]; });
  const steps = [];
  let node = element;
  pairs.forEach(([a, b], at) => {
    if (a !== node && b !== node) return;
    const other = a === node ? b : a;
    steps.push({ own: sizes[node], other: sizes[other], right: b === node, node: n + at, with: other < n ? other : undefined });
    node = n + at;
  });
  return steps;
}

function list({ n }, element, steps) {
  if (steps.length === 0) return [el("p", { class: "quiet" }, n > 1 ? "The way of an element is shown for up to 1048576 elements." : "One element is the result.")];
  const items = steps.map((step) => {
    const side = step.right ? "right" : "left";
    const other = step.with === undefined ? counted(step.other, "element") : `element ${step.with}`;
    return el("li", {}, `${counted(step.own, "element")} on the ${side}, combined with ${other}`);
  });
  return [el("details", { open: steps.length <= 16 }, el("summary", {}, `element ${element} passes through ${counted(steps.length, "combination")}`), el("ol", {}, ...items))];
}

function drawn({ n, pairs }, marked, element, choose) {
  const [step, rise] = [Math.max(16, Math.min(40, 960 / n)), 34];
  const depth = new Array(n + pairs.length).fill(0);
  const x = Array.from({ length: n }, (_, at) => (at + 0.5) * step);
  pairs.forEach(([a, b], at) => {
    depth[n + at] = Math.max(depth[a], depth[b]) + 1;
    x[n + at] = x[a];
  });
  const y = (node) => 20 + depth[node] * rise;
  const height = 40 + Math.max(...depth) * rise;
  const edges = pairs.flatMap(([a, b], at) => [a, b].map((from) => {
    const on = marked.has(n + at) && (marked.has(from) || from === element);
    return svg("line", { x1: x[from], y1: y(from), x2: x[n + at], y2: y(n + at), class: on ? "edge on" : "edge" });
  }));
  const nodes = x.map((at, node) => svg("circle", { cx: at, cy: y(node), r: node < n ? 4 : 3, class: marked.has(node) || node === element ? "node on" : "node", on: node < n ? { click: () => choose(node) } : {} },
    svg("title", {}, node < n ? `element ${node}` : "combination")));
  const numbers = Array.from({ length: n }, (_, at) => (n <= 32 || at % 4 === 0 ? svg("text", { x: x[at], y: 12, class: "value" }, String(at)) : null));
  return svg("svg", { width: n * step, height, viewBox: `0 0 ${n * step} ${height}`, role: "img", "aria-label": `tree of ${n} elements; the way of element ${element} is marked` }, ...edges, ...nodes, ...numbers);
}
