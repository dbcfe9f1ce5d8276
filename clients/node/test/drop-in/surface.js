'use strict'

// What the originals let a program name, and what ours have of it, as tables for the pages. The names come from the types of the originals, from the
// objects and from their READMEs. node test/drop-in/surface.js --update writes the tables into the pages.

const fs = require('node:fs')
const path = require('node:path')
const ts = require('typescript')
const { verdicts } = require('./verdicts')

const root = path.join(__dirname, '..', '..')
const pages = path.join(root, '..', '..', 'docs', 'start')

/** The types of the originals, and ours. */
const types = {
  mock: ['node_modules/@types/ioredis-mock/index.d.ts', 'lib/ioredis-mock.d.ts'],
  exported: ['node_modules/redis-memory-server/lib/index.d.ts', 'lib/redis-memory-server.d.ts'],
  server: ['node_modules/redis-memory-server/lib/RedisMemoryServer.d.ts', 'lib/redis-memory-server.d.ts'],
}
const settings = { strict: true, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: ['node'] }
const program = ts.createProgram(Object.values(types).flat().map((file) => path.join(root, file)), settings)
const checker = program.getTypeChecker()

/** Functions that resolve to groups: a title, names, whether ours have a name, and for many that ours have what stands for them. */
const surfaces = { 'ioredis-mock': mockSurface, 'redis-memory-server': serverSurface }

async function mockSurface() {
  const original = require('ioredis-mock')
  const ours = require('miniserver-testkit/ioredis-mock')
  const [theirTypes, ourTypes] = types.mock.map(readTypes)
  const [theirClient, ourClient] = [new original({ lazyConnect: true }), new ours({ lazyConnect: true })]
  const cases = fs.readFileSync(path.join(__dirname, 'ioredis-mock.js'), 'utf8')
  const commands = compatible('node_modules/ioredis-mock/compat.md')
  const known = await ourClient.command('INFO', ...commands.supported)
  const members = namesOf(theirClient).filter((name) => !name.startsWith('_') && !commands.all.has(base(name)) && !(name in new (require('node:events'))()))
  return [
    ['Constructors', constructors(theirTypes, 'Constructor'), (name) => constructors(ourTypes, 'Constructor').includes(name)],
    ['Names of the class', Object.getOwnPropertyNames(original).filter((name) => !(name in class {})), (name) => name in ours],
    ['Options', Object.keys(theirClient.options), (name) => new RegExp(`\\b${name}\\b`).test(cases)],
    ['Members of a client', members, (name) => name in ourClient],
    ['Commands', commands.supported, (name, i) => known[i] !== null && typeof ourClient[name] === 'function', 'the others in its compat.md'],
    ['Types', Object.keys(theirTypes), (name) => name in ourTypes],
    ...documented('ioredis-mock'),
  ]
}

async function serverSurface() {
  const [theirs, ours] = types.exported.map(readTypes)
  const groups = []
  for (const name of ['RedisMemoryServer', 'RedisInstance', 'RedisBinary']) {
    const ourMembers = ours[name] ?? []
    groups.push([name, theirs[name].filter((member) => !member.startsWith('_')), (member) => ourMembers.includes(member)])
  }
  const [theirOptions, ourOptions] = types.server.map((file) => fieldsOf(file, 'RedisMemoryServerOptsT', ['instance', 'binary']))
  groups.push(['Options', theirOptions, (option) => ourOptions.includes(option)])
  const [theirFields, ourFields] = types.server.map((file) => fieldsOf(file, 'RedisInstanceDataT'))
  groups.push(['Fields of getInstanceInfo()', theirFields, (field) => ourFields.includes(field)])
  groups.push(['Exports', Object.keys(theirs), (name) => name in ours])
  return [...groups, ...documented('redis-memory-server')]
}

/** Returns a group with the names that a README has and no object: each must stand there. */
function documented(library) {
  const readme = fs.readFileSync(path.join(root, 'node_modules', library, 'README.md'), 'utf8')
  const variables = readme.match(/\bREDISMS_[A-Z_]+/g) ?? []
  const named = Object.keys(verdicts[library].Documented).filter((name) => readme.includes(name))
  return [['Documented', [...new Set([...named, ...variables])], () => false]]
}

/** Returns the names of an object and its prototypes. */
function namesOf(object) {
  const names = new Set()
  for (; object && object !== Object.prototype; object = Object.getPrototypeOf(object)) Object.getOwnPropertyNames(object).forEach((name) => names.add(name))
  return [...names]
}

/** Returns the command of a method: get for getBuffer. */
function base(name) {
  return name.replace(/Buffer$/, '').toLowerCase()
}

