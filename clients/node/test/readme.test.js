'use strict'

const assert = require('node:assert')
const { test } = require('node:test')

// The code of README.md, which shows it as it is.
async function readme(require) {
  const Redis = require('ioredis') // or any other client
  const { Server } = require('miniserver-testkit')

  const server = await Server.start({ options: ['--maxmemory', '10mb'] })
  const world = server.world()
  const client = new Redis(world.url)

  await client.set('session', 'alice', 'EX', 3600)
  await world.clock.advance(3_600_000) // returns at once
  await client.exists('session') // 0

  client.disconnect()
  await world.close()
  await server.close()
}

test('the code of README.md', async () => {
  const required = []
  await readme((name) => {
    required.push(name)
    return require(name === 'miniserver-testkit' ? '..' : name)
  })
  assert.deepEqual(required, ['ioredis', 'miniserver-testkit'])
})
