'use strict'

// What ioredis and node-redis do when a fault strikes: a row for each of its effects.

const assert = require('node:assert')
const { test, before, after } = require('node:test')
const Redis = require('ioredis')
const nodeRedis = require('redis')
const { Server } = require('..')

/** ioredis connects again, and sends again what has no reply. */
function ioredis(world, options) {
  const client = new Redis(world.url, { retryStrategy: () => 1, ...options })
  client.on('error', () => {})
  client.defineCommand('count', { numberOfKeys: 1, lua })
  return client
}

/** node-redis connects again, but never sends twice. */
async function redis(world, options) {
  const count = nodeRedis.defineScript({ NUMBER_OF_KEYS: 1, SCRIPT: lua, parseCommand: (parser, key) => parser.pushKey(key) })
  const client = nodeRedis.createClient({ url: world.url, socket: { reconnectStrategy: () => 1, ...options }, scripts: { count } })
  client.on('error', () => {})
  return client.connect()
}

/** ioredis in cluster mode sends again what a node cannot do yet. */
function cluster({ host, port, username, password }) {
  const soon = { retryDelayOnClusterDown: 1, retryDelayOnTryAgain: 1, retryDelayOnFailover: 1 }
  return new Redis.Cluster([{ host, port }], { redisOptions: { username, password }, ...soon })
}

const lua = "return redis.call('INCR', KEYS[1])"
const count = (client) => client.incr('orders')
const countByScript = (client) => client.count('orders')
const afterFailover = { reconnectOnError: (error) => /^(LOADING|READONLY|MASTERDOWN)/.test(error.message) && 2 } // and send again

// What follows DO, the client and its options, what it does, the reply or the error, the hits of the fault, how many orders are counted.
const cases = [
  ['ERROR', ['ERR no luck'], ioredis, {}, count, /^ReplyError: ERR no luck$/, 1, 0],
  ['ERROR', ['ERR no luck'], redis, {}, count, /^Error: ERR no luck$/, 1, 0],
  ['ERROR', ['TRYAGAIN a slot moves', 'TIMES', 2], cluster, {}, count, 1, 2, 1],
  ['ERROR', ['CLUSTERDOWN no quorum', 'TIMES', 2], cluster, {}, count, 1, 2, 1],
  ['DELAY', [1000], ioredis, { commandTimeout: 500 }, count, /^Error: Command timed out$/, 1, 0],
  ['DELAY', [1000, 'TIMES', 1], ioredis, { socketTimeout: 500 }, count, 1, 1, 1],
  ['DELAY', [1000], redis, { socketTimeout: 500 }, count, /^Error: Socket timeout/, 1, 0],
  ['DROP', ['TIMES', 2], ioredis, {}, count, 1, 2, 1],
  ['DROP', ['TIMES', 1], redis, {}, count, /^Error: Socket closed unexpectedly$/, 1, 0],
  ['LOST-REPLY', ['TIMES', 2], ioredis, {}, count, 3, 2, 3],
  ['LOST-REPLY', ['TIMES', 1], redis, {}, count, /^Error: Socket closed unexpectedly$/, 1, 1],
  ['HALF-REPLY', ['TIMES', 1], ioredis, {}, count, 2, 1, 2],
  ['HALF-REPLY', ['TIMES', 1], redis, {}, count, /^Error: Socket closed unexpectedly$/, 1, 1],
  ['LOADING', [], ioredis, {}, count, /^ReplyError: LOADING /, 1, 0],
  ['LOADING', ['TIMES', 2], ioredis, afterFailover, count, 1, 2, 1],
  ['READONLY', [], ioredis, {}, count, /^ReplyError: READONLY /, 1, 0],
  ['READONLY', ['TIMES', 2], ioredis, afterFailover, count, 1, 2, 1],
  ['MASTERDOWN', [], ioredis, {}, count, /^ReplyError: MASTERDOWN /, 1, 0],
  ['MASTERDOWN', ['TIMES', 2], ioredis, afterFailover, count, 1, 2, 1],
  ['OOM', [], ioredis, afterFailover, count, /^ReplyError: OOM /, 1, 0],
  ['OOM', [], redis, {}, count, /^Error: OOM /, 1, 0],
  ['NOSCRIPT', ['TIMES', 1], ioredis, {}, countByScript, 2, 1, 2], // it loads the script again
  ['NOSCRIPT', ['TIMES', 1], redis, {}, countByScript, 2, 1, 2],
]

