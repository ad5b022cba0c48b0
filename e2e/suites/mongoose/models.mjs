// Schemas: types, defaults, virtuals, middleware, discriminators, indexes.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { mongoose, Schema } from './connection.mjs'

const test = theme('models')

test('types, defaults, setters, virtuals', async (conn) => {
  const schema = new Schema({
    name: { type: String, trim: true, lowercase: true }, age: { type: Number, default: 3 }, big: BigInt, price: Schema.Types.Decimal128,
    map: { type: Map, of: Number }, when: Date, blob: Buffer, id2: Schema.Types.UUID, list: [{ n: Number }], any: {},
  })
  schema.virtual('shout').get(function () { return this.name.toUpperCase() })
  const M = conn.model('M', schema)
  await M.create({ name: '  Ada ', big: 9007199254740993n, price: '0.10', map: { a: 1 }, when: new Date(5), blob: Buffer.from('x'), id2: '00112233-4455-6677-8899-aabbccddeeff', list: [{ n: 1 }], any: { deep: [1] } })
  const d = await M.findOne({ name: 'ada' })
  assert.deepEqual(
    [d.shout, d.age, d.big, d.price.toString(), d.map.get('a'), d.when.getTime(), d.blob.toString(), d.id2.toString(), d.list[0].n, d.any.deep],
    ['ADA', 3, 9007199254740993n, '0.10', 1, 5, 'x', '00112233-4455-6677-8899-aabbccddeeff', 1, [1]],
  )
})

test('validation, and casting of queries', async (conn) => {
  const M = conn.model('M', new Schema({ n: { type: Number, min: 1, required: true } }))
  await assert.rejects(M.create({ n: 0 }), { name: 'ValidationError' })
  await assert.rejects(M.create({}), (err) => err.errors.n.kind === 'required')
  await assert.rejects(M.findOne({ n: 'x' }), { name: 'CastError' })
  assert.equal(await M.countDocuments(), 0)
})

test('middleware runs around what reaches the server', async (conn) => {
  const seen = []
  const schema = new Schema({ n: Number })
  schema.pre('save', function () { seen.push('pre save'); this.n++ })
  schema.post('save', (d) => seen.push(`post save ${d.n}`))
  schema.pre('updateOne', function () { seen.push('pre updateOne'); this.set({ n: 10 }) })
  schema.pre('find', function () { seen.push('pre find'); this.where({ n: { $gt: 5 } }) })
  schema.post('aggregate', (r) => seen.push(`post aggregate ${r.length}`))
  const M = conn.model('M', schema)
  await M.create([{ n: 1 }])
  await M.updateOne({}, {})
  assert.deepEqual((await M.find()).map((d) => d.n), [10])
  await M.aggregate([{ $match: {} }])
  assert.deepEqual(seen, ['pre save', 'post save 2', 'pre updateOne', 'pre find', 'post aggregate 1'])
})

test('discriminators', async (conn) => {
  const Event = conn.model('Event', new Schema({ at: Number }, { discriminatorKey: 'kind' }))
  const Click = Event.discriminator('Click', new Schema({ url: String }))
  const Sale = Event.discriminator('Sale', new Schema({ sum: Number }))
  await Click.create({ at: 1, url: '/' })
  await Sale.create([{ at: 2, sum: 5 }, { at: 3, sum: 7 }])
  assert.deepEqual([await Event.countDocuments(), await Click.countDocuments(), await Sale.countDocuments()], [3, 1, 2])
  const all = await Event.find().sort({ at: 1 })
  assert.deepEqual(all.map((e) => [e.constructor.modelName, e.kind]), [['Click', 'Click'], ['Sale', 'Sale'], ['Sale', 'Sale']])
  assert.deepEqual(await Sale.aggregate([{ $group: { _id: null, sum: { $sum: '$sum' } } }]), [{ _id: null, sum: 12 }])
})

test('indexes are synchronised', async (conn) => {
  const First = conn.model('M', new Schema({ a: { type: Number, index: true }, b: { type: String, unique: true } }))
  await First.init()
  await First.syncIndexes()
  assert.deepEqual((await First.listIndexes()).map((i) => i.name), ['_id_', 'a_1', 'b_1'])
  conn.deleteModel('M')
  const Next = conn.model('M', new Schema({ a: Number, b: String }).index({ a: 1, b: -1 }))
  assert.deepEqual((await Next.diffIndexes()).toDrop, ['a_1', 'b_1'])
  assert.deepEqual(await Next.syncIndexes(), ['a_1', 'b_1'])
  assert.deepEqual((await Next.listIndexes()).map((i) => i.name), ['_id_', 'a_1_b_-1'])
})

test('lean, select, sort, exists, distinct, findOneAndUpdate', async (conn) => {
  const M = conn.model('M', new Schema({ n: Number, s: String }))
  await M.insertMany([3, 1, 2].map((n) => ({ n, s: `s${n % 2}` })))
  assert.deepEqual(await M.find().select('n -_id').sort('-n').skip(1).limit(5).lean(), [{ n: 2 }, { n: 1 }])
  assert.deepEqual((await M.distinct('s')).sort(), ['s0', 's1'])
  assert.ok(await M.exists({ n: 3 }))
  assert.equal(await M.exists({ n: 4 }), null)
  const d = await M.findOneAndUpdate({ n: 9 }, { $setOnInsert: { s: 'new' } }, { upsert: true, returnDocument: 'after' })
  assert.deepEqual([d.n, d.s, mongoose.isValidObjectId(d._id)], [9, 'new', true])
})
