// Jest without its globals, where the mock cannot ask it for the ioredis that it replaces.
const { expect, jest, test } = require('@jest/globals')

jest.mock('ioredis', () => require('miniserver-testkit/ioredis-mock'))

const { remember, recall } = require('../jest/sessions')

test('a session is there', async () => {
  await remember('17', 'alice')
  expect(await recall('17')).toBe('alice')
})
