// A time series as a chart: of its samples, or of what they come to in as many buckets as the chart has room for. The server aggregates. One request asks for a part of the time
// in which there are about as many samples as it reads in a millisecond, so that other clients do not wait.

import {ReplyError} from "./api.js";
import {Chart} from "./chart.js";
import {count, duration, el, foreign, show} from "./dom.js";
import {adder, cell, pager, remove, table} from "./table.js";

const points = 1000; // of a line, at most
const part = 10_000; // samples that a command reads, if they lie evenly
const latest = 100; // samples in the table
const rules = 5; // series made by rules that are drawn
const redraw = 200; // milliseconds between two drawings of what arrives

const colors = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];

/** time writes a timestamp; one that can be no date is a number. */
const time = t => t > 1e11 && t < 8e15 ? new Date(t).toLocaleString() : count(Math.round(t));

const number = v => Number(v).toLocaleString("en-US", {maximumSignificantDigits: 6});

/** Info are the facts of a series. */
class Info {
  constructor(key, facts) {
    const of = Object.fromEntries(facts.map(([name, value]) => [String(name), value]));
    Object.assign(this, {key, of, total: Number(of.totalSamples), first: Number(of.firstTimestamp), last: Number(of.lastTimestamp), rules: of.rules});
  }

  /** within estimates how many samples there are in a time, as if they lay evenly. */
  within(from, to) {
    const overlap = Math.max(0, Math.min(to, this.last) - Math.max(from, this.first) + 1);
    return this.total * overlap / (this.last - this.first + 1);
  }

  /** rows are the facts that people look for. */
  rows() {
    const {of} = this;
    return [["Samples", count(this.total)], ["From", time(this.first)], ["To", time(this.last)], ["Labels", of.labels.map(([name, value]) => `${name}=${value}`).join(" ") || "none"],
      ["Kept for", Number(of.retentionTime) ? duration(Number(of.retentionTime)) : "ever"], ["Chunks", `${count(of.chunkCount)}, ${of.chunkType}`],
      ["A second sample at a time", of.duplicatePolicy ?? "as the server is set"], ...of.sourceKey === null ? [] : [["Made by a rule from", foreign(of.sourceKey)]],
      ...this.rules.map(([key, [bucket, how]]) => ["Rule", [foreign(key), ` gets ${how} of each ${duration(Number(bucket))}`]])];
  }
}

/** Series shows the series at a key. */
export class Series {
  constructor(view) {
    this.view = view;
    this.window = null; // [from, to] in milliseconds; null for all
    this.chart = new Chart({label: "Samples", x: time, y: number, fit: true, tall: 300, column: 230});
    this.progress = el("progress", {max: 1, "aria-label": "Read", hidden: true});
    this.lines = el("div", {class: "row", role: "group", "aria-label": "Lines"});
    this.hidden = new Set(); // names of lines that are not drawn
    const zoom = (name, by, shift) => el("button", {onclick: () => this.zoom(by, shift)}, name);
    this.tools = el("div", {class: "row"}, zoom("Zoom in", 0.5, 0), zoom("Zoom out", 2, 0), zoom("Earlier", 1, -0.5), zoom("Later", 1, 0.5),
      el("button", {onclick: () => this.zoom(Infinity, 0)}, "All"), this.progress);
  }

  async load() {
    const {view} = this;
    this.info = new Info(view.key, await view.read("TS.INFO", view.key));
    this.table = el("div");
    show(view.body, this.tools, this.lines, this.chart.node, table(["", ""], this.info.rows(), "Facts"), this.table,
      adder(view, ["Time; empty for now", "Value"], "Add", (t, v) => ["TS.ADD", view.key, t || "*", v]));
    await this.list("+", []);
    await this.draw();
  }

  /** zoom shows a window that is so many times as wide, and shifted by a part of its width. */
  zoom(by, shift) {
    const {first, last} = this.info, [from, to] = this.window ?? [first, last];
    const width = Math.max(10, (to - from) * by), middle = (from + to) / 2 + (to - from) * shift;
    const [low, high] = [Math.max(first, Math.round(middle - width / 2)), Math.min(last, Math.round(middle + width / 2))];
    this.window = by === Infinity || high - low >= last - first ? null : low < high ? [low, high] : this.window;
    return this.view.try(() => this.draw());
  }

