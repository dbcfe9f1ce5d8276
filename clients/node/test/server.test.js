'use strict'

// Starting and ending the process.

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')
const Redis = require('ioredis')
const { createClient } = require('redis')
const { Server } = require('..')

test('a server ends', async () => {
  const server = await Server.start({ options: ['--maxmemory', '10mb'] })
  assert.deepEqual(await server.command('CONFIG', 'GET', 'maxmemory'), ['maxmemory', '10485760'])
  assert.match(server.log, /Ready to accept connections/)
  await server.close()
  assert.throws(() => process.kill(server.pid, 0), { code: 'ESRCH' })
  await server.close()
})

test('a server with a password', async (t) => {
  const server = await Server.start({ options: ['--requirepass', 'se:cret/'] })
  t.after(() => server.close())
  const world = server.world('orders')
  assert.equal(world.url, `redis://world:orders%3Ase%3Acret%2F@127.0.0.1:${server.port}`)
  const client = new Redis(world.url)
  await client.set('k', 'v')
  client.disconnect()
  assert.equal(await world.command('GET', 'k'), 'v')
  assert.equal(await server.command('EXISTS', 'k'), 0)
  await world.close()
  const stranger = new Redis(server.port)
  t.after(() => stranger.disconnect())
  stranger.on('error', () => {})
  await assert.rejects(stranger.get('k'), /NOAUTH/)
})

test('a server with TLS', async (t) => {
  const server = await Server.start({ options: ['--tls-self-signed', '--requirepass', 'secret'] })
  t.after(() => server.close())
  const world = server.world('orders')
  assert.equal(world.url, `rediss://world:orders%3Asecret@127.0.0.1:${server.port}`)
  const io = new Redis(world.url, { tls: { ca: server.certificate } })
  await io.set('k', 'v', 'EX', 3600)
  const client = await createClient({ url: world.url, socket: { ca: server.certificate } }).connect()
  assert.equal(await client.get('k'), 'v')
  await world.clock.advance(3_600_000)
  assert.equal(await io.get('k'), null)
  await client.close()
  io.disconnect()
  await world.close()
})

test('a wrong option is told', async () => {
  await assert.rejects(Server.start({ options: ['--no-such-option', '1'] }), /unknown setting/)
})

test('no program', async () => {
  await assert.rejects(Server.start({ binary: '/no/such/program' }), { code: 'ENOENT' })
})

const program = `
const { Server } = require(${JSON.stringify(path.join(__dirname, '..'))})
Server.start().then(async (server) => {
  await server.command('PING')
  console.log(server.port)
  if (process.argv[1] === 'stay') setInterval(() => {}, 1000)
})`

test('a killed test leaves no server', async () => {
  const child = spawn(process.execPath, ['-e', program, 'stay'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  const socket = net.connect(Number(port))
  await once(socket, 'connect')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => {}) // a server that ends resets what it has not accepted
  child.kill('SIGKILL')
  await closed
})

test('a server that is not closed does not keep the process alive, nor leaves anything behind', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'left-'))
  t.after(() => fs.rmSync(dir, { recursive: true }))
  const env = { ...process.env, TMPDIR: dir }
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'inherit'], env })
  assert.deepEqual(await once(child, 'exit'), [0, null])
  assert.deepEqual(fs.readdirSync(dir), [])
})
