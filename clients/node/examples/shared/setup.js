const { Server } = require('miniserver-testkit')

// For globalSetup of Jest or Vitest: one server for all files.
module.exports = async () => {
  if (process.env.MINISERVER_URL) return // it runs already
  const server = await Server.start()
  process.env.MINISERVER_URL = server.url // the workers inherit it
  return () => server.close() // Vitest calls it; with Jest the server ends with the process
}