  /** draw reads what the window shows, and draws what has arrived from time to time. A later drawing ends it. */
  async draw() {
    const {info, chart, progress} = this, [from, to] = this.window ?? [info.first, info.last];
    const drawing = this.drawing = {lines: [], from, to, at: performance.now()};
    chart.least = from;
    chart.most = to;
    progress.value = 0;
    progress.hidden = false;
    try {
      if (info.total > 0) await this.read(drawing, info, ["avg", "min", "max"], from, to);
      for (const rule of info.rules.slice(0, rules)) if (this.isCurrent(drawing)) await this.readRule(drawing, rule);
    } finally {
      if (this.drawing === drawing) progress.hidden = true, this.paint();
    }
  }

  isCurrent(drawing) { return this.drawing === drawing && this.chart.node.isConnected; }

  /** readRule reads the series that a rule makes. One that cannot be read is left out. */
  async readRule(drawing, [name, [bucket, how]]) {
    const key = String(name), [facts] = await this.view.context.all([["TS.INFO", key]]);
    if (facts instanceof ReplyError) return;
    const info = new Info(key, facts), from = Math.max(drawing.from, info.first), to = Math.min(drawing.to, info.last);
    if (info.total > 0 && from <= to) await this.read(drawing, info, ["avg"], from, to, `${key}: ${how} of ${duration(Number(bucket))}`);
  }

  /** read reads samples as lines: as they are, or what they come to in buckets. */
  async read(drawing, info, aggregators, from, to, name) {
    const most = Math.max(50, Math.min(points, Math.floor(this.chart.canvas.clientWidth / 2)));
    const asked = (at, end, ...more) => ["TS.RANGE", info.key, at, end >= info.last ? "+" : end, ...more];
    const line = name => {
      const line = {name, color: colors[drawing.lines.length % colors.length], points: []};
      drawing.lines.push(line);
      return line.points;
    };
    if (info.within(from, to) <= most) {
      const [samples] = await this.run(asked(from, to, "COUNT", most + 1));
      if (samples.length <= most) return void line(name ?? "samples").push(...samples.map(point));
    }
    const bucket = Math.ceil((to - from + 1) / most), parts = Math.max(1, Math.ceil(info.within(from, to) / part));
    const step = Math.ceil((to - from + 1) / parts / bucket) * bucket;
    const lines = aggregators.map(how => line(name ?? `${how} of ${duration(bucket)}`));
    for (let at = from; at <= to && this.isCurrent(drawing); at += step) {
      const replies = await this.run(...aggregators.map(how => asked(at, Math.min(to, at + step - 1), "ALIGN", "start", "AGGREGATION", how, bucket)));
      replies.forEach((samples, i) => lines[i].push(...samples.map(point)));
      this.tell(drawing, (at - from) / (to - from + 1));
    }
  }

  /** tell shows how much has been read, and draws it if some time has passed. */
  tell(drawing, done) {
    if (this.drawing !== drawing) return;
    this.progress.value = done;
    if (performance.now() - drawing.at > redraw) this.paint(), drawing.at = performance.now();
  }

  async run(...commands) {
    const replies = await this.view.context.all(commands);
    const wrong = replies.find(r => r instanceof ReplyError);
    if (wrong) throw wrong;
    return replies;
  }

  /** paint draws the lines that are to be seen. */
  paint() {
    const {lines} = this.drawing;
    if (lines.length > 1) show(this.lines, lines.map(({name}) => el("label", {}, el("input", {type: "checkbox", checked: !this.hidden.has(name), onchange: () => this.toggle(name)}), ` ${name}`)));
    else show(this.lines);
    this.chart.set(lines.filter(({name}) => !this.hidden.has(name)));
  }

  toggle(name) {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.chart.set(this.drawing.lines.filter(line => !this.hidden.has(line.name)));
  }

  /** list shows the latest samples up to a time as a table. */
  async list(to, trail) {
    const {view} = this, {key} = view;
    const found = await view.read("TS.REVRANGE", key, "-", to, "COUNT", latest);
    const go = (next, way) => () => view.try(() => this.list(next, way));
    show(this.table, table(["time", "", "value", ""], found.map(([t, v]) => [time(Number(t)), el("code", {}, String(t)),
      cell(view, String(v), text => [["TS.ADD", key, t, text, "ON_DUPLICATE", "LAST"]], `value at ${t}`), remove(view, `sample at ${t}`, [["TS.DEL", key, t, t]])]), "Samples"),
    pager(`${count(found.length)} of ${count(this.info.total)} samples, the latest first`, trail.length > 0 && go(trail.at(-1), trail.slice(0, -1)),
      found.length === latest && BigInt(found.at(-1)[0]) > 0n && go(BigInt(found.at(-1)[0]) - 1n, [...trail, to])));
  }
}

/** point is a sample as numbers. */
const point = ([t, v]) => [Number(t), Number(v)];
