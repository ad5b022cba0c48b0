// Bulk writes: mixed kinds, errors in the middle, more than one message.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { commands, another, thrown } from './server.mjs'
import { noise } from './values.mjs'

const test = theme('bulk')
const mixed = [
  { insertOne: { document: { _id: 1, n: 1 } } },
  { insertOne: { document: { _id: 2, n: 2 } } },
  { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 10 } } } },
  { updateMany: { filter: {}, update: { $set: { seen: true } } } },
  { updateOne: { filter: { _id: 3 }, update: { $set: { n: 3 } }, upsert: true } },
  { replaceOne: { filter: { _id: 2 }, replacement: { n: 20 } } },
  { deleteOne: { filter: { _id: 3 } } },
  { deleteMany: { filter: { n: { $gt: 1000 } } } },
]

for (const ordered of [true, false]) {
  const word = ordered ? 'ordered' : 'unordered'

  test(`${word}, all kinds`, async ({ coll }) => {
    const r = await coll.bulkWrite(mixed, { ordered, comment: word, let: { a: 1 } })
    assert.deepEqual([r.insertedCount, r.upsertedCount, { ...r.upsertedIds }], [2, 1, { 4: 3 }])
    assert.equal(await coll.countDocuments({}), 2)
  })

  test(`${word}, errors in the middle`, async ({ coll }) => {
    await coll.insertOne({ _id: 5 })
    const err = await thrown(coll.insertMany([3, 4, 5, 6, 5, 7].map((_id) => ({ _id })), { ordered }))
    assert.equal(err.code, 11000)
    assert.deepEqual([err.writeErrors].flat().map((e) => [e.index, e.code]), ordered ? [[2, 11000]] : [[2, 11000], [4, 11000]])
    assert.equal(err.result.insertedCount, ordered ? 2 : 4)
    assert.deepEqual((await coll.find().sort({ _id: 1 }).toArray()).map((d) => d._id), ordered ? [3, 4, 5] : [3, 4, 5, 6, 7])
  })

  test(`${word}, an error of update and one of delete`, async ({ coll }) => {
    const err = await thrown(
      coll.bulkWrite(
        [
          { insertOne: { document: { _id: 1, s: 'text' } } },
          { updateOne: { filter: { _id: 1 }, update: { $inc: { s: 1 } } } },
          { deleteOne: { filter: { $nonsense: 1 } } },
          { insertOne: { document: { _id: 2 } } },
        ],
        { ordered },
      ),
    )
    const got = [err.writeErrors].flat().map((e) => [e.index, e.code]).sort()
    assert.deepEqual(got, ordered ? [[1, 14]] : [[1, 14], [2, 2]])
    assert.equal(await coll.countDocuments(), ordered ? 1 : 2)
  })
}

test('12,000 small documents', async (c) => {
  const client = await another(c, { monitorCommands: true })
  const coll = client.db(c.db.databaseName).collection('many')
  const names = commands(client)
  const r = await coll.insertMany(Array.from({ length: 12_000 }, (_, _id) => ({ _id, text: `row ${_id}` })))
  assert.equal(r.insertedCount, 12_000)
  assert.deepEqual(names, ['insert'])
  const [{ total }] = await coll.aggregate([{ $group: { _id: null, total: { $sum: '$_id' } } }]).toArray()
  assert.equal(total, (11_999 * 12_000) / 2)
})

test('over 100,000 documents need two messages', async (c) => {
  const client = await another(c, { monitorCommands: true })
  const names = commands(client)
  const r = await client.db(c.db.databaseName).collection('many').insertMany(Array.from({ length: 100_001 }, (_, _id) => ({ _id })))
  assert.equal(r.insertedCount, 100_001)
  assert.deepEqual(names, ['insert', 'insert'])
}, { long: true })

test('40 MB in one bulk', async (c) => {
  const blob = noise(1 << 20)
  const client = await another(c, { monitorCommands: true })
  const names = commands(client)
  const coll = client.db(c.db.databaseName).collection('big')
  const r = await coll.insertMany(Array.from({ length: 40 }, (_, _id) => ({ _id, blob })), { ordered: false })
  assert.equal(r.insertedCount, 40)
  assert.deepEqual(names, ['insert', 'insert', 'insert']) // the driver cuts at 16 MiB
  const sizes = await coll.aggregate([{ $group: { _id: { $binarySize: '$blob' }, n: { $sum: 1 } } }]).toArray()
  assert.deepEqual(sizes, [{ _id: 1 << 20, n: 40 }])
}, { long: true })

test('unacknowledged bulk', async ({ coll }) => {
  const r = await coll.bulkWrite(mixed.slice(0, 2), { writeConcern: { w: 0 } })
  assert.equal(r.isOk(), true)
  for (let i = 0; i < 600 && (await coll.countDocuments()) < 2; i++) await new Promise((r) => setTimeout(r, 50))
  assert.equal(await coll.countDocuments(), 2)
})

test('fluent ordered and unordered', async ({ coll }) => {
  const ordered = coll.initializeOrderedBulkOp()
  ordered.insert({ _id: 1 })
  ordered.find({ _id: 1 }).update({ $set: { a: 1 } })
  ordered.find({ _id: 2 }).upsert().replaceOne({ b: 1 })
  ordered.find({ _id: 1 }).deleteOne()
  const r = await ordered.execute()
  assert.deepEqual([r.insertedCount, r.matchedCount, r.modifiedCount, r.upsertedCount, r.deletedCount], [1, 1, 1, 1, 1])
  const unordered = coll.initializeUnorderedBulkOp()
  for (let i = 10; i < 20; i++) unordered.insert({ _id: i })
  unordered.find({ _id: 2 }).arrayFilters([{ 'x.a': 1 }]).update({ $set: { 'list.$[x].a': 2 } })
  const err = await thrown(unordered.execute())
  assert.deepEqual([err.result.insertedCount, [err.writeErrors].flat().map((e) => e.code)], [10, [2]])
})
