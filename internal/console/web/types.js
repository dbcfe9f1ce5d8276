// The types of values, as TYPE replies them: what people call them, and what stands in a list of keys.

export const types = {string: ["string", "str"], hash: ["hash", "hash"], list: ["list", "list"], set: ["set", "set"], zset: ["sorted set", "zset"], stream: ["stream", "strm"],
  array: ["array", "arr"], "MBbloom--": ["Bloom filter", "blm"], "MBbloomCF": ["cuckoo filter", "cf"], "CMSk-TYPE": ["count-min sketch", "cms"], "TopK-TYPE": ["Top-K", "topk"],
  "TDIS-TYPE": ["t-digest", "tdig"], "TSDB-TYPE": ["time series", "ts"], "ReJSON-RL": ["JSON", "json"], vectorset: ["vector set", "vset"]};

/** typeName is what people call a type. */
export const typeName = type => types[type]?.[0] ?? type;
