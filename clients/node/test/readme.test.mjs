// The code of README.md, which shows it as it is.

import Redis from 'ioredis' // or any other client
import { Server } from 'miniserver-testkit'

const server = await Server.start({ options: ['--maxmemory', '10mb'] })
const world = server.world()
const client = new Redis(world.url)

await client.set('session', 'alice', 'EX', 3600)
await world.clock.advance(3_600_000) // returns at once
await client.exists('session') // 0

client.disconnect()
await world.close()
await server.close()
