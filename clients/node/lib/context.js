'use strict'

// What clients share that have the same address: data. Here they are a world of one server, which starts when the first client connects, and
// ends with this process.

const { setImmediate, setInterval } = require('node:timers') // those of the machine, also in a test with fake timers
const { ReplyError } = require('./connection')
const { commandsFor } = require('./data')
const { fakeTime } = require('./date')
const { Server } = require('./server')

/** Keeps the process alive while commands wait for replies. Sockets do not, as a mock needs no one to close it. */
const anchor = setInterval(() => {}, 0x7fffffff).unref()
let busy = 0 // contexts

/** The contexts by their addresses. */
const contexts = new Map()

let server

/** Where the server of this thread is noted: in a module of Node, of which there is one although a test runner loads this one for each file anew. */
const note = Symbol.for('miniserver-testkit.server')
const registry = require('node:net')

/** The data behind an address, and what must happen before the next command of a client may be sent. */
class Context {
  #world
  #clients = new Set() // that are connected
  #unanswered = new Set() // commands
  #blocked = new Set() // commands that may block for ever
  #busy = false
  #flags = new Set() // of notify-keyspace-events
  #pending = 0
  #held = [] // functions that send the commands which wait until nothing is pending
  #failure // why something has not happened, until a command has been refused for it
  #shown // the time that the clock of the world stands at, as that of the test does; undefined if it runs

  /** Returns the context of an address, localhost:6379 for example. */
  static of(address) {
    if (!contexts.has(address)) contexts.set(address, new Context())
    return contexts.get(address)
  }

  /** Resolves to the world that has the data; rejects if the server does not start, or has ended. */
  async world() {
    server ??= start()
    const started = await server
    await started.command('PING').catch((cause) => {
      if (cause instanceof ReplyError) throw cause
      throw new Error(`miniserver, process ${started.pid}, has ended, and the data of this test with it`, { cause })
    })
    return (this.#world ??= started.world())
  }

  /**
   * Calls a function that sends a command, at once or when all has happened that must happen before; with an error if it has failed. The
   * command may block so many milliseconds.
   */
  pass(command, send, patience = Infinity) {
    this.#followClock()
    if (this.#shown !== undefined && patience !== Infinity) this.#followLater(command, patience)
    this.#held.push(send)
    if (this.#pending === 0) this.#release()
  }

  /** Takes a client that connects by a socket, which does not keep the process alive after that. */
  join(client, socket) {
    this.#clients.add(client)
    socket.once('connect', () => socket.unref())
    socket.once('close', () => this.#clients.delete(client))
  }

  /** Keeps the process alive until a command has its reply, or is blocked for ever: it waits so many milliseconds. */
  awaitReply(command, patience) {
    const commands = patience === Infinity ? this.#blocked : this.#unanswered
    if (commands.has(command)) return
    commands.add(command)
    if (!this.#busy && busy++ === 0) anchor.ref()
    this.#busy = true
    for (const end of ['resolve', 'reject']) {
      const settle = command[end]
      command[end] = (value) => {
        commands.delete(command)
        this.#restSoon()
        settle(value)
      }
    }
    if (patience === Infinity) this.#restSoon()
  }

  #restSoon() {
    if (this.#unanswered.size === 0) setImmediate(() => this.#rest())
  }

  /** Lets the process end if no reply is to come and no message is under way. */
  async #rest() {
    if (!this.#busy || this.#unanswered.size > 0) return
    const blocked = this.#blocked.size
    const arrivals = [...this.#clients].map((client) => client.fence())
    if (blocked > 0) arrivals.push(this.#world?.waitForBlocked(blocked, { timeout: 1000 }))
    await Promise.allSettled(arrivals)
    if (!this.#busy || this.#unanswered.size > 0 || this.#blocked.size !== blocked) return
    this.#busy = false
    if (--busy === 0) anchor.unref()
  }

  /** Gives keys their values before later commands are sent. */
  load(data, db, prefix) {
    this.#first(async (world) => {
      const connection = world.server.connect(world.name)
      try {
        const commands = Object.entries(data).flatMap(([key, value]) => commandsFor(prefix + key, value))
        await Promise.all([['SELECT', db], ...commands].map((words) => connection.command(...words)))
      } finally {
        connection.close()
      }
    })
  }

  /** Lets the server send the keyspace events that some flags stand for, beside those that others have asked for. */
  notify(flags) {
    for (const flag of flags) this.#flags.add(flag)
    this.#first((world) => world.command('CONFIG', 'SET', 'notify-keyspace-events', [...this.#flags].join('')))
  }

  /** Sets the world's clock to the time of the test. */
  #followClock() {
    const time = fakeTime()
    if (time === this.#shown) return
    this.#shown = time
    this.#first((world) => world.clock.follow(time))
  }

  /** Follows the clock once more if a command blocks so long by the test's timers: if they move the time on, nothing else would tell the server. */
  #followLater(command, patience) {
    const timer = setTimeout(() => this.#unanswered.has(command) && this.#followClock(), patience)
    timer.unref?.() // some fake timers are numbers
  }

  /** Lets commands wait until something has happened in the world. */
  async #first(happens) {
    this.#pending++
    try {
      await happens(await this.world())
    } catch (error) {
      this.#failure = error
    }
    if (--this.#pending === 0) this.#release()
  }

  #release() {
    const sends = this.#held.splice(0)
    if (sends.length === 0) return
    const failure = this.#failure
    this.#failure = undefined
    for (const send of sends) send(failure)
  }
}

/** Resolves to a server for all files that a test runner loads into this thread. */
async function start() {
  const noted = registry[note]
  if (noted && lives(noted.pid)) return Server.start({ url: noted.url })
  const started = await Server.start()
  registry[note] = { url: started.url, pid: started.pid }
  return started
}

/** Says whether there is a process. */
function lives(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

module.exports = { Context }
