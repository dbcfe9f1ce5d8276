// The names of the module for import.

import names from './redis-memory-server.js'

export const { RedisInstance, RedisMemoryServer } = names
export default RedisMemoryServer
