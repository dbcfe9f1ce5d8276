'use strict'

// A limiter in Lua, as libraries for rate limits have it, and its tests.

const assert = require('node:assert')
const { beforeEach, mock, test } = require('node:test')
const Redis = require('ioredis-mock')

const consume = `
local points = redis.call('INCRBY', KEYS[1], ARGV[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  ttl = tonumber(ARGV[2])
end
return {points, ttl}`

class Limiter {
  #client
  #points
  #duration
  #block

  constructor(client, { points, duration, block = 0 }) {
    this.#client = client
    this.#points = points
    this.#duration = duration
    this.#block = block
    client.defineCommand('consumePoints', { numberOfKeys: 1, lua: consume })
  }

  /** Takes points of a user, and rejects with how long to wait if there are too few. */
  async consume(user, points = 1) {
    const [used, wait] = await this.#client.consumePoints(user, points, this.#duration * 1000)
    if (used > this.#points && this.#block && used - points <= this.#points) await this.block(user, this.#block)
    const state = { left: Math.max(this.#points - used, 0), used, wait }
    if (used > this.#points) throw Object.assign(new Error('too many requests'), state)
    return state
  }

  async block(user, seconds) {
    await this.#client.multi().set(user, this.#points + 1).pexpire(user, seconds * 1000).exec()
  }

  async get(user) {
    const [[, used], [, wait]] = await this.#client.multi().get(user).pttl(user).exec()
    return used === null ? undefined : { used: Number(used), wait }
  }

  async reward(user, points) {
    return this.#client.decrby(user, points)
  }

  async forget(user) {
    return (await this.#client.del(user)) === 1
  }
}

const client = new Redis({ enableOfflineQueue: false })
const limiter = new Limiter(client, { points: 3, duration: 60 })

beforeEach(async () => {
  await client.flushall()
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date'], now: 1_900_000_000_000 })
})

test('so many requests may pass', async () => {
  for (const left of [2, 1, 0]) assert.deepEqual(await limiter.consume('alice'), { left, used: 3 - left, wait: 60_000 })
  await assert.rejects(limiter.consume('alice'), { message: 'too many requests', left: 0, used: 4, wait: 60_000 })
  assert.equal((await limiter.consume('bob')).left, 2)
})

test('the wait gets shorter, and then requests pass again', async () => {
  await limiter.consume('alice', 3)
  mock.timers.tick(45_000)
  await assert.rejects(limiter.consume('alice'), { wait: 15_000 })
  mock.timers.tick(15_001)
  assert.equal((await limiter.consume('alice')).left, 2)
})

test('a day of a user', async () => {
  let passed = 0
  for (let minute = 0; minute < 24 * 60; minute += 10) {
    for (let i = 0; i < 4; i++) {
      passed += await limiter.consume('alice').then(
        () => 1,
        () => 0,
      )
    }
    mock.timers.tick(600_000)
  }
  assert.equal(passed, 3 * 6 * 24)
})

test('a user who asks too often is blocked for longer', async () => {
  const strict = new Limiter(client, { points: 1, duration: 1, block: 3600 })
  await strict.consume('alice')
  await assert.rejects(strict.consume('alice'))
  mock.timers.tick(60_000)
  await assert.rejects(strict.consume('alice'), { used: 3, wait: 3_540_000 })
  mock.timers.tick(3_540_001)
  assert.equal((await strict.consume('alice')).used, 1)
})

test('what is known of a user', async () => {
  assert.equal(await limiter.get('alice'), undefined)
  await limiter.consume('alice', 2)
  assert.deepEqual(await limiter.get('alice'), { used: 2, wait: 60_000 })
  assert.equal(await limiter.reward('alice', 1), 1)
  assert.deepEqual([await limiter.forget('alice'), await limiter.forget('alice')], [true, false])
})

test('requests at the same time', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => limiter.consume('alice')))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
})

test('an instance with a prefix of its own', async () => {
  const other = new Limiter(new Redis({ keyPrefix: 'api:' }), { points: 1, duration: 60 })
  await other.reward('alice', 5)
  assert.equal(await client.get('api:alice'), '-5')
  assert.equal(await limiter.get('alice'), undefined)
})
