'use strict'

// The classes of redis-memory-server, whose servers are miniserver here. The types are in redis-memory-server.d.ts.

const { once } = require('node:events')
const net = require('node:net')
const { Server } = require('./server')

/** A process that serves one address. */
class RedisInstance {
  isInstanceReady = false

  constructor(opts) {
    this.opts = opts
  }

  static run(opts) {
    return new RedisInstance(opts).run()
  }

  async run() {
    const { ip = '127.0.0.1', args = [] } = this.opts.instance ?? {}
    // With a socket of Unix, port 0 is none and not a free one.
    const port = this.opts.instance?.port || (args.includes('--unixsocket') ? await freePort() : 0)
    /** The server of the test kit. */
    this.server = await Server.start({ options: ['--port', String(port), '--bind', ip.replaceAll(',', ' '), ...kitFor(ip), ...args] })
    this.isInstanceReady = true
    return this
  }

  getPid() {
    return this.server?.pid
  }

  async kill() {
    this.isInstanceReady = false
    await this.server?.close()
    return this
  }
}

/** Resolves to a port that nobody listens on. */
async function freePort() {
  const listener = net.createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address()
  await new Promise((resolve) => listener.close(resolve))
  return port
}

/** Returns options without the test kit for addresses beyond this machine, where a server without a password may not have it. */
function kitFor(ip) {
  const beyond = ip.split(',').some((address) => !/^(127\.|::1$|localhost$)/.test(address))
  return beyond ? ['--test-kit', 'no', '--protected-mode', 'no'] : []
}

/** A server for tests. It starts when it is asked for its address, or at once with the option autoStart, and ends with stop or this process. */
class RedisMemoryServer {
  #port // it stays the same when the server starts again

  constructor(opts = {}) {
    this.opts = opts
    this.runningInstance = null
    this.instanceInfoSync = null
    if (opts.autoStart) this.start().catch(() => {}) // whoever asks for the address gets the error
  }

  /** Resolves to a server, which has started if the option autoStart is true. */
  static async create(opts = {}) {
    const server = new RedisMemoryServer({ ...opts, autoStart: false })
    if (opts.autoStart) await server.start()
    return server
  }

  async start() {
    if (this.runningInstance) throw new Error('Redis instance already in status startup/running/error')
    const running = (this.runningInstance = this.#startInstance())
    try {
      const info = await running
      if (this.runningInstance === running) this.instanceInfoSync = info // it has not been stopped meanwhile
      return true
    } catch (error) {
      if (this.runningInstance === running) this.runningInstance = null
      throw error
    }
  }

  /** Ends the server, and resolves to true. */
  async stop() {
    const running = this.runningInstance
    if (!running) return true
    this.runningInstance = null
    this.instanceInfoSync = null
    const started = await running.catch(() => undefined)
    await started?.instance.kill()
    return true
  }

  /** Returns what is known of the process; false if none has started. */
  getInstanceInfo() {
    return this.instanceInfoSync ?? false
  }

  /** Resolves to what is known of the process, which it starts if there is none. */
  async ensureInstance() {
    if (!this.runningInstance) this.start().catch(() => {}) // it is the promise below that rejects
    return this.runningInstance
  }

  async getHost() {
    return this.getIp()
  }

  async getIp() {
    return (await this.ensureInstance()).ip
  }

  async getPort() {
    return (await this.ensureInstance()).port
  }

  /** Resolves to the world of all clients of the server: with its clock, its faults and so on. */
  async world() {
    return (await this.ensureInstance()).instance.server.world('default')
  }

  /** Starts a process on the port that is wanted or that the one before has had, or on a free one if that is taken. */
  async #startInstance() {
    const wanted = this.#port ?? this.opts.instance?.port
    const run = (port) => RedisInstance.run({ ...this.opts, instance: { ...this.opts.instance, port } })
    const instance = await run(wanted).catch((error) => {
      if (!wanted || !/Address already in use/.test(error.message)) throw error
      return run(0)
    })
    this.#port = instance.server.port
    return { port: this.#port, ip: this.opts.instance?.ip ?? '127.0.0.1', instance }
  }
}

module.exports = { __esModule: true, RedisInstance, RedisMemoryServer, default: RedisMemoryServer }
