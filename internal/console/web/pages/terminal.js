// redis-cli in the page.

import {ReplyError, decode} from "../api.js";
import {Docs} from "../docs.js";
import {el, select, show} from "../dom.js";
import {format, parse} from "../words.js";

const history = []; // of this visit; it may hold passwords, so it is kept nowhere else
const most = 2000; // lines of output that stay

export const page = {title: "Terminal", open};

function open(main, context) {
  const terminal = new Terminal(context);
  main.append(terminal.node);
  terminal.input.focus();
  return () => terminal.stop();
}

class Terminal {
  constructor(context) {
    this.context = context;
    this.docs = new Docs(context.api);
    this.db = 0;
    this.queues = false; // inside of MULTI
    this.place = history.length;
    this.turn = Promise.resolve(); // of the commands
    this.output = el("div", {class: "output", role: "log", "aria-label": "Output", tabindex: "0"});
    this.prompt = el("label", {class: "prompt", for: "command"});
    this.input = el("input", {id: "command", class: "command", "aria-label": "Command", autocomplete: "off", autocapitalize: "off", spellcheck: "false", role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false",
      "aria-controls": "choices", "aria-describedby": "hint", placeholder: "a command, or help", oninput: () => this.suggest(), onkeydown: e => this.key(e)});
    this.choices = el("div", {id: "choices", class: "choices", role: "listbox", "aria-label": "Commands"});
    this.hint = el("div", {id: "hint", class: "hint"});
    this.world = select({"aria-label": "Where commands run", onchange: () => this.enter()}, [["server", "the server"], ...(context.about.sandbox ? [["sandbox", "a sandbox"]] : [])]);
    this.node = el("div", {class: "terminal"}, el("div", {class: "row title"}, el("h1", {}, "Terminal"), el("span", {class: "grow"}), this.world,
      el("button", {class: "quiet", onclick: () => show(this.output)}, "Clear")), this.output, this.choices,
    el("form", {class: "line", onsubmit: e => { e.preventDefault(); this.submit(); }}, this.prompt, this.input), this.hint);
    this.enter();
  }

  enter() {
    this.db = 0;
    this.queues = false;
    this.stop();
    this.ask();
  }

  ask() {
    const where = this.world.value === "sandbox" ? "sandbox" : location.hostname;
    this.prompt.textContent = `${where}${this.db ? `[${this.db}]` : ""}${this.queues ? "(TX)" : ""}>`;
  }

  print(text, kind) {
    const atEnd = this.output.scrollTop + this.output.clientHeight >= this.output.scrollHeight - 30;
    this.output.append(el("pre", {class: kind}, text));
    while (this.output.childElementCount > most) this.output.firstChild.remove();
    if (atEnd) this.output.scrollTop = this.output.scrollHeight;
  }

  /** submit takes a command; those that are typed meanwhile wait for its end. */
  submit() {
    const text = this.input.value.trim();
    if (text === "") return;
    history.push(text);
    this.place = history.length;
    this.input.value = "";
    show(this.choices);
    this.turn = this.turn.then(() => this.runLine(text));
    this.suggest();
  }

  async runLine(text) {
    this.print(`${this.prompt.textContent} ${text}`, "typed");
    try {
      await this.execute(parse(text));
    } catch (error) {
      this.print(error.message, "error");
    }
    this.ask();
    this.output.scrollTop = this.output.scrollHeight;
  }

  async execute(words) {
    const name = String(words[0]).toLowerCase();
    if (name === "clear") return show(this.output);
    if (name === "help" || name === "?") return this.help(words.slice(1));
    if (["monitor", "subscribe", "psubscribe", "ssubscribe"].includes(name)) return this.listen(words);
    const {replies: [reply], pushes = [], fresh} = await this.context.api[this.world.value === "sandbox" ? "sandbox" : "page"].raw([words], "terminal");
    if (fresh) this.db = 0, this.queues = false;
    const failed = decode(reply) instanceof ReplyError;
    if (!failed && name === "select" && !this.queues) this.db = Number(words[1]);
    if (name === "multi" && !failed) this.queues = true;
    if (name === "exec" || name === "discard" || name === "reset") this.queues = false;
    if (name === "reset") this.db = 0;
    this.print(format(reply), failed ? "error" : "");
    for (const push of pushes) this.print(format({push}), "soft");
  }

