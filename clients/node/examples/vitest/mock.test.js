import { afterEach, expect, test, vi } from 'vitest'
import Redis from 'ioredis'
import { recall, remember } from './sessions'

// The program under test imports ioredis, and gets the mock.
vi.mock('ioredis', () => import('miniserver-testkit/ioredis-mock'))

afterEach(() => new Redis().flushall())

test('a session is there', async () => {
  await remember('17', 'alice')
  expect(await recall('17')).toBe('alice')
})

test('a session ends after an hour', async () => {
  vi.useFakeTimers()
  await remember('17', 'alice')
  vi.advanceTimersByTime(3_600_000)
  expect(await recall('17')).toBeNull()
  vi.useRealTimers()
})
