// What a value looks like in memory, from a reply to MEMORY EXPLAIN: the bytes of a packed value in their order, the nodes of a skiplist.

const objectOf = pairs => Object.fromEntries(pairs);

/** layout returns the cells of a ziplist or an intset: {kind, at, size, entry, text, bytes}, without a gap; null for other values. Where the
 *  reply leaves entries out there is a cell of the kind gap. */
export function layout(explained) {
  const facts = objectOf(explained);
  if (facts.ziplist) return ziplist(objectOf(facts.ziplist));
  if (facts.intset) return intset(objectOf(facts.intset));
  return null;
}

function ziplist(facts) {
  const entries = facts.entries.map(objectOf);
  const total = facts.header + facts.lengths + facts.data + facts.end + facts.spare;
  const last = entries.at(-1);
  const used = total - facts.spare;
  const elements = Object.values(objectOf(facts.encodings)).reduce((a, b) => a + b, 0);
  const cells = [
    {kind: "header", at: 0, size: 4, text: `zlbytes ${used}`, bytes: little(used, 4)},
    {kind: "header", at: 4, size: 4, text: `zltail ${last ? last.offset : 10}`, bytes: little(last ? last.offset : 10, 4)},
    {kind: "header", at: 8, size: 2, text: `zllen ${elements}`, bytes: little(Math.min(elements, 65535), 2)},
  ];
  let at = facts.header;
  for (const e of entries) {
    if (e.offset > at) cells.push({kind: "gap", at, size: e.offset - at, text: "entries that are not shown"});
    at = e.offset;
    const add = (kind, size, text, bytes) => { cells.push({kind, at, size, entry: e.index, text, bytes}); at += size; };
    add("prevlen", e["prevlen-bytes"], `prevlen ${e.prevlen}`, e["prevlen-bytes"] === 1 ? [e.prevlen] : [254, ...little(e.prevlen, 4)]);
    add("encoding", e["encoding-bytes"], e.encoding);
    if (e["data-bytes"] > 0) add(e.encoding.startsWith("str") ? "text" : "integer", e["data-bytes"], String(e.content), dataOf(e));
  }
  cells.push({kind: "end", at, size: facts.end, text: "end", bytes: [255]});
  if (facts.spare > 0) cells.push({kind: "spare", at: at + facts.end, size: facts.spare, text: "room to grow"});
  return cells;
}

function intset(facts) {
  const entries = facts.entries.map(objectOf);
  const cells = [{kind: "header", at: 0, size: 4, text: `width ${facts.width}`, bytes: little(facts.width, 4)},
    {kind: "header", at: 4, size: 4, text: `length ${facts.data / facts.width}`, bytes: little(facts.data / facts.width, 4)}];
  let at = facts.header;
  for (const e of entries) {
    if (e.offset > at) cells.push({kind: "gap", at, size: e.offset - at, text: "entries that are not shown"});
    cells.push({kind: "integer", at: e.offset, size: facts.width, entry: e.index, text: String(e.integer), bytes: little(BigInt(e.integer), facts.width)});
    at = e.offset + facts.width;
  }
  return cells;
}

/** towers returns the nodes of a skiplist that the reply shows, {index, score, text, spans}, the head first, as index -1; and their links, {level, from, to,
 *  span}. A link to n, the number of nodes, is one to the end. */
export function towers(explained) {
  const facts = objectOf(explained);
  if (!facts.skiplist) return null;
  const list = objectOf(facts.skiplist), n = facts.length;
  const nodes = [{index: -1, score: "", text: "", spans: list.spans}, ...list.entries.map(objectOf).map(e => ({index: e.index, score: e.score, text: String(e.content), spans: e.spans}))];
  const last = nodes.at(-1);
  const links = nodes.flatMap(({index: from, spans}) => [1, ...spans].map((span, level) => {
    const to = from + span; // where a span ends at the last node, the link may lead there, or to the end
    return {level, from, span, to: to === from || to === n - 1 && last.spans.length < level ? n : to};
  }));
  return {n, nodes, links};
}

/** dataOf returns the bytes of an entry as far as its content tells them. */
function dataOf(e) {
  if (!e.encoding.startsWith("str")) return little(BigInt(e.content), e["data-bytes"]);
  const bytes = e.content?.array ?? new TextEncoder().encode(e.content);
  return bytes.length === e["data-bytes"] ? [...bytes] : undefined; // the reply may have cut it
}

function little(n, size) {
  let v = BigInt.asUintN(64, BigInt(n));
  const list = [];
  for (let i = 0; i < size; i++, v >>= 8n) list.push(Number(v & 255n));
  return list;
}
