// Transactions: what becomes visible when, conflicts, retries, errors.
import assert from 'node:assert/strict'
import { skip, theme } from '../js/harness.mjs'
import { another, commands, failCommand, inSet, needsSet, thrown } from './server.mjs'

const test = theme('transactions')

async function begun({ client, db }, options) {
  await needsSet(client)
  const coll = await db.createCollection('accounts')
  await coll.insertMany([{ _id: 'a', n: 100 }, { _id: 'b', n: 0 }], { writeConcern: { w: 'majority' } })
  const session = client.startSession()
  session.startTransaction(options)
  return { coll, session }
}

async function move(coll, session) {
  await coll.updateOne({ _id: 'a' }, { $inc: { n: -30 } }, { session })
  await coll.updateOne({ _id: 'b' }, { $inc: { n: 30 } }, { session })
}
const balances = async (coll) => (await coll.find().sort({ _id: 1 }).toArray()).map((d) => d.n)

test('commit', async (c) => {
  const { coll, session } = await begun(c, { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } })
  await move(coll, session)
  assert.deepEqual(await balances(coll), [100, 0])
  assert.equal((await coll.findOne({ _id: 'a' }, { session })).n, 70)
  await session.commitTransaction()
  await session.commitTransaction()
  assert.deepEqual(await balances(coll), [70, 30])
  await session.endSession()
})

test('abort', async (c) => {
  const { coll, session } = await begun(c)
  await move(coll, session)
  await session.abortTransaction()
  assert.deepEqual(await balances(coll), [100, 0])
  await session.endSession()
})

test('ending the session aborts', async (c) => {
  const { coll, session } = await begun(c)
  await move(coll, session)
  await session.endSession()
  assert.deepEqual(await balances(coll), [100, 0])
})

test('a conflict is transient, and withTransaction tries again', async (c) => {
  const { coll, session } = await begun(c)
  await coll.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session })
  let tries = 0
  const other = c.client.startSession()
  const done = await other.withTransaction(async (s) => {
    if (++tries === 2) await session.commitTransaction()
    await coll.updateOne({ _id: 'a' }, { $inc: { n: 10 } }, { session: s })
    return 'done'
  })
  assert.deepEqual([tries, done], [2, 'done'])
  assert.deepEqual(await balances(coll), [111, 0])
  await session.endSession()
  await other.endSession()
})

test('the loser of a conflict gets code and label', async (c) => {
  const { coll, session } = await begun(c)
  await coll.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session })
  const other = c.client.startSession()
  other.startTransaction()
  const err = await thrown(coll.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: other }))
  assert.deepEqual([err.code, err.hasErrorLabel('TransientTransactionError')], [112, true])
  await other.abortTransaction()
  await session.commitTransaction()
  assert.deepEqual(await balances(coll), [101, 0])
  await session.endSession()
  await other.endSession()
})

test('an error inside ends it', async (c) => {
  const { coll, session } = await begun(c)
  await move(coll, session)
  assert.equal((await thrown(coll.insertOne({ _id: 'a' }, { session }))).code, 11000)
  assert.equal((await thrown(coll.findOne({}, { session }))).code, 251)
  await session.abortTransaction()
  assert.deepEqual(await balances(coll), [100, 0])
  await session.endSession()
})

test('commit is tried again after a lost connection', async (c) => {
  const client = await another(c, { monitorCommands: true })
  const { coll, session } = await begun({ client, db: client.db(c.db.databaseName) })
  await move(coll, session)
  const f = await failCommand(c.client, { times: 1 }, { failCommands: ['commitTransaction'], closeConnection: true })
  const names = commands(client)
  await session.commitTransaction()
  await f.off()
  assert.deepEqual(names, ['commitTransaction', 'commitTransaction'])
  assert.deepEqual(await balances(coll), [70, 30])
  await session.endSession()
})

test('several collections, a cursor, a bulk and an aggregation', async (c) => {
  const { coll, session } = await begun(c)
  const audit = await c.db.createCollection('audit')
  await audit.insertMany(Array.from({ length: 25 }, (_, _id) => ({ _id })), { session })
  assert.equal((await audit.find({}, { session, batchSize: 4 }).toArray()).length, 25)
  await coll.bulkWrite([{ insertOne: { document: { _id: 'c', n: 1 } } }, { deleteOne: { filter: { _id: 'b' } } }], { session })
  const [{ n }] = await coll.aggregate([{ $group: { _id: null, n: { $sum: '$n' } } }], { session }).toArray()
  assert.equal(n, 101)
  await session.commitTransaction()
  assert.deepEqual([await balances(coll), await audit.countDocuments()], [[100, 1], 25])
  await session.endSession()
})

test('16 at once on one document', async (c) => {
  const { coll, session } = await begun(c)
  await session.abortTransaction()
  await session.endSession()
  await Promise.all(
    Array.from({ length: 16 }, () => c.client.withSession((s) => s.withTransaction(() => coll.updateOne({ _id: 'b' }, { $inc: { n: 1 } }, { session: s })))),
  )
  assert.deepEqual(await balances(coll), [100, 16])
})

test('a standalone server refuses them', async ({ client, coll }) => {
  if (await inSet(client)) skip('is in a set')
  const session = client.startSession()
  session.startTransaction()
  const err = await thrown(coll.insertOne({}, { session }))
  // the driver's own words for the server's code 20, and the server's, which older drivers pass on
  assert.match(err.message, /does not support retryable writes|only allowed on a replica set member/)
  await session.endSession()
})
