'use strict'

// Servers that others have started.

const assert = require('node:assert')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const path = require('node:path')
const { after, before, test } = require('node:test')
const { setTimeout } = require('node:timers/promises')
const Redis = require('ioredis')
const { Server } = require('..')
const { find } = require('../lib/binary')
const { Program } = require('../lib/program')

let running // a server that others have started
before(async () => {
  running = await Server.start({ options: ['--requirepass', 'se:cret/'] })
})
after(() => running.close())

const names = async (server) => (await server.command('MINI.WORLD', 'LIST')).map(([, name]) => name)

test('each has worlds of its own', async () => {
  const [one, other] = await Promise.all([Server.start({ url: running.url }), Server.start({ url: running.url })])
  assert.deepEqual([one.pid, one.version, one.log], [running.pid, running.version, ''])
  const [mine, yours] = [one.world(), other.world()]
  assert.notEqual(mine.name, yours.name)
  const client = new Redis(mine.url)
  await client.set('k', 'v')
  client.disconnect()
  assert.equal(await mine.command('GET', 'k'), 'v')
  assert.equal(await yours.command('GET', 'k'), null)
  await mine.clock.advance('1h')
  await mine.close()
  assert.ok(!(await names(running)).includes(mine.name))
  assert.ok((await names(running)).includes(yours.name))
  await one.close()
  await other.close()
  assert.ok(!(await names(running)).includes(yours.name))
  assert.equal(await running.command('PING'), 'PONG')
})

test('the environment has the address', async (t) => {
  process.env.MINISERVER_URL = running.url
  t.after(() => delete process.env.MINISERVER_URL)
  const server = await Server.start()
  assert.equal(server.pid, running.pid)
  await server.close()
  const own = await Server.start({ options: ['--maxmemory', '10mb'] })
  assert.notEqual(own.pid, running.pid)
  await own.close()
  await assert.rejects(Server.start({ url: running.url, tls: true }), /takes no options/)
})

test('what is left behind is told and removed', async (t) => {
  const server = await Server.start({ url: running.url })
  const [world, other, closed] = [server.world(), server.world('orders'), server.world()]
  await closed.command('SET', 'k', 'v')
  await closed.close()
  await other.command('SET', 'k', 'v')
  const client = new Redis(world.url, { connectionName: 'worker', retryStrategy: null })
  client.on('error', () => {})
  t.after(() => client.disconnect())
  for (let i = 0; i < 20; i++) await client.set(`k${i}`, 'v')
  await client.set('session', 'alice', 'EX', 60)
  await client.set('lock', 'me', 'NX')
  const ended = once(client, 'end')
  const told = once(process, 'warning')
  await server.close()
  const [warning] = await told
  assert.equal(warning.name, 'LeftBehindWarning')
  assert.match(warning.message, new RegExp(`^left behind in the world ${world.name}: client \\d+ at [^ ]+ named worker; lock 0 "lock" of client .* more$`))
  await ended
  assert.deepEqual(await names(running), ['default', 'orders']) // that has a name which others may know
  await server.close()
  const orders = running.world('orders')
  assert.equal(await orders.command('GET', 'k'), 'v')
  await orders.close()
})

test('a killed process leaves no worlds', async () => {
  const program = `
    const { Server } = require(${JSON.stringify(path.join(__dirname, '..'))})
    Server.start({ url: ${JSON.stringify(running.url)} }).then(async (server) => {
      const world = server.world()
      await world.command('SET', 'k', 'v')
      console.log(world.name)
      setInterval(() => {}, 1000)
    })`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const name = line.toString().trim()
  assert.ok((await names(running)).includes(name))
  child.kill('SIGKILL')
  while ((await names(running)).includes(name)) await setTimeout(10)
})

test('a server with TLS', async () => {
  const secure = await Server.start({ options: ['--requirepass', 'secret'], tls: true })
  assert.equal(secure.url, `rediss://:secret@127.0.0.1:${secure.port}`)
  const server = await Server.start({ url: secure.url })
  assert.equal(server.certificate, secure.certificate)
  const world = server.world()
  const client = new Redis(world.url, { tls: { ca: server.certificate } })
  await client.set('k', 'v')
  assert.equal(await world.command('GET', 'k'), 'v')
  client.disconnect()
  await server.close()
  await secure.close()
})

test('a server that ends first', async () => {
  const mortal = await Server.start({ options: ['--maxclients', '100'] })
  const server = await Server.start({ url: mortal.url })
  await server.world().command('SET', 'k', 'v')
  await mortal.close()
  const told = once(process, 'warning')
  await server.close()
  assert.match((await told)[0].message, /is gone: /)
})

