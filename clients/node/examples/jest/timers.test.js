// What fake timers do to the mock. They may be there before it.
jest.useFakeTimers()
const Redis = require('miniserver-testkit/ioredis-mock')

test('it connects', async () => {
  const client = new Redis(7001)
  jest.advanceTimersByTime(60_000) // the server has not taken a minute to start
  await client.set('k', 'v')
  const lazy = new Redis({ port: 7001, lazyConnect: true })
  await lazy.connect()
  expect(await lazy.get('k')).toBe('v')
})

test('the server has the time of the test', async () => {
  const client = new Redis(7002)
  jest.setSystemTime(new Date('2001-02-03'))
  expect(await client.time()).toEqual(['981158400', '0'])
  jest.setSystemTime(new Date('2000-01-01')) // back
  expect(await client.time()).toEqual(['946684800', '0'])
  jest.useRealTimers()
  const before = Math.floor(Date.now() / 1000)
  const now = Number((await client.time())[0])
  expect(now >= before && now <= Date.now() / 1000).toBe(true)
  jest.useFakeTimers()
})

test('keys expire on the dot', async () => {
  const client = new Redis(7006)
  for (let i = 0; i < 20; i++) {
    jest.useFakeTimers() // the time that they show first is the machine's
    await client.set('k', 'v', 'EX', 10)
    jest.advanceTimersByTime(9_999)
    expect(await client.get('k')).toBe('v')
    jest.advanceTimersByTime(1)
    expect(await client.get('k')).toBeNull()
    jest.useRealTimers()
  }
  jest.useFakeTimers()
})

test('blocked clients time out', async () => {
  const client = new Redis(7003)
  const job = client.blpop('jobs', 3600)
  await (await client.world()).waitForBlocked(1)
  jest.advanceTimersByTime(3_600_000)
  expect(await job).toBeNull()
})

test('messages arrive', async () => {
  const [subscriber, publisher] = [new Redis(7004), new Redis(7004)]
  const arrived = new Promise((resolve) => subscriber.on('message', (...message) => resolve(message)))
  await subscriber.subscribe('mails')
  await publisher.publish('mails', 'alice')
  expect(await arrived).toEqual(['mails', 'alice'])
})

test('a time that no server has is told', async () => {
  const client = new Redis(7005)
  await client.ping()
  jest.setSystemTime(-1)
  await expect(client.get('k')).rejects.toThrow('time is neither an integer between 0 and')
  jest.setSystemTime(0)
  expect(await client.get('k')).toBeNull()
})
