'use strict'

const crypto = require('node:crypto')
const { find } = require('./binary')
const { Connection } = require('./connection')
const { Program, seconds } = require('./program')
const { addressOf, attach, facts, leftIn, urlOf } = require('./service')
const { World } = require('./world')

/**
 * A running miniserver: one of its own that it starts, or one that others have started. Whatever needs a server gets it from Server.start.
 */
class Server {
  #program // undefined if others have started it
  #address
  #own
  #connections = new Set()
  #mark // what the names of new worlds begin with
  #names = 0

  constructor({ address, facts, program, own, mark = '' }) {
    this.#program = program
    this.#address = address
    this.#own = own
    this.#mark = mark
    Object.assign(this, { scheme: address.scheme, host: address.host, port: address.port }, facts)
  }

  static async start({ binary, options = [], tls = false, url } = {}) {
    const own = binary !== undefined || options.length > 0 || tls
    if (own && url) throw new Error('a server that runs takes no options: start it with them')
    url ??= own ? undefined : process.env.MINISERVER_URL
    return url ? Server.#attach(addressOf(url)) : Server.#start(find(binary), [...options, ...(tls ? ['--tls-self-signed'] : [])])
  }

  static async #start(path, options) {
    const fixed = ['--port', '0', '--test-kit', 'yes', '--ready-json', '--exit-with-parent', '--exit-with-input']
    const program = await Program.start(path, [...fixed, ...options])
    const { url, addresses, pid, version, certificate } = program.ready
    return new Server({ address: { ...addressOf(url), password: passwordIn(options) }, facts: { pid, version, certificate, addresses }, program })
  }

  static async #attach(address) {
    const own = await attach(address, seconds())
    const mark = crypto.randomBytes(4).toString('hex') // no other process has it
    await own.command('MINI.WORLD', 'OWN', mark) // so that the worlds go if this process is killed
    const { process_id: pid, miniserver_version: version } = await facts(own)
    return new Server({ address, facts: { pid: Number(pid), version, certificate: own.certificate }, own, mark: `${mark}-` })
  }

  /** The URL of the server, by which other processes can attach to it; clients use those of worlds. */
  get url() {
    return urlOf(this.#address, '', this.#address.password)
  }

  world(name = this.freshName('world')) {
    return new World(this, name)
  }

  freshName(title) {
    return `${this.#mark}${++this.#names}-${title.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 100)}`
  }

  async drop(name) {
    for (const [, world, , clients] of await this.command('MINI.WORLD', 'LIST')) {
      if (world !== name) continue
      await this.command('MINI.WORLD', 'RESET', name)
      if (clients === 0) await this.command('MINI.WORLD', 'DROP', name)
    }
  }

  command(...words) {
    this.#own ??= this.connect('default')
    return this.#own.command(...words)
  }

  async restart({ empty = false } = {}) {
    await this.command('MINI.OUTAGE', 'RESTART', ...(empty ? ['EMPTY'] : []))
  }

  /** Returns a connection in a world, for the commands of the test kit. */
  connect(world) {
    const connection = new Connection(this.#address, world)
    for (const other of this.#connections) if (other.closed) this.#connections.delete(other)
    this.#connections.add(connection)
    return connection
  }

  /** Returns the password by which clients log in to a world as the user world. */
  passwordOf(world) {
    const { password } = this.#address
    return password === undefined ? world : `${world}:${password}`
  }

  get log() {
    return this.#program?.log ?? ''
  }

  async close() {
    if (!this.#program && this.#own) {
      await this.#leave().catch((error) => process.emitWarning(`${urlOf(this.#address)} is gone: ${error.message}`))
    }
    this.#own?.close()
    this.#own = undefined
    await this.#program?.close()
  }

  /** Removes the worlds that have the mark in their names, and warns of what was left behind there. */
  async #leave() {
    for (const connection of this.#connections) await connection.leave()
    for (const [, name] of await this.command('MINI.WORLD', 'LIST')) {
      if (!name.startsWith(this.#mark)) continue
      const connection = this.connect(name)
      const left = await leftIn(connection)
      await connection.leave()
      await this.drop(name)
      const more = left.length > 10 ? `; and ${left.length - 10} more` : ''
      if (left.length) process.emitWarning(`left behind in the world ${name}: ${left.slice(0, 10).join('; ')}${more}`, 'LeftBehindWarning')
    }
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.close()
  }
}

/** Returns the value of --requirepass; undefined if there is none. */
function passwordIn(options) {
  const at = options.lastIndexOf('--requirepass')
  return at < 0 ? undefined : options[at + 1]
}

module.exports = { Server }
