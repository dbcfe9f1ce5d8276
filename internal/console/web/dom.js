// Elements, made by hand. Text is always text: nothing here, and nothing in the pages, parses HTML.

/** el makes an element: el("button", {class: "add", onclick: add, disabled: true}, "Add"). False and null attributes and children are left out. */
export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** svg makes an element of a drawing. */
export const svg = (tag, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [property, v] of Object.entries(value)) node.style.setProperty(property, v);
    else if (name === "value" && "value" in node) node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

/** append adds children: elements, texts, numbers, or lists of them. */
export function append(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/** foreign shows a text of somebody else within a sentence: marks of direction in it do not turn the words around it. */
export const foreign = text => el("bdi", {}, String(text));

/** show replaces what is in an element. */
export function show(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

/** state is a value with listeners: s.get(), s.set(v), s.listen(fn), which calls fn at once. */
export function state(value) {
  const listeners = new Set();
  return {
    get: () => value,
    set(v) { value = v; for (const fn of listeners) fn(v); },
    listen(fn) { listeners.add(fn); fn(value); return () => listeners.delete(fn); },
  };
}

/** nameOf is what a screen reader calls a control. */
const nameOf = node => node.getAttribute("aria-label") ?? node.labels?.[0]?.textContent ?? node.textContent;

/** keepFocus draws what is in an element anew. If that takes away the control with the focus, the one of the same name gets it, or else the one in the same place, or what
 *  scrolls there. */
export async function keepFocus(root, draw) {
  const held = document.activeElement;
  if (!root.contains(held)) return draw();
  const all = () => [...root.querySelectorAll(held.tagName)], name = nameOf(held), named = () => all().filter(node => nameOf(node) === name);
  const place = all().indexOf(held), among = named().indexOf(held);
  try {
    return await draw();
  } finally {
    const heir = named()[among] ?? all()[place];
    if (document.activeElement === document.body) (heir && !heir.disabled ? heir : root.querySelector("[tabindex='0']"))?.focus({preventScroll: true});
  }
}

/** later returns a function that calls fn once its own calls have paused for ms. */
export function later(ms, fn) {
  let timer;
  return (...args) => { clearTimeout(timer); timer = setTimeout(fn, ms, ...args); };
}

let numbered = 0;

/** field makes a label with its control. */
export function field(label, control, attributes) {
  control.id ||= `field-${++numbered}`;
  return el("div", {class: "field", ...attributes}, el("label", {for: control.id}, label), control);
}

/** select makes a list to choose from; options are values, or [value, text]. */
export const select = (attributes, options, chosen) => el("select", attributes, options.map(o => {
  const [value, text] = Array.isArray(o) ? o : [o, o];
  return el("option", {value, selected: value === chosen}, text);
}));

/** head makes the head of a column of a table; one without a text is a plain cell, since a screen reader would announce it. */
export const head = text => text === "" ? el("td") : el("th", {scope: "col"}, text);

/** bytes writes a number of bytes as people read it; count a number. */
export function bytes(n) {
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (n < 1000 || unit === "GB") return `${n < 10 && unit !== "B" ? n.toFixed(1) : Math.round(n)} ${unit}`;
    n /= 1000;
  }
}
export const count = n => Number(n).toLocaleString("en-US");

/** duration writes milliseconds: 1.2 s, 3 min, 2 h, 5 d. */
export function duration(ms) {
  const s = ms / 1000;
  if (s < 1) return `${Math.max(0, Math.round(ms))} ms`;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 120) return `${Math.round(s)} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  if (s < 172800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86400)} d`;
}
