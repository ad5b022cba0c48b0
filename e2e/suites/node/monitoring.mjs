// Events: commands, heartbeats, pools. None of them may name or time anything here.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { another, direct, failCommand, hello, inSet, MongoClient, thrown } from './server.mjs'
import { uri } from '../js/harness.mjs'

const test = theme('monitoring')

test('commands: started, succeeded, failed', async (c) => {
  const client = await another(c, { monitorCommands: true })
  const seen = []
  for (const kind of ['Started', 'Succeeded', 'Failed']) client.on(`command${kind}`, (e) => seen.push(`${e.commandName} ${kind}`))
  const coll = client.db(c.db.databaseName).collection('things')
  await coll.insertOne({ _id: 1 })
  await thrown(coll.insertOne({ _id: 1 }))
  await thrown(coll.find({ $no: 1 }).toArray())
  await coll.drop()
  assert.deepEqual(seen, ['insert Started', 'insert Succeeded', 'insert Started', 'insert Succeeded', 'find Started', 'find Failed', 'drop Started', 'drop Succeeded'])
})

test('the topology as the driver sees it', async ({ client }) => {
  const clientOfItsOwn = new MongoClient(uri)
  const servers = new Map()
  clientOfItsOwn.on('serverDescriptionChanged', (e) => servers.set(e.address, e.newDescription))
  let topology
  clientOfItsOwn.on('topologyDescriptionChanged', (e) => (topology = e.newDescription))
  const me = await hello(client)
  const many = me.hosts && !direct ? me.hosts.length : 1
  await clientOfItsOwn.connect()
  for (let i = 0; i < 600 && [...servers.values()].filter((d) => d.type !== 'Unknown').length < many; i++) await new Promise((r) => setTimeout(r, 50))
  const types = [...servers.values()].map((d) => d.type).sort()
  if (!me.hosts) assert.deepEqual(types, ['Standalone'])
  else if (direct) assert.deepEqual(types, ['RSPrimary'])
  else assert.deepEqual(types, ['RSPrimary', ...Array(many - 1).fill('RSSecondary')])
  assert.equal(topology.type, me.hosts && !direct ? 'ReplicaSetWithPrimary' : 'Single')
  for (const d of servers.values()) {
    assert.deepEqual([d.setName ?? undefined, d.hosts.length, d.maxWireVersion, d.logicalSessionTimeoutMinutes], [me.setName, me.hosts?.length ?? 0, me.maxWireVersion, 30])
    assert.equal(d.topologyVersion.counter !== undefined, true)
  }
  await clientOfItsOwn.close()
})

test('heartbeats go on, streamed', async (c) => {
  const client = new MongoClient(uri, { heartbeatFrequencyMS: 500, serverMonitoringMode: 'stream' })
  const beats = { awaited: 0, plain: 0, failed: 0 }
  client.on('serverHeartbeatSucceeded', (e) => beats[e.awaited ? 'awaited' : 'plain']++)
  client.on('serverHeartbeatFailed', () => beats.failed++)
  await client.connect()
  c.clients.push(client)
  for (let i = 0; i < 600 && beats.awaited < 3; i++) await new Promise((r) => setTimeout(r, 50))
  assert.ok(beats.awaited >= 3, JSON.stringify(beats))
  assert.equal(beats.failed, 0)
})

test('heartbeats by polling', async (c) => {
  const client = new MongoClient(uri, { heartbeatFrequencyMS: 500, serverMonitoringMode: 'poll' })
  const beats = { true: 0, false: 0 }
  client.on('serverHeartbeatSucceeded', (e) => beats[e.awaited]++)
  await client.connect()
  c.clients.push(client)
  for (let i = 0; i < 600 && beats.false < 3; i++) await new Promise((r) => setTimeout(r, 50))
  assert.ok(beats.false >= 3)
  assert.equal(beats.true, 0)
}, { long: true })

test('one connection for one operation after the other', async (c) => {
  const client = new MongoClient(uri, { maxPoolSize: 1 })
  const counts = {}
  for (const e of ['connectionCreated', 'connectionReady', 'connectionCheckedOut', 'connectionCheckedIn', 'connectionClosed', 'connectionPoolCleared'])
    client.on(e, () => (counts[e] = (counts[e] ?? 0) + 1))
  await client.connect()
  const coll = client.db(c.db.databaseName).collection('things')
  const before = { ...counts }
  await coll.insertOne({ _id: 1 })
  for (let i = 0; i < 20; i++) await coll.updateOne({ _id: 1 }, { $inc: { n: 1 } })
  const of = (e) => (counts[e] ?? 0) - (before[e] ?? 0)
  assert.deepEqual([of('connectionCheckedOut'), of('connectionCheckedIn'), counts.connectionCreated, of('connectionClosed'), of('connectionPoolCleared')], [21, 21, 1, 0, 0])
  await client.close()
})

test('a lost connection clears the pool once', async (c) => {
  const client = new MongoClient(uri, { maxPoolSize: 1, retryReads: false })
  const seen = []
  client.on('connectionPoolCleared', () => seen.push('cleared'))
  client.on('connectionClosed', (e) => seen.push(`closed ${e.reason}`))
  await client.connect()
  c.clients.push(client)
  const db = client.db(c.db.databaseName)
  await db.command({ ping: 1 })
  const f = await failCommand(c.client, { times: 1 }, { failCommands: ['ping'], closeConnection: true })
  await thrown(db.command({ ping: 1 }))
  await f.off()
  assert.equal((await db.command({ ping: 1 })).ok, 1)
  assert.deepEqual(seen, ['cleared', 'closed error'])
})

test('the name of the application reaches the server', async (c) => {
  await inSet(c.client)
  const client = await another(c, { appName: 'suite of scripts' })
  const ops = await client.db('admin').aggregate([{ $currentOp: { localOps: true } }, { $match: { appName: 'suite of scripts', 'command.aggregate': 1 } }]).toArray()
  assert.equal(ops.length, 1)
  assert.match(ops[0].clientMetadata.driver.name, /^nodejs/)
})
