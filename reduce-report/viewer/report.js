import { about } from "./about.js";
import { count, el, prose } from "./dom.js";
import { lanes } from "./lanes.js";
import { memory } from "./memory.js";
import { pipeline } from "./pipeline.js";
import { Run } from "./state.js";
import { tree } from "./tree.js";

/** Shows a document. */
export function show(root, document_, { heading = true } = {}) {
  const steps = el("div", {});
  const requests = el("div", {});
  let shown;
  const choose = (at) => {
    const stage = document_.stages[at];
    shown = lanes(stage, document_);
    const others = document_.stages.length > 1 ? [el("p", { class: "quiet" }, `Stage ${stage.name}. Choose another one under Passes.`)] : [];
    steps.replaceChildren(...others, shown.box);
    requests.replaceChildren(memory(stage));
  };
  // A ladder is climbed from its first rung; the passes of a reduction end in the kernel that runs.
  const passes = pipeline(document_.stages, choose, document_.association ? undefined : 0);
  const sections = [
    ["meaning", "Meaning", document_.about.length + document_.notes.length > 0 ? about(document_) : null],
    ["passes", document_.stages.length > 1 ? "Passes" : "Kernels", passes.box],
    ["lanes", "Lanes", steps],
    ["association", "Association", document_.association && el("div", {}, document_.association_of && el("p", { class: "quiet" }, document_.association_of), tree(document_.association))],
    ["memory", "Memory", requests],
    ["machine", "Machine", machine(document_)],
  ].filter(([, , box]) => box);
  const nav = el("nav", { "aria-label": "parts of the report" }, ...sections.map(([id, title]) => el("a", { href: `#${id}` }, title)));
  const head = heading ? el("header", {}, el("h1", {}, el("code", {}, document_.title)), el("p", { class: "quiet" }, document_.size.text)) : null;
  const body = sections.map(([id, title, box]) => el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), box));
  root.replaceChildren(...[head, nav].filter(Boolean), el("main", {}, ...body));
  return { lanes: () => shown.view, select: passes.select };
}

/** Returns the results that the steps of the last stage leave, as text. */
export function finalResults(document_) {
  const played = document_.stages.at(-1).steps_of_run;
  return played ? new Run(played).results() : new Map();
}

/** Shows the resources of kernels, and times on a GPU. */
function machine({ resources, read, stages, missing }) {
  const timed = stages.filter((stage) => stage.time);
  if (resources.length === 0 && timed.length === 0 && !read && !missing) return null;
  const table = (caption, names, rows) => el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    el("table", { class: "plain" }, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...rows.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row" }, first), ...rest.map((text) => el("td", { class: "number" }, text)))))));
  const parts = [];
  if (resources.length > 0) {
    parts.push(table("Resources, as the compiler reports them", ["kernel", "architecture", "threads", "registers", "shared B", "spilled B", "blocks per SM", "occupancy"],
      resources.map((it) => [it.kernel, it.architecture, it.threads, it.registers, count(it.shared), it.local, it.blocks, `${Math.round(100 * it.occupancy)}\u202f%`].map(String))));
  }
  if (missing) parts.push(el("p", { class: "note" }, ...prose(missing)));
  if (timed.length > 0) {
    parts.push(table(`Times on ${timed[0].time.device}`, ["stage", "first launch µs", "all launches µs"], timed.map((it) => [it.name, it.time.first_us.toFixed(1), it.time.all_us.toFixed(1)])));
  }
  if (read) parts.push(el("p", {}, `A read of ${count(read.bytes)} bytes, all elements, takes ${read.us.toFixed(3)} µs: ${read.known}.`));
  return el("div", {}, ...parts);
}
