// Elements are made of text only: no function here reads markup.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an HTML element. `on` has listeners; `class` and others are attributes. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an SVG element. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, { on = {}, ...attributes }, children) {
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Turns `code` in backticks into elements. */
export function prose(text) {
  return text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));
}

/** Makes a row of tabs, one of them chosen; `choose` gets its number. Arrow keys move between them. */
export function tabs(label, names, choose, chosen = 0) {
  const list = el("div", { role: "tablist", "aria-label": label, class: "tabs" });
  const buttons = names.map((name, at) =>
    el("button", { role: "tab", type: "button", on: { click: () => select(at) } }, name));
  const select = (at, focus = false) => {
    buttons.forEach((button, other) => {
      button.setAttribute("aria-selected", String(other === at));
      button.tabIndex = other === at ? 0 : -1;
    });
    if (focus) buttons[at].focus();
    choose(at);
  };
  list.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    select((to + buttons.length) % buttons.length, true);
  });
  list.append(...buttons);
  if (buttons.length > 0) select(Math.min(chosen, buttons.length - 1));
  return { list, select };
}

/** Formats a count with thin spaces between thousands. */
export function count(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Returns "1 lane" or "2 lanes". */
export function counted(number, thing) {
  return `${count(number)} ${thing}${number === 1 ? "" : "s"}`;
}
