// Loads: lists of requests {t, user}, t in milliseconds since the beginning. A note says what a load is meant to show.

/** mostRequests bounds a load. */
export const mostRequests = 20000;

export const loads = {
  edges: {title: "Where windows meet", fields: ["users", "duration"], make: edges,
    note: "One request opens a window, and those that use up the limit come at its end. Right after it as many come again as the limit allows."},
  steady: {title: "Steady", fields: ["rate", "users", "duration"], make: steady},
  bursts: {title: "Bursts", fields: ["size", "every", "users", "duration"], make: bursts},
  many: {title: "Many clients", fields: ["users", "rate", "duration", "seed"], make: many},
  list: {title: "A recorded list of times", fields: ["list"], make: recorded},
};

/** makeLoad returns the requests of a set-up, in the order of their times, and how long it lasts. */
export function makeLoad(s) {
  const requests = loads[s.load].make(s).sort((a, b) => a.t - b.t);
  if (requests.length === 0) throw new Error("the load has no requests");
  const last = requests.at(-1).t;
  return {requests, duration: s.load === "list" ? Math.max(last + s.window, 1) : s.duration};
}

function add(requests, t, user) {
  if (requests.length === mostRequests) throw new Error(`a load may have ${mostRequests.toLocaleString("en-US")} requests`);
  requests.push({t: Math.floor(t), user});
}

const name = i => `user${i + 1}`;

/** steady asks in equal steps, each user a little later than the one before. */
function steady({rate, users, duration}) {
  const requests = [], step = 1000 / rate;
  for (let u = 0; u < users; u++) for (let i = 0; (i + u / users) * step < duration; i++) add(requests, (i + u / users) * step, name(u));
  return requests;
}

function bursts({size, every, users, duration}) {
  const requests = [];
  for (let t = 0; t < duration; t += every) for (let i = 0; i < size; i++) for (let u = 0; u < users; u++) add(requests, t + i, name(u));
  return requests;
}

/** edges asks at both sides of a window's end: the first request opens it, and the one that comes at its end opens the next. Then all is quiet for a window. */
function edges({limit, window, users, duration}) {
  const requests = [], step = window / 5 / limit;
  for (let t = 0; t < duration; t += 3 * window) {
    const times = [t, ...Array.from({length: 2 * limit - 1}, (_, i) => t + window + (i + 1 - limit) * step)];
    for (const at of times.filter(at => at < duration)) for (let u = 0; u < users; u++) add(requests, at, name(u));
  }
  return requests;
}

/** many draws independent times, the same for the same seed: a Poisson process for each user. */
function many({users, rate, duration, seed}) {
  const requests = [], random = dice(seed);
  for (let u = 0; u < users; u++) for (let t = wait(random, rate); t < duration; t += wait(random, rate)) add(requests, t, name(u));
  return requests;
}

const wait = (random, rate) => -Math.log(1 - random()) * 1000 / rate;

/** dice returns a generator of numbers from 0 to 1: mulberry32. */
function dice(seed) {
  return () => {
    seed = seed + 0x6D2B79F5 | 0;
    let x = Math.imul(seed ^ seed >>> 15, 1 | seed);
    x = x + Math.imul(x ^ x >>> 7, 61 | x) ^ x;
    return ((x ^ x >>> 14) >>> 0) / 4294967296;
  };
}

/** recorded reads lines of a time and a user: milliseconds, or points in time as 2026-01-02T15:04:05.678Z. The first one is the beginning. */
function recorded({list}) {
  const rows = [];
  for (const line of list.split("\n").map(l => l.trim()).filter(l => l !== "" && !l.startsWith("#"))) {
    const [time, user = name(0)] = line.split(/[\s,;]+/);
    const t = /^-?\d+(\.\d+)?$/.test(time) ? Number(time) : Date.parse(time);
    if (Number.isNaN(t)) throw new Error(`"${time.slice(0, 60)}" is no time: write milliseconds, or 2026-01-02T15:04:05Z`);
    rows.push({t, user});
  }
  const first = rows.reduce((least, r) => Math.min(least, r.t), Infinity);
  const requests = [];
  for (const r of rows) add(requests, r.t - first, r.user);
  return requests;
}
