import ioredis = require('ioredis')
import { World } from './index'

declare namespace redisMock {
  /** The options of ioredis, and those of a mock. */
  type RedisOptions = {
    /** The first values of keys: strings, arrays, objects, Sets and Maps from members to scores. They replace what the keys have. */
    data?: Record<string, unknown>
    /** The keyspace events that the server sends, as notify-keyspace-events has them, beside those that other clients have asked for. */
    notifyKeyspaceEvents?: string
  } & ioredis.RedisOptions

  type RedisClusterOptions = {
    redisOptions?: Omit<
      RedisOptions,
      'port' | 'host' | 'path' | 'sentinels' | 'retryStrategy' | 'enableOfflineQueue' | 'readOnly'
    >
  } & Omit<ioredis.ClusterOptions, 'redisOptions'>

  interface Steered {
    /** Resolves to the world of the test kit that has the data: with its clock, its faults and so on. */
    world(): Promise<World>
  }

  interface ClusterConstructor {
    new (startupNodes: ioredis.ClusterNode[], options?: RedisClusterOptions): ioredis.Cluster & Steered
  }

  interface Constructor {
    new (port: number, host: string, options: RedisOptions): ioredis.Redis & Steered
    new (path: string, options: RedisOptions): ioredis.Redis & Steered
    new (port: number, options: RedisOptions): ioredis.Redis & Steered
    new (port: number, host: string): ioredis.Redis & Steered
    new (options: RedisOptions): ioredis.Redis & Steered
    new (port: number): ioredis.Redis & Steered
    new (path: string): ioredis.Redis & Steered
    new (): ioredis.Redis & Steered
    Cluster: ClusterConstructor
    Command: typeof ioredis.Command
    Pipeline: typeof ioredis.Pipeline
    Redis: Constructor
    default: Constructor
  }
}

declare const redisMock: redisMock.Constructor
export = redisMock
