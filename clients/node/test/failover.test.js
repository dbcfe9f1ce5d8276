'use strict'

// ioredis finds the next master when real Sentinels have replaced one that was killed.

const assert = require('node:assert')
const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { test } = require('node:test')
const Redis = require('ioredis')
const { Server } = require('..')

const sentinels = path.join(__dirname, '..', '..', 'testdata', 'sentinels')

function installed(program) {
  try {
    return Boolean(execFileSync('which', [program]))
  } catch {
    return false
  }
}

test('failover', { skip: installed('redis-sentinel') ? false : 'redis-sentinel is not installed', timeout: 120_000 }, async (t) => {
  const master = await Server.start()
  const replica = await Server.start({ options: ['--replicaof', `127.0.0.1 ${master.port}`] })
  const supervisors = spawn(sentinels, [String(master.port)], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(async () => {
    supervisors.stdin.end()
    await Promise.all([once(supervisors, 'exit'), master.close(), replica.close()])
  })
  const ports = String((await once(supervisors.stdout, 'data'))[0]).trim().split(' ').map(Number)
  const client = new Redis({ sentinels: ports.map((port) => ({ host: '127.0.0.1', port })), name: 'mymaster', maxRetriesPerRequest: null })
  client.on('error', () => {})
  t.after(() => client.disconnect())

  await client.set('before', '1')
  assert.equal(await client.wait(1, 10_000), 1)
  process.kill(master.pid, 'SIGKILL')
  await client.set('after', '2') // waits for the next master
  assert.deepEqual(await client.mget('before', 'after'), ['1', '2'])
  assert.equal(await replica.command('GET', 'after'), '2')
})
