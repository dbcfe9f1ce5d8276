// A skiplist as towers, with the links of each level and what they span.

import {bars} from "../../chart.js";
import {count, el, show, svg} from "../../dom.js";
import {towers} from "../../layout.js";

const column = 34, box = 20, level = 20; // pixels: from tower to tower, a tower, a level

/** skiplist draws the nodes that a reply to MEMORY EXPLAIN tells. */
export function skiplist(explained) {
  const list = towers(explained);
  const facts = Object.fromEntries(Object.fromEntries(explained).skiplist);
  const heights = facts.heights.map(pairs => Object.fromEntries(pairs)).filter(h => h.nodes > 0);
  const read = el("p", {class: "reading", role: "status"}, "Point at a tower, or move with the arrow keys, to see how a search gets there.");
  return el("section", {class: "sheet", "aria-label": "Skiplist"}, el("h2", {}, "Skiplist: its nodes, and what their links span"), drawing(list, read), read,
    bars("Nodes by height", heights.map(h => [`height ${h.height}`, h.nodes])));
}

/** drawing is the towers in a row, the head before them and the end behind. */
function drawing(list, read) {
  const {n, nodes, links} = list;
  const places = new Map(); // by index: columns from the left
  for (const node of nodes) places.set(node.index, places.size + (node.index > places.size ? 1 : 0));
  const hidden = [...places.values()].findIndex((p, i) => p > i); // the place of the nodes that are not shown, or -1
  places.set(n, Math.max(...places.values()) + 1);
  const top = nodes[0].spans.length;
  const x = index => 2 + column * (places.get(index) ?? hidden);
  const y = lv => 2 + level * (top - lv);
  const lines = new Map(links.map(link => [link, line(link, x, y)]));
  const groups = nodes.map((node, i) => svg("g", {class: "node", role: "option", "aria-label": told(node), "data-at": i},
    Array.from({length: node.spans.length + 1}, (_, lv) => svg("rect", {class: `tower tower-${Math.min(lv, 5)}`, x: x(node.index), y: y(lv), width: box, height: level - 4, rx: 3}))));
  let at = 0;
  const tell = i => {
    at = Math.max(0, Math.min(nodes.length - 1, i));
    const way = wayTo(list, nodes[at].index);
    groups.forEach((g, j) => g.classList.toggle("at", j === at));
    for (const [link, node] of lines) node.classList.toggle("way", way?.includes(link) ?? false);
    show(read, told(nodes[at]), way && `. A search for it follows ${way.length} ${way.length === 1 ? "link" : "links"}.`);
  };
  return el("div", {class: "scroll towers", role: "listbox", tabindex: "0", "aria-label": "Nodes of the skiplist",
    onpointerover: e => { const g = e.target.closest("[data-at]"); if (g) tell(Number(g.dataset.at)); },
    onkeydown: e => {
      const step = {ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity}[e.key];
      if (!step) return;
      e.preventDefault();
      tell(at + step);
      groups[at].scrollIntoView({block: "nearest", inline: "nearest"});
    }}, svg("svg", {width: x(n) + box, height: y(0) + level, role: "presentation"}, [...lines.values()], groups, mark(x(n), "end", top, y),
    hidden >= 0 && mark(2 + column * hidden, `${count(n - nodes.length + 1)} more`, top, y)));
}

const told = ({index, text, score, spans}) => `${index < 0 ? "The head" : `Node ${index}, ${text}, score ${score}`}: height ${spans.length + 1}, spans ${[1, ...spans].join(", ")}`;

function line({level: lv, from, to, span}, x, y) {
  const left = x(from) + box, right = x(to), middle = y(lv) + (level - 4) / 2;
  return svg("g", {class: "link"}, svg("path", {d: `M${left} ${middle}H${right}m-4 -3l4 3l-4 3`}),
    right - left > column && svg("text", {x: left + Math.min((right - left) / 2, 3 * column), y: middle - 2, "text-anchor": "middle"}, span));
}

/** mark is a line across all levels, for what is not a node. */
const mark = (left, text, top, y) => svg("g", {class: "mark"}, svg("line", {x1: left + 1, x2: left + 1, y1: y(top), y2: y(0) + level - 4}), svg("title", {}, text));

/** wayTo returns the links that a search for a node follows; null if it leads through nodes that are not shown. */
export function wayTo({nodes, links}, index) {
  if (index < 0) return null;
  const next = new Map(links.map(link => [`${link.from} ${link.level}`, link]));
  const way = [];
  let at = -1, last = null;
  for (let lv = nodes[0].spans.length; lv >= 0; lv--) {
    while ((last = next.get(`${at} ${lv}`))?.to < index) {
      way.push(last);
      at = last.to;
    }
    if (!last) return null;
  }
  return [...way, last];
}
