// A limiter under load: passes and bounces on a timeline, on a clock that is dragged, as the server decides them.

import {append, bytes, count, duration, el, field, keepFocus, later, select, show} from "../dom.js";
import {algorithms, starter} from "./limiter/algorithms.js";
import {loads, makeLoad} from "./limiter/loads.js";
import {Lane, Run, busiest, disagreements} from "./limiter/run.js";
import {Timeline} from "./limiter/timeline.js";

export const page = {title: "Limiter", open};

function open(main, context) {
  if (!context.about.sandbox) {
    main.append(el("h1", {}, "Limiter"), el("p", {class: "soft"}, "Limiters run in a sandbox, which is for users who may run scripts: EVAL."));
    return null;
  }
  const bench = new Bench(context);
  main.append(el("link", {rel: "stylesheet", href: "pages/limiter.css"}), bench.node);
  bench.start();
  return () => bench.close();
}

// The set-up, as the address carries it. A number has a least and a greatest value.
const defaults = {a: "fixed-window", b: "sliding-window-zset", limit: 5, window: 10000, slots: 10, burst: 5, load: "edges", rate: 1, users: 1, size: 4,
  every: 4000, duration: 60000, seed: 1, speed: 10, list: "0\n2500\n5000\n9000\n9500\n10000\n10500\n11000", script: starter};
const bounds = {limit: [1, 100000], window: [1, 86400000], slots: [1, 10000], burst: [1, 100000], rate: [0.001, 1000], users: [1, 1000],
  size: [1, 1000], every: [1, 86400000], duration: [1, 86400000], seed: [0, 2147483647]};
const labels = {limit: "Limit (requests)", window: "Window (ms)", slots: "Slots of the hash", burst: "Burst", rate: "Requests per second and user",
  users: "Users", size: "Requests in a burst", every: "Time between bursts (ms)", duration: "Duration (ms)", seed: "Seed"};
const speeds = [["0.1", "a tenth of real time"], ["1", "real time"], ["10", "10 times"], ["100", "100 times"], ["1000", "1000 times"], ["0", "at once"]];

/** settingsFrom reads the set-up in an address. What is out of bounds counts as the default. */
function settingsFrom(params) {
  const s = {...defaults};
  for (const [name, value] of params) {
    if (!Object.hasOwn(defaults, name)) continue;
    if (Object.hasOwn(bounds, name)) {
      const [least, most] = bounds[name];
      if (value !== "" && Number(value) >= least && Number(value) <= most) s[name] = Number(value);
    } else s[name] = value;
  }
  if (!Object.hasOwn(algorithms, s.a)) s.a = defaults.a;
  if (!Object.hasOwn(algorithms, s.b)) s.b = "";
  if (params.has("b") && params.get("b") === "none") s.b = "";
  if (!Object.hasOwn(loads, s.load)) s.load = defaults.load;
  s.speed = speeds.some(([v]) => v === String(s.speed)) ? Number(s.speed) : defaults.speed;
  return s;
}

class Bench {
  constructor(context) {
    this.context = context;
    this.settings = settingsFrom(context.params);
    this.cursor = 0;
    this.user = "";
    this.generation = 0; // of runs; one that is not the last stops
    this.again = later(250, () => this.start());
    this.timeline = new Timeline(t => this.seek(t));
    this.fields = el("div", {class: "set-up"});
    this.wrong = el("p", {class: "error", role: "alert"});
    this.play = el("button", {class: "primary play", onclick: () => this.toggle()}, "Pause");
    this.scrub = el("input", {type: "range", class: "grow scrub", min: 0, step: 1, "aria-label": "Clock", oninput: e => this.seek(Number(e.target.value))});
    this.clock = el("output", {class: "clock mono"});
    this.who = select({"aria-label": "User", class: "user-choice", onchange: e => { this.user = e.target.value; this.draw(); }}, [["", "all users"]]);
    this.summary = el("div", {class: "summary"});
    this.tables = el("div", {class: "tables"});
    this.drawFields();
    this.node = el("div", {class: "limiter"}, el("div", {class: "row title"}, el("h1", {}, "Limiter"), el("span", {class: "grow"}),
      el("button", {class: "quiet", onclick: () => this.copyLink()}, "Copy link")),
    el("form", {class: "sheet", "aria-label": "Set-up", onsubmit: e => e.preventDefault()}, this.fields, this.wrong),
    el("section", {class: "sheet", "aria-label": "Timeline"},
      el("div", {class: "row controls"}, this.play,
        el("button", {class: "restart", onclick: () => this.start()}, "Start again"),
        el("button", {class: "send", title: "Sends one more request, at the time of the clock", onclick: () => this.send()}, "Send one"),
        this.scrub, this.clock, this.who),
      this.timeline.node, this.summary),
    this.tables);
  }

