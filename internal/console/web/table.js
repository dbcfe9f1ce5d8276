// Tables of elements, and the controls that are beside them.

import {Bytes} from "./api.js";
import {el, field, head} from "./dom.js";
import {ask} from "./value.js";

/** cell shows a value; a text can be changed by clicking on it. */
export function cell(view, value, save, what) {
  if (!save || value instanceof Bytes) return el("code", {}, String(value));
  return el("button", {class: "cell", title: `Change ${what}`, onclick: async () => {
    const text = await ask(`New ${what}`, String(value));
    if (text !== null) await view.change(...save(text));
  }}, String(value));
}

/** table draws rows of cells under heads. */
export const table = (heads, body, label = "Elements") => el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": label}, el("table", {}, el("thead", {}, el("tr", {}, heads.map(head))),
  el("tbody", {}, body.map(cells => el("tr", {}, cells.map(c => el("td", {}, c)))))));

/** adder is a form for a new element. */
export function adder(view, labels, verb, words) {
  const inputs = labels.map(() => el("input", {spellcheck: "false"}));
  return el("form", {class: "adder", onsubmit: e => { e.preventDefault(); view.change(words(...inputs.map(i => i.value))); }},
    labels.map((label, i) => field(label, inputs[i], {class: "field grow"})), el("button", {}, verb));
}

/** pager goes through a collection. */
export const pager = (text, back, forth) => el("div", {class: "row pager"}, el("button", {disabled: !back, onclick: back}, "Back"), el("button", {disabled: !forth, onclick: forth}, "Next"),
  el("span", {class: "soft"}, text));

/** remove is a button that removes an element by these commands. */
export const remove = (view, what, words) => el("button", {class: "quiet danger", "aria-label": `Remove ${what}`, title: "Remove", onclick: () => view.change(...words)}, "✕");

/** pairs makes pairs of a flat list. */
export const pairs = list => Array.from({length: list.length / 2}, (_, i) => [list[2 * i], list[2 * i + 1]]);
