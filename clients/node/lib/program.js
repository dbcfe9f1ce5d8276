'use strict'

// How the program starts and ends. What was found need not be the program. So whatever does not say in time that it is ready is ended,
// with all that it has started, and the error names its path and the reason.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { clearTimeout, setTimeout } = require('node:timers') // those of the machine, also in a test with fake timers

/** The bytes of a ready line, at most; a certificate is part of it. */
const maxLine = 1 << 16

/** A process of the program that is ready. It ends with close, or with this process. */
class Program {
  #child
  #log
  #patience

  constructor(child, log, patience, ready) {
    this.#child = child
    this.#log = log
    this.#patience = patience
    /** What it says of itself with --ready-json. */
    this.ready = ready
  }

  /** Starts it. The variable MINISERVER_START_TIMEOUT is how many seconds it may take. */
  static async start(file, options) {
    const patience = seconds()
    const log = new Log()
    let child
    try {
      // In a group of its own, so that it ends with what it has started, and Ctrl-C is for this process alone.
      child = spawn(file, options, { stdio: ['pipe', 'pipe', log.fd], detached: grouped })
      const ready = await readyLine(child, patience)
      child.unref() // a test runner may end although the server runs
      child.stdin.unref() // with whose other end the program ends
      return new Program(child, log, patience, ready)
    } catch (error) {
      signal(child, 'SIGKILL')
      const words = [error.printed, log.text.slice(-2000).trim()].filter(Boolean).join(' ')
      log.close()
      throw new Error(`miniserver does not start: ${file} ${error.reason ?? refusal(error)}${words && `: ${words}`}`, { cause: error })
    } finally {
      child?.stdout?.destroy()
    }
  }

  /** What it has logged. */
  get log() {
    return this.#log.text
  }

  /** Ends it. If that takes longer than to start, it is killed. */
  async close() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.ref()
      signal(this.#child, 'SIGTERM')
      const timer = setTimeout(() => signal(this.#child, 'SIGKILL'), this.#patience * 1000)
      await ended
      clearTimeout(timer)
    }
    this.#log.close()
  }
}

/** A file that a process writes to. It has no name where the system allows that, so that nothing stays behind if no one closes it. */
class Log {
  #dir = fs.mkdtempSync(path.join(os.tmpdir(), 'miniserver-'))
  #closed // the text, when the file is closed

  constructor() {
    this.fd = fs.openSync(path.join(this.#dir, 'log'), 'a+')
    if (process.platform !== 'win32') this.#remove()
  }

  get text() {
    if (this.#closed !== undefined) return this.#closed
    const bytes = Buffer.alloc(fs.fstatSync(this.fd).size)
    return bytes.toString('utf8', 0, fs.readSync(this.fd, bytes, 0, bytes.length, 0))
  }

  close() {
    if (this.#closed !== undefined) return
    this.#closed = this.text
    fs.closeSync(this.fd)
    this.#remove()
  }

  #remove() {
    fs.rmSync(this.#dir, { recursive: true, force: true })
  }
}

/** Whether a signal can be sent to a process and all that it has started. */
const grouped = process.platform !== 'win32'

/** Sends a signal to a process and to what it has started. */
function signal(child, name) {
  if (child?.pid === undefined) return
  try {
    if (grouped) process.kill(-child.pid, name)
    else child.kill()
  } catch {
    // They have ended.
  }
}

/** Returns how many seconds a server may take to get ready. */
function seconds() {
  const text = process.env.MINISERVER_START_TIMEOUT || '10'
  if (!(Number(text) >= 0)) throw new Error(`MINISERVER_START_TIMEOUT: ${text} is not a number of seconds`)
  return Number(text)
}

/** Resolves to what the ready line of a process says. Rejects with a reason that follows its path, and with what it has printed instead. */
async function readyLine(child, patience) {
  let timer
  try {
    return await new Promise((resolve, reject) => {
      let text = ''
      const fail = (reason, printed) => reject(Object.assign(new Error(reason), { reason, printed }))
      timer = setTimeout(() => fail(`has not said in ${patience} seconds that it is ready`), patience * 1000)
      child.on('error', reject)
      child.stdout?.setEncoding('utf8').on('data', (data) => {
        text += data
        if (!text.includes('\n') && text.length < maxLine) return
        const ready = parse(text)
        if (ready) resolve(ready)
        else if (child.exitCode === null) fail(`printed "${text.slice(0, 200).trim()}" in place of its ready line`)
      })
      child.on('exit', (code, name) => {
        signal(child, 'SIGKILL') // what it leaves behind may hold its output open
        const end = () => fail(name ? `ended by signal ${name}` : `ended with status ${code}`, text.slice(0, 200).trim())
        child.on('close', end)
        clearTimeout(timer)
        timer = setTimeout(end, 1000)
      })
    })
  } finally {
    clearTimeout(timer)
    child.removeAllListeners('exit')
  }
}

/** Returns what a line says if it is a ready line. */
function parse(line) {
  try {
    const ready = JSON.parse(line)
    return ['url', 'port', 'addresses', 'pid', 'version'].every((field) => field in ready) ? ready : undefined
  } catch {
    return undefined
  }
}

/** Returns why the system does not run a file that is there. */
function refusal(error) {
  return error.code === 'ENOENT' ? 'needs an interpreter that is not there' : `cannot be run: ${error.message}`
}

module.exports = { Program, seconds }