  // ---- the set-up

  drawFields() {
    const s = this.settings;
    const chosen = [algorithms[s.a], algorithms[s.b]].filter(Boolean);
    const own = chosen.some(a => a.source === "own");
    const list = (except, none) => [...(none ? [["", "nothing"]] : []), ...Object.entries(algorithms).map(([id, a]) => [id, a.title])];
    const choice = (name, options) => select({name, class: `set-${name}`, onchange: e => this.set(name, e.target.value)}, options, String(s[name]));
    const number = name => field(labels[name], el("input", {name, class: `set-${name}`, type: "number", value: s[name], min: bounds[name][0], max: bounds[name][1],
      step: name === "rate" ? "any" : 1, required: true, oninput: e => this.setNumber(name, e.target)}));
    const text = (name, label, rows) => field(label, el("textarea", {name, class: `set-${name}`, rows, spellcheck: "false", oninput: e => this.set(name, e.target.value, true)},
      s[name]), {class: "field wide"});
    const extra = new Set(chosen.flatMap(a => a.extra ?? []));
    show(this.fields,
      el("fieldset", {}, el("legend", {}, "Limiter"), field("Algorithm", choice("a", list())), field("Compared with", choice("b", list("a", true))),
        number("limit"), number("window"), [...extra].map(number)),
      el("fieldset", {}, el("legend", {}, "Load"), field("Kind", choice("load", Object.entries(loads).map(([id, l]) => [id, l.title]))),
        loads[s.load].fields.filter(f => f !== "list").map(number)),
      el("fieldset", {}, el("legend", {}, "Clock"), field("Speed", choice("speed", speeds))),
      loads[s.load].note && el("p", {class: "soft purpose"}, loads[s.load].note),
      s.load === "list" && text("list", "One time a line, in milliseconds or as 2026-01-02T15:04:05Z, then a user if you like", 6),
      own && text("script", "My own script", 12));
  }

  setNumber(name, input) {
    if (!input.checkValidity()) return show(this.wrong, `${labels[name]}: ${input.validationMessage}`);
    this.set(name, Number(input.value), true);
  }

  /** set changes a setting. The run begins again, but for a new speed; what is typed waits until the typing pauses. */
  set(name, value, typed) {
    this.settings[name] = name === "speed" ? Number(value) : value;
    this.keep();
    if (name === "speed") return;
    if (["a", "b", "load"].includes(name)) this.drawFields();
    if (!typed) {
      this.fields.querySelector(`.set-${name}`)?.focus();
      this.start();
    } else this.again();
  }

  /** keep puts the set-up into the address: what differs from the defaults. */
  keep() {
    const changed = Object.entries(this.settings).filter(([name, v]) => v !== defaults[name]);
    this.context.setParams(Object.fromEntries(changed.map(([name, v]) => [name, name === "b" && v === "" ? "none" : v])));
  }

  async copyLink() {
    this.keep();
    try {
      await navigator.clipboard.writeText(location.href);
      this.context.announce("The link has been copied");
    } catch {
      this.context.announce("The link is in the address bar");
    }
  }

  // ---- the run

  async source(algorithm) {
    const {source} = algorithms[algorithm];
    if (source === undefined) return undefined;
    if (source === "own") return this.settings.script;
    const response = await fetch(source);
    if (!response.ok) throw new Error(`${source}: ${response.statusText}`);
    return response.text();
  }

