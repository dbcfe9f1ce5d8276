'use strict'

// What a test sees of ioredis-mock. Each function runs with the original and with ours, on a port of its own, and the results are equal; or they
// differ for a reason, and are what stands here.

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Resolves to what a promise rejects with, as text. */
const refusal = async (promise) => {
  try {
    return `no error, but ${JSON.stringify(await promise)}`
  } catch (error) {
    return error.message
  }
}

/** Names to functions of the module and a port, which return the same with both. */
exports.same = {
  async 'a value'(Redis, port) {
    const client = new Redis(port)
    return [await client.set('k', 'v'), await client.get('k'), await client.get('other')]
  },
  async 'clients of one address share data'(Redis, port) {
    await new Redis(port).set('k', 'v')
    const clients = [new Redis(port), new Redis({ port }), new Redis(`redis://localhost:${port}`), new Redis(String(port)), new Redis(port, 'localhost', {})]
    return Promise.all(clients.map((client) => client.get('k')))
  },
  async 'clients of other addresses do not'(Redis, port) {
    await new Redis(port).set('k', 'v')
    const clients = [new Redis(port + 1000), new Redis(port, 'elsewhere.example'), new Redis({ port, host: '127.0.0.1' }), new Redis({ port, db: 1 })]
    return Promise.all(clients.map((client) => client.get('k')))
  },
  async 'databases of one address'(Redis, port) {
    const [zero, one] = [new Redis(port), new Redis({ port, db: 1 })]
    await one.set('k', 'one')
    await zero.set('k', 'zero')
    await one.flushdb()
    return [await zero.get('k'), await one.get('k'), await new Redis({ port, db: 1 }).get('k')]
  },
  async 'flushall between tests'(Redis, port) {
    await new Redis(port).set('k', 'v')
    return [await new Redis(port).flushall(), await new Redis(port).dbsize()]
  },
  async 'the option data'(Redis, port) {
    const client = new Redis({ port, data: { string: '3', hash: { a: '1', b: '2' }, list: ['a', 'b'], set: new Set(['x', 'y']), bytes: Buffer.from([1, 255]), number: 5 } })
    const values = [client.get('string'), client.hgetall('hash'), client.lrange('list', 0, -1), client.scard('set'), client.sismember('set', 'x')]
    return Promise.all([...values, client.getBuffer('bytes'), client.incrby('number', 10)])
  },
  async 'bytes of data'(Redis, port) {
    const client = new Redis({ port, data: { bytes: new Uint8Array([65, 66]) }, keyPrefix: null })
    return [await client.exists('bytes'), Buffer.from(Object.values(await client.getBuffer('bytes'))).toString()]
  },
  async 'large data'(Redis, port) {
    const numbers = [...Array(150_000).keys()]
    const client = new Redis({ port, data: { list: numbers, set: new Set(numbers), hash: Object.fromEntries(numbers.entries()) } })
    return [await client.llen('list'), Number(await client.lindex('list', -1)), await client.scard('set'), await client.hlen('hash')]
  },
  async 'data of a sorted set'(Redis, port) {
    const client = new Redis({ port, data: { board: new Map([['ben', { score: 2, value: 'ben' }], ['ann', { score: 1, value: 'ann' }]]) } })
    return [await client.zscore('board', 'ben'), await client.type('board')]
  },
  async 'data of a stream'(Redis, port) {
    const client = new Redis({ port, data: { jobs: [['1-0', ['task', 'mail']], ['2-0', ['task', 'bill']]] } })
    return [await client.xlen('jobs'), await client.xrange('jobs', '-', '+')]
  },
  async 'data replace what keys have, and other keys stay'(Redis, port) {
    const old = new Redis({ port, data: { a: '1', b: '1' } })
    await old.set('c', '1')
    const young = new Redis({ port, data: { a: '2' } })
    return [await old.mget('a', 'b', 'c'), await young.mget('a', 'b', 'c')]
  },
  async 'data are there for the next command of any client'(Redis, port) {
    const client = new Redis(port)
    await client.set('k', 'old')
    new Redis({ port, data: { k: 'new' } })
    return client.get('k')
  },
  async 'data of a database, with a prefix'(Redis, port) {
    const client = new Redis({ port, db: 3, keyPrefix: 'app:', data: { k: 'v' } })
    return [await client.get('k'), await new Redis({ port, db: 3 }).get('app:k'), await new Redis(port).dbsize()]
  },
  async 'keyPrefix'(Redis, port) {
    const client = new Redis({ port, keyPrefix: 'app:' })
    await client.set('k', 'v')
    await client.mset('x', 1, 'y', 2)
    return [await client.get('k'), await client.exists('k', 'x'), (await client.keys('*')).sort(), await client.pipeline().get('k').exec()]
  },
  async 'duplicate'(Redis, port) {
    const client = new Redis({ port, keyPrefix: 'app:' })
    await client.set('k', 'v')
    const other = client.duplicate()
    return [await other.get('k'), other instanceof Redis, other === client]
  },
  async 'lazyConnect'(Redis, port) {
    const client = new Redis({ port, lazyConnect: true })
    await client.connect()
    return [await client.set('k', 'v'), await client.get('k'), await refusal(client.connect())]
  },
  async 'a command connects'(Redis, port) {
    return new Redis({ port, lazyConnect: true }).set('k', 'v')
  },
  async 'connect twice'(Redis, port) {
    return refusal(new Redis(port).connect())
  },
  async 'disconnect and connect'(Redis, port) {
    const client = new Redis(port)
    await client.set('k', 'v')
    const ended = new Promise((resolve) => client.once('end', resolve))
    client.disconnect()
    await ended
    await client.connect()
    return client.get('k')
  },
  async 'quit'(Redis, port) {
    return new Redis(port).quit()
  },
  async 'events'(Redis, port) {
    const client = new Redis(port)
    const events = []
    for (const event of ['connect', 'ready', 'end']) client.on(event, () => events.push(event))
    await new Promise((resolve) => client.once('ready', resolve))
    const ended = new Promise((resolve) => client.once('end', resolve))
    client.disconnect()
    await ended
    return events
  },
  async 'enableOfflineQueue false'(Redis, port) {
    return new Redis({ port, enableOfflineQueue: false }).set('k', 'v')
  },
  async 'a password'(Redis, port) {
    const clients = [new Redis({ port, password: 'secret' }), new Redis({ port, username: 'app', password: 'secret' }), new Redis(`redis://app:secret@localhost:${port}`)]
    return Promise.all(clients.map((client) => client.set('k', 'v')))
  },
  async 'TLS and Sentinel'(Redis, port) {
    const clients = [new Redis({ port, tls: {} }), new Redis(`rediss://localhost:${port}`), new Redis({ port, name: 'main', sentinels: [{ host: 'nowhere.example', port: 26379 }] })]
    return Promise.all(clients.map((client) => client.set('k', 'v')))
  },
  async 'callbacks'(Redis, port) {
    return new Promise((resolve) => new Redis(port).set('k', 'v', (...results) => resolve(results)))
  },
  async 'buffers'(Redis, port) {
    const client = new Redis(port)
    await client.set('k', Buffer.from([255, 0]))
    await client.hset('h', 'f', Buffer.from([254]))
    return [await client.getBuffer('k'), await client.hgetBuffer('h', 'f')]
  },
  async 'arguments as objects and Maps'(Redis, port) {
    const client = new Redis(port)
    await client.hmset('h', { a: 1 })
    await client.hset('h', new Map([['b', 2]]))
    await client.mset({ x: 1, y: 2 })
    return [await client.hgetall('h'), await client.mget(['x', 'y']), await client.hgetall('none')]
  },
  async 'a pipeline'(Redis, port) {
    const client = new Redis(port)
    return [await client.pipeline().set('k', 1).incr('k').exec(), await client.pipeline([['get', 'k'], ['del', 'k']]).exec(), await client.pipeline().exec()]
  },
  async 'a transaction'(Redis, port) {
    const client = new Redis(port)
    return [await client.multi().set('k', 1).incr('k').get('k').exec(), await client.multi([['get', 'k']]).exec()]
  },
  async 'watch'(Redis, port) {
    const [client, other] = [new Redis(port), new Redis(port)]
    await client.watch('k')
    await other.set('k', 1)
    const lost = await client.multi().set('k', 2).exec()
    await client.watch('k')
    return [lost, await client.multi().set('k', 3).exec()]
  },
  async 'expiry'(Redis, port) {
    const client = new Redis(port)
    const before = [await client.set('k', 'v', 'EX', 1000), await client.get('k'), (await client.ttl('k')) > 900, await client.persist('k'), await client.ttl('k')]
    await client.pexpire('k', 5)
    await until(async () => (await client.get('k')) === null)
    return [before, await client.exists('k'), await client.ttl('k')]
  },
  async 'Lua'(Redis, port) {
    const client = new Redis({ port, data: { k: 5 } })
    const ten = 'return redis.call("GET", KEYS[1]) * ARGV[1]'
    client.defineCommand('multiply', { numberOfKeys: 1, lua: ten })
    const results = [await client.multiply('k', 10), await client.eval(ten, 1, 'k', 10), await client.pipeline().multiply('k', 3).exec()]
    return [results, await client.eval('return {1, "a", {2}}', 0), await client.eval('return {KEYS[1], ARGV[1], ARGV[2]}', 1, 'k', 'x', 7)]
  },
  async 'messages'(Redis, port) {
    const [subscriber, publisher] = [new Redis(port), new Redis(port)]
    const messages = []
    subscriber.on('message', (...message) => messages.push(message))
    subscriber.on('pmessage', (...message) => messages.push(message))
    const counts = [await subscriber.subscribe('mails', 'bills'), await publisher.publish('mails', 'alice'), await publisher.publish('other', 'bob')]
    await subscriber.unsubscribe('bills')
    await publisher.publish('bills', 'carol')
    await until(() => messages.length === 1)
    return [counts, messages]
  },
  async 'commands of a subscriber'(Redis, port) {
    const client = new Redis(port)
    await client.subscribe('mails')
    return [await client.ping().then(() => 'PONG'), await refusal(client.get('k'))]
  },
  async 'messages by pattern'(Redis, port) {
    const [subscriber, publisher] = [new Redis(port), new Redis(port)]
    const arrived = new Promise((resolve) => subscriber.on('pmessage', (...message) => resolve(message)))
    await subscriber.psubscribe('mail:*')
    return [await publisher.publish('mail:1', 'alice'), await arrived]
  },
  async 'messages stay at their address, in all its databases'(Redis, port) {
    const subscriber = new Redis(port)
    await subscriber.subscribe('mails')
    return new Redis(port + 1000).publish('mails', 'alice')
  },
  async 'keyspace events'(Redis, port) {
    const client = new Redis({ port, notifyKeyspaceEvents: 'KEA' })
    const subscriber = new Redis(port)
    const events = []
    subscriber.on('pmessage', (pattern, channel, message) => events.push([channel, message]))
    await subscriber.psubscribe('__key*__:*')
    await client.set('k', 'v')
    events.length = 0 // the original tells of no set
    await client.del('k')
    await until(() => events.filter(([, message]) => message === 'del' || message === 'k').length >= 2)
    return events.slice(-2)
  },
  async 'a stream'(Redis, port) {
    const client = new Redis(port)
    await client.xadd('jobs', '*', 'task', 'mail')
    await client.xadd('jobs', '*', 'task', 'bill')
    return [await client.xlen('jobs'), (await client.xrange('jobs', '-', '+')).map(([, fields]) => fields)]
  },
  async 'a reader of a stream'(Redis, port) {
    const waiting = new Redis(port).xread('BLOCK', 5000, 'STREAMS', 'jobs', '0-0')
    await new Redis(port).xadd('jobs', '*', 'task', 'mail')
    const [[key, [[, fields]]]] = await waiting
    return [key, fields]
  },
  async 'scanStream'(Redis, port) {
    const client = new Redis(port)
    await client.mset(Object.fromEntries([...Array(30).keys()].map((i) => [`k${i}`, i])))
    const keys = []
    for await (const page of client.scanStream({ match: 'k*', count: 10 })) keys.push(...page)
    return new Set(keys).size
  },
  async 'a cluster'(Redis) {
    const cluster = new Redis.Cluster(['redis://localhost:7001', { host: 'elsewhere.example', port: 7002 }])
    const nodes = [cluster.nodes().length, cluster.nodes('master').length]
    await new Redis().flushall()
    const replies = [await cluster.mset('a', 1, 'b', 2), await cluster.mget('a', 'b'), await cluster.multi().get('a').get('b').exec()]
    return [nodes, replies, await new Redis().get('a'), await cluster.duplicate().get('b'), await new Redis.Cluster([{ host: 'x', port: 1 }]).get('a')]
  },
  async 'a cluster with options'(Redis) {
    await new Redis().flushall()
    const cluster = new Redis.Cluster([{ host: 'x', port: 1 }], { redisOptions: { keyPrefix: 'app:', data: { k: 'v' } } })
    return [await cluster.get('k'), await new Redis().keys('*'), await cluster.quit()]
  },
}

