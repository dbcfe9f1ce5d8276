// A list that draws only the rows that are in view, so that it scrolls smoothly with any number of them.

import {el} from "./dom.js";

export const rowHeight = 28;

let numbered = 0;

/** Rows shows the items of a tree, which have a depth and an id, as rows of one height. draw(item) makes the element of a row; drawn(items) is called with those that have come into view, and
 *  moved(item) when the cursor has moved. */
export class Rows {
  constructor({label, draw, drawn = () => {}, moved = () => {}, open}) {
    Object.assign(this, {draw, drawn, moved, open, items: [], at: 0, first: -1, nodes: new Map(), name: `rows-${++numbered}`});
    // A click would get lost when its row is drawn anew between press and release. One without a pointer has no detail.
    this.body = el("div", {class: "rows-body", onpointerdown: e => this.pressed = this.under(e), onpointercancel: () => this.pressed = undefined,
      onpointerup: e => e.button === 0 && this.pressed && this.pressed === this.under(e) && this.go(this.index(e), true),
      onclick: e => e.detail === 0 && this.go(this.index(e), true)});
    this.node = el("div", {class: "rows", role: "tree", tabindex: "0", "aria-label": label, onkeydown: e => this.key(e),
      onscroll: () => requestAnimationFrame(() => this.paint())}, this.body);
    new ResizeObserver(() => this.paint()).observe(this.node);
  }

  /** set changes the items. The cursor stays on the item where it is, if that is still there. */
  set(items) {
    const id = this.items[this.at]?.id, at = items.findIndex(item => item.id === id);
    this.items = items;
    this.at = at >= 0 ? at : Math.min(this.at, Math.max(0, items.length - 1));
    this.body.style.height = `${items.length * rowHeight}px`;
    this.first = -1;
    this.paint();
  }

  paint() {
    const first = Math.max(0, Math.floor(this.node.scrollTop / rowHeight) - 6);
    const last = Math.min(this.items.length, Math.ceil((this.node.scrollTop + this.node.clientHeight) / rowHeight) + 6);
    if (first === this.first && last === this.last) return;
    const before = this.first < 0 ? new Map() : this.nodes; // rows that stay in view stay as they are
    this.first = first;
    this.last = last;
    this.nodes = new Map();
    for (let i = first; i < last; i++) this.nodes.set(i, before.get(i) ?? this.row(this.items[i], i));
    for (const [i, node] of before) if (!this.nodes.has(i)) node.remove();
    if (before.size === 0) this.body.replaceChildren(...this.nodes.values());
    else for (const [i, node] of this.nodes) if (!before.has(i)) this.body.append(node);
    this.drawn(this.items.slice(first, last));
  }

  row(item, i) {
    const node = this.draw(item);
    node.style.transform = `translateY(${i * rowHeight}px)`;
    node.setAttribute("role", "treeitem");
    node.setAttribute("aria-level", item.depth + 1);
    node.dataset.at = i;
    node.id ||= `${this.name}-${i}`;
    node.classList.toggle("at", i === this.at);
    return node;
  }

  /** index returns at which row an event points. */
  index(event) {
    const row = event.target.closest("[role=treeitem]");
    return row ? Number(row.dataset.at) : -1;
  }

  /** under returns the id of the item to which an event points. */
  under(event) { return this.items[this.index(event)]?.id; }

  go(i, opens) {
    this.at = Math.max(0, Math.min(this.items.length - 1, i));
    const top = this.at * rowHeight;
    const view = this.node;
    if (top < view.scrollTop) view.scrollTop = top;
    if (top + rowHeight > view.scrollTop + view.clientHeight) view.scrollTop = top + rowHeight - view.clientHeight;
    if (this.items[this.at]) this.moved(this.items[this.at]);
    this.first = -1;
    this.paint();
    view.setAttribute("aria-activedescendant", `${this.name}-${this.at}`);
    if (opens && this.items[this.at]) this.open(this.items[this.at]);
  }

  /** turn opens or closes the group at the cursor. Into an open group it goes; out of a closed one, or from a key, it goes to the group above. */
  turn(opens) {
    const item = this.items[this.at];
    if (!item) return;
    const isOpen = this.nodes.get(this.at)?.getAttribute("aria-expanded");
    if (isOpen === String(!opens)) return this.open(item);
    if (opens) return isOpen && this.go(this.at + 1);
    const above = this.items.slice(0, this.at).findLastIndex(other => other.depth < item.depth);
    if (above >= 0) this.go(above);
  }

  key(event) {
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity};
    if (event.key in steps) {
      event.preventDefault();
      this.go(this.at + Math.max(-this.items.length, Math.min(this.items.length, steps[event.key])));
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      event.preventDefault();
      this.turn(event.key === "ArrowRight");
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.go(this.at, true);
    }
  }
}
