'use strict'

// The code of docs/start/tls.md, which shows it as it is.

const assert = require('node:assert')
const { after, before, test } = require('node:test')
const Redis = require('ioredis')
const { createClient } = require('redis')
const { Server } = require('..')

let server
before(async () => {
  server = await Server.start({ tls: true })
})
after(() => server.close())

test('a session over TLS', async () => {
  const world = server.world()
  const client = new Redis(world.url, { tls: { ca: server.certificate } })
  await client.set('session', 'alice', 'EX', 3600)
  await world.clock.advance('1h')
  assert.equal(await client.exists('session'), 0)
  client.disconnect()

  const other = createClient({ url: world.url, socket: { ca: server.certificate } })
  await other.connect()
  assert.equal(await other.ping(), 'PONG')
  await other.close()
})

test('a certificate of another server', async () => {
  const other = await Server.start({ tls: true })
  const client = new Redis(server.world().url, { tls: { ca: other.certificate }, lazyConnect: true, retryStrategy: null })
  client.on('error', () => {})
  await assert.rejects(client.connect())
  await other.close()
})

test('another name of the server, as a container has one', async () => {
  const attached = await Server.start({ url: server.url })
  assert.equal(attached.certificate, server.certificate)
  const client = new Redis(attached.world().url, { tls: { ca: attached.certificate, servername: 'redis.test' } })
  assert.equal(await client.ping(), 'PONG')
  assert.equal(client.stream.getPeerCertificate().subjectaltname, 'DNS:redis.test')
  client.disconnect()
  await attached.close()
})
