'use strict'

const fs = require('node:fs')
const path = require('node:path')

const file = process.platform === 'win32' ? 'miniserver.exe' : 'miniserver'

/** Returns the path of the program: the given one, that in MINISERVER_BINARY, that of the package for this platform, or the one in PATH. */
function find(binary) {
  const program = binary || process.env.MINISERVER_BINARY || packaged() || inPath()
  if (program) return program
  const platform = `${process.platform}-${process.arch}`
  throw Object.assign(new Error(`there is no miniserver for ${platform}: set MINISERVER_BINARY, or add it to PATH`), { code: 'ENOENT' })
}

/** Returns the path of the program that npm has installed for this platform; undefined if it has none. */
function packaged() {
  try {
    return require.resolve(`@miniserver-go/${process.platform}-${process.arch}/bin/${file}`)
  } catch {
    return undefined
  }
}

/** Returns the path of the program in PATH. The scripts there by which npm and others start bin/miniserver.js would come back here. */
function inPath() {
  const candidates = (process.env.PATH ?? '').split(path.delimiter).map(dir => path.join(dir, file))
  return candidates.find(isProgram)
}

function isProgram(candidate) {
  try {
    fs.accessSync(candidate, fs.constants.X_OK)
    const start = Buffer.alloc(2)
    const opened = fs.openSync(candidate)
    fs.readSync(opened, start)
    fs.closeSync(opened)
    return start.toString() !== '#!'
  } catch {
    return false
  }
}

module.exports = { find }
