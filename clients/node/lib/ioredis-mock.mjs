// The names that a module of ioredis has, for import.

import Redis from './ioredis-mock.js'

export default Redis
export { Redis }
export const { Cluster, Command, Pipeline, ReplyError, ScanStream, print } = Redis
