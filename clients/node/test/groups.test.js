'use strict'

// ioredis loses nothing that was confirmed while leaders of a group are killed. KILLS=20 in the environment kills more of them.

const assert = require('node:assert')
const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { test } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const Redis = require('ioredis')

const kills = Number(process.env.KILLS ?? 2)
const group = path.join(__dirname, '..', '..', 'testdata', 'group')

function lacking() {
  try {
    execFileSync('which', ['redis-cli'])
  } catch {
    return 'redis-cli is not installed'
  }
  return process.env.MINISERVER_BINARY ? false : 'MINISERVER_BINARY is missing'
}

const modes = {
  sentinel: (nodes) => new Redis({ sentinels: nodes, name: 'mymaster', maxRetriesPerRequest: null, commandTimeout: 2000 }),
  cluster: (nodes) => new Redis.Cluster(nodes, { redisOptions: { commandTimeout: 2000 }, clusterRetryStrategy: () => 100 }),
}

for (const mode in modes) {
  test(`leaders that are killed, ${mode} mode`, { skip: lacking(), timeout: 600_000 }, async (t) => {
    const members = spawn(group, ['--cluster-enabled', mode === 'cluster' ? 'yes' : 'no'], { stdio: ['pipe', 'pipe', 'inherit'] })
    t.after(async () => {
      members.stdin.end()
      await once(members, 'exit')
    })
    const nodes = String((await once(members.stdout, 'data'))[0]).trim().split(' ').map((port) => ({ host: '127.0.0.1', port: Number(port) }))
    const client = modes[mode](nodes)
    client.on('error', () => {})
    t.after(() => client.disconnect())

    const confirmed = []
    let over = false
    async function write() {
      for (let n = 0; !over; n++) {
        try {
          await client.set(`key:${n}`, n)
          confirmed.push(n)
        } catch {
          await sleep(50) // of a leader that is gone
        }
      }
    }
    async function progress() {
      const enough = confirmed.length + 50
      for (const end = Date.now() + 60_000; confirmed.length < enough; await sleep(10)) assert.ok(Date.now() < end, 'no write is confirmed')
    }
    const writing = write()
    try {
      for (let i = 0; i < kills; i++) {
        await progress()
        members.stdin.write('\n')
        await once(members.stdout, 'data')
      }
      await progress()
    } finally {
      over = true
      await writing
    }
    for (const n of confirmed) assert.equal(await client.get(`key:${n}`), String(n))
    t.diagnostic(`${kills} kills, ${confirmed.length} confirmed writes`)
  })
}
