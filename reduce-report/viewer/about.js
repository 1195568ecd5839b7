import { counted, el, prose } from "./dom.js";

/** Shows what a specification means, and its result. */
export function about(document_) {
  const sentences = document_.about.map(({ term, text }) => [el("dt", {}, term), el("dd", {}, ...prose(text))]);
  const results = document_.results.slice(0, 16);
  const more = document_.size.groups - results.length;
  const result = results.length === 0 ? [] : [
    el("dt", {}, results.length === 1 ? "Result" : "Results"),
    el("dd", {}, el("span", { class: "result" }, results.join(", ")), more > 0 ? `, and ${counted(more, "more")}`.replace("mores", "more") : null,
      ` of ${document_.size.text}${document_.checked ? "; the interpreter and the host agree bit for bit" : ""}.`),
  ];
  const notes = document_.notes.map((note) => el("p", { class: "note" }, ...prose(note)));
  return el("div", {}, el("dl", { class: "about" }, ...sentences.flat(), ...result), ...notes);
}
