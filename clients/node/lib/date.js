'use strict'

// The time that Date shows in a test, which may not be the machine's.

const { runInNewContext } = require('node:vm')

/** The Date of the machine, also where a test has put another one in its place. */
const machine = runInNewContext('Date')

let seen // the function that Date.now was when it was last called
let written = false

/** Returns the time that Date shows, in milliseconds, if it is not the machine's: a test has fake timers, say. Else undefined. */
function fakeTime() {
  const from = machine.now()
  const time = Math.trunc(Date.now())
  return isWritten(Date.now) || time < from || time > machine.now() ? time : undefined
}

/** Says whether a function is written in JavaScript; of a bound one it cannot be known. */
function isWritten(now) {
  if (now !== seen) {
    seen = now
    written = !Function.prototype.toString.call(now).includes('[native code]')
  }
  return written
}

module.exports = { fakeTime, machine }
