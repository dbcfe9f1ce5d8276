// Command lines, as redis-cli reads and writes them.

import {Bytes} from "./api.js";

const escapes = {n: 10, r: 13, t: 9, b: 8, a: 7};

/** textOf makes an argument of bytes: a string if they are valid text. */
function textOf(list) {
  const array = new Uint8Array(list);
  try {
    return new TextDecoder("utf-8", {fatal: true, ignoreBOM: true}).decode(array);
  } catch {
    return new Bytes(btoa(String.fromCharCode(...array)));
  }
}

/** parse splits a line into arguments: words, "quoted \n \x00" and 'quoted'. It throws if quotes are not balanced. */
export function parse(line) {
  const source = new TextEncoder().encode(line);
  const words = [];
  const at = i => String.fromCharCode(source[i]);
  let i = 0;
  while (true) {
    while (i < source.length && /\s/.test(at(i))) i++;
    if (i >= source.length) return words;
    const word = [];
    let quote = "";
    for (; ; i++) {
      if (i >= source.length) {
        if (quote) throw new Error("Invalid argument(s): the quotes are not balanced");
        break;
      }
      const c = at(i);
      if (quote === '"' && c === "\\" && i + 1 < source.length) {
        const hex = /^x([0-9a-f]{2})/i.exec(String.fromCharCode(...source.slice(i + 1, i + 4)));
        if (hex) word.push(parseInt(hex[1], 16));
        else word.push(escapes[at(i + 1)] ?? source[i + 1]);
        i += hex ? 3 : 1;
      } else if (quote === "'" && c === "\\" && at(i + 1) === "'") word.push(source[++i]);
      else if (quote && c === quote) {
        if (i + 1 < source.length && !/\s/.test(at(i + 1))) throw new Error("Invalid argument(s): a closing quote must end the word");
        quote = "";
        i++;
        break;
      } else if (!quote && /\s/.test(c)) break;
      else if (!quote && word.length === 0 && (c === '"' || c === "'")) quote = c;
      else word.push(source[i]);
    }
    words.push(textOf(word));
  }
}

/** quote writes a string in double quotes. */
export function quote(value) {
  if (value instanceof Bytes) return `"${String(value).replaceAll('"', '\\"')}"`;
  const named = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\x07": "\\a", '"': '\\"', "\\": "\\\\"};
  return `"${String(value).replace(/["\\\x00-\x1f\x7f]/g, c => named[c] ?? "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0"))}"`;
}

/** line writes a command as one would type it. */
export const line = words => words.map(w => w instanceof Bytes || !/^[^\s"'\\\x00-\x1f\x7f]+$/.test(w) ? quote(w) : String(w)).join(" ");

/** format writes a reply, as the server has sent it in JSON, in the lines that redis-cli shows. */
export function format(r, indent = "") {
  if (r === null) return "(nil)";
  if (typeof r === "boolean") return `(${r})`;
  if (typeof r === "number") return `(integer) ${r}`;
  if (typeof r === "string") return quote(r);
  if (Array.isArray(r)) return list(r, ")", indent, "(empty array)");
  if ("base64" in r) return quote(new Bytes(r.base64));
  if ("integer" in r) return `(integer) ${r.integer}`;
  if ("status" in r) return r.status;
  if ("error" in r) return `(error) ${r.error}`;
  if ("double" in r) return `(double) ${r.double}`;
  if ("bignumber" in r) return `(big number) ${r.bignumber}`;
  if ("verbatim" in r) return r.verbatim;
  if ("set" in r) return list(r.set, "~", indent, "(empty set)");
  if ("push" in r) return list(r.push, ">", indent, "(empty push)");
  if (r.map.length === 0) return "(empty hash)";
  return numbered(r.map.length, "#", indent, (i, inner) => `${format(r.map[i][0], inner)} => ${format(r.map[i][1], inner)}`);
}

const list = (items, mark, indent, empty) => items.length === 0 ? empty : numbered(items.length, mark, indent, (i, inner) => format(items[i], inner));

function numbered(n, mark, indent, item) {
  const width = String(n).length;
  const inner = indent + " ".repeat(width + 2);
  const lines = [];
  for (let i = 0; i < n; i++) lines.push(`${i ? indent : ""}${String(i + 1).padStart(width)}${mark} ${item(i, inner)}`);
  return lines.join("\n");
}
