// Jest with the setting moduleNameMapper, which hides the ioredis that the mock replaces.
const Redis = require('ioredis')
const { remember, recall } = require('../jest/sessions')

test('a session is there', async () => {
  await remember('17', 'alice')
  expect(await recall('17')).toBe('alice')
  expect(await new Redis('redis://redis.example:6379').keys('*')).toEqual(['session:17'])
})