/** Names to functions, the reason why their results differ, and the results: that of the original, and ours. */
exports.different = {
  'a value of another type': {
    reason: 'the original has the errors of Redis for some commands only',
    async run(Redis, port) {
      const client = new Redis({ port, data: { list: ['a'], text: 'abc' } })
      return [await refusal(client.get('list')), await refusal(client.incr('text')), await refusal(client.get())]
    },
    original: ['no error, but ["a"]', 'no error, but null', 'no error, but null'],
    ours: [
      'WRONGTYPE Operation against a key holding the wrong kind of value',
      'ERR value is not an integer or out of range',
      "ERR wrong number of arguments for 'get' command",
    ],
  },
  'errors of commands': {
    reason: 'the original sees fewer mistakes, and what it throws ends the pipeline',
    async run(Redis, port) {
      const client = new Redis({ port, data: { text: 'abc' } })
      const single = [await refusal(client.rename('none', 'k')), await refusal(client.set('k', 'v', 'EX', 'soon'))]
      return [...single, await refusal(client.multi().set('k').exec()), await refusal(pipelined(client))]
    },
    original: ['no error, but "OK"', 'no error, but "OK"', 'no error, but [[null,"OK"]]', 'Key text does not contain a list'],
    ours: [
      'ERR no such key',
      'ERR value is not an integer or out of range',
      'EXECABORT Transaction discarded because of previous errors.',
      'no error, but ["WRONGTYPE Operation against a key holding the wrong kind of value",null]',
    ],
  },
  'options in small letters': {
    reason: 'the original does not heed them, nor KEEPTTL',
    async run(Redis, port) {
      const client = new Redis(port)
      await client.set('k', 'v', 'ex', 100)
      await client.set('k', 'w', 'KEEPTTL')
      return client.ttl('k')
    },
    original: -1,
    ours: 100,
  },
  'the length of a text': {
    reason: 'it is in bytes, as in Redis',
    async run(Redis, port) {
      return new Redis({ port, data: { k: 'Grüße' } }).strlen('k')
    },
    original: 5,
    ours: 7,
  },
  'scores of ZPOPMIN and ZPOPMAX': {
    reason: 'they are strings, as with ioredis',
    async run(Redis, port) {
      const client = new Redis({ port })
      await client.zadd('board', 1, 'ann', 2, 'ben')
      return [await client.zpopmin('board'), await client.zpopmax('board')]
    },
    original: [['ann', 1], ['ben', 2]],
    ours: [['ann', '1'], ['ben', '2']],
  },
  'unsubscribe without channels': {
    reason: 'after it a client may send any command again, as in Redis',
    async run(Redis, port) {
      const client = new Redis(port)
      await client.subscribe('mails')
      await client.unsubscribe()
      return refusal(client.get('k'))
    },
    original: 'Connection in subscriber mode, only subscriber commands may be used',
    ours: 'no error, but null',
  },
  'files, replicas and passwords': {
    reason: 'a world has none of them, and says so; the original replies OK',
    async run(Redis, port) {
      const client = new Redis(port)
      return [await refusal(client.save()), await refusal(client.replicaof('NO', 'ONE')), await refusal(client.auth('secret'))].map((text) => text.slice(0, 40))
    },
    original: ['no error, but "OK"', 'no error, but "OK"', 'no error, but "OK"'],
    ours: ['ERR This command is not available inside', 'ERR This command is not available inside', 'ERR AUTH <password> called without any p'],
  },
  'a disconnected client': {
    reason: 'the original goes on working',
    async run(Redis, port) {
      const client = new Redis(port)
      await client.set('k', 'v')
      await client.quit()
      return refusal(client.get('k'))
    },
    original: 'no error, but "v"',
    ours: 'Connection is closed.',
  },
  'the status of a client': {
    reason: 'the original has none',
    async run(Redis, port) {
      const client = new Redis({ port, lazyConnect: true })
      const before = client.status
      await client.connect()
      return [before, client.status]
    },
    original: [undefined, undefined],
    ours: ['wait', 'ready'],
  },
  'the database of a URL': {
    reason: 'the original does not heed it',
    async run(Redis, port) {
      await new Redis(`redis://localhost:${port}/1`).set('k', 'v')
      return [await new Redis(port).get('k'), await new Redis({ port, db: 1 }).get('k')]
    },
    original: ['v', null],
    ours: [null, 'v'],
  },
  'new entries of a stream': {
    reason: 'the original returns older ones',
    async run(Redis, port) {
      const client = new Redis(port)
      await client.xadd('jobs', '*', 'task', 'mail')
      let read
      client.xread('BLOCK', 5000, 'STREAMS', 'jobs', '$').then((entries) => (read = entries))
      await until(async () => read || !(await new Redis(port).xadd('jobs', '*', 'task', 'bill')))
      return read[0][1][0][1]
    },
    original: ['task', 'mail'],
    ours: ['task', 'bill'],
  },
  'IDs of a stream': {
    reason: 'the original adds to those that are given',
    run: (Redis, port) => new Redis(port).xadd('jobs', '1-0', 'task', 'mail'),
    original: '1-0-0',
    ours: '1-0',
  },
  'a class of ioredis': {
    reason: 'ours is a subclass of your ioredis',
    run: async (Redis, port) => new Redis(port) instanceof require('ioredis'),
    original: false,
    ours: true,
  },
  'duplicate with options': {
    reason: 'the original does not heed them, and gives keys their initial data again',
    async run(Redis, port) {
      const client = new Redis({ port, data: { k: '1' } })
      await client.set('k', '2')
      return [await client.duplicate().get('k'), await client.duplicate({ db: 1 }).get('k')]
    },
    original: ['1', '1'],
    ours: ['2', null],
  },
  'flushall in another database': {
    reason: 'it empties all of them, as in Redis',
    async run(Redis, port) {
      await new Redis(port).set('k', 'v')
      await new Redis({ port, db: 1 }).flushall()
      return new Redis(port).get('k')
    },
    original: 'v',
    ours: null,
  },
  'numbers and truth in Lua': {
    reason: 'as in Redis, a reply has whole numbers, and null for false',
    run: async (Redis, port) => new Redis(port).eval('return {3.7, true, false}', 0),
    original: [3.7, true, false],
    ours: [3, 1, null],
  },
  'keys of a script with a prefix': {
    reason: 'ioredis adds keyPrefix to the keys of scripts',
    run: async (Redis, port) => new Redis({ port, keyPrefix: 'app:' }).eval('return KEYS[1]', 1, 'k'),
    original: 'k',
    ours: 'app:k',
  },
  'eval without a number of keys': {
    reason: 'Redis refuses it',
    run: (Redis, port) => refusal(new Redis(port).eval('return 1')),
    original: 'no error, but 1',
    ours: "ERR wrong number of arguments for 'eval' command",
  },
  'libraries of Lua': {
    reason: 'those of Redis are there',
    run: (Redis, port) => refusal(new Redis(port).eval('return cjson.encode({1, 2})', 0)),
    original: /attempt to index a nil value/,
    ours: 'no error, but "[1,2]"',
  },
  'defineCommand without a number of keys': {
    reason: 'the first argument is the number, as in ioredis',
    async run(Redis, port) {
      const client = new Redis(port)
      client.defineCommand('count', { lua: 'return #KEYS' })
      return [await client.count(2, 'a', 'b'), typeof client.countBuffer]
    },
    original: [3, 'undefined'],
    ours: [2, 'function'],
  },
  'the option scripts': {
    reason: 'the original does not have it',
    async run(Redis, port) {
      const client = new Redis({ port, scripts: { echoed: { numberOfKeys: 1, lua: 'return KEYS[1]' } } })
      return typeof client.echoed === 'function' && client.echoed('k')
    },
    original: false,
    ours: 'k',
  },
  'cached scripts': {
    reason: 'the original does not have them',
    async run(Redis, port) {
      const client = new Redis(port)
      try {
        return await client.evalsha(await client.script('LOAD', 'return 7'), 0)
      } catch (error) {
        return error.message.split(',')[0]
      }
    },
    original: 'Unsupported command: "script"',
    ours: 7,
  },
  'blocked clients': {
    reason: 'the original does not block, but in XREAD',
    async run(Redis, port) {
      const waiting = new Redis(port).brpoplpush('from', 'to', 5)
      await new Redis(port).lpush('from', 'job')
      return waiting
    },
    original: null,
    ours: 'job',
  },
  'commands by name': {
    reason: 'the original does not have call',
    async run(Redis, port) {
      const client = new Redis(port)
      return typeof client.call === 'function' && client.call('SET', 'k', 'v')
    },
    original: false,
    ours: 'OK',
  },
  'a count of subscriptions': {
    reason: 'it has those to channels and to patterns, as in Redis',
    async run(Redis, port) {
      const client = new Redis(port)
      return [await client.subscribe('a', 'b'), await client.psubscribe('c*')]
    },
    original: [2, 1],
    ours: [2, 3],
  },
  'numbers and empty values of data': {
    reason: 'Redis has texts, and no empty collections',
    async run(Redis, port) {
      const client = new Redis({ port, data: { number: 5, none: null, list: [], hash: {} } })
      return [await client.get('number'), await client.exists('none', 'list', 'hash')]
    },
    original: [5, 3],
    ours: ['5', 0],
  },
  'a nested value of data': {
    reason: 'Redis has bytes, and no objects in a hash',
    run: (Redis, port) => new Redis({ port, data: { hash: { field: { a: 1 } } } }).hgetall('hash'),
    original: { field: { a: 1 } },
    ours: { field: '[object Object]' },
  },
  'queued commands of a transaction': {
    reason: 'with pipeline false they are sent one by one, and queued',
    async run(Redis, port) {
      const client = new Redis(port)
      await client.multi({ pipeline: false })
      return [await client.set('k', 1), await client.exec()]
    },
    original: ['OK', []],
    ours: ['QUEUED', [[null, 'OK']]],
  },
  'data of the nodes of a cluster': {
    reason: 'those of the original are empty',
    async run(Redis) {
      const cluster = new Redis.Cluster(['redis://localhost:7001'])
      await cluster.set('k', 'v')
      return cluster.nodes()[0].get('k')
    },
    original: null,
    ours: 'v',
  },
}

/** Resolves to what the first of two commands in a pipeline rejects with, and to the reply of the second. */
async function pipelined(client) {
  const [[error], [, reply]] = await client.pipeline().lpush('text', 1).get('k').exec()
  return [error.message, reply]
}

/** Resolves when something is the case. */
async function until(happens) {
  while (!(await happens())) await wait(5)
}
