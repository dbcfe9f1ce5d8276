'use strict'

// Tests of projects that use ioredis-mock pass with it, and with ours after one import has changed.

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { describe, test } = require('node:test')

const projects = path.join(__dirname, '..', 'examples', 'mock')

describe('projects', { concurrency: true }, () => {
  for (const file of fs.readdirSync(projects)) {
    test(file, async (t) => {
      const text = fs.readFileSync(path.join(projects, file), 'utf8')
      assert.equal(text.split("'ioredis-mock'").length, 2, 'one import')
      const dir = fs.mkdtempSync(path.join(__dirname, '.project-')) // in the package, so that it finds itself by its name
      t.after(() => fs.rmSync(dir, { recursive: true }))
      fs.writeFileSync(path.join(dir, file), text.replace("'ioredis-mock'", "'miniserver-testkit/ioredis-mock'"))
      const [before, after] = await Promise.all([passed(path.join(projects, file)), passed(path.join(dir, file))])
      assert.ok(before > 0)
      assert.equal(after, before)
    })
  }
})

/** Resolves to how many tests of a file have passed; rejects with the output if one has failed. */
async function passed(file) {
  const { NODE_TEST_CONTEXT, ...env } = process.env // it is a run of its own
  const child = spawn(process.execPath, [file], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const status = await new Promise((resolve) => child.on('close', resolve))
  assert.equal(status, 0, output)
  return Number(/# pass (\d+)/.exec(output)?.[1])
}
