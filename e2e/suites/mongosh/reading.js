// Cursors, aggregation, explain.
const fill = (d) => d.c.insertMany(Array.from({ length: 250 }, (_, _id) => ({ _id, m: _id % 5 })))

test('cursors in batches', (d) => {
  fill(d)
  const cursor = d.c.find({ m: 3 }).sort({ _id: 1 }).batchSize(7)
  assert.equal(cursor.next()._id, 3)
  assert.equal(cursor.toArray().length, 49)
  assert.equal(cursor.isExhausted(), true)
  assert.equal(d.c.find().skip(10).limit(50).toArray().length, 50)
})

test('a cursor of a command, and one that is killed', (d) => {
  fill(d)
  const { cursor } = d.runCommand({ find: 'c', batchSize: 3 })
  assert.equal(cursor.firstBatch.length, 3)
  assert.equal(d.runCommand({ getMore: cursor.id, collection: 'c', batchSize: 4 }).cursor.nextBatch.length, 4)
  assert.equal(d.runCommand({ killCursors: 'c', cursors: [cursor.id] }).cursorsKilled.length, 1)
  assert.equal(fails(() => d.runCommand({ getMore: cursor.id, collection: 'c' })).code, 43)
})

test('aggregate', (d) => {
  fill(d)
  equal(d.c.aggregate([{ $group: { _id: '$m', n: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray(), [0, 1, 2, 3, 4].map((_id) => ({ _id, n: 50 })))
  d.c.aggregate([{ $match: { m: 1 } }, { $out: 'o' }])
  assert.equal(d.o.countDocuments(), 50)
  equal(d.c.distinct('m'), [0, 1, 2, 3, 4])
})

test('explain', (d) => {
  fill(d)
  d.c.createIndex({ m: 1 })
  const { executionStats: s } = d.c.find({ m: 2 }).explain('executionStats')
  equal([s.nReturned, s.totalKeysExamined, s.totalDocsExamined], [50, 50, 50])
  assert.equal(d.c.explain().count({ m: 2 }).queryPlanner.winningPlan.stage, 'COUNT')
  assert.equal(d.c.explain('executionStats').update({ m: 9 }, { $set: { x: 1 } }).executionStats.totalDocsExamined, 0)
})
