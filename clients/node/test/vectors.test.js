'use strict'

// Vector sets by node-redis, in both protocols. docs/vectors.md shows the first test as it is.
// ioredis has no methods for them: client.call('VADD', ...).

const assert = require('node:assert')
const { test, describe, before, after, beforeEach, afterEach } = require('node:test')
const { createClient } = require('redis')
const { Server } = require('..')

let server, world
before(async () => (server = await Server.start()))
after(() => server.close())
beforeEach((t) => (world = server.world(server.freshName(t.name))))
afterEach(() => world.close())

test('films', async () => {
  const client = await createClient({ url: world.url }).connect()
  await client.vAdd('films', [0.9, 0.1, 0], 'alien', { SETATTR: { year: 1979, genre: 'horror' } })
  await client.vAdd('films', [0.7, 0.6, 0], 'solaris', { SETATTR: { year: 1972, genre: 'drama' } })
  await client.vAdd('films', [0, 0.2, 0.9], 'amelie', { SETATTR: { year: 2001, genre: 'comedy' } })

  const near = await client.vSimWithScores('films', [1, 0.2, 0])
  assert.deepEqual(Object.keys(near), ['alien', 'solaris', 'amelie'])
  assert.ok(Math.abs(near.alien - 0.998) < 0.001)
  const like = await client.vSim('films', 'alien', { COUNT: 2, FILTER: '.genre in ["drama", "comedy"]' })
  assert.deepEqual(like, ['solaris', 'amelie'])
  await client.close()
})

for (const RESP of [2, 3]) {
  describe(`vector sets, RESP${RESP}`, () => {
    let client
    beforeEach(async () => {
      client = await createClient({ url: world.url, RESP }).connect()
      for (const [name, ...vector] of [['a', 3, 4], ['b', 4, 3], ['c', -4, 3]]) {
        assert.equal(await client.vAdd('k', vector, name, { CAS: true, QUANT: 'NOQUANT', EF: 100, M: 8 }), true)
      }
    })
    afterEach(() => client.close())

    test('adding and removing', async () => {
      assert.equal(await client.vAdd('k', [3, 4], 'a', { QUANT: 'NOQUANT', M: 8 }), false)
      assert.equal(await client.vAdd('reduced', [1, 2, 3], 'r', { REDUCE: 2 }), true)
      assert.equal(await client.vDim('reduced'), 2)
      await assert.rejects(client.vAdd('k', [1, 2], 'd'), new Error('ERR asked quantization mismatch with existing vector set'))
      assert.equal(await client.vRem('k', 'c'), true)
      assert.equal(await client.vRem('k', 'c'), false)
      assert.equal(await client.vCard('k'), 2)
    })

    test('reading', async () => {
      assert.equal(await client.vCard('k'), 3)
      assert.equal(await client.vDim('k'), 2)
      assert.deepEqual((await client.vEmb('k', 'a')).map(Math.round), [3, 4])
      assert.equal((await client.vEmbRaw('k', 'a')).quantization, 'f32')
      const info = await client.vInfo('k')
      assert.deepEqual([info['quant-type'], info['vector-dim'], info.size], ['f32', 2, 3])
      assert.deepEqual((await client.vLinks('k', 'a'))[0].sort(), ['b', 'c'])
      assert.ok(Math.abs((await client.vLinksWithScores('k', 'a'))[0].b - 0.98) < 1e-6)
      assert.ok(['a', 'b', 'c'].includes(await client.vRandMember('k')))
      assert.deepEqual((await client.vRandMember('k', 5)).sort(), ['a', 'b', 'c'])
      assert.deepEqual(await client.vRange('k', '(a', '+'), ['b', 'c'])
    })

    test('attributes and searching', async () => {
      assert.equal(await client.vSetAttr('k', 'b', { n: 2 }), true)
      assert.deepEqual(await client.vGetAttr('k', 'b'), { n: 2 })
      assert.deepEqual(await client.vSim('k', [3, 4], { FILTER: '.n == 2', 'FILTER-EF': 10 }), ['b'])
      assert.deepEqual(await client.vSim('k', 'a', { COUNT: 2, EF: 50, TRUTH: true, NOTHREAD: true, EPSILON: 0.5 }), ['a', 'b'])
      assert.equal(await client.vGetAttr('k', 'a'), null)
      await assert.rejects(client.vSim('k', 'z'), new Error('ERR element not found in set'))
      assert.deepEqual(await client.vSim('none', [3, 4]), [])
    })
  })
}
