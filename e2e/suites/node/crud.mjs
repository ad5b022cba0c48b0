// Reads and writes with every option that the driver sends.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { thrown } from './server.mjs'

const test = theme('crud')
const people = [
  { _id: 1, name: 'Ada', born: 1815, tags: ['a', 'b'] },
  { _id: 2, name: 'Grace', born: 1906, tags: ['b'] },
  { _id: 3, name: 'ada', born: 1990, tags: [] },
]

test('insertOne', async ({ coll }) => {
  const r = await coll.insertOne({ _id: 7, x: 1 }, { comment: 'one', writeConcern: { w: 1, j: true }, bypassDocumentValidation: true })
  assert.deepEqual(r, { acknowledged: true, insertedId: 7 })
  assert.deepEqual(await coll.findOne({}), { _id: 7, x: 1 })
})

test('insertMany', async ({ coll }) => {
  const r = await coll.insertMany(people, { ordered: false, comment: { k: 1 } })
  assert.deepEqual({ ...r.insertedIds }, { 0: 1, 1: 2, 2: 3 })
  assert.equal(await coll.countDocuments(), 3)
})

test('find with all options', async ({ coll }) => {
  await coll.insertMany(people)
  await coll.createIndex({ born: 1 })
  const docs = await coll
    .find(
      { born: { $gt: 1800 } },
      {
        sort: { born: -1 }, projection: { name: 1 }, skip: 1, limit: 5, hint: { born: 1 }, comment: 'c', batchSize: 1,
        maxTimeMS: 60_000, allowDiskUse: true, let: { x: 1 }, noCursorTimeout: true, readConcern: { level: 'local' },
        returnKey: false, showRecordId: false, allowPartialResults: true,
      },
    )
    .toArray()
  assert.deepEqual(docs, [{ _id: 2, name: 'Grace' }, { _id: 1, name: 'Ada' }])
})

test('find with min, max, collation', async ({ coll }) => {
  await coll.insertMany(people)
  await coll.createIndex({ born: 1 })
  const some = await coll.find({}, { min: { born: 1900 }, max: { born: 1990 }, hint: { born: 1 } }).toArray()
  assert.deepEqual(some.map((d) => d._id), [2])
  const both = await coll.find({ name: 'ADA' }, { collation: { locale: 'en', strength: 2 }, sort: { _id: 1 } }).toArray()
  assert.deepEqual(both.map((d) => d._id), [1, 3])
})

test('updateOne with arrayFilters, let, hint', async ({ coll }) => {
  await coll.insertMany(people)
  const r = await coll.updateOne({ _id: 1 }, { $set: { 'tags.$[t]': 'z' } }, { arrayFilters: [{ t: 'b' }], hint: { _id: 1 }, comment: 'u', let: { a: 1 } })
  assert.deepEqual([r.matchedCount, r.modifiedCount, r.upsertedCount], [1, 1, 0])
  assert.deepEqual((await coll.findOne({ _id: 1 })).tags, ['a', 'z'])
})

test('updateMany with a pipeline', async ({ coll }) => {
  await coll.insertMany(people)
  const r = await coll.updateMany({ $expr: { $lt: ['$born', '$$limit'] } }, [{ $set: { age: { $subtract: [2000, '$born'] } } }], { let: { limit: 1950 } })
  assert.deepEqual([r.matchedCount, r.modifiedCount], [2, 2])
  assert.equal((await coll.findOne({ _id: 1 })).age, 185)
})

test('upsert', async ({ coll }) => {
  const r = await coll.updateOne({ _id: 9 }, { $setOnInsert: { a: 1 } }, { upsert: true })
  assert.deepEqual([r.matchedCount, r.upsertedCount, r.upsertedId], [0, 1, 9])
  const again = await coll.updateOne({ _id: 9 }, { $setOnInsert: { a: 2 } }, { upsert: true })
  assert.deepEqual([again.matchedCount, again.modifiedCount, again.upsertedId], [1, 0, null])
})

test('replaceOne', async ({ coll }) => {
  await coll.insertMany(people)
  const r = await coll.replaceOne({ _id: 1 }, { only: true })
  assert.equal(r.modifiedCount, 1)
  assert.deepEqual(await coll.findOne({ _id: 1 }), { _id: 1, only: true })
})

test('deleteOne and deleteMany', async ({ coll }) => {
  await coll.insertMany(people)
  assert.equal((await coll.deleteOne({ name: 'ADA' }, { collation: { locale: 'en', strength: 2 }, hint: '_id_' })).deletedCount, 1)
  assert.equal((await coll.deleteMany({}, { comment: 'rest' })).deletedCount, 2)
  assert.equal((await coll.deleteMany({})).deletedCount, 0)
})

