'use strict'

// Search by node-redis. docs/search.md shows the first test as it is. The others run on miniserver, and also on the server of Redis Stack whose
// URL is in STACK_URL: there they empty it.

const assert = require('node:assert')
const { test, describe, before, after, beforeEach, afterEach } = require('node:test')
const { createClient } = require('redis')
const { Server } = require('..')

let server, world
before(async () => (server = await Server.start({ options: ['--like', 'redis-stack:7.4'] })))
after(() => server.close())
beforeEach((t) => (world = server.world(server.freshName(t.name))))
afterEach(() => world.close())

test('books', async () => {
  const client = await createClient({ url: world.url }).connect()
  const schema = { title: { type: 'TEXT', WEIGHT: 2 }, genre: 'TAG', year: { type: 'NUMERIC', SORTABLE: true } }
  await client.ft.create('books', schema, { ON: 'HASH', PREFIX: 'book:' })
  await client.hSet('book:1', { title: 'The Time Machine', genre: 'novel,science fiction', year: 1895 })
  await client.hSet('book:2', { title: 'Travels with a Donkey', genre: 'travel', year: 1879 })

  const found = await client.ft.search('books', '@genre:{science fiction} @year:[1890 1900]', { RETURN: 'title' })
  assert.equal(found.total, 1)
  assert.deepEqual({ ...found.documents[0].value }, { title: 'The Time Machine' })
  const newest = await client.ft.searchNoContent('books', '*', { SORTBY: { BY: 'year', DIRECTION: 'DESC' } })
  assert.deepEqual(newest.documents, ['book:1', 'book:2'])
  await client.close()
})

const bikes = [
  { brand: 'Velorim', about: 'The tiniest kids bike', price: 270, state: 'new', at: '-74.0,40.7', area: 'POINT (1 1)' },
  { brand: 'Bicyk', about: 'Kids ride with little weight', price: 1200, state: 'used', at: '-73.9,40.8', area: 'POINT (2 2)' },
  { brand: 'Nord', about: 'A mountain bike for forests', price: 815, state: 'used', at: '-0.1,51.5', area: 'POINT (5 5)' },
]

