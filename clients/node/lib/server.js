'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const readline = require('node:readline')
const { find } = require('./binary')
const { Connection } = require('./connection')
const { World } = require('./world')

/** A miniserver process for tests. It ends with close, or with this process. */
class Server {
  #process
  #password
  #logPath
  #own
  #names = 0

  constructor(process, logPath, ready, password) {
    this.#process = process
    this.#password = password
    this.#logPath = logPath
    this.pid = ready.pid
    this.port = ready.port
    this.version = ready.version
    this.certificate = ready.certificate
    this.scheme = ready.url.split(':')[0]
    this.host = new URL(ready.url.replace(/^redis/, 'http')).hostname.replace(/^\[|\]$/g, '')
  }

  static async start({ binary, options = [] } = {}) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'miniserver-'))
    const logPath = path.join(dir, 'log')
    const log = fs.openSync(logPath, 'w')
    const all = ['--port', '0', '--test-kit', 'yes', '--ready-json', '--exit-with-parent', ...options]
    const child = spawn(find(binary), all, { stdio: ['ignore', 'pipe', log] })
    fs.closeSync(log)
    try {
      const ready = await readyLine(child)
      if (!ready) throw new Error(`miniserver does not start: ${fs.readFileSync(logPath, 'utf8')}`)
      child.unref() // a test runner may end although the server runs
      child.stdout.destroy()
      return new Server(child, logPath, JSON.parse(ready), passwordIn(options))
    } catch (error) {
      fs.rmSync(dir, { recursive: true })
      throw error
    }
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
    return fs.readFileSync(this.#logPath, 'utf8')
  }

  async close() {
    this.#own?.close()
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit')
      this.#process.ref()
      this.#process.kill()
      await ended
    }
    fs.rmSync(path.dirname(this.#logPath), { recursive: true, force: true })
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.close()
  }
}

/** Returns the line that a process prints when it is ready; undefined if it ends without one. */
async function readyLine(child) {
  await once(child, 'spawn') // or an error, if there is no such program
  for await (const line of readline.createInterface({ input: child.stdout })) return line
}

/** Returns the value of --requirepass; undefined if there is none. */
function passwordIn(options) {
  const at = options.lastIndexOf('--requirepass')
  return at < 0 ? undefined : options[at + 1]
}

module.exports = { Server }
