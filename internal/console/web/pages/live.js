// What the server does now. All figures come from the sampler, once a second; only Monitor and Events have streams of their own.

import {ReplyError} from "../api.js";
import {Chart, bars} from "../chart.js";
import {bytes, count, duration, el, field, head, select, show} from "../dom.js";
import {typeName} from "../types.js";
import {quote} from "../words.js";
import {confirmed} from "../value.js";
import {group, replication} from "./live/copies.js";

const kept = 60; // samples of a chart
const families = ["string", "hash", "list", "set", "sorted-set", "stream", "generic", "scripting", "rate-limit", "pubsub", "connection", "server"];
const lines = 400; // of Monitor and Events
const sampled = 200; // keys whose memory is looked at

export const page = {title: "Live", async open(main, context) {
  const live = new Live(context);
  main.append(live.node);
  return live.start();
}};

const seconds = n => n > 0 ? duration(1000 * n) : "0 s";
const ago = v => Math.round(-v) > 0 ? `${Math.round(-v)} s ago` : "now";

class Live {
  constructor(context) {
    this.context = context;
    this.samples = [];
    this.family = new Map(); // by command
    this.turn = Promise.resolve(); // of the samples: one that waits for the families of its commands holds up those after it
    this.figures = el("div", {class: "figures"});
    this.rates = new Chart({label: "Commands per second, by family", x: ago, x0: -60, x1: 0, tall: 220});
    this.memory = new Chart({label: "Memory", x: ago, x0: -60, x1: 0, y: bytes, tall: 220});
    this.command = select({"aria-label": "Command", onchange: () => this.drawLatency()}, [["", "all commands"]]);
    this.latency = el("div", {});
    this.types = el("div", {});
    this.clients = el("div", {class: "scroll tall", tabindex: "0", role: "group", "aria-label": "List of clients"});
    this.clientCount = el("span", {class: "soft"});
    this.slow = el("div", {class: "scroll tall", tabindex: "0", role: "group", "aria-label": "Slow commands"});
    this.copies = el("section", {class: "sheet broad", "aria-label": "Replication"});
    this.monitor = new Watcher(context, {title: "Monitor", words: () => ["MONITOR"], note: "Every command of every client, as it is executed. It slows the server down while it is on.", draw: String});
    this.events = new Watcher(context, {title: "Events", words: pattern => ["PSUBSCRIBE", pattern || "__keyevent@*__:*"], note: "Messages on channels. Keyspace events must be turned on by notify-keyspace-events.",
      pattern: "__keyevent@*__:*", draw: m => Array.isArray(m) && m[0] === "pmessage" ? `${m[2]}  ${quote(m[3])}` : ""});
    const sheet = (title, ...content) => el("section", {class: "sheet", "aria-label": title}, el("h2", {}, title), content);
    this.node = el("div", {class: "live"}, el("h1", {}, "Live"), this.figures, el("div", {class: "grid"}, sheet("Commands per second", this.rates.node), sheet("Memory", this.memory.node),
      sheet("How long commands take", el("div", {class: "row"}, this.command), this.latency),
      sheet("Memory by type", el("p", {class: "soft"}, `Estimated from ${sampled} random keys. `, el("button", {class: "quiet", onclick: () => this.sampleTypes()}, "Pick other keys")), this.types),
      el("section", {class: "sheet broad", "aria-label": "Clients"}, el("h2", {}, "Clients ", this.clientCount), this.clients), this.copies, el("section", {class: "sheet broad", "aria-label": "Slow log"}, el("h2", {}, "Slow log"), this.slow),
      this.events.node, this.monitor.node));
  }

