'use strict'

// Sketches and time series by node-redis, in both protocols. docs/sketches.md and docs/timeseries.md show the first two tests as they are.
// ioredis has no methods for them: client.call('TS.ADD', ...).

const assert = require('node:assert')
const { test, describe, before, after, beforeEach, afterEach } = require('node:test')
const { createClient, RESP_TYPES } = require('redis')
const { Server } = require('..')

let server, world
before(async () => (server = await Server.start()))
after(() => server.close())
beforeEach((t) => (world = server.world(server.freshName(t.name))))
afterEach(() => world.close())

test('a day of requests', async () => {
  const client = await createClient({ url: world.url }).connect()
  await client.bf.reserve('visitors', 0.01, 1000)
  await client.topK.reserve('pages', 2, { width: 50, depth: 5, decay: 0.9 })
  await client.tDigest.create('times')
  await client.bf.mAdd('visitors', ['alice', 'bob'])
  await client.topK.add('pages', ['/', '/cart', '/', '/help', '/cart', '/'])
  await client.tDigest.add('times', [12, 14, 11, 13, 230])
  for (const key of ['visitors', 'pages', 'times']) await client.expire(key, 86_400)

  assert.deepEqual(await client.bf.mExists('visitors', ['alice', 'carol']), [true, false])
  const pages = await client.topK.listWithCount('pages')
  assert.deepEqual(pages, [
    { item: '/', count: 3 },
    { item: '/cart', count: 2 },
  ])
  assert.deepEqual(await client.tDigest.quantile('times', [0.5, 0.99]), [13, 230])

  await world.clock.advance(86_400_000)
  assert.equal(await client.bf.exists('visitors', 'alice'), false)
  assert.equal(await client.exists(['pages', 'times']), 0)
  await client.close()
})

test('a thermometer', async () => {
  const client = await createClient({ url: world.url }).connect()
  await client.ts.create('temp', { RETENTION: 3_600_000, LABELS: { room: 'kitchen' } })
  await client.ts.create('temp:max', { LABELS: { room: 'kitchen', of: 'max' } })
  await client.ts.createRule('temp', 'temp:max', 'MAX', 60_000)
  await world.clock.freeze()
  const noon = Number(await world.clock.set('2030-01-31T12:00:00Z'))
  for (const degrees of [20, 25, 22, 21]) {
    await client.ts.add('temp', '*', degrees)
    await world.clock.advance(30_000)
  }

  const means = await client.ts.range('temp', '-', '+', { AGGREGATION: { type: 'AVG', timeBucket: 60_000 } })
  assert.deepEqual(means, [
    { timestamp: noon, value: 22.5 },
    { timestamp: noon + 60_000, value: 21.5 },
  ])
  // The second minute is not over for the rule.
  assert.deepEqual(await client.ts.range('temp:max', '-', '+'), [{ timestamp: noon, value: 25 }])
  assert.deepEqual(await client.ts.queryIndex(['room=kitchen', 'of=']), ['temp'])

  await world.clock.advance(3_600_000)
  await client.ts.add('temp', '*', 19)
  assert.equal((await client.ts.range('temp', '-', '+')).length, 1) // what is older than an hour is gone
  await client.close()
})

