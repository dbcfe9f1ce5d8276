import Redis from 'ioredis'
import { afterAll, beforeAll, expect, test as base } from 'vitest'
import { Server, World } from 'miniserver-testkit'

let server: Server
beforeAll(async () => {
  server = await Server.start()
})
afterAll(() => server.close())

// Each test that names it gets a world of its own, so tests may be concurrent.
const test = base.extend<{ world: World }>({
  world: async ({ task }, use) => {
    const world = server.world(server.freshName(task.name))
    await use(world)
    await world.close()
  },
})

test.concurrent('a session expires', async ({ world }) => {
  const client = new Redis(world.url)
  await client.set('session', 'alice', 'EX', 3600)
  await world.clock.advance(3_600_000)
  expect(await client.exists('session')).toBe(0)
  client.disconnect()
})

test.concurrent('a worker waits', async ({ world }) => {
  const client = new Redis(world.url)
  const job = client.blpop('jobs', 0)
  await world.waitForBlocked(1)
  await world.command('RPUSH', 'jobs', 'mail')
  expect(await job).toEqual(['jobs', 'mail'])
  client.disconnect()
})
