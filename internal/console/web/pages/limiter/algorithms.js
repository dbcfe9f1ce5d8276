// The limiters: the commands that prepare them, the one that asks for a request, and what its reply means.
//
// An algorithm has
//   title      for people
//   source     the script's file, none for a command, "own" for what is typed in the page
//   extra      names of the settings that it has beside limit and window
//   window     "sliding" or "fixed" if there is one to draw
//   keys(key)  all keys that it keeps for a user
//   prepare    the commands that set up a user; none for most
//   ask        the command of a request; a script has no name in it: [number of keys, keys..., arguments...]
//   read       of a reply: {allowed, left, wait}

const one = key => [key];
const none = () => [];

/** triple reads {1, left, wait} and {0, left, wait}, as all scripts among the examples reply. */
function triple(reply) {
  const [allowed, left, wait] = reply.map(Number);
  return {allowed: allowed === 1, left, wait};
}

/** loose reads the reply of any script: a list as triple does, or 1, true or OK for yes. */
function loose(reply) {
  if (Array.isArray(reply)) return triple(reply);
  return {allowed: reply === true || reply === "OK" || Number(reply) === 1, left: null, wait: null};
}

const seconds = s => Math.max(1, Math.round(s.window / 1000));
const redisson = key => [key, `{${key}}:value`, `{${key}}:permits`];

export const algorithms = {
  "fixed-window": {title: "Fixed window", source: "examples/fixed-window.lua", window: "fixed", keys: one, prepare: none,
    ask: (s, key) => [1, key, s.limit, s.window], read: triple},
  "sliding-window-hash": {title: "Sliding window, hash", source: "examples/sliding-window-hash.lua", window: "sliding", extra: ["slots"], keys: one, prepare: none,
    ask: (s, key) => [1, key, s.limit, s.window, s.slots], read: triple},
  "sliding-window-zset": {title: "Sliding window, sorted set", source: "examples/sliding-window-zset.lua", window: "sliding", keys: one, prepare: none,
    ask: (s, key) => [1, key, s.limit, s.window], read: triple},
  "token-bucket": {title: "Token bucket", source: "examples/token-bucket.lua", extra: ["burst"], keys: one, prepare: none,
    ask: (s, key) => [1, key, s.burst, s.limit, s.window], read: triple},
  "leaky-bucket": {title: "Leaky bucket", source: "examples/leaky-bucket.lua", extra: ["burst"], keys: one, prepare: none,
    ask: (s, key) => [1, key, s.burst, Math.max(1, Math.round(s.window / s.limit))], read: triple},
  throttle: {title: "CL.THROTTLE", extra: ["burst"], keys: one, prepare: none,
    ask: (s, key) => ["CL.THROTTLE", key, s.burst - 1, s.limit, seconds(s)],
    read: ([limited, , left, wait]) => ({allowed: limited === 0, left, wait: wait < 0 ? 0 : wait * 1000})},
  increx: {title: "INCREX", window: "fixed", keys: one, prepare: none,
    ask: (s, key) => ["INCREX", key, "UBOUND", s.limit, "PX", s.window, "ENX"],
    read: ([value, difference], s) => ({allowed: Number(difference) === 1, left: s.limit - Number(value), wait: null})},
  redisson: {title: "Redisson's RRateLimiter", source: "pages/limiter/redisson.lua", window: "sliding", keys: redisson,
    prepare: (s, key) => [["HSET", key, "rate", s.limit, "interval", s.window, "type", 0]],
    ask: (s, key, now, salt) => [3, ...redisson(key), 1, now, salt],
    read: reply => ({allowed: reply === null, left: null, wait: reply})},
  own: {title: "My own script", source: "own", window: "sliding", keys: one, prepare: none,
    ask: (s, key, now) => [1, key, s.limit, s.window, now], read: loose},
};

/** starter is the script with which one of one's own begins. */
export const starter = `-- KEYS[1]  what the limiter keeps of a user
-- ARGV     LIMIT, WINDOW in milliseconds, NOW in milliseconds
-- reply    1 or {1, left, 0} for yes, 0 or {0, left, milliseconds to wait} for no
local used = redis.call('INCR', KEYS[1])
if used == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return used <= tonumber(ARGV[1]) and 1 or 0
`;
