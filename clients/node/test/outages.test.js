'use strict'

// What ioredis and node-redis see of faults on some clients and of outages.

const assert = require('node:assert')
const { once } = require('node:events')
const { test, before, after } = require('node:test')
const Redis = require('ioredis')
const nodeRedis = require('redis')
const { Server } = require('..')

let server
before(async () => (server = await Server.start()))
after(() => server.close())

/** Returns a client with a name, which does not connect again. */
async function worker({ url }) {
  const client = nodeRedis.createClient({ url, name: 'worker-1', socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  return client.connect()
}

test('which clients', async () => {
  const world = server.world()
  const client = await worker(world)
  const id = await client.clientId()
  const selectors = ['ANY', 'KEY k*', 'COMMAND get', 'CLIENT worker-*', 'LIB-NAME node-redis*', 'ADDR 127.0.0.1:*', 'USER default', `ANY ID ${id}`]
  for (const on of selectors) {
    await world.faults.add('f', 'ON', ...on.split(' '), 'DO', 'ERROR', 'ERR no')
    await assert.rejects(client.get('k'), /ERR no/, on)
    await world.faults.clear('f')
  }
  client.destroy()
  await world.close()
})

test('scripts are struck', async () => {
  const world = server.world()
  const client = new Redis(world.url)
  client.defineCommand('count', { numberOfKeys: 1, lua: "return redis.call('INCR', KEYS[1])" })
  assert.equal(await client.count('n'), 1)
  for (const on of [['ANY'], ['COMMAND', 'evalsha'], ['KEY', 'n']]) {
    await world.faults.add('f', 'ON', ...on, 'DO', 'ERROR', 'ERR no')
    await assert.rejects(client.count('n'), /ERR no/)
    await world.faults.clear()
  }
  assert.equal(await world.command('GET', 'n'), '1')
  client.disconnect()
  await world.close()
})

test('a server that is gone', async () => {
  const alone = await Server.start()
  for (const outage of ['CUT', 'DOWN']) {
    const world = alone.world()
    const client = await worker(world)
    await client.set('k', 'v')
    const broken = once(client, 'error')
    await world.outage.begin(outage)
    assert.match((await broken)[0].message, /Socket closed unexpectedly/)
    await assert.rejects(worker(world), outage === 'DOWN' ? /ECONNREFUSED/ : /closed/i)
    await world.outage.end()
    const again = await worker(world)
    assert.equal(await again.get('k'), 'v')
    again.destroy()
    await world.close()
  }
  await alone.close()
})

test('new clients are refused', async () => {
  const world = server.world()
  const client = await worker(world)
  await world.outage.begin('REFUSE')
  assert.equal(await client.ping(), 'PONG')
  await assert.rejects(worker(world))
  assert.equal(await world.outage.struck(), 1)
  await world.outage.end()
  const late = await worker(world)
  assert.equal(await late.ping(), 'PONG')
  client.destroy()
  late.destroy()
  await world.close()
})

test('a server that hangs', async () => {
  const world = server.world()
  const client = await worker(world)
  await client.set('n', 1)
  await world.outage.begin('HANG', 'ON', 'CLIENT', 'worker-*', 'FOR', '5s')
  const hanging = client.incr('n')
  await world.waitForOutage(1)
  assert.equal(await world.command('GET', 'n'), '1')
  await world.clock.advance('5s')
  assert.equal(await hanging, 2)
  client.destroy()
  await world.close()
})
