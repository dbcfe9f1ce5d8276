// The indexes of the server: what they hold, what queries find, how they are answered, and what is wrong with them; and which vectors are near to each other.

import {Bytes, ReplyError} from "../api.js";
import {bars} from "../chart.js";
import {bytes, count, el, field, show} from "../dom.js";
import {table} from "../table.js";
import {line, parse} from "../words.js";
import {Neighbourhood} from "./indexes/neighbours.js";
import {plan, remarks} from "./indexes/query.js";

const listed = 100; // indexes of which the page asks more than the name
const rows = 100; // of a result that are asked for
const columns = 8, letters = 120; // of a result that are shown

export const page = {title: "Indexes", async open(main, context) {
  const indexes = new Indexes(context);
  main.append(el("link", {rel: "stylesheet", href: "pages/indexes.css"}), indexes.node);
  await indexes.start();
}};

class Indexes {
  constructor(context) {
    this.context = context;
    this.failed = el("p", {class: "error", role: "alert"});
    this.list = el("section", {class: "sheet", "aria-label": "Indexes"});
    this.memory = el("section", {class: "sheet", "aria-label": "Memory"});
    this.query = el("input", {class: "mono", spellcheck: "false", autocomplete: "off", value: context.params.get("query") ?? "", required: true});
    this.out = el("div", {class: "answers"});
    this.near = new Neighbourhood(context);
    this.node = el("div", {class: "indexes"}, el("h1", {}, "Indexes"), this.failed, el("div", {class: "halves"}, this.list, this.memory),
      el("form", {class: "adder sheet", onsubmit: e => { e.preventDefault(); this.run(); }}, field("FT.SEARCH or FT.AGGREGATE, as in redis-cli", this.query, {class: "field grow"}), el("button", {class: "primary"}, "Run")),
      this.out, this.near.node);
  }

  async start() {
    const [names] = await this.context.all([["FT._LIST"]]);
    if (names instanceof ReplyError) show(this.failed, names.message);
    await this.choose(names instanceof ReplyError ? [] : names.map(String).sort());
    if (this.query.value) await this.run();
    await this.near.start();
  }

  /** choose lists the indexes, and shows the one of the address, or else the first. */
  async choose(names) {
    const asked = names.slice(0, listed), told = await this.context.all(asked.map(name => ["FT.INDEX", "MEMORY", name]));
    this.facts = new Map(asked.map((name, i) => [name, told[i] instanceof ReplyError ? null : Object.fromEntries(told[i])]));
    const link = name => el("button", {class: "cell", onclick: () => this.pick(name)}, name);
    show(this.list, el("h2", {}, `${count(names.length)} ${names.length === 1 ? "index" : "indexes"}`), names.length === 0 ? el("p", {class: "soft"}, "FT.CREATE makes one.")
      : table(["name", "documents", "memory"], asked.map(name => [link(name), count(this.facts.get(name)?.documents ?? 0), bytes(this.facts.get(name)?.bytes ?? 0)]), "Indexes"),
    names.length > listed && el("p", {class: "soft"}, `The first ${listed} of them are listed.`));
    this.memory.hidden = names.length === 0;
    const wanted = this.context.params.get("index");
    if (names.length) await this.pick(names.includes(wanted) ? wanted : names[0], !this.query.value);
  }

  /** pick shows where the memory of an index is, and offers a query for it. */
  async pick(name, offers = true) {
    this.index = name;
    const facts = this.facts.get(name);
    if (facts) {
      const fields = facts.fields.map(Object.fromEntries).map(f => [`${f.attribute} ${f.type}`, Number(f.bytes)]).sort((a, b) => b[1] - a[1]);
      show(this.memory, el("h2", {}, "Memory of ", el("code", {}, name)), bars(`Memory of ${name}`, [["documents", Number(facts.document_bytes)], ["words", Number(facts.word_bytes)], ...fields], bytes));
    }
    if (offers) this.query.value = line(["FT.SEARCH", name, "*", "DIALECT", 2]);
    this.keep();
    await this.near.offer(name, facts ? facts.fields.map(Object.fromEntries).filter(f => f.type === "VECTOR").map(f => String(f.attribute)) : []);
  }

