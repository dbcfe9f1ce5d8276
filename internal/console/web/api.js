// The calls of the server. A Page is this page's client: its sessions, its sandbox, its streams.

/** ReplyError is an error reply to a command; Failure is that of a request. */
export class ReplyError extends Error {}
export class Failure extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

/** Bytes is a string that is no valid text. It can be an argument again. */
export class Bytes {
  constructor(base64) { this.base64 = base64; }
  get array() { return Uint8Array.from(atob(this.base64), c => c.charCodeAt(0)); }
  /** toString shows what is not printable as \xff, as redis-cli does. */
  toString() {
    return Array.from(this.array, b => b >= 32 && b < 127 && b !== 92 ? String.fromCharCode(b) : "\\x" + b.toString(16).padStart(2, "0")).join("");
  }
  toJSON() { return {base64: this.base64}; }
}

/** decode turns a reply into a value: maps are lists of pairs, sets are lists, errors are ReplyErrors that are returned, not thrown. */
export function decode(r) {
  if (r === null || typeof r !== "object") return r;
  if (Array.isArray(r)) return r.map(decode);
  if ("base64" in r) return new Bytes(r.base64);
  if ("integer" in r) return BigInt(r.integer);
  if ("error" in r) return new ReplyError(r.error);
  if ("double" in r) return r.double === "inf" ? Infinity : r.double === "-inf" ? -Infinity : Number(r.double);
  if ("map" in r) return r.map.map(pair => pair.map(decode));
  if ("set" in r) return r.set.map(decode);
  if ("push" in r) return r.push.map(decode);
  return r.status ?? r.verbatim ?? r.bignumber;
}

async function post(path, body, keepalive) {
  const response = await fetch(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body), keepalive});
  const answer = await response.json().catch(() => ({failure: response.statusText}));
  if (!response.ok) throw new Failure(response.status, answer.failure);
  return answer;
}

export const login = (user, password) => post("api/login", {user, password});
export const logout = () => post("api/logout", {});

/** World runs commands in one of the page's worlds: its server, or its sandbox. */
class World {
  constructor(page, name) { this.page = page; this.name = name; }

  /** run executes one command in a session and returns its reply. An error reply is thrown. */
  async run(...words) {
    const [reply] = await this.all([words]);
    if (reply instanceof ReplyError) throw reply;
    return reply;
  }

  /** all executes commands as a pipeline and returns the replies. Errors are among them. */
  async all(commands, session = "main") { return (await this.raw(commands, session)).replies.map(decode); }

  /** raw is all with the replies as the server has written them, and {pushes, fresh}. */
  async raw(commands, session = "main") {
    if (commands.length === 0) return {replies: []};
    const texts = commands.map(words => words.map(w => w instanceof Bytes ? w : String(w)));
    return this.page.post("command", {session, world: this.name, commands: texts});
  }
}

export class Page extends World {
  /** open opens a page. A Failure with status 401 says that somebody must log in. */
  static async open() {
    const page = new Page();
    page.page = page;
    page.name = "server";
    page.sandbox = new World(page, "sandbox");
    Object.assign(page, await Page.#secret());
    addEventListener("pagehide", () => post(`api/leave?page=${page.secret}`, {}, true).catch(() => {}));
    return page;
  }

  static async #secret() {
    const {page: secret, ...about} = await post("api/page", {});
    return {secret, about};
  }

  /** post sends a call of the page. A page that the server has forgotten is opened anew. */
  async post(call, body) {
    try {
      return await post(`api/${call}?page=${this.secret}`, body);
    } catch (failure) {
      if (failure.status !== 410) throw failure;
      Object.assign(this, await Page.#secret());
      return {...await post(`api/${call}?page=${this.secret}`, body), fresh: true};
    }
  }

  /** events calls fn(reply, topic) whenever the sampler has new replies to topics: info, clients, slowlog, latency. It returns what ends that. */
  events(topics, fn) {
    return this.#stream(() => `api/events?topics=${topics.join()}`, topics, (data, topic) => fn(decode(data), topic));
  }

  /** watch calls fn(messages, missed) for what follows MONITOR or SUBSCRIBE. */
  watch(words, fn, failed) {
    return this.#stream(() => `api/watch?command=${encodeURIComponent(JSON.stringify(words))}`, ["messages"],
      data => fn(data.messages.map(decode), data.missed), failed);
  }

  // A page that is not visible has no streams: nobody looks, and a browser has few connections.
  #stream(path, names, fn, failed) {
    let source = null;
    const open = () => {
      source?.close();
      source = null;
      if (document.hidden) return;
      source = new EventSource(`${path()}&page=${this.secret}`);
      for (const name of names) source.addEventListener(name, e => fn(JSON.parse(e.data), name));
      source.addEventListener("error", () => { if (source?.readyState === EventSource.CLOSED) failed?.(); });
    };
    open();
    document.addEventListener("visibilitychange", open);
    return () => { document.removeEventListener("visibilitychange", open); source?.close(); };
  }
}