  /** start begins a run from the beginning, and plays it. */
  async start() {
    const mine = ++this.generation;
    show(this.wrong);
    delete this.node.dataset.ended;
    try {
      const s = {...this.settings}, load = makeLoad(s), lanes = [];
      for (const [name, id] of [["a", s.a], ["b", s.b]]) if (id) lanes.push(new Lane(name, id, s, await this.source(id)));
      await this.busy;
      if (mine !== this.generation) return;
      const run = new Run(this.context.sandbox, lanes, load);
      await (this.busy = run.open().catch(error => { throw error; }));
      if (mine !== this.generation) return;
      this.run = run;
      this.cursor = 0;
      this.scrub.max = run.duration;
      this.offerUsers([...new Set(load.requests.map(r => r.user))]);
      this.drawn = "";
      await this.roll(mine);
    } catch (error) {
      this.fail(mine, error);
    }
  }

  fail(mine, error) {
    this.busy = null;
    if (mine !== this.generation) return;
    this.playing(false);
    show(this.wrong, error.message);
  }

  offerUsers(users) {
    const some = users.slice(0, 200);
    if (!users.includes(this.user)) this.user = users.length === 1 ? users[0] : "";
    show(this.who, [["", "all users"], ...some.map(u => [u, u])].map(([value, text]) => el("option", {value, selected: value === this.user}, text)));
  }

  playing(yes) {
    this.isPlaying = yes;
    show(this.play, yes ? "Pause" : this.run?.ended ? "Play again" : "Play");
    this.node.dataset.playing = yes;
  }

  toggle() {
    if (this.isPlaying) {
      this.generation++;
      this.playing(false);
    } else if (this.run && !this.run.ended) this.roll(++this.generation).catch(error => this.fail(this.generation, error));
    else this.start();
  }

  /** roll moves the clock at its speed until the end, or until something else is to happen. If the server is slower, the clock waits. */
  async roll(mine) {
    const run = this.run;
    this.playing(true);
    await this.busy; // what was under way when it was paused
    let last = performance.now();
    while (mine === this.generation && !run.ended) {
      const now = performance.now(), {speed} = this.settings;
      const ahead = speed === 0 ? run.duration / 8 : (now - last) * speed;
      if (ahead >= 1) {
        last = now;
        await (this.busy = run.advance(run.now + ahead));
        if (mine !== this.generation) return;
        this.cursor = run.now;
        this.draw();
      }
      await new Promise(done => requestAnimationFrame(done));
    }
    if (mine !== this.generation) return;
    this.playing(false);
    this.draw();
    this.node.dataset.ended = "true";
    this.context.announce(run.lanes.map(l => `${l.title}: ${count(passedOf(l))} passed, ${count(l.results.length - passedOf(l))} bounced`).join(". "));
  }

  /** send sends one request where the clock stands. */
  async send() {
    if (!this.run) return;
    const mine = ++this.generation;
    try {
      await this.busy;
      await (this.busy = this.run.insert(this.user || this.run.requests[0].user));
      this.playing(false);
      this.cursor = this.run.now;
      this.draw();
    } catch (error) {
      this.fail(mine, error);
    }
  }

  /** seek drags the clock: back to look, ahead to play up to there. */
  async seek(t) {
    const run = this.run;
    if (!run) return;
    const mine = ++this.generation;
    this.playing(false);
    this.cursor = Math.round(t);
    this.draw();
    try {
      await this.busy;
      if (mine !== this.generation || run !== this.run || t <= run.now) return;
      await (this.busy = run.advance(t));
      if (mine !== this.generation) return;
      this.playing(false);
      this.draw();
    } catch (error) {
      this.fail(mine, error);
    }
  }

  close() {
    this.generation++;
    this.timeline.close();
  }

  // ---- the results

  draw() {
    const {run, cursor} = this;
    this.timeline.draw(run, cursor, this.user);
    this.scrub.value = cursor;
    this.scrub.setAttribute("aria-valuetext", duration(cursor));
    show(this.clock, `${(cursor / 1000).toFixed(cursor < 10000 ? 2 : 1)} s`);
    keepFocus(this.summary, () => show(this.summary, summaryOf(run.lanes, this.settings.window, t => this.seek(t))));
    const state = `${this.isPlaying} ${run.now} ${run.lanes[0].results.length}`;
    if (this.drawn !== state && (!this.isPlaying || run.ended)) {
      this.drawn = state;
      show(this.tables, this.differences(), usersOf(run.lanes));
    }
  }

