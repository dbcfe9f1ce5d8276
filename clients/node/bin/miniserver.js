#!/usr/bin/env node
'use strict'

// Runs the program with the arguments and the signals of this process: npx miniserver --port 7777

const { spawn } = require('node:child_process')
const { find } = require('../lib/binary')

// What is found may be a shim that leads back here, by way of a version manager for example. This variable ends the circle: it has the path
// that this script has started before.
const circle = 'MINISERVER_STARTED_AS'

function fail(error) {
  console.error(error.message)
  process.exit(1)
}

function start() {
  try {
    const before = process.env[circle]
    if (before) throw new Error(`${before} leads back to ${__filename}: set MINISERVER_BINARY to the program itself`)
    const program = find()
    return spawn(program, process.argv.slice(2), { stdio: 'inherit', env: { ...process.env, [circle]: program } })
  } catch (error) {
    return fail(error)
  }
}

const child = start()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', fail)
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})

// The program would outlive its parent's parent.
if (process.argv.includes('--exit-with-parent')) {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || child.kill(), 100)
}
