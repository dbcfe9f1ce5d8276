// What COMMAND LIST and COMMAND DOCS tell: the names of the commands, and for each its syntax and summary.

/** Docs asks only for what is needed: the list once, and the documents of a command when somebody types it. */
export class Docs {
  constructor(api) { this.api = api; this.known = new Map(); }

  /** names returns the names of all commands; it is empty if the user may not ask. */
  names() {
    this.list ??= this.api.run("COMMAND", "LIST").then(names => names.map(n => n.toUpperCase()).sort(), () => []);
    return this.list;
  }

  /** of returns {name, syntax, summary, group, since, subs} of a command, null if there is none. */
  of(name) {
    name = name.toLowerCase();
    if (!this.known.has(name)) {
      this.known.set(name, this.api.run("COMMAND", "DOCS", name).then(pairs => pairs.length ? describe(pairs[0][0], pairs[0][1]) : null, () => null));
    }
    return this.known.get(name);
  }

  /** ofWords returns what is said of the command that words begin with: a subcommand's if it is one. */
  async ofWords(words) {
    const doc = words.length > 0 ? await this.of(String(words[0])) : null;
    return doc?.subs.find(s => s.name === `${doc.name} ${String(words[1] ?? "").toUpperCase()}`) ?? doc;
  }
}

function describe(name, pairs) {
  const facts = Object.fromEntries(pairs);
  const title = name.toUpperCase().replace("|", " ");
  const subs = (facts.subcommands ?? []).map(([sub, its]) => describe(sub, its));
  return {name: title, summary: facts.summary, group: facts.group, since: facts.since, complexity: facts.complexity, subs,
    syntax: subs.length ? `${title} <${subs.map(s => s.name.split(" ")[1]).join(" | ")}>` : [title, ...(facts.arguments ?? []).map(argument)].join(" ")};
}

/** argument writes an argument: key, [EX seconds], <NX | XX>, member [member ...]. */
function argument(pairs) {
  const facts = Object.fromEntries(pairs);
  const flags = facts.flags ?? [];
  const inner = facts.arguments?.map(argument);
  let text = facts.display_text ?? facts.name;
  if (facts.type === "oneof") text = inner.join(" | ");
  if (facts.type === "block") text = inner.join(" ");
  if (facts.type === "pure-token") text = "";
  if (facts.token === "") text = `"" ${text}`;
  else if (facts.token) text = facts.type === "oneof" ? `${facts.token} <${text}>` : `${facts.token} ${text}`.trim();
  else if (facts.type === "oneof" && !flags.includes("optional")) text = `<${text}>`;
  if (flags.includes("multiple")) text += flags.includes("multiple_token") ? ` [${text} ...]` : ` [${inner ? text : facts.display_text ?? facts.name} ...]`;
  return flags.includes("optional") ? `[${text}]` : text;
}
