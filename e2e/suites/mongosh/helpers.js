// The helpers of the shell for writes, indexes and collections.
test('insert, update, delete', (d) => {
  equal(d.c.insertMany([{ _id: 1 }, { _id: 2 }]), { acknowledged: true, insertedIds: { 0: 1, 1: 2 } })
  assert.equal(d.c.updateMany({}, { $set: { n: 1 } }).modifiedCount, 2)
  assert.equal(d.c.deleteOne({ _id: 1 }).deletedCount, 1)
  equal(d.c.find().toArray(), [{ _id: 2, n: 1 }])
})

test('bulkWrite and findAndModify', (d) => {
  const r = d.c.bulkWrite([{ insertOne: { document: { _id: 1, n: 1 } } }, { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 1 } } } }])
  equal([r.insertedCount, r.modifiedCount], [1, 1])
  assert.equal(d.c.findAndModify({ query: { _id: 1 }, update: { $inc: { n: 1 } }, new: true }).n, 3)
})

test('a duplicate key', (d) => {
  d.c.insertOne({ _id: 1 })
  assert.equal(fails(() => d.c.insertOne({ _id: 1 })).code, 11000)
})

test('types', (d) => {
  d.c.insertOne({ _id: 1, l: NumberLong('9223372036854775807'), d: NumberDecimal('0.10'), b: BinData(0, 'AAEC'), u: UUID('00112233-4455-6677-8899-aabbccddeeff'), t: Timestamp(1, 2), r: /^a/i, m: MinKey() })
  assert.equal(
    EJSON.stringify(d.c.findOne(), { relaxed: false }),
    '{"_id":{"$numberInt":"1"},"l":{"$numberLong":"9223372036854775807"},"d":{"$numberDecimal":"0.10"},"b":{"$binary":{"base64":"AAEC","subType":"00"}},"u":{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}},"t":{"$timestamp":{"t":1,"i":2}},"r":{"$regularExpression":{"pattern":"^a","options":"i"}},"m":{"$minKey":1}}',
  )
})

test('indexes', (d) => {
  assert.equal(d.c.createIndex({ a: 1 }, { unique: true }), 'a_1')
  equal(d.c.getIndexes().map((i) => i.name), ['_id_', 'a_1'])
  d.c.hideIndex('a_1')
  assert.equal(d.c.getIndexes()[1].hidden, true)
  d.c.dropIndex('a_1')
  equal(d.c.getIndexKeys(), [{ _id: 1 }])
})

test('collections and statistics', (d) => {
  d.createCollection('capped', { capped: true, size: 4096 })
  d.c.insertMany([{ a: 1 }, { a: 2 }, { a: 3 }])
  equal(d.getCollectionNames().sort(), ['c', 'capped'])
  assert.equal(d.capped.isCapped(), true)
  equal([d.c.stats().count, d.stats().collections, d.c.validate().valid], [3, 2, true])
  assert.equal(d.c.renameCollection('e').ok, 1)
  assert.equal(d.e.countDocuments(), 3)
})