/** Returns the commands in the table of compat.md: all, and those that the original has. */
function compatible(file) {
  const rows = [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(/^\| \[?([\w.-]+)\]?[^|]*\|[^|]*\|([^|]*)\|/gm)]
  const supported = rows.filter(([, , theirs]) => theirs.includes(':white_check_mark:')).map(([, name]) => name)
  // Commands of servers that are no command of a client stand there, too.
  return { all: new Set([...rows.map(([, name]) => name.toLowerCase()), 'dump', 'latency', 'migrate', 'pfdebug', 'pfselftest', 'restore-asking', 'slowlog']), supported }
}

/** Returns the exports of a file of types, and the names of the members of each. */
function readTypes(file) {
  return Object.fromEntries(read(file).map((symbol) => [symbol.name, membersOf(symbol)]))
}

function read(file) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(path.join(root, file)))
  return checker.getExportsOfModule(module).filter(({ name }) => name !== 'prototype')
}

function membersOf(symbol) {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const type = checker.getDeclaredTypeOfSymbol(target)
  const statics = [...(target.exports?.keys() ?? [])].filter((name) => name !== 'prototype').map((name) => `static ${name}`)
  const constructs = type.getConstructSignatures().map((signature) => `(${signature.parameters.map(({ name }) => name).join(', ')})`)
  return [...constructs, ...type.getProperties().map(({ name }) => name), ...statics]
}

function constructors(types, name) {
  return types[name].filter((member) => member.startsWith('(')).map((parameters) => `new Redis${parameters}`)
}

/** Returns the members of a type of a file; those of the named ones are their members, after a dot. */
function fieldsOf(file, name, nested = []) {
  const type = checker.getDeclaredTypeOfSymbol(read(file).find((symbol) => symbol.name === name))
  return type.getProperties().flatMap((field) => {
    if (!nested.includes(field.name)) return field.name
    const value = checker.getNonNullableType(checker.getTypeOfSymbol(field))
    return value.getProperties().map((inner) => `${field.name}.${inner.name}`)
  })
}

/** Resolves to the table of a library. It rejects if a name has no verdict and ours do not have it, or a verdict is about no name. */
async function table(library) {
  const lines = ['| | | here | |', '|---|---|---|---|']
  const wrong = []
  for (const [group, names, has, sum] of await surfaces[library]()) {
    const judged = { ...verdicts[library][group] }
    const rows = new Map()
    names.forEach((name, i) => {
      const [verdict, why] = judged[name] ?? (has(name, i) ? ['yes', ''] : [])
      if (!verdict) wrong.push(`${group}: ${name} is not here, and no reason is given`)
      if (verdict === 'no' && has(name, i)) wrong.push(`${group}: ${name} is here`)
      delete judged[name]
      const row = `${verdict} | ${why}`
      rows.set(row, [...(rows.get(row) ?? []), name])
    })
    wrong.push(...Object.keys(judged).map((name) => `${group}: the original has no ${name}`))
    let title = group
    for (const [row, members] of rows) {
      const listed = (row.startsWith('yes') && sum) || members.map((name) => `\`${name}\``).join(' ')
      lines.push(`| ${title} | ${listed} | ${row} |`)
      title = ''
    }
  }
  if (wrong.length) throw new Error(`${library}:\n${wrong.join('\n')}`)
  return lines.join('\n').replaceAll(/ +\|/g, ' |')
}

/** Returns the table of the cases in which ioredis-mock and ours differ. */
function differences() {
  const rows = Object.entries(require('./ioredis-mock').different).map(([name, { reason }]) => `| ${name} | ${reason} |`)
  return ['| | |', '|---|---|', ...rows].join('\n')
}

/** Returns a text with another table between a mark and its end. */
function replaced(text, name, table) {
  const [begin, end] = [`<!-- ${name}: node clients/node/test/drop-in/surface.js --update -->`, '<!-- end -->']
  const [before, rest] = text.split(begin)
  if (rest === undefined) throw new Error(`the page has no ${begin}`)
  return `${before}${begin}\n${table}\n${rest.slice(rest.indexOf(end))}`
}

/** Resolves to the file of a page, its text, and the text that it must have. */
async function page(library) {
  const file = path.join(pages, `${library}.md`)
  const text = fs.readFileSync(file, 'utf8')
  const wanted = replaced(text, 'surface', await table(library))
  return { file, text, wanted: library === 'ioredis-mock' ? replaced(wanted, 'differences', differences()) : wanted }
}

async function update() {
  for (const library of Object.keys(surfaces)) {
    const { file, wanted } = await page(library)
    fs.writeFileSync(file, wanted)
  }
}

module.exports = { libraries: Object.keys(surfaces), page, table }
if (require.main === module && process.argv.includes('--update')) update()
