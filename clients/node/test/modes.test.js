'use strict'

// ioredis in cluster mode and in Sentinel mode: a pipeline, a script, a subscription.

const assert = require('node:assert')
const { once } = require('node:events')
const { test } = require('node:test')
const Redis = require('ioredis')
const { Server } = require('..')

async function use(client, subscriber) {
  const pipeline = client.pipeline()
  for (let n = 0; n < 10; n++) pipeline.set(`key:${n}`, n)
  pipeline.get('key:7')
  assert.deepEqual((await pipeline.exec())[10], [null, '7'])

  client.defineCommand('add', { numberOfKeys: 1, lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])" })
  assert.equal(await client.add('{alice}:visits', 5), 5)
  assert.equal(await client.add('{alice}:visits', 5), 10)

  await subscriber.subscribe('news')
  const message = once(subscriber, 'message')
  await client.publish('news', 'hello')
  assert.deepEqual(await message, ['news', 'hello'])
}

test('cluster mode', async (t) => {
  const server = await Server.start({ options: ['--cluster-enabled', 'yes'] })
  t.after(() => server.close())
  const world = server.world()
  const { host, port, username, password } = world
  const redisOptions = { username, password }
  const client = new Redis.Cluster([{ host, port }], { redisOptions })
  const subscriber = new Redis.Cluster([{ host, port }], { redisOptions })
  t.after(() => [client, subscriber].forEach((c) => c.disconnect()))
  await use(client, subscriber)
  assert.equal(client.nodes('master').length, 1)
  assert.equal(await world.command('GET', 'key:7'), '7')
  await assert.rejects(client.mset('a', 1, 'b', 2), /^ReplyError: CROSSSLOT/)
})

test('Sentinel mode', async (t) => {
  const server = await Server.start()
  t.after(() => server.close())
  const world = server.world()
  const { host, port, username, password } = world
  const options = {
    sentinels: [{ host, port }], name: 'mymaster',
    username, password, sentinelUsername: username, sentinelPassword: password,
  }
  const client = new Redis(options)
  const subscriber = new Redis(options)
  t.after(() => [client, subscriber].forEach((c) => c.disconnect()))
  await use(client, subscriber)
  assert.equal(await world.command('GET', 'key:7'), '7')

  const lost = new Redis({ ...options, name: 'other', sentinelRetryStrategy: () => null })
  t.after(() => lost.disconnect())
  lost.on('error', () => {})
  await assert.rejects(lost.get('k'), /Connection is closed|sentinels are unreachable/)
})
