// The recipes of docs/start/bullmq.md, which shows these tests as they are.

import { Queue, Worker } from 'bullmq'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { Server } from 'miniserver-testkit'

const hour = 3_600_000

let server, world, connection, queue, worker
beforeAll(async () => {
  server = await Server.start()
})
afterAll(() => server.close())

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-31T12:00:00Z') })
  world = server.world()
  await world.clock.followDate()
  const { host, port, username, password } = world
  connection = { host, port, username, password, maxRetriesPerRequest: null }
  queue = new Queue('mail', { connection })
})
afterEach(async () => {
  await worker.close()
  await queue.close()
  await world.close()
  vi.useRealTimers()
})

/** Moves both clocks while the worker waits for jobs, and waits until it has done those that became due. */
async function pass(ms) {
  await world.waitForBlocked(1)
  vi.setSystemTime(Date.now() + ms)
  await world.clock.followDate()
  await world.waitForBlocked(1)
}

test('a mail is sent in an hour', async () => {
  const sent = []
  worker = new Worker('mail', async (job) => sent.push(job.data.to), { connection })
  await queue.add('welcome', { to: 'alice' }, { delay: hour })
  await pass(hour - 1)
  expect(sent).toEqual([])
  await pass(1)
  expect(sent).toEqual(['alice'])
})

test('a mail is tried again after a minute, two and four', async () => {
  const tried = []
  worker = new Worker('mail', () => tried.push(new Date().toISOString()) && Promise.reject(new Error('no network')), { connection })
  await queue.add('welcome', {}, { attempts: 4, backoff: { type: 'exponential', delay: 60_000 } })
  for (const minutes of [1, 2, 4]) await pass(minutes * 60_000)
  expect(tried).toEqual(['12:00', '12:01', '12:03', '12:07'].map((time) => `2030-01-31T${time}:00.000Z`))
  expect(await queue.getFailedCount()).toBe(1)
})

test('a report is made each night', async () => {
  const made = []
  worker = new Worker('mail', async () => made.push(new Date().toISOString()), { connection })
  await queue.upsertJobScheduler('nightly', { pattern: '0 3 * * *', tz: 'UTC' })
  await pass(15 * hour - 1)
  expect(made).toEqual([])
  for (const wait of [1, 24 * hour, 24 * hour]) await pass(wait)
  expect(made).toEqual(['2030-02-01T03:00:00.000Z', '2030-02-02T03:00:00.000Z', '2030-02-03T03:00:00.000Z'])
})

test('two mails are sent in a minute', async () => {
  const sent = []
  const limiter = { max: 2, duration: 60_000 }
  worker = new Worker('mail', async (job) => sent.push(job.data), { connection, limiter, maximumRateLimitDelay: 10 })
  await queue.addBulk([1, 2, 3, 4].map((data) => ({ name: 'welcome', data })))
  await vi.waitUntil(async () => sent.length === 2 && (await queue.getRateLimitTtl()) > 0)
  vi.setSystemTime(Date.now() + 60_000)
  await world.clock.followDate()
  await vi.waitUntil(() => sent.length === 4)
})
