'use strict'

// Nobody closes a mock: what a process does that has not closed it, and what is left of it.

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { describe, test } = require('node:test')
const { Server } = require('..')

const gone = 'miniserver, process N, has ended, and the data of this test with it'

const programs = {
  nothing: '',
  client: '',
  'client without a ready check': '',
  command: '"OK"',
  pipeline: '[[null,"OK"],[null,"v"]]',
  subscriber: '1',
  message: '"alice"',
  'blocked client': 'null',
  'client that is blocked for ever': '',
  'job for a blocked client': '["jobs","mail"]',
  'job for a client that would wait for a day of the test': '["jobs","mail"]',
  "timers of Node's test runner": 'null',
  'end of a connection': '"end"',
  cluster: '"v"',
  'killed server': [gone, gone, gone].join('\n'),
  'thousand clients': '[50,20]',
  'modules loaded twice': '[false,true,null]',
  'worker threads': '[3,"OK"]',
}

describe('a program ends, and leaves nothing behind', { concurrency: 4 }, () => {
  for (const [name, printed] of Object.entries(programs)) {
    test(name, async (t) => {
      const TMPDIR = fs.mkdtempSync(path.join(os.tmpdir(), 'left-'))
      t.after(() => fs.rmSync(TMPDIR, { recursive: true }))
      assert.deepEqual(await run(name, { TMPDIR }), { printed, status: 0 })
      assert.deepEqual(fs.readdirSync(TMPDIR), [])
    })
  }
})

test('nothing is left on a server of others', { timeout: 60_000 }, async (t) => {
  const server = await Server.start({ options: ['--requirepass', 'secret'] })
  t.after(() => server.close())
  for (const name of ['command', 'subscriber', 'client that is blocked for ever', 'cluster']) {
    assert.deepEqual(await run(name, { MINISERVER_URL: server.url }), { printed: programs[name], status: 0 })
    while ((await server.command('MINI.WORLD', 'LIST')).length > 1); // it learns of the end a moment later
  }
})

test('no program', async () => {
  const { printed, status } = await run('command', { MINISERVER_BINARY: '/no/such/program' })
  assert.match(printed, /MINISERVER_BINARY names \/no\/such\/program, which is not there/)
  assert.equal(status, 1)
})

/** Resolves to what a program prints, and its status. */
function run(name, env) {
  const child = spawn(process.execPath, [path.join(__dirname, 'drop-in', 'programs.js'), name], { env: { ...process.env, ...env } })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text))
  return new Promise((resolve) => child.on('close', (status) => resolve({ printed: printed.trim(), status })))
}
