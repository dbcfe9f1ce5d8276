export default { test: { globalSetup: './setup.js' } }