/** Listens until the test ends, lets answer treat each connection, and returns the URL. */
async function listener(t, answer) {
  const sockets = new Set()
  const listening = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    answer(socket)
  })
  t.after(() => {
    sockets.forEach((socket) => socket.destroy())
    listening.close()
  })
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return `redis://127.0.0.1:${listening.address().port}`
}

test('a server that starts later', async (t) => {
  let seen = 0
  const url = await listener(t, (socket) => {
    // A port of a container may accept and close connections before its server is there.
    if (++seen < 3) return socket.destroy()
    const server = net.connect(running.port, running.host)
    server.on('error', () => {})
    socket.pipe(server).pipe(socket)
  })
  const server = await Server.start({ url: url.replace('://', '://:se%3Acret%2F@') })
  assert.equal(server.pid, running.pid)
  await server.close()
  assert.ok(seen >= 3)
})

test('others that listen, and nobody', async (t) => {
  process.env.MINISERVER_START_TIMEOUT = '0.3'
  t.after(() => delete process.env.MINISERVER_START_TIMEOUT)
  const silent = await listener(t, () => {})
  await assert.rejects(Server.start({ url: silent }), { message: `${silent} cannot be reached: timed out` })
  const closing = await listener(t, (socket) => socket.destroy())
  await assert.rejects(Server.start({ url: closing }), new RegExp(`${closing} cannot be reached: `))
  const ssh = await listener(t, (socket) => socket.write('SSH-2.0-OpenSSH\r\n'))
  await assert.rejects(Server.start({ url: ssh }), { message: `${ssh} cannot be reached: unknown reply "SSH-2.0-OpenSSH"` })
  const tls = ssh.replace('redis:', 'rediss:')
  await assert.rejects(Server.start({ url: tls }), (error) => error.message.startsWith(`${tls} cannot be reached: `) && /SSL/.test(error.message))
  const gone = net.createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const url = `redis://127.0.0.1:${gone.address().port}`
  await new Promise((resolve) => gone.close(resolve))
  t.mock.timers.enable({ apis: ['Date'] }) // a test's Date may stand
  await assert.rejects(Server.start({ url }), new RegExp(`^Error: ${url} cannot be reached: .*ECONNREFUSED`))
})

test('a server without the kit', async (t) => {
  const program = await Program.start(find(), ['--port', '0', '--ready-json', '--exit-with-parent'])
  t.after(() => program.close())
  const { url } = program.ready
  await assert.rejects(Server.start({ url }), new RegExp(`${url} has no test kit: start it with miniserver --test-kit yes`))
})

test('passwords', async () => {
  const address = `127.0.0.1:${running.port}`
  await assert.rejects(Server.start({ url: `redis://${address}` }), { message: `redis://${address} wants a password, as in redis://:PASSWORD@host:6379` })
  await assert.rejects(Server.start({ url: `redis://:wrong@${address}` }), new RegExp(`redis://${address} does not let the kit in: WRONGPASS`))
  const server = await Server.start({ url: `redis://default:se%3Acret%2F@${address}/0` })
  assert.equal(server.pid, running.pid)
  await server.close()
})

test('bad URLs', async () => {
  for (const url of ['localhost:6379', 'http://localhost', 'redis://', 'redis:///tmp/socket', 'redis://alice:secret@localhost', 'redis://:50%@localhost']) {
    await assert.rejects(Server.start({ url }), /^Error: the URL of a server /)
  }
})

// Each file is a process of its own.
const shared = path.join(__dirname, '..', 'examples', 'shared')
for (const [runner, ...args] of [
  ['jest', '--rootDir', shared, '--globalSetup', path.join(shared, 'setup.js'), '--maxWorkers', '2'],
  ['vitest', 'run', '--root', shared, '--globals'],
]) {
  test(`files of ${runner} share a server`, () => {
    const run = (env) => {
      const bin = path.join(__dirname, '..', 'node_modules', '.bin', runner)
      const { status, stdout, stderr } = spawnSync(bin, args, { env: { ...process.env, NODE_TEST_CONTEXT: '', ...env }, encoding: 'utf8' })
      assert.equal(status, 0, stdout + stderr)
      assert.match(stdout + stderr, /Tests:? .*2 passed/)
    }
    run({ MINISERVER_URL: '' })
    run({ MINISERVER_URL: running.url })
  })
}
