'use strict'

// The commands that a world sends, seen by a client of another library.

const assert = require('node:assert')
const { once } = require('node:events')
const { test, before, after, beforeEach, afterEach } = require('node:test')
const Redis = require('ioredis')
const { ReplyError, Server } = require('..')

let server, world, client
before(async () => (server = await Server.start()))
after(() => server.close())
beforeEach((t) => {
  world = server.world(server.freshName(t.name))
  client = new Redis(world.url)
})
afterEach(async () => {
  client.disconnect()
  await world.close()
})

test('clients of the URL are in the world', async () => {
  assert.equal(await client.call('MINI.WORLD', 'NAME'), world.name)
  assert.match(world.name, /clients-of-the-URL/)
})

test('worlds share nothing', async () => {
  await client.set('color', 'green')
  const other = server.world('name:?/&%')
  assert.equal(await other.command('GET', 'color'), null)
  const guest = new Redis(other.url)
  assert.equal(await guest.call('MINI.WORLD', 'NAME'), other.name)
  guest.disconnect()
  await other.close()
})

test('a name that is none', async () => {
  const other = server.world('two words')
  await assert.rejects(other.command('GET', 'color'), ReplyError)
  await assert.rejects(other.command('GET', 'color'), /a world's name has 1 to 128 printable characters/)
})

test('no word, and one without a text, are not sent', async () => {
  await assert.rejects(world.command(), TypeError)
  await assert.rejects(world.command('SET', 'color', Object.create(null)), TypeError)
  assert.equal(await world.command('ECHO', 'green'), 'green')
})

test('the clock', async () => {
  await world.clock.freeze()
  const at = new Date('2030-01-01T00:00:00Z')
  assert.deepEqual(await world.clock.set(at), at)
  await client.set('session', 'alice', 'EX', 3600)
  await world.clock.advance(3_599_999)
  assert.equal(await client.get('session'), 'alice')
  await world.clock.advance(1)
  assert.equal(await client.get('session'), null)
  assert.deepEqual(await world.clock.now(), new Date('2030-01-01T01:00:00Z'))
  assert.deepEqual(await world.clock.set('2030-01-31T12:00:00Z'), new Date('2030-01-31T12:00:00Z'))
  assert.deepEqual(await world.clock.advance('1h30m'), new Date('2030-01-31T13:30:00Z'))
  await assert.rejects(world.clock.advance('soon'), /'soon' is no duration/)
  await world.clock.resume()
  await world.clock.scale(1000)
  await assert.rejects(world.clock.advance(-1), /does not advance by a negative time/)
})

test('the clock follows Date', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: new Date('2030-01-31T12:00:00Z') })
  assert.deepEqual(await world.clock.followDate(), new Date('2030-01-31T12:00:00Z'))
  await client.set('session', 'alice', 'EX', 3600)
  t.mock.timers.tick(3_599_999)
  await world.clock.followDate()
  assert.equal(await client.exists('session'), 1)
  t.mock.timers.tick(1)
  await world.clock.followDate()
  assert.equal(await client.exists('session'), 0)
  t.mock.timers.setTime(0) // back
  assert.deepEqual(await world.clock.followDate(), new Date(0))
  assert.deepEqual(await world.command('TIME'), ['0', '0'])

  t.mock.timers.reset()
  const [before, shown] = [Date.now(), await world.clock.followDate()]
  assert.ok(before <= +shown && +shown <= Date.now() + 1)
  assert.equal((await world.command('MINI.CLOCK', 'STATUS'))[3], '1') // it runs
})

test('a worker times out', async () => {
  const worker = client.blpop('jobs', 3600)
  await world.waitForBlocked(1)
  await world.clock.advance(3_600_000)
  assert.equal(await worker, null)
})

test('waiting', async () => {
  const waiting = world.waitForKey('k', 'v')
  await client.set('k', 'v')
  await waiting
  await client.rpush('list', 'a', 'b')
  await world.waitForKey('k')
  await world.waitForLength('list', 2)
  await world.waitForSubscribers('news', 0)
  await world.waitForQuiet(10)
  await world.waitForQuiet('10ms', { timeout: '1m' })
  await world.waitFor(['LENGTH', 'list', 2], { timeout: 0 })
  await assert.rejects(world.waitForKey('k', 'w', { timeout: 10 }), /^Error: TIMEOUT .*found "v"/)
})

test('snapshot, restore and fork', async () => {
  await client.set('stock', 100)
  await world.snapshot(world.name)
  const copy = await world.fork()
  await client.decr('stock')
  assert.equal(await copy.command('GET', 'stock'), '100')
  await copy.close()
  await world.restore(world.name)
  assert.equal(await client.get('stock'), '100')
  await world.reset()
  assert.equal(await client.dbsize(), 0)
})

test('the same seed, the same choices', async () => {
  await client.sadd('fruit', 'apple', 'banana', 'cherry', 'date', 'elder')
  await world.seed(42)
  const first = await client.srandmember('fruit', 3)
  await world.seed(42)
  assert.deepEqual(await client.srandmember('fruit', 3), first)
})