for (const RESP of [2, 3]) {
  describe(`node-redis, RESP${RESP}`, () => {
    let client
    beforeEach(async () => (client = await createClient({ url: world.url, RESP }).connect()))
    afterEach(() => client.close())

    /** Requires of each call what it replies, or the message of its error. */
    async function replies(...pairs) {
      for (const [call, reply] of pairs) {
        if (reply instanceof Error) await assert.rejects(call, { message: reply.message }, String(call))
        else assert.deepEqual(plain(await call()), reply, String(call))
      }
    }

    test('Bloom filters', () =>
      replies(
        [() => client.bf.reserve('seen', 0.01, 100, { EXPANSION: 4 }), 'OK'],
        [() => client.bf.add('seen', 'a'), true],
        [() => client.bf.mAdd('seen', ['a', 'b']), [false, true]],
        [() => client.bf.insert('small', ['a'], { CAPACITY: 10, ERROR: 0.1, NONSCALING: true }), [true]],
        [() => client.bf.exists('seen', 'b'), true],
        [() => client.bf.mExists('seen', ['a', 'z']), [true, false]],
        [() => client.bf.card('seen'), 2],
        [async () => Object.values(await client.bf.info('seen')), [100, 240, 1, 2, 4]],
        [() => client.bf.reserve('seen', 0.01, 100), new Error('ERR item exists')],
        [() => copy('bf', 'seen', 'other'), undefined],
        [() => client.bf.mExists('other', ['a', 'b', 'z']), [true, true, false]],
      ))

    /** Copies a filter in chunks, as bytes. */
    async function copy(family, from, to) {
      const filters = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })[family]
      let { iterator, chunk } = await filters.scanDump(from, 0)
      for (; iterator; { iterator, chunk } = await filters.scanDump(from, iterator)) await filters.loadChunk(to, iterator, chunk)
    }

    test('cuckoo filters', () =>
      replies(
        [() => client.cf.reserve('seen', 64, { BUCKETSIZE: 4, EXPANSION: 2, MAXITERATIONS: 50 }), 'OK'],
        [() => client.cf.add('seen', 'a'), true],
        [() => client.cf.addNX('seen', 'a'), false],
        [() => client.cf.insert('seen', ['a', 'b'], { CAPACITY: 64 }), [true, true]],
        // In RESP3 the reply has numbers, as -1 says that the filter is full.
        [() => client.cf.insertNX('seen', ['a', 'c'], { NOCREATE: true }), RESP === 2 ? [false, true] : [0, 1]],
        [() => client.cf.exists('seen', 'a'), true],
        [() => client.cf.count('seen', 'a'), 2],
        [() => client.cf.del('seen', 'a'), true],
        [() => client.cf.del('seen', 'z'), false],
        [async () => Object.values(await client.cf.info('seen')), [120, 16, 1, 3, 1, 4, 2, 50]],
        [() => client.cf.insert('none', ['a'], { NOCREATE: true }), new Error('ERR not found')],
        [() => copy('cf', 'seen', 'other'), undefined],
        [() => client.cf.exists('other', 'b'), true],
      ))

    test('count-min sketches', () =>
      replies(
        [() => client.cms.initByDim('hits', 100, 5), 'OK'],
        [() => client.cms.initByProb('more', 0.01, 0.01), 'OK'],
        [() => client.cms.incrBy('hits', ['a', 'b'].map((item, i) => ({ item, incrementBy: i + 1 }))), [1, 2]],
        [() => client.cms.query('hits', ['a', 'b', 'z']), [1, 2, 0]],
        [() => client.cms.info('hits'), { width: 100, depth: 5, count: 3 }],
        [() => client.cms.initByDim('sum', 100, 5), 'OK'],
        [() => client.cms.merge('sum', [{ name: 'hits', weight: 3 }, { name: 'sum', weight: 1 }]), 'OK'],
        [() => client.cms.query('sum', 'b'), [6]],
        [() => client.cms.query('none', 'b'), new Error('CMS: key does not exist')],
      ))

    test('Top-K sketches', () =>
      replies(
        [() => client.topK.reserve('pages', 2, { width: 50, depth: 5, decay: 0.9 }), 'OK'],
        [() => client.topK.add('pages', ['a', 'b', 'b', 'c', 'c', 'c']), [null, null, null, 'a', null, null]],
        [() => client.topK.incrBy('pages', { item: 'd', incrementBy: 9 }), ['b']],
        [() => client.topK.query('pages', ['a', 'c']), [false, true]],
        [() => client.topK.count('pages', ['c', 'd']), [3, 9]],
        [() => client.topK.list('pages'), ['d', 'c']],
        [() => client.topK.listWithCount('pages'), [{ item: 'd', count: 9 }, { item: 'c', count: 3 }]],
        [() => client.topK.info('pages'), { k: 2, width: 50, depth: 5, decay: 0.9 }],
        [() => client.topK.list('none'), new Error('TopK: key does not exist')],
      ))

    test('t-digests', () =>
      replies(
        [() => client.tDigest.create('times', { COMPRESSION: 100 }), 'OK'],
        [() => client.tDigest.min('times'), NaN],
        [() => client.tDigest.add('times', [1, 2, 3, 4, 5.5]), 'OK'],
        [() => client.tDigest.min('times'), 1],
        [() => client.tDigest.max('times'), 5.5],
        [() => client.tDigest.quantile('times', [0.5, 0.9]), [3, 5.5]],
        [() => client.tDigest.cdf('times', [3, 9]), [0.5, 1]],
        [() => client.tDigest.rank('times', [3, 9, 0]), [2, 5, -1]],
        [() => client.tDigest.revRank('times', [3]), [2]],
        [() => client.tDigest.byRank('times', [0, 9]), [1, Infinity]],
        [() => client.tDigest.byRevRank('times', [0, 9]), [5.5, -Infinity]],
        [() => client.tDigest.trimmedMean('times', 0.1, 0.9), 3.1],
        [() => client.tDigest.merge('all', 'times', { COMPRESSION: 50, OVERRIDE: true }), 'OK'],
        [async () => Object.values(await client.tDigest.info('all')).slice(0, -1), [50, 310, 0, 5, 0, 5, 5, 0]],
        [() => client.tDigest.reset('times'), 'OK'],
        [() => client.tDigest.max('none'), new Error('ERR T-Digest: key does not exist')],
      ))

    describe('time series', () => {
      const of = ['of=°C']
      beforeEach(async () => {
        const { ts } = client
        await ts.create('kitchen', { RETENTION: 10_000, DUPLICATE_POLICY: 'LAST', LABELS: { room: 'kitchen', of: '°C' } })
        await ts.create('study', { ENCODING: 'UNCOMPRESSED', CHUNK_SIZE: 128, LABELS: { room: 'study', of: '°C' } })
        await ts.create('max')
        assert.equal(await ts.createRule('kitchen', 'max', 'MAX', 1000), 'OK')
        assert.equal(await ts.add('kitchen', 1000, 20.5), 1000)
        assert.equal(await ts.add('kitchen', 1000, 21, { ON_DUPLICATE: 'SUM' }), 1000)
        const written = await ts.mAdd([
          { key: 'kitchen', timestamp: 1500, value: 22 },
          { key: 'none', timestamp: 1, value: 1 },
          { key: 'kitchen', timestamp: 2000, value: 23 },
          { key: 'study', timestamp: 1000, value: 5 },
        ])
        const [{ message }] = written.splice(1, 1, '')
        assert.deepEqual([written, message], [[1500, '', 2000, 1000], 'ERR TSDB: the key is not a TSDB key'])
      })

      /** Makes samples of times and values. */
      const samples = (...pairs) => pairs.map(([timestamp, value]) => ({ timestamp, value }))

      test('samples', () =>
        replies(
          [() => client.ts.get('kitchen'), { timestamp: 2000, value: 23 }],
          [() => client.ts.get('max'), { timestamp: 1000, value: 41.5 }],
          [() => client.ts.get('max', { LATEST: true }), { timestamp: 2000, value: 23 }],
          [() => client.ts.range('kitchen', '-', '+'), samples([1000, 41.5], [1500, 22], [2000, 23])],
          [() => client.ts.revRange('kitchen', '-', '+', { COUNT: 1 }), samples([2000, 23])],
          [
            () => client.ts.range('kitchen', 0, 5000, { FILTER_BY_TS: [1500], FILTER_BY_VALUE: { min: 1, max: 99 } }),
            samples([1500, 22]),
          ],
          [
            () =>
              client.ts.range('kitchen', 0, 5000, {
                ALIGN: '-',
                AGGREGATION: { type: 'AVG', timeBucket: 1000, BUCKETTIMESTAMP: '+', EMPTY: true },
              }),
            samples([2000, 31.75], [3000, 23]),
          ],
          [() => client.ts.incrBy('count', 3, { TIMESTAMP: 10 }), 10],
          [() => client.ts.decrBy('count', 1, { TIMESTAMP: 10 }), 10],
          [() => client.ts.get('count'), { timestamp: 10, value: 2 }],
          [() => client.ts.del('count', 10, 10), 1],
          [() => client.ts.get('count'), null],
          [() => client.ts.create('kitchen'), new Error('ERR TSDB: key already exists')],
          [() => client.ts.get('none'), new Error('ERR TSDB: the key does not exist')],
        ))

      test('labels', () =>
        replies(
          [() => client.ts.queryIndex([...of, 'room!=study']), ['kitchen']],
          [
            () => client.ts.mGet(of),
            { kitchen: { sample: { timestamp: 2000, value: 23 } }, study: { sample: { timestamp: 1000, value: 5 } } },
          ],
          [
            () => client.ts.mGetSelectedLabels([...of, 'room=study'], 'room'),
            { study: { labels: { room: 'study' }, sample: { timestamp: 1000, value: 5 } } },
          ],
          [
            () => client.ts.mRange('-', '+', of, { COUNT: 1 }),
            { kitchen: samples([1000, 41.5]), study: samples([1000, 5]) },
          ],
          [
            () => client.ts.mRangeWithLabels('-', '+', [...of, 'room=study']),
            { study: { labels: { room: 'study', of: '°C' }, samples: samples([1000, 5]) } },
          ],
          [
            () =>
              client.ts.mRevRangeGroupBy('-', '+', of, { label: 'of', REDUCE: 'MIN' }, {
                AGGREGATION: { type: 'SUM', timeBucket: 1000 },
              }),
            {
              'of=°C': {
                ...(RESP === 3 && { sources: ['kitchen', 'study'] }),
                samples: samples([2000, 23], [1000, 5]),
              },
            },
          ],
        ))

      test('properties', () =>
        replies(
          [() => client.ts.alter('study', { LABELS: { room: 'attic' } }), 'OK'],
          [
            async () => {
              // In RESP3 node-redis replies with what the server says.
              const series = RESP === 2 ? client.ts : (await connectUnstable()).ts
              const { totalSamples, chunkSize, chunkType, labels } = await series.info('study')
              return [totalSamples, chunkSize, chunkType, labels]
            },
            [1, 128, 'uncompressed', RESP === 2 ? [{ name: 'room', value: 'attic' }] : { room: 'attic' }],
          ],
          [() => client.ts.deleteRule('kitchen', 'max'), 'OK'],
          [() => client.ts.deleteRule('kitchen', 'max'), new Error('ERR TSDB: compaction rule does not exist')],
        ))

      async function connectUnstable() {
        await client.close()
        return (client = await createClient({ url: world.url, RESP, unstableResp3: true }).connect())
      }
    })

    test('pipelines and transactions', async () => {
      const queued = () => client.multi().ts.add('temp', 1, 2.5).ts.get('temp').cf.add('seen', 'a').del(['temp', 'seen'])
      const expected = [1, { timestamp: 1, value: 2.5 }, true, 2]
      assert.deepEqual(await queued().exec(), expected)
      assert.deepEqual(await queued().execAsPipeline(), expected)
    })
  })
}

/** Makes plain objects of those without a prototype, which are not deeply equal to them. */
function plain(reply) {
  if (Array.isArray(reply)) return reply.map(plain)
  if (reply === null || typeof reply !== 'object') return reply
  return Object.fromEntries(Object.entries(reply).map(([key, value]) => [key, plain(value)]))
}
