'use strict'

// A server that others have started: a service of docker compose or of a CI, or one that several processes share.

const { setTimeout } = require('node:timers/promises')
const { Connection, ReplyError } = require('./connection')
const { machine } = require('./date')

/** What a connection meets while a server starts, or the network of its container. */
const notYet = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Returns the address in a URL such as redis://:secret@host:6379, of which the path does not count. Its password may be undefined. */
function addressOf(url) {
  const parts = parse(url)
  if (!/^rediss?:$/.test(parts?.protocol) || !parts.hostname) {
    throw new Error('the URL of a server begins with redis:// or rediss:// and a host, such as redis://:PASSWORD@localhost:6379')
  }
  if (!['', 'default'].includes(parts.username)) {
    throw new Error(`the URL of a server has the password of its default user and no other user, so not ${parts.username}`)
  }
  const password = parts.password === '' ? undefined : decode(parts.password)
  return { scheme: parts.protocol.slice(0, -1), host: parts.hostname.replace(/^\[|\]$/g, ''), port: Number(parts.port || 6379), password }
}

/** Returns the password that stands in a URL. */
function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('the URL of a server has a password with a % that begins no code: write %25 for it')
  }
}

function parse(url) {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}

/** Returns the URL of an address, with a user and a password if there is one. */
function urlOf({ scheme, host, port }, user = '', password = undefined) {
  const login = password === undefined ? '' : `${user}:${encodeURIComponent(password)}@`
  return `${scheme}://${login}${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Connects to a server, which may still start for some seconds, and requires that it has the test kit. */
async function attach(address, patience) {
  const end = machine.now() + patience * 1000
  for (;;) {
    const connection = new Connection(address, 'default')
    const timer = new AbortController()
    try {
      await Promise.race([connection.entered, late(patience, timer.signal)])
      return connection
    } catch (error) {
      connection.close()
      if (error instanceof ReplyError) throw new Error(`${urlOf(address)} ${refusal(error.message)}`)
      if (!notYet.has(error.code) || machine.now() > end) throw new Error(`${urlOf(address)} cannot be reached: ${reason(error)}`, { cause: error })
      await setTimeout(100)
    } finally {
      timer.abort()
    }
  }
}

async function late(patience, signal) {
  await setTimeout(patience * 1000, undefined, { signal })
  throw new Error('timed out')
}

/** Returns what an error says; that of a host with several addresses says nothing. */
function reason(error) {
  return error.message || error.code
}

function refusal(error) {
  if (error.includes('unknown command')) {
    return 'has no test kit: start it with miniserver --test-kit yes, or a container with the arguments --test-kit yes --requirepass PASSWORD'
  }
  if (error.startsWith('NOAUTH')) return 'wants a password, as in redis://:PASSWORD@host:6379'
  return `does not let the kit in: ${error}`
}

/** Returns what INFO says of the server. */
async function facts(connection) {
  const lines = (await connection.command('INFO', 'server')).split('\r\n')
  return Object.fromEntries(lines.filter((line) => line.includes(':')).map((line) => line.split(/:(.*)/).slice(0, 2)))
}

/** Returns what was left behind in the world of a connection, a line for each client and each leak, and disconnects the clients. */
async function leftIn(connection) {
  await connection.command('MINI.FAULT', 'CLEAR') // which might strike what follows
  const own = await connection.command('CLIENT', 'ID')
  const clients = (await connection.command('CLIENT', 'LIST')).trim().split('\n')
  const left = clients
    .map((line) => Object.fromEntries(line.split(' ').map((field) => field.split(/=(.*)/).slice(0, 2))))
    .filter(({ id }) => id !== String(own))
    .map(({ id, addr, name }) => `client ${id} at ${addr}${name && ` named ${name}`}`)
  const leaks = await connection.command('MINI.LEAKS')
  await connection.command('CLIENT', 'KILL', 'SKIPME', 'yes')
  return [...left, ...leaks]
}

module.exports = { addressOf, attach, facts, leftIn, urlOf }
