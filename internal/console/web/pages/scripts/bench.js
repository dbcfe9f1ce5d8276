// Where scripts run: worlds of the page's sandbox. "scripts" has the data; a run is traced, and measured, on snapshots of it.

import {ReplyError, decode} from "../../api.js";
import {parse} from "../../words.js";

const session = "scripts", before = "scripts-before";

export class ScriptBench {
  constructor(context) {
    this.context = context;
    this.covered = null; // the source whose coverage is counted
  }

  async #all(commands) { return this.context.sandbox.all(commands, session); }

  /** must executes commands, and throws the first error. */
  async #must(commands) {
    const replies = await this.#all(commands), failed = replies.find(r => r instanceof ReplyError);
    if (failed) throw failed;
    return replies;
  }

  /** request returns the command that runs a source. A library's function has a name. */
  request({source, keys, args, name}) {
    const rest = [keys.length, ...keys, ...args];
    return isLibrary(source) ? ["FCALL", name, ...rest] : ["EVAL", source, ...rest];
  }

  /** prepare makes the world of a run: lines of commands that set it up, or the keys as the server has them; kept data stay, later by some milliseconds. */
  async prepare({source, keys, where, lines, keep, advance}) {
    await this.#must([["MINI.WORLD", "USE", "scripts"]]);
    if (!keep || !this.made) await this.#must([["MINI.WORLD", "RESET"], ["MINI.CLOCK", "FREEZE"]]);
    else if (advance > 0) await this.#must([["MINI.CLOCK", "ADVANCE", advance]]);
    const commands = [];
    if (isLibrary(source)) commands.push(["FUNCTION", "LOAD", "REPLACE", source]);
    if (where !== "world") commands.push(...await this.#copies(keys));
    else if (!keep || !this.made) commands.push(...lines.split("\n").map(l => l.trim()).filter(l => l && !l.startsWith("#")).map(parse));
    if (commands.length > 0) await this.#must(commands);
    await this.#all([["MINI.WORLD", "FORGET", before]]);
    await this.#must([["MINI.WORLD", "SNAPSHOT", before]]);
    this.made = true;
  }

  /** #copies returns the commands that make keys what they are on the server. */
  async #copies(keys) {
    const found = await this.context.all(keys.flatMap(k => [["DUMP", k], ["PTTL", k]]));
    const failed = found.find(r => r instanceof ReplyError);
    if (failed) throw failed;
    return keys.map((k, i) => found[2 * i] === null ? ["DEL", k] : ["RESTORE", k, Math.max(0, found[2 * i + 1]), found[2 * i], "REPLACE"]);
  }

  /** run runs what was prepared, counting coverage, and returns the reply as the server has written it. */
  async run(run) {
    await this.#must([["MINI.WORLD", "USE", "scripts"]]);
    if (this.covered !== run.source) await this.#must([["SCRIPT", "COVERAGE", "STOP", "RESET"], ["SCRIPT", "COVERAGE", "START"]]);
    this.covered = run.source;
    const {replies: [reply]} = await this.context.sandbox.raw([this.request(run)], session);
    return reply;
  }

  /** runOnData runs on the server's own data. */
  async runOnData(run) {
    const load = isLibrary(run.source) ? [["FUNCTION", "LOAD", "REPLACE", run.source]] : [];
    const {replies} = await this.context.api.raw([...load, this.request(run)], session);
    return replies.find(r => decode(r) instanceof ReplyError) ?? replies.at(-1);
  }

  /** trace runs what was prepared once more, from the same beginning, line by line. */
  async trace(run, points, watches) {
    await this.#must([["MINI.WORLD", "USE", "scripts-trace"], ["MINI.WORLD", "RESTORE", before]]);
    return this.context.api.post("trace", {world: "scripts-trace", request: this.request(run).map(w => typeof w === "number" ? String(w) : w), points, watches});
  }

  /** coverage returns how often lines ran: {lines: Map, branches: {all, ran}}. */
  async coverage() {
    const [, report] = await this.#all([["MINI.WORLD", "USE", "scripts"], ["SCRIPT", "COVERAGE", "REPORT", "LCOV"]]);
    const lines = new Map(), branches = {all: 0, ran: 0};
    if (report instanceof ReplyError) return {lines, branches};
    for (const row of String(report).split("\n")) {
      const [kind, rest = ""] = row.split(/:(.*)/s), fields = rest.split(",");
      if (kind === "DA") lines.set(Number(fields[0]), Number(fields[1]));
      if (kind === "BRDA") branches.all++, branches.ran += Number(fields[3]) > 0 ? 1 : 0;
    }
    return {lines, branches};
  }

  /** profile runs what was prepared so many times, and returns the picture of where the time went. */
  async profile(run, times) {
    await this.#must([["MINI.WORLD", "USE", "scripts-profile"], ["MINI.WORLD", "RESTORE", before], ["SCRIPT", "PROFILE", "STOP", "RESET"], ["SCRIPT", "PROFILE", "START"]]);
    await this.#all(Array.from({length: times}, () => this.request(run)));
    const [picture] = await this.#must([["SCRIPT", "PROFILE", "REPORT", "SVG"], ["SCRIPT", "PROFILE", "STOP", "RESET"]]);
    return String(picture);
  }

  async lint(source) { return (await this.context.api.post("lint", {source})).findings; }
}

export const isLibrary = source => source.startsWith("#!");
