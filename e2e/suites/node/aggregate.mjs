// Pipelines that join, write, and explain themselves.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { thrown } from './server.mjs'

const test = theme('aggregate')

async function shop(db) {
  await db.collection('customers').insertMany([{ _id: 'a', city: 'Kiel' }, { _id: 'b', city: 'Ulm' }])
  await db.collection('orders').insertMany([1, 2, 3, 4, 5].map((n) => ({ _id: n, customer: n % 2 ? 'a' : 'b', total: n * 10 })))
  return db.collection('orders')
}

test('$lookup, $unwind, $group, $sort', async ({ db }) => {
  const orders = await shop(db)
  const got = await orders
    .aggregate(
      [
        { $lookup: { from: 'customers', localField: 'customer', foreignField: '_id', as: 'who' } },
        { $unwind: '$who' },
        { $group: { _id: '$who.city', total: { $sum: '$total' }, n: { $count: {} } } },
        { $sort: { _id: 1 } },
      ],
      { allowDiskUse: true, batchSize: 1, comment: 'join', hint: '_id_', collation: { locale: 'de' }, maxTimeMS: 60_000, readConcern: { level: 'local' } },
    )
    .toArray()
  assert.deepEqual(got, [{ _id: 'Kiel', total: 90, n: 3 }, { _id: 'Ulm', total: 60, n: 2 }])
})

test('$lookup with a pipeline and let', async ({ db }) => {
  const orders = await shop(db)
  const [got] = await orders
    .aggregate([
      { $match: { $expr: { $eq: ['$_id', '$$wanted'] } } },
      { $lookup: { from: 'customers', let: { c: '$customer' }, pipeline: [{ $match: { $expr: { $eq: ['$_id', '$$c'] } } }, { $project: { _id: 0 } }], as: 'who' } },
    ], { let: { wanted: 2 } })
    .toArray()
  assert.deepEqual(got.who, [{ city: 'Ulm' }])
})

test('$out and $merge', async ({ db }) => {
  const orders = await shop(db)
  assert.deepEqual(await orders.aggregate([{ $match: { total: { $gt: 20 } } }, { $out: 'large' }]).toArray(), [])
  assert.equal(await db.collection('large').countDocuments(), 3)
  await orders.aggregate([{ $set: { total: 0 } }, { $merge: { into: 'large', on: '_id', whenMatched: 'merge', whenNotMatched: 'discard' } }]).toArray()
  assert.deepEqual((await db.collection('large').find().sort({ _id: 1 }).toArray()).map((d) => [d._id, d.total]), [[3, 0], [4, 0], [5, 0]])
  const err = await thrown(orders.aggregate([{ $merge: { into: 'large', whenMatched: 'fail' } }]).toArray())
  assert.equal(err.code, 11000)
})

test('$facet, $bucket, $setWindowFields, $graphLookup, $unionWith', async ({ db }) => {
  const orders = await shop(db)
  const [facets] = await orders.aggregate([{ $facet: { n: [{ $count: 'n' }], b: [{ $bucket: { groupBy: '$total', boundaries: [0, 30, 100] } }] } }]).toArray()
  assert.deepEqual(facets, { n: [{ n: 5 }], b: [{ _id: 0, count: 2 }, { _id: 30, count: 3 }] })
  const windows = await orders.aggregate([{ $setWindowFields: { sortBy: { _id: 1 }, output: { run: { $sum: '$total', window: { documents: ['unbounded', 'current'] } } } } }]).toArray()
  assert.deepEqual(windows.map((d) => d.run), [10, 30, 60, 100, 150])
  const both = await orders.aggregate([{ $unionWith: 'customers' }, { $count: 'n' }]).toArray()
  assert.deepEqual(both, [{ n: 7 }])
  const graph = await orders.aggregate([{ $match: { _id: 1 } }, { $graphLookup: { from: 'customers', startWith: '$customer', connectFromField: 'x', connectToField: '_id', as: 'g' } }]).toArray()
  assert.deepEqual(graph[0].g, [{ _id: 'a', city: 'Kiel' }])
})

test('database pipelines', async ({ client }) => {
  const got = await client.db('admin').aggregate([{ $documents: [{ n: 1 }, { n: 2 }] }, { $match: { n: 2 } }]).toArray()
  assert.deepEqual(got, [{ n: 2 }])
})

test('explain', async ({ db }) => {
  const orders = await shop(db)
  await orders.createIndex({ total: 1 })
  const plan = await orders.find({ total: { $gt: 20 } }).explain('executionStats')
  assert.deepEqual([plan.executionStats.nReturned, plan.executionStats.totalKeysExamined, plan.queryPlanner.winningPlan.inputStage.stage], [3, 3, 'IXSCAN'])
  const agg = await orders.aggregate([{ $match: { total: 10 } }]).explain('queryPlanner')
  assert.equal(agg.queryPlanner.winningPlan.inputStage.indexName, 'total_1')
})
