// Deadlines as rings that shrink.

import {duration, el, svg} from "./dom.js";

const full = new Map(); // the longest time that was seen of each thing: a whole ring

/** ring draws how much of its time a thing has left; name identifies it. ms is what PTTL replies: negative for none. */
export function ring(name, ms) {
  if (!(ms >= 0)) return el("span", {class: "ring none", title: "no deadline"});
  const until = Date.now() + ms;
  const most = Math.max(ms, full.get(name) ?? 0);
  if (full.size > 10000) full.clear();
  full.set(name, most);
  const arc = svg("circle", {cx: 8, cy: 8, r: 6, class: "arc", pathLength: 100, transform: "rotate(-90 8 8)"});
  const text = el("span", {class: "left"});
  const node = el("span", {class: "ring", "data-until": until}, svg("svg", {width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true"},
    svg("circle", {cx: 8, cy: 8, r: 6, class: "track"}), arc), text);
  node.turn = now => {
    const left = Math.max(0, until - now);
    arc.setAttribute("stroke-dasharray", `${100 * left / most} 100`);
    text.textContent = left ? duration(left) : "gone";
    node.classList.toggle("soon", left < 10_000);
    node.title = left ? `expires ${new Date(until).toLocaleString()}` : "expired";
  };
  node.turn(Date.now());
  return node;
}

/** turnRings keeps the rings inside of an element turning; it returns what ends that. */
export function turnRings(root) {
  const timer = setInterval(() => {
    const now = Date.now();
    for (const node of root.querySelectorAll(".ring[data-until]")) node.turn(now);
  }, 500);
  return () => clearInterval(timer);
}
