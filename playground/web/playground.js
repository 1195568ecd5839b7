import { el } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { finalResults, show } from "./report.js";

const MOST = 65536;
/** The pause after a key before the text is read, in milliseconds. */
const PAUSE = 60;

const [form, text, n, marks, errors, clock, examples, app] =
  ["form", "text", "n", "marks", "errors", "clock", "examples", "app"].map((id) => document.getElementById(id));

const module = WebAssembly.compileStreaming(fetch("reduce_playground.wasm"));
let instance;

/** Asks the compiler. After a fault it starts again with fresh memory. */
async function ask(request) {
  instance ??= await WebAssembly.instantiate(await module, {});
  try {
    const { memory, room, answer, address } = instance.exports;
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const at = room(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const length = answer();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, address(), length)));
  } catch (error) {
    instance = undefined;
    return { errors: [{ message: `bug of reducegen: ${error.message}`, from: 0, to: 0 }] };
  }
}

/** Reads the text and shows the answer; older requests that are still under way are dropped. */
let latest = 0;
async function update() {
  const own = ++latest;
  const request = { text: text.value, n: Math.min(MOST, Math.max(1, Number(n.value) || 1)), lengths: lengths() };
  const begin = performance.now();
  const answer = await ask(request);
  if (own !== latest) return;
  clock.textContent = `answered in ${Math.round(performance.now() - begin)} ms`;
  remember(request);
  showErrors(answer.errors ?? []);
  app.classList.toggle("stale", Boolean(answer.errors));
  if (!answer.document) return;
  const open = document.querySelector(".stages [aria-selected=true]")?.textContent;
  const scroll = scrollY;
  const shown = show(app, answer.document, { heading: false });
  const stage = answer.document.stages.findIndex((it) => it.name === open);
  if (stage >= 0) shown.select(stage);
  scrollTo(0, scroll);
  globalThis.playground = { document: answer.document, finalResults: () => finalResults(answer.document), lanes: shown.lanes };
}

function lengths() {
  const match = /\baxes:\s*([^,}\]]*?)->/.exec(text.value);
  const shape = document.getElementById("shape");
  const wanted = match ? new Set(match[1].split(/[\s{}():,]+/).filter(Boolean)).size : 0;
  if (!wanted) {
    document.getElementById("axes").replaceChildren();
    return [];
  }
  if (!shape) {
    const input = el("input", { id: "shape", value: "8 32", on: { input: later } });
    document.getElementById("axes").replaceChildren(el("label", {}, "lengths of the axes ", input));
  }
  return document.getElementById("shape").value.split(/[^0-9]+/).filter(Boolean).map(Number);
}

/** Marks the places of errors in the text, and lists them; a click selects the place. */
function showErrors(faults) {
  const source = text.value;
  const parts = [];
  let end = 0;
  for (const { from, to } of [...faults].sort((a, b) => a.from - b.from)) {
    if (from < end) continue;
    parts.push(source.slice(end, from), el("mark", {}, source.slice(from, Math.max(to, from + 1)) || " "));
    end = Math.max(to, from + 1);
  }
  parts.push(source.slice(end), "\n");
  marks.replaceChildren(...parts);
  marks.scrollTop = text.scrollTop;
  errors.replaceChildren(...faults.map(({ message, help, from, to }) => {
    const before = source.slice(0, from).split("\n");
    const at = el("span", { class: "at" }, `${before.length}:${before.at(-1).length + 1}`);
    const select = () => { text.focus(); text.setSelectionRange(from, to); };
    return el("li", {}, el("button", { type: "button", on: { click: select } }, at, message), help ? el("span", { class: "help" }, ` ${help}`) : null);
  }));
}

/** Puts the specification into the address of the page. */
function remember(request) {
  const parts = new URLSearchParams({ spec: request.text, n: String(request.n) });
  if (request.lengths.length > 0) parts.set("lengths", request.lengths.join("x"));
  history.replaceState(null, "", `#${parts}`);
}

function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  text.value = parts.get("spec") ?? EXAMPLES[5][1];
  n.value = parts.get("n") ?? String(EXAMPLES[5][2]);
  lengths();
  const shape = document.getElementById("shape");
  if (shape && parts.has("lengths")) shape.value = parts.get("lengths").replaceAll("x", " ");
}

let timer;
function later() {
  clearTimeout(timer);
  timer = setTimeout(update, PAUSE);
}

EXAMPLES.forEach(([name], at) => examples.append(el("option", { value: String(at) }, name)));
examples.selectedIndex = 5;
examples.addEventListener("change", () => {
  const [, spec, count] = EXAMPLES[examples.selectedIndex];
  [text.value, n.value] = [spec, String(count)];
  update();
});
text.addEventListener("input", later);
text.addEventListener("scroll", () => { marks.scrollTop = text.scrollTop; });
n.addEventListener("input", later);
form.addEventListener("submit", (event) => event.preventDefault());
document.getElementById("link").addEventListener("click", async ({ target }) => {
  await navigator.clipboard.writeText(location.href).then(() => { target.textContent = "copied"; }, () => { target.textContent = "copy the address"; });
});
addEventListener("hashchange", () => { recall(); update(); });
recall();
update();