  async start() {
    const may = [];
    const replies = await this.context.all([["INFO", "server"], ["CLIENT", "LIST"], ["SLOWLOG", "GET", "1"], ["LATENCY", "HISTOGRAM"]]);
    ["info", "clients", "slowlog", "latency"].forEach((topic, i) => { if (!(replies[i] instanceof ReplyError)) may.push(topic); });
    if (!may.includes("info")) {
      show(this.node, el("h1", {}, "Live"), el("p", {class: "error", role: "alert"}, replies[0].message));
      return;
    }
    const draw = {info: r => this.turn = this.turn.catch(() => {}).then(() => this.info(r)), clients: r => this.drawClients(r), slowlog: r => this.drawSlow(r), latency: r => { this.histogram = r; this.drawLatency(); }};
    const end = this.context.events(may, (reply, topic) => draw[topic](reply));
    this.sampleTypes();
    return () => { end(); this.monitor.stop(); this.events.stop(); };
  }

  async info(text) {
    const now = {at: performance.now() / 1000, fields: parse(text)}; // not the server's time, which may be frozen
    const last = this.samples.at(-1);
    if (last && now.at - last.at < 0.2) return; // they came together, and tell no rate
    const calls = Object.entries(now.fields).filter(([name]) => name.startsWith("cmdstat_")).map(([name, value]) => [name.slice(8), Number(/calls=(\d+)/.exec(value)[1])]);
    now.calls = new Map(calls);
    await this.learn(calls.map(([name]) => name));
    now.rates = new Map();
    if (last) {
      for (const [name, n] of calls) {
        const family = this.family.get(name) ?? "other";
        const rate = Math.max(0, n - (last.calls.get(name) ?? 0)) / (now.at - last.at);
        now.rates.set(family, (now.rates.get(family) ?? 0) + rate);
      }
    }
    this.samples.push(now);
    if (this.samples.length > kept) this.samples.shift();
    this.drawFigures(now, last);
    this.drawCharts(now);
    this.drawCopies(now.fields);
  }

  /** learn asks for the families of commands that were not seen before, a few at a time: COMMAND DOCS takes long for many. */
  async learn(names) {
    const unknown = names.filter(n => !this.family.has(n));
    for (const n of unknown) this.family.set(n, "other");
    for (let i = 0; i < unknown.length; i += 8) {
      const [docs] = await this.context.all([["COMMAND", "DOCS", ...unknown.slice(i, i + 8)]]);
      if (docs instanceof ReplyError) return;
      for (const [name, pairs] of docs) this.family.set(name, Object.fromEntries(pairs).group);
    }
  }

  drawFigures({fields: f, at, rates}, last) {
    const rate = [...rates.values()].reduce((a, b) => a + b, 0);
    const keys = Object.entries(f).filter(([n]) => /^db\d+$/.test(n)).reduce((n, [, v]) => n + Number(/keys=(\d+)/.exec(v)[1]), 0);
    const of = (name, from) => Number(from.fields[name]);
    const hits = last ? of("keyspace_hits", {fields: f}) - of("keyspace_hits", last) : 0;
    const misses = last ? of("keyspace_misses", {fields: f}) - of("keyspace_misses", last) : 0;
    const items = [[last ? count(Math.round(rate)) : "…", "commands per second"], [count(f.connected_clients), "clients"], [count(keys), "keys"], [bytes(Number(f.used_memory)), "memory of the data"],
      [bytes(Number(f.used_memory_rss)), "memory of the process"], [hits + misses ? `${Math.round(100 * hits / (hits + misses))} %` : "–", "hit rate"],
      [last ? bytes((of("total_net_output_bytes", {fields: f}) - of("total_net_output_bytes", last)) / (at - last.at)) : "…", "sent per second"], [duration(1000 * f.uptime_in_seconds), "uptime"]];
    show(this.figures, items.map(([value, text]) => el("div", {class: "figure"}, el("strong", {}, value), el("span", {class: "soft"}, text))));
  }

