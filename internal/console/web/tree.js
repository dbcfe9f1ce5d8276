// A JSON document as a tree, of which only what is in view has been read.

import {Document, canMake, enough, heavy, isContainer, pathOf, peel, slice} from "./document.js";
import {bytes, count, el, field, foreign, later, show} from "./dom.js";
import {Finder} from "./finder.js";
import {Rows} from "./rows.js";
import {confirmed} from "./value.js";
import {line} from "./words.js";

const deepest = 12; // levels that are indented
const pause = 60; // milliseconds that the cursor rests before the value under it is shown

/** rangeOf is what identifies some children of a container. */
const rangeOf = (path, from, to) => `${path} ${from}-${to}`;

/** widthOf returns how many children each part of so many has: a power of the size of a slice. */
function widthOf(n) {
  let width = slice;
  while (n > width * slice) width *= slice;
  return width;
}

/** labelOf is a step as a row shows it. */
const labelOf = step => typeof step === "string" && /^$|[\x00-\x1f]/.test(step) ? JSON.stringify(step) : String(step);

/** Tree shows the document of a ValueView, and changes it. */
export class Tree {
  constructor(view) {
    this.view = view;
    this.document = new Document(view.context.api, view.key);
    this.facts = new Map(); // by path
    this.names = new Map(); // those of a slice of an object, by its range
    this.open = new Set(); // paths and ranges
    this.fresh = new Set(); // slices that are read since the document was loaded
    this.locked = view.context.about.readonly;
    this.rows = new Rows({label: "Document", draw: row => this.row(row), drawn: rows => this.read(rows), moved: row => this.move(row), open: row => view.try(() => this.turn(row))});
    this.finder = new Finder(this.document, {size: () => this.size, open: find => view.try(() => this.reveal(find)), failed: error => show(view.failed, error.message)});
    this.path = el("input", {class: "mono", readonly: true});
    this.copied = el("button", {onclick: () => this.copy()}, "Copy");
    this.undoing = el("button", {disabled: true, onclick: () => this.undo()}, "Undo");
    this.side = el("div", {class: "chosen"});
    this.node = el("div", {class: "tree"}, this.finder.node, this.rows.node, el("div", {class: "adder row"}, field("Path", this.path, {class: "field grow"}), this.copied, this.undoing),
      this.side);
    this.fill = later(pause, () => view.try(() => this.choose()));
  }

  /** load reads what is in view anew. */
  async load() {
    const first = !this.node.isConnected;
    const [root] = await this.document.facts("$");
    const [size] = await this.view.context.all([["MEMORY", "USAGE", this.view.key]]);
    this.size = Number(size);
    if (!root) return;
    this.fresh.clear();
    await this.document.texts([root], () => "$");
    this.facts.set("$", root);
    this.side.before(this.view.failed); // beside what is edited
    if (first) {
      show(this.view.body, this.node);
      if (!this.isHeavy(root)) this.open.add("$");
    }
    this.draw();
    for (let read; read !== this.reading;) await (read = this.reading); // or rows would move under the pointer later
    await this.choose();
  }

  isHeavy(facts) { return facts.type === "object" && facts.n > heavy; }

  /** draw makes the rows of what is open. */
  draw() {
    const rows = [];
    const grow = (steps, label, depth, of) => {
      const path = pathOf(steps), facts = this.facts.get(path);
      rows.push({id: path, path, steps, label, depth, facts, of});
      if (facts && isContainer(facts.type) && this.open.has(path)) spread(steps, path, facts, 0, facts.n, depth + 1);
    };
    const spread = (steps, path, facts, from, to, depth) => {
      const id = rangeOf(path, from, to);
      if (to - from <= slice) {
        const of = {steps, path, facts, from, to, id}, names = this.names.get(id);
        if (facts.type === "object" && !names) return rows.push({id: `${id} …`, label: "…", depth, of});
        for (let i = from; i < to; i++) {
          const step = names ? names[i - from] : i;
          if (step !== undefined) grow([...steps, step], labelOf(step), depth, of);
        }
        return;
      }
      const width = widthOf(to - from);
      for (let start = from; start < to; start += width) {
        const end = Math.min(start + width, to), part = rangeOf(path, start, end);
        rows.push({id: part, label: `${count(start)} to ${count(end - 1)}`, depth, range: true});
        if (this.open.has(part)) spread(steps, path, facts, start, end, depth + 1);
      }
    };
    grow([], "$", 0);
    this.rows.set(rows);
  }

