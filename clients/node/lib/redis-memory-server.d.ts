import { Server, World } from './index'

export interface RedisMemoryInstancePropT {
  /** Options of the server. */
  args?: string[]
  /** A port; another one if it is taken, and a free one by default. */
  port?: number | null
  /** The address to listen on, 127.0.0.1 by default; '::,0.0.0.0' are all. */
  ip?: string
}

export interface RedisMemoryServerOptsT {
  instance?: RedisMemoryInstancePropT
  /** Of no effect: the program is that of the test kit. */
  binary?: { version?: string; downloadDir?: string; systemBinary?: string; ignoreDownloadCache?: boolean }
  /** Of no effect. */
  spawn?: object
  /** Starts the server before it is asked for its address; false by default, as in the original. */
  autoStart?: boolean
}

export interface StartupInstanceData {
  port: number
  ip: string
}

export interface RedisInstanceDataT extends StartupInstanceData {
  instance: RedisInstance
}

/** A process that serves one address. */
export class RedisInstance {
  constructor(opts: RedisMemoryServerOptsT)
  static run(opts: RedisMemoryServerOptsT): Promise<RedisInstance>
  readonly opts: RedisMemoryServerOptsT
  readonly isInstanceReady: boolean
  /** The server of the test kit; undefined before run. */
  readonly server?: Server
  run(): Promise<this>
  kill(): Promise<this>
  getPid(): number | undefined
}

/** A server for tests. It ends with stop, or with this process. */
export class RedisMemoryServer {
  constructor(opts?: RedisMemoryServerOptsT)
  /** Resolves to a server, which has started if the option autoStart is true. */
  static create(opts?: RedisMemoryServerOptsT): Promise<RedisMemoryServer>
  opts: RedisMemoryServerOptsT
  runningInstance: Promise<RedisInstanceDataT> | null
  instanceInfoSync: RedisInstanceDataT | null
  /** Resolves to true; rejects if the server has started. */
  start(): Promise<boolean>
  /** Ends the server, and resolves to true. */
  stop(): Promise<boolean>
  /** Returns what is known of the process; false if none has started. */
  getInstanceInfo(): RedisInstanceDataT | false
  /** Resolves to what is known of the process, which it starts if there is none. */
  ensureInstance(): Promise<RedisInstanceDataT>
  getHost(): Promise<string>
  getIp(): Promise<string>
  getPort(): Promise<number>
  /** Resolves to the world of all clients of the server: with its clock, its faults and so on. */
  world(): Promise<World>
}

export default RedisMemoryServer
