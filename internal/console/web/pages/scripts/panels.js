// What a run shows at a step: the buttons that move, variables, keys, commands, breakpoints, coverage.

import {count, el, show} from "../../dom.js";

const moves = [["reverse", "⇤", "Back to the previous breakpoint, or the beginning (Shift+F5)"], ["back", "←", "Step back (Shift+F10)"], ["into", "→", "Step (F11)"],
  ["over", "↷", "Step over calls (F10)"], ["out", "↥", "Step out of the function (Shift+F11)"], ["continue", "⇥", "On to the next breakpoint, or the end (F5)"]];

export class Panels {
  constructor(work) {
    this.work = work;
    this.buttons = moves.map(([name, sign, label]) => el("button", {class: `move-${name}`, "aria-label": label, title: label, disabled: true, onclick: () => work.move(name)}, sign));
    this.scrub = el("input", {type: "range", class: "grow steps", min: 0, max: 0, "aria-label": "Step", disabled: true, oninput: e => work.move("go", Number(e.target.value))});
    this.state = el("p", {class: "run-state soft", role: "status"});
    this.variables = el("div", {class: "variables"});
    this.keys = el("div", {class: "keys-panel"});
    this.calls = el("div", {class: "calls scroll", tabindex: "0", role: "group", "aria-label": "Commands that the script has called"});
    this.reply = el("pre", {class: "reply"});
    this.points = el("div", {class: "points"});
    this.coverage = el("p", {class: "coverage soft"});
    this.expression = el("input", {class: "mono expression grow", "aria-label": "An expression to watch", placeholder: "level / period", spellcheck: "false"});
    const panel = (title, ...children) => el("section", {class: "sheet panel", "aria-label": title}, el("h2", {}, title), children);
    this.node = el("div", {class: "panels"},
      el("section", {class: "sheet panel", "aria-label": "Steps"}, el("div", {class: "row"}, this.buttons, this.scrub), this.state),
      panel("Variables", this.variables, el("form", {class: "watch-form", onsubmit: e => this.#watch(e)}, el("div", {class: "row"}, this.expression, el("button", {}, "Watch")))),
      panel("Keys", this.keys),
      panel("Commands", this.calls),
      panel("Reply", this.reply),
      panel("Breakpoints and coverage", this.points, this.coverage));
    this.drawPoints();
    this.draw();
  }

  #watch(event) {
    event.preventDefault();
    const text = this.expression.value.trim();
    if (text) this.work.watch(text);
    this.expression.value = "";
  }

  draw() {
    const {replay} = this.work;
    for (const b of [...this.buttons, this.scrub]) b.disabled = !replay;
    this.scrub.max = replay?.last ?? 0;
    this.scrub.value = replay?.place ?? 0;
    this.calls.tabIndex = replay ? 0 : -1; // what scrolls can have the focus
    this.node.dataset.line = replay?.line ?? "";
    if (!replay) {
      show(this.state, "Run the script, then step through its lines, ahead and back. A click beside a line, or F9, sets a breakpoint.");
      for (const panel of [this.variables, this.keys, this.calls, this.reply]) show(panel);
      return;
    }
    const {step} = replay;
    show(this.state, replay.ended ? `The end, after ${count(replay.last)} lines` : `Step ${count(replay.place + 1)} of ${count(replay.last)}, before line ${step.line}`,
      replay.trace.cut && "; the lines after these are not shown", step.failed && el("span", {class: "error"}, ` The condition fails: ${step.failed}`));
    this.#drawVariables(replay);
    this.#drawKeys(replay);
    this.#drawCalls(replay);
    show(this.reply, this.work.replyText());
  }

  #drawVariables(replay) {
    const {step} = replay, before = replay.before(), {watches} = this.work;
    const row = ([name, value], was) => el("tr", {class: was && was.get(name) !== value && "changed", "data-name": name}, el("th", {scope: "row"}, name), el("td", {class: "mono"}, value));
    const table = (title, list, was) => list?.length > 0 && [el("h3", {}, title), el("table", {}, el("tbody", {}, list.map(v => row(v, was))))];
    show(this.variables,
      watches.length > 0 && [el("h3", {}, "Watched"), el("table", {class: "watched"}, el("tbody", {}, watches.map((w, i) => el("tr", {}, el("th", {scope: "row", class: "mono"}, w),
        el("td", {class: "mono"}, step.watches?.[i] ?? ""), el("td", {class: "number"}, el("button", {class: "quiet", "aria-label": `Stop watching ${w}`, onclick: () => this.work.watch(w)}, "×"))))))],
      (step.frames ?? []).map((f, i) => [table(`${f.name || (i === step.frames.length - 1 ? "script" : "function")}, line ${f.line}`, f.locals, i === 0 ? before : null),
        table("of the functions around it", f.outer)]),
      table("Globals", step.globals), replay.ended && watches.length === 0 && el("p", {class: "soft"}, "The script has ended: it has no variables any more."));
  }

  /** #drawKeys shows each key as it was, as it is at this step, and as it is in the end. */
  #drawKeys(replay) {
    const first = replay.keysAt(0), now = replay.keysAt(replay.place), last = replay.keysAt(replay.last);
    const value = (keys, name) => keys.get(name)?.value ?? "?";
    const used = {r: "read", w: "written", rw: "read, written"};
    if (last.size === 0) return show(this.keys, el("p", {class: "soft"}, "The script uses no keys."));
    show(this.keys, [...last.keys()].map(name => {
      const began = first.has(name) ? value(first, name) : value(new Map([...replay.steps, replay.trace.end].flatMap(s => s.keys ?? []).reverse().map(k => [k.name, k])), name);
      const at = now.has(name) ? value(now, name) : began, end = value(last, name);
      return [el("h3", {}, el("code", {}, name), ` ${used[now.get(name)?.kind] ?? ""}`), el("table", {class: "key-values"}, el("tbody", {},
        [["before", began, false], ["here", at, at !== began], ["after", end, end !== began]].map(([title, text, changed]) =>
          el("tr", {class: changed && "changed", "data-at": title}, el("th", {scope: "row"}, title), el("td", {class: "mono"}, text)))))];
    }));
  }

