// The flame graph: the boxes of the server's picture, drawn anew in the colours of the page. The picture is read as text and numbers only.

import {el, svg} from "../../dom.js";

const box = /<g><title>([^<]*)<\/title><rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="([^"]*)"/g;
const entities = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'"};

/** boxesOf reads the boxes of a picture: {title, x, y, width, height, fill}, in the picture's pixels. */
const boxesOf = picture => [...picture.matchAll(box)].map(([, title, x, y, width, height, fill]) => ({
  title: title.replace(/&(?:amp|lt|gt|#34|#39);/g, e => entities[e]), x: Number(x), y: Number(y), width: Number(width), height: Number(height), fill}));

const kinds = {"#f5a65b": "function", "#ffd9a0": "line", "#e8706a": "command", "#9ec5e8": "library"};

/** flame draws a picture of SCRIPT PROFILE REPORT SVG. A click, or Enter, on a box makes it as wide as the page. */
export function flame(text) {
  const boxes = boxesOf(text), told = el("pre", {class: "flame-told", "aria-live": "polite"}, "Point at a box, or go to it with the Tab key.");
  if (boxes.length === 0) return el("p", {class: "soft"}, "Nothing has run long enough to be measured.");
  const height = Math.max(...boxes.map(b => b.y + b.height)) + 4;
  const picture = svg("svg", {class: "flame", role: "group", "aria-label": "Flame graph", viewBox: `0 0 1200 ${height}`, preserveAspectRatio: "none"});
  picture.style.height = `${height}px`;
  const draw = zoom => picture.replaceChildren(...boxes.filter(b => b.x < zoom.x + zoom.width && b.x + b.width > zoom.x).map(b => {
    const scale = 1200 / zoom.width, x = Math.max(0, (b.x - zoom.x) * scale), width = Math.min(1200, (b.x + b.width - zoom.x) * scale) - x;
    const [name, source] = b.title.split("\n"), line = kinds[b.fill] === "line";
    const label = line ? `${name.split(":").at(-1)}  ${source}` : name;
    const tell = () => { told.textContent = b.title; };
    const node = svg("svg", {class: `box ${kinds[b.fill] ?? "root"}`, x, y: b.y, width, height: b.height, viewBox: `0 0 ${Math.max(width, 0.1)} ${b.height}`, preserveAspectRatio: "none",
      tabindex: 0, role: "button", "aria-label": b.title, onpointerenter: tell, onfocus: tell, onclick: () => draw(zoom === b ? boxes[0] : b),
      onkeydown: e => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); draw(zoom === b ? boxes[0] : b); } }},
    svg("rect", {width, height: b.height - 1}));
    if (width > 40) node.append(svg("text", {x: 3, y: 13}, label.slice(0, Math.floor(width / 7))));
    return node;
  }));
  draw(boxes[0]);
  return el("div", {}, el("div", {class: "scroll flame-frame"}, picture), told);
}
