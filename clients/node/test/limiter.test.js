'use strict'

// A limiter over a simulated day: 100 requests in any 60 minutes, while 3 come each minute.

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const Redis = require('ioredis')
const { Server } = require('..')

const lua = fs.readFileSync(path.join(__dirname, '../../../examples/sliding-window-zset.lua'), 'utf8')

test('a day of a limiter', async (t) => {
  const server = await Server.start()
  t.after(() => server.close())
  const world = server.world()
  const client = new Redis(world.url, { scripts: { limit: { lua, numberOfKeys: 1 } } })
  t.after(() => client.disconnect())
  const began = performance.now()
  await world.clock.freeze()
  const allowed = []
  for (let minute = 0; minute < 24 * 60; minute++) {
    const requests = [1, 2, 3].map(() => client.limit('visits:alice', 100, 3_600_000))
    const replies = await Promise.all(requests)
    allowed.push(sum(replies.map(([passed]) => passed)))
    await world.clock.advance(60_000)
  }
  t.diagnostic(`a day of ${3 * allowed.length} requests took ${((performance.now() - began) / 1000).toFixed(2)} seconds`)
  assert.equal(sum(allowed), 24 * 100)
  assert.deepEqual(allowed.slice(0, 35), [...Array(33).fill(3), 1, 0])
  assert.equal(Math.max(...allowed.map((_, i) => sum(allowed.slice(i, i + 60)))), 100)
})

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0)
