// A store of sessions, as a web framework has one, and its tests.

import assert from 'node:assert'
import { afterEach, mock, test } from 'node:test'
import Redis from 'ioredis-mock'

class SessionStore {
  #client
  #prefix
  #ttl

  constructor(client, { prefix = 'session:', ttl = 86_400 } = {}) {
    this.#client = client
    this.#prefix = prefix
    this.#ttl = ttl
  }

  async get(id) {
    const text = await this.#client.get(this.#prefix + id)
    return text === null ? undefined : JSON.parse(text)
  }

  async set(id, session) {
    const ttl = session.cookie?.expires ? Math.ceil((new Date(session.cookie.expires) - Date.now()) / 1000) : this.#ttl
    if (ttl > 0) await this.#client.set(this.#prefix + id, JSON.stringify(session), 'EX', ttl)
    else await this.destroy(id)
  }

  async touch(id) {
    return (await this.#client.expire(this.#prefix + id, this.#ttl)) === 1
  }

  async destroy(...ids) {
    return this.#client.del(ids.map((id) => this.#prefix + id))
  }

  async ids() {
    const ids = []
    for await (const keys of this.#client.scanStream({ match: `${this.#prefix}*`, count: 2 })) ids.push(...keys)
    return [...new Set(ids)].map((key) => key.slice(this.#prefix.length)).sort()
  }

  async all() {
    const ids = await this.ids()
    const texts = ids.length ? await this.#client.mget(ids.map((id) => this.#prefix + id)) : []
    return texts.filter(Boolean).map((text, i) => ({ id: ids[i], ...JSON.parse(text) }))
  }

  async clear() {
    const ids = await this.ids()
    if (ids.length) await this.destroy(...ids)
  }
}

const client = new Redis({ data: { unrelated: '1' } })
const store = new SessionStore(client)

afterEach(async () => {
  mock.timers.reset()
  await new Redis().flushall()
})

test('a session is stored and read', async () => {
  assert.equal(await client.get('unrelated'), '1')
  assert.equal(await store.get('17'), undefined)
  await store.set('17', { user: 'alice', cart: ['shoes', 'hat'] })
  assert.deepEqual(await store.get('17'), { user: 'alice', cart: ['shoes', 'hat'] })
  assert.equal(await client.ttl('session:17'), 86_400)
})

test('the cookie says when a session expires', async () => {
  mock.timers.enable({ apis: ['Date'], now: new Date('2030-01-01T00:00:00Z') })
  await store.set('17', { user: 'alice', cookie: { expires: '2030-01-01T01:00:00Z' } })
  assert.equal(await client.ttl('session:17'), 3600)
  mock.timers.tick(3_600_001)
  assert.equal(await store.get('17'), undefined)
})

test('a session that has expired is destroyed when it is stored', async () => {
  await store.set('17', { user: 'alice' })
  await store.set('17', { user: 'alice', cookie: { expires: '2001-01-01' } })
  assert.deepEqual(await store.ids(), [])
})

test('a touched session lives longer', async () => {
  mock.timers.enable({ apis: ['Date'], now: new Date('2030-01-01T00:00:00Z') })
  await store.set('17', { user: 'alice' })
  mock.timers.tick(86_000_000)
  assert.equal(await store.touch('17'), true)
  mock.timers.tick(86_000_000)
  assert.deepEqual(await store.get('17'), { user: 'alice' })
  assert.equal(await store.touch('18'), false)
})

test('all sessions', async () => {
  for (const user of ['alice', 'bob', 'carol', 'dave', 'eve']) await store.set(user, { user })
  await client.set('other', 'v')
  assert.deepEqual(await store.ids(), ['alice', 'bob', 'carol', 'dave', 'eve'])
  assert.deepEqual((await store.all()).map(({ user }) => user), ['alice', 'bob', 'carol', 'dave', 'eve'])
  assert.equal(await store.destroy('alice', 'bob', 'nobody'), 2)
  await store.clear()
  assert.deepEqual([await store.ids(), await client.get('other')], [[], 'v'])
})

test('another instance of the program has the same sessions', async () => {
  await store.set('17', { user: 'alice' })
  const other = new SessionStore(client.duplicate())
  assert.deepEqual(await other.get('17'), { user: 'alice' })
})
