const Redis = require('ioredis')

const client = new Redis('redis://redis.example:6379')

exports.remember = (id, user) => client.set(`session:${id}`, user, 'EX', 3600)
exports.recall = (id) => client.get(`session:${id}`)
