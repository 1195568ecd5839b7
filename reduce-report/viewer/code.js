import { el } from "./dom.js";

const TOKEN = new RegExp(
  [
    "(?<note>//.*$)",
    "(?<text>\"[^\"]*\")",
    "(?<hash>^\\s*#.*$)",
    "(?<number>\\b(?:0x[0-9a-fA-F]+|\\d[\\d.]*(?:e[+-]?\\d+)?)[uUlLfF]*\\b)",
    "(?<word>\\b(?:for|if|else|return|const|constexpr|struct|template|typename|extern|static|asm|volatile|while|do|inline|using|union)\\b)",
    "(?<type>\\b(?:void|bool|char|short|int|long|unsigned|float|double|__half|__nv_bfloat16|half|auto)\\b)",
    "(?<cuda>\\b__\\w+|\\b(?:threadIdx|blockIdx|blockDim|gridDim)\\b)",
  ].join("|"),
  "g",
);

/** Returns the coloured parts of a line. */
function coloured(line) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    if (match.index > end) parts.push(line.slice(end, match.index));
    parts.push(el("span", { class: `c-${kind}` }, match[0]));
    end = match.index + match[0].length;
  }
  if (end < line.length) parts.push(line.slice(end));
  return parts;
}

/** Shows CUDA with line numbers. Lines for which `jump` is defined have a button that calls it. */
export function code(text, label, { steps = new Set(), jump } = {}) {
  const lines = text.replace(/\n$/, "").split("\n");
  const rows = lines.map((line, at) => {
    const number = jump && steps.has(at)
      ? el("button", { type: "button", class: "ln", "aria-label": `line ${at + 1}: go to its next step`, on: { click: () => jump(at) } }, String(at + 1))
      : el("span", { class: "ln", "aria-hidden": "true" }, String(at + 1));
    return el("div", { class: "line" }, number, el("code", {}, ...coloured(line)));
  });
  const box = el("div", { class: "code", role: "region", tabindex: "0", "aria-label": label }, ...rows);
  return { box, rows };
}

/** Shows a difference: lines that begin with a blank, -, + or @. */
export function difference(lines, label) {
  const kinds = { "-": "gone", "+": "new", "@": "gap", " ": "" };
  const rows = lines.map((line) => {
    const sign = line[0] ?? " ";
    const text = sign === "@" ? "⋯" : line.slice(1);
    const kind = kinds[sign] ?? "";
    return el("div", { class: `line ${kind}` }, el("span", { class: "ln" }, sign === "@" ? "" : sign), el("code", {}, ...coloured(text)));
  });
  const none = rows.length === 0 ? [el("p", { class: "quiet" }, "The CUDA is the same.")] : rows;
  return el("div", { class: "code", role: "region", tabindex: "0", "aria-label": label }, ...none);
}

/** Shows text in fixed width. */
export function plain(text, label) {
  return el("pre", { class: "code plain", tabindex: "0", role: "region", "aria-label": label }, text);
}
