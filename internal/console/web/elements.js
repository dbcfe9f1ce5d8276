// The elements of each type of value: tables of a bounded number of rows, with what can be done to an element.

import {array} from "./array.js";
import {Bytes, ReplyError} from "./api.js";
import {ring} from "./deadline.js";
import {bytes, count, el, foreign, show} from "./dom.js";
import {Series} from "./series.js";
import {bloom, countmin, cuckoo, digest, topk} from "./sketches.js";
import {adder, cell, pager, pairs, remove, table} from "./table.js";
import {Tree} from "./tree.js";
import {ask, confirmed} from "./value.js";

const rows = 100; // elements that are shown at once
const longest = 64 << 10; // bytes of a string that are shown

/** families are what commands about deadlines of elements are called, by type. */
const families = {hash: ["H", "FIELDS"], set: ["S", "MEMBERS"], zset: ["Z", "MEMBERS"], list: ["L", "ELEMENTS"]};

/** deadlines returns the times to live of elements, by what they are called. */
async function deadlines(view, names) {
  const [letter, word] = families[view.type];
  if (names.length === 0) return [];
  const [reply] = await view.context.all([[`${letter}PTTL`, view.key, word, names.length, ...names]]);
  return reply instanceof ReplyError ? names.map(() => -1) : reply;
}

/** expire asks for the deadline of an element and sets it. */
async function expire(view, name, ttl) {
  const [letter, word] = families[view.type];
  const text = await ask(["Time to live of ", foreign(name), ", in seconds; empty for none"], ttl >= 0 ? String(ttl / 1000) : "");
  if (text === null) return;
  await view.change(text === "" ? [`${letter}PERSIST`, view.key, word, 1, name]
    : [`${letter}PEXPIRE`, view.key, Math.round(Number(text) * 1000), word, 1, name]);
}

const timer = (view, name, ttl) => el("button", {class: "quiet timer", title: "Change the deadline", "aria-label": `Deadline of ${name}`, onclick: () => expire(view, name, ttl)},
  ring(`${view.db} ${view.key} ${name}`, ttl));

async function string(view) {
  const length = await view.context.run("STRLEN", view.key);
  const value = length > longest ? await view.read("GETRANGE", view.key, 0, longest - 1) : await view.read("GET", view.key);
  const whole = length <= longest && !(value instanceof Bytes);
  const text = el("textarea", {rows: 12, "aria-label": "Value", readonly: !whole, spellcheck: "false", value: String(value)});
  show(view.body, text, el("div", {class: "row"},
    el("button", {class: "primary", disabled: !whole, onclick: () => view.change(["SET", view.key, text.value, "KEEPTTL"])}, "Save"),
    el("span", {class: "soft"}, `${count(length)} bytes${length > longest ? `, of which ${bytes(longest)} are shown` : ""}${value instanceof Bytes ? ", not valid text" : ""}`)));
}

/** scanned shows a collection that a cursor goes through. */
async function scanned(view, command, cursor, trail, heads, draw, add) {
  const [next, found] = await view.read(command, view.key, cursor, "COUNT", rows);
  const body = await draw(found);
  const go = (to, way) => () => view.try(() => scanned(view, command, to, way, heads, draw, add));
  show(view.body, table(heads, body), pager(`${count(body.length)} shown, in the order of ${command}`, trail.length ? go(trail.at(-1), trail.slice(0, -1)) : null,
    String(next) === "0" ? null : go(String(next), [...trail, cursor])), add);
}

const hash = view => scanned(view, "HSCAN", "0", [], ["field", "value", "deadline", ""], async found => {
  const all = pairs(found);
  const times = await deadlines(view, all.map(([f]) => f));
  return all.map(([f, v], i) => [el("code", {}, String(f)), cell(view, v, text => [["HSET", view.key, f, text]], `value of ${f}`), timer(view, f, times[i]),
    remove(view, String(f), [["HDEL", view.key, f]])]);
}, adder(view, ["Field", "Value"], "Set", (f, v) => ["HSET", view.key, f, v]));

const set = view => scanned(view, "SSCAN", "0", [], ["member", "deadline", ""], async found => {
  const times = await deadlines(view, found);
  return found.map((m, i) => [el("code", {}, String(m)), timer(view, m, times[i]), remove(view, String(m), [["SREM", view.key, m]])]);
}, adder(view, ["Member"], "Add", m => ["SADD", view.key, m]));

/** ranged shows a part of an ordered collection. */
async function ranged(view, from, size, load, add) {
  const [heads, body] = await load(from);
  const go = to => () => view.try(() => ranged(view, to, size, load, add));
  show(view.body, table(heads, body), pager(`${count(from + 1)} to ${count(from + body.length)} of ${count(size)}`, from > 0 ? go(Math.max(0, from - rows)) : null,
    from + rows < size ? go(from + rows) : null), add);
}