  row({id, path, label, depth, facts, range}) {
    const style = {"padding-left": `${8 + 16 * Math.min(depth, deepest)}px`};
    const parts = range || facts && isContainer(facts.type), open = this.open.has(id);
    const size = facts && parts && (facts.type === "object" ? `{${count(facts.n)}}` : `[${count(facts.n)}]`);
    return el("div", {class: "key-row", style, title: path, "aria-expanded": parts && String(open), "aria-selected": String(path !== undefined && path === this.chosen?.path)},
      el("span", {class: "arrow"}, parts && (open ? "▾" : "▸")), el("span", {class: range ? "soft" : "name"}, label), size && el("span", {class: "soft"}, size),
      facts && !parts && el("span", {class: `text json-${facts.type}`}, facts.text ?? `string of ${bytes(facts.n)}`));
  }

  /** read reads the slices of the rows that have come into view. */
  read(rows) {
    const wanted = rows.map(row => row.of).filter(of => of && !this.fresh.has(of.id));
    const slices = new Map(wanted.map(of => [of.id, of]));
    if (slices.size === 0) return;
    for (const id of slices.keys()) this.fresh.add(id);
    this.reading = this.readAll(slices.values());
  }

  async readAll(slices) {
    try {
      for (const of of slices) await this.readSlice(of);
      this.draw();
      if (this.waits) this.move(this.rows.items[this.rows.at]);
    } catch (error) {
      show(this.view.failed, error.message);
    }
  }

  async readSlice({steps, facts, from, to, id}) {
    this.fresh.add(id);
    const children = await this.document.children(steps, facts, from, to);
    if (facts.type === "object") this.names.set(id, children.map(child => child.step));
    for (const child of children) this.facts.set(pathOf([...steps, child.step]), child);
  }

  /** turn opens or closes what has children. */
  async turn({id, path, range, of}) {
    if (!range && of && !this.facts.has(path)) await this.readSlice(of);
    const facts = this.facts.get(path);
    if (!range && !(facts && isContainer(facts.type))) return;
    if (!this.open.delete(id)) {
      if (!range && this.isHeavy(facts) && !this.document.listed.has(path)) {
        if (!await confirmed(`An object with ${count(facts.n)} members. To list a hundred of their names, the server must go through all, and other clients wait meanwhile: ` +
          "about 0.2 seconds for each million.", "Open")) return;
        this.document.listed.add(path);
      }
      this.open.add(id);
    }
    this.draw();
  }

  // ---- the value under the cursor

  move(row) {
    this.waits = row.path === undefined && !row.range; // for names to be read
    if (row.path === undefined) return;
    this.chosen = row;
    this.path.value = row.path;
    this.fill();
  }

  /** choose shows the value under the cursor, and what can be done with it. */
  async choose() {
    const at = this.chosen = this.rows.items.find(item => item.path !== undefined && item.path === this.chosen?.path) ?? this.rows.items[0];
    this.path.value = at.path;
    const [facts] = await this.document.facts(at.path);
    if (!facts) throw new Error(`There is no value at ${at.path} any more.`);
    const row = {...at, facts}, {type, n} = facts;
    const about = el("div", {class: "row"}, el("span", {class: "tag"}, type),
      el("span", {class: "soft"}, type === "string" ? `${count(n)} bytes` : isContainer(type) ? `${count(n)} ${type === "object" ? "member" : "element"}${n === 1 ? "" : "s"}` : ""));
    const editor = el("div", {class: "editor-of"});
    if (type !== "string" && !isContainer(type) || this.size <= enough) await this.edit(row, editor);
    else {
      await this.view.read("JSON.TYPE", this.view.key, at.path);
      show(editor, this.tools(row, el("button", {onclick: () => this.view.try(() => this.editLarge(row, editor))}, "Show as text")));
    }
    if (this.chosen !== at) return;
    show(this.side, about, editor, type === "object" && this.memberAdder(row), type === "array" && this.elementAdder(row));
  }

