// The keys of a database, and what is in them.

import {Bytes, ReplyError, decode} from "../api.js";
import {ring, turnRings} from "../deadline.js";
import {bytes, count, el, field, later, select, show} from "../dom.js";
import {Rows} from "../rows.js";
import {typeName, types} from "../types.js";
import {ValueView} from "../value.js";

const enough = 500; // keys that one search looks for
const most = 50_000; // keys that are kept
const told = 200; // milliseconds after which a search tells again how far it is

export const page = {title: "Keys", async open(main, context) {
  const keys = new Keys(context);
  main.append(keys.node);
  await keys.start();
  return () => keys.stop();
}};

class Keys {
  constructor(context) {
    const {params} = this.context = context;
    this.api = context.api;
    this.facts = new Map(); // by key: {type, ttl, size}
    this.closed = new Set(); // groups of the tree that are not open
    this.pattern = el("input", {type: "search", value: params.get("match") ?? "", placeholder: "user:*", spellcheck: "false", oninput: later(250, () => this.search())});
    this.type = select({onchange: () => this.search()}, [["", "all"], ...Object.keys(types).map(type => [type, typeName(type)])], params.get("type") ?? "");
    this.separator = el("input", {value: params.get("by") ?? ":", size: 2, maxlength: 4, oninput: () => this.draw()});
    this.db = el("input", {type: "number", min: 0, value: params.get("db") ?? 0, onchange: () => this.search()});
    this.rows = new Rows({label: "Keys", draw: row => this.row(row), drawn: rows => this.ask(rows), open: row => this.choose(row)});
    this.count = el("span", {class: "soft count"});
    this.progress = el("progress", {max: 100, "aria-label": "Searched", hidden: true});
    this.more = el("button", {class: "more", onclick: () => this.turn(), hidden: true});
    this.side = el("section", {class: "value sheet", "aria-label": "Value"});
    this.node = el("div", {class: "keys"}, el("h1", {class: "unseen"}, "Keys"), el("section", {class: "browser", "aria-label": "Keys"},
      el("div", {class: "filter", role: "search"}, field("Pattern", this.pattern, {class: "field grow"}), field("Type", this.type), field("Separator", this.separator),
        field("Database", this.db)),
      el("div", {class: "row tools"}, this.count, this.progress, this.more, el("span", {class: "grow"}), el("button", {onclick: () => this.add()}, "New key"),
        el("button", {class: "quiet", onclick: () => this.search(), "aria-label": "Search again", title: "Search again"}, "↻")),
      this.rows.node), this.side);
    this.key = e => {
      if (e.key === "/" && !/INPUT|TEXTAREA|SELECT/.test(e.target.tagName)) {
        e.preventDefault();
        this.pattern.focus();
      }
    };
    document.addEventListener("keydown", this.key);
  }

  async start() {
    this.endRings = turnRings(this.node);
    show(this.side, el("p", {class: "soft"}, "Choose a key. The arrow keys move through the list, Enter opens a key, / goes to the pattern."));
    await this.search();
    const key = this.context.params.get("key");
    if (key !== null) await this.openKey(key);
  }

  stop() {
    this.searching = null;
    this.endRings();
    document.removeEventListener("keydown", this.key);
  }

  /** search begins anew. */
  async search() {
    this.searching = null; // what an earlier search still gets is not for this one
    this.cursor = "0";
    this.found = [];
    this.seen = new Set();
    this.scanned = 0;
    this.facts.clear();
    this.keep();
    const [selected, size] = await this.api.all([["SELECT", this.db.value || 0], ["DBSIZE"]]);
    if (selected instanceof ReplyError) return this.fail(selected);
    this.size = size;
    this.scan();
  }

  keep(key = this.value?.key) {
    this.context.setParams({match: this.pattern.value, type: this.type.value, by: this.separator.value === ":" ? "" : this.separator.value,
      db: this.db.value === "0" ? "" : this.db.value, key: key instanceof Bytes ? "" : key});
  }

  /** turn goes on with the search, or stops it once it has said how far it is. */
  turn() {
    if (!this.searching) this.scan();
    else if (!this.progress.hidden) this.searching.stopped = true;
  }

