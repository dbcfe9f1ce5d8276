'use strict'

// Loaded before a test: what it and ours require as ioredis is the next major version.

const Module = require('node:module')
const path = require('node:path')

const ours = ['lib', 'test'].map((dir) => path.join(__dirname, '..', '..', dir) + path.sep)
const resolve = Module._resolveFilename
Module._resolveFilename = (request, parent, ...rest) => {
  const next = ours.some((dir) => parent?.filename?.startsWith(dir))
  return resolve(next ? request.replace(/^ioredis(?=\/|$)/, 'ioredis-6') : request, parent, ...rest)
}
