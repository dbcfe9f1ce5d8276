'use strict'

// What ioredis does when faults strike: it connects again, sends again, follows a slot that moves.

const assert = require('node:assert')
const { test, before, after, beforeEach, afterEach } = require('node:test')
const Redis = require('ioredis')
const { Server } = require('..')

let server, world, client
before(async () => (server = await Server.start()))
after(() => server.close())
beforeEach((t) => {
  world = server.world(server.freshName(t.name))
  client = new Redis(world.url, { retryStrategy: () => 1 })
})
afterEach(async () => {
  client.disconnect()
  await world.close()
})

for (const how of ['LOST-REPLY', 'HALF-REPLY']) {
  test(`${how}: a command that is sent again counts twice`, async () => {
    await world.faults.add('lost', 'ON', 'COMMAND', 'incr', 'DO', how, 'TIMES', 1)
    assert.equal(await client.incr('orders'), 2)
  })
}

test('DROP: it counts once', async () => {
  await world.faults.add('drop', 'ON', 'COMMAND', 'incr', 'DO', 'DROP', 'TIMES', 2)
  assert.equal(await client.incr('orders'), 1)
  const [fault] = await world.faults.list()
  assert.deepEqual(fault.slice(-2), ['hits', 2])
})

test('errors', async () => {
  for (const [how, message] of [
    [['ERROR', 'ERR no luck'], /^ERR no luck$/],
    [['LOADING'], /^LOADING /],
    [['MASTERDOWN'], /^MASTERDOWN /],
    [['OOM'], /^OOM /],
  ]) {
    await world.faults.add('it', 'ON', 'COMMAND', 'set', 'DO', ...how)
    await assert.rejects(client.set('k', 'v'), { message })
    await world.faults.clear()
    assert.equal(await client.set('k', 'v'), 'OK')
  }
})

test('READONLY: the client connects again, as after a failover', async (t) => {
  const careful = new Redis(world.url, { retryStrategy: () => 1, reconnectOnError: (e) => e.message.startsWith('READONLY') && 2 })
  t.after(() => careful.disconnect())
  await world.faults.add('failover', 'ON', 'COMMAND', 'set', 'DO', 'READONLY', 'TIMES', 1)
  assert.equal(await careful.set('k', 'v'), 'OK')
})

test('NOSCRIPT: a lost script is loaded again', async () => {
  client.defineCommand('visit', { numberOfKeys: 1, lua: "return redis.call('INCR', KEYS[1])" })
  assert.equal(await client.visit('k'), 1)
  await world.faults.add('forgotten', 'ON', 'COMMAND', 'evalsha', 'DO', 'NOSCRIPT', 'TIMES', 1)
  assert.equal(await client.visit('k'), 2)
})

test('DELAY: the timeout of a command passes', async (t) => {
  const hasty = new Redis(world.url, { commandTimeout: 50 })
  t.after(() => hasty.disconnect())
  await hasty.ping()
  await world.clock.freeze()
  await world.faults.add('slow', 'ON', 'COMMAND', 'get', 'DO', 'DELAY', 1000)
  await assert.rejects(hasty.get('k'), /Command timed out/)
})

for (const how of ['MOVED', 'ASK']) {
  test(`${how}: a slot moves`, async (t) => {
    const options = { options: ['--cluster-enabled', 'yes'] }
    const [old, fresh] = await Promise.all([Server.start(options), Server.start(options)])
    t.after(() => Promise.all([old.close(), fresh.close()]))
    const [here, there] = [old.world('it'), fresh.world('it')]
    const { host, port, username, password } = here
    const cluster = new Redis.Cluster([{ host, port }], { redisOptions: { username, password } })
    t.after(() => cluster.disconnect())
    await cluster.set('{user:7}:cart', 'shoes')
    await here.faults.add('moved', 'ON', 'KEY', '{user:7}*', 'DO', how, `${fresh.host}:${fresh.port}`)
    await cluster.set('{user:7}:orders', 1)
    await here.faults.clear()
    assert.equal(await there.command('GET', '{user:7}:orders'), '1')
    assert.equal(await here.command('EXISTS', '{user:7}:orders'), 0)
  })
}