  async scan() {
    const search = this.searching = {stopped: false};
    try {
      await this.look(search);
    } catch (error) {
      if (this.searching === search) this.fail(error);
    }
  }

  /** look looks for keys until it has found enough, has seen all, or is stopped. */
  async look(search) {
    const goal = Math.min(this.found.length + enough, most);
    const args = [...(this.glob() ? ["MATCH", this.glob()] : []), ...(this.type.value ? ["TYPE", this.type.value] : [])];
    let last = performance.now(), drawn = this.found.length;
    do {
      const {reply, scanned} = await this.api.post("search", {cursor: this.cursor, args, most: goal - this.found.length});
      if (this.searching !== search) return;
      this.take(decode(reply), scanned);
      if (performance.now() - last > told) {
        last = performance.now();
        this.tell();
        if (this.found.length > drawn) this.draw();
        drawn = this.found.length;
      }
    } while (this.cursor !== "0" && this.found.length < goal && !search.stopped);
    this.searching = null;
    this.tell();
    this.context.announce(this.count.textContent);
    this.draw();
  }

  take(reply, scanned) {
    if (reply instanceof ReplyError) throw reply;
    const [cursor, keys] = reply;
    this.cursor = String(cursor);
    this.scanned += scanned;
    for (const key of keys) {
      if (!this.seen.has(String(key))) this.found.push(key), this.seen.add(String(key));
    }
  }

  fail(error) {
    this.searching = null;
    this.progress.hidden = this.more.hidden = true;
    show(this.count, error.message);
  }

  /** tell shows how far the search is. */
  tell() {
    const done = this.cursor === "0", full = this.found.length >= most;
    const percent = Math.min(99, Math.round(100 * this.scanned / Math.max(1, this.size)));
    show(this.more, this.searching ? "Stop" : "Search on");
    if ((done || full) && document.activeElement === this.more) this.rows.node.focus();
    this.more.hidden = done || full;
    this.progress.hidden = !this.searching;
    this.progress.value = percent;
    show(this.count, done ? `${count(this.found.length)} of ${count(this.size)} keys` : `${count(this.found.length)} keys, ${percent} % of ${count(this.size)} searched`,
      full && !done && ": the list is full, so a narrower pattern is needed");
  }