const zset = async view => ranged(view, 0, await view.context.run("ZCARD", view.key), async from => {
  const found = (await view.read("ZRANGE", view.key, from, from + rows - 1, "WITHSCORES"));
  const times = await deadlines(view, found.map(([m]) => m));
  return [["rank", "member", "score", "deadline", ""], found.map(([m, score], i) => [count(from + i), el("code", {}, String(m)),
    cell(view, score, text => [["ZADD", view.key, "XX", text, m]], `score of ${m}`), timer(view, m, times[i]), remove(view, String(m), [["ZREM", view.key, m]])])];
}, adder(view, ["Member", "Score"], "Add", (m, score) => ["ZADD", view.key, score, m]));

const list = async view => ranged(view, 0, await view.context.run("LLEN", view.key), async from => {
  const found = await view.read("LRANGE", view.key, from, from + rows - 1);
  const times = await deadlines(view, found);
  const mark = `removed-${crypto.randomUUID()}`;
  return [["index", "element", "deadline", ""], found.map((e, i) => [count(from + i), cell(view, e, text => [["LSET", view.key, from + i, text]], `element ${from + i}`),
    timer(view, e, times[i]), remove(view, `element ${from + i}`, [["LSET", view.key, from + i, mark], ["LREM", view.key, 1, mark]])])];
}, [adder(view, ["Element"], "Add at the end", e => ["RPUSH", view.key, e]), adder(view, ["Element"], "Add at the front", e => ["LPUSH", view.key, e])]);

async function stream(view, from = "+", trail = []) {
  const [length, groups] = await view.context.all([["XLEN", view.key], ["XINFO", "GROUPS", view.key]]);
  const found = await view.read("XREVRANGE", view.key, from, "-", "COUNT", rows);
  const body = found.map(([id, list]) => [el("code", {}, String(id)), new Date(Number(String(id).split("-")[0])).toLocaleString(),
    el("code", {}, pairs(list).map(([f, v]) => `${f}: ${v}`).join("  ")), remove(view, String(id), [["XDEL", view.key, id]])]);
  const next = found.length === rows ? `(${found.at(-1)[0]}` : null;
  show(view.body, table(["ID", "time", "fields", ""], body), pager(`${count(length)} entries, the latest first`,
    trail.length ? () => view.try(() => stream(view, trail.at(-1), trail.slice(0, -1))) : null, next && (() => view.try(() => stream(view, next, [...trail, from])))),
  adder(view, ["Field", "Value"], "Add", (f, v) => ["XADD", view.key, "*", f, v]), el("h2", {}, "Groups"), await groupsOf(view, groups),
  adder(view, ["Group", "From ID"], "Create the group", (g, id) => ["XGROUP", "CREATE", view.key, g, id || "$"]));
}

async function groupsOf(view, groups) {
  if (groups instanceof ReplyError || groups.length === 0) return el("p", {class: "soft"}, "There are none.");
  const facts = groups.map(g => Object.fromEntries(g));
  const details = await view.context.all(facts.flatMap(g => [["XINFO", "CONSUMERS", view.key, g.name], ["XPENDING", view.key, g.name, "-", "+", 10]]));
  return facts.map((g, i) => el("details", {class: "group"}, el("summary", {}, el("code", {}, String(g.name)),
    ` ${count(g.consumers)} consumers, ${count(g.pending)} pending, ${g.lag ?? "?"} behind, read up to ${g["last-delivered-id"]}`),
  table(["consumer", "pending", "idle"], details[2 * i].map(c => { const of = Object.fromEntries(c); return [el("code", {}, String(of.name)), count(of.pending), `${count(of.idle)} ms`]; }), "Consumers"),
  table(["pending entry", "consumer", "idle", "delivered", ""], details[2 * i + 1].map(([id, who, idle, times]) => [el("code", {}, String(id)), el("code", {}, String(who)),
    `${count(idle)} ms`, count(times), el("button", {onclick: () => view.change(["XACK", view.key, g.name, id])}, "Acknowledge")]), "Pending entries"),
  el("button", {class: "danger", onclick: async () => await confirmed(["Destroy the group ", foreign(g.name), ", and what it knows of pending entries?"], "Destroy") && view.change(["XGROUP", "DESTROY", view.key, g.name])}, "Destroy the group")));
}

/** json shows a document. Its tree stays from one load to the next. */
const json = view => (view.tree ??= new Tree(view)).load();

/** series shows a time series. What part of it is shown stays from one load to the next. */
const series = view => (view.series ??= new Series(view)).load();

export const elements = {string, hash, set, zset, list, stream: view => stream(view), array: view => array(view), "MBbloom--": bloom, "MBbloomCF": cuckoo, "CMSk-TYPE": countmin,
  "TopK-TYPE": view => topk(view), "TDIS-TYPE": digest, "TSDB-TYPE": series, "ReJSON-RL": json};
