'use strict'

// Where the program is.

const fs = require('node:fs')
const path = require('node:path')

const file = process.platform === 'win32' ? 'miniserver.exe' : 'miniserver'

/**
 * Returns the path of the program: the given one, that in MINISERVER_BINARY, that of the package for this platform, or the first one in PATH
 * that can be run.
 */
function find(binary) {
  return named(binary, 'binary') ?? named(process.env.MINISERVER_BINARY, 'MINISERVER_BINARY') ?? packaged() ?? inPath()
}

function named(binary, whence) {
  if (!binary) return undefined
  const program = path.resolve(binary)
  const reason = unfit(program)
  if (reason) throw missing(`${whence} names ${program}, which ${reason}`)
  return program
}

function missing(message) {
  return Object.assign(new Error(message), { code: 'ENOENT' })
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
  const left = []
  for (const dir of (process.env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    const program = path.join(dir, file)
    const reason = unfit(program) ?? (head(program, 2).toString() === '#!' ? 'is a script' : undefined)
    if (!reason) return program
    if (status(fs.lstatSync, program)) left.push(`${program} ${reason}`)
  }
  const found = left.length ? `; in PATH, ${left.join(', ')}` : ''
  throw missing(`there is no miniserver for ${process.platform}-${process.arch}: set MINISERVER_BINARY, or add it to PATH${found}`)
}

/** Returns why a file cannot be the program, in words that follow its path; undefined if it may be. */
function unfit(program) {
  const stat = status(fs.statSync, program)
  if (!stat) return status(fs.lstatSync, program) ? 'leads to nothing' : 'is not there'
  if (stat.isDirectory()) return 'is a directory'
  if (!stat.isFile()) return 'is not a file'
  try {
    fs.accessSync(program, fs.constants.X_OK)
  } catch {
    return 'is not executable'
  }
  if (stat.size === 0) return 'is empty'
  const [here, there] = [machine('/proc/self/exe'), machine(program)]
  return here && there && here !== there ? 'is for another kind of machine' : undefined
}

/** Returns what the system says of a file; undefined if it cannot be reached. */
function status(stat, file) {
  try {
    return stat(file)
  } catch {
    return undefined
  }
}

/** Returns what a program of Linux says of the machine that it is for, its word size and processor; undefined of other files. */
function machine(program) {
  const start = head(program, 20)
  return start.toString('latin1', 0, 4) === '\x7fELF' ? `${start[4]} ${start[18]} ${start[19]}` : undefined
}

/** Returns the first bytes of a file; none if it cannot be read. */
function head(program, size) {
  const start = Buffer.alloc(size)
  try {
    const opened = fs.openSync(program)
    const count = fs.readSync(opened, start)
    fs.closeSync(opened)
    return start.subarray(0, count)
  } catch {
    return start.subarray(0, 0)
  }
}

module.exports = { find }
