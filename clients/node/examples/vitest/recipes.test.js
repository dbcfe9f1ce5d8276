// The recipes of docs/recipes/node.md, which shows these tests as they are.

import Redis from 'ioredis'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Server } from 'miniserver-testkit'

const testdata = fileURLToPath(new URL('../../../testdata/', import.meta.url))
const dump = testdata + 'production.rdb'
const golden = testdata + 'checkout.txt'

let server
beforeAll(async () => {
  server = await Server.start()
})
afterAll(() => server.close())

test('a session expires', async () => {
  const world = server.world()
  const client = new Redis(world.url)
  await client.set('session', 'alice', 'EX', 3600)
  await world.clock.advance(3_600_000)
  expect(await client.exists('session')).toBe(0)
})

test('a day of a limiter', async () => {
  const world = server.world()
  const client = new Redis(world.url)
  await world.clock.freeze()
  let passed = 0
  for (let minute = 0; minute < 24 * 60; minute++) {
    for (let i = 0; i < 3; i++) passed += await mayPass(client, 'alice')
    await world.clock.advance(60_000)
  }
  expect(passed).toBe(24 * 100)
})

/** A user may pass 100 times an hour. */
async function mayPass(client, user) {
  const count = await client.incr(`visits:${user}`)
  if (count === 1) await client.expire(`visits:${user}`, 3600)
  return count <= 100
}

test('a lost reply', async () => {
  const world = server.world()
  const client = new Redis(world.url) // sends again what has no reply
  await world.faults.add('incr', 'ON', 'COMMAND', 'incr', 'DO', 'LOST-REPLY', 'TIMES', 1)
  expect(await client.incr('orders')).toBe(2)

  await world.faults.add('sadd', 'ON', 'COMMAND', 'sadd', 'DO', 'LOST-REPLY', 'TIMES', 1)
  await client.sadd('order-ids', 17)
  expect(await client.scard('order-ids')).toBe(1)
})

test('a server that is gone', async () => {
  const world = server.world()
  await world.command('SET', 'price:shoes', '80')
  await world.outage.begin('CUT')
  expect(await price(world.url, 'shoes')).toBe('unknown')
  await world.outage.end()
  expect(await price(world.url, 'shoes')).toBe('80')
})

/** What goods cost if the cache can be reached. */
async function price(url, goods) {
  const client = new Redis(url, { retryStrategy: null }) // does not connect again
  client.on('error', () => {})
  try {
    return await client.get(`price:${goods}`)
  } catch {
    return 'unknown'
  } finally {
    client.disconnect()
  }
}

test.concurrent.each([...Array(20).keys()])('side by side: day %d', async (day) => {
  const world = server.world()
  const client = new Redis(world.url)
  await client.set('session', 'alice', 'EX', 10 * 86_400)
  await world.clock.advance(day * 86_400_000)
  expect(await client.exists('session')).toBe(day < 10 ? 1 : 0)
})

test('a failover', async () => {
  const options = ['--cluster-enabled', 'yes']
  const old = await Server.start({ options })
  const fresh = await Server.start({ options })
  const client = new Redis.Cluster([{ host: old.host, port: old.port }])
  await client.set('cart:7', 'shoes')

  await old.world('default').faults.add('failover', 'ON', 'KEY', '*', 'DO', 'MOVED', `${fresh.host}:${fresh.port}`)
  await client.set('cart:7', 'hats')
  expect(await fresh.command('GET', 'cart:7')).toBe('hats')
  await Promise.all([client.quit(), old.close(), fresh.close()])
})

test('checkout', async () => {
  const world = server.world()
  await world.clock.freeze()
  await checkOut(new Redis(world.url), 'alice', 'shoes')
  await expect(await world.dump()).toMatchFileSnapshot(golden)
})

async function checkOut(client, user, goods) {
  await client.rpush(`orders:${user}`, goods)
  await client.incr('sales')
  await client.set(`session:${user}`, 'paid', 'EX', 600)
}

test('production data', async () => {
  const production = await Server.start({ options: ['--load', dump] })
  const world = await production.world('default').fork()
  const client = new Redis(world.url)
  expect(await client.hincrby('stock', 'shoes', -1)).toBe(11)
  expect(await production.command('HGET', 'stock', 'shoes')).toBe('12')
  client.disconnect()
  await production.close()
})
