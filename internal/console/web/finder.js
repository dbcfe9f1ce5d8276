// The search for names and values in a JSON document.

import {heavy, pathOf} from "./document.js";
import {count, el, field, show} from "./dom.js";
import {Rows} from "./rows.js";

const most = 500; // finds after which a search pauses
const told = 200; // milliseconds after which a search tells again how far it is

/** Finder looks for a word. size() is how many bytes there are to search, open(find) is called with a find that the user has chosen, and failed(error) if the search fails. */
export class Finder {
  constructor(document, {size, open, failed}) {
    Object.assign(this, {document, size, failed});
    this.word = el("input", {type: "search", spellcheck: "false", oninput: () => this.word.value || this.clear()});
    this.told = el("span", {class: "soft", role: "status"});
    this.progress = el("progress", {max: 1, "aria-label": "Searched", hidden: true});
    this.more = el("button", {type: "button", hidden: true, onclick: () => this.turn()});
    this.rows = new Rows({label: "Found", draw: find => this.row(find), open});
    this.rows.node.hidden = true;
    const start = event => { event.preventDefault(); if (this.word.value) this.start(); };
    this.node = el("div", {class: "finder"}, el("form", {class: "adder", role: "search", onsubmit: start}, field("Name or value", this.word, {class: "field grow"}), el("button", {}, "Find")),
      this.state = el("div", {class: "row", hidden: true}, this.told, this.progress, this.more), this.rows.node);
  }

  clear() {
    this.stop();
    this.rows.node.hidden = this.state.hidden = true;
  }

  /** stop ends a search; what it still gets is not for the next one. */
  stop() {
    const {resume} = this;
    this.searching = this.resume = null;
    resume?.();
  }

  /** turn stops a search, or goes on with it. */
  turn() {
    const {resume} = this;
    this.resume = null;
    if (resume) resume();
    else this.paused = true;
  }

  async start() {
    this.stop();
    const search = this.searching = {found: [], done: 0, goal: most, told: performance.now()};
    this.paused = false;
    this.show(true);
    this.draw(search);
    this.state.hidden = false;
    try {
      const left = await this.document.search(this.word.value, find => search.found.push({...find, id: `find ${search.found.length}`, depth: 0}), bytes => this.step(search, bytes));
      if (this.searching === search) this.end(search, left);
    } catch (error) {
      this.clear();
      this.failed(error);
    }
  }

  /** step is called after each step of a search; it waits while the search pauses. */
  async step(search, bytes) {
    search.done += bytes;
    if (performance.now() - search.told > told) this.draw(search);
    if (this.paused || search.found.length >= search.goal) {
      this.show(false);
      this.draw(search);
      if (this.searching === search) await new Promise(resolve => this.resume = resolve);
      search.goal = search.found.length + most;
      this.paused = false;
      this.show(true);
    }
    return this.searching === search && this.node.isConnected;
  }

  /** show shows whether a search goes on. */
  show(going) {
    this.more.hidden = false;
    this.progress.hidden = !going;
    show(this.more, going ? "Stop" : "Search on");
  }

  /** draw shows how far a search is. */
  draw(search) {
    if (this.searching !== search) return;
    search.told = performance.now();
    const share = Math.min(.99, search.done / this.size()) || 0;
    show(this.told, `${count(search.found.length)} found, ${Math.round(100 * share)} % searched`);
    this.progress.value = share;
    this.rows.set([...search.found]);
    this.rows.node.hidden = search.found.length === 0;
  }

  end(search, {strings, objects}) {
    this.draw(search);
    show(this.told, `${count(search.found.length)} found`, strings > 0 && `; strings left out, since they are too large: ${count(strings)}`,
      objects > 0 && `; objects of more than ${count(heavy)} members left out, since you have not opened them: ${count(objects)}`);
    if (document.activeElement === this.more) this.rows.node.focus();
    this.progress.hidden = this.more.hidden = true;
  }

  row({steps, text}) {
    return el("div", {class: "key-row"}, el("span", {class: "name"}, pathOf(steps)), text !== null && el("span", {class: "text"}, text.slice(0, 200)));
  }
}
