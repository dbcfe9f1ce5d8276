'use strict'

// Programs that use ioredis-mock and close nothing. The first argument names the one to run. Each prints what it has found.

const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads')
const Redis = require('miniserver-testkit/ioredis-mock')

const programs = {
  nothing() {},
  client() {
    new Redis()
  },
  'client without a ready check'() {
    new Redis({ enableReadyCheck: false })
  },
  async command() {
    print(await new Redis().set('k', 'v'))
  },
  async pipeline() {
    print(await new Redis().pipeline().set('k', 'v').get('k').exec())
  },
  async subscriber() {
    print(await new Redis().subscribe('mails'))
  },
  async message() {
    const subscriber = new Redis()
    subscriber.on('message', (channel, message) => print(message))
    await subscriber.subscribe('mails')
    await new Redis().publish('mails', 'alice')
  },
  async 'blocked client'() {
    print(await new Redis().blpop('jobs', 0.05))
  },
  'client that is blocked for ever'() {
    new Redis().blpop('jobs', 0)
  },
  async 'job for a blocked client'() {
    const job = new Redis().blpop('jobs', 0)
    await new Redis().rpush('jobs', 'mail')
    print(await job)
  },
  async 'job for a client that would wait for a day of the test'() {
    Date.now = () => 0
    const job = new Redis().blpop('jobs', 86_400)
    await new Redis().rpush('jobs', 'mail')
    print(await job)
  },
  async "timers of Node's test runner"() {
    const { mock } = require('node:test')
    process.removeAllListeners('warning') // Node 20 warns that these timers are experimental
    mock.timers.enable({ apis: ['Date', 'setTimeout', 'setInterval', 'setImmediate'] })
    const client = new Redis()
    await client.set('k', 'v', 'EX', 60)
    mock.timers.tick(60_000)
    print(await client.get('k'))
  },
  async 'end of a connection'() {
    const client = new Redis()
    await client.set('k', 'v')
    client.once('end', () => print('end'))
    client.disconnect()
  },
  async cluster() {
    const cluster = new Redis.Cluster(['redis://localhost:7001'])
    await cluster.set('k', 'v')
    print(await cluster.nodes()[0].get('k'))
  },
  async 'killed server'() {
    const client = new Redis({ retryStrategy: () => 1 })
    client.on('error', () => {})
    await client.set('k', 'v')
    const blocked = client.duplicate().on('error', () => {}).blpop('jobs', 60)
    const world = await client.world()
    await world.waitForBlocked(1)
    process.kill(world.server.pid, 'SIGKILL')
    const replies = await Promise.allSettled([blocked, client.get('k'), new Redis(7001).on('error', () => {}).get('k')])
    for (const { reason } of replies) print(reason)
  },
  async 'thousand clients'() {
    const clients = [...Array(1000).keys()].map((i) => new Redis(7000 + (i % 50)))
    await Promise.all(clients.map((client, i) => client.set(`k${i}`, i)))
    const { server } = await clients[0].world()
    const connected = async () => (await server.command('MINI.WORLD', 'LIST')).filter(([, name, , count]) => name !== 'default' && count > 0).length
    const before = await connected()
    for (const client of clients) client.disconnect()
    while ((await connected()) > 0);
    print([before, await new Redis(7000).dbsize()])
  },
  async 'modules loaded twice'() {
    const pids = [await pid(Redis)]
    for (const name of Object.keys(require.cache)) delete require.cache[name] // as a test runner does for each file
    const Again = require('miniserver-testkit/ioredis-mock')
    pids.push(await pid(Again))
    await new Redis().set('k', 'v')
    print([Again === Redis, pids[0] === pids[1], await new Again().get('k')])
  },
  async 'worker threads'() {
    const pids = []
    for (const end of ['by itself', 'process.exit', 'terminate']) {
      const worker = new Worker(__filename, { workerData: end })
      worker.on('message', (pid) => {
        pids.push(pid)
        if (end === 'terminate') worker.terminate()
      })
      await new Promise((resolve) => worker.once('exit', resolve))
    }
    while (pids.some(runs)) await new Promise((resolve) => setTimeout(resolve, 10))
    print([new Set(pids).size, await new Redis().set('k', 'v')])
  },
}

async function thread(end) {
  parentPort.postMessage(await pid(Redis))
  if (end === 'process.exit') process.exit(0)
  if (end === 'terminate') setInterval(() => {}, 1000)
}

async function pid(Redis) {
  return (await new Redis().world()).server.pid
}

/** Says whether a process runs; one that has ended stays until its parent asks how, which threads do not. */
function runs(pid) {
  const { stdout } = require('node:child_process').spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' })
  return !/^(Z|$)/.test(stdout.trim())
}

function print(value) {
  console.log(value instanceof Error ? value.message.replace(/\d+/, 'N') : JSON.stringify(value))
}

if (isMainThread) programs[process.argv[2]]()
else thread(workerData)