  differences() {
    const {lanes} = this.run;
    if (lanes.length < 2) return null;
    const list = disagreements(lanes), shown = list.slice(0, 100);
    const word = yes => el("td", {class: yes ? "yes" : "no"}, yes ? "passes" : "bounces");
    return el("section", {class: "sheet disagreements"}, el("h2", {}, list.length ? `They disagree on ${count(list.length)} of ${count(lanes[0].results.length)} requests`
      : "They agree on all requests"),
    list.length > 0 && el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Disagreements"}, el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "Time"), el("th", {}, "User"),
      lanes.map(l => el("th", {}, l.title)))),
    el("tbody", {}, shown.map(d => el("tr", {}, el("td", {}, el("button", {class: "quiet", onclick: () => this.seek(d.t)}, `${(d.t / 1000).toFixed(3)} s`)),
      el("td", {}, d.user), d.verdicts.map(word)))))),
    list.length > shown.length && el("p", {class: "soft"}, `The first ${shown.length} are shown.`));
  }
}

const passedOf = lane => lane.results.reduce((n, r) => n + (r.allowed ? 1 : 0), 0);

/** summaryOf compares the lanes: what passed, the most in any window, what it costs. */
function summaryOf(lanes, window, seek) {
  return el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "Limiter"), ["Passed", "Bounced", "Most in any window", "Memory now", "Peak memory"].map(t => el("th", {class: "number"}, t)))),
    el("tbody", {}, lanes.map((lane, i) => {
      const passed = passedOf(lane), {most, at, who} = busiest(lane, window), now = lane.memory.at(-1);
      const peak = Math.max(0, ...lane.memory.map(m => m.bytes), ...lane.results.map(r => r.bytes));
      const told = `${count(most)}${most > lane.settings.limit ? `, more than ${lane.settings.limit}` : ""}`;
      return el("tr", {}, el("td", {}, el("span", {class: `dot c${i + 1}`, "aria-hidden": "true"}), lane.title),
        el("td", {class: "number passed-count"}, count(passed)), el("td", {class: "number bounced-count"}, count(lane.results.length - passed)),
        el("td", {class: `number ${most > lane.settings.limit ? "over" : ""}`}, most > 0 ? el("button", {class: "quiet", title: `${who}, from ${duration(at)} on`,
          "aria-label": `${told}: show the busiest window of ${lane.title}`, onclick: () => seek(at + window - 1)}, told) : "0"),
        el("td", {class: "number"}, now ? bytes(now.bytes) : "–"), el("td", {class: "number"}, bytes(peak)));
    })));
}

/** usersOf tells for each user what passed and what his keys take. */
function usersOf(lanes) {
  const users = [...lanes[0].users].slice(0, 100);
  if (users.length < 2) return null;
  const figures = lanes.map(lane => {
    const of = new Map(users.map(u => [u, {passed: 0, bounced: 0, peak: 0}]));
    for (const r of lane.results) {
      const f = of.get(r.user);
      if (!f) continue;
      f[r.allowed ? "passed" : "bounced"]++;
      f.peak = Math.max(f.peak, r.bytes);
    }
    return of;
  });
  const head = lanes.flatMap(l => [["Passed", l.title], ["Bounced", l.title], ["Bytes", l.title]]);
  return el("section", {class: "sheet users"}, el("h2", {}, `Users${lanes[0].users.size > users.length ? `, the first ${users.length} of ${count(lanes[0].users.size)}` : ""}`),
    el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Users"}, el("table", {}, el("thead", {},
      lanes.length > 1 && el("tr", {}, el("td", {}), lanes.map(l => el("th", {colspan: 3, scope: "colgroup"}, l.title))),
      el("tr", {}, el("th", {}, "User"), head.map(([text, title]) => el("th", {class: "number", title}, text)))),
    append(el("tbody", {}), users.map(u => el("tr", {}, el("td", {}, u), figures.flatMap(of => ["passed", "bounced", "peak"].map(name =>
      el("td", {class: "number"}, count(of.get(u)[name]))))))))));
}