let server, node, other
before(async () => {
  const options = ['--cluster-enabled', 'yes']
  ;[server, node, other] = await Promise.all([Server.start(), Server.start({ options }), Server.start({ options })])
})
after(() => Promise.all([server, node, other].map((s) => s.close())))

for (const [effect, words, connect, options, act, outcome, hits, orders] of cases) {
  test(`${connect.name}: ${effect} ${words.join(' ')} ${Object.keys(options)}`, async (t) => {
    const world = (connect === cluster ? node : server).world(server.freshName(t.name))
    await world.clock.freeze()
    const client = await connect(world, options)
    t.after(async () => {
      ;(client.destroy ?? client.disconnect).call(client)
      await world.close()
    })
    if (act === countByScript) assert.equal(await act(client), 1)
    else await client.ping()
    await world.faults.add('it', 'ON', 'COMMAND', act === countByScript ? 'evalsha' : 'incr', 'DO', effect, ...words)
    if (outcome instanceof RegExp) await assert.rejects(act(client), outcome)
    else assert.equal(await act(client), outcome)
    const [fault] = await world.faults.list()
    assert.equal(fault.hits, hits)
    assert.equal(Number(await world.command('GET', 'orders')), orders)
  })
}

// A slot that moves is on another node, or comes to it. node-redis goes only to nodes that it knows.
for (const effect of ['MOVED', 'ASK']) {
  test(`ioredis in cluster mode: ${effect}`, async (t) => {
    const here = node.world()
    const there = other.world(here.name)
    const client = cluster(here)
    t.after(() => client.disconnect())
    await client.set('{user:7}:cart', 'shoes')
    await here.faults.add('it', 'ON', 'KEY', '{user:7}*', 'DO', effect, `${other.host}:${other.port}`)
    assert.equal(await client.incr('{user:7}:orders'), 1)
    const [fault] = await here.faults.list()
    assert.ok(effect === 'ASK' ? fault.hits === 1 : fault.hits >= 1, `${fault.hits} hits`) // after MOVED it asks the first node for its slots
    assert.equal(await there.command('GET', '{user:7}:orders'), '1')
    assert.deepEqual(await here.command('KEYS', '*'), ['{user:7}:cart'])
  })

  test(`node-redis in cluster mode: ${effect}`, async (t) => {
    const world = node.world()
    const { url, username, password } = world
    const client = nodeRedis.createCluster({ rootNodes: [{ url }], defaults: { username, password } })
    await client.connect()
    t.after(() => client.destroy())
    await node.command('MINI.COMMANDS', 'RESET')
    await world.faults.add('it', 'ON', 'COMMAND', 'incr', 'DO', effect, `${node.host}:${node.port}`, 'TIMES', 2)
    assert.equal(await client.incr('orders'), 1)
    const [fault] = await world.faults.list()
    assert.equal(fault.hits, 2)
    assert.equal((await node.command('MINI.COMMANDS')).includes('asking 2'), effect === 'ASK')
  })
}

test('every effect that the server knows is here', async () => {
  const [[, docs]] = [await server.command('COMMAND', 'DOCS', 'mini.fault|add')]
  const argument = fields(docs).arguments.map(fields).find(({ name }) => name === 'effect')
  const known = argument.arguments.map((choice) => fields(choice).token)
  assert.equal(known.length, 12)
  assert.deepEqual(new Set([...cases.map(([effect]) => effect), 'MOVED', 'ASK']), new Set(known))
})

/** Returns an object for a reply that has names and their values by turns. */
const fields = (reply) => Object.fromEntries(reply.flatMap((name, i) => (i % 2 ? [] : [[name, reply[i + 1]]])))
