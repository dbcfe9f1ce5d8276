'use strict'

// Worlds: what tests steer, each on its own. A method sends one command of the test kit.

const { fakeTime, machine } = require('./date')
const { urlOf } = require('./service')

class World {
  #own

  constructor(server, name) {
    this.server = server
    this.name = name
    this.host = server.host
    this.port = server.port
    this.username = 'world'
    this.password = server.passwordOf(name)
    this.clock = new Clock(this)
    this.faults = new Faults(this)
    this.outage = new Outage(this)
    this.chaos = new Chaos(this)
  }

  get url() {
    return urlOf(this.server, this.username, this.password)
  }

  command(...words) {
    this.#own ??= this.server.connect(this.name)
    return this.#own.command(...words)
  }

  seed(number) {
    return this.command('MINI.SEED', number)
  }

  snapshot(name) {
    return this.command('MINI.WORLD', 'SNAPSHOT', name)
  }

  restore(name) {
    return this.command('MINI.WORLD', 'RESTORE', name)
  }

  forget(name) {
    return this.command('MINI.WORLD', 'FORGET', name)
  }

  reset() {
    return this.command('MINI.WORLD', 'RESET')
  }

  async fork(name = this.server.freshName(this.name)) {
    await this.command('MINI.WORLD', 'FORK', this.name, name)
    return new World(this.server, name)
  }

  async dump(pattern) {
    return text(await this.command('MINI.DUMP', ...(pattern === undefined ? [] : [pattern])))
  }

  async diff(before) {
    return text(await this.command('MINI.DIFF', before, this.name))
  }

  mark(name) {
    return this.command('MINI.LEAKS', 'MARK', name)
  }

  leaks(since) {
    return this.command('MINI.LEAKS', ...(since ? ['SINCE', since] : []))
  }

  waitForBlocked(count, options) {
    return this.waitFor(['BLOCKED', count], options)
  }

  waitForKey(key, value, options) {
    return this.waitFor(['KEY', key, ...(value === undefined ? [] : [value])], options)
  }

  waitForLength(key, count, options) {
    return this.waitFor(['LENGTH', key, count], options)
  }

  waitForSubscribers(channel, count, options) {
    return this.waitFor(['SUBSCRIBERS', channel, count], options)
  }

  waitForOutage(count, options) {
    return this.waitFor(['OUTAGE', count], options)
  }

  waitForQuiet(ms, options) {
    return this.waitFor(['QUIET', ms], options)
  }

  /** A wait has a connection to itself, so that it does not hold up other commands. */
  async waitFor(condition, { timeout = 5000 } = {}) {
    const connection = this.server.connect(this.name)
    try {
      await connection.command('MINI.WAITFOR', ...condition, 'TIMEOUT', timeout)
    } finally {
      connection.close()
    }
  }

  async close() {
    if (this.#own) {
      await this.faults.warn()
      await this.#own.leave()
      this.#own = undefined
    }
    await this.server.drop(this.name)
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.close()
  }
}

/** The clock of a world. Every method resolves to the time that it shows then. */
class Clock {
  #world

  constructor(world) {
    this.#world = world
  }

  freeze() {
    return this.#do('FREEZE')
  }

  advance(ms) {
    return this.#do('ADVANCE', ms)
  }

  set(time) {
    return this.#do('SET', typeof time === 'string' ? time : +time)
  }

  scale(factor) {
    return this.#do('SCALE', factor)
  }

  resume() {
    return this.#do('RESUME')
  }

  followDate() {
    return this.follow(fakeTime())
  }

  /** Stops the clock at a time; without one, lets it run with that of the machine. Both commands are sent at once, so that calls keep their order. */
  async follow(time) {
    const moves = time === undefined ? [this.set(machine.now()), this.resume()] : [this.freeze(), this.set(time)]
    return (await Promise.all(moves))[1]
  }

  async now() {
    const [, time] = await this.#world.command('MINI.CLOCK', 'STATUS')
    return new Date(time)
  }

  async #do(...words) {
    return new Date(await this.#world.command('MINI.CLOCK', ...words))
  }
}

/** Faults on demand, of a world. */
class Faults {
  #world

  constructor(world) {
    this.#world = world
  }

  add(id, ...words) {
    return this.#world.command('MINI.FAULT', 'ADD', id, ...words)
  }

  async list() {
    return (await this.#world.command('MINI.FAULT', 'LIST')).map(fromPairs)
  }

  clear(id) {
    return this.#world.command('MINI.FAULT', 'CLEAR', ...(id === undefined ? [] : [id]))
  }

  /** Warns of the faults that have struck nothing. */
  async warn() {
    for (const { id, fault, note } of await this.list()) {
      if (note) process.emitWarning(`fault ${id} ${fault} ${note}`, 'FaultWarning')
    }
  }
}

/** An outage of the connections of a world's clients. Those of the kit itself are spared. */
class Outage {
  #world

  constructor(world) {
    this.#world = world
  }

  async begin(...words) {
    await this.#world.server.command('MINI.WORLD', 'NAME') // while it can connect
    await this.#world.command('MINI.OUTAGE', 'BEGIN', ...words)
  }

  async end() {
    await this.#world.command('MINI.OUTAGE', 'END')
  }

  async struck() {
    return fromPairs(await this.#world.command('MINI.OUTAGE', 'STATUS')).struck
  }
}

/** Unpleasant choices that the server of a world may make. */
class Chaos {
  #world

  constructor(world) {
    this.#world = world
  }

  on(whim) {
    return this.#world.command('MINI.CHAOS', whim, 'ON')
  }

  off(whim) {
    return this.#world.command('MINI.CHAOS', whim, 'OFF')
  }

  async status() {
    const status = fromPairs(await this.#world.command('MINI.CHAOS', 'STATUS'))
    return Object.fromEntries(Object.entries(status).map(([whim, is]) => [whim, is === 'on']))
  }
}

/** Returns an object for a reply that has names and their values by turns. */
function fromPairs(reply) {
  const object = {}
  for (let i = 0; i < reply.length; i += 2) object[reply[i]] = reply[i + 1]
  return object
}

function text(lines) {
  return lines.map((line) => line + '\n').join('')
}

module.exports = { World }
