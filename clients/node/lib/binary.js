'use strict'

/** Returns the path of the program: the given one, that in MINISERVER_BINARY, that of the package for this platform, or the one in PATH. */
function find(binary) {
  return binary || process.env.MINISERVER_BINARY || packaged() || 'miniserver' // spawn looks in PATH
}

/** Returns the path of the program that npm has installed for this platform; undefined if it has none. */
function packaged() {
  const file = process.platform === 'win32' ? 'miniserver.exe' : 'miniserver'
  try {
    return require.resolve(`@miniserver-go/${process.platform}-${process.arch}/bin/${file}`)
  } catch {
    return undefined
  }
}

module.exports = { find }
