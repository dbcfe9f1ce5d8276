// Ways to put the mock in the place of ioredis, but with jest.mock and the globals of Jest.
module.exports = {
  projects: [
    { displayName: 'imports', testMatch: ['**/mock.test.js'], injectGlobals: false },
    { displayName: 'mapped', testMatch: ['**/mapped.test.js'], moduleNameMapper: { '^ioredis$': 'miniserver-testkit/ioredis-mock' } },
  ],
}