  /** glob is the pattern; a plain word is looked for anywhere. */
  glob() {
    const text = this.pattern.value;
    return text === "" || /[*?[\\]/.test(text) ? text : `*${text}*`;
  }

  /** draw makes the rows of the tree. */
  draw() {
    const separator = this.separator.value;
    const rows = [];
    this.found.sort((a, b) => String(a) < String(b) ? -1 : 1);
    const grow = (keys, from, depth) => {
      for (let i = 0; i < keys.length;) {
        const text = String(keys[i]);
        const end = separator && !(keys[i] instanceof Bytes) ? text.indexOf(separator, from) : -1;
        const prefix = end < 0 ? "" : text.slice(0, end + separator.length);
        let j = i + 1;
        while (prefix && j < keys.length && String(keys[j]).startsWith(prefix)) j++;
        if (j - i > 1) {
          rows.push({id: `+${prefix}`, group: prefix, name: text.slice(from, end + separator.length), n: j - i, depth});
          if (!this.closed.has(prefix)) grow(keys.slice(i, j), prefix.length, depth + 1);
        } else {
          rows.push({id: `=${text}`, key: keys[i], name: text.slice(from) || text, depth});
        }
        i = j;
      }
    };
    grow(this.found, 0, 0);
    this.rows.set(rows);
    this.keep();
  }

  row(row) {
    const style = {"padding-left": `${8 + 16 * row.depth}px`};
    if (row.group) {
      const open = !this.closed.has(row.group);
      return el("div", {class: "key-row group", style, "aria-expanded": String(open)}, el("span", {class: "arrow"}, open ? "▾" : "▸"), el("span", {class: "name"}, row.name),
        el("span", {class: "soft"}, count(row.n)));
    }
    const facts = this.facts.get(String(row.key));
    return el("div", {class: "key-row", style, "aria-selected": String(String(this.value?.key) === String(row.key)), title: String(row.key)},
      el("span", {class: `type type-${facts?.type ?? ""}`}, types[facts?.type]?.[1] ?? ""), el("span", {class: "name"}, row.name),
      facts && ring(`${this.db.value} ${row.key}`, facts.ttl - (Date.now() - facts.at)), el("span", {class: "soft size"}, facts ? bytes(facts.size) : ""));
  }

  /** ask asks for the facts of the rows that have come into view. */
  ask(rows) {
    const unknown = rows.filter(r => r.key !== undefined && !this.facts.has(String(r.key))).slice(0, 100);
    if (unknown.length === 0) return;
    clearTimeout(this.asking);
    this.asking = setTimeout(async () => {
      const replies = await this.api.all(unknown.flatMap(({key}) => [["TYPE", key], ["PTTL", key], ["MEMORY", "USAGE", key, "SAMPLES", 5]]));
      unknown.forEach(({key}, i) => {
        const [type, ttl, size] = replies.slice(3 * i, 3 * i + 3);
        this.facts.set(String(key), {type: type instanceof ReplyError ? "" : type, ttl: Number(ttl), size: Number(size) || 0, at: Date.now()});
      });
      this.rows.first = -1;
      this.rows.paint();
    }, 40);
  }

  choose(row) {
    if (row.group) {
      if (!this.closed.delete(row.group)) this.closed.add(row.group);
      return this.draw();
    }
    return this.openKey(row.key);
  }

  async openKey(key) {
    this.value = new ValueView(this.context, key, {db: this.db.value, changed: gone => this.changed(key, gone)});
    this.keep();
    show(this.side, this.value.node);
    this.rows.first = -1;
    this.rows.paint();
    await this.value.load();
  }

  /** changed is told when a key was changed or is gone. */
  changed(key, gone) {
    this.facts.delete(String(key));
    if (gone) {
      this.found = this.found.filter(k => String(k) !== String(key));
      show(this.side, el("p", {class: "soft"}, gone));
      this.value = null;
      if (document.activeElement === document.body) this.rows.node.focus();
    }
    this.draw();
  }

  /** add makes a key of a type with a first element. */
  add() {
    const name = el("input", {required: true, spellcheck: "false"});
    const type = select({}, [["string", "string"], ["hash", "hash"], ["list", "list"], ["set", "set"], ["zset", "sorted set"], ["stream", "stream"], ["array", "array"], ["bloom", "Bloom filter"], ["cuckoo", "cuckoo filter"], ["series", "time series"], ["json", "JSON"]]);
    const first = el("input", {spellcheck: "false"});
    const failed = el("p", {class: "error", role: "alert"});
    const make = {string: v => ["SET", name.value, v, "NX"], hash: v => ["HSETNX", name.value, "field", v], list: v => ["RPUSH", name.value, v], set: v => ["SADD", name.value, v],
      zset: v => ["ZADD", name.value, "NX", 0, v], stream: v => ["XADD", name.value, "*", "field", v], array: v => ["ARINSERT", name.value, v], bloom: v => ["BF.ADD", name.value, v],
      cuckoo: v => ["CF.ADD", name.value, v], series: v => ["TS.ADD", name.value, "*", v],
      json: v => ["JSON.SET", name.value, "$", v]};
    const save = async event => {
      event.preventDefault();
      try {
        if (await this.context.run("EXISTS", name.value)) throw new Error("There is a key with this name already.");
        await this.context.run(...make[type.value](first.value));
        dialog.close();
        this.found.push(name.value);
        this.draw();
        await this.openKey(name.value);
      } catch (error) {
        show(failed, error.message);
      }
    };
    const dialog = el("dialog", {"aria-label": "New key", class: "new-key"}, el("form", {onsubmit: save}, el("h1", {}, "New key"), field("Name", name), field("Type", type),
      field("Value, or first element", first), failed, el("div", {class: "row"}, el("button", {class: "primary"}, "Create"),
        el("button", {type: "button", onclick: () => dialog.close()}, "Cancel"))));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
}
