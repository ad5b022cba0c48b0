// Operations that the application gives up.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { another, failCommand, thrown } from './server.mjs'

const test = theme('timeouts')

const slow = (c, command, times = 1) => failCommand(c.client, { times }, { failCommands: [command], blockConnection: true, blockTimeMS: 3000 })

test('an abort signal ends an operation', async (c) => {
  const client = await another(c, { maxPoolSize: 1 })
  const coll = client.db(c.db.databaseName).collection('things')
  await coll.insertOne({ _id: 1 })
  const f = await slow(c, 'find')
  const stop = new AbortController()
  const reading = thrown(coll.find({}, { signal: stop.signal }).toArray())
  setTimeout(() => stop.abort(new Error('enough')), 200)
  assert.equal((await reading).message, 'enough')
  await f.off()
  assert.deepEqual(await coll.findOne(), { _id: 1 })
}, { long: true })

test('a socket timeout is a network error', async (c) => {
  const client = await another(c, { socketTimeoutMS: 400, retryReads: false })
  const f = await slow(c, 'ping')
  const err = await thrown(client.db('admin').command({ ping: 1 }))
  await f.off()
  assert.equal(err.name, 'MongoNetworkTimeoutError')
}, { long: true })

test('waiting for a connection', async (c) => {
  const client = await another(c, { maxPoolSize: 1, waitQueueTimeoutMS: 200 })
  const f = await slow(c, 'ping')
  const first = client.db('admin').command({ ping: 1 })
  const err = await thrown(client.db('admin').command({ buildInfo: 1 }))
  assert.equal(err.name, 'MongoWaitQueueTimeoutError')
  assert.equal((await first).ok, 1)
  await f.off()
}, { long: true })

test('a closed client leaves nothing running on the server', async (c) => {
  const client = await another(c, { appName: 'leaves soon' })
  await c.coll.insertMany(Array.from({ length: 3000 }, (_, _id) => ({ _id })))
  const reading = thrown(client.db(c.db.databaseName).collection('things').find({ $where: 'sleep(100) || true' }, { maxTimeMS: 100_000 }).toArray())
  const running = () => c.client.db('admin').aggregate([{ $currentOp: {} }, { $match: { appName: 'leaves soon', op: 'query' } }]).toArray()
  let i = 0
  while ((await running()).length === 0 && i++ < 600) await new Promise((r) => setTimeout(r, 20))
  assert.equal((await running()).length, 1)
  await client.close()
  const { name } = await reading
  assert.match(name, /^Mongo(ClientClosed|PoolClosed|TopologyClosed|Network)Error$/)
  for (i = 0; i < 600 && (await running()).length > 0; i++) await new Promise((r) => setTimeout(r, 50))
  assert.equal((await running()).length, 0)
}, { long: true })
