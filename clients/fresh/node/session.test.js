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
