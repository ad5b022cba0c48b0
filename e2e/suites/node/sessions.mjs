// Sessions: their id on every command, causal consistency, snapshots, ending.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { another, inSet, needsSet, thrown } from './server.mjs'

const test = theme('sessions')

test('one id on every command, two for two', async (c) => {
  const client = await another(c, { monitorCommands: true })
  const ids = []
  client.on('commandStarted', (e) => ids.push(e.command.lsid?.id.toString('hex')))
  const coll = client.db(c.db.databaseName).collection('things')
  const session = client.startSession()
  const other = client.startSession()
  await coll.insertOne({ _id: 1 }, { session })
  await coll.findOne({}, { session })
  await coll.findOne({}, { session: other })
  assert.equal(ids[0], ids[1])
  assert.notEqual(ids[1], ids[2])
  await session.endSession()
  await other.endSession()
})

test('causal consistency carries the time of the last operation', async (c) => {
  await needsSet(c.client)
  const client = await another(c, { monitorCommands: true })
  const coll = client.db(c.db.databaseName).collection('things')
  const session = client.startSession({ causalConsistency: true })
  await coll.insertOne({ _id: 1 }, { session })
  const time = session.operationTime
  let concern
  client.on('commandStarted', (e) => (concern = e.command.readConcern))
  assert.deepEqual(await coll.findOne({}, { session }), { _id: 1 })
  assert.ok(concern.afterClusterTime.equals(time))
  await session.endSession()
})

test('snapshot reads do not see later writes', async ({ client, coll }) => {
  await needsSet(client)
  await coll.insertOne({ _id: 1 }, { writeConcern: { w: 'majority' } })
  const session = client.startSession({ snapshot: true })
  assert.equal((await coll.find({}, { session }).toArray()).length, 1)
  await coll.insertOne({ _id: 2 }, { writeConcern: { w: 'majority' } })
  assert.equal((await coll.find({}, { session }).toArray()).length, 1)
  assert.equal((await coll.find({}).toArray()).length, 2)
  await session.endSession()
})

test('a session that ended cannot be used', async ({ client, coll }) => {
  const session = client.startSession()
  await session.endSession()
  assert.equal((await thrown(coll.findOne({}, { session }))).name, 'MongoExpiredSessionError')
})

test('killSessions ends its cursors', async ({ client, coll, db }) => {
  await coll.insertMany([1, 2, 3, 4].map((_id) => ({ _id })))
  const session = client.startSession()
  const cursor = coll.find({}, { session, batchSize: 1, sort: { _id: 1 } })
  await cursor.next()
  await db.command({ killSessions: [session.id] })
  const err = await thrown(cursor.toArray())
  assert.ok([43, 237, 11601].includes(err.code), `code ${err.code}`)
  await session.endSession()
})

test('cluster time comes with every reply of a set', async ({ client, db }) => {
  const r = await db.command({ ping: 1 })
  assert.equal('$clusterTime' in r, await inSet(client))
})
