import Redis from 'ioredis'
import { afterAll, expect, test } from 'vitest'
import { RedisMemoryServer } from 'miniserver-testkit/redis-memory-server'

const server = new RedisMemoryServer()
const client = new Redis(await server.getPort(), await server.getHost())

afterAll(async () => {
  client.disconnect()
  await server.stop()
})

test('a session ends after an hour', async () => {
  await client.set('session', 'alice', 'EX', 3600)
  const { clock } = await server.world()
  await clock.advance(3_600_000)
  expect(await client.exists('session')).toBe(0)
})
