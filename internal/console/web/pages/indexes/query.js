// How a query is answered, and what is wrong with it: the replies to FT.INDEX PLAN and FT.INDEX LINT.

import {ReplyError} from "../../api.js";
import {count, el} from "../../dom.js";

const most = 200; // parts of a plan that are shown

/** plan draws the parts of a query as a tree, each with what it was expected to give, what it gave, and its share of the time. */
export function plan(reply) {
  const section = (...content) => el("section", {class: "sheet", "aria-label": "Plan"}, el("h2", {}, "Plan"), content);
  if (reply instanceof ReplyError) return section(el("p", {class: "soft"}, reply.message));
  const [total, ...parts] = reply.map(text => /^( *)(.*?)(?:: expected (\d+), gave (\d+))?, ([\d.]+) ms$/.exec(String(text)) ?? [, "", String(text), , , 0]);
  const all = Math.max(Number(total[5]), 0.001);
  const share = ms => el("span", {class: "bar-track"}, el("span", {class: "bar-fill", style: {width: `${Math.min(100, 100 * ms / all)}%`, background: "var(--c2)"}}));
  const row = ([, indent, name, expected, gave, ms]) => el("tr", {}, el("td", {style: {"padding-left": `${8 + 7 * (indent.length - 2)}px`}}, el("code", {}, name)),
    el("td", {class: "number"}, expected ? count(expected) : ""), el("td", {class: "number"}, gave ? count(gave) : ""), el("td", {class: "number"}, Number(ms).toFixed(3)), el("td", {class: "share"}, share(Number(ms))));
  return section(el("p", {class: "soft"}, `${total[2]} in ${Number(total[5]).toFixed(3)} ms`), el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Parts of the query"},
    el("table", {}, el("thead", {}, el("tr", {}, ["part", "expected", "gave", "ms"].map((name, i) => el("th", {scope: "col", class: i ? "number" : ""}, name)), el("td"))), el("tbody", {}, parts.slice(0, most).map(row)))),
  parts.length > most && el("p", {class: "soft"}, `The first ${most} parts of ${count(parts.length)} are shown.`));
}

/** remarks shows what the linter has found, each with the place in the query. */
export function remarks(reply, query) {
  if (reply instanceof ReplyError || reply.length === 0) return null;
  const remark = text => {
    const [, place, column, rule, message] = /^(\w+)(?::(\d+))?: ([\w-]+): (.*)$/s.exec(String(text));
    return el("li", {}, el("span", {class: "tag"}, rule), " ", place !== "query" && el("strong", {}, `${place}: `), message, column && marked([...query], Number(column) - 1));
  };
  return el("section", {class: "sheet", "aria-label": "Remarks"}, el("h2", {}, "Remarks"), el("ul", {class: "remarks"}, reply.map(remark)));
}

/** marked shows a part of a query, with a mark on the word that begins at a place. */
function marked(letters, from) {
  const rest = letters.slice(from).join(""), [word] = /^.\S*|^$/s.exec(rest);
  return el("div", {}, el("code", {}, letters.slice(Math.max(0, from - 40), from).join(""), el("mark", {}, word), rest.slice(word.length, word.length + 40)));
}
