// What the server refuses, as the application sees it: class, code, name, labels.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { failCommand, thrown } from './server.mjs'

const test = theme('errors')

const refused = {
  'unknown command': [(db) => db.command({ noSuchCommand: 1 }), 59, 'CommandNotFound'],
  'unknown operator': [(db) => db.collection('c').findOne({ a: { $no: 1 } }), 2, 'BadValue'],
  'unknown stage': [(db) => db.collection('c').aggregate([{ $no: 1 }]).toArray(), 40324, 'Location40324'],
  'unknown field': [(db) => db.command({ find: 'c', noSuchField: 1 }), 40415, 'Location40415'],
  'bad name': [(db) => db.command({ create: 'a$b' }), 73, 'InvalidNamespace'],
  'no such namespace': [(db) => db.collection('gone').rename('c'), 26, 'NamespaceNotFound'],
  'wrong type': [(db) => db.command({ find: 'c', limit: 'x' }), 14, 'TypeMismatch'],
  'admin only': [(db) => db.command({ replSetGetStatus: 1 }), 13, 'Unauthorized'],
  'cursor not found': [(db) => db.command({ getMore: 1n << 40n, collection: 'c' }), 43, 'CursorNotFound'],
  'division by zero': [(db) => db.aggregate([{ $documents: [{}] }, { $set: { x: { $divide: [1, 0] } } }]).toArray(), undefined, undefined],
}
for (const [id, [fn, code, name]] of Object.entries(refused)) {
  test(id, async ({ db }) => {
    const err = await thrown(fn(db))
    assert.equal(err.name, 'MongoServerError')
    if (code) assert.deepEqual([err.code, err.codeName], [code, name])
    else assert.ok(err.code > 0)
  })
}

test('a failing command carries code and labels', async ({ client, db }) => {
  const f = await failCommand(client, { times: 1 }, { failCommands: ['ping'], errorCode: 91, errorLabels: ['Mine'] })
  const err = await thrown(db.command({ ping: 1 }))
  await f.off()
  assert.equal(err.code, 91)
  assert.ok(err.hasErrorLabel('Mine'))
})

test('a write concern error comes with the result', async ({ client, coll }) => {
  const f = await failCommand(client, { times: 1 }, { failCommands: ['insert'], writeConcernError: { code: 100, errmsg: 'not enough', codeName: 'UnsatisfiableWriteConcern' } })
  const err = await thrown(coll.insertOne({ _id: 1 }))
  await f.off()
  assert.deepEqual([err.name, err.code], ['MongoWriteConcernError', 100])
  assert.equal(await coll.countDocuments(), 1)
})

test('a closed connection is a network error, and the next operation works', async ({ client, db }) => {
  const f = await failCommand(client, { times: 1 }, { failCommands: ['ping'], closeConnection: true })
  const err = await thrown(db.command({ ping: 1 }))
  await f.off()
  assert.equal(err.name, 'MongoNetworkError')
  assert.equal((await db.command({ ping: 1 })).ok, 1)
})

test('maxTimeMS', async ({ client, coll }) => {
  await coll.insertMany(Array.from({ length: 50 }, (_, _id) => ({ _id })))
  const f = await failCommand(client, { times: 1 }, { failCommands: ['find'], errorCode: 50 })
  assert.equal((await thrown(coll.findOne())).code, 50)
  await f.off()
  const err = await thrown(coll.find({ $where: 'sleep(100) || true' }, { maxTimeMS: 50 }).toArray())
  assert.deepEqual([err.code, err.codeName], [50, 'MaxTimeMSExpired'])
})
