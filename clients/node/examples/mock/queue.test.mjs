// A queue of jobs with delays, retries and events, as libraries for queues have it, and its tests.

import assert from 'node:assert'
import { EventEmitter, once } from 'node:events'
import { afterEach, mock, test } from 'node:test'
import Redis from 'ioredis-mock'

const add = `
redis.call('HSET', KEYS[1] .. ARGV[1], 'name', ARGV[2], 'data', ARGV[3], 'attempts', ARGV[4], 'failed', 0)
if tonumber(ARGV[5]) > 0 then
  redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1])
else
  redis.call('LPUSH', KEYS[3], ARGV[1])
end
return ARGV[1]`

const take = `
local due = redis.call('ZRANGEBYSCORE', KEYS[1], 0, ARGV[1])
for i = 1, #due do
  redis.call('ZREM', KEYS[1], due[i])
  redis.call('LPUSH', KEYS[2], due[i])
end
local id = redis.call('RPOP', KEYS[2])
if id then
  redis.call('LPUSH', KEYS[3], id)
end
return id`

class Queue extends EventEmitter {
  #client
  #subscriber
  #key

  constructor(name, client) {
    super()
    this.#client = client
    this.#key = (part) => `queue:${name}:${part}`
    client.defineCommand('addJob', { numberOfKeys: 3, lua: add })
    client.defineCommand('takeJob', { numberOfKeys: 3, lua: take })
  }

  async listen() {
    this.#subscriber = this.#client.duplicate()
    this.#subscriber.on('message', (channel, message) => this.emit(...JSON.parse(message)))
    await this.#subscriber.subscribe(this.#key('events'))
  }

  async add(name, data, { attempts = 1, delay = 0 } = {}) {
    const id = await this.#client.incr(this.#key('id'))
    const keys = [this.#key('job:'), this.#key('delayed'), this.#key('waiting')]
    return this.#client.addJob(...keys, id, name, JSON.stringify(data), attempts, delay ? Date.now() + delay : 0)
  }

  /** Does the next job, and resolves to its ID; to undefined if there is none. */
  async work(processor) {
    const id = await this.#client.takeJob(this.#key('delayed'), this.#key('waiting'), this.#key('active'), Date.now())
    if (!id) return undefined
    const { name, data, attempts } = await this.#client.hgetall(this.#key(`job:${id}`))
    try {
      const result = await processor({ id, name, data: JSON.parse(data) })
      await this.#end(id, 'completed', result)
    } catch (error) {
      const failed = await this.#client.hincrby(this.#key(`job:${id}`), 'failed', 1)
      if (failed < Number(attempts)) await this.#retry(id, failed)
      else await this.#end(id, 'failed', error.message)
    }
    return id
  }

  async #end(id, state, result) {
    const transaction = this.#client.multi().lrem(this.#key('active'), 1, id).zadd(this.#key(state), Date.now(), id)
    await transaction.hset(this.#key(`job:${id}`), 'result', JSON.stringify(result)).exec()
    await this.#client.publish(this.#key('events'), JSON.stringify([state, { id, result }]))
  }

  /** The pause doubles with each failure. */
  async #retry(id, failed) {
    const transaction = this.#client.multi().lrem(this.#key('active'), 1, id)
    await transaction.zadd(this.#key('delayed'), Date.now() + 1000 * 2 ** (failed - 1), id).exec()
  }

  async counts() {
    const pipeline = this.#client.pipeline().llen(this.#key('waiting')).llen(this.#key('active')).zcard(this.#key('delayed'))
    const [waiting, active, delayed, completed, failed] = await pipeline.zcard(this.#key('completed')).zcard(this.#key('failed')).exec()
    return { waiting: waiting[1], active: active[1], delayed: delayed[1], completed: completed[1], failed: failed[1] }
  }

  async close() {
    await this.#subscriber?.quit()
  }
}

const client = new Redis('redis://redis.example:6379')
const nothing = { waiting: 0, active: 0, delayed: 0, completed: 0, failed: 0 }

afterEach(async () => {
  mock.timers.reset()
  await client.flushall()
})

test('jobs are done in their order', async () => {
  const queue = new Queue('mail', client)
  const ids = [await queue.add('welcome', { to: 'alice' }), await queue.add('welcome', { to: 'bob' })]
  assert.deepEqual(await queue.counts(), { ...nothing, waiting: 2 })
  const done = []
  for (let id; (id = await queue.work((job) => done.push(job.data.to))); ) assert.equal(id, ids.shift())
  assert.deepEqual(done, ['alice', 'bob'])
  assert.deepEqual(await queue.counts(), { ...nothing, completed: 2 })
})

test('a delayed job waits', async () => {
  mock.timers.enable({ apis: ['Date'], now: 1_900_000_000_000 })
  const queue = new Queue('mail', client)
  await queue.add('reminder', {}, { delay: 60_000 })
  assert.equal(await queue.work(() => {}), undefined)
  assert.deepEqual(await queue.counts(), { ...nothing, delayed: 1 })
  mock.timers.tick(60_000)
  assert.equal(await queue.work(({ name }) => name), '1')
  assert.deepEqual(await queue.counts(), { ...nothing, completed: 1 })
})

test('a job that fails is tried again, later each time', async () => {
  mock.timers.enable({ apis: ['Date'], now: 1_900_000_000_000 })
  const queue = new Queue('mail', client)
  await queue.add('welcome', {}, { attempts: 3 })
  let tries = 0
  const fail = () => {
    tries++
    throw new Error('no route')
  }
  for (const pause of [0, 1000, 2000]) {
    mock.timers.tick(pause)
    await queue.work(fail)
    assert.equal(await queue.work(fail), undefined)
  }
  assert.equal(tries, 3)
  assert.deepEqual(await queue.counts(), { ...nothing, failed: 1 })
  assert.equal(await client.hget('queue:mail:job:1', 'result'), '"no route"')
})

test('workers share the jobs', async () => {
  const queue = new Queue('mail', client)
  for (let i = 0; i < 20; i++) await queue.add('welcome', { i })
  const done = []
  const worker = async () => {
    const own = new Queue('mail', client.duplicate())
    while (await own.work(({ data }) => done.push(data.i)));
  }
  await Promise.all([worker(), worker(), worker()])
  assert.deepEqual(done.sort((a, b) => a - b), [...Array(20).keys()])
})

test('events tell of the results', async () => {
  const queue = new Queue('mail', client)
  await queue.listen()
  const completed = once(queue, 'completed')
  await queue.add('welcome', {})
  await queue.work(() => 'sent')
  assert.deepEqual(await completed, [{ id: '1', result: 'sent' }])
  await queue.close()
})
