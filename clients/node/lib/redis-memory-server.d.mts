import { RedisMemoryServer } from './redis-memory-server.js'

export * from './redis-memory-server.js'
export default RedisMemoryServer
