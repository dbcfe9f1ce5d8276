'use strict'

// ioredis-mock beside ours, and what only ours is asked for.

const assert = require('node:assert')
const { test } = require('node:test')
const original = require('ioredis-mock')
const ours = require('miniserver-testkit/ioredis-mock')
const { different, same } = require('./drop-in/ioredis-mock')

const [major] = require('ioredis/package.json').version.split('.')
const skipped = { 'commands of a subscriber': major > 5 && 'RESP3 allows them all' }
let port = 20_000 // no one listens there, and no one needs to

for (const [name, run] of Object.entries(same)) {
  test(name, { skip: skipped[name] }, async () => {
    port++
    assert.deepEqual(await run(ours, port), await run(original, port))
  })
}

for (const [name, { reason, run, ...expected }] of Object.entries(different)) {
  test(`${name}: ${reason}`, async () => {
    port++
    for (const [who, Redis] of Object.entries({ original, ours })) {
      const result = await run(Redis, port)
      if (expected[who] instanceof RegExp) assert.match(result, expected[who])
      else assert.deepEqual(result, expected[who], who)
    }
  })
}
