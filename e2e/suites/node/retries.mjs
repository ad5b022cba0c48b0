// Retryable reads and writes: how often a command is sent, and what remains.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { another, commands, failCommand, needsSet, thrown } from './server.mjs'

const test = theme('retries')
const lost = { closeConnection: true }
const stepdown = { errorCode: 10107, errorLabels: ['RetryableWriteError'] } // NotWritablePrimary

async function watched(c, options = {}) {
  await c.coll.insertMany([{ _id: 1, n: 0 }, { _id: 2, n: 0 }])
  const client = await another(c, { monitorCommands: true, ...options })
  return { coll: client.db(c.db.databaseName).collection('things'), names: commands(client) }
}

const reads = {
  find: (coll) => coll.find().toArray(),
  aggregate: (coll) => coll.aggregate([{ $match: {} }]).toArray(),
  distinct: (coll) => coll.distinct('_id'),
  count: (coll) => coll.estimatedDocumentCount(),
  listIndexes: (coll) => coll.listIndexes().toArray(),
}
for (const [name, fn] of Object.entries(reads)) {
  test(`${name} is sent again after a lost connection`, async (c) => {
    const { coll, names } = await watched(c)
    const want = await fn(c.coll)
    const f = await failCommand(c.client, { times: 1 }, { failCommands: [name], ...lost })
    const got = await fn(coll)
    await f.off()
    assert.deepEqual(got, want)
    assert.deepEqual(names, [name, name])
  })
}

test('reads are not sent again when this is off, nor a third time', async (c) => {
  const off = await watched(c, { retryReads: false })
  let f = await failCommand(c.client, { times: 1 }, { failCommands: ['find'], ...lost })
  assert.equal((await thrown(off.coll.findOne())).name, 'MongoNetworkError')
  await f.off()
  await c.coll.deleteMany({})
  const on = await watched(c)
  f = await failCommand(c.client, { times: 2 }, { failCommands: ['find'], errorCode: 91 })
  assert.equal((await thrown(on.coll.findOne())).code, 91)
  await f.off()
  assert.deepEqual([off.names, on.names], [['find'], ['find', 'find']])
}, { long: true })

const writes = {
  insert: [(coll) => coll.insertOne({ _id: 3 }), [0, 0, undefined]],
  update: [(coll) => coll.updateOne({ _id: 1 }, { $inc: { n: 1 } }), [1, 0]],
  delete: [(coll) => coll.deleteOne({ _id: 1 }), [0]],
  findAndModify: [(coll) => coll.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } }), [0, 1]],
}
for (const [name, [fn, left]] of Object.entries(writes)) {
  for (const [how, fault] of Object.entries({ 'a lost connection': lost, 'a stepdown': stepdown })) {
    test(`${name} happens once although ${how} makes it two`, async (c) => {
      await needsSet(c.client)
      const { coll, names } = await watched(c)
      const f = await failCommand(c.client, { times: 1 }, { failCommands: [name], ...fault })
      await fn(coll)
      await f.off()
      assert.deepEqual(names, [name, name])
      assert.deepEqual((await c.coll.find().sort({ _id: 1 }).toArray()).map((d) => d.n), left)
    })
  }
}

test('an update of many is not sent again', async (c) => {
  await needsSet(c.client)
  const { coll, names } = await watched(c)
  const f = await failCommand(c.client, { times: 1 }, { failCommands: ['update'], ...lost })
  const err = await thrown(coll.updateMany({}, { $inc: { n: 1 } }))
  await f.off()
  assert.deepEqual([err.name, names], ['MongoNetworkError', ['update']])
})