  /** edit shows the text of a value, which can be changed. */
  async edit(row, editor) {
    const reply = await this.view.read(...this.document.shows(row.path));
    const before = peel(reply);
    if (before === null) throw new Error(`There is no value at ${row.path} any more.`);
    const text = el("textarea", {rows: Math.min(12, before.split("\n").length + 1), "aria-label": "Value as JSON", readonly: this.locked, spellcheck: "false", value: before});
    show(editor, text, this.tools(row, el("button", {class: "primary", disabled: this.locked, onclick: () => this.save(row, reply, text)}, "Save")));
  }

  async editLarge(row, editor) {
    if (await this.document.isSmall(row.path)) return this.edit(row, editor);
    show(editor, el("p", {class: "soft"}, "The value is too large to be shown as one text."), this.tools(row));
  }

  tools(row, ...buttons) {
    return el("div", {class: "row"}, buttons, row.of && el("button", {class: "danger", disabled: this.locked, onclick: () => this.remove(row)}, "Remove"));
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.path.value);
      this.view.context.announce("The path has been copied");
    } catch {
      this.path.select(); // where only connections that are encrypted may, the user can
      this.view.context.announce("The path is selected");
    }
  }

  // ---- changes

  /** change changes the document; undo(replies) returns what undoes that: {checks, commands}. */
  async change(what, checks, commands, undo, refused) {
    await this.view.try(async () => {
      this.view.same.textContent = line(commands[0]);
      const replies = await this.document.change(checks, commands, refused);
      const undone = undo?.(replies) ?? null;
      this.offer(null);
      this.view.changed();
      await this.view.load();
      this.offer(undone, what);
      this.view.context.announce(`${what}: done`);
    });
  }

  /** offer offers to undo a change, or nothing. */
  offer(undone, what) {
    this.undone = undone;
    this.undoing.disabled = !undone;
    this.undoing.title = undone ? `Undo: ${what}` : "";
  }

  undo() {
    const {checks, commands} = this.undone;
    return this.change("Undo", checks, commands);
  }

  /** valid returns the text of a field if it is JSON. */
  valid(control) {
    try {
      JSON.parse(control.value);
      return control.value;
    } catch (error) {
      show(this.view.failed, `This is no JSON: ${error.message}`);
      control.focus();
      return null;
    }
  }

  async save({path}, reply, control) {
    const text = this.valid(control), {key} = this.view, shows = this.document.shows(path);
    if (text === null) return;
    await this.change(`Change ${path}`, [[shows, reply]], [["JSON.SET", key, path, text], shows],
      ([, after]) => ({checks: [[shows, after]], commands: [["JSON.SET", key, path, peel(reply)]]}));
  }

  memberAdder({steps, path}) {
    const name = el("input", {spellcheck: "false", disabled: this.locked}), value = el("input", {spellcheck: "false", disabled: this.locked});
    const add = async () => {
      const text = this.valid(value), {key} = this.view;
      if (text === null) return;
      if (!canMake(name.value)) return show(this.view.failed, "No path makes a member whose name has a backslash or both kinds of quotes. Change the text of the object.");
      const child = pathOf([...steps, name.value]), shows = this.document.shows(child);
      await this.change(`Add ${child}`, [], [["JSON.SET", key, child, text, "NX"], shows], ([, after]) => ({checks: [[shows, after]], commands: [["JSON.DEL", key, child]]}),
        `${path} has a member with this name already, or is no object any more.`);
    };
    return el("form", {class: "adder", onsubmit: e => { e.preventDefault(); add(); }}, field("Name", name, {class: "field grow"}), field("Value as JSON", value, {class: "field grow"}),
      el("button", {disabled: this.locked}, "Add"));
  }

  elementAdder({steps, path, facts}) {
    const value = el("input", {spellcheck: "false", disabled: this.locked}), before = el("input", {type: "number", min: 0, max: facts.n, placeholder: "end", disabled: this.locked});
    const add = async () => {
      const text = this.valid(value), {key} = this.view;
      if (text === null) return;
      const at = before.value === "" ? null : Number(before.value);
      const shows = this.document.shows(`${path}[${at ?? -1}]`), length = ["JSON.ARRLEN", key, path];
      await this.change(`Add to ${path}`, [], [at === null ? ["JSON.ARRAPPEND", key, path, text] : ["JSON.ARRINSERT", key, path, at, text], shows], ([n, after]) => {
        if (at !== null) this.fold(path, at);
        const child = pathOf([...steps, at ?? n[0] - 1]);
        return {checks: [[length, n], [this.document.shows(child), after]], commands: [["JSON.DEL", key, child]]};
      });
    };
    return el("form", {class: "adder", onsubmit: e => { e.preventDefault(); add(); }}, field("Value as JSON", value, {class: "field grow"}), field("Before element", before),
      el("button", {disabled: this.locked}, "Add"));
  }

  /** remove removes a member or an element. */
  async remove({path, steps, of}) {
    const {key} = this.view, {document} = this;
    await this.view.try(async () => {
      const shows = document.shows(path), gone = [["JSON.DEL", key, path]];
      if (!await document.isSmall(path)) {
        if (!await confirmed(["Remove ", foreign(path), "? It is too large for this to be undone."], "Remove")) return;
        return this.change(`Remove ${path}`, [], gone, () => this.leave(of, steps.at(-1)));
      }
      const [reply] = await document.run(shows);
      const undo = of.facts.type === "array" ? await this.back(of, steps.at(-1), peel(reply)) : await this.backIn(of, path, shows, peel(reply));
      await this.change(`Remove ${path}`, [[shows, reply]], [...gone, ...undo.after], replies => {
        this.leave(of, steps.at(-1));
        return undo.of(replies);
      });
    });
  }

  /** leave moves from a child that is gone to its container. */
  leave(of, step) {
    if (of.facts.type === "array") this.fold(of.path, step);
    this.chosen = {path: of.path};
  }

  /** back is how an element comes back. */
  async back(of, i, text) {
    const length = ["JSON.ARRLEN", this.view.key, of.path];
    return {after: [length], of: ([, n]) => ({checks: [[length, n]], commands: [["JSON.ARRINSERT", this.view.key, of.path, i, text]]})};
  }

  /** backIn is how a member comes back: to its place if its object is small, or else to the end. */
  async backIn(of, path, shows, text) {
    const {key} = this.view;
    if (!await this.document.isSmall(of.path)) return {after: [], of: () => ({checks: [[shows, "[]"]], commands: [["JSON.SET", key, path, text, "NX"]]})};
    const whole = this.document.shows(of.path), [reply] = await this.document.run(whole);
    return {after: [whole], of: ([, after]) => ({checks: [[whole, after]], commands: [["JSON.SET", key, of.path, peel(reply)]]})};
  }

  /** fold closes the elements behind an index, which are others now. */
  fold(path, from) {
    for (const id of this.open) {
      if (id.startsWith(`${path}[`) && parseInt(id.slice(path.length + 1)) >= from) this.open.delete(id);
    }
    this.draw();
  }

  /** reveal opens all that a find is in, and goes there. */
  async reveal({steps, places}) {
    for (const [depth, place] of places.entries()) {
      const above = steps.slice(0, depth), path = pathOf(above), facts = this.facts.get(path);
      if (!facts || !isContainer(facts.type)) break;
      this.open.add(path);
      let from = 0, to = facts.n;
      while (to - from > slice) {
        const width = widthOf(to - from);
        from += Math.floor((place - from) / width) * width;
        to = Math.min(from + width, to);
        this.open.add(rangeOf(path, from, to));
      }
      await this.readSlice({steps: above, facts, from, to, id: rangeOf(path, from, to)});
    }
    this.draw();
    const at = this.rows.items.findIndex(row => row.path === pathOf(steps));
    if (at < 0) throw new Error("The document has been changed meanwhile. Search again.");
    this.rows.go(at);
    this.rows.node.focus();
  }
}
