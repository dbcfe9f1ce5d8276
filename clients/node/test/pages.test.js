'use strict'

// The pages about the originals: their tables are up to date, and their code is that of tests.

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { libraries, page } = require('./drop-in/surface')

const examples = path.join(__dirname, '..', 'examples')
const tests = ['jest', 'mock', 'vitest'].flatMap((dir) => fs.readdirSync(path.join(examples, dir)).map((name) => path.join(examples, dir, name)))
const code = tests.filter((file) => /js$/.test(file)).map((file) => fs.readFileSync(file, 'utf8'))

for (const library of libraries) {
  test(`the page of ${library}`, async () => {
    const { text, wanted } = await page(library)
    assert.equal(text, wanted, 'run node clients/node/test/drop-in/surface.js --update')
    const blocks = text.matchAll(/^```js\n(.*?)^```/gms)
    for (const [, block] of blocks) {
      for (const part of block.split('\n\n')) assert.ok(code.some((file) => file.includes(part.trim())), `no test has this:\n${part}`)
    }
  })
}
