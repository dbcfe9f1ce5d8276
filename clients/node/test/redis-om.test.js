'use strict'

// Redis OM, in hashes and JSON, on miniserver, and also on the server of Redis Stack whose URL is in STACK_URL: there it empties it. Redis OM 0.4
// needs version 4 of node-redis.

const assert = require('node:assert')
const { test, describe, before, after } = require('node:test')
const { createClient } = require('redis-4')
const { EntityId, Repository, Schema } = require('redis-om')
const { Server } = require('..')

let server
before(async () => (server = await Server.start({ options: ['--like', 'redis-stack:7.4'] })))
after(() => server.close())

const FIELDS = {
  title: { type: 'text', sortable: true },
  genre: { type: 'string' },
  tags: { type: 'string[]' },
  year: { type: 'number', sortable: true },
  seen: { type: 'boolean' },
  cinema: { type: 'point' },
  released: { type: 'date', sortable: true },
}
const FILMS = {
  alien: ['Alien arrives', 'horror', ['space', 'old'], 1979, true, { longitude: 2.3, latitude: 48.8 }, '1979-05-25'],
  solaris: ['Solaris', 'drama', ['space'], 1972, false, { longitude: 37.6, latitude: 55.7 }, '1972-03-20'],
  amelie: ['Amelie of Paris', 'comedy', ['paris'], 2001, true, { longitude: 2.35, latitude: 48.85 }, '2001-04-25'],
}

for (const kind of ['miniserver', 'redis-stack']) {
  describe(kind, { skip: kind !== 'miniserver' && !process.env.STACK_URL && 'STACK_URL names no Redis Stack' }, () => {
    for (const dataStructure of ['HASH', 'JSON']) {
      test(dataStructure, async () => {
        const client = await createClient({ url: kind === 'miniserver' ? server.url : process.env.STACK_URL }).connect()
        await client.flushAll()
        const films = new Repository(new Schema('film', FIELDS, { dataStructure }), client)
        await films.createIndex()
        await films.createIndex() // which is up to date
        for (const [id, [title, genre, tags, year, seen, cinema, released]] of Object.entries(FILMS)) {
          await films.save(id, { title, genre, tags, year, seen, cinema, released: new Date(released) })
        }
        const finds = async (search, ...ids) => {
          const found = await search.sortBy('year').return.all()
          assert.deepEqual(found.map((film) => film[EntityId]), ids)
        }
        const search = () => films.search()
        await finds(search(), 'solaris', 'alien', 'amelie')
        await finds(search().where('genre').equals('horror'), 'alien')
        await finds(search().where('title').matches('arrives'), 'alien')
        await finds(search().where('title').matchesExactly('alien arrives'), 'alien')
        await finds(search().where('title').matches('ameli*'), 'amelie')
        await finds(search().where('year').between(1970, 1980).and('seen').is.true(), 'alien')
        await finds(search().where('tags').contains('space'), 'solaris', 'alien')
        await finds(search().where('tags').containsOneOf('paris', 'old'), 'alien', 'amelie')
        await finds(search().where('cinema').inRadius((circle) => circle.longitude(2.3).latitude(48.8).radius(10).km), 'alien', 'amelie')
        await finds(search().where('released').after(new Date('1975-01-01')), 'alien', 'amelie')
        await finds(search().where('genre').does.not.equal('drama').or((or) => or.where('year').lt(1973)), 'solaris', 'alien', 'amelie')
        assert.equal((await search().max('year')).title, 'Amelie of Paris')
        assert.equal((await search().where('seen').true().page(0, 1)).length, 1)

        const { tags, released, cinema } = await films.fetch('alien')
        assert.deepEqual({ tags, released, cinema }, { tags: ['space', 'old'], released: new Date('1979-05-25'), cinema: FILMS.alien[5] })
        await films.remove('solaris')
        assert.equal(await search().count(), 2)
        await films.dropIndex()
        await assert.rejects(search().count(), /no such index/)
        await client.quit()
      })
    }
  })
}
