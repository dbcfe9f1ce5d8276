// A JSON document at a key, read and changed in small parts. Values stay texts as the server has written them, since numbers of JavaScript would not hold all of them.

import {ReplyError} from "./api.js";

export const slice = 100; // children that are read at once
export const heavy = 50_000; // members of an object whose names take the server long to list
export const enough = 24 << 10; // bytes in memory of what is read at once; its text is two to six times as long
const short = 300; // bytes of a string that is shown in a row
const listed = 1000; // members of an object whose names are read at once
const measured = 400; // children that a search measures at once

// There is no command for a part of the names, so a script cuts it out.
const namesOf = "local all, part = redis.call('JSON.OBJKEYS', KEYS[1], ARGV[1])[1] or {}, {} for i = ARGV[2] + 1, ARGV[3] do part[#part + 1] = all[i] end return part";

const changed = "The document has been changed meanwhile. Nothing was done: load it again.";

/** quoted writes a name as in brackets of a path. A path that makes a member takes what is in the quotes as it is, so a name needs an escape only with a backslash or both quotes. */
const quoted = name => /["\\]/.test(name) && !/['\\]/.test(name) ? `'${name}'` : `"${name.replace(/["\\]/g, "\\$&")}"`;

/** canMake reports whether a path can make a member of this name. */
export const canMake = name => !name.includes("\\") && !/".*'|'.*"/s.test(name);

const stepOf = step => typeof step === "number" ? `[${step}]` : /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${quoted(step)}]`;

/** pathOf writes the steps to a value, names and indices, as a JSONPath. */
export const pathOf = steps => `$${steps.map(stepOf).join("")}`;

export const isContainer = type => type === "object" || type === "array";

/** peel takes a value out of the reply of Document.shows; null if there is none. */
export const peel = reply => reply === "[]" ? null : reply.slice(2, -2).replace(/^ {2}/gm, "");

/** Document is the document at a key. Facts of a value are {type, n, text}: n is the number of its children, or of its bytes if it is a string; text is that of a short scalar. */
export class Document {
  constructor(api, key) {
    Object.assign(this, {api, key});
    this.listed = new Set(); // paths of heavy objects whose names the user wants all the same
  }

  /** run runs commands as one pipeline. An error reply is thrown. */
  async run(...commands) {
    const replies = await this.api.all(commands);
    const wrong = replies.find(r => r instanceof ReplyError);
    if (wrong) throw wrong;
    return replies;
  }

  /** facts returns those of the values that a path finds. */
  async facts(path) {
    const [types, ...lengths] = (await this.run(...["TYPE", "STRLEN", "ARRLEN", "OBJLEN"].map(what => [`JSON.${what}`, this.key, path]))).map(reply => (reply ?? []).flat());
    if (lengths.some(list => list.length !== types.length)) throw new Error(changed);
    return types.map((type, i) => ({type, n: lengths.map(list => list[i]).find(n => n !== null)}));
  }

  /** part writes a path to some children of a container: those of these names, or from one index to another. */
  part(steps, from, to, names) { return `${pathOf(steps)}[${names ? names.map(quoted) : `${from}:${to}`}]`; }

  /** names returns some names of an object, in its order. */
  async names(steps, n, from, to) {
    const path = pathOf(steps);
    if (n > listed) return (await this.run(["EVAL_RO", namesOf, 1, this.key, path, from, to]))[0];
    return (await this.run(["JSON.OBJKEYS", this.key, path]))[0].flat().slice(from, to);
  }

  /** children returns the facts of some children of a container, with their step. */
  async children(steps, {type, n}, from, to) {
    const names = type === "object" ? await this.names(steps, n, from, to) : null;
    if (names?.length === 0) return [];
    const list = await this.facts(this.part(steps, from, to, names));
    if (names && list.length !== names.length) throw new Error(changed);
    list.forEach((child, i) => child.step = names ? names[i] : from + i);
    await this.texts(list, child => pathOf([...steps, child.step]));
    return list;
  }

  /** texts adds the texts of short scalars to their facts. */
  async texts(list, path) {
    const scalars = list.filter(({type, n}) => !isContainer(type) && !(type === "string" && n > short));
    const texts = await this.run(...scalars.map(facts => ["JSON.GET", this.key, path(facts)]));
    scalars.forEach((facts, i) => facts.text = texts[i].slice(1, -1));
  }

  /** sizes returns the bytes in memory of the values that a path finds. It takes the server a millisecond for each megabyte. */
  async sizes(path) { return (await this.run(["JSON.DEBUG", "MEMORY", this.key, path]))[0].flat(); }

  /** isSmall reports whether a value can be read as a whole. */
  async isSmall(path) { return (await this.sizes(path)).every(size => size <= enough); }

  /** shows is the command that reads a value as people write it. */
  shows(path) { return ["JSON.GET", this.key, "INDENT", "  ", "NEWLINE", "\n", "SPACE", " ", path]; }

  /** change runs commands as a transaction, if commands have the replies that they had before: checks are [words, reply]. It returns the replies. refused is said if one is nil. */
  async change(checks, commands, refused = changed) {
    try {
      const [, ...now] = await this.run(["WATCH", this.key], ...checks.map(([words]) => words));
      if (JSON.stringify(now) !== JSON.stringify(checks.map(([, reply]) => reply))) throw new Error(changed);
    } catch (error) {
      await this.run(["UNWATCH"]);
      throw error;
    }
    const replies = (await this.run(["MULTI"], ...commands, ["EXEC"])).at(-1);
    if (replies === null) throw new Error(changed);
    const wrong = replies.find(r => r instanceof ReplyError);
    if (wrong) throw wrong;
    if (replies.includes(null)) throw new Error(refused);
    return replies;
  }

  /** search calls found({steps, places, text}) for each value whose name or text contains a word; places are the positions of the steps. step(bytes) is told how many bytes in memory
   *  have been searched, and may wait; if it returns false the search ends. It returns what was left out: {strings, objects}. */
  async search(word, found, step) {
    const search = {word: word.toLowerCase(), found, step, left: {strings: 0, objects: 0}};
    const [facts] = await this.facts("$");
    if (facts && isContainer(facts.type)) await this.#walk(search, [], [], facts);
    return search.left;
  }

  /** walk searches a container; it returns false if the search is to end. */
  async #walk(search, steps, places, facts) {
    if (facts.type === "object" && facts.n > heavy && !this.listed.has(pathOf(steps))) search.left.objects++;
    else for (let from = 0; from < facts.n; from += measured) {
      const to = Math.min(from + measured, facts.n);
      const names = facts.type === "object" ? await this.names(steps, facts.n, from, to) : null;
      const sizes = await this.sizes(this.part(steps, from, to, names));
      for (let i = 0, j; i < sizes.length; i = j) {
        let sum = sizes[i];
        for (j = i + 1; j < sizes.length && sum + sizes[j] <= enough; j++) sum += sizes[j];
        const run = {steps, places, from: from + i, to: from + j, names: names?.slice(i, j)};
        if (!(sum <= enough ? await this.#read(search, run) && await search.step(sum) : await this.#enter(search, run, sum))) return false;
      }
    }
    return true;
  }

  /** read searches children that are read as one text. */
  async #read(search, {steps, places, from, to, names}) {
    const [text] = await this.run(["JSON.GET", this.key, this.part(steps, from, to, names)]);
    scan(text, (way, at, value) => {
      if (way.length === 0) return;
      const first = names ? names[way[0]] : from + way[0];
      if (matches(search.word, way.length > 1 ? way.at(-1) : first, value)) {
        search.found({steps: [...steps, first, ...way.slice(1)], places: [...places, from + at[0], ...at.slice(1)], text: value});
      }
    });
    return true;
  }

  /** enter searches a child that is too large for that. */
  async #enter(search, {steps, places, from, names}, size) {
    const way = [...steps, names ? names[0] : from], at = [...places, from];
    const [facts] = await this.facts(pathOf(way));
    if (!facts) return true;
    if (matches(search.word, way.at(-1), null)) search.found({steps: way, places: at, text: null});
    if (isContainer(facts.type)) return this.#walk(search, way, at, facts);
    search.left.strings++;
    return search.step(size);
  }
}

const matches = (word, name, text) => typeof name === "string" && name.toLowerCase().includes(word) ||
  text !== null && (text.startsWith('"') ? JSON.parse(text) : text).toLowerCase().includes(word);

/** scan calls visit(way, places, text) for each value in a text: the steps to it, their positions, and the text of a scalar, or null. The lists are only lent. */
function scan(text, visit) {
  const way = [], places = [], isObject = [];
  let named = false; // the next string is a name
  const enter = object => {
    visit(way, places, null);
    way.push(object ? "" : 0);
    places.push(0);
    isObject.push(named = object);
  };
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s"[\]{},:]+/g)) {
    if (token === "{" || token === "[") enter(token === "{");
    else if (token === "}" || token === "]") way.pop(), places.pop(), isObject.pop();
    else if (token === ",") {
      places[places.length - 1]++;
      named = isObject.at(-1);
      if (!named) way[way.length - 1]++;
    } else if (token === ":") named = false;
    else if (named) way[way.length - 1] = JSON.parse(token);
    else visit(way, places, token);
  }
}
