/** An error that the server has replied with. */
export class ReplyError extends Error {}

/** A reply of the server. */
export type Reply = string | number | null | Reply[]

/** A word of a command. */
export type Word = string | number | Buffer

export interface StartOptions {
  /** The path of the program; without it that in MINISERVER_BINARY, that of the package for this platform, or miniserver in PATH. */
  binary?: string
  /** Options of the program, such as ['--maxmemory', '10mb']. With '--requirepass' the URLs of worlds have the password. */
  options?: string[]
  /** Whether the URLs of worlds are for TLS, as with the option '--tls-self-signed'. */
  tls?: boolean
  /**
   * The URL of a server that others have started with the test kit, such as redis://:secret@redis:6379. Without it, and if none of the others is
   * given, that in MINISERVER_URL; without that too, a server is started.
   */
  url?: string
}

/**
 * A running miniserver. One that start has started ends with close, or with this process. One that others have started runs on: close removes
 * the worlds that this object has named, and a process warning, LeftBehindWarning, says what was left behind in them.
 */
export class Server {
  private constructor()
  static start(options?: StartOptions): Promise<Server>
  readonly host: string
  readonly port: number
  readonly pid: number
  readonly version: string
  /** redis, or rediss for a server that speaks TLS. */
  readonly scheme: string
  /** The certificate that the server shows over TLS, as PEM, for a client that is to trust it; undefined without TLS. */
  readonly certificate?: string
  /** The URL of the server, by which other processes can attach to it; clients use those of worlds. */
  readonly url: string
  /** What the server has logged; '' if others have started it. */
  readonly log: string
  /** Returns the world of that name; without one, a new world. */
  world(name?: string): World
  /** Returns a name for a world that no other has had, with a title that makes it recognizable. */
  freshName(title: string): string
  /** Executes a command in the world of new connections. */
  command(...words: Word[]): Promise<Reply>
  /**
   * Does to clients what a restart of the server at the same address does: their connections end, and cached scripts are gone. The data
   * of all worlds stay, or with empty they are as after reset, but for their clocks.
   */
  restart(options?: { empty?: boolean }): Promise<void>
  /** Ends the process, or leaves it if others have started it. */
  close(): Promise<void>
}

export interface ClusterOptions {
  /** How many masters share the hash slots; 3 by default. */
  shards?: number
  /** How many replicas each of them has; 1 by default. */
  replicas?: number
  /** The path of the program, as for a server. */
  binary?: string
  /** Options of the program, for all nodes. */
  options?: string[]
}

/**
 * A whole Redis Cluster in one process. A node is named by its address. What a method does happens between two commands, and is over when it
 * resolves.
 */
export class Cluster {
  private constructor()
  static start(options?: ClusterOptions): Promise<Cluster>
  /** Those of the nodes, as 'host:port': first those that begin as masters, then their replicas in the same order. */
  readonly addresses: string[]
  /** That of the first node. */
  readonly host: string
  readonly port: number
  /** The clock of all nodes. */
  readonly clock: Clock
  /** What the cluster has logged. */
  readonly log: string
  /** Executes a command at the first node. */
  command(...words: Word[]): Promise<Reply>
  /** Ends a node as the end of its process would: nobody listens, its data are gone. */
  kill(node: string): Promise<void>
  /** Stops a node, which answers nobody until cont. */
  stop(node: string): Promise<void>
  /** Lets a node that was stopped or killed go on. */
  cont(node: string): Promise<void>
  /** Has a replica of a master take its place at once. */
  failover(node: string): Promise<void>
  /** Puts nodes on a side of their own: they hear only one another. */
  partition(...nodes: string[]): Promise<void>
  /** Has a replica take a master's place, while that, on a side of its own, goes on. */
  split(node: string): Promise<void>
  /** Keeps what a master confirms from now on from its replicas. */
  lose(node: string): Promise<void>
  /** Moves slots with their keys to a master in one step: numbers, or ranges such as '0-99'. */
  move(node: string, ...slots: (number | string)[]): Promise<void>
  /** Ends all that the methods above have begun. */
  heal(): Promise<void>
  /** Ends the process. */
  close(): Promise<void>
}

/** Milliseconds, or a text with units such as '250ms' or '1h30m'. */
export type Duration = number | string

export interface WaitOptions {
  /** After which the wait ends with a ReplyError that says what was there instead; 5000 by default. */
  timeout?: Duration
}

/**
 * A world of a server: databases, scripts, channels, a clock, faults and random numbers of its own. It begins with its first
 * client, and one that connects to url is in it.
 */
