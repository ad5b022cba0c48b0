// Change streams: every kind of event, and how one goes on after an error.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { skip, theme } from '../js/harness.mjs'
import { another, commands, failCommand, inSet, needsSet, thrown } from './server.mjs'

const test = theme('changes')

/** A stream that is known to be open: what happens from now on is in it. */
async function watch(target, pipeline = [], options = {}) {
  const stream = target.watch(pipeline, options)
  assert.equal(await stream.tryNext(), null)
  return stream
}
async function take(stream, n) {
  const events = []
  while (events.length < n) events.push(await stream.next())
  return events
}

test('all kinds of events', async ({ client, db }) => {
  await needsSet(client)
  const coll = await db.createCollection('c', { changeStreamPreAndPostImages: { enabled: true } })
  const stream = await watch(coll, [], { fullDocument: 'whenAvailable', fullDocumentBeforeChange: 'whenAvailable', maxAwaitTimeMS: 200 })
  await coll.insertOne({ _id: 1, a: 1 })
  await coll.updateOne({ _id: 1 }, { $set: { a: 2 }, $unset: { b: 1 } })
  await coll.replaceOne({ _id: 1 }, { z: 1 })
  await coll.deleteOne({ _id: 1 })
  await coll.drop()
  const events = await take(stream, 6)
  assert.deepEqual(events.map((e) => e.operationType), ['insert', 'update', 'replace', 'delete', 'drop', 'invalidate'])
  assert.deepEqual(events[1].updateDescription.updatedFields, { a: 2 })
  assert.deepEqual([events[1].fullDocument, events[1].fullDocumentBeforeChange], [{ _id: 1, a: 2 }, { _id: 1, a: 1 }])
  assert.deepEqual(events[3].fullDocumentBeforeChange, { _id: 1, z: 1 })
  await stream.close()
})

test('database, cluster, pipeline', async ({ client, db }) => {
  await needsSet(client)
  const whole = await watch(db, [{ $match: { operationType: 'insert' } }, { $project: { 'fullDocument.n': 1 } }], { maxAwaitTimeMS: 200 })
  const cluster = await watch(client, [{ $match: { 'ns.db': db.databaseName, operationType: 'insert' } }], { maxAwaitTimeMS: 200 })
  await db.collection('x').insertOne({ n: 1 })
  await db.collection('y').insertOne({ n: 2, m: 3 })
  assert.deepEqual((await take(whole, 2)).map((e) => e.fullDocument), [{ n: 1 }, { n: 2 }])
  assert.deepEqual((await take(cluster, 2)).map((e) => e.ns.coll), ['x', 'y'])
  await whole.close()
  await cluster.close()
})

test('resumes by itself after a lost connection and after an error', async (c) => {
  await needsSet(c.client)
  const client = await another(c, { monitorCommands: true })
  const coll = client.db(c.db.databaseName).collection('things')
  await coll.insertOne({ _id: 0 })
  const stream = await watch(coll, [], { maxAwaitTimeMS: 200 })
  const names = commands(client)
  for (const fault of [{ closeConnection: true }, { errorCode: 43 }, { errorCode: 91, errorLabels: ['ResumableChangeStreamError'] }]) {
    const n = await coll.countDocuments()
    const f = await failCommand(c.client, { times: 1 }, { failCommands: ['getMore'], ...fault })
    await coll.insertOne({ _id: n })
    assert.equal((await stream.next()).documentKey._id, n)
    await f.off()
  }
  assert.equal(names.filter((n) => n === 'aggregate').length, 3 + 3) // each count is one, too
  await stream.close()
})

test('resumeAfter, startAfter, startAtOperationTime', async ({ client, db }) => {
  await needsSet(client)
  const coll = await db.createCollection('c')
  const { operationTime } = await db.command({ insert: 'c', documents: [{ _id: 1 }] })
  const at = coll.watch([], { startAtOperationTime: operationTime })
  const [first] = await take(at, 1)
  await coll.insertMany([{ _id: 2 }, { _id: 3 }])
  assert.equal(first.documentKey._id, 1)
  for (const way of ['resumeAfter', 'startAfter']) {
    const s = coll.watch([], { [way]: first._id })
    assert.deepEqual((await take(s, 2)).map((e) => e.documentKey._id), [2, 3])
    await s.close()
  }
  await at.close()
})

test('as events', async ({ client, coll }) => {
  await needsSet(client)
  await coll.insertOne({ _id: 0 })
  const stream = coll.watch([], { maxAwaitTimeMS: 200 })
  const got = once(stream, 'change')
  await once(stream, 'resumeTokenChanged')
  await coll.insertOne({ _id: 1 })
  assert.equal((await got)[0].documentKey._id, 1)
  await stream.close()
})

test('large events, some hundred', async ({ client, db }) => {
  await needsSet(client)
  const coll = await db.createCollection('c')
  const stream = await watch(coll, [], { maxAwaitTimeMS: 200, batchSize: 17 })
  const text = 'x'.repeat(40_000)
  for (let i = 0; i < 10; i++) await coll.insertMany(Array.from({ length: 20 }, (_, k) => ({ _id: i * 20 + k, text })))
  const events = await take(stream, 200)
  assert.deepEqual(events.map((e) => e.documentKey._id), Array.from({ length: 200 }, (_, i) => i))
  assert.ok(events.every((e) => e.fullDocument.text === text))
  await stream.close()
}, { long: true })

test('a standalone server refuses them', async ({ client, coll }) => {
  if (await inSet(client)) skip('is in a set')
  const err = await thrown(coll.watch().tryNext())
  assert.deepEqual([err.code, err.codeName], [40573, 'Location40573'])
})