for (const kind of ['miniserver', 'redis-stack']) {
  describe(`node-redis, ${kind}`, { skip: kind !== 'miniserver' && !process.env.STACK_URL && 'STACK_URL names no Redis Stack' }, () => {
    let client, ft
    beforeEach(async () => {
      client = await createClient({ url: kind === 'miniserver' ? world.url : process.env.STACK_URL }).connect()
      await client.flushAll()
      ft = client.ft
    })
    afterEach(() => client.close())

    for (const ON of ['HASH', 'JSON']) {
      describe(ON, () => {
        beforeEach(async () => {
          const path = ON === 'JSON' ? '$.' : ''
          const schema = {
            [`${path}brand`]: { type: 'TEXT', AS: 'brand', NOSTEM: true, SORTABLE: 'UNF' },
            [`${path}about`]: { type: 'TEXT', AS: 'about', WEIGHT: 2 },
            [`${path}price`]: { type: 'NUMERIC', AS: 'price', SORTABLE: true },
            [`${path}state`]: { type: 'TAG', AS: 'state', SEPARATOR: ',' },
            [`${path}at`]: { type: 'GEO', AS: 'at' },
            [`${path}area`]: { type: 'GEOSHAPE', AS: 'area' },
          }
          assert.equal(await ft.create('bikes', schema, { ON, PREFIX: ['bike:'], STOPWORDS: ['the', 'a'] }), 'OK')
          for (const [i, bike] of bikes.entries()) {
            await (ON === 'JSON' ? client.json.set(`bike:${i}`, '$', bike) : client.hSet(`bike:${i}`, bike))
          }
        })

        test('queries', async () => {
          const expected = {
            '*': '012',
            kids: '01',
            '@brand:nord': '2',
            '@about:(kids -tiniest)': '1',
            'mountain | little': '12',
            'bi*': '012',
            '%moutain%': '2',
            '"mountain bike"': '2',
            '@price:[815 (1200]': '2',
            '@state:{used | none}': '12',
            '@at:[-74 40.7 30 km]': '01',
            none: '',
          }
          for (const [query, names] of Object.entries(expected)) {
            const { total, documents } = await ft.searchNoContent('bikes', query)
            assert.deepEqual([total, documents.sort()], [names.length, [...names].map((n) => `bike:${n}`)], query)
          }
          const PARAMS = { square: 'POLYGON ((0 0, 0 3, 3 3, 3 0, 0 0))' }
          const inside = await ft.searchNoContent('bikes', '@area:[WITHIN $square]', { PARAMS, DIALECT: 3 })
          assert.equal(inside.total, 2)
        })

        test('pages and fields', async () => {
          const page = await ft.search('bikes', '*', { SORTBY: 'price', LIMIT: { from: 1, size: 1 }, RETURN: ['brand', 'price'] })
          assert.deepEqual(plain(page), { total: 3, documents: [{ id: 'bike:2', value: { brand: 'Nord', price: '815' } }] })
          const whole = await ft.search('bikes', 'forests')
          assert.equal(whole.documents[0].value.about, 'A mountain bike for forests')
          const marked = await ft.search('bikes', 'forests', {
            RETURN: 'about',
            SUMMARIZE: { FIELDS: 'about', FRAGS: 1, LEN: 2, SEPARATOR: '...' },
            HIGHLIGHT: { FIELDS: 'about', TAGS: { open: '[', close: ']' } },
          })
          assert.match(marked.documents[0].value.about, /\[forests\]\.\.\.$/)
          const given = await ft.search('bikes', '@brand:$brand', { PARAMS: { brand: 'nord' }, INKEYS: ['bike:2'], INFIELDS: 'brand' })
          assert.equal(given.total, 1)
        })

        test('aggregations', async () => {
          const groups = await ft.aggregate('bikes', '*', {
            STEPS: [
              { type: 'GROUPBY', properties: '@state', REDUCE: [{ type: 'COUNT', AS: 'n' }, { type: 'AVG', property: '@price', AS: 'mean' }] },
              { type: 'APPLY', expression: '@mean / @n', AS: 'x' },
              { type: 'SORTBY', BY: { BY: '@mean', DIRECTION: 'DESC' } },
            ],
          })
          assert.deepEqual(plain(groups.results), [
            { state: 'used', n: '2', mean: '1007.5', x: '503.75' },
            { state: 'new', n: '1', mean: '270', x: '270' },
          ])
          let page = await ft.aggregateWithCursor('bikes', '*', { LOAD: '@price', STEPS: [{ type: 'SORTBY', BY: '@price' }], COUNT: 2 })
          const prices = [page.results.map((row) => row.price)]
          for (; page.cursor !== 0; prices.push(page.results.map((row) => row.price))) page = await ft.cursorRead('bikes', page.cursor)
          assert.deepEqual(prices, [['270', '815'], ['1200']])
          const { cursor } = await ft.aggregateWithCursor('bikes', '*', { COUNT: 1 })
          assert.equal(await ft.cursorDel('bikes', cursor), 'OK')
        })

        test('the index', async () => {
          assert.deepEqual(await ft._list(), ['bikes'])
          const info = await ft.info('bikes')
          assert.deepEqual([info.index_name, Number(info.num_docs), Number(info.hash_indexing_failures)], ['bikes', 3, 0])
          assert.deepEqual(info.stopwords_list.sort(), ['a', 'the'])
          assert.deepEqual((await ft.tagVals('bikes', 'state')).sort(), ['new', 'used'])
          assert.equal(await ft.alter('bikes', { wheels: 'NUMERIC' }), 'OK')
          assert.equal(await ft.aliasAdd('cycles', 'bikes'), 'OK')
          assert.equal((await ft.search('cycles', 'kids')).total, 2)
          assert.equal(await ft.aliasDel('cycles'), 'OK')
          assert.match(await ft.explain('bikes', 'kids'), /^UNION \{/)
          const { profile } = await ft.profileSearch('bikes', 'kids')
          assert.match(JSON.stringify(profile), /Iterators profile/)
          const corrected = await ft.spellCheck('bikes', 'mountin', { DISTANCE: 1 })
          assert.deepEqual(corrected.map(({ term, suggestions }) => [term, suggestions[0].suggestion]), [['mountin', 'mountain']])
          assert.equal(await ft.synUpdate('bikes', 'small', ['kids', 'children']), 'OK')
          assert.deepEqual(plain(await ft.synDump('bikes')), { kids: ['small'], children: ['small'] })
          assert.equal(await ft.dropIndex('bikes', { DD: true }), 'OK')
          assert.deepEqual(await client.keys('bike:*'), [])
          await assert.rejects(ft.search('bikes', 'x'), { message: 'bikes: no such index' })
        })

        test('vectors', async () => {
          const path = ON === 'JSON' ? '$.' : ''
          const at = { type: 'VECTOR', AS: 'at', ALGORITHM: 'HNSW', TYPE: 'FLOAT32', DIM: 2, DISTANCE_METRIC: 'L2' }
          await ft.create('places', { [`${path}at`]: at, [`${path}kind`]: { type: 'TAG', AS: 'kind' } }, { ON, PREFIX: 'p:' })
          for (const x of [1, 2, 3, 4]) {
            const kind = x % 2 ? 'odd' : 'even'
            await (ON === 'JSON' ? client.json.set(`p:${x}`, '$', { at: [x, 0], kind }) : client.hSet(`p:${x}`, { at: blob(x, 0), kind }))
          }
          const near = async (query) => {
            const found = await ft.search('places', query, { PARAMS: { here: blob(2, 0) }, SORTBY: 'd', RETURN: 'd', DIALECT: 2 })
            return Object.fromEntries(found.documents.map(({ id, value }) => [id, Number(value.d)]))
          }
          assert.deepEqual(await near('*=>[KNN 1 @at $here AS d]'), { 'p:2': 0 })
          assert.deepEqual(await near('(@kind:{even})=>[KNN 2 @at $here AS d]'), { 'p:2': 0, 'p:4': 4 })
          assert.deepEqual(await near('@at:[VECTOR_RANGE 1 $here]=>{$yield_distance_as: d}'), { 'p:2': 0, 'p:1': 1, 'p:3': 1 })
        })
      })
    }

    test('dictionaries', async () => {
      assert.equal(await ft.dictAdd('words', ['gravel', 'tandem']), 2)
      assert.deepEqual((await ft.dictDump('words')).sort(), ['gravel', 'tandem'])
      assert.equal(await ft.dictDel('words', 'gravel'), 1)
    })

    test('suggestions', async () => {
      assert.equal(await ft.sugAdd('words', 'hello', 2), 1)
      assert.equal(await ft.sugAdd('words', 'help', 3, { PAYLOAD: '?' }), 2)
      assert.equal(await ft.sugLen('words'), 2)
      assert.deepEqual(await ft.sugGet('words', 'hel', { MAX: 1 }), ['help'])
      assert.deepEqual(plain(await ft.sugGetWithPayloads('words', 'hel')), [
        { suggestion: 'help', payload: '?' },
        { suggestion: 'hello', payload: null },
      ])
      const [{ suggestion, score }] = await ft.sugGetWithScores('words', 'hel')
      assert.deepEqual([suggestion, score.toFixed(4)], ['help', '2.1213'])
      assert.equal(await ft.sugDel('words', 'help'), 1)
      assert.deepEqual((await ft.sugGet('words', 'hel')) ?? [], ['hello'])
    })
  })
}

/** Makes the bytes of a vector. */
function blob(...components) {
  return Buffer.from(new Float32Array(components).buffer)
}

/** Makes plain objects of those without a prototype, which are not deeply equal to them. */
function plain(reply) {
  return JSON.parse(JSON.stringify(reply))
}
