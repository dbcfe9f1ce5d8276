import { Redis } from 'ioredis'

const client = new Redis('redis://redis.example:6379')

export const remember = (id, user) => client.set(`session:${id}`, user, 'EX', 3600)
export const recall = (id) => client.get(`session:${id}`)
