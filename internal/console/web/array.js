// An array, as a window of its elements: the index of one can be up to 2^64, so all numbers are BigInts here.

import {count, el, field, show} from "./dom.js";
import {adder, cell, pager, remove, table} from "./table.js";

const rows = 100; // elements that are shown at once
const room = 64 << 10; // bytes that they should have together
const greatest = 2n ** 64n - 2n; // an index

/** array shows the elements from an index on, and the holes between them. */
export async function array(view, from = 0n, trail = []) {
  const facts = Object.fromEntries(await view.context.run("ARINFO", view.key));
  const [n, length] = [Number(facts.count), BigInt(facts.len)];
  const most = Math.max(1, Math.min(rows, Math.floor(room * n / (view.size || 1))));
  const found = (await view.read("ARSCAN", view.key, from, greatest, "LIMIT", most)).map(([index, text]) => [BigInt(index), text]);
  const body = [];
  let next = from;
  for (const [index, text] of found) {
    if (index > next) body.push(hole(next, index));
    body.push([String(index), cell(view, text, text => [["ARSET", view.key, index, text]], `element ${index}`), remove(view, `element ${index}`, [["ARDEL", view.key, index]])]);
    next = index + 1n;
  }
  const go = (to, way) => () => view.try(() => array(view, to, way));
  const at = el("input", {spellcheck: "false", inputmode: "numeric", pattern: "[0-9]+", required: true, value: from});
  const jump = el("form", {class: "adder", onsubmit: e => { e.preventDefault(); go(BigInt(at.value), [...trail, from])(); }}, field("From index", at), el("button", {}, "Go"));
  show(view.body, el("p", {class: "soft"}, `${count(n)} elements, length ${length}, next insertion at ${facts["next-insert-index"]}`), jump, table(["index", "element", ""], body),
    pager(`${count(found.length)} elements from ${from} on`, trail.length > 0 && go(trail.at(-1), trail.slice(0, -1)), next < length && found.length > 0 && go(next, [...trail, from])),
    adder(view, ["Index; empty for the next", "Element"], "Set", (index, text) => index === "" ? ["ARINSERT", view.key, text] : ["ARSET", view.key, index, text]));
}

/** hole is a row for indexes without elements. */
const hole = (from, to) => [el("span", {class: "soft"}, to - from > 1n ? `${from} to ${to - 1n}` : String(from)), el("span", {class: "soft"}, "empty"), ""];
