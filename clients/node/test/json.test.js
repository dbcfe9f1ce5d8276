'use strict'

// JSON by node-redis, in both protocols, and by ioredis. docs/json.md shows one of the tests as it is.

const assert = require('node:assert')
const { test, describe, before, after, beforeEach, afterEach } = require('node:test')
const { createClient } = require('redis')
const { Server } = require('..')
const MockRedis = require('miniserver-testkit/ioredis-mock')

const SHOES = {
  name: 'shoes',
  price: 80.5,
  stock: 3,
  sold: false,
  sizes: [40, 41, 42],
  maker: { name: 'Ada', since: null },
}

let server, world
before(async () => (server = await Server.start()))
after(() => server.close())
beforeEach((t) => (world = server.world(server.freshName(t.name))))
afterEach(() => world.close())

test('a cart', async () => {
  const client = await createClient({ url: world.url }).connect()
  await client.json.set('cart:7', '$', { user: 'alice', items: [{ name: 'shoes', count: 1, price: 80 }] })
  await client.expire('cart:7', 3600)

  await client.json.arrAppend('cart:7', '$.items', { name: 'hat', count: 2, price: 12.5 })
  await client.json.numIncrBy('cart:7', '$.items[?(@.name=="shoes")].count', 1)
  await client.json.merge('cart:7', '$', { coupon: 'SPRING', user: null }) // null takes the member away
  assert.deepEqual(await client.json.get('cart:7', { path: '$.items[?(@.price<50)].name' }), ['hat'])
  assert.equal(await client.json.get('cart:7', { path: '.items[0].count' }), 2)
  assert.deepEqual(await client.json.objKeys('cart:7'), ['coupon', 'items'])

  await world.clock.advance(3_600_000)
  assert.equal(await client.json.get('cart:7'), null)
  await client.close()
})

