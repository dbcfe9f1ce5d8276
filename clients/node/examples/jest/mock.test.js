// The program under test requires ioredis, and gets the mock.
jest.mock('ioredis', () => require('miniserver-testkit/ioredis-mock'))

const Redis = require('ioredis')
const { remember, recall } = require('./sessions')

afterEach(() => new Redis().flushall())

test('a session is there', async () => {
  await remember('17', 'alice')
  expect(await recall('17')).toBe('alice')
})

test('a session ends after an hour', async () => {
  jest.useFakeTimers()
  await remember('17', 'alice')
  jest.advanceTimersByTime(3_600_000)
  expect(await recall('17')).toBeNull()
  jest.useRealTimers()
})
