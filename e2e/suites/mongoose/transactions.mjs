// Transactions through models: documents go back to their state when one aborts.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { needsSet, Schema } from './connection.mjs'

const test = theme('transactions')

async function accounts(conn) {
  await needsSet(conn)
  const M = conn.model('M', new Schema({ _id: String, n: Number }))
  await M.createCollection()
  await M.create([{ _id: 'a', n: 10 }, { _id: 'b', n: 0 }])
  return M
}
const balances = async (M) => (await M.find().sort('_id')).map((d) => d.n)

test('withTransaction commits', async (conn) => {
  const M = await accounts(conn)
  const session = await conn.startSession()
  await session.withTransaction(async () => {
    const a = await M.findById('a').session(session)
    a.n -= 4
    await a.save()
    await M.updateOne({ _id: 'b' }, { $inc: { n: 4 } }, { session })
    assert.deepEqual(await balances(M), [10, 0])
  })
  await session.endSession()
  assert.deepEqual(await balances(M), [6, 4])
})

test('an error aborts, and the document is as before', async (conn) => {
  const M = await accounts(conn)
  const doc = new M({ _id: 'c', n: 1 })
  await assert.rejects(
    conn.transaction(async (session) => {
      await doc.save({ session })
      assert.equal(doc.isNew, false)
      throw new Error('no')
    }),
    { message: 'no' },
  )
  assert.equal(doc.isNew, true)
  assert.deepEqual(await balances(M), [10, 0])
  await doc.save()
  assert.deepEqual(await balances(M), [10, 0, 1])
})

test('a conflict is tried again', async (conn) => {
  const M = await accounts(conn)
  const other = await conn.startSession()
  other.startTransaction()
  await M.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: other })
  let tries = 0
  await conn.transaction(async (session) => {
    if (++tries === 2) await other.commitTransaction()
    await M.updateOne({ _id: 'a' }, { $inc: { n: 100 } }, { session })
  })
  await other.endSession()
  assert.deepEqual([tries, await balances(M)], [2, [111, 0]])
})