  keep() { this.context.setParams({index: this.index, query: this.query.value, ...this.near.params()}); }

  /** run asks for the results, the plan and the remarks at once. */
  async run() {
    let words;
    try {
      words = parse(this.query.value);
    } catch (error) {
      return show(this.out, el("p", {class: "error", role: "alert"}, error.message));
    }
    const kind = /^ft\.(search|aggregate)$/i.exec(String(words[0]))?.[1].toUpperCase();
    if (!kind || words.length < 3) return show(this.out, el("p", {class: "error", role: "alert"}, "Write FT.SEARCH or FT.AGGREGATE, an index and a query. The terminal runs all commands."));
    this.keep();
    const [, index, query, ...options] = words;
    const [found, planned, linted] = await this.context.all([bounded(kind, words), ["FT.INDEX", "PLAN", index, query, ...kind === "SEARCH" ? options : parsing(options)],
      ["FT.INDEX", "LINT", index, kind, query, ...options]]);
    show(this.out, remarks(linted, String(query)), el("div", {class: "halves"}, results(found), plan(planned)));
    this.context.announce(found instanceof ReplyError ? found.message : `${totalOf(found)} results`);
  }
}

/** at returns where an option is among words; -1 if it is not there. */
const at = (words, option) => words.findIndex(w => String(w).toUpperCase() === option);

/** bounded returns a command that replies with at most so many rows. */
function bounded(kind, words) {
  const limit = at(words.slice(3), "LIMIT");
  if (limit >= 0 && Number(words[limit + 5]) > rows) words = words.with(limit + 5, rows);
  if (at(words.slice(3), "WITHCURSOR") >= 0) return [...words, "COUNT", rows];
  return limit < 0 && kind === "AGGREGATE" ? [...words, "LIMIT", 0, rows] : words;
}

/** parsing returns the options that say how a query is read: the plan of FT.AGGREGATE is that of its query. */
function parsing(options) {
  const dialect = at(options, "DIALECT"), params = at(options, "PARAMS");
  return [...dialect < 0 ? [] : options.slice(dialect, dialect + 2), ...params < 0 ? [] : options.slice(params, params + 2 + Number(options[params + 1]))];
}

/** answer is a reply as an object; that with a cursor has one more around it. */
const answer = found => Object.fromEntries(Array.isArray(found[0]?.[0]) ? found[0] : found);
const totalOf = found => count(answer(found).total_results ?? 0);

/** results shows the rows that were found as a table. */
function results(found) {
  const section = (...content) => el("section", {class: "sheet", "aria-label": "Results"}, el("h2", {}, "Results"), content);
  if (found instanceof ReplyError) return section(el("p", {class: "error", role: "alert"}, found.message));
  const documents = (answer(found).results ?? []).map(Object.fromEntries).map(d => ({id: d.id, row: new Map((d.extra_attributes ?? []).map(([name, value]) => [String(name), value]))}));
  const names = [...new Set(documents.flatMap(d => [...d.row.keys()]))].slice(0, columns), keyed = documents.some(d => d.id !== undefined);
  const shown = v => v === undefined || v === null ? "" : v instanceof Bytes ? `${count(v.array.length)} bytes` : String(v).length > letters ? `${String(v).slice(0, letters)}…` : String(v);
  const key = id => el("a", {href: `#keys?key=${encodeURIComponent(String(id))}`}, String(id));
  return section(el("p", {class: "soft"}, `${totalOf(found)} found, ${count(documents.length)} shown`), documents.length > 0 && table([...keyed ? ["key"] : [], ...names],
    documents.map(d => [...keyed ? [key(d.id)] : [], ...names.map(name => shown(d.row.get(name)))]), "Results"));
}
