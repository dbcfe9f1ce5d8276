// What a key costs, byte by byte.

import {ReplyError} from "../api.js";
import {Chart, bars} from "../chart.js";
import {count, el, field, select, show} from "../dom.js";
import {layout} from "../layout.js";
import {table} from "../table.js";
import {typeName} from "../types.js";
import {skiplist} from "./memory/skiplist.js";

const entries = 512, towers = 200; // that are drawn of each end: of a packed value, of a skiplist
const listed = 50; // rows of a table
const large = 500_000, quick = 1000; // bytes, elements: up to there MEMORY EXPLAIN and MEMORY WHATIF take less than a millisecond
const colors = {ziplist: "var(--c1)", listpack: "var(--c1)", skiplist: "var(--c2)", hashtable: "var(--c2)", intset: "var(--c3)", quicklist: "var(--c4)"};

export const page = {title: "Memory", async open(main, context) {
  const memory = new Memory(context);
  main.append(memory.node);
  await memory.start();
}};

class Memory {
  constructor(context) {
    this.context = context;
    const {params} = context;
    this.key = el("input", {value: params.get("key") ?? "", spellcheck: "false", placeholder: "the name of a key", required: true});
    this.db = el("input", {type: "number", min: 0, value: params.get("db") ?? 0});
    this.failed = el("p", {class: "error", role: "alert"});
    this.out = el("div", {class: "explained"});
    this.node = el("div", {class: "memory"}, el("h1", {}, "Memory"),
      el("form", {class: "adder", onsubmit: e => { e.preventDefault(); this.show(); }}, field("Key", this.key, {class: "field grow"}), field("Database", this.db),
        el("button", {class: "primary"}, "Show"), el("button", {type: "button", onclick: () => this.any()}, "Random key")),
      this.failed, this.out, context.about.sandbox ? new Growth(context).node : null);
  }

  async start() {
    if (this.key.value) await this.show();
    else show(this.out, el("p", {class: "soft"}, "Type the name of a key, or pick a random one, to see what each of its bytes is for."));
  }

  async any() {
    const [, key] = await this.context.all([["SELECT", this.db.value || 0], ["RANDOMKEY"]]);
    if (key === null || key instanceof ReplyError) return show(this.failed, key?.message ?? "The database is empty.");
    this.key.value = key;
    await this.show();
  }

  /** show explains the key. For a large value that takes time in which no other client is served, so somebody must want it all the same. */
  async show(wanted = false) {
    const key = this.key.value;
    show(this.failed);
    const [selected, type, size, encoding] = await this.context.all([["SELECT", this.db.value || 0], ["TYPE", key], ["MEMORY", "USAGE", key], ["OBJECT", "ENCODING", key]]);
    if (selected instanceof ReplyError) return show(this.failed, selected.message);
    if (Number(size) > large && type !== "string" && !wanted) return this.offer(key, type, size, encoding);
    const [explained] = await this.context.all([["MEMORY", "EXPLAIN", key, "ENTRIES", encoding === "skiplist" ? towers : entries]]);
    if (explained instanceof ReplyError) return show(this.failed, explained.message);
    this.keep();
    const facts = Object.fromEntries(explained);
    const cells = layout(explained);
    const perElement = Object.entries(facts).find(([name]) => name.startsWith("bytes-per"));
    show(this.out, el("div", {class: "figures"}, figure(count(facts.bytes), "bytes, by MEMORY USAGE"), figure(count(facts.length), facts.type === "string" ? "bytes of text" : facts.length === 1 ? "element" : "elements"),
      perElement && figure(Number(perElement[1]).toFixed(1), perElement[0].replaceAll("-", " ")), figure(facts.encoding, "encoding"), figure(typeName(facts.type), "type")),
    el("div", {class: "two"}, el("div", {}, cells && strip(cells), facts.skiplist && skiplist(explained), facts.dict && buckets(Object.fromEntries(facts.dict)), tables(explained),
      await this.whatif(key, facts)), account(explained)));
    this.context.announce(`${key}: ${facts.bytes} bytes`);
  }

  keep() { this.context.setParams({key: this.key.value, db: this.db.value === "0" ? "" : this.db.value}); }

  /** offer shows what is known without a walk. */
  offer(key, type, size, encoding) {
    this.keep();
    show(this.out, el("div", {class: "figures"}, figure(count(size), "bytes, by MEMORY USAGE"), figure(encoding, "encoding"), figure(typeName(type), "type")),
      el("div", {class: "row"}, el("p", {class: "soft"}, "MEMORY EXPLAIN walks through the whole value, and all other clients wait until it is done: with a million elements, tens of milliseconds."),
        el("button", {onclick: () => this.show(true)}, "Explain it anyway")));
  }

  /** whatif draws what the key would cost in its other encodings, at once only if the server needs less than a millisecond for that. */
  async whatif(key, facts) {
    if (facts.type === "string") return null;
    const section = el("section", {class: "sheet", "aria-label": "In other encodings"});
    if (facts.length <= quick) return this.compare(key, section);
    show(section, el("h2", {}, "The same data in other encodings"), el("div", {class: "row"}, el("p", {class: "soft"}, "MEMORY WHATIF builds the data in each encoding, and all other clients wait until it is done: with many elements, hundredths of a second."),
      el("button", {onclick: async () => { if (!await this.compare(key, section)) section.remove(); }}, "Compare them anyway")));
    return section;
  }

