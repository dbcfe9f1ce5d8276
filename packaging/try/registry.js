'use strict'

// An npm registry on 127.0.0.1:4873 with the packages in /dist.

const { execFileSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const http = require('node:http')

const packages = {}
for (const file of fs.readdirSync('/dist').filter(name => name.endsWith('.tgz'))) {
  const manifest = JSON.parse(execFileSync('tar', ['-xzOf', `/dist/${file}`, 'package/package.json']))
  const integrity = 'sha512-' + createHash('sha512').update(fs.readFileSync(`/dist/${file}`)).digest('base64')
  manifest.dist = { tarball: `http://127.0.0.1:4873/files/${file}`, integrity }
  packages[manifest.name] = { name: manifest.name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: manifest } }
}

http
  .createServer((request, response) => {
    const path = decodeURIComponent(request.url.slice(1))
    if (path.startsWith('files/')) return fs.createReadStream(path.replace('files', '/dist')).pipe(response)
    response.statusCode = packages[path] ? 200 : 404
    response.end(JSON.stringify(packages[path] ?? {}))
  })
  .listen(4873, '127.0.0.1')
