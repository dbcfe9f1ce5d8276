// The workbench of scripts: editor, linter, runs that are stepped through ahead and back, coverage and flame graph.

import {Failure, ReplyError, decode} from "../api.js";
import {count, el, field, later, select, show} from "../dom.js";
import {format, line, parse} from "../words.js";
import {ScriptBench, isLibrary} from "./scripts/bench.js";
import {Editor} from "./scripts/editor.js";
import {flame} from "./scripts/flame.js";
import {Panels} from "./scripts/panels.js";
import {Replay} from "./scripts/replay.js";

export const page = {title: "Scripts", open};

async function open(main, context) {
  if (!context.about.sandbox) {
    main.append(el("h1", {}, "Scripts"), el("p", {class: "soft"}, "Scripts run in a sandbox, which is for users who may run scripts: EVAL."));
    return null;
  }
  const work = new Workbench(context, await (await fetch("examples/list.json")).json());
  main.append(el("link", {rel: "stylesheet", href: "pages/scripts.css"}), work.node);
  await work.begin();
  return () => work.editor.close();
}

const first = "token-bucket";
const places = [["world", "a world of its own"], ["copy", "a copy of its keys"], ["data", "the data of the server"]];

class Workbench {
  constructor(context, examples) {
    this.context = context;
    this.bench = new ScriptBench(context);
    this.conditions = new Map(); // of breakpoints
    this.watches = [];
    this.replay = null;
    const go = move => () => { this.move(move); return true; };
    this.editor = new Editor("", {changed: () => this.typed(), pointed: () => this.pointed(), keys: [
      {key: "Mod-Enter", run: () => { this.run(); return true; }}, {key: "F9", run: () => { this.editor.togglePoint(this.editor.currentLine); return true; }},
      {key: "F5", run: go("continue")}, {key: "Shift-F5", run: go("reverse")}, {key: "F10", run: go("over")}, {key: "Shift-F10", run: go("back")},
      {key: "F11", run: go("into")}, {key: "Shift-F11", run: go("out")}]});
    this.lint = later(250, () => this.check());
    this.keepLater = later(400, () => this.keep());
    this.panels = new Panels(this);
    this.layout(examples);
  }

  layout(examples) {
    const text = (name, label, placeholder) => field(label, this[name] = el("input", {class: `mono ${name}`, spellcheck: "false", autocomplete: "off", placeholder, oninput: () => this.keepLater()}));
    this.example = select({class: "example", onchange: e => this.load(e.target.value)}, examples);
    this.where = select({class: "where", onchange: () => this.placed()}, places);
    this.setup = el("textarea", {class: "setup", rows: 3, spellcheck: "false", placeholder: "SET stock 40", oninput: () => this.keepLater()});
    this.keepData = el("input", {type: "checkbox", class: "keep", id: "keep-data", onchange: () => this.placed()});
    this.advance = el("input", {type: "number", class: "advance", min: 0, max: 31536000000, value: 0});
    this.name = el("input", {class: "mono name", spellcheck: "false"});
    this.nameField = field("Function", this.name);
    this.later = field("First advance the clock by (ms)", this.advance);
    this.lines = field("Commands that first set up the data", this.setup, {class: "field lines"});
    this.runButton = el("button", {class: "primary run", title: "Ctrl+Enter", onclick: () => this.run()}, "Run");
    this.wrong = el("p", {class: "error", role: "alert"});
    this.findings = el("ul", {class: "findings", "aria-label": "Findings of the linter"});
    this.measured = el("div", {class: "measured"});
    this.node = el("div", {class: "scripts"}, el("h1", {}, "Scripts"),
      el("form", {class: "sheet given", "aria-label": "What to run", onsubmit: e => { e.preventDefault(); this.run(); }},
        field("Example", this.example), this.nameField, text("keys", "KEYS", "user:1"), text("args", "ARGV", "10 1 1000"), field("Run in", this.where), this.runButton,
        el("div", {class: "field check"}, el("span", {}, this.keepData, " ", el("label", {for: "keep-data"}, "Keep the data from one run to the next"))), this.later, this.lines),
      this.wrong,
      el("div", {class: "columns"},
        el("section", {class: "sheet source", "aria-label": "Source"}, this.editor.node, this.findings),
        this.panels.node),
      el("section", {class: "sheet", "aria-label": "Flame graph"}, el("div", {class: "row title"}, el("h2", {}, "Where the time goes"), el("span", {class: "grow"}),
        el("button", {class: "measure", onclick: () => this.measure()}, "Run it 200 times")), this.measured));
  }

  /** begin takes what the address has, or the first example. */
  async begin() {
    const p = this.context.params;
    this.where.value = p.get("where") ?? "world";
    if (this.where.value === "") this.where.value = "world";
    this.setup.value = p.get("setup") ?? "";
    await this.load(p.get("example") ?? first);
    for (const name of ["keys", "args", "name"]) if (p.has(name)) this[name].value = p.get(name);
    if (p.has("source")) this.editor.text = p.get("source");
    for (const n of (p.get("breaks") ?? "").split(",").filter(Boolean)) this.editor.togglePoint(Number(n));
    this.placed();
    await this.check();
  }