  async compare(key, section) {
    const [reply] = await this.context.all([["MEMORY", "WHATIF", key]]);
    if (reply instanceof ReplyError) return null;
    const what = Object.fromEntries(reply);
    const growth = (what.growth ?? []).map(pairs => Object.fromEntries(pairs));
    if (growth.length < 2) return null;
    const chart = new Chart({label: "Bytes by the number of elements, in each encoding", xTitle: "elements", whole: true, x: v => count(Math.round(v))});
    const names = Object.keys(growth[0]).filter(n => n !== "elements");
    chart.set(names.map((name, i) => ({name, color: colors[name] ?? `var(--c${i + 4})`, points: growth.filter(g => g[name] !== undefined && g[name] !== null).map(g => [g.elements, g[name]])})),
      crossing(what.crossing));
    return show(section, el("h2", {}, "The same data in other encodings"), chart.node, el("p", {class: "soft"}, `Crossing: ${what.crossing}`));
  }
}

const figure = (value, text) => el("div", {class: "figure"}, el("strong", {}, value), el("span", {class: "soft"}, text));

/** crossing marks the number of elements where two encodings cost the same, if the reply names one. */
function crossing(text) {
  const found = /^(?:at )?(\d+)/.exec(text ?? "");
  return found ? [{x: Number(found[1]), text: "crossing"}] : [];
}

/** strip draws a packed value: a box for each byte, a frame for each entry. */
function strip(cells) {
  const read = el("p", {class: "reading", role: "status"}, "Point at a byte, or move with the arrow keys.");
  const groups = [];
  for (const cell of cells) {
    const id = cell.entry ?? cell.kind;
    if (groups.at(-1)?.id !== id) groups.push({id, cells: []});
    groups.at(-1).cells.push(cell);
  }
  const tell = node => {
    box.querySelectorAll(".told").forEach(n => n.classList.remove("told"));
    node.parentNode.classList.add("told");
    const cell = cells[node.dataset.cell];
    show(read, el("strong", {}, cell.entry === undefined ? cell.kind : `entry ${cell.entry}`), ` ${cell.kind}, offset ${cell.at}, ${cell.size} ${cell.size === 1 ? "byte" : "bytes"}: `, el("code", {}, cell.text));
  };
  const nodes = new Map(cells.map((cell, i) => [cell, cellNode(cell, i)]));
  const box = el("div", {class: "strip", role: "listbox", tabindex: "0", "aria-label": "Bytes of the value",
    onpointerover: e => { const n = e.target.closest("[data-cell]"); if (n) tell(n); },
    onkeydown: e => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[e.key];
      if (!step) return;
      e.preventDefault();
      const at = box.querySelector(".at");
      const next = nodes.get(cells[Math.max(0, Math.min(cells.length - 1, at ? Number(at.dataset.cell) + step : 0))]);
      at?.classList.remove("at");
      next.classList.add("at");
      next.scrollIntoView({block: "nearest"});
      tell(next);
    }}, groups.map(g => el("span", {class: `bytes-of ${typeof g.id === "number" ? "entry" : ""}`}, g.cells.map(c => nodes.get(c)))));
  const kinds = [...new Set(cells.map(c => c.kind))];
  return el("section", {class: "sheet", "aria-label": "Byte by byte"}, el("h2", {}, "Byte by byte"), el("div", {class: "legend"},
    kinds.map(k => el("span", {class: "key"}, el("span", {class: `swatch byte-${k}`}), `${k} ${count(cells.filter(c => c.kind === k).reduce((n, c) => n + c.size, 0))}`))), box, read);
}

function cellNode(cell, i) {
  const drawn = cell.kind === "gap" || cell.kind === "spare" || cell.size > 80;
  const label = `${cell.kind} ${cell.text}`;
  return el("span", {class: `cell-of byte-${cell.kind}`, "data-cell": i, role: "option", "aria-label": label},
    drawn ? el("span", {class: "wide"}, `${count(cell.size)} B`) : Array.from({length: cell.size}, (_, n) => el("span", {class: "byte"}, byteText(cell, n))));
}

function byteText(cell, n) {
  const b = cell.bytes?.[n];
  if (b === undefined) return cell.kind === "encoding" ? cell.text.replace(/[a-z]/g, m => m[0])[n] ?? "" : "";
  if (cell.kind === "text" && b > 32 && b < 127) return String.fromCharCode(b);
  return b.toString(16).padStart(2, "0");
}

