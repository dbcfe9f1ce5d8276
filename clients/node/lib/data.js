'use strict'

// Data as JavaScript writes them, as the option data of ioredis-mock has them: strings, arrays, objects, Sets and Maps.

const { types } = require('node:util') // which know the Sets and Maps of other realms

/** How many words of a value a command has at most: a function takes only so many arguments. */
const most = 10_000

/** Returns the commands that give a key a value, whatever it has been before. */
function commandsFor(key, value) {
  const first = [['DEL', key]]
  if (value === undefined || value === null) return first
  if (typeof value !== 'object' || types.isUint8Array(value)) return [['SET', key, value]]
  if (Array.isArray(value)) return [...first, ...(isStream(value) ? entriesFor(key, value) : wordsFor('RPUSH', key, value))]
  if (types.isSet(value)) return [...first, ...wordsFor('SADD', key, [...value])]
  if (types.isMap(value)) return [...first, ...wordsFor('ZADD', key, [...value].flatMap(([member, score]) => [scoreOf(score), member]))]
  return [...first, ...wordsFor('HSET', key, Object.entries(value).flat())]
}

/** Says whether the elements of an array are entries of a stream: [id, [field, value, ...]]. */
function isStream(elements) {
  return elements.length > 0 && elements.every((element) => Array.isArray(element) && element.length === 2 && Array.isArray(element[1]))
}

function entriesFor(key, entries) {
  return entries.map(([id, fields]) => ['XADD', key, id, ...fields])
}

/** Returns commands with words, an even number in each; none without words, since there is no empty list. */
function wordsFor(name, key, words) {
  const commands = []
  for (let i = 0; i < words.length; i += most) commands.push([name, key, ...words.slice(i, i + most)])
  return commands
}

function scoreOf(score) {
  return typeof score === 'object' ? score.score : score
}

module.exports = { commandsFor }
