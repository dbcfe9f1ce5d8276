// Sketches: how full they are, how far they can be off, and what they answer.

import {ReplyError} from "./api.js";
import {Chart, bars} from "./chart.js";
import {count, el, field, foreign, select, show} from "./dom.js";
import {pager, pairs, table} from "./table.js";

const shown = 100; // items of a Top-K sketch that are shown at once
const cut = 200; // bytes of an item that are shown
const small = 64 << 10; // bytes of a sketch that is read as a whole
const bins = 40; // columns of a distribution

/** share is a part of one as people read it. */
const share = part => `${Number((100 * part).toPrecision(3))} %`;

/** numbersOf returns the numbers among the facts of a sketch, by their names. */
const numbersOf = facts => Object.fromEntries(facts.map(([name, n]) => [String(name), Number(n)]));

export async function bloom(view) {
  const facts = await view.read("BF.INFO", view.key);
  const of = numbersOf(facts);
  sketch(view, [...facts, ["Fill", share(of["Number of items inserted"] / of.Capacity)]], "Is it there?",
    async item => await view.context.run("BF.EXISTS", view.key, item) ? "It may be in the filter." : "It is certainly not in the filter.",
    item => ["BF.ADD", view.key, item]);
}

export async function cuckoo(view) {
  const facts = await view.read("CF.INFO", view.key);
  const of = numbersOf(facts);
  const layers = of["Number of filters"];
  const slots = of.Size - 40 - 16 * layers; // the size counts the structs of RedisBloom, too
  sketch(view, [...facts, ["Fill", share(of["Number of items inserted"] / slots)],
    ["False positives, at most", share(1 - (254 / 255) ** (2 * of["Bucket size"] * layers))]], "Is it there?",
  async item => await view.context.run("CF.EXISTS", view.key, item) ? "It may be in the filter." : "It is certainly not in the filter.",
  item => ["CF.ADD", view.key, item]);
}

export async function countmin(view) {
  const facts = await view.read("CMS.INFO", view.key);
  const of = numbersOf(facts);
  sketch(view, [...facts, ["Counts are too high by at most", count(Math.floor(2 * of.count / of.width))], ["with a probability of", share(1 - 0.5 ** of.depth)]], "How often?",
    async item => `It was counted ${count((await view.context.run("CMS.QUERY", view.key, item))[0])} times, or less often.`,
    item => ["CMS.INCRBY", view.key, item, 1]);
}

// There is no command for a part of the list, so a script cuts it out, and what is too long of an item.
const itemsOf = `local all, part = redis.call('TOPK.LIST', KEYS[1], 'WITHCOUNT'), {} for i = 2 * ARGV[1] + 1, math.min(#all, 2 * ARGV[2]), 2 do
part[#part + 1] = all[i]:sub(1, ARGV[3]) part[#part + 1] = all[i + 1] end return part`;

/** topk shows the items of a Top-K sketch from a place on, the most frequent first. */
export async function topk(view, from = 0) {
  const facts = await view.context.run("TOPK.INFO", view.key);
  const {k} = numbersOf(facts);
  const items = pairs(view.size <= small ? (await view.read("TOPK.LIST", view.key, "WITHCOUNT")).slice(2 * from, 2 * (from + shown))
    : await view.read("EVAL_RO", itemsOf, 1, view.key, from, from + shown, cut));
  const go = to => () => view.try(() => topk(view, to));
  sketch(view, facts, "Is it in the list?", async item => {
    const [[listed], [times]] = await run(view, ["TOPK.QUERY", view.key, item], ["TOPK.COUNT", view.key, item]);
    return `${listed ? "It is in the list" : "It is not in the list"}, and was counted ${count(times)} times, or so.`;
  }, item => ["TOPK.ADD", view.key, item],
  [items.length > 0 ? bars("Items by their counts", items.map(([item, n]) => [foreign(String(item).slice(0, cut)), Number(n)])) : el("p", {class: "soft"}, "There are no items."),
    k > shown && pager(`from place ${count(from + 1)} on, of ${count(k)}`, from > 0 && go(from - shown), items.length === shown && from + shown < k && go(from + shown))]);
}

const quantiles = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];

/** digest shows the quantiles of a t-digest, and how its values are distributed. */
export async function digest(view) {
  const facts = await view.context.run("TDIGEST.INFO", view.key);
  const values = (await view.read("TDIGEST.QUANTILE", view.key, ...quantiles)).map(Number);
  const more = Number.isNaN(values[0]) ? el("p", {class: "soft"}, "There are no values.")
    : [distribution(view, values), table(["quantile", "value"], quantiles.map((q, i) => [share(q), number(values[i])]), "Quantiles")];
  sketch(view, facts, "Which part is below?", async value => {
    const [[part]] = await run(view, ["TDIGEST.CDF", view.key, value]);
    return `About ${share(Number(part))} of the values are below it.`;
  }, value => ["TDIGEST.ADD", view.key, value], more, "Value");
}

/** number writes a value with the digits that people read. */
const number = v => v.toLocaleString("en-US", {maximumSignificantDigits: 6});

/** distribution is a chart of the part of the values that lies in each of many columns of the same width, by what TDIGEST.CDF tells. */
function distribution(view, values) {
  const chart = new Chart({label: "Distribution of the values", xTitle: "value", x: number, y: share, fit: true});
  const draw = async range => {
    const [low, high] = range === "all" ? [values[0], values.at(-1)] : [values[1], values[9]];
    const at = i => i === bins ? high : low + (high - low) / bins * i;
    const edges = Array.from({length: bins + 1}, (_, i) => at(i));
    const [below] = await run(view, ["TDIGEST.CDF", view.key, ...edges]);
    const part = i => Math.max(0, Number(below[i + 1]) - Number(below[i]));
    chart.set([{name: "part of the values", color: "var(--c2)", points: Array.from({length: bins}, (_, i) => [[at(i), part(i)], [at(i + 1), part(i)]]).flat()}],
      quantiles.flatMap((q, i) => [0.5, 0.99].includes(q) && values[i] <= high ? [{x: values[i], text: share(q)}] : []));
  };
  const choice = select({onchange: () => view.try(() => draw(choice.value))}, [["all", "all values"], ["middle", "the middle 98 %"]]);
  if (Number.isFinite(values.at(-1) - values[0])) draw("all").catch(error => show(view.failed, error.message));
  return [el("div", {class: "row"}, field("Distribution of", choice)), chart.node];
}

/** run runs commands as one pipeline. An error reply is thrown. */
async function run(view, ...commands) {
  const replies = await view.context.all(commands);
  const wrong = replies.find(r => r instanceof ReplyError);
  if (wrong) throw wrong;
  return replies;
}

/** sketch shows facts, a form that asks about an item or adds it, and more. */
function sketch(view, facts, question, asked, add, more, label = "Item") {
  const item = el("input", {spellcheck: "false"});
  const answer = el("p", {role: "status"});
  const test = e => {
    e.preventDefault();
    return view.try(async () => answer.textContent = await asked(item.value));
  };
  show(view.body, more, table(["", ""], facts.map(([name, value]) => [String(name), String(value)]), "Facts"),
    el("form", {class: "adder", onsubmit: test}, field(label, item, {class: "field grow"}), el("button", {}, question),
      el("button", {type: "button", onclick: () => view.change(add(item.value))}, "Add")), answer);
}
