'use strict'

// ioredis-mock beside ours, and what only ours is asked for.

const assert = require('node:assert')
const dns = require('node:dns')
const net = require('node:net')
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

test('whatever the arguments are, no one else is asked', async (t) => {
  const { server } = await new ours(port).world()
  const connect = t.mock.method(net.Socket.prototype, 'connect')
  const lookup = t.mock.method(dns, 'lookup')
  const url = 'redis://app:secret@nowhere.example:7/2?lazyConnect=&keyPrefix=z:'
  const options = { host: 'nowhere.example', tls: {}, sentinels: [{ host: 'nowhere.example' }], path: '/no/such/socket', Connector: class {} }
  for (const forms of [[undefined], [null], [''], [7], ['7'], [7, 'nowhere.example'], [7, 'nowhere.example', null], [7, 'nowhere.example', options]]) {
    assert.equal(await new ours(...forms).ping(), 'PONG')
  }
  for (const forms of [[options], [7, options], [url], [url, options], ['/no/such/socket'], ['nowhere.example'], [{ lazyConnect: true, ...options }]]) {
    assert.equal(await new ours(...forms).ping(), 'PONG')
  }
  assert.equal(await new ours.Cluster([url, { host: 'nowhere.example', port: 7 }], { redisOptions: options }).ping(), 'PONG')
  assert.throws(() => new ours(true), /Invalid argument true/)
  assert.deepEqual([...new Set(connect.mock.calls.map(({ arguments: [[to]] }) => `${to.host}:${to.port}`))], [`${server.host}:${server.port}`])
  assert.equal(lookup.mock.callCount(), 0)
})

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
