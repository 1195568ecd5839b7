import { code } from "./code.js";
import { counted, el, svg } from "./dom.js";
import { lanesOf, size } from "./spans.js";
import { Run, laneState } from "./state.js";

const CELL = 34;
const ROW = 22;
const LEFT = 116;
const WORDS = 32;
const MOST_ROWS = 32;

/** Animates the steps of a stage: a block over time, and one of its warps in detail. */
export function lanes(stage, { groups, group } = {}) {
  if (!stage.steps_of_run || stage.steps_of_run.frames.length === 0) {
    return { box: el("p", { class: "quiet" }, "This stage has no recorded steps.") };
  }
  const view = new Lanes(stage, groups, group);
  return { box: view.box, view };
}

class Lanes {
  constructor(stage, groups, group = "group") {
    this.run = new Run(stage.steps_of_run);
    Object.assign(this, { groups, group });
    this.at = { launch: 0, block: 0, warp: 0, time: 1 };
    const steps = new Set(this.run.played.frames.map((frame) => this.run.line(frame)).filter((line) => line !== undefined));
    this.code = code(stage.cuda, "CUDA: the lines of this step are marked", { steps, jump: (line) => this.jump(line) });
    this.code.box.classList.add("short");
    this.picture = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "registers and shared memory; arrow keys step" });
    this.warps = el("div", { class: "warps" });
    this.says = el("p", { class: "says", "aria-live": "polite" });
    this.slider = el("input", { type: "range", min: "1", "aria-label": "time step", on: { input: () => this.go(Number(this.slider.value)) } });
    this.label = el("output", { class: "clock" });
    this.playButton = this.button("play", "play", () => this.toggle());
    this.where = el("select", { "aria-label": "launch and block", on: { change: () => this.chooseBlock() } });
    this.run.launches.forEach((launch, l) => launch.blocks.forEach((block) => {
      const kernel = this.run.kernel(l);
      const text = `${kernel.name}, block ${block} of ${launch.grid}`;
      this.where.append(el("option", { value: `${l}/${block}` }, text));
    }));
    // Kernels before the one that reads the elements only prepare its launch.
    const first = this.run.launches.findIndex((_, l) => this.run.kernel(l).reads_inputs);
    if (first > 0) this.where.value = `${first}/${this.run.launches[first].blocks[0]}`;
    const controls = el("div", { class: "controls" }, this.where,
      this.button("first", "«", () => this.go(1)), this.button("back", "‹", () => this.go(this.at.time - 1)),
      this.playButton, this.button("forward", "›", () => this.go(this.at.time + 1)),
      this.button("last", "»", () => this.go(Infinity)), this.slider, this.label);
    this.results = el("p", { class: "results" });
    const cut = this.run.played.is_cut ? el("p", { class: "note" }, "The run has more steps than this page keeps; the last ones are missing.") : "";
    this.box = el("div", { class: "lanes" }, controls, this.says, legend(),
      el("div", { class: "two" }, el("div", {}, this.warps, this.picture, this.results), this.code.box), cut);
    this.picture.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      this.go(this.at.time + by);
    });
    this.chooseBlock();
  }

  button(name, text, click) {
    const labels = { first: "first step", back: "step back", forward: "step forward", last: "last step" };
    return el("button", { type: "button", class: `do-${name}`, "aria-label": labels[name], on: { click } }, text);
  }

  chooseBlock() {
    const [launch, block] = this.where.value.split("/").map(Number);
    Object.assign(this.at, { launch, block, warp: this.run.frames(launch, block)[0]?.w ?? 0, time: 1 });
    this.slider.max = String(this.run.length(launch, block));
    this.draw();
  }

  go(time) {
    const { launch, block } = this.at;
    this.at.time = Math.max(1, Math.min(time, this.run.length(launch, block)));
    this.follow();
    this.draw();
  }

  /** Chooses a warp that works, if the chosen one does not. */
  follow() {
    const { launch, block, time, warp } = this.at;
    const now = this.run.frames(launch, block).filter((frame) => frame.t === time);
    if (now.length > 0 && !now.some((frame) => frame.w === warp)) this.at.warp = now[0].w;
  }

  toggle() {
    if (this.timer) return this.stop();
    const { launch, block } = this.at;
    if (this.at.time >= this.run.length(launch, block)) this.at.time = 1;
    this.playButton.textContent = "pause";
    this.timer = setInterval(() => {
      if (!this.box.isConnected || this.at.time >= this.run.length(this.at.launch, this.at.block)) this.stop();
      else this.go(this.at.time + 1);
    }, 600);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.playButton.textContent = "play";
  }

  /** Goes to the next step of a line of CUDA, in this block or the next one that has it. */
  jump(line) {
    const all = this.run.played.frames.filter((frame) => this.run.line(frame) === line);
    const { launch, block, time } = this.at;
    const here = all.filter((frame) => frame.l === launch && frame.b === block).sort((a, b) => a.t - b.t);
    const next = here.find((frame) => frame.t > time) ?? here[0] ?? all[0];
    if (!next) return;
    if (next.l !== launch || next.b !== block) {
      this.where.value = `${next.l}/${next.b}`;
      this.chooseBlock();
    }
    this.at.warp = next.w;
    this.go(next.t);
  }

  draw() {
    const { launch, block, warp, time } = this.at;
    const state = this.run.state(launch, block, time);
    const mine = state.now.filter((frame) => frame.w === warp);
    this.slider.value = String(time);
    this.label.textContent = `step ${time} of ${this.run.length(launch, block)}`;
    this.says.textContent = this.sentence(state.now, mine);
    this.warps.replaceChildren(this.overview(state));
    this.picture.replaceChildren(this.detail(state, mine));
    this.mark(state.now, mine);
    const stored = state.arrays.get("result") ?? new Map();
    const finished = new Map(this.run.played.finished);
    const texts = [...stored].map(([group, value]) => `result[${group}] = ${finished.get(value) ?? this.run.value(value)}`);
    this.results.textContent = texts.slice(0, 8).join(", ");
  }

  mark(now, mine) {
    const lines = new Set(now.map((frame) => this.run.line(frame)));
    const own = new Set(mine.map((frame) => this.run.line(frame)));
    this.code.rows.forEach((row, line) => {
      row.classList.toggle("now", own.has(line));
      row.classList.toggle("also", lines.has(line) && !own.has(line));
      if (own.has(line)) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
    const first = this.code.rows[Math.min(...own)];
    if (first) this.code.box.scrollTop = first.offsetTop - this.code.box.clientHeight / 2;
  }

  sentence(now, mine) {
    const others = new Set(now.map((frame) => frame.w)).size;
    const warps = `${counted(others, "warp")} at work.`;
    if (mine.length === 0) return `Warp ${this.at.warp} is idle; ${warps}`;
    const says = mine.map((frame) => {
      const line = this.run.line(frame);
      const text = line === undefined ? "" : ` runs line ${line + 1}`;
      const arrows = (frame.x ?? []).reduce((sum, arrow) => sum + lanesOf(arrow.from).length, 0);
      const combined = arrows > 0 ? `, ${counted(arrows, "operand")} from other lanes or shared memory` : "";
      const shared = (frame.m ?? []).map((it) => `, ${counted(it.wavefronts, "wavefront")} in ${it.array}${it.conflicts > 0 ? ` (${counted(it.conflicts, "conflict")})` : ""}`).join("");
      const global = (frame.g ?? []).map((it) => `, ${counted(it.sectors, "sector")} of ${it.buffer}`).join("");
      return `Warp ${frame.w}${text} with ${counted(size(frame.on), "lane")}${combined}${shared}${global}.`;
    });
    return `${says.join(" ")} ${warps}`;
  }

  /** All warps of the block: a row for each, a cell for each lane. */
  overview(state) {
    const warps = Math.ceil(this.run.kernel(this.at.launch).block / 32);
    const rows = Array.from({ length: warps }, (_, warp) => {
      const frames = state.now.filter((frame) => frame.w === warp);
      const cells = Array.from({ length: 32 }, (_, lane) =>
        svg("rect", { x: lane * 9, y: 0, width: 8, height: 8, class: `lane ${laneState(frames, lane)}` }));
      const picture = svg("svg", { width: 288, height: 8, viewBox: "0 0 288 8", "aria-hidden": "true" }, ...cells);
      const works = frames.length > 0 ? `${counted(size(frames.reduce((all, frame) => all | frame.on, 0)), "lane")} active` : "idle";
      return el("button", {
        type: "button", "aria-pressed": String(warp === this.at.warp), "aria-label": `warp ${warp}, ${works}`,
        on: { click: () => { this.at.warp = warp; this.draw(); } },
      }, el("span", {}, `warp ${warp}`), picture);
    });
    return el("div", { class: "overview" }, ...rows);
  }

  /** The registers of the chosen warp, and the shared memory of the block by banks. */
  detail(state, mine) {
    const registers = [...(state.registers.get(this.at.warp) ?? new Map())];
    const rows = [];
    const places = { registers: new Map(), arrays: new Map() };
    let y = 0;
    const heading = (text, at) => svg("text", { x: LEFT - 8, y: at + ROW / 2 + 4, class: "name" }, text);
    rows.push(heading("lane", y), ...this.laneNumbers(mine, y));
    y += ROW;
    for (const [name, row] of this.memoryRows(state, mine)) {
      rows.push(heading(name, y), ...row.map(([lane, text, kind]) => cell(LEFT + lane * CELL, y, CELL, text, text, kind)));
      y += ROW;
    }
    const changed = new Map(mine.filter((frame) => frame.r).map((frame) => [frame.r[0], new Set(lanesOf(frame.r[1]).map(([lane]) => lane))]));
    for (const [name, values] of registers) {
      places.registers.set(name, y);
      rows.push(heading(name, y), ...values.map((value, lane) =>
        cell(LEFT + lane * CELL, y, CELL, this.run.value(value), `${name} of lane ${lane}`, changed.get(name)?.has(lane) ? "new" : "")));
      y += ROW;
    }
    for (const array of this.run.kernel(this.at.launch).shared) {
      y += ROW / 2;
      const cells = this.array(array, state, mine, y, places);
      rows.push(heading(array.name, y), svg("text", { x: LEFT - 8, y: y + ROW + 4, class: "name quiet" }, "by bank"), ...cells.marks);
      y += Math.max(cells.height, ROW + 10);
    }
    rows.push(...mine.flatMap((frame) => this.arrows(frame, places)));
    const [width, height] = [LEFT + WORDS * CELL + 4, y + 4];
    return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": this.says.textContent },
      svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "tip" }))),
      ...rows);
  }

  laneNumbers(mine, y) {
    return Array.from({ length: 32 }, (_, lane) => {
      const state = laneState(mine, lane);
      return svg("g", {}, svg("rect", { x: LEFT + lane * CELL + 1, y: y + 1, width: CELL - 2, height: ROW - 2, class: `lane ${state}` }, svg("title", {}, `lane ${lane}: ${state}`)),
        svg("text", { x: LEFT + lane * CELL + CELL / 2, y: y + ROW / 2 + 4, class: `lane-number ${state}` }, String(lane)));
    });
  }

  /** The elements that lanes read or write in global memory, and the groups of what they read last. */
  memoryRows(state, mine) {
    const rows = mine.flatMap((frame) => (frame.g ?? []).map((it) =>
      [`${it.stores ? "writes" : "reads"} ${it.buffer}`, lanesOf(it.i).map(([lane, index]) => [lane, String(index), it.stores ? "writes" : "reads"])]));
    return [...rows, ...this.groupRows(state.groups.get(this.at.warp) ?? [])];
  }

  /** The groups of the elements that lanes read last: a row for all elements of a load, or for each if they differ. */
  groupRows(reads) {
    const most = this.groups ? Math.max(0, ...reads.map((read) => read?.count ?? 0)) : 0;
    const row = (at) => [...reads.entries()].filter(([, read]) => read && at < read.count)
      .map(([lane, read]) => [lane, this.groups[read.first + at]]).filter(([, group]) => group != null);
    const rows = Array.from({ length: most }, (_, at) => row(at));
    const differs = rows.some((it) => it.some(([lane, group]) => rows[0].find(([other]) => other === lane)?.[1] !== group));
    const cells = (it) => it.map(([lane, group]) => [lane, String(group), `group-${group % 8}`]);
    return rows.slice(0, differs ? most : 1).map((it, at) => [at > 0 ? `${this.group} of +${at}` : this.group, cells(it)]);
  }

  /** A shared array: each record at its bank. */
  array({ name, len, size: bytes, at }, state, mine, y, places) {
    const cells = state.arrays.get(name) ?? new Map();
    const touched = new Map();
    for (const frame of mine) {
      for (const access of (frame.m ?? []).filter((it) => it.array === name)) {
        lanesOf(access.at).forEach(([, start]) => touched.set(Math.floor((start - at) / bytes), access.conflicts > 0 ? "conflict" : access.stores ? "writes" : "reads"));
      }
    }
    const words = Math.max(bytes / 4, 0.25);
    const first = Math.floor(at / 4 / WORDS);
    const known = new Map();
    const marks = [];
    let rows = 0;
    for (let index = 0; index < len; index++) {
      const word = at / 4 + index * words;
      const row = Math.floor(word / WORDS) - first;
      if (row >= MOST_ROWS) break;
      rows = Math.max(rows, row + 1);
      const x = LEFT + (word % WORDS) * CELL;
      known.set(index, [x + (words * CELL) / 2, y + row * ROW]);
      const value = this.run.value(cells.get(index));
      marks.push(cell(x, y + row * ROW, words * CELL, value, `${name}[${index}]`, touched.get(index) ?? ""));
    }
    places.arrays.set(name, known);
    return { marks, height: rows * ROW };
  }

  /** An arrow for each operand that came from another lane or from shared memory. */
  arrows(frame, places) {
    const row = frame.r && places.registers.get(frame.r[0]);
    const middle = (lane) => LEFT + lane * CELL + CELL / 2;
    const moved = (frame.f ?? []).length > 0 && row !== undefined
      ? lanesOf(frame.f).filter(([lane, from]) => lane !== from).map(([lane, from]) => arc(middle(from), middle(lane), row, "moves"))
      : [];
    const written = new Map((frame.p ?? []).flatMap((it) => lanesOf(it.at).map(([lane, index]) => [lane, places.arrays.get(it.array)?.get(index)])));
    const operands = (frame.x ?? []).flatMap((arrow) => lanesOf(arrow.from).map(([lane, from]) => {
      if (!arrow.array) return arc(middle(from), middle(lane), row ?? 0, "combines");
      const place = places.arrays.get(arrow.array)?.get(from);
      if (!place) return null;
      const [x, y] = place;
      if (row !== undefined) return svg("path", { d: `M${x} ${y}L${middle(lane)} ${row + ROW - 2}`, class: "arrow combines", "marker-end": "url(#tip)" });
      const [to, below] = written.get(lane) ?? [middle(lane), ROW];
      return to === x && below === y ? null : svg("path", { d: `M${x} ${y + 3}Q${(x + to) / 2} ${Math.min(y, below) - 14} ${to} ${below + 3}`, class: "arrow combines", "marker-end": "url(#tip)" });
    }));
    return [...moved, ...operands].filter((it) => it);
  }
}

