// Cursors: batches, tailable, early close, killCursors.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { another, commands, thrown } from './server.mjs'

const test = theme('cursors')
const rows = (n) => Array.from({ length: n }, (_, _id) => ({ _id }))

async function watched(c, n) {
  await c.coll.insertMany(rows(n))
  const client = await another(c, { monitorCommands: true })
  return { coll: client.db(c.db.databaseName).collection('things'), names: commands(client), client }
}

test('batches of 10', async (c) => {
  const { coll, names } = await watched(c, 95)
  const ids = (await coll.find({}, { batchSize: 10, sort: { _id: 1 } }).toArray()).map((d) => d._id)
  assert.deepEqual(ids, rows(95).map((d) => d._id))
  assert.deepEqual(names, ['find', ...Array(9).fill('getMore')])
})

test('limit and batch size end the cursor', async (c) => {
  const { coll, names } = await watched(c, 30)
  assert.equal((await coll.find({}, { batchSize: 5, limit: 12 }).toArray()).length, 12)
  assert.deepEqual(names, ['find', 'getMore', 'getMore'])
})

test('early close kills the cursor', async (c) => {
  const { coll, names } = await watched(c, 50)
  const cursor = coll.find({}, { batchSize: 5 })
  await cursor.next()
  const id = cursor.id
  await cursor.close()
  assert.deepEqual(names, ['find', 'killCursors'])
  const err = await thrown(c.db.command({ getMore: id, collection: 'things' }))
  assert.equal(err.code, 43)
})

test('leaving a loop kills the cursor', async (c) => {
  const { coll, names } = await watched(c, 50)
  for await (const d of coll.find({}, { batchSize: 2 })) if (d._id === 3) break
  assert.deepEqual(names, ['find', 'getMore', 'killCursors'])
})

test('rewind, clone, forEach, hasNext', async (c) => {
  const { coll } = await watched(c, 12)
  const cursor = coll.find({}, { batchSize: 3, sort: { _id: 1 } })
  assert.equal((await cursor.next())._id, 0)
  cursor.rewind()
  assert.equal((await cursor.clone().skip(2).next())._id, 2)
  let n = 0
  await cursor.forEach(() => n++)
  assert.deepEqual([n, await coll.find({ _id: 99 }).hasNext()], [12, false])
})

test('stream', async (c) => {
  const { coll } = await watched(c, 1000)
  let n = 0
  for await (const d of coll.find({}, { batchSize: 100 }).stream()) n += d._id
  assert.equal(n, 499_500)
})

test('30 MB read back in batches', async (c) => {
  const text = 'abcdefgh'.repeat(1 << 17)
  await c.coll.insertMany(Array.from({ length: 30 }, (_, _id) => ({ _id, text })))
  let n = 0
  for await (const d of c.coll.find()) {
    assert.equal(d.text, text)
    n++
  }
  assert.equal(n, 30)
}, { long: true })

test('tailable and awaiting', async (c) => {
  const coll = await c.db.createCollection('capped', { capped: true, size: 1 << 16 })
  await coll.insertMany(rows(3))
  const cursor = coll.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 500, batchSize: 2 })
  for (let i = 0; i < 3; i++) assert.equal((await cursor.next())._id, i)
  const next = cursor.next()
  await coll.insertOne({ _id: 3 })
  assert.deepEqual(await next, { _id: 3 })
  assert.equal(await cursor.tryNext(), null)
  await cursor.close()
})

test('many cursors at once', async (c) => {
  const { coll } = await watched(c, 200)
  const all = await Promise.all(rows(20).map(({ _id }) => coll.find({ _id: { $gte: _id } }, { batchSize: 7 }).toArray()))
  assert.deepEqual(all.map((l) => l.length), rows(20).map(({ _id }) => 200 - _id))
}, { long: true })

test('runCursorCommand', async (c) => {
  const { coll, names, client } = await watched(c, 19)
  const cursor = client.db(c.db.databaseName).runCursorCommand({ find: coll.collectionName, batchSize: 6 })
  cursor.setBatchSize(7)
  assert.equal((await cursor.toArray()).length, 19)
  assert.deepEqual(names, ['find', 'getMore', 'getMore'])
})
