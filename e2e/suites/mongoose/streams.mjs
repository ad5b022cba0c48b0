// Cursors of queries and aggregations, and change streams.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { theme } from '../js/harness.mjs'
import { needsSet, Schema } from './connection.mjs'

const test = theme('streams')

async function numbers(conn) {
  const M = conn.model('M', new Schema({ n: Number }))
  await M.insertMany(Array.from({ length: 500 }, (_, n) => ({ n })))
  return M
}

test('cursor', async (conn) => {
  const M = await numbers(conn)
  let sum = 0
  for await (const d of M.find().sort('n').cursor({ batchSize: 50 })) sum += d.n
  assert.equal(sum, 124_750)
})

test('eachAsync, in parallel, and early close', async (conn) => {
  const M = await numbers(conn)
  const seen = new Set()
  await M.find().cursor({ batchSize: 20 }).eachAsync((d) => seen.add(d.n), { parallel: 5 })
  assert.equal(seen.size, 500)
  const cursor = M.find().cursor({ batchSize: 2 })
  await cursor.next()
  await cursor.close()
  await assert.rejects(cursor.next())
})

test('aggregate cursor', async (conn) => {
  const M = await numbers(conn)
  const got = []
  for await (const d of M.aggregate([{ $group: { _id: { $mod: ['$n', 7] }, c: { $sum: 1 } } }, { $sort: { _id: 1 } }]).cursor({ batchSize: 2 })) got.push(d.c)
  assert.deepEqual(got, [72, 72, 72, 71, 71, 71, 71])
})

test('change stream', async (conn) => {
  await needsSet(conn)
  const M = await numbers(conn)
  const stream = M.watch([{ $match: { operationType: { $in: ['insert', 'update'] } } }], { fullDocument: 'updateLookup', hydrate: true, maxAwaitTimeMS: 200 })
  const events = []
  const done = new Promise((resolve) => stream.on('change', (e) => events.push(e) === 2 && resolve()))
  await once(stream, 'ready')
  await once(stream, 'resumeTokenChanged')
  const d = await M.create({ n: 1000 })
  d.n = 1001
  await d.save()
  await done
  assert.deepEqual(events.map((e) => [e.operationType, e.fullDocument.constructor.modelName]), [['insert', 'M'], ['update', 'M']])
  assert.equal(events[1].updateDescription.updatedFields.n, 1001)
  await stream.close()
})
