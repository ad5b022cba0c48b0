// What the driver does with a set: where it reads, what it waits for.
import assert from 'node:assert/strict'
import { skip, theme, uri } from '../js/harness.mjs'
import { another, direct, hello, inSet, needsSet, thrown } from './server.mjs'

const test = theme('deployment')

test('reads from a secondary, after the majority has it', async ({ client, coll }) => {
  await needsSet(client)
  if (direct) skip('one member only')
  const session = client.startSession({ causalConsistency: true })
  await coll.insertOne({ _id: 1 }, { session, writeConcern: { w: 3 } })
  const far = coll.db.collection(coll.collectionName, { readPreference: 'secondary' })
  assert.deepEqual(await far.find({}, { session }).toArray(), [{ _id: 1 }])
  const who = await coll.db.command({ hello: 1 }, { readPreference: 'secondary' })
  assert.deepEqual([who.secondary, who.isWritablePrimary], [true, false])
  await session.endSession()
})

test('reads are spread over all members', async (c) => {
  await needsSet(c.client)
  if (direct) skip('one member only')
  const client = await another(c, { readPreference: 'nearest', localThresholdMS: 60_000 })
  const seen = new Set()
  const many = (await hello(c.client)).hosts.length
  for (let i = 0; i < 500 && seen.size < many; i++) seen.add((await client.db('admin').command({ hello: 1 }, { readPreference: 'nearest' })).me)
  assert.equal(seen.size, many)
})

test('every member that hello names can be reached under that name', async ({ client }) => {
  await needsSet(client)
  if (direct) skip('the names are not for a direct client')
  const options = client.options
  const { hosts, me, primary } = await hello(client)
  assert.equal(me, primary)
  assert.ok(hosts.includes(me))
  const seeds = options.hosts.map((h) => h.toString()).sort()
  assert.deepEqual([...hosts].sort(), seeds)
  for (const h of hosts) {
    const one = await new client.constructor(uri.replace(/(\/\/([^@/]*@)?)[^/]+/, `$1${h}`).replace(/replicaSet=[^&]*/, 'directConnection=true')).connect()
    assert.equal((await hello(one)).me, h)
    await one.close()
  }
})

test('write concerns', async ({ client, coll }) => {
  const set = await inSet(client)
  await coll.insertOne({ _id: 1 }, { writeConcern: { w: 'majority', j: true, wtimeoutMS: 60_000 } })
  const err = await thrown(coll.insertOne({ _id: 2 }, { writeConcern: { w: 9, wtimeoutMS: 100 } }))
  assert.equal(err.code, set ? 100 : 2)
  assert.equal(await coll.countDocuments(), set ? 2 : 1)
})

test('read concerns', async ({ client, coll }) => {
  await coll.insertOne({ _id: 1 }, { writeConcern: { w: 'majority' } })
  for (const level of ['local', 'available', 'majority']) assert.equal((await coll.find({}, { readConcern: { level } }).toArray()).length, 1)
  if (!(await inSet(client))) return
  assert.equal((await coll.find({}, { readConcern: { level: 'linearizable' } }).toArray()).length, 1)
})

test('the compressor asked for is used, both ways', async ({ client, coll }) => {
  const [, name] = uri.match(/compressors=(\w+)/) ?? skip('no compressor in the URI')
  // of the server that answers: bytes of requests, and of its replies
  const counters = async () => {
    const c = (await client.db('admin').command({ serverStatus: 1 })).network.compression[name]
    return [c.decompressor.bytesOut, c.compressor.bytesIn].map(Number)
  }
  const before = await counters()
  await coll.insertOne({ _id: 1, text: 'x'.repeat(1 << 20) })
  assert.equal((await coll.findOne()).text.length, 1 << 20)
  const after = await counters()
  assert.ok(after.every((n, i) => n - before[i] >= 1 << 20), `${before} ${after}`)
})

test('a wrong set name finds nobody', async ({ client }) => {
  await needsSet(client)
  if (direct) skip('a direct client is not asked')
  const err = await thrown(another({ clients: [] }, { serverSelectionTimeoutMS: 1000 }, uri.replace(/replicaSet=[^&]*/, 'replicaSet=other')))
  assert.equal(err.name, 'MongoServerSelectionError')
})

test('50 clients at once', async ({ db }) => {
  const clients = await Promise.all(Array.from({ length: 50 }, () => another({ clients: [] })))
  const got = await Promise.all(clients.map((c, i) => c.db(db.databaseName).collection('x').insertOne({ _id: i })))
  assert.deepEqual(got.map((r) => r.insertedId), Array.from({ length: 50 }, (_, i) => i))
  await Promise.all(clients.map((c) => c.close()))
  assert.equal(await db.collection('x').countDocuments(), 50)
}, { long: true })