export class World {
  private constructor()
  readonly server: Server
  readonly name: string
  /** The URL by which any client connects to the world; host, port, username and password are its parts. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
  readonly clock: Clock
  readonly faults: Faults
  readonly outage: Outage
  readonly chaos: Chaos
  /** Executes a command in this world. */
  command(...words: Word[]): Promise<Reply>
  /** Starts all that is random anew, so that it repeats. */
  seed(number: number): Promise<Reply>
  /** Keeps a copy of the data, the functions and the clock; every world of the server can restore it. */
  snapshot(name: string): Promise<Reply>
  /** Replaces the data, the functions and the clock by those of a snapshot. */
  restore(name: string): Promise<Reply>
  /** Removes a snapshot. */
  forget(name: string): Promise<Reply>
  /** Makes the world as it was when it was new. Its clients stay. */
  reset(): Promise<Reply>
  /** Makes a new world with a copy of this one. */
  fork(name?: string): Promise<World>
  /** Returns the data as text, for golden files; with a pattern only the keys that match. */
  dump(pattern?: string): Promise<string>
  /** Returns how the data differ from those of a snapshot or another world: as text, '' if they are equal. */
  diff(before: string): Promise<string>
  /** Gives the present moment a name, for leaks. */
  mark(name: string): Promise<Reply>
  /** Returns a line for each key without a deadline, lock, open transaction, blocked or subscribed client. */
  leaks(since?: string): Promise<string[]>
  /** Waits until something is the case, in the words of MINI.WAITFOR: waitFor(['LENGTH', 'jobs', 3]). */
  waitFor(condition: Word[], options?: WaitOptions): Promise<void>
  /** Waits until that many clients are blocked, in BLPOP for example. */
  waitForBlocked(count: number, options?: WaitOptions): Promise<void>
  /** Waits until a key exists, or is a string of that value. */
  waitForKey(key: string, value?: string, options?: WaitOptions): Promise<void>
  /** Waits until a value has that many elements, or bytes. */
  waitForLength(key: string, count: number, options?: WaitOptions): Promise<void>
  /** Waits until that many clients listen to a channel. */
  waitForSubscribers(channel: string, count: number, options?: WaitOptions): Promise<void>
  /** Waits until the outage has hit that many connections. */
  waitForOutage(count: number, options?: WaitOptions): Promise<void>
  /** Waits until no command has ended for some time. */
  waitForQuiet(time: Duration, options?: WaitOptions): Promise<void>
  /** Removes what the world holds; if clients are left in it, it stays, empty. A FaultWarning of the process tells of faults that struck nothing. */
  close(): Promise<void>
}

/** The clock of a world. Every method resolves to the time that it shows then. */
export interface Clock {
  freeze(): Promise<Date>
  /** Moves the clock ahead. What is due on the way has happened when it resolves. */
  advance(time: Duration): Promise<Date>
  /** Sets the clock to a Date, milliseconds since 1970, or a text such as '2030-01-31T12:00:00Z'. */
  set(time: Date | number | string): Promise<Date>
  /** Lets the clock run so many times as fast as the machine's. */
  scale(factor: number): Promise<Date>
  /** Lets the clock run at the machine's pace, from the time that it shows. */
  resume(): Promise<Date>
  /**
   * Sets the clock to the time that Date shows in this process. If that is the time of a test, by fake timers or another Date, the clock stands there
   * until the next call; else it runs at the machine's pace. A test that moves its Date calls this after each move.
   */
  followDate(): Promise<Date>
  now(): Promise<Date>
}

/** Faults on demand, of a world. */
export interface Faults {
  /** Adds a fault, in the words that follow MINI.FAULT ADD id. */
  add(id: string, ...words: Word[]): Promise<Reply>
  /** Returns the faults, each with how many commands it has seen and struck. */
  list(): Promise<Fault[]>
  /** Removes a fault, or all. */
  clear(id?: string): Promise<Reply>
}

/**
 * A fault: its rule in the words of MINI.FAULT, how many commands its selectors have matched, how many of them it has struck, and why
 * there may be none of them; '' if there are.
 */
export interface Fault {
  id: string
  fault: string
  seen: number
  hits: number
  note: string
}

/** An outage of the connections of a world's clients. Those of the kit itself are spared. */
export interface Outage {
  /** Begins an outage, in the words that follow MINI.OUTAGE BEGIN: begin('CUT'), begin('HANG', 'FOR', '5s'), begin('DOWN'). */
  begin(...words: Word[]): Promise<void>
  /** Ends it, if there is one. What hangs goes on. */
  end(): Promise<void>
  /** Says how many connections were disconnected or hang, each as often as that happened. */
  struck(): Promise<number>
}

/** A kind of unpleasant choices. */
export type Whim = 'evict' | 'order' | 'scan' | 'time'

/** Unpleasant choices that the server of a world may make. */
export interface Chaos {
  /** Lets the server make choices of a kind. */
  on(whim: Whim): Promise<Reply>
  /** Ends it. */
  off(whim: Whim): Promise<Reply>
  /** Says of each kind whether it is on. */
  status(): Promise<Record<Whim, boolean>>
}
