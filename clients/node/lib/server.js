'use strict'

const { find } = require('./binary')
const { Connection } = require('./connection')
const { Program } = require('./program')
const { World } = require('./world')

/** A miniserver process for tests. It ends with close, or with this process. */
class Server {
  #program
  #password
  #own
  #names = 0

  constructor(program, password) {
    const { ready } = program
    this.#program = program
    this.#password = password
    this.pid = ready.pid
    this.port = ready.port
    this.version = ready.version
    this.certificate = ready.certificate
    this.scheme = ready.url.split(':')[0]
    this.host = new URL(ready.url.replace(/^redis/, 'http')).hostname.replace(/^\[|\]$/g, '')
  }

  static async start({ binary, options = [] } = {}) {
    const fixed = ['--port', '0', '--test-kit', 'yes', '--ready-json', '--exit-with-parent']
    return new Server(await Program.start(find(binary), [...fixed, ...options]), passwordIn(options))
  }

  world(name = this.freshName('world')) {
    return new World(this, name)
  }

  freshName(title) {
    return `${++this.#names}-${title.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 100)}`
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

  connect(world) {
    return new Connection(this.host, this.port, world, this.#password, this.scheme === 'rediss')
  }

  /** Returns the password by which clients log in to a world as the user world. */
  passwordOf(world) {
    return this.#password === undefined ? world : `${world}:${this.#password}`
  }

  get log() {
    return this.#program.log
  }

  async close() {
    this.#own?.close()
    await this.#program.close()
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
