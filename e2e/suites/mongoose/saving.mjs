// What is written: changed paths only, versions, timestamps, bulk saves.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { Schema } from './connection.mjs'

const test = theme('saving')

test('two writers change different paths', async (conn) => {
  const M = conn.model('M', new Schema({ a: Number, b: Number, list: [Number] }))
  const { _id } = await M.create({ a: 1, b: 1, list: [1] })
  const [x, y] = [await M.findById(_id), await M.findById(_id)]
  x.a = 2
  x.list.push(2)
  y.b = 2
  await x.save()
  await y.save()
  assert.deepEqual((await M.findById(_id).lean().select('-_id -__v')), { a: 2, b: 2, list: [1, 2] })
})

test('optimistic concurrency', async (conn) => {
  const M = conn.model('M', new Schema({ n: Number }, { optimisticConcurrency: true }))
  const { _id } = await M.create({ n: 1 })
  const [x, y] = [await M.findById(_id), await M.findById(_id)]
  x.n = 2
  y.n = 3
  await x.save()
  await assert.rejects(y.save(), { name: 'VersionError' })
  const left = await M.findById(_id)
  assert.deepEqual([left.n, left.__v], [2, 1])
})

test('timestamps', async (conn) => {
  const M = conn.model('M', new Schema({ n: Number }, { timestamps: { currentTime: () => new Date(1000) } }))
  const d = await M.create({ n: 1 })
  assert.deepEqual([d.createdAt.getTime(), d.updatedAt.getTime()], [1000, 1000])
  await M.updateOne({ _id: d._id }, { n: 2, updatedAt: new Date(2000) }, { timestamps: false })
  assert.deepEqual(await M.find().lean().select('-_id createdAt updatedAt'), [{ createdAt: new Date(1000), updatedAt: new Date(2000) }])
})

test('bulkSave', async (conn) => {
  const M = conn.model('M', new Schema({ n: Number }))
  const docs = Array.from({ length: 100 }, (_, n) => new M({ n }))
  const made = await M.bulkSave(docs)
  assert.equal(made.insertedCount, 100)
  docs.forEach((d, i) => i % 2 && (d.n += 1000))
  const changed = await M.bulkSave(docs)
  assert.deepEqual([changed.modifiedCount, await M.countDocuments({ n: { $gte: 1000 } })], [50, 50])
})

test('bulkWrite and insertMany with errors', async (conn) => {
  const M = conn.model('M', new Schema({ _id: Number, n: { type: Number, max: 5 } }))
  await assert.rejects(M.insertMany([{ _id: 1 }, { _id: 1 }, { _id: 2 }], { ordered: false }), { code: 11000 })
  assert.equal(await M.countDocuments(), 2)
  const r = await M.bulkWrite([{ updateOne: { filter: { _id: 1 }, update: { n: 1 } } }, { deleteOne: { filter: { _id: 2 } } }, { insertOne: { document: { _id: 3 } } }])
  assert.deepEqual([r.modifiedCount, r.deletedCount, r.insertedCount], [1, 1, 1])
})

test('unique values', async (conn) => {
  const M = conn.model('M', new Schema({ k: { type: String, unique: true } }))
  await M.createIndexes()
  await M.create({ k: 'x' })
  await assert.rejects(M.create({ k: 'x' }), (err) => err.code === 11000 && err.keyValue.k === 'x')
})

test('subdocuments and array methods', async (conn) => {
  const M = conn.model('M', new Schema({ items: [{ sku: String, n: Number }] }))
  const d = await M.create({ items: [{ sku: 'a', n: 1 }, { sku: 'b', n: 2 }] })
  d.items.id(d.items[0]._id).n = 5
  d.items.pull(d.items[1]._id)
  d.items.push({ sku: 'c', n: 3 })
  await d.save() // a list that was pulled from and pushed to is written as a whole
  const left = await M.findById(d._id)
  assert.deepEqual(left.items.map((i) => [i.sku, i.n]), [['a', 5], ['c', 3]])
  await M.updateOne({ _id: d._id }, { $push: { items: { $each: [{ sku: 'z', n: 9 }], $position: 0, $slice: 2 } } })
  assert.equal((await M.findById(d._id)).items[0].sku, 'z')
  assert.equal((await M.findById(d._id)).items.length, 2)
})
