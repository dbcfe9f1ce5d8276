// Which vectors are near to one: those of a vector set or of a field of an index, on a plane on which they lie about as far from each other as they are.

import {Bytes, ReplyError} from "../../api.js";
import {count, el, field, select, show, svg} from "../../dom.js";
import {table} from "../../table.js";

const most = 24; // neighbours that are drawn
const width = 560, height = 360, margin = 40;

/** Neighbourhood draws the neighbours of an element, or of a document. */
export class Neighbourhood {
  constructor(context) {
    this.context = context;
    const {params} = context;
    this.source = select({onchange: () => this.placed()}, [["", "a vector set"]]);
    this.key = el("input", {value: params.get("set") ?? "", spellcheck: "false"});
    this.element = el("input", {value: params.get("element") ?? "", spellcheck: "false", placeholder: "any"});
    this.keyField = field("Key of the set", this.key, {class: "field grow"});
    this.out = el("div", {class: "neighbours"});
    this.node = el("section", {class: "sheet", "aria-label": "Neighbourhood"}, el("h2", {}, "Neighbourhood"),
      el("form", {class: "adder", onsubmit: e => { e.preventDefault(); this.show(); }}, field("Vectors of", this.source), this.keyField, field("Element or document", this.element, {class: "field grow"}), el("button", {}, "Draw")), this.out);
  }

  async start() {
    if (this.key.value) await this.show();
  }

  params() { return {set: this.source.value ? "" : this.key.value, element: this.source.value ? "" : this.element.value}; }

  /** offer lists the vector fields of an index as sources. */
  offer(index, fields) {
    this.index = index;
    const chosen = this.key.value ? "" : fields[0] ?? "";
    show(this.source, el("option", {value: ""}, "a vector set"), fields.map(name => el("option", {value: name, selected: name === chosen}, `${name} of ${index}`)));
    this.placed();
  }

  placed() { this.keyField.hidden = this.source.value !== ""; }

  async show() {
    try {
      const found = await (this.source.value ? this.ofField() : this.ofSet());
      this.context.setParams({index: this.index, ...this.params()});
      this.draw(found);
    } catch (error) {
      if (!(error instanceof ReplyError || error instanceof Nothing)) throw error;
      show(this.out, el("p", {class: "error", role: "alert"}, error.message));
    }
  }

  /** ofSet reads the neighbours of an element, their vectors, and their links. */
  async ofSet() {
    const {run} = this.context, key = this.key.value, centre = this.element.value || await run("VRANDMEMBER", key);
    if (centre === null) throw new Nothing("There is no such vector set.");
    const scores = await run("VSIM", key, "ELE", centre, "COUNT", most + 1, "WITHSCORES");
    if (!scores.length) throw new Nothing("There is no such vector set.");
    const names = scores.map(([name]) => name);
    const replies = await this.all(names.flatMap(name => [["VEMB", key, name, "RAW"], ["VLINKS", key, name]]));
    const links = names.map((_, i) => (replies[2 * i + 1] ?? []).at(-1)?.map(String) ?? []);
    return {centre: String(centre), measure: "similarity", links, elements: scores.map(([name, score], i) => ({name: String(name), score: Number(score), vector: rawVector(replies[2 * i])}))};
  }

  /** ofField reads the documents whose vectors are near to that of one. */
  async ofField() {
    const {run} = this.context, {index} = this, name = this.source.value;
    const attributes = Object.fromEntries(await run("FT.INFO", index)).attributes.map(Object.fromEntries);
    const {identifier, data_type: type} = attributes.find(a => String(a.attribute) === name);
    const list = {FLOAT32: Float32Array, FLOAT64: Float64Array}[type];
    if (!list) throw new Nothing(`The page reads FLOAT32 and FLOAT64, and this field has ${type}.`);
    const centre = this.element.value || Object.fromEntries((await answered(run("FT.SEARCH", index, "*", "LIMIT", 0, 1, "NOCONTENT")))[0] ?? []).id;
    if (centre === undefined) throw new Nothing("The index has no documents.");
    const read = async keys => {
      const replies = await this.all(keys.map(key => String(identifier).startsWith("$") ? ["JSON.GET", key, identifier] : ["HGET", key, identifier]));
      return replies.map(reply => reply === null ? null : vectorOf(reply, list, String(identifier).startsWith("$")));
    };
    const [vector] = await read([centre]);
    if (!vector?.length) throw new Nothing(`${centre} has no vector.`);
    const blob = new Bytes(btoa(Array.from(new Uint8Array(vector.buffer), b => String.fromCharCode(b)).join("")));
    const found = (await answered(run("FT.SEARCH", index, `*=>[KNN ${most + 1} @${escaped(name)} $v AS distance]`, "PARAMS", 2, "v", blob, "SORTBY", "distance", "LIMIT", 0, most + 1, "RETURN", 1, "distance",
      "DIALECT", 2))).map(Object.fromEntries);
    const vectors = await read(found.map(d => d.id));
    return {centre: String(centre), measure: "distance", links: null,
      elements: found.map((d, i) => ({name: String(d.id), score: Number(Object.fromEntries(d.extra_attributes).distance), vector: vectors[i]})).filter(e => e.vector)};
  }