  drawCharts(now) {
    const sums = new Map();
    for (const s of this.samples) for (const [name, rate] of s.rates) sums.set(name, (sums.get(name) ?? 0) + rate);
    const busiest = [...sums].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]).slice(0, 8).map(([name]) => name);
    const seen = busiest.sort((a, b) => families.indexOf(a) - families.indexOf(b));
    const points = of => this.samples.slice(1).map(s => [s.at - now.at, of(s)]);
    this.rates.set(seen.map((name, i) => ({name, color: `var(--c${i % 8 + 1})`, points: points(s => s.rates.get(name) ?? 0)})));
    this.memory.set([["data", "used_memory_dataset"], ["data and overhead", "used_memory"], ["process", "used_memory_rss"]].map(([name, f], i) =>
      ({name, color: `var(--c${i + 1})`, points: this.samples.map(s => [s.at - now.at, Number(s.fields[f])])})));
  }

  drawCopies(fields) {
    const title = fields.group_name === undefined ? "Replication" : "Group";
    const fresh = el("div", {}, title === "Group" ? group(fields) : replication(fields));
    if (this.copies.lastChild?.isEqualNode(fresh)) return; // somebody may have marked a text there
    this.copies.setAttribute("aria-label", title);
    show(this.copies, el("h2", {}, title), fresh);
  }

  drawLatency() {
    if (!this.histogram || this.histogram instanceof ReplyError) return;
    const all = this.histogram.map(([name, pairs]) => [String(name), Object.fromEntries(pairs)]);
    const chosen = this.command.value;
    if (this.command.options.length !== all.length + 1) {
      show(this.command, el("option", {value: ""}, "all commands"), all.map(([name]) => el("option", {value: name, selected: name === chosen}, name)));
    }
    const sums = new Map();
    for (const [, facts] of all.filter(([name]) => !chosen || name === chosen)) {
      let before = 0;
      for (const [limit, n] of facts.histogram_usec) {
        sums.set(Number(limit), (sums.get(Number(limit)) ?? 0) + n - before);
        before = n;
      }
    }
    const items = [...sums].sort((a, b) => a[0] - b[0]).map(([limit, n]) => [`up to ${limit < 1000 ? `${limit} µs` : duration(limit / 1000)}`, n]);
    show(this.latency, bars("Calls by their time", items, count, "var(--c4)"), el("p", {class: "soft"}, "Since the start, or since CONFIG RESETSTAT."));
  }

  async sampleTypes() {
    const picked = await this.context.all(Array.from({length: sampled}, () => ["RANDOMKEY"]));
    const keys = [...new Map(picked.filter(k => k !== null && !(k instanceof ReplyError)).map(k => [String(k), k])).values()];
    const replies = await this.context.all(keys.flatMap(k => [["TYPE", k], ["MEMORY", "USAGE", k, "SAMPLES", "5"]]));
    const sums = new Map();
    keys.forEach((_, i) => sums.set(replies[2 * i], (sums.get(replies[2 * i]) ?? 0) + (Number(replies[2 * i + 1]) || 0)));
    const total = [...sums.values()].reduce((a, b) => a + b, 0);
    show(this.types, keys.length ? bars("Memory by type", [...sums].sort((a, b) => b[1] - a[1]).map(([type, n]) => [typeName(type), n]), n => `${Math.round(100 * n / total)} %`, "var(--c3)") : el("p", {class: "soft"}, "There are no keys."));
  }

  drawClients(text) {
    const all = String(text).trim().split("\n").filter(Boolean).map(line => Object.fromEntries(line.split(" ").map(part => { const at = part.indexOf("="); return [part.slice(0, at), part.slice(at + 1)]; })))
      .filter(c => c.addr !== ""); // the sampler itself has no address
    this.clientCount.textContent = count(all.length);
    if (this.clients.contains(document.activeElement)) return; // somebody is about to press a button there
    show(this.clients, el("table", {}, el("thead", {}, el("tr", {}, ["id", "address", "name", "user", "db", "last command", ["age"], ["idle"], ["memory"], ""].map(h => Array.isArray(h) ? el("th", {scope: "col", class: "number"}, h) : head(h)))),
      el("tbody", {}, all.slice(0, 200).map(c => el("tr", {}, el("td", {}, c.id), el("td", {class: "mono"}, c.addr), el("td", {}, c.name), el("td", {}, c.user), el("td", {}, c.db), el("td", {class: "mono"}, c.cmd),
        el("td", {class: "number"}, seconds(c.age)), el("td", {class: "number"}, seconds(c.idle)), el("td", {class: "number"}, bytes(Number(c["tot-mem"]))),
        el("td", {}, el("button", {class: "quiet danger", "aria-label": `Kill client ${c.id}`, onclick: () => this.kill(c)}, "Kill")))))));
  }

  async kill(client) {
    if (!await confirmed(`Close the connection of client ${client.id}, ${client.addr}?`, "Kill")) return;
    const [reply] = await this.context.all([["CLIENT", "KILL", "ID", client.id]]);
    this.context.announce(reply instanceof ReplyError ? reply.message : `Killed client ${client.id}.`);
    document.activeElement?.blur();
  }

  drawSlow(entries) {
    const text = JSON.stringify(entries);
    if (text === this.slowText) return;
    this.slowText = text;
    show(this.slow, entries.length === 0 ? el("p", {class: "soft"}, "The slow log is empty.") : el("table", {}, el("thead", {}, el("tr", {}, ["at", "took", "command", "client"].map(head))),
      el("tbody", {}, entries.map(([, at, micros, args, client]) => el("tr", {}, el("td", {}, new Date(1000 * at).toLocaleTimeString()), el("td", {class: "number"}, duration(micros / 1000)),
        el("td", {class: "wrap"}, el("code", {}, args.map(String).join(" ").slice(0, 400))), el("td", {class: "mono"}, String(client)))))));
  }
}

