'use strict'

// redis-memory-server beside ours: each function runs with both, and the results are equal. The original starts the redis-server in PATH.

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')
const Redis = require('ioredis')
const original = require('redis-memory-server')
const ours = require('miniserver-testkit/redis-memory-server')

const { stdout } = spawnSync('sh', ['-c', 'command -v redis-server'], { encoding: 'utf8' })
const systemBinary = stdout.trim()
const skip = systemBinary || process.env.REQUIRE_REDIS ? false : 'there is no redis-server'
const binary = { systemBinary }

const same = {
  async 'a server that is asked for its address'({ RedisMemoryServer }) {
    const server = new RedisMemoryServer({ binary })
    const before = server.getInstanceInfo()
    const [host, ip, port, again] = await Promise.all([server.getHost(), server.getIp(), server.getPort(), server.getPort()])
    const info = server.getInstanceInfo()
    const results = [before, host, ip, port === again, info.port === port, info.ip, info === server.instanceInfoSync, info.instance.getPid() > 0]
    return [...results, await reply(host, port), await server.stop(), server.getInstanceInfo(), server.runningInstance, await reaches(port)]
  },
  async 'a server that waits to be asked'({ RedisMemoryServer }) {
    const server = new RedisMemoryServer({ binary, autoStart: false })
    const before = [server.getInstanceInfo(), server.runningInstance, await server.stop()]
    const info = await server.ensureInstance()
    return [before, info === server.getInstanceInfo(), info === (await server.runningInstance), await server.stop(), await server.stop()]
  },
  async 'start'({ RedisMemoryServer }) {
    const server = new RedisMemoryServer({ binary })
    const results = [await server.start(), await fails(server.start())]
    const port = await server.getPort()
    await server.stop()
    return [...results, await server.start(), (await server.getPort()) === port, await server.stop()]
  },
  async 'who starts when'({ RedisMemoryServer }) {
    const atOnce = new RedisMemoryServer({ binary, autoStart: true })
    const asked = new RedisMemoryServer({ binary })
    const results = [atOnce.runningInstance === null, asked.runningInstance === null]
    await atOnce.getPort() // and asked could have started, too
    return [...results, asked.runningInstance, await asked.start(), await fails(atOnce.start()), await asked.stop(), await atOnce.stop()]
  },
  async 'stop while it starts'({ RedisMemoryServer }) {
    const server = new RedisMemoryServer({ binary })
    const port = server.getPort()
    const stopped = await server.stop()
    return [stopped, (await port) > 0, server.getInstanceInfo(), await reaches(await port)]
  },
  async 'a socket of Unix'({ RedisMemoryServer }) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'redis-memory-server-'))
    const socket = path.join(dir, 'socket')
    const server = new RedisMemoryServer({ binary, instance: { args: ['--unixsocket', socket] } })
    const results = [await reply('127.0.0.1', await server.getPort())]
    const client = new Redis(socket)
    results.push(await client.ping())
    client.disconnect()
    await server.stop()
    fs.rmSync(dir, { recursive: true })
    return results
  },
  async 'create'({ RedisMemoryServer }) {
    const server = await RedisMemoryServer.create({ binary })
    const results = [server instanceof RedisMemoryServer, server.getInstanceInfo(), await server.start(), server.getInstanceInfo().ip]
    await server.stop()
    const started = await RedisMemoryServer.create({ binary, autoStart: true })
    return [...results, started.getInstanceInfo().ip, await fails(started.start()), await started.stop()]
  },
  async 'stop before it has started'({ RedisMemoryServer }) {
    const server = new RedisMemoryServer({ binary })
    return [await server.stop(), server.getInstanceInfo()]
  },
  async 'options of the server'({ RedisMemoryServer }) {
    const server = new RedisMemoryServer({ binary, instance: { ip: '127.0.0.2', args: ['--requirepass', 'secret', '--maxmemory', '10mb'] } })
    const client = new Redis({ host: await server.getHost(), port: await server.getPort(), password: 'secret' })
    const results = [await server.getIp(), await client.config('GET', 'maxmemory'), await client.config('GET', 'save')]
    client.disconnect()
    await server.stop()
    return results
  },
  async 'a port'({ RedisMemoryServer }) {
    const port = await freePort()
    const first = new RedisMemoryServer({ binary, instance: { port } })
    const results = [(await first.getPort()) === port]
    const second = new RedisMemoryServer({ binary, instance: { port } })
    results.push((await second.getPort()) === port)
    await Promise.all([first.stop(), second.stop()])
    return results
  },
  async 'a process that was killed'({ RedisMemoryServer }) {
    const server = await RedisMemoryServer.create({ binary, autoStart: true })
    const { instance, port } = server.getInstanceInfo()
    process.kill(instance.getPid(), 'SIGKILL')
    while (await reaches(port));
    return [server.getInstanceInfo().instance === instance, (await server.getPort()) === port, await server.stop(), server.getInstanceInfo()]
  },
  async 'an instance'({ RedisInstance }) {
    const port = await freePort()
    const instance = await RedisInstance.run({ instance: { port, ip: '127.0.0.1', args: [] }, binary })
    const results = [instance instanceof RedisInstance, instance.isInstanceReady, await reply('127.0.0.1', port), (await instance.kill()) === instance]
    return [...results, await reaches(port)]
  },
}

for (const [name, run] of Object.entries(same)) {
  test(name, { skip }, async () => assert.deepEqual(await run(ours), await run(original)))
}

test('a wrong option is told to whoever asks', async () => {
  const server = new ours.RedisMemoryServer({ instance: { args: ['--no-such-option', '1'] } })
  await assert.rejects(server.getPort(), /unknown setting 'no-such-option'/)
  assert.deepEqual([server.getInstanceInfo(), server.runningInstance, await server.stop()], [false, null, true])
})

test('all addresses of the machine', async () => {
  const server = new ours.RedisMemoryServer({ instance: { ip: '::,0.0.0.0' } })
  const port = await server.getPort()
  assert.deepEqual([await server.getHost(), await reply('127.0.0.1', port)], ['::,0.0.0.0', 'PONG'])
  await server.stop()
})

test('the clock of its clients', async () => {
  const server = new ours.RedisMemoryServer()
  const client = new Redis(await server.getPort(), await server.getHost())
  await client.set('session', 'alice', 'EX', 3600)
  await (await server.world()).clock.advance(3_600_000)
  assert.equal(await client.exists('session'), 0)
  client.disconnect()
  await server.stop()
})

test('import', async () => {
  const names = await import('miniserver-testkit/redis-memory-server')
  assert.deepEqual(Object.keys(names).sort(), ['RedisInstance', 'RedisMemoryServer', 'default'])
  assert.equal(names.default, ours.default)
})

/** Says whether a promise rejects. */
function fails(promise) {
  return promise.then(
    () => false,
    () => true,
  )
}

async function reply(host, port) {
  const client = new Redis(port, host)
  const reply = await client.ping()
  client.disconnect()
  return reply
}

/** Says whether a port of this machine takes connections. */
function reaches(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket.destroy() && true))
    socket.on('error', () => resolve(false))
  })
}

async function freePort() {
  const server = net.createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
