const { test } = require('node:test')
const assert = require('node:assert')
const { Server } = require('miniserver-testkit')

test('a session expires', async () => {
  const server = await Server.start() // of the package for this platform
  const world = server.world()
  await world.command('SET', 'session', 'alice', 'EX', 3600)
  await world.clock.advance(3_600_000)
  assert.equal(await world.command('GET', 'session'), null)
  await server.close()
})

test('the server of redis-memory-server', async () => {
  const { RedisMemoryServer } = await import('miniserver-testkit/redis-memory-server')
  const server = new RedisMemoryServer()
  assert.ok((await server.getPort()) > 0)
  assert.equal(await (await server.world()).command('PING'), 'PONG')
  await server.stop()
})
