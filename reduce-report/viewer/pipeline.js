import { bars } from "./bars.js";
import { code, difference, plain } from "./code.js";
import { el, prose, tabs } from "./dom.js";

const VIEWS = [
  ["Difference", (it) => difference(it.diff, "difference of the CUDA to the stage before")],
  ["CUDA", (it) => code(it.cuda, "CUDA of the stage").box],
  ["Steps", (it) => plain(it.steps, "steps of the program")],
  ["Association", (it) => plain(it.association, "association of the program")],
];

/** Shows the stages: charts of their counts, and the text of one of them. `chosen` is called with its number. */
export function pipeline(stages, chosen = () => {}, first = stages.length - 1) {
  const charts = bars(stages);
  // A report of one stage has no differences.
  const differs = stages.some((stage) => stage.diff.length > 0);
  const forms = differs ? VIEWS : VIEWS.slice(1);
  const panel = el("div", { role: "tabpanel", class: "panel" });
  const text = el("div", {});
  let stage = first;
  let view = 0;
  let isInstead = false;
  const draw = () => text.replaceChildren(forms[view][1](stages[stage]));
  const views = tabs("form of the stage", forms.map(([name]) => name), (at) => { view = at; isInstead = false; draw(); });
  const about = el("div", {});
  const choose = (at) => {
    stage = at;
    charts.mark(at);
    const it = stages[at];
    about.replaceChildren(
      el("p", { class: "what" }, el("b", {}, it.name), ": ", ...prose(it.what)),
      it.spec ? el("p", { class: "spec" }, el("code", {}, it.spec)) : "",
      it.published.length > 0 ? published(it) : "",
    );
    // The first stage has no difference, and shows its CUDA in the meantime.
    const alone = differs && at === 0 && it.diff.length === 0;
    if (alone && view === 0) {
      views.select(1);
      isInstead = true;
    } else if (isInstead && !alone && view === 1) views.select(0);
    else draw();
    chosen(at);
  };
  panel.append(about, views.list, text);
  const stagesTabs = tabs("stages", stages.map((it) => it.name), choose, stage);
  stagesTabs.list.classList.add("stages");
  return { box: el("div", {}, stagesTabs.list, panel, el("h3", {}, stages.length > 1 ? "What each stage costs" : "What the launches cost"), charts.box), select: stagesTabs.select };
}

function published(stage) {
  const rows = stage.published.map(({ source, n, us }) =>
    el("tr", {}, el("td", {}, source), el("td", { class: "number" }, String(n)), el("td", { class: "number" }, us.toFixed(1))));
  const head = el("tr", {}, ...["source", "elements", "µs"].map((name) => el("th", { scope: "col" }, name)));
  return el("table", { class: "plain" }, el("caption", {}, "Published times"), el("thead", {}, head), el("tbody", {}, ...rows));
}