  /** load takes an example, with the keys and arguments that its first lines show. */
  async load(name) {
    this.example.value = name;
    if (this.example.value !== name) this.example.value = name = first;
    const source = await (await fetch(`examples/${name}.lua`)).text();
    const shown = /eval examples\/\S+ (.*)$/m.exec(source)?.[1] ?? "";
    const [keys, args = ""] = shown.split(/(?:^| ),(?: |$)/);
    this.loaded = source;
    this.keys.value = keys;
    this.args.value = args;
    this.conditions.clear();
    this.editor.text = source;
    this.keep();
  }

  keep() {
    const source = this.editor.text;
    this.context.setParams({example: this.example.value === first ? "" : this.example.value, source: source === this.loaded ? "" : source, keys: this.keys.value,
      args: this.args.value, name: this.name.value, where: this.where.value === "world" ? "" : this.where.value, setup: this.setup.value, breaks: this.editor.points.join()});
  }

  // ---- while somebody types

  typed() {
    this.nameField.hidden = !isLibrary(this.editor.text);
    this.forget();
    this.lint();
    this.keepLater();
  }

  placed() {
    const data = this.where.value === "data";
    this.nameField.hidden = !isLibrary(this.editor.text);
    this.lines.hidden = this.where.value !== "world";
    this.later.hidden = !this.keepData.checked;
    this.runButton.classList.toggle("danger", data);
    show(this.runButton, data ? "Run on the data" : "Run");
    this.keep();
  }

  pointed() {
    const lines = this.editor.points;
    for (const n of this.conditions.keys()) if (!lines.includes(n)) this.conditions.delete(n);
    if (this.replay) this.replay.points = this.points();
    this.panels.drawPoints();
    this.keepLater();
  }

  points() { return new Map(this.editor.points.map(n => [n, this.conditions.get(n) ?? ""])); }

  /** condition changes the condition of a breakpoint, watch adds or removes an expression: the run is traced once more. */
  condition(n, text) {
    if (text === "") this.conditions.delete(n);
    else this.conditions.set(n, text);
    this.tracing = this.retrace();
  }

  watch(text) {
    this.watches = this.watches.includes(text) ? this.watches.filter(w => w !== text) : [...this.watches, text].slice(0, 40);
    this.panels.draw();
    this.tracing = this.retrace();
  }

  async check() {
    const source = this.editor.text;
    try {
      const found = await this.bench.lint(source);
      if (source !== this.editor.text) return;
      this.editor.showFindings(found);
      show(this.findings, found.map(f => el("li", {class: f.level}, el("button", {class: "quiet", onclick: () => this.editor.showLine(f.line)}, `${f.line}:${f.column}`),
        ` ${f.message} `, el("code", {}, f.rule))));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      show(this.findings, el("li", {}, error.message));
    }
  }

  // ---- runs

  /** given reads what is to run. */
  given() {
    return {source: this.editor.text, keys: parse(this.keys.value), args: parse(this.args.value), name: this.name.value.trim(), where: this.where.value,
      lines: this.setup.value, keep: this.keepData.checked, advance: Number(this.advance.value) || 0};
  }

  /** forget forgets a run whose source has changed. */
  forget() {
    this.replay = null;
    this.editor.showLine(null);
    this.panels.draw();
  }

  async run() {
    if (this.running) return;
    this.running = true;
    this.runButton.disabled = true;
    show(this.wrong);
    try {
      const given = this.given();
      await this.bench.prepare(given);
      this.prepared = given;
      let reply = await this.bench.run(given);
      if (given.where === "data") reply = await this.bench.runOnData(given);
      this.reply = reply;
      await this.trace(true);
      await this.cover();
      this.keep();
      this.context.announce(`The script has run ${count(this.replay.last)} lines. ${decode(reply) instanceof ReplyError ? decode(reply).message : ""}`);
    } catch (error) {
      this.forget();
      show(this.wrong, error.message);
    }
    this.running = false;
    this.runButton.disabled = false;
  }

  /** trace traces the last run again, and stays where it was, or goes to the first breakpoint. */
  async trace(anew = false) {
    if (!this.prepared || !anew && !this.replay) return;
    const place = anew ? 0 : this.replay.place;
    const trace = await this.bench.trace(this.prepared, Object.fromEntries(this.conditions), this.watches);
    this.replay = new Replay(trace);
    this.replay.points = this.points();
    this.replay.go(place);
    if (anew && this.replay.last > 0 && this.editor.points.length > 0 && !this.replay.stopsAt(0)) this.replay.continue();
    this.show();
  }

  async retrace() {
    try {
      await this.tracing;
      await this.trace();
    } catch (error) {
      show(this.wrong, error.message);
    }
  }

  async cover() {
    const {lines, branches} = await this.bench.coverage();
    this.editor.showHits(lines);
    const ran = [...lines.values()].filter(n => n > 0).length;
    this.panels.drawCoverage({all: lines.size, ran, branches});
  }

  async move(how, to) {
    await this.tracing;
    if (!this.replay) return;
    this.replay[how](to);
    this.show();
  }

  show() {
    this.editor.showLine(this.replay.line);
    this.panels.draw();
  }

  /** measure runs it many times, and shows where the time went. */
  async measure() {
    show(this.wrong);
    try {
      if (!this.prepared || this.prepared.source !== this.editor.text) await this.run();
      if (!this.replay) return;
      show(this.measured, flame(await this.bench.profile(this.prepared, 200)));
    } catch (error) {
      show(this.wrong, error.message);
    }
  }

  replyText() { return format(this.reply); }
  wordsText(words) { return line(words); }
}