  async all(commands) {
    const replies = await this.context.all(commands), wrong = replies.find(r => r instanceof ReplyError);
    if (wrong) throw wrong;
    return replies;
  }

  /** go draws the neighbours of another element. */
  go(name) {
    this.element.value = name;
    return this.show();
  }

  draw({centre, measure, links, elements}) {
    const places = plane(elements.map(e => e.vector)), at = new Map(elements.map((e, i) => [e.name, i]));
    const [x, y] = [0, 1].map(axis => scale(places.map(p => p[axis]), axis ? height : width));
    const lines = (links ?? []).flatMap((of, i) => of.filter(name => at.get(name) > i || at.has(name) && !links[at.get(name)].includes(elements[i].name)).map(name => [i, at.get(name)]));
    const named = apart(elements.map((e, i) => ({x: x(places[i][0]) + 9, y: y(places[i][1]) - 6, width: 8 * short(e.name).length, height: 14})));
    const drawing = svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${elements.length} elements near to ${centre}`},
      lines.map(([i, j]) => svg("line", {class: "link", x1: x(places[i][0]), y1: y(places[i][1]), x2: x(places[j][0]), y2: y(places[j][1])})),
      elements.map((e, i) => svg("g", {class: e.name === centre ? "point centre" : "point", onclick: () => this.go(e.name)}, svg("title", {}, `${e.name}: ${measure} ${e.score.toPrecision(4)}`),
        svg("circle", {cx: x(places[i][0]), cy: y(places[i][1]), r: e.name === centre ? 8 : 5}), named[i] && svg("text", {x: named[i].x, y: named[i].y}, short(e.name)))));
    const cell = e => el("button", {class: "cell", title: "Draw its neighbours", onclick: () => this.go(e.name)}, e.name);
    show(this.out, el("div", {class: "plane"}, drawing, el("p", {class: "soft"}, `${count(elements.length)} vectors on the plane on which they differ most. ${links ? "Lines are the links of the graph." : ""}`)),
      table(["nearest", measure], elements.map(e => [cell(e), e.score.toPrecision(6)]), "Nearest"));
    this.context.announce(`${elements.length} elements near to ${centre}`);
  }
}

/** Nothing says why there is nothing to draw. */
class Nothing extends Error {}

const short = name => name.length > 18 ? `${name.slice(0, 17)}…` : name;
const escaped = name => name.replace(/[^\w]/g, "\\$&");

/** answered returns the documents in a reply of FT.SEARCH. */
const answered = async reply => Object.fromEntries(await reply).results ?? [];

const octets = value => value instanceof Bytes ? value.array : new TextEncoder().encode(String(value));

/** rawVector reads the direction of a vector from a reply of VEMB RAW: its kind, and its bytes. */
function rawVector([kind, value]) {
  const list = octets(value);
  if (kind === "int8") return unit(Array.from(new Int8Array(list.buffer, list.byteOffset, list.length)));
  if (kind === "bin") return unit(Array.from(list).flatMap(b => [0, 1, 2, 3, 4, 5, 6, 7].map(i => b >> i & 1 ? 1 : -1)));
  return unit(Array.from(new Float32Array(list.slice().buffer)));
}

/** vectorOf reads the vector of a document. */
function vectorOf(value, list, isJSON) {
  if (isJSON) return list.from([JSON.parse(String(value))].flat(2));
  return new list(octets(value).slice().buffer);
}

function unit(v) {
  const norm = Math.hypot(...v) || 1;
  return v.map(x => x / norm);
}

/** plane puts vectors onto the plane on which they differ most: their two first principal components, by the powers of the matrix of their products. */
function plane(vectors) {
  const n = vectors.length, dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const products = vectors.map(a => vectors.map(b => dot(a, b))), means = products.map(row => row.reduce((a, b) => a + b, 0) / n);
  const mean = means.reduce((a, b) => a + b, 0) / n;
  const centred = products.map((row, i) => row.map((p, j) => p - means[i] - means[j] + mean));
  const axis = () => {
    let v = unit(centred.map((_, i) => 1 + i % 7 + i / n)), value = 0;
    for (let turn = 0; turn < 200; turn++) {
      const next = centred.map(row => dot(row, v));
      value = Math.hypot(...next);
      v = unit(next);
    }
    centred.forEach((row, i) => row.forEach((_, j) => row[j] -= value * v[i] * v[j]));
    return v.map(x => x * Math.sqrt(value));
  };
  const [first, second] = [axis(), axis()];
  return first.map((x, i) => [x, second[i]]);
}

/** apart keeps those boxes that do not touch one before them; instead of others it has null. */
function apart(boxes) {
  const kept = [];
  return boxes.map(b => {
    if (kept.some(k => Math.abs(k.y - b.y) < b.height && k.x < b.x + b.width && b.x < k.x + k.width)) return null;
    kept.push(b);
    return b;
  });
}

/** scale maps values to pixels, with room at both ends. */
function scale(values, size) {
  const least = Math.min(...values), span = Math.max(...values) - least || 1;
  return v => margin + (size - 3 * margin) * (v - least) / span;
}
