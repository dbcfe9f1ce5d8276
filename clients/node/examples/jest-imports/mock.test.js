// Jest without its globals.
const { expect, jest, test } = require('@jest/globals')

jest.mock('ioredis', () => require('miniserver-testkit/ioredis-mock'))

const Redis = require('ioredis')
const { remember, recall } = require('../jest/sessions')

test('a session is there', async () => {
  await remember('17', 'alice')
  expect(await recall('17')).toBe('alice')
})

test('the class has its names', () => {
  expect([Redis.Cluster, Redis.Command, Redis.ReplyError].map((name) => typeof name)).toEqual(['function', 'function', 'function'])
})
