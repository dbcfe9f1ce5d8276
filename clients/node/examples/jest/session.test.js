const Redis = require('ioredis')
const { Server } = require('miniserver-testkit')

let server, world, client
beforeAll(async () => {
  server = await Server.start()
})
afterAll(() => server.close())

beforeEach(() => {
  world = server.world(server.freshName(expect.getState().currentTestName))
  client = new Redis(world.url)
})
afterEach(async () => {
  client.disconnect()
  await world.close()
})

test('a session expires', async () => {
  await client.set('session', 'alice', 'EX', 3600)
  await world.clock.advance(3_600_000)
  expect(await client.exists('session')).toBe(0)
})
