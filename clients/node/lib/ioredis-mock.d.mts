import redisMock from './ioredis-mock.js'

export default redisMock
export declare const Redis: redisMock.Constructor
export declare const Cluster: redisMock.ClusterConstructor
export type RedisOptions = redisMock.RedisOptions
export type RedisClusterOptions = redisMock.RedisClusterOptions
export type ClusterConstructor = redisMock.ClusterConstructor
export type Constructor = redisMock.Constructor
export { Command, Pipeline, ReplyError, ScanStream, print } from 'ioredis'
