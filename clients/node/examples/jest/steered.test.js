const Redis = require('miniserver-testkit/ioredis-mock')

test('an order survives a lost reply', async () => {
  const client = new Redis() // sends again what has no reply
  const world = await client.world()
  await world.faults.add('lost', 'ON', 'COMMAND', 'sadd', 'DO', 'LOST-REPLY', 'TIMES', 1)
  await client.sadd('orders', 17)
  expect(await client.scard('orders')).toBe(1)
})

test('a worker waits for a job', async () => {
  const client = new Redis()
  const job = client.duplicate().blpop('jobs', 0)
  await (await client.world()).waitForBlocked(1)
  await client.rpush('jobs', 'mail')
  expect(await job).toEqual(['jobs', 'mail'])
})
