'use strict'

// A cluster in one process, with ioredis: a master fails, slots move, a write is lost.

const assert = require('node:assert')
const { test } = require('node:test')
const Redis = require('ioredis')
const { Cluster } = require('..')

async function start(t) {
  const cluster = await Cluster.start({ shards: 3, replicas: 1 })
  t.after(() => cluster.close())
  const client = new Redis.Cluster([{ host: cluster.host, port: cluster.port }])
  t.after(() => client.disconnect())
  for (let n = 0; n < 100; n++) await client.set(`key:${n}`, n)
  return { cluster, client }
}

async function hasAll(client) {
  for (let n = 0; n < 100; n++) assert.equal(await client.get(`key:${n}`), `${n}`)
}

test('a master fails', async (t) => {
  const { cluster, client } = await start(t)
  const master = cluster.addresses[1]
  await cluster.kill(master)
  await cluster.clock.advance('16s') // the timeout is 15 seconds
  await cluster.cont(master)
  await hasAll(client)
})

test('slots move', async (t) => {
  const { cluster, client } = await start(t)
  await cluster.move(cluster.addresses[2], '0-500', 501)
  await hasAll(client)
})

test('a write is lost', async (t) => {
  const { cluster, client } = await start(t)
  const [, , master] = cluster.addresses // of the slot of foo
  await client.set('foo', 'old')
  await cluster.lose(master)
  await client.set('foo', 'new')
  await cluster.failover(master)
  assert.equal(await client.get('foo'), 'old')
})
