'use strict'

// The client of ioredis with a server behind it that needs no address: what ioredis-mock is to a test. The types are in ioredis-mock.d.ts.

const net = require('node:net')
const tls = require('node:tls')
const { Context } = require('./context')

const ioredis = own()

/** Returns the user's own ioredis, also where this module stands in its place. */
function own() {
  const actual = runner()?.requireActual ?? require
  const found = actual('ioredis')
  // Where a runner replaces the name, as Jest does with moduleNameMapper, it finds this module, which is not made yet.
  return typeof found === 'function' ? found : actual('ioredis/built/index.js')
}

/** Returns the object of Jest, which it has for each module, also with injectGlobals false; undefined elsewhere. */
function runner() {
  try {
    return require('@jest/globals').jest
  } catch {
    return undefined // not installed, or not running
  }
}

/** The clients and their contexts by the options, of which ioredis tells a connector. */
const clients = new WeakMap()

/** A client of ioredis whose connections lead to the world of its address. */
class Redis extends ioredis {
  static default = this
  static Redis = this
  #context
  #queueing // the option enableOfflineQueue

  constructor(...args) {
    const { data, notifyKeyspaceEvents, enableOfflineQueue, ...options } = new Unconnected(...args).options
    const context = Context.of(`${options.host}:${options.port}`)
    if (data) context.load(data, options.db, options.keyPrefix ?? '')
    if (notifyKeyspaceEvents) context.notify(notifyKeyspaceEvents)
    super({ ...options, tls: undefined, Connector, enableOfflineQueue: true })
    this.#context = context
    this.#queueing = enableOfflineQueue
    clients.set(this.options, { client: this, context })
    // There is nothing to wait for in a mock, so the first commands may come before the connection.
    this.once('ready', () => (this.options.enableOfflineQueue = this.#queueing))
  }

  static get Cluster() {
    return ClusterClient
  }

  static createClient(...args) {
    return new this(...args)
  }

  /** Resolves to the world of the test kit that has the data: with its clock, its faults and so on. */
  world() {
    return this.#context.world()
  }

  connect(callback) {
    const connected = super.connect(callback)
    if (!(#context in this)) return connected // in the constructor
    // The event by which ioredis knows that it is ready waits for process.nextTick, which the fake timers of Jest withhold.
    return Promise.race([connected, this.ping().then(() => undefined, () => connected)])
  }

  duplicate(override) {
    return new this.constructor({ ...this.options, enableOfflineQueue: this.#queueing, ...override })
  }

  sendCommand(command, stream) {
    const patience = patienceOf(command)
    this.#context.awaitReply(command, patience)
    if (this.status !== 'ready') return super.sendCommand(command, stream)
    this.#context.pass(command, (error) => (error ? command.reject(error) : super.sendCommand(command, stream)), patience)
    return command.promise
  }

  /** Resolves when all messages have arrived that the server has sent before. */
  async fence() {
    if (!this.condition?.subscriber || this.status !== 'ready') return // only subscribers get messages
    const ping = new ioredis.Command('ping')
    super.sendCommand(ping)
    await ping.promise
  }
}

/** A client that never connects, for the options that ioredis makes of the arguments of its constructor. */
class Unconnected extends ioredis {
  async connect() {}
}

/** How a client reaches its world. */
class Connector {
  #options
  #connecting = false
  #stream

  constructor(options) {
    this.#options = options
  }

  /** Says whether a server will do, by what its INFO says. */
  check() {
    return true
  }

  async connect() {
    this.#connecting = true
    await undefined // until the client is made
    const { client, context } = clients.get(this.#options)
    const { host, port, username, password, server } = await context.world()
    if (!this.#connecting) throw new Error('Connection is closed.')
    client.condition.auth = [username, password]
    this.#stream = server.scheme === 'rediss' ? tls.connect({ host, port, rejectUnauthorized: false }) : net.connect({ host, port })
    context.join(client, this.#stream)
    return this.#stream
  }

  disconnect() {
    this.#connecting = false
    if (!this.#stream) return
    const stream = this.#stream.ref()
    stream.end()
    stream.setTimeout(this.#options.disconnectTimeout, () => stream.destroy())
  }
}

/** Where commands say how long they may block: as their first or last argument, in seconds, or after BLOCK, in milliseconds. */
const blocking = {
  first: new Set(['blmpop', 'bzmpop']),
  last: new Set(['blmove', 'blpop', 'brpop', 'brpoplpush', 'bzpopmax', 'bzpopmin']),
  option: new Set(['xread', 'xreadgroup']),
}

/** Returns how many milliseconds a command may block; Infinity if that has no end, and undefined if it does not block. */
function patienceOf({ name: written, args }) {
  const name = written.toLowerCase()
  if (blocking.first.has(name)) return milliseconds(args[0] * 1000)
  if (blocking.last.has(name)) return milliseconds(args.at(-1) * 1000)
  const option = blocking.option.has(name) ? args.findIndex((arg) => /^block$/i.test(arg)) : -1
  return option < 0 ? undefined : milliseconds(Number(args[option + 1]))
}

function milliseconds(number) {
  return number === 0 ? Infinity : number
}

/**
 * A cluster as ioredis-mock has it: one client, whose data are those of localhost:6379 whatever the nodes are, and so are the data of each node.
 * It is no Cluster to ioredis, which would ask for the slots of its nodes. So its name must be another one.
 */
class ClusterClient extends Redis {
  #startupNodes
  #nodes

  constructor(startupNodes, { redisOptions, ...options } = {}) {
    super({ ...redisOptions, ...options })
    this.#startupNodes = startupNodes
  }

  /** Returns a client for each of the startup nodes, whatever its role. */
  nodes() {
    return (this.#nodes ??= this.#startupNodes.map(() => new Redis({ ...this.options, lazyConnect: true })))
  }

  duplicate(startupNodes = [], options = {}) {
    return new ClusterClient(startupNodes.length ? startupNodes : this.#startupNodes, { ...this.options, ...options })
  }

  disconnect(reconnect) {
    super.disconnect(reconnect)
    for (const node of this.#nodes ?? []) node.disconnect(reconnect)
  }

  async quit(callback) {
    await Promise.all((this.#nodes ?? []).map((node) => node.quit()))
    return super.quit(callback)
  }
}

module.exports = Redis
