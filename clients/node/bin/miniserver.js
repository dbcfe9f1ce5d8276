#!/usr/bin/env node
'use strict'

// Runs the program with the arguments and the signals of this process: npx miniserver --port 7777

const { spawn } = require('node:child_process')
const { find } = require('../lib/binary')

const child = spawn(find(), process.argv.slice(2), { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', error => {
  console.error(`there is no miniserver for ${process.platform}-${process.arch}: set MINISERVER_BINARY, or add it to PATH (${error.message})`)
  process.exit(1)
})
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
