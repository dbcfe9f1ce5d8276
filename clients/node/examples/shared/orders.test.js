const Redis = require('ioredis')
const { Server } = require('miniserver-testkit')

let server, world, client
beforeAll(async () => {
  server = await Server.start()
  world = server.world()
  client = new Redis(world.url)
})
afterAll(async () => {
  client.disconnect()
  await world.close()
  await server.close()
})

test('orders are alone on the server of all files', async () => {
  expect(server.url).toBe(process.env.MINISERVER_URL)
  expect(await client.incr('k')).toBe(1)
  await world.clock.advance('1h')
})