/** buckets draws how many elements the chains of a hash table have. */
function buckets(facts) {
  const chains = facts.chains.map(pairs => Object.fromEntries(pairs));
  return el("section", {class: "sheet", "aria-label": "Hash table"}, el("h2", {}, `Hash table: ${count(facts.buckets)} buckets, ${count(facts.overflow)} of them overflow`),
    el("div", {class: "buckets", role: "img", "aria-label": chains.map(c => `${count(c.chains)} × ${c.elements} elements`).join(", ")},
      chains.flatMap(c => Array.from({length: Math.min(c.chains, 200)}, () => el("span", {class: "bucket", title: `${c.elements} elements`},
        Array.from({length: Math.min(c.elements, 36)}, (_, i) => el("i", {class: i >= 12 ? "over" : ""}))))).slice(0, 200)), bars("Chains by elements", chains.map(c => [`${c.elements} elements`, c.chains])));
}

/** drawn are the parts of a reply that are drawn in another way. */
const drawn = new Set(["entries", "spans", "heights", "chains"]);

/** isTable reports whether a part of a reply is a list of facts with the same names. */
const isTable = value => Array.isArray(value) && Array.isArray(value[0]?.[0]);

/** tables shows the lists of facts in a reply, such as the layers of a filter. */
function tables(explained) {
  return explained.flatMap(([name, value]) => {
    if (!Array.isArray(value) || drawn.has(name)) return [];
    if (!isTable(value)) return Array.isArray(value[0]) ? tables(value) : [];
    const title = name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");
    return [el("section", {class: "sheet"}, el("h2", {}, title), table(value[0].map(([fact]) => String(fact)), value.slice(0, listed).map(row => row.map(([, fact]) => String(fact))), title))];
  });
}

/** account shows the reply as it is, a table for each part. */
function account(explained) {
  const rows = (pairs, depth) => pairs.flatMap(([name, value]) => {
    if (!Array.isArray(value)) return [el("tr", {}, el("td", {style: {"padding-left": `${8 + 14 * depth}px`}}, String(name)), el("td", {class: "number"}, typeof value === "number" ? count(value) : String(value)))];
    if (drawn.has(name) || !Array.isArray(value[0]) || isTable(value)) return [];
    return [el("tr", {class: "part"}, el("th", {scope: "rowgroup", colspan: 2, style: {"padding-left": `${8 + 14 * depth}px`}}, String(name))), ...rows(value, depth + 1)];
  });
  return el("section", {class: "sheet account", "aria-label": "Account"}, el("h2", {}, "The account"), el("table", {}, el("tbody", {}, rows(explained, 0))), el("p", {class: "soft"}, "This is the reply to MEMORY EXPLAIN."));
}

const kinds = {zset: ["ZADD", t => [t, t]], hash: ["HSET", t => [t, "1"]], set: ["SADD", t => [`t${t}`]]};

/** Growth adds elements to a key in the sandbox, one after another, and shows the figures of Redis beside. */
class Growth {
  constructor(context) {
    this.context = context;
    this.kind = select({onchange: () => this.measure()}, [["zset", "sorted set"], "hash", "set"]);
    this.n = el("input", {type: "range", min: 1, max: 200, value: 129, oninput: () => this.mark()});
    this.chart = new Chart({label: "Bytes of a key by the number of its elements", xTitle: "elements", x: v => count(Math.round(v))});
    this.figures = el("p", {class: "growth-figures", role: "status"});
    this.node = el("section", {class: "sheet growth", "aria-label": "Grow it"}, el("h2", {}, "Grow it"),
      el("p", {class: "soft"}, "A key in a sandbox gets one element after another, each a time in milliseconds. The figures of Redis were measured with the same elements."),
      el("div", {class: "row"}, field("Type", this.kind), field("Elements", this.n, {class: "field grow"})), this.figures, this.chart.node);
    this.measure();
  }

  /** measure asks the server what the key costs after each element. docs/memory.md has the same figures for a sorted set. */
  async measure() {
    const kind = this.kind.value;
    const [command, words] = kinds[kind];
    this.redis ??= await (await fetch("redis-growth.json")).json();
    const commands = [["DEL", "grow"]];
    for (let i = 0; i < 200; i++) commands.push([command, "grow", ...words(String(1700000000000 + 1000 * i))], ["MEMORY", "USAGE", "grow", "SAMPLES", "0"]);
    const replies = await this.context.sandbox.all(commands);
    if (kind !== this.kind.value) return;
    const own = Array.from({length: 200}, (_, i) => Number(replies[2 + 2 * i]));
    this.lists = [["miniserver", own, "var(--c1)"], ["Redis 6.2", this.redis["redis:6.2"][kind], "var(--c2)"], ["Redis 8.6", this.redis["redis:8.6"][kind], "var(--c3)"]];
    this.mark();
  }

  mark() {
    if (!this.lists) return;
    const n = Number(this.n.value);
    this.chart.set(this.lists.map(([name, list, color]) => ({name, color, points: list.map((b, i) => [i + 1, b])})), [{x: n, text: String(n)}]);
    show(this.figures, el("strong", {}, `${n} ${n === 1 ? "element" : "elements"}: `), this.lists.map(([name, list], i) => [i > 0 && ", ", `${name} `, el("strong", {class: `of-${i}`}, count(list[n - 1])), " bytes"]));
  }
}
