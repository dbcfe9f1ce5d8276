#!/usr/bin/env node
'use strict'

// Runs the program with the arguments and the signals of this process: npx miniserver --port 7777

const { spawn } = require('node:child_process')
const { find } = require('../lib/binary')

function fail(error) {
  console.error(error.message)
  process.exit(1)
}

function start() {
  try {
    return spawn(find(), process.argv.slice(2), { stdio: 'inherit' })
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
