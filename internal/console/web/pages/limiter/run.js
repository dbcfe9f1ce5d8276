// A run: a load that one or two limiters answer, each in a world of the sandbox with a clock of its own. Every verdict, every number of
// bytes and every rest of a window is the server's reply; nothing is computed in its place.

import {ReplyError} from "../../api.js";
import {algorithms} from "./algorithms.js";

const began = 1700000000000; // where the clocks of the worlds begin
const slices = 120; // of the duration; at the end of each the memory is measured
const mostMeasured = 64; // users
const batch = 600; // items of the agenda in one call

/** Lane is one limiter with its results: {t, user, allowed, left, wait, bytes, rest}, rest being the time to live of the user's key. */
export class Lane {
  constructor(name, algorithm, settings, source) {
    this.world = `limiter-${name}`;
    this.algorithm = algorithms[algorithm];
    this.id = algorithm;
    this.settings = settings;
    this.source = source;
    this.results = [];
    this.memory = []; // {t, bytes, users: Map}
    this.users = new Set();
    this.asked = 0;
  }

  get title() { return this.algorithm.title; }

  opening() {
    return [["MINI.WORLD", "USE", this.world], ["MINI.WORLD", "RESET"], ["MINI.CLOCK", "FREEZE"], ["MINI.CLOCK", "SET", began],
      ...(this.source === undefined ? [] : [["SCRIPT", "LOAD", this.source]])];
  }

  /** ask returns the commands of a request, and what takes their replies. */
  ask(request) {
    const {algorithm: a, settings: s} = this;
    const key = `limiter:${request.user}`;
    const before = this.users.has(request.user) ? [] : a.prepare(s, key);
    this.users.add(request.user);
    const words = a.ask(s, key, began + request.t, `salt-${this.asked++}`);
    const keys = a.keys(key);
    const commands = [...before, this.sha ? ["EVALSHA", this.sha, ...words] : words, ...keys.map(k => ["MEMORY", "USAGE", k]), ["PTTL", key]];
    return [commands, replies => {
      const [reply, ...rest] = replies.slice(before.length);
      if (reply instanceof ReplyError) throw reply;
      const verdict = a.read(reply, s);
      if (typeof verdict.allowed !== "boolean") throw new Error("the limiter's reply is neither yes nor no");
      this.results.push({...verdict, t: request.t, user: request.user, bytes: sum(rest.slice(0, keys.length)), rest: rest.at(-1)});
    }];
  }

  /** measure returns the commands that measure the memory of all users, and what takes their replies. */
  measure(t) {
    const users = [...this.users].slice(0, mostMeasured);
    const keys = users.map(u => this.algorithm.keys(`limiter:${u}`));
    return [keys.flat().map(k => ["MEMORY", "USAGE", k]), replies => {
      let at = 0;
      const of = new Map(users.map((u, i) => [u, sum(replies.slice(at, at += keys[i].length))]));
      this.memory.push({t, bytes: sum([...of.values()]), users: of});
    }];
  }
}

const sum = list => list.reduce((all, n) => all + (typeof n === "number" ? n : 0), 0);

/** Run moves the clock, and sends what falls due. */
export class Run {
  constructor(sandbox, lanes, {requests, duration}) {
    this.sandbox = sandbox;
    this.lanes = lanes;
    this.duration = duration;
    this.requests = requests;
    const samples = Array.from({length: slices}, (_, i) => ({t: Math.round((i + 1) * duration / slices), measure: true}));
    this.agenda = [...requests, ...samples].sort((a, b) => a.t - b.t || (a.measure ? 1 : 0) - (b.measure ? 1 : 0));
    this.next = 0;
    this.now = 0;
  }

  get ended() { return this.now >= this.duration; }

  async open() {
    for (const lane of this.lanes) {
      const {replies} = await this.#send(lane.opening());
      const failed = replies.find(r => r instanceof ReplyError);
      if (failed) throw failed;
      lane.sha = lane.source === undefined ? null : replies.at(-1);
    }
  }

  async #send(commands) { return {replies: await this.sandbox.all(commands, "limiter")}; }

  /** advance moves the clocks to t, and no further than the end. Calls of it must not overlap. */
  async advance(t) {
    t = Math.min(Math.floor(t), this.duration);
    while (this.now < t) {
      const items = [];
      while (this.next < this.agenda.length && this.agenda[this.next].t <= t && items.length < batch) items.push(this.agenda[this.next++]);
      const until = items.length === batch ? items.at(-1).t : t;
      for (const lane of this.lanes) await this.#play(lane, items, until);
      this.now = until;
    }
  }

  /** insert sends a request of a user now. */
  async insert(user) {
    const request = {t: this.now, user};
    this.agenda.splice(this.next++, 0, request);
    for (const lane of this.lanes) await this.#play(lane, [request], this.now);
  }

  async #play(lane, items, until) {
    const commands = [["MINI.WORLD", "USE", lane.world]], takers = [];
    let clock = this.now;
    const moveTo = t => {
      if (t > clock) commands.push(["MINI.CLOCK", "ADVANCE", t - clock]);
      clock = Math.max(clock, t);
    };
    for (const item of items) {
      moveTo(item.t);
      const [more, take] = item.measure ? lane.measure(item.t) : lane.ask(item);
      takers.push({from: commands.length, count: more.length, take});
      commands.push(...more);
    }
    moveTo(until);
    const replies = [];
    for (let i = 0; i < commands.length; i += 4000) replies.push(...(await this.#send(commands.slice(i, i + 4000))).replies);
    if (replies[0] instanceof ReplyError) throw replies[0];
    for (const {from, count, take} of takers) take(replies.slice(from, from + count));
  }
}

/** disagreements returns the requests about which two lanes differ. */
export function disagreements([a, b]) {
  if (!b) return [];
  const list = [];
  for (let i = 0; i < Math.min(a.results.length, b.results.length); i++) {
    const [x, y] = [a.results[i], b.results[i]];
    if (x.allowed !== y.allowed) list.push({t: x.t, user: x.user, verdicts: [x.allowed, y.allowed]});
  }
  return list;
}

/** busiest returns the most requests of one user that a lane let pass within any window, and where that window begins. */
export function busiest(lane, window) {
  const byUser = new Map();
  let most = 0, at = 0, who = "";
  for (const {t, user, allowed} of lane.results) {
    if (!allowed) continue;
    const times = byUser.get(user) ?? [];
    byUser.set(user, times);
    times.push(t);
    while (times[0] <= t - window) times.shift();
    if (times.length > most) [most, at, who] = [times.length, times[0], user];
  }
  return {most, at, who};
}