function arc(from, to, y, kind) {
  const lift = Math.min(16, 6 + Math.abs(from - to) / 24);
  return svg("path", { d: `M${from} ${y + 3}C${from} ${y - lift} ${to} ${y - lift} ${to} ${y + 3}`, class: `arrow ${kind}`, "marker-end": "url(#tip)" });
}

/** A cell with a value, shortened to its width. */
function cell(x, y, width, value, title, kind) {
  const short = shortened(value, Math.max(1, Math.floor((width - 2) / 5.6)));
  return svg("g", {}, svg("rect", { x: x + 1, y: y + 1, width: Math.max(1, width - 2), height: ROW - 2, class: `cell ${kind} ${value === "" ? "none" : ""}` },
    svg("title", {}, value === "" ? title : `${title}: ${value}`)),
  svg("text", { x: x + width / 2, y: y + ROW / 2 + 3.5, class: "value" }, short));
}

/** Shortens a value: a number to fewer digits, a struct to the values of its fields, other text to its beginning. */
function shortened(value, room) {
  if (value.length <= room) return value;
  const fields = /^\w+ \{ (.*) \}$/.exec(value);
  if (fields) return shortened(fields[1].replace(/\w+: /g, "").replaceAll(", ", " "), room);
  for (let digits = room - 1; digits > 0 && Number.isFinite(Number(value)); digits--) {
    const text = String(Number(Number(value).toPrecision(digits)));
    if (text.length <= room) return text;
  }
  return `${value.slice(0, Math.max(1, room - 1))}…`;
}

function legend() {
  const items = [["active", "active"], ["divergent", "divergent: waits for lanes of its warp"], ["idle", "idle"], ["ended", "ended"]];
  return el("ul", { class: "legend" }, ...items.map(([kind, text]) =>
    el("li", {}, svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, svg("rect", { width: 12, height: 12, class: `lane ${kind}` })), text)));
}