test('findOneAndUpdate, Replace, Delete', async ({ coll }) => {
  await coll.insertMany(people)
  const after = await coll.findOneAndUpdate({ born: { $lt: 1950 } }, { $inc: { born: 1 } }, { sort: { born: -1 }, returnDocument: 'after', projection: { born: 1 } })
  assert.deepEqual(after, { _id: 2, born: 1907 })
  assert.deepEqual(await coll.findOneAndReplace({ _id: 2 }, { n: 1 }, { returnDocument: 'after' }), { _id: 2, n: 1 })
  assert.deepEqual(await coll.findOneAndDelete({ _id: 2 }), { _id: 2, n: 1 })
  assert.equal(await coll.findOneAndDelete({ _id: 2 }), null)
  const meta = await coll.findOneAndUpdate({ _id: 5 }, { $set: { n: 2 } }, { upsert: true, returnDocument: 'after', includeResultMetadata: true })
  assert.deepEqual([meta.lastErrorObject.updatedExisting, meta.lastErrorObject.upserted, meta.value.n], [false, 5, 2])
})

test('count, estimatedCount, distinct', async ({ coll }) => {
  await coll.insertMany(people)
  assert.equal(await coll.countDocuments({ tags: 'b' }, { skip: 1, limit: 5, hint: '_id_' }), 1)
  assert.equal(await coll.estimatedDocumentCount({ maxTimeMS: 60_000 }), 3)
  assert.deepEqual((await coll.distinct('tags', {}, { comment: 'd' })).sort(), ['a', 'b'])
})

test('unacknowledged writes arrive in order', async ({ coll, client }) => {
  const quiet = coll.db.collection(coll.collectionName, { writeConcern: { w: 0 } })
  const r = await quiet.insertOne({ _id: 0, n: 0 })
  assert.equal(r.acknowledged, false)
  for (let i = 0; i < 20; i++) await quiet.updateOne({ _id: 0 }, { $inc: { n: 1 } })
  await quiet.deleteOne({ _id: 'nobody' })
  for (let i = 0; i < 600 && (await coll.findOne({ _id: 0 }))?.n !== 20; i++) await new Promise((r) => setTimeout(r, 50))
  assert.equal((await coll.findOne({ _id: 0 })).n, 20)
})

test('document validation', async ({ db }) => {
  const coll = await db.createCollection('checked', { validator: { $jsonSchema: { required: ['n'], properties: { n: { bsonType: 'int' } } } }, validationLevel: 'strict' })
  const err = await thrown(coll.insertOne({ n: 'x' }))
  assert.equal(err.code, 121)
  assert.equal(err.errInfo.details.schemaRulesNotSatisfied[0].operatorName, 'properties')
  await coll.insertOne({ n: 'x' }, { bypassDocumentValidation: true })
  assert.equal(await coll.countDocuments(), 1)
})

test('several databases on one client', async ({ client, db }) => {
  const names = [1, 2, 3, 4].map((n) => `${db.databaseName}_${n}`)
  await Promise.all(names.map((n, i) => client.db(n).collection('c').insertMany(Array.from({ length: i + 1 }, (_, k) => ({ k })))))
  const counts = await Promise.all(names.map((n) => client.db(n).collection('c').countDocuments()))
  assert.deepEqual(counts, [1, 2, 3, 4])
  const list = await client.db('admin').admin().listDatabases({ nameOnly: true, filter: { name: { $in: names } } })
  assert.deepEqual(list.databases.map((d) => d.name).sort(), names)
  for (const n of names) await client.db(n).dropDatabase()
})

test('collections: capped, time series, views, rename', async ({ db, client }) => {
  await db.createCollection('log', { capped: true, size: 4096, max: 3 })
  await db.collection('log').insertMany([1, 2, 3, 4, 5].map((_id) => ({ _id })))
  assert.deepEqual((await db.collection('log').find().toArray()).map((d) => d._id), [3, 4, 5])
  await db.createCollection('series', { timeseries: { timeField: 't', metaField: 'm', granularity: 'minutes' } })
  await db.collection('series').insertOne({ t: new Date(1e12), m: 1, v: 2 })
  assert.equal((await db.collection('series').findOne({ m: 1 })).v, 2)
  await db.createCollection('last', { viewOn: 'log', pipeline: [{ $match: { _id: { $gte: 5 } } }] })
  assert.deepEqual(await db.collection('last').find().toArray(), [{ _id: 5 }])
  await db.collection('log').rename('renamed')
  const kinds = (await db.listCollections({ name: /^[a-z]/, }).toArray()).filter((c) => !c.name.startsWith('system.')).map((c) => [c.name, c.type]).sort()
  assert.deepEqual(kinds, [['last', 'view'], ['renamed', 'collection'], ['series', 'timeseries']])
})
