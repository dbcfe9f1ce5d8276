// One key: its facts, its elements, and what can be done with them.

import {ReplyError, decode} from "./api.js";
import {ring} from "./deadline.js";
import {bytes, el, field, foreign, keepFocus, show} from "./dom.js";
import {elements} from "./elements.js";
import {typeName} from "./types.js";
import {format, line} from "./words.js";

/** ValueView shows a key. changed(gone) is called after a change; gone says why the key is not there any more. */
export class ValueView {
  constructor(context, key, {db, changed}) {
    Object.assign(this, {context, key, db, changed});
    this.failed = el("p", {class: "error", role: "alert"});
    this.head = el("div", {class: "value-head"});
    this.body = el("div", {class: "value-body"});
    this.same = el("code", {class: "same"});
    this.raw = el("pre", {class: "raw"});
    this.node = el("div", {class: "value-view"}, this.head, this.failed, this.body,
      el("details", {class: "reply"}, el("summary", {}, "The same in redis-cli: ", this.same), this.raw));
  }

  /** load asks for everything anew. */
  load() { return this.try(() => this.draw()); }

  async draw() {
    const [type, ttl, size, encoding] = await this.context.all([["TYPE", this.key], ["PTTL", this.key], ["MEMORY", "USAGE", this.key], ["OBJECT", "ENCODING", this.key]]);
    if (type instanceof ReplyError) throw type;
    if (type === "none") return this.changed(["There is no key ", foreign(this.key), "."]);
    this.type = type;
    this.size = Number(size);
    show(this.head, el("h1", {}, String(this.key)), el("div", {class: "row facts"}, el("span", {class: "tag"}, typeName(type)),
      !(encoding instanceof ReplyError) && el("span", {class: "tag"}, encoding), el("span", {class: "soft"}, bytes(Number(size))),
      ttl >= 0 ? ring(`${this.db} ${this.key}`, ttl) : el("span", {class: "soft"}, "no deadline"), el("span", {class: "grow"}),
      el("a", {href: `#memory?${new URLSearchParams({key: this.key, db: this.db})}`}, "Memory"),
      el("button", {onclick: () => this.askDeadline(ttl)}, "Deadline"), el("button", {onclick: () => this.askName()}, "Rename"),
      el("button", {class: "danger", onclick: () => this.remove()}, "Delete"), el("button", {class: "quiet", onclick: () => this.load(), "aria-label": "Reload", title: "Reload"}, "↻")));
    this.head.after(this.failed);
    const draw = elements[type];
    if (draw) await draw(this);
    else show(this.body, el("p", {class: "soft"}, "Values of this type cannot be shown here."));
  }

  /** try does something that may draw anew, and shows why it has failed. */
  async try(fn) {
    show(this.failed);
    try {
      return await keepFocus(this.node, fn);
    } catch (error) {
      show(this.failed, error.message);
    }
  }

  /** read runs a command that shows something; the page shows it and its reply. */
  async read(...words) {
    const {replies: [reply]} = await this.context.api.raw([words]);
    this.same.textContent = line(words);
    this.raw.textContent = format(reply).slice(0, 100_000);
    const value = decode(reply);
    if (value instanceof ReplyError) throw value;
    return value;
  }

  /** change runs a command that changes the key, or several as a transaction, and loads anew. */
  async change(...commands) {
    return this.try(async () => {
      for (const words of commands) this.same.textContent = line(words);
      const replies = await this.context.all(commands.length > 1 ? [["MULTI"], ...commands, ["EXEC"]] : commands);
      const wrong = replies.flat().find(r => r instanceof ReplyError);
      if (wrong) throw wrong;
      this.context.announce(`${line(commands[0].slice(0, 2))}: done`);
      this.changed();
      await this.load();
    });
  }

  async remove() {
    if (!await confirmed(["Delete ", foreign(this.key), "?"], "Delete")) return;
    await this.try(async () => {
      await this.context.run("DEL", this.key);
      this.changed(["Deleted ", foreign(this.key), "."]);
    });
  }

  async askDeadline(ttl) {
    const text = await ask("Time to live, in seconds; empty for none", ttl >= 0 ? String(ttl / 1000) : "");
    if (text === null) return;
    await this.change(text === "" ? ["PERSIST", this.key] : ["PEXPIRE", this.key, Math.round(Number(text) * 1000)]);
  }

  async askName() {
    const name = await ask("New name", String(this.key));
    if (name === null || name === String(this.key)) return;
    await this.try(async () => {
      if (!await this.context.run("RENAMENX", this.key, name)) throw new Error("There is a key with this name already.");
      this.changed(["The key is now called ", foreign(name), ". Search again to see it in the list."]);
    });
  }
}

/** ask asks for a text; null if the user does not want to. label is what a label may hold. */
export function ask(label, value) {
  return new Promise(resolve => {
    const input = el("input", {value, spellcheck: "false"});
    let answer = null;
    const dialog = el("dialog", {class: "ask", "aria-label": el("p", {}, label).textContent}, el("form", {onsubmit: e => { e.preventDefault(); answer = input.value; dialog.close(); }},
      field(label, input), el("div", {class: "row"}, el("button", {class: "primary"}, "OK"), el("button", {type: "button", onclick: () => dialog.close()}, "Cancel"))));
    dialog.addEventListener("close", () => { dialog.remove(); resolve(answer); });
    document.body.append(dialog);
    dialog.showModal();
    input.select();
  });
}

/** confirmed asks before something is lost. question is what a paragraph may hold. */
export function confirmed(question, verb) {
  return new Promise(resolve => {
    let yes = false;
    const asked = el("p", {}, question);
    const dialog = el("dialog", {class: "ask", "aria-label": asked.textContent}, el("form", {onsubmit: e => { e.preventDefault(); yes = true; dialog.close(); }}, asked,
      el("div", {class: "row"}, el("button", {class: "primary"}, verb), el("button", {type: "button", onclick: () => dialog.close()}, "Cancel"))));
    dialog.addEventListener("close", () => { dialog.remove(); resolve(yes); });
    document.body.append(dialog);
    dialog.showModal();
  });
}
