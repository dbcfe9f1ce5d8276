'use strict'

// What ours have of a name in another way, or not, and why. Where a name is neither here nor there, its table cannot be made.

const state = 'the state of the mock, which is in the server here'
const nothing = 'taken, and of no effect'
const program = 'the program comes with the test kit, and nothing is downloaded or compiled'
const log = '`server.log` has what the process has logged'

const all = (names, verdict) => Object.fromEntries(names.map((name) => [name, verdict]))

exports.verdicts = {
  'ioredis-mock': {
    'Names of the class': {
      Cluster: ['differs', 'one client, as in the original: no slots, no redirections, and `nodes()` of every role'],
    },
    Options: {
      host: ['differs', 'with the port the name of the data, as in the original: nothing is looked up'],
    },
    Commands: all(
      ['bgrewriteaof', 'bgsave', 'failover', 'replconf', 'replicaof', 'save', 'slaveof'],
      ['differs', 'refused, as a world has no files and no replicas'],
    ),
    'Members of a client': {
      ...all(
        ['batch', 'connected', 'subscriberMode', 'customCommands', 'shaScripts', 'keyData', 'context', 'expires', 'data', 'dirty', 'watching'],
        ['no', state],
      ),
      ...all(['customCommand', 'defineArgv', 'defineKeys', 'defineRedisObject', 'keyspaceEvents', 'channels', 'patternChannels'], ['no', state]),
    },
    Documented: {
      'ioredis-mock/browser.js': ['no', 'there is no server in a browser'],
      'ioredis-mock/jest': ['no', 'gone since version 7 of the original, too'],
      createConnectedClient: ['no', 'gone since version 7 of the original, too: `duplicate()`'],
    },
  },
  'redis-memory-server': {
    RedisInstance: {
      ...all(['childProcess', 'killerProcess', 'static childProcessList'], ['no', '`getPid()`, or `server` of the test kit']),
      ...all(['debug', 'closeHandler', 'errorHandler', 'stderrHandler', 'stdoutHandler'], ['no', log]),
      ...all(['instanceReady', 'instanceFailed', 'prepareCommandArgs'], ['no', 'internals of the original']),
    },
    RedisBinary: all(['static cache', 'static getSystemPath', 'static getCachePath', 'static getDownloadPath', 'static getPath', 'static _findCacheDirRecursively'], ['no', program]),
    Exports: { RedisBinary: ['no', program] },
    Options: {
      ...all(['binary.version', 'binary.downloadDir', 'binary.systemBinary', 'binary.ignoreDownloadCache', 'spawn'], ['differs', nothing]),
      'instance.args': ['differs', 'the options of miniserver, which are those of Redis but for modules'],
    },
    'Fields of getInstanceInfo()': {
      childProcess: ['no', '`instance.getPid()`'],
      tmpDir: ['no', 'the original leaves it undefined'],
    },
    Documented: {
      ...all(
        ['REDISMS_DOWNLOAD_DIR', 'REDISMS_VERSION', 'REDISMS_IGNORE_DOWNLOAD_CACHE', 'REDISMS_DOWNLOAD_MIRROR', 'REDISMS_DOWNLOAD_URL', 'REDISMS_DISABLE_POSTINSTALL'],
        ['no', program],
      ),
      REDISMS_SYSTEM_BINARY: ['no', '`MINISERVER_BINARY` names another program'],
      REDISMS_DEBUG: ['no', log],
      REDISMS_PORT: ['no', '`npx miniserver --port 6379`'],
      'npx redis-memory-server': ['no', '`npx miniserver`'],
      redisMemoryServer: ['no', 'nothing is configured in `package.json`'],
      'redis-memory-server/lib/util/resolve-config': ['no', 'nothing is configured in `package.json`'],
    },
  },
}
