// The types of the original and ours fit together. The compiler reads this, and nothing runs it.

import type { Redis } from 'ioredis'
import Original, { type RedisOptions as OriginalOptions } from 'ioredis-mock'
import Mock, { type RedisOptions } from 'miniserver-testkit/ioredis-mock'
import RedisMemoryServer, { type RedisInstance } from 'miniserver-testkit/redis-memory-server'

const mock: typeof Original = Mock
const originalOptions: OriginalOptions = { data: { k: 'v' }, keyPrefix: 'app:' }
const options: RedisOptions = { ...originalOptions, notifyKeyspaceEvents: 'KEA' }
const client: Redis = new mock(options)
const cluster = new Mock.Cluster(['redis://localhost:7001'], { redisOptions: originalOptions })

export async function steer() {
  const world = await new Mock(6379, 'localhost', options).world()
  await world.clock.advance(1000)
  await (await cluster.world()).faults.clear()
  return [await client.get('k'), await cluster.get('k')]
}

export async function start() {
  const server = await RedisMemoryServer.create({ instance: { port: 6379, ip: '127.0.0.1', args: ['--save', ''] }, binary: { version: 'stable' } })
  const info = server.getInstanceInfo()
  const instance: RedisInstance | false = info && info.instance
  return [await server.getPort(), instance && instance.getPid()]
}
