// What docs/start/bullmq.md says of Jest.

const { Queue, Worker } = require('bullmq')
const { Server } = require('miniserver-testkit')

// All but Date.
const doNotFake = ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout']

test('a mail is sent in an hour', async () => {
  jest.useFakeTimers({ doNotFake })
  const server = await Server.start()
  const world = server.world()
  await world.clock.followDate()
  const { host, port, username, password } = world
  const connection = { host, port, username, password, maxRetriesPerRequest: null }
  const queue = new Queue('mail', { connection })
  const sent = []
  const worker = new Worker('mail', async (job) => sent.push(job.data.to), { connection })
  await queue.add('welcome', { to: 'alice' }, { delay: 3_600_000 })

  await world.waitForBlocked(1)
  jest.setSystemTime(Date.now() + 3_600_000)
  await world.clock.followDate()
  await world.waitForBlocked(1)
  expect(sent).toEqual(['alice'])
  await worker.close()
  await queue.close()
  await server.close()
})