for (const RESP of [2, 3]) {
  describe(`node-redis, RESP${RESP}`, () => {
    let client, goods
    beforeEach(async () => {
      client = await createClient({ url: world.url, RESP }).connect()
      goods = client.json
      assert.equal(await goods.set('shoes', '$', SHOES), 'OK')
    })
    afterEach(() => client.close())

    /** Requires of each call what it replies. */
    async function replies(...pairs) {
      for (const [call, reply] of pairs) assert.deepEqual(await call(), reply, String(call))
    }

    test('get and set', () =>
      replies(
        [() => goods.get('shoes'), SHOES],
        [() => goods.get('shoes', { path: '$' }), [SHOES]],
        [() => goods.get('shoes', { path: '$..name' }), ['shoes', 'Ada']],
        [() => goods.get('shoes', { path: '.price' }), 80.5],
        [() => goods.get('shoes', { path: ['$.name', '$.stock'] }), { '$.name': ['shoes'], '$.stock': [3] }],
        [() => goods.get('shoes', { path: ['.name', '.stock'] }), { '.name': 'shoes', '.stock': 3 }],
        [() => goods.get('shoes', { path: '$.none' }), []],
        [() => goods.get('none'), null],
        [() => goods.set('shoes', '$', {}, { condition: 'NX' }), null],
        [() => goods.set('none', '$', {}, { condition: 'XX' }), null],
        [() => goods.set('shoes', '$.none.name', 1), null],
        [() => goods.set('text', '$', '\0"\\\n é😀'), 'OK'],
        [() => goods.get('text'), '\0"\\\n é😀'],
        [() => goods.mSet(['hat', 'sock'].map((key) => ({ key, path: '$', value: { stock: key.length } }))), 'OK'],
        [() => goods.mGet(['hat', 'none', 'sock'], '$.stock'), [[3], null, [4]]],
        [() => goods.mGet(['hat', 'none', 'sock'], '.stock'), [3, null, 4]],
        [() => goods.merge('hat', '$', { name: 'fez', stock: null }), 'OK'],
        [() => goods.get('hat'), { name: 'fez' }],
      ))

    test('numbers and arrays', () =>
      replies(
        [() => goods.numIncrBy('shoes', '$.stock', 2), [5]],
        [() => goods.numIncrBy('shoes', '$..name', 2), [null, null]],
        // In RESP3 the reply to a legacy path is an array, too.
        [() => goods.numIncrBy('shoes', '.price', 0.25), RESP === 2 ? 80.75 : [80.75]],
        [() => goods.numMultBy('shoes', '$.stock', 1.5), [7.5]],
        [() => goods.arrAppend('shoes', '$.sizes', 43, '44'), [5]],
        [() => goods.arrAppend('shoes', '.sizes', 45), 6],
        [() => goods.arrIndex('shoes', '$.sizes', 42), [2]],
        [() => goods.arrInsert('shoes', '$.sizes', 0, 39), [7]],
        [() => goods.arrLen('shoes', { path: '$.*' }), [null, null, null, null, 7, null]],
        [() => goods.arrPop('shoes', { path: '$.sizes' }), [45]],
        [() => goods.arrPop('shoes', { path: '.sizes', index: 0 }), 39],
        [() => goods.arrPop('shoes', { path: '$..name' }), [null, null]],
        [() => goods.arrTrim('shoes', '$.sizes', 1, 2), [2]],
        [() => goods.get('shoes', { path: '.sizes' }), [41, 42]],
      ))

    test('types, objects, strings and deletion', () =>
      replies(
        [() => goods.type('shoes'), 'object'],
        [
          () => goods.type('shoes', { path: '$.*' }),
          ['string', 'number', 'integer', 'boolean', 'array', 'object'],
        ],
        [() => goods.type('none'), null],
        [() => client.type('shoes'), 'ReJSON-RL'],
        [() => goods.objKeys('shoes', { path: '$.maker' }), [['name', 'since']]],
        [() => goods.objLen('shoes', { path: '.maker' }), 2],
        [() => goods.strAppend('shoes', ', red', { path: '$.name' }), [10]],
        [() => goods.strLen('shoes', { path: '$..name' }), [10, 3]],
        [() => goods.toggle('shoes', '$.sold'), [1]],
        [() => goods.toggle('shoes', '.sold'), 'false'],
        [() => goods.clear('shoes', { path: '$.sizes' }), 1],
        [() => goods.del('shoes', { path: '$..name' }), 2],
        [() => goods.forget('shoes', { path: '$.none' }), 0],
        [() => goods.get('shoes'), { maker: { since: null }, price: 80.5, stock: 3, sold: false, sizes: [] }],
        [() => goods.del('shoes'), 1],
        [() => goods.del('shoes'), 0],
        [() => client.exists('shoes'), 0],
      ))

    test('errors change nothing', async () => {
      await client.set('text', 'x')
      for (const [call, message] of [
        [() => goods.get('shoes', { path: '.none' }), "ERR Path '$.none' does not exist"],
        [() => goods.get('text'), 'Existing key has wrong Redis type'],
        [() => goods.set('none', '$.a', 1), 'ERR new objects must be created at the root'],
        [() => goods.arrInsert('shoes', '$.sizes', 9, 1), 'ERR index out of bounds'],
        [
          () => client.sendCommand(['JSON.SET', 'shoes', '$', '{']),
          'EOF while parsing an object at line 1 column 1',
        ],
        [
          () => goods.numIncrBy('none', '$', 1),
          "ERR could not perform this operation on a key that doesn't exist",
        ],
      ]) {
        await assert.rejects(call, { message })
      }
      assert.deepEqual(await goods.get('shoes'), SHOES)
    })

    test('pipelines and transactions', async () => {
      const queued = () =>
        client
          .multi()
          .json.set('k', '$', { a: 1 })
          .json.get('k', { path: '$.a' })
          .json.numIncrBy('k', '$.a', 1)
          .json.del('k')
      assert.deepEqual(await queued().exec(), ['OK', [1], [2], 1])
      assert.deepEqual(await queued().execAsPipeline(), ['OK', [1], [2], 1])
    })
  })
}

const KINDS = ['string', 'number', 'integer', 'boolean', 'array', 'object']

for (const [name, connect, counted, kinds] of [
  ['ioredis 5, RESP2', () => new (require('ioredis'))(world.url), '[5]', KINDS],
  ['ioredis 6, RESP3', () => new (require('ioredis-6'))(world.url), [5], [KINDS]],
  ['ioredis-mock of this package', () => new MockRedis(), '[5]', KINDS],
]) {
  test(name, async (t) => {
    const client = connect()
    t.after(() => client.disconnect())
    assert.equal(await client.call('JSON.SET', 'shoes', '$', JSON.stringify(SHOES)), 'OK')
    assert.deepEqual(JSON.parse(await client.call('JSON.GET', 'shoes')), SHOES)
    assert.equal(await client.call('JSON.GET', 'shoes', '$..name'), '["shoes","Ada"]')
    assert.equal(await client.call('JSON.GET', 'none'), null)
    assert.deepEqual(await client.call('JSON.MGET', 'shoes', 'none', '.stock'), ['3', null])
    await assert.rejects(client.call('JSON.GET', 'shoes', '$['), /Error occurred on position 2/)
    const replies = await client
      .pipeline()
      .call('JSON.NUMINCRBY', 'shoes', '$.stock', 2)
      .call('JSON.GET', 'shoes', '.none')
      .call('JSON.TYPE', 'shoes', '$.*')
      .call('JSON.DEL', 'shoes')
      .exec()
    assert.deepEqual(
      replies.map(([error, reply]) => error?.message ?? reply),
      [counted, "ERR Path '$.none' does not exist", kinds, 1],
    )
  })
}
