'use strict'

// Programs that are not miniserver, in PATH and elsewhere: the kit says so, and leaves nothing behind.

const assert = require('node:assert')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { after, beforeEach, test } = require('node:test')
const { setTimeout } = require('node:timers/promises')
const { Server } = require('..')

const program = process.env.MINISERVER_BINARY
const script = path.join(__dirname, '..', 'bin', 'miniserver.js')
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'hostile-'))
const hostile = path.join(temporary, 'programs')
fs.mkdirSync(hostile)
assert.equal(spawnSync(path.join(__dirname, '..', '..', 'testdata', 'hostile'), [hostile], { stdio: 'inherit' }).status, 0)
const cases = fs.readdirSync(hostile).map((name) => ({ name, dir: path.join(hostile, name) }))
const system = process.env.PATH
after(() => fs.rmSync(temporary, { recursive: true }))

beforeEach(() => {
  Object.assign(process.env, { MINISERVER_BINARY: '', MINISERVER_START_TIMEOUT: '', PATH: system })
})

for (const { name, dir } of cases) {
  const file = path.join(dir, 'miniserver')
  const reason = fs.readFileSync(path.join(dir, 'reason'), 'utf8').trim()
  const starts = /^(ended|needs|printed|has not)/.test(reason) // or tries to
  for (const way of ['argument', 'MINISERVER_BINARY', 'PATH']) {
    test(`${name} by ${way}`, async () => {
      fs.rmSync(path.join(dir, 'pids'), { force: true })
      if (fs.existsSync(path.join(dir, 'hangs'))) process.env.MINISERVER_START_TIMEOUT = '0.3'
      if (way === 'MINISERVER_BINARY') process.env[way] = file
      if (way === 'PATH') process.env.PATH = ['', '/no/such', path.join(dir, 'reason'), dir].join(path.delimiter)
      const script = way === 'PATH' && starts && fs.readFileSync(file, 'latin1').startsWith('#!')
      const message = new RegExp(`${file},?( which)? (${script ? 'is a script' : reason})`)
      await assert.rejects(Server.start(way === 'argument' ? { binary: file } : {}), { message })
      for (const pid of pids(dir)) {
        while (runs(pid)) await setTimeout(10) // the system ends it soon
      }
    })
  }
}

function pids(dir) {
  const file = path.join(dir, 'pids')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [] // it may have been ended before it had begun
}

/** Says whether a process runs. One that has ended may stay until its parent asks how. */
function runs(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8', env: { PATH: system } })
  return !/^(Z|$)/.test(stdout.trim())
}

test('what cannot run is passed over', async () => {
  process.env.PATH = [...cases.map(({ dir }) => dir).filter((dir) => !/loader|library/.test(dir)), path.dirname(program)].join(path.delimiter)
  const server = await Server.start()
  assert.equal(await server.command('PING'), 'PONG')
  await server.close()
})

test('a limit that is no number', async () => {
  process.env.MINISERVER_START_TIMEOUT = 'soon'
  await assert.rejects(Server.start({ binary: program }), { message: 'MINISERVER_START_TIMEOUT: soon is not a number of seconds' })
})

/** Makes a folder whose file miniserver does what a function makes of it. */
function shim(make) {
  const dir = fs.mkdtempSync(path.join(temporary, 'shim-'))
  const file = path.join(dir, 'miniserver')
  make(file)
  return { dir, file }
}

/** Runs bin/miniserver.js. */
function run(env, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { env: { ...process.env, ...env }, encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('the scripts in PATH are not the program', () => {
  const { dir } = shim((file) => fs.symlinkSync(script, file)) // as npm does, which puts it first in PATH
  const alone = run({ PATH: dir }, '--version')
  assert.equal(alone.status, 1)
  assert.match(alone.stderr, /^there is no miniserver for .*: set MINISERVER_BINARY, or add it to PATH; in PATH, .*miniserver is a script\n$/)
  assert.match(run({ PATH: [dir, path.dirname(program)].join(path.delimiter) }, '--version').stdout, /miniserver/)
})

test('a script that leads back to the package ends', async () => {
  const { file } = shim((file) => fs.writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`, { mode: 0o755 }))
  const message = `${file} leads back to ${script}: set MINISERVER_BINARY to the program itself`
  assert.deepEqual(run({ MINISERVER_BINARY: file }), { status: 1, stdout: '', stderr: `${message}\n` })
  await assert.rejects(Server.start({ binary: script }), /there is no miniserver/)
  process.env.MINISERVER_BINARY = file
  await assert.rejects(Server.start(), { message: `miniserver does not start: ${file} ended with status 1: ${message}` })
})

test('a program in PATH that leads back to the package ends', () => {
  const { dir, file } = shim((file) => fs.symlinkSync(process.execPath, file)) // as version managers have one program for all commands
  const back = path.join(dir, 'back.js')
  fs.writeFileSync(back, `if (process.argv0.endsWith('miniserver')) require(${JSON.stringify(script)})\n`)
  const ended = run({ PATH: dir, NODE_OPTIONS: `--require ${back}` }, 'help')
  assert.deepEqual(ended, { status: 1, stdout: '', stderr: `${file} leads back to ${script}: set MINISERVER_BINARY to the program itself\n` })
})

test('a server that bin/miniserver.js starts ends with a killed test', async () => {
  process.env.MINISERVER_BINARY = program
  const start = `require(${JSON.stringify(path.join(__dirname, '..'))}).Server.start({ binary: ${JSON.stringify(script)} }).then((s) => console.log(s.port))`
  const child = spawn(process.execPath, ['-e', `${start}; setInterval(() => {}, 1000)`], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  const socket = net.connect(Number(port))
  await once(socket, 'connect')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => {}) // a server that ends resets what it has not accepted
  child.kill('SIGKILL')
  await closed
})