  /** listen shows messages until Escape. */
  listen(words) {
    if (this.world.value === "sandbox") throw new Error("a sandbox cannot be listened to");
    this.print("Listening. Escape or Ctrl+C stops it.", "soft");
    this.stop();
    this.ending = this.context.watch(words, (messages, missed) => {
      for (const m of messages) this.print(Array.isArray(m) ? m.map((x, i) => `${i + 1}) ${format(x)}`).join("\n") : m instanceof ReplyError ? m.message : String(m));
      if (missed) this.print(`(${missed} more, too fast to show)`, "soft");
    }, () => this.print("The stream has ended.", "soft"));
  }

  stop() {
    if (this.ending) this.print("Stopped listening.", "soft");
    this.ending?.();
    this.ending = null;
  }

  async help(words) {
    if (words.length === 0) {
      this.print("Type a command. Tab completes it, unless Escape has closed the list of commands. The arrow keys bring back earlier ones. Escape ends MONITOR and SUBSCRIBE.\n" +
        "help <command> explains a command. clear empties the window.", "soft");
      return;
    }
    const doc = await this.docs.ofWords(words);
    if (!doc) throw new Error("there is no such command");
    this.print(`${doc.syntax}\n\n${doc.summary}\n\ngroup: ${doc.group}    since: ${doc.since}    complexity: ${doc.complexity}`, "soft");
    for (const sub of doc.subs) this.print(`${sub.syntax}\n    ${sub.summary}`, "soft");
  }

  /** suggest shows the commands that begin with what is typed, or the syntax of the one that is there. */
  async suggest() {
    const text = this.input.value;
    const started = text.trimStart().toUpperCase();
    const [first, second] = started.split(/\s+/);
    const names = await this.docs.names();
    let list = first && second === undefined ? names.filter(n => n.startsWith(first) && !n.includes("|")) : [];
    const doc = names.includes(first) ? await this.docs.ofWords([first, second ?? ""]) : null;
    if (doc?.subs.length && second !== undefined) list = doc.subs.map(s => s.name).filter(n => n.startsWith(`${first} ${second}`));
    if (text !== this.input.value) return;
    this.matching = list;
    this.input.setAttribute("aria-expanded", list.length > 0);
    show(this.choices, list.slice(0, 12).map(n => el("button", {type: "button", role: "option", tabindex: "-1", onclick: () => this.take(n)}, n)));
    show(this.hint, doc && [el("code", {}, doc.syntax), " ", doc.summary]);
  }

  take(name) {
    this.input.value = name + " ";
    this.input.focus();
    this.suggest();
  }

  key(event) {
    if (event.key === "Tab" && !event.shiftKey && this.matching?.length) {
      event.preventDefault();
      const start = common(this.matching);
      if (this.matching.length === 1) this.take(start);
      else this.input.value = start;
      this.suggest();
    } else if (event.key === "Escape" || event.key === "c" && event.ctrlKey && this.ending) {
      this.stop();
      this.matching = []; // so that Tab leads on
      this.input.setAttribute("aria-expanded", "false");
      show(this.choices);
    } else if (event.key === "l" && event.ctrlKey) {
      event.preventDefault();
      show(this.output);
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault();
      this.place = Math.max(0, Math.min(history.length, this.place + (event.key === "ArrowUp" ? -1 : 1)));
      this.input.value = history[this.place] ?? "";
      this.suggest();
    }
  }
}

/** common returns what all texts begin with. */
function common(texts) {
  let n = texts[0].length;
  for (const t of texts) while (!t.startsWith(texts[0].slice(0, n))) n--;
  return texts[0].slice(0, n);
}

