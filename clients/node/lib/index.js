'use strict'

// Runs miniserver for tests, and steers it: a Server is a process, and a World of it has its own data, clock, scripts and
// faults, so that tests can run side by side on one server. The types are in index.d.ts.

const { Cluster } = require('./cluster')
const { ReplyError } = require('./connection')
const { Server } = require('./server')
const { World } = require('./world')

module.exports = { Cluster, ReplyError, Server, World }
