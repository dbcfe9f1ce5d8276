'use strict'

// A connection for the commands of the test kit. The kit has a client of its own, which speaks just enough of the protocol.
// So it works beside every client library, of whatever version, and beside one that is mocked, pooled or in cluster mode.

const net = require('node:net')
const tls = require('node:tls')
const { isUint8Array } = require('node:util').types

/** An error that the server has replied with. */
class ReplyError extends Error {}

/** A connection in a world. Commands may be sent while others wait for their replies, which come in order. */
class Connection {
  #socket
  #waiting = []
  #input = Buffer.alloc(0)

  /** Connects to an address and logs in, which entered waits for. */
  constructor({ scheme, host, port, password }, world) {
    const options = { host, port, noDelay: true }
    // Any certificate will do: the data are those of tests, and clients verify the one that is shown here, to a client that asks for no name. That
    // is the authority of those for names, if the server has made it.
    this.#socket = scheme === 'rediss' ? tls.connect({ ...options, servername: '', rejectUnauthorized: false }) : net.connect(options)
    this.#socket.on('data', (data) => this.#receive(data))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(Object.assign(new Error('the server has closed the connection'), { code: 'ECONNRESET' })))
    this.entered = this.#enter(world, password)
    this.entered.catch(() => {}) // every command rejects with the error
  }

  /** The certificate that the server shows, as PEM; undefined without TLS. */
  get certificate() {
    const der = this.#socket.getPeerCertificate?.().raw
    return der && `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
  }

  /** Executes a command and resolves to its reply; texts are strings. */
  async command(...words) {
    await this.entered
    return this.#send(words)
  }

  get closed() {
    return this.#socket.destroyed
  }

  /** Closes the connection if it is open. When this resolves it is no client of its world any more. */
  async leave() {
    if (this.closed) return
    await this.command('MINI.WORLD', 'USE', 'default')
    this.close()
  }

  close() {
    this.#socket.destroy()
  }

  async #enter(world, password) {
    if (password !== undefined) await this.#send(['AUTH', password])
    await this.#send(['MINI.WORLD', 'USE', world, 'OPERATOR']) // which no outage strikes
  }

  #send(words) {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error('the connection is closed'))
      const bytes = encode(words) // or rejects, if there is no word or one without a text
      this.#waiting.push({ resolve, reject })
      if (this.#waiting.length === 1) this.#socket.ref()
      this.#socket.write(bytes)
    })
  }

  #receive(data) {
    this.#input = this.#input.length ? Buffer.concat([this.#input, data]) : data
    try {
      for (let reply; this.#waiting.length && (reply = decode(this.#input, 0)); ) {
        this.#input = this.#input.subarray(reply.end)
        const { resolve, reject } = this.#waiting.shift()
        if (reply.value instanceof ReplyError) reject(reply.value)
        else resolve(reply.value)
      }
    } catch (error) {
      this.#socket.destroy(error)
    }
    if (this.#waiting.length === 0) this.#socket.unref() // an idle connection does not keep the process alive
  }

  #fail(error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

function encode(words) {
  if (words.length === 0) throw new TypeError('a command has a name') // the server replies nothing to none
  const parts = [`*${words.length}\r\n`]
  for (const word of words) {
    const bytes = isUint8Array(word) ? word : Buffer.from(String(word))
    parts.push(`$${bytes.length}\r\n`, bytes, '\r\n')
  }
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

/** Returns the reply that begins at an offset and where it ends; undefined if it is not complete. */
function decode(input, from) {
  const eol = input.indexOf('\r\n', from)
  if (eol < 0) return undefined
  const text = input.toString('utf8', from + 1, eol)
  const end = eol + 2
  switch (String.fromCharCode(input[from])) {
    case '+':
      return { value: text, end }
    case '-':
      return { value: new ReplyError(text), end }
    case ':':
      return { value: Number(text), end }
    case '$':
      return decodeBulk(input, end, Number(text))
    case '*':
      return decodeArray(input, end, Number(text))
  }
  throw new Error(`unknown reply ${JSON.stringify(input.toString('utf8', from, Math.min(eol, from + 100)))}`)
}

function decodeBulk(input, from, size) {
  if (size < 0) return { value: null, end: from }
  if (input.length < from + size + 2) return undefined
  return { value: input.toString('utf8', from, from + size), end: from + size + 2 }
}

function decodeArray(input, from, size) {
  if (size < 0) return { value: null, end: from }
  const value = []
  for (let i = 0; i < size; i++) {
    const element = decode(input, from)
    if (!element) return undefined
    value.push(element.value)
    from = element.end
  }
  return { value, end: from }
}

module.exports = { Connection, ReplyError }