test('dump and leaks', async () => {
  await world.mark('begin')
  await client.zadd('board', 1, 'ann')
  assert.equal(await world.dump(), 'database 0\n"board" zset\n  "ann" 1\n')
  assert.equal(await world.dump('other*'), '')
  assert.deepEqual(await world.leaks('begin'), ['key 0 "board" zset'])
})

test('diff', async () => {
  await client.hset('user:1', { name: 'ann', visits: 7 })
  const before = world.name + '-before'
  await world.snapshot(before)
  assert.equal(await world.diff(before), '')
  await client.hincrby('user:1', 'visits', 1)
  assert.equal(await world.diff(before), 'database 0\n "user:1" hash\n-  "visits" "7"\n+  "visits" "8"\n')
  await world.forget(before)
  await assert.rejects(world.diff(before), /no world or snapshot/)
})

test('chaos', async () => {
  const members = () => world.command('SMEMBERS', 'fruit')
  await world.seed(1)
  await world.command('SADD', 'fruit', 'apple', 'banana', 'cherry', 'date', 'elder')
  const order = await members()
  assert.deepEqual(await members(), order)
  await world.chaos.on('order')
  assert.deepEqual(await world.chaos.status(), { evict: false, order: true, scan: false, time: false })
  const shuffled = await Promise.all(Array.from({ length: 10 }, members))
  assert.notDeepEqual(shuffled, Array(10).fill(order))
  await world.chaos.off('order')
  assert.deepEqual(await members(), order)
})

test('faults', async () => {
  await world.faults.add('full', 'ON', 'COMMAND', 'set', 'DO', 'OOM', 'TIMES', 1)
  await world.faults.add('slow', 'ON', 'KEY', 'k', 'DO', 'DELAY', 10)
  await assert.rejects(client.set('other', 'v'), /OOM/)
  await world.waitFor(['FAULT', 'full', 1])
  const [full, slow] = await world.faults.list()
  assert.deepEqual(full, { id: 'full', fault: 'ON COMMAND set DO OOM TIMES 1', seen: 1, hits: 1, note: '' })
  assert.match(slow.note, /^struck nothing: /)
  assert.deepEqual({ ...slow, note: '' }, { id: 'slow', fault: 'ON KEY k DO DELAY 10', seen: 0, hits: 0, note: '' })
  await world.faults.clear('full')
  assert.equal((await world.faults.list()).length, 1)
  await world.faults.clear()
  assert.deepEqual(await world.faults.list(), [])
})

test('replies that come in pieces', async () => {
  const large = 'x'.repeat(1 << 20)
  await world.command('RPUSH', 'list', large, '', Buffer.from('é'))
  assert.deepEqual(await world.command('LRANGE', 'list', 0, -1), [large, '', 'é'])
})

test('a fault that strikes nothing', async () => {
  const other = server.world()
  await other.faults.add('lost', 'ON', 'COMMAND', 'incr', 'DO', 'LOST-REPLY')
  await other.faults.add('any', 'ON', 'ANY', 'CLIENT', 'worker-*', 'DO', 'ERROR', 'ERR no')
  const worker = new Redis(other.url, { connectionName: 'worker-1' })
  await assert.rejects(worker.ping(), /ERR no/)
  worker.disconnect()
  const warned = once(process, 'warning')
  await other.close()
  const [warning] = await warned
  assert.equal(warning.name, 'FaultWarning')
  assert.match(warning.message, /^fault lost ON COMMAND incr DO LOST-REPLY struck nothing: clients sent /)
})

test('an outage', async () => {
  await client.ping()
  await world.outage.begin('HANG', 'FOR', '5s', 'ON', 'CLIENT', '')
  const hanging = client.incr('n')
  await world.waitForOutage(1)
  assert.equal(await world.command('EXISTS', 'n'), 0)
  await world.outage.end()
  assert.equal(await hanging, 1)
})

test('down and restart', async () => {
  const alone = await Server.start()
  const other = alone.world()
  await other.outage.begin('DOWN')
  const refused = new Redis(other.url, { retryStrategy: null })
  const [error] = await once(refused, 'error')
  assert.equal(error.code, 'ECONNREFUSED')
  assert.equal(await other.outage.struck(), 0)
  await other.outage.end()
  await other.command('SET', 'k', 'v')
  const script = await other.command('SCRIPT', 'LOAD', 'return 1')
  const broken = new Redis(other.url, { retryStrategy: null })
  assert.equal(await broken.get('k'), 'v')
  const end = once(broken, 'end')
  await alone.restart()
  await end
  assert.equal(await other.command('GET', 'k'), 'v')
  assert.deepEqual(await other.command('SCRIPT', 'EXISTS', script), [0])
  await alone.restart({ empty: true })
  assert.equal(await other.command('GET', 'k'), null)
  await other.close()
  await alone.close()
})