  #drawCalls(replay) {
    const {calls} = replay;
    if (calls.length === 0) return show(this.calls, el("p", {class: "soft"}, "The script calls no commands."));
    show(this.calls, el("table", {}, el("thead", {}, el("tr", {}, ["Line", "Command", "Reply"].map(t => el("th", {}, t)), el("th", {class: "number"}, "µs"))),
      el("tbody", {}, calls.map(c => el("tr", {class: [c.place < replay.place ? "done" : "", c.place === replay.place ? "next" : "", c.failed ? "failed" : ""].join(" ")},
        el("td", {}, el("button", {class: "quiet", "aria-label": `Go to line ${c.line}`, onclick: () => this.work.move("go", c.place)}, c.line)),
        el("td", {class: "mono"}, this.work.wordsText(c.words)), el("td", {class: "mono"}, c.reply), el("td", {class: "number"}, c.micros ? c.micros.toFixed(1) : ""))))));
  }

  drawPoints() {
    const {editor} = this.work;
    show(this.points, editor.points.map(n => el("div", {class: "row point"}, el("span", {class: "break-mark", "aria-hidden": "true"}, "●"), `line ${n} `,
      el("input", {class: "mono grow", "aria-label": `Condition of the breakpoint in line ${n}`, placeholder: "always; or if level < 5000", spellcheck: "false", value: this.work.conditions.get(n) ?? "",
        onchange: e => this.work.condition(n, e.target.value.trim().replace(/^if\s+/, ""))}),
      el("button", {class: "quiet", "aria-label": `Remove the breakpoint in line ${n}`, onclick: () => editor.togglePoint(n)}, "×"))));
  }

  drawCoverage({all, ran, branches}) {
    if (all === 0) return show(this.coverage);
    const share = (n, of) => `${count(n)} of ${count(of)} (${Math.round(100 * n / Math.max(1, of))} %)`;
    show(this.coverage, `Since the source was changed, ${share(ran, all)} lines have run`, branches.all > 0 && ` and ${share(branches.ran, branches.all)} branches`, ". The number beside a line is how often it ran.");
  }
}