/** parse returns the fields of a reply to INFO. */
function parse(text) {
  const fields = {};
  for (const line of String(text).split("\r\n")) {
    const at = line.indexOf(":");
    if (at > 0 && line[0] !== "#") fields[line.slice(0, at)] = line.slice(at + 1);
  }
  return fields;
}

/** Watcher shows messages, line by line, while it is on. */
class Watcher {
  constructor(context, {title, words, note, draw, pattern}) {
    Object.assign(this, {context, words, draw});
    this.button = el("button", {"aria-pressed": "false", onclick: () => this.end ? this.stop() : this.begin()}, "Watch");
    this.pattern = pattern ? el("input", {value: pattern, spellcheck: "false"}) : null;
    this.filter = el("input", {type: "search", spellcheck: "false", placeholder: "only lines that contain this", oninput: () => this.sift()});
    this.output = el("div", {class: "output", role: "log", "aria-label": title, tabindex: "0"});
    this.node = el("section", {class: "sheet broad watcher", "aria-label": title}, el("h2", {}, title), el("p", {class: "soft"}, note),
      el("div", {class: "row ends"}, this.pattern && field("Pattern", this.pattern, {class: "field grow"}), field("Filter", this.filter, {class: "field grow"}), this.button,
        el("button", {class: "quiet", onclick: () => show(this.output)}, "Clear")), this.output);
  }

  begin() {
    this.button.setAttribute("aria-pressed", "true");
    this.button.textContent = "Stop";
    this.end = this.context.watch(this.words(this.pattern?.value), (messages, missed) => {
      for (const m of messages) this.add(m instanceof ReplyError ? m.message : this.draw(m));
      if (missed) this.add(`(${count(missed)} more, too fast to show)`);
      while (this.output.childElementCount > lines) this.output.firstChild.remove();
      this.output.scrollTop = this.output.scrollHeight;
    }, () => this.stop());
  }

  stop() {
    this.end?.();
    this.end = null;
    this.button.setAttribute("aria-pressed", "false");
    this.button.textContent = "Watch";
  }

  add(text) {
    if (text === "" || text === "OK") return;
    this.output.append(el("pre", {hidden: !text.includes(this.filter.value)}, text));
  }

  sift() {
    for (const node of this.output.children) node.hidden = !node.textContent.includes(this.filter.value);
  }
}
