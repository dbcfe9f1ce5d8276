'use strict'

// A whole Redis Cluster in one process.

const { Server } = require('./server')

/** A running cluster of masters, each with replicas, as a program that start starts and close ends. */
class Cluster {
  #server

  constructor(server) {
    this.#server = server
    this.host = server.host
    this.port = server.port
    this.clock = server.world('default').clock
    const host = server.addresses[0].replace(/:\d+$/, '')
    this.addresses = server.addresses.filter((address) => address.replace(/:\d+$/, '') === host)
  }

  static async start({ shards = 3, replicas = 1, binary, options = [] } = {}) {
    const nodes = ['--cluster-shards', `${shards}`, '--cluster-replicas', `${replicas}`]
    const cluster = new Cluster(await Server.start({ binary, options: [...nodes, ...options] }))
    await cluster.clock.now() // over a connection that stays when the first node is killed
    return cluster
  }

  async command(...words) {
    return this.#server.command(...words)
  }

  async kill(node) {
    await this.command('MINI.CLUSTER', 'KILL', node)
  }

  async stop(node) {
    await this.command('MINI.CLUSTER', 'STOP', node)
  }

  async cont(node) {
    await this.command('MINI.CLUSTER', 'CONT', node)
  }

  async failover(node) {
    await this.command('MINI.CLUSTER', 'FAILOVER', node)
  }

  async partition(...nodes) {
    await this.command('MINI.CLUSTER', 'PARTITION', ...nodes)
  }

  async split(node) {
    await this.command('MINI.CLUSTER', 'SPLIT', node)
  }

  async lose(node) {
    await this.command('MINI.CLUSTER', 'LOSE', node)
  }

  async move(node, ...slots) {
    await this.command('MINI.CLUSTER', 'MOVE', node, ...slots)
  }

  async heal() {
    await this.command('MINI.CLUSTER', 'HEAL')
  }

  get log() {
    return this.#server.log
  }

  async close() {
    await this.#server.close()
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.close()
  }
}

module.exports = { Cluster }
